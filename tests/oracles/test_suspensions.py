"""Suspensions against closed forms, and against equations of their own solved in this file."""

import numpy as np
import pytest
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation

import vincolo as vc
from vincolo.vehicle.starters import example

A1, B1, A2, B2, WHEEL = (np.array(p) for p in ((0.22, 0.12), (0.57, 0.13), (0.26, 0.27), (0.54, 0.33), (0.61, 0.23)))
RADIUS = 0.228


def planar():
    """A double wishbone whose arms turn about x, its tie rod beside the lower arm: a four-bar in the front view."""

    def point(x, p):
        return (x, *p)

    return vc.vehicle.Suspension(
        "front",
        "double wishbone",
        {
            "lower_front": point(0.1, A1),
            "lower_rear": point(-0.1, A1),
            "lower_ball": point(0.0, B1),
            "upper_front": point(0.1, A2),
            "upper_rear": point(-0.1, A2),
            "upper_ball": point(0.0, B2),
            "tie_inner": point(0.08, A1),
            "tie_outer": point(0.08, B1),
            "wheel_centre": point(0.0, WHEEL),
        },
        wheel_radius=RADIUS,
    )


def turned(v, angle):
    return np.array([np.cos(angle) * v[0] - np.sin(angle) * v[1], np.sin(angle) * v[0] + np.cos(angle) * v[1]])


def four_bar(angle):
    """Lower ball, upper ball and the turn of the upright for an angle of the lower arm: two circles meet."""
    b1 = A1 + turned(B1 - A1, angle)
    d, r1, r2 = np.linalg.norm(A2 - b1), np.linalg.norm(B2 - B1), np.linalg.norm(B2 - A2)
    e = (A2 - b1) / d
    along = (d**2 + r1**2 - r2**2) / (2 * d)
    b2 = b1 + along * e + np.sqrt(r1**2 - along**2) * np.array([e[1], -e[0]])
    return b1, b2, np.arctan2(*(b2 - b1)[::-1]) - np.arctan2(*(B2 - B1)[::-1])


def meeting(p, u, q, v):
    """Where the lines p + s u and q + t v meet."""
    s, _ = np.linalg.solve(np.array([u, -v]).T, q - p)
    return p + s * u


def by_hand(travel):
    """Camber, instant centre and roll centre height over the ground, in closed form but for the angle of the arm."""

    def centre(angle):
        b1, _, turn = four_bar(angle)
        return b1 + turned(WHEEL - B1, turn)

    angle = brentq(lambda a: centre(a)[1] - WHEEL[1] - travel, -0.3, 0.3, xtol=1e-15, rtol=1e-15)
    b1, b2, turn = four_bar(angle)
    ic = meeting(A1, b1 - A1, A2, b2 - A2)
    patch = centre(angle) - RADIUS * turned(np.array([0.0, 1.0]), turn)
    roll_centre = meeting(patch, ic - patch, np.zeros(2), np.array([0.0, 1.0]))
    return -turn, ic[0], ic[1] - patch[1], roll_centre[1] - patch[1], patch[0]


def test_a_planar_double_wishbone_has_the_camber_and_centres_of_its_four_bar():
    found = vc.vehicle.curves(planar(), "parallel", -0.03, 0.03, 13)
    names = ("left.camber", "left.instant_centre_y", "left.instant_centre_z", "roll_centre_height", "left.half_track")
    for name, expected in zip(names, np.array([by_hand(x) for x in found.x]).T, strict=True):
        assert found[name] == pytest.approx(expected, abs=1e-9), name
    assert found["force_centre_height"] == pytest.approx(found["roll_centre_height"], abs=1e-12)  # symmetric
    assert found["left.toe"] == pytest.approx(0.0, abs=1e-12)


def upright_by_equations(s, travel, distances, on_line=None):
    """Camber and toe of the left wheel from six equations in three displacements and a rotation vector."""
    C = s.point("wheel_centre")

    def place(q, p):
        return C + q[:3] + Rotation.from_rotvec(q[3:]).apply(p - C)

    def open_by(q):
        rows = [
            np.linalg.norm(place(q, s.point(b)) - s.point(a)) - np.linalg.norm(s.point(b) - s.point(a))
            for a, b in distances
        ]
        if on_line is not None:  # a point of the chassis on a line of the upright
            top, bottom = (s.point(role) for role in on_line)
            u = place(q, top) - place(q, bottom)
            rows += list(np.cross(top - place(q, bottom), u / np.linalg.norm(u))[:2])
        return [*rows, q[2] - travel]

    found = root(open_by, np.zeros(6), tol=1e-14)
    assert np.abs(found.fun).max() < 1e-12
    spin = Rotation.from_rotvec(found.x[3:]).apply(s.spindle("left"))
    return -np.arcsin(spin[2]), np.arctan2(spin[0], spin[1])


FIVE = [*((f"link{k}_inner", f"link{k}_outer") for k in range(1, 5)), ("tie_inner", "tie_outer")]
STRUT = [("lower_front", "lower_ball"), ("lower_rear", "lower_ball"), ("tie_inner", "tie_outer")]


