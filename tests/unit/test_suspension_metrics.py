"""Signs of metrics under ISO 8855 in cases simple enough to draw, mirrored sides, and every metric of every kind."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.curves import Limit, check_limits
from vincolo.vehicle.metrics import BUSHED, OF_AXLES, OF_SIDES, Setting, metrics
from vincolo.vehicle.starters import EXAMPLES, example

#: metrics that a kind does not have: nothing steers it, no springs or bar of that kind
NO_AXIS = {"caster", "kingpin", "scrub", "trail"}
CAR = Setting(wheelbase=1.55, height=0.3, brake_share=0.6, drive_share=1.0, corner_mass=60.0)


@pytest.fixture(scope="module")
def all_curves():
    return {name: vc.vehicle.curves(example(name), count=11, car=CAR) for name in EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_metric_is_computed_for_every_kind(name, all_curves):
    found = all_curves[name]
    none = {"anti_lift", "anti_squat", "ackermann"} | ({"bar_ratio"} if found.suspension.bar == "none" else set())
    none |= BUSHED  # lateral_toe and so on: nothing is in bushings here; tests/oracles/test_compliance.py has them
    none |= NO_AXIS if found.suspension.kind in ("semi-trailing arm", "live axle") else set()
    for metric in (*(f"{side}.{m}" for side in ("left", "right") for m in OF_SIDES), *OF_AXLES):
        assert np.isfinite(found[metric]).all() != (metric.rpartition(".")[2] in none), metric
    assert len(found.x) == 11 and not found.notes


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_front_axle_at_rest_does_not_have_is_computed_on_rear_axles_and_where_wheels_are_steered(name):
    s = example(name)
    rear = vc.vehicle.curves(s, count=3, car=replace(CAR, rear=True))
    assert np.isfinite([rear["anti_lift"], rear["anti_squat"]]).all() and np.isnan(rear["anti_dive"]).all()
    if s.steered:
        turned = vc.vehicle.curves(s, "steer", count=5, car=CAR)
        assert np.isfinite(turned["ackermann"][[0, 1, 3, 4]]).all()


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n != "live axle"])
def test_mirrored_sides_agree(name, all_curves):
    """To 1e-12 of the size of a metric in parallel travel; what points to the left changes its sign."""
    found = all_curves[name]
    for metric in OF_SIDES:
        left, right = found[f"left.{metric}"], found[f"right.{metric}"]
        sign = -1 if metric in ("steer", "instant_centre_y") else 1
        size = max(1.0, float(np.abs(np.nan_to_num(left)).max()))
        np.testing.assert_allclose(right, sign * left, rtol=0, atol=1e-12 * size, err_msg=metric, equal_nan=True)


def test_points_of_the_right_side_are_refused_and_the_mirror_of_them_is_the_same():
    s = example("double wishbone")
    with pytest.raises(vc.ModelError, match="all points are on the right"):
        s.mirrored_input()


def static(**changes):
    """Metrics of a double wishbone as drawn."""
    s = example("double wishbone")
    points = {**s.points, **changes.pop("points", {})}
    return vc.vehicle.curves(replace(s, points=points, **changes), count=3, car=CAR)


def test_camber_is_positive_if_the_top_leans_outwards():
    found = static(camber=0.02)
    assert found.at("left.camber") == pytest.approx(0.02, abs=1e-12)
    patch, centre = found.at("left.half_track"), found.suspension.point("wheel_centre")[1]
    assert patch < centre  # the bottom is then further in than the centre
    assert found.at("right.camber") == pytest.approx(0.02, abs=1e-12)


def test_toe_is_positive_if_the_front_points_inwards():
    found = static(toe=0.01)
    assert found.at("left.toe") == pytest.approx(0.01, abs=1e-12)
    assert found.at("left.steer") < 0 < found.at("right.steer")  # left wheel turned to the right


def test_a_steering_axis_that_leans_back_and_in_has_positive_caster_kingpin_and_trail():
    found = static(points={"lower_ball": (0.02, 0.58, 0.13), "upper_ball": (-0.02, 0.54, 0.33)}, camber=0.0)
    slope = 0.04 / 0.2
    assert found.at("left.caster") == pytest.approx(np.arctan(slope), abs=1e-9)
    assert found.at("left.kingpin") == pytest.approx(np.arctan(slope), abs=1e-9)
    assert found.at("left.trail") == pytest.approx(0.02 + 0.13 * slope, abs=1e-9)  # meets the ground ahead of P
    assert found.at("left.scrub") == pytest.approx(0.605 - (0.58 + 0.13 * slope), abs=1e-9)  # and inside of it


def test_an_arm_from_behind_gives_anti_dive_and_one_from_the_front_the_opposite():
    """Trailing arms: hinge along y. P goes forwards in bump if the hinge is behind and above the ground."""

    def arm(x):
        points = {"pivot_inner": (x, 0.2, 0.3), "pivot_outer": (x, 0.6, 0.3), "wheel_centre": (0.0, 0.7, 0.3)}
        s = vc.vehicle.Suspension("a", "semi-trailing arm", points, wheel_radius=0.3)
        return vc.vehicle.curves(s, count=3, car=CAR), vc.vehicle.curves(s, count=3, car=replace(CAR, rear=True))

    behind, _ = arm(-0.5)
    assert np.tan(behind.at("left.patch_angle")) == pytest.approx(0.3 / 0.5, abs=1e-12)
    assert behind.at("anti_dive") == pytest.approx(100 * 0.6 * 0.6 * 1.55 / 0.3, rel=1e-12)
    _, ahead = arm(0.5)  # a trailing arm at the rear
    assert ahead.at("anti_lift") == pytest.approx(100 * 0.6 * 0.6 * 1.55 / 0.3, rel=1e-12)
    assert ahead.at("anti_squat") == pytest.approx(0.0, abs=1e-9)  # the hinge is as high as the shafts
    assert ahead.at("left.side_centre_x") == pytest.approx(0.5, abs=1e-12)
    assert ahead.at("left.side_centre_z") == pytest.approx(0.3, abs=1e-12)


def test_a_tie_rod_that_pulls_in_bump_makes_bump_steer():
    """Behind the axle a tie rod with its inner end lowered pulls its outer end inwards in bump: the front goes out."""
    s = example("double wishbone")
    level = {**s.points, "tie_inner": (-0.06, 0.22, 0.16), "tie_outer": (-0.07, 0.56, 0.16)}
    low = {**level, "tie_inner": (-0.06, 0.22, 0.10)}
    high = {**level, "tie_inner": (-0.06, 0.22, 0.22)}
    slopes = [vc.vehicle.curves(replace(s, points=p), count=3).at("left.bump_steer") for p in (low, level, high)]
    assert slopes[0] < slopes[1] < slopes[2] and slopes[0] < 0 < slopes[2]


def test_steer_is_positive_to_the_left_and_ackermann_compares_the_wheels():
    s = example("double wishbone")
    found = vc.vehicle.curves(s, "steer", -0.03, 0.03, 21, car=CAR)
    middle = np.abs(found.x) < 1e-9
    assert found["left.steer"][0] * found["left.steer"][-1] < 0
    assert np.isnan(found["ackermann"][middle]).all() and np.isfinite(found["ackermann"][~middle]).all()
    left = found["left.steer"] > 0.05
    inner, outer = found["left.steer"][left], found["right.steer"][left]
    assert np.sign(found["ackermann"][left]) == pytest.approx(np.sign(inner - outer))
    np.testing.assert_allclose(found["ackermann"], found["ackermann"][::-1], rtol=1e-9)


def test_springs_compress_in_bump_and_their_rates_add_up():
    s = replace(example("fs third spring"), bar="none")
    found = vc.vehicle.curves(s, count=3, car=CAR)
    ratio, heave = found.at("left.spring_ratio"), found.at("heave_ratio")
    assert ratio > 0 and ratio == pytest.approx(heave, rel=1e-9)  # the other wheel has no part in it
    assert found.at("heave_rate") > found.at("left.wheel_rate") > s.k * ratio**2  # the third spring helps in heave
    without = vc.vehicle.curves(
        replace(s, third_k=0.0, third_c=0.0, points={k: p for k, p in s.points.items() if k != "third_rocker"}), count=3
    )
    assert found.at("roll_rate") == pytest.approx(without.at("roll_rate"), rel=1e-6)  # and is idle in roll
    assert found.at("left.frequency") == pytest.approx(np.sqrt(found.at("left.ride_rate") / 60.0) / (2 * np.pi))
    assert found.at("left.ride_rate") < found.at("left.wheel_rate")


@pytest.mark.parametrize("name", ["fs u-bar", "fs t-bar"])
def test_an_anti_roll_bar_stiffens_roll_alone(name):
    s = example(name)
    stiff, soft = (vc.vehicle.curves(replace(s, bar_k=k), count=3) for k in (200.0, 0.0))
    twist, half = stiff.at("bar_ratio"), stiff.at("track") / 2
    assert stiff.at("heave_rate") == pytest.approx(soft.at("heave_rate"), rel=1e-12)
    assert stiff.at("roll_rate") - soft.at("roll_rate") == pytest.approx(200.0 * (twist * half) ** 2, rel=1e-9)


def test_body_roll_leans_a_wheel_on_parallel_arms_with_the_body():
    """Equal parallel arms keep the wheel square to the body, so its camber to the road changes by the roll."""
    s = example("double wishbone")
    same = {
        **s.points,
        "upper_front": (0.1, 0.22, 0.3),
        "upper_rear": (-0.1, 0.22, 0.3),
        "upper_ball": (0.0, 0.56, 0.3),
        "lower_front": (0.1, 0.22, 0.13),
        "lower_rear": (-0.1, 0.22, 0.13),
        "lower_ball": (0.0, 0.56, 0.13),
        "tie_inner": (0.08, 0.22, 0.16),
        "tie_outer": (0.08, 0.56, 0.16),
    }
    found = vc.vehicle.curves(replace(s, points=same), count=3)
    assert found.at("roll_camber") == pytest.approx(-1.0, abs=1e-9)
    assert found.at("roll_steer") == pytest.approx(0.0, abs=1e-9)
    assert found.at("left.bump_camber") == pytest.approx(0.0, abs=1e-9)


def test_limits_are_checked_and_say_what_they_found():
    s = example("mcpherson")
    found = {"parallel": vc.vehicle.curves(s, count=11)}
    least, largest = (np.degrees(f(found["parallel"]["left.camber"])) for f in (np.min, np.max))
    kept, broken = check_limits(found, [Limit("camber", low=-0.1, high=0.1), Limit("camber", low=0.0, name="upright")])
    assert kept.kept and not broken.kept
    assert f"from {least:.4g} to {largest:.4g} deg" in str(broken) and "BROKEN" in str(broken)
    with pytest.raises(vc.ModelError, match="Did you mean"):
        Limit("cambre", low=0.0)
    with pytest.raises(vc.ModelError, match="low is 1 and above high"):
        Limit("camber", low=1.0, high=0.0)


def test_curves_are_written_in_usual_units(tmp_path):
    found = vc.vehicle.curves(example("mcpherson"), count=5)
    path = found.to_csv(tmp_path / "curves.csv", ["left.camber", "roll_centre_height"])
    lines = path.read_text().splitlines()
    assert lines[0] == "travel [mm],left.camber [deg],roll_centre_height [mm]" and len(lines) == 6
    assert [float(v) for v in lines[1].split(",")] == pytest.approx(
        [-30, np.degrees(found["left.camber"][0]), 1e3 * found["roll_centre_height"][0]], rel=1e-9
    )


def test_metrics_of_a_sweep_are_the_same_as_its_curves():
    """But for those of bushings, which are rigid in a sweep."""
    sweep, found = vc.vehicle.sweep(example("five-link"), count=5), vc.vehicle.curves(example("five-link"), count=5)
    assert metrics(sweep, CAR).keys() == {name for name in found if name.rpartition(".")[2] not in BUSHED}
