"""Curves by control values: B-splines, and rational ones (NURBS)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.combined import Formula
from vincolo.model.functions.function import Function
from vincolo.model.functions.piecewise import Curve, PiecewisePolynomial, Polynomials
from vincolo.model.functions.samples import without_empty
from vincolo.model.functions.times import closed_end
from vincolo.model.tape import Tape, TapeWriter

HIGHEST = 12


def _checked(f: Any) -> None:
    """Control values, degree and knots of a B-spline or NURBS."""
    owner = type(f).__name__
    object.__setattr__(f, "control", checks.finite_numbers(owner, "control", f.control))
    object.__setattr__(f, "degree", checks.whole_number(f"{owner}: degree", f.degree, 1, HIGHEST))
    if len(f.control) <= f.degree:
        raise ModelError(f"{owner}: there are {len(f.control)} control values; degree {f.degree} needs at least "
                         f"{f.degree + 1}.\n  Give more control values, or a lower degree.")
    knots = _clamped(len(f.control), f.degree) if f.knots is None else checks.finite_numbers(owner, "knots", f.knots)
    object.__setattr__(f, "knots", knots)
    _check_knots(owner, knots, len(f.control), f.degree)
    checks.outside_modes(owner, f.outside)
    if not isinstance(f.outside, str):
        object.__setattr__(f, "outside", tuple(f.outside))


def _clamped(count: int, degree: int) -> tuple[float, ...]:
    """Even knots from 0 to 1, so often at the ends that the curve begins and ends at control values."""
    inner = [k / (count - degree) for k in range(1, count - degree)]
    return (*(0.0,) * (degree + 1), *inner, *(1.0,) * (degree + 1))


def _check_knots(owner: str, knots: Sequence[float], count: int, degree: int) -> None:
    if len(knots) != count + degree + 1:
        raise ModelError(f"{owner}: there are {len(knots)} knots; {count} control values of degree {degree} need "
                         f"{count + degree + 1}.\n  Give control values + degree + 1 knots, or none.")
    for k, (left, right) in enumerate(zip(knots, knots[1:], strict=False), start=1):
        if right < left:
            raise ModelError(f"{owner}: knots[{k}] = {right:g} is smaller than knots[{k - 1}] = {left:g}.\n"
                             "  Sort the knots.")
    if not knots[degree] < knots[count]:
        raise ModelError(f"{owner}: the curve has no length; its knots go from {knots[degree]:g} to {knots[count]:g}.")


def _polynomials(owner: str, knots: Sequence[float], values: Sequence[float], degree: int) -> tuple[Any, Any]:
    """Breaks and rows in rising powers of a B-spline over its own span."""
    import numpy as np
    from scipy.interpolate import BSpline as ScipySpline  # type: ignore[import-untyped, unused-ignore]
    from scipy.interpolate import PPoly

    with np.errstate(all="ignore"):
        found = PPoly.from_spline(ScipySpline(np.array(knots), np.array(values), degree))
    rows, x = without_empty(found.x, found.c)
    low, high = x.index(knots[degree]), x.index(knots[len(values)])
    rows = rows[low:high].tolist()
    checks.finite_coefficients(owner, x, [c for row in rows for c in row], "smooth")
    return tuple(x[low:high + 1]), tuple(map(tuple, rows))


def _corners(knots: Sequence[float], count: int, degree: int) -> tuple[float, ...]:
    """The ends, and the inner knots that come so often that the curvature jumps there."""
    inner = {k for k, times in Counter(knots).items() if knots[degree] < k < knots[count] and degree - times < 2}
    return tuple(sorted({knots[degree], knots[count], *inner}))


@dataclass(frozen=True)
class BSpline(Polynomials):
    """A B-spline over time with control values; without `knots` they are even from 0 to 1 and meet the end values.

    `outside`: "hold", "straight" on, "extend", "repeat", or "rise": repeat, each time on top of the last.
    """

    control: tuple[float, ...]
    knots: tuple[float, ...] | None = None
    degree: int = 3
    outside: str | tuple[str, str] = "hold"

    def __post_init__(self) -> None:
        _checked(self)

    @cached_property
    def curve(self) -> Curve:
        x, rows = _polynomials("BSpline", self.knots or (), self.control, self.degree)
        return Curve(x, rows, *checks.outside_modes("BSpline", self.outside), closed=True)

    @property
    def breaks(self) -> tuple[float, ...]:
        return _corners(self.knots or (), len(self.control), self.degree)


@dataclass(frozen=True)
class Nurbs(Formula):
    """A rational B-spline over time: control values with weights above zero; conic arcs exactly.

    `knots` as for BSpline; `outside`: "hold" or "repeat".
    """

    outside_words: ClassVar[tuple[str, ...]] = ("hold", "repeat")
    control: tuple[float, ...]
    weights: tuple[float, ...]
    knots: tuple[float, ...] | None = None
    degree: int = 3
    outside: str = "hold"

    def __post_init__(self) -> None:
        checks.choice("Nurbs", "outside", self.outside, self.outside_words)
        _checked(self)
        weights = checks.finite_numbers("Nurbs", "weights", self.weights)
        object.__setattr__(self, "weights", weights)
        if len(weights) != len(self.control):
            raise ModelError(f"Nurbs: there are {len(self.control)} control values, but {len(weights)} weights.")
        for k, weight in enumerate(weights):
            checks.positive(f"Nurbs: weights[{k}]", weight)

    @cached_property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        weighted = [w * c for w, c in zip(self.weights, self.control, strict=True)]
        writer = TapeWriter()
        time = writer.write("time")
        above, below = (writer.call(self._spline(values), time) for values in (weighted, self.weights))
        return writer.finish(writer.write("div", above, below))

    @property
    def span(self) -> tuple[float, float]:
        knots = self.knots or ()
        return knots[self.degree], knots[len(self.control)]

    def _spline(self, values: Sequence[float]) -> PiecewisePolynomial:
        x, rows = _polynomials("Nurbs", self.knots or (), values, self.degree)
        end = closed_end(x[-1]) if self.outside == "hold" else x[-1]
        return PiecewisePolynomial((*x[:-1], end), rows, self.outside)

    @property
    def breaks(self) -> tuple[float, ...]:
        return _corners(self.knots or (), len(self.control), self.degree)
