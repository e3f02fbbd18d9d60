"""Discrete blocks: controllers that are called every so many seconds, with memories that states carry."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.control import Controller

#: what a PID controller begins with
REMEMBERED: dict[str, float] = {"integral": 0.0, "derivative": 0.0, "measured": 0.0, "begun": 0}


@dataclass(frozen=True)
class Pid:
    """u = kp (weight r - y) + I + D, held between low and high. I grows by ki e, and is led back while u is held (with
    the time `tracking`); D is kd times the rate of -y through a filter of first order."""

    every: float
    kp: float
    ki: float
    kd: float
    low: float
    high: float
    filter: float
    tracking: float
    weight: float
    bumpless: bool

    def __call__(self, t: float, setpoint: float, measured: float, present: float, memory: dict[str, float]) -> float:
        h, proportional = self.every, self.kp * (self.weight * setpoint - measured)
        if not memory["begun"]:
            memory["begun"], memory["measured"] = 1, measured
            if self.bumpless:
                memory["integral"] = present - proportional
        lag = self.filter + h
        memory["derivative"] = (self.filter * memory["derivative"] - self.kd * (measured - memory["measured"])) / lag
        wanted = proportional + memory["integral"] + memory["derivative"]
        given = min(max(wanted, self.low), self.high)
        memory["integral"] += h * self.ki * (setpoint - measured)
        if given != wanted:
            memory["integral"] += h / self.tracking * (given - wanted)
        memory["measured"] = measured
        return given


def pid(model: Model, name: str, *, setpoint: str | float, measured: str, writes: str, every: float, kp: float,
        ki: float = 0.0, kd: float = 0.0, low: float = -math.inf, high: float = math.inf, filter: float = 0.0,
        tracking: float | None = None, weight: float = 1.0, bumpless: bool = False) -> Controller:
    """A PID controller: every so many seconds [s] it reads setpoint and measured, texts as those of laws, and writes an
    input or variable, held between low and high. While it is held there the integral is led back (anti-windup, with the
    time `tracking` [s], by default the geometric mean of kp/ki and kd/kp, or kp/ki). `filter` [s] smooths the
    derivative, which acts on the measured value; `weight` is the share of the setpoint in the proportional part.
    `bumpless`: it takes over at the present value of what it writes."""
    what = f"pid() {name!r}"
    numbers = {key: finite_number(f"{what}: {key}", value) for key, value in (
        ("kp", kp), ("ki", ki), ("kd", kd), ("filter", filter), ("weight", weight), ("every", every))}
    if not low < high or numbers["filter"] < 0:
        raise ModelError(f"{what}: low is {low}, high is {high}, filter is {filter:g} s; low must be less than high, "
                         "and filter not negative.")
    back = _tracking(numbers["kp"], numbers["ki"], numbers["kd"], numbers["every"]) if tracking is None else tracking
    block = Pid(low=float(low), high=float(high), tracking=finite_number(f"{what}: tracking", back),
                bumpless=bool(bumpless), **numbers)
    if block.tracking <= 0:
        raise ModelError(f"{what}: tracking is {block.tracking:g} s; it must be positive.")
    reads = [setpoint if isinstance(setpoint, str) else repr(finite_number(f"{what}: setpoint", setpoint)), measured,
             writes]
    return model.add_controller(name, block, every=every, reads=reads, writes=[writes], memory=dict(REMEMBERED))


def _tracking(kp: float, ki: float, kd: float, every: float) -> float:
    """After Astrom and Hagglund (1995): between the times of derivative and integral."""
    integral = abs(kp / ki) if ki and kp else 0.0
    derivative = abs(kd / kp) if kp else 0.0
    return max(math.sqrt(integral * derivative) if derivative else integral, every)


@dataclass(frozen=True)
class Delay:
    """What was read so many calls ago."""

    calls: int

    def __call__(self, t: float, signal: float, memory: dict[str, Any]) -> float:
        line, k = memory["line"], memory["next"]
        given = float(line[k]) if self.calls else signal
        line[k] = signal
        memory["next"] = (k + 1) % len(line)
        return given


def delay(model: Model, name: str, signal: str, *, time: float, every: float, start: float = 0.0,
          unit: str = "") -> Controller:
    """A dead time [s]: the variable of this name is what the signal was that long ago, in steps of `every` [s]; before
    that it is `start`. The time is a multiple of every."""
    what = f"delay() {name!r}"
    span, period = finite_number(f"{what}: time", time), finite_number(f"{what}: every", every)
    calls = round(span / period) if period > 0 else -1
    if period <= 0 or span < 0 or abs(calls * period - span) > 1e-9 * max(span, period):
        raise ModelError(f"{what}: time is {span:g} s and every {period:g} s; the time is a multiple of every, which "
                         "is positive.")
    model.variable(name, start, unit=unit)
    memory = {"line": np.full(max(calls, 1), finite_number(f"{what}: start", start)), "next": 0}
    return model.add_controller(f"{name}.delay", Delay(calls), every=period, reads=[signal], writes=[name],
                                memory=memory)


@dataclass(frozen=True)
class RateLimit:
    """Follows a signal no faster than rates allow."""

    every: float
    up: float
    down: float

    def __call__(self, t: float, signal: float, present: float) -> float:
        return min(max(signal, present - self.down * self.every), present + self.up * self.every)


def rate_limit(model: Model, name: str, signal: str, *, every: float, up: float, down: float | None = None,
               start: float = 0.0, unit: str = "") -> Controller:
    """The variable of this name follows a signal, rising by no more than `up` and falling by no more than `down` (the
    same if not given) each second, in steps of `every` [s]."""
    what = f"rate_limit() {name!r}"
    rise, fall = (finite_number(f"{what}: {key}", value) for key, value in (("up", up), ("down", up if down is None
                                                                                         else down)))
    if rise <= 0 or fall <= 0:
        raise ModelError(f"{what}: up is {rise:g} and down is {fall:g}; both must be positive.")
    model.variable(name, start, unit=unit)
    block = RateLimit(finite_number(f"{what}: every", every), rise, fall)
    return model.add_controller(f"{name}.limit", block, every=every, reads=[signal, name], writes=[name])
