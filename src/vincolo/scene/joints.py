"""Joints as they are drawn: symbols on both bodies, and the real shapes of wheels, racks, cams, curves and belts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.model.body import Body, Frame
from vincolo.model.geometry import Array
from vincolo.model.joint import Joint
from vincolo.scene.meshes import Mesh, ball, box, cylinder, extruded, joined, ring, swept
from vincolo.scene.symbols import DIRECTIONS, SYMBOLS, gear_outline, tip, wheel

if TYPE_CHECKING:
    from vincolo.model import Model

SIDEWAYS = np.diag([1.0, -1.0, 1.0])
ROUND = 180  # corners of a cam
#: joints with a rod between their points, which may move apart: its radius as a share of that of bars
RODS = {"distance": 0.45, "spherical_revolute": 0.6, "prismatic": 0.5, "cylindrical": 0.5, "screw": 0.5, "guide": 0.3}
#: joints whose second body slides on a rail: its piece is a part of it
SLEEVES = ("prismatic", "cylindrical", "screw")
#: joints that show by themselves what they stand on
NO_GROUND = (*DIRECTIONS, "distance", "gear", "bevel_gear", "rolling_disc", "rolling_ball", "planar", "point_on_plane",
             "knife_edge", "cam", "flat_cam", "rack_and_pinion", "point_on_curve")


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles in the axes of a frame; `shape` if they are a real part of the body, `second` if of the second."""

    frame: Frame
    mesh: Mesh
    second: bool = False
    shape: bool = False


@dataclass(frozen=True, eq=False)
class Setting:
    """What drawing a joint takes besides the joint: radius of bars and size of the mechanism [m], and the model."""

    r: float
    size: float
    model: Model


def pieces_of(joint: Joint, setting: Setting) -> list[Piece]:
    """What is drawn of a joint."""
    if joint.kind in SHAPES:
        pieces = SHAPES[joint.kind](joint, setting)
        return [replace(p, mesh=p.mesh.moved(axes=SIDEWAYS)) for p in pieces] if joint.mirrored else pieces
    first, second = SYMBOLS[joint.kind](setting.r, joint)
    pair = [Piece(joint.a, first), Piece(joint.b, second, True, joint.kind in SLEEVES)]
    if joint.kind not in DIRECTIONS:
        return pair
    return [replace(p, frame=replace(p.frame, point=p.frame.body.com)) for p in pair if not p.frame.body.is_ground]


# the real shapes, in the axes of the joint's frames

def _distance(joint: Joint, s: Setting) -> list[Piece]:
    return [Piece(f, ball(1.2 * s.r), f is joint.b) for f in (joint.a, joint.b)]


def _gear(joint: Joint, s: Setting) -> list[Piece]:
    """Toothed wheels if their radii fit the distance of the centres; else pulleys with a belt."""
    first, second = float(joint.parameters["radius"]), float(joint.parameters["radius2"])
    gap = joint.b.drawn_point - joint.a.drawn_point
    z = joint.a.drawn_axes[:, 2]
    apart = float(np.linalg.norm(gap - z * (z @ gap)))
    if abs(abs(first + second) - apart) > 1e-3 * apart:
        return _pulleys(joint, s, first, second, gap)
    tooth = 2 * np.pi * min(first, abs(second)) / 18
    counts = [max(8, min(120, round(2 * np.pi * abs(radius) / tooth))) for radius in (first, second)]
    width = min(2.4 * s.r, 0.5 * min(first, abs(second)))
    other = wheel(second, width, counts[1]) if second > 0 else _ring_gear(-second, width, counts[1])
    return [Piece(joint.a, wheel(first, width, counts[0]), shape=True), Piece(joint.b, other, True, True)]


def _ring_gear(radius: float, width: float, teeth: int) -> Mesh:
    turns = 2 * np.pi * np.arange(72) / 72
    outer = (radius * (1 + min(0.25, 5.0 / teeth))) * np.column_stack([np.cos(turns), np.sin(turns)])
    return extruded(outer, width, [gear_outline(radius, teeth)]).moved((0, 0, -width / 2))


