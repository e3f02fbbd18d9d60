"""Measures: scalar functions of two frames A and B.

A frame is (p, R): a point in world axes [m] and a rotation whose columns are its axes x, y, z in world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from vincolo.equations.arithmetic import Number, atan2, sqrt, total

Vector = Any  # three numbers in a numpy array
Matrix = Any  # 3x3 numbers in a numpy array


class Frame(NamedTuple):
    """A point and three axes, in the world."""

    p: Vector
    R: Matrix

    def axis(self, name: str) -> Vector:
        """The frame's axis "x", "y" or "z" in world axes."""
        return self.R[:, "xyz".index(name)]


def _world(A: Frame, B: Frame, *e: float) -> Number:
    return total(component * difference for component, difference in zip(e, B.p - A.p, strict=True))


def _along(A: Frame, B: Frame, axis: str) -> Number:
    return A.axis(axis) @ (B.p - A.p)


def _cosine(A: Frame, B: Frame, i: str, j: str) -> Number:
    return A.axis(i) @ B.axis(j)


def _distance(A: Frame, B: Frame) -> Number:
    return sqrt((B.p - A.p) @ (B.p - A.p))


def _angle(A: Frame, B: Frame, h: str) -> Number:
    return atan2(A.axis("y") @ B.axis(h), A.axis("x") @ B.axis(h))


def _azimuth(A: Frame, B: Frame) -> Number:
    return atan2(_along(A, B, "y"), _along(A, B, "x"))


def _none(A: Frame, B: Frame, *numbers: Any) -> Number:
    return 0.0 * _along(A, B, "x")


#: the equation of each kind of measure; skid and roll have rates only (see VELOCITIES)
EQUATIONS: dict[str, Callable[..., Number]] = {
    "world": _world, "along": _along, "cosine": _cosine, "distance": _distance, "angle": _angle, "azimuth": _azimuth,
    "skid": _none, "roll": _none}


class Moving(NamedTuple):
    """A frame and the rates of its point and axes."""

    p: Vector
    R: Matrix
    p_rate: Vector
    R_rate: Matrix

    def axis(self, name: str) -> Vector:
        """The frame's axis "x", "y" or "z" in world axes."""
        return self.R[:, "xyz".index(name)]

    def velocity(self, point: Vector) -> Vector:
        """The velocity of a point that stands there and moves with the frame: p' + R' R^T (point - p)."""
        return self.p_rate + self.R_rate @ (self.R.T @ (point - self.p))


def _skid(A: Moving, B: Moving, axis: str) -> Number:
    return B.axis(axis) @ (B.velocity(B.p) - A.velocity(B.p))


def _roll(A: Moving, B: Moving, axis: str, radius: float, ball: float) -> Number:
    normal, axle = A.axis("z"), B.axis("z")
    down = normal if ball else normal - (normal @ axle) * axle
    touch = B.p - radius / sqrt(down @ down) * down
    return A.axis(axis) @ (B.velocity(touch) - A.velocity(touch))


#: the rate of the kinds that have no value, by two frames that move
VELOCITIES: dict[str, Callable[..., Number]] = {"skid": _skid, "roll": _roll}


@dataclass(frozen=True)
class Measure:
    """A scalar function of two frames: its kind, its axes, whether A and B change places, its sign."""

    kind: str
    axes: tuple[Any, ...] = ()
    swapped: bool = False
    sign: float = 1.0

    def __call__(self, A: tuple[Vector, Matrix], B: tuple[Vector, Matrix]) -> Number:
        """The value of the measure for the frames A and B, each (p, R)."""
        first, second = (B, A) if self.swapped else (A, B)
        return self.sign * EQUATIONS[self.kind](Frame(*first), Frame(*second), *self.axes)

    def velocity(self, A: Moving, B: Moving) -> Number:
        """The rate of a measure that has no value, for two frames that move."""
        first, second = (B, A) if self.swapped else (A, B)
        return self.sign * VELOCITIES[self.kind](first, second, *self.axes)

    def reversed(self) -> Measure:
        """The same measure seen from the other frame: m(B, A)."""
        return replace(self, swapped=not self.swapped)

    def __neg__(self) -> Measure:
        """The same measure counted the other way."""
        return replace(self, sign=-self.sign)

    def __rmul__(self, factor: float) -> Sum:
        return Sum(((float(factor), self),))

    def __add__(self, other: Measure | Sum) -> Sum:
        return 1.0 * self + other

    def __sub__(self, other: Measure | Sum) -> Sum:
        return 1.0 * self + (-1.0) * other


@dataclass(frozen=True)
class Sum:
    """Factors times measures, added up."""

    terms: tuple[tuple[float, Measure], ...]

    def __call__(self, A: tuple[Vector, Matrix], B: tuple[Vector, Matrix]) -> Number:
        """The value for the frames A and B, each (p, R)."""
        return total(factor * measure(A, B) for factor, measure in self.terms)

    def __rmul__(self, factor: float) -> Sum:
        return Sum(tuple((factor * f, m) for f, m in self.terms))

    def __add__(self, other: Measure | Sum) -> Sum:
        return Sum(self.terms + (other.terms if isinstance(other, Sum) else ((1.0, other),)))

    def __sub__(self, other: Measure | Sum) -> Sum:
        return self + (-1.0) * other


@dataclass(frozen=True)
class Formula:
    """A text over named measures, constants and functions of one variable."""

    text: str
    inputs: Mapping[str, Measure]
    constants: Mapping[str, float] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)


Row = Measure | Sum | Formula


def world(e: tuple[float, float, float]) -> Measure:
    """e . (p_B - p_A) [m], along the world direction e, which does not turn with any frame."""
    return Measure("world", tuple(float(component) for component in e))


def along(axis: str) -> Measure:
    """The coordinate of B's point along an axis of A [m]."""
    return Measure("along", (axis,))


def cosine(i: str, j: str) -> Measure:
    """The cosine of the angle between axis i of A and axis j of B."""
    return Measure("cosine", (i, j))


def angle(h: str) -> Measure:
    """The angle [rad] about z of A, from x of A to the shadow of axis h of B in A's xy plane."""
    return Measure("angle", (h,))


#: |p_B - p_A| [m]
distance = Measure("distance")

#: the angle [rad] about z of A, from x of A to the shadow of B's point in A's xy plane
azimuth = Measure("azimuth")


def skid(axis: str) -> Measure:
    """The velocity [m/s] of B's point over A, along an axis of B; it has no value to hold."""
    return Measure("skid", (axis,))


def roll(axis: str, radius: float, ball: bool) -> Measure:
    """The velocity [m/s] of B over A, along an axis of A, where a wheel (its axle z of B) or ball of a radius about B's
    point touches the xy plane of A from above; it has no value to hold."""
    return Measure("roll", (axis, float(radius), float(ball)))
