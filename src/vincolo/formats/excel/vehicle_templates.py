"""Templates of suspensions: points in mm, one side, found by role."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vincolo.formats.excel.template_models import Template
from vincolo.vehicle.car import G
from vincolo.vehicle.curves import curves
from vincolo.vehicle.fields import SUSPENSION
from vincolo.vehicle.loads import CASES
from vincolo.vehicle.starters import example, example_car, example_tyre
from vincolo.vehicle.suspension import Suspension

#: name of the template: the starter, its title
_ONE = {
    "fs-front": ("fs u-bar", "The front suspension of a Formula Student car: double wishbone, push rods, U-bar, rack"),
    "fs-rear": ("fs pull rod", "The rear suspension of a Formula Student car: double wishbone with pull rods"),
    "fs-t-bar": ("fs t-bar", "A Formula Student suspension with push rods and a T-bar"),
    "fs-third-spring": ("fs third spring", "A Formula Student suspension with a third spring between the rockers"),
    "wishbone-direct": ("double wishbone", "A double wishbone suspension with springs on the lower arms and a rack"),
    "mcpherson": ("mcpherson", "A McPherson strut suspension with a rack"),
    "multilink": ("five-link", "A five-link suspension"),
    "semi-trailing": ("semi-trailing arm", "A semi-trailing arm suspension"),
    "live-axle": ("live axle", "A live axle on links with a Panhard rod"),
}
_LIMITS = {
    "camber": {"metric": "left.camber", "rig": "parallel", "low": "-5 deg", "high": "2 deg"},
    "bump steer": {"metric": "left.toe", "rig": "parallel", "low": "-1.5 deg", "high": "1.5 deg"},
    "roll centre": {"metric": "roll_centre_height", "rig": "parallel", "low": "-100 mm", "high": "450 mm"},
}
_NOTES = (
    "Points are those of the left side in mm, x forward, y left, z up (ISO 8855); the right side is mirrored. A "
    "point called "
    "front_lower_ball is the role lower_ball of the suspension front.",
    "Change points and rates, save, and run 'vincolo suspension {name}': camber, toe, roll centre, motion ratios "
    "and more along "
    "wheel travel, roll and steer, and whether the limits on the sheet Limits are kept.",
    "Anything special is added on the sheets Bodies, Joints and Springs; the parts made for you are called "
    "front_left_upright, front_left_lower_arm, front_rack and so on ('vincolo check {name} -v' lists them).",
)


def suspension_tree(s: Suspension) -> dict[str, Any]:
    """The tree of a suspension: its points by name, and the numbers that differ from nothing."""
    blank = {key: Suspension.__dataclass_fields__[key].default for key in SUSPENSION}
    own = {key: getattr(s, key) for key in SUSPENSION if getattr(s, key) != blank[key]}
    return {
        "suspensions": {
            s.name: {key: dict(v) if key == "bushings" else v for key, v in own.items() if key != "bushings" or v}
        },
        "points": {f"{s.name}_{role}": [round(float(v), 9) for v in p] for role, p in s.points.items()},
    }


def _template(starter: str, title: str) -> Template:
    s = example(
        starter, "rear" if starter in ("fs pull rod", "five-link", "semi-trailing arm", "live axle") else "front"
    )
    tree = {
        "name": title.split(":")[0],
        "gravity": [0.0, 0.0, -9.80665],
        **suspension_tree(s),
        "limits": _LIMITS,
        "run": {"analysis": "dynamics", "until": 2.0, "outputs": 200, "units": ["as in headings"]},
    }
    comments = {("points", f"{s.name}_{role}"): text for role, text in s.about.items()}
    return Template(title, tree, comments, _NOTES, ("mm", "deg"))


#: name of the template: the starter, its tyre, what the tyre is called, the speed [m/s] of a run, the title
_CARS = {
    "fs-car": ("fs", "magic", "slick", 15.0, "A Formula Student car: two suspensions, tyres, brakes, drive"),
    "road-car": ("road", "road", "summer", 25.0, "A passenger car: McPherson struts, five links, bushings"),
}


def _car_template(kind: str, rubber: str, called: str, speed: float, title: str) -> Template:
    """A whole car: two suspensions, tyres, load cases and limits."""
    car, tyre = example_car(kind), example_tyre(rubber)
    trees = [suspension_tree(s) for s in car.axles.values()]
    tree: dict[str, Any] = {
        "name": title.split(":")[0],
        "gravity": [0.0, 0.0, -9.80665],
        "points": {**trees[0]["points"], **trees[1]["points"]},
        "suspensions": {**trees[0]["suspensions"], **trees[1]["suspensions"]},
        "vehicles": {
            "car": {
                "front": "front",
                "rear": "rear",
                "mass": car.mass,
                "com_x": float(car.com[0]),
                "com_z": float(car.com[2]),
                **{f"inertia_{a}": float(v) for a, v in zip(("xx", "yy", "zz"), car.inertia, strict=True)},
                **{
                    key: getattr(car, key)
                    for key in ("brake_front", "drive_front", "drag", "downforce_front", "downforce_rear", "rack_ratio")
                },
                "tyre_front": called,
                "tyre_rear": called,
                "speed": speed,
            }
        },
        "tyres": {
            called: {
                "kind": "magic",
                "radius": tyre.radius,
                "k": tyre.k,
                "c": tyre.c,
                "relaxation_x": tyre.relaxation_x,
                "relaxation_y": tyre.relaxation_y,
                "numbers": dict(tyre.numbers),
            }
        },
        "load_cases": {
            c.name: {k: v for k in ("ax", "ay", "az") if (v := getattr(c, k))} or {"ax": 0.0} for c in CASES
        },
        "limits": _LIMITS,
        "run": {
            "analysis": "dynamics",
            "until": 3.0,
            "outputs": 300,
            "units": ["as in headings"],
            "integrator": {"kind": "BogackiShampine", "rtol": 1e-4, "atol": 1e-4},
            "channels": ["chassis.x", "chassis.y", "chassis.z", "chassis.wz"],
        },
    }
    comments = {("points", f"{s.name}_{role}"): text for s in car.axles.values() for role, text in s.about.items()}
    return Template(title, tree, comments, _CAR_NOTES, ("mm", "deg"))


_CAR_NOTES = (
    *_NOTES,
    "The sheet Vehicle has the chassis, the sheet Tyres the tyres (or a .tir file). 'vincolo suspension {name} "
    "--loads' gives "
    "the force in every member for the rows of the sheet Load cases.",
    "'vincolo run {name} --input steering=table.csv' drives: columns t and steering [rad of the steering wheel]; "
    "the other "
    "inputs are drive and brake [N m of all wheels], and speed.",
)


SPRUNG = 60.0  # kg: of the corner


def _corner_template() -> Template:
    """A quarter of a car: one side of a suspension, a share of the chassis on a vertical slide, a tyre as a spring."""
    s = replace(example("fs corner"), chassis="chassis")
    ratio = curves(s, "parallel", -1e-3, 1e-3, 3, wanted=["left.spring_ratio"]).at("left.spring_ratio")
    tree = suspension_tree(replace(s, preload=round(SPRUNG * G / ratio, 6)))
    unsprung = s.upright_mass + s.wheel_mass
    centre, drawn = f"{s.name}_wheel_centre", [0.0, 0.25, 0.3]
    tree |= {
        "name": "A corner of a car",
        "gravity": [0.0, 0.0, -G],
        "bodies": {"chassis": {"mass": SPRUNG, "inertia": 2.0, "at": drawn}},
        "frames": {"road": {"on": "ground", "at": centre}},
        "joints": {"ride": {"kind": "prismatic", "a": "ground", "b": "chassis", "at": drawn, "axis": "z"}},
        "measures": {
            "tyre_height": {
                "kind": "world",
                "axes": [0.0, 0.0, 1.0],
                "between": ["road", f"{s.name}_left_wheel_centre"],
            }
        },
        "springs": {
            "tyre": {"measure": "tyre_height", "k": s.tyre_k, "c": 200.0, "preload": round(-(SPRUNG + unsprung) * G, 6)}
        },
        "limits": _LIMITS,
        "run": {
            "analysis": "dynamics",
            "until": 2.0,
            "outputs": 200,
            "units": ["as in headings"],
            "channels": ["chassis.z", "tyre_height"],
        },
    }
    comments = {("points", f"{s.name}_{role}"): text for role, text in s.about.items()}
    return Template(
        "A corner: one side of a suspension, a quarter of the chassis, a tyre",
        tree,
        comments,
        _CORNER_NOTES,
        ("mm", "deg"),
    )


_CORNER_NOTES = (
    *_NOTES,
    "The suspension has one side, on the body chassis, which slides up and down; the spring 'tyre' carries it. "
    "Preloads are those at which it rests as drawn: change them with the masses.",
)


def vehicle_templates() -> dict[str, Template]:
    """All templates of suspensions by name."""
    cars = {name: _car_template(*given) for name, given in _CARS.items()}
    return {**cars, "corner": _corner_template(), **{name: _template(*given) for name, given in _ONE.items()}}


VEHICLE_TEMPLATES = (*_ONE, "corner")  # of one suspension
