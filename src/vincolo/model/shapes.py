"""Shapes with their mass properties."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import reduce, wraps
from inspect import signature
from operator import add
from typing import Any, ParamSpec

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, number_array, refuse_quantity
from vincolo.model.geometry import Array, axes_from, direction
from vincolo.model.looks import FORMS, Look, plain
from vincolo.model.mass import ORIGIN, MassProperties
from vincolo.model.mesh_files import loaded_mesh
from vincolo.model.shortest_tree import distinct, shortest_tree

__all__ = ["ALUMINIUM", "STEEL", "box", "cone", "cylinder", "ellipsoid", "extrusion", "frustum", "link", "mesh",
           "plate", "point_mass", "polyhedron", "rod", "sphere", "tube"]

STEEL = 7850.0  # kg/m3
ALUMINIUM = 2700.0  # kg/m3
SLENDER = 30.0  # length over radius of a bar that has no radius of its own

P = ParamSpec("P")


def drawn(make: Callable[P, MassProperties]) -> Callable[P, MassProperties]:
    """A shape that knows how it looks: its name and the numbers that tell its form."""
    parameters = signature(make)

    @wraps(make)
    def made(*args: P.args, **given: P.kwargs) -> MassProperties:
        part = make(*args, **given)
        numbers = parameters.bind(*args, **given).arguments
        form = {key: plain(numbers[key]) for key in FORMS[make.__name__] if key in numbers}
        object.__setattr__(part, "looks", (Look(make.__name__, form),))
        return part

    return made


@drawn
def point_mass(mass: float) -> MassProperties:
    """A mass [kg] without extent, at the origin."""
    return MassProperties(mass, np.zeros(3), np.zeros((3, 3)))


@drawn
def box(size: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """A box with edges size = (x, y, z) [m], its centre at the origin; density [kg/m3] or mass [kg]."""
    a, b, c = edges = _lengths("box: size", size, 3)
    m = _mass("box", math.prod(edges), density, mass)
    return _made(m, ORIGIN, [m * (b * b + c * c) / 12, m * (c * c + a * a) / 12, m * (a * a + b * b) / 12])


@drawn
def ellipsoid(radii: Any, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """An ellipsoid with half axes radii = (x, y, z) [m], its centre at the origin."""
    a, b, c = half = _lengths("ellipsoid: radii", radii, 3)
    m = _mass("ellipsoid", 4 / 3 * math.pi * math.prod(half), density, mass)
    return _made(m, ORIGIN, [m * (b * b + c * c) / 5, m * (c * c + a * a) / 5, m * (a * a + b * b) / 5])


@drawn
def sphere(radius: float, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """A solid ball, its centre at the origin; hollow: sphere(R) - sphere(r) of one density."""
    r = _length("sphere: radius", radius)
    m = _mass("sphere", 4 / 3 * math.pi * r * r * r, density, mass)
    return _made(m, ORIGIN, [0.4 * m * r * r] * 3)


@drawn
def cylinder(radius: float, length: float, axis: Any = "z", *, density: float | None = None,
             mass: float | None = None) -> MassProperties:
    """A solid cylinder about `axis`, its centre at the origin; lengths in m."""
    return _pipe("cylinder", _length("cylinder: radius", radius), 0.0, length, axis, density, mass)


@drawn
def tube(radius: float, inner_radius: float, length: float, axis: Any = "z", *, density: float | None = None,
         mass: float | None = None) -> MassProperties:
    """A hollow cylinder about `axis`, its centre at the origin; lengths in m."""
    R, r = _length("tube: radius", radius), _length("tube: inner_radius", inner_radius)
    if r >= R:
        raise ModelError(f"tube: inner_radius {r:g} m is not smaller than radius {R:g} m.\n"
                         "  The outer radius comes first; radii, not diameters.")
    return _pipe("tube", R, r, length, axis, density, mass)


@drawn
def frustum(radius: float, top_radius: float, height: float, axis: Any = "z", *, density: float | None = None,
            mass: float | None = None) -> MassProperties:
    """A truncated cone: the centre of its base at the origin, the top at `height` along `axis`; lengths in m."""
    top = _length("frustum: top_radius", top_radius)
    return _conical("frustum", _length("frustum: radius", radius), top, height, axis, density, mass)


@drawn
def cone(radius: float, height: float, axis: Any = "z", *, density: float | None = None,
         mass: float | None = None) -> MassProperties:
    """A cone: the centre of its base at the origin, the tip at `height` along `axis`; lengths in m."""
    return _conical("cone", _length("cone: radius", radius), 0.0, height, axis, density, mass)


@drawn
def rod(length: float, axis: Any = "z", *, mass: float | None = None, density: float | None = None,
        area: float | None = None) -> MassProperties:
    """A thin rod along `axis`, its centre at the origin, without inertia about itself; mass [kg], or density
    [kg/m3] with the area [m2] of its section."""
    h = _length("rod: length", length)
    m = _mass("rod", h * _thin("rod", "area", area, density), density, mass)
    return _along("rod: axis", _made(m, ORIGIN, [m * h * h / 12, m * h * h / 12, 0.0]), axis)


@drawn
def plate(size: Any, normal: Any = "z", *, mass: float | None = None, density: float | None = None,
          thickness: float | None = None) -> MassProperties:
    """A thin rectangular plate, its centre at the origin; mass [kg], or density [kg/m3] with the thickness [m].
    Its edges size = (a, b) [m] are along x, y for normal "z", along y, z for "x", along z, x for "y"."""
    a, b = _lengths("plate: size", size, 2)
    m = _mass("plate", a * b * _thin("plate", "thickness", thickness, density), density, mass)
    return _along("plate: normal", _made(m, ORIGIN, [m * b * b / 12, m * a * a / 12, m * (a * a + b * b) / 12]), normal)


@drawn
def extrusion(profile: Any, length: float, axis: Any = "z", *, holes: Sequence[Any] = (),
              density: float | None = None, mass: float | None = None) -> MassProperties:
    """A profile drawn out from its plane through the origin by `length` [m] along `axis`. The profile is a polygon
    of points (a, b) [m], either way round, and so are its holes; a, b are x, y for axis "z", y, z for "x" and
    z, x for "y"."""
    h = _length("extrusion: length", length)
    loops = [_polygon("extrusion: profile", profile)]
    loops += [_polygon(f"extrusion: hole {k + 1}", hole) for k, hole in enumerate(holes)]
    _check_loops(loops)
    middle = loops[0].mean(axis=0)
    outer, *cut = (_moments(loop - middle) for loop in loops)
    area, *ratios = outer - np.sum(cut, axis=0)
    m = _mass("extrusion", h * float(area), density, mass)
    a, b, aa, bb, ab = np.array(ratios) / area
    aa, bb, ab = m * (aa - a * a), m * (bb - b * b), m * (ab - a * b)
    slab = m * h * h / 12
    inertia = [[bb + slab, -ab, 0.0], [-ab, aa + slab, 0.0], [0.0, 0.0, aa + bb]]
    return _along("extrusion: axis", _made(m, (*(middle + (a, b)), h / 2), inertia), axis)


@drawn
def polyhedron(vertices: Any, faces: Any, *, density: float | None = None,
               mass: float | None = None) -> MassProperties:
    """The solid inside a closed surface of triangles: `vertices` (n x 3) [m], `faces` (m x 3) numbers of vertices,
    all wound the same way (round a cavity the other way)."""
    points, triangles = _surface("polyhedron", vertices, faces)
    return _solid("polyhedron", points, triangles, density, mass)


@drawn
def mesh(path: str | os.PathLike[str], *, scale: float = 1.0, density: float | None = None,
         mass: float | None = None) -> MassProperties:
    """The solid inside a mesh file (STL, OBJ, ...), read by trimesh; `scale` is the length [m] of the file's unit:
    0.001 if it was drawn in millimetres. STEP files (.step, .stp; read by cascadio) know their unit: leave it out."""
    what = f"mesh {str(path)!r}"
    factor = _length(f"{what}: scale", scale)
    if not os.path.isfile(path):
        raise ModelError(f"{what}: there is no such file.\n  Check the path; it is read from {os.getcwd()!r}.")
    loaded = loaded_mesh(what, path)
    points, triangles = _surface(what, loaded.vertices, loaded.faces)
    return _solid(what, factor * points, triangles, density, mass)


def link(points: Any = None, radius: float | None = None, *, density: float | None = None,
         mass: float | None = None) -> MassProperties:
    """Round bars of a radius [m] along the shortest tree between points (x, y, z) [m]; of one point a ball of twice the
    radius. The radius is 1/30 of the longest bar and the density that of steel, unless given. In files the points are
    those of the body's joints and frames, unless given."""
    places = number_array("link: points", [] if points is None else points)
    if places.ndim != 2 or places.shape[1] != 3 or not len(places) or not np.isfinite(places).all():
        raise ModelError(f"link: points are {points!r}; a list of points (x, y, z) of finite numbers is needed.")
    places = distinct(places)
    bars = [(places[i], places[j]) for i, j in shortest_tree(places)]
    lengths = [float(np.linalg.norm(b - a)) for a, b in bars]
    if radius is None and not bars:
        raise ModelError("link: it has one point and no radius.\n  Give the radius [m], or a second point.")
    r = max(lengths) / SLENDER if radius is None else _length("link: radius", radius)
    rho = STEEL if density is None and mass is None else density
    if not bars:
        return sphere(2 * r, density=rho, mass=mass).moved(places[0])
    per_metre = _mass("link", math.pi * r * r * sum(lengths), rho, mass) / sum(lengths)
    return reduce(add, (cylinder(r, h, mass=per_metre * h).moved((a + b) / 2, axes_from("link", (b - a) / h, None))
                        for (a, b), h in zip(bars, lengths, strict=True)))


