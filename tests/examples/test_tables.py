"""Tables of docs/formulations.md are those that the script of the benchmarks makes."""

import importlib
import math
import re
from pathlib import Path

import pytest

from vincolo.layout import of_body

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
    """Those that go wrong do so by rounding that grows, some seconds sooner or later; those that take one row after the
    other keep zeros as they are and last."""
    found, page = cells(published.IN_SHORT["d"]()), printed(published, "d")
    assert [row[:3] for row in found] == [row[:3] for row in page] and found[0] == page[0]
    for one, other in zip(found[2:], page[2:], strict=True):
        assert [float(v) for v in one[3:5]] == pytest.approx([float(v) for v in other[3:5]], abs=3.0)
        assert (float(one[3]) == 20) == (float(other[3]) == 20) == (one[1] in ("Greville", "Gram-Schmidt"))
        assert float(one[5]) < 10 and float(other[5]) < 10


def test_pseudoinverses_row_by_row_keep_a_plane_mechanism_in_its_plane(published):
    vita = importlib.import_module("compared.vita")
    case = vita.vita_five_bar(2.0, -math.pi / 4)
    aside = {}
    for kind in vita.PSEUDOINVERSES:
        result = vita.with_pseudoinverse(case, 1e-6, kind, 1e-5).result
        aside[kind] = max(abs(of_body(result.y, k)[:, 2]).max() for k in range(len(result.system.centred)))
    assert aside["greville"] == aside["gram_schmidt"] == 0.0
    assert all(0 < aside[kind] < 1e-12 for kind in ("svd", "double_qr", "householder"))
