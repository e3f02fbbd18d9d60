"""Triangles of simple solids; all about the origin and along z unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array, axes_from, cross, direction
from vincolo.model.looks import Look
from vincolo.model.mesh_files import loaded_mesh
from vincolo.scene.polygons import triangulated
from vincolo.scene.solids import ball_triangles, box_triangles, hull_triangles, revolved_triangles

SECTIONS = 24  # corners of a circle


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: vertices (n, 3) [m] and faces (m, 3)."""

    vertices: Array
    faces: Any

    def moved(self, at: Any = (0.0, 0.0, 0.0), axes: Any = None) -> Mesh:
        """The same turned and put somewhere else."""
        R = np.eye(3) if axes is None else np.asarray(axes)
        flipped = np.linalg.det(R) < 0
        faces = self.faces[:, ::-1] if flipped else self.faces
        return Mesh(self.vertices @ R.T + np.asarray(at, dtype=float), faces)

    def along(self, axis: Any) -> Mesh:
        """What was made along z, along another direction."""
        return self.moved(axes=axes_from("axis", direction("axis", axis), None))


def joined(parts: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    counts = np.cumsum([0, *(len(p.vertices) for p in parts)])
    return Mesh(np.concatenate([p.vertices for p in parts]),
                np.concatenate([p.faces + n for p, n in zip(parts, counts, strict=False)]))


def box(size: Any) -> Mesh:
    """A box with its centre at the origin."""
    return Mesh(*box_triangles(size))


def ball(radius: float, finer: int = 2) -> Mesh:
    """A ball."""
    vertices, faces = ball_triangles(finer)
    return Mesh(radius * vertices, faces)


def cylinder(radius: float, length: float, sections: int = SECTIONS) -> Mesh:
    """A cylinder, its centre at the origin."""
    return revolved([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2), (0.0, length / 2)], sections)


def tube(inner: float, outer: float, length: float) -> Mesh:
    """A hollow cylinder, its centre at the origin."""
    z = length / 2
    return revolved([(outer, -z), (outer, z), (inner, z), (inner, -z), (outer, -z)])


def revolved(profile: Any, sections: int = SECTIONS) -> Mesh:
    """A polyline of (radius, z) turned about z, its outside on the right as z grows."""
    return Mesh(*revolved_triangles(profile, sections))


def cone(radius: float, top: float, height: float) -> Mesh:
    """A cone or frustum, its base at the origin."""
    return revolved([(0.0, 0.0), (radius, 0.0), (max(top, 0.0), height), (0.0, height)])


def ring(radius: float, thickness: float, turned: float = 2 * np.pi) -> Mesh:
    """A bent bar about z, whole or a part of the turn, from the x axis."""
    steps = max(4, int(np.ceil(SECTIONS * turned / (2 * np.pi))))
    angles = np.linspace(0.0, turned, steps + 1)
    line = radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    return swept(line, thickness, closed=turned >= 2 * np.pi)


def swept(line: Array, radius: float, sides: int = 8, closed: bool = False) -> Mesh:
    """A bar of a radius along a polyline."""
    path = np.asarray(line[:-1] if closed else line, dtype=float)
    n = len(path)
    ahead = np.roll(path, -1, axis=0) if closed else np.vstack([path[1:], 2 * path[-1] - path[-2]])
    behind = np.roll(path, 1, axis=0) if closed else np.vstack([2 * path[0] - path[1], path[:-1]])
    tangents = ahead - behind
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    normal = axes_from("swept", tangents[0], None)[:, 0]
    circles = np.empty((n, sides, 3))
    turns = 2 * np.pi * np.arange(sides) / sides
    ahead, aside = np.cos(turns)[:, None], np.sin(turns)[:, None]
    for k in range(n):
        normal = normal - tangents[k] * (normal @ tangents[k])
        normal = normal / np.linalg.norm(normal)
        other = cross(tangents[k], normal)
        circles[k] = path[k] + radius * (ahead * normal + aside * other)
    return _skinned(circles, closed)


def _skinned(circles: Array, closed: bool) -> Mesh:
    n, sides = circles.shape[:2]
    rows = np.arange(n if closed else n - 1)
    k, j = np.meshgrid(rows, np.arange(sides), indexing="ij")
    a, b = k * sides + j, k * sides + (j + 1) % sides
    c, d = ((k + 1) % n) * sides + j, ((k + 1) % n) * sides + (j + 1) % sides
    faces = np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
    vertices = circles.reshape(-1, 3)
    if not closed:
        first, last = len(vertices), len(vertices) + 1
        ends = np.arange(sides)
        after = (ends + 1) % sides
        base = (n - 1) * sides
        caps = [np.stack([np.full(sides, first), after, ends], -1),
                np.stack([np.full(sides, last), base + ends, base + after], -1)]
        faces = np.concatenate([faces, *caps])
        vertices = np.vstack([vertices, circles[0].mean(axis=0), circles[-1].mean(axis=0)])
    return Mesh(vertices, faces.astype(np.int32))


def coil(radius: float, wire: float, turns: int = 8) -> Mesh:
    """A spring from z = 0 to z = 1, with straight ends on the axis."""
    s = np.linspace(0.0, 1.0, turns * 12 + 1)
    grow = np.clip(np.minimum(s, 1 - s) * turns * 2, 0.0, 1.0)
    z = 0.12 + 0.76 * s
    line = np.column_stack([radius * grow * np.cos(2 * np.pi * turns * s),
                            radius * grow * np.sin(2 * np.pi * turns * s), z])
    return swept(np.vstack([(0, 0, 0), line, (0, 0, 1)]), wire, sides=6)


