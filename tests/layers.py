"""Imports go down only: `python tests/layers.py` lists every import that goes up, or that hides in a function.

It reads the files, so that it sees imports in functions and for type checkers as well.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

#: from the bottom to the top; what stands in one line may import each other, but not in a circle
LAYERS = [
    ("version", "errors"), ("optional", "files", "units", "_kernel", "threads"), ("equations",), ("model",),
    ("layout", "centred", "flywheels", "kernel_terms", "channels", "state", "system", "renumbered", "varied",
     "numbering", "expressions", "held", "acting", "switchboard", "deciding", "onsets",
     "beside", "touching"), ("solvers",), ("results",),
    ("analyses",), ("blocks", "environments", "realtime"),
    ("dual",), ("cardan", "tolerance", "vehicle"), ("symbolic",), ("formats",), ("tables", "studies"),
    ("scene", "plots"), ("view",), ("studio",), ("report",),
    ("", "functions", "shapes", "integrators", "formulations", "stabilisations", "elements", "records"),  # for users
    ("cli", "__main__"),
]
#: methods that look up for convenience, or make a kind of function that builds on their class; all else is at the top
LOOK_UPS = {
    "model.functions.function": ("Function.put_into", "Function._with"),
    "model.model": ("Model.show", "Model._repr_html_"),
    "system": ("System._repr_html_",),
    "state": ("State.save", "State.load", "State.equations", "State.solve"),
    "results.result": ("Result.mobility", "Result.export", "Result.plot", "Result.show", "Result.report",
                       "Result._repr_html_"),
    "results.in_units": ("InUnits.export", "InUnits.plot", "InUnits.show", "InUnits.report",
                         "InUnits._repr_html_"),
    "analyses.mobility": ("Mobility._repr_html_",),
    "studies.table": ("Study.show",),
}
#: types that methods which look up take or return, and what Recorded is made of
TYPES = {"model.functions.recorded": "results", "state": "solvers", "results.result": "analyses"}
#: what is imported when it is asked for, so that `import vincolo` and the command line answer at once
LATE = {"analyses.choosing": "solvers", "environments": "environments", "cli": "cli", "cli.app": "cli",
        "cli.showing": "cli", "cli.outside": "cli", "cli.arguments": "cli"}


class Import(NamedTuple):
    """An import: of which module in which, inside of which function, in which line, and whether for types alone."""

    here: str
    there: str
    inside: str
    line: int
    typing: bool


def imports(root: Path) -> Iterator[Import]:
    """All imports of a package within itself."""
    files = {".".join(path.relative_to(root).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
             for path in sorted(root.rglob("*.py"))}
    for here, path in files.items():
        for node, inside, typing in _walked(ast.parse(path.read_text()), "", False):
            names = ([f"{node.module}.{a.name}" for a in node.names] if isinstance(node, ast.ImportFrom)
                     else [a.name for a in node.names])
            for name in (n.removeprefix(root.name).lstrip(".") for n in names if n.split(".")[0] == root.name):
                there = name if name in files else name.rpartition(".")[0]
                yield Import(here, there, inside, node.lineno, typing)


def _walked(node: ast.AST, inside: str, typing: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside, typing
        named = isinstance(child, ast.FunctionDef | ast.ClassDef)
        types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        yield from _walked(child, f"{inside}.{child.name}".lstrip(".") if named else inside, typing or types)


def level(module: str) -> int:
    """The number of the layer of a module, from the bottom."""
    return next(k for k, layer in enumerate(LAYERS) if module.split(".")[0] in layer)


def wrong(root: Path) -> list[str]:
    """What is wrong with the imports of a package, a line for each."""
    found, graph = [], {}
    for i in imports(root):
        if not i.inside and not i.typing:
            graph.setdefault(i.here, set()).add(i.there)
        allowed = i.inside in LOOK_UPS.get(i.here, ()) or (i.typing and TYPES.get(i.here) == i.there.split(".")[0])
        if level(i.there) > level(i.here) and not allowed:
            found.append(f"{i.here}, line {i.line}: {i.there or root.name} is above it.\n"
                         "  Move what it needs down, or let the caller pass it.")
        elif i.inside and not allowed and i.there.split(".")[0] != LATE.get(i.here):
            found.append(f"{i.here}, line {i.line}: {i.there or root.name} is imported inside of {i.inside}.\n"
                         "  Import it at the top of the file.")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"these modules import each other in a circle: {' -> '.join(error.args[1])}.")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(wrong(Path(__file__).parents[1] / "src/vincolo")) or None)
