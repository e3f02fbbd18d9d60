"""Laws of motion from low to high between start and end, at rest outside, as in books on cams."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from vincolo.equations.functions import HOLD, STRAIGHT
from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.combined import Expression
from vincolo.model.functions.function import Function
from vincolo.model.functions.piecewise import Curve, OfPieces, Polynomials
from vincolo.model.functions.simple import Constant, Rise


def hermite(left: Sequence[float], right: Sequence[float], T: float) -> tuple[float, ...]:
    """The polynomial of degree 2 n + 1 over 0..T with n derivatives given at each end, in rising powers."""
    n = len(left) - 1
    start = [0.0, *(left[k] * T**k / math.factorial(k) for k in range(1, n + 1))]
    end = [right[0] - left[0], *(right[k] * (-T)**k / math.factorial(k) for k in range(1, n + 1))]
    # u = s/T: (1 - u)^(n+1) times a series in u, plus u^(n+1) times a series in 1 - u
    c = [0.0] * (2 * n + 2)
    for k in range(n + 1):
        a = sum(start[j] * math.comb(n + k - j, n) for j in range(k + 1))
        b = sum(end[j] * math.comb(n + k - j, n) for j in range(k + 1))
        for m in range(n + 2):
            c[k + m] += a * (-1)**m * math.comb(n + 1, m)
        for m in range(k + 1):
            c[n + 1 + m] += b * (-1)**m * math.comb(k, m)
    try:
        return (float(left[0]), *(c[k] / T**k for k in range(1, 2 * n + 2)))
    except (OverflowError, ZeroDivisionError):
        return (math.inf,)


class _PolynomialRise(Polynomials, Rise):
    """One polynomial from rest to rest."""

    smoothness: ClassVar[int]  # derivatives that are zero at both ends

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.finite_span(type(self).__name__, self.params)

    @cached_property
    def curve(self) -> Curve:
        rest = (0.0,) * self.smoothness
        row = hermite((self.low, *rest), (self.high, *rest), self.duration)
        return Curve((self.start, self.end), (row,))


@dataclass(frozen=True)
class Sigma(_PolynomialRise):
    """From low to high by a cubic: continuous velocity; largest f' 1.5 rise/T, largest f'' 6 rise/T^2."""

    smoothness: ClassVar[int] = 1
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Poly345(Polynomials, Rise):
    """From low to high by the polynomial of powers 3, 4, 5: largest f' 1.875 rise/T, largest f'' 5.774 rise/T^2.

    It may begin and end with speeds (before, after) and accelerations of its own; a motion with an end speed goes
    straight on. Without them it is SmoothStep.
    """

    start: float
    end: float
    low: float = 0.0
    high: float = 1.0
    speeds: tuple[float, float] = (0.0, 0.0)
    accelerations: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("speeds", "accelerations"):
            pair = checks.finite_numbers("Poly345", name, getattr(self, name))
            if len(pair) != 2:
                raise ModelError(f"Poly345: {name} has {len(pair)} numbers; give two, at start and end.")
            object.__setattr__(self, name, pair)
        checks.finite_span("Poly345", self.params)

    @cached_property
    def curve(self) -> Curve:
        left, right = zip((self.low, self.high), self.speeds, self.accelerations, strict=True)
        before, after = (STRAIGHT if speed else HOLD for speed in self.speeds)
        return Curve((self.start, self.end), (hermite(left, right, self.duration),), before, after, closed=True)


