"""Every integrator has the order it claims, on free, constrained, driven and redundant problems."""

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, pendulum

FIXED = [vc.SemiImplicitEuler, vc.Heun, vc.RK4]
ADAPTIVE = [vc.DormandPrince, vc.DOP853]
REFERENCE = vc.DOP853(rtol=1e-12, atol=1e-13)


def free():
    """An asymmetric body that tumbles."""
    model = vc.Model()
    model.body("body", 2.0, [0.2, 0.3, 0.45], angular_velocity=(1.0, 2.0, -1.5), velocity=(1, 0, 3))
    return model


def constrained():
    """A spatial double pendulum: a cross and a ball."""
    model = vc.Model()
    one = model.body("one", 1.0, [0.1, 0.12, 0.02], at=(0, 0.5, 0), angular_velocity=(0.5, 0, 1.0))
    two = model.body("body", 1.0, [0.1, 0.03, 0.12], at=(0.4, 1.0, 0))
    model.universal("U", model.ground, one, at=(0, 0, 0), axis="x", axis2="z")
    model.spherical("S", one, two, at=(0, 1, 0))
    return model


def driven():
    """A pendulum on a crank that is moved, with a spring and a damper."""
    model = pendulum(-1.0)
    bar = model.bodies["bar"]
    tip = model.body("body", 0.5, [0.02, 0.05, 0.06], at=bar.frame(local=(0.5, 0, 0)).drawn_point + [0.3, 0, 0])
    hinge = model.revolute("A", bar, tip, at=bar.frame(local=(0.5, 0, 0)).drawn_point, axis="z")
    model.drive("O.angle", "0.5*sin(3*t)")
    model.spring("twist", hinge["angle"], k=4.0, c=0.2)
    return model


def redundant():
    """A parallelogram on three bars, away from where it is flat."""
    model = parallelogram(0.8, bars=3)
    body = model.bodies["coupler"]
    model.spring("strut", model.ground.frame((0, 3, 0)), body.frame((2, 1, 0)), k=80.0, c=1.0, length=2.0)
    model.law("stop", model.joints["foot0"]["angle"], "30*d")
    return model


PROBLEMS = {"free": free, "constrained": constrained, "driven": driven, "redundant": redundant}
PROBLEM = pytest.mark.parametrize("name", PROBLEMS)


def end(name, integrator, until=1.0, **settings):
    """Positions and velocities of all bodies at the end."""
    return vc.simulate(PROBLEMS[name](), until, outputs=1, integrator=integrator, **settings).y[-1, :-1]


def errors(name, integrators, **settings):
    exact = end(name, REFERENCE)
    return np.array([np.abs(end(name, i, **settings) - exact).max() for i in integrators])


@PROBLEM
@pytest.mark.parametrize("method", FIXED)
def test_halving_the_step_divides_the_error_by_two_to_the_order(method, name):
    steps = {1: 1 / 400, 2: 1 / 200, 4: 1 / 60}[method.order] * 0.5 ** np.arange(4)
    found = errors(name, [method(step=h) for h in steps])
    orders = np.log2(found[:-1] / found[1:])
    assert orders[-1] == pytest.approx(method.order, abs=0.35), found


@PROBLEM
@pytest.mark.parametrize("method", ADAPTIVE)
def test_the_error_follows_the_tolerance(method, name):
    tolerances = 10.0 ** np.arange(-4, -11, -2)
    found = errors(name, [method(rtol=tol, atol=tol) for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(found), 1)[0]
    assert 0.7 < slope < 1.35, found  # proportional: slope 1
    assert (found < 100 * tolerances).all(), found


@PROBLEM
@pytest.mark.parametrize("method", ADAPTIVE)
def test_order_of_the_adaptive_integrators_at_steps_of_one_size(method, name):
    """A huge tolerance and max_step make every step but the first few one size."""
    steps = (1 / 40 if method.order == 5 else 1 / 6) * 0.5 ** np.arange(4)
    found = errors(name, [method(rtol=1e3, atol=1e3, max_step=h) for h in steps])
    orders = np.log2(found[:-1] / found[1:])
    assert orders.max() > method.order - 0.7, (found, orders)


@PROBLEM
@pytest.mark.parametrize("method", [vc.Heun, vc.RK4, *ADAPTIVE])
def test_samples_between_steps_are_as_accurate_as_the_steps(method, name):
    integrator = method(rtol=1e-7, atol=1e-7) if method in ADAPTIVE else method(step={2: 2e-3, 4: 2e-2}[method.order])
    times = np.linspace(0, 1, 334)  # falls between steps
    system = vc.compile(PROBLEMS[name]())
    exact = vc.simulate(system, 1.0, outputs=times, integrator=REFERENCE).y[:, :-1]
    found = np.abs(vc.simulate(system, 1.0, outputs=times, integrator=integrator).y[:, :-1] - exact).max(axis=1)
    coarse = np.abs(end(name, integrator) - exact[-1]).max()
    # cubic Hermite between the steps of fixed methods: h^4/384 of the fourth derivative
    between = 0.0 if method in ADAPTIVE else integrator.step**4
    assert found.max() < 10 * coarse + 1e-6 * (method in ADAPTIVE) + between


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_outputs_do_not_change_the_steps(method):
    integrator = method() if method in ADAPTIVE else method(step=2e-3)
    system = vc.compile(constrained())
    few, many = (vc.simulate(system, 0.5, outputs=n, integrator=integrator) for n in (1, 500))
    assert few.y[-1] == pytest.approx(many.y[-1], abs=1e-13)
    assert few.statistics["steps"] == many.statistics["steps"]


@pytest.mark.parametrize("method", [*FIXED[1:], *ADAPTIVE])
def test_there_and_back(method):
    """A motion without friction, reversed at its end, returns to its start within twice its error."""
    system = vc.compile(constrained())
    integrator = method(rtol=1e-9, atol=1e-10) if method in ADAPTIVE else method(step=1e-3)
    there = vc.simulate(system, 0.6, outputs=2, integrator=integrator)
    y = there.y[-1].copy()
    for k in range(2):
        y[13 * k + 7: 13 * k + 13] *= -1
    turned = vc.State(system, 0.0, y, there.turns[-1])
    back = vc.simulate(system, 0.6, outputs=2, integrator=integrator, start=turned).y[-1]
    error = np.abs(there.y[-1, :-1] - vc.simulate(system, 0.6, outputs=2, integrator=REFERENCE).y[-1, :-1]).max()
    for k in range(2):
        assert back[13 * k: 13 * k + 7] == pytest.approx(there.y[0, 13 * k: 13 * k + 7], abs=20 * error + 1e-9)
