"""Stops that give way, guides with play and wheels on the ground, against closed forms."""

import math

import numpy as np
import pytest

import vincolo as vc

EXACT = vc.DOP853(rtol=1e-11, atol=1e-12)


def block(**given):
    """A block that runs into a stop at 0.1 m with 2 m/s."""
    m = vc.Model(gravity=(0, 0, 0))
    body = m.body("block", 2.0, 0.1, velocity=(2.0, 0, 0))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis="x")
    m.stop("end", "rail.travel", **given)
    return m


@pytest.mark.parametrize(("sign", "bound"), [(1, {"at_most": 0.1}), (-1, {"at_least": -0.1})])
def test_an_elastic_stop_gives_back_all_speed_after_half_a_period(sign, bound):
    m = block(**bound, force="k*d", k=5e4)
    m.gravity = np.zeros(3)
    start = vc.assemble(m, {"rail.travel.rate": 2.0 * sign})
    run = vc.simulate(start.system, 0.1, start=start, integrator=EXACT)
    half = math.pi * math.sqrt(2.0 / 5e4)
    assert run["rail.travel.rate"][-1] == pytest.approx(-2.0 * sign, rel=1e-8)
    inside = 0.05 + half  # enters at 0.05 s
    assert sign * run["rail.travel"][-1] == pytest.approx(0.1 - 2.0 * (0.1 - inside), rel=1e-7)
    deepest = 2.0 * math.sqrt(2.0 / 5e4)
    fine = vc.simulate(start.system, 0.05 + half / 2, start=start, integrator=EXACT)
    assert sign * fine["rail.travel"][-1] - 0.1 == pytest.approx(deepest, rel=1e-8)


def test_a_plastic_stop_leaves_a_dent_and_gives_back_what_walton_and_braun_say():
    """Loading k1 d, unloading k2 (d - d0): restitution sqrt(k1/k2), dent d0 = deepest (1 - k1/k2); the next, slower hit
    meets the dent and comes back with all its speed."""
    k1, k2 = 2e4, 8e4
    m = block(at_most=0.1, force="k1*d", back="k2*(d - deepest*(1 - k1/k2))", k1=k1, k2=k2)
    m.stop("wall", "rail.travel", at_least=-0.1, restitution=1.0)
    run = vc.simulate(m, 0.8, outputs=8000, integrator=EXACT)
    e = math.sqrt(k1 / k2)
    first = np.argmax(run["rail.travel.rate"] < -0.99 * 2.0 * e)
    assert run["rail.travel.rate"][first + 20] == pytest.approx(-2.0 * e, rel=1e-7)
    deepest = 2.0 * math.sqrt(2.0 / k1)
    assert run["end.at_most.deepest"][-1] == pytest.approx(deepest, rel=1e-8)
    assert run["rail.travel.rate"].min() == pytest.approx(-2.0 * e, rel=1e-6)
    assert abs(run["rail.travel.rate"][-1]) == pytest.approx(2.0 * e, rel=1e-6)  # elastic from then on
    pressing = run["end.at_most.force"] > 0
    late = run.t > 0.3
    assert pressing[late].any()
    assert (run["rail.travel"][late & pressing] - 0.1).min() > deepest * (1 - k1 / k2) - 1e-9


def test_a_stop_that_gives_way_never_pulls():
    run = vc.simulate(block(at_most=0.1, force="1e4*d + 800*dd"), 0.2, outputs=2000, integrator=EXACT)
    assert run["end.at_most.force"].min() == 0
    assert run["end.at_most.force"].max() > 100
    assert run["rail.travel.rate"][-1] > -2.0


def test_a_loose_block_strikes_its_guide_at_the_closed_time_and_tilts_no_further_than_its_corners_let_it():
    m = vc.Model(gravity=(-9.81, 0, 0))
    body = m.body("block", 1.0, 0.01, velocity=(0, 0, 0.3))
    guide, slider = m.ground.frame((0, 0, 0)), body.frame((0, 0, 0))
    m.clearance("loose", "prismatic", guide, slider, 1e-3, length=0.2, width=0.1)
    run = vc.simulate(m, 0.2)
    assert run.events[0].t == pytest.approx(math.sqrt(2e-3 / 9.81), rel=1e-9)
    assert run["block.z"][-1] == pytest.approx(0.06, abs=1e-9)  # free along the guide
    assert run["block.x"][-1] == pytest.approx(-1e-3, abs=1e-9)
    m.torque("twist", body, (0, 2.0, 0))
    tilted = vc.simulate(m, 0.5)
    assert np.abs(tilted["block.wy"][-1]) < 1e-6
    angle = 2 * math.asin(float(tilted["block.e2"][-1]))
    # both corners at the bounds: gap = (length / 2) sin(angle) + rise of the middle
    assert 0.1 * math.sin(angle) == pytest.approx(1e-3, rel=1e-6)
    for end in (0, 1):
        for side in (0, 1):
            assert np.abs(tilted[f"loose.x{end}{side}.value"]).max() < 1e-3 + 1e-9


