"""Bodies, joints and springs of a suspension, from its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Body, Frame
from vincolo.model.geometry import Array
from vincolo.model.joint import Joint
from vincolo.model.measure import along, along_world
from vincolo.model.model import Model
from vincolo.vehicle.lumped import give_of, six_of
from vincolo.vehicle.roles import KINDS
from vincolo.vehicle.suspension import SIDES, Suspension


@dataclass
class Corner:
    """One side of a suspension while it is being built: its bodies by the name of their part."""

    model: Model
    suspension: Suspension
    side: str
    chassis: Body
    parts: dict[str, Body] = field(default_factory=dict)
    tension: Mapping[str, float] = field(default_factory=dict)  # N, of rods as drawn
    forces: Mapping[str, Array] = field(default_factory=dict)  # N, of joints on their second body as drawn

    def name(self, part: str) -> str:
        """The name of a part in the model: front_left_upright."""
        return f"{self.suspension.name}_{self.side}_{part}"

    def at(self, role: str) -> Array:
        """A point of this side."""
        return self.suspension.point(role, self.side)

    def part(self, name: str) -> Body:
        """A body by the name of its part."""
        if name not in self.parts:
            raise ModelError(
                f"suspension {self.suspension.name!r}: there is no {name!r} that something could be "
                f"mounted on; there are: {', '.join(self.parts)}."
            )
        return self.parts[name]

    def rod(self, name: str, inner: Body, inner_role: str, outer: Body, outer_role: str) -> None:
        """A rod without mass: a held distance; or, with a bushing at its inner end, a spring."""
        self.held(self.name(name), inner_role, inner.frame(self.at(inner_role)), outer.frame(self.at(outer_role)))

    def held(self, title: str, inner_role: str, a: Frame, b: Frame) -> None:
        """A rod between two frames, under its name in the model."""
        k = self.suspension.bushings.get(inner_role)
        if k is None:
            self.model.distance(title, a, b)
        else:
            number = float(np.max(k))
            damping, tension = self.suspension.bushing_damping * number, self.tension.get(title, 0.0)
            self.model.spring(title, a, b, k=number, c=damping, preload=tension)

    def hinge(self, name: str, part: Body, ends: tuple[str, str]) -> None:
        """A hinge of a part on the chassis through two points; each end may be in a bushing."""
        s, points = self.suspension, [self.at(end) for end in ends]
        if not any(end in s.bushings for end in ends):
            self.model.revolute(self.name(name), self.chassis, part, at=points[0], axis=points[1] - points[0])
            return
        for end, point in zip(ends, points, strict=True):
            if end in s.bushings:
                frames, six = (self.chassis.frame(point), part.frame(point)), six_of(s.bushings[end])
                self.model.bushing(self.name(f"{end}_bush"), *frames, k=six, c=s.bushing_damping * six)
            else:
                self.model.spherical(self.name(f"{end}_joint"), self.chassis, part, at=point)

    def body(self, part: str, mass: float, inertia: Any, at: Array) -> Body:
        """A body of this side; without numbers it has no mass."""
        made = self.model.body(self.name(part), mass, inertia if mass or np.any(inertia) else None, at=at)
        self.parts[part] = made
        return made


@dataclass(frozen=True)
class Axle:
    """A suspension in a model."""

    suspension: Suspension
    model: Model
    sides: dict[str, Corner]
    rack: Body | None

    def carrier(self, side: str) -> Body:
        """The body that carries the wheel of a side."""
        parts = self.sides[side].parts
        return next(parts[name] for name in ("upright", "arm", "axle") if name in parts)


def add_axle(
    model: Model,
    suspension: Suspension,
    chassis: Body | str | None = None,
    *,
    locked: bool = True,
    tension: Mapping[str, float] | None = None,
    forces: Mapping[str, Array] | None = None,
) -> Axle:
    """Adds a suspension to a model, on a chassis (the one it names, or the ground): both sides, or one alone. With
    `locked` the wheels are part of their uprights, as on a rig; else they are bodies on a hinge "front_left_hub". Rods
    in bushings have a `tension` [N] as drawn, by their names, and arms the `forces` [N] of their ball joints."""
    mounted = chassis or suspension.chassis or model.ground
    on = model._body(f"suspension {suspension.name!r}: chassis", mounted)
    sides = {
        side: Corner(model, suspension, side, on, tension=tension or {}, forces=forces or {})
        for side in SIDES
        if suspension.sides in ("both", side)
    }
    rack = _rack(model, suspension, on) if suspension.steered else None
    for corner in sides.values():
        corner.parts["chassis"] = on
        if rack is not None:
            corner.parts["rack"] = rack
    if suspension.kind == "live axle":
        _live_axle(sides, locked)
    else:
        for corner in sides.values():
            BUILD[suspension.kind](corner, locked)
    axle = Axle(suspension, model, sides, rack)
    for corner in sides.values():
        _spring(corner)
        _travel(corner, axle.carrier(corner.side))
        if not locked:
            _wheel(corner, axle.carrier(corner.side))
    if suspension.bar != "none":
        _bar(sides)
    if suspension.has_third:
        _third(sides)
    return axle


def _rack(model: Model, s: Suspension, chassis: Body) -> Body:
    """The rack, sliding along y: coordinate "front_rack.travel", positive to the left."""
    at = s.point("tie_inner") * (1, 0, 1)
    rack = model.body(f"{s.name}_rack_bar", 0.0, at=at)
    model.prismatic(f"{s.name}_rack", chassis, rack, at=at, axis="y")
    model.outline(rack, [s.point("tie_inner", side) for side in SIDES], thickness=0.02)
    return rack


def _wheel_inertia(s: Suspension, side: str) -> Array:
    """The tensor of a wheel about its centre, in the axes of the car: a disc, I_s/2 (1 + n n^T) about its axis n."""
    axis = s.spindle(side)
    return np.asarray(0.5 * s.wheel_inertia * (np.eye(3) + np.outer(axis, axis)), dtype=float)


def _carried(s: Suspension, side: str, locked: bool) -> tuple[float, Array]:
    """Mass and inertia about the wheel's centre of what carries a wheel, with the wheel itself where it is locked."""
    mass, inertia = s.upright_mass, s.upright_inertia * np.eye(3)
    return (mass + s.wheel_mass, inertia + _wheel_inertia(s, side)) if locked else (mass, inertia)


