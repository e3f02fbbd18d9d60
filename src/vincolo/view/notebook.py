"""Models, results and mobility as they appear in a notebook: tables, a picture, and the page of a result in a
frame that sees nothing of the notebook; nothing is fetched."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import VincoloError
from vincolo.model import Model
from vincolo.model.forces import Law, Spring
from vincolo.model.functions import Constant
from vincolo.model.functions.tracer import name_of
from vincolo.model.measure import Measure
from vincolo.plots.web import framed
from vincolo.results.result import Result
from vincolo.scene.picture import picture
from vincolo.view.page import page_html

if TYPE_CHECKING:
    from vincolo.analyses.mobility import Mobility
    from vincolo.system import System

ROWS = 40  # of a table; the rest is counted
LONG = 160  # characters of a function
PICTURE = (480, 320)
INLINE_MB, INLINE_HEIGHT = 4, 620  # of the page of a result: at most so large, and so high in pixels
TABLE = "border-collapse:collapse;margin:0.3em 0 0.9em 0"
HEAD = "text-align:left;padding:2px 12px 2px 0;border-bottom:1px solid #9aa5b1;font-weight:600"
CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"
TITLE = "font-weight:600;margin-top:0.4em"


def model_html(model: Model, picture: bool = True) -> str:
    """A model as tables of its bodies, joints, drives and forces, with a picture."""
    parts = [_headline(model.name, _counts(model)), _image(model) if picture and model.bodies else "",
             _table("Bodies", ("name", "mass [kg]", "centre of mass [m]", "moments of inertia [kg m²]"),
                    ((n, f"{b.mass:.5g}", _numbers(b.at + b.orientation @ b.com), _numbers(np.diag(b.inertia)))
                     for n, b in model.bodies.items()), len(model.bodies)),
             _table("Joints", ("name", "kind", "bodies", "point [m]", "coordinates"),
                    ((n, j.kind.replace("_", " "), f"{j.a.body.name} – {j.b.body.name}", _numbers(j.a.drawn_point),
                      ", ".join(j.coordinates)) for n, j in model.joints.items()), len(model.joints)),
             _table("Drives", ("name", "kind", "function"),
                    ((n, ("drive" if h.drive else "held") + ("" if h.level == "position" else f", {h.level}"),
                      _says(h.function)) for n, h in model.holds.items()), len(model.holds)),
             _table("Forces", ("name", "kind", "acts", "numbers"), _forces(model),
                    len(model.springs) + len(model.laws) + len(model.rotors) + len(model.loads)),
             _table("Inputs, variables and states", ("name", "kind", "start", "unit", "rate"),
                    ((n, a.kind, f"{a.start:.6g}", a.unit, "" if a.rate is None else a.rate.tape.text)
                     for n, a in model.auxiliaries.items()), len(model.auxiliaries)),
             _table("Outputs", ("name", "what", "unit"), ((n, o.told, o.unit) for n, o in model.outputs.items()),
                    len(model.outputs)),
             _table("Controllers", ("name", "every [s]", "reads", "writes"),
                    ((n, f"{c.every:.6g}", ", ".join(r.told for r in c.reads), ", ".join(c.writes))
                     for n, c in model.controllers.items()), len(model.controllers))]
    return _page(parts)


def system_html(system: System, picture: bool = True) -> str:
    """A compiled model: what the kernel was given, and the model that it came from."""
    told = [("equations", f"{len(system.rows)} rows, of which {sum(row.drive for row in system.rows)} are driven"),
            ("state", f"{system.kernel.state_size} numbers"), ("extent", f"{system.extent:.5g} m")]
    return _page([_table("Compiled", ("", ""), told, len(told)), model_html(system.model, picture)])


def result_html(result: Result, moving: bool = True) -> str:
    """A result as the facts of its run, under the page on which it moves."""
    lines = result.summary().split("\n")
    facts: list[list[str]] = []
    for line in lines[1:]:
        title, text = line[2:16].strip(), line[16:].strip()
        if title or not facts:
            facts.append([title, text])
        else:
            facts[-1][1] += f"\n{text}"
    parts = [_headline(result.system.name, lines[0].partition(": ")[2]),
             _moving(result) if moving and len(result) else "",
             _table("", ("", ""), facts, len(facts)),
             f"<div>{len(result.keys()):,} series over {len(result):,} samples, such as "
             f"{', '.join(f'<code>{escape(n)}</code>' for n in result.keys()[1:4])}</div>"]
    return _page(parts)


def _moving(result: Result) -> str:
    """The page of a result within the notebook, which it cannot touch; a sentence if there is none."""
    try:
        return framed(page_html(result, max_mb=INLINE_MB), INLINE_HEIGHT)
    except VincoloError as error:
        return f"<div>It cannot be shown in motion: {escape(str(error))}</div>"


def mobility_html(mobility: Mobility) -> str:
    """What counting and the rank say of a mechanism's freedom."""
    rows = [("degrees of freedom", mobility.dof), ("by counting (Kutzbach)", mobility.kutzbach),
            ("equations", mobility.rows), ("independent", mobility.rank), ("redundant", mobility.redundant)]
    text = "\n".join(str(mobility).split("\n")[2:])
    return _page([_headline(mobility.name, "mobility"), _table("", ("", ""), rows, len(rows)),
                  f'<pre style="margin:0;white-space:pre-wrap">{escape(text)}</pre>' if text else ""])


