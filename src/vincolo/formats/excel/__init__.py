"""Models in workbooks: vincolo's own layout, and that of Carvalho (2022)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vincolo.formats.document import Document
from vincolo.formats.excel.results import add_results
from vincolo.formats.excel.templates import write_template
from vincolo.formats.excel.write import write_excel

__all__ = ["add_results", "read_excel", "tree_of", "write_excel", "write_template"]


def read_excel(path: str | Path, changes: Mapping[str, Any]) -> Document:
    """The model in a workbook; a sheet SimParam tells the layout of Carvalho (2022)."""
    from vincolo.formats.excel.carvalho import is_carvalho, read_carvalho
    from vincolo.formats.excel.read import read_own
    from vincolo.formats.excel.sheets import read_workbook
    from vincolo.formats.files import changed

    book = read_workbook(path)
    return changed(read_carvalho(book), dict(changes)) if is_carvalho(book) else read_own(book, changes)


def tree_of(path: str | Path) -> dict[str, Any] | None:
    """The tree of a workbook as it stands, with its formulas; None for the layout of Carvalho (2022)."""
    from vincolo.formats.excel.carvalho import is_carvalho
    from vincolo.formats.excel.read import source_of
    from vincolo.formats.excel.sheets import read_workbook

    book = read_workbook(path)
    return None if is_carvalho(book) else source_of(book).data
