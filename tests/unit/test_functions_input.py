"""Functions of time refuse numbers that make no sense, and hand the kernel the numbers it expects."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from jets import parts, time
from vincolo.equations.functions import DEFINITIONS
from vincolo.errors import ExpressionError, ModelError
from vincolo.model.functions import (
    Constant,
    Expression,
    Function,
    Polynomial,
    Ramp,
    Sine,
    SmoothStep,
    Spline,
    as_function,
)

SAMPLES_X, SAMPLES_Y = (0.0, 0.5, 1.5, 2.0, 3.0), (1.0, -1.0, 0.5, 2.0, 0.0)
FUNCTIONS = [
    Constant(2.5), Ramp(3.0, 0.5, -1.0), Polynomial([1, -2, 0.5, 0.25]), Sine(0.1, 6.0, 0.3, 1.0),
    SmoothStep(0.5, 2.0, -1.0, 3.0), Spline(SAMPLES_X, SAMPLES_Y),
    Spline(SAMPLES_X, SAMPLES_Y, ends="clamped"), Spline(SAMPLES_X, SAMPLES_Y, ends="not-a-knot"),
    Spline([0, 1], [2, 4]),
]


@pytest.mark.parametrize(("function", "kind", "params"), [
    (Constant(2), "constant", (2.0,)),
    (Ramp(3), "ramp", (3.0, 0.0, 0.0)),
    (Ramp(slope=3, start=1, offset=2), "ramp", (3.0, 1.0, 2.0)),
    (Polynomial([1, 2, 3]), "polynomial", (1.0, 2.0, 3.0)),
    (Sine(1, 2), "sine", (1.0, 2.0, 0.0, 0.0)),
    (Sine(amplitude=1, frequency=2, phase=3, offset=4), "sine", (1.0, 2.0, 3.0, 4.0)),
    (SmoothStep(0, 2), "smooth_step", (0.0, 2.0, 0.0, 1.0)),
    (Spline([0, 1], [2, 4]), "spline", (2.0, 0.0, 1.0, 2.0, 2.0, 0.0, 0.0)),
    (Expression("2*t"), "tape", ()),
])
def test_kind_and_numbers_for_the_kernel(function, kind, params):
    assert function.kind == kind
    assert function.params == pytest.approx(params)
    assert all(type(number) is float for number in function.params)
    assert (function.tape is not None) == (kind == "tape")


def test_numbers_of_numpy_and_fractions_are_numbers():
    assert Ramp(np.float32(0.5), np.int64(1), Fraction(1, 4)) == Ramp(0.5, 1.0, 0.25)
    assert Polynomial(np.array([1.0, 2.0])) == Polynomial((1, 2))
    assert Spline(np.linspace(0, 1, 3), [0, 1, 0]).x == (0.0, 0.5, 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True, 1j, [1.0], 10**400])
@pytest.mark.parametrize(("make", "where"), [
    (lambda v: Constant(v), "Constant: value"),
    (lambda v: Ramp(1, v), "Ramp: start"),
    (lambda v: Sine(1, v), "Sine: frequency"),
    (lambda v: SmoothStep(0, 1, v), "SmoothStep: low"),
    (lambda v: Polynomial([0, v]), r"Polynomial: coefficients\[1\]"),
    (lambda v: Spline([0, 1, 2], [0, 1, v]), r"Spline: y\[2\]"),
    (lambda v: Spline([0, v, 2], [0, 1, 2]), r"Spline: x\[1\]"),
])
def test_a_number_that_is_none_is_named(make, where, value):
    with pytest.raises(ModelError, match=f"{where} is .*finite number"):
        make(value)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Polynomial([]), "no coefficients"),
    (lambda: Polynomial(3.0), "coefficients is 3.0; a list of numbers"),
    (lambda: Polynomial("123"), "coefficients is '123'; a list of numbers"),
    (lambda: SmoothStep(1, 1), "start = 1 is not before end = 1"),
    (lambda: SmoothStep(2, 1), "exchange low and high"),
    (lambda: Spline([], []), "there are 0 samples; at least 2"),
    (lambda: Spline([1], [1]), "there are 1 samples; at least 2"),
    (lambda: Spline([0, 1], [1]), "x has 2 samples, but y has 1"),
    (lambda: Spline([0, 1, 1], [0, 1, 2]), r"x\[2\] = 1 is not larger than x\[1\] = 1"),
    (lambda: Spline([0, 2, 1], [0, 1, 2]), r"x\[2\] = 1 is not larger than x\[1\] = 2"),
    (lambda: Spline([0, 1], [0, 1], ends="naturel"), "Did you mean 'natural'"),
    (lambda: Spline([0, 1], [0, 1], ends=2), "Use one of: natural, clamped, not-a-knot"),
    (lambda: Spline([0, 5e-324, 1], [0, 1e300, 2]).params, "too close together"),
])
def test_input_that_makes_no_curve_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("ends", ["natural", "clamped", "not-a-knot"])
@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_spline_passes_through_its_samples_with_continuous_curvature(ends, count, rng):
    x = np.cumsum(rng.uniform(0.2, 1.0, count))
    params = Spline(x, rng.normal(size=count), ends=ends).params
    assert params[0] == count and params[1:count] == tuple(x[:-1])
    assert params[count] == np.nextafter(x[-1], np.inf)  # the last sample itself belongs to the last interval
    pieces = np.reshape(params[count + 1:], (count - 1, 4))
    for left, right, step in zip(pieces, pieces[1:], np.diff(x), strict=False):
        c0, c1, c2, c3 = left
        value, slope = c0 + step * (c1 + step * (c2 + step * c3)), c1 + step * (2 * c2 + 3 * step * c3)
        assert [value, slope, c2 + 3 * step * c3] == pytest.approx(right[:3].tolist(), rel=1e-9, abs=1e-9)


def test_ends_of_a_spline_are_what_their_name_says():
    natural, clamped = (Spline(SAMPLES_X, SAMPLES_Y, ends=ends) for ends in ("natural", "clamped"))
    for t in (SAMPLES_X[0], SAMPLES_X[-1]):
        assert parts(definition(natural)(time(t)))[2] == pytest.approx(0, abs=1e-12)
        assert parts(definition(clamped)(time(t)))[1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("ends", ["natural", "clamped", "not-a-knot"])
def test_spline_goes_straight_on_from_its_ends(ends):
    f = definition(Spline(SAMPLES_X, SAMPLES_Y, ends=ends))
    for end, beyond in ((SAMPLES_X[0], -0.8), (SAMPLES_X[-1], 0.8)):
        value, slope, _ = parts(f(time(end)))
        outside = parts(f(time(end + beyond)))
        assert outside == pytest.approx((value + slope * beyond, slope, 0.0), abs=1e-12)


def definition(function: Function):
    """The function as its equation, on any number."""
    return lambda t: DEFINITIONS[function.kind](t, *function.params)


@pytest.mark.parametrize("function", FUNCTIONS, ids=repr)
def test_definition_has_the_derivatives_of_its_finite_differences(function):
    f, h = definition(function), 1e-4
    for t in (-0.7, 0.21, 0.93, 1.77, 2.6, 3.4):  # away from corners and knots
        value, rate, acceleration = parts(f(time(t)))
        assert value == f(t)
        # central differences: error h^2/6 f''' and h^2/12 f'''' plus rounding 1e-16/h^2
        assert rate == pytest.approx((f(t + h) - f(t - h)) / (2 * h), abs=1e-5)
        assert acceleration == pytest.approx((f(t + h) - 2 * f(t) + f(t - h)) / h**2, abs=1e-4)


def test_definitions_at_places_that_can_be_said_in_words():
    assert parts(definition(Ramp(3, 1, 2))(time(1.0))) == (2.0, 3.0, 0.0)  # the corner, from the right
    step = definition(SmoothStep(1, 3, -1, 5))
    assert [parts(step(time(t))) for t in (0.0, 1.0)] == [(-1, 0, 0), (-1, 0, 0)]
    assert [parts(step(time(t))) for t in (3.0, 9.0)] == [(5, 0, 0), (5, 0, 0)]
    assert step(2.0) == 2.0
    line = definition(Spline([0, 1, 2], [0, 1, 2]))
    assert [line(t) for t in (-3.0, 0.25, 2.0, 7.0)] == pytest.approx([-3.0, 0.25, 2.0, 7.0])


def test_expression_takes_named_constants_even_odd_ones():
    assert Expression("A*sin(w*t)", A=2, w=3).tape.evaluate(0.5) == pytest.approx(2 * math.sin(1.5))
    assert Expression("text*self*t", text=2, self=3).tape.evaluate(1.0) == 6.0
    with pytest.raises(ExpressionError, match="'w' is not known"):
        Expression("sin(w*t)")
    with pytest.raises(ExpressionError, match="'t' cannot be used"):
        Expression("t", t=1.0)


@pytest.mark.parametrize("function", [*FUNCTIONS, Expression("k*t", k=2)], ids=repr)
def test_functions_are_frozen_comparable_and_travel_between_processes(function):
    copy = pickle.loads(pickle.dumps(function))
    assert copy == function and hash(copy) == hash(function)
    assert copy.params == function.params and copy.tape == function.tape
    with pytest.raises(AttributeError):
        function.value = function.text = 1


def test_expressions_differ_by_their_constants():
    assert Expression("k*t", k=2) == Expression("k*t", k=2.0)
    assert Expression("k*t", k=2) != Expression("k*t", k=3)


def test_as_function_reads_what_a_user_writes():
    assert as_function(3) == Constant(3.0)
    assert as_function(np.float64(0.5)) == Constant(0.5)
    assert as_function("2*t") == Expression("2*t")
    sine = Sine(1, 2)
    assert as_function(sine) is sine
    with pytest.raises(ModelError, match="Constant: value is nan"):
        as_function(math.nan)


@pytest.mark.parametrize("value", [None, [1, 2], math.sin, True, 1j])
def test_as_function_refuses_the_rest_in_words(value):
    with pytest.raises(TypeError, match="a function of time cannot be made from .*\n.*text in t"):
        as_function(value)


def test_reading_a_function_does_not_import_scipy():
    import subprocess
    import sys
    code = ("import sys; from vincolo.model.functions import Spline; Spline([0, 1], [0, 1]); "
            "sys.exit('scipy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_drives_laws_and_forces_take_texts_numbers_functions_and_python_alike():
    """The same motion, however the function is given."""
    import math

    import vincolo as vc

    def moved(add, function):
        m = vc.Model("arm")
        arm = m.body("arm", 1.0, 0.1, (1, 0, 0))
        m.revolute("O", m.ground, arm, (0, 0, 0), "y")
        add(m, arm, function)
        return vc.simulate(m, 0.5, outputs=5)["O.angle"]

    ways = ("2*sin(3*t)", vc.functions.Sine(2.0, 3.0), lambda t: 2 * math.sin(3 * t))
    for add in (lambda m, arm, f: m.drive("O.angle", f), lambda m, arm, f: m.actuator("motor", "O.angle", f),
                lambda m, arm, f: m.force("push", arm, (0, 0, f)), lambda m, arm, f: m.torque("turn", arm, (0, f, 0)),
                lambda m, arm, f: m.hold("held", "O.angle", f)):
        first, *others = (moved(add, way) for way in ways)
        for other in others:
            assert other == pytest.approx(first, abs=1e-7)
    with pytest.raises(vc.ModelError, match=r"drive .*function of time cannot be made from \[\](.|\n)*a Python"):
        moved(lambda m, arm, f: m.drive("O.angle", f), [])
