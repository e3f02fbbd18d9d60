"""A run that is watched while it computes."""

from __future__ import annotations

import threading
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.simulate import output_times, simulate
from vincolo.errors import ModelError, VincoloWarning
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.results.result import Result
from vincolo.system import System, as_system
from vincolo.view.live.controls import Controls
from vincolo.view.live.feeding import grow_message
from vincolo.view.live.listening import LOOPBACK, waits
from vincolo.view.live.shown import of_states
from vincolo.view.live.viewer import Viewer

PIECE = 0.15  # s of computing between two looks
OFTEN = 0.2  # s between samples that are sent
LEAST = {"smallest_step", "lowest_pivot_share"}
MOST = {"largest_step", "energy_range", "position_residual", "velocity_residual", "most_iterations", "fastest"}


def watch(model: Model | System, until: float, *, port: int | None = None, host: str = LOOPBACK,
          open_browser: bool = True, block: bool | None = None, **simulate_args: Any) -> Result:
    """Simulates to the time `until` [s] as simulate() does, while the browser shows the motion. It is computed in
    pieces, each begun from the last sample, as at checkpoints: results agree with those of simulate() within its
    tolerance. At the end it goes on showing until Ctrl-C, unless block=False or in a notebook; a Ctrl-C before
    that ends the run. Returns the result."""
    for name in ("checkpoints", "progress"):
        if name in simulate_args:
            raise ModelError(f"watch(): {name}= has no effect here; the browser shows how far the run has come.")
    system = as_system(model)
    given = simulate_args.pop("start", None)
    start = assemble(system) if given is None else given
    end = finite_number("watch(): until", until)
    times = output_times(start.t, end, simulate_args.pop("outputs", 200))
    viewer = Viewer(start, host=host, port=port, open_browser=open_browser)
    run = _Run(viewer, system, times, simulate_args)
    try:
        result = run.compute(start, end)
        for message, category in run.heard.items():
            warnings.warn(message, category, stacklevel=2)
        if waits(block):
            viewer.wait()
    finally:
        viewer.close()
    return result


