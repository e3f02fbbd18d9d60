"""Measures on the frames of a model, and their linear combinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vincolo.equations import measures as equations
from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.geometry import direction


@dataclass(frozen=True, eq=False)
class Measure:
    """A sum of factors times scalar functions of two frames; measures can be added and scaled."""

    terms: tuple[tuple[float, equations.Measure, Frame, Frame], ...]
    name: str | None = None

    def __add__(self, other: Measure) -> Measure:
        if not isinstance(other, Measure):
            return NotImplemented
        return Measure(self.terms + other.terms)

    def __mul__(self, factor: float) -> Measure:
        number = finite_number("the factor of a measure", factor)
        return Measure(tuple((number * f, e, a, b) for f, e, a, b in self.terms))

    __rmul__ = __mul__

    def __neg__(self) -> Measure:
        return self * -1.0

    def __sub__(self, other: Measure) -> Measure:
        return self + (-other)

    def named(self, name: str) -> Measure:
        """The same measure under a name."""
        return Measure(self.terms, name)


def measure(equation: equations.Measure, a: Any, b: Any) -> Measure:
    """The measure of two frames of a model."""
    for frame in (a, b):
        if not isinstance(frame, Frame):
            raise ModelError(f"a measure needs two frames, not {frame!r}.\n  Make one with body.frame(point).")
    if a.body is b.body:
        raise ModelError(f"a measure between two frames of the same body {a.body.name!r} never changes.")
    return Measure(((1.0, equation, a, b),))


def distance(a: Frame, b: Frame) -> Measure:
    """Distance of the points of two frames [m]."""
    return measure(equations.distance, a, b)


def along(axis: str, a: Frame, b: Frame) -> Measure:
    """Coordinate of b's point along an axis ("x", "y", "z") of frame a [m]."""
    return measure(equations.along(axis_name(axis)), a, b)


def along_world(axis: Any, a: Frame, b: Frame) -> Measure:
    """Separation of two points along a fixed world direction [m]."""
    e = direction("the world direction of a measure", axis)
    return measure(equations.world((float(e[0]), float(e[1]), float(e[2]))), a, b)


def cosine(i: str, j: str, a: Frame, b: Frame) -> Measure:
    """Cosine of the angle between axis i of a and axis j of b."""
    return measure(equations.cosine(axis_name(i), axis_name(j)), a, b)


def angle(a: Frame, b: Frame, axis: str = "x") -> Measure:
    """Angle [rad] about z of a, from x of a to the given axis of b; counted over turns."""
    return measure(equations.angle(axis_name(axis)), a, b)


def axis_name(axis: str) -> str:
    """One of x, y, z."""
    if axis not in ("x", "y", "z"):
        raise ModelError(f"an axis of a frame is 'x', 'y' or 'z', not {axis!r}.")
    return axis
