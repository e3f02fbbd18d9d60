"""Closed loops against closed forms: poles of state feedback seen in the motion, PID by its own recursion, blocks."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import vincolo as vc
from entered_models import MOTION, cart_pole

EXACT = vc.integrators.DOP853(rtol=1e-12, atol=1e-16)
SMALL = 1e-6


def linear():
    return vc.linearize(vc.assemble(cart_pole()), inputs=["motor"], outputs=MOTION)


def transition(model, span, **more):
    """What small deviations from the upright position become after a time, as a matrix."""
    system, columns = vc.compile(model), []
    for name in MOTION:
        start = vc.assemble(system, {key: SMALL * (key == name) for key in MOTION})
        end = vc.simulate(system, span, start=start, outputs=1, **more)
        columns.append([end[key][-1] / SMALL for key in MOTION])
    return np.array(columns).T


def test_poles_of_the_mechanism_are_those_of_the_source():
    """Messner and Tilbury: 5.5651, -5.6041, -0.1428 and 0."""
    assert np.sort(np.linalg.eigvals(linear().A).real) == pytest.approx([-5.6041, -0.1428, 0.0, 5.5651], abs=1e-4)


def test_gains_of_least_cost_are_those_of_the_source():
    found = vc.blocks.lqr(linear(), [5000, 0, 100, 0], [1])
    assert found.K[0] == pytest.approx([-70.7107, -37.8345, 105.5298, 20.9238], abs=1e-4)


@pytest.mark.parametrize("poles", [[-2 + 1j, -2 - 1j, -5, -8], [-1, -1.5, -2, -2.5]])
def test_placed_poles_are_seen_in_the_motion(poles):
    found = vc.blocks.place_poles(linear(), poles)
    m = cart_pole()
    m.remove("motor")
    m.actuator("motor", "rail.travel", found.text())
    seen = np.log(np.linalg.eigvals(transition(m, 0.1, integrator=EXACT)).astype(complex)) / 0.1
    assert np.sort_complex(seen) == pytest.approx(np.sort_complex(np.array(poles, dtype=complex)), abs=1e-6 * 8)


@pytest.mark.parametrize("every", [1e-3, 2e-2])
def test_poles_of_a_sampled_loop_are_seen_from_sample_to_sample(every):
    found = vc.blocks.lqr(linear(), [5000, 0, 100, 0], [1], every=every)
    m = cart_pole()
    vc.blocks.state_feedback(m, "hold", found, "push")
    seen = np.linalg.eigvals(transition(m, 10 * every, integrator=EXACT))
    assert np.sort_complex(seen) == pytest.approx(np.sort_complex(found.poles**10), abs=1e-6)


def test_a_pole_is_held_upright_from_far_away():
    m = cart_pole()
    vc.blocks.state_feedback(m, "hold", vc.blocks.lqr(linear(), [5000, 0, 100, 0], [1], every=1e-3), "push")
    system = vc.compile(m)
    result = vc.simulate(system, 10.0, start=vc.assemble(system, {"hinge.angle": 0.5}))
    assert abs(result["hinge.angle"][-1]) < 1e-6 and abs(result["cart.x"][-1]) < 1e-5


def mass_on_rail(m=2.0):
    model = vc.Model("mass", gravity=(0, 0, 0))
    body = model.body("b", m, 0.1)
    model.prismatic("rail", model.ground, body, (0, 0, 0), "x")
    model.input("u", unit="N")
    model.input("r", value=1.0)
    model.actuator("push", "rail.travel", "u")
    return model


PID = {"kp": 40.0, "ki": 25.0, "kd": 12.0, "filter": 0.03}


def by_recursion(h, count, kp, ki, kd, filter, low=-math.inf, high=math.inf, tracking=None, m=2.0, weight=1.0):
    """Positions of m x'' = u, u held for h, with the difference equations of the controller."""
    x = v = integral = derivative = last = 0.0
    seen = []
    for k in range(count):
        seen.append(x)
        last = x if k == 0 else last
        derivative = (filter * derivative - kd * (x - last)) / (filter + h)
        wanted = kp * (weight - x) + integral + derivative
        u = min(max(wanted, low), high)
        integral += h * ki * (1 - x) + (h / tracking * (u - wanted) if tracking else 0.0)
        last = x
        x, v = x + h * v + h * h / 2 * u / m, v + h * u / m
    return np.array(seen)


@pytest.mark.parametrize("limits", [{}, {"low": -8.0, "high": 8.0, "tracking": 0.4}, {"weight": 0.3}])
def test_pid_follows_the_difference_equations_of_its_loop(limits):
    m = mass_on_rail()
    vc.blocks.pid(m, "pid", setpoint="r", measured="b.x", writes="u", every=0.01, **PID, **limits)
    result = vc.simulate(m, 3.0, outputs=300, integrator=EXACT)
    assert result["b.x"][:-1] == pytest.approx(by_recursion(0.01, 300, **PID, **limits), abs=1e-9)
    if limits.get("high"):
        assert result["u"].max() == 8.0
        slower = by_recursion(0.01, 300, **PID, low=-8.0, high=8.0)
        assert result["b.x"].max() < slower.max()  # the integral was led back


def test_pid_of_short_periods_is_the_continuous_loop():
    """x''' m + kd x'' + kp x' + ki x = kd 0 + kp r' + ki r, from rest, with the setpoint in P: by its state matrix."""
    m = mass_on_rail()
    kp, ki, kd = 40.0, 25.0, 12.0
    vc.blocks.pid(m, "pid", setpoint="r", measured="b.x", writes="u", every=1e-4, kp=kp, ki=ki, kd=kd)
    x = vc.simulate(m, 1.0, outputs=1, integrator=vc.integrators.RK4(step=1e-4))["b.x"][-1]
    A = np.array([[0, 1, 0, 0], [-kp / 2, -kd / 2, 1 / 2, kp / 2], [-ki, 0, 0, ki], [0, 0, 0, 0]])
    assert x == pytest.approx((expm(A) @ [0, 0, 0, 1])[0], abs=5e-4)


def test_pid_takes_over_without_a_bump():
    m = mass_on_rail()
    m.inputs["u"] = m.inputs["u"].__class__("u", "input", 3.0, "N")
    vc.blocks.pid(m, "pid", setpoint="r", measured="b.x", writes="u", every=0.01, bumpless=True, **PID)
    result = vc.simulate(m, 0.02, outputs=[0.0, 0.005])
    assert result["u"][1] == pytest.approx(3.0, abs=1e-12)


def test_continuous_blocks_follow_their_closed_forms():
    m = mass_on_rail()
    vc.blocks.first_order(m, "slow", "r", T=0.2)
    ahead = vc.blocks.lead_lag(m, "ahead", "sin(3*t)", lead=0.5, lag=0.1, gain=2.0)
    vc.blocks.second_order(m, "smooth", "r", frequency=4.0, damping=1.0)
    for name, text in (("lead", ahead), ("held", vc.blocks.saturation("2*slow", 0.1, 1.5)),
                       ("table", vc.blocks.look_up("t", [0.2, 0.5, 0.6, 0.9], [1.0, 3.0, -2.0, 0.5]))):
        m.output(name, text)
    result = vc.simulate(m, 1.5, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    t = result["t"]
    slow = 1 - np.exp(-t / 0.2)
    assert result["slow"] == pytest.approx(slow, abs=1e-9)
    assert result["smooth"] == pytest.approx(1 - (1 + 4 * t) * np.exp(-4 * t), abs=1e-9)
    assert result["held"] == pytest.approx(np.clip(2 * slow, 0.1, 1.5), abs=1e-9)
    assert result["table"] == pytest.approx(np.interp(t, [0.2, 0.5, 0.6, 0.9], [1.0, 3.0, -2.0, 0.5]), abs=1e-12)
    w, T = 3.0, 0.1  # x' = (sin wt - x)/T
    x = (np.sin(w * t) - w * T * np.cos(w * t) + w * T * np.exp(-t / T)) / (1 + (w * T)**2)
    assert result["lead"] == pytest.approx(2 * (x + 5 * (np.sin(w * t) - x)), abs=1e-9)


def test_discrete_blocks_delay_and_limit():
    m = mass_on_rail()
    vc.blocks.delay(m, "later", "sin(5*t)", time=0.03, every=0.01, start=-1.0)
    vc.blocks.rate_limit(m, "slow", "if(t < 0.5, 1, -1)", every=0.01, up=4.0, down=2.0)
    result = vc.simulate(m, 1.0, outputs=100)
    t = result["t"]
    assert result["later"][:3] == pytest.approx(-1.0) and result["later"][3:-1] == pytest.approx(
        np.sin(5 * (t[3:-1] - 0.03)), abs=1e-12)
    assert result["slow"][9] == pytest.approx(0.4) and result["slow"][40] == 1.0
    assert result["slow"][60] == pytest.approx(1.0 - 2.0 * 0.11)


@pytest.mark.parametrize(("make", "phrase"), [
    (lambda m: vc.blocks.first_order(m, "x", "r", T=0.0), "positive"),
    (lambda m: vc.blocks.saturation("r", 2.0, 1.0), "low must be less"),
    (lambda m: vc.blocks.look_up("r", [1, 0], [1, 2]), "x rises"),
    (lambda m: vc.blocks.delay(m, "x", "r", time=0.025, every=0.01), "a multiple of every"),
    (lambda m: vc.blocks.rate_limit(m, "x", "r", every=0.1, up=-1.0), "must be positive"),
    (lambda m: vc.blocks.pid(m, "x", setpoint=1.0, measured="b.x", writes="u", every=0.1, kp=1.0, low=1.0, high=0.0),
     "low must be less"),
    (lambda m: vc.blocks.lqr(linear(), [1, 1], [1]), "4 numbers or a 4 by 4 matrix"),
    (lambda m: vc.blocks.place_poles(linear(), [-1]), "1 poles are given, but the motion has 4"),
    (lambda m: vc.blocks.lqr(vc.linearize(vc.assemble(m), inputs=["push"], outputs=["b.x"]), [1], [1]),
     "do not tell the 2 numbers of the motion"),
    (lambda m: vc.blocks.state_feedback(m, "x", vc.blocks.place_poles(linear(), [-1, -2, -3, -4]), "u"), "continuous"),
])
def test_wrong_blocks_are_refused(make, phrase):
    with pytest.raises(vc.ModelError, match=phrase):
        make(mass_on_rail())
