"""Whether a run still gets on: simulated time over steps and over CPU time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.layout import MOTION, by_body
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.system import System

ATTEMPTS = 20_000  # steps, taken or rejected, over which the pace is measured at least
WINDOW = 8.0  # s of CPU time over which it is measured at least
MOST_ATTEMPTS = 1e8  # that a run may still need,
MOST_SECONDS = 600.0  # and CPU time: a run needs more of both to be ended
HOPELESS = 1e11  # attempts to go, at which a quarter of the window is enough
MOST_MARKS = 400
FORCE = 1  # among the numbers of a contact: the sum of its normal forces
DOUBLINGS = 3  # of all attempts since the run began, in which simulated time gets on by no more than in the one before


class Pace:
    """Ends a run whose end is out of reach. `look` is called every tenth of a second or so."""

    def __init__(self, start: float, end: float) -> None:
        self.end = end
        self.reason: str | None = None
        self.marks: list[tuple[float, float, float]] = [(0.0, 0.0, start)]  # CPU time, attempts, simulated time
        self.doublings: list[tuple[float, float]] = []  # attempts, simulated time

    def look(self, run: Any, seconds: float) -> bool:
        """Whether the run is to end; `reason` says why."""
        statistics = run.statistics()
        attempts = float(statistics["steps"] + statistics["rejected"] + statistics["crossing_steps"])
        t = run.time
        self.marks.append((seconds, attempts, t))
        self._thin_out()
        if attempts >= (2 * self.doublings[-1][0] if self.doublings else ATTEMPTS):
            self.doublings.append((attempts, t))
        self.reason = self._crawls() or self._slows_down(seconds)
        return self.reason is not None

    def _crawls(self) -> str | None:
        """Steps of a tiny share of the span, over a window."""
        seconds, attempts, t = self.marks[-1]
        for share in (0.25, 1.0):
            k = max((k for k, mark in enumerate(self.marks) if seconds - mark[0] >= share * WINDOW), default=-1)
            if k < 0 or attempts - self.marks[k][1] < ATTEMPTS:
                return None
            took, tries, gained = (now - then for now, then in zip(self.marks[-1], self.marks[k], strict=True))
            gained = max(gained, 1e-300)
            needed = (self.end - t) / gained * tries
            if needed > (HOPELESS if share < 1 else MOST_ATTEMPTS) and (self.end - t) / gained * took > MOST_SECONDS:
                return (f"the run hardly gets on at t = {t:.6g} s: the last {tries:,.0f} steps took it {gained:.2g} s "
                        f"further, in {took:.2g} s of CPU time;\nat this pace the {self.end - t:.3g} s that are left "
                        f"need {needed:.1g} steps.")
            if share == 1.0:
                del self.marks[:k]
        return None

    def _thin_out(self) -> None:
        """Leaves every other mark of a run that takes long for its steps."""
        if len(self.marks) > MOST_MARKS:
            self.marks = self.marks[::2] if len(self.marks) % 2 else [*self.marks[::2], self.marks[-1]]

    def _slows_down(self, seconds: float) -> str | None:
        """Steps that shrink in proportion to their number: however long it runs, the end is not reached."""
        if len(self.doublings) < DOUBLINGS + 2:
            return None
        ends = np.array(self.doublings[-DOUBLINGS - 2:])
        gains = np.diff(ends[:, 1]) / np.diff(np.log2(ends[:, 0]))
        last, t = float(max(gains[-1], 1e-300)), float(ends[-1, 1])
        doublings = (self.end - t) / last
        if (gains[1:] > 1.05 * gains[:-1]).any() or doublings < np.log2(HOPELESS / ends[-1, 0]):
            return None
        if seconds * 2.0**min(doublings, 60) < MOST_SECONDS:
            return None
        return (f"the run slows down without end: at t = {t:.6g} s, after {ends[-1, 0]:,.0f} steps, each doubling of "
                f"their number gains {last:.2g} s;\nthe {self.end - t:.3g} s that are left are out of reach.")


def blame(run: Any, system: System) -> str:
    """What makes steps small, with numbers: a force that feeds energy, that changes fast, or a contact that does."""
    t, y, turns = run.state()
    state = State(system, t, y, turns)
    if not np.isfinite(state.y).all():
        return ""
    step = max(float(run.step), 1e-12 * max(1.0, abs(t)))
    later = moved(state, step)
    kinetic = f" The kinetic energy is {state['energy.kinetic']:.3g} J." if system.has_energy else ""
    parts = [_feeding(state), _changing(state, later, step), f"The last step was {step:.2g} s.{kinetic}",
             "Check the signs and sizes of stiffness and damping there; soften what is far stiffer than the rest, or "
             "make it a joint.\nTo have the run go on all the same, limit it yourself with max_steps=."]
    return "\n".join(part for part in parts if part)


def _feeding(state: State) -> str:
    """The force that brings most energy in, where it brings in as much as is in motion."""
    observed, names = state.channels.observed, list(state.system.laws)
    if not names:
        return ""
    loss = observed["law_loss"][0]
    k = int(np.argmin(loss))
    kinetic = float(state["energy.kinetic"]) if state.system.has_energy else 0.0
    if not (loss[k] < 0 and -loss[k] * max(state.t, 1e-3) > 0.1 * kinetic > 0):
        return ""
    return (f"Force {names[k]!r} feeds {-loss[k]:.3g} W into the motion, whose kinetic energy is {kinetic:.3g} J: a "
            "negative damping or a force along the velocity.")


def _changing(state: State, later: State, step: float) -> str:
    """The force or contact that changes most over a step."""
    system = state.system
    changes = []
    for kind, names, key in (("force", list(system.laws), "law_force"), ("contact", list(system.contacts), "contact")):
        before, after = state.channels.observed[key][0], later.channels.observed[key][0]
        for k, name in enumerate(names):
            now, then = (float(x[k] if kind == "force" else x[k][FORCE]) for x in (before, after))
            changes.append((abs(then - now), abs(now), f"{kind} {name!r} changes most: from {now:.6g} to {then:.6g}"))
    if not changes:
        return ""
    change, size, text = max(changes)
    return f"Of all, {text} (N or N m) in {step:.2g} s." if change > 1e-9 * size else ""


def moved(state: State, h: float) -> State:
    """A state carried on for a short time h [s] by its velocities and accelerations."""
    n = len(state.system.centred)
    velocities = by_body(state.y, n)[:, MOTION]
    y = state.displaced(h * velocities).y
    by_body(y, n)[:, MOTION] += h * np.nan_to_num(state.channels.observed["acceleration"][0])
    return State(state.system, state.t + h, y, state.turns)
