"""The tree of a model as sheets: a row for each part, a column for each key that is used."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from vincolo.files import appearing
from vincolo.formats.excel.book import bold_row, new_book, packed, put, widen
from vincolo.formats.excel.layout import MOMENTS, ORDER, PRODUCTS, RUN, TABLES, XYZ, Column, Table
from vincolo.formats.excel.units import si_name
from vincolo.formats.tree.notation import flow, quoted, without_formulas
from vincolo.units import quantity

LONGEST = 30_000  # characters in a cell; Excel takes 32,767 of two bytes each
_NUMERIC = re.compile(r"[-+0-9.,' \N{NO-BREAK SPACE}]*[0-9][-+0-9.,' \N{NO-BREAK SPACE}]*(?:[eE][+-]?[0-9]{1,4})?"
                      "|\N{MINUS SIGN}.*")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./^ -]*")  # words that read as such without quotes
_ESCAPE = re.compile(r"_x[0-9A-Fa-f]{4}_")  # Excel reads this as a character by its number

Content = float | bool | str
Row = dict[str, Content]  # by heading


class Grid(NamedTuple):
    """A sheet: its headings and rows; the first column has the names."""

    table: Table
    headings: list[str]
    rows: list[Row]


def write_excel(data: dict[str, Any], path: Path, raw: bool = False) -> None:
    """Writes the tree of a model; in `raw` trees texts that begin with '=' are formulas."""
    book = new_book()
    for grid in grids(data if raw else without_formulas(data)):
        sheet = book.create_sheet(grid.table.sheet)
        for c, heading in enumerate(grid.headings, 1):
            put(sheet, 1, c, heading)
        for r, row in enumerate(grid.rows, 2):
            for c, heading in enumerate(grid.headings, 1):
                if heading in row:
                    put(sheet, r, c, row[heading])
        bold_row(sheet, 1, len(grid.headings))
        widen(sheet)
    content = packed(book)
    with appearing("save_model()", path) as file:
        file.write(content)


def grids(data: dict[str, Any]) -> Iterable[Grid]:
    """The sheets of a tree with formulas."""
    yield _model(data)
    for section in ORDER[1:]:
        parts = data.get(section)
        if parts:
            table = TABLES[section]
            rows = [_entry(table, part.get("of", ""), {k: v for k, v in part.items() if k != "of"}) for part in parts] \
                if section == "switches" else [_entry(table, f"={name}", _keys(section, part))
                                               for name, part in parts.items()]
            yield Grid(table, _headings(table, rows), rows)


def _keys(section: str, part: Any) -> dict[str, Any]:
    """A part as values by key."""
    if section == "parameters":
        found = quantity(part) if isinstance(part, str) else None
        return {"value": part} if found is None else {"value": found[0], "unit": found[1].name}
    if section == "points":
        return dict(zip(XYZ, part, strict=True))
    return part if isinstance(part, dict) else {"measure": part}


def _model(data: dict[str, Any]) -> Grid:
    """The sheet of settings, a row for each."""
    table = TABLES["model"]
    given = {**{k: v for k, v in data.items() if k in ("vincolo", "name", "gravity")}, "units": ["SI"],
             **{k: v for k, v in (data.get("run") or {}).items() if k in RUN}}
    rows: list[Row] = []
    for heading, column in table.columns.items():
        if column.key in given:
            for name, content in _contents(heading, column, given[column.key]).items():
                rows.append({"setting": name, "value": content, "comment": column.help})
    return Grid(table, ["setting", "value", "comment"], rows)


def _entry(table: Table, name: str, keys: dict[str, Any]) -> Row:
    """A row; its name is written as a text of the tree."""
    row: Row = {table.first: _name(name[1:] if name.startswith("=") else name)}
    for heading, column in table.columns.items():
        if column.key in keys:
            row |= _contents(heading, column, keys[column.key])
    return row


def _headings(table: Table, rows: list[Row]) -> list[str]:
    """The headings that are used, in the order of the layout."""
    used = dict.fromkeys(heading for row in rows for heading in row)
    order = {heading: k for k, heading in enumerate(table.columns)}

    def place(heading: str) -> int:
        found = table.find(re.sub(r" \[.*\]| \+\d+$", "", heading)) if heading != table.first else None
        return -1 if found is None else order[next(h for h, c in table.columns.items() if c is found[0])]

    return sorted(used, key=place)


def _contents(heading: str, column: Column, value: Any) -> Row:
    """The cells of a value by heading; long texts go on in more columns."""
    row: Row = {}
    for part, content in cells_of(column, value).items():
        unit = si_name(column.dimensions) if part is not None or column.kind in ("number", "inertia") else ""
        title = f"{heading}{f' {part}' if part else ''}{unit}"
        pieces = _pieces(content) if isinstance(content, str) else [content]
        row |= {title if k == 1 else f"{title} +{k}": piece for k, piece in enumerate(pieces, 1)}
    return row


def _pieces(text: str) -> list[str]:
    """A text in pieces that fit into cells; none begins or ends with a space, which readers take away."""
    found, longest = [], LONGEST if text.isascii() else LONGEST // 2
    while len(text) > longest:
        cut = longest
        while cut > 1 and (text[cut - 1].isspace() or text[cut].isspace()):
            cut -= 1
        found.append(text[:cut])
        text = text[cut:]
    return [*found, text]


# values as cells, by part

def cells_of(column: Column, value: Any) -> dict[str | None, Content]:
    """What stands in the cells of a value: numbers, truth values and texts."""
    if value is None:
        return {None: "null"} if column.kind == "nested" else {}
    kind = column.kind
    if kind in ("vector", "point", "functions") and isinstance(value, list) and len(value) == 3:
        one = _function if kind == "functions" else _number
        return {axis: one(v) for axis, v in zip(XYZ, value, strict=True)}
    if kind == "inertia" and isinstance(value, list):
        return _inertia(value)
    if kind == "pair" and isinstance(value, list) and len(value) == 2:
        return {"1": _place(value[0]), "2": _place(value[1])}
    if kind == "solver" and isinstance(value, dict):
        return {None: _place(value.get("kind")), **{key.replace("_", " "): _nested(v) for key, v in value.items()
                                                    if key != "kind"}}
    return {None: _ONE.get(kind, _nested)(value)}


def _inertia(value: list[Any]) -> dict[str | None, Content]:
    if not isinstance(value[0], list):
        return {part: _number(v) for part, v in zip(MOMENTS, value, strict=True)}
    pairs = ((0, 1), (1, 2), (0, 2))
    if any(repr(value[i][j]) != repr(value[j][i]) for i, j in pairs):
        return {None: _nested(value)}
    return {**{part: _number(value[k][k]) for k, part in enumerate(MOMENTS)},
            **{part: _number(value[i][j]) for part, (i, j) in zip(PRODUCTS, pairs, strict=True)}}


def _number(value: Any) -> Content:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return _nested(value)
    if not isinstance(value, str):
        return float(value)
    return value[1:].strip() if value.startswith("=") and not value.startswith("==") else _quoted(_plain(value))


def _plain(text: str) -> str:
    """A text of the tree as it reads: a doubled '=' is one."""
    return text[1:] if text.startswith("==") else text


def _text(value: Any, special: tuple[str, ...] = ('"',)) -> Content:
    if not isinstance(value, str):
        return value if isinstance(value, bool) else float(value) if isinstance(value, int | float) else _nested(value)
    text = _plain(value)
    risky = not text or not text.isprintable() or text != text.strip() or _ESCAPE.search(text)
    return _quoted(text) if risky or text.startswith(special) else text


def _name(text: str) -> Content:
    return _text(f"={text}" if text.startswith("=") else text, ('"', "#"))


def _place(value: Any) -> Content:
    return _text(value, ('"', "{", "[")) if isinstance(value, str) else _nested(value)


def _direction(value: Any) -> Content:
    return _quoted(_plain(value)) if isinstance(value, str) and ";" in value else _place(value)


def _function(value: Any) -> Content:
    if isinstance(value, str):
        if value.startswith("="):
            return value
        return _quoted(value) if _NUMERIC.fullmatch(value) else _text(value, ('"', "{", "["))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else _nested(value)


def _nested(value: Any) -> Content:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value)
    return flow(value)


def _quoted(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\\x5f" + match[0][1:], quoted(text))


def _words(value: Any) -> Content:
    plain = isinstance(value, list) and all(isinstance(word, str) and _PLAIN.fullmatch(word) for word in value)
    return "; ".join(value) if plain and value else flow(value)


_ONE = {"number": _number, "whole": _number, "text": _text, "place": _place, "direction": _direction,
        "point": _direction, "function": _function, "words": _words, "inertia": _number, "truth": _nested}
