"""What cells mean: numbers, formulas of parameters, names, points, directions, functions, and maps in one cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from vincolo import solvers
from vincolo.errors import FileError
from vincolo.formats.excel.cells import Cell, Sheet, number, shown
from vincolo.formats.excel.layout import MOMENTS, PRODUCTS, XYZ, Column
from vincolo.formats.excel.units import SI
from vincolo.formats.mistakes import Follows
from vincolo.formats.tree.formulas import POINTS
from vincolo.formats.tree.notation import fill, literal, scalar
from vincolo.formats.tree.source import Source, Where
from vincolo.model.measure_units import dimension_of, is_formula
from vincolo.units import NUMBER, Unit, quantity

TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
BROKEN = "the YAML is broken here"
_DIGITS = re.compile(r"[-+0-9.,' \N{NO-BREAK SPACE}]*[0-9][-+0-9.,' \N{NO-BREAK SPACE}]*")


class Piece(NamedTuple):
    """A cell that is not empty, with its place and the unit of its column."""

    sheet: Sheet
    row: int
    column: int
    cell: Cell
    unit: Unit = SI

    def error(self, what: str, way_out: str) -> FileError:
        """A mistake at this cell."""
        return self.sheet.error(self.row, self.column, what, way_out)

    @property
    def text(self) -> str:
        """The cell as text; truth values and formulas without a value are not texts."""
        if self.cell.kind in ("error", "uncomputed", "date"):
            self.number()
        if self.cell.kind == "bool":
            raise self.error(f"{shown(self.cell.value)} is a truth value; a text is needed here.",
                             "To use the word as a name, type an apostrophe before it.")
        return self.cell.text

    def number(self) -> float:
        """The number in the cell, in SI."""
        try:
            return float(self.unit.si(number(self.cell)))
        except FileError as error:
            more = ("\n  A formula of vincolo's parameters is written without '=' in front, as a text."
                    if self.cell.value == "#NAME?" else "")
            raise FileError(f"{self.sheet.place(self.row, self.column)}: {error}{more}") from None

    def in_si(self, what: str, text: str) -> str:
        """A formula or function in SI, also where its column has another unit: parameters bring their units along; what
        has no unit of its own, such as 2*60, is in that of the column."""
        if self.unit.is_si or not is_formula(text.lstrip("=")):  # what cannot be read is told where it is read
            return text
        found = dimension_of(text.lstrip("="), self.sheet.measured)
        if found == self.unit.powers:
            return text
        if found == NUMBER:
            return f"({text.lstrip('=')})*{self.unit.si(1.0)!r}"
        raise self.error(f"{what} {shown(self.cell.value)} is in SI units, the column in [{self.unit.name}].",
                         "Give its parameters their units on the sheet Parameters, and its numbers too by such "
                         "parameters; or write a number here.")


Pieces = Mapping[str | None, Piece]  # by part: x, y, z, ... or None for the value in one cell


class _CellText(Source):
    """A text inside a cell, as the reader of YAML sees it; its errors have no place of their own."""

    def at_line(self, line: int, message: str) -> FileError:
        return FileError(message)

    def error(self, where: Where, message: str) -> FileError:
        return FileError(message)


def flow(piece: Piece, text: str | None = None) -> Any:
    """A map, list or word in YAML."""
    source = _CellText("")
    try:
        fill(source, piece.text if text is None else text)
    except FileError as error:
        what, _, way_out = str(error).removeprefix(": ").partition("\n")
        if what.startswith(BROKEN):
            what, way_out = what.replace(BROKEN, "the map, list or text in quotes is broken"), ""
        raise piece.error(what, way_out.strip() or "Maps are written as {key: value, ...}, lists as [1, 2, 3]; close "
                          "all brackets and quotes, with a space after each ':'.") from None
    return source.data


def words(piece: Piece) -> str:
    """A text as it stands; in double quotes, what they hold."""
    text = piece.text
    if text.startswith('"'):
        inside = flow(piece)
        if not isinstance(inside, str):
            raise piece.error(f"{shown(text)} is not a text in quotes.", 'Close the quotes: "text".')
        text = inside
    return text


def _is_numeric(piece: Piece) -> bool:
    """Whether a cell is a number, or nothing but digits and their signs."""
    return piece.cell.kind != "text" or _looks_numeric(piece)


def _looks_numeric(piece: Piece) -> bool:
    try:
        number(piece.cell)
    except FileError:
        return bool(_DIGITS.fullmatch(str(piece.cell.value)))
    return True


def _number(piece: Piece) -> Any:
    """A number, or a formula of parameters."""
    if _is_numeric(piece):
        return piece.number()
    text = piece.text
    if text.startswith('"'):
        return literal(words(piece))
    if quantity(text):
        return text
    return "=" + piece.in_si("the formula", text.lstrip("=").strip())


def _whole(piece: Piece) -> int:
    value = piece.number()
    if value != int(value):
        raise piece.error(f"{value:g} is not a whole number.", "Write a number such as 500.")
    return int(value)


def _truth(piece: Piece) -> bool:
    if isinstance(piece.cell.value, bool):
        return piece.cell.value
    found = TRUTHS.get(piece.text.casefold())
    if found is None:
        raise piece.error(f"{shown(piece.cell.value)} is neither true nor false.", "Write true or false.")
    return found


def _text(piece: Piece) -> str:
    return literal(words(piece))


def _place(piece: Piece) -> Any:
    """A name, or a map in one cell."""
    return flow(piece) if piece.text.startswith(("{", "[")) else _text(piece)


def _function(piece: Piece) -> Any:
    """A number, a text in t, or a map with the kind of function."""
    if _is_numeric(piece):
        return piece.number()
    text = piece.text
    if text.startswith(("{", "[")):
        piece.in_si("the function", text)
        return flow(piece)
    if quantity(text):
        return text
    return literal(piece.in_si("the function", words(piece))) if text.startswith('"') else piece.in_si(
        "the function", text)


def _nested(piece: Piece) -> Any:
    if piece.cell.kind == "bool":
        return piece.cell.value
    return piece.number() if piece.cell.kind != "text" else flow(piece)


def _listed(piece: Piece) -> list[Any]:
    """Several words or numbers: [a, b], or a; b."""
    if piece.cell.kind == "number":
        return [_whole(piece)]
    text = piece.text
    if text.startswith("["):
        found = flow(piece)
        return found if isinstance(found, list) else [found]
    parts = [word.strip() for word in re.split("[;,\n]", text)]
    return [scalar(word) for word in parts if word]


def _several(piece: Piece, count: tuple[int, ...], one: Callable[[Piece], Any]) -> list[Any] | None:
    """Numbers or functions in one cell, as 1; 2; 3 or [1, 2, 3]; None if it is another text."""
    text = piece.text
    if ";" in text and not text.startswith(("{", "[", '"')):
        parts: list[Any] = [word.strip() for word in text.split(";")]
    elif text.startswith("["):
        parts = flow(piece)
    else:
        return None
    if len(parts) not in count:
        wanted = " or ".join(map(str, count))
        raise piece.error(f"{shown(text)} has {len(parts)} values; {wanted} are needed.",
                          "Write them as 0.1; 0.2; 0.3 or [0.1, 0.2, 0.3].")
    return [_one_of(piece, part, one) for part in parts]


def _one_of(piece: Piece, part: Any, one: Callable[[Piece], Any]) -> Any:
    """One value out of a cell with several."""
    if isinstance(part, str) and part:
        return one(piece._replace(cell=Cell(part, "text")))
    if isinstance(part, int | float) and not isinstance(part, bool):
        return piece.unit.si(part)
    if isinstance(part, list | dict):
        return part
    raise piece.error(f"a value in {shown(piece.cell.value)} is missing or is not a number.",
                      "Write a number; zero is 0.")


def _spread(pieces: Pieces, column: Column, parts: tuple[str, ...], one: Callable[[Piece], Any]) -> list[Any]:
    """Values in columns of their own; all of them must be there."""
    first = next(iter(pieces.values()))
    if None in pieces:
        raise pieces[None].error(f"{column.key!r} is given both in one cell and in columns of its own in this row.",
                                 "Empty one of them.")
    missing = [part for part in parts if part not in pieces]
    if missing and first.sheet.unsure:
        raise Follows(f"{column.key!r} is not complete.")
    if missing:
        raise first.sheet.error(first.row, first.column, f"{column.key!r} is not complete: "
                                f"{', '.join(f'{column.key} {part}' for part in missing)} is empty or missing.",
                                "Fill in all of them; zero is 0.")
    return [one(pieces[part]) for part in parts]


def _vector(pieces: Pieces, column: Column) -> Any:
    """Three numbers in three columns or one cell; a point or a direction also by its name."""
    if set(pieces) != {None}:
        return _spread(pieces, column, XYZ, _number)
    piece = pieces[None]
    found = _several(piece, (3,), _number)
    if found is not None:
        return found
    if column.kind == "vector" or (column.kind == "point" and column.key not in POINTS):
        raise piece.error(f"{shown(piece.cell.text)} is not three numbers.",
                          "Write them as 0.1; 0.2; 0.3 or [0.1, 0.2, 0.3], or in three columns "
                          f"'{column.key} x', '{column.key} y', '{column.key} z'.")
    return _text(piece)


def _functions(pieces: Pieces, column: Column) -> Any:
    if set(pieces) != {None}:
        return _spread(pieces, column, XYZ, _function)
    found = _several(pieces[None], (3,), _function)
    if found is None:
        raise pieces[None].error(f"{shown(pieces[None].cell.text)} is not three components.",
                                 "Write them as 0; 0; -10*t, or in three columns.")
    return found


def _inertia(pieces: Pieces, column: Column) -> Any:
    """One number, three moments, or moments and products."""
    if set(pieces) == {None}:
        found = _several(pieces[None], (3,), _number)
        return _number(pieces[None]) if found is None else found
    moments = _spread({p: v for p, v in pieces.items() if p not in PRODUCTS} or pieces, column, MOMENTS, _number)
    if not any(part in pieces for part in PRODUCTS):
        return moments
    xy, yz, xz = (_number(pieces[part]) if part in pieces else 0.0 for part in PRODUCTS)
    return [[moments[0], xy, xz], [xy, moments[1], yz], [xz, yz, moments[2]]]


def _pair(pieces: Pieces, column: Column) -> Any:
    return flow(pieces[None]) if set(pieces) == {None} else _spread(pieces, column, ("1", "2"), _place)


def _solver(pieces: Pieces, column: Column) -> Any:
    """The name of a solver, with its numbers."""
    if None not in pieces:
        first = next(iter(pieces.values()))
        raise first.error(f"there is a number for the {column.key}, but no {column.key}.",
                          f"Add a row '{column.key}' with its name, such as Auto.")
    name = _place(pieces[None])
    own = {part.replace(" ", "_"): _nested(piece) for part, piece in pieces.items() if part is not None}
    return {"kind": name, **_whole_numbers(name, own)} if own else name


def _whole_numbers(name: Any, own: dict[str, Any]) -> dict[str, Any]:
    """Whole numbers as such where the solver counts."""
    kind = getattr(solvers, name, None) if isinstance(name, str) else None
    counts = [f.name for f in fields(kind) if str(f.type) == "int"] if is_dataclass(kind) else []
    return {key: int(value) if key in counts and isinstance(value, float) and value.is_integer() else value
            for key, value in own.items()}


ONE: dict[str, Callable[[Piece], Any]] = {"number": _number, "whole": _whole, "truth": _truth, "text": _text,
                                          "place": _place, "function": _function, "nested": _nested, "words": _listed}
MANY: dict[str, Callable[[Pieces, Column], Any]] = {
    "vector": _vector, "point": _vector, "direction": _vector, "functions": _functions, "inertia": _inertia,
    "pair": _pair, "solver": _solver}


def value_of(column: Column, pieces: Pieces) -> Any:
    """The value of a column in a row, from its cells."""
    return ONE[column.kind](pieces[None]) if column.kind in ONE else MANY[column.kind](pieces, column)
