"""Symbols of joints by kind, for bars of radius r: a piece on each body, in the axes of the joint's frame there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.model.joint import Joint
from vincolo.scene.meshes import (
    Mesh,
    arrow,
    ball,
    box,
    cylinder,
    extruded,
    joined,
    revolved,
    ring,
    swept,
    tube,
)

Pieces = tuple[Mesh, Mesh]
Symbol = Callable[[float, Joint], Pieces]
OVER = np.diag([1.0, -1.0, -1.0])  # turns z around


def outward(joint: Joint) -> tuple[Array, Array]:
    """Directions from the joint to the masses of its bodies, as drawn, each in the axes of its own frame; the ground is
    where the other body is not."""
    ways = []
    for frame in (joint.a, joint.b):
        body = frame.body
        way = body.at + body.orientation @ body.com - frame.drawn_point
        ways.append(np.zeros(3) if body.is_ground else way)
    a, b = ways
    a, b = -b if joint.a.body.is_ground else a, -a if joint.b.body.is_ground else b
    return joint.a.drawn_axes.T @ a, joint.b.drawn_axes.T @ b


def _sides(joint: Joint, first: Any = (0.0, 0.0, 1.0), second: Any = (0.0, 0.0, 1.0)) -> tuple[float, float]:
    """On which sides the bodies are, -1 or 1, along a direction in the axes of each frame; opposite ones if unclear."""
    a, b = outward(joint)
    one, two = float(np.dot(a, first)), float(np.dot(b, second))
    small = 1e-6 * (float(np.linalg.norm(a)) + float(np.linalg.norm(b)))
    if abs(one) <= small:
        one = -two if abs(two) > small else -1.0
    if abs(two) <= small:
        two = -one
    return float(np.sign(one)), float(np.sign(two))


def _flipped(mesh: Mesh, side: float) -> Mesh:
    return mesh if side > 0 else mesh.moved(axes=OVER)


def _reach(r: float, joint: Joint) -> float:
    """Half the length of rails: longer on the ground, where there is room."""
    return 12 * r if joint.a.body.is_ground else 6 * r


def _revolute(r: float, _: Joint) -> Pieces:
    heads = [cylinder(1.2 * r, 0.5 * r).moved((0, 0, side * 2.1 * r)) for side in (-1, 1)]
    return tube(0.9 * r, 1.75 * r, 3.2 * r), joined([cylinder(0.8 * r, 4.2 * r), *heads])


def _spherical(r: float, _: Joint) -> Pieces:
    turns = np.linspace(-0.42, 0.42, 9)
    outer = 2.35 * r * np.column_stack([np.cos(turns), np.sin(turns)])
    inner = 1.75 * r * np.column_stack([np.cos(turns), np.sin(turns)])
    return revolved(np.vstack([outer, inner[::-1], outer[:1]])), ball(1.75 * r)


def _prismatic(r: float, joint: Joint) -> Pieces:
    rail = box((1.3 * r, 1.3 * r, 2 * _reach(r, joint)))
    square = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    return rail, extruded(2.0 * r * square, 4.6 * r, [0.66 * r * square]).moved((0, 0, -2.3 * r))


def _cylindrical(r: float, joint: Joint) -> Pieces:
    collars = [tube(0.7 * r, 2.15 * r, 0.7 * r).moved((0, 0, side * 2.1 * r)) for side in (-1, 1)]
    return cylinder(0.72 * r, 2 * _reach(r, joint)), joined([tube(0.74 * r, 1.75 * r, 4.2 * r), *collars])


def _guide(r: float, joint: Joint) -> Pieces:
    return cylinder(0.42 * r, 2 * _reach(r, joint), 12), ball(1.6 * r)


def _screw(r: float, joint: Joint) -> Pieces:
    half = _reach(r, joint)
    turns = round(half / (0.75 * r))
    s = np.linspace(0, 1, 12 * turns + 1)
    line = np.column_stack([0.85 * r * np.cos(2 * np.pi * turns * s), 0.85 * r * np.sin(2 * np.pi * turns * s),
                            2 * half * (s - 0.5)])
    hexagon = np.array([(np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3])
    nut = extruded(2.3 * r * hexagon, 2.4 * r, [1.1 * r * _circle(18)]).moved((0, 0, -1.2 * r))
    return joined([cylinder(0.8 * r, 2 * half), swept(line, 0.26 * r, 5)]), nut


def _circle(corners: int) -> Array:
    turns = 2 * np.pi * np.arange(corners) / corners
    return np.column_stack([np.cos(turns), np.sin(turns)])


def _cross(r: float, joint: Joint) -> Pieces:
    """A cross of two pins with a yoke on each; the pins need not be at right angles."""
    axes = [f.drawn_axes for f in (joint.a, joint.b)]
    across = np.cross(axes[0][:, 2], axes[1][:, 2])
    if np.linalg.norm(across) < 1e-6:
        across = axes[0][:, 1]
    across = across / np.linalg.norm(across)
    ways = [R.T @ across for R in axes]
    yokes = [_yoke(r, side * way) for side, way in zip(_sides(joint, ways[0], ways[1]), ways, strict=True)]
    return joined([yokes[0], ball(1.05 * r)]), yokes[1]


def _yoke(r: float, way: Array) -> Mesh:
    """A half ring with a pin along z, opening away from a direction normal to z."""
    z = np.array([0.0, 0.0, 1.0])
    axes = np.column_stack([z, way, np.cross(z, way)])
    ends = [cylinder(0.85 * r, 0.9 * r).moved((0, 0, side * 3.0 * r)) for side in (-1, 1)]
    return joined([ring(3.0 * r, 0.45 * r, np.pi).moved(axes=axes), cylinder(0.5 * r, 6 * r, 16), *ends])


def _constant_velocity(r: float, joint: Joint) -> Pieces:
    """A bell on one shaft, a star with balls on the other."""
    one, two = _sides(joint)
    turns = np.linspace(0.0, np.radians(98), 13)
    arc = np.column_stack([np.sin(turns), np.cos(turns)])
    bell = revolved(np.vstack([2.2 * r * arc, 2.75 * r * arc[::-1]]))
    balls = [ball(0.62 * r, 1).moved((1.55 * r * c, 1.55 * r * s, 0)) for c, s in _circle(6)]
    shaft = cylinder(0.75 * r, 4 * r).moved((0, 0, 2 * r))
    return _flipped(bell, one), joined([ball(1.2 * r), *balls, _flipped(shaft, two)])


def plate(r: float) -> Mesh:
    """A piece of the plane z = 0, below it."""
    return box((10 * r, 10 * r, 0.4 * r)).moved((0, 0, -0.2 * r))


def _planar(r: float, joint: Joint) -> Pieces:
    side = _sides(joint)[1]
    puck = joined([cylinder(2.5 * r, 1.1 * r, 32).moved((0, 0, 0.55 * r)), cylinder(0.8 * r, 2 * r).moved((0, 0, r))])
    return _flipped(plate(r), side), _flipped(puck, side)


def _point_on_plane(r: float, joint: Joint) -> Pieces:
    side = _sides(joint)[1]
    return _flipped(plate(r), side), _flipped(tip(r), side)


def tip(r: float) -> Mesh:
    """A pencil that stands on its point, along z."""
    return revolved([(0, 0), (1.9 * r, 3.4 * r), (1.9 * r, 4.6 * r), (0, 4.6 * r)])


def _fixed(r: float, joint: Joint) -> Pieces:
    """Two flanges with bolts."""
    meshes: list[Mesh] = []
    for way in outward(joint):
        away = way if np.linalg.norm(way) > 1e-9 else np.array([0.0, 0.0, 1.0 if meshes else -1.0])
        flange = [cylinder(2.6 * r, 0.7 * r, 32).moved((0, 0, 0.35 * r))]
        bolts = [cylinder(0.36 * r, 0.7 * r, 6).moved((1.85 * r * c, 1.85 * r * s, 0.9 * r)) for c, s in _circle(6)]
        meshes.append(joined([*flange, *bolts]).along(away / np.linalg.norm(away)))
    return meshes[0], meshes[1]


def _slot(r: float, joint: Joint) -> Pieces:
    """The pin turns about z and slides along x."""
    half = _reach(r, joint)

    def oblong(width: float) -> Array:
        turns = np.linspace(-np.pi / 2, np.pi / 2, 9)
        cap = width * np.column_stack([np.cos(turns), np.sin(turns)]) + (half - 2 * r, 0)
        return np.vstack([cap, -cap])

    frame = extruded(oblong(2.1 * r), 1.6 * r, [oblong(1.25 * r)]).moved((0, 0, -0.8 * r))
    heads = [cylinder(1.6 * r, 0.4 * r).moved((0, 0, side * 1.3 * r)) for side in (-1, 1)]
    return frame, joined([cylinder(1.1 * r, 2.8 * r), *heads])


def _oldham(r: float, joint: Joint) -> Pieces:
    """Two hubs with tongues at right angles, and a disc between them."""
    one, two = _sides(joint)
    hub = joined([cylinder(2.8 * r, 0.9 * r, 32).moved((0, 0, 1.6 * r)),
                  cylinder(0.9 * r, 2.6 * r).moved((0, 0, 3 * r))])
    disc = cylinder(2.8 * r, 0.9 * r, 32)
    tongues = [box((5.4 * r, 0.9 * r, 0.8 * r)).moved((0, 0, 0.8 * r)),
               box((0.9 * r, 5.4 * r, 0.8 * r)).moved((0, 0, 0.8 * r))]
    return (joined([_flipped(joined([hub, tongues[0]]), one), disc]), _flipped(joined([hub, tongues[1]]), two))


def _parallel(r: float, _: Joint) -> Pieces:
    mark = joined([arrow(13 * r, 0.5 * r).moved((side * 1.3 * r, 0, -6.5 * r)) for side in (-1, 1)])
    return mark, mark


def _perpendicular(r: float, _: Joint) -> Pieces:
    corner = joined([box((0.3 * r, 0.3 * r, 2 * r)).moved((2 * r, 0, r)), box((2 * r, 0.3 * r, 0.3 * r)).moved(
        (r, 0, 2 * r))])
    mark = joined([arrow(9 * r, 0.5 * r), arrow(9 * r, 0.5 * r).along("x"), corner])
    return mark, mark


def _orientation(r: float, _: Joint) -> Pieces:
    mark = joined([arrow(8 * r, 0.5 * r).along(axis) for axis in "xyz"] + [ball(0.8 * r)])
    return mark, mark


def _spherical_revolute(r: float, joint: Joint) -> Pieces:
    hinge, pin = _revolute(r, joint)
    return joined([hinge, pin]), joined(list(_spherical(r, joint)))


def _bevel(r: float, joint: Joint) -> Pieces:
    """Toothed cones with their tips in the joint; their angles follow from the ratio."""
    sides = _sides(joint)
    axes = [side * f.drawn_axes[:, 2] for side, f in zip(sides, (joint.a, joint.b), strict=True)]
    bend = float(np.arccos(np.clip(axes[0] @ axes[1], -0.99, 0.99)))
    ratio = float(joint.parameters["radius2"]) / float(joint.parameters["radius"])
    first = float(np.arctan2(np.sin(bend), ratio + np.cos(bend)))
    teeth = 16 / max(min(np.sin(first), np.sin(bend - first)), 0.1)
    wheels = [_bevel_wheel(8 * r, angle, max(10, min(60, round(teeth * np.sin(angle)))))
              for angle in (first, bend - first)]
    return _flipped(wheels[0], sides[0]), _flipped(wheels[1], sides[1])


def _bevel_wheel(length: float, angle: float, teeth: int) -> Mesh:
    """A toothed cone along z with its tip in the origin."""
    rim = gear_outline(1.0, teeth)
    rings = [np.column_stack([share * length * np.sin(angle) * rim, np.full(len(rim), share * length * np.cos(angle))])
             for share in (0.62, 1.0)]
    n, k = len(rim), np.arange(len(rim))
    after = (k + 1) % n
    faces = [np.column_stack([k, after, after + n]), np.column_stack([k, after + n, k + n]),
             np.column_stack([after, k, np.full(n, 2 * n)]), np.column_stack([k + n, after + n, np.full(n, 2 * n + 1)])]
    centres = [r.mean(axis=0) for r in rings]
    made = Mesh(np.vstack([*rings, *centres]), np.concatenate(faces).astype(np.int32))
    volume = np.linalg.det(made.vertices[made.faces]).sum()
    return made if volume > 0 else Mesh(made.vertices, made.faces[:, ::-1])


def gear_outline(radius: float, teeth: int) -> Array:
    """Corners of a toothed wheel (n, 2)."""
    depth = min(0.12, 2.2 / teeth)
    radii = radius * (1 + depth * np.array([-0.5, 0.5, 0.5, -0.5] * teeth))
    turns = 2 * np.pi * (np.repeat(np.arange(teeth), 4) + np.tile([0.0, 0.17, 0.38, 0.55], teeth)) / teeth
    return np.asarray(radii[:, None] * np.column_stack([np.cos(turns), np.sin(turns)]))


def wheel(radius: float, width: float, teeth: int = 0) -> Mesh:
    """A wheel about z; with teeth, a gear."""
    if teeth < 6:
        return joined([tube(0.86 * radius, radius, width), tube(0.1 * radius, 0.2 * radius, 1.4 * width),
                       *(box((1.74 * radius, 0.1 * radius, 0.5 * width)).moved(axes=_turn(k * np.pi / 3))
                         for k in range(3))])
    return extruded(gear_outline(radius, teeth), width, [0.25 * radius * _circle(24)]).moved((0, 0, -width / 2))


def _turn(angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _knife_edge(r: float, _: Joint) -> Pieces:
    """A skate along x on a plane."""
    turns = np.linspace(np.pi + 0.6, 2 * np.pi - 0.6, 15)
    edge = 6 * r * np.column_stack([np.cos(turns), 1 + np.sin(turns)])
    blade = extruded(np.vstack([edge, (edge[-1, 0], 4 * r), (edge[0, 0], 4 * r)]), 0.5 * r).moved((0, 0, -0.25 * r))
    return plate(r), blade.moved(axes=np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]))


SYMBOLS: Mapping[str, Symbol] = {
    "revolute": _revolute, "spherical": _spherical, "prismatic": _prismatic, "cylindrical": _cylindrical,
    "universal": _cross, "constant_velocity": _constant_velocity, "planar": _planar, "fixed": _fixed,
    "guide": _guide, "slot": _slot, "point_on_plane": _point_on_plane, "parallel": _parallel,
    "perpendicular": _perpendicular, "orientation": _orientation, "screw": _screw, "oldham": _oldham, "elbow": _cross,
    "spherical_revolute": _spherical_revolute, "bevel_gear": _bevel, "knife_edge": _knife_edge}

#: joints of directions only: they have no place, so their symbols are at the masses of their bodies
DIRECTIONS = ("parallel", "perpendicular", "orientation")


def hatched(r: float) -> Mesh:
    """A piece of ground: a plate with slanted strokes below it, in axes whose z points up."""
    plate = box((9 * r, 5 * r, 0.5 * r)).moved((0, 0, -2.2 * r))
    strokes = []
    for k in range(5):
        start = np.array([(-3.6 + 1.8 * k) * r, 0.0, -2.4 * r])
        end = start + np.array([-1.4 * r, 0.0, -1.6 * r])
        strokes.append(swept(np.array([start, end]), 0.22 * r, 6))
    return joined([plate, *strokes])
