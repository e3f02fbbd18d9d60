"""What a reader of files understood, what it did not, and how it says so."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

from vincolo.errors import MOST_SHOWN, FileError, FileWarning

#: said of a body whose inertia is taken as it is
IMPOSSIBLE = ("the inertia of {} breaks the triangle inequality: no body has it; it is taken as it is "
              "(inertia_checked=False).")


@dataclass
class Report:
    """What was read: `understood`, one line for each part; `notes` on how something was taken; `unused`, what the
    file says and vincolo does not use; `left_out`, what could not be translated. Places are texts, or objects whose
    text says file and line, or sheet and cell."""

    understood: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def warn(self, place: object, text: str) -> None:
        """Notes something that is probably a mistake, and warns of it."""
        self.notes.append(f"{place}: {text}")
        warnings.warn(f"{place}: {text}", FileWarning, stacklevel=2)

    def note(self, place: object, text: str) -> None:
        """Notes how something was taken."""
        self.notes.append(f"{place}: {text}")

    def not_used(self, place: object, text: str) -> None:
        """Lists something that has no effect."""
        self.unused.append(f"{place}: {text}")

    def leave_out(self, place: object, text: str) -> None:
        """Lists something that could not be translated, and warns of it."""
        self.left_out.append(f"{place}: {text}")
        warnings.warn(f"{place}: {text}", FileWarning, stacklevel=2)

    def require_whole(self, title: str, accept_missing: bool) -> None:
        """Refuses a model of which something could not be translated, unless that is accepted."""
        if not self.left_out or accept_missing:
            return
        count = len(self.left_out)
        shown = [f"  {k}. {line}" for k, line in enumerate(self.left_out[:MOST_SHOWN], 1)]
        more = [f"  ... and {count - len(shown)} more."] if count > len(shown) else []
        raise FileError("\n".join([
            f"{title}: {count} thing{'s' if count > 1 else ''} in it could not be translated, so that the model is not "
            "the one of the file:", *shown, *more,
            "  Correct the file, or run without them: --accept-missing, in Python run(accept_missing=True)."]))

    def __str__(self) -> str:
        parts = {"Understood": self.understood, "Notes": self.notes, "Not used": self.unused,
                 "Left out": self.left_out}
        return "\n".join(f"{title}:\n" + "\n".join(f"  {line}" for line in lines)
                         for title, lines in parts.items() if lines)
