"""Search for the cheapest setting of an engine that keeps the tracked point within an accuracy."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine import Configuration
from problems.description import Problem

STEP_RUNGS = [2**i for i in range(11)]  # steps per sample interval
TOLERANCE_RUNGS = [10.0**-i for i in range(2, 13)]
FINE_ENOUGH = {"step": 1.06, "tolerance": 1.9}  # ratio of neighbours at which refinement ends
STALLED = 6  # rungs in a row without a better error
SHORT = 0.05  # s; shorter probes are run twice, for the first run pays for cold caches
IN_A_ROW = 5


@dataclass(frozen=True)
class Probe:
    """One run of one setting: CPU time in s, largest distance from the reference relative to the size."""

    configuration: Configuration
    value: float
    cpu: float
    error: float
    failure: str = ""

    @property
    def label(self) -> str:
        label = self.configuration.label(self.value)
        return f"{label}: {self.failure}" if self.failure else label


def relative_error(problem: Problem, points: np.ndarray, reference: np.ndarray) -> float:
    """Largest distance from the reference over all samples, relative to the problem's size."""
    error = np.linalg.norm(points - reference, axis=1).max() / problem.size
    return float(error) if np.isfinite(error) else math.inf


class Search:
    """Probes of one engine on one problem, for all accuracies together."""

    def __init__(
        self, simulation, problem: Problem, reference: np.ndarray, accuracies: list[float], *,
        cap: float, refinements: int,
    ) -> None:  # fmt: skip
        self.simulation, self.problem, self.reference = simulation, problem, reference
        self.accuracies, self.cap, self.refinements = accuracies, cap, refinements
        self.probes: list[Probe] = []

    def explore(self, configurations: list[Configuration]) -> list[Probe]:
        for configuration in configurations:
            rungs = self._climb(configuration)
            for accuracy in self.accuracies:
                self._refine(configuration, rungs, accuracy)
        return self.probes

    def cheapest(self, accuracy: float) -> float:
        """CPU time in s of the cheapest probe so far that meets the accuracy."""
        return min((p.cpu for p in self.probes if p.error <= accuracy), default=math.inf)

    def probe(self, configuration: Configuration, value: float) -> Probe:
        """One run; an engine that fails, in whatever way, has an infinite error."""
        started = time.process_time()
        try:
            run = self.simulation.run(configuration, value)
            again = self.simulation.run(configuration, value).cpu if run.cpu < SHORT else run.cpu
            error = relative_error(self.problem, run.points, self.reference)
            result = Probe(configuration, value, min(run.cpu, again), error)
        except Exception as error:
            lost = time.process_time() - started
            result = Probe(configuration, value, lost, math.inf, f"{type(error).__name__}: {error}"[:200])
        self.probes.append(result)
        return result

    def _climb(self, configuration: Configuration) -> list[Probe]:
        """From coarse to fine until the tightest accuracy is met or going on cannot win any more."""
        rungs: list[Probe] = []
        for value in self._rungs(configuration):
            if self._predicted_cost(rungs, value) > self._worth(rungs) or self._lost(rungs) > self.cap:
                break
            rungs.append(self.probe(configuration, value))
            if rungs[-1].error <= min(self.accuracies) or self._stalled(rungs):
                break
        return rungs

    def _rungs(self, configuration: Configuration) -> list[float]:
        if configuration.control == "tolerance":
            return TOLERANCE_RUNGS
        coarsest = configuration.coarsest
        return [self.problem.interval / k for k in [coarsest, *(k for k in STEP_RUNGS if k > coarsest)]]

    @staticmethod
    def _predicted_cost(rungs: list[Probe], value: float) -> float:
        """CPU time in s expected of the next rung, from the last one that ran through."""
        finished = [p for p in rungs if p.error < math.inf]
        if not finished:
            return 0.0
        last = finished[-1]
        return last.cpu * growth(last.configuration, last.value, value)

    @staticmethod
    def _lost(rungs: list[Probe]) -> float:
        """CPU time in s spent on runs that failed."""
        return sum(p.cpu for p in rungs if p.error == math.inf)

    def _worth(self, rungs: list[Probe]) -> float:
        """CPU time in s above which a rung cannot win an accuracy this configuration has not met yet."""
        open_ = [a for a in self.accuracies if not any(p.error <= a for p in rungs)]
        return min(self.cap, 1.5 * max(self.cheapest(a) for a in open_))

    @staticmethod
    def _stalled(rungs: list[Probe]) -> bool:
        errors = [p.error for p in rungs if p.error < math.inf]
        return len(errors) - int(np.argmin(errors)) > STALLED if errors else False

    def _refine(self, configuration: Configuration, rungs: list[Probe], accuracy: float) -> None:
        """Bisect between the coarsest rung that passes and the one before it."""
        first = next((i for i, p in enumerate(rungs) if p.error <= accuracy), 0)
        if first == 0:
            return
        passing, failing = rungs[first], rungs[first - 1]
        # a run that blew up may have taken any time
        expected = passing.cpu / growth(configuration, failing.value, passing.value)
        if (failing.cpu if failing.error < math.inf else expected) > self.cheapest(accuracy):
            return
        for _ in range(self.refinements):
            value = self._between(configuration, passing.value, failing.value)
            if value is None:
                return
            middle = self.probe(configuration, value)
            passing, failing = (middle, failing) if middle.error <= accuracy else (passing, middle)

    def _between(self, configuration: Configuration, fine: float, coarse: float) -> float | None:
        """A value between two others, or None when they are close enough."""
        if coarse / fine < FINE_ENOUGH[configuration.control]:
            return None
        value = math.sqrt(fine * coarse)
        if configuration.control == "tolerance":
            return value
        interval = self.problem.interval  # whole steps per interval, or whole intervals per step
        value = interval / round(interval / value) if value < interval else interval * round(value / interval)
        return value if fine * 1.001 < value < coarse * 0.999 else None


def growth(configuration: Configuration, coarse: float, fine: float) -> float:
    """How much more CPU time a finer value is expected to take than a coarser one."""
    return coarse / fine if configuration.control == "step" else 1.5


def finalists(probes: list[Probe], accuracy: float, count: int = 3) -> list[Probe]:
    """The cheapest probes that meet the accuracy, and could still be cheapest when timed carefully."""
    good = sorted((p for p in probes if p.error <= accuracy), key=lambda p: p.cpu)
    if not good:
        return []
    noise = 1.5 if good[0].cpu < 1.0 else 1.1  # long runs are timed well enough by one probe
    return [p for p in good[:count] if p.cpu <= noise * good[0].cpu]


def interleaved_times(runs: dict, rounds: int, budget: float) -> dict:
    """Best CPU time in s of each run over several rounds, each round running all once.

    A run that has spent its budget (s) is left out of the later rounds, after two at least.
    """
    times: dict = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            if len(times[key]) < 2 or sum(times[key]) < budget:
                times[key].append(timed(run))
    return {key: min(values) for key, values in times.items()}


def timed(run: Callable) -> float:
    """CPU time in s; the best of some in a row where runs are short, for the first one pays for cold caches."""
    times = [run().cpu]
    while sum(times) < SHORT and len(times) < IN_A_ROW:
        times.append(run().cpu)
    return min(times)
