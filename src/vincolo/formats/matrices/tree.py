"""Matrices with numbers, names and expressions in them, as a tree of lists that know their places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from vincolo.errors import ExpressionError, FileError
from vincolo.formats.cards.coordinates import Expression, expression
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import Field, number, plain, whole
from vincolo.model.expression import parse

MOST_ENTRIES = 200_000  # of all lists together, also where lists are named in lists
DEEPEST = 6  # lists in lists
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """A number, name or expression as it stands."""

    text: str
    place: Place
    quoted: bool = False
    size: int = 1


@dataclass(frozen=True)
class Rows:
    """A list of entries and lists."""

    items: tuple[Value, ...]
    place: Place
    size: int = 0

    @property
    def flat(self) -> list[Entry]:
        """All entries, however they are grouped."""
        return [e for item in self.items for e in (item.flat if isinstance(item, Rows) else [item])]


Value = Entry | Rows


def rows_of(items: Sequence[Value], place: Place) -> Rows:
    """A list that is not too long."""
    size = sum(item.size for item in items) + 1
    if size > MOST_ENTRIES:
        raise place.error(f"the list has more than {MOST_ENTRIES} entries.", "Give fewer samples.")
    return Rows(tuple(items), place, size)


def tree_of(what: str, value: Any, depth: int = 0) -> Value:
    """Numbers, texts and lists of Python as a tree; `what` says in messages where they stand."""
    place = Place(what, kind=FileError)
    if isinstance(value, str):
        return Entry(indexed(value), place, quoted=True)
    if value is None or (isinstance(value, Real) and not isinstance(value, bool)):
        return Entry("None" if value is None else _digits(value), place)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, bytes) or depth > DEEPEST:
        raise place.error(f"there is {str(type(value).__name__)} instead of numbers, texts and lists of them.",
                          "Pass lists, tuples or arrays.")
    word = "row" if depth == 0 else "entry"
    return rows_of([tree_of(f"{what}, {word} {k}", item, depth + 1) for k, item in enumerate(value, 1)], place)


def _digits(value: Any) -> str:
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return "inf"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def indexed(text: str) -> str:
    """q[8] as q8."""
    return re.sub(r"(?<![\w.])(qp?)\[\s*(\d{1,9})\s*\]", r"\1\2", text, flags=re.ASCII)


def inlined(text: str, constants: Mapping[str, float]) -> str:
    """A text with constants written out as numbers."""
    if not constants:
        return text
    return _NAME.sub(lambda m: f"({constants[m[0]]!r})" if m[0] in constants else m[0], text)


@dataclass(frozen=True)
class Reader:
    """Reads entries, with the constants that a file defines."""

    constants: dict[str, float] = field(default_factory=dict)

    def define(self, name: str, value: Entry, place: Place) -> None:
        """A constant, if the entry is a number; what it is otherwise shows where it is used."""
        if value.quoted:
            return
        try:
            found = parse(plain(inlined(value.text, self.constants))).evaluate()
        except ExpressionError:
            return
        if re.fullmatch(r"qp?\d+|dd?", name):
            raise place.error(f"the constant '{name}' has a name that the program uses.", "Choose another name.")
        try:
            parse(name, constants={name: found})
        except ExpressionError as error:
            raise place.error(str(error), "Choose another name.") from None
        self.constants[name] = found

    def number(self, value: Value, label: str) -> float:
        """A finite number, or an expression of numbers and constants."""
        return number(self._field(value, label, True))

    def whole(self, value: Value, label: str, least: int, most: int, what: str) -> int:
        """A whole number within limits."""
        return whole(self._field(value, label, True), least, most, what)

    def expression(self, value: Value, label: str, bodies: int, names: Sequence[str] = ()) -> Expression:
        """An expression over t, coordinates and rates, and other names."""
        item = self._field(value, label, False)
        return expression(item, bodies, self.used_in(item.text), names).inlined()

    def used_in(self, text: str) -> dict[str, float]:
        """The constants that a text has."""
        return {name: self.constants[name] for name in _NAME.findall(text) if name in self.constants}

    def _field(self, value: Value, label: str, plainly: bool) -> Field:
        if isinstance(value, Rows):
            raise value.place.error(f"{label} is a list; one value is needed.", "Take away the brackets.")
        return Field(label, inlined(value.text, self.constants) if plainly else value.text, value.place)


def entries_of(row: Value, name: str, count: int, what: str) -> list[Entry]:
    """The entries of a row that has the right number of them; points may be lists in it."""
    found = row.flat if isinstance(row, Rows) else [row]
    if len(found) != count:
        raise row.place.error(f"a row of {name} has {len(found)} entries; {count} are needed.",
                              f"They are {what}, with commas between them.")
    return found
