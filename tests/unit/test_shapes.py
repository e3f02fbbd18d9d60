"""Mass properties: closed forms, volume integrals, and parts put together."""

from itertools import permutations

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

from mass_properties import RHO, random_part, same
from mechanisms import rotation
from vincolo.model import shapes as vs
from vincolo.model.rotations import Rotation
from vincolo.model.shapes import MassProperties


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


def test_inertia_about_another_point_is_that_of_the_cloud(rng):
    points = rng.normal(size=(30, 3))
    cloud = sum(vs.point_mass(0.5).moved(p) for p in points)
    for origin in (np.zeros(3), np.array([1.0, -2, 3])):
        d = points - origin
        assert cloud.about(origin) == pytest.approx(0.5 * ((d**2).sum() * np.eye(3) - d.T @ d))
    assert cloud.com == pytest.approx(points.mean(axis=0)) and cloud.about(cloud.com) == pytest.approx(cloud.inertia)


def test_given_about_any_point_in_any_axes_and_back(rng):
    for _ in range(50):
        p, R, point = random_part(rng), rotation(rng), rng.normal(size=3)
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
        p, R, at = random_part(rng), Rotation(rotation(rng)), rng.normal(size=3)
        moved = p.moved(at, R)
        assert same(moved.moved(-R.inverse().apply(at), R.inverse()), p)
        assert same(p.in_axes(R).moved(orientation=R), p)
        assert p.in_axes(R).com == pytest.approx(R.inverse().apply(p.com))
        w, v = rng.normal(size=(2, 3))
        # kinetic energy does not depend on the frame in which the part is given
        assert R.apply(w) @ moved.inertia @ R.apply(w) == pytest.approx(w @ p.inertia @ w)
        assert R.apply(w) @ moved.about(at + R.apply(v)) @ R.apply(w) == pytest.approx(w @ p.about(v) @ w)


def test_sums_do_not_depend_on_order_or_place(rng):
    a, b, c = random_part(rng), random_part(rng), random_part(rng)
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
