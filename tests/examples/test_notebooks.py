"""The notebooks of examples/notebooks run, cell by cell, and what ends a cell shows itself."""

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def shown(value):
    """What a notebook would show of a value."""
    draw = getattr(value, "_repr_html_", None)
    return draw() if draw else repr(value)


def run_cell(source, names):
    """Runs a cell; returns the value of its last line, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_there_are_six():
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_its_last_line(path):
    book, names, seen = json.loads(path.read_text()), {"__name__": "__main__"}, 0
    assert book["nbformat"] == 4 and book["cells"][0]["cell_type"] == "markdown"
    assert not any(cell.get("outputs") for cell in book["cells"]), "saved without what was shown"
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            value = run_cell("".join(cell["source"]), names)
            seen += value is not None
            assert value is None or len(shown(value)) > 100
    assert seen