def _page(parts: Iterable[str]) -> str:
    return f'<div style="max-width:60em">{"".join(parts)}</div>'


def _headline(name: str, about: str) -> str:
    return f'<div style="font-size:1.15em"><b>{escape(name)}</b> <span style="opacity:0.7">{escape(about)}</span></div>'


def _counts(model: Model) -> str:
    forces = len(model.springs) + len(model.laws) + len(model.loads)
    words = ((len(model.bodies), "body", "bodies"), (len(model.joints), "joint", "joints"),
             (len(model.holds), "drive", "drives"), (forces, "force", "forces"),
             *((len(group), kind, f"{kind}s") for kind, group in model.groups().items()
               if group and kind in ("rotor", "input", "variable", "state", "output")),
             *(((len(model.controllers), "controller", "controllers"),) if model.controllers else ()))
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in words)


def _forces(model: Model) -> Iterable[Sequence[str]]:
    for name, spring in model.springs.items():
        yield name, "spring", _measure(spring.measure), _spring(spring)
    for name, law in model.laws.items():
        yield name, "law" if law.sign < 0 else "actuator", _measure(law.measure), _law(law)
    for name, rotor in model.rotors.items():
        yield name, "rotor", _measure(rotor.measure), f"J = {rotor.inertia:.6g}, ratio = {rotor.ratio:.6g}"
    for name, load in model.loads.items():
        axes = "body" if load.in_body_axes else "world"
        yield (name, "torque" if load.torque else "force", f"on {load.frame.body.name}",
               f"({', '.join(_says(f) for f in load.components)}) in {axes} axes")


def _spring(spring: Spring) -> str:
    given = (("k", spring.k), ("c", spring.c), ("length", spring.length), ("preload", spring.preload))
    return ", ".join(f"{key} = {value:.6g}" for key, value in given if value or key == "k")


def _law(law: Law) -> str:
    if law.called is not None:
        return f"Python function {name_of(law.called.function)}"
    return _says(next((x for x in (law.curve, law.history) if x is not None), law.formula))


def _says(function: Any) -> str:
    """A function in short: a number, its text, or its kind and numbers."""
    if isinstance(function, Constant):
        return f"{function.value:.6g}"
    text = str(getattr(function, "text", function))
    return text if len(text) <= LONG else f"{text[:LONG]} ..."


def _measure(measure: Measure) -> str:
    if measure.name:
        return str(measure.name)
    return "; ".join(f"{e.kind} {a.body.name} – {b.body.name}" for _, e, a, b in measure.terms) or "formula"


def _numbers(values: Any) -> str:
    return ", ".join(f"{0.0 if abs(v) < 5e-13 else v:.4g}" for v in np.asarray(values, dtype=float))


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], count: int) -> str:
    """A table of texts, all escaped; nothing if it is empty."""
    if not count:
        return ""
    shown = [row for row, _ in zip(rows, range(ROWS), strict=False)]
    top = "".join(f'<th style="{HEAD}">{escape(h)}</th>' for h in heads) if any(heads) else ""
    cells = ["".join(f'<td style="{CELL}">{_text(cell)}</td>' for cell in row) for row in shown]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    left = f"<div>and {count - ROWS:,} more</div>" if count > ROWS else ""
    named = f'<div style="{TITLE}">{escape(title)}</div>' if title else ""
    return f'{named}<table style="{TABLE}">{f"<tr>{top}</tr>" if top else ""}{body}</table>{left}'


def _text(cell: Any) -> str:
    return escape(str(cell)).replace("\n", "<br>")


def _image(source: Model | Result) -> str:
    """A small picture within the page; none if what pictures need is not installed."""
    try:
        image = picture(source, size=PICTURE)
    except (VincoloError, ArithmeticError, np.linalg.LinAlgError):
        return ""
    memory = BytesIO()
    image.save(memory, format="PNG", optimize=True)
    data = base64.b64encode(memory.getvalue()).decode()
    return (f'<img alt="picture of the mechanism" width="{PICTURE[0]}" height="{PICTURE[1]}" '
            f'style="max-width:100%;height:auto;border-radius:6px" src="data:image/png;base64,{data}">')
