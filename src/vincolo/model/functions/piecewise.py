"""Functions in pieces: polynomials from break to break, and one function after another."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, ClassVar, NamedTuple

import numpy as np

from vincolo.equations.arithmetic import total
from vincolo.equations.functions import EXTEND, HOLD, REPEAT, RISE, STRAIGHT
from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.combined import refuse_deep
from vincolo.model.functions.corners import MOST_BREAKS
from vincolo.model.functions.function import Function
from vincolo.model.functions.simple import as_functions
from vincolo.model.functions.times import closed_end, sorted_inside
from vincolo.model.geometry import Array

HIGHEST_DEGREE = 30


class Curve(NamedTuple):
    """Polynomials in rising powers of t - x_i from x_i to x_{i+1}, and what happens before and after."""

    x: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    before: int = HOLD
    after: int = HOLD
    closed: bool = False  # the last break still belongs to the last piece; what comes behind begins a rounding later

    @property
    def end(self) -> float:
        """From where on what follows counts."""
        return closed_end(self.x[-1]) if self.closed and self.after < EXTEND else self.x[-1]


class Polynomials(Function):
    """A function of polynomial pieces; the final classes say which."""

    kind: ClassVar[str] = "piecewise_polynomial"

    @cached_property
    def curve(self) -> Curve:
        """The pieces."""
        raise NotImplementedError

    @property
    def params(self) -> tuple[float, ...]:
        """[pieces, degree, before, after, x_0 .. x_n, coefficients of each piece in rising powers of t - x_i]."""
        x, rows, before, after, _ = self.curve
        head = (float(len(rows)), float(len(rows[0]) - 1), float(before), float(after))
        return (*head, *x[:-1], self.curve.end, *chain.from_iterable(rows))

    @property
    def span(self) -> tuple[float, float]:
        return self.curve.x[0], self.curve.x[-1]

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.curve.x

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        x, _, before, _, _ = self.curve
        chosen = [self.curve.end if b == x[-1] else b for b in (x if every else self.breaks)]
        return repeated(chosen, x[0], x[-1], t0, t1) if before >= REPEAT else sorted_inside(chosen, t0, t1)

    def sample(self, t: Any) -> tuple[Array, Array, Array]:
        return sampled(self.curve, t)

    def _primitive(self) -> Callable[[float], float]:
        return Area(self.curve)


def repeated(breaks: Sequence[float], start: float, end: float, t0: float, t1: float) -> tuple[float, ...]:
    """Breaks of one period, start to end, in all periods from t0 to t1; none if there are too many to stop at."""
    first, last = math.floor((t0 - start) / (end - start)), math.floor((t1 - start) / (end - start))
    if (last - first + 1) * (len(breaks) + 1) > MOST_BREAKS:
        return ()
    inside = {start, *(b for b in breaks if start <= b < end)}
    return sorted_inside([b + k * (end - start) for k in range(first, last + 2) for b in inside], t0, t1)


def sampled(curve: Curve, t: Any) -> tuple[Array, Array, Array]:
    """Value and two derivatives of a curve at many times at once."""
    x, c = np.array(curve.x), np.array(curve.rows)
    times = np.asarray(t, dtype=float)
    mode = np.where(times < x[0], curve.before, np.where(times >= curve.end, curve.after, EXTEND))
    turns = np.where(mode >= REPEAT, np.floor((times - x[0]) / (x[-1] - x[0])), 0.0)
    inside = np.where(mode >= REPEAT, times - turns * (x[-1] - x[0]), times)
    inside = np.where(mode == EXTEND, inside, np.clip(inside, x[0], x[-1]))
    i = np.clip(np.searchsorted(x, inside, side="right") - 1, 0, len(c) - 1)
    f, df, ddf = (np.zeros(times.shape) for _ in range(3))
    for k in reversed(range(c.shape[1])):  # Horner's rule, and its derivatives
        s = inside - x[i]
        ddf, df, f = ddf * s + 2 * df, df * s + f, f * s + c[i, k]
    rise = _value(curve.rows[-1], x[-1] - x[-2]) - curve.rows[0][0]
    f = f + np.where(mode == RISE, turns * rise, 0.0) + np.where(mode == STRAIGHT, df * (times - inside), 0.0)
    return f, np.where(mode == HOLD, 0.0, df), np.where(mode <= STRAIGHT, 0.0, ddf)


class Area:
    """The integral of a curve from its first break."""

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        lengths = [b - a for a, b in zip(curve.x, curve.x[1:], strict=False)]
        pieces = [_area(row, s) for row, s in zip(curve.rows, lengths, strict=True)]
        self._sums = list(accumulate(pieces, initial=0.0))

    def __call__(self, t: float) -> float:
        x, rows, before, after, _ = self._curve
        mode = before if t < x[0] else after
        if x[0] <= t < x[-1] or mode == EXTEND:
            return self._inside(t)
        if mode >= REPEAT:
            return self._repeated(t, mode)
        end, s = (x[0], 0.0) if t < x[0] else (x[-1], x[-1] - x[-2])
        row = rows[0] if t < x[0] else rows[-1]
        slope = _slope(row, s) if mode == STRAIGHT else 0.0
        return (0.0 if t < x[0] else self._sums[-1]) + (t - end) * (_value(row, s) + 0.5 * slope * (t - end))

    def _inside(self, t: float) -> float:
        i = min(max(bisect_right(self._curve.x, t) - 1, 0), len(self._curve.rows) - 1)
        return self._sums[i] + _area(self._curve.rows[i], t - self._curve.x[i])

    def _repeated(self, t: float, mode: int) -> float:
        x, rows, *_ = self._curve
        period = x[-1] - x[0]
        k = math.floor((t - x[0]) / period)
        s = min(max(t - k * period, x[0]), x[-1])
        rise = _value(rows[-1], x[-1] - x[-2]) - rows[0][0] if mode == RISE else 0.0
        # the m-th period lies m rises higher: 0 + 1 + ... + (k - 1) = k (k - 1)/2
        return k * self._sums[-1] + rise * (period * k * (k - 1) / 2 + k * (s - x[0])) + self._inside(s)


def _value(row: Sequence[float], s: float) -> float:
    return total(c * s**k for k, c in enumerate(row))


def _slope(row: Sequence[float], s: float) -> float:
    return total(k * c * s**(k - 1) for k, c in enumerate(row) if k)


def _area(row: Sequence[float], s: float) -> float:
    return total(c * s**(k + 1) / (k + 1) for k, c in enumerate(row))


@dataclass(frozen=True)
class PiecewisePolynomial(Polynomials):
    """From x[i] to x[i+1] the polynomial coefficients[i], in rising powers of t - x[i].

    `outside`: "hold" the last value, go "straight" on along the tangent, "extend" the last piece, "repeat", or
    "rise": repeat, each time on top of the last; two words for before and after. At a break the right piece counts.
    """

    x: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    outside: str | tuple[str, str] = "hold"

    def __post_init__(self) -> None:
        owner = "PiecewisePolynomial"
        object.__setattr__(self, "x", checks.finite_numbers(owner, "x", self.x))
        object.__setattr__(self, "coefficients", _rows(owner, self.coefficients))
        if len(self.x) != len(self.coefficients) + 1 or len(self.x) < 2:
            raise ModelError(f"{owner}: there are {len(self.x)} breaks and {len(self.coefficients)} pieces.\n"
                             "  Give one more break than pieces, and at least one piece.")
        checks.rising(owner, "x", self.x, "Sort the breaks and remove repeated ones.")
        checks.outside_modes(owner, self.outside)
        if not isinstance(self.outside, str):
            object.__setattr__(self, "outside", tuple(self.outside))

    @cached_property
    def curve(self) -> Curve:
        width = max(map(len, self.coefficients))
        rows = tuple((*row, *(0.0,) * (width - len(row))) for row in self.coefficients)
        return Curve(self.x, rows, *checks.outside_modes("PiecewisePolynomial", self.outside))


def _rows(owner: str, coefficients: Any) -> tuple[tuple[float, ...], ...]:
    if isinstance(coefficients, str) or not hasattr(coefficients, "__iter__"):
        raise ModelError(f"{owner}: coefficients is {coefficients!r}; give one list of numbers for each piece.")
    rows = tuple(checks.finite_numbers(owner, f"coefficients[{k}]", row) for k, row in enumerate(coefficients))
    for k, row in enumerate(rows):
        if not 1 <= len(row) <= HIGHEST_DEGREE + 1:
            raise ModelError(f"{owner}: coefficients[{k}] has {len(row)} numbers; give 1 to {HIGHEST_DEGREE + 1}.")
    return rows


class OfPieces(Function):
    """One function after another; the final classes say which."""

    kind: ClassVar[str] = "pieces"

    @property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        """The limits, and the functions before, between and after them."""
        raise NotImplementedError

    @property
    def params(self) -> tuple[float, ...]:
        return self.laid[0]

    @property
    def parts(self) -> tuple[Function, ...]:
        return self.laid[1]

    @property
    def span(self) -> tuple[float, float] | None:
        limits = self.laid[0]
        return (limits[0], limits[-1]) if len(limits) > 1 else None

    @property
    def breaks(self) -> tuple[float, ...]:
        own = [b for low, high, part in self._stretches() for b in part.breaks if low < b < high]
        return sorted_inside([*self.laid[0], *own])

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        own = [b for low, high, part in self._stretches() if low < t1 and high > t0
               for b in part.breaks_between(max(low, t0), min(high, t1), every) if low < b < high]
        return sorted_inside([*self.laid[0], *own], t0, t1)

    def _stretches(self) -> Iterator[tuple[float, float, Function]]:
        limits, parts = self.laid
        return zip((-math.inf, *limits), (*limits, math.inf), parts, strict=True)


@dataclass(frozen=True)
class Pieces(OfPieces):
    """functions[0] up to limits[0], functions[1] from there to limits[1], ...; at a limit the right one counts.

    Each function is a Function, a number, or a text in t; there is one limit fewer than functions.
    """

    functions: tuple[Function, ...]
    limits: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "functions", as_functions("Pieces", self.functions))
        object.__setattr__(self, "limits", checks.finite_numbers("Pieces", "limits", self.limits))
        if len(self.functions) != len(self.limits) + 1:
            raise ModelError(f"Pieces: there are {len(self.functions)} functions and {len(self.limits)} limits.\n"
                             "  Give one limit fewer than functions: Pieces([f1, f2, f3], [x1, x2]).")
        checks.rising("Pieces", "limits", self.limits, "Sort the limits with their functions, and remove empty pieces.")
        refuse_deep("Pieces", self.functions)

    @property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        return self.limits, self.functions

    @property
    def params(self) -> tuple[float, ...]:
        return self.limits or (0.0,)  # the kernel wants a limit; the same function stands on both its sides

    @property
    def parts(self) -> tuple[Function, ...]:
        return self.functions if self.limits else self.functions * 2
