"""Where something stands in a card."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vincolo.errors import FileError


class CardError(FileError):
    """A card that cannot be read, or makes no sense: with its name, line and column."""


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
