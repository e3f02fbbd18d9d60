"""Every metric of every kind of suspension: rates against differences of what they are rates of, along the rigs; and
pictures simple enough to know all signs."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.metrics import OF_AXLES, OF_SIDES, Setting
from vincolo.vehicle.spring_rates import Strut
from vincolo.vehicle.starters import EXAMPLES, example

CAR = Setting(wheelbase=1.55, height=0.3, brake_share=0.6, drive_share=1.0, corner_mass=60.0)
H = 1e-4  # m and rad: differences are off by some 1e-8 of a curvature


def both_ways(s, rig):
    return vc.vehicle.curves(s, rig, -H, H, 3, car=CAR)


def slope(values):
    return float(values[2] - values[0]) / (2 * H)


def near(expected):
    return pytest.approx(expected, rel=1e-5, abs=2e-6)


@pytest.mark.parametrize("name", EXAMPLES)
def test_rates_are_those_of_the_wheel_that_moves_alone(name):
    """On the rig of a single wheel: camber, toe, contact point, centre of the wheel, spring."""
    s = example(name)
    c = both_ways(s, "single")
    track = c.sweep.track(c.sweep.axle.carrier("left"))
    C = track.point(s.point("wheel_centre"))
    assert slope(c["left.camber"]) == near(c["left.bump_camber"][1])
    assert slope(c["left.toe"]) == near(c["left.bump_steer"][1])
    assert slope(c["left.steer"]) == near(-slope(c["left.toe"]))  # to the left is outwards on this side
    assert slope(C[:, 2]) == near(1.0)
    assert slope(C[:, 0]) == near(np.tan(c["left.centre_angle"][1]))
    P = C.copy()  # lowest point of the disc
    spin = track.direction(s.spindle())
    down = np.array([0, 0, -1.0]) + spin * spin[:, 2:]
    P += s.wheel_radius * down / np.linalg.norm(down, axis=1)[:, None]
    assert c["left.half_track"] == pytest.approx(P[:, 1], abs=1e-12)
    assert c["left.half_track_change"] == pytest.approx(P[:, 1] - P[1, 1], abs=1e-12)
    assert c["left.wheelbase_change"] == pytest.approx(P[:, 0] - P[1, 0], abs=1e-12)
    compressed = -slope(Strut(c.sweep, f"{s.name}_left_spring").length)
    assert compressed == near(c["left.spring_ratio"][1]) and compressed > 0
    assert slope(c["left.spring_force"]) == near(s.k * compressed)
    assert c["left.wheel_rate"][1] >= s.k * compressed**2 * (1 - 1e-5) > 0
    assert 0 < c["left.ride_rate"][1] < c["left.wheel_rate"][1]
    assert c["left.frequency"][1] == pytest.approx(np.sqrt(c["left.ride_rate"][1] / 60.0) / (2 * np.pi), rel=1e-12)


@pytest.mark.parametrize("name", EXAMPLES)
def test_instant_centres_do_not_move_with_the_carrier(name):
    """The point of the carrier that is at the centre stands still in its view, as the wheel goes up alone."""
    s = example(name)
    c = both_ways(s, "single")
    track = c.sweep.track(c.sweep.axle.carrier("left"))
    centre = track.point(s.point("wheel_centre"))[1]
    ground = centre[2] - s.wheel_radius * np.cos(s.camber)
    front = np.array([centre[0], c["left.instant_centre_y"][1], ground + c["left.instant_centre_z"][1]])
    side = np.array([c["left.side_centre_x"][1], centre[1], ground + c["left.side_centre_z"][1]])
    for point, axes in ((front, (1, 2)), (side, (0, 2))):
        moved = track.point(point)
        far = max(1.0, float(np.abs(point).max()))
        assert [slope(moved[:, k]) for k in axes] == pytest.approx([0, 0], abs=1e-6 * far)
    assert c["left.swing_arm_front"][1] == pytest.approx(centre[1] - front[1], rel=1e-9)


@pytest.mark.parametrize("name", EXAMPLES)
def test_rates_of_axles_are_those_along_their_rigs(name):
    """Springs and bar in heave and in roll, steer and camber of a body that rolls to the right."""
    s = example(name)
    heave, roll, body = (both_ways(s, rig) for rig in ("parallel", "opposite", "roll"))
    spring = f"{s.name}_left_spring"
    assert -slope(Strut(heave.sweep, spring).length) == near(heave["heave_ratio"][1])
    assert -slope(Strut(roll.sweep, spring).length) == near(heave["roll_ratio"][1])
    assert heave["track"] == pytest.approx(heave["left.half_track"] + heave["right.half_track"], abs=1e-12)
    own = 2 * s.k * heave["roll_ratio"][1] ** 2
    bar = s.bar_k * heave["bar_ratio"][1] ** 2 if s.bar != "none" else 0.0
    assert heave["roll_rate"][1] == pytest.approx((own + bar) * (heave["track"][1] / 2) ** 2, rel=1e-6)
    assert 0 < heave["roll_rate_tyres"][1] < heave["roll_rate"][1]
    assert heave["heave_rate"][1] >= s.k * heave["heave_ratio"][1] ** 2 * (1 - 1e-9)
    half = float(s.point("wheel_centre")[1])  # the rig goes by the wheels' centres, the metric by the contact points
    wide = heave["track"][1] / 2 / half
    steer = (slope(body["left.steer"]) + slope(body["right.steer"])) / 2
    assert steer * wide == pytest.approx(heave["roll_steer"][1], rel=1e-3, abs=1e-5)
    assert slope(body["left.camber"]) * wide - 1 == pytest.approx(heave["roll_camber"][1], rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("name", [n for n, given in EXAMPLES.items() if given.get("steered")])
def test_steered_wheels_turn_the_same_way_and_mirror_each_other(name):
    """Left wheel with the rack to the left = mirrored right wheel with the rack to the right, to 1e-12."""
    c = vc.vehicle.curves(example(name), "steer", -0.02, 0.02, 11, car=CAR)
    for metric in OF_SIDES:
        sign = -1 if metric in ("steer", "instant_centre_y") else 1
        left, right = c[f"left.{metric}"], sign * c[f"right.{metric}"][::-1]
        size = max(1.0, float(np.abs(np.nan_to_num(left)).max()))
        size = max(size, c.suspension.k) if metric == "spring_force" else size  # it is k times a length
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * size, err_msg=metric, equal_nan=True)
    assert np.sign(slope(c["left.steer"][4:7])) == np.sign(slope(c["right.steer"][4:7]))
    turned = np.abs(c["left.steer"]) > 5e-3
    np.testing.assert_allclose(c["ackermann"][turned], c["ackermann"][::-1][turned], rtol=1e-9)
    left = c["left.steer"] > 5e-3  # to the left: the left wheel is the inner one
    assert np.sign(c["ackermann"][left]) == pytest.approx(np.sign(c["left.steer"] - c["right.steer"])[left])


def swing_axle(hinge=0.2, height=0.25, radius=0.3):
    """A wheel on a hinge along x."""
    points = {"pivot_inner": (0.2, hinge, height), "pivot_outer": (-0.2, hinge, height), "wheel_centre": (0, 0.7, 0.3)}
    return vc.vehicle.Suspension("a", "semi-trailing arm", points, wheel_radius=radius, tyre_k=1e5)


def test_a_swing_axle_is_known_by_its_picture():
    """Hinge along x at y = 0.2, 0.25 m over the ground; the wheel 0.5 m outside of it."""
    c = vc.vehicle.curves(swing_axle(), "parallel", -H, H, 3, car=CAR)
    L, h, y = 0.5, 0.25, 0.7
    for side, sign in (("left", 1.0), ("right", -1.0)):
        assert c[f"{side}.instant_centre_y"][1] == pytest.approx(sign * 0.2, abs=1e-12)
        assert c[f"{side}.instant_centre_z"][1] == pytest.approx(h, abs=1e-12)
        assert c[f"{side}.swing_arm_front"][1] == pytest.approx(L, abs=1e-12)
        assert c[f"{side}.bump_camber"][1] == pytest.approx(-1 / L, abs=1e-9)  # the top comes in as the wheel goes up
        assert slope(c[f"{side}.half_track_change"]) == near(h / L)  # and the bottom goes out
    assert c["roll_centre_height"][1] == pytest.approx(h * y / L, abs=1e-12)
    assert c["force_centre_height"][1] == pytest.approx(h * y / L, abs=1e-12)
    assert c["roll_centre_y"][1] == pytest.approx(0.0, abs=1e-12)
    # lines from P through the hinges, of slopes m: they meet on the side of the steeper one, at 0.2 (m - m')/(m + m')
    one = vc.vehicle.curves(swing_axle(), "single", -0.02, 0.02, 3, car=CAR)
    m = [one["left.instant_centre_z"][k] / (one["left.half_track"][k] - 0.2) for k in range(3)]
    assert m[2] < m[1] < m[0]
    assert one["roll_centre_y"] == pytest.approx([0.2 * (k - m[1]) / (k + m[1]) for k in m], abs=1e-12)
    assert one["roll_centre_y"][2] < 0 < one["roll_centre_y"][0]


def test_a_trailing_arm_with_a_high_hinge_is_known_by_its_picture():
    """Hinge along y 0.5 m ahead of the wheel's centre and 0.1 m over it: the centre goes rearwards in bump, and drive
    from shafts lifts the body against its squat."""
    points = {"pivot_inner": (0.5, 0.2, 0.4), "pivot_outer": (0.5, 0.6, 0.4), "wheel_centre": (0, 0.7, 0.3)}
    s = vc.vehicle.Suspension("a", "semi-trailing arm", points, wheel_radius=0.3)
    rear = vc.vehicle.curves(s, "parallel", -H, H, 3, car=replace(CAR, rear=True))
    assert np.tan(rear.at("left.centre_angle")) == pytest.approx(-0.1 / 0.5, abs=1e-9)
    assert np.tan(rear.at("left.patch_angle")) == pytest.approx(-0.4 / 0.5, abs=1e-9)
    assert slope(rear["left.wheelbase_change"]) == near(-0.1 / 0.5)  # the lowest point stays below the centre
    assert rear.at("anti_squat") == pytest.approx(100 * 0.2 * 1.55 / 0.3, rel=1e-6)
    assert rear.at("anti_lift") == pytest.approx(100 * 0.6 * 0.8 * 1.55 / 0.3, rel=1e-6)
    assert rear.at("left.bump_camber") == near(0.0) and rear.at("left.bump_steer") == near(0.0)


def test_roll_steer_is_positive_if_the_wheels_steer_to_the_left_as_the_body_rolls_to_the_right():
    """Hinges that go inwards and forwards: the wheel that goes up turns its front out, the other one in."""
    points = {"pivot_inner": (0.6, 0.2, 0.3), "pivot_outer": (0.4, 0.6, 0.2), "wheel_centre": (0, 0.7, 0.3)}
    c = both_ways(vc.vehicle.Suspension("a", "semi-trailing arm", points, wheel_radius=0.3), "roll")
    left, right = slope(c["left.steer"]), slope(c["right.steer"])
    assert np.sign(left) == np.sign(right) == np.sign(c["roll_steer"][1]) != 0


def test_no_metric_is_left_out_here():
    """Names in this file and beside it, so that a new metric wants a picture of its own."""
    from pathlib import Path

    others = ("unit/test_suspension_metrics.py", "oracles/test_compliance.py")
    files = [Path(__file__), *(Path(__file__).parents[1] / name for name in others)]
    text = "".join(file.read_text() for file in files)
    assert [m for m in (*OF_SIDES, *OF_AXLES) if m not in text] == []
