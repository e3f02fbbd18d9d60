"""A Cardan joint with errors of its links, bearings that rub, and inertia."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vincolo.cardan.rccc import Four, four_angles
from vincolo.dual import Dual, DualInertia
from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array

RIGHT = math.pi / 2


@dataclass(frozen=True)
class Bearing:
    """A bearing: diameter of the pin, and distance of its two supports [m] (the length of a single one)."""

    diameter: float
    span: float

    def __post_init__(self) -> None:
        for what in ("diameter", "span"):
            size = finite_number(f"bearing: {what}", getattr(self, what))
            if size <= 0:
                raise ModelError(f"bearing: the {what} is {size:g} m; it must be above zero.")


@dataclass(frozen=True, eq=False)
class Cardan:
    """An input shaft with its fork, a cross, an output shaft with its fork, and the frame: four links with four
    bearings (input shaft, two pins of the cross, output shaft). `angle` is that of the shafts [rad]. Errors are those
    of the links' angles [rad] and of the distances of neighbouring axes [m], one for each link or one number for all;
    with them the joint is an RCCC linkage, whose bearings slide. `links` are the inertias of the input fork, the cross
    and the output fork, in the Denavit-Hartenberg frame of the joint that follows each; without them the joint has no
    mass."""

    angle: float
    friction: float = 0.0
    bearings: tuple[Bearing, Bearing, Bearing, Bearing] = field(default=(Bearing(0.02, 0.01), Bearing(0.006, 0.005),
                                                                         Bearing(0.006, 0.005), Bearing(0.02, 0.01)))
    links: tuple[DualInertia, DualInertia, DualInertia] | None = None
    angle_errors: Any = 0.0
    offset_errors: Any = 0.0
    branch: int = 1

    def __post_init__(self) -> None:
        for what in ("angle", "friction"):
            finite_number(f"Cardan joint: {what}", getattr(self, what))
        if self.friction < 0:
            raise ModelError(f"Cardan joint: the coefficient of friction is {self.friction:g}; it is not negative.")
        if abs(math.cos(self.angle)) < 1e-9:
            raise ModelError("Cardan joint: its shafts are at right angles, where it does not turn.\n"
                             "  Give an angle below 90 degrees, in radians.")
        if len(self.bearings) != 4 or not all(isinstance(b, Bearing) for b in self.bearings):
            raise ModelError("Cardan joint: it has four bearings: input shaft, two pins of the cross, output shaft.")
        if self.links is not None and len(self.links) != 3:
            raise ModelError("Cardan joint: it has three moving links: input fork, cross, output fork.")
        self.alpha  # noqa: B018  # checks the errors

    @property
    def alpha(self) -> Four:
        """The dual angles of the links: angle + eps distance."""
        angles = _four("angle_errors", self.angle_errors) + (RIGHT, RIGHT, RIGHT, self.angle)
        offsets = _four("offset_errors", self.offset_errors)
        return four_angles([Dual(a, d) for a, d in zip(angles, offsets, strict=True)])

    def with_(self, **changes: Any) -> Cardan:
        """The joint with other numbers: joint.with_(angle=0.1)."""
        return replace(self, **changes)


def _four(what: str, value: Any) -> Array:
    numbers = number_array(f"Cardan joint: {what}", value)
    if numbers.shape not in ((), (4,)) or not np.isfinite(numbers).all():
        raise ModelError(f"Cardan joint: {what} is {value!r}; one finite number, or one for each of four links, is "
                         "needed.")
    return np.broadcast_to(numbers, (4,))
