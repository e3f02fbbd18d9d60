"""How far a run has come: one line on a terminal, a bar in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from vincolo.errors import ModelError

Progress = Callable[[float, float], None]
PATIENCE = 1.0  # s: shorter runs show nothing


def in_notebook() -> bool:
    """Whether this program is the kernel of a notebook."""
    return "ipykernel" in sys.modules and "IPython" in sys.modules


def reporter(progress: bool | Progress | None) -> Progress | None:
    """What is told how far a run has come; nobody where nobody looks."""
    if callable(progress):
        return progress
    if progress is not None and not isinstance(progress, bool):
        raise ModelError(f"simulate(): progress is {progress!r}; it is True, False or a function of (t, until).")
    if progress is False:
        return None
    if in_notebook():
        return NotebookBar()
    return ProgressLine() if progress or sys.stderr.isatty() else None


class ProgressLine:
    """One line on the terminal that shows how far a run of more than a second has come."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.shown = False

    def __call__(self, t: float, end: float) -> None:
        if time.perf_counter() - self.begun > PATIENCE:
            self.shown = True
            sys.stderr.write(f"\r  t = {t:.4g} of {end:g} s ({100 * t / end:.0f} %) ")
            sys.stderr.flush()

    def close(self) -> None:
        """Wipes the line."""
        if self.shown:
            sys.stderr.write("\r" + 60 * " " + "\r")
            sys.stderr.flush()


class NotebookBar:
    """A bar below the cell of a notebook, for runs of more than a second; it goes when the run ends."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self._handle: Any = None

    def __call__(self, t: float, end: float) -> None:
        if time.perf_counter() - self.begun <= PATIENCE:
            return
        display = sys.modules["IPython"].display
        shown = display.HTML(f'<progress value="{t:.6g}" max="{end:.6g}" style="width:20em"></progress> '
                             f"t = {t:.4g} of {end:g} s")
        if self._handle is None:
            self._handle = display.display(shown, display_id=True)
        else:
            self._handle.update(shown)

    def close(self) -> None:
        """Takes the bar away."""
        if self._handle is not None:
            self._handle.update(sys.modules["IPython"].display.HTML(""))