def _pulleys(joint: Joint, s: Setting, first: float, second: float, gap: Array) -> list[Piece]:
    pieces = [Piece(frame, _pulley(abs(radius), s.r), frame is joint.b, True)
              for frame, radius in ((joint.a, first), (joint.b, second))]
    carrier = _carrier(joint, s.model)
    if carrier is not None:
        z = joint.a.drawn_axes[:, 2]
        across = gap - z * (z @ gap)
        line = _belt(first, abs(second), float(np.linalg.norm(across)), crossed=second > 0)
        frame = carrier.frame(joint.a.drawn_point, z=z, x=across / np.linalg.norm(across))
        pieces.append(Piece(frame, swept(line, 0.42 * s.r, 8, closed=True)))
    return pieces


def _pulley(radius: float, r: float) -> Mesh:
    rims = [cylinder(radius + 0.5 * r, 0.5 * r, 40).moved((0, 0, side * 0.95 * r)) for side in (-1, 1)]
    return joined([cylinder(radius - 0.35 * r if radius > r else radius, 1.6 * r, 40), *rims])


def _carrier(joint: Joint, model: Model) -> Body | None:
    """The body on which both wheels turn."""
    neighbours = []
    for frame in (joint.a, joint.b):
        found = {}
        for other in model.joints.values():
            if other.kind in ("revolute", "cylindrical", "planar", "fixed"):
                for one, two in ((other.a, other.b), (other.b, other.a)):
                    if one.body is frame.body:
                        found[two.body.name] = two.body
        neighbours.append(found)
    return next((body for name, body in neighbours[0].items() if name in neighbours[1]), None)


def _belt(first: float, second: float, apart: float, crossed: bool) -> Array:
    """A line around two circles, the second at x = apart, closed."""
    lean = np.arccos(np.clip((first + second if crossed else first - second) / apart, -1.0, 1.0))
    around = np.linspace(lean, 2 * np.pi - lean, 25)
    back = np.linspace(np.pi + lean, 3 * np.pi - lean, 25) if crossed else np.linspace(-lean, lean, 25)
    back = back[::-1] if crossed else back
    one = first * np.column_stack([np.cos(around), np.sin(around)])
    two = second * np.column_stack([np.cos(back), np.sin(back)]) + (apart, 0)
    line = np.vstack([one, two, one[:1]])
    return np.column_stack([line, np.zeros(len(line))])


def _rack(joint: Joint, s: Setting) -> list[Piece]:
    radius = float(joint.parameters["radius"])
    teeth = 18
    pinion = wheel(abs(radius), min(2.4 * s.r, 0.5 * abs(radius)), teeth)
    return [Piece(joint.a, pinion, shape=True),
            Piece(joint.b, _toothed(radius, teeth, max(4.5 * abs(radius), 16 * s.r), 2 * s.r), True, True)]


def _toothed(radius: float, teeth: int, length: float, thick: float) -> Mesh:
    """A rack along x that touches a pinion of a radius about the origin, below it if the radius is positive."""
    tooth = 2 * np.pi * abs(radius) / teeth
    count = max(4, round(length / tooth))
    high = 0.06 * abs(radius)
    cell = np.array([(0.0, -high), (0.17, high), (0.38, high), (0.55, -high)])
    edge = np.vstack([cell * (tooth, 1.0) + ((k - count / 2) * tooth, 0.0) for k in range(count)])
    low = -high - max(thick, 0.2 * abs(radius))
    outline = np.vstack([edge, (edge[-1, 0], low), (edge[0, 0], low)]) - (0.0, abs(radius))
    width = min(thick, 0.5 * abs(radius))
    made = extruded(outline, width).moved((0, 0, -width / 2))
    return made if radius > 0 else made.moved(axes=np.diag([-1.0, -1.0, 1.0]))


def _cam(joint: Joint, s: Setting) -> list[Piece]:
    """The curve that the follower's point keeps to, and the point."""
    turns = 2 * np.pi * np.arange(ROUND) / ROUND
    radii = np.array([joint.parameters["profile"](float(a)) for a in turns])
    outline = radii[:, None] * np.column_stack([np.cos(turns), np.sin(turns)])
    away = joint.b.drawn_axes.T @ (joint.b.drawn_point - joint.a.drawn_point)
    if joint.mirrored:
        away = SIDEWAYS @ away
    return [Piece(joint.a, _disc(outline, s.r), shape=True), Piece(joint.b, tip(s.r).along(_unit(away)), True)]


