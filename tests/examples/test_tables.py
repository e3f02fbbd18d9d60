"""Tables of docs/formulations.md are those that the script of the benchmarks makes."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "formulations.md").read_text()


@pytest.fixture
def published(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("published")


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def printed(published, name):
    """The table behind a mark in the page."""
    return cells(PAGE.partition(published.TABLE.format(name=name))[2].split("\n\n")[0])


def test_every_table_that_is_made_has_its_mark_and_is_put_there(published):
    marks = re.findall(r"<!-- made by .*: section (\w) -->", PAGE)
    assert sorted(marks) == sorted(published.IN_SHORT)
    changed = published.documented(PAGE, {"b": "| x |", "d": "| y |"})
    assert changed.count("| x |\n\n") == changed.count("| y |\n\n") == 1
    assert len(changed.splitlines()) < len(PAGE.splitlines())


def test_passes_of_the_augmented_lagrangian_are_those_of_the_page(published):
    found, page = cells(published.IN_SHORT["b"]()), printed(published, "b")
    assert [row[:2] for row in found] == [row[:2] for row in page] and len(page) == 7
    for one, other in zip(found[2:], page[2:], strict=True):
        assert float(one[2]) == pytest.approx(float(other[2]), abs=0.11) and one[3] == other[3]  # a digit of rounding


@pytest.mark.slow
def test_pseudoinverses_last_as_long_as_on_the_page(published):
    """Those that go wrong do so by rounding that grows, some seconds sooner or later; those of least squares never."""
    found, page = cells(published.IN_SHORT["d"]()), printed(published, "d")
    assert [row[:3] for row in found] == [row[:3] for row in page] and found[0] == page[0]
    for one, other in zip(found[2:], page[2:], strict=True):
        assert [float(v) for v in one[3:5]] == pytest.approx([float(v) for v in other[3:5]], abs=3.0)
        assert (float(one[3]) == 20) == (float(other[3]) == 20) == (one[1] in ("Householder", "Gram-Schmidt"))
        assert float(one[5]) < 10 and float(other[5]) < 10
