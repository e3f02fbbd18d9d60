"""Pages of the reference: every public name with its signature, its words, and where the documents use it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from links import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
#: namespace | what is in it; "" is the top level
SPACES = {
    "": "Models, verbs, measures and errors: what nearly every script needs.",
    "functions": "Functions of time, for drives, laws and moving frames.",
    "shapes": "Shapes with their mass properties.",
    "integrators": "Integrators: small frozen options of `simulate`.",
    "formulations": "Formulations: how accelerations are found from the equations of motion.",
    "stabilisations": "Stabilisations: how constraints are kept.",
    "blocks": "Blocks of control.",
    "elements": "Types of the parts that models consist of.",
    "records": "Types of what analyses return.",
}


def public(space: str) -> list[str]:
    """The public names of a namespace, in the order of the alphabet."""
    module = import_module(f"vincolo.{space}".rstrip("."))
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return sorted((name for name in names if not inspect.ismodule(getattr(module, name))), key=str.lower)


def used(text: str) -> Iterator[tuple[str, int]]:
    """Attribute and name of everything that the Python blocks of a page use, with the place of the block."""
    for block in BLOCK.finditer(text):
        for node in ast.walk(ast.parse(block[1])):
            if isinstance(node, ast.Attribute):
                yield node.attr, block.start()
            elif isinstance(node, ast.Name):
                yield node.id, block.start()


def uses() -> dict[str, list[tuple[str, str]]]:
    """Pages and headings under which each name is used, the shortest page first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted((ROOT / "docs").glob("*.md"), key=lambda path: path.stat().st_size):
        text = path.read_text()
        for name, start in used(text):
            headings = HEADING.findall(BLOCK.sub("", text[:start]))
            place = (path.name, headings[-1] if headings else "")
            if place not in found.setdefault(name, []):
                found[name].append(place)
    return found


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def entry(space: str, name: str, places: list[tuple[str, str]]) -> str:
    """One name: what autodoc says of it, and where it is used."""
    path = f"vincolo.{space}.{name}" if space else f"vincolo.{name}"
    thing: Any = getattr(import_module(f"vincolo.{space}".rstrip(".")), name)
    kind = "autoclass" if inspect.isclass(thing) else "autofunction" if callable(thing) else "autodata"
    options = "   :members:\n" if kind == "autoclass" and not issubclass(thing, BaseException) else ""
    if space and name in public(""):  # described there
        options += "   :no-index:\n"
    text = f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: {path}\n{options}```\n"
    if places:
        links = ", ".join(f"[{heading}](../{page}#{slug(heading)})" for page, heading in places[:3])
        text += f"\nIn use: {links}.\n"
    return text


def pages() -> dict[str, str]:
    """The pages of the reference, by name."""
    places, written = uses(), {}
    for space, words in SPACES.items():
        title = f"vc.{space}" if space else "vincolo"
        names = public(space)
        body = "\n".join(entry(space, name, places.get(name, [])) for name in names)
        written[f"reference/{space or 'vincolo'}.md"] = f"# {title}\n\n{words}\n\n{body}"
    listed = "\n".join(Path(page).stem for page in written)
    written["reference/index.md"] = (
        "# Reference\n\nEvery public name, with the places of the documents in which it is used. `vc` is what "
        f"`import vincolo as vc` gives.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n")
    return written
