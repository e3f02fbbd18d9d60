"""The data of a file, and where in the file each value stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vincolo.errors import FileError
from vincolo.units import Unit

SHOWN = 60  # characters of a value in a message

Where = tuple[Any, ...]  # keys and numbers of items, from the top of the file to a value


class PlacedError(FileError):
    """A mistake at a value of a file."""

    def __init__(self, source: Source, message: str, where: Where = ()) -> None:
        super().__init__(message)
        self.source, self.where = source, where


@dataclass
class Source:
    """A file as plain data that knows the place of every value."""

    file: str
    data: Any = None
    lines: dict[Where, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # names of parameters and points that something asked for
    unused: list[str] = field(default_factory=list)  # what has no effect, with its place
    declared: dict[Where, Unit] = field(default_factory=dict)  # units of values that are not in SI in the file
    changes: dict[Where, str] = field(default_factory=dict)  # values that were given besides the file, in words

    def has(self, where: Where) -> bool:
        """Whether the place of a value is known."""
        return where in self.lines

    def known(self, where: Where) -> Where:
        """The nearest value around one whose place is known."""
        while where and not self.has(where):
            where = where[:-1]
        return where

    def place(self, where: Where) -> str:
        """The file, line and keys of a value."""
        keys = "".join(f"[{k}]" if isinstance(k, int) else f": {k}" for k in where).removeprefix(": ")
        line = f", line {self.lines.get(self.known(where), 1)}" if self.lines else ""
        return f"{self.file}{line}" + (f", {keys}" if keys else "")

    def error(self, where: Where, message: str) -> FileError:
        """An error at a value, or at the change that brought it."""
        given = next((self.changes[where[:k]] for k in range(len(where), 0, -1) if where[:k] in self.changes), None)
        return PlacedError(self, f"{self.place(where) if given is None else given}: {message}", where)

    def at_line(self, line: int, message: str) -> FileError:
        """An error at a line."""
        return PlacedError(self, f"{self.file}, line {line}: {message}")


def shown(value: Any) -> str:
    """A value for a message."""
    found = repr(value)
    return found if len(found) <= SHOWN else f"{found[:SHOWN]}..."