# what the shapes share


def _made(mass: float, com: Any, inertia: Any) -> MassProperties:
    moments = np.asarray(inertia, dtype=float)
    return MassProperties(mass, np.asarray(com, dtype=float), np.diag(moments) if moments.ndim == 1 else moments)


def _length(what: str, value: Any) -> float:
    metres = finite_number(what, value)
    if metres <= 0:
        raise ModelError(f"{what} is {metres:g}; it must be positive.\n  Lengths are in metres (m, not mm).")
    return metres


def _lengths(what: str, values: Any, count: int) -> list[float]:
    refuse_quantity(what, values)
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != count:
        raise ModelError(f"{what} is {values!r}; {count} lengths in metres are needed.")
    return [_length(what, value) for value in values]


def _mass(what: str, volume: float, density: Any, mass: Any) -> float:
    """The mass given, or density times volume."""
    if (density is None) == (mass is None):
        given = "neither density= nor mass= is" if mass is None else "both density= and mass= are"
        raise ModelError(f"{what}: {given} given.\n"
                         "  Give exactly one: density in kg/m3 (steel 7850) or mass in kg.")
    if mass is not None:
        kilograms = finite_number(f"{what}: mass", mass)
    else:
        per_volume = finite_number(f"{what}: density", density)
        if per_volume <= 0:
            raise ModelError(f"{what}: the density is {per_volume:g} kg/m3; it must be positive.\n"
                             "  A hole is a shape of its own, taken out by a - b.")
        kilograms = per_volume * volume
    if not 0 < kilograms < math.inf:
        raise ModelError(f"{what}: the mass is {kilograms:g} kg; it must be positive and finite.\n"
                         f"  The volume is {volume:g} m3; check the lengths (m, not mm) and the density (kg/m3).")
    return kilograms


