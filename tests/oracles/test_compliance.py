"""Bushings on the rigs: compliances as metrics against closed form, against statics of the whole model under a load,
and by superposition."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.lumped import give_of
from vincolo.vehicle.metrics import BUSHED
from vincolo.vehicle.roles import ELASTIC
from vincolo.vehicle.starters import EXAMPLES, example

K, A, L, HEIGHT = 2e6, 0.2, 0.5, 0.25


def bushed(name, k=3e7):
    s = example(name)
    return replace(s, bushings={role: k for role in s.points if role in ELASTIC})


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_swing_axle_on_two_bushings_is_known_by_its_picture(side):
    """Bushings of stiffness k at x = -a and a, y = 0.2; the wheel's centre L outside of them and 0.05 m above. About z
    they have the stiffness 2 k a^2, along each axis 2 k; about x nothing but the wheel held in height."""
    points = {"pivot_inner": (A, 0.2, HEIGHT), "pivot_outer": (-A, 0.2, HEIGHT), "wheel_centre": (0, 0.2 + L, 0.3)}
    s = vc.vehicle.Suspension("a", "semi-trailing arm", points, wheel_radius=0.3)
    c = vc.vehicle.curves(replace(s, bushings={"pivot_inner": K, "pivot_outer": K}), "parallel", -0.02, 0.02, 3)
    at = {name: c.at(f"{side}.{name}") for name in BUSHED}
    about_z, up = 2 * K * A**2, 0.3 - HEIGHT
    about_y = about_z  # the bushings' z stiffness at the same levers
    assert at["aligning_toe"] == pytest.approx(1 / about_z, rel=1e-9)
    assert at["driving_toe"] == pytest.approx(L / about_z, rel=1e-9)  # a push forwards outside turns the front inwards
    assert at["braking_toe"] == pytest.approx(-L / about_z, rel=1e-9)
    assert at["driving_give"] == pytest.approx(1 / (2 * K) + L**2 / about_z + up**2 / about_y, rel=1e-9)
    assert at["braking_give"] == pytest.approx(1 / (2 * K) + L**2 / about_z - up * HEIGHT / about_y, rel=1e-9)
    # a side force inwards at the ground would let the wheel down; what holds it pushes up with V = h/L, and lifts the
    # hinge by V/2k, so that the top of the wheel, whose centre stays, leans outwards
    lifted = HEIGHT / L / (2 * K)
    assert at["lateral_camber"] == pytest.approx(lifted / L, rel=1e-9)
    assert at["lateral_give"] == pytest.approx(1 / (2 * K) - up * lifted / L, rel=1e-9)
    assert at["lateral_toe"] == pytest.approx(0, abs=1e-20)


#: metrics, and the load of compliance() that they are for each newton of, with its sign on the left
SAME = {"lateral": ("lateral opposed", -1, (0, -1, 0)), "braking": ("braking", 1, (-1, 0, 0)),
        "driving": ("driving", 1, (1, 0, 0))}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in EXAMPLES if not n.startswith("fs") or n == "fs push rod"])
def test_metrics_are_the_slopes_of_what_statics_finds(name):
    """compliance() loads the model with 10 N and lets it find its rest: off by what 10 N bend, some 1e-5."""
    soft = bushed(name)
    c = vc.vehicle.curves(soft, count=3)
    for metric, (load, sign, along) in SAME.items():
        found = vc.vehicle.compliance(soft, load, 10.0)
        give = sign * found.displacement["left"] @ np.array(along)
        assert c.at(f"left.{metric}_toe") == pytest.approx(sign * found.toe["left"], rel=1e-4, abs=1e-12)
        assert c.at(f"left.{metric}_give") == pytest.approx(give, rel=1e-4, abs=1e-14)
    turned = vc.vehicle.compliance(soft, "aligning", 1.0)
    if name == "live axle":  # moments that mirror each other turn it not at all; these turn it as a whole
        assert c.at("left.aligning_toe") == pytest.approx(0, abs=1e-18)
        return
    assert -c.at("left.aligning_toe") == pytest.approx(turned.toe["left"], rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("name", ["five-link", "double wishbone", "mcpherson"])
def test_compliances_of_single_bushings_add_up(name):
    """Rods alone carry what statics says, so each gives way by itself; along a rig too, in inverse proportion to its
    stiffness."""
    s = example(name)
    rods = [role for role in s.points if role in ELASTIC and role.endswith("_inner")]

    def found(**bushings):
        return vc.vehicle.curves(replace(s, bushings=bushings), "opposite", count=5, wanted=sorted(BUSHED))

    every = found(**dict.fromkeys(rods, 1e7))
    single = [found(**{role: 2e7}) for role in rods]
    for metric in (f"{side}.{m}" for side in ("left", "right") for m in BUSHED):
        total = 2 * sum(one[metric] for one in single)
        np.testing.assert_allclose(every[metric], total, rtol=1e-8, atol=1e-18, err_msg=metric)


@pytest.mark.parametrize("name", EXAMPLES)
def test_compliances_are_metrics_of_every_kind_and_mirror_each_other(name):
    c = vc.vehicle.curves(bushed(name), count=5)
    for metric in BUSHED:
        left, right = c[f"left.{metric}"], c[f"right.{metric}"]
        assert np.isfinite(left).all() and np.isnan(vc.vehicle.curves(example(name), count=3)[f"left.{metric}"]).all()
        if name != "live axle":  # whose Panhard rod goes to one side
            np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-16)
    assert (c["left.driving_give"] + c["right.driving_give"] > 0).all()  # work of a load on what gives way


def test_bushings_where_nothing_gives_way_are_refused():
    s = example("mcpherson")
    with pytest.raises(vc.ModelError, match="'strut_top', where nothing is in a bushing"):
        replace(s, bushings={"strut_top": 1e6})
    with pytest.raises(vc.ModelError, match="one, three or six stiffnesses"):
        replace(s, bushings={"tie_inner": (1e6, 1e6)})
    with pytest.raises(vc.ModelError, match="none of them negative"):
        replace(s, bushings={"tie_inner": -1.0})


def test_an_arm_on_two_bushings_is_two_springs_at_its_ball_joint():
    """Pivots a before and behind, the ball joint L outside: 1/2k across, 1/2k + L^2/2ka^2 along; a number about it is
    its twist."""
    a, far, k = 0.15, 0.35, 4e6
    pivots = [np.array([a, 0.2, 0.1]), np.array([-a, 0.2, 0.1])]
    give = give_of(pivots, np.array([0.0, 0.2 + far, 0.1]), [(k, k, k, 30.0, 0, 0)] * 2)
    assert give.k == pytest.approx((1 / (1 / (2 * k) + far**2 / (2 * k * a**2)), 2 * k), rel=1e-12)
    assert abs(give.along) == pytest.approx([1, 0, 0]) and abs(give.normal) == pytest.approx([0, 0, 1])
    assert give.torsion == pytest.approx(60.0)
    held = give_of(pivots, np.array([0.0, 0.2 + far, 0.1]), [None, k])  # it turns about the pivot that is held
    assert np.isinf(held.k[1]) and held.k[0] == pytest.approx(k * (2 * a) ** 2 / (a**2 + far**2), rel=1e-4)


def pushed(s, load):
    """Displacement [m] of the left upright and its quaternion, where both wheels are loaded [N] at their centres."""
    model = vc.Model(gravity=(0, 0, 0))
    axle = vc.vehicle.add_axle(model, s)
    for side in ("left", "right"):
        model.hold(f"{side} height", f"front_{side}_travel", 0.0)
        model.force(f"{side} load", axle.carrier(side).frame(s.point("wheel_centre", side)), load)
    rest = vc.statics(vc.compile(model)).state
    place = [rest[f"front_left_upright.{axis}"] for axis in ("x", "y", "z")] - s.points["wheel_centre"]
    return np.append(place, [rest[f"front_left_upright.{axis}"] for axis in ("e1", "e2", "e3")])


def test_arms_without_mass_give_way_as_arms_on_their_bushings_do():
    """With a push rod that carries nothing; both are linear to 1e-4 at 100 N."""
    s = replace(example("fs push rod"), steered=False, k=1e-3, c=0.0,
                bushings=dict.fromkeys(("lower_front", "lower_rear"), 5e6))  # fmt: skip
    for load in ((100.0, 0, 0), (0, 100.0, 0)):
        found, full = pushed(s, load), pushed(replace(s, arm_mass=0.3), load)
        assert np.abs(full).max() > 1e-6
        np.testing.assert_allclose(found, full, rtol=0, atol=1e-3 * np.abs(full).max())