@dataclass(frozen=True)
class Poly4567(_PolynomialRise):
    """From low to high by the polynomial of powers 4 to 7, with continuous jerk: largest f' 2.188 rise/T, f'' 7.513."""

    smoothness: ClassVar[int] = 3
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class ConstantAcceleration(Polynomials, Rise):
    """From low to high with constant acceleration, constant speed, constant deceleration: a trapezoid of speed.

    `accelerate` and `decelerate` are shares of the duration; with 0.5 and 0.5 there is no constant speed, and the
    largest f' is 2 rise/T, the largest f'' 4 rise/T^2.
    """

    start: float
    end: float
    low: float = 0.0
    high: float = 1.0
    accelerate: float = 0.5
    decelerate: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.accelerate > 0 and self.decelerate > 0 and self.accelerate + self.decelerate <= 1 + 1e-12):
            raise ModelError(f"ConstantAcceleration: the shares are accelerate = {self.accelerate:g} and decelerate = "
                             f"{self.decelerate:g}.\n  Give shares of the duration above 0 that add up to 1 at most.")
        checks.finite_span("ConstantAcceleration", self.params)
        checks.rising("ConstantAcceleration", "breaks", self.curve.x, "Give larger shares, or a longer span.")

    @cached_property
    def curve(self) -> Curve:
        T, up, down = self.duration, self.accelerate, self.decelerate
        speed = self.rise / T / (1 - 0.5 * (up + down))
        first, last = self.start + up * T, self.end - down * T
        rows = [(self.low, 0.0, 0.5 * speed / (up * T))]
        x = [self.start, first]
        if up + down < 1 - 1e-12:
            rows.append((self.low + 0.5 * speed * up * T, speed, 0.0))
            x.append(last)
        rows.append((self.high - 0.5 * speed * down * T, speed, -0.5 * speed / (down * T)))
        return Curve((*x, self.end), tuple(rows))


class _FormulaRise(OfPieces, Rise):
    """Formulas in x = (t - start)/(end - start), between two constants."""

    texts: ClassVar[tuple[tuple[float, str], ...]]  # from which x on, which share of the rise

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        numbers = {"s": self.start, "T": self.duration, "low": self.low, "rise": self.rise}
        moving = [Expression(f"low + rise*({text.replace('x', '((t - s)/T)')})", **numbers) for _, text in self.texts]
        limits = (*(self.start + x * self.duration for x, _ in self.texts), self.end)
        checks.rising(type(self).__name__, "breaks", limits, "Give a longer span from start to end.")
        return limits, (Constant(self.low), *moving, Constant(self.high))

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.finite_span(type(self).__name__, [self.rise / self.duration, self.rise / self.duration / self.duration])
        _ = self.laid


@dataclass(frozen=True)
class Cycloidal(_FormulaRise):
    """From low to high with a full sine of acceleration: largest f' 2 rise/T, largest f'' 2 pi rise/T^2."""

    texts: ClassVar[tuple[tuple[float, str], ...]] = ((0.0, "x - sin(2*pi*x)/(2*pi)"),)
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Haversine(_FormulaRise):
    """From low to high by half a cosine, rise (1 - cos(pi x))/2: continuous velocity."""

    texts: ClassVar[tuple[tuple[float, str], ...]] = ((0.0, "(1 - cos(pi*x))/2"),)
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class ModifiedTrapezoid(_FormulaRise):
    """From low to high with a trapezoid of acceleration with sines for flanks: largest f' 2 rise/T, f'' 4.888 rise/T^2.

    The flanks are eighths of the duration; the largest acceleration is 8 pi/(2 + pi) rise/T^2.
    """

    # f = rise/(2 + pi) (...), by two integrations of the acceleration from x = 0, 1/8, 3/8, 5/8 and 7/8 on
    texts: ClassVar[tuple[tuple[float, str], ...]] = (
        (0.0, "(2*x - sin(4*pi*x)/(2*pi))/(2 + pi)"),
        (0.125, "(4*pi*x^2 + (2 - pi)*x + pi/16 - 1/(2*pi))/(2 + pi)"),
        (0.375, "((2 + 2*pi)*x - pi/2 - sin(4*pi*x - pi)/(2*pi))/(2 + pi)"),
        (0.625, "(2 + pi - 4*pi*(1 - x)^2 - (2 - pi)*(1 - x) - pi/16 + 1/(2*pi))/(2 + pi)"),
        (0.875, "(2 + pi - 2*(1 - x) + sin(4*pi*(1 - x))/(2*pi))/(2 + pi)"),
    )
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class SmoothStep(Rise):
    """From low to high between start and end [s] with continuous acceleration; constant outside."""

    kind: ClassVar[str] = "smooth_step"
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    @property
    def span(self) -> tuple[float, float]:
        return self.start, self.end

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.start, self.end

    def _primitive(self) -> Callable[[float], float]:
        return Poly345(self.start, self.end, self.low, self.high)._primitive()
