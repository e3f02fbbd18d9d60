"""Text becomes a tape that has the value of the formula, each operation once, constants folded."""

import math
import operator
import re

import numpy as np
import pytest

from jets import time
from vincolo.equations.arithmetic import OPERATIONS
from vincolo.errors import ExpressionError
from vincolo.model.expression import FUNCTIONS, MAX_OPERATIONS, Tape, parse, run
from vincolo.model.expression_text import MAX_LENGTH, MAX_NESTING
from vincolo.model.tape import BINARY, FLOATS, UNARY

T = 0.7
FORMULAS = [
    ("1 + 2*3", 7.0),
    ("-2^2", -4.0),
    ("2^3^2", 512.0),
    ("2**-1", 0.5),
    ("(1 + 2)*t", 3 * T),
    ("t - 1 - 2", T - 3),
    ("t/2/4", T / 8),
    ("- - +t", T),
    ("1e-3*t + .5 + 2. + 007", 1e-3 * T + 9.5),
    ("\n 2 *\tt \n", 2 * T),
    ("pi*e", math.pi * math.e),
    ("sin(t)", math.sin(T)),
    ("cos(t)", math.cos(T)),
    ("tan(t)", math.tan(T)),
    ("asin(t)", math.asin(T)),
    ("acos(t)", math.acos(T)),
    ("atan(t)", math.atan(T)),
    ("atan2(t, -2)", math.atan2(T, -2)),
    ("sinh(t)", math.sinh(T)),
    ("cosh(t)", math.cosh(T)),
    ("tanh(t)", math.tanh(T)),
    ("exp(-t)", math.exp(-T)),
    ("log(t) + ln(t)", 2 * math.log(T)),
    ("sqrt(t)", math.sqrt(T)),
    ("abs(-t)", T),
    ("sign(-t)*10 + sign(t - t)", -10.0),
    ("step(t - 0.7) + 10*step(t - 0.8)", 1.0),
    ("min(t, 3, 0.1, 2)", 0.1),
    ("max(t, 0.1, 3, 2)", 3.0),
    ("pow(t, 3)", T**3),
    ("hypot(3*t, 4*t)", 5 * T),
    ("if(t < 1, 3*t, 5)", 3 * T),
    ("if(t > 1, 3*t, 5)", 5.0),
    ("if(t <= 0.7, 1, 2) + 10*if(t < 0.7, 1, 2)", 21.0),
    ("if(t >= 0.7, 1, 2) + 10*if(t > 0.7, 1, 2)", 21.0),
    ("if(t^2 == 0.7*t, 1, 2) + 10*if(t*t != t*t, 1, 2)", 21.0),
    ("2*(0 < t < 1) + (t < 1 < 0)", 2.0),
    ("if(t > 1 and 1/(t - 0.7) > 0, 1, 2)", 2.0),  # the second is not asked
    ("if(t < 1 or 1/(t - 0.7) > 0, 1, 2)", 1.0),
    ("if(not t > 1 and (t > 2 or t < 0.8), sqrt(t), sqrt(t - 1))", math.sqrt(T)),
    ("if(t < 1, if(t < 0.5, 1, 2), 3)", 2.0),
]


