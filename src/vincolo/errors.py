"""What can go wrong, in the user's words: what, where, the numbers, the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

MANY = 300  # names among which the nearest is sought
MOST_SHOWN = 25  # mistakes of a file in one message


class VincoloError(Exception):
    """Base of every error this package raises on purpose."""


class ModelError(VincoloError, ValueError):
    """The model as written makes no sense: a wrong number, an unknown name, a missing part."""


class ExpressionError(ModelError):
    """A text in `t` and named quantities that cannot be read as a formula."""


class AssemblyError(VincoloError):
    """The mechanism cannot be closed in the position asked for."""


class SimulationError(VincoloError):
    """A run that could not be carried to its end."""


class FileError(ModelError):
    """A file that cannot be read, or makes no sense; the message begins with the place."""


class FileErrors(FileError):
    """Several mistakes of one file, in one message."""

    def __init__(self, title: str, mistakes: Sequence[ModelError]) -> None:
        self.mistakes = tuple(mistakes)
        shown = [f"{k}. {mistake}" for k, mistake in enumerate(self.mistakes[:MOST_SHOWN], 1)]
        left = len(self.mistakes) - len(shown)
        more = [f"... and {left} more."] if left else []
        super().__init__("\n".join([f"{title}: {len(self.mistakes)} mistakes.", *shown, *more]))


class WriteError(VincoloError, OSError):
    """A file or folder that cannot be written at the place asked for; what was there is as it was."""


class VincoloWarning(UserWarning):
    """Base of every warning this package gives on purpose; those of other libraries do not concern the user."""


class FileWarning(VincoloWarning):
    """Something in a file that is read, but is probably a mistake."""


class AssemblyWarning(VincoloWarning):
    """A mechanism is closed, but something wished for could not be met."""


class SimulationWarning(VincoloWarning):
    """A run ended early; what it had computed is in the result."""


def suggest(name: str, known: Iterable[str]) -> str:
    """The sentence " Did you mean 'x'?" for the known name nearest to `name`, or '' if none is near."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    if len(by_lower_case) > MANY:  # look only among those that begin alike
        by_lower_case = {k: v for k, v in by_lower_case.items() if k[:1] == name[:1].lower()}
        by_lower_case = dict(islice(by_lower_case.items(), MANY))
    near = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.6)
    return f" Did you mean '{by_lower_case[near[0]]}'?" if near else ""
