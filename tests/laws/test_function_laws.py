"""Functions of time and formulas: the kernel's derivatives are those of the definitions."""

import math

import numpy as np
import pytest

import vincolo as vc
from jets import parts, time
from vincolo.equations.arithmetic import OPERATIONS
from vincolo.equations.functions import DEFINITIONS
from vincolo.model import functions
from vincolo.model.expression import FUNCTIONS, run

X, Y = (-1.0, 0.2, 0.5, 1.7, 3.0), (2.0, -1.0, 4.0, 4.0, 0.5)
SAMPLES = {
    "constant": [vc.Constant(3.5)],
    "ramp": [vc.Ramp(2.0), vc.Ramp(-3.0, 0.7, 5.0)],
    "polynomial": [vc.Polynomial([4.0]), vc.Polynomial([1, -2, 0.5, 3, 0, -0.2])],
    "sine": [vc.Sine(2.0, 3.0), vc.Sine(-1.5, 0.3, 1.0, 7.0)],
    "smooth_step": [vc.SmoothStep(0.4, 1.9), vc.SmoothStep(-0.5, 0.8, 3.0, -2.0)],
    "spline": [vc.Spline(X, Y, ends) for ends in functions.ENDS] + [vc.Spline([0, 1], [2, 5])],
}
TIMES = [-2.3, -0.41, 0.0, 0.123, 0.55, 0.8, 1.1, 1.7, 2.9, 4.4]


def test_every_kind_of_function_is_tested():
    assert set(SAMPLES) == set(DEFINITIONS)
    kinds = {f.kind for f in vars(functions).values() if isinstance(f, type) and hasattr(f, "kind")}
    assert kinds == {*DEFINITIONS, "tape"}


@pytest.mark.parametrize("function", [f for family in SAMPLES.values() for f in family], ids=str)
def test_kernel_derivatives_are_those_of_the_definition(function):
    for t in TIMES:
        exact = parts(DEFINITIONS[function.kind](time(t), *function.params))
        assert function.derivatives(t) == pytest.approx(exact, rel=1e-12, abs=1e-12), t
        assert function(t) == function.derivatives(t)[0]


def test_corners_take_the_derivative_from_the_right():
    assert vc.Ramp(2.0, 1.0, 3.0).derivatives(1.0) == (3.0, 2.0, 0.0)
    assert vc.Spline(X, Y).derivatives(0.2)[0] == pytest.approx(-1.0, abs=1e-14)


def test_a_spline_meets_its_samples_and_has_continuous_curvature():
    for spline in SAMPLES["spline"][:3]:
        assert [spline(x) for x in X] == pytest.approx(Y, abs=1e-13)
        for x in X[1:-1]:
            below, above = spline.derivatives(x - 1e-9), spline.derivatives(x + 1e-9)
            assert below == pytest.approx(above, abs=1e-6)


TEXTS = ["2*pi*t", "sin(3*t)*exp(-t/2)", "sqrt(1 + t^2)", "t^3 - 2^t", "atan2(sin(t), 2 + cos(t))", "abs(t - 0.3)",
         "max(t, 0.1)*min(2 - t, 1.5)", "step(t - 0.5)*t", "log(2 + t^2)/(1 + t^2)", "hypot(t, 1) - tanh(t)",
         "asin(t/9) + acos(t/9)*atan(t)", "sinh(t/3) + cosh(t/3)", "sign(t - 0.2)*t^2", "tan(t/4)", "-t^2", "7"]


@pytest.mark.parametrize("text", TEXTS)
def test_formulas_are_differentiated_exactly(text):
    f = vc.Expression(text)
    for t in TIMES[1:-1]:
        assert f.derivatives(t) == pytest.approx(parts(run(f.tape, time(t), (), OPERATIONS)), rel=1e-12, abs=1e-12), t


def random_text(rng, depth):
    """A random formula; nothing keeps it inside the range of its functions."""
    if depth == 0:
        return str(rng.choice(["t", "t", f"{rng.uniform(0.1, 3):.3f}", "pi"]))
    kind = rng.integers(3)
    if kind == 0:
        name = str(rng.choice([n for n, (least, _) in FUNCTIONS.items() if least == 1]))
        return f"{name}({random_text(rng, depth - 1)})"
    if kind == 1:
        name = str(rng.choice(["atan2", "hypot", "min", "max"]))
        return f"{name}({random_text(rng, depth - 1)}, {random_text(rng, depth - 1)})"
    return f"({random_text(rng, depth - 1)}) {rng.choice(list('+-*/'))} ({random_text(rng, depth - 1)})"


def test_random_formulas_are_differentiated_exactly(rng):
    compared = 0
    for _ in range(600):
        try:
            f = vc.Expression(random_text(rng, int(rng.integers(1, 5))))
        except vc.ExpressionError:
            continue  # a part without value, such as log(0)
        for t in (0.37, 1.21):
            try:
                exact = parts(run(f.tape, time(t), (), OPERATIONS))
            except (ValueError, ZeroDivisionError, OverflowError):
                hidden = any(word in f.text for word in ("min", "max", "step", "sign"))
                assert hidden or not all(map(math.isfinite, f.derivatives(t))), f.text
                continue
            if not all(map(math.isfinite, exact)) or max(map(abs, exact)) > 1e6:
                continue
            compared += 1
            scale = max(map(abs, exact))  # cancellation happens inside the derivatives too
            assert f.derivatives(t) == pytest.approx(exact, rel=1e-9, abs=1e-9 * scale + 1e-12), (f.text, t)
    assert compared > 500


@pytest.mark.parametrize("text", ["max(0.5, asin(t))", "min(0.5, sqrt(1 - t))", "step(log(1 - t))", "sign(asin(t))"])
def test_an_undefined_part_is_not_hidden_by_a_choice(text):
    assert not all(map(math.isfinite, vc.Expression(text).derivatives(2.0)))


def test_a_formula_law_gives_the_force_its_text_says(rng):
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 2.0, 0.3, velocity=(0.7, 0, 0))
    slide = model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    model.law("bush", slide["travel"], "k*(d - d0) + c*dd*abs(dd) + cos(t)", k=100.0, d0=0.1, c=3.0)
    state = vc.assemble(model, {"S.travel": 0.4, "S.travel.rate": -1.3})
    force = 100 * (0.4 - 0.1) - 3 * 1.3**2 + 1
    assert state["bush.force"] == pytest.approx(force, abs=1e-9)  # assembled to 1e-12 m
    assert state["b.ax"] == pytest.approx(-force / 2, abs=1e-9)


def test_a_force_curve_and_its_stored_energy(rng):
    model = vc.Model(gravity=(0, 0, 0))
    body = model.body("b", 2.0, 0.3)
    slide = model.prismatic("S", model.ground, body, at=(0, 0, 0), axis="x")
    curve = vc.Spline(X, Y)
    model.law("curve", slide["travel"], curve)
    system = vc.compile(model)
    at = {x: vc.assemble(system, {"S.travel": x}) for x in (-2.0, -1.0, 0.3, 1.0, 2.5, 4.0)}
    for x, state in at.items():
        assert state["curve.force"] == pytest.approx(curve(x), abs=1e-10)
    for low, high in zip(list(at)[:-1], list(at)[1:], strict=True):
        x = np.linspace(low, high, 4001)
        work = np.trapezoid([curve(v) for v in x], x)  # the error of the rule is about (1e-3)^2
        assert at[high]["energy.potential"] - at[low]["energy.potential"] == pytest.approx(work, abs=1e-5)


