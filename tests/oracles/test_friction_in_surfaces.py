"""Friction whose slip has several directions, in planes and balls, against closed forms and other solutions."""

import math

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

import vincolo as vc
from vincolo.formats import load_model, save_model

G = 9.81
EXACT = vc.DOP853(rtol=1e-11, atol=1e-13)


def slope(angle, velocity, mu=0.5, **more):
    """A block on a slope, with gravity turned instead, that moves along (x) and across (y)."""
    m = vc.Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    block = m.body("block", 2.0, 0.1, velocity=(*velocity, 0))
    m.planar("plane", m.ground, block, at=(0, 0, 0), axis="z")
    m.friction("dry", "plane", mu, **more)
    return m


def sliding(angle, mu, velocity, times):
    """Places and velocities by another integrator: v' = g sin(angle) along x - mu g cos(angle) v / |v|."""
    def rates(t, y):
        v = y[2:]
        return [*v, *(np.array([G * math.sin(angle), 0]) - mu * G * math.cos(angle) * v / np.linalg.norm(v))]

    found = solve_ivp(rates, (0, times[-1]), [0, 0, *velocity], method="DOP853", t_eval=times, rtol=3e-14, atol=1e-15)
    return found.y


@pytest.mark.parametrize(("angle", "mu"), [(0.2, 0.5), (0.4, 0.5), (0.6, 0.3)], ids=["stops", "stops late", "goes on"])
def test_a_block_pushed_across_a_slope_turns_down_it(angle, mu):
    velocity = (-0.7, 1.2)
    until = min(0.5, 0.97 * resting_time(angle, mu, velocity))
    result = vc.simulate(slope(angle, velocity, mu), until, outputs=50, integrator=EXACT)
    x, y, vx, vy = sliding(angle, mu, velocity, result.t)
    for channel, found in (("block.x", x), ("block.y", y), ("block.vx", vx), ("block.vy", vy)):
        assert result[channel] == pytest.approx(found, abs=1e-8)
    assert result["dry.force"] == pytest.approx(mu * 2.0 * G * math.cos(angle), rel=1e-9)
    assert abs(result["energy.balance"]).max() < 1e-9


def resting_time(angle, mu, velocity):
    """mu g cos(a) |v| + g sin(a) v_x falls at the rate (mu g cos a)^2 - (g sin a)^2, whichever way it goes."""
    held, pulled = mu * G * math.cos(angle), G * math.sin(angle)
    falls = held**2 - pulled**2
    return (held * math.hypot(*velocity) + pulled * velocity[0]) / falls if falls > 0 else math.inf


@pytest.mark.parametrize("velocity", [(-0.7, 1.2), (0.3, 0.0), (0.0, 1.0), (-1.0, 0.0)])
def test_it_stops_at_the_time_of_the_closed_form_and_stays(velocity):
    angle, mu = 0.3, 0.5
    stops = resting_time(angle, mu, velocity)
    result = vc.simulate(slope(angle, velocity, mu), 10.0, outputs=1000, integrator=EXACT)
    assert result.complete
    assert [e.t for e in result.events if e.name == "dry.sticks"][-1] == pytest.approx(stops, abs=1e-8)
    rests = result.t > stops + 1e-9
    for channel in ("block.x", "block.y"):
        assert np.ptp(result[channel][rests]) < 1e-9
    assert result["dry.stuck"][rests].min() == 1.0
    assert result["dry.force"][-1] == pytest.approx(2 * G * math.sin(angle), rel=1e-9)
    assert {e.name for e in result.events} <= {"dry.sticks", "dry.slips"}