def wheel(adhesion, torque=0.0, tilt=0.0, speed=0.0, slope=0.0):
    m = vc.Model(gravity=(9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)))
    body = m.body("wheel", 20.0, [0.5, 1.0, 0.5], at=(0, 0, 0.3), velocity=(speed, 0, 0))
    m.planar("plane", m.ground, body, at=(0, 0, 0.3), axis="y")
    m.ground_wheel("tyre", body.frame((0, 0, 0.3), z="y"), 0.3, stiffness=1e5, damping=2e3, adhesion=adhesion,
                   creep=1e-3)
    if torque:
        m.torque("drive", body, (0, torque, 0))
    return m


def test_a_wheel_that_grips_rolls_with_the_closed_form():
    """Torque T on a rolling disc: (m r^2 + J) alpha = T, as long as the grip lasts."""
    run = vc.simulate(wheel(0.8, torque=10.0), 1.0, integrator=vc.Auto(rtol=1e-8, atol=1e-10))
    alpha = 10.0 / (20.0 * 0.09 + 1.0)
    late = run.t > 0.3
    assert run["wheel.alpha_y"][late] == pytest.approx(alpha, rel=2e-3)
    assert run["tyre.z.force"][-1] == pytest.approx(20 * 9.81, rel=1e-6)
    assert run["tyre.x.force"][-1] == pytest.approx(20 * alpha * 0.3, rel=2e-3)


def test_the_grip_of_a_wheel_that_spins_is_adhesion_by_its_pressure():
    """With 0.9 - 1e-3 N at N = m g the grip is that of the text, and the wheel accelerates by it."""
    run = vc.simulate(wheel("0.9 - 1e-3*N", torque=200.0), 0.5, integrator=vc.Auto(rtol=1e-8, atol=1e-10))
    weight = 20 * 9.81
    assert run["tyre.x.force"][-1] == pytest.approx((0.9 - 1e-3 * weight) * weight, rel=1e-5)
    assert run["wheel.ax"][-1] == pytest.approx((0.9 - 1e-3 * weight) * 9.81, rel=1e-5)


def test_a_locked_wheel_slides_to_rest_with_its_adhesion():
    m = wheel(0.5, speed=3.0)
    m.hold("brake", "plane.angle")
    run = vc.simulate(m, 0.4, integrator=vc.Auto(rtol=1e-8, atol=1e-10))
    late = run.t > 0.25
    assert run["wheel.ax"][late] == pytest.approx(-0.5 * 9.81, rel=2e-3)


def test_a_leaning_wheel_touches_with_its_lowest_point():
    m = vc.Model()
    body = m.body("wheel", 20.0, [0.5, 1.0, 0.5], at=(0, 0, 0.25))
    axle = (0.0, math.cos(0.4), math.sin(0.4))
    m.ground_wheel("tyre", body.frame((0, 0, 0.25), z=axle), 0.3, stiffness=1e4, adhesion=0.0)
    state = vc.assemble(m)
    depth = 0.3 * math.cos(0.4) - 0.25
    assert state["tyre.z.force"] == pytest.approx(1e4 * depth, rel=1e-12)
    # about the centre: rho x F with rho across from the axle, downwards
    assert state["tyre.rx.force"] == pytest.approx(0.3 * math.sin(0.4) * 1e4 * depth, rel=1e-12)


@pytest.mark.parametrize(("given", "told"), [
    ({"radius": -1.0}, "radius is -1; it must be positive"), ({"adhesion": -0.1}, "adhesion is -0.1"),
    ({"damping": -1.0}, "damping is -1"), ({"wheel": None}, "a frame on a moving body is needed")])
def test_wrong_wheels_are_refused(given, told):
    m = vc.Model()
    body = m.body("wheel", 1.0, 0.1, at=(0, 0, 0.3))
    call = {"wheel": body.frame((0, 0, 0.3), z="y"), "radius": 0.3, "stiffness": 1e4} | given
    with pytest.raises(vc.ModelError, match=told):
        m.ground_wheel("tyre", **call)


@pytest.mark.parametrize(("given", "told"), [
    ({"force": 3.0}, "force is 3.0; it is a text"), ({"force": "d", "restitution": 0.5}, "belong to a rigid stop"),
    ({"k": 3.0}, "k belongs to a force="), ({"back": "d"}, "back belongs to a force=")])
def test_wrong_yielding_stops_are_refused(given, told):
    with pytest.raises(vc.ModelError, match=told):
        block(at_most=0.1, **given)
