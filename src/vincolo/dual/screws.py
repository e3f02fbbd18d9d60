"""Lines, screws, twists and wrenches as dual vectors: W + eps V, with V the moment about the origin.

A line vector through the point p along e is e + eps p x e. A screw has its pitch h besides: w (e + eps (p x e + h e)).
The velocity of a body is the twist omega + eps v, with v the velocity of its point at the origin; a load is the wrench
F + eps M, with M its moment about the origin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vincolo.dual.arrays import norm
from vincolo.dual.number import Dual, arctan2, bilinear, dual
from vincolo.errors import ModelError

PARALLEL = 1e-9  # sine of an angle below which lines count as parallel


class Screw(NamedTuple):
    """A screw by what one sees of it: unit direction, the point of its axis nearest to the origin [m], modulus, pitch
    [m]; of a pure couple or translation the modulus is zero, and the pitch infinite."""

    direction: Any
    point: Any
    modulus: Any
    pitch: Any


def line(direction: Any, point: Any = (0.0, 0.0, 0.0)) -> Dual:
    """The unit line vector through a point [m]: e + eps p x e."""
    e = np.asarray(direction)
    if e.dtype != object:
        e = np.asarray(e, dtype=float)
        length = np.linalg.norm(e, axis=-1, keepdims=True)
        if not np.all(np.isfinite(length)) or np.any(length == 0):
            raise ModelError(f"line(): the direction {direction!r} points nowhere.\n  Give one such as (0, 0, 1).")
        e = e / length
    return Dual(e, np.cross(np.asarray(point), e))


def screw(direction: Any, point: Any = (0.0, 0.0, 0.0), pitch: Any = 0.0, modulus: Any = 1.0) -> Dual:
    """A screw about an axis, with a pitch [m]; a unit force, or rotation, along it where the pitch is zero."""
    own = Dual(modulus, np.multiply(modulus, pitch))
    return line(direction, point) * own[..., None]


def twist(angular_velocity: Any, velocity: Any) -> Dual:
    """omega + eps v [rad/s, m/s], with v of the point at the origin."""
    return Dual(angular_velocity, velocity)


def wrench(force: Any, moment: Any) -> Dual:
    """F + eps M [N, N m], with M about the origin."""
    return Dual(force, moment)


def screw_of(vector: Any) -> Screw:
    """Axis, modulus and pitch of one dual vector of numbers."""
    V = dual(vector)
    w = float(np.linalg.norm(V.real))
    if w == 0.0:
        m = float(np.linalg.norm(V.dual))
        if m == 0.0:
            raise ModelError("screw_of(): the vector is zero, so that it has no axis.")
        return Screw(V.dual / m, np.zeros(3), 0.0, np.inf)
    return Screw(V.real / w, np.cross(V.real, V.dual) / w**2, w, float(V.real @ V.dual) / w**2)


def moved(vector: Any, point: Any) -> Dual:
    """The same screw about another point [m], in the same axes: L_P = L_O + eps W x OP."""
    V = dual(vector)
    return V + Dual(np.zeros(V.shape), np.cross(V.real, np.asarray(point, dtype=float)))


def dot(x: Any, y: Any) -> Dual:
    """a . b + eps (a0 . b + a . b0): of unit lines the cosine of their dual angle."""
    return (dual(x) * dual(y)).sum(-1)


def cross(x: Any, y: Any) -> Dual:
    """a x b + eps (a0 x b + a x b0): of unit lines their common perpendicular times the sine of their dual angle."""
    return bilinear(np.cross, x, y)


def unit(vector: Any) -> Dual:
    """The unit line of a screw: without modulus and pitch."""
    V = dual(vector)
    return V / norm(V)[..., None]


def angle_between(x: Any, y: Any) -> Dual:
    """The dual angle of two unit lines: their angle from 0 to pi [rad], and their distance [m] along the line x cross
    y; of parallel lines the distance without a sign."""
    a, b = dual(x), dual(y)
    across = cross(a, b)
    if np.linalg.norm(across.real) <= PARALLEL:
        return Dual(0.0 if float(a.real @ b.real) > 0 else np.pi, float(np.linalg.norm(across.dual)))
    return arctan2(norm(across), dot(a, b))


def power(force: Any, velocity: Any) -> Any:
    """The power [W] of a wrench on a twist about the same point: F . v + M . omega."""
    return dot(force, velocity).dual
