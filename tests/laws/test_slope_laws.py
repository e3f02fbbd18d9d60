"""The sparse derivatives of forces, reactions and rows that statics and linearisation rest on are those of the dense
equations of motion, by differences of those, for every joint, measure, law and load, at rest and in motion."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from mechanisms import Plan, Tie, build, cross_axes, link, moved_state, plans, rotation
from vincolo.analyses.tangent import derivative, slopes_at
from vincolo.equations import measures as equations
from vincolo.equations.joints import JOINTS
from vincolo.model.measure import measure

CLOSE = 3e-8  # of the largest entry: what differences with steps of 1e-4 and their extrapolation leave
T = 0.3
MEASURES = [equations.world((0.36, 0.48, 0.8)), equations.along("x"), equations.along("z"), equations.cosine("x", "z"),
            equations.cosine("y", "y"), equations.distance, equations.angle("x"), equations.angle("z"),
            equations.azimuth]
VELOCITIES = [equations.skid("y"), equations.roll("x", 0.4, True), equations.roll("y", 0.4, False)]
LAWS = {
    "spring": lambda m, x, other: m.spring("f", x, k=20.0, c=3.0, length=0.2, preload=1.5),
    "formula": lambda m, x, other: m.law("f", x, "4*d^3 + 3*dd*d + dd^2 + t"),
    "curve": lambda m, x, other: m.law("f", x, vc.Spline([-9.0, -1.0, 0.5, 2.0, 9.0], [-20.0, -3.0, 0.5, 4.0, 30.0])),
    "of others": lambda m, x, other: m.law("f", x, "p*d + q_rate*sin(p) + q*dd", p=other, q=other),
    "actuator": lambda m, x, other: m.actuator("f", x, vc.Sine(2.0, 4.0, 0.3)),
}


def by_differences(state, lam, du):
    """The same five matrices from whole equations at states all around."""
    n, rows = 6 * len(state.system.centred), len(state.system.rows)

    def left(at):
        e = at.equations()
        return np.concatenate([e.Q - e.M @ du - e.J.T @ lam, e.Phi_dot, e.gamma - e.J @ du])

    by_position = derivative(left, state, np.eye(n), np.zeros((n, n)))
    by_velocity = derivative(left, state, np.zeros((n, n)), np.eye(n))
    return {"force_by_position": by_position[:n], "force_by_velocity": by_velocity[:n],
            "rate_by_position": by_position[n:n + rows], "gamma_by_position": by_position[n + rows:],
            "gamma_by_velocity": by_velocity[n + rows:]}


def check(state, rng):
    lam, du = rng.normal(size=len(state.system.rows)), rng.normal(size=6 * len(state.system.centred))
    found, expected = slopes_at(state, lam, du), by_differences(state, lam, du)
    for name, matrix in expected.items():
        size = max(1.0, np.abs(matrix).max(initial=0.0))
        assert getattr(found, name).toarray() == pytest.approx(matrix, abs=CLOSE * size), name


def at_both(model, rng):
    """As drawn in motion, and without velocities, at a time at which functions have slopes."""
    system = vc.compile(model)
    moving = vc.State(system, T, system.drawn.y, 0 * system.drawn.turns)
    y = moving.y.copy()
    y[:-1].reshape(-1, 13)[:, 7:] = 0.0
    check(moving, rng)
    check(moving.with_vector(y), rng)


def two_frames(rng, moving=False, ground=False):
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    bodies = (model.ground if ground else model.bodies["a"], model.bodies["b"])
    a, b = (x.frame(local=rng.normal(size=3), z=rotation(rng)[:, 2], x=rng.normal(size=3)) for x in bodies)
    return model, a.moving("0.3*sin(2*t)", "t^2", angle="0.7*t + t^2", axis="y") if moving else a, b


@pytest.mark.parametrize("first", ["ground", "a"])
@pytest.mark.parametrize("kind", JOINTS)
def test_of_every_joint(kind, first, rng):
    axis, axis2 = cross_axes(rng)
    tie = Tie("J", kind, first, "b", rng.normal(size=3), axis, axis2)
    system = vc.compile(build(Plan((link(rng, "a"), link(rng, "b")), (tie,))))
    check(vc.assemble(system, guess=moved_state(system.drawn, rng, size=0.1)), rng)


@pytest.mark.parametrize("name", ["tree 0", "loop 1", "four-bar 2", "door 3", "driven parallelogram"])
def test_of_whole_mechanisms(name, rng):
    state = vc.assemble(vc.compile(build(plans()[name])))
    check(state, rng)


@pytest.mark.parametrize("moving", [False, True], ids=["frames at rest", "frames that move"])
@pytest.mark.parametrize("definition", [*MEASURES, *VELOCITIES], ids=str)
def test_of_every_measure(definition, moving, rng):
    for ground in (False, True):
        model, a, b = two_frames(rng, moving, ground and not moving)
        held = measure(definition, a, b)
        model.hold("held", replace(held, rates=True) if definition in VELOCITIES else held, 0.0)
        at_both(model, rng)


@pytest.mark.parametrize("text", ["x*y - 0.3*sin(y) + t^2*x", "sqrt(x^2 + y^2)", "atan2(y, x)*exp(-y^2)",
                                  "x_rate*cos(y) + 2*y_rate + 2 + x*t"])
def test_of_formulas(text, rng):
    model, a, b = two_frames(rng)
    model.hold("formula", vc.formula(text, x=vc.along("x", a, b), y=-1.0 * vc.angle(a, b)), 0.0)
    at_both(model, rng)


@pytest.mark.parametrize("along", ["distance", "sum", "formula", "moving"])
@pytest.mark.parametrize("law", LAWS)
def test_of_every_law(law, along, rng):
    model, a, b = two_frames(rng, along == "moving")
    x, y = vc.along("x", a, b), vc.angle(a, b)
    target = {"distance": vc.distance(a, b), "sum": 2.0 * x - y, "formula": vc.formula("x*y + t*x", x=x, y=y),
              "moving": x}[along]
    LAWS[law](model, target, model.measure("other", vc.distance(model.ground.frame((0.3, 1, 2)), b)))
    at_both(model, rng)


CLOSED = {
    "spring": lambda m, x, other: m.spring("f", x, k=20.0, length=0.0),
    "scaled": lambda m, x, other: m.spring("f", -2.0 * x, k=20.0, length=0.0),
    "formula": lambda m, x, other: m.law("f", x, "4*d^3 + 3*sin(d)"),
    "of others": lambda m, x, other: m.law("f", x, "p*d", p=other),
}


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("law", CLOSED)
def test_of_forces_along_the_distance_of_points_that_coincide(law, ground, rng):
    """What vanishes with the distance pulls back alike from every side, with levers too."""
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    point = rng.normal(size=3)
    ends = [x.frame(point) for x in (model.ground if ground else model.bodies["a"], model.bodies["b"])]
    other = model.measure("other", vc.distance(model.ground.frame((0.3, 1, 2)), ends[1]))
    CLOSED[law](model, vc.distance(*ends), other)
    system = vc.compile(model)
    drawn = vc.State(system, T, system.drawn.y, 0 * system.drawn.turns)
    assert np.abs(slopes_at(drawn, np.zeros(0), np.zeros(12)).force_by_position).max() > 1
    at_both(model, rng)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_of_loads(axes, rng):
    model, _, b = two_frames(rng)
    model.force("push", b, (1.0, "2 + t", -3.0), axes=axes)
    model.torque("twist", b, (0.3, -1.0, "sin(t)"), axes=axes)
    at_both(model, rng)
