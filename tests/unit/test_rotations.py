"""Rotations in every form, against scipy and against what the words mean."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Scipy

import vincolo as vc
from mechanisms import rotation, unit
from vincolo.errors import ModelError
from vincolo.model.body import make_body
from vincolo.model.geometry import rotation_of
from vincolo.model.rotations import Rotation

EXTRINSIC = ["".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]
SEQUENCES = EXTRINSIC + [s.upper() for s in EXTRINSIC]
NAN, INF = float("nan"), float("inf")


def same(one, two, tolerance=1e-14):
    return np.asarray(one) == pytest.approx(np.asarray(two), abs=tolerance)


def proper(sequence):
    return sequence[0] == sequence[2]


def test_there_are_twelve_sequences_of_each_kind():
    assert len(EXTRINSIC) == 12 and len(set(SEQUENCES)) == 24


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_to_matrix_and_back_as_in_scipy(sequence, rng):
    for _ in range(50):
        theirs = Scipy.from_matrix(rotation(rng))
        angles = theirs.as_euler(sequence)
        ours = Rotation.euler(sequence, *angles)
        assert same(ours, theirs.as_matrix())
        # angles are as uncertain as rounding over the sine or cosine of the middle one
        room = 1e-13 / abs(np.sin(angles[1]) if proper(sequence) else np.cos(angles[1]))
        assert ours.as_euler(sequence) == pytest.approx(angles, abs=room)
        assert ours.as_euler(sequence, degrees=True) == pytest.approx(np.degrees(angles), abs=60 * room)
        assert same(Rotation.euler(sequence, *np.degrees(angles), degrees=True), ours)


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-6])
def test_near_gimbal_lock_the_angles_still_give_the_rotation(sequence, off, rng):
    """Below 1e-12 the third angle is set to zero, which costs as much; otherwise nothing is lost."""
    for locked in (0.0, np.pi) if proper(sequence) else (-np.pi / 2, np.pi / 2):
        for _ in range(5):
            a, c = rng.uniform(-3, 3, size=2)
            R = Rotation.euler(sequence, a, locked + off, c)
            back = R.as_euler(sequence)
            assert same(Rotation.euler(sequence, *back), R, 2e-12 if off < 1e-12 else 1e-14)
            if off < 1e-14:
                assert back[2] == 0.0 and back[1] == pytest.approx(locked, abs=1e-14)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_stay_in_their_ranges(sequence, rng):
    low, high = (0, np.pi) if proper(sequence) else (-np.pi / 2, np.pi / 2)
    for matrix in [rotation(rng) for _ in range(50)] + [np.eye(3), np.diag([1, -1, -1]), np.diag([-1, -1, 1])]:
        a, b, c = Rotation(matrix).as_euler(sequence)
        assert low <= b <= high and -np.pi < a <= np.pi and -np.pi < c <= np.pi
        assert not any(np.signbit(x) for x in (a, b, c) if x == 0)


@pytest.mark.parametrize("sequence", ["zyx", "zxz", "ZYX", "xzy", "YZX"])
def test_a_half_turn_is_plus_pi_whichever_way_it_was_made(sequence):
    for turn in (np.pi, -np.pi):
        angles = Rotation.axis_angle("z", turn).as_euler(sequence)
        assert max(angles) == np.pi and min(angles) > -1e-15


def test_one_turn_after_the_other_about_own_or_fixed_axes():
    quarter = np.pi / 2
    own = Rotation.euler("XYZ", quarter, quarter, 0)  # x to x, then about the new y, which points to world z
    assert own.x == pytest.approx([0, 1, 0], abs=1e-15)
    fixed = Rotation.euler("xyz", quarter, quarter, 0)  # about world x, then about world y
    assert fixed.x == pytest.approx([0, 0, -1], abs=1e-15)
    a, b, c = 0.3, -0.5, 1.1
    x, y, z = Rotation.axis_angle("x", a), Rotation.axis_angle("y", b), Rotation.axis_angle("z", c)
    assert same(Rotation.euler("XYZ", a, b, c), x * y * z) and same(Rotation.euler("xyz", a, b, c), z * y * x)


def test_bryant_angles_are_the_matrix_of_carvalho():
    """Eq. 2.12 of Carvalho, with its first element corrected to cos(phi2) cos(phi3)."""
    p1, p2, p3 = 0.4, -0.7, 1.9
    (c1, c2, c3), (s1, s2, s3) = np.cos([p1, p2, p3]), np.sin([p1, p2, p3])
    expected = [[c2 * c3, -c2 * s3, s2], [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
                [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2]]
    assert same(Rotation.euler("XYZ", p1, p2, p3), expected)


def test_heading_pitch_and_bank_of_a_vehicle():
    """x forward, y left, z up: left turn, nose down, right side down."""
    left = Rotation.heading_pitch_bank(30, 0, 0, degrees=True)
    assert left.x[1] > 0 and left.x[2] == 0
    assert Rotation.heading_pitch_bank(0, 10, 0, degrees=True).x[2] < 0
    assert Rotation.heading_pitch_bank(0, 0, 10, degrees=True).y[2] > 0
    angles = (25.0, -4.0, 7.0)
    R = Rotation.heading_pitch_bank(*angles, degrees=True)
    assert R.as_heading_pitch_bank(degrees=True) == pytest.approx(angles)
    assert same(R, Scipy.from_euler("ZYX", angles, degrees=True).as_matrix())
    assert Rotation.heading_pitch_bank(0.5, -np.pi / 2, 0.2).as_heading_pitch_bank()[2] == 0  # nose straight up


def test_axis_and_angle(rng):
    for _ in range(100):
        u, angle = unit(rng), rng.uniform(0, np.pi)
        R = Rotation.axis_angle(rng.uniform(0.1, 9) * u, angle)
        assert same(R, Scipy.from_rotvec(angle * u).as_matrix())
        assert R.axis == pytest.approx(u, abs=1e-14 / np.sin(angle / 2)) and R.angle == pytest.approx(angle, abs=1e-14)
        axis, degrees = R.as_axis_angle(degrees=True)
        assert axis == pytest.approx(R.axis) and degrees == pytest.approx(np.degrees(angle))
        assert same(Rotation.axis_angle(-u, -angle), R) and same(Rotation.axis_angle(u, angle + 4 * np.pi), R, 1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-3, np.pi - 1e-8, np.pi])
def test_small_turns_and_half_turns(angle, rng):
    u = unit(rng)
    R = Rotation.axis_angle(u, angle)
    assert R.angle == pytest.approx(angle, abs=1e-15, rel=1e-15)
    assert same(Rotation.axis_angle(*R.as_axis_angle()), R, 1e-15)
    if 0 < angle < np.pi:
        # entries of a matrix are known to 1e-16, so the axis of a small turn to 1e-16 / angle
        assert R.axis == pytest.approx(u, abs=1e-15 + 1e-15 / angle)


def test_without_a_turn_the_axis_is_z():
    assert Rotation().axis.tolist() == [0, 0, 1] and Rotation().angle == 0


def test_rodrigues_parameters(rng):
    for _ in range(50):
        u, angle = unit(rng), rng.uniform(0, 3)
        R = Rotation.gibbs(u * np.tan(angle / 2))
        assert same(R, Scipy.from_rotvec(angle * u).as_matrix())
        assert R.as_gibbs() == pytest.approx(u * np.tan(angle / 2), rel=1e-11, abs=1e-13)
    assert Rotation.gibbs((1e250, 0, 0)).angle == pytest.approx(np.pi)


@pytest.mark.parametrize("axis", ["x", "y", "z", (1, -2, 0.5)])
def test_a_half_turn_has_no_rodrigues_parameters(axis):
    half = Rotation.axis_angle(axis, 180, degrees=True)
    with pytest.raises(ModelError, match="(?s)180 degrees.*infinite.*quaternion"):
        half.as_gibbs()
    close = Rotation.axis_angle(axis, 180 - 1e-6, degrees=True)
    assert same(Rotation.gibbs(close.as_gibbs()), close)


def test_quaternions_and_matrices_as_given(rng):
    for _ in range(50):
        theirs = Scipy.from_matrix(rotation(rng))
        x, y, z, w = theirs.as_quat(canonical=True)
        R = Rotation(theirs.as_matrix())
        assert R.quaternion == pytest.approx([w, x, y, z], abs=1e-15)
        assert same(Rotation(7 * R.quaternion), R) and same(Rotation(R), R)
    assert same(Rotation(), np.eye(3)) and same(Rotation(None), np.eye(3))


def test_two_axes_are_those_of_a_frame(rng):
    z, x = unit(rng), unit(rng)
    frame = make_body("b", 1.0, 1.0, (0, 0, 0), None, None, (0, 0, 0), (0, 0, 0)).frame((0, 0, 0), z=z, x=x)
    assert same(Rotation.axes(z=z, x=x), frame.axes)
    assert Rotation.axes(z="-y").z == pytest.approx([0, -1, 0]) and Rotation.axes(x=(0, 2, 0)).x[1] == 1
    assert same(Rotation.axes(*(Rotation.axes(z=z, x=x).matrix[:, [2, 0]].T)), frame.axes)


@pytest.mark.parametrize("axes", ["xy", "xz", "yx", "yz", "zx", "zy"])
def test_three_points_and_back(axes, rng):
    for _ in range(20):
        R, origin = Rotation(rotation(rng)), rng.normal(size=3)
        first, second = (R.matrix[:, "xyz".index(letter)] for letter in axes)
        # the third point anywhere in the half plane, the second at any distance
        made = Rotation.three_points(origin, origin + 3 * first, origin + 0.5 * second - 2 * first, axes)
        assert same(made, R)
        assert same(Rotation.three_points(*R.as_three_points(origin, axes), axes), R)


def test_three_points_as_documents_give_them(rng):
    R, P = rotation(rng), rng.normal(size=3)
    assert same(Rotation.three_points(P, P + R[:, 2], P + R[:, 0]), R)  # Vita: P, Q on z, R on x
    assert same(Rotation.three_points(P, P + R[:, 0], P + 4 * R[:, 1], "xy"), R)  # Carvalho: on x, on y


@pytest.mark.parametrize("size", [1e-200, 1e-6, 1e6, 1e200])
def test_three_points_of_any_size(size):
    assert same(Rotation.three_points((0, 0, 0), (0, 0, size), (size, 0, size)), np.eye(3))


def test_products_inverses_and_vectors(rng):
    A, B = Rotation(rotation(rng)), Rotation(rotation(rng))
    v, many = rng.normal(size=3), rng.normal(size=(5, 3))
    assert same((A * B).matrix, A.matrix @ B.matrix)
    assert (A * B).apply(v) == pytest.approx(A.apply(B.apply(v)))
    assert same(A * A.inverse(), np.eye(3)) and same((A * B).inverse(), B.inverse() * A.inverse())
    assert A.apply(many) == pytest.approx(np.array([A.matrix @ row for row in many]))
    assert A.apply((1, 0, 0)) == pytest.approx(A.x) and A.apply((0, 0, 1)) == pytest.approx(A.z)


def test_long_products_stay_rotations(rng):
    R = Rotation()
    step = Rotation(rotation(rng))
    for _ in range(1000):
        R = R * step
    assert same(R.matrix @ R.matrix.T, np.eye(3))


def test_a_rotation_cannot_be_changed(rng):
    mine = rotation(rng)
    R = Rotation(mine)
    mine[0, 0] = 5
    assert abs(R.matrix[0, 0]) <= 1
    with pytest.raises(ValueError, match="read-only"):
        R.matrix[0, 0] = 1
    np.asarray(R)[0, 0] = 5  # a copy
    assert abs(R.matrix[0, 0]) <= 1
    with pytest.raises(AttributeError):
        R.matrix = np.eye(3)


def test_bodies_take_rotations(rng):
    R = Rotation.euler("zxz", 0.1, 0.2, 0.3)
    body = make_body("b", 1.0, 1.0, (0, 0, 0), R, None, (0, 0, 0), (0, 0, 0))
    assert same(body.orientation, R) and same(rotation_of("R", R), R)
    body.orientation[0, 0] = 9  # the body's own copy
    assert R.matrix[0, 0] < 1


def test_what_a_rotation_looks_like():
    assert repr(Rotation.axis_angle("-y", 0.5236)) == "Rotation(30.0001 degrees about (0, -1, 0))"


@pytest.mark.parametrize("sequence", ["", "x", "xy", "xxy", "zyy", "xyzx", "xYz", "XYz", "abc", "zx ", None, 5, "ẋyz"])
def test_wrong_sequences_are_refused(sequence):
    for call in (lambda: Rotation.euler(sequence, 1, 2, 3), lambda: Rotation().as_euler(sequence)):
        with pytest.raises(ModelError, match="(?s)sequence is .*three letters.*Write 'ZXZ'"):
            call()


@pytest.mark.parametrize("wrong", [NAN, INF, -INF, "1", None, [1.0], True, 1j])
def test_wrong_angles_are_refused_by_name(wrong):
    with pytest.raises(ModelError, match="rotation 'zxz': b is"):
        Rotation.euler("zxz", 1, wrong, 3)
    with pytest.raises(ModelError, match="rotation: angle is"):
        Rotation.axis_angle("z", wrong)
    with pytest.raises(ModelError, match="finite number"):
        Rotation.heading_pitch_bank(0, 0, wrong, degrees=True)


@pytest.mark.parametrize("call, message", [
    (lambda: Rotation.axis_angle((0, 0, 0), 1), "axis.*points nowhere"),
    (lambda: Rotation.axis_angle("w", 1), "axis is 'w'"),
    (lambda: Rotation.axis_angle((1, NAN, 0), 1), "axis is"),
    (lambda: Rotation.gibbs((1, 2)), "Gibbs vector is"),
    (lambda: Rotation.gibbs((1, 2, INF)), "Gibbs vector is"),
    (lambda: Rotation.axes(z="x", x=(1, 0, 0)), "x and z have the same direction"),
    (lambda: Rotation.axes(z=(0, 0, 0)), "z is .*points nowhere"),
    (lambda: Rotation.three_points((0, 0, 0), (0, 0, 1), (0, 0, 2)), "one line.*Move the third"),
    (lambda: Rotation.three_points((1, 1, 1), (2, 2, 2), (0, 0, 0)), "one line"),
    (lambda: Rotation.three_points((0, 0, 1), (0, 0, 1), (0, 1, 2)), "at the origin of the axes.*The points are"),
    (lambda: Rotation.three_points((0, 0, 0), (0, 0, 0), (0, 0, 0)), "at the origin of the axes"),
    (lambda: Rotation.three_points((1e9, 0, 0), (1e9 + 1e-6, 0, 0), (0, 1, 2)), "at the origin of the axes"),
    (lambda: Rotation.three_points((0, 0, 0), (0, NAN, 1), (1, 0, 0)), "first is"),
    (lambda: Rotation.three_points((0, 0, 0), (0, 0, 1), (1, 0, 0), "zz"), "axes is 'zz'.*Write 'zx'"),
    (lambda: Rotation.three_points((0, 0, 0), (0, 0, 1), (1, 0, 0), "ab"), "axes is 'ab'"),
    (lambda: Rotation().as_three_points(axes="x"), "axes is 'x'"),
    (lambda: Rotation((0, 0, 0, 0)), "not all zero"),
    (lambda: Rotation((1, 0, NAN, 0)), "rotation is"),
    (lambda: Rotation(2 * np.eye(3)), "not a rotation.*Rotation.axes"),
    (lambda: Rotation(-np.eye(3)), "not a rotation.*determinant -1"),
    (lambda: Rotation("zxz"), "rotation is 'zxz'.*Rotation.euler"),
    (lambda: Rotation().apply((1, 2)), "not a vector"),
    (lambda: Rotation().apply((1, 2, NAN)), "not a vector"),
    (lambda: Rotation().apply("abc"), "not a vector"),
    (lambda: Rotation().apply(5.0), "not a vector"),
    (lambda: Rotation() * (1, 2, 3), "multiplied with a rotation.*apply"),
    (lambda: Rotation() * np.eye(3), "multiplied with a rotation"),
])
def test_what_cannot_be_meant_is_refused(call, message):
    with pytest.raises(ModelError, match=f"(?s){message}"):
        call()


def test_an_array_is_not_multiplied_element_by_element():
    for wrong in (lambda: np.ones(3) * Rotation(), lambda: np.eye(3) @ Rotation(), lambda: 2.0 * Rotation()):
        with pytest.raises(TypeError):
            wrong()


def test_rotations_of_scipy_are_taken_where_a_rotation_is_meant():
    turned = Scipy.from_euler("zxz", [0.3, -0.4, 0.5])
    body = vc.Model().body("b", 1.0, 0.1, orientation=turned)
    assert body.orientation == pytest.approx(turned.as_matrix(), abs=1e-15)
