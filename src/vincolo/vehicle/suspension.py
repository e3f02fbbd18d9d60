"""A suspension as its designer writes it: points of the left side by role, and what is mounted where."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import number_array
from vincolo.model.geometry import Array, vector
from vincolo.vehicle.hardpoints import problems
from vincolo.vehicle.roles import BARS, ELASTIC, KINDS, SPRINGS, optional_roles, roles_of

MIRROR = np.array([1.0, -1.0, 1.0])  # left to right, at the plane y = 0
SIDES = {"left": np.ones(3), "right": MIRROR}
BUILT = ("both", *SIDES)


class HardpointError(ModelError):
    """Points of a suspension that cannot be right: their roles (or coordinates, as lower_ball.y), and why."""

    def __init__(self, name: str, roles: tuple[str, ...], text: str) -> None:
        super().__init__(f"suspension {name!r}: {text}")
        self.roles, self.text = roles, text


@dataclass(frozen=True)
class Suspension:
    """Both wheels of an axle: the points [m] of the left side in ISO 8855 axes (x forward, y left, z up), mirrored to
    the right. Rates are those of springs, not of wheels; angles are in rad: camber is positive if the top of the wheel
    leans outwards, toe if its front points inwards."""

    name: str
    kind: str
    points: Mapping[str, Any]
    spring: str = "none"  # direct, push rod, pull rod, strut
    bar: str = "none"  # u, t
    steered: bool = False
    sides: str = "both"  # both, left or right: what is put into a model; curves are always those of an axle
    chassis: str = ""  # the body that it is mounted on in a model; the ground if none is named
    third_k: float = 0.0  # N/m: third spring between the rockers
    third_c: float = 0.0  # N s/m
    rod_on: str = ""  # the body that carries the rod or spring: lower_arm, upper_arm, upright
    bar_on: str = ""  # the body that carries the drop link: rocker, lower_arm, upright
    k: float = 0.0  # N/m: spring
    c: float = 0.0  # N s/m: damper
    preload: float = 0.0  # N: compression of the spring as drawn
    bar_k: float = 0.0  # N m/rad: twist of the anti-roll bar
    camber: float = 0.0  # rad
    toe: float = 0.0  # rad
    wheel_radius: float = 0.3  # m, loaded
    wheel_width: float = 0.2  # m
    tyre_k: float = 0.0  # N/m: vertical; 0: not known
    upright_mass: float = 0.0  # kg
    upright_inertia: float = 0.0  # kg m2
    wheel_mass: float = 0.0  # kg
    wheel_inertia: float = 0.0  # kg m2 about the axle; half of it about other axes
    arm_mass: float = 0.0  # kg: of each arm that is a body; rods have none
    rocker_inertia: float = 0.0  # kg m2
    bushings: Mapping[str, Any] = field(default_factory=dict)  # stiffness [N/m] by point on the chassis
    bushing_damping: float = 1e-3  # s: damping of bushings over their stiffness

    def __post_init__(self) -> None:
        _check_choices(self)
        _check_numbers(self)
        _check_points(self)
        object.__setattr__(
            self, "points", {role: vector(f"suspension {self.name!r}: {role}", p) for role, p in self.points.items()}
        )
        found = problems(self)
        if found:
            roles, text = found[0]
            raise HardpointError(self.name, roles, text)

    @property
    def about(self) -> dict[str, str]:
        """What its points are."""
        return {**roles_of(self.kind, self.spring, self.bar, self.has_third), **optional_roles(self.kind)}

    @property
    def has_third(self) -> bool:
        """Whether it has a third spring."""
        return self.third_k != 0 or self.third_c != 0

    @property
    def has_rocker(self) -> bool:
        """Whether its springs are moved by a rocker."""
        return self.spring in ("push rod", "pull rod")

    @property
    def carrier(self) -> str:
        """The part that the rod or the direct spring is mounted on."""
        return self.rod_on or ("upper_arm" if self.spring == "pull rod" else KINDS[self.kind].mounts[0])

    @property
    def bar_carrier(self) -> str:
        """The part that the drop link of the bar is mounted on."""
        return self.bar_on or ("rocker" if self.has_rocker else self.carrier)

    @cached_property
    def mounts(self) -> set[str]:
        """Parts that carry something."""
        used = {self.carrier} if self.spring not in ("none", "strut") else set()
        return used | ({self.bar_carrier} if self.bar != "none" else set())

    def point(self, role: str, side: str = "left") -> Array:
        """A point [m] of a side."""
        placed: Array = self.points[role] * SIDES[side]
        return placed

    def spindle(self, side: str = "left") -> Array:
        """The axis of the wheel as drawn: a unit vector that points to the left of the car."""
        return spindle(self.camber, self.toe, 1.0 if side == "left" else -1.0)

    def moved(self, role: str, by: Any) -> Suspension:
        """The suspension with a point [m] moved."""
        return replace(self, points={**self.points, role: self.point(role) + np.asarray(by, dtype=float)})

    def bare(self) -> Suspension:
        """What leads the wheels alone, without springs, rockers and bars: the wheels move the same."""
        known = {**KINDS[self.kind].roles, **optional_roles(self.kind)}
        points = {role: p for role, p in self.points.items() if role in known}
        return self.unchecked(
            points=points, spring="none", bar="none", third_k=0.0, third_c=0.0, rod_on="", bar_on="", arm_mass=0.0
        ).paired()

    def paired(self) -> Suspension:
        """Both sides on the ground, as rigs have them."""
        return self.unchecked(sides="both", chassis="")

    def unchecked(self, **changes: Any) -> Suspension:
        """The same with other numbers that are right already: replace() checks all points again."""
        made = copy(self)
        made.__dict__.pop("mounts", None)
        made.__dict__.update(changes)
        return made

    def mirrored_input(self) -> Suspension:
        """The same with its points written for the right side."""
        return replace(self, points={role: np.asarray(p) * MIRROR for role, p in self.points.items()})


def spindle(camber: Any, toe: Any, side: float) -> Array:
    """The unit vector along the wheel's axis to the left of the car, for angles [rad] of a
    wheel on a side (1 left, -1 right)."""
    c = np.asarray(camber, dtype=float) * side  # lean about x: the top of a left wheel goes to +y for positive camber
    d = np.asarray(toe, dtype=float) * side
    return np.stack([np.sin(d) * np.cos(c), np.cos(d) * np.cos(c), -np.sin(c)], axis=-1)


def millimetres(points: Mapping[str, Any]) -> dict[str, Array]:
    """Points given in mm, in m."""
    return {role: vector(f"the point {role!r}", p) / 1000.0 for role, p in points.items()}


def _check_choices(s: Suspension) -> None:
    what = f"suspension {s.name!r}"
    choices = (("kind", s.kind, KINDS), ("spring", s.spring, SPRINGS), ("bar", s.bar, BARS), ("sides", s.sides, BUILT))
    for key, value, known in choices:
        if value not in known:
            raise ModelError(
                f"{what}: {key} is {value!r}; it is one of: {', '.join(known)}.{suggest(str(value), known)}"
            )
    kind = KINDS[s.kind]
    if s.spring not in kind.springs:
        raise ModelError(f"{what}: a {s.kind} has no {s.spring!r}; its springs are: {', '.join(kind.springs)}.")
    for key, value, allowed in (
        ("rod_on", s.rod_on, kind.mounts),
        ("bar_on", s.bar_on, (*kind.mounts, *(["rocker"] if s.has_rocker else []))),
    ):
        if value and value not in allowed:
            raise ModelError(
                f"{what}: {key} is {value!r}; here it is one of: {', '.join(allowed)}.{suggest(str(value), allowed)}"
            )
    if s.has_third and not s.has_rocker:
        raise ModelError(
            f"{what}: a third spring needs rockers; spring is {s.spring!r}.\n"
            "  Choose spring 'push rod' or 'pull rod', or leave third_k and third_c out."
        )
    pair = "an anti-roll bar" if s.bar != "none" else "a third spring" if s.has_third else ""
    pair = "a live axle" if s.kind == "live axle" else pair
    if s.sides != "both" and pair:
        raise ModelError(f"{what}: sides is {s.sides!r}, but {pair} joins both sides.\n  Leave one of the two out.")
    if s.steered and "tie_inner" not in kind.roles:
        raise ModelError(f"{what}: a {s.kind} is not steered by a rack.\n  Leave steered out.")


def _check_numbers(s: Suspension) -> None:
    for f in fields(s):
        value = getattr(s, f.name)
        if f.type != "float":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise ModelError(f"suspension {s.name!r}: {f.name} is {value!r}; a finite number is needed.")
        if value < 0 and f.name not in ("camber", "toe", "preload"):
            raise ModelError(f"suspension {s.name!r}: {f.name} is {value:g}; it cannot be negative.")
    if s.wheel_radius <= 0:
        raise ModelError(f"suspension {s.name!r}: wheel_radius is {s.wheel_radius:g} m; it must be positive.")
    for key, value in (("camber", s.camber), ("toe", s.toe)):
        if abs(value) > 0.35:
            raise ModelError(
                f"suspension {s.name!r}: {key} is {value:g} rad ({np.degrees(value):.1f} deg).\n"
                "  In Python angles are in rad; in a workbook write the unit: camber [deg]."
            )
    _check_bushings(s)


def _check_bushings(s: Suspension) -> None:
    """Bushings are where rods and arms are on the chassis: one stiffness, or three, or six with those about axes."""
    allowed = [role for role in s.points if role in ELASTIC]
    for role, k in s.bushings.items():
        if role not in allowed:
            known = "which is not one of its points" if role not in s.points else "where nothing is in a bushing"
            raise ModelError(
                f"suspension {s.name!r}: bushings name {role!r}, {known}.{suggest(role, allowed)}\n"
                f"  Bushings can be at: {', '.join(allowed)}."
            )
        numbers = number_array(f"suspension {s.name!r}: bushings of {role!r}", k).ravel()
        usable = numbers.size in (1, 3, 6) and bool(np.isfinite(numbers).all())
        if not usable or numbers.min() < 0 or numbers.max() == 0:
            raise ModelError(
                f"suspension {s.name!r}: the bushing at {role!r} is {k!r}; one, three or six stiffnesses (along x, y, "
                "z [N/m] and about them [N m/rad]) are needed, none of them negative and not all zero."
            )


def _check_points(s: Suspension) -> None:
    wanted = roles_of(s.kind, s.spring, s.bar, s.has_third)
    known = {**wanted, **optional_roles(s.kind)}
    for role in s.points:
        if role not in known:
            raise HardpointError(
                s.name,
                (role,),
                f"{role!r} is not a point of a {s.kind} with spring {s.spring!r} and bar "
                f"{s.bar!r}.{suggest(role, known)}\n  Points: {', '.join(known)}.",
            )
    missing = [role for role in wanted if role not in s.points]
    if missing:
        listed = "\n".join(f"    {role}: {wanted[role]}" for role in missing)
        raise HardpointError(
            s.name,
            (),
            f"points are missing:\n{listed}\n  Give x, y, z of each, for the left side; in a "
            f"file they are called {s.name}_{missing[0]} and so on.",
        )
