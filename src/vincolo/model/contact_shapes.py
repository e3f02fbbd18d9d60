"""Shapes that touch: from what users write to corners and faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model import shapes
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array, axes_from, direction, rotation_of, vector
from vincolo.model.looks import Look, plain
from vincolo.model.mass import MassProperties
from vincolo.model.mesh_files import loaded_mesh

#: shapes that can touch, and the arguments that tell their form
FORMS: dict[str, tuple[str, ...]] = {
    "plane": (), "sphere": ("radius",), "capsule": ("radius", "length", "axis"),
    "cylinder": ("radius", "length", "axis"), "box": ("size",), "hull": ("points",),
    "polyhedron": ("vertices", "faces"), "mesh": ("path", "scale"), "surface": ("vertices", "faces")}
OPTIONAL = ("axis", "scale")
MOST_CORNERS = 200  # of a convex hull
MOST_TRIANGLES = 50_000


@dataclass(frozen=True, eq=False)
class Form:
    """A shape as the kernel takes it, in its own axes: the kind, sizes [m], corners and loops of faces."""

    kind: str
    size: tuple[float, ...] = ()
    corners: Array | None = None
    faces: tuple[tuple[int, ...], ...] = ()
    closed: bool = True
    axes: Array | None = None  # of a shape along another axis than z


def shape_of(what: str, given: Any) -> Look:
    """A shape from its name, a product of vincolo.shapes, a look, or a mapping with its kind and numbers."""
    if isinstance(given, MassProperties):
        if len(given.looks) != 1:
            raise ModelError(f"{what}: a part made of {len(given.looks)} shapes; give one shape for each contact, or "
                             "leave the shape out to use all that the body looks like.")
        given = given.looks[0]
    if isinstance(given, str):
        given = {"kind": given}
    if isinstance(given, Mapping):
        numbers = dict(given)
        kind, at, turned = numbers.pop("kind", None), numbers.pop("at", (0, 0, 0)), numbers.pop("orientation", None)
        given = Look(str(kind), {key: plain(value) for key, value in numbers.items()}, vector(f"{what}: at", at),
                     rotation_of(f"{what}: orientation", turned))
    if not isinstance(given, Look):
        raise ModelError(f"{what}: {given!r} is not a shape.\n  Give one of vincolo.shapes, 'plane', or a mapping such "
                         "as {'kind': 'capsule', 'radius': 0.1, 'length': 0.4}.")
    _check_names(what, given)
    return replace(given, colour=None)


def _check_names(what: str, shape: Look) -> None:
    if shape.kind not in FORMS:
        raise ModelError(f"{what}: a {shape.kind!r} cannot touch.{suggest(shape.kind, FORMS)}\n"
                         f"  Shapes for contact: {', '.join(FORMS)}.")
    known = FORMS[shape.kind]
    for key in shape.numbers:
        if key not in known:
            raise ModelError(f"{what}: a {shape.kind} has no {key!r}.{suggest(key, known)}\n"
                             f"  It has: {', '.join(known) or 'no numbers'}.")
    for key in known:
        if key not in shape.numbers and key not in OPTIONAL:
            raise ModelError(f"{what}: {shape.kind}: {key!r} is missing.\n  It has: {', '.join(known)}.")


def form_of(what: str, shape: Look) -> Form:
    """The kernel's form of a shape, checked."""
    what, numbers = f"{what}: {shape.kind}", shape.numbers
    if shape.kind == "plane":
        return Form("plane")
    if shape.kind == "sphere":
        return Form("sphere", (_length(what, numbers, "radius"),))
    if shape.kind in ("capsule", "cylinder"):
        axis = direction(f"{what}: axis", numbers.get("axis", "z"))
        size = _length(what, numbers, "radius"), _length(what, numbers, "length") / 2
        return Form(shape.kind, size, axes=axes_from(f"{what}: axis", axis, None))
    if shape.kind == "box":
        edges = number_array(f"{what}: size", numbers["size"])
        if edges.shape != (3,) or not (np.isfinite(edges).all() and (edges > 0).all()):
            raise ModelError(f"{what}: size is {numbers['size']!r}; three positive lengths in metres are needed.")
        return Form("box", tuple((edges / 2).tolist()))
    if shape.kind == "hull":
        return hull(what, number_array(f"{what}: points", numbers["points"]))
    return _triangles(what, shape)


