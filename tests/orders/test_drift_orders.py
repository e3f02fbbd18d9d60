"""Drift of constraints and energy: how it grows, and what keeps it down."""

import numpy as np
import pytest

import vincolo as vc
from expected import LOSES_ENERGY
from linkages import G, parallelogram, pendulum


def drift(model, stabilisation, step=0.01, until=20.0, method=vc.RK4):
    result = vc.simulate(model, until, outputs=200, integrator=method(step=step), stabilisation=stabilisation)
    assert result.complete
    return result["residual.position"]


def test_without_stabilisation_positions_drift_and_the_drift_grows():
    residual = drift(pendulum(), vc.NoStabilisation())
    assert residual[1:50].max() < 0.3 * residual[150:].max()
    assert residual.max() > 1e-7


def test_the_drift_shrinks_with_the_order_of_the_integrator():
    large, small = (drift(pendulum(), vc.NoStabilisation(), step=h, until=5.0).max() for h in (0.02, 0.01))
    assert np.log2(large / small) > 3.5


def test_baumgarte_keeps_the_drift_bounded():
    residual = drift(pendulum(), vc.Baumgarte(alpha=20, beta=20))
    free = drift(pendulum(), vc.NoStabilisation())
    assert residual[150:].max() < 1.5 * residual[10:60].max()
    assert residual.max() < 0.1 * free.max()


@LOSES_ENERGY  # of the gap
def test_baumgarte_pulls_an_open_joint_shut_as_its_equation_says():
    """Phi'' + 2 alpha Phi' + beta^2 Phi = 0: a gap d decays as d (1 + a t) exp(-a t) for alpha = beta = a."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 1.0, 1.0)
    model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    system = vc.compile(model)
    y = vc.assemble(system).y.copy()
    y[1] = 0.01  # off the axis
    open_start = vc.State(system, 0.0, y, np.zeros(system.kernel.turns))
    with pytest.warns(vc.SimulationWarning, match="the start contradicts itself"):  # pulling it shut takes energy
        result = vc.simulate(system, 1.0, outputs=20, start=open_start, stabilisation=vc.Baumgarte(5, 5))
    exact = 0.01 * (1 + 5 * result.t) * np.exp(-5 * result.t)
    assert result["b.y"] == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("method", [pytest.param(vc.SemiImplicitEuler, marks=LOSES_ENERGY), vc.Heun, vc.RK4])
@pytest.mark.parametrize("build", [pendulum, lambda: parallelogram(0.5, bars=3)], ids=["pendulum", "parallelogram"])
def test_projection_keeps_positions_at_rounding(build, method):
    residual = drift(build(), vc.Projection(), step=0.005, until=2.0, method=method)
    assert residual.max() < 1e-9


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_projection_keeps_its_tolerance(tolerance):
    residual = drift(pendulum(), vc.Projection(tolerance=tolerance), step=0.02, until=5.0)
    assert residual.max() < 1.01 * tolerance


def test_projection_of_velocities():
    result = vc.simulate(pendulum(), 5.0, outputs=100, integrator=vc.RK4(step=0.02))
    assert result["residual.velocity"].max() < 1e-12 * 10


@pytest.mark.parametrize("method", [vc.Heun, vc.RK4])
def test_energy_drift_shrinks_with_the_step_as_the_order_says(method):
    runs = [vc.simulate(pendulum(), 2.0, outputs=20, integrator=method(step=h)) for h in (0.02, 0.01, 0.005)]
    drifts = [run.energy_drift for run in runs]
    orders = np.log2(np.divide(drifts[:-1], drifts[1:]))
    assert orders[-1] > method.order - 0.4, drifts


@LOSES_ENERGY  # it swings by w h
def test_semi_implicit_euler_keeps_the_energy_of_a_swing_within_bounds():
    """It is symplectic on a free oscillator: the energy oscillates and does not grow."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 1.0, 1.0, velocity=(1, 0, 0))
    slide = model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    model.spring("k", slide["travel"], k=100.0)
    with pytest.warns(vc.SimulationWarning, match="energy and work differ by 0.0263 J"):
        result = vc.simulate(model, 200.0, outputs=2000, integrator=vc.SemiImplicitEuler(step=0.01))
    energy = result["energy.total"]
    assert energy[:200].max() == pytest.approx(energy[-200:].max(), rel=1e-3)
    assert np.ptp(energy) < 0.11 * energy[0]  # w h = 0.1


def test_work_of_a_damper_is_the_energy_lost():
    model = pendulum()
    model.spring("friction", model.joints["O"]["angle"], k=0.0, c=0.3)
    result = vc.simulate(model, 20.0, outputs=200, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    assert result["energy.work"][-1] == pytest.approx(result["energy.total"][-1] - result["energy.total"][0], abs=1e-8)
    assert result["energy.total"][-1] == pytest.approx(-G / 2, abs=0.05)


def test_a_turn_is_not_lost_at_loose_tolerances():
    """100 rad/s for 10 s is 1000 rad, however large the steps."""
    model = vc.Model(gravity=(0, 0, 0))
    wheel = model.body("wheel", 1.0, 1.0, angular_velocity=(0, 0, 100))
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    result = vc.simulate(model, 10.0, outputs=100, integrator=vc.DOP853(rtol=1e-3, atol=1e-3))
    assert result["O.angle"][-1] == pytest.approx(1000.0, abs=5.0)
