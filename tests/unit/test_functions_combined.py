"""Arithmetic with functions, functions of functions, and functions changed in time and value."""

import math

import numpy as np
import pytest

from vincolo.errors import ModelError
from vincolo.model.functions import (
    Combined,
    Constant,
    Cycloidal,
    Expression,
    Linear,
    Mirror,
    Pieces,
    Polynomial,
    Pulse,
    Ramp,
    Repeat,
    Scaled,
    Shifted,
    Sine,
    Spline,
    Step,
)

TIMES = [-1.3, 0.0, 0.21, 0.77, 1.4, 3.9]
F, G = Sine(0.7, 2.3, 0.4, 2.0), Polynomial([1.5, -0.3, 0.2])


@pytest.mark.parametrize(("made", "value"), [
    (F + G, lambda t: F(t) + G(t)), (F - G, lambda t: F(t) - G(t)), (F * G, lambda t: F(t) * G(t)),
    (F / G, lambda t: F(t) / G(t)), (F + 2, lambda t: F(t) + 2), (2 + F, lambda t: F(t) + 2),
    (F - 2, lambda t: F(t) - 2), (2 - F, lambda t: 2 - F(t)), (3 * F, lambda t: 3 * F(t)), (F * 3, lambda t: 3 * F(t)),
    (F / 4, lambda t: F(t) / 4), (4 / F, lambda t: 4 / F(t)), (-F, lambda t: -F(t)), (F**3, lambda t: F(t)**3),
    (np.float64(2) * F, lambda t: 2 * F(t)), (F - np.int64(2), lambda t: F(t) - 2), (F(G), lambda t: F(G(t))),
    (F(G(F)) * 2, lambda t: 2 * F(G(F(t)))), ((F + 1)(G * 2), lambda t: F(2 * G(t)) + 1),
    (sum([F, G, F]), lambda t: 2 * F(t) + G(t)),
])
def test_arithmetic_is_that_of_the_values(made, value):
    assert isinstance(made, Combined)
    for t in TIMES:
        assert made(t) == pytest.approx(value(t), rel=1e-14)


def test_rates_follow_the_product_the_quotient_and_the_chain_rule():
    for t in TIMES:
        (f, df, ddf), (g, dg, ddg) = F.derivatives(t), G.derivatives(t)
        assert (F * G).derivatives(t) == pytest.approx((f * g, df * g + f * dg, ddf * g + 2 * df * dg + f * ddg))
        q, dq = f / g, (df * g - f * dg) / g**2
        assert (F / G).derivatives(t) == pytest.approx((q, dq, (ddf - 2 * dq * dg - q * ddg) / g))
        h, dh, ddh = F.derivatives(g)
        assert F(G).derivatives(t) == pytest.approx((h, dh * dg, ddh * dg**2 + dh * ddg))


@pytest.mark.parametrize("other", ["t", None, [1.0], True, 1j, object(), np.ones(3)])
def test_arithmetic_with_anything_else_is_refused(other):
    for act in (lambda: F + other, lambda: other * F, lambda: F / other):
        with pytest.raises(TypeError):
            act()


@pytest.mark.parametrize("number", [math.nan, math.inf, 10**400])
def test_numbers_without_value_are_refused(number):
    with pytest.raises(ModelError, match="arithmetic with a function: the number is .*finite number"):
        F * number


def test_the_same_function_is_called_once():
    made = (F + 1) * (F + 1) * (F - 2)
    assert made.parts == (F,)
    assert [op for op, _, _ in made.tape.ops].count("call") == 1


def test_long_sums_stay_shallow():
    many = sum(Sine(1.0, float(k)) for k in range(2000))
    assert many.depth <= 32
    assert many(0.3) == pytest.approx(sum(math.sin(0.3 * k) for k in range(2000)))


def test_repeated_squares_stay_small():
    f = F
    for _ in range(200):
        f = f * f
    assert f.size == 2 and len(f.tape.ops) < 210


def test_endless_nesting_is_refused():
    f = F
    with pytest.raises(ModelError, match="nested more than 32 deep"):
        for _ in range(40):
            f = Pieces([f, 1.0], [0.5])
    f = F
    with pytest.raises(ModelError, match="more than 1000000 of them"):
        for _ in range(30):
            f = Pieces([f, f], [0.5])


def test_a_combined_function_tells_what_it_is():
    text = repr(2 * F + G(F))
    assert "f0" in text and "Sine(amplitude=0.7" in text and "Polynomial(" in text
    f = F
    for _ in range(200):
        f = f * f + 1
    assert len(repr(f)) < 500


def test_shifted_scaled_and_mirrored_values():
    for t in TIMES:
        assert Shifted(F, 0.3, 2.0)(t) == pytest.approx(F(t - 0.3) + 2.0)
        assert Scaled(F, 2.0, -3.0)(t) == pytest.approx(-3.0 * F(t / 2.0))
        assert Mirror(F, time=0.4)(t) == pytest.approx(F(0.8 - t))
        assert Mirror(F, value=0.4)(t) == pytest.approx(0.8 - F(t))
        assert Mirror(F, time=0.4, value=1.0)(t) == pytest.approx(2.0 - F(0.8 - t))