def _triangles(what: str, shape: Look) -> Form:
    """A closed solid, convex or not, or an open surface."""
    numbers = shape.numbers
    if shape.kind == "mesh":
        loaded = loaded_mesh(what, numbers["path"])
        vertices, faces = float(numbers.get("scale", 1.0)) * np.asarray(loaded.vertices), np.asarray(loaded.faces)
    else:
        vertices, faces = number_array(f"{what}: vertices", numbers["vertices"]), np.asarray(numbers["faces"])
    if len(faces) > MOST_TRIANGLES:
        raise ModelError(f"{what}: it has {len(faces):,} triangles; at most {MOST_TRIANGLES:,} can touch.\n"
                         "  Give a coarser mesh, or convex pieces.")
    if shape.kind == "surface":
        return _open_surface(what, vertices, faces)
    try:
        solid = shapes.polyhedron(vertices, faces, density=1.0)  # refuses holes and faces wound both ways
    except ModelError as error:
        raise ModelError(f"{what}: {str(error).removeprefix('polyhedron: ')}") from None
    flat = vertices[faces]
    if np.linalg.det(flat - vertices.mean(axis=0)).sum() < 0:
        faces = faces[:, ::-1]
    if len(np.unique(vertices, axis=0)) <= MOST_CORNERS:
        from scipy.spatial import ConvexHull

        if ConvexHull(vertices).volume <= solid.mass * (1 + 1e-9):
            return hull(what, vertices)
    return Form("mesh", corners=vertices, faces=tuple(map(tuple, faces.tolist())))


def _open_surface(what: str, vertices: Array, faces: Array) -> Form:
    whole = faces.ndim == 2 and faces.shape[1:] == (3,) and np.issubdtype(faces.dtype, np.integer) and len(faces) > 0
    if vertices.ndim != 2 or vertices.shape[1:] != (3,) or not np.isfinite(vertices).all():
        raise ModelError(f"{what}: the vertices must be n points (x, y, z) of finite numbers.")
    if not whole or faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"{what}: the faces must be triangles, three numbers of vertices each, 0 to "
                         f"{len(vertices) - 1}.")
    areas = np.linalg.norm(np.cross(*(vertices[faces[:, k]] - vertices[faces[:, 0]] for k in (1, 2))), axis=1)
    if not (areas > 0).all():
        raise ModelError(f"{what}: triangle {int(np.argmin(areas))} has no area.\n  Leave it out.")
    return Form("mesh", corners=vertices, faces=tuple(map(tuple, faces.tolist())), closed=False)


def hull(what: str, points: Array) -> Form:
    """The convex hull of points: its corners, and faces as loops; triangles in one plane are one face."""
    from scipy.spatial import ConvexHull, QhullError

    if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 4 or not np.isfinite(points).all():
        raise ModelError(f"{what}: at least four points (x, y, z) of finite numbers are needed.")
    try:
        found = ConvexHull(points)
    except QhullError:
        raise ModelError(f"{what}: its {len(points)} points lie in a plane, so it has no inside.\n"
                         "  Give a point off that plane.") from None
    if len(found.vertices) > MOST_CORNERS:
        raise ModelError(f"{what}: its convex hull has {len(found.vertices)} corners; at most {MOST_CORNERS} can "
                         "touch.\n  Give fewer points.")
    size = float(np.ptp(points, axis=0).max())
    keys = np.round(np.column_stack([found.equations[:, :3], found.equations[:, 3:] / size]), 7) + 0.0
    number = {int(old): new for new, old in enumerate(found.vertices)}
    faces = []
    for key in np.unique(keys, axis=0):
        same = (keys == key).all(axis=1)
        corners = np.unique(found.simplices[same])
        normal = found.equations[same][0, :3]
        arms = points[corners] - points[corners].mean(axis=0)
        x = arms[0] / np.linalg.norm(arms[0])
        angles = np.arctan2(arms @ np.cross(normal, x), arms @ x)
        faces.append(tuple(number[int(k)] for k in corners[np.argsort(angles)]))
    return Form("hull", corners=points[found.vertices], faces=tuple(faces))


def _length(what: str, numbers: Mapping[str, Any], key: str) -> float:
    metres = finite_number(f"{what}: {key}", numbers[key])
    if metres <= 0:
        raise ModelError(f"{what}: {key} is {metres:g}; it must be positive.\n  Lengths are in metres (m, not mm).")
    return metres
