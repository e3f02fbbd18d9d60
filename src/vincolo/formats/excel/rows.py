"""Headings and rows of a sheet as values by key, each with its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from vincolo.errors import FileError
from vincolo.formats.excel.cells import Cell, Sheet, shown
from vincolo.formats.excel.layout import PARTS, Column, Table
from vincolo.formats.excel.units import SI, split, unit_of
from vincolo.formats.excel.values import Piece, Pieces, value_of
from vincolo.formats.mistakes import Mistakes
from vincolo.units import Unit

Cells = dict[int, Cell]  # of a row, by column
Values = dict[str, tuple[Any, Pieces]]  # by key, with the cells they come from


class Heading(NamedTuple):
    """A heading that is understood."""

    column: Column
    part: str | None
    unit: Unit
    number: int  # 1, or more for what goes on in another cell


Headings = dict[int, Heading | None]  # by column, or row; None for comments and for those that are wrong


def first_words(cells: Cells) -> str:
    """The first cell of a row as the words of a heading."""
    return split(str(cells[min(cells)].value))[0]


def headings(table: Table, pieces: Iterable[tuple[int, Piece]], wrong: Mistakes) -> Headings:
    """What headings mean; each can come once."""
    found: Headings = {}
    seen: dict[tuple[Any, ...], Piece] = {}
    for key, piece in pieces:
        found[key] = None
        try:
            heading = heading_of(table, piece)
            if heading is None:
                continue
            same = heading.column, heading.part, heading.number
            if same in seen:
                other = seen[same].sheet.place(seen[same].row, seen[same].column).rpartition(" ")[2]
                raise piece.error(f"the heading {shown(piece.text)} is used already, in cell {other}.",
                                  "Rename or remove one of them.")
            seen[same] = piece
            found[key] = heading
        except FileError as error:
            wrong.add(error)
    return found


def heading_of(table: Table, piece: Piece) -> Heading | None:
    """What a heading means; None for a comment."""
    text, unit, number = split(piece.text)
    if text == "comment" or text.startswith("#"):
        return None
    match = table.find(text)
    if match is None:
        settings = table.first == "setting"
        more = "" if settings else " A column 'comment' is not read."
        raise piece.error(f"there is no {'setting' if settings else 'column'} {shown(piece.text)} here."
                          f"{table.suggestion(text)}", f"There are: {', '.join(choices(table))}.{more}")
    column, part = match
    try:
        return Heading(column, part, SI if unit is None else unit_of(unit, column.dimensions), number)
    except FileError as error:
        raise FileError(f"{piece.sheet.place(piece.row, piece.column)}: {error}") from None


def choices(table: Table) -> Iterator[str]:
    """The headings of a table in short."""
    if table.first != "setting":
        yield table.first
    for heading, column in table.columns.items():
        parts = PARTS.get(column.kind, ())
        yield f"{heading} {parts[0]} ... {parts[-1]}" if parts else heading


def row_values(sheet: Sheet, row: int, cells: Cells, known: Headings, wrong: Mistakes) -> Values:
    """The values of a row of a table."""
    entries = []
    for c, cell in cells.items():
        heading = known.get(c)
        if heading is not None:
            entries.append((heading, Piece(sheet, row, c, cell, heading.unit)))
        elif c not in known:
            wrong.add(sheet.error(row, c, f"{cell.text[:60]!r} is in a column without a heading.",
                                  "Write a heading above it ('comment' for notes), or put side calculations on a sheet "
                                  "whose name begins with #."))
    return values(entries, wrong)


def values(entries: list[tuple[Heading, Piece]], wrong: Mistakes) -> Values:
    """Values by key from the cells that belong together."""
    pieces: dict[Column, list[tuple[Heading, Piece]]] = {}
    for entry in entries:
        pieces.setdefault(entry[0].column, []).append(entry)
    found: Values = {}
    for column, own in pieces.items():
        try:
            together = _joined(own)
            found[column.key] = value_of(column, together), together
        except FileError as error:
            wrong.add(error)
    return found


def _joined(entries: list[tuple[Heading, Piece]]) -> dict[str | None, Piece]:
    """Pieces by part; texts that go on in other cells are put together."""
    parts: dict[str | None, list[tuple[int, Piece]]] = {}
    for heading, piece in entries:
        parts.setdefault(heading.part, []).append((heading.number, piece))
    return {part: _whole(sorted(own, key=lambda entry: entry[0])) for part, own in parts.items()}


def _whole(own: list[tuple[int, Piece]]) -> Piece:
    if len(own) == 1 and own[0][0] == 1:
        return own[0][1]
    for k, (number, piece) in enumerate(own, 1):
        if number != k:
            raise piece.error(f"the text goes on here, but its part {k} is missing.", "Fill in the columns before it.")
    first = own[0][1]
    return first._replace(cell=Cell("".join(piece.text for _, piece in own), "text"))
