"""Mass properties: closed forms, volume integrals, parts put together, and what is refused."""

import sys
import types
import zipfile
from itertools import permutations, product

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

from mechanisms import cloud_inertia, rotation
from vincolo.errors import ModelError
from vincolo.model import shapes as vs
from vincolo.model.body import make_body
from vincolo.model.rotations import Rotation
from vincolo.model.shapes import MassProperties

NAN, INF = float("nan"), float("inf")
RHO = 1234.5


def same(one, two, rel=1e-12):
    """Equal mass, centre and inertia, to rounding of the largest number of each."""
    size = max(np.abs(two.com).max(), np.sqrt(np.abs(two.inertia).max() / two.mass), 1e-300)
    return (one.mass == pytest.approx(two.mass, rel=rel) and one.com == pytest.approx(two.com, abs=rel * size)
            and one.inertia == pytest.approx(two.inertia, abs=rel * two.mass * size**2))


def integrated(density, place, n=24):
    """Mass properties by Gauss quadrature over the unit cube, mapped into the shape by place(u, v, w), which gives
    the points and the Jacobian; exact for polynomials, spectral for the angles."""
    x, weight = leggauss(n)
    u, v, w = np.meshgrid(*[(x + 1) / 2] * 3, indexing="ij")
    points, jacobian = place(u.ravel(), v.ravel(), w.ravel())
    dm = density * jacobian * np.einsum("i,j,k->ijk", weight, weight, weight).ravel() / 8
    com = points @ dm / dm.sum()
    d = points - com[:, None]
    spread = (d * dm) @ d.T
    return MassProperties(dm.sum(), com, np.trace(spread) * np.eye(3) - spread)


def round_shape(inner, outer, low, high):
    """A map of the unit cube into the solid between radii inner(z) and outer(z)."""
    def place(u, v, w):
        z, phi = low + (high - low) * w, 2 * np.pi * v
        r0, r1 = inner(z), outer(z)
        r = r0 + (r1 - r0) * u
        return np.array([r * np.cos(phi), r * np.sin(phi), z]), 2 * np.pi * r * (r1 - r0) * (high - low)
    return place


def ball(a, b, c):
    """A map of the unit cube into an ellipsoid."""
    def place(u, v, w):
        cosine, phi = 2 * v - 1, 2 * np.pi * w
        sine = np.sqrt(1 - cosine**2)
        return np.array([a * u * sine * np.cos(phi), b * u * sine * np.sin(phi), c * u * cosine]), \
            a * b * c * u**2 * 4 * np.pi
    return place


def brick(a, b, c):
    def place(u, v, w):
        return np.array([a * (u - 0.5), b * (v - 0.5), c * (w - 0.5)]), np.full(len(u), a * b * c)
    return place


