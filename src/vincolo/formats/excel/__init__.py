"""Models in workbooks: vincolo's own layout, and that of Carvalho (2022)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vincolo.formats.document import Document
from vincolo.formats.excel.carvalho import is_carvalho, read_carvalho
from vincolo.formats.excel.read import read_own, source_of
from vincolo.formats.excel.sheets import read_workbook
from vincolo.formats.excel.templates import write_template
from vincolo.formats.excel.write import write_excel
from vincolo.formats.tree.files import Files

__all__ = ["read_excel", "tree_of", "write_excel", "write_template"]


def read_excel(path: str | Path, changes: Mapping[str, Any], files: Files) -> Document:
    """The model in a workbook; a sheet SimParam tells the layout of Carvalho (2022)."""
    book = read_workbook(path)
    return files.changed(read_carvalho(book), changes) if is_carvalho(book) else read_own(book, changes, files)


def tree_of(path: str | Path) -> dict[str, Any] | None:
    """The tree of a workbook as it stands, with its formulas; None for the layout of Carvalho (2022)."""
    book = read_workbook(path)
    return None if is_carvalho(book) else source_of(book).data
