"""The definitions of measures and joints say what their names promise."""

import numpy as np
import pytest

from jets import cross_matrix, jet_frame, parts
from vincolo.equations.joints import JOINTS
from vincolo.equations.measures import along, angle, cosine, distance, world

ORIGIN = (np.zeros(3), np.eye(3))


def turned(axis, phi):
    """The rotation by phi about a world axis (Rodrigues)."""
    N = cross_matrix(np.eye(3)["xyz".index(axis)])
    return np.eye(3) + np.sin(phi) * N + (1 - np.cos(phi)) * N @ N


def test_measures_of_frames_that_can_be_drawn():
    A = (np.array([1.0, 0, 0]), turned("z", np.pi / 2))
    B = (np.array([1.0, 2, 3]), turned("z", np.pi / 2 + 0.3))
    assert world((0, 1, 0))(A, B) == pytest.approx(2)
    assert [along(axis)(A, B) for axis in "xyz"] == pytest.approx([2, 0, 3])
    assert cosine("x", "x")(A, B) == pytest.approx(np.cos(0.3))
    assert distance(A, B) == pytest.approx(np.sqrt(13))
    assert angle("x")(A, B) == pytest.approx(0.3)
    assert angle("y")(A, B) == pytest.approx(0.3 + np.pi / 2)
    assert angle("x").reversed()(A, B) == pytest.approx(-0.3)


def in_joint(name):
    """Two frames that satisfy the joint in the position in which joints are drawn."""
    if name == "distance":
        return ORIGIN, (np.array([0.3, 0.4, 1.2]), np.eye(3))
    if name in ("universal", "perpendicular", "bevel_gear", "elbow"):
        return ORIGIN, (np.zeros(3), turned("y", np.pi / 2))
    if name in ("gear", "spherical_revolute"):
        return ORIGIN, (np.array([0.3, 0.4, 0.0]), np.eye(3))
    return ORIGIN, (np.zeros(3), np.eye(3))


def held_by(joint):
    """The rows of a joint with the numbers of its example."""
    return joint.rows(**joint.parameters)


def rows(measures, A, B):
    """d(measure)/dt for six unit motions of B: three velocities and three angular velocities."""
    still = np.zeros(3)
    columns = []
    for unit in np.eye(6):
        moving = jet_frame((B[0], B[1], unit[:3], unit[3:], still, still))
        fixed = jet_frame((A[0], A[1], still, still, still, still))
        columns.append([parts(measure(fixed, moving))[1] for measure in measures])
    return np.array(columns).T


@pytest.mark.parametrize("name", JOINTS)
def test_joint_is_closed_when_drawn_and_leaves_the_promised_freedom(name):
    joint, (A, B) = JOINTS[name], in_joint(name)
    held = held_by(joint)
    assert [row(A, B) for k, row in enumerate(held) if k not in joint.drawn] == pytest.approx(
        np.zeros(len(held) - len(joint.drawn)), abs=1e-15)
    assert np.linalg.matrix_rank(rows(held, A, B), tol=1e-9) == 6 - joint.freedom == len(held)


@pytest.mark.parametrize("name", [name for name in JOINTS if JOINTS[name].coordinates])
def test_coordinates_move_with_the_freedom_of_their_joint(name):
    joint, (A, B) = JOINTS[name], in_joint(name)
    coordinates = list(joint.coordinates.values())
    held = held_by(joint)
    if name == "distance":  # its coordinate is the very length it holds
        assert coordinates == held
        return
    together = np.vstack([rows(held, A, B), rows(coordinates, A, B)])
    tied = 1 if name == "screw" else 0  # its two coordinates are one freedom
    assert np.linalg.matrix_rank(together, tol=1e-9) == len(held) + len(coordinates) - tied


def test_promised_freedoms():
    assert {name: joint.freedom for name, joint in JOINTS.items()} == {
        "spherical": 3, "revolute": 1, "cylindrical": 2, "prismatic": 1, "universal": 2, "planar": 3,
        "fixed": 0, "guide": 4, "point_on_plane": 5, "distance": 5, "parallel": 4, "perpendicular": 5,
        "orientation": 3, "slot": 2, "oldham": 2, "constant_velocity": 2, "elbow": 2, "spherical_revolute": 4,
        "screw": 1, "gear": 5, "bevel_gear": 5, "rack_and_pinion": 5}


@pytest.mark.parametrize("measure", [along("x"), along("z"), cosine("x", "y"), cosine("z", "z"), distance,
                                     angle("x"), angle("z").reversed()], ids=str)
def test_moving_both_frames_together_changes_nothing(measure, rng):
    Q, shift = turned("x", 0.7) @ turned("z", -1.9), rng.normal(size=3)
    A = (rng.normal(size=3), turned("y", 0.4) @ turned("x", 2.0))
    B = (rng.normal(size=3), turned("z", 1.4) @ turned("y", -0.6))
    moved = [(shift + Q @ p, Q @ R) for p, R in (A, B)]
    assert measure(*moved) == pytest.approx(measure(A, B), abs=1e-14)
