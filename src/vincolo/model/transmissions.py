"""Joints beyond the simple ones: transmissions, couplings, cams, rolling. Mixed into Model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.cams import roller_curve, support_curve
from vincolo.model.checks import finite_number
from vincolo.model.functions.given import function_of
from vincolo.model.geometry import Array, axes_from, direction, vector
from vincolo.model.joint import Held, Joint
from vincolo.model.named_parts import Parts

if TYPE_CHECKING:
    from vincolo.model.functions import Function
    from vincolo.model.measure import Measure

#: how the arguments at2, axis and axis2 are called by the joints that have other words for them
ARGUMENTS = {"spherical_revolute": {"at2": "end"}, "knife_edge": {"axis": "normal"}, "flat_cam": {"axis2": "normal"},
             "rolling_disc": {"axis": "normal", "at2": "centre", "axis2": "axle"},
             "rolling_ball": {"axis": "normal", "at2": "centre"}, "gear": {"at2": "at2"}, "belt": {"at2": "at2"}}
#: arguments without which a joint would have an axis by chance
NEEDED = {"elbow": ("axis2",), "bevel_gear": ("axis2",), "flat_cam": ("axis2",), "rolling_disc": ("axis2",),
          "slot": ("along",), "rack_and_pinion": ("along",), "knife_edge": ("along",)}


class MoreJoints(Parts):
    """The methods of Model for these joints: two bodies, with points and axes in world coordinates as drawn."""

    def slot(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, along: Any = None) -> Joint:
        """A pin of b, about `axis`, in a straight slot of a along `along`; coordinates "travel" [m] and "angle" [rad].
        Carvalho's translational-revolute composite."""
        return self._paired(name, "slot", a, b, at, at, axis, along)

    def oldham(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None) -> Joint:
        """An Oldham coupling between parallel shafts that may stand apart: both turn alike; coordinates "x", "y"."""
        return self._paired(name, "oldham", a, b, at, at, axis)

    def constant_velocity(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None) -> Joint:
        """A constant-velocity (Birfield) joint: the shafts may bend any way but not twist against each other."""
        return self._paired(name, "constant_velocity", a, b, at, at, axis)

    def elbow(
        self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, axis2: Any = None, angle: float | None = None
    ) -> Joint:
        """A cross whose axes, `axis` on a and `axis2` on b, keep an angle [rad] that need not be right; as drawn if not
        given."""
        what = f"elbow joint {name!r}"
        joint = self._paired(name, "elbow", a, b, at, at, axis, None, axis2)
        if angle is None:
            return joint
        held = math.cos(finite_number(f"{what}: angle", angle))
        return self._replace(joint, length=held)

    def spherical_revolute(
        self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, end: Any = None, length: float | None = None
    ) -> Joint:
        """A massless link: hinged on a at `at` about `axis`, with a ball on b at `end`; `length` [m] as drawn if not
        given."""
        joint = self._paired(name, "spherical_revolute", a, b, at, end, axis)
        return joint if length is None else self._replace(joint, length=self._positive(name, "length", length))

    def screw(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, *, pitch: float) -> Joint:
        """A nut on a thread: b advances by `pitch` [m] along the axis per turn (negative: left-handed); coordinates
        "angle" [rad] and "travel" [m]."""
        return self._paired(name, "screw", a, b, at, at, axis, pitch=self._finite(name, "pitch", pitch))

    def gear(self, name: str, a: Any, b: Any, at: Any = None, at2: Any = None, axis: Any = None, *, ratio: float,
             internal: bool = False, pressure_angle: float = 0.0, flank: int = 1) -> Joint:
        """Two wheels on parallel axes, centres at `at` (on a) and `at2` (on b); `ratio` = teeth of b / teeth of a.
        Radii follow from the distance of the centres. `internal`: b is a ring around a. With a pressure angle [rad] the
        tooth force leans and pushes the wheels apart; `flank` +1 or -1 is the flank that carries."""
        what = f"gear {name!r}"
        n, lean = self._positive(name, "ratio", ratio), self._pressure(name, pressure_angle)
        if flank not in (1, -1):
            raise ModelError(f"{what}: flank is {flank!r}; it is 1 or -1.")
        gap = self._across(what, a, b, at, at2, axis)
        if internal and n <= 1:
            raise ModelError(
                f"{what}: an internal gear has its ring as the second body, with more teeth: ratio above 1."
            )
        radius = gap / (n - 1 if internal else n + 1)
        return self._paired(name, "gear", a, b, at, at2, axis, radius=radius,
                            radius2=-n * radius if internal else n * radius, pressure=lean, side=float(flank))

    def belt(self, name: str, a: Any, b: Any, at: Any = None, at2: Any = None, axis: Any = None, *, radius: float,
             radius2: float, crossed: bool = False) -> Joint:
        """Pulleys of two radii [m] on parallel axes with a belt that does not slip or stretch; crossed: they turn
        against each other."""
        self._across(f"belt {name!r}", a, b, at, at2, axis)
        second = self._positive(name, "radius2", radius2)
        return self._paired(name, "gear", a, b, at, at2, axis, radius=self._positive(name, "radius", radius),
                            radius2=second if crossed else -second, pressure=0.0, side=1.0)

    def bevel_gear(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, axis2: Any = None, *,
                   ratio: float, radius: float = 1.0) -> Joint:
        """Two bevel wheels whose axes, `axis` of a and `axis2` of b, meet at `at`; `ratio` = teeth of b / teeth of a,
        `radius` [m] of a scales the tooth force. Only couples pass: the force itself stays within the mesh."""
        first = self._positive(name, "radius", radius)
        return self._paired(name, "bevel_gear", a, b, at, at, axis, None, axis2, radius=first,
                            radius2=first * self._positive(name, "ratio", ratio))

    def rack_and_pinion(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, along: Any = None, *,
                        radius: float, pressure_angle: float = 0.0, flank: int = 1) -> Joint:
        """A pinion a, centre `at`, about `axis`, and a rack b that runs along `along`: it moves by `radius` [m] per rad
        of the pinion (negative: the rack is on the other side)."""
        r = self._finite(name, "radius", radius)
        if r == 0:
            raise ModelError(f"rack_and_pinion {name!r}: the radius is 0 m; it must not be zero.")
        return self._paired(name, "rack_and_pinion", a, b, at, at, axis, along, radius=r, side=float(flank),
                            pressure=self._pressure(name, pressure_angle))

    def point_on_curve(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, along: Any = None, *,
                       point: Any, y: Any, z: Any = 0.0) -> Joint:
        """A point of b on a curve of a: y = y(x), z = z(x) in a frame at `at` with z along `axis` and x along `along`;
        both functions of x [m]: number, text in t (for x), or Function. Coordinate "x" [m]."""
        what = f"point_on_curve {name!r}"
        path = (function_of(f"{what}: y", y), function_of(f"{what}: z", z))
        return self._paired(name, "point_on_curve", a, b, at, point, axis, along, path=path)

    def cam(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, along: Any = None, *,
            profile: Function | str | float, point: Any, roller: float = 0.0) -> Joint:
        """A cam on a and a follower on b. The cam's radius [m] is a function of the angle [rad] about `axis` through
        `at`, counted from `along`. The follower touches with a knife edge at `point`, or with a roller of a radius [m]
        about it. They stay in touch: cam_contact() may lift off."""
        curve = function_of(f"cam {name!r}: profile", profile)
        size = self._finite(name, "roller", roller)
        if size < 0:
            raise ModelError(f"cam {name!r}: the radius of the roller is {size:g} m; it must not be negative.")
        return self._paired(name, "cam", a, b, at, point, axis, along,
                            profile=roller_curve(f"cam {name!r}", curve, size) if size else curve)

    def flat_cam(self, name: str, a: Any, b: Any, at: Any = None, axis: Any = None, along: Any = None, *,
                 profile: Function | str | float, point: Any, normal: Any) -> Joint:
        """The same with a flat face of b through `point`, its `normal` pointing away from the cam."""
        what = f"flat_cam {name!r}"
        curve = support_curve(what, function_of(f"{what}: profile", profile))
        return self._paired(name, "flat_cam", a, b, at, point, axis, along, normal, support=curve)

    def rolling_disc(self, name: str, a: Any, b: Any, at: Any = (0.0, 0.0, 0.0), normal: Any = "z", *, centre: Any,
                     axle: Any, radius: float) -> Joint:
        """A thin disc of b, with its centre and axle, rolls without slip on the plane of a through `at`."""
        return self._paired(
            name, "rolling_disc", a, b, at, centre, normal, None, axle, radius=self._positive(name, "radius", radius)
        )

    def rolling_ball(
        self, name: str, a: Any, b: Any, at: Any = (0.0, 0.0, 0.0), normal: Any = "z", *, centre: Any, radius: float
    ) -> Joint:
        """A ball of b about `centre` rolls without slip on the plane of a through `at`; it may spin."""
        return self._paired(
            name, "rolling_ball", a, b, at, centre, normal, radius=self._positive(name, "radius", radius)
        )

    def knife_edge(self, name: str, a: Any, b: Any, at: Any = None, along: Any = None, normal: Any = "z") -> Joint:
        """A skate or blade of b at `at`, pointing along `along`: that point of b moves over a lengthwise only."""
        return self._paired(name, "knife_edge", a, b, at, at, normal, along)

    def couple(self, name: str, factors: Mapping[str, float], function: Any = None) -> Held:
        """Ties joint coordinates together: the sum of factors times coordinates is held at a function of time, or as
        drawn, as in couple("gear", {"A.angle": 2, "B.angle": -1})."""
        what = f"couple {name!r}"
        if not isinstance(factors, Mapping) or not factors:
            raise ModelError(
                f"{what}: give the coordinates with their factors, such as {{'A.angle': 2, 'B.angle': -1}}."
            )
        total: Measure | None = None
        for target, factor in factors.items():
            part = self._measure(what, target) * finite_number(f"{what}: factor of {target}", factor)
            total = part if total is None else total + part
        assert total is not None
        return self._hold(name, total, total.drawn_value if function is None else function, drive=False)

    # what the methods above share

    def _paired(self, name: str, kind: str, a: Any, b: Any, at: Any, at2: Any, axis: Any, along: Any = None,
                axis2: Any = None, **parameters: Any) -> Joint:
        """A joint between a frame on a (at, axis, along) and one on b (at2, axis2 or the same axes), or two frames."""
        what = f"{kind} joint {name!r}"
        parameters = {k: v for k, v in parameters.items() if v is not None}
        if isinstance(a, Frame) and isinstance(b, Frame):
            frames = self._frames(what, a, b, None, np.eye(3), np.eye(3))
        else:
            first = self._body(what, a)
            second = self._body(what, b)
            words = {"at2": "point", **ARGUMENTS.get(kind, {})}
            given = {"at": at, "axis": axis, "at2": at2, "axis2": axis2, "along": along}
            for key in ("at", "axis", "at2", *NEEDED.get(kind, ())):
                if given[key] is None:
                    raise ModelError(f"{what}: {words.get(key, key)}= is missing.")
            z = direction(f"{what}: {words.get('axis', 'axis')}", axis)
            x = None if along is None else direction(f"{what}: along", along)
            axes = axes_from(what, z, x)
            other = axes if axis2 is None else axes_from(what, direction(
                f"{what}: {words.get('axis2', 'axis2')}", axis2), None)
            frames = (
                first.frame(vector(f"{what}: at", at), z=axes[:, 2], x=axes[:, 0]),
                second.frame(vector(f"{what}: {words['at2']}", at2), z=other[:, 2], x=other[:, 0]),
            )
            if first is second:
                raise ModelError(
                    f"{what}: both sides are on the same body {first.name!r}.\n"
                    "  Give two different bodies; the ground is one, too."
                )
        return self._add_joint(Joint(name, kind, frames[0], frames[1], parameters=parameters))

    def _replace(self, joint: Joint, **changes: Any) -> Joint:
        self.joints[joint.name] = replace(joint, **changes)
        return self.joints[joint.name]

    @staticmethod
    def _finite(name: str, title: str, value: Any) -> float:
        return finite_number(f"joint {name!r}: {title}", value)

    @classmethod
    def _positive(cls, name: str, title: str, value: Any) -> float:
        number = cls._finite(name, title, value)
        if number <= 0:
            raise ModelError(f"joint {name!r}: {title} is {number:g}; it must be positive.")
        return number

    @classmethod
    def _pressure(cls, name: str, value: Any) -> float:
        angle = cls._finite(name, "pressure_angle", value)
        if not 0 <= angle < 1.2:
            raise ModelError(
                f"joint {name!r}: the pressure angle is {angle:g} rad; usual values are 0.25 to 0.44 (14.5 to 25 "
                "degrees), at most 1.2."
            )
        return angle

    @staticmethod
    def _across(what: str, a: Any, b: Any, at: Any, at2: Any, axis: Any) -> float:
        """The distance of two parallel axes [m]."""
        if isinstance(a, Frame) and isinstance(b, Frame):
            at, at2, axis = a.drawn_point, b.drawn_point, a.drawn_axes[:, 2]
        gap: Array = vector(f"{what}: at2", at2) - vector(f"{what}: at", at)
        z = direction(f"{what}: axis", axis)
        found = float(np.linalg.norm(gap - z * (z @ gap)))
        if found < 1e-9:
            raise ModelError(f"{what}: the two centres lie on one axis; they need a distance.")
        return found
