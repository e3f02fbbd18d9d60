"""The kernel's value, row and bias of every measure are its definition and its exact derivatives in time."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from dense import dense, gradient, kernel_rows, measured, speeds
from jets import Jet
from mechanisms import Plan, Tie, build, cross_axes, link, motions, moved_state, rotation
from vincolo.equations import measures as equations
from vincolo.model.measure import measure

DEFINITIONS = {
    "world": [equations.world((0.36, 0.48, 0.8))],
    "along": [equations.along(i) for i in "xyz"],
    "cosine": [equations.cosine(i, j) for i in "xyz" for j in "xyz"],
    "distance": [equations.distance],
    "angle": [equations.angle(h) for h in "xyz"],
    "azimuth": [equations.azimuth],
}
VELOCITIES = [equations.skid(i) for i in "xyz"]
VELOCITIES += [equations.roll(i, 0.4, ball) for i in "xyz" for ball in (True, False)]
VELOCITIES += [m.reversed() for m in VELOCITIES] + [-m for m in VELOCITIES[:4]]
ALL = [m for family in DEFINITIONS.values() for m in family]
ALL += [m.reversed() for m in ALL] + [-m for m in ALL[:2]]


def two_bodies(rng, ground=False):
    """A model of two moving bodies and a random frame on each, or on the ground and one body."""
    model = build(Plan((link(rng, "a"), link(rng, "b"))))
    first = model.ground if ground else model.bodies["a"]
    frames = [b.frame(local=rng.normal(size=3), z=rotation(rng)[:, 2], x=rng.normal(size=3))
              for b in (first, model.bodies["b"])]
    return model, *frames


def test_every_kind_of_measure_is_tested():
    assert set(DEFINITIONS) | {d.kind for d in VELOCITIES} == set(equations.EQUATIONS)


def check_rows(model):
    """phi, J, J u - nu and gamma of all rows of a model at its drawn state, at t = 0.3 s."""
    system = vc.compile(model)
    state = vc.State(system, 0.3, system.drawn.y, 0 * system.drawn.turns)
    kernel, exact = kernel_rows(state), dense(model, state)
    for name in ("phi", "rate", "gamma", "J"):
        # rounding, by the length of the numbers that are added up
        assert kernel[name] == pytest.approx(getattr(exact, name), abs=1e-12), name
    if system.numbers.plain:  # others may depend on time themselves
        nu = [f.derivatives(0.3)[1] for f in (h.function for h in model.holds.values())]
        assert kernel["rate"] == pytest.approx(kernel["J"] @ speeds(state) - nu, abs=1e-12)


@pytest.mark.parametrize("ground", [False, True], ids=["two bodies", "ground and body"])
@pytest.mark.parametrize("definition", ALL, ids=str)
def test_rows_are_the_derivatives_of_the_definition(definition, ground, rng):
    for _ in range(3):
        model, a, b = two_bodies(rng, ground)
        model.hold("held", measure(definition, a, b))
        check_rows(model)


@pytest.mark.parametrize("function", ["0.3*sin(5*t) - t^3", vc.Polynomial([1, 2, 3]), vc.Sine(2, 3, 0.1, 4)], ids=str)
def test_held_at_a_function_the_row_moves_with_it(function, rng):
    model, a, b = two_bodies(rng)
    for k, family in enumerate(DEFINITIONS.values()):
        model.hold(f"held{k}", measure(family[0], a, b), function)
    check_rows(model)


def test_a_sum_of_measures_has_the_sum_of_their_rows(rng):
    for _ in range(5):
        model, a, b = two_bodies(rng)
        c = model.ground.frame(rng.normal(size=3), z=rng.normal(size=3))
        chosen = rng.choice(len(ALL), size=4)
        ends = [(a, b), (c, a), (b, c), (b, a)]
        terms = [x * measure(ALL[k], *pair) for x, k, pair in zip(rng.normal(size=4), chosen, ends, strict=True)]
        model.hold("sum", terms[0] + terms[1] - terms[2] + 2 * terms[3], "t^2")
        check_rows(model)


FORMULAS = ["x*y - 0.3*sin(z) + t^2*x", "sqrt(x^2 + y^2 + z^2)", "atan2(y, x)*exp(-z^2) - 2", "f(x)*y + f(z*t)",
            "max(x, y) + abs(z) - min(y, 2)", "x/(2 + y^2) + tanh(z) + x^3 - cos(t)*asin(0.3*sin(y))", "1 + t"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_of_measures_has_its_exact_derivatives(text, rng):
    for _ in range(3):
        model, a, b = two_bodies(rng)
        c = model.ground.frame(rng.normal(size=3), z=rng.normal(size=3))
        inputs = {"x": vc.along("x", a, b), "y": -1.0 * vc.angle(c, a), "z": 0.7 * vc.distance(b, c)}
        model.hold("formula", vc.formula(text, **inputs, f=vc.Sine(2, 3, 0.1, 4)) if "f(" in text else
                   vc.formula(text, **inputs), "0.2*t^3")
        check_rows(model)


def test_springs_and_laws_act_along_formulas(rng):
    model, a, b = two_bodies(rng)
    measured_ = vc.formula("x*y + t*x", x=vc.along("x", a, b), y=vc.angle(a, b))
    model.spring("spring", measured_, k=20.0, c=3.0, length=0.2)
    model.law("law", measured_, "4*d + 3*dd*abs(dd)")
    system = vc.compile(model)
    state = vc.State(system, 0.3, system.drawn.y, system.drawn.turns)
    found = state.channels.observed["acceleration"][0].ravel()
    assert found == pytest.approx(dense(model, state).accelerations(), abs=1e-9)


@pytest.mark.parametrize("definition", ALL, ids=str)
def test_frames_may_move_on_their_bodies(definition, rng):
    for axis in "xyz":
        model, a, b = two_bodies(rng)
        a = a.moving("0.3*sin(2*t)", "t^2", vc.Sine(0.2, 5), angle="0.7*t + t^2", axis=axis)
        b = b.moving(z="0.1 + t", angle=0.4, axis="x") if axis == "x" else b.moving(y="exp(-t)")
        model.hold("held", measure(definition, a, b), "t^3")
        model.hold("formula", vc.formula("m*m + t", m=measure(definition, a, b)))
        check_rows(model)


@pytest.mark.parametrize("moving", ["none", "a", "b", "both"])
@pytest.mark.parametrize("definition", VELOCITIES, ids=str)
def test_velocities_where_frames_touch_are_those_of_points_that_move_with_them(definition, moving, rng):
    """Against automatic differentiation: the rate of such a measure, its row, and how it changes."""
    for axis in "xyz":
        model, a, b = two_bodies(rng)
        if moving in ("a", "both"):
            a = a.moving("0.3*sin(2*t)", "t^2", vc.Sine(0.2, 5), angle="0.7*t + t^2", axis=axis)
        if moving in ("b", "both"):
            b = b.moving(y="exp(-t)", angle="sin(3*t)", axis=axis)
        model.hold("held", replace(measure(definition, a, b), rates=True))
        check_rows(model)


@pytest.mark.parametrize("definition", [*ALL, *VELOCITIES], ids=str)
def test_a_frame_that_moves_does_work_as_a_body_led_along_would(definition, rng):
    """The rate by time alone is the rate with all bodies at rest."""
    model, a, b = two_bodies(rng)
    a = a.moving("0.3*sin(2*t)", "t^2", vc.Sine(0.2, 5), angle="0.7*t + t^2", axis="y")
    model.measure("m", measure(definition, a, b))
    system = vc.compile(model)
    y = system.drawn.y.copy()
    y[:-1].reshape(-1, 13)[:, 7:] = 0.0
    rest = vc.State(system, 0.3, y, 0 * system.drawn.turns)
    assert rest["m.rate"] == pytest.approx(measured(model.measures["m"], motions(rest), Jet(0.3, 1.0))[1], abs=1e-12)


def test_a_sum_with_itself_cancels(rng):
    model, a, b = two_bodies(rng)
    m = vc.distance(a, b) + vc.angle(a, b)
    model.hold("nothing", m - m)
    kernel = kernel_rows(vc.compile(model).drawn)
    assert np.abs(kernel["J"]).max() < 1e-15 and abs(kernel["gamma"][0]) < 1e-13


@pytest.mark.parametrize("moving", [False, True], ids=["frames at rest", "frames that move"])
@pytest.mark.parametrize("definition", ALL, ids=str)
def test_measures_that_are_only_watched_have_the_same_value_rate_and_row(definition, moving, rng):
    """At the time of the state, in whatever way they are asked for."""
    model, a, b = two_bodies(rng)
    a = a.moving("0.3*sin(2*t)", angle="0.7*t + t^2", axis="y") if moving else a
    model.measure("m", measure(definition, a, b))
    model.measure("g", vc.formula("m*(1 + t)", m=measure(definition, a, b)))
    system = vc.compile(model)
    for t in (0.0, 2.0):
        state = vc.State(system, t, system.drawn.y, 0 * system.drawn.turns)
        now, time = motions(state), Jet(t, 1.0)
        for name in ("m", "g"):
            value, rate, _ = measured(model.measures[name], now, time)
            assert (state[name], state[f"{name}.rate"]) == pytest.approx((value, rate), abs=1e-12)
            found = system.kernel.quantity_rows(t, state.y.tolist(), state.turns.tolist(), [system.quantities[name]])
            assert (found["quantity"][0], found["rate"][0]) == pytest.approx((value, rate), abs=1e-12)
            row = np.zeros(12)
            np.add.at(row, found["column"], found["value"])
            assert row == pytest.approx(gradient(model.measures[name], now, system.body_numbers, t), abs=1e-12)


@pytest.mark.parametrize("definition", ALL, ids=str)
def test_a_mechanism_is_assembled_at_the_time_it_is_assembled_for(definition, rng):
    """Values and rates given, wished for and kept are those of the frames and formulas at that time."""
    model, a, b = two_bodies(rng)
    a = a.moving("0.3*sin(2*t)", z="t", angle="0.4*t", axis="z")
    model.measure("m", measure(definition, a, b))
    model.measure("late", vc.formula("m - 0.1*t^2", m=measure(definition, a, b)))
    system = vc.compile(model)
    guess = vc.State(system, 2.0, system.drawn.y, system.drawn.turns)
    for name in ("m", "late"):
        value, rate = guess[name] + 0.01, guess[f"{name}.rate"] + 0.2
        given = vc.assemble(system, {name: value, f"{name}.rate": rate}, t=2.0, guess=guess)
        assert (given[name], given[f"{name}.rate"]) == pytest.approx((value, rate), abs=1e-8)
        wished = vc.assemble(system, wishes={name: value, f"{name}.rate": rate}, t=2.0, guess=guess)
        assert (wished[name], wished[f"{name}.rate"]) == pytest.approx((value, rate), abs=1e-6)
        kept = vc.assemble(system, keep=name, t=2.0, guess=given)
        assert kept[name] == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("kind", ["spherical", "revolute", "universal", "fixed"])
def test_pinned_points_have_the_rows_of_their_definition_where_they_coincide(kind, rng):
    axis, axis2 = cross_axes(rng)
    links = (link(rng, "a"), link(rng, "b"))
    model = build(Plan(links, (Tie("pin", kind, "a", "b", rng.normal(size=3), axis, axis2),)))
    system = vc.compile(model)
    state = vc.assemble(system, guess=moved_state(system.drawn, rng))
    kernel, exact = kernel_rows(state), dense(model, state)
    for name in ("phi", "rate", "gamma", "J"):
        # gamma differs by 2 (w x e) . d_dot, and d_dot is zero to about 1e-12 after assembly
        assert kernel[name] == pytest.approx(getattr(exact, name), abs=1e-10), name
