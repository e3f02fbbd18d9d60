"""Cells of a sheet: values, formulas without a value, errors, and the place of each in messages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vincolo.errors import FileError
from vincolo.units import Powers

RECALCULATE = "Open the workbook in Excel or LibreOffice, which computes it, and save it; or type the value."

_NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:[., '][0-9]{3})*[.,]?[0-9]*")


class Cell(NamedTuple):
    """A cell that is not empty. `kind` is "number", "text", "bool", "error" (value such as "#REF!"), "uncomputed" (a
    formula that no program has computed; the value is its text) or "date" (the value is a number of days)."""

    value: float | str | bool
    kind: str
    formula: bool = False

    @property
    def text(self) -> str:
        """The value as it reads: whole numbers without a point."""
        if isinstance(self.value, float) and self.value == int(self.value) and abs(self.value) < 1e15:
            return str(int(self.value))
        return str(self.value)


class Area(NamedTuple):
    """A rectangle of cells, rows and columns counted from 1."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        return f"{column_name(self.left)}{self.top}:{column_name(self.right)}{self.bottom}"

    def meets(self, other: Area) -> bool:
        """Whether the two have cells in common."""
        return (self.top <= other.bottom and other.top <= self.bottom
                and self.left <= other.right and other.left <= self.right)


@dataclass
class Sheet:
    """One sheet: its non-empty cells by (row, column), both from 1."""

    file: str
    name: str
    hidden: bool = False
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    unsure: bool = False  # a heading is wrong, so that what seems to be missing may be under it
    measured: dict[str, Powers] = field(default_factory=dict)  # what parameters measure, of those that say so
    _by_row: dict[int, dict[int, Cell]] = field(default_factory=dict, repr=False)

    def rows(self) -> Iterator[tuple[int, dict[int, Cell]]]:
        """The rows that are not empty, from the top: number, and cells by column."""
        row, found = 0, dict[int, Cell]()
        for r, c in sorted(self.cells):
            if r != row and found:
                yield row, found
                found = {}
            row = r
            found[c] = self.cells[r, c]
        if found:
            yield row, found

    def row(self, number: int) -> dict[int, Cell]:
        """The cells of a row by column."""
        if not self._by_row:
            self._by_row.update(self.rows())
        return self._by_row.get(number, {})

    def get(self, row: int, column: int) -> Cell | None:
        """The cell, or None if it is empty."""
        return self.cells.get((row, column))

    def place(self, row: int, column: int | None = None) -> str:
        """A cell, or a row, in words."""
        where = f"row {row}" if column is None else f"cell {column_name(column)}{row}"
        return f"{self.file}, sheet '{self.name}', {where}"

    def error(self, row: int, column: int | None, what: str, way_out: str) -> FileError:
        """A mistake at a cell (or a row, if there is no column)."""
        return FileError(f"{self.place(row, column)}: {what}\n  {way_out}")

    def number(self, row: int, column: int) -> float:
        """The number in a cell; an empty cell is an error too."""
        cell = self.get(row, column)
        if cell is None:
            raise self.error(row, column, "the cell is empty; a number is needed.", "Fill it in; zero is 0.")
        try:
            return number(cell)
        except FileError as error:
            raise FileError(f"{self.place(row, column)}: {error}") from None

    def merged_errors(self, area: Area) -> list[FileError]:
        """A mistake for each merged range that meets the area of a table."""
        return [self.error(r.top, r.left, f"the cells {r} are merged, so it is not clear which of them has the value.",
                           "Select them, choose 'Unmerge cells', and fill in each one.")
                for r in self.merged if r.meets(area)]


def number(cell: Cell) -> float:
    """The number a cell means: a number, or text with a decimal point or comma; the error has no place yet."""
    if cell.kind == "number" and isinstance(cell.value, float):
        return cell.value
    if cell.kind == "uncomputed":
        raise FileError(f"the formula {shown(cell.value)} has no computed value.\n  {RECALCULATE}")
    if cell.kind == "error":
        raise FileError(f"the formula gives the error {cell.value}.\n  Correct the formula, or type the value.")
    if cell.kind == "date":
        raise FileError("the cell is a date or a time; programs of tables make one of texts such as 1.12 or 1/2.\n"
                        "  Format the cell as a number, and type the number again.")
    text = str(cell.value).replace("\N{MINUS SIGN}", "-")
    if cell.kind == "text" and _NUMBER.fullmatch(text):
        value = float(text.replace(",", "."))
        if math.isfinite(value):
            return value
    if cell.kind == "text" and _GROUPED.fullmatch(text):
        raise FileError(f"{shown(text)} can be read in two ways.\n"
                        "  Leave out the separators of thousands: write 1234.5 or 1234,5.")
    raise FileError(f"{shown(cell.value)} is not a number.\n  Write a number such as 0.25, 0,25 or 2.5e-1.")


def column_name(column: int) -> str:
    """The letters of a column: 1 is A, 27 is AA."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def shown(value: object) -> str:
    """A value in a message: texts in quotes, and not too long."""
    text = repr(value) if isinstance(value, str) else str(value).upper()
    return text if len(text) <= 60 else text[:60] + "...'"
