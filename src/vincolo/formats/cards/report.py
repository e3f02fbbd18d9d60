"""What a reader of cards understood, what it did not, and how it says so."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

from vincolo.errors import ModelError


class CardError(ModelError):
    """A card that cannot be read or meant: with its name, line and column."""


class CardWarning(UserWarning):
    """Something in a card that is read, but probably not meant."""


@dataclass(frozen=True)
class Place:
    """Where something stands: card, line and column, counted from one."""

    card: str
    line: int = 0
    column: int = 1

    def error(self, what: str, way_out: str) -> CardError:
        """An error here: what is wrong, and the way out."""
        return CardError(f"{self}: {what}\n  {way_out}")

    def __str__(self) -> str:
        return f"{self.card}, line {self.line}, column {self.column}" if self.line else self.card


@dataclass
class Report:
    """What was read: `understood`, one line for each card; `notes` on how something was taken; `unused`, what the
    cards say and vincolo has no use for; `left_out`, what could not be translated (with strict=False)."""

    understood: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def warn(self, place: Place, text: str) -> None:
        """Notes something that is probably a mistake, and warns of it."""
        self.notes.append(f"{place}: {text}")
        warnings.warn(f"{place}: {text}", CardWarning, stacklevel=2)

    def note(self, place: Place, text: str) -> None:
        """Notes how something was taken."""
        self.notes.append(f"{place}: {text}")

    def not_used(self, place: Place, text: str) -> None:
        """Lists something that has no effect."""
        self.unused.append(f"{place}: {text}")

    def __str__(self) -> str:
        parts = {"Understood": self.understood, "Notes": self.notes, "Not used": self.unused,
                 "Left out": self.left_out}
        return "\n".join(f"{title}:\n" + "\n".join(f"  {line}" for line in lines)
                         for title, lines in parts.items() if lines)
