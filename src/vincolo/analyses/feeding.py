"""Inputs of a run from tables and functions: values at times, held between them or in straight lines."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.auxiliary import Auxiliary
from vincolo.model.checks import finite_number, number_array
from vincolo.model.functions import Function
from vincolo.model.functions.given import function_of
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.system import System

MOST_SAMPLES = 50_000_000
FORMS = ("a number, (times, values), an array of two columns, or (function, every) with the seconds between two values")


@dataclass(frozen=True)
class Feed:
    """An input by its values at times."""

    input: Auxiliary
    number: int
    slope: int  # -1: held
    times: Array
    values: Array

    def at(self, t: float, slack: float = 0.0) -> tuple[float, float]:
        """Value and slope from a time [s] on; what changes within the slack [s] has changed."""
        k = min(max(bisect_right(self.times, t + slack) - 1, 0), len(self.times) - 1)
        if self.slope < 0 or k + 1 >= len(self.times):
            return float(self.values[k]), 0.0
        rate = (self.values[k + 1] - self.values[k]) / (self.times[k + 1] - self.times[k])
        return float(self.values[k] + rate * max(t - self.times[k], 0.0)), float(rate)

    def set(self, run: Any, slack: float) -> None:
        """Puts what it is from the present time of a run on into it."""
        value, rate = self.at(run.time, slack)
        run.set_auxiliary(self.number, value)
        if self.slope >= 0:
            run.set_auxiliary(self.slope, rate)


def feeds(system: System, given: Mapping[str, Any] | None, start: float, end: float) -> list[Feed]:
    """The inputs that are given for a run from start to end [s]; refuses what does not fit."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ModelError(f"simulate(): inputs is {given!r}; it is a table of names and {FORMS}.")
    found = []
    for name, value in given.items():
        known = system.model.inputs
        if name not in known:
            raise ModelError(f"simulate(): there is no input called {name!r}.\n  Inputs: {', '.join(known) or 'none'}."
                             f"{suggest(str(name), known)}")
        what = f"simulate(): input {name!r}"
        times, values = _table(what, value, start, end)
        slope = system.slopes.get(name, -1)
        _check_cover(what, times, start, end, slope >= 0)
        found.append(Feed(known[name], system.auxiliaries[name], slope, times, values))
    return found


def _table(what: str, given: Any, start: float, end: float) -> tuple[Array, Array]:
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        return np.array([start, end]), np.full(2, finite_number(what, given))
    if isinstance(given, tuple) and len(given) == 2 and (callable(given[0]) or isinstance(given[0], str | Function)):
        return _sampled(what, given[0], given[1], start, end)
    if callable(given) or isinstance(given, str | Function):
        raise ModelError(f"{what}: {given!r} is a function of time, but an input has values at times.\n"
                         f"  Give it as (function, every), such as ('sin(t)', 1e-3); a law or drive that is a function "
                         "of time needs no input.")
    pair = given if isinstance(given, tuple) and len(given) == 2 else None
    if pair is None:
        array = number_array(what, given)
        if array.ndim != 2 or array.shape[1] != 2:
            raise ModelError(f"{what}: {type(given).__name__} is not {FORMS}.")
        pair = array[:, 0], array[:, 1]
    times, values = (number_array(f"{what}: {word}", x) for word, x in zip(("times", "values"), pair, strict=True))
    if times.ndim != 1 or values.shape != times.shape or not len(times):
        raise ModelError(f"{what}: {times.size} times and {values.size} values; as many of each are needed, at least "
                         "one.")
    for word, x in (("time", times), ("value", values)):
        if not np.isfinite(x).all():
            k = int(np.argmin(np.isfinite(x)))
            raise ModelError(f"{what}: {word} {k} is {x[k]}; finite numbers are needed.")
    if (np.diff(times) <= 0).any():
        k = int(np.argmax(np.diff(times) <= 0))
        raise ModelError(f"{what}: its times do not rise: {times[k]:g} s is followed by {times[k + 1]:g} s.")
    return times, values


def _sampled(what: str, function: Any, every: Any, start: float, end: float) -> tuple[Array, Array]:
    """A function of time at times of one distance, from the start on."""
    step = finite_number(f"{what}: every", every)
    if step <= 0 or (end - start) / step > MOST_SAMPLES:
        raise ModelError(f"{what}: every is {step:g} s; a positive number is needed, and at most {MOST_SAMPLES:,} "
                         "values.")
    f: Callable[[float], Any] = function_of(what, function) if isinstance(function, str) else function
    times: Array = start + step * np.arange(math.ceil((end - start) / step) + 1, dtype=float)
    return times, np.array([finite_number(f"{what}: at t = {t:g} s", f(t)) for t in times.tolist()])


def _check_cover(what: str, times: Array, start: float, end: float, linear: bool) -> None:
    """Refuses a table that does not say what the input is from the beginning on; a straight line needs its end too."""
    slack = 1e-9 * max(abs(start), abs(end))
    if times[0] > start + slack or (linear and times[-1] < end - slack):
        raise ModelError(f"{what}: its table runs from {times[0]:g} to {times[-1]:g} s, the run from {start:g} to "
                         f"{end:g} s.\n  Give values for the whole run, or run as long as there are values.")
