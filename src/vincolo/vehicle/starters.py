"""Suspensions to begin with: one of each kind, in mm, of our own design."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.vehicle.car import Car
from vincolo.vehicle.suspension import Suspension, millimetres
from vincolo.vehicle.tyres import Tyre

Numbers = tuple[float, float, float]
#: the points [mm] of a Formula Student corner, the origin on the ground below the middle of its axle
_FORMULA: dict[str, Numbers] = {
    "upper_front": (125, 265, 275),
    "upper_rear": (-115, 265, 265),
    "upper_ball": (-9, 545, 318),
    "lower_front": (135, 225, 118),
    "lower_rear": (-135, 225, 124),
    "lower_ball": (6, 572, 128),
    "tie_inner": (62, 222, 146),
    "tie_outer": (72, 563, 158),
    "wheel_centre": (0, 605, 228),
}
_ROCKER: dict[str, Numbers] = {
    "rod_outer": (2, 535, 148),
    "rod_rocker": (2, 286, 463),
    "rocker_pivot": (2, 245, 430),
    "rocker_axis": (62, 245, 430),
    "spring_rocker": (2, 256, 478),
    "spring_chassis": (2, 60, 500),
}
_PULL: dict[str, Numbers] = {
    "rod_outer": (-8, 510, 305),
    "rod_rocker": (-4, 260, 114),
    "rocker_pivot": (-4, 258, 158),
    "rocker_axis": (56, 258, 158),
    "spring_rocker": (-4, 283, 230),
    "spring_chassis": (-4, 60, 178),
}
_U_BAR: dict[str, Numbers] = {"bar_pivot": (82, 150, 360), "bar_end": (2, 205, 360), "bar_link": (2, 205, 434)}
_T_BAR: dict[str, Numbers] = {
    "bar_pivot": (122, 0, 360),
    "bar_top": (2, 0, 360),
    "bar_end": (2, 205, 360),
    "bar_link": (2, 205, 434),
}
_THIRD: dict[str, Numbers] = {"third_rocker": (2, 245, 485)}
_FS = {
    "k": 35e3,
    "c": 1500.0,
    "wheel_radius": 0.228,
    "wheel_width": 0.19,
    "tyre_k": 110e3,
    "upright_mass": 3.0,
    "upright_inertia": 0.02,
    "wheel_mass": 6.0,
    "wheel_inertia": 0.16,
    "camber": np.radians(-1.2),
}

_ROAD = {
    "k": 24e3,
    "c": 1800.0,
    "wheel_radius": 0.31,
    "wheel_width": 0.2,
    "tyre_k": 2.1e5,
    "upright_mass": 14.0,
    "upright_inertia": 0.25,
    "wheel_mass": 18.0,
    "wheel_inertia": 0.9,
}
_MCPHERSON: dict[str, Numbers] = {
    "lower_front": (60, 370, 215),
    "lower_rear": (-240, 390, 225),
    "lower_ball": (5, 705, 190),
    "strut_top": (-35, 575, 860),
    "strut_bottom": (-8, 640, 420),
    "tie_inner": (-115, 355, 265),
    "tie_outer": (-130, 690, 262),
    "wheel_centre": (0, 760, 310),
}
_FIVE: dict[str, Numbers] = {
    "link1_inner": (140, 420, 440),
    "link1_outer": (15, 680, 455),
    "link2_inner": (-130, 430, 450),
    "link2_outer": (-20, 675, 460),
    "link3_inner": (330, 480, 255),
    "link3_outer": (40, 695, 215),
    "link4_inner": (-25, 330, 215),
    "link4_outer": (-5, 715, 195),
    "tie_inner": (-165, 350, 240),
    "tie_outer": (-140, 700, 225),
    "wheel_centre": (0, 765, 310),
}
_DIRECT: dict[str, Numbers] = {"spring_bottom": (-10, 640, 235), "spring_top": (-30, 560, 640)}

#: suspensions to begin with: what `Suspension` takes, points in mm
EXAMPLES: dict[str, dict[str, Any]] = {
    "fs push rod": {
        "kind": "double wishbone",
        "spring": "push rod",
        "steered": True,
        "points": {**_FORMULA, **_ROCKER},
        **_FS,
    },
    "fs pull rod": {"kind": "double wishbone", "spring": "pull rod", "points": {**_FORMULA, **_PULL}, **_FS},
    "fs corner": {
        "kind": "double wishbone",
        "spring": "push rod",
        "sides": "left",
        "points": {**_FORMULA, **_ROCKER},
        **_FS,
    },
    "fs u-bar": {
        "kind": "double wishbone",
        "spring": "push rod",
        "bar": "u",
        "bar_k": 90.0,
        "steered": True,
        "points": {**_FORMULA, **_ROCKER, **_U_BAR},
        **_FS,
    },
    "fs t-bar": {
        "kind": "double wishbone",
        "spring": "push rod",
        "bar": "t",
        "bar_k": 90.0,
        "points": {**_FORMULA, **_ROCKER, **_T_BAR},
        **_FS,
    },
    "fs third spring": {
        "kind": "double wishbone",
        "spring": "push rod",
        "third_k": 20e3,
        "third_c": 800.0,
        "steered": True,
        "points": {**_FORMULA, **_ROCKER, **_THIRD},
        **_FS,
    },
    "double wishbone": {
        "kind": "double wishbone",
        "spring": "direct",
        "rod_on": "lower_arm",
        "steered": True,
        "points": {**_FORMULA, "spring_bottom": (0, 470, 135), "spring_top": (0, 300, 440)},
        **_FS,
    },
    "mcpherson": {"kind": "mcpherson", "spring": "strut", "steered": True, "points": _MCPHERSON, **_ROAD},
    "five-link": {
        "kind": "five-link",
        "spring": "direct",
        "rod_on": "upright",
        "points": {**_FIVE, **_DIRECT},
        **_ROAD,
    },
    "semi-trailing arm": {
        "kind": "semi-trailing arm",
        "spring": "direct",
        "points": {
            "pivot_inner": (330, 220, 270),
            "pivot_outer": (420, 600, 275),
            "wheel_centre": (0, 730, 300),
            "spring_bottom": (60, 560, 240),
            "spring_top": (50, 550, 560),
        },
        **_ROAD,
    },
    "live axle": {
        "kind": "live axle",
        "spring": "direct",
        "points": {
            "lower_chassis": (520, 470, 300),
            "lower_axle": (30, 520, 250),
            "upper_chassis": (330, 0, 430),
            "upper_axle": (20, 0, 450),
            "panhard_chassis": (-90, -470, 330),
            "panhard_axle": (-90, 480, 320),
            "wheel_centre": (0, 740, 310),
            "spring_bottom": (0, 520, 330),
            "spring_top": (0, 500, 700),
        },
        **_ROAD,
    },
}


def example(name: str, title: str = "front", at: float = 0.0) -> Suspension:
    """One of the suspensions to begin with, as "front" or another title, its axle at x = `at` [m]."""
    if name not in EXAMPLES:
        raise ModelError(
            f"there is no example suspension {name!r}.{suggest(name, EXAMPLES)}\n  Examples: {', '.join(EXAMPLES)}."
        )
    given = dict(EXAMPLES[name])
    points = {role: p + np.array([at, 0.0, 0.0]) for role, p in millimetres(given.pop("points")).items()}
    return Suspension(title, points=points, **given)


#: numbers of a Magic Formula tyre of our own, of the size that Formula Student cars have
MAGIC = {
    "FNOMIN": 1000.0,
    "PCX1": 1.6,
    "PDX1": 1.55,
    "PDX2": -0.12,
    "PEX1": 0.2,
    "PKX1": 32.0,
    "PKX3": 0.1,
    "PCY1": 1.4,
    "PDY1": 1.6,
    "PDY2": -0.15,
    "PEY1": -0.4,
    "PKY1": -28.0,
    "PKY2": 1.6,
    "PKY6": -0.8,
    "RBX1": 12.0,
    "RBX2": 10.0,
    "RCX1": 1.05,
    "RBY1": 14.0,
    "RBY2": 10.0,
    "RCY1": 1.05,
    "QBZ1": 10.0,
    "QBZ10": 0.2,
    "QCZ1": 1.15,
    "QDZ1": 0.11,
    "QEZ1": -1.0,
}


#: numbers of a Magic Formula tyre of our own, of the size that passenger cars have
ROAD_MAGIC = {**MAGIC, "FNOMIN": 3500.0, "PDX1": 1.05, "PDY1": 1.0, "PKX1": 22.0, "PKY1": -18.0}
_ROAD_BAR: dict[str, Numbers] = {"bar_pivot": (-300, 330, 270), "bar_end": (-40, 600, 270), "bar_link": (-30, 615, 430)}
#: N/m: stiff bushings where a link leads the wheel, soft ones where it takes the road's bumps
_ROAD_BUSHINGS = {
    "front": {"lower_front": 5e6, "lower_rear": 1.5e6},
    "rear": dict.fromkeys([role for role in _FIVE if role.endswith("_inner")], 3e6),
}


def example_tyre(kind: str = "magic") -> Tyre:
    """A tyre to begin with: "magic", "fiala" or "linear", of a Formula Student car; or "road", a
    Magic Formula tyre of a passenger car."""
    if kind == "road":
        return Tyre("road tyre", "magic", 0.32, 2.1e5, 500.0, 0.1, 0.4, ROAD_MAGIC)
    plain = {"C_kappa": 3.0e4, "C_alpha": 2.4e4, "C_gamma": 800.0, "mu": 1.6, "trail": 0.02}
    return Tyre(f"{kind} tyre", kind, 0.235, 110e3, 300.0, 0.1, 0.25, MAGIC if kind == "magic" else plain)


def example_car(kind: str = "fs") -> Car:
    """A car to begin with: "fs", a Formula Student car with push rods and a U-bar in front, pull rods at the rear,
    driven at the rear; or "road", a passenger car with McPherson struts and an anti-roll bar in front, five links at
    the rear, rubber bushings, driven in front."""
    if kind not in ("fs", "road"):
        raise ModelError(f"there is no example car {kind!r}; there are: fs, road.")
    if kind == "road":
        return _road_car()
    return Car(
        "fs car",
        example("fs u-bar", "front", 0.78),
        replace(example("fs pull rod", "rear", -0.77), toe=0.0),
        mass=230.0,
        com=(0.0, 0.0, 0.28),
        inertia=(18.0, 85.0, 92.0),
        drag=0.7,
        downforce_front=0.8,
        downforce_rear=1.0,
        rack_ratio=0.016,
    )


def _road_car() -> Car:
    front, rear = example("mcpherson", "front", 1.3), example("five-link", "rear", -1.3)
    bar = {role: p + np.array([1.3, 0.0, 0.0]) for role, p in millimetres(_ROAD_BAR).items()}
    return Car(
        "road car",
        replace(front, points={**front.points, **bar}, bar="u", bar_k=600.0, bushings=_ROAD_BUSHINGS["front"]),
        replace(rear, bushings=_ROAD_BUSHINGS["rear"]),
        mass=1250.0,
        com=(0.1, 0.0, 0.55),
        inertia=(450.0, 1900.0, 2000.0),
        brake_front=0.65,
        drive_front=1.0,
        drag=0.4,
        rack_ratio=0.01,
    )
