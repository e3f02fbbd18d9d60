"""Friction of joints in impacts, against all ways of sticking and slipping, tried one by one on equations of the test's
own."""

import itertools

import numpy as np
import pytest
from scipy.optimize import fsolve

import vincolo as vc

MASS, J = (2.0, 1.0), (0.05, 0.02)
PINS, CENTRES, TIP = np.array([[0, 0.0], [0.6, 0.2]]), np.array([[0.3, 0.1], [0.9, 0.0]]), np.array([1.2, -0.2])  # x, z


def across(r):
    """Velocity of a point at r from where it turns, per unit of w about y."""
    return np.array([r[1], -r[0]])


def built(mu, radius, e, rates, **floor):
    """Two arms whose tip is about to hit the floor."""
    m = vc.Model(gravity=(0, 0, 0))
    before, speed = m.ground, np.zeros(2)
    for k in range(2):
        spin = rates[k]
        velocity = speed + spin * across(CENTRES[k] - PINS[k])
        body = m.body(f"arm{k}", MASS[k], J[k], at=(CENTRES[k][0], 0, CENTRES[k][1]),
                      velocity=(velocity[0], 0, velocity[1]), angular_velocity=(0, spin, 0))
        m.revolute(f"pin{k}", before, body, at=(PINS[k][0], 0, PINS[k][1]), axis="y")
        if mu:
            m.friction(f"rub{k}", f"pin{k}", mu, radius=radius, mu_static=1.5 * mu)
        if k == 0:
            speed = spin * across(PINS[1] - PINS[0])
        before = body
    m.frame("tip", before, (TIP[0], 0, TIP[1]))
    m.stop("floor", "tip.z", at_least=TIP[1], restitution=e)
    return m


def struck(mu, radius, e, rates):
    """Rates after the blow, its impulse and those of friction."""
    rates = np.array(rates)
    place = [np.outer(across(CENTRES[0] - PINS[0]), [1, 0]),
             np.outer(across(PINS[1] - PINS[0]), [1, 0]) + np.outer(across(CENTRES[1] - PINS[1]), [0, 1])]
    tip = np.outer(across(PINS[1] - PINS[0]), [1, 0]) + np.outer(across(TIP - PINS[1]), [0, 1])
    M = np.diag(J) + sum(mass * P.T @ P for mass, P in zip(MASS, place, strict=True))
    turning = np.array([[1.0, 0], [-1, 1]])  # of both pins

    def presses(after, p):
        second = MASS[1] * place[1] @ (after - rates) - [0, p]
        return np.linalg.norm(MASS[0] * place[0] @ (after - rates) + second), np.linalg.norm(second)

    def left(x, modes):
        after, p, rub = x[:2], x[2], x[3:]
        bound = mu * radius * np.array(presses(after, p))
        law = [v if mode == 0 else r + mode * b
               for v, r, b, mode in zip(turning @ after, rub, bound, modes, strict=True)]
        return [*(M @ (after - rates) - tip[1] * p - turning.T @ rub), tip[1] @ after + e * (tip[1] @ rates), *law]

    for modes in itertools.product((0, 1, -1), repeat=2):
        x = fsolve(left, [*rates, 1.0, 0, 0], args=(modes,), xtol=1e-14, full_output=True)[0]
        rub, bound, v = x[3:], mu * radius * np.array(presses(x[:2], x[2])), turning @ x[:2]
        fits = all(abs(r) <= b + 1e-12 if mode == 0 else mode * w >= 0
                   for r, b, w, mode in zip(rub, bound, v, modes, strict=True))
        if fits and np.abs(left(x, modes)).max() < 1e-11:
            return x, modes
    raise AssertionError("nothing fits")


@pytest.mark.parametrize(("mu", "radius", "rates"), [
    (0.3, 0.05, (1.0, 2.0)), (0.3, 0.05, (2.0, -0.5)), (0.5, 0.2, (1.0, 2.0)), (0.6, 0.2, (1.0, 1.2)),
    (0.4, 0.1, (-1.0, 4.0))])
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_rates_and_impulses_of_a_blow_with_friction_in_both_pins(mu, radius, rates, e):
    x, modes = struck(mu, radius, e, rates)
    result = vc.simulate(built(mu, radius, e, rates), 1e-4)
    event = result.events[0]
    assert event.name == "floor.closes" and event.t == 0.0
    found = [event.after["arm0.wy"], event.after["arm1.wy"], *(event.impulses[n] for n in ("floor", "rub0", "rub1"))]
    assert found == pytest.approx(x, rel=1e-9, abs=1e-11), modes
    assert event.energy <= 1e-12


