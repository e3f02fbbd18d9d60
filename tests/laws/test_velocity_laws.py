"""Rows that hold velocities or accelerations only: what they hold, and what of it changes with the motion."""

import numpy as np
import pytest

import vincolo as vc
from dense import kernel_rows, speeds
from mechanisms import Plan, build, link, motions, rotation

JOINTS = ["rolling_disc", "rolling_ball", "knife_edge"]


def two_bodies(kind, rng, ground):
    """A body over another, or over the ground, tied by a joint of rolling or skating."""
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    first, R = model.ground if ground else model.bodies["a"], rotation(rng)
    at, centre = rng.normal(size=(2, 3))
    if kind == "knife_edge":
        model.knife_edge("J", first, model.bodies["b"], at=at, along=R[:, 0], normal=R[:, 2])
    elif kind == "rolling_ball":
        model.rolling_ball("J", first, model.bodies["b"], at, R[:, 2], centre=centre, radius=0.4)
    else:
        model.rolling_disc(
            "J", first, model.bodies["b"], at, R[:, 2], centre=centre, axle=rng.normal(size=3), radius=0.4
        )
    return model


def slip(model, state):
    """The velocities that the joint's rows hold, worked out from points and velocities."""
    joint, now = model.joints["J"], motions(state)
    (ra, Ra, va, wa), (rb, Rb, vb, wb) = (now[f.body.name] for f in (joint.a, joint.b))
    A, B = Ra @ joint.a.axes, Rb @ joint.b.axes
    centre = rb + Rb @ (joint.b.point - joint.b.body.com)
    if joint.kind == "knife_edge":
        axes, touch = B[:, [1]], centre
    else:
        n = A[:, 2]
        down = n if joint.kind == "rolling_ball" else n - (n @ B[:, 2]) * B[:, 2]
        axes, touch = A[:, :2], centre - 0.4 * down / np.linalg.norm(down)
    return axes.T @ (vb + np.cross(wb, touch - rb) - va - np.cross(wa, touch - ra))


def carried_on(state, h):
    """The state a time h later, without accelerations."""
    y = state.y.copy()
    for k in range(len(state.system.centred)):
        body = y[13 * k : 13 * k + 13]
        w, p = body[10:], body[3:7].copy()
        angle = np.linalg.norm(w) * h
        s = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * w / np.linalg.norm(w)])
        body[:3] += h * body[7:10]
        body[3:7] = [s[0] * p[0] - s[1:] @ p[1:], *(s[0] * p[1:] + p[0] * s[1:] + np.cross(s[1:], p[1:]))]
    return state.with_vector(y)


@pytest.mark.parametrize("ground", [False, True], ids=["two bodies", "ground and body"])
@pytest.mark.parametrize("kind", JOINTS)
def test_rows_hold_the_velocity_where_the_bodies_touch(kind, ground, rng):
    model = two_bodies(kind, rng, ground)
    state, rates = vc.compile(model).drawn, model.joints["J"].definition.rates
    rows = kernel_rows(state)
    assert rows["rate"][list(rates)] == pytest.approx(slip(model, state), abs=1e-12)
    assert rows["J"][list(rates)] @ speeds(state) == pytest.approx(slip(model, state), abs=1e-12)
    assert (rows["phi"][list(rates)] == 0).all()


@pytest.mark.parametrize("ground", [False, True], ids=["two bodies", "ground and body"])
@pytest.mark.parametrize("kind", JOINTS)
def test_their_bias_is_the_change_of_that_velocity_without_accelerations(kind, ground, rng):
    model = two_bodies(kind, rng, ground)
    state, rates = vc.compile(model).drawn, list(model.joints["J"].definition.rates)
    h = 1e-5
    change = (slip(model, carried_on(state, h)) - slip(model, carried_on(state, -h))) / (2 * h)
    assert kernel_rows(state)["gamma"][rates] == pytest.approx(-change, abs=1e-7)


@pytest.mark.parametrize("kind", JOINTS)
def test_the_promised_freedom_of_velocities(kind, rng):
    state = vc.assemble(two_bodies(kind, rng, ground=True))
    J = kernel_rows(state)["J"]
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(J) == 6 - state.system.joints["J"].definition.freedom


@pytest.mark.parametrize("kind", JOINTS)
def test_energy_stays(kind, rng):
    model = two_bodies(kind, rng, ground=True)
    result = vc.simulate(model, 1.0, outputs=50, integrator=vc.DOP853(rtol=1e-10, atol=1e-11))
    assert result.energy_drift < 1e-8
    assert np.abs(result["residual.velocity"]).max() < 1e-9


def test_a_formula_of_rates_is_the_knife_edge():
    """sin(angle) x' = cos(angle) y' in a plane."""

    def sleigh():
        model = vc.Model(gravity=(2.0, 0, -9.0))
        body = model.body(
            "body", 2.0, [0.1, 0.2, 0.3], com=(0.2, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 0.8)
        )
        plane = model.planar("P", model.ground, body, at=(0, 0, 0), axis="z")
        return model, body, plane

    one, body, _ = sleigh()
    one.knife_edge("edge", one.ground, body, at=(0, 0, 0), along="x")
    two, _, plane = sleigh()
    two.hold("edge", vc.formula("sin(a)*x_rate - cos(a)*y_rate", x=plane["x"], y=plane["y"], a=plane["angle"]))
    tight = vc.DOP853(rtol=1e-11, atol=1e-12)
    first, second = (vc.simulate(m, 2.0, integrator=tight) for m in (one, two))
    assert first.y[:, :-1] == pytest.approx(second.y[:, :-1], abs=1e-8)


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
def test_drives_of_velocities_and_accelerations(level):
    model = vc.Model()
    bar = model.body("bar", 1.0, [0.01, 0.1, 0.1], at=(0.5, 0, 0))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="z")
    model.spring("twist", "O.angle", k=3.0, length=0.0)
    function = "2*cos(3*t)" if level == "velocity" else "-6*sin(3*t)"
    model.drive("O.angle", function, level=level)
    start = vc.assemble(model, {"O.angle": 0.4, **({"O.angle.rate": 2.0} if level == "acceleration" else {})})
    result = vc.simulate(start.system, 2.0, start=start, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    assert result["O.angle"] == pytest.approx(0.4 + 2 / 3 * np.sin(3 * result.t), abs=1e-9)
    assert result["O.angle.rate"] == pytest.approx(2 * np.cos(3 * result.t), abs=1e-9)
    assert np.abs(result["energy.balance"]).max() < 1e-8  # work of the drive
