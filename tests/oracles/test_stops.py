"""Stops, ropes and impacts against closed forms and balances."""

import math

import numpy as np
import pytest

import vincolo as vc
from vincolo.solvers.integrators import Adaptive

G = 9.81
ADAPTIVE = sorted((cls for cls in vars(vc.integrators).values()
                   if isinstance(cls, type) and issubclass(cls, Adaptive) and cls.method), key=lambda cls: cls.__name__)


def ball(e, **more):
    m = vc.Model(gravity=(0, 0, -G))
    m.body("ball", 0.5, 0.001, at=(0, 0, 1))
    m.stop("floor", "ball.z", at_least=0.0, restitution=e, **more)
    m.event("top", "ball.vz", direction="down")
    return m


def named(result, name):
    return [event for event in result.events if event.name == name]


@pytest.mark.parametrize("cls", ADAPTIVE, ids=lambda cls: cls.__name__)
def test_a_ball_bounces_and_lies_still_at_the_time_of_the_closed_form(cls):
    result = vc.simulate(ball(0.5, rest=1e-6), 2.0, integrator=cls(rtol=1e-10, atol=1e-12))
    exact = 1e-8 if cls.__name__ == "BDF" else 1e-9
    assert result.complete
    tops = [top.after["ball.z"] for top in named(result, "top")][:6]
    assert tops == pytest.approx([0.25**k for k in range(1, 7)], abs=exact)
    first = math.sqrt(2 / G)
    assert named(result, "floor.closes")[-1].t == pytest.approx(3 * first, abs=1e-5)  # t1 (1 + 2 e / (1 - e))
    assert result["ball.z"][-1] == pytest.approx(0.0, abs=1e-12)
    assert result["floor.on"][-1] == 1.0 and result["floor.force"][-1] == pytest.approx(0.5 * G, rel=1e-12)
    assert result["energy.balance"] == pytest.approx(0.0, abs=10 * exact)


@pytest.mark.parametrize("e", [0.3, 0.5, 0.9])
def test_it_comes_to_rest_as_exactly_as_the_speed_of_rest_asks_for(e):
    for rest in (1e-4, 1e-6):
        m = ball(e, rest=rest)
        m.remove("top")
        result = vc.simulate(m, 12.0)
        told = math.sqrt(2 / G) * (1 + 2 * e / (1 - e))
        assert result.complete
        assert named(result, "floor.closes")[-1].t == pytest.approx(told, abs=2 * rest / (G * (1 - e)))


@pytest.mark.parametrize(("e", "heights"), [(0.0, []), (1.0, [1.0, 1.0, 1.0])])
def test_without_and_with_full_restitution(e, heights):
    result = vc.simulate(ball(e), 3.0)
    assert result.complete
    assert [top.after["ball.z"] for top in named(result, "top")] == pytest.approx(heights, abs=1e-9)
    hit = named(result, "floor.closes")[0]
    assert hit.impulses["floor"] == pytest.approx(0.5 * (1 + e) * math.sqrt(2 * G), rel=1e-10)
    assert hit.energy == pytest.approx(-(1 - e**2) * 0.5 * G, rel=1e-10, abs=1e-12)


def cradle(count=5, moving=1, e=1.0):
    m = vc.Model(gravity=(0, 0, 0))
    for k in range(count):
        b = m.body(f"b{k}", 1.0, 0.001, at=(0.1 * k - (0.05 if k < moving else 0.0), 0, 0),
                   velocity=(1.0 if k < moving else 0.0, 0, 0))
        m.prismatic(f"r{k}", m.ground, b, at=(0, 0, 0), axis="x")
    for k in range(count - 1):
        low = -0.05 if k == moving - 1 else 0.0
        m.stop(f"c{k}", m.joints[f"r{k + 1}"]["travel"] - m.joints[f"r{k}"]["travel"], at_least=low, restitution=e)
    return m


@pytest.mark.parametrize("moving", [1, 2, 3, 4])
def test_as_many_balls_leave_a_cradle_as_came(moving):
    result = vc.simulate(cradle(moving=moving), 0.2)
    speeds = [result[f"b{k}.vx"][-1] for k in range(5)]
    assert result.complete
    assert speeds == pytest.approx([0.0] * (5 - moving) + [1.0] * moving, abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.3])
def test_a_row_of_balls_keeps_its_momentum_and_does_not_overlap(e):
    result = vc.simulate(cradle(e=e), 0.2)
    speeds = [result[f"b{k}.vx"][-1] for k in range(5)]
    assert sum(speeds) == pytest.approx(1.0, abs=1e-12)
    assert all(b >= a - 1e-9 for a, b in zip(speeds, speeds[1:], strict=False))
    if e == 0:
        assert speeds == pytest.approx([0.2] * 5, abs=1e-12)


def test_a_table_falls_on_four_legs_that_share_its_weight():
    m = vc.Model(gravity=(0, 0, -G))
    top = m.body("top", 4.0, (0.4, 0.5, 0.8), at=(0, 0, 0.3))
    for k, (x, y) in enumerate(((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))):
        m.frame(f"leg{k}", top, (x, y, 0.1))
        m.stop(f"foot{k}", f"leg{k}.z", at_least=0.0)
    result = vc.simulate(m, 1.0)
    assert result.complete
    assert [result[f"foot{k}.on"][-1] for k in range(4)] == [1.0] * 4
    assert [result[f"foot{k}.force"][-1] for k in range(4)] == pytest.approx([G] * 4, rel=1e-9)
    assert abs(result["energy.balance"]).max() < 1e-9