def test_it_breaks_loose_the_way_it_is_pushed():
    """A force that grows and turns breaks it loose where it is mu_static N, and it goes that way."""
    m = slope(0.0, (0, 0), 0.3, mu_static=0.4)
    m.force("push", "block", ("4*t", "3*t", 0))
    result = vc.simulate(m, 2.5, outputs=100, integrator=EXACT)
    [event] = [e for e in result.events if e.name == "dry.slips"]
    loose = 0.4 * 2 * G / 5
    assert event.t == pytest.approx(loose, abs=1e-9)
    t = result.t[result.t > loose]
    speed = (2.5 * (t**2 - loose**2) - 0.3 * 2 * G * (t - loose)) / 2
    assert result["block.vx"][result.t > loose] == pytest.approx(0.8 * speed, abs=1e-8)
    assert result["block.vy"][result.t > loose] == pytest.approx(0.6 * speed, abs=1e-8)


def test_a_puck_that_also_pivots_loses_what_friction_takes():
    """Slip (vx, vy, radius w): both end together, and the force has the size mu N until then."""
    m = vc.Model(gravity=(0, 0, -G))
    puck = m.body("puck", 0.2, (1e-4, 1e-4, 2e-4), velocity=(1.0, 0.5, 0), angular_velocity=(0, 0, 40.0))
    m.planar("ice", m.ground, puck, at=(0, 0, 0), axis="z")
    m.friction("dry", "ice", 0.1, radius=0.03)
    result = vc.simulate(m, 4.0, outputs=2000)
    assert result.complete and result["dry.stuck"][-1] == 1.0
    slips = result["dry.stuck"] == 0
    assert result["dry.force"][slips] == pytest.approx(0.1 * 0.2 * G, rel=1e-9)
    assert max(abs(result["puck.vx"][-1]), abs(result["puck.wz"][-1])) < 1e-12
    lost = result["energy.total"][0] - result["energy.total"][-1]
    assert simpson(result["dry.dissipation"], x=result.t) == pytest.approx(lost, rel=1e-4)  # it has a jump at the end
    assert lost == pytest.approx(0.1 * 1.25 + 0.5 * 2e-4 * 1600, rel=1e-9)


def test_a_top_on_a_ball_slows_down_steadily_about_any_axis():
    """Held at its centre, all moments the same: J w' = -mu r m g, against w."""
    mu, r, mass, J, spin = 0.2, 0.05, 3.0, 0.04, np.array([3.0, -4.0, 5.0])
    m = vc.Model(gravity=(0, 0, -G))
    top = m.body("top", mass, J, angular_velocity=spin)
    m.spherical("S", m.ground, top, at=(0, 0, 0))
    m.friction("dry", "S", mu, radius=r)
    stops = J * np.linalg.norm(spin) / (mu * r * mass * G)
    result = vc.simulate(m, 1.5 * stops, outputs=60, integrator=EXACT)
    left = np.maximum(0, 1 - result.t / stops)
    for k, axis in enumerate("xyz"):
        assert result[f"top.w{axis}"] == pytest.approx(spin[k] * left, abs=1e-8)
    [event] = [e for e in result.events if e.name == "dry.sticks"]
    assert event.t == pytest.approx(stops, abs=1e-9)
    assert result.system.model.frictions["dry"].words.startswith("mu 0.2 on S, load 0.05*")


def swinging(start, spin, mu, r, times, mass=2.0, J=0.05):
    """A body on a ball joint with friction by another integrator, the joint's force and w' found by iteration."""
    weight = np.array([0, 0, -mass * G])

    def turning(p, w):
        about = J * np.eye(3) + mass * (p @ p * np.eye(3) - np.outer(p, p))
        alpha = np.zeros(3)
        for _ in range(20):
            force = mass * (np.cross(alpha, p) + np.cross(w, np.cross(w, p))) - weight
            torque = np.cross(p, weight) - mu * r * np.linalg.norm(force) * w / np.linalg.norm(w)
            alpha = np.linalg.solve(about, torque - np.cross(w, about @ w))
        return alpha

    def rates(t, y):
        return [*np.cross(y[3:], y[:3]), *turning(y[:3], y[3:])]

    found = solve_ivp(rates, (0, times[-1]), [*start, *spin], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13)
    return found.y


