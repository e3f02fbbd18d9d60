"""Tables in a sheet: headers found by their words, in any order, with rows of explanations and units around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.excel.cells import Area, Cell, Sheet, column_name, shown
from vincolo.formats.report import Report

UNITS = {"", "-", "m", "mm", "kg", "s", "rad", "n", "nm", "nmm", "n*m", "n*mm", "kgm2", "kgmm2", "kgm^2", "kgmm^2",
         "kg*m^2", "kg*mm^2", "m/s", "mm/s", "rad/s", "m/s2", "mm/s2", "m/s^2", "mm/s^2", "n/m", "n/mm", "ns/m",
         "ns/mm", "nm/rad", "nmm/rad", "f(t)", "@(t)", "@t", "unit", "units",
         "\N{EN DASH}", "\N{EM DASH}"}
SMALLEST, LARGEST = 1e-50, 1e50  # of a number in a cell
ABOVE = 3  # rows above a header that may tell groups of its columns


class Column(NamedTuple):
    """A column of a table: its key, the words it may have as its header (without blanks and signs, in small letters),
    and words above it that distinguish it from others with the same header."""

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
    """What is shared while one workbook is read: mistakes are collected, so that all are reported at once."""

    report: Report
    mistakes: list[ModelError] = field(default_factory=list)
    length: float = 1.0  # m, the unit of lengths
    rows: list[Row] = field(default_factory=list)  # of all tables
    told: set[tuple[str, int, str]] = field(default_factory=set)  # columns that are missing: sheet, header, key
    unknown: dict[tuple[str, int], str] = field(default_factory=dict)  # headings by sheet and row, in words

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
    header: int  # the row of its headings
    bad: bool = False
    used: set[int] = field(default_factory=set)  # columns whose cells were asked for

    @property
    def place(self) -> str:
        """Sheet and row in words."""
        return self.sheet.place(self.number)

    def cell(self, key: str) -> Cell | None:
        """The cell of a column, or None if it is empty or there is no such column."""
        if key not in self.columns:
            return None
        self.used.add(self.columns[key])
        return self.sheet.get(self.number, self.columns[key])

    def cells(self) -> list[tuple[tuple[int, int], Cell]]:
        """The filled cells of the row, with their places."""
        return [((self.number, column), cell) for column, cell in self.sheet.row(self.number).items()]

    def where(self, key: str) -> str:
        """The cell of a column in words."""
        return self.sheet.place(self.number, self.columns.get(key))

    def wrong(self, key: str, what: str, way_out: str) -> None:
        """Collects a mistake at a cell; of a column that is missing, only one for all its rows."""
        self.bad = True
        if key not in self.columns:
            missing = self.sheet.name, self.header, key
            if missing in self.reading.told:
                return
            self.reading.told.add(missing)
            what += f" The table has no column for it (its headings are in row {self.header}" \
                    f"{self.reading.unknown.get(missing[:2], '')})."
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

    def idle(self, why: str, *keys: str) -> None:
        """Lists cells with numbers or texts that have no effect; zeros say nothing."""
        for full in (part for key in keys for part in self._parts(key)):
            cell = self.sheet.get(self.number, self.columns[full]) if full in self.columns else None
            if cell is not None and says_something(cell):
                self.reading.report.not_used(self.where(full), f"{shown(cell.value)} has no effect: {why}.")

    def _parts(self, key: str) -> list[str]:
        return [key] if key in self.columns else [f"{key}.{axis}" for axis in "xyz"]

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
    header, sound = 0, True
    listed = [(number, cells, _header(sheet, number, cells, layout)) for number, cells in sheet.rows()]
    headers = [_is_header(found, layout) for _, _, found in listed]
    for k, (number, cells, found) in enumerate(listed):
        title = True in headers[k + 1:k + 2]  # the next row is a header
        if headers[k]:
            columns, header = found | _headings_above(sheet, number, found, layout), number
            sound = _check_header(reading, sheet, number, cells, columns, layout)
        elif not columns or (title and len(cells) == 1) or not _is_data(cells, columns, layout):
            _explanation(reading, sheet, number, cells, columns)
        elif sound:  # of a table with a wrong header no row says what it should
            rows.append(Row(reading, sheet, number, columns, header))
    reading.rows += rows
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


def _headings_above(sheet: Sheet, number: int, found: dict[str, int], layout: Layout) -> dict[str, int]:
    """Headings that stand one or more rows higher, where the header itself has an empty cell below them."""
    more: dict[str, int] = {}
    for row in range(number - 1, max(0, number - 1 - ABOVE), -1):
        for column, cell in sorted(sheet.row(row).items()):
            if cell.kind != "text" or is_unit(cell) or _covered(sheet, row, number, column):
                continue
            fitting = [c.key for c in layout.columns if plain(str(cell.value)) in c.words]
            free = [key for key in fitting if key not in found and key not in more]
            if free and column not in more.values():
                more[free[0]] = column
    return more


def _covered(sheet: Sheet, row: int, number: int, column: int) -> bool:
    """Whether there is something below a cell, down to the header."""
    return any((between, column) in sheet.cells for between in range(row + 1, number + 1))


def _above(sheet: Sheet, number: int, column: int) -> str:
    """The words of the groups above a column: in each row above, the nearest text at or left of it."""
    words = []
    for row in range(max(1, number - ABOVE), number):
        left = next((c for c in range(column, max(0, column - 12), -1) if (row, c) in sheet.cells), None)
        if left is not None:
            words.append(plain(str(sheet.cells[row, left].value)))
    return " ".join(words)


def _check_header(reading: Reading, sheet: Sheet, number: int, cells: dict[int, Cell], columns: dict[str, int],
                  layout: Layout) -> bool:
    """Lists unknown columns; whether those that are needed are there, and vectors complete."""
    known, unknown, before = [word for c in layout.columns for word in c.words], list[str](), len(reading.mistakes)
    for column, cell in cells.items():
        if column in columns.values():
            continue
        unknown.append(shown(cell.value))
        near = suggest(plain(str(cell.value)), known) if cell.kind == "text" else ""
        text = f"the column {shown(cell.value)} is not known and has no effect.{near}"
        (reading.report.warn if near else reading.report.not_used)(sheet.place(number, column), text)
    words = f"; not known: {', '.join(unknown[:5])}" if unknown else ""
    reading.unknown[sheet.name, number] = words
    for missing in layout.columns:
        if missing.key not in columns and (missing.key in layout.needed or _is_misspelt(missing.key, columns, cells)):
            reading.mistakes.append(sheet.error(number, None, f"the table has no column '{missing.words[0]}'{words}.",
                                                f"Its heading may be: {', '.join(missing.words)}."))
    return len(reading.mistakes) == before


def _is_misspelt(key: str, columns: dict[str, int], cells: dict[int, Cell]) -> bool:
    """Whether another heading is where the others of three columns x, y, z leave a place for this one."""
    base, _, axis = key.rpartition(".")
    places = {columns[f"{base}.{other}"] + "xyz".index(axis) - k for k, other in enumerate("xyz")
              if f"{base}.{other}" in columns} if axis in ("x", "y", "z") else set()
    return any(column in cells and column not in columns.values() for column in places)


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
    """Lists a row that is not data; units in it are compared with those of SimParam."""
    other, ours = ("m", "mm") if reading.length < 1 else ("mm", "m")
    for column, cell in cells.items():
        if column in columns.values() and _bare(cell) == other:
            reading.report.warn(sheet.place(number, column), f"the unit here is {other}, but SimParam says {ours}; all "
                                f"lengths are taken in {ours}.")
            break
    words = [cell for cell in cells.values() if not is_unit(cell)]
    if words and (columns or any(cell.kind != "text" for cell in words)):
        listed = ", ".join(shown(cell.value) for cell in words[:5]) + (", ..." if len(words) > 5 else "")
        reading.report.not_used(sheet.place(number), f"taken as an explanation: {listed}.")


def says_something(cell: Cell) -> bool:
    """Whether a cell that is not used could have been intended: zeros and units fill tables up."""
    return not is_unit(cell) and cell.value != 0 and str(cell.value).strip() not in ("0", "0.0", "0,0")


def list_unused(reading: Reading) -> None:
    """Lists every filled cell of the tables that nothing asked for: a number without a heading is probably a mistake,
    a value that its kind of joint or element does not use is not."""
    loose: dict[tuple[str, int, int], list[Row]] = {}
    for row in reading.rows:
        for (number, column), cell in row.cells():
            if column in row.columns.values():
                if column not in row.used and not row.bad and says_something(cell):
                    reading.report.not_used(row.sheet.place(number, column), f"{shown(cell.value)} has no effect here.")
            elif (row.header, column) not in row.sheet.cells:
                loose.setdefault((row.sheet.name, row.header, column), []).append(row)
    for (_, header, column), rows in loose.items():
        cells = [row.sheet.cells[row.number, column] for row in rows]
        if any(says_something(cell) for cell in cells):
            more = f" (and {len(rows) - 1} more below)" if len(rows) > 1 else ""
            first = next(k for k, cell in enumerate(cells) if says_something(cell))
            reading.report.warn(rows[0].sheet.place(rows[0].number, column), f"{shown(cells[first].value)}{more} has "
                                f"no effect: there is no heading in {column_name(column)}{header} above it.")


def _no_header(sheet: Sheet, layout: Layout) -> FileError:
    words = ", ".join(next(c.words[0] for c in layout.columns if c.key == key) for key in layout.needed)
    row, column = min(sheet.cells)
    return sheet.error(row, column, "there is no table in this sheet.",
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
