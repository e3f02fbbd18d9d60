"""The data of a file, and where in the file each value stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

from vincolo.errors import FileError
from vincolo.units import Powers, Unit

WORDS = frozenset(["a", "b", "at", "on", "of", "name", "kind", "between", "where", "what"])  # keys that mean little
SHOWN = 60  # characters of a value in a message

Where = tuple[Any, ...]  # keys and numbers of items, from the top of the file to a value


class PlacedError(FileError):
    """A mistake at a value of a file."""

    def __init__(self, source: Source, place: str, text: str, where: Where = ()) -> None:
        super().__init__(f"{place}: {text}")
        self.source, self.place, self.text, self.where = source, place, text, where


@dataclass
class Source:
    """A file as plain data that knows the place of every value."""

    file: str
    data: Any = None
    lines: dict[Where, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # names of parameters and points that something asked for
    unused: list[str] = field(default_factory=list)  # what has no effect, with its place
    declared: dict[Where, Unit] = field(default_factory=dict)  # units of values that are not in SI in the file
    measures: dict[str, frozenset[Powers]] = field(default_factory=dict)  # of parameters; empty where it is not known
    changes: dict[Where, str] = field(default_factory=dict)  # values that were given besides the file, in words

    def copied(self) -> Self:
        """The same file once more: what is done to the data of one leaves the other alone."""
        made = copy(self)
        for name, value in vars(self).items():
            setattr(made, name, copied_tree(value) if name == "data" else copy(value))
        return made

    def has(self, where: Where) -> bool:
        """Whether the place of a value is known."""
        return where in self.lines

    def known(self, where: Where) -> Where:
        """The nearest value around one whose place is known."""
        while where and not self.has(where):
            where = where[:-1]
        return where

    def places(self) -> Iterable[Where]:
        """The values whose places are known."""
        return self.lines

    def meant(self, where: Where, message: str) -> Where:
        """The value of a part that a message about the part is about: that whose key its first line names, if it is
        one alone; else the part."""
        words = set(re.findall(r"\w+", re.sub(r"'[^']*'", " ", message.partition("\n")[0])))
        keys = {found[len(where)] for found in self.places() if found[:len(where)] == where and len(found) > len(where)}
        named = [key for key in keys if isinstance(key, str) and key in words and key not in WORDS]
        return (*where, named[0]) if len(named) == 1 else where

    def place(self, where: Where) -> str:
        """The file, line and keys of a value."""
        keys = "".join(f"[{k}]" if isinstance(k, int) else f": {k}" for k in where).removeprefix(": ")
        line = f", line {self.lines.get(self.known(where), 1)}" if self.lines else ""
        return f"{self.file}{line}" + (f", {keys}" if keys else "")

    def error(self, where: Where, message: str) -> FileError:
        """An error at a value, or at the change that brought it."""
        given = next((self.changes[where[:k]] for k in range(len(where), 0, -1) if where[:k] in self.changes), None)
        return PlacedError(self, self.place(where) if given is None else given, message, where)

    def at_line(self, line: int, message: str) -> FileError:
        """An error at a line."""
        return PlacedError(self, f"{self.file}, line {line}", message)


def copied_tree(data: Any, known: dict[int, Any] | None = None) -> Any:
    """A tree of maps and lists once more; what is in it twice is in the copy twice."""
    kind = type(data)
    if kind in (str, float, int, bool, type(None)):
        return data
    if kind not in (dict, list):
        return deepcopy(data)
    known = {} if known is None else known
    if id(data) not in known:
        made: Any
        known[id(data)] = made = kind()
        if kind is dict:
            made.update((key, copied_tree(value, known)) for key, value in data.items())
        else:
            made.extend(copied_tree(value, known) for value in data)
    return known[id(data)]


def shown(value: Any) -> str:
    """A value for a message."""
    found = repr(value)
    return found if len(found) <= SHOWN else f"{found[:SHOWN]}..."
