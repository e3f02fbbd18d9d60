"""Runs of many steps without friction: the symplectic steps swing in energy but do not drift."""

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram


def double_pendulum():
    model = vc.Model()
    one = model.body("one", 1.0, [0.1, 0.12, 0.02], at=(0, 0.5, 0), angular_velocity=(0.5, 0, 1.0))
    two = model.body("two", 1.0, [0.1, 0.03, 0.12], at=(0.4, 1.0, 0))
    model.universal("U", model.ground, one, at=(0, 0, 0), axis="x", axis2="z")
    model.spherical("S", one, two, at=(0, 1, 0))
    return model, 2e-3


def top():
    model = vc.Model(gravity=(0, 0, -9.81))
    body = model.body("top", 1.0, [0.02, 0.02, 0.01], at=(0.1, 0, 0.2), angular_velocity=(3, 0, 40.0))
    model.spherical("S", model.ground, body, at=(0, 0, 0))
    return model, 1e-3


def redundant():
    """A parallelogram on three bars that swings on a spring, away from where it is flat."""
    model = parallelogram(0.8, bars=3)
    model.spring("strut", model.ground.frame((0, 3, 0)), model.bodies["coupler"].frame((2, 1, 0)), k=200.0, length=2.5)
    return model, 5e-3


CONSERVATIVE = {"double pendulum": double_pendulum, "top": top, "redundant": redundant}
MANY = [pytest.param(100_000, id="1e5"), pytest.param(1_000_000, id="1e6", marks=pytest.mark.slow)]


def energy_error(name, integrator, steps):
    """Change of energy at 1000 samples, and the energy in motion."""
    model, h = CONSERVATIVE[name]()
    result = vc.simulate(model, steps * h, outputs=1000, integrator=integrator(step=h))
    assert result.complete, result.reason
    total = result["energy.total"]
    return total - total[0], result


@pytest.mark.parametrize("steps", MANY)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_does_not_drift(name, steps):
    change, result = energy_error(name, vc.Rattle, steps)
    tenth = len(change) // 10
    assert np.abs(change[-tenth:]).max() < 2.0 * np.abs(change[:tenth]).max()
    assert np.abs(change).max() < 2e-3 * result.statistics["energy_range"]
    assert result.statistics["position_residual"] < 1e-13


def test_others_do_drift():
    """So that the test above can tell: the trapezoidal rule loses energy in rotations."""
    change, _ = energy_error("double pendulum", vc.Newmark, 40_000)
    tenth = len(change) // 10
    assert np.abs(change[-tenth:]).max() > 2.0 * np.abs(change[:tenth]).max()


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_the_swing_of_energy_shrinks_with_the_square_of_the_step(name):
    model, h = CONSERVATIVE[name]()
    system = vc.compile(model)
    swings = []
    for step in (h, h / 2):
        result = vc.simulate(system, 200 * h, outputs=1, integrator=vc.Rattle(step=step))
        swings.append(result.statistics["energy_imbalance"])
    assert np.log2(swings[0] / swings[1]) == pytest.approx(2, abs=0.1)


def test_momentum_of_a_free_body_stays():
    """Angular momentum about the centre of mass in world axes, over 100,000 steps."""
    model = vc.Model(gravity=(0, 0, 0))
    model.body("body", 2.0, [0.2, 0.3, 0.45], angular_velocity=(1.0, 2.0, -1.5))
    result = vc.simulate(model, 1000.0, outputs=100, integrator=vc.Rattle(step=1e-2))
    momentum = []
    for y in result.y:
        w, x, y_, z = y[3:7]
        axes = np.array([[1 - 2 * (y_**2 + z**2), 2 * (x * y_ - w * z), 2 * (x * z + w * y_)],
                         [2 * (x * y_ + w * z), 1 - 2 * (x**2 + z**2), 2 * (y_ * z - w * x)],
                         [2 * (x * z - w * y_), 2 * (y_ * z + w * x), 1 - 2 * (x**2 + y_**2)]])
        momentum.append(axes @ (np.array([0.2, 0.3, 0.45]) * (axes.T @ y[10:13])))
    assert np.abs(np.array(momentum) - momentum[0]).max() < 1e-11  # rounding of 100,000 steps


def test_dampers_and_drives_keep_order_two():
    """Forces that depend on velocities are taken at predicted ones."""
    model = vc.Model(gravity=(0, 0, -9.81))
    bar = model.body("bar", 1.0, [0.01, 0.08, 0.08], at=(0.5, 0, 0))
    hinge = model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="y")
    model.spring("damper", hinge["angle"], k=0.0, c=0.8)
    system = vc.compile(model)
    exact = vc.simulate(system, 1.0, outputs=1, integrator=vc.DOP853(rtol=1e-12, atol=1e-13)).y[-1, :-1]
    found = [np.abs(vc.simulate(system, 1.0, outputs=1, integrator=vc.Rattle(step=h)).y[-1, :-1] - exact).max()
             for h in (4e-3, 2e-3)]
    assert np.log2(found[0] / found[1]) == pytest.approx(2, abs=0.1)