def test_a_pendulum_leaves_its_rope_where_it_would_have_to_push():
    """From speed v at the bottom the rope goes slack at cos(a) = -(v^2 / (g l) - 2) / 3 (textbook)."""
    v = math.sqrt(3.5 * G)
    m = vc.Model(gravity=(0, 0, -G))
    bob = m.body("bob", 1.0, 0.0, at=(0, 0, -1), velocity=(v, 0, 0))
    m.rope("rope", m.ground.frame((0, 0, 0)), bob.frame((0, 0, -1)))
    result = vc.simulate(m, 2.0)
    slack = named(result, "rope.opens")[0]
    assert result.complete
    assert slack.before["bob.z"] == pytest.approx(0.5, abs=1e-8)  # (v^2 / (g l) - 2) / 3
    again = named(result, "rope.closes")[0]
    assert again.t > slack.t and again.energy < 0
    assert math.hypot(again.before["bob.x"], again.before["bob.z"]) == pytest.approx(1.0, abs=1e-9)
    assert abs(result["energy.balance"]).max() < 1e-6


def test_a_door_between_two_stops_loses_what_restitution_takes():
    m = vc.Model(gravity=(0, 0, 0))
    door = m.body("door", 2.0, 0.3, at=(0.5, 0, 0), velocity=(0, 1, 0), angular_velocity=(0, 0, 2))
    m.revolute("O", m.ground, door, at=(0, 0, 0), axis="z")
    m.stop("frame", "O.angle", at_least=-0.5, at_most=1.0, restitution=0.8)
    result = vc.simulate(m, 3.0)
    hits = named(result, "frame.closes")
    rates = [hit.after["O.angle.rate"] for hit in hits]
    assert rates == pytest.approx([2.0 * 0.8**(k + 1) * (-1)**(k + 1) for k in range(len(rates))], rel=1e-8)
    assert hits[0].impulses["frame"] == pytest.approx(-1.8 * 2.0 * (0.3 + 2.0 * 0.25), rel=1e-8)
    gaps = [1.0 / 2.0, 1.5 / 1.6, 1.5 / 1.28]
    assert np.diff([0.0, *(hit.t for hit in hits)])[:3] == pytest.approx(gaps, abs=1e-8)


def test_joints_hold_in_an_impact_redundant_ones_too():
    """A four-bar in space, redundant, whose crank meets a stop: momentum of every body is balanced by impulses."""
    m = vc.Model(gravity=(0, 0, -G))
    crank = m.body("crank", 1.0, 0.01, at=(0, 0, 0.1))
    coupler = m.body("coupler", 2.0, 0.1, at=(0.2, 0, 0.2))
    rocker = m.body("rocker", 1.5, 0.02, at=(0.4, 0, 0.1))
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("B", crank, coupler, at=(0, 0, 0.2), axis="y")
    m.revolute("C", coupler, rocker, at=(0.4, 0, 0.2), axis="y")
    m.revolute("D", rocker, m.ground, at=(0.4, 0, 0), axis="y")
    m.stop("limit", "A.angle", at_most=0.7, restitution=0.5)
    start = vc.assemble(m, {"A.angle.rate": 4.0})
    result = vc.simulate(start.system, 0.5, start=start)
    hit = named(result, "limit.closes")[0]
    assert result.complete
    assert hit.after["A.angle.rate"] == pytest.approx(-0.5 * hit.before["A.angle.rate"], rel=1e-10)
    assert hit.energy == pytest.approx(-0.75 * hit.before["energy.kinetic"], rel=1e-9)
    assert abs(hit.after["residual.velocity"]) < 1e-10
    assert abs(result["energy.balance"]).max() < 1e-7


def test_a_run_goes_on_from_the_middle_of_a_bounce_to_the_last_bit():
    system = vc.compile(ball(0.7))
    whole = vc.simulate(system, 3.0, outputs=30, checkpoints=[1.0, 2.5])
    for k, left in ((10, [2.5]), (25, [])):
        rest = vc.simulate(system, 3.0, outputs=whole.t[k:], start=whole.state(k), checkpoints=left)
        assert np.array_equal(rest["ball.z"], whole["ball.z"][k:])


def test_steps_of_one_size_meet_stops_at_their_ends():
    result = vc.simulate(ball(0.0), 1.0, integrator=vc.integrators.RK4(step=1e-4))
    assert result.complete
    assert abs(result["ball.z"][-1]) < 1e-12 and result["floor.on"][-1] == 1.0


def test_what_only_touches_stays_free():
    m = vc.Model(gravity=(0, 0, 0))
    m.body("ball", 1.0, 0.1, velocity=(1.0, 0, 0))
    m.stop("floor", "ball.z", at_least=0.0)
    result = vc.simulate(m, 2.0)
    assert result.complete and not result.events
    assert result["floor.on"].max() == 0.0 and result["ball.x"][-1] == pytest.approx(2.0, abs=1e-12)