@pytest.mark.parametrize(
    ("kind", "distances", "line"), [("five-link", FIVE, None), ("mcpherson", STRUT, ("strut_top", "strut_bottom"))]
)
def test_spatial_suspensions_agree_with_equations_written_for_them(kind, distances, line):
    s = example(kind)
    found = vc.vehicle.curves(s, "parallel", -0.04, 0.04, 9)
    expected = np.array([upright_by_equations(s, x, distances, line) for x in found.x])
    assert found["left.camber"] == pytest.approx(expected[:, 0], abs=1e-9)
    assert found["left.toe"] == pytest.approx(expected[:, 1], abs=1e-9)


def test_a_semi_trailing_arm_turns_its_wheel_about_its_hinge():
    s = example("semi-trailing arm", "rear")
    found = vc.vehicle.curves(s, "parallel", -0.05, 0.05, 11)
    a, axis = s.point("pivot_inner"), s.point("pivot_outer") - s.point("pivot_inner")
    axis = axis / np.linalg.norm(axis)

    def centre(angle):
        return a + Rotation.from_rotvec(angle * axis).apply(s.point("wheel_centre") - a)

    for k, x in enumerate(found.x):
        angle = brentq(lambda q, x=x: centre(q)[2] - s.point("wheel_centre")[2] - x, -0.5, 0.5, xtol=1e-15)
        spin = Rotation.from_rotvec(angle * axis).apply((0.0, 1.0, 0.0))
        assert found["left.camber"][k] == pytest.approx(-np.arcsin(spin[2]), abs=1e-9)
        assert found["left.toe"][k] == pytest.approx(np.arctan2(spin[0], spin[1]), abs=1e-9)


def test_rates_of_metrics_are_the_slopes_of_their_curves():
    """Bump steer and camber, motion ratios and the side view angle are derivatives; central differences of the curves
    of one wheel must meet them to their own error, h^2."""
    found = vc.vehicle.curves(example("fs push rod"), "single", -0.02, 0.02, 201)
    inner = slice(2, -2)
    force = found["left.spring_force"] / found.suspension.k
    patch = found["left.wheelbase_change"]
    for name, curve in (
        ("left.bump_camber", found["left.camber"]),
        ("left.bump_steer", found["left.toe"]),
        ("left.spring_ratio", force),
    ):
        assert found[name][inner] == pytest.approx(np.gradient(curve, found.x)[inner], abs=2e-6), name
    assert np.isfinite(patch).all()


def test_a_swing_axle_has_its_roll_centre_where_a_textbook_draws_it():
    """A semi-trailing arm with its hinge along x is a swing axle: the instant centre is the hinge; the roll centre
    is on
    the line from the contact point through it, at the middle plane."""
    s = vc.vehicle.Suspension(
        "rear",
        "semi-trailing arm",
        {"pivot_inner": (-0.2, 0.1, 0.35), "pivot_outer": (0.2, 0.1, 0.35), "wheel_centre": (0.0, 0.7, 0.3)},
        wheel_radius=0.3,
    )
    found = vc.vehicle.curves(s, count=3)
    assert found.at("left.instant_centre_y") == pytest.approx(0.1, abs=1e-12)
    assert found.at("left.instant_centre_z") == pytest.approx(0.35, abs=1e-12)
    assert found.at("roll_centre_height") == pytest.approx(0.35 * 0.7 / 0.6, abs=1e-12)
    assert found.at("force_centre_height") == pytest.approx(0.35 * 0.7 / 0.6, abs=1e-12)


def test_a_live_axle_rolls_about_its_panhard_rod():
    """With its links level and in the middle the roll centre is where the Panhard rod crosses the middle plane."""
    s = example("live axle", "rear")
    level = {
        **s.points,
        "lower_chassis": (0.52, 0.45, 0.25),
        "lower_axle": (0.03, 0.45, 0.25),
        "upper_chassis": (0.4, 0, 0.45),
        "upper_axle": (0.02, 0, 0.45),
        "panhard_chassis": (0.0, -0.45, 0.31),
        "panhard_axle": (0.0, 0.45, 0.35),
    }
    found = vc.vehicle.curves(
        vc.vehicle.Suspension("rear", "live axle", level, spring="direct", k=1e4, wheel_radius=0.31)
    )
    ground = 0.31 - 0.31
    assert found.at("roll_centre_height") == pytest.approx(0.33 - ground, abs=1e-9)
    assert found.at("force_centre_height") == pytest.approx(0.33 - ground, abs=1e-9)


def test_a_soft_tie_rod_lets_the_wheel_turn_as_virtual_work_says():
    """A moment M about z pulls the tie rod with M w_z, where w is the turning of the upright for each metre of its
    length;
    so it stretches by M w_z/k, and the toe changes by that times its own slope."""
    from dataclasses import replace

    s, k = example("double wishbone"), 2e9
    sweep = vc.vehicle.sweep(s, count=3)
    upright = sweep.axle.model.bodies["front_left_upright"]
    w = sweep.rates["left tie"][1, 6 * sweep.system.body_numbers[upright.name] + 3:][:3]
    spin = s.spindle("left")
    turn = np.cross(w, spin)
    toe = (turn[0] * spin[1] - spin[0] * turn[1]) / (spin[0] ** 2 + spin[1] ** 2)
    soft = vc.vehicle.compliance(replace(s, bushings={"tie_inner": k}), "aligning", 100.0)
    assert soft.toe["left"] == pytest.approx(toe * w[2] / k, rel=1e-5)  # linear to M/k
    assert soft.toe["left"] < 0  # a moment to the left turns the left wheel out
    assert vc.vehicle.compliance(s, "aligning").toe["left"] == 0.0
