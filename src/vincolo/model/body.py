"""Bodies and the frames on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.functions.given import function_of
from vincolo.model.geometry import STRAIGHT, Array, axes_from, direction, inertia_of, is_possible, rotation_of, vector
from vincolo.model.mass import MassProperties

if TYPE_CHECKING:
    from vincolo.model.functions import Function


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
    inertia_checked: bool = True  # else it may break the triangle inequality, as published data do

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
        if z is None and x is None and at is None:
            return Frame(self, np.zeros(3), axes, name)
        return self.frame_at(point, axes, name)

    def frame_at(self, point: Array, axes: Array, name: str | None = None) -> Frame:
        """The frame of a world point and world axes (columns) in the drawn position, checked already."""
        if self.straight:
            return Frame(self, point - self.at, axes, name)
        return Frame(self, self.orientation.T @ (point - self.at), self.orientation.T @ axes, name)

    @cached_property
    def straight(self) -> bool:
        """Whether its axes are drawn along those of the world."""
        return self.orientation is STRAIGHT or bool((self.orientation == STRAIGHT).all())

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


@dataclass(frozen=True)
class Motion:
    """How a frame moves on its body: functions of time along its axes, and about one of them."""

    along: tuple[Function | None, Function | None, Function | None]
    axis: str
    turn: Function | None


@dataclass(frozen=True, eq=False)
class Frame:
    """A point and three axes fixed on a body, in the body's own axes."""

    body: Body
    point: Array
    axes: Array
    name: str | None = field(default=None)
    motion: Motion | None = None

    def moving(self, x: Any = None, y: Any = None, z: Any = None, *, angle: Any = None, axis: str = "z") -> Frame:
        """The same frame moving on its body: by functions of time [m] along its own axes, and turned by a function
        [rad] about one of them; numbers, texts in t or Functions."""
        if axis not in ("x", "y", "z"):
            raise ModelError(f"{self!r}: axis is {axis!r}; a frame turns about its 'x', 'y' or 'z'.")
        given = [None if f is None else function_of(f"{self!r}, moving {title}", f)
                 for title, f in (("x", x), ("y", y), ("z", z), ("angle", angle))]
        return replace(self, motion=Motion((given[0], given[1], given[2]), axis, given[3]))

    @property
    def drawn_point(self) -> Array:
        """The point in world axes in the drawn position [m]."""
        return self.body.at + (self.point if self.body.straight else self.body.orientation @ self.point)

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
              angular_velocity: Any, inertia_checked: Any = True) -> Body:
    """A checked body; `mass` may be MassProperties, which bring centre of mass and inertia with them."""
    what = f"body {name!r}"
    if not isinstance(inertia_checked, bool | np.bool_):
        raise ModelError(f"{what}: inertia_checked is {inertia_checked!r}; it is True or False.")
    possible = bool(inertia_checked) and getattr(mass, "inertia_checked", True)
    kilograms, centre, tensor = _mass_properties(what, mass, inertia, com, possible)
    return Body(name, kilograms, tensor, vector(f"{what}: at", at),
                rotation_of(f"{what}: orientation", orientation), centre,
                vector(f"{what}: velocity", velocity), vector(f"{what}: angular_velocity", angular_velocity),
                inertia_checked=possible or is_possible(tensor))


def _mass_properties(what: str, mass: Any, inertia: Any, com: Any, possible: bool) -> tuple[float, Array, Array]:
    """Mass, centre of mass (the origin if None) and inertia (zero if None), checked."""
    if isinstance(mass, MassProperties):
        for key, value in (("inertia", inertia), ("com", com)):
            if value is not None:
                raise ModelError(f"{what}: {key}= is given besides a shape, which has its own.\n"
                                 f"  Leave out {key}=; to place the shape on the body write shape.moved(at, "
                                 "orientation).")
        return mass.mass, mass.com, mass.inertia
    kilograms = finite_number(f"{what}: mass", mass)
    if kilograms < 0:
        raise ModelError(f"{what}: the mass is {kilograms:g} kg; it must not be negative.\n"
                         "  A part between joints may have no mass at all: write 0.")
    return (kilograms, vector(f"{what}: com", (0.0, 0.0, 0.0) if com is None else com),
            inertia_of(what, 0.0 if inertia is None else inertia, possible))
