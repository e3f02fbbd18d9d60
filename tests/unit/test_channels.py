"""Series read from results: velocities and accelerations are derivatives, forces belong to their elements."""

from functools import cache

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import vincolo as vc
from mechanisms import Plan, build, tie, tree, with_drive

STEPS = 400


@cache
def run(stabilisation=None):
    """A spatial mechanism with a driven hinge, a strut, a law, a load and a named point."""
    rng = np.random.default_rng(21)
    plan = tree(rng, 3)
    hinge = tie(rng, "hinge", "revolute", "ground", "body0")
    ball, cross = tie(rng, "ball", "spherical", "body0", "body1"), tie(rng, "cross", "universal", "body0", "body2")
    model = build(with_drive(Plan(plan.links, (hinge, ball, cross)), "hinge.angle"), base=rng)
    bodies = model.bodies
    model.frame("tip", bodies["body1"], (0.3, 0.2, 0.1))
    model.spring("strut", model.ground.frame((2, 2, 2)), bodies["body2"].frame((0, 0, 1)), k=20, c=1)
    model.law("brake", "cross.angle1", "3*d + 0.5*dd")
    model.force("push", model.frames["tip"], ("sin(3*t)", 1, 0), axes="body")
    return vc.simulate(model, 1.0, outputs=STEPS, integrator=vc.DOP853(rtol=1e-11, atol=1e-12),
                       stabilisation=stabilisation)


def derivative(t, x):
    """d/dt of samples by a spline; near the ends a spline knows less."""
    return CubicSpline(t, x)(t, 1)


INSIDE = slice(20, -20)
POINTS = ["body0", "body1", "body2", "tip"]


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("name", POINTS)
def test_velocity_and_acceleration_channels_are_derivatives(name, axis):
    r = run()
    x, v, a = (r[f"{name}.{prefix}{axis}"] for prefix in ("", "v", "a"))
    # a cubic spline over steps of 2.5 ms is good to about h^3
    assert derivative(r.t, x)[INSIDE] == pytest.approx(v[INSIDE], abs=1e-5)
    assert derivative(r.t, v)[INSIDE] == pytest.approx(a[INSIDE], abs=1e-4)


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("name", POINTS)
def test_angular_acceleration_is_the_derivative_of_angular_velocity(name, axis):
    r = run()
    w, alpha = r[f"{name}.w{axis}"], r[f"{name}.alpha_{axis}"]
    assert derivative(r.t, w)[INSIDE] == pytest.approx(alpha[INSIDE], abs=2e-4)


@pytest.mark.parametrize("name", POINTS)
def test_angular_velocity_turns_the_axes(name):
    m = run().motion(name)
    for k in range(3):
        axis = m.rotation[:, :, k]
        rate = np.column_stack([derivative(run().t, axis[:, c]) for c in range(3)])
        assert rate[INSIDE] == pytest.approx(np.cross(m.angular_velocity, axis)[INSIDE], abs=2e-5)


def test_quaternions_are_those_of_the_body_frame():
    from vincolo.model.geometry import matrix_of

    r = run()
    for name in ("body0", "body2"):
        p = np.column_stack([r[f"{name}.e{k}"] for k in range(4)])
        assert np.linalg.norm(p, axis=1) == pytest.approx(np.ones(len(r)), abs=1e-12)
        assert np.abs(np.diff(p, axis=0)).max() < 0.1  # no jumps of sign
        assert np.array([matrix_of(x) for x in p]) == pytest.approx(r.motion(name).rotation, abs=1e-12)


@pytest.mark.parametrize("name", ["hinge.angle", "cross.angle1", "cross.angle2", "strut.length", "brake.value"])
def test_rates_of_measures_are_derivatives(name):
    r = run()
    owner = name.split(".")[0]
    rate = f"{owner}.rate" if owner in ("strut", "brake") else f"{name}.rate"
    assert derivative(r.t, r[name])[INSIDE] == pytest.approx(r[rate][INSIDE], abs=1e-5)


