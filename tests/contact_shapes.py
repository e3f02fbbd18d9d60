"""Shapes for contact of every kind, about 0.2 m large, and models in which one lies or falls on another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import vincolo as vc

G = 9.80665
ROCK = (np.random.default_rng(3).normal(size=(14, 3)) * [0.045, 0.05, 0.05]).tolist()


def flat_mesh(cells: int, size: float = 4.0) -> dict[str, Any]:
    """A square in z = 0 of 2 cells^2 triangles, whose diagonals alternate."""
    grid = np.linspace(-size / 2, size / 2, cells + 1)
    faces = []
    for i in range(cells):
        for j in range(cells):
            a, b = i * (cells + 1) + j, (i + 1) * (cells + 1) + j
            faces += [[a, b, b + 1], [a, b + 1, a + 1]] if (i + j) % 2 else [[a, b, a + 1], [b, b + 1, a + 1]]
    return {"kind": "surface", "vertices": [[x, y, 0.0] for x in grid for y in grid], "faces": faces}


def dish(sense: float) -> dict[str, Any]:
    """An open surface of 240 triangles, z = sense (x^2 + y^2), of 0.6 m radius: a bowl, or a hill."""
    sectors, rings = 16, 8
    radii = [0.6 * (k + 1) / rings for k in range(rings)]
    around = [(math.cos(2 * math.pi * k / sectors), math.sin(2 * math.pi * k / sectors)) for k in range(sectors)]
    vertices = [[0.0, 0.0, 0.0]] + [[r * x, r * y, sense * r * r] for r in radii for x, y in around]
    faces = [[0, 1 + k, 1 + (k + 1) % sectors] for k in range(sectors)]
    for first in range(1, 1 + (rings - 1) * sectors, sectors):
        for k in range(sectors):
            a, b = first + k, first + (k + 1) % sectors
            faces += [[a, a + sectors, b + sectors], [a, b + sectors, b]]
    return {"kind": "surface", "vertices": vertices, "faces": faces}


def trough() -> dict[str, Any]:
    """A closed body that is not convex: a U of 0.44 x 0.3 x 0.2 m with a groove of 0.36 m, whose floor is z = 0."""
    half = [(0.22, -0.1), (0.22, 0.1), (0.18, 0.1), (0.18, 0.0)]
    outline = [(-0.22, -0.1), *half, (-0.18, 0.0), (-0.18, 0.1), (-0.22, 0.1)]
    vertices = [[x, y, z] for y in (-0.15, 0.15) for x, z in outline]
    front = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]]
    faces = [list(f) for f in front] + [[k + 8 for k in reversed(f)] for f in front]
    for k in range(8):
        n = (k + 1) % 8
        faces += [[k, k + 8, n], [n, k + 8, n + 8]]
    return {"kind": "polyhedron", "vertices": vertices, "faces": faces}


#: shapes by name, and how far their lowest point is below, their highest above the origin
SHAPES: dict[str, tuple[Any, float, float]] = {
    "plane": ("plane", 0.0, 0.0),
    "sphere": ({"kind": "sphere", "radius": 0.08}, 0.08, 0.08),
    "capsule": ({"kind": "capsule", "radius": 0.06, "length": 0.15, "axis": "x"}, 0.06, 0.06),
    "cylinder": ({"kind": "cylinder", "radius": 0.08, "length": 0.16}, 0.08, 0.08),
    "box": ({"kind": "box", "size": [0.2, 0.16, 0.12]}, 0.06, 0.06),
    "hull": ({"kind": "hull", "points": ROCK}, -min(p[2] for p in ROCK), max(p[2] for p in ROCK)),
    "surface": (flat_mesh(3, 0.7), 0.0, 0.0),
    "mesh": (trough(), 0.1, 0.0)}
MESHES = ("surface", "mesh")
PAIRS = [(a, b) for a in SHAPES for b in SHAPES
         if b != "plane" and not (a in MESHES and b in MESHES) and not (a == "plane" and b == "surface")]
SOFT = {"stiffness": 1e6, "damping": 1.0}


def turned(axis: Any, angle: float) -> Any:
    """A rotation matrix."""
    u = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def one_on_another(below: str, above: str, height: float, orientation: Any = None, at: Any = (0.0, 0.0),
                   **law: Any) -> vc.Model:
    """The body "b" of 1 kg above a shape on the ground, by a height over its highest point; the contact is "c"."""
    m = vc.Model(f"{above} on {below}")
    z = SHAPES[below][2] + SHAPES[above][1] + height
    axes = np.eye(3) if orientation is None else orientation
    b = m.body("b", 1.0, (0.004, 0.005, 0.006), at=(*at, z), orientation=axes)
    m.contact("c", m.ground, b, SHAPES[below][0], SHAPES[above][0], **law)
    return m
