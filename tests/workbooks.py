"""Workbooks for tests."""

from pathlib import Path

import openpyxl


def written(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    """A workbook with these rows; cells that begin with '=' are formulas of Excel, which nobody computed."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path
