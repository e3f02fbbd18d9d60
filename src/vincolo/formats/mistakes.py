"""What is wrong with a file, collected by its reader so that all of it is reported together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from vincolo.errors import MOST_SHOWN, FileError, FileErrors, ModelError
from vincolo.formats.tree.source import PlacedError, Source, Where

#: a name that nothing in the file has; where a file has no bodies at all, it is the same for all
_MISSING = re.compile(r"there is .{4,20} called ('[^'\n]*')|there are no bodies")

_NOTHING = re.compile(r"there is nothing called '([^'\n]*)'")

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class Follows(FileError):
    """What is wrong only because something it needs is wrong; it is not reported besides that."""


def refuse(title: str, mistakes: Sequence[ModelError]) -> None:
    """Raises what was found: nothing, one mistake, or all of them together."""
    found = _together(mistakes)
    if len(found) == 1:
        raise found[0]
    if found:
        raise FileErrors(title, found)


def _together(mistakes: Sequence[ModelError]) -> list[ModelError]:
    """The mistakes, but one for each name that is missing, wherever it is asked for."""
    found: dict[object, list[ModelError]] = {}
    for k, mistake in enumerate(mistakes):
        missing = _MISSING.match(mistake.text) if isinstance(mistake, PlacedError) else None
        found.setdefault(missing[1] if missing is not None else k, []).append(mistake)
    return [group[0] if len(group) == 1 else _asked_for(group) for group in found.values()]


def _asked_for(group: Sequence[Any]) -> ModelError:
    """One mistake at several places."""
    first, file = group[0], group[0].source.file
    others = [mistake.place.removeprefix(f"{file}, ") for mistake in group[1:]]
    told = "; ".join(others[:MOST_SHOWN]) + (f" and {len(others) - MOST_SHOWN} more" if others[MOST_SHOWN:] else "")
    return PlacedError(first.source, first.place, f"{first.text}\n  It is asked for as well in: {told}.", first.where)


class Mistakes:
    """Collects mistakes as errors that know their places."""

    def __init__(self) -> None:
        self.found: list[ModelError] = []
        self.failed = False  # something could not be read, reported or not

    def add(self, error: FileError) -> None:
        """Keeps an error, or all of several; not what only follows from others."""
        self.failed = True
        if not isinstance(error, Follows):
            self.found += error.mistakes if isinstance(error, FileErrors) else [error]

    def attempt(self, read: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """What a function returns; None if it found a mistake, which is kept."""
        try:
            return read(*args, **options)
        except FileError as error:
            self.add(error)
        return None

    @contextmanager
    def kept(self, place: object) -> Iterator[None]:
        """Keeps an error raised within, with its place if it has none, and goes on."""
        try:
            yield
        except FileError as error:
            self.add(error)
        except (ValueError, ArithmeticError) as error:
            way_out = "" if "\n" in str(error) else "\n  Check the numbers there."
            self.add(FileError(f"{place}: {error}{way_out}"))

    def refuse(self, title: str) -> None:
        """Raises what was found, if anything."""
        refuse(title, self.found)


class TreeMistakes(Mistakes):
    """Collects mistakes at values of a tree, and the names of parts that could not be made."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self.lost: set[str] = set()

    @contextmanager
    def at(self, where: Where, name: str | None = None) -> Iterator[None]:
        """Keeps an error that is raised within, with its place in the file, and goes on."""
        try:
            yield
        except (FileErrors, Follows) as error:
            self.add(error)
        except PlacedError as error:
            placed = error if error.source is self.source else self.source.error(where, str(error))
            if not any(str(other) == str(placed) for other in self.found[-MOST_SHOWN:]):  # one cell, two values
                self.add(placed)
        except (TypeError, ValueError, OverflowError) as error:
            named = _NOTHING.search(str(error))
            if named is not None and self._lost(named[1]):
                self.failed = True  # it follows from a part that could not be made
            else:
                self.add(self.source.error(self.source.meant(where, str(error)), str(error)))
        else:
            return
        if name is not None:
            self.lost.add(name)

    def follows(self, name: Any, where: Where) -> None:
        """Raises if a part with this name, or the one it belongs to, could not be made."""
        if isinstance(name, str) and self._lost(name):
            raise Follows(f"{self.source.place(where)}: {name!r} could not be made.")

    def _lost(self, name: str) -> bool:
        words = name.split(".")
        return any(".".join(words[:k]) in self.lost for k in range(1, len(words) + 1))


def each(read: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """A function of every item; the mistakes of all items are raised together."""
    mistakes = Mistakes()
    found = [mistakes.attempt(read, item) for item in items]
    mistakes.refuse("these values")
    if mistakes.failed:
        raise Follows("a value could not be read.")
    return [value for value in found if value is not None]