INTEGRALS = {
    "box": (vs.box((0.3, 0.5, 0.7), density=RHO), brick(0.3, 0.5, 0.7)),
    "sphere": (vs.sphere(0.4, density=RHO), ball(0.4, 0.4, 0.4)),
    "ellipsoid": (vs.ellipsoid((0.2, 0.3, 0.6), density=RHO), ball(0.2, 0.3, 0.6)),
    "cylinder": (vs.cylinder(0.3, 0.8, density=RHO), round_shape(lambda z: 0 * z, lambda z: 0.3 + 0 * z, -0.4, 0.4)),
    "tube": (vs.tube(0.3, 0.2, 0.8, density=RHO), round_shape(lambda z: 0.2 + 0 * z, lambda z: 0.3 + 0 * z, -0.4, 0.4)),
    "cone": (vs.cone(0.3, 0.9, density=RHO), round_shape(lambda z: 0 * z, lambda z: 0.3 * (1 - z / 0.9), 0, 0.9)),
    "frustum": (vs.frustum(0.3, 0.1, 0.9, density=RHO),
                round_shape(lambda z: 0 * z, lambda z: 0.3 - 0.2 * z / 0.9, 0, 0.9)),
    "frustum upside down": (vs.frustum(0.1, 0.3, 0.9, density=RHO),
                            round_shape(lambda z: 0 * z, lambda z: 0.1 + 0.2 * z / 0.9, 0, 0.9)),
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_shapes_are_their_volume_integrals(name):
    shape, place = INTEGRALS[name]
    assert same(shape, integrated(RHO, place), 1e-12)


def test_closed_forms_of_the_textbook():
    m, r, R, h, a, b, c = 2.0, 0.1, 0.15, 0.7, 0.2, 0.3, 0.4
    expected = {
        vs.box((a, b, c), mass=m): np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 12,
        vs.sphere(r, mass=m): np.full(3, 2 / 5 * r**2),
        vs.ellipsoid((a, b, c), mass=m): np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 5,
        vs.cylinder(r, h, mass=m): np.array([r**2 / 4 + h**2 / 12, r**2 / 4 + h**2 / 12, r**2 / 2]),
        vs.tube(R, r, h, mass=m): (R**2 + r**2) * np.array([0.25, 0.25, 0.5]) + h**2 * np.array([1, 1, 0]) / 12,
        vs.cone(r, h, mass=m): np.array([3 / 20 * r**2 + 3 / 80 * h**2, 3 / 20 * r**2 + 3 / 80 * h**2, 3 / 10 * r**2]),
        vs.rod(h, mass=m): np.array([h**2 / 12, h**2 / 12, 0]),
        vs.plate((a, b), mass=m): np.array([b**2, a**2, a**2 + b**2]) / 12,
        vs.point_mass(m): np.zeros(3),
    }
    for shape, squares in expected.items():
        assert shape.mass == m
        assert shape.inertia == pytest.approx(np.diag(m * squares), rel=1e-14)
    assert vs.cone(r, h, mass=m).com == pytest.approx([0, 0, h / 4])


def test_density_times_volume():
    assert vs.box((1, 2, 3), density=5).mass == pytest.approx(30)
    assert vs.sphere(2, density=3).mass == pytest.approx(32 * np.pi)
    assert vs.cylinder(2, 3, density=1).mass == pytest.approx(12 * np.pi)
    assert vs.cone(2, 3, density=1).mass == pytest.approx(4 * np.pi)
    assert vs.rod(2, density=vs.STEEL, area=1e-4).mass == pytest.approx(1.57)
    assert vs.plate((1, 2), density=vs.ALUMINIUM, thickness=1e-3).mass == pytest.approx(5.4)
    assert vs.extrusion([(0, 0), (2, 0), (0, 2)], 3, density=10).mass == pytest.approx(60)


def test_thin_shapes_are_limits_of_thick_ones():
    assert same(vs.rod(1.0, mass=2), vs.cylinder(1e-7, 1.0, mass=2), 1e-13)
    assert same(vs.plate((0.4, 0.5), mass=2), vs.box((0.4, 0.5, 1e-7), mass=2), 1e-13)
    assert same(vs.cone(0.2, 1.0, mass=2), vs.frustum(0.2, 1e-9, 1.0, mass=2), 1e-7)


def test_decompositions():
    """A whole is its pieces, a hollow part is the whole less the hole."""
    half = vs.box((0.2, 0.3, 0.2), density=RHO)
    assert same(half.moved((0, 0, 0.1)) + half.moved((0, 0, -0.1)), vs.box((0.2, 0.3, 0.4), density=RHO))
    bore = vs.cylinder(0.1, 0.5, "x", density=RHO)
    assert same(vs.cylinder(0.3, 0.5, "x", density=RHO) - bore, vs.tube(0.3, 0.1, 0.5, "x", density=RHO))
    tip = vs.cone(0.1, 0.4, density=RHO).moved((0, 0, 0.8))
    assert same(vs.cone(0.3, 1.2, density=RHO) - tip, vs.frustum(0.3, 0.1, 0.8, density=RHO))
    assert same(vs.frustum(0.3, 0.3, 0.8, density=RHO), vs.cylinder(0.3, 0.8, density=RHO).moved((0, 0, 0.4)))
    assert same(vs.ellipsoid((0.3, 0.3, 0.3), density=RHO), vs.sphere(0.3, density=RHO))
    rods = [vs.rod(0.5, "y", mass=1).moved((0, y, 0)) for y in (-0.25, 0.25)]
    assert same(sum(rods), vs.rod(1.0, "y", mass=2))
    holed = vs.plate((1, 1), mass=1.0) - vs.plate((0.5, 0.5), mass=0.25)
    assert holed.inertia == pytest.approx(np.diag([15, 15, 30]) / 16 / 12)


@pytest.mark.parametrize("axis", ["x", "y", "z", "-z", (1, 2, -2)])
def test_shapes_about_any_axis(axis):
    u = np.array({"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1], "-z": [0, 0, -1]}[axis]
                 if isinstance(axis, str) else np.array(axis) / 3)
    for part in (vs.cylinder(0.1, 0.7, axis, mass=2), vs.tube(0.1, 0.05, 0.7, axis, mass=2), vs.rod(0.7, axis, mass=2),
                 vs.cone(0.1, 0.7, axis, mass=2)):
        across = (np.trace(part.inertia) - u @ part.inertia @ u) / 2
        along = u @ part.inertia @ u
        assert part.inertia == pytest.approx(across * np.eye(3) + (along - across) * np.outer(u, u), abs=1e-15)
    assert vs.cylinder(0.1, 0.7, axis, mass=2).inertia @ u == pytest.approx(0.01 * u)
    assert vs.cone(0.1, 0.8, axis, mass=2).com == pytest.approx(0.2 * u)
    assert vs.rod(0.7, axis, mass=2).inertia @ u == pytest.approx(np.zeros(3), abs=1e-16)


def test_edges_of_plates_and_profiles_follow_the_axes_in_turn():
    rectangle = [(-0.1, -0.2), (0.1, -0.2), (0.1, 0.2), (-0.1, 0.2)]
    for normal, size in (("z", (0.2, 0.4, 1e-9)), ("x", (1e-9, 0.2, 0.4)), ("y", (0.4, 1e-9, 0.2))):
        assert same(vs.plate((0.2, 0.4), normal, mass=1), vs.box(size, mass=1))
        assert same(vs.extrusion(rectangle, 1e-9, normal, mass=1), vs.box(size, mass=1), 1e-8)
    shifted = [(a + 1, b + 2) for a, b in rectangle]
    assert vs.extrusion(shifted, 6, "x", mass=1).com == pytest.approx([3, 1, 2])
    assert vs.extrusion(shifted, 6, "y", mass=1).com == pytest.approx([2, 3, 1])


# parallel axes and turned axes


def part(rng):
    return MassProperties(rng.uniform(1, 5), rng.normal(size=3), cloud_inertia(rng))


def test_inertia_about_another_point_is_that_of_the_cloud(rng):
    points = rng.normal(size=(30, 3))
    cloud = sum(vs.point_mass(0.5).moved(p) for p in points)
    for origin in (np.zeros(3), np.array([1.0, -2, 3])):
        d = points - origin
        assert cloud.about(origin) == pytest.approx(0.5 * ((d**2).sum() * np.eye(3) - d.T @ d))
    assert cloud.com == pytest.approx(points.mean(axis=0)) and cloud.about(cloud.com) == pytest.approx(cloud.inertia)


def test_given_about_any_point_in_any_axes_and_back(rng):
    for _ in range(50):
        p, R, point = part(rng), rotation(rng), rng.normal(size=3)
        seen = R.T @ p.about(point) @ R
        for axes in (R, Rotation(R), Rotation(R).quaternion):
            assert same(MassProperties.given(p.mass, p.com, seen, about=point, axes=axes), p)
        assert same(MassProperties.given(p.mass, p.com, p.inertia), p)
        assert same(MassProperties.given(p.mass, p.com, R.T @ p.inertia @ R, axes=R), p)


def test_a_rod_given_about_its_end():
    rod = MassProperties.given(3.0, (0.5, 0, 0), (0, 1.0, 1.0), about=(0, 0, 0))
    assert same(rod, vs.rod(1.0, "x", mass=3).moved((0.5, 0, 0)))


def test_a_rod_given_about_a_far_point_has_no_inertia_below_zero(rng):
    """The data are rounded to 1e-16 of m d^2, 1e7 times the rod's own inertia: 1e-8 of it is left."""
    for _ in range(50):
        rod = vs.rod(0.1, rng.normal(size=3), mass=2).moved(rng.normal(size=3))
        far = 100 * rng.normal(size=3)
        again = MassProperties.given(2, rod.com, rod.about(far), about=far)
        assert again.inertia == pytest.approx(rod.inertia, abs=1e-6 * rod.inertia.max())
        assert np.linalg.eigvalsh(again.inertia).min() > -1e-15 * rod.inertia.max()


def test_moved_and_back(rng):
    for _ in range(50):
        p, R, at = part(rng), Rotation(rotation(rng)), rng.normal(size=3)
        moved = p.moved(at, R)
        assert same(moved.moved(-R.inverse().apply(at), R.inverse()), p)
        assert same(p.in_axes(R).moved(orientation=R), p)
        assert p.in_axes(R).com == pytest.approx(R.inverse().apply(p.com))
        w, v = rng.normal(size=(2, 3))
        # kinetic energy does not depend on the frame in which the part is given
        assert R.apply(w) @ moved.inertia @ R.apply(w) == pytest.approx(w @ p.inertia @ w)
        assert R.apply(w) @ moved.about(at + R.apply(v)) @ R.apply(w) == pytest.approx(w @ p.about(v) @ w)


def test_sums_do_not_depend_on_order_or_place(rng):
    a, b, c = part(rng), part(rng), part(rng)
    assert same(a + b, b + a) and same((a + b) + c, a + (b + c)) and same(sum([a, b, c]), a + b + c)
    assert same((a + b + c) - b, a + c)
    R, at = rotation(rng), rng.normal(size=3)
    assert same((a + b).moved(at, R), a.moved(at, R) + b.moved(at, R))


def test_thin_walls_survive_the_cancellation():
    """A shell of 1e-6 of the radius: m 2/3 r^2, its relative error about the thickness plus 1e-16 / thickness."""
    shell = vs.sphere(1.0, density=RHO) - vs.sphere(1.0 - 1e-6, density=RHO)
    assert shell.inertia == pytest.approx(shell.mass * 2 / 3 * np.eye(3), rel=1e-5)


def test_mass_properties_cannot_be_changed():
    com, inertia = np.zeros(3), np.eye(3)
    p = MassProperties(1.0, com, inertia)
    com[0] = inertia[0, 0] = 7
    assert p.com[0] == 0 and p.inertia[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        p.inertia[0, 0] = 3
    with pytest.raises(AttributeError):
        p.mass = 2


# profiles


def regular(n, r):
    phi = 2 * np.pi * np.arange(n) / n
    return r * np.column_stack([np.cos(phi), np.sin(phi)])


@pytest.mark.parametrize("n", [3, 4, 5, 6, 17, 400])
def test_regular_polygons(n):
    """Area n/2 r^2 sin(2 pi/n), polar radius of gyration squared r^2 (2 + cos(2 pi/n)) / 6."""
    r, h = 0.2, 0.7
    bar = vs.extrusion(regular(n, r), h, density=RHO)
    assert bar.mass == pytest.approx(RHO * h * n / 2 * r**2 * np.sin(2 * np.pi / n))
    polar = bar.mass * r**2 * (2 + np.cos(2 * np.pi / n)) / 6
    across = polar / 2 + bar.mass * h**2 / 12
    assert bar.inertia == pytest.approx(np.diag([across, across, polar]), abs=1e-13 * bar.mass)
    assert bar.com == pytest.approx([0, 0, h / 2], abs=1e-15)


def star(rng, n=9):
    """A random polygon that does not cross itself, with corners pointing inwards."""
    return regular(n, 1.0) * rng.uniform(0.4, 1.0, size=(n, 1)) + rng.normal(size=2)


def prism(corners, h):
    """Surface of a prism over a polygon, its ends as fans about their middle points."""
    n = len(corners)
    middle = np.array([[*corners.mean(axis=0), 0.0], [*corners.mean(axis=0), h]])
    low, high = np.column_stack([corners, np.zeros(n)]), np.column_stack([corners, np.full(n, h)])
    faces = []
    for k in range(n):
        j = (k + 1) % n
        faces += [(j, k, 2 * n), (n + k, n + j, 2 * n + 1), (k, j, n + j), (k, n + j, n + k)]
    return np.vstack([low, high, middle]), np.array(faces)


def test_extrusion_is_the_polyhedron_of_its_surface(rng):
    """Green's theorem in the plane against tetrahedra in space. Fans that overlap cancel, so any polygon will do."""
    for _ in range(20):
        corners = star(rng)
        vertices, faces = prism(corners, 0.6)
        assert same(vs.extrusion(corners, 0.6, density=RHO), vs.polyhedron(vertices, faces, density=RHO), 1e-11)


def test_either_way_round_from_any_corner_closed_or_not(rng):
    corners = star(rng)
    expected = vs.extrusion(corners, 0.6, density=RHO)
    for other in (corners[::-1], np.roll(corners, 3, axis=0), np.vstack([corners, corners[:1]]),
                  np.repeat(corners, 2, axis=0)):
        assert same(vs.extrusion(other, 0.6, density=RHO), expected)


def test_profiles_with_holes(rng):
    square = [(0, 0), (4, 0), (4, 3), (0, 3)]
    holes = [[(0.5, 0.5), (1.5, 0.5), (1.5, 2.5), (0.5, 2.5)], [(2, 1), (3, 2), (3, 1)]]
    whole = vs.extrusion(square, 2, density=RHO)
    cut = [vs.extrusion(hole, 2, density=RHO) for hole in holes]
    expected = whole - cut[0] - cut[1]
    for order in permutations(holes):
        for flip in (1, -1):
            assert same(vs.extrusion(square, 2, holes=[h[::flip] for h in order], density=RHO), expected)
    angle = vs.extrusion([(0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4)], 2, mass=6.0)  # an L of 3 + 3 squares
    legs = vs.box((3, 1, 2), mass=3).moved((1.5, 0.5, 1)) + vs.box((1, 3, 2), mass=3).moved((0.5, 2.5, 1))
    assert same(angle, legs)
    channel = vs.extrusion([(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)], 1, density=RHO)
    inside = vs.box((1, 1, 1), density=RHO).moved((1.5, 1.5, 0.5))
    assert same(channel, vs.box((3, 2, 1), density=RHO).moved((1.5, 1, 0.5)) - inside)  # two ends on one line
    assert abs(angle.inertia[0, 1]) > 0.1


def test_a_profile_far_from_the_origin_keeps_its_digits():
    near, far = (vs.extrusion(regular(6, 0.01) + shift, 0.1, density=RHO) for shift in (0.0, 1000.0))
    # the corners themselves are rounded to 1e-13 of their distance, 1e-11 of the profile's size
    assert far.inertia == pytest.approx(near.inertia, rel=1e-9, abs=1e-9 * near.inertia.max())


# closed surfaces


CUBE = np.array(list(product((0, 1), repeat=3)), dtype=float)
CUBE_FACES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
                       (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)])


def test_surface_of_a_box():
    size = np.array([0.2, 0.3, 0.5])
    expected = vs.box(size, density=RHO).moved(size / 2)
    assert same(vs.polyhedron(CUBE * size, CUBE_FACES, density=RHO), expected)
    inside_out = CUBE_FACES[:, ::-1]
    assert same(vs.polyhedron(CUBE * size, inside_out, density=RHO), expected)
    soup = (CUBE * size)[CUBE_FACES].reshape(-1, 3)  # as in STL files, each triangle with its own corners
    soup[::2][soup[::2] == 0] = -0.0
    assert same(vs.polyhedron(soup, np.arange(36).reshape(-1, 3), density=RHO), expected)


def test_surface_of_a_tetrahedron():
    """Integrals over the corner tetrahedron: mass rho/6, centre 1/4, x^2: 1/60 rho, x y: 1/120 rho."""
    corner = vs.polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
                           density=6.0)
    assert corner.mass == pytest.approx(1.0) and corner.com == pytest.approx([0.25] * 3)
    assert corner.about((0, 0, 0)) == pytest.approx(0.25 * np.eye(3) - 0.05, abs=1e-15)


