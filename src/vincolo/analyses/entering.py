"""What comes into a run from outside while it goes on: recorded inputs, controllers, functions that events call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vincolo.analyses.controlling import Controlling
from vincolo.analyses.feeding import feeds
from vincolo.analyses.happening import answer
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.system import System


class Entering:
    """All of it, for one run."""

    def __init__(self, system: System, begin: State, end: float, inputs: Mapping[str, Any] | None) -> None:
        self._system, self._begin, self._end = system, begin, end
        self._feeds = feeds(system, inputs, begin.t, end)
        inside = {float(t) for feed in self._feeds for t in feed.times[(feed.times > begin.t) & (feed.times < end)]}
        self._fed = sorted(inside, reverse=True)  # the next one last
        self._controlling: Controlling | None = None
        self._answers = any(event.call is not None for event in system.events)

    def times(self) -> list[float]:
        """When the run waits, in order [s]."""
        found = set(self._fed)
        if self._system.model.controllers:
            found.update(Controlling(self._system, None, self._begin).times(self._end))
        return sorted(found)

    def begin(self, run: Any) -> None:
        """What is set before the first step."""
        if self._system.model.controllers:
            self._controlling = Controlling(self._system, run, self._begin)
        for feed in self._feeds:
            feed.set(run, self._slack(run.time))
        called = self._controlling is not None and self._controlling.call(self._slack(run.time))
        if called or self._feeds:
            run.restart()

    def answer(self, run: Any) -> None:
        """What is set where the run waits: recorded values, then what events and controllers return."""
        fed, slack = False, self._slack(run.time)
        while self._fed and self._fed[-1] <= run.time + slack:
            self._fed.pop()
            fed = True
        for feed in self._feeds if fed else ():
            feed.set(run, slack)
        if self._answers:
            answer(run, self._system)
        if self._controlling is not None:
            self._controlling.call(slack)

    def _slack(self, t: float) -> float:
        """Times that differ by less are one, as the kernel has it."""
        return 1e-13 * max(abs(t), abs(self._end))