def test_a_blow_on_a_lever_costs_the_more_impulse_the_more_its_pin_rubs():
    """One freedom: what comes back is e, whatever rubs; the floor pays for the friction."""
    m = vc.Model(gravity=(0, 0, 0))
    arm = m.body("arm", 2.0, 0.1, at=(0.5, 0, 0), velocity=(0, 0, -1.0), angular_velocity=(0, 2.0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.frame("tip", arm, (1, 0, 0))
    m.friction("rub", "O", 0.4, radius=0.1)
    m.stop("floor", "tip.z", at_least=0.0, restitution=0.5)
    event = vc.simulate(m, 1e-3).events[0]
    push, pin = event.impulses["floor"], event.impulses["rub"]
    # about O: 0.6 kg m^2 and 3 rad/s; the pin takes what the floor gives more than 2 kg and 1.5 m/s need
    assert push - pin == pytest.approx(0.6 * 3.0, rel=1e-12)
    assert pin == pytest.approx(0.04 * abs(2.0 * 1.5 - push), rel=1e-10)
    assert event.after["arm.wy"] == pytest.approx(-1.0, rel=1e-12)


def test_friction_of_a_ball_takes_part_too():
    """A bob on a ball joint hits a wall off its middle: what the ball rubs goes against its turning after the blow."""
    m = vc.Model(gravity=(0, 0, 0))
    spin = np.array([0.5, 1.0, 2.0])
    bob = m.body("bob", 2.0, 0.05, at=(0, 0, -0.5), velocity=np.cross(spin, (0, 0, -0.5)), angular_velocity=spin)
    m.spherical("S", m.ground, bob, at=(0, 0, 0))
    m.friction("rub", "S", 0.4, radius=0.1)
    m.frame("nose", bob, (0, 0.1, -0.5))
    m.stop("wall", "nose.x", at_least=0.0)
    event = vc.simulate(m, 1e-4).events[0]
    w, v = (np.array([event.after[f"bob.{k}{a}"] for a in "xyz"]) for k in "wv")
    was = np.cross(spin, (0, 0, -0.5))
    rub = np.array([event.impulses[f"rub.{a}"] for a in "xyz"])
    pin = 2.0 * (v - was) - np.array([event.impulses["wall"], 0, 0])
    assert np.linalg.norm(rub) == pytest.approx(0.04 * np.linalg.norm(pin), rel=1e-9)
    assert rub / np.linalg.norm(rub) == pytest.approx(-w / np.linalg.norm(w), abs=1e-9)
    turned = 0.05 * (w - spin)
    lever = np.cross((0, 0, 0.5), pin) + np.cross((0, 0.1, 0), (event.impulses["wall"], 0, 0)) + rub
    assert turned == pytest.approx(lever, abs=1e-11)


def without_floor(mu, radius, rates, **action):
    """The same arms, whose tip an event throws back or strikes."""
    m = built(mu, radius, 0.0, rates)
    m.remove("floor")
    m.event("hit", at=1e-13, **action)
    return vc.simulate(m, 1e-6, integrator=vc.DOP853(rtol=1e-12, atol=1e-14)).events[0]


ARMS = [(0.3, 0.05, (1.0, 2.0)), (0.5, 0.2, (1.0, 2.0)), (0.6, 0.2, (1.0, 1.2)), (0.4, 0.1, (-1.0, 4.0))]


@pytest.mark.parametrize(("mu", "radius", "rates"), ARMS)
def test_joints_rub_in_what_an_event_throws_back_or_strikes(mu, radius, rates):
    """A rate that is thrown back by 0.6, and the impulse that this takes, struck: both are the blow of a floor."""
    x, modes = struck(mu, radius, 0.6, rates)
    for action in ({"bounce": {"tip.z": 0.6}}, {"strike": {"tip.z": float(x[2])}}):
        event = without_floor(mu, radius, rates, **action)
        found = [event.after["arm0.wy"], event.after["arm1.wy"], *event.impulses.values()]
        assert list(event.impulses) == ["tip.z", "rub0", "rub1"]
        assert found == pytest.approx(x, rel=1e-9, abs=1e-11), modes
        assert event.energy <= 1e-12


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.45, 0.49, 0.51, 0.7])
def test_a_guide_that_jams_takes_the_rebound(mu):
    """A block in a guide of 0.1 m meets a wall 0.1 m beside it: the blow P presses the guide by 2 P. Up to mu = 0.5 the
    block comes back with half its speed, at P = m (1 + e) v / (1 - 2 mu); beyond it the guide grips more than the wall
    pushes, and the block stops."""
    m = vc.Model(gravity=(0, 0, 0))
    block = m.body("block", 2.0, 0.05, velocity=(-1.0, 0, 0))
    m.prismatic("guide", m.ground, block, at=(0, 0, 0), axis="x")
    m.frame("nose", block, (0, 0.1, 0))
    m.friction("rub", "guide", mu, length=0.1)
    m.stop("wall", "nose.x", at_least=0.0, restitution=0.5)
    event = vc.simulate(m, 1e-3).events[0]
    back, push = (0.5, 3.0 / (1 - 2 * mu)) if mu < 0.5 else (0.0, 2.0)
    assert event.after["block.vx"] == pytest.approx(back, abs=1e-9)
    assert event.impulses["wall"] == pytest.approx(push, rel=1e-9)
    assert event.impulses["rub"] == pytest.approx(2.0 * (1 + back) - push, abs=1e-8)


def test_friction_sticks_where_all_falls_freely():
    """Nothing presses the pin of a pendulum on a carriage that falls: its friction has no bound and nothing to hold,
    and rounding does not make it slip."""
    m = vc.Model()
    carriage, bob = m.body("carriage", 1.3, 0.02), m.body("bob", 0.7, 0.013, at=(0.31, 0.17, 0))
    m.prismatic("rail", m.ground, carriage, at=(0, 0, 0), axis="z")
    m.revolute("pin", carriage, bob, at=(0, 0, 0), axis="y")
    m.friction("rub", "pin", 0.4, radius=0.01)
    result = vc.simulate(m, 0.5)
    assert result.complete and result["pin.angle"][-1] == pytest.approx(0.0, abs=1e-9)
    assert result["carriage.vz"][-1] == pytest.approx(-9.80665 * 0.5, rel=1e-9)
