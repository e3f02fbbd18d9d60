"""What vincolo warns of, by thread: a run that is computed beside the session is not mixed up with it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vincolo.errors import VincoloError, VincoloWarning

Heard = dict[str, None]  # texts, each once
_own = threading.local()
_others: dict[str, Any] = {}


@contextmanager
def hearing() -> Iterator[Heard]:
    """Texts that vincolo warns of meanwhile, in this thread. `warnings.catch_warnings` holds for all threads: where two
    of them overlap, one leaves the other's list behind."""
    if warnings.showwarning is not _show:
        _others["show"], warnings.showwarning = warnings.showwarning, _show
    warnings.filterwarnings("always", category=VincoloWarning)
    before, heard = getattr(_own, "heard", None), Heard()
    _own.heard = heard
    try:
        yield heard
    finally:
        _own.heard = before


def _show(message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None,
          line: str | None = None) -> None:
    heard = getattr(_own, "heard", None)
    if heard is not None and issubclass(category, VincoloWarning):
        heard[str(message)] = None
    else:
        _others["show"](message, category, filename, lineno, file, line)


def reason_of(error: Exception) -> str:
    """What is told of a thread that ended by an error: its own words, or that the program made a mistake."""
    if isinstance(error, VincoloError):
        return str(error)
    return f"a mistake of the program ({type(error).__name__}): {error}"
