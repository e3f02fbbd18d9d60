"""Wheels on the ground: a disc that presses, and grips by its adhesion. Mixed into Model.

In the axes of the ground, z upwards: a is the axle, s = sqrt(1 - a_z^2) the cosine of the tilt, and the lowest point of
the disc is at rho = r (a_z a - z) / s from its centre. There d = r s - h is the depth, u = v + w x rho the slip.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.force_elements import used_in
from vincolo.model.forces import Law
from vincolo.model.measure import Measure, along, cosine
from vincolo.model.named_parts import Parts
from vincolo.model.sights import spin

XYZ = "xyz"
CREEP = 0.01  # m/s


class GroundWheels(Parts):
    """The method of a model for wheels on the ground."""

    actuator: ClassVar[Callable[..., Law]]

    def ground_wheel(self, name: str, wheel: Frame, radius: float, *, stiffness: float, damping: float = 0.0,
                     adhesion: float | str = 0.8, ground: Frame | None = None, creep: float = CREEP,
                     ) -> dict[str, Law]:
        """A wheel on flat ground: a disc of a radius [m] about the z of a frame, its axle. It presses with N =
        stiffness d + damping d' [N/m, N s/m] of the depth d of its lowest point, and never pulls; its grip is
        adhesion N against the slip of that point, in both directions at once, and smoothed below the speed `creep`
        [m/s]. The adhesion is a number or a text over the pressure N [N], such as "0.9 - 1e-5*N", and t. The ground is
        the plane z = 0 of a frame on the fixed body, that of the world if not given. Its parts are "name.x" to
        "name.z", forces on the wheel's centre along the ground's axes, and "name.rx" to "name.rz", torques."""
        what = f"ground wheel {name!r}"
        if not isinstance(wheel, Frame) or self._body(what, wheel.body).is_ground:
            raise ModelError(f"{what}: a frame on a moving body is needed, with z along the axle: "
                             "body.frame((x, y, z), z='y').")
        base = self.ground.frame((0.0, 0.0, 0.0)) if ground is None else ground
        if not isinstance(base, Frame) or not self._body(what, base.body).is_ground:
            raise ModelError(f"{what}: ground is a frame on the fixed body, model.ground.frame((x, y, z), z=...).")
        r, k, slow = (_positive(what, key, x) for key, x in (("radius", radius), ("stiffness", stiffness),
                                                             ("creep", creep)))
        c = finite_number(f"{what}: damping", damping)
        if c < 0:
            raise ModelError(f"{what}: damping is {c:g}; it must not be negative.")
        texts = _forces(r, k, c, _adhesion(what, adhesion), slow)
        read = _readings(base, wheel)
        return {key: self.actuator(f"{name}.{key}", measure, texts[key], **used_in(texts[key], read))
                for key, measure in _measures(base, wheel).items()}


def _measures(base: Frame, wheel: Frame) -> dict[str, Measure]:
    return {axis: along(axis, base, wheel) for axis in XYZ} | {f"r{axis}": spin(base, wheel, axis) for axis in XYZ}


def _readings(base: Frame, wheel: Frame) -> dict[str, Measure]:
    """Place and axle of the wheel, and how it turns, by the names that texts have for them."""
    named = {f"p{axis}": along(axis, base, wheel) for axis in XYZ}
    named |= {f"q{axis}": spin(base, wheel, axis) for axis in XYZ}
    return named | {f"a{axis}": cosine(axis, "z", base, wheel) for axis in XYZ}


def _forces(r: float, k: float, c: float, adhesion: str, creep: float) -> dict[str, str]:
    """Texts of forces on the centre and torques about it."""
    s = "sqrt(max(1e-12, 1 - az^2))"
    rho = {"x": f"({r!r}*az*ax/{s})", "y": f"({r!r}*az*ay/{s})", "z": f"(-{r!r}*{s})"}
    w = {axis: f"q{axis}_rate" for axis in XYZ}
    u = {i: f"(p{i}_rate + {w[j]}*{rho[m]} - {w[m]}*{rho[j]})" for i, j, m in ("xyz", "yzx", "zxy")}
    depth = f"({r!r}*{s} - pz)"
    N = f"if({depth} > 0, max(0, {k!r}*{depth} - {c!r}*{u['z']}), 0)"
    grip = f"({re.sub(r'(?<![A-Za-z0-9_.])N(?![A-Za-z0-9_.])', f'({N})', adhesion)})"
    share = f"(-{grip}*({N})/sqrt({u['x']}^2 + {u['y']}^2 + {creep**2!r}))"
    F = {"x": f"{share}*{u['x']}", "y": f"{share}*{u['y']}", "z": f"({N})"}
    return F | {f"r{i}": f"{rho[j]}*{F[m]} - {rho[m]}*{F[j]}" for i, j, m in ("xyz", "yzx", "zxy")}


def _adhesion(what: str, given: Any) -> str:
    if isinstance(given, str):
        return given
    number = finite_number(f"{what}: adhesion", given)
    if number < 0:
        raise ModelError(f"{what}: adhesion is {number:g}; it is the grip over the pressure, and not negative.")
    return repr(number)


def _positive(what: str, key: str, value: Any) -> float:
    number = finite_number(f"{what}: {key}", value)
    if number <= 0:
        raise ModelError(f"{what}: {key} is {number:g}; it must be positive.")
    return number
