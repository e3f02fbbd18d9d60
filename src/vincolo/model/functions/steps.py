"""A straight line, and functions that jump: a step, a pulse, a pulse with a sloping top."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from vincolo.equations.functions import EXTEND
from vincolo.model.functions import checks
from vincolo.model.functions.function import Function, Numbers
from vincolo.model.functions.piecewise import Curve, OfPieces, Polynomials
from vincolo.model.functions.simple import WAY_OUT, Constant


@dataclass(frozen=True)
class Line(Polynomials, Numbers):
    """The straight line through (start, low) and (end, high), without end; `Linear` of Oldani (2010)."""

    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.start_before_end("Line", self.start, self.end, WAY_OUT)
        checks.finite_span("Line", self.params)

    @cached_property
    def curve(self) -> Curve:
        slope = (self.high - self.low) / (self.end - self.start)
        return Curve((self.start, self.end), ((self.low, slope),), EXTEND, EXTEND)

    @property
    def breaks(self) -> tuple[float, ...]:
        return ()


@dataclass(frozen=True)
class Step(OfPieces, Numbers):
    """`low` before the time `at` [s], `high` from then on."""

    at: float
    low: float = 0.0
    high: float = 1.0

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        return (self.at,), (Constant(self.low), Constant(self.high))


@dataclass(frozen=True)
class Pulse(OfPieces, Numbers):
    """`value` from start until end [s], `rest` before and after; `Step` of Oldani (2010)."""

    start: float
    end: float
    value: float = 1.0
    rest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.start_before_end("Pulse", self.start, self.end, "Give start < end.")

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        return (self.start, self.end), (Constant(self.rest), Constant(self.value), Constant(self.rest))


@dataclass(frozen=True)
class RampPulse(OfPieces, Numbers):
    """A line from `first` to `last` between start and end [s], `rest` outside; `Step_Linear` of Oldani (2010)."""

    start: float
    end: float
    first: float
    last: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.laid

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        checks.start_before_end("RampPulse", self.start, self.end, "Give start < end.")
        top = Line(self.start, self.end, self.first, self.last)
        return (self.start, self.end), (Constant(self.rest), top, Constant(self.rest))