def _flat_cam(joint: Joint, s: Setting) -> list[Piece]:
    """The curve that all tangents touch, and the flat face."""
    turns = 2 * np.pi * np.arange(ROUND) / ROUND
    h, slope = np.array([joint.parameters["support"].derivatives(float(a))[:2] for a in turns]).T
    c, sine = np.cos(turns), np.sin(turns)
    outline = np.column_stack([h * c - slope * sine, h * sine + slope * c])
    face = box((3 * s.r, 3 * s.r, 0.9 * s.r)).moved((0, 0, 0.45 * s.r))
    wide = max(2.4 * float(np.abs(slope).max()), 8 * s.r)
    face = Mesh(face.vertices * (wide / (3 * s.r), wide / (3 * s.r) if wide < 9 * s.r else 3.0, 1.0), face.faces)
    across = joint.b.drawn_axes.T @ np.cross(joint.a.drawn_axes[:, 2], joint.b.drawn_axes[:, 2])
    across = _unit(across - (0, 0, across[2])) if np.linalg.norm(across[:2]) > 1e-9 else np.array([1.0, 0, 0])
    axes = np.column_stack([across, np.cross((0, 0, 1.0), across), (0, 0, 1.0)])
    return [Piece(joint.a, _disc(outline, s.r), shape=True), Piece(joint.b, face.moved(axes=axes), True)]


def _disc(outline: Array, r: float) -> Mesh:
    return extruded(outline, 1.8 * r).moved((0, 0, -0.9 * r))


def _unit(v: Array) -> Array:
    length = float(np.linalg.norm(v))
    return v / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])


def _curve(joint: Joint, s: Setting) -> list[Piece]:
    """The wire around where its bead is drawn."""
    f, g = joint.parameters["path"]
    middle = float((joint.a.drawn_axes.T @ (joint.b.drawn_point - joint.a.drawn_point))[0])
    x = middle + np.linspace(-0.5, 0.5, 97) * s.size
    line = np.column_stack([x, [f(float(a)) for a in x], [g(float(a)) for a in x]])
    sound = np.isfinite(line).all(axis=1)
    sound &= np.abs(np.where(sound[:, None], line, 0.0)[:, 1:] - np.nan_to_num(line[48, 1:])).max(axis=1) < 0.6 * s.size
    stretch = _around(sound, 48)
    wire = [Piece(joint.a, swept(line[stretch], 0.42 * s.r, 10))] if stretch.stop - stretch.start > 2 else []
    return [*wire, Piece(joint.b, ball(1.6 * s.r), True)]


def _around(sound: Any, middle: int) -> slice:
    """The numbers around the middle one up to the first that is not sound."""
    if not sound[middle]:
        return slice(middle, middle)
    bad = np.flatnonzero(~sound)
    first, last = bad[bad < middle], bad[bad > middle]
    return slice(int(first[-1]) + 1 if len(first) else 0, int(last[0]) if len(last) else len(sound))


def _rolling(joint: Joint, s: Setting) -> list[Piece]:
    """The plane under the point where it touches as drawn; what rolls is the look of its body."""
    flat = joint.a.drawn_axes.T @ (joint.b.drawn_point - joint.a.drawn_point)
    wide = max(3 * float(joint.parameters["radius"]), 10 * s.r)
    return [Piece(joint.a, box((wide, wide, 0.4 * s.r)).moved((flat[0], flat[1], -0.2 * s.r)))]


def rolling_look(joint: Joint) -> Mesh:
    """A wheel or a ball in the axes of its frame, for a body without a look of its own."""
    radius = float(joint.parameters["radius"])
    if joint.kind == "rolling_disc":
        return wheel(radius, 0.2 * radius)
    seams = [ring(radius, 0.03 * radius).along(axis) for axis in "xyz"]  # so that it is seen to turn
    return joined([ball(radius, 3), *seams])


SHAPES: Mapping[str, Callable[[Joint, Setting], list[Piece]]] = {
    "distance": _distance, "gear": _gear, "rack_and_pinion": _rack, "cam": _cam, "flat_cam": _flat_cam,
    "point_on_curve": _curve, "rolling_disc": _rolling, "rolling_ball": _rolling}
