"""Writes docs/joints.md and docs/pictures/joints/*.png: every joint of the catalogue between two bodies.

    python docs/make_joint_pictures.py
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import vincolo as vc
from vincolo.equations.joints import CATALOGUE
from vincolo.model.joint import Joint
from vincolo.model.measure_units import measure_unit
from vincolo.scene import Scene, scene_of
from vincolo.scene.between import as_drawn
from vincolo.scene.camera import Camera, camera_of
from vincolo.scene.joints import SHAPES
from vincolo.scene.painter import Painter
from vincolo.scene.poses import Poses
from vincolo.scene.symbols import DIRECTIONS

DOCS = Path(__file__).resolve().parent
PAGE, FOLDER = DOCS / "joints.md", DOCS / "pictures" / "joints"
SIZE = (240, 180)
HERE = (0.0, 0.0, 0.0)

#: what formulas of joints resist
NORMAL = {"cam": "force normal to the cam", "flat_cam": "force normal to the face",
          "point_on_curve": "forces normal to the curve", "rolling_disc": "force normal to the plane",
          "rolling_ball": "force normal to the plane"}

INTRODUCTION = """# Joints in pictures

Every joint between two bodies, the first one blue, the second one orange, as pictures and the viewer show it. A symbol
has a piece on each body and moves with it: the dark one belongs to the first body, the bright one to the second.
Wheels, racks, cams, curves and belts are drawn as they are. What a joint holds is said in the axes of its frame on the
first body, z along its axis. Equations and examples are in the [catalogue](catalogue.md).

