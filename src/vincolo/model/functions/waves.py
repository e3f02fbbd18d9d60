"""Waves besides the sine: cosine, tangent, and a sine of changing frequency."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import ClassVar

from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.combined import Expression, Formula
from vincolo.model.functions.function import Function, Numbers
from vincolo.model.functions.piecewise import OfPieces
from vincolo.model.functions.simple import Sine, Wave
from vincolo.model.tape import Tape


class _Written(Formula, Wave):
    """A wave as a formula."""

    wave: ClassVar[str]

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        A, w, p, o = astuple(self)
        return Expression(f"o + A*{self.wave}(w*t + p)", A=A, w=w, p=p, o=o).tape, ()


@dataclass(frozen=True)
class Cosine(_Written):
    """offset + amplitude cos(frequency t + phase), frequency in rad/s, phase in rad."""

    wave: ClassVar[str] = "cos"

    def _primitive(self) -> Callable[[float], float]:
        A, w, phase, offset = astuple(self)
        if w == 0:
            return lambda t: (offset + A * math.cos(phase)) * t
        return lambda t: offset * t + A / w * math.sin(w * t + phase)


@dataclass(frozen=True)
class Tan(_Written):
    """offset + amplitude tan(frequency t + phase), frequency in rad/s; infinite where the argument is pi/2."""

    wave: ClassVar[str] = "tan"


@dataclass(frozen=True)
class Chirp(OfPieces, Numbers):
    """offset + amplitude sin(angle), with a frequency that goes from `first` to `last` [rad/s] between start and end.

    The sweep is "linear" in time, or "logarithmic": equal ratios in equal times. Before and after it the frequency
    stays. The angle is `phase` at the start and has no jumps.
    """

    amplitude: float
    first: float
    last: float
    start: float = 0.0
    end: float = 1.0
    phase: float = 0.0
    offset: float = 0.0
    sweep: str = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice("Chirp", "sweep", self.sweep, ("linear", "logarithmic"))
        checks.start_before_end("Chirp", self.start, self.end, "Give start < end; to go down, exchange first and last.")
        if self.sweep == "logarithmic" and not (min(self.first, self.last) > 0 and self.first != self.last):
            raise ModelError(f"Chirp: a logarithmic sweep from {self.first:g} to {self.last:g} rad/s does not exist.\n"
                             "  Give two different frequencies above zero, or sweep='linear'.")

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        T, numbers = self.end - self.start, {"A": self.amplitude, "o": self.offset, "p": self.phase, "s": self.start}
        if self.sweep == "logarithmic":  # omega = first r^(x/T), angle = first T/ln(r) (r^(x/T) - 1)
            rate = math.log(self.last / self.first) / T
            sweep = Expression("o + A*sin(p + a*(exp(k*(t - s)) - 1))", a=self.first / rate, k=rate, **numbers)
            turned = (self.last - self.first) / rate
        else:  # omega = first + (last - first) x/T
            half = 0.5 * (self.last - self.first) / T
            sweep = Expression("o + A*sin(p + (t - s)*(w + h*(t - s)))", w=self.first, h=half, **numbers)
            turned = 0.5 * (self.first + self.last) * T
        before = Sine(self.amplitude, self.first, self.phase - self.first * self.start, self.offset)
        after = Sine(self.amplitude, self.last, self.phase + turned - self.last * self.end, self.offset)
        return (self.start, self.end), (before, sweep, after)
