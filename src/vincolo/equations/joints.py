"""Joints: short lists of measures, sums and formulas of measures held at zero, and what stays free.

The first frame is A, the second B. Parameters stand with the values of an example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vincolo.equations.measures import (
    Formula,
    Measure,
    Row,
    along,
    angle,
    azimuth,
    cosine,
    distance,
    roll,
    skid,
)

Rows = list[Row]


@dataclass(frozen=True)
class Joint:
    """The rows a joint holds, the freedom it leaves of six, and the coordinates of that freedom.

    `drawn` rows are held at the value they have as drawn, `rates` only at the level of velocities. `moves` says what
    stays free as motions one after another, from A to B: a turn about z, slides along x, y and z, a ball; "quarter" is
    a quarter turn about y that is always there, None says that there is no such way to put it.
    """

    held: Rows | Callable[..., Rows]
    freedom: int
    coordinates: Mapping[str, Measure] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    drawn: tuple[int, ...] = ()
    rates: tuple[int, ...] = ()
    moves: tuple[str, ...] | None = None
    says: str = ""

    def rows(self, **parameters: Any) -> Rows:
        """The rows for given parameters."""
        return self.held(**parameters) if callable(self.held) else self.held


coincide: Rows = [along("x"), along("y"), along("z")]  # the points of A and B
on_line: Rows = [along("x"), along("y")]  # the point of B on the z axis of A
z_parallel: Rows = [cosine("x", "z"), cosine("y", "z")]  # the z axes of A and B
same_axes: Rows = [cosine("x", "y"), cosine("y", "z"), cosine("z", "x")]  # all axes of A and B
turning = {"angle": angle("x")}
sliding = {"travel": along("z")}
other_azimuth = azimuth.reversed()  # of A's point, seen from B


def screw(pitch: float) -> Rows:
    """travel = pitch angle / 2 pi"""
    return on_line + z_parallel + [along("z") - pitch / (2 * math.pi) * angle("x")]


def gear(radius: float, radius2: float, pressure: float, side: float) -> Rows:
    """Wheels on parallel axes z roll on each other: r azimuth of B in A + r2 azimuth of A in B = as drawn. The azimuths
    count from the line of centres, so no carrier is needed. A negative radius2 is an internal gear. With a pressure
    angle the row leans, and its force pushes the wheels apart."""
    rolling = radius * azimuth + radius2 * other_azimuth
    return [rolling + side * math.tan(pressure) * distance if pressure else rolling]


def bevel(radius: float, radius2: float) -> Rows:
    """The same for axes that meet: angles count from the plane of both axes."""
    return [radius * angle("z") + radius2 * angle("z").reversed()]


def rack(radius: float, pressure: float, side: float) -> Rows:
    """A, the pinion, rolls along x of B, the rack: travel of A along B + r angle of A in B = as drawn."""
    rolling = along("x").reversed() + radius * angle("x").reversed()
    return [rolling + side * math.tan(pressure) * along("y").reversed() if pressure else rolling]


def cam(profile: Any) -> Rows:
    """A point of B on a curve of A given by its radius over the angle: radius - f(azimuth) = 0"""
    polar = {"x": along("x"), "y": along("y"), "a": azimuth}
    return [Formula("sqrt(x^2 + y^2) - f(a)", polar, functions={"f": profile})]


def flat_cam(support: Any) -> Rows:
    """A flat face of B, with the normal z, touches a curve of A given by the distance of its tangents from A's point
    over the angle of their normal: z of B . (p_B - p_A) - f(angle of z of B) = 0"""
    return [Formula("-d - f(a)", {"d": along("z").reversed(), "a": angle("z")}, functions={"f": support})]


def curve(path: Any) -> Rows:
    """A point of B on a curve of A: y = f(x), z = g(x)"""
    f, g = path
    return [Formula("y - f(x)", {"x": along("x"), "y": along("y")}, functions={"f": f}),
            Formula("z - g(x)", {"x": along("x"), "z": along("z")}, functions={"g": g})]


def rolling_disc(radius: float) -> Rows:
    """A thin disc, axle z of B, on the xy plane of A: its lowest point touches and does not slip."""
    lowest = Formula("d - r*sqrt(1 - c^2)", {"d": along("z"), "c": cosine("z", "z")}, {"r": radius})
    return [lowest, roll("x", radius, ball=False), roll("y", radius, ball=False)]


def rolling_ball(radius: float) -> Rows:
    """A ball on the xy plane of A: it touches and does not slip; it may spin."""
    touching = Formula("d - r", {"d": along("z")}, {"r": radius})
    return [touching, roll("x", radius, ball=True), roll("y", radius, ball=True)]


JOINTS: dict[str, Joint] = {
    "spherical": Joint(coincide, 3, moves=("ball",)),
    "revolute": Joint(coincide + z_parallel, 1, turning, moves=("turn",)),
    "cylindrical": Joint(on_line + z_parallel, 2, turning | sliding, moves=("z", "turn")),
    "prismatic": Joint(on_line + z_parallel + [cosine("x", "y")], 1, sliding, moves=("z",)),
    "universal": Joint(coincide + [cosine("z", "z")], 2,
                       {"angle1": angle("z"), "angle2": -angle("z").reversed()}, moves=("turn", "quarter", "turn")),
    "planar": Joint([along("z")] + z_parallel, 3, {"x": along("x"), "y": along("y"), "angle": angle("x")},
                    moves=("x", "y", "turn")),
    "fixed": Joint(coincide + same_axes, 0, moves=()),
    "guide": Joint(on_line, 4, sliding, moves=("z", "ball")),
    "point_on_plane": Joint([along("z")], 5, moves=("x", "y", "ball")),
    "distance": Joint([distance], 5, {"length": distance}, drawn=(0,)),
    "parallel": Joint(z_parallel, 4, moves=("x", "y", "z", "turn")),
    "perpendicular": Joint([cosine("z", "z")], 5, moves=("x", "y", "z", "turn", "quarter", "turn")),
    "orientation": Joint(same_axes, 3, moves=("x", "y", "z")),
    "slot": Joint([along("y"), along("z")] + z_parallel, 2, {"travel": along("x"), "angle": angle("x")},
                  moves=("x", "turn")),
    "oldham": Joint(same_axes + [along("z")], 2, {"x": along("x"), "y": along("y")}, moves=("x", "y")),
    "constant_velocity": Joint(coincide + [cosine("x", "y") - cosine("y", "x")], 2),
    "elbow": Joint(coincide + [cosine("z", "z")], 2, drawn=(3,)),
    "spherical_revolute": Joint([along("z"), distance], 4, drawn=(1,)),
    "screw": Joint(screw, 1, turning | sliding, {"pitch": 0.02}, moves=("screw",)),
    "gear": Joint(gear, 5, parameters={"radius": 0.3, "radius2": 0.5, "pressure": 0.35, "side": 1.0}, drawn=(0,)),
    "bevel_gear": Joint(bevel, 5, parameters={"radius": 0.3, "radius2": 0.5}, drawn=(0,)),
    "rack_and_pinion": Joint(rack, 5, parameters={"radius": 0.3, "pressure": 0.35, "side": 1.0}, drawn=(0,)),
}

#: joints on curves; their parameters are functions
ON_CURVES: dict[str, Joint] = {
    "cam": Joint(cam, 5), "flat_cam": Joint(flat_cam, 5), "point_on_curve": Joint(curve, 4, {"x": along("x")})}

#: joints with rows that hold velocities only: freedom counts velocities
ROLLING: dict[str, Joint] = {
    "rolling_disc": Joint(rolling_disc, 3, parameters={"radius": 0.3}, rates=(1, 2)),
    "rolling_ball": Joint(rolling_ball, 3, parameters={"radius": 0.3}, rates=(1, 2)),
    "knife_edge": Joint([skid("y")], 5, rates=(0,)),
}

CATALOGUE: dict[str, Joint] = {**JOINTS, **ON_CURVES, **ROLLING}
