"""Where the Python blocks of the documents use public names, and the examples that the reference has of its own."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from links import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
#: pages of examples, one for each namespace of the reference
EXAMPLES = ROOT / "docs" / "reference"
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
    "studies": "Many runs of one model: variants, derivatives, optimisation, calibration.",
    "environments": "Mechanisms as environments for learning.",
    "vehicle": "Suspensions, cars, tyres, roads and manoeuvres.",
    "tolerance": "Tolerances and clearances of mechanisms.",
    "dual": "Dual numbers, lines and screws.",
    "cardan": "Cardan joints with errors, friction and efficiency.",
    "plots": "Plots and comparisons of results.",
    "view": "Pages, pictures, films and scenes.",
    "report": "Reports of runs.",
    "tables": "Series of results in files.",
}


class Name(NamedTuple):
    """A public name and the namespace it stands in."""

    space: str
    name: str


class Example(NamedTuple):
    """A section of a page of examples: the names it shows, and its words and code."""

    names: tuple[str, ...]
    text: str


def module_of(space: str) -> Any:
    return import_module(f"vincolo.{space}".rstrip("."))


def public(space: str) -> list[str]:
    """The public names of a namespace, in the order of the alphabet."""
    module = module_of(space)
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return sorted((name for name in names if not inspect.ismodule(getattr(module, name))), key=str.lower)


@cache
def _known() -> dict[int, list[Name]]:
    """Public names by what they are: one thing may stand in two namespaces."""
    found: dict[int, list[Name]] = {}
    for space in SPACES:
        for name in public(space):
            found.setdefault(id(getattr(module_of(space), name)), []).append(Name(space, name))
    return found


def _imported(tree: ast.AST) -> dict[str, str]:
    """What a block imports of vincolo: its own names, each with the path behind 'vincolo'."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name: "" for a in node.names if a.name == "vincolo"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "vincolo":
            inner = (node.module or "").removeprefix("vincolo").strip(".")
            found |= {a.asname or a.name: f"{inner}.{a.name}".strip(".") for a in node.names}
    return found


def _path(node: ast.AST, imported: dict[str, str]) -> str:
    """The path behind 'vincolo' of vc.functions.Sine and the like; nothing for names of others."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imported:
        return ""
    return ".".join([imported[node.id], *parts]).strip(".")


def _meant(path: str) -> list[Name]:
    """The public names that a path stands for: vc.Sine is vc.functions.Sine."""
    space, _, name = path.rpartition(".")
    direct = [Name(space, name)] if space in SPACES and name in public(space) else []
    try:
        thing = getattr(module_of(space), name)
    except (ImportError, AttributeError):  # a method, or the attribute of a thing
        return direct
    return [*direct, *(() if isinstance(thing, int | float | str) else _known().get(id(thing), ()))]


def used(text: str) -> Iterator[tuple[Name, int]]:
    """Public names that the Python blocks of a page use, with the place of the block."""
    imported: dict[str, str] = {}
    for block in BLOCK.finditer(text):
        tree = ast.parse(block[1])
        imported |= _imported(tree)
        paths = {_path(node, imported) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)}
        for name in dict.fromkeys(name for path in sorted(paths - {""}) for name in _meant(path)):
            yield name, block.start()


@cache
def uses() -> dict[Name, list[tuple[str, str]]]:
    """Pages and headings under which each name is used, the shortest page first."""
    found: dict[Name, list[tuple[str, str]]] = {}
    for path in sorted((ROOT / "docs").glob("*.md"), key=lambda path: path.stat().st_size):
        text = path.read_text()
        for name, start in used(text):
            headings = HEADING.findall(BLOCK.sub("", text[:start]))
            place = (path.name, headings[-1] if headings else "")
            if place not in found.setdefault(name, []):
                found[name].append(place)
    return found


def page_of(space: str) -> Path:
    """The page with the examples of a namespace; not every one needs its own."""
    return EXAMPLES / f"{space or 'vincolo'}.md"


@cache
def examples(space: str) -> tuple[Example, ...]:
    """The sections of a page of examples. A heading has the names that its block shows."""
    if not page_of(space).exists():
        return ()
    _, *parts = re.split(r"^## ", page_of(space).read_text(), flags=re.MULTILINE)
    return tuple(Example(tuple(head.split(", ")), body.strip()) for head, _, body in (p.partition("\n") for p in parts))


def shown() -> dict[Name, Example]:
    """The example of each name that has its own in the reference."""
    return {Name(space, name): example for space in SPACES for example in examples(space) for name in example.names}


def without() -> list[Name]:
    """Public names that no block of the documents shows."""
    seen = {*uses(), *shown()}
    alike = [names for names in _known().values() if not seen.intersection(names)]
    return sorted(name for names in alike for name in names)
