"""Python functions written down as formulas: what can be traced, and what is refused in words."""

import math
import random
from functools import partial
from math import cos, hypot

import numpy as np
import pytest

from vincolo.errors import ModelError
from vincolo.model.functions import Cycloidal, Sine, Spline, Traced
from vincolo.model.functions.tracer import trace

TIMES = [-0.7, 0.0, 0.3, 0.5, 1.1, 2.6]
GAIN = 3.0


def helper(t):
    """Calls a name imported from math, and a constant of its module."""
    return cos(GAIN * t) + hypot(t, 1.0)


def by_steps(t):
    total = 0.0
    for k in range(1, 5):
        total = total + math.sin(k * t) / k
    return total + helper(t)


class Damped:
    """An object that is called like a function."""

    def __call__(self, t):
        return np.exp(-t) * np.sin(5 * t)


def with_state(rate):
    sine = math.sin
    return lambda t: sine(rate * t)


@pytest.mark.parametrize("function", [
    lambda t: 2 * t, lambda t: 3.0, lambda t: t, lambda t: -t**2 + 1 / (2 + t), lambda t: 2**t, lambda t: abs(t - 0.5),
    lambda t: math.sin(t) * math.exp(-t) + math.sqrt(t + 1) + math.log(t + 2) + math.atan2(t, 2) + math.pow(t + 2, 1.5),
    lambda t: np.sin(t) + np.arctan(t) + np.tanh(t) + np.square(t) + np.sqrt(t + 1) + np.hypot(t, 2) + np.log10(t + 2),
    lambda t: min(t, 1.0) + max(t, 0.2, t * t) + max([t, 0.1]), lambda t: np.minimum(t, 1) + np.maximum(0.2, t),
    lambda t: np.where(t < 1, t**2, 2 * t - 1), lambda t: np.clip(t, 0.1, 0.9), lambda t: (t > 0.5) * t,
    lambda t: t % 0.7 + t // 0.3 + 2.0 % (t + 3) + 5 // (t + 3), lambda t: math.floor(3 * t) + math.ceil(2 * t),
    lambda t: np.floor(2 * t) + np.ceil(t) + np.fmod(t, 0.4) + np.mod(t, 0.3),
    lambda t: math.degrees(t) + np.deg2rad(t),
    lambda t: np.float64(2.0) * t + np.array(1.0), lambda t: Sine(2.0, 3.0)(t) * Spline([0, 1, 2], [0, 1, 0])(t * t),
    lambda t: math.log(t + 3, 2) + math.pi, lambda t: np.sum(np.array([1.0, 2.0])) * t,
    math.sin, np.cos, by_steps, Damped(), with_state(4.0), partial(lambda a, t: a * t * t, 3.0)])
def test_what_is_traced_gives_what_python_gives(function):
    traced = Traced(function)
    for t in TIMES:
        assert traced(t) == pytest.approx(float(function(t)), rel=1e-13, abs=1e-13)


def test_derivatives_are_exact():
    traced = Traced(lambda t: t**3 * math.sin(2 * t))
    for t in TIMES:
        s, c = math.sin(2 * t), math.cos(2 * t)
        assert traced.derivatives(t) == pytest.approx(
            (t**3 * s, 3 * t**2 * s + 2 * t**3 * c, 6 * t * s + 12 * t**2 * c - 4 * t**3 * s), abs=1e-12)


def test_functions_called_inside_are_parts():
    rise = Cycloidal(0.0, 1.0)
    traced = Traced(lambda t: rise(2 * t) + rise(2 * t)**2)
    assert traced.parts == (rise,) and traced.breaks == (0.0, 0.5)


def test_what_has_no_effect_is_not_written():
    def wasteful(t):
        _ = np.sin(t)**5
        return 2 * t

    assert len(Traced(wasteful).tape.ops) == 3


def test_the_functions_of_the_user_stay_as_they_are():
    before = dict(by_steps.__globals__)
    Traced(by_steps)
    assert by_steps.__globals__ == before and by_steps(0.5) == pytest.approx(by_steps(0.5))
    assert type(math.sin(0.5)) is float and max(1, 2) == 2


def test_inputs_and_constants_by_name():
    tape, parts = trace(lambda d, k, t, dd: k * d + np.cos(t) * dd, ("d", "dd"), {"k": 4.0}, ("d", "k", "t", "dd"))
    assert tape.inputs == ("d", "dd") and parts == ()
    assert tape.evaluate(0.5, [2.0, 3.0]) == pytest.approx(8.0 + 3.0 * math.cos(0.5))


def undecided(t):
    return t**2 if t < 1 else 2 * t - 1


def endless(t):
    while t < 5:
        t = t + 1
    return t


@pytest.mark.parametrize(("function", "reason"), [
    (undecided, "it decides by the time"), (endless, "it decides by the time"),
    (lambda t: t and 1.0, "it decides by the time"), (lambda t: sorted([t, 1.0])[0], "it decides by the time"),
    (lambda t: 1.0 if t == 0 else 2.0, "compares the time with == or !="),
    (lambda t: float(t) + 1, "needs the time as a plain number"), (lambda t: int(t), "plain number"),
    (lambda t: [1, 2, 3][t], "plain number"), (lambda t: round(t), "plain number"),
    (lambda t: math.gamma(t + 1), "it uses math.gamma, which no formula has"),
    (lambda t: np.interp(t, [0, 1], [0, 1]), "plain number|numpy.interp"),
    (lambda t: np.sinc(t), "it (raises|uses|decides|compares|needs)"), (lambda t: np.cumsum(t), "numpy.cumsum"),
    (lambda t: np.i0(t), "it (raises|uses|decides|compares|needs)"),
    (lambda t: np.add.reduce(t), "numpy.add in a way that no formula has"),
    (lambda t: [t], "a number in it is"), (lambda t: None, "a number in it is None"), (lambda t: "t", "a number in it"),
    (lambda t: t * math.nan, "a number in it is nan"), (lambda t: t + 10**400, "a number in it is"),
    (lambda t: t * np.ones(3), "it raises|a number in it|in a way"), (lambda t: sum(t), "as a list"),
    (lambda: 1.0, "it raises TypeError"), (lambda a, b: a, "it raises TypeError"),
    (lambda t: 1 / 0, "ZeroDivisionError"),
    (lambda t: random.random() * t, "may change from call to call"),
    (lambda t: sum((t**k for k in range(5000)), start=0.0), "more than 4000 operations"),
])
def test_what_no_formula_says_is_refused_with_a_way_out(function, reason):
    with pytest.raises(ModelError, match=reason) as caught:
        Traced(function)
    message = str(caught.value)
    assert "cannot be written as a formula" in message
    assert "Pieces" in message and "Spline(x, [f(t) for t in x])" in message


@pytest.mark.parametrize("value", [3.0, "t", None, Sine(1, 2)])
def test_what_is_no_python_function_is_refused(value):
    with pytest.raises(ModelError, match=r"is not a Python function of t"):
        Traced(value)


def test_a_function_remembers_calls_and_is_refused():
    calls = []

    def counting(t):
        calls.append(t)
        return t * len(calls)

    with pytest.raises(ModelError, match="may change from call to call"):
        Traced(counting)


def test_traced_functions_are_equal_by_their_formula():
    assert Traced(lambda t: 2 * t) == Traced(lambda t: 2 * t) != Traced(lambda t: 3 * t)
    assert "2.0 * t" in repr(Traced(lambda t: 2 * t))
