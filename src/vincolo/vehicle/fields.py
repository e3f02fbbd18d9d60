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
    "sides": Field("text", "", "both, or one side alone: left or right, as a corner; curves are those of an axle."),
    "chassis": Field("text", "", "The body that it is mounted on, from the sheet Bodies; the ground if empty."),
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
VEHICLE: dict[str, Field] = {
    "front": Field("text", "", "The suspension of the front axle, by its name."),
    "rear": Field("text", "", "The suspension of the rear axle."),
    "mass": _number("mass", "Of the chassis with all it carries but uprights and wheels."),
    "com_x": _number("length", "Centre of mass of the chassis, x forward."),
    "com_y": _number("length", "The same, y to the left; 0 if empty."),
    "com_z": _number("length", "The same, z up."),
    "inertia_xx": _number(
        "inertia", "Moment of inertia of the chassis about x (roll); guessed from its size if empty."
    ),
    "inertia_yy": _number("inertia", "The same about y (pitch)."),
    "inertia_zz": _number("inertia", "The same about z (yaw)."),
    "brake_front": _number("number", "Share of the brake torque on the front wheels; 0.6 if empty."),
    "drive_front": _number("number", "Share of the drive torque on the front wheels; 0 if empty."),
    "drag": _number("number", "Resistance of the air over speed squared [N s2/m2]."),
    "downforce_front": _number("number", "Downforce on the front axle over speed squared [N s2/m2]."),
    "downforce_rear": _number("number", "The same on the rear axle."),
    "rack_ratio": _number("number", "Travel of the rack for each radian of the steering wheel [m]; 0.015 if empty."),
    "tyre_front": Field("text", "", "The tyres in front, by their name on the sheet Tyres."),
    "tyre_rear": Field("text", "", "The tyres at the rear."),
    "speed": _number("speed", "With which a run begins; 0 if empty."),
}
TYRE: dict[str, Field] = {
    "kind": Field("text", "", "magic, fiala or linear; empty with a file."),
    "file": Field("text", "", "A .tir file, seen from this one."),
    "radius": _number("length", "Radius without load."),
    "k": _number("stiffness", "Vertical stiffness."),
    "c": _number("damping", "Vertical damping."),
    "relaxation_x": _number("length", "Relaxation length of the longitudinal force."),
    "relaxation_y": _number("length", "Relaxation length of the side force."),
    "numbers": Field(
        "nested",
        "",
        "Numbers of its formulas: {C_kappa: 3e4, C_alpha: 2.4e4, mu: 1.6} or {FNOMIN: 1000, PCY1: 1.4, ...}.",
    ),
}
LOAD_CASE: dict[str, Field] = {
    "ax": _number("acceleration", "Acceleration forwards; braking is negative."),
    "ay": _number("acceleration", "Acceleration to the left."),
    "az": _number("acceleration", "Acceleration upwards, besides gravity: 20 for a bump."),
    "speed": _number("speed", "For the forces of the air."),
}
#: sections of files by the name of their sheet
SECTIONS = {
    "suspensions": ("Suspensions", SUSPENSION),
    "vehicles": ("Vehicle", VEHICLE),
    "tyres": ("Tyres", TYRE),
    "load_cases": ("Load cases", LOAD_CASE),
    "limits": ("Limits", LIMIT),
}