class _Run:
    """Pieces of a simulation, put together and shown."""

    def __init__(self, viewer: Viewer, system: System, times: Any, options: dict[str, Any]) -> None:
        self._viewer, self._system, self._times, self._options = viewer, system, times, options
        self._stop = threading.Event()
        self.heard: dict[str, type[Warning]] = {}  # of all pieces
        self._told = float(viewer.results[0][1].t[-1])  # browsers know all up to this time
        self._sent = -np.inf  # when they were last told
        self._go = threading.Event()
        self._go.set()
        viewer.options = {"growing": True, "loop": False, "play": True}
        self._controls = viewer.controls = Controls(viewer.server, "Run")
        self._controls.progress("bar")
        self._controls.text("line", "The run begins.")
        self._controls.button("pause", "Pause the run", self._pause, "Computing stops until it goes on")
        self._controls.button("end", "End the run here", self._end, "What is computed is kept")

    def _pause(self, _: Any) -> None:
        if self._go.is_set():
            self._go.clear()
        else:
            self._go.set()
        self._controls.show("pause", label="Pause the run" if self._go.is_set() else "Go on")

    def _end(self, _: Any) -> None:
        self._stop.set()
        self._go.set()

    def compute(self, start: Any, end: float) -> Result:
        """The whole run; ended early by the button or by Ctrl-C."""
        pieces: list[Result] = []
        state, done, count, reason = start, 0, 4, None
        while done < len(self._times) and reason is None:
            chosen = self._times[done: done + count]
            if chosen[-1] <= state.t:  # the start itself
                pieces.append(of_states([state]))
                done, count = done + len(chosen), 4
                continue
            self._wait_to_go_on(state.t)
            begun = time.perf_counter()
            try:
                with warnings.catch_warnings(record=True) as heard:
                    warnings.simplefilter("always")
                    piece = simulate(self._system, float(chosen[-1]), start=state, outputs=chosen[chosen >= state.t],
                                     progress=False, **self._options)
                self.heard |= {str(w.message): w.category for w in heard if issubclass(w.category, VincoloWarning)}
            except KeyboardInterrupt:
                reason = f"interrupted at t = {state.t:.6g} s"
                break
            spent = time.perf_counter() - begun
            pieces.append(piece)
            reason = piece.reason
            stopped = reason is None and len(piece) and piece.t[-1] < chosen[-1]  # by an event
            state, done = piece.state() if len(piece) else state, done + len(chosen)
            self._show(joined(pieces, start.t, end, reason), piece, end)
            if self._stop.is_set() and reason is None and done < len(self._times):
                reason = f"ended by the user at t = {state.t:.6g} s"
            if stopped:
                break
            count = int(np.clip(count * PIECE / max(spent, 1e-4), 1, 4 * count))
        result = joined(pieces, start.t, end, reason)
        self._finish(result)
        return result

    def _wait_to_go_on(self, t: float) -> None:
        if not self._go.is_set():
            self._controls.show("line", text=f"The run is paused at t = {t:.4g} s.")
        while not self._go.wait(0.2):  # Ctrl-C is heard in between
            pass

    def _show(self, whole: Result, piece: Result, end: float) -> None:
        first = float(self._times[0])
        if len(piece) and time.perf_counter() - self._sent >= OFTEN:
            self._sent = time.perf_counter()
            self._hand_over(whole)
        share = (float(whole.t[-1]) - first) / max(end - first, 1e-300)
        self._controls.show("bar", value=round(min(max(share, 0.0), 1.0), 4))
        self._controls.show("line", text=f"computed to t = {whole.t[-1]:.4g} of {end:g} s")

    def _hand_over(self, whole: Result) -> None:
        """Tells browsers of the samples that they do not have yet; in the session's thread, so that one that opens
        meanwhile gets all of them once."""
        known = int(np.searchsorted(whole.t, self._told, side="right"))
        self._told = float(whole.t[-1])
        if known < len(whole):
            fresh = replace(whole, t=whole.t[known:], y=whole.y[known:], turns=whole.turns[known:])
            more, viewer = grow_message(fresh, whole, growing=True), self._viewer
            viewer.server.call(lambda: viewer.grown(whole, more))

    def _finish(self, result: Result) -> None:
        t, viewer = float(result.t[-1]), self._viewer
        self._controls.show("bar", hidden=True)
        for name in ("pause", "end"):
            self._controls.show(name, hidden=True)
        self._controls.show("line", text=f"The run is complete: {len(result)} samples to t = {t:.4g} s."
                            if result.complete else f"The run ended at t = {t:.6g} s: {result.reason}")
        viewer.server.call(lambda: viewer.renew(result, growing=False))


def joined(pieces: list[Result], first: float, end: float, reason: str | None) -> Result:
    """Pieces of one run as one result; a sample at a seam is kept once."""
    kept = [pieces[0]] if pieces else []
    t, y, turns = ([getattr(p, name) for p in kept] for name in ("t", "y", "turns"))
    for before, piece in zip(pieces, pieces[1:], strict=False):
        behind = piece.t > before.t[-1] if len(before) else np.ones(len(piece), dtype=bool)
        t.append(piece.t[behind])
        y.append(piece.y[behind])
        turns.append(piece.turns[behind])
    settings = replace(pieces[-1].settings, start=first, until=end)
    return Result(pieces[0].system, np.concatenate(t), np.concatenate(y), np.concatenate(turns), settings,
                  _counted([p.statistics for p in pieces]), sum(p.seconds for p in pieces), reason,
                  tuple(event for piece in pieces for event in piece.events))


def _counted(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts are added, extremes kept, of anything else the last."""
    total: dict[str, Any] = {}
    for statistics in found:
        for name, value in statistics.items():
            if name not in total or isinstance(value, str | bool) or not isinstance(value, int | float):
                total[name] = value
            else:
                total[name] = (min if name in LEAST else max if name in MOST else _sum)(total[name], value)
    return total


def _sum(a: float, b: float) -> float:
    return a + b
