"""Runs besides that of the model, in a thread of their own: variants by a slider, formulations side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from vincolo.errors import VincoloError
from vincolo.formats.document import Document
from vincolo.results.result import Result
from vincolo.studio.hearing import Heard, hearing, reason_of

OFTEN = 0.1  # s between two words about how far it is
Pairs = list[tuple[str, Result]]


class _Stopped(Exception):
    """Nobody wants this trial any more."""


class Trial:
    """Runs documents with changed arguments, one after the other. `told` is called with the share that is done, `ended`
    with the results by their labels and the reason if it failed; both in that thread."""

    def __init__(self, runs: Sequence[tuple[str, Document, dict[str, Any]]], told: Callable[[float], None],
                 ended: Callable[[Pairs, str], None]) -> None:
        self._runs, self._told, self._ended = list(runs), told, ended
        self._stop, self._last = threading.Event(), 0.0
        self.heard = Heard()  # what it warned of
        self._thread = threading.Thread(target=self._work, name="vincolo trial", daemon=True)

    @property
    def stopped(self) -> bool:
        """Whether it was told to end."""
        return self._stop.is_set()

    def begin(self) -> None:
        """Begins to compute."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it soon; what it has is not shown."""
        self._stop.set()

    def _work(self) -> None:
        pairs: Pairs = []
        reason = ""
        try:
            for label, document, changes in self._runs:
                pairs.append((label, self._run(document, changes, len(pairs))))
        except _Stopped:
            pairs = []
        except Exception as error:
            reason = reason_of(error)
            if not isinstance(error, VincoloError):
                raise
        finally:
            self._ended(pairs, reason)

    def _run(self, document: Document, changes: dict[str, Any], done: int) -> Result:
        def progress(t: float, end: float) -> None:
            if self.stopped:
                raise _Stopped
            if time.monotonic() - self._last > OFTEN:
                self._last = time.monotonic()
                self._told((done + t / end if end else done) / len(self._runs))

        progress(0.0, 1.0)
        own: dict[str, Any] = {"progress": progress} if document.settings.analysis == "dynamics" else {}
        with hearing() as heard:
            found = document.run(**changes, **own)
        self.heard |= heard
        progress(1.0, 1.0)
        return found
