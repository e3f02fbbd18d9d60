"""Functions of time and formulas: the kernel's derivatives are those of the definitions."""

import math
import operator
import pickle
from functools import reduce

import numpy as np
import pytest

import vincolo as vc
from function_samples import SAMPLES, Run, X, Y
from jets import parts, time
from vincolo.equations.arithmetic import OPERATIONS
from vincolo.equations.functions import DEFINITIONS
from vincolo.model import functions as fn
from vincolo.model.expression import FUNCTIONS, run
from vincolo.model.functions.definition import definition

ALL = [pytest.param(f, id=f"{kind.__name__}{k}") for kind, family in SAMPLES.items() for k, f in enumerate(family)]
TIMES = [-2.3, -0.41, 0.0, 0.123, 0.55, 0.8, 1.1, 1.7, 2.9, 4.4]


def test_every_function_and_every_kind_is_tested():
    named = [getattr(fn, name) for name in fn.__all__]
    public = {value for value in named if isinstance(value, type) and issubclass(value, fn.Function)}
    assert set(SAMPLES) == public - {fn.Function}
    assert {f.kind for family in SAMPLES.values() for f in family} == {*DEFINITIONS, "tape", "pieces"}
    assert all(type(f) is kind for kind, family in SAMPLES.items() for f in family)


def rounding(spec):
    """Terms c_k k (k - 1) x^(k - 2) of a polynomial with x to 1 cancel; what is rounded is a share of them, not of
    their sum: 3000 times 72 in the bridge of a Fillet of order 4."""
    kind, numbers, *_, parts_of_it = spec
    degree = numbers[1] if kind == "piecewise_polynomial" else 0.0
    own = np.finfo(float).eps * degree * (degree - 1) * max(map(abs, numbers), default=0.0)
    return max([own, *(rounding(part) for part in parts_of_it)])


@pytest.mark.parametrize("function", ALL)
def test_kernel_derivatives_are_those_of_the_definition(function):
    equation, share = definition(function.spec()), rounding(function.spec())
    for t in TIMES:
        exact = parts(equation(time(t)))
        allowed = max(share, 1e-12 * max(1.0, *map(abs, exact)))
        assert function.derivatives(t) == pytest.approx(exact, rel=1e-12, abs=allowed), t
        assert function(t) == function.derivatives(t)[0]


@pytest.mark.parametrize("function", ALL)
def test_at_a_break_the_piece_to_the_right_counts(function):
    """A step that begins at a break must see what comes, not what was."""
    for t in function.breaks_between(-2.5, 4.5):
        here, right = function.derivatives(t), function.taylor(t, 2)
        for k, (a, b) in enumerate(zip(here, right, strict=True)):
            assert a == pytest.approx(b, rel=1e-7, abs=1e-7 * max(1.0, *map(abs, right))), (t, k)


def special_times(function):
    """The breaks, samples and both ends of a function, with their neighbours: where one piece follows another."""
    ends = function.span or ()
    at = {*function.breaks_between(-2.5, 4.5, every=True), *function.breaks, *getattr(function, "x", ()), *ends}
    return sorted({t for b in at for t in (np.nextafter(b, -9), b, np.nextafter(b, 9)) if -2.5 <= b <= 4.5})


@pytest.mark.parametrize("function", ALL)
def test_at_ends_and_samples_derivatives_are_those_of_one_side(function):
    """By differences of the definition on both sides: the kernel has value, rate and curvature of the left or of the
    right, all three of the same side, and sample() has the same."""
    equation = definition(function.spec())
    for t in special_times(function):
        here = function.derivatives(t)
        scale = max(1.0, *map(abs, here))
        assert np.array(function.sample(t)).tolist() == pytest.approx(here, rel=1e-12, abs=1e-12 * scale), t
        sides = [differences(equation, t, side * BESIDE) for side in (1, -1)]
        assert any(here == pytest.approx(side, rel=1e-4, abs=1e-4 * scale) for side in sides), (t, here, sides)


BESIDE = 1e-3  # s; the differences are exact for powers to 6, so the error is rounding, 1e-16/BESIDE^2, and BESIDE^5


def differences(f, t, h):
    """Value and two derivatives of the polynomial through seven points on one side of t."""
    s = h * (np.arange(7) + 0.01)
    c = np.polynomial.polynomial.polyfit(s / h, [f(t + x) for x in s], 6)
    return [c[0], c[1] / h, 2 * c[2] / h**2]


#: curves with continuous curvature between their ends; both ends belong to them
CURVES = [f for kind in (fn.Spline, fn.Recorded, fn.Smoothing, fn.BSpline, fn.Nurbs, fn.Poly345) for f in SAMPLES[kind]
          if "repeat" not in getattr(f, "outside", "") and "rise" not in getattr(f, "outside", "")]


