"""Equations for readers: plain text, LaTeX and MathML, every block under its heading with the names of its rows."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.symbolic.names import ascii_text
from vincolo.symbolic.written import load_sympy

if TYPE_CHECKING:
    from vincolo.symbolic.equations import Equations

HELD = {3: "Psi = 0", 2: "Psi_q u + Psi_t = 0", 1: "Psi_q u' = gamma"}
DOTS = re.compile(r"(\w+?)(d?)dot")  # letters of rates and accelerations: qdot, qddot
STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
td { padding: .25rem .75rem; vertical-align: middle; border-bottom: 1px solid #8884; }
td:first-child { color: #777; white-space: nowrap; font-size: .85rem; } div.wide { overflow-x: auto; }
h2 { margin-top: 2rem; } @media (prefers-color-scheme: dark) { body { background: #181a1b; color: #ddd; } }"""


@dataclass(frozen=True)
class Block:
    """A heading, what it says, and equations left = right, each with the name of what it belongs to."""

    heading: str
    says: str
    lines: tuple[tuple[str, Any, Any], ...]


def blocks(eqs: Equations) -> Iterator[Block]:
    """All blocks of equations, in the order they are read."""
    sp = load_sympy()
    zero, names, u = sp.Integer(0), eqs.row_names, [str(x) for x in eqs.u]
    psi = [sp.Symbol(f"Psi_{k + 1}") for k in range(len(names))]
    yield Block("Coordinates and velocities", "q' by u", tuple(
        (str(q), dotted(sp, q), rate) for q, rate in zip(eqs.q, eqs.kinematics, strict=True)
        if dotted(sp, q) != rate))
    yield Block("Abbreviations", "axes of bodies by their Euler parameters",
                tuple((str(a), a, x) for a, x in eqs.definitions.items()))
    yield Block("Constraints Psi", "what joints and drives hold", tuple(zip(names, psi, eqs.Psi, strict=True)))
    yield Block("Rows Psi_q", "derivatives by u that are not zero", tuple(
        (names[i], sp.Symbol(f"Psi_q[{i + 1},{u[j]}]"), eqs.Psi_q[i, j])
        for i in range(len(names)) for j in range(len(u)) if eqs.Psi_q[i, j] != 0))
    yield Block("Rates Psi_t", "Psi_q u + Psi_t = 0; those that are not zero", tuple(
        (n, sp.Symbol(f"Psi_t[{k + 1}]"), x) for k, (n, x) in enumerate(zip(names, eqs.Psi_t, strict=True)) if x != 0))
    yield Block("Accelerations gamma", "Psi_q u' = gamma", tuple(
        (n, sp.Symbol(f"gamma_{k + 1}"), x) for k, (n, x) in enumerate(zip(names, eqs.gamma, strict=True))))
    yield Block("Masses M", "entries on and above the diagonal that are not zero", tuple(
        (u[i], sp.Symbol(f"M[{u[i]},{u[j]}]"), eqs.M[i, j])
        for i in range(len(u)) for j in range(i, len(u)) if eqs.M[i, j] != 0))
    yield Block("States beside the motion", "their rates", tuple(
        (str(x), dotted(sp, x), rate) for x, rate in eqs.states.items()))
    yield Block("Forces Q", "", tuple((u[k], sp.Symbol(f"Q[{u[k]}]"), x) for k, x in enumerate(eqs.Q)))
    yield Block("The whole system: motion", "M u' + Psi_q^T lam = Q",
                tuple((u[k], x + eqs.Q[k], eqs.Q[k]) for k, x in enumerate(eqs.motion)))
    yield Block(f"The whole system: constraints, index {eqs.index}", HELD[eqs.index],
                tuple((n, x, zero) for n, x in zip(names, eqs.constraints, strict=True)))


def dotted(sp: Any, q: Any) -> Any:
    """The symbol of a coordinate's rate."""
    head, _, tail = str(q).partition("_")
    return sp.Symbol(f"{head}dot{'_' + tail if tail else ''}", real=True)


def title(eqs: Equations) -> str:
    """What the equations are of."""
    return (f"{eqs.mechanism.model.name}: equations of motion in {eqs.coordinates}"
            f"{'' if eqs.coordinates == 'twists' else ' coordinates' if eqs.coordinates == 'joint' else ''}, "
            f"index {eqs.index}")


def _shown(eqs: Equations) -> list[Block]:
    eqs.check_length()
    return [block for block in blocks(eqs) if block.lines]


def as_text(eqs: Equations) -> str:
    """Plain text, an equation a line."""
    found = [title(eqs)]
    for block in _shown(eqs):
        found += ["", block.heading + (f" ({block.says})" if block.says else "")]
        width = max(len(name) for name, *_ in block.lines)
        found += [f"  {name:{width}}  {left} = {right}" for name, left, right in block.lines]
    return "\n".join(found) + "\n"