def damper(radius: float) -> tuple[Mesh, Mesh]:
    """A cylinder from z = 0 and a rod to z = 1."""
    housing = cylinder(radius, 0.5, 16).moved((0, 0, 0.35))
    rod = cylinder(0.45 * radius, 1.0, 10).moved((0, 0, 0.5))
    return housing, rod


def arrow(length: float, radius: float) -> Mesh:
    """An arrow from the origin along z."""
    head = min(0.35 * length, 5 * radius)
    return revolved([(0, 0), (radius, 0), (radius, length - head), (2.4 * radius, length - head), (0, length)], 16)


def turning_arrow(radius: float, thickness: float) -> Mesh:
    """Three quarters of a ring about z with a tip, turning positively."""
    turned = 1.5 * np.pi
    tip = cone(2.4 * thickness, 0.0, 6 * thickness).along((-np.sin(turned), np.cos(turned), 0.0))
    return joined([ring(radius, thickness, turned),
                   tip.moved((radius * np.cos(turned), radius * np.sin(turned), 0.0))])


def hull(points: Array, radius: float) -> Mesh:
    """The skin around balls at points: a capsule of two, a rounded plate of three, a solid of more."""
    distinct = _distinct(points, 0.2 * radius)
    if len(distinct) == 1:
        return ball(radius).moved(distinct[0])
    if len(distinct) == 2:
        return capsule(distinct[0], distinct[1], radius)
    around = ball(radius, 2).vertices
    cloud = (distinct[:, None, :] + around[None, :, :]).reshape(-1, 3)
    return Mesh(*hull_triangles(cloud))


def capsule(a: Array, b: Array, radius: float) -> Mesh:
    """A round bar with half balls at both ends, between two points."""
    length = float(np.linalg.norm(b - a))
    turns = np.linspace(0.0, np.pi / 2, 6)
    cap = radius * np.column_stack([np.cos(turns), np.sin(turns)])
    cap[-1, 0] = 0.0
    profile = np.vstack([(cap * (1, -1))[::-1], cap + (0, length)])
    return revolved(profile, 20).along((b - a) / length).moved(a)


def _distinct(points: Array, apart: float) -> Array:
    kept: list[Array] = []
    for point in np.asarray(points, dtype=float):
        if all(np.linalg.norm(point - other) > apart for other in kept):
            kept.append(point)
    return np.array(kept)


def of_look(look: Look) -> Mesh:
    """The triangles of a shape that a user gave, in the body's axes."""
    made = _form(look.kind, dict(look.numbers))
    axis = look.numbers.get("axis", look.numbers.get("normal", "z"))
    return (made if look.kind in ("box", "sphere", "ellipsoid", "polyhedron", "mesh", "skin", "point_mass")
            else made.along(axis)).moved(look.at, look.orientation)


def _form(kind: str, n: dict[str, Any]) -> Mesh:
    if kind == "box":
        return box(n["size"])
    if kind in ("sphere", "ellipsoid"):
        made = ball(1.0, 3)
        return Mesh(made.vertices * np.asarray(n.get("radii", n.get("radius")), dtype=float), made.faces)
    if kind == "cylinder":
        return cylinder(n["radius"], n["length"], 40)
    if kind == "tube":
        return tube(n["inner_radius"], n["radius"], n["length"])
    if kind in ("cone", "frustum"):
        return cone(n["radius"], n.get("top_radius", 0.0), n["height"])
    if kind == "rod":
        return cylinder(0.02 * n["length"], n["length"], 12)
    if kind == "plate":
        return box((*n["size"], 0.02 * max(n["size"])))
    if kind == "extrusion":
        return extruded(n["profile"], n["length"], n.get("holes", ()))
    if kind == "skin":
        return hull(np.asarray(n["points"], dtype=float), n["thickness"] / 2)
    if kind == "polyhedron":
        return Mesh(np.asarray(n["vertices"], dtype=float), np.asarray(n["faces"], dtype=np.int32))
    if kind == "mesh":
        return _file(str(n["path"]), float(n.get("scale", 1.0)))
    return ball(0.01)


def extruded(profile: Any, length: float, holes: Sequence[Any] = ()) -> Mesh:
    """A profile drawn out along z; ears are cut off its polygon one by one, holes joined to it by a slit first."""
    corners, triangles = triangulated(profile, holes)
    n = len(corners)
    bottom = np.column_stack([corners, np.zeros(n)])
    vertices = np.vstack([bottom, bottom + (0.0, 0.0, length)])
    faces = [triangles[:, ::-1], triangles + n]
    k = np.arange(n)
    after = (k + 1) % n
    faces += [np.column_stack([k, after, after + n]), np.column_stack([k, after + n, k + n])]
    return Mesh(vertices, np.concatenate(faces).astype(np.int32))


def _file(path: str, scale: float) -> Mesh:
    what = f"mesh {path!r}"
    try:
        found = loaded_mesh(what, path)
    except OSError as error:
        raise ModelError(f"{what}: it cannot be read ({error}).\n  Check its path.") from None
    return Mesh(scale * np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=np.int32))