@pytest.mark.parametrize(("text", "value"), FORMULAS)
def test_value_is_that_of_the_formula(text, value):
    assert parse(text).evaluate(T) == pytest.approx(value, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(("text", "value"), FORMULAS)
def test_folding_gives_what_running_gives(text, value):
    tape = parse(re.sub(r"\bt\b", "q", text), constants={"q": T})
    assert tape.ops == (("const", 0, 0),)
    assert tape.evaluate() == pytest.approx(value, rel=1e-15, abs=1e-15)


def test_every_function_of_the_text_is_tried_above():
    tried = " ".join(text for text, _ in FORMULAS)
    assert all(f"{name}(" in tried for name in FUNCTIONS)


def test_inputs_and_constants_of_a_force_law():
    tape = parse("k*(d - d0) + c*dd", inputs=("d", "dd"), constants={"k": 1e4, "d0": 0.1, "c": 10})
    assert tape.inputs == ("d", "dd")
    assert tape.evaluate(0.0, [0.25, -0.3]) == pytest.approx(1e4 * 0.15 - 3.0)


def test_tape_is_flat_and_ends_with_the_result():
    assert parse("2*t + 1") == Tape(
        ops=(("time", 0, 0), ("const", 0, 0), ("mul", 0, 1), ("const", 1, 0), ("add", 2, 3)),
        constants=(2.0, 1.0), inputs=(), text="2*t + 1")


def test_operands_stand_before_their_operation():
    for text, _ in FORMULAS:
        for k, (op, a, b) in enumerate(parse(text).ops):
            assert op in (*UNARY, *BINARY, "const", "time", "input")
            if op in UNARY:
                assert 0 <= a < k
            if op in BINARY:
                assert 0 <= a < k and 0 <= b < k


def test_equal_parts_are_computed_once():
    tape = parse("sin(2*t)^2 + cos(t*2)*sin(2*t) + x*t + t*x", inputs=("x",))
    names = [op for op, _, _ in tape.ops]
    assert len(set(tape.ops)) == len(tape.ops)
    assert names.count("sin") == 1
    assert names.count("mul") == 3  # 2 t, cos sin, x t
    assert len(set(tape.constants)) == len(tape.constants)


def test_constant_parts_leave_one_number():
    tape = parse("2*pi*sqrt(4)*w*t", constants={"w": 3.0})
    assert tape.constants == (12 * math.pi,)
    assert parse("1 + 2*3 - sin(0)").ops == (("const", 0, 0),)


def test_minus_zero_is_not_zero():
    assert math.copysign(1, parse("-0.0").evaluate()) == -1
    assert parse("atan2(0, -1)*t + atan2(-0.0, -1)*t").constants == (math.pi, -math.pi)


def test_integer_powers_stay_powers_with_a_constant_exponent():
    tape = parse("t^3")
    assert tape.ops == (("time", 0, 0), ("const", 0, 0), ("pow", 0, 1))
    assert tape.evaluate(-2.0) == -8.0


def test_tape_runs_in_any_arithmetic():
    t = 0.4
    jet = run(parse("exp(-t)*sin(3*t) + t^2/2"), time(t), (), OPERATIONS)
    s, c, f = math.sin(3 * t), math.cos(3 * t), math.exp(-t)
    assert jet.value == pytest.approx(f * s + t * t / 2)
    assert jet.rate == pytest.approx(f * (3 * c - s) + t)
    assert jet.acceleration == pytest.approx(f * (-8 * s - 6 * c) + 1)


def test_both_arithmetics_know_every_operation():
    assert set(FLOATS) == set(OPERATIONS) == {*UNARY, *BINARY}


def test_limits_can_be_reached_but_not_passed():
    assert parse("(" * MAX_NESTING + "t" + ")" * MAX_NESTING).evaluate(2.0) == 2.0
    assert parse("t".rjust(MAX_LENGTH)).evaluate(3.0) == 3.0
    with pytest.raises(ExpressionError, match="the limit is 2000"):
        parse("t".rjust(MAX_LENGTH + 1))
    adds = MAX_OPERATIONS - 1  # and one for the time
    assert len(parse("t" + "+t" * adds).ops) == MAX_OPERATIONS
    with pytest.raises(ExpressionError, match="more than 500 operations"):
        parse("t" + "+t" * (adds + 1))


PLAIN = {"sin": math.sin, "cos": math.cos, "atan": math.atan, "tanh": math.tanh, "abs": abs}


COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
            "!=": operator.ne}


def _random_condition(rng: np.random.Generator, depth: int, values: dict[str, float]) -> tuple[str, bool]:
    """A condition as the user writes it, and whether it holds; often between equals."""
    if depth > 1 and rng.random() < 0.5:
        (a, x), (b, y) = _random_condition(rng, depth - 1, values), _random_condition(rng, depth - 1, values)
        choices = [(f"({a}) and ({b})", x and y), (f"({a}) or {b}", x or y), (f"not ({a})", not x),
                   (f"{a} and not ({b}) or {b}", (x and not y) or y)]
        return choices[rng.integers(len(choices))]
    (a, x), (b, y) = (_random_formula(rng, depth - 1, values) for _ in range(2))
    if rng.random() < 0.3:
        b, y = a, x
    sign = str(rng.choice(list(COMPARED)))
    return f"{a} {sign} {b}", COMPARED[sign](x, y)


