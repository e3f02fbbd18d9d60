"""What chooses the steps: tolerances of their own, limits, joints that open, corners of drives and forces."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import vincolo as vc
from expected import LOSES_ENERGY
from integrators import ADAPTIVE
from linkages import pendulum


def slider_on_a_ramp(start=0.4):
    """A mass on a spring whose other end is set off at a time: x = (1 - cos w (t - t0))-like, in closed form."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 2.0, [0.1, 0.1, 0.1])
    rail = model.prismatic("P", model.ground, body, at=(0, 0, 0), axis="x")
    model.law("spring", rail["travel"], "50*d")
    model.force("push", body, [vc.Ramp(30.0, start=start), 0, 0])
    return model


def ramp_response(t, start=0.4, mass=2.0, k=50.0, slope=30.0):
    """m x'' + k x = slope (t - start): x = slope/k (s - sin(w s)/w)."""
    s, w = np.maximum(t - start, 0), np.sqrt(k / mass)
    return slope / k * (s - np.sin(w * s) / w)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_steps_end_at_corners_and_begin_anew(method):
    result = vc.simulate(slider_on_a_ramp(), 2.0, outputs=97, integrator=method(rtol=1e-9, atol=1e-11))
    assert result.statistics["restarts"] == 1
    assert np.abs(result["body.x"] - ramp_response(result.t)).max() < 1e-7


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_short_push_after_a_long_rest_is_not_leapt_over(method):
    """The body rests for 50 s; then a force rises for 10 ms. Without corners, steps grown at rest would miss it."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 2.0, [0.1, 0.1, 0.1])
    push = [50.0, 50.002, 50.008, 50.01], [0, 1e3, 1e3, 0]
    model.force("push", body, [vc.Spline(*push, ends="clamped"), 0, 0])
    result = vc.simulate(model, 60.0, outputs=[60.0], integrator=method())
    assert result["body.vx"][-1] == pytest.approx(CubicSpline(*push, bc_type="clamped").integrate(50.0, 50.01) / 2.0)


def test_a_corner_where_the_drive_sets_off():
    model = pendulum(-1.0)
    model.drive("O.angle", vc.Ramp(2.0, start=0.35, offset=-1.0))
    with pytest.warns(vc.SimulationWarning, match="jumps in speed"):
        result = vc.simulate(model, 1.0, outputs=20)
    assert result.complete and result.statistics["restarts"] == 1
    assert result["O.angle"] == pytest.approx(-1.0 + 2.0 * np.maximum(result.t - 0.35, 0), abs=1e-9)


@LOSES_ENERGY  # where positions alone bound the steps
@pytest.mark.parametrize("method", ADAPTIVE)
def test_positions_rotations_and_velocities_have_their_own_tolerances(method):
    """A body that tumbles in place: only its rotation bounds the steps."""
    model = vc.Model(gravity=(0, 0, 0))
    model.body("body", 2.0, [0.2, 0.3, 0.45], angular_velocity=(1.0, 2.0, -1.5))
    system = vc.compile(model)
    steps = {name: vc.simulate(system, 5.0, outputs=1, integrator=method(rtol=1e-12, atol=1e-2, **{name: 1e-8}))
             .statistics["steps"] for name in ("positions", "rotations", "velocities")}
    assert steps["rotations"] > 1.5 * steps["positions"]
    assert steps["velocities"] > 1.5 * steps["positions"]


@LOSES_ENERGY  # at a tolerance of 1e-2
def test_a_step_that_opens_a_joint_is_repeated():
    system = vc.compile(pendulum(-1.0))
    loose = vc.DormandPrince(rtol=1e-2, atol=1e-2)
    strict = vc.DormandPrince(rtol=1e-2, atol=1e-2, violation=1e-7)
    free, held = (vc.simulate(system, 2.0, outputs=1, integrator=i, formulation=vc.Sparse()).statistics
                  for i in (loose, strict))
    assert free["too_open"] == 0 and held["too_open"] > 0
    assert held["steps"] > 3 * free["steps"]


@pytest.mark.parametrize("method", [vc.DormandPrince, vc.Adams, vc.Radau, vc.BDF])
def test_steps_stay_within_their_limits(method):
    system = vc.compile(pendulum(-1.0))
    result = vc.simulate(system, 1.0, outputs=1, integrator=method(max_step=1e-3))
    assert result.statistics["largest_step"] <= 1.01e-3 * (1 + 1e-9)
    with pytest.warns(vc.SimulationWarning, match="the step size went to zero"):
        result = vc.simulate(system, 1.0, outputs=1, integrator=method(rtol=1e-12, atol=1e-12, min_step=0.05))
    assert not result.complete


def test_the_limits_must_not_cross():
    with pytest.raises(vc.ModelError, match="min_step 0.1 s is more than max_step 0.01 s"):
        vc.Adams(min_step=0.1, max_step=0.01)


def test_rattle_needs_inertia_and_its_own_projection():
    model = vc.Model()
    body = model.body("mass", 1.0, at=(1, 0, 0))
    model.revolute("S", model.ground, body, at=(0, 0, 0), axis="z")
    with pytest.raises(vc.ModelError, match="(?s)Rattle: mass without inertia.*small inertia"):
        vc.simulate(model, 1.0, integrator=vc.Rattle())
    with pytest.raises(vc.ModelError, match="leave stabilisation= out"):
        vc.simulate(pendulum(-1.0), 1.0, integrator=vc.Rattle(), stabilisation=vc.Baumgarte())


@pytest.mark.parametrize("method", [vc.DormandPrince(), vc.Radau(), vc.BDF(), vc.Adams(), vc.Auto()], ids=str)
def test_the_force_to_blame_is_named(method):
    """A force that grows without bound where a wall is; another one that does no harm."""
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("body", 2.0, [0.1, 0.1, 0.1], velocity=(1, 0, 0))
    rail = model.prismatic("P", model.ground, body, at=(0, 0, 0), axis="x")
    model.law("soft", rail["travel"], "3*d")
    model.law("pole", rail["travel"], "-1/(0.5 - d)^3")
    with pytest.warns(vc.SimulationWarning, match="(?s)at t = 0.*The last step was.*'pole' changes most"):
        result = vc.simulate(model, 2.0, outputs=100, integrator=method)
    assert 10 < len(result) < 100  # what was computed is kept