def test_a_cavity_is_wound_the_other_way_round():
    outer, inner = CUBE - 0.5, 0.5 * (CUBE - 0.5)
    hollow = vs.polyhedron(np.vstack([outer, inner]), np.vstack([CUBE_FACES, CUBE_FACES[:, ::-1] + 8]), density=RHO)
    assert same(hollow, vs.box((1, 1, 1), density=RHO) - vs.box((0.5, 0.5, 0.5), density=RHO))


def test_parts_that_touch_at_an_edge_are_closed():
    two = np.vstack([CUBE, CUBE + (1, 1, 0)])
    both = vs.polyhedron(two, np.vstack([CUBE_FACES, CUBE_FACES + 8]), density=RHO)
    one = vs.polyhedron(CUBE, CUBE_FACES, density=RHO)
    assert same(both, one + one.moved((1, 1, 0)))


def test_a_mesh_with_an_open_edge_or_a_turned_face_is_refused():
    with pytest.raises(ModelError, match="(?s)not watertight, 3 of its edges are open.*Close the holes"):
        vs.polyhedron(CUBE, CUBE_FACES[1:], density=RHO)
    turned = CUBE_FACES.copy()
    turned[4] = turned[4, ::-1]
    with pytest.raises(ModelError, match="(?s)not all wound the same way, at 3 edges.*normals"):
        vs.polyhedron(CUBE, turned, density=RHO)