def _random_formula(rng: np.random.Generator, depth: int, values: dict[str, float]) -> tuple[str, float]:
    """A formula as the user writes it, and its value computed beside it."""
    if depth == 0:
        leaf = str(rng.choice(list(values)))
        return leaf, values[leaf]
    (a, x), (b, y) = _random_formula(rng, depth - 1, values), _random_formula(rng, depth - 1, values)
    name = str(rng.choice(list(PLAIN)))
    choices = [
        (f"({a}) + ({b})", x + y), (f"({a}) - ({b})", x - y), (f"({a})*({b})", x * y),
        (f"-({a})^2", -(x * x)),
        (f"{name}({a})", PLAIN[name](x)), (f"({a})/(1 + ({b})**2)", x / (1 + y * y)),
        (f"max({a}, {b})", max(x, y)),
    ]
    condition, holds = _random_condition(rng, depth - 1, values) if depth > 1 else (f"{a} < {b}", x < y)
    unasked = "1/(0.5 - 0.5)" if rng.random() < 0.3 else "log(-1 - x^2)"  # has no value, and needs none
    choices += 3 * [(f"if({condition}, {a}, {b})", x if holds else y)]
    choices += [(f"if({condition}, {a if holds else unasked}, {unasked if holds else b})", x if holds else y)]
    return choices[rng.integers(len(choices))]


def test_random_formulas_have_the_value_computed_beside_them(rng):
    for _ in range(600):
        t, x, y = (float(value) for value in rng.normal(size=3))
        values = {"t": t, "x": x, "y": y, "2": 2.0, "0.5": 0.5, "pi": math.pi}
        text, expected = _random_formula(rng, int(rng.integers(1, 5)), values)
        try:
            tape = parse(text, inputs=("x", "y"))
        except ExpressionError as error:  # 1/0 where the numbers of one moment do not ask for it, but others may
            assert "'1/(0.5 - 0.5)' has no finite value" in str(error) or "for one instant only" in str(error)
            continue
        assert tape.evaluate(t, [x, y]) == pytest.approx(expected, rel=1e-12, abs=1e-12), text


def test_a_choice_between_constants_is_made_once():
    assert parse("if(k > 0, 1/k, 7)", constants={"k": 0.0}).constants == (7.0,)
    assert parse("if(k > 0, 1/k, 7)", constants={"k": 4.0}).constants == (0.25,)
    assert parse("if(1 < 2, t, sin(t))").evaluate(3.0) == 3.0
    with pytest.raises(ExpressionError, match="'1/k' has no finite value"):
        parse("if(t > 0, 1/k, 7)", constants={"k": 0.0})


def test_conditions_keep_to_the_limits():
    nested = "if(t<1,1," * 100 + "2" + ")" * 100
    assert parse(nested).evaluate(3.0) == 2.0
    with pytest.raises(ExpressionError, match="nested too deeply"):
        parse(nested.replace("2)", "(2))"))
    with pytest.raises(ExpressionError, match="more than 500 operations"):
        parse(" or ".join(f"t<{k}" for k in range(120)))
    assert [parse("not " * n + "t<1").evaluate(3.0) for n in (480, 481)] == [0.0, 1.0]


def test_a_formula_is_that_of_its_own_constants_each_time():
    for k in (0.0, -0.0, 1.0, 0.0, -0.0):
        assert math.atan2(0.0, -parse("k*t", constants={"k": k}).evaluate(1.0)) == math.atan2(0.0, -k)
        assert parse("k*x", ["x"], {"k": k}).inputs == ("x",)
    with pytest.raises(ExpressionError):
        parse("k*t")
    assert parse("k*t", ["k"]).inputs == ("k",)
