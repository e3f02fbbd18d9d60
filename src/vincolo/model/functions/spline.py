"""The cubic spline through samples, as a motion over time or a force over a measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from vincolo.equations.functions import STRAIGHT
from vincolo.model.functions import checks
from vincolo.model.functions.function import Function
from vincolo.model.functions.piecewise import Area, Curve, sampled
from vincolo.model.functions.times import closed_end, sorted_inside
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model.functions.piecewise import Curve

ENDS = ("natural", "clamped", "not-a-knot")


@dataclass(frozen=True)
class Spline(Function):
    """A cubic spline through the samples (x, y), with continuous curvature; straight lines outside.

    `ends`: "natural" (no curvature), "clamped" (no slope) or "not-a-knot" at the first and last sample. Both belong to
    the curve: it has its own slope and curvature there.
    """

    kind: ClassVar[str] = "spline"
    x: tuple[float, ...]
    y: tuple[float, ...]
    ends: str = "natural"

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", checks.finite_numbers("Spline", "x", self.x))
        object.__setattr__(self, "y", checks.finite_numbers("Spline", "y", self.y))
        checks.samples("Spline", self.x, self.y)
        checks.choice("Spline", "ends", self.ends, ENDS)

    @property
    def span(self) -> tuple[float, float]:
        return self.x[0], self.x[-1]

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.x[0], self.x[-1]  # at the samples between only the third derivative jumps, a little

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        inside = self.x[:-1] if every else self.x[:1]
        return sorted_inside([*inside, closed_end(self.x[-1])], t0, t1)

    @cached_property
    def params(self) -> tuple[float, ...]:
        """[n, x0 .. x_{n-1}, then c0 c1 c2 c3 of each interval in powers of x - x_i]."""
        coefficients = self._coefficients()
        checks.finite_coefficients("Spline", self.x, coefficients, "cubic")
        return (float(len(self.x)), *self.x[:-1], closed_end(self.x[-1]), *coefficients)

    def _coefficients(self) -> list[float]:
        import numpy as np
        from scipy.interpolate import CubicSpline  # type: ignore[import-untyped, unused-ignore]

        try:
            with np.errstate(all="ignore"):
                falling = CubicSpline(self.x, self.y, bc_type=self.ends).c  # [power 3..0, interval]
        except ValueError:  # scipy's answer to slopes that overflow
            return [math.nan]
        return list(falling[::-1].T.ravel().tolist())

    @property
    def curve(self) -> Curve:
        """The pieces."""
        c = self.params[len(self.x) + 1:]
        return Curve(self.x, tuple(c[k:k + 4] for k in range(0, len(c), 4)), STRAIGHT, STRAIGHT, closed=True)

    def sample(self, t: Any) -> tuple[Array, Array, Array]:
        return sampled(self.curve, t)

    def _primitive(self) -> Callable[[float], float]:
        return Area(self.curve)
