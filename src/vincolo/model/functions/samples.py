"""Curves by samples besides the Spline: straight lines, Akima's cubics, and smoothed ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.functions import checks
from vincolo.model.functions.piecewise import Curve, Polynomials


class _Sampled(Polynomials):
    """A curve by samples (x, y); `outside` as for PiecewisePolynomial."""

    least: ClassVar[int] = 2
    word: ClassVar[str]
    x: tuple[float, ...]
    y: tuple[float, ...]
    outside: str | tuple[str, str]

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("x", "y"):
            object.__setattr__(self, name, checks.finite_numbers(owner, name, getattr(self, name)))
        checks.samples(owner, self.x, self.y, self.least)
        checks.outside_modes(owner, self.outside)
        if not isinstance(self.outside, str):
            object.__setattr__(self, "outside", tuple(self.outside))

    def _made(self, rows: Any, x: Any = None, closed: bool = False) -> Curve:
        """The curve of coefficients in rising powers, one row for each piece."""
        owner, numbers = type(self).__name__, [list(map(float, row)) for row in rows]
        checks.finite_coefficients(owner, self.x, [c for row in numbers for c in row], self.word)
        return Curve(self.x if x is None else tuple(x), tuple(map(tuple, numbers)),
                     *checks.outside_modes(owner, self.outside), closed)


@dataclass(frozen=True)
class Linear(_Sampled):
    """Straight lines from sample to sample (x, y).

    `outside`: "straight" on, "hold", "extend", "repeat", or "rise": repeat, each time on top of the last.
    """

    word: ClassVar[str] = "straight"
    x: tuple[float, ...]
    y: tuple[float, ...]
    outside: str | tuple[str, str] = "straight"

    @cached_property
    def curve(self) -> Curve:
        pairs = zip(self.x, self.x[1:], self.y, self.y[1:], strict=False)
        return self._made([(y0, _quotient(y1 - y0, x1 - x0)) for x0, x1, y0, y1 in pairs])


def _quotient(a: float, b: float) -> float:
    try:
        return a / b
    except OverflowError:
        return math.inf


@dataclass(frozen=True)
class Akima(_Sampled):
    """Akima's cubics through the samples (x, y): continuous slope, and hardly any overshoot.

    `outside` as for Linear. The curvature jumps at the samples; for a drive use Spline.
    """

    word: ClassVar[str] = "cubic"
    x: tuple[float, ...]
    y: tuple[float, ...]
    outside: str | tuple[str, str] = "straight"

    @cached_property
    def curve(self) -> Curve:
        import numpy as np
        from scipy.interpolate import Akima1DInterpolator  # type: ignore[import-untyped, unused-ignore]

        try:
            with np.errstate(all="ignore"):
                rows = Akima1DInterpolator(self.x, self.y).c[::-1].T
        except ValueError:  # scipy's answer to slopes that overflow
            rows = [[math.nan]]
        return self._made(rows)


@dataclass(frozen=True)
class Smoothing(_Sampled):
    """A cubic spline near noisy samples (x, y): it weighs the distance to them against its curvature.

    `penalty` is the weight of the curvature: 0 goes through the samples, large ones give a straight line; by default
    it is found by generalised cross-validation. `outside` as for Linear.
    """

    least: ClassVar[int] = 5
    word: ClassVar[str] = "cubic"
    x: tuple[float, ...]
    y: tuple[float, ...]
    penalty: float | None = None
    outside: str | tuple[str, str] = "straight"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.penalty is not None:
            penalty = finite_number("Smoothing: penalty", self.penalty)
            object.__setattr__(self, "penalty", penalty)
            if penalty < 0:
                raise ModelError(f"Smoothing: penalty is {penalty:g}; give zero or more, or None to have it found.")

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.x[0], self.x[-1]  # the curvature is continuous

    @cached_property
    def curve(self) -> Curve:
        import numpy as np
        from scipy.interpolate import PPoly, make_smoothing_spline  # type: ignore[import-untyped, unused-ignore]

        x = np.array(self.x)
        try:
            with np.errstate(all="ignore"):
                found = PPoly.from_spline(make_smoothing_spline(x, np.array(self.y), lam=self.penalty))
        except (ValueError, np.linalg.LinAlgError):
            return self._made([[math.nan]])
        return self._made(*without_empty(found.x, found.c), closed=True)


def without_empty(x: Any, falling: Any) -> tuple[Any, Any]:
    """Rows in rising powers and breaks of a scipy polynomial, without its pieces of no length."""
    kept = [k for k in range(len(x) - 1) if x[k] < x[k + 1]]
    return falling[::-1, kept].T, [*(float(x[k]) for k in kept), float(x[kept[-1] + 1])]