@pytest.mark.parametrize("curve", [pytest.param(f, id=f"{type(f).__name__}{k}") for k, f in enumerate(CURVES)])
def test_smooth_curves_keep_their_derivatives_at_both_ends(curve):
    """A motion led along a curve to its very end has the curve's acceleration there, not that of what follows."""
    first, last = curve.span or (curve.breaks[0], curve.breaks[-1])
    for t, inward in ((first, BESIDE), (last, -BESIDE)):
        inside = differences(curve, t, inward)
        assert curve.derivatives(t) == pytest.approx(inside, rel=1e-4, abs=1e-4 * max(1.0, *map(abs, inside))), t


@pytest.mark.parametrize("name", ["b.x", "b.vx", "O.angle", "energy.total"])
@pytest.mark.parametrize("outside", ["hold", "straight", "extend"])
def test_a_recorded_series_meets_every_sample_with_its_rates(name, outside):
    recorded = fn.Recorded(Run(), name, outside)
    for k, t in enumerate(recorded.x):
        met = [series[k] for series in recorded.series]
        assert recorded.derivatives(t)[:len(met)] == pytest.approx(met, abs=1e-12), (t, name)


@pytest.mark.parametrize("function", ALL)
def test_between_breaks_a_function_has_three_continuous_derivatives(function):
    """What breaks_between leaves out is smooth: the derivatives on both sides of any stretch belong together."""
    ends = [-2.5, *function.breaks_between(-2.5, 4.5, every=True), 4.5]
    equation = definition(function.spec())
    for a, b in zip(ends, ends[1:], strict=False):
        middle, half = 0.5 * (a + b), 0.5 * (b - a)
        if half < 1e-6:
            continue
        nodes = middle + half * 0.999 * np.cos(np.pi * (np.arange(41) + 0.5) / 41)
        fitted = np.polynomial.Chebyshev.fit(nodes, [equation(t) for t in nodes], 40, domain=[a, b])
        # the Chebyshev coefficients of a smooth function fall below any power; those of a kinked one do not
        tail, size = np.abs(fitted.coef[-4:]).max(), np.abs(fitted.coef).max()
        assert tail <= 1e-5 * size + 1e-14, (a, b)


@pytest.mark.parametrize("function", ALL)
def test_many_times_at_once_give_what_single_times_give(function):
    t = np.array([TIMES, TIMES]) + 0.01
    f, df, ddf = function.sample(t)
    assert f.shape == df.shape == ddf.shape == t.shape
    for index in np.ndindex(t.shape):
        exact = function.derivatives(t[index])
        scale = max(1.0, *map(abs, exact))
        assert (f[index], df[index], ddf[index]) == pytest.approx(exact, rel=1e-12, abs=1e-12 * scale)


@pytest.mark.parametrize("function", ALL)
def test_an_integral_is_that_of_the_value(function):
    equation = definition(function.spec())
    for t0, t1 in ((-1.7, 2.6), (3.4, -0.2), (0.31, 0.32)):
        low, high = sorted((t0, t1))
        ends = [low, *function.breaks_between(low, high, every=True), high]
        pieces = [gauss(equation, a, b) for a, b in zip(ends, ends[1:], strict=False)]
        exact = math.copysign(1.0, t1 - t0) * sum(pieces)
        assert function.integral(t0, t1) == pytest.approx(exact, rel=1e-9, abs=1e-9 * (high - low))
    assert function.integral(0.7, 0.7) == 0.0


def gauss(f, a, b):
    """An integral by Gauss's rule in 8 parts of 24 points: exact to rounding for what is smooth."""
    x, w = np.polynomial.legendre.leggauss(24)
    ends = np.linspace(a, b, 9)
    return sum(0.5 * (q - p) * sum(w * [f(0.5 * (p + q) + 0.5 * (q - p) * s) for s in x])
               for p, q in zip(ends, ends[1:], strict=False))


@pytest.mark.parametrize("function", ALL)
def test_functions_travel_between_processes(function):
    copy = pickle.loads(pickle.dumps(function))
    assert copy == function and hash(copy) == hash(function)
    assert copy.spec() == function.spec()


@pytest.mark.parametrize("function", ALL)
def test_a_description_for_the_kernel_is_made_of_plain_numbers(function):
    def check(spec):
        kind, params, ops, constants, inner = spec
        assert all(type(x) is float and math.isfinite(x) for x in (*params, *constants))
        assert all(type(a) is int and type(b) is int and type(op) is str for op, a, b in ops)
        assert bool(ops) == (kind == "tape")
        for part in inner:
            check(part)

    check(function.spec())


