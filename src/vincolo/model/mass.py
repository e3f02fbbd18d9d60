"""Mass properties: of parts put together, of holes, and as documents give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, inertia_of, rotation_of, vector
from vincolo.model.looks import Look

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass [kg], centre of mass [m] and inertia [kg m2] about the centre of mass, in the axes of one frame: that
    of a shape, or of a body made of shapes. Parts in one frame are added, a - b takes a hole out. An inertia may be
    given without a mass."""

    mass: float
    com: Array
    inertia: Array
    looks: tuple[Look, ...] = ()  # the shapes it is made of, for pictures; holes are not shown
    inertia_checked: bool = True  # else the inertia may break the triangle inequality

    def __post_init__(self) -> None:
        kilograms = finite_number("mass properties: mass", self.mass)
        if kilograms < 0 or (kilograms == 0 and not np.any(self.inertia)):
            raise ModelError(f"mass properties: the mass is {kilograms:g} kg; it must be positive.\n"
                             "  Check the lengths [m] and the density [kg/m3]; to take a hole out write a - b.")
        com = vector("mass properties: com", self.com).copy()
        inertia = inertia_of("mass properties", self.inertia, self.inertia_checked)
        com.setflags(write=False)
        inertia.setflags(write=False)
        for name, value in (("mass", kilograms), ("com", com), ("inertia", inertia)):
            object.__setattr__(self, name, value)

    @classmethod
    def given(cls, mass: float, com: Any = ORIGIN, inertia: Any = 0.0, *, about: Any = None,
              axes: Any = None, inertia_checked: bool = True) -> MassProperties:
        """From data about any point and in any axes: `inertia` [kg m2] is about the point `about` (the centre of
        mass if not given), in axes turned by `axes` (a Rotation, quaternion or matrix); `com` and `about` are in
        the body's own axes. With inertia_checked=False it may break the triangle inequality."""
        what = "mass properties"
        R = rotation_of(f"{what}: axes", axes)
        centre = vector(f"{what}: com", com)
        lever = np.zeros(3) if about is None else vector(f"{what}: about", about) - centre
        moved = _steiner(finite_number(f"{what}: mass", mass), lever)
        own = _less(R @ inertia_of(what, inertia, inertia_checked) @ R.T, moved, (
            f"{what}: the inertia about {about!r} is too small for {mass:g} kg with its centre at {com!r}.\n"
            "  Check about= and com= (m, not mm); with about= all three moments must be known."), inertia_checked)
        return cls(mass, centre, own, inertia_checked=inertia_checked)

    def about(self, point: Any) -> Array:
        """The inertia [kg m2] about another point, in the same axes (Steiner's theorem)."""
        lever = vector("mass properties: the point", point) - self.com
        return self.inertia + _steiner(self.mass, lever)

    def moved(self, at: Any = ORIGIN, orientation: Any = None) -> MassProperties:
        """The same part placed in another frame: its origin at `at` [m], its axes turned by `orientation`."""
        R = rotation_of("mass properties: orientation", orientation)
        place = vector("mass properties: at", at)
        return MassProperties(self.mass, place + R @ self.com, R @ self.inertia @ R.T,
                              tuple(look.moved(place, R) for look in self.looks), self.inertia_checked)

    def in_axes(self, axes: Any) -> MassProperties:
        """The same part seen from axes turned by `axes` about the same origin."""
        return self.moved(orientation=rotation_of("mass properties: axes", axes).T)

    def __add__(self, other: MassProperties) -> MassProperties:
        if not isinstance(other, MassProperties):
            return NotImplemented
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass if mass else self.com
        return MassProperties(mass, com, self.about(com) + other.about(com), self.looks + other.looks,
                              self.inertia_checked and other.inertia_checked)

    def __radd__(self, other: int) -> MassProperties:
        """Lets sum(parts) begin from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: MassProperties) -> MassProperties:
        if not isinstance(other, MassProperties):
            return NotImplemented
        mass = self.mass - other.mass
        if mass <= 1e-12 * self.mass:
            raise ModelError(f"mass properties: {other.mass:g} kg cannot be taken out of {self.mass:g} kg.\n"
                             "  In a - b, b is the hole: a part of a, with the density of a.")
        com = (self.mass * self.com - other.mass * other.com) / mass
        checked = self.inertia_checked and other.inertia_checked
        return MassProperties(mass, com, _less(self.about(com), other.about(com), (
            "mass properties: what is left of a - b is not a possible body.\n"
            "  The hole b must be inside a and have its density; check where b is (b.moved(at))."), checked),
                              self.looks, checked)


def _steiner(mass: float, lever: Array) -> Array:
    """What a mass at the end of a lever adds: m (d.d 1 - d d^T)."""
    return np.asarray(mass * ((lever @ lever) * np.eye(3) - np.outer(lever, lever)), dtype=float)


def _less(inertia: Array, part: Array, refusal: str, possible: bool) -> Array:
    """inertia - part, freed of rounding below zero; refused if no body has it."""
    left = inertia - part
    rounding = 1e-13 * float(np.abs(inertia).max() + np.abs(part).max())
    if np.isfinite(left).all():
        moments, axes = np.linalg.eigh(0.5 * (left + left.T))
        if -rounding <= moments[0] < 0:
            left = axes @ np.diag(np.maximum(moments, 0.0)) @ axes.T
    try:
        return inertia_of("mass properties", left, possible)
    except ModelError as error:
        raise ModelError(f"{refusal}\n  ({str(error).splitlines()[0]})") from None
