"""Bodies and the frames on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, axes_from, direction, rotation_of, vector


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], inertia [kg m2] about its centre of mass in body axes, and where it is drawn."""

    name: str
    mass: float
    inertia: Array
    at: Array
    orientation: Array
    com: Array
    velocity: Array
    angular_velocity: Array
    is_ground: bool = False

    def frame(self, at: Any = None, *, local: Any = None, z: Any = None, x: Any = None,
              name: str | None = None) -> Frame:
        """A frame on this body: by a world point (and world directions z, x) in the drawn position, or,
        with local=, by a point and directions in the body's own axes."""
        what = f"frame {name!r} on body {self.name!r}" if name else f"a frame on body {self.name!r}"
        if at is not None and local is not None:
            raise ModelError(f"{what}: give either the world point or local=, not both.")
        z_axis = None if z is None else direction(f"{what}: z", z)
        x_axis = None if x is None else direction(f"{what}: x", x)
        axes = axes_from(what, z_axis, x_axis)
        if local is not None:
            return Frame(self, vector(f"{what}: local", local), axes, name)
        point = self.at if at is None else vector(f"{what}: its point", at)
        own = axes if z is None and x is None and at is None else self.orientation.T @ axes
        return Frame(self, self.orientation.T @ (point - self.at), own, name)

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


@dataclass(frozen=True, eq=False)
class Frame:
    """A point and three axes fixed on a body, in the body's own axes."""

    body: Body
    point: Array
    axes: Array
    name: str | None = field(default=None)

    @property
    def drawn_point(self) -> Array:
        """The point in world axes in the drawn position [m]."""
        return self.body.at + self.body.orientation @ self.point

    @property
    def drawn_axes(self) -> Array:
        """The axes (columns) in world axes in the drawn position."""
        return self.body.orientation @ self.axes

    def __repr__(self) -> str:
        return f"Frame({self.name or tuple(self.point.tolist())!r} on {self.body.name!r})"


def make_ground() -> Body:
    """The fixed body: its axes are the world's."""
    zero = np.zeros(3)
    return Body("ground", 0.0, np.zeros((3, 3)), zero, np.eye(3), zero, zero, zero, is_ground=True)


def make_body(name: str, mass: Any, inertia: Any, at: Any, orientation: Any, com: Any, velocity: Any,
              angular_velocity: Any) -> Body:
    """A checked body."""
    what = f"body {name!r}"
    kilograms = finite_number(f"{what}: mass", mass)
    if kilograms <= 0:
        raise ModelError(f"{what}: the mass is {kilograms:g} kg; it must be positive.\n"
                         "  A part without mass of its own is best joined to its neighbour by making them one body.")
    return Body(name, kilograms, inertia_of(what, inertia), vector(f"{what}: at", at),
                rotation_of(f"{what}: orientation", orientation), vector(f"{what}: com", com),
                vector(f"{what}: velocity", velocity), vector(f"{what}: angular_velocity", angular_velocity))


def inertia_of(what: str, value: Any) -> Array:
    """A physically possible 3x3 inertia from one number, three numbers or a matrix [kg m2]."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape == ():
        array = np.full(3, float(array))
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3) or not np.isfinite(array).all():
        raise ModelError(f"{what}: inertia is {value!r}; one number, three numbers (Ixx, Iyy, Izz) or a "
                         "3x3 matrix of finite numbers is needed.")
    size = float(np.abs(array).max())
    if np.abs(array - array.T).max() > 1e-9 * size:
        raise ModelError(f"{what}: the inertia matrix is not symmetric.\n"
                         "  Ixy, Ixz and Iyz must stand on both sides of the diagonal, with the same sign.")
    symmetric: Array = 0.5 * (array + array.T)
    check_moments(what, np.asarray(np.linalg.eigvalsh(symmetric), dtype=float), size)
    return symmetric


def check_moments(what: str, moments: Array, size: float) -> None:
    """Principal moments are not negative and no one exceeds the sum of the others (zeros: planar data)."""
    small, middle, large = (float(m) for m in moments)
    shown = f"principal moments {small:.6g}, {middle:.6g}, {large:.6g} kg m2"
    if small < -1e-12 * size:
        raise ModelError(f"{what}: the inertia is negative about some axis ({shown}).\n"
                         "  Moments are positive, or zero where nothing is known; check the products of inertia too.")
    planar = middle <= 1e-12 * size  # only one axis given: data of a planar model
    if not planar and large > (small + middle) * (1 + 1e-6):
        raise ModelError(
            f"{what}: the inertia breaks the triangle inequality ({shown}): no body has one moment larger "
            f"than the sum of the other two.\n  Check the units (kg m2, not kg mm2), the sign of the products of "
            "inertia, and that the moments are about the centre of mass.")
