"""Writing workbooks: exact numbers, texts that never become formulas, and files that do not change with the clock."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from vincolo.files import in_words

DATE = (1980, 1, 1, 0, 0, 0)  # of all parts, so that the same content is the same file
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")


def new_book() -> Any:
    """An empty workbook."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    book.properties.creator = "vincolo"
    return book


def put(sheet: Any, row: int, column: int, value: float | bool | str) -> Any:
    """Puts a number with all its digits, a truth value, or a text that stays a text; returns the cell."""
    cell = sheet.cell(row, column)
    if isinstance(value, bool):
        cell.value = value
    elif isinstance(value, str):
        cell.value, cell.data_type = value, "s"
        cell.quotePrefix = value.startswith(("=", "+", "-", "@"))  # so that it stays a text when it is edited
    else:
        text = repr(float(value)).removesuffix(".0") if value else repr(float(value))
        cell.value, cell.data_type = text, "n"
    return cell


def bold_row(sheet: Any, row: int, count: int) -> None:
    """Makes a row of headings bold, and keeps it and the names in sight."""
    from openpyxl.styles import Font, PatternFill

    for column in range(1, count + 1):
        cell = sheet.cell(row, column)
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="DDEBF7")
    sheet.freeze_panes = sheet.cell(row + 1, 2)


def widen(sheet: Any, least: float = 9, most: float = 40) -> None:
    """Columns as wide as their texts, within limits."""
    from openpyxl.utils import get_column_letter

    longest: dict[int, int] = {}
    for row in sheet.iter_rows():
        for cell in row:
            if cell.value is not None:
                longest[cell.column] = max(longest.get(cell.column, 0), len(str(cell.value)))
    for column, length in longest.items():
        sheet.column_dimensions[get_column_letter(column)].width = min(max(least, length + 2), most)


def saved(book: Any) -> io.BytesIO:
    """The file as openpyxl makes it, in memory: it leaves pieces of a file behind where a disk is full."""
    buffer = io.BytesIO()
    with in_words("a workbook", Path(tempfile.gettempdir()) / "sheet"):  # where openpyxl keeps sheets meanwhile
        book.save(buffer)
    return buffer


def packed(book: Any) -> bytes:
    """The bytes of the file, the same for the same content."""
    result = io.BytesIO()
    with zipfile.ZipFile(saved(book)) as made, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for info in made.infolist():
            content = made.read(info)
            if info.filename == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z", content)
            add(target, info.filename, content)
    return result.getvalue()


def add(target: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Puts a part into a file, dated as all others."""
    info = zipfile.ZipInfo(name, DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    target.writestr(info, content)
