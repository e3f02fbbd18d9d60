"""Controllers while a run goes on: called at their times, with what they read; what they return is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import SimulationError, suggest
from vincolo.layout import auxiliaries_of
from vincolo.model.control import Controller
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.system import System

MOST_CALLS = 100_000_000  # of one run


class Controlling:
    """The controllers of a system in a run or stepper, with their memories."""

    def __init__(self, system: System, run: Any, begin: State) -> None:
        own = auxiliaries_of(begin.y, len(system.centred))
        self.read = np.zeros(len(system.outputs))
        self._run, self._begin = run, begin.t
        self._called = [_Called(system, c, run, own, begin.t) for c in system.model.controllers.values()]

    def next_time(self) -> float:
        """Of the next call [s]; infinite if there is none."""
        return min((called.next for called in self._called), default=math.inf)

    def times(self, end: float) -> Iterator[float]:
        """All times of calls up to the end, those at the beginning and the end left out."""
        for called in self._called:
            c, k, t0 = called.controller, called.count, self._begin
            if (end - c.time(k)) / c.every > MOST_CALLS:
                raise SimulationError(f"controller {c.name!r}: it would be called {(end - c.time(k)) / c.every:.2g} "
                                      f"times; the limit is {MOST_CALLS:,}.")
            while c.time(k) < end:
                if c.time(k) > t0:
                    yield c.time(k)
                k += 1

    def call(self, slack: float = 0.0) -> bool:
        """Calls those whose time has come, to `slack` seconds, one after the other; whether there were any."""
        t, any_due = self._run.time, False
        for called in self._called:
            if called.next <= t + slack:
                self._run.read_outputs(self.read)
                called(called.next, self.read)
                any_due = True
        return any_due

    def restore(self, state: State) -> None:
        """Takes their memories from a state."""
        own = auxiliaries_of(state.y, len(state.system.centred))
        for called in self._called:
            called.remember(own, state.t)


class _Called:
    """A controller with what it remembers."""

    def __init__(self, system: System, controller: Controller, run: Any, own: Any, t: float) -> None:
        self.controller, self.what = controller, f"controller {controller.name!r}"
        self._run, self._system = run, system
        self._slow = any(read.formula is None for read in controller.reads)
        self._numbers = system.controller_reads[controller.name]
        self._places = slice(self._numbers[0], self._numbers[-1] + 1) if self._numbers else slice(0)
        self._function, self._remembers = controller.function, bool(controller.memory)
        self._one = len(controller.writes) == 1
        self._writes = [system.auxiliaries[name] for name in controller.writes]
        self._slopes = [system.slopes.get(name, -1) for name in controller.writes]
        self._kept = system.memories[controller.name]
        self._known: list[float] = []
        self.memory: Any = None
        self.count, self.next = 0, math.inf
        self.remember(own, t)

    def remember(self, own: Any, t: float) -> None:
        """Takes the number of its next call and its memory from a state."""
        self._known = own[self._kept[1:]].tolist()
        self.memory = self.controller.remembered(self._known)
        self.count = max(int(own[self._kept[0]]), self.controller.call_after(t))
        self.next = self.controller.time(self.count)

    def __call__(self, t: float, read: Any) -> None:
        values = self._slowly() if self._slow else read[self._places].tolist()
        try:
            returned = self._function(t, *values, self.memory) if self._remembers else self._function(t, *values)
        except Exception as error:
            raise SimulationError(f"{self.what} raised {type(error).__name__} at t = {t:.9g} s: {error}") from error
        if self._one and type(returned) is float and math.isfinite(returned):
            self._write(self._writes[0], self._slopes[0], returned)
        else:
            for number, slope, value in zip(self._writes, self._slopes, self._values(t, returned), strict=True):
                self._write(number, slope, value)
        self.count += 1
        self.next = self.controller.time(self.count)
        self._run.set_auxiliary(self._kept[0], self.count)
        if self._remembers:
            self._keep(t)

    def _write(self, number: int, slope: int, value: float) -> None:
        if slope < 0:
            self._run.set_auxiliary(number, value)
        else:  # in a straight line to where it is at the next call
            self._run.set_auxiliary(slope, (value - self._run.auxiliary(number)) / self.controller.every)

    def _slowly(self) -> list[float]:
        """What it reads, if a channel that follows from forces is among it."""
        state = State(self._system, *self._run.state())
        fast = np.zeros(len(self._system.outputs))
        self._run.read_outputs(fast)
        return [float(state[read.channel]) if read.formula is None else float(fast[number])
                for read, number in zip(self.controller.reads, self._numbers, strict=True)]

    def _values(self, t: float, returned: Any) -> Sequence[float]:
        """A finite number for each of what it writes."""
        wanted = self.controller.writes
        if isinstance(returned, float) and len(wanted) == 1:
            values: Sequence[Any] = (returned,)
        elif isinstance(returned, Mapping):
            values = self._by_name(t, returned)
        elif returned is None:
            values = ()
        else:
            values = returned if isinstance(returned, list | tuple) else np.ravel(returned).tolist()
        if len(values) != len(wanted):
            raise SimulationError(f"{self.what} returned {len(values)} values at t = {t:.9g} s, but writes "
                                  f"{len(wanted)}: {', '.join(map(repr, wanted)) or 'nothing'}.")
        for name, value in zip(wanted, values, strict=True):
            try:
                good = math.isfinite(value)
            except (TypeError, ValueError, OverflowError):
                good = False
            if not good:
                raise SimulationError(f"{self.what} returned {value!r} for {name!r} at t = {t:.9g} s; a finite number "
                                      "is needed.")
        return [float(value) for value in values]

    def _by_name(self, t: float, returned: Mapping[str, Any]) -> list[Any]:
        for name in returned:
            if name not in self.controller.writes:
                raise SimulationError(f"{self.what} returned a value for {name!r} at t = {t:.9g} s, which it does not "
                                      f"write.{suggest(str(name), self.controller.writes)}")
        return [returned[name] for name in self.controller.writes if name in returned]

    def _keep(self, t: float) -> None:
        """Writes its memory into the state of the run."""
        try:
            numbers = self.controller.numbers_of(self.memory)
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            raise SimulationError(f"{self.what}: its memory at t = {t:.9g} s has lost {error}; it has: "
                                  f"{', '.join(kept.key for kept in self.controller.memory)}.") from None
        if len(numbers) != len(self._known) or not all(map(math.isfinite, numbers)):
            raise SimulationError(f"{self.what}: its memory at t = {t:.9g} s is {self.memory!r}: it must keep its size "
                                  "and be finite.")
        for number, value, before in zip(self._kept[1:], numbers, self._known, strict=True):
            if value != before:
                self._run.set_auxiliary(number, value)
        self._known = numbers