def test_corners_take_the_derivative_from_the_right():
    assert vc.Ramp(2.0, 1.0, 3.0).derivatives(1.0) == (3.0, 2.0, 0.0)
    assert vc.Spline(X, Y).derivatives(0.2)[0] == pytest.approx(-1.0, abs=1e-14)
    assert fn.Linear([0, 1], [0, 2], "hold").derivatives(1.0) == (2.0, 0.0, 0.0)
    assert fn.Step(1.0).derivatives(1.0) == (1.0, 0.0, 0.0)


def test_a_spline_meets_its_samples_and_has_continuous_curvature():
    for spline in SAMPLES[fn.Spline][:3]:
        assert [spline(x) for x in X] == pytest.approx(Y, abs=1e-13)
        for x in X[1:-1]:
            below, above = spline.derivatives(x - 1e-9), spline.derivatives(x + 1e-9)
            assert below == pytest.approx(above, abs=1e-6)


TEXTS = ["2*pi*t", "sin(3*t)*exp(-t/2)", "sqrt(1 + t^2)", "t^3 - 2^t", "atan2(sin(t), 2 + cos(t))", "abs(t - 0.3)",
         "max(t, 0.1)*min(2 - t, 1.5)", "step(t - 0.5)*t", "log(2 + t^2)/(1 + t^2)", "hypot(t, 1) - tanh(t)",
         "asin(t/9) + acos(t/9)*atan(t)", "sinh(t/3) + cosh(t/3)", "sign(t - 0.2)*t^2", "tan(t/4)", "-t^2", "7",
         "if(t < 0.35, t^3, sin(t))", "if(t > 0.1 and t^2 <= 2, log(t), exp(-t)) + if(t^2 == 9, 1, t)"]


@pytest.mark.parametrize("text", TEXTS)
def test_formulas_are_differentiated_exactly(text):
    f = vc.Expression(text)
    for t in TIMES[1:-1]:
        assert f.derivatives(t) == pytest.approx(parts(run(f.tape, time(t), (), OPERATIONS)), rel=1e-12, abs=1e-12), t


def random_text(rng, depth):
    """A random formula; nothing keeps it inside the range of its functions."""
    if depth == 0:
        return str(rng.choice(["t", "t", f"{rng.uniform(0.1, 3):.3f}", "pi"]))
    kind = rng.integers(4)
    if kind == 3:
        a, b, c, d = (random_text(rng, depth - 1) for _ in range(4))
        return f"if({a} {rng.choice(['<', '<=', '>', '>='])} {b}, {c}, {d})"
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
                hidden = any(word in f.text for word in ("min", "max", "step", "sign", "if"))
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


@pytest.mark.parametrize("text", ["if(t > 0, log(t), -1)", "if(t <= 0, -1, sqrt(t))", "if(t > 0 and log(t) < 1, t, 0)"])
def test_what_a_condition_does_not_choose_may_be_undefined(text):
    f = vc.Expression(text)
    for t in (-2.0, -1e-9, 0.4):
        assert f.derivatives(t) == pytest.approx(parts(run(f.tape, time(t), (), OPERATIONS)), rel=1e-14), t
    traced = vc.Traced(lambda t: np.where(t > 0, np.log(t), -1.0))
    assert traced.derivatives(-2.0) == (-1.0, 0.0, 0.0) and traced.derivatives(0.5)[1] == pytest.approx(2.0)


def test_an_undefined_condition_is_not_decided():
    assert not all(map(math.isfinite, vc.Expression("if(log(t) < 1, 2, 3)").derivatives(-1.0)))


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


def exact_sum(terms, /, start=0):
    """As sum() of Python 3.12 and newer, and more so: floats are added without rounding in between."""
    terms = [*terms]
    if terms and all(type(term) is float for term in terms):
        return math.fsum([start, *terms])
    return reduce(operator.add, terms, start)


def numbers_of(family):
    """All that a family of functions tells, as texts that show every bit."""
    return [repr((f.spec(), [definition(f.spec())(t) for t in TIMES], [f.derivatives(t) for t in TIMES],
                  [f.taylor(t, 3) for t in TIMES], f.integral(0.1, 2.2))) for f in family]


@pytest.mark.parametrize("kind", SAMPLES)
def test_values_do_not_depend_on_how_this_python_sums(kind, monkeypatch):
    before = numbers_of(SAMPLES[kind])
    monkeypatch.setattr("builtins.sum", exact_sum)
    assert numbers_of(SAMPLES[kind]) == before
