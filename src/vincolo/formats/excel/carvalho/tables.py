"""Tables in a sheet: headers found by their words, in any order, with rows of explanations and units around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from vincolo.errors import ModelError, suggest
from vincolo.formats.excel.cells import Area, Cell, Sheet, shown
from vincolo.formats.report import FileError, Report

UNITS = {"", "-", "m", "mm", "kg", "s", "rad", "n", "nm", "nmm", "n*m", "n*mm", "kgm2", "kgmm2", "kgm^2", "kgmm^2",
         "kg*m^2", "kg*mm^2", "m/s", "mm/s", "rad/s", "m/s2", "mm/s2", "m/s^2", "mm/s^2", "n/m", "n/mm", "ns/m",
         "ns/mm", "nm/rad", "nmm/rad", "f(t)", "@(t)", "@t", "unit", "units",
         "\N{EN DASH}", "\N{EM DASH}"}
SMALLEST, LARGEST = 1e-50, 1e50  # of a number in a cell
ABOVE = 3  # rows above a header that may tell groups of its columns


class Column(NamedTuple):
    """A column of a table: its key, the words it may have as its header (without blanks and signs, in small letters),
    and words above it that tell it from others with the same header."""

    key: str
    words: tuple[str, ...]
    group: tuple[str, ...] = ()


class Layout(NamedTuple):
    """The columns a table may have, those it must have, and whether a row with one text means something."""

    columns: tuple[Column, ...]
    needed: tuple[str, ...]
    lonely: bool = False
    least: int = 3  # known words that make a row a header


@dataclass
class Reading:
    """What is shared while one workbook is read: mistakes are collected, so that all are told at once."""

    report: Report
    mistakes: list[ModelError] = field(default_factory=list)
    length: float = 1.0  # m, the unit of lengths

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Collects an error of the model with the place put before it."""
        try:
            yield
        except FileError as error:
            self.mistakes.append(error)
        except ModelError as error:
            self.mistakes.append(FileError(f"{place}: {error}"))


@dataclass
class Row:
    """One row of a table. What cannot be read is collected, and the row is `bad`."""

    reading: Reading
    sheet: Sheet
    number: int
    columns: dict[str, int]
    bad: bool = False

    @property
    def place(self) -> str:
        """Sheet and row in words."""
        return self.sheet.place(self.number)

    def cell(self, key: str) -> Cell | None:
        """The cell of a column, or None if it is empty or there is no such column."""
        return self.sheet.get(self.number, self.columns[key]) if key in self.columns else None

    def where(self, key: str) -> str:
        """The cell of a column in words."""
        return self.sheet.place(self.number, self.columns.get(key))

    def wrong(self, key: str, what: str, way_out: str) -> None:
        """Collects a mistake at a cell."""
        self.bad = True
        self.reading.mistakes.append(self.sheet.error(self.number, self.columns.get(key), what, way_out))

    def text(self, key: str) -> str:
        """The text of a cell, '' if it is empty; formulas without value are mistakes."""
        cell = self.cell(key)
        if cell is None:
            return ""
        if cell.kind in ("error", "uncomputed"):
            self.value(key)
            return ""
        return cell.text

    def value(self, key: str, default: float = 0.0) -> float:
        """The number of a cell, or the default if it is empty."""
        if self.cell(key) is None:
            return default
        try:
            return sensible(self.sheet, self.number, self.columns[key])
        except FileError as error:
            self.bad = True
            self.reading.mistakes.append(error)
            return default

    def vector(self, key: str) -> tuple[float, float, float]:
        """Three numbers; empty cells are zero."""
        x, y, z = (self.value(f"{key}.{axis}") for axis in "xyz")
        return x, y, z

    def given(self, key: str) -> bool:
        """Whether any of the three cells of a vector has something in it."""
        return any(self.cell(f"{key}.{axis}") is not None for axis in "xyz")

    def need(self, key: str, title: str, *, vector: bool = False) -> bool:
        """Whether a cell (or vector) is filled in; collects a mistake if not."""
        if self.given(key) if vector else self.cell(key) is not None:
            return True
        first = f"{key}.x" if vector else key
        self.wrong(first, f"{title} is missing.", "Fill it in."
                   if first in self.columns else "Add the column; the columns are listed in docs/workbook_carvalho.md.")
        return False


def sensible(sheet: Sheet, row: int, column: int) -> float:
    """The number in a cell, if it is one that quantities of machines have in any unit."""
    value = sheet.number(row, column)
    if value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        raise sheet.error(row, column, f"the number is {value:g}.", "Numbers here are zero, or between "
                          f"{SMALLEST:g} and {LARGEST:g} in size: check the exponent.")
    return value


def plain(text: str) -> str:
    """A header or label in small letters without units in brackets, blanks and signs."""
    bare = re.sub(r"\[[^\]]*\]|\([^)]*\)", "", text)
    return re.sub(r"[\W_]+", "", bare or text).lower() or re.sub(r"\s+", "", text).lower()


def alike(text: str) -> str:
    """A name without blanks and capitals, to find it by."""
    return re.sub(r"\s+", "", text).casefold()