def test_breaks_and_span_move_with_the_function():
    rise = Cycloidal(1.0, 3.0, 0.0, 5.0)
    assert Shifted(rise, 0.5).breaks == (1.5, 3.5) == Shifted(rise, 0.5).span
    assert Scaled(rise, 2.0).breaks == (2.0, 6.0) == Scaled(rise, 2.0).span
    assert Mirror(rise, time=0.0).breaks == (-3.0, -1.0) == Mirror(rise, time=0.0).span
    assert (2 * rise + Ramp(1.0, 2.0)).breaks == (1.0, 2.0, 3.0)
    assert rise(Expression("2*t - 1")).breaks == (1.0, 2.0) == rise(Expression("2*t - 1")).breaks_between(0, 5)
    assert rise(Spline([0, 1], [-1, 1])).breaks_between(0, 5) == pytest.approx((0.0, 1.0, 2.0), abs=1e-12)
    assert Mirror(rise, time=0.0).velocity_coefficient == pytest.approx(2.0)


@pytest.mark.parametrize(("function", "found"), [
    (Expression("abs(sin(t))"), [k * math.pi for k in (1, 2, 3)]),
    (Expression("step(t - 1) + max(t, 2)"), [1.0, 2.0]),
    (Expression("min(t^2, 4)"), [2.0]),
    (Expression("sign(cos(t))"), [k * math.pi / 2 for k in (1, 3, 5)]),
    (Step(0.5)(Sine(1.0, 1.0)), [math.pi / 6, 5 * math.pi / 6, 13 * math.pi / 6, 17 * math.pi / 6]),
    (Repeat(Linear([0, 1, 4], [0, 1, 0])), [0, 1, 4, 5, 8, 9]),
    (Repeat(Cycloidal(1, 4), 0, 5)(Expression("t")), [0, 1, 4, 5, 6, 9, 10]),
    (Linear([0, 1, 4], [0, 1, 0], "repeat"), [0, 1, 4, 5, 8, 9]),
    (F * G, []),
])
def test_breaks_are_found_where_a_formula_switches(function, found):
    assert function.breaks_between(0.0, 10.0) == pytest.approx(found, abs=1e-12)


def test_at_a_break_found_the_switch_has_happened(rng):
    """The value at the break is that of the far side, though times are rounded."""
    for shift, scale in rng.uniform(0.1, 30.0, (200, 2)):
        step = Scaled(Shifted(Step(0.3), shift), scale)
        (at,) = step.breaks_between(-1e4, 1e4)
        assert step(at) == 1.0 and step(at - 1e-15 * (1 + abs(at))) == 0.0


def test_breaks_that_rounding_splits_are_one():
    f = Shifted(Step(0.1), 0.2) + Step(0.3) + Shifted(Step(0.2), 0.1)
    (at,) = f.breaks_between(0, 1)
    assert f(at) == 3.0


def test_too_many_breaks_are_none():
    assert Repeat(Pulse(0.0, 1e-7), 0.0, 2e-7).breaks_between(0.0, 10.0) == ()
    assert Expression("step(sin(1000*t))").breaks_between(0.0, 0.01) == pytest.approx(
        [math.pi * k / 1000 for k in (1, 2, 3)], abs=1e-12)


def test_repeating_with_and_without_rise():
    saw = Repeat(Ramp(2.0), 0.0, 1.5)
    assert [saw(t) for t in (0.25, 1.75, 4.75, -0.5)] == pytest.approx([0.5, 0.5, 0.5, 2.0])
    stairs = Repeat(Cycloidal(0.0, 1.0, 0.0, 2.0), rise=True)
    assert [stairs(t) for t in (-2.0, 0.5, 1.5, 7.0)] == pytest.approx([-4.0, 1.0, 3.0, 14.0])
    assert stairs.continuity(0.5, 3.5).order == 3  # the sine of its acceleration goes on without a corner
    assert Repeat(Cycloidal(0.0, 1.0, 0.0, 2.0), 0.0, 1.2, rise=True).continuity(0.5, 3.5).order == 2
    assert Repeat(Spline([0, 1, 2], [0, 1, 0]), rise=False)(2.25) == pytest.approx(Spline([0, 1, 2], [0, 1, 0])(0.25))


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Repeat(F), "Sine has no start of its own"),
    (lambda: Repeat(F, 1.0, 1.0), "start = 1 is not before end = 1"),
    (lambda: Repeat(F, 0.0, math.nan), "Repeat: end is nan"),
    (lambda: Repeat(F, 0.0, 1.0, rise=1), "give True or False"),
    (lambda: Mirror(F), "neither a time nor a value"),
    (lambda: Mirror(F, time=math.inf), "Mirror: time is inf"),
    (lambda: Scaled(F, 0.0), "Scaled: time is 0; it must be larger than zero"),
    (lambda: Scaled(F, -1.0), "larger than zero"),
    (lambda: Shifted(F, "1"), "Shifted: time is '1'"),
    (lambda: Shifted(None), "Shifted: function: a function of time cannot be made from None"),
    (lambda: F.integral(0, math.nan), "integral.*t1 is nan"),
    (lambda: F.taylor(math.nan), "t is nan"),
])
def test_changes_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_parts_may_be_numbers_and_texts():
    assert Shifted("2*t", 1.0) == Shifted(Expression("2*t"), 1.0)
    assert Shifted(3).function == Constant(3.0)