def _upright(corner: Corner, locked: bool, part: str = "upright") -> Body:
    s = corner.suspension
    return corner.body(part, *_carried(s, corner.side, locked), corner.at("wheel_centre"))


def _arm(corner: Corner, level: str, upright: Body) -> None:
    """An A-arm: two rods, or a body on a hinge where it has mass or carries something."""
    s = corner.suspension
    part, ends = f"{level}_arm", (f"{level}_front", f"{level}_rear")
    ball = f"{level}_ball"
    if part not in s.mounts and not s.arm_mass:
        for end in ends:
            corner.rod(end, corner.chassis, end, upright, ball)
        return
    points = [corner.at(role) for role in (*ends, ball)]
    mean = np.mean(points, axis=0)
    inertia = s.arm_mass * float(np.mean([np.sum((p - mean) ** 2) for p in points])) / 2
    arm = corner.body(part, s.arm_mass, inertia, mean)
    corner.model.outline(arm, points, thickness=0.02)
    if not s.arm_mass and any(end in s.bushings for end in ends):
        _give(corner, level, arm, upright)
        return
    corner.model.spherical(corner.name(f"{ball}_joint"), arm, upright, at=points[2])
    corner.hinge(f"{level}_hinge", arm, ends)


def _give(corner: Corner, level: str, arm: Body, upright: Body) -> None:
    """An arm without mass whose bushings give way at its ball joint, in its plane: across it the ball joint holds."""
    s, model, ends = corner.suspension, corner.model, (f"{level}_front", f"{level}_rear")
    pivots, ball = [corner.at(end) for end in ends], corner.at(f"{level}_ball")
    give = give_of(pivots, ball, [s.bushings.get(end) for end in ends])
    hinge = model.revolute(
        corner.name(f"{level}_hinge"), corner.chassis, arm, at=pivots[0], axis=pivots[1] - pivots[0]
    )
    if give.torsion:
        model.spring(corner.name(f"{level}_twist"), hinge["angle"], k=give.torsion, c=s.bushing_damping * give.torsion)
    a, b = (body.frame(ball, z=give.normal, x=give.along) for body in (arm, upright))
    title = corner.name(f"{level}_ball")
    model.point_on_plane(f"{title}_joint", a, b)
    carried = corner.forces.get(f"{title}_joint", np.zeros(3))
    ways = (give.along, np.cross(give.normal, give.along))
    for axis, k, way in zip("xy", give.k, ways, strict=True):
        if np.isinf(k):
            model.hold(f"{title}_{axis}", along(axis, a, b), 0.0)
        else:
            preload = -float(carried @ way)
            model.spring(f"{title}_{axis}", along(axis, a, b), k=k, c=s.bushing_damping * k, preload=preload)