def read_table(reading: Reading, sheet: Sheet, layout: Layout) -> list[Row]:
    """The rows of all tables with this layout in a sheet."""
    columns: dict[str, int] = {}
    rows: list[Row] = []
    listed = [(number, cells, _header(sheet, number, cells, layout)) for number, cells in sheet.rows()]
    headers = [_is_header(found, layout) for _, _, found in listed]
    for k, (number, cells, found) in enumerate(listed):
        title = True in headers[k + 1:k + 2]  # the next row is a header
        if headers[k]:
            columns = found
            _check_header(reading, sheet, number, cells, columns, layout)
        elif not columns or (title and len(cells) == 1) or not _is_data(cells, columns, layout):
            _explanation(reading, sheet, number, cells, columns)
        else:
            rows.append(Row(reading, sheet, number, columns))
    if not columns and sheet.cells:
        reading.mistakes.append(_no_header(sheet, layout))
    _refuse_merged(reading, sheet, rows)
    return rows


def _is_header(found: dict[str, int], layout: Layout) -> bool:
    return len(found) >= layout.least and any(key in found for key in layout.needed)


def _header(sheet: Sheet, number: int, cells: dict[int, Cell], layout: Layout) -> dict[str, int]:
    """Columns by key, if this row is a header: every known word counts, each key once."""
    found: dict[str, int] = {}
    for column, cell in sorted(cells.items()):
        if cell.kind != "text":
            continue
        word = plain(str(cell.value))
        fitting = [c for c in layout.columns if word in c.words and c.key not in found]
        above = _above(sheet, number, column) if len(fitting) > 1 else ""
        fitting = [c for c in fitting if any(g in above for g in c.group)] or fitting
        if fitting:
            found[fitting[0].key] = column
    return found


def _above(sheet: Sheet, number: int, column: int) -> str:
    """The words of the groups above a column: in each row above, the nearest text at or left of it."""
    words = []
    for row in range(max(1, number - ABOVE), number):
        left = next((c for c in range(column, max(0, column - 12), -1) if (row, c) in sheet.cells), None)
        if left is not None:
            words.append(plain(str(sheet.cells[row, left].value)))
    return " ".join(words)


def _check_header(reading: Reading, sheet: Sheet, number: int, cells: dict[int, Cell], columns: dict[str, int],
                  layout: Layout) -> None:
    known = [word for c in layout.columns for word in c.words]
    for column, cell in cells.items():
        if column in columns.values():
            continue
        near = suggest(plain(str(cell.value)), known) if cell.kind == "text" else ""
        text = f"the column {shown(cell.value)} is not known and has no effect.{near}"
        (reading.report.warn if near else reading.report.not_used)(sheet.place(number, column), text)
    for key in layout.needed:
        if key not in columns:
            words = next(c.words for c in layout.columns if c.key == key)
            reading.mistakes.append(sheet.error(number, None, f"the table has no column '{words[0]}'.",
                                                f"Its header may be: {', '.join(words)}."))


def _is_data(cells: dict[int, Cell], columns: dict[str, int], layout: Layout) -> bool:
    """Whether a row below a header has values: not only units, and not only text outside of the table."""
    inside = [cell for column, cell in cells.items() if column in columns.values()]
    if all(is_unit(cell) for cell in inside):
        return False
    if len(inside) == 1 and inside[0].kind == "text":
        return layout.lonely and len(str(inside[0].value)) <= 40
    return True


def is_unit(cell: Cell) -> bool:
    """Whether a cell has a unit, with or without brackets."""
    return cell.kind == "text" and _bare(cell) in UNITS


def _bare(cell: Cell) -> str:
    dots = str(cell.value).replace("\N{MIDDLE DOT}", "").replace("\N{SUPERSCRIPT TWO}", "2")
    return re.sub(r"[\s\[\]().]", "", dots).lower()


def _explanation(reading: Reading, sheet: Sheet, number: int, cells: dict[int, Cell], columns: dict[str, int]) -> None:
    """Lists a row that is no data; units in it are compared with those of SimParam."""
    other, ours = ("m", "mm") if reading.length < 1 else ("mm", "m")
    for column, cell in cells.items():
        if column in columns.values() and _bare(cell) == other:
            reading.report.warn(sheet.place(number, column), f"the unit here is {other}, but SimParam says {ours}; all "
                                f"lengths are taken in {ours}.")
            break
    words = [cell for cell in cells.values() if not is_unit(cell)]
    if columns and words:
        reading.report.not_used(sheet.place(number), f"taken as an explanation: {shown(words[0].value)}.")


def _no_header(sheet: Sheet, layout: Layout) -> FileError:
    words = ", ".join(next(c.words[0] for c in layout.columns if c.key == key) for key in layout.needed)
    row, column = min(sheet.cells)
    return sheet.error(row, column, "no table is found in this sheet.",
                       f"Write a row of headers above the values, with at least: {words}.")


def _refuse_merged(reading: Reading, sheet: Sheet, rows: list[Row]) -> None:
    told: set[str] = set()
    for row in rows:
        area = Area(row.number, min(row.columns.values()), row.number, max(row.columns.values()))
        for error in sheet.merged_errors(area):
            if str(error) not in told:
                row.bad = True
                told.add(str(error))
                reading.mistakes.append(error)
