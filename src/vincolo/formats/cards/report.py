"""Where something stands in a card, and how mistakes are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from vincolo.errors import ModelError
from vincolo.formats.report import FileError, FileErrors, refuse

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class CardError(FileError):
    """A card that cannot be read, or makes no sense: with its name, line and column."""


class Follows(FileError):
    """What is wrong only because something it needs is wrong; it is not reported besides that."""


@dataclass(frozen=True)
class Place:
    """Where something stands: card, line and column, counted from one; and the kind of error that is made there."""

    card: str
    line: int = 0
    column: int = 1
    kind: type[FileError] = CardError

    def right(self, columns: int) -> Place:
        """The place some columns further."""
        return replace(self, column=self.column + columns)

    def error(self, what: str, way_out: str) -> FileError:
        """An error here: what is wrong, and the way out."""
        return self.kind(f"{self}: {what}\n  {way_out}")

    def __str__(self) -> str:
        return f"{self.card}, line {self.line}, column {self.column}" if self.line else self.card


class Mistakes:
    """Collects what is wrong, so that all of it is reported together."""

    def __init__(self) -> None:
        self.found: list[ModelError] = []
        self.failed = False  # something could not be read, reported or not

    def attempt(self, read: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """What a function returns; None if it found a mistake, which is kept."""
        try:
            return read(*args, **options)
        except Follows:
            pass
        except FileErrors as error:
            self.found += error.mistakes
        except FileError as error:
            self.found.append(error)
        self.failed = True
        return None

    def add(self, error: FileError) -> None:
        """Keeps a mistake."""
        self.found.append(error)
        self.failed = True


def each(read: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """A function of every item; the mistakes of all items are raised together."""
    mistakes = Mistakes()
    found = [mistakes.attempt(read, item) for item in items]
    refuse("these values", mistakes.found)
    if mistakes.failed:
        raise Follows("a value could not be read.")
    return [value for value in found if value is not None]