@pytest.fixture
def reader(monkeypatch):
    """A stand-in for trimesh that gives the triangles of a cube for any file."""
    module = types.ModuleType("trimesh")

    def load(path, force, process):
        if path.endswith(".txt"):
            raise ValueError("file_type 'txt' not supported")
        faces = CUBE_FACES[1:] if path.endswith("open.stl") else CUBE_FACES
        return types.SimpleNamespace(vertices=CUBE[faces].reshape(-1, 3),
                                     faces=np.arange(3 * len(faces)).reshape(-1, 3))

    module.load = load
    monkeypatch.setitem(sys.modules, "trimesh", module)


def test_mesh_files_in_their_own_unit(reader, tmp_path):
    file = tmp_path / "cube.stl"
    file.touch()
    assert same(vs.mesh(file, scale=0.001, density=RHO), vs.box([0.001] * 3, density=RHO).moved([0.0005] * 3))
    assert vs.mesh(str(file), mass=2.0).mass == 2.0


def test_mesh_files_that_cannot_be_used(reader, tmp_path):
    for name in ("open.stl", "notes.txt"):
        (tmp_path / name).touch()
    with pytest.raises(ModelError, match="(?s)open.stl.*not watertight"):
        vs.mesh(tmp_path / "open.stl", density=RHO)
    with pytest.raises(ModelError, match="(?s)notes.txt.*cannot be read .*'txt' not supported.*ending"):
        vs.mesh(tmp_path / "notes.txt", density=RHO)
    with pytest.raises(ModelError, match="missing.stl.*no such file"):
        vs.mesh(tmp_path / "missing.stl", density=RHO)
    with pytest.raises(ModelError, match="scale is 0; it must be positive"):
        vs.mesh(tmp_path / "open.stl", scale=0, density=RHO)


