"""A run in pieces, each shown when it is computed: it can be held, let go, ended, and go on with other numbers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from vincolo.analyses.carry import carried
from vincolo.analyses.run_settings import OUTPUTS, UNTIL
from vincolo.analyses.simulate import output_times
from vincolo.errors import VincoloError
from vincolo.formats.document import Document
from vincolo.layout import auxiliaries_of
from vincolo.results.result import Result
from vincolo.state import State
from vincolo.studio.hearing import Heard, hearing, reason_of
from vincolo.view.live.running import joined
from vincolo.view.live.shown import of_states

PIECE = 0.15  # s of computing between two looks
Shown = Callable[[Result, float], None]


class Running:
    """A run in a thread of its own. `shown` is called with each new piece and the share that is done; `ended` with the
    reason, if there is one. Both are called in that thread."""

    def __init__(self, document: Document, start: State, shown: Shown, ended: Callable[[str], None]) -> None:
        self._document, self._state, self._shown, self._ended = document, start, shown, ended
        settings = document.settings
        self.end = UNTIL if settings.until is None else settings.until
        self._times = output_times(start.t, self.end, settings.outputs or OUTPUTS)
        self._go, self._stop = threading.Event(), threading.Event()
        self._go.set()
        self._changes: SimpleQueue[tuple[Document, dict[str, float]]] = SimpleQueue()
        self.pieces: list[Result] = []  # since the last change
        self.changed = False  # whether numbers were changed on the way
        self.heard = Heard()  # what it warned of
        self.over = False
        self._thread = threading.Thread(target=self._work, name="vincolo run", daemon=True)
        self._thread.start()

    @property
    def samples(self) -> int:
        """How many there will be."""
        return len(self._times)

    @property
    def paused(self) -> bool:
        """Whether it is held."""
        return not self._go.is_set()

    def pause(self) -> None:
        """Holds the run after the piece that is being computed."""
        self._go.clear()

    def resume(self) -> None:
        """Lets the run go on."""
        self._go.set()

    def stop(self, wait: float = 0.0) -> None:
        """Ends the run here."""
        self._stop.set()
        self._go.set()
        if wait and self._thread is not threading.current_thread():
            self._thread.join(wait)

    def tune(self, document: Document, carried_values: dict[str, float]) -> None:
        """Goes on with another model from where the bodies are; `carried_values` are those of inputs and variables."""
        self._changes.put((document, carried_values))

    @property
    def whole(self) -> Result | None:
        """The run so far, since numbers were changed last."""
        pieces = list(self.pieces)
        return joined(pieces, pieces[0].t[0], self.end, pieces[-1].reason) if pieces else None

    def _work(self) -> None:
        reason = ""
        try:
            reason = self._compute() or ""
        except Exception as error:
            reason = reason_of(error)
            if not isinstance(error, VincoloError):
                raise
        finally:
            self.over = True
            self._ended(reason)

    def _compute(self) -> str | None:
        done, count = 0, 4
        while done < len(self._times):
            self._go.wait()
            if self._stop.is_set():
                return f"ended by the user at t = {self._state.t:.6g} s"
            self._take_changes()
            chosen = self._times[done: done + count]
            begun = time.perf_counter()
            piece = self._piece(chosen)
            done += len(chosen)
            if len(piece):
                self.pieces.append(piece)
                self._state = piece.state()
                self._shown(piece, done / len(self._times))
            if piece.reason is not None or piece.t[-1] < chosen[-1]:  # or an event has stopped it
                return piece.reason
            count = int(np.clip(count * PIECE / max(time.perf_counter() - begun, 1e-4), 1, 4 * count))
        return None

    def _piece(self, chosen: Any) -> Result:
        if chosen[-1] <= self._state.t:  # the start itself
            return of_states([self._state])
        with hearing() as heard:
            options: dict[str, Any] = {"until": float(chosen[-1]), "outputs": chosen[chosen >= self._state.t]}
            if self._document.settings.analysis == "dynamics":
                options["progress"] = False
            piece = self._document.settings.run(self._document.system, self._state, options)
        self.heard |= heard
        return piece

    def _take_changes(self) -> None:
        while True:
            try:
                document, values = self._changes.get_nowait()
            except Empty:
                return
            state = carried(self._state, document.system)
            auxiliaries = auxiliaries_of(state.y, len(state.system.centred))
            for name, value in values.items():
                if name in state.system.auxiliaries:
                    auxiliaries[state.system.auxiliaries[name]] = value
            self._document, self._state, self.pieces, self.changed = document, state, [], True