def hung(start, spin, mu, r):
    m = vc.Model(gravity=(0, 0, -G))
    bob = m.body("bob", 2.0, 0.05, at=start, velocity=np.cross(spin, start), angular_velocity=spin)
    m.spherical("S", m.ground, bob, at=(0, 0, 0))
    m.friction("dry", "S", mu, radius=r)
    return m


def test_a_pendulum_on_a_ball_joint_rubs_with_its_own_reaction():
    start, spin, mu, r = (0.5, 0.0, -0.3), np.array([0.8, 2.0, 1.5]), 0.4, 0.08
    result = vc.simulate(hung(start, spin, mu, r), 0.6, outputs=1200, integrator=EXACT)
    found = swinging(start, spin, mu, r, result.t[::100])
    for k, channel in enumerate(("bob.x", "bob.y", "bob.z", "bob.wx", "bob.wy", "bob.wz")):
        assert result[channel][::100] == pytest.approx(found[k], abs=1e-8)
    assert result["dry.force"] == pytest.approx(mu * r * result["S.reaction.force"], rel=1e-9)
    lost = result["energy.total"][0] - result["energy.total"][-1]
    assert simpson(result["dry.dissipation"], x=result.t) == pytest.approx(lost, rel=1e-9)
    assert abs(result["energy.balance"]).max() < 1e-9


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_it_hangs_askew_as_far_as_friction_holds_it(share):
    """It stays where m g l sin(angle) is less than mu r m g."""
    mu, r, length = 0.3, 0.1, 0.5
    angle = math.asin(share * mu * r / length)
    start = (length * math.sin(angle) * 0.6, length * math.sin(angle) * 0.8, -length * math.cos(angle))
    result = vc.simulate(hung(start, np.zeros(3), mu, r), 10.0, outputs=100)
    gone = np.hypot(result["bob.x"] - start[0], result["bob.y"] - start[1]).max()
    assert result.complete
    assert gone < 1e-9 if share < 1 else gone > 1e-4
    if share < 1:
        rest = vc.statics(result.system)
        assert rest["dry.force"] == pytest.approx(2.0 * G * length * math.sin(angle), rel=1e-9)
    else:
        with pytest.raises(vc.SimulationError, match="'dry' would have to hold"):
            vc.statics(result.system)


@pytest.mark.parametrize("integrator", [vc.Radau(), vc.RK4(step=1e-4)], ids=["Radau", "RK4"])
def test_smoothed_it_creeps_down_the_slope(integrator):
    m = slope(0.3, (0.0, 0.2), 0.5, regularised=1e-3)
    result = vc.simulate(m, 1.0, outputs=10, integrator=integrator)
    share = math.tan(0.3) / 0.5
    assert result["block.vx"][-1] == pytest.approx(1e-3 * math.atanh(share), rel=1e-5)
    assert abs(result["block.vy"][-1]) < 1e-9


@pytest.mark.parametrize("ending", [".yaml", ".xlsx"])
def test_files_carry_it(tmp_path, ending):
    m = slope(0.3, (0, 1.0), radius=0.1, length=0.2, mu_static=0.6, stribeck=0.1)
    ball = m.body("ball", 1.0, 0.1, at=(1, 0, 0))
    m.spherical("S", m.ground, ball, at=(1, 0, 0.1))
    m.friction("round", "S", 0.1, radius=0.02)
    save_model(m, tmp_path / f"m{ending}")
    again = load_model(tmp_path / f"m{ending}")
    for name, f in m.frictions.items():
        other = again.frictions[name]
        assert (f.words, f.along, f.given, f.titles) == (other.words, other.along, other.given, other.titles)
    times = [vc.simulate(model, 0.5).events[0].t for model in (m, again)]
    assert times[0] == pytest.approx(times[1], abs=1e-12)