def test_forces_of_elements_are_what_their_numbers_say():
    r = run()
    drawn = r["strut.length"][0]
    assert r["strut.force"] == pytest.approx(20 * (r["strut.length"] - drawn) + r["strut.rate"], abs=1e-9)
    assert r["strut.power"] == pytest.approx(-r["strut.force"] * r["strut.rate"], abs=1e-9)
    assert r["brake.force"] == pytest.approx(3 * r["brake.value"] + 0.5 * r["brake.rate"], abs=1e-9)
    x_axis, y_axis = (r.motion("body1").rotation[:, :, k] for k in (0, 1))
    push = np.sin(3 * r.t)[:, None] * x_axis + y_axis
    assert r["push.power"] == pytest.approx((push * r.motion("tip").velocity).sum(axis=1), abs=1e-9)


def test_the_drive_does_the_work_it_says():
    r = run()
    assert r["hinge.angle"] == pytest.approx(0.4 * np.sin(3 * r.t) + 0.2 * r.t**2, abs=1e-9)
    assert r["hinge.angle.drive.power"] == pytest.approx(r["hinge.angle.drive.force"] * r["hinge.angle.rate"], abs=1e-6)


def test_work_is_the_integral_of_the_powers_outside_the_potential():
    r = run()
    power = r["hinge.angle.drive.power"] + r["push.power"] + r["brake.power"] - r["strut.rate"] ** 2
    assert derivative(r.t, r["energy.work"])[INSIDE] == pytest.approx(power[INSIDE], abs=1e-4)
    assert r["energy.balance"] == pytest.approx(np.zeros(len(r)), abs=1e-8)


def test_points_frames_and_states_agree():
    r = run()
    assert r.point("tip") == pytest.approx(np.column_stack([r[f"tip.{c}"] for c in "xyz"]))
    assert r.point("body1") == pytest.approx(r.motion("body1").position)
    state = r.state(17)
    for name in ("tip.x", "body2.alpha_z", "strut.force", "energy.total", "cross.angle2.rate", "push.power"):
        assert state[name] == pytest.approx(r[name][17], abs=1e-7), name


def test_reactions_in_joint_axes():
    reaction = run().reaction("hinge")
    force, torque = reaction.in_joint_axes
    assert np.linalg.norm(force, axis=1) == pytest.approx(np.linalg.norm(reaction.force, axis=1))
    assert torque[:, 2] == pytest.approx(np.zeros(len(run())), abs=1e-9)  # a hinge carries no torque about its axis


def test_all_channels_can_be_read_and_are_finite():
    r = run()
    assert len(set(r.keys())) == len(r.keys()) and r.keys()[0] == "t"
    for name in r.keys():  # noqa: SIM118 - a result is no dictionary
        assert r[name].shape == r.t.shape and np.isfinite(r[name]).all(), name


def test_bodies_keep_their_shape_without_projection():
    """Quaternions are not kept at unit length then; what is read from them must not stretch."""
    r = run(vc.NoStabilisation())
    R = r.motion("body1").rotation
    assert R @ np.swapaxes(R, 1, 2) == pytest.approx(np.tile(np.eye(3), (len(r), 1, 1)), abs=1e-13)
    assert r["tip.x"] == pytest.approx(run()["tip.x"], abs=1e-7)


def test_angles_count_turns():
    model = vc.Model(gravity=(0, 0, 0))
    wheel = model.body("wheel", 1, 1, angular_velocity=(0, 0, -20))
    model.revolute("O", model.ground, wheel, at=(0, 0, 0), axis="z")
    result = vc.simulate(model, 5.0, outputs=7)
    assert result["O.angle"] == pytest.approx(-20 * result.t, abs=1e-5)
    rest = vc.simulate(result.system, 6.0, start=result.state())
    assert rest["O.angle"][[0, -1]] == pytest.approx([-100, -120], abs=1e-4)


@pytest.mark.parametrize("name", ["body1", "tip"])
def test_what_is_done_to_a_series_changes_no_other(name):
    result = run()
    names = [f"{name}.{field}{axis}" for field in ("v", "a") for axis in "xyz"]
    before = {channel: result[channel].copy() for channel in names}
    for channel in names:
        result[channel][:] = 7.0
    assert all(np.array_equal(result[channel], before[channel]) for channel in names)
    assert np.array_equal(result.motion(name).acceleration[:, 0], before[f"{name}.ax"])
