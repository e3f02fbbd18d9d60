"""The numbers and choices of suspensions and limits for files: what they measure, and what each is for."""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """A key of a file: the kind of its value, what it measures ("" if nothing), and what it is for."""

    kind: str  # number, text, truth, nested
    dimension: str
    help: str


def _number(dimension: str, text: str) -> Field:
    return Field("number", dimension, text)


SUSPENSION: dict[str, Field] = {
    "kind": Field("text", "", "double wishbone, mcpherson, five-link, semi-trailing arm or live axle."),
    "spring": Field("text", "", "direct, push rod, pull rod, strut or none."),
    "bar": Field("text", "", "Anti-roll bar: u, t or none."),
    "steered": Field("truth", "", "true: the inner tie rod ends are on a rack that slides along y."),
    "rod_on": Field("text", "", "The part that carries the rod or the direct spring: lower_arm, upper_arm or upright."),
    "bar_on": Field("text", "", "The part that carries the drop link: rocker, lower_arm, upper_arm or upright."),
    "k": _number("stiffness", "Rate of each spring."),
    "c": _number("damping", "Damping of each damper."),
    "preload": _number("force", "Compression of each spring as drawn."),
    "bar_k": _number("angular stiffness", "Twisting stiffness of the anti-roll bar."),
    "third_k": _number("stiffness", "Rate of the third spring between the rockers."),
    "third_c": _number("damping", "Its damping."),
    "camber": _number("angle", "Static camber: positive if the top leans outwards."),
    "toe": _number("angle", "Static toe: positive if the front points inwards."),
    "wheel_radius": _number("length", "Loaded radius of the wheels."),
    "wheel_width": _number("length", "Width of the wheels, for pictures."),
    "tyre_k": _number("stiffness", "Vertical rate of a tyre."),
    "upright_mass": _number("mass", "Of each upright with hub and brake."),
    "upright_inertia": _number("inertia", "Of each upright, about all axes."),
    "wheel_mass": _number("mass", "Of each wheel with its tyre."),
    "wheel_inertia": _number("inertia", "Of each wheel about its axis; half of it about others."),
    "arm_mass": _number("mass", "Of each arm; 0: arms are rods without mass."),
    "rocker_inertia": _number("inertia", "Of each rocker about its axis."),
    "bushings": Field("nested", "", "Stiffness [N/m] of bushings by point: {lower_front: 5e6, lower_rear: 2e6}."),
    "bushing_damping": _number("time", "Damping of bushings over their stiffness; 0.001 s if empty."),
}
LIMIT: dict[str, Field] = {
    "suspension": Field("text", "", "Which suspension; all of them if empty."),
    "metric": Field("text", "", "What is limited: left.camber, roll_centre_height, ..."),
    "rig": Field("text", "", "parallel, opposite, single, roll or steer; parallel if empty."),
    "low": _number("any", "The least allowed value, with its unit: -3 deg."),
    "high": _number("any", "The largest allowed value, with its unit."),
    "target": _number("any", "The value that is wished for as drawn, with its unit."),
    "weight": _number("number", "How much it counts when points are sought; 1 if empty."),
}