def _tie(corner: Corner, upright: Body) -> None:
    corner.rod("tie_rod", corner.parts.get("rack", corner.chassis), "tie_inner", upright, "tie_outer")


def _double_wishbone(corner: Corner, locked: bool) -> None:
    upright = _upright(corner, locked)
    for level in ("upper", "lower"):
        _arm(corner, level, upright)
    _tie(corner, upright)


def _mcpherson(corner: Corner, locked: bool) -> None:
    upright = _upright(corner, locked)
    _arm(corner, "lower", upright)
    _tie(corner, upright)
    top, bottom = corner.at("strut_top"), corner.at("strut_bottom")
    corner.model.guide(corner.name("strut_slide"), upright, corner.chassis, at=top, axis=top - bottom)


def _five_link(corner: Corner, locked: bool) -> None:
    upright = _upright(corner, locked)
    for k in range(1, 5):
        corner.rod(f"link{k}", corner.chassis, f"link{k}_inner", upright, f"link{k}_outer")
    _tie(corner, upright)


def _semi_trailing(corner: Corner, locked: bool) -> None:
    arm = _upright(corner, locked, "arm")
    ends = ("pivot_inner", "pivot_outer")
    corner.model.outline(arm, [corner.at(role) for role in (*ends, "wheel_centre")], thickness=0.03)
    corner.hinge("hinge", arm, ends)


BUILD = {
    "double wishbone": _double_wishbone,
    "mcpherson": _mcpherson,
    "five-link": _five_link,
    "semi-trailing arm": _semi_trailing,
}


def _live_axle(sides: dict[str, Corner], locked: bool) -> None:
    """A rigid axle on two lower links, one or two upper links and, with one, a Panhard rod."""
    left = sides["left"]
    s, model = left.suspension, left.model
    middle = s.point("wheel_centre") * (1, 0, 1)
    ends = [_carried(s, side, locked) for side in SIDES]
    mass = sum(m for m, _ in ends)
    apart = mass * float(s.point("wheel_centre")[1]) ** 2 * np.diag([1.0, 0.0, 1.0])
    inertia = sum((tensor for _, tensor in ends), apart)
    body = model.body(f"{s.name}_axle", mass, inertia if mass else None, at=middle)
    model.outline(body, [s.point("wheel_centre", side) for side in SIDES], thickness=0.06)
    single = abs(s.point("upper_chassis")[1]) < 1e-9 and abs(s.point("upper_axle")[1]) < 1e-9
    for corner in sides.values():
        corner.parts["axle"] = body
        corner.rod("lower_link", corner.chassis, "lower_chassis", body, "lower_axle")
        if not single:
            corner.rod("upper_link", corner.chassis, "upper_chassis", body, "upper_axle")
    if single:
        for name in ("upper", "panhard"):
            title = f"{s.name}_{'upper_link' if name == 'upper' else 'panhard_rod'}"
            frames = left.chassis.frame(s.point(f"{name}_chassis")), body.frame(s.point(f"{name}_axle"))
            left.held(title, f"{name}_chassis", *frames)


# springs, bars, wheels


def _spring(corner: Corner) -> None:
    s = corner.suspension
    if s.spring == "none":
        return
    if s.spring == "strut":
        ends = corner.part("upright").frame(corner.at("strut_bottom")), corner.chassis.frame(corner.at("strut_top"))
    elif s.spring == "direct":
        ends = corner.part(s.carrier).frame(corner.at("spring_bottom")), corner.chassis.frame(corner.at("spring_top"))
    else:
        rocker = _rocker(corner)
        ends = rocker.frame(corner.at("spring_rocker")), corner.chassis.frame(corner.at("spring_chassis"))
    corner.model.spring(corner.name("spring"), *ends, k=s.k, c=s.c, preload=-s.preload)


