"""Points, directions and rotations as users write them."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import rotation
from vincolo.channels.channels import quaternion_product, rotations
from vincolo.errors import ModelError
from vincolo.model.geometry import (
    axes_from,
    crosses,
    direction,
    matrix_of,
    orthonormal,
    perpendicular,
    quaternion_of,
    rotation_of,
)

HALF_TURNS = [np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)]


@pytest.mark.parametrize("R", HALF_TURNS, ids=["about x", "about y", "about z", "none"])
def test_quaternions_of_half_turns(R):
    assert matrix_of(quaternion_of(R)) == pytest.approx(R, abs=1e-15)


def test_round_trip_through_every_branch(rng):
    """Rotations near half turns about each axis, and anywhere: each of the four elements is the largest somewhere."""
    largest = set()
    for k in range(400):
        R = rotation(rng) if k % 2 else HALF_TURNS[k // 2 % 4] @ matrix_of(
            np.array([1.0, *0.05 * rng.normal(size=3)]) / np.linalg.norm([1.0, 0.05]))
        R = orthonormal(R)
        p = quaternion_of(R)
        largest.add(int(np.argmax(np.abs(p))))
        assert p[0] >= 0 and np.linalg.norm(p) == pytest.approx(1, abs=1e-15)
        assert matrix_of(p) == pytest.approx(R, abs=1e-14)
    assert largest == {0, 1, 2, 3}


def test_quaternion_to_matrix_and_back(rng):
    for _ in range(200):
        p = rng.normal(size=4)
        p /= np.linalg.norm(p) * np.sign(p[0])
        assert quaternion_of(matrix_of(p)) == pytest.approx(p, abs=1e-14)


def test_a_quaternion_turns_by_its_angle_about_its_axis():
    phi = 0.7
    R = rotation_of("R", (np.cos(phi / 2), 0, 0, np.sin(phi / 2)))
    assert R[:, 0] == pytest.approx([np.cos(phi), np.sin(phi), 0])


def test_products_and_stacks_of_quaternions(rng):
    p, q = rng.normal(size=(2, 4))
    p, q = p / np.linalg.norm(p), q / np.linalg.norm(q)
    assert matrix_of(quaternion_product(p, q)) == pytest.approx(matrix_of(p) @ matrix_of(q), abs=1e-14)
    assert rotations(np.array([p, 3 * q])) == pytest.approx(np.array([matrix_of(p), matrix_of(q)]), abs=1e-14)


@pytest.mark.parametrize("size", [1e-10, 1.0, 1e200])
def test_rotation_from_a_quaternion_of_any_length(size):
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert rotation_of("R", [size, 0, 0, size]) == pytest.approx(quarter, abs=1e-15)


def test_rotation_from_nothing_or_a_matrix_that_is_nearly_one(rng):
    assert rotation_of("R", None) == pytest.approx(np.eye(3))
    R = rotation(rng)
    cleaned = rotation_of("R", np.round(R, 8))
    assert cleaned @ cleaned.T == pytest.approx(np.eye(3), abs=16 * np.finfo(float).eps)  # of two 3x3 products
    assert cleaned == pytest.approx(R, abs=1e-7)
    with pytest.raises(ModelError, match="not a rotation"):
        rotation_of("R", np.round(R, 1))


def test_directions():
    assert direction("a", "-y").tolist() == [0, -1, 0]
    assert direction("a", " X ").tolist() == [1, 0, 0]
    assert direction("a", "+z").tolist() == [0, 0, 1]
    assert direction("a", (0, 3, 4)) == pytest.approx([0, 0.6, 0.8])
    for wrong in ("xx", "--x", "", "xy"):
        with pytest.raises(ModelError, match="write 'x'"):
            direction("a", wrong)


def test_axes_are_right_handed_and_keep_z(rng):
    for _ in range(50):
        z, x = direction("z", rng.normal(size=3)), direction("x", rng.normal(size=3))
        for axes in (axes_from("f", z, None), axes_from("f", None, x), axes_from("f", z, x)):
            assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-14)
            assert np.linalg.det(axes) == pytest.approx(1)
        assert axes_from("f", z, x)[:, 2] == pytest.approx(z, abs=1e-15)
        assert axes_from("f", None, x)[:, 0] == pytest.approx(x, abs=1e-15)
        assert abs(perpendicular(z) @ z) < 1e-15


def test_a_rotation_that_is_exact_to_rounding_keeps_its_bits(rng):
    """A model written in Python and the same one from a file are equal bit by bit, whatever the linear algebra."""
    for _ in range(50):
        turn = vc.Rotation.axis_angle(rng.normal(size=3), rng.uniform(-3, 3))
        assert (rotation_of("it", turn) == turn.matrix).all() and (rotation_of("it", turn.matrix) == turn.matrix).all()
    rounded = np.round(turn.matrix, 8)
    assert (rotation_of("it", rounded) != rounded).any()


def test_products_of_stacks_are_those_of_numpy_bit_by_bit(rng):
    for shape in ((1, 3), (50, 3), (4, 5, 3), (0, 3)):
        a, b = rng.normal(size=(2, *shape))
        assert np.array_equal(crosses(a, b), np.cross(a, b))
