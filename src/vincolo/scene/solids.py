"""Triangles of boxes, balls, surfaces of revolution and hulls: vertices (n, 3) and faces (m, 3), wound outwards."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from vincolo.model.geometry import Array

Triangles = tuple[Array, Any]


def box_triangles(size: Any) -> Triangles:
    """A box with its centre at the origin."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    return corners * np.asarray(size, dtype=float), np.array(faces, dtype=np.int32)


@cache
def ball_triangles(finer: int) -> Triangles:
    """A ball of radius 1: an icosahedron whose faces are cut in four, again and again."""
    g = (1 + 5**0.5) / 2
    vertices = np.array([(0, s, t * g) for s in (-1, 1) for t in (-1, 1)])
    vertices = np.vstack([np.roll(vertices, k, axis=1) for k in range(3)]) / np.hypot(1, g)
    faces = hull_triangles(vertices)[1]
    for _ in range(finer):
        vertices, faces = _quartered(vertices, faces)
    return vertices, faces.astype(np.int32)


def _quartered(vertices: Array, faces: Any) -> Triangles:
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    distinct, number = np.unique(edges, axis=0, return_inverse=True)
    middles = vertices[distinct].mean(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    a, b, c = faces.T
    ab, bc, ca = (number.reshape(-1, 3) + len(vertices)).T
    parts = [np.stack(p, axis=1) for p in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))]
    return np.vstack([vertices, middles]), np.concatenate(parts)


def revolved_triangles(profile: Any, sections: int) -> Triangles:
    """A polyline of (radius, z), its outside on the right as z grows, turned about z; what is on the axis is one
    vertex."""
    line = np.asarray(profile, dtype=float)
    closed = len(line) > 2 and np.array_equal(line[0], line[-1])
    line = line[:-1] if closed else line
    size = float(np.abs(line).max()) or 1.0
    turns = 2 * np.pi * np.arange(sections) / sections
    vertices: list[Array] = []
    rings: list[Any] = []
    count = 0
    for radius, z in line:
        around = np.zeros(1) if radius <= 1e-12 * size else turns
        vertices.append(np.column_stack([radius * np.cos(around), radius * np.sin(around), np.full(len(around), z)]))
        rings.append(np.resize(np.arange(count, count + len(around)), sections))
        count += len(around)
    faces = np.concatenate([_between(a, b) for a, b in pairwise([*rings, rings[0]] if closed else rings)])
    a, b, c = faces.T
    return np.concatenate(vertices), faces[(a != b) & (b != c) & (c != a)].astype(np.int32)


def _between(lower: Any, upper: Any) -> Any:
    """Triangles between two rings of vertices."""
    after, above = np.roll(lower, -1), np.roll(upper, -1)
    return np.concatenate([np.stack([lower, after, above], axis=1), np.stack([lower, above, upper], axis=1)])


def hull_triangles(points: Array) -> Triangles:
    """The convex hull of points."""
    found = ConvexHull(points)
    corners = points[found.simplices]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = (across * found.equations[:, :3]).sum(axis=1) < 0
    faces = np.where(inwards[:, None], found.simplices[:, ::-1], found.simplices)
    used, number = np.unique(faces, return_inverse=True)
    return points[used], number.reshape(-1, 3).astype(np.int32)