def test_without_trimesh_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "cube.stl").touch()
    with pytest.raises(ModelError, match=r"(?s)trimesh.*not installed.*pip install 'vincolo\[view\]'"):
        vs.mesh(tmp_path / "cube.stl", density=RHO)


@pytest.mark.parametrize("ending", ["stl", "obj"])
def test_files_written_by_trimesh(ending, tmp_path):
    """Binary STL keeps 24 bits, OBJ 8 decimals: 1e-6 of the size is left."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box(extents=(0.2, 0.3, 0.5)).export(tmp_path / f"box.{ending}")
    assert same(vs.mesh(tmp_path / f"box.{ending}", density=RHO), vs.box((0.2, 0.3, 0.5), density=RHO), 1e-6)
    made = trimesh.creation.cylinder(radius=0.2, height=0.7, sections=64)
    made.density = RHO
    made.export(tmp_path / f"cylinder.{ending}")
    read = vs.mesh(tmp_path / f"cylinder.{ending}", density=RHO)
    assert same(read, MassProperties(made.mass, made.center_mass, made.moment_inertia), 1e-6)
    # a circle of 64 corners: area and inertia are short by terms of (2 pi / 64)^2, below 1 per cent
    assert same(read, vs.cylinder(0.2, 0.7, density=RHO), 1e-2)


# bodies


def body(mass, inertia=None, com=None, **placed):
    return make_body("crank", mass, inertia, placed.get("at", (0, 0, 0)), placed.get("orientation"), com, (0, 0, 0),
                     (0, 0, 0))


def test_a_body_takes_mass_centre_and_inertia_from_a_shape(rng):
    shape = part(rng)
    made = body(shape, at=(1, 2, 3), orientation=rotation(rng))
    assert made.mass == shape.mass and made.com == pytest.approx(shape.com)
    assert made.inertia == pytest.approx(shape.inertia) and made.at.tolist() == [1, 2, 3]
    plain = body(2.0)
    assert plain.com.tolist() == [0, 0, 0] and plain.inertia == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize("given", [{"inertia": 1.0}, {"inertia": 0.0}, {"com": (0, 0, 0)}])
def test_a_shape_and_its_own_numbers_are_refused_together(given):
    with pytest.raises(ModelError, match=f"(?s)body 'crank': {next(iter(given))}= is given besides a shape.*Leave out"):
        body(vs.sphere(1, mass=1), **given)


# what is refused


MAKERS = {
    "box": lambda s, **k: vs.box((s, 1, 1), **k),
    "sphere": vs.sphere,
    "ellipsoid": lambda s, **k: vs.ellipsoid((1, 1, s), **k),
    "cylinder": lambda s, **k: vs.cylinder(s, 1, **k),
    "cylinder length": lambda s, **k: vs.cylinder(1, s, **k),
    "tube": lambda s, **k: vs.tube(1, s, 1, **k),
    "cone": lambda s, **k: vs.cone(s, 1, **k),
    "cone height": lambda s, **k: vs.cone(1, s, **k),
    "frustum": lambda s, **k: vs.frustum(1, s, 1, **k),
    "extrusion": lambda s, **k: vs.extrusion([(0, 0), (1, 0), (0, 1)], s, **k),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("size", [0, 0.0, -1, NAN, INF, "1", None, True, [1]])
def test_sizes_that_are_none_are_refused(name, size):
    with pytest.raises(ModelError, match=f"(?s){name.split()[0]}: .*(in metres|finite number)"):
        MAKERS[name](size, density=1.0)


ALL = {**{name: lambda m=m, **k: m(0.5, **k) for name, m in MAKERS.items()},
       "rod": lambda **k: vs.rod(1, **({"area": 1e-4} if "density" in k else {}), **k),
       "plate": lambda **k: vs.plate((1, 1), **({"thickness": 1e-3} if "density" in k else {}), **k),
       "polyhedron": lambda **k: vs.polyhedron(CUBE, CUBE_FACES, **k)}


@pytest.mark.parametrize("name", ALL)
def test_exactly_one_of_density_and_mass(name):
    with pytest.raises(ModelError, match="(?s)both density= and mass= are given.*exactly one.*kg/m3"):
        ALL[name](density=1.0, mass=1.0)
    with pytest.raises(ModelError, match="(?s)neither density= nor mass= is given.*exactly one"):
        ALL[name]()
    for wrong in (0, -7850, NAN, INF, "steel", [1], True):
        with pytest.raises(ModelError, match="(?s)density.*(must be positive|finite number)"):
            ALL[name](density=wrong)
        with pytest.raises(ModelError, match="(?s)mass.*(must be positive|finite number)"):
            ALL[name](mass=wrong)
    assert ALL[name](mass=2).mass == 2 and ALL[name](density=2.0).mass > 0


SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.mark.parametrize("call, message", [
    (lambda: vs.box((1, 2), mass=1), "size is \\(1, 2\\); 3 lengths in metres"),
    (lambda: vs.box(1.0, mass=1), "3 lengths"),
    (lambda: vs.box("xyz", mass=1), "3 lengths"),
    (lambda: vs.tube(1, 1, 1, mass=1), "inner_radius 1 m is not smaller.*outer radius comes first"),
    (lambda: vs.tube(1, 2, 1, mass=1), "not smaller"),
    (lambda: vs.cylinder(1, 1, "q", mass=1), "cylinder: axis is 'q'"),
    (lambda: vs.cylinder(1, 1, (0, 0, 0), mass=1), "cylinder: axis.*points nowhere"),
    (lambda: vs.plate((1, 1), "q", mass=1), "plate: normal is 'q'"),
    (lambda: vs.rod(1, density=7850), "density= and area= belong together.*mass= alone"),
    (lambda: vs.rod(1, mass=1, area=1e-4), "density= and area= belong together"),
    (lambda: vs.plate((1, 1), density=7850), "density= and thickness= belong together"),
    (lambda: vs.rod(1, density=1, area=-1), "area is -1"),
    (lambda: vs.box([1e-150] * 3, density=1e-300), "mass is 0 kg.*volume.*m, not mm"),
    (lambda: vs.sphere(1e200, density=1), "mass is inf kg"),
    (lambda: vs.sphere(1e200, mass=1), "finite numbers"),
    (lambda: vs.point_mass(-1), "mass is -1 kg"),
    (lambda: vs.extrusion([(0, 0), (1, 1), (1, 0), (0, 1)], 1, mass=1), "has no area.*in order round"),
    (lambda: vs.extrusion([(0, 0), (2, 2), (2, 0), (0, 1)], 1, mass=1), "cross or touch.*in order round"),
    (lambda: vs.extrusion([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1)], 1, mass=1), "cross or touch"),
    (lambda: vs.extrusion([(0, 0), (1, 1), (2, 2)], 1, mass=1), "no area: 3 different corners, 2 m wide"),
    (lambda: vs.extrusion([(0, 0), (1, 1)], 1, mass=1), "no area"),
    (lambda: vs.extrusion([], 1, mass=1), "not a polygon"),
    (lambda: vs.extrusion([(0, 0)] * 4, 1, mass=1), "no area: 0 different"),
    (lambda: vs.extrusion([(0, 0), (1, 0), (0, NAN)], 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion("square", 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(0.5, 0.5), (2, 0.5), (0.5, 0.8)]]), "cross or touch.*inside"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(2, 2), (3, 2), (2, 3)]]), "hole 1 is outside the profile"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[SQUARE]), "cross or touch"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(-1, -1), (2, -1), (2, 2), (-1, 2)]]), "outside the profile"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(.1, .1), (.9, .1), (.5, .9)], [(.4, .4), (.6, .4), (.5, .5)]]),
     "inside another hole"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(0, 0)]]), "hole 1 has no area"),
    (lambda: vs.polyhedron(CUBE, [], mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, 8)], mass=1), "faces must be triangles.*0 to 7"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, -1)], mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE, CUBE_FACES + 0.5, mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE * NAN, CUBE_FACES, mass=1), "vertices must be n points"),
    (lambda: vs.polyhedron(CUBE[:, :2], CUBE_FACES, mass=1), "vertices must be n points"),
    (lambda: vs.polyhedron(CUBE * (1, 1, 0), CUBE_FACES, mass=1), "no volume"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, 2), (0, 2, 1)], mass=1), "no volume"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(2, density=1), "cannot be taken out.*b is the hole"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(1, density=1), "cannot be taken out"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(0.5, density=1).moved((5, 0, 0)), "not a possible body.*inside a"),
    (lambda: MassProperties(1, (0, 0, 0), (1, 1, 3)), "triangle inequality"),
    (lambda: MassProperties(1, (0, 0, NAN), 1.0), "com is"),
    (lambda: MassProperties(NAN, (0, 0, 0), 1.0), "mass is nan"),
    (lambda: MassProperties.given(1, (1, 0, 0), 0.1, about=(0, 0, 0)), "too small for 1 kg.*m, not mm.*negative about"),
    (lambda: MassProperties.given(1, (1, 0, 0), (0, 0, 2), about=(0, 0, 0)), "too small.*all three moments"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, about=(1e200, 0, 0)), "too small"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, about=(0, 0)), "about is"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, axes=np.diag([1, 1, -1])), "axes: the matrix is not a rotation"),
    (lambda: vs.sphere(1, mass=1).moved((0, 0, INF)), "at is"),
    (lambda: vs.sphere(1, mass=1).about("z"), "the point is 'z'"),
])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_what_cannot_be_meant_is_refused(call, message):
    with pytest.raises(ModelError, match=f"(?s){message}"):
        call()


def test_other_things_are_not_added():
    part = vs.sphere(1, mass=1)
    for wrong in (lambda: part + 1, lambda: 1 + part, lambda: part - 1, lambda: part + None):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("name", ["part.zip", "part.3mf"])
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path, name, monkeypatch):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("part.stl", b"solid a\n" + b" " * 30_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it is unpacked"))
    with pytest.raises(ModelError, match=r"part\.stl' claims to unpack [0-9,]+ bytes into 30,000,008"):
        vs.mesh(path, mass=1.0)
    with pytest.raises(ModelError, match=r"packed \(\.bz2\)"):
        (tmp_path / "part.stl.bz2").write_bytes(b"BZh91AY")
        vs.mesh(tmp_path / "part.stl.bz2", mass=1.0)