This page is written by `docs/make_joint_pictures.py`.
"""


def arms(first=(-0.4, 0, 0), second=(0.4, 0, 0)) -> tuple[vc.Model, vc.Body, vc.Body]:
    """Two bars from the origin to these points."""
    m = vc.Model("joint")
    found = [m.body(name, 1.0, 0.01, at=np.array(end) / 2) for name, end in (("a", first), ("b", second))]
    for body, end in zip(found, (first, second), strict=True):
        m.frame(f"end of {body.name}", body, end)
    return m, found[0], found[1]


def joined(kind: str, first=(-0.4, 0, 0), second=(0.4, 0, 0), **given) -> vc.Model:
    """Two bars with a joint in the origin."""
    m, a, b = arms(first, second)
    where = {} if kind in ("parallel", "perpendicular", "orientation") else {"at": HERE}
    getattr(m, kind)(kind, a, b, **where, **given)
    return m


def wheels(kind: str, **given) -> vc.Model:
    """Two wheels on hinges with a distance of 0.5 m."""
    m = vc.Model("joint")
    a, b = (m.body(name, 1.0, 0.01, at=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 0.5)))
    for body in (a, b):
        m.revolute(f"hinge of {body.name}", m.ground, body, at=body.at, axis="y")
    getattr(m, kind)(kind, a, b, at=a.at, at2=b.at, axis="y", **given)
    return m


def bevel_gear() -> vc.Model:
    """Two shafts at right angles."""
    m, a, b = arms((0, 0, -0.35), (0.35, 0, 0))
    m.bevel_gear("bevel_gear", a, b, at=HERE, axis="z", axis2="x", ratio=1.5)
    return m


def rack_and_pinion() -> vc.Model:
    """A pinion on a hinge above a rack."""
    m = vc.Model("joint")
    a, b = m.body("a", 1.0, 0.01), m.body("b", 1.0, 0.01, at=(0, 0, -0.2))
    m.revolute("hinge", m.ground, a, at=HERE, axis="-y")
    m.rack_and_pinion("rack_and_pinion", a, b, at=HERE, axis="-y", along="x", radius=0.16)
    return m


def follower(kind: str, **given) -> vc.Model:
    """A cam with an arc of 0.05 m lift, and a rod above it."""
    m = vc.Model("joint")
    a, b = m.body("a", 1.0, 0.01), m.body("b", 1.0, 0.01, at=(0, 0, 0.4))
    m.revolute("hinge", m.ground, a, at=HERE, axis="-y")
    m.frame("top", b, (0, 0, 0.5))
    getattr(m, kind)(kind, a, b, at=HERE, axis="-y", along="x", profile="0.17 + 0.04*sin(t)", point=(0, 0, 0.21),
                     **given)
    return m


def point_on_curve() -> vc.Model:
    """A bar with its end on a wave."""
    m, a, b = arms((0.0, 0, -0.3), (0.3, -0.1, 0.3))
    m.point_on_curve("point_on_curve", a, b, at=(0, 0, 0), axis="-y", along="x", point=HERE, y="0.1*sin(12*t)")
    return m


def spherical_revolute() -> vc.Model:
    """Two bars with a link between them."""
    m = vc.Model("joint")
    a, b = m.body("a", 1.0, 0.01, at=(-0.4, 0, 0)), m.body("b", 1.0, 0.01, at=(0.4, 0, 0.1))
    m.frame("end of a", a, (-0.55, 0, -0.1)), m.frame("end of b", b, (0.55, 0, 0.3))
    m.spherical_revolute("spherical_revolute", a, b, at=(-0.2, 0, 0), axis="y", end=(0.2, 0, 0.05))
    return m


def distance() -> vc.Model:
    """Two bars with a rod between them."""
    m = vc.Model("joint")
    a, b = m.body("a", 1.0, 0.01, at=(-0.3, 0, 0.0)), m.body("b", 1.0, 0.01, at=(0.3, 0, 0.1))
    m.frame("end of a", a, (-0.45, 0, -0.15)), m.frame("end of b", b, (0.45, 0, 0.3))
    m.distance("distance", a.frame((-0.2, 0, 0)), b.frame((0.2, 0, 0.05)))
    return m


def rolling(kind: str) -> vc.Model:
    """Something that rolls on a body."""
    m = vc.Model("joint")
    a, b = m.body("a", 1.0, 0.01), m.body("b", 1.0, 0.01, at=(0, 0, 0.3))
    axle = {"axle": (0, 1, 0.25)} if kind == "rolling_disc" else {}
    getattr(m, kind)(kind, a, b, centre=(0, 0, 0.3 if not axle else 0.3 * 0.97), radius=0.3, **axle)
    return m


def oldham() -> vc.Model:
    """Two shafts that stand apart."""
    m, a, b = arms((0, 0, -0.35), (0, 0, 0.35))
    m.oldham("oldham", a.frame(HERE, z="z", x="x"), b.frame((0.015, 0, 0), z="z", x="x"))
    return m


def apart(kind: str, **given) -> vc.Model:
    """Two bars that do not touch."""
    m = vc.Model("joint")
    for name, x, lean in (("a", -0.25, 0.1), ("b", 0.25, 0.2)):
        body = m.body(name, 1.0, 0.01, at=(x, 0, 0))
        m.frame(f"low end of {name}", body, (x - lean, 0, -0.2))
        m.frame(f"high end of {name}", body, (x + lean, 0, 0.2))
    getattr(m, kind)(kind, m.bodies["a"], m.bodies["b"], **given)
    return m


def blade() -> vc.Model:
    """A skate on a body."""
    m, a, b = arms((-0.2, 0, -0.3), (0, 0, 0.35))
    m.knife_edge("knife_edge", a, b, at=HERE, along="x")
    return m


MODELS = {
    "spherical": lambda: joined("spherical", (-0.4, 0, -0.1), (0.3, 0, 0.25)),
    "revolute": lambda: joined("revolute", (-0.4, 0, -0.1), (0.3, 0, 0.25), axis="y"),
    "cylindrical": lambda: joined("cylindrical", (-0.35, 0, 0), (0.1, 0, 0.35), axis="x"),
    "prismatic": lambda: joined("prismatic", (-0.35, 0, 0), (0.1, 0, 0.35), axis="x"),
    "universal": lambda: joined("universal", axis="z", axis2="y"),
    "planar": lambda: joined("planar", (-0.2, 0, -0.3), (0.1, 0, 0.3), axis="z"),
    "fixed": lambda: joined("fixed"),
    "guide": lambda: joined("guide", (-0.35, 0, 0), (0.1, 0, 0.35), axis="x"),
    "point_on_plane": lambda: joined("point_on_plane", (-0.2, 0, -0.3), (0, 0, 0.35), axis="z"),
    "distance": distance,
    "parallel": lambda: apart("parallel", axis="z"),
    "perpendicular": lambda: apart("perpendicular", axis="z", axis2="x"),
    "orientation": lambda: apart("orientation"),
    "slot": lambda: joined("slot", (-0.35, 0, 0), (0.1, 0, 0.35), axis="y", along="x"),
    "oldham": oldham,
    "constant_velocity": lambda: joined("constant_velocity", (-0.4, 0, 0), (0.38, 0, 0.12), axis="x"),
    "elbow": lambda: joined("elbow", axis="z", axis2=(0, 1, 0.6)),
    "spherical_revolute": spherical_revolute,
    "screw": lambda: joined("screw", (-0.35, 0, 0), (0.1, 0, 0.35), axis="x", pitch=0.05),
    "gear": lambda: wheels("gear", ratio=1.5),
    "belt": lambda: wheels("belt", radius=0.1, radius2=0.17),
    "bevel_gear": bevel_gear,
    "rack_and_pinion": rack_and_pinion,
    "cam": lambda: follower("cam"),
    "flat_cam": lambda: follower("flat_cam", normal="z"),
    "point_on_curve": point_on_curve,
    "rolling_disc": lambda: rolling("rolling_disc"),
    "rolling_ball": lambda: rolling("rolling_ball"),
    "knife_edge": blade,
}


def units(joint: Joint) -> str:
    """Names and units of the coordinates of a joint."""
    return ", ".join(f"`{n}` [{measure_unit(m)}]" for n, m in joint.coordinates.items()) or "none"


def held(joint: Joint) -> str:
    """What the rows of a joint resist, in its axes."""
    found: dict[str, list[str]] = {}
    for text in joint.row_names():
        says = NORMAL[joint.kind] if text.startswith("force of") else text
        what, word, axis = says.rpartition(" about " if " about " in says else " along ")
        if len(axis) != 1:
            what, word, axis = says, "", ""
        found.setdefault(what + word, []).append(axis)
    return "; ".join(what + ", ".join(sorted(set(axes))) for what, axes in found.items())


def page() -> str:
    """The whole page."""
    if wrong := set(MODELS) ^ {*CATALOGUE, "belt"}:
        raise SystemExit(f"joints: there is no picture for these, or no joint for the picture: {sorted(wrong)}.")
    rows = ["| | joint | holds | leaves of 6 | coordinates |", "|---|---|---|---|---|"]
    for name in MODELS:
        joint = MODELS[name]().joints[name]
        whole = (inspect.getdoc(getattr(vc.Model, name)) or "").replace("\n", " ").replace("|", "\\|")
        says = whole.partition(". ")[0].rstrip(".") + "."
        rows.append(f"| ![{name}](pictures/joints/{name}.png) | **[{name}](catalogue.md#{name})**<br>{says} | "
                    f"{held(joint)} | {CATALOGUE[joint.kind].freedom} | {units(joint)} |")
    return INTRODUCTION + "\n" + "\n".join(rows) + "\n"


def close_up(scene: Scene, poses: Poses, name: str) -> Camera:
    """A camera that sees a joint from near."""
    items = tuple(i for i in scene.items if i.owner == name)
    links = tuple(link for link in scene.links if link.owner == name)
    there = camera_of(scene, poses, wide=SIZE[0] / SIZE[1])
    found = camera_of(replace(scene, items=items, links=links), poses, wide=SIZE[0] / SIZE[1])
    back = there.axes[2]
    wide = name in (*SHAPES, *DIRECTIONS, "belt", "spherical_revolute") and not name.startswith("rolling")
    distance = (1.1 if wide else 1.35) * float(np.linalg.norm(found.eye - found.target))
    return replace(there, eye=found.target + distance * back, target=found.target)


def drawn(name: str, size: tuple[int, int] = SIZE) -> Any:
    """The picture of a joint."""
    model = MODELS[name]()
    scene = scene_of(model)
    poses = as_drawn(model, scene)
    return Painter(scene, poses, size).paint(0, close_up(scene, poses, name))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind in MODELS:
        drawn(kind).quantize(128, dither=0).save(FOLDER / f"{kind}.png", optimize=True)
    PAGE.write_text(page(), encoding="utf-8")