def _rocker(corner: Corner) -> Body:
    s = corner.suspension
    pivot, axis = corner.at("rocker_pivot"), corner.at("rocker_axis") - corner.at("rocker_pivot")
    rocker = corner.body("rocker", 0.0, s.rocker_inertia, pivot)
    corner.model.outline(rocker, [pivot, corner.at("rod_rocker"), corner.at("spring_rocker")], thickness=0.015)
    corner.model.revolute(corner.name("rocker_hinge"), corner.chassis, rocker, at=pivot, axis=axis)
    corner.model.distance(
        corner.name(s.spring.replace(" ", "_")),
        corner.part(s.carrier).frame(corner.at("rod_outer")),
        rocker.frame(corner.at("rod_rocker")),
    )
    return rocker


def _travel(corner: Corner, carrier: Body) -> None:
    """The height of the wheel's centre over the chassis as a measure "front_left_travel",
    positive in bump; and the wheel's frame."""
    centre, name = corner.at("wheel_centre"), corner.name("travel")
    if corner.chassis.is_ground:
        corner.model.measure(name, along_world("z", corner.chassis.frame(centre), carrier.frame(centre)))
    spin = corner.suspension.spindle(corner.side)
    corner.model.frame(corner.name("wheel_centre"), carrier, centre, z=spin, x=np.array([spin[1], -spin[0], 0.0]))


def _wheel(corner: Corner, carrier: Body) -> None:
    """A wheel on a hinge whose angle grows as the car rolls forwards."""
    s, centre, spin = corner.suspension, corner.at("wheel_centre"), corner.suspension.spindle(corner.side)
    wheel = corner.model.body(corner.name("wheel"), s.wheel_mass, _wheel_inertia(s, corner.side), at=centre)
    corner.parts["wheel"] = wheel
    corner.model.look(
        wheel,
        "tube",
        radius=s.wheel_radius,
        inner_radius=0.6 * s.wheel_radius,
        length=s.wheel_width,
        axis=spin.tolist(),
        colour="black",
    )
    corner.model.revolute(corner.name("hub"), carrier, wheel, at=centre, axis=spin)


def _bar(sides: dict[str, Corner]) -> None:
    s, model = sides["left"].suspension, sides["left"].model
    if s.bar == "u":
        angles = [_lever(corner)["angle"] for corner in sides.values()]
        twist = angles[0] - angles[1]
        model.measure(f"{s.name}_bar_twist", twist)
        model.spring(f"{s.name}_bar", twist, k=s.bar_k)
    else:
        _t_bar(sides)


def _lever(corner: Corner) -> Joint:
    """Half of a U-bar: a lever on an axis along y, and its drop link."""
    pivot, end = corner.at("bar_pivot"), corner.at("bar_end")
    lever = corner.body("bar_lever", 0.0, 0.0, pivot)
    corner.model.outline(lever, [pivot * (1, 0, 1), pivot, end], thickness=0.015)
    hinge = corner.model.revolute(corner.name("bar_hinge"), corner.chassis, lever, at=pivot, axis="y")
    _drop_link(corner, lever)
    return hinge


def _drop_link(corner: Corner, bar: Body) -> None:
    corner.model.distance(
        corner.name("bar_link"),
        corner.part(corner.suspension.bar_carrier).frame(corner.at("bar_link")),
        bar.frame(corner.at("bar_end")),
    )


def _t_bar(sides: dict[str, Corner]) -> None:
    """A stem that nods about y and twists about itself, with a cross-piece at its top."""
    left = sides["left"]
    s, model = left.suspension, left.model
    foot, top = s.point("bar_pivot"), s.point("bar_top")
    bar = model.body(f"{s.name}_t_bar", 0.0, at=foot)
    model.outline(bar, [foot, top, *(s.point("bar_end", side) for side in SIDES)], thickness=0.015)
    joint = model.universal(f"{s.name}_t_bar_foot", left.chassis, bar, at=foot, axis="y", axis2=top - foot)
    model.measure(f"{s.name}_bar_twist", joint["angle2"])
    model.spring(f"{s.name}_bar", joint["angle2"], k=s.bar_k)
    for corner in sides.values():
        _drop_link(corner, bar)


def _third(sides: dict[str, Corner]) -> None:
    left, right = sides["left"], sides["right"]
    s = left.suspension
    ends = (corner.part("rocker").frame(corner.at("third_rocker")) for corner in (left, right))
    left.model.spring(f"{s.name}_third_spring", *ends, k=s.third_k, c=s.third_c)


def kingpin_roles(suspension: Suspension) -> tuple[str, str] | None:
    """The lower and upper point of the steering axis, where points give it."""
    return KINDS[suspension.kind].kingpin