def _thin(what: str, name: str, value: Any, density: Any) -> float:
    """The measure that a thin part lacks: needed with density=, not used with mass=."""
    if (value is None) != (density is None):
        raise ModelError(f"{what}: density= and {name}= belong together.\n"
                         f"  Give both, or mass= alone; a thin {what} has no {name} of its own.")
    return 1.0 if value is None else _length(f"{what}: {name}", value)


def _along(what: str, part: MassProperties, axis: Any) -> MassProperties:
    """A part made along z, turned to another axis."""
    R = axes_from(what, direction(what, axis), None)
    return MassProperties(part.mass, R @ part.com, R @ part.inertia @ R.T)


def _pipe(what: str, R: float, r: float, length: Any, axis: Any, density: Any, mass: Any) -> MassProperties:
    h = _length(f"{what}: length", length)
    m = _mass(what, math.pi * (R - r) * (R + r) * h, density, mass)
    across = m * (3 * (R * R + r * r) + h * h) / 12
    return _along(f"{what}: axis", _made(m, ORIGIN, [across, across, m * (R * R + r * r) / 2]), axis)


def _conical(what: str, R: float, r: float, height: Any, axis: Any, density: Any, mass: Any) -> MassProperties:
    """Integrals of powers of the section's radius, wide (p + (q - p) s), over the height, 0 <= s <= 1."""
    h, wide = _length(f"{what}: height", height), max(R, r)
    p, q = R / wide, r / wide
    squares = p * p + p * q + q * q
    m = _mass(what, math.pi * h * wide * wide * squares / 3, density, mass)
    centre = h * (p * p + 2 * p * q + 3 * q * q) / (4 * squares)
    about_axis = 0.3 * m * wide * wide * (p**4 + p**3 * q + p * p * q * q + p * q**3 + q**4) / squares
    across = about_axis / 2 + m * (h * h * (p * p + 3 * p * q + 6 * q * q) / (10 * squares) - centre * centre)
    return _along(f"{what}: axis", _made(m, (0.0, 0.0, centre), [across, across, about_axis]), axis)


