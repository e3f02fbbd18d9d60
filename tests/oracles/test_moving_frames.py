"""Frames that move on their bodies: joints and springs that are carried along."""

import numpy as np
import pytest

import vincolo as vc

TIGHT = vc.DOP853(rtol=1e-11, atol=1e-12)


def test_a_pendulum_on_a_moving_pivot():
    """The pivot shakes along x: L th'' = -g sin th - x'' cos th, in small angles too large to be linear."""
    from scipy.integrate import solve_ivp

    A, W, L, g = 0.1, 5.0, 0.8, 9.81
    model = vc.Model(gravity=(0, -g, 0))
    bob = model.body("bob", 2.0, 0.0, at=(0, -L, 0))
    pivot = model.ground.frame((0, 0, 0), z="z").moving(vc.Sine(A, W))
    model.revolute("O", pivot, bob.frame((0, 0, 0), z="z"))
    result = vc.simulate(model, 4.0, integrator=TIGHT)
    start = [result["O.angle"][0], result["O.angle.rate"][0]]
    exact = solve_ivp(lambda t, y: [y[1], (-g * np.sin(y[0]) + A * W**2 * np.sin(W * t) * np.cos(y[0])) / L],
                      (0, 4), start, "DOP853", rtol=1e-11, atol=1e-12, t_eval=result.t)
    assert result["O.angle"] == pytest.approx(exact.y[0], abs=1e-8)
    assert np.abs(result["energy.balance"]).max() < 1e-8  # the pivot does work


def test_a_turning_frame_is_a_driven_hinge():
    def wheel(joined):
        model = vc.Model()
        body = model.body("body", 1.0, [0.1, 0.15, 0.2], at=(0.5, 0, 0))
        joined(model, body)
        return vc.simulate(model, 2.0, integrator=TIGHT)
    def by_frame(model, body):
        model.fixed("O", model.ground.frame((0, 0, 0)).moving(angle="sin(3*t)", axis="y"), body.frame((0, 0, 0)))
    def by_drive(model, body):
        model.revolute("O", model.ground, body, at=(0, 0, 0), axis="y")
        model.drive("O.angle", "sin(3*t)")
    one, two = wheel(by_frame), wheel(by_drive)
    assert one.y[:, :13] == pytest.approx(two.y[:, :13], abs=1e-8)
    assert one["energy.work"] == pytest.approx(two["energy.work"], abs=1e-8)


def test_a_frame_moves_about_a_known_axis_only():
    with pytest.raises(vc.ModelError, match="axis is 'q'"):
        vc.Model().ground.frame((0, 0, 0)).moving(angle=1, axis="q")


def test_a_load_acts_where_its_frame_has_moved():
    """A force along y at a point that runs out along x: its moment grows with time."""
    model = vc.Model(gravity=(0, 0, 0))
    wheel = model.body("wheel", 1.0, 0.5)
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    model.force("push", wheel.frame(local=(0, 0, 0)).moving(x="t"), (0, 3.0, 0), axes="body")
    result = vc.simulate(model, 2.0, integrator=TIGHT)
    assert result["O.angle"] == pytest.approx(3.0 / 0.5 * result.t**3 / 6, abs=1e-9)
    turned = wheel.frame(local=(0, 0, 0), z="x").moving(x="t")
    model.force("other", turned, (0, 1.0, 0), axes="body")
    with pytest.raises(vc.ModelError, match="(?s)load 'other'.*axes of its own.*world axes"):
        vc.compile(model)