def as_latex(eqs: Equations) -> str:
    """LaTeX: a section for every block, for a document with amsmath."""
    sp = load_sympy()
    found = [f"% {ascii_text(title(eqs))}"]
    for block in _shown(eqs):
        found += [f"\\subsection*{{{_tex(block.heading)}}}"]
        found += ["\\begin{align*}"]
        found += [f"  &{_math(sp, left)} = {_math(sp, right)} && \\text{{{_tex(name)}}} \\\\"
                  for name, left, right in block.lines]
        found += ["\\end{align*}"]
    return "\n".join(found) + "\n"


def _math(sp: Any, x: Any) -> str:
    if isinstance(x, sp.Symbol) and "[" in x.name:
        head, inner = x.name[:-1].split("[")
        parts = ",\\,".join(sp.latex(sp.Symbol(part)) for part in inner.split(","))
        return f"{sp.latex(sp.Symbol(head))}\\left[{parts}\\right]"
    return str(sp.latex(x))


def _tex(text: str) -> str:
    """A text with what LaTeX would take for a command written out."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
               **{c: f"\\{c}" for c in "&%$#_{}"}}
    return "".join(special.get(c, c) for c in text)


def as_mathml(eqs: Equations) -> str:
    """MathML in tables, a heading for every block; a browser shows it without a script."""
    write = _mathml_writer()
    found = []
    for block in _shown(eqs):
        found.append(f"<h2>{html.escape(block.heading)}</h2>")
        if block.says:
            found.append(f"<p>{html.escape(block.says)}</p>")
        lines = [f"<tr><td>{html.escape(name)}</td><td><math display='block'><mrow>{write(left)}<mo>=</mo>"
                 f"{write(right)}</mrow></math></td></tr>" for name, left, right in block.lines]
        found.append(f"<div class='wide'><table>{''.join(lines)}</table></div>")
    return "\n".join(found)


def _mathml_writer() -> Callable[[Any], str]:
    sp = load_sympy()
    mathml = import_module("sympy.printing.mathml")
    printer = mathml.MathMLPresentationPrinter({"disable_split_super_sub": False})
    plain = printer._print_Symbol

    def with_dots(symbol: Any, style: str = "plain") -> Any:
        made = plain(symbol, style)
        letter = made if made.tagName == "mi" else made.firstChild
        found = DOTS.fullmatch(letter.firstChild.data)
        if found is None:
            return made
        over, dots = (printer.dom.createElement(tag) for tag in ("mover", "mo"))
        base = letter.cloneNode(True)
        base.firstChild.data = mathml.greek_unicode.get(found[1], found[1])
        dots.appendChild(printer.dom.createTextNode("\u00a8" if found[2] else "\u02d9"))
        over.appendChild(base)
        over.appendChild(dots)
        if letter is made:
            return over
        made.replaceChild(over, letter)
        return made

    printer._print_Symbol = with_dots

    def write(x: Any) -> str:
        if isinstance(x, sp.Symbol) and "[" in x.name:
            head, inner = x.name[:-1].split("[")
            parts = "<mo>,</mo>".join(write(sp.Symbol(part)) if not part.isdigit() else f"<mn>{part}</mn>"
                                      for part in inner.split(","))
            return f"<msub>{write(sp.Symbol(head))}<mrow>{parts}</mrow></msub>"
        return str(printer._print(x).toxml())

    return write


def as_page(eqs: Equations) -> str:
    """One HTML page that needs nothing else."""
    heading = html.escape(title(eqs))
    return (f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{heading}</title>\n"
            f"<style>{STYLE}</style></head>\n<body><h1>{heading}</h1>\n{as_mathml(eqs)}\n</body></html>\n")


def as_document(eqs: Equations) -> str:
    """A whole LaTeX document."""
    return ("\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[a3paper,landscape]{geometry}\n"
            f"\\allowdisplaybreaks\n\\begin{{document}}\n\\section*{{{_tex(ascii_text(title(eqs)))}}}\n{as_latex(eqs)}"
            "\\end{document}\n")


WRITERS: dict[str, Callable[[Equations], str]] = {".tex": as_document, ".html": as_page, ".txt": as_text}


def save_equations(eqs: Equations, path: str | os.PathLike[str]) -> Path:
    """Writes equations to a file, in the form that its ending asks for."""
    file = Path(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise ModelError(f"{file.name}: equations are written as {', '.join(WRITERS)}, not as {file.suffix!r}.\n"
                         "  Choose one of these endings.")
    text = writer(eqs)
    with appearing("equations", file) as out:
        out.write(text.encode())
    return file