# profiles


def _polygon(what: str, points: Any) -> Array:
    """The corners of a polygon, repeated ones left out."""
    corners = number_array(what, points)
    if corners.ndim != 2 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise ModelError(f"{what} is not a polygon; a list of points (a, b) of finite numbers is needed.")
    corners = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    size = float(np.ptp(corners, axis=0).max()) if len(corners) else 0.0
    if len(corners) < 3 or _moments(corners - corners[0])[0] <= 1e-12 * size * size:
        raise ModelError(f"{what} has no area: {len(corners)} different corners, {size:g} m wide.\n"
                         "  Give at least three corners that are not on one line, in order round the polygon.")
    return np.asarray(corners)


def _moments(corners: Array) -> Array:
    """Area and integrals of a, b, aa, bb, ab over a polygon, by Green's theorem."""
    a, b = corners.T
    a1, b1 = np.roll(a, -1), np.roll(b, -1)
    cross = a * b1 - a1 * b
    terms = [np.full(len(a), 12.0), 4 * (a + a1), 4 * (b + b1), 2 * (a * a + a * a1 + a1 * a1),
             2 * (b * b + b * b1 + b1 * b1), 2 * a * b + a * b1 + a1 * b + 2 * a1 * b1]
    sums: Array = np.array(terms) @ cross / 24
    return -sums if sums[0] < 0 else sums  # clockwise: all change sign


def _check_loops(loops: list[Array]) -> None:
    """No edge crosses or touches another, holes are inside the profile and outside one another."""
    starts = np.concatenate(loops)
    ends = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
    before = np.concatenate([np.roll(np.arange(len(loop)), 1) for loop in loops])
    before += np.repeat(np.cumsum([0, *map(len, loops[:-1])]), [len(loop) for loop in loops])
    for k in range(len(starts)):
        meets = _meets(starts[k], ends[k], starts, ends) & (before != k)
        meets[[k, before[k]]] = False
        if meets.any():
            one, two = starts[k].tolist(), starts[int(np.argmax(meets))].tolist()
            raise ModelError(f"extrusion: two edges cross or touch, those that begin at {tuple(one)} and {tuple(two)}."
                             "\n  Give the corners in order round the polygon; holes must be inside and apart.")
    for k, hole in enumerate(loops[1:], start=1):
        if not _inside(hole[0], loops[0]) or any(_inside(hole[0], o) for o in loops[1:] if o is not hole):
            raise ModelError(f"extrusion: hole {k} is outside the profile or inside another hole.\n"
                             "  Points of holes are in the same axes as those of the profile.")


def _meets(p: Array, q: Array, starts: Array, ends: Array) -> Array:
    """Whether the segment from p to q meets each of the segments from starts to ends."""
    def side(o: Array, d: Array, x: Array) -> Array:
        return np.asarray(d[..., 0] * (x - o)[..., 1] - d[..., 1] * (x - o)[..., 0])

    d, e = q - p, ends - starts
    apart = (np.maximum(p, q) < np.minimum(starts, ends)) | (np.minimum(p, q) > np.maximum(starts, ends))
    mine = np.sign(side(p, d, starts)) * np.sign(side(p, d, ends))
    theirs = np.sign(side(starts, e, p)) * np.sign(side(starts, e, q))
    return np.asarray(~apart.any(axis=1) & (mine <= 0) & (theirs <= 0))


def _inside(point: Array, corners: Array) -> bool:
    """Whether a point is in a polygon: a ray from it crosses an odd number of edges."""
    a, b = (corners - point).T
    a1, b1 = np.roll(a, -1), np.roll(b, -1)
    spans = (b > 0) != (b1 > 0)
    rise = np.where(spans, b1 - b, 1.0)
    return bool((spans & (a - b * (a1 - a) / rise > 0)).sum() % 2)


# closed surfaces


def _surface(what: str, vertices: Any, faces: Any) -> tuple[Array, Any]:
    """Points and triangles of a closed surface, points at the same place made one."""
    points = number_array(f"{what}: vertices", vertices)
    try:
        triangles = np.asarray(faces)
    except (TypeError, ValueError):
        triangles = np.empty(0)
    if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all():
        raise ModelError(f"{what}: the vertices must be n points (x, y, z) of finite numbers.")
    whole = triangles.ndim == 2 and triangles.shape[1:] == (3,) and np.issubdtype(triangles.dtype, np.integer)
    if not whole or not len(triangles) or triangles.min() < 0 or triangles.max() >= len(points):
        raise ModelError(f"{what}: the faces must be triangles, three numbers of vertices each, 0 to "
                         f"{len(points) - 1}.")
    points, number = np.unique(points, axis=0, return_inverse=True)
    triangles = number.reshape(-1)[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    _check_closed(what, triangles)
    return points, triangles


def _check_closed(what: str, triangles: Any) -> None:
    """Every edge is passed as often one way as the other: the surface has no boundary and one side out."""
    edges = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    _, number = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    number = number.reshape(-1)
    unbalanced = np.bincount(number, weights=forward) != 0
    odd = int((np.bincount(number) % 2 == 1).sum())
    if odd:
        raise ModelError(f"{what}: the surface is not watertight, {odd} of its edges are open; it has no inside.\n"
                         "  Close the holes in the program that made it, or export it as a solid.")
    if unbalanced.any():
        raise ModelError(f"{what}: the faces are not all wound the same way, at {int(unbalanced.sum())} edges.\n"
                         "  Make the normals consistent (all outwards) in the program that made it.")


def _solid(what: str, points: Array, triangles: Any, density: Any, mass: Any) -> MassProperties:
    """Volume integrals as sums over tetrahedra from a middle point to every triangle."""
    middle = points.mean(axis=0)
    corners = (points - middle)[triangles]
    six_volumes = np.linalg.det(corners)
    volume = six_volumes.sum() / 6
    size = float(np.abs(corners).max()) if len(corners) else 0.0
    if abs(volume) <= 1e-12 * size * size * size:
        raise ModelError(f"{what}: the surface encloses no volume.")
    sums = corners.sum(axis=1)
    com = (six_volumes @ sums) / 24 / volume
    rays = np.concatenate([corners, sums[:, None]], axis=1)
    products = np.einsum("n,nvi,nvj->ij", six_volumes, rays, rays)
    m = _mass(what, abs(float(volume)), density, mass)  # inside out: both volume and products change sign
    spread = m * (products / 120 / volume - np.outer(com, com))
    return _made(m, middle + com, np.trace(spread) * np.eye(3) - spread)
