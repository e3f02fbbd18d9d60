"""Whatever the text, the answer is a tape or an ExpressionError that says what, where and the way out."""

import math
import warnings

import pytest

from vincolo.errors import ExpressionError, ModelError, VincoloError, suggest
from vincolo.model.expression import Tape, parse

REFUSED = [
    ("", "empty", "2*pi*t"),
    ("   ", "empty", "2*pi*t"),
    ("t.real", "character '.'", "no attributes"),
    ("().__class__", "character '.'", "no attributes"),
    ("t.__class__", "character '.'", "no attributes"),
    ("__import__(1)", "no function called '__import__'", "functions above"),
    ("__name__", "name '__name__' is not known", "names above"),
    ("foo(t)", "no function called 'foo'", "functions above"),
    ("Sin(t)", "no function called 'Sin'", "Did you mean 'sin'?"),
    ("omga*t", "name 'omga' is not known", "Did you mean 'omega'?"),
    ("T", "name 'T' is not known", "Did you mean 't'?"),
    ("sin(x=t)", "character '='", "keyword arguments"),
    ("t = 1", "character '='", "if(t < 1, a, b)"),
    ("t ! 1", "character '!'", "!="),
    ("t < 1 & t > 0", "character '&'", "and, or, not"),
    ("t < 1 || t > 2", "character '|'", "and, or, not"),
    ("if(t < 1: 2, 3)", "character ':'", "by commas"),
    ("t \N{LESS-THAN OR EQUAL TO} 1", "\N{LESS-THAN OR EQUAL TO}", "<="),
    ("if(t, 1, 2)", "'t' is a number where a condition is needed", "t < 1"),
    ("if(t - 1, 1, 2)", "'t - 1' is a number where a condition is needed", "t < 1"),
    ("if(step(t), 1, 2)", "'step(t)' is a number where a condition is needed", "t < 1"),
    ("t and t < 1", "'t' is a number where a condition is needed", "t < 1"),
    ("not t", "'t' is a number where a condition is needed", "t < 1"),
    ("if(t < 1, 2)", "if() needs 3 argument(s), but 2 are given", "if(a, b, c)"),
    ("if(t < 1, 2, 3, 4)", "if() needs 3 argument(s), but 4 are given", "if(a, b, c)"),
    ("if", "'if' is a function", "if(...)"),
    ("if t < 1", "operator is missing before 't'", "*t"),
    ("__if(t < 1, 2, 3)", "word '__if'", "arithmetic only"),
    ("t <", "ends too early", "after the last sign"),
    ("< t", "missing before '<'", "value before"),
    ("t < 1 and", "ends too early", "after the last sign"),
    ("or t < 1", "missing before 'or'", "value before"),
    ("t < 1 not t < 2", "operator is missing before 'not'", "Write *"),
    ("2*not t < 1", "cannot be read", "parentheses"),
    ("if(2*t == 1, 3, 4)", "'2*t == 1' changes for one instant only", "Write < or >"),
    ("t - 1 != 3 - t", "changes for one instant only", "Write < or >"),
    ("t is 1", "word 'is'", "arithmetic only"),
    ("t in t", "word 'in'", "arithmetic only"),
    ("if(t < 1, foo, 2)", "name 'foo' is not known", "names above"),
    ("lambda: 1", "word 'lambda'", "arithmetic only"),
    ("t if t < 2 else 1", "word 'else'", "min() and max()"),
    ("[t for t in t]", "character '['", "no lists"),
    ("t[0]", "character '['", "no subscripts"),
    ("'t'", 'character "\'"', "text in quotes"),
    ("t % 2", "character '%'", "no remainder"),
    ("True", "word 'True'", "arithmetic only"),
    ("1j", "operator is missing before 'j'", "*j"),
    ("2t", "operator is missing before 't'", "*t"),
    ("2(t)", "operator is missing before '('", "Write *"),
    ("(t)(t)", "operator is missing before '('", "Write *"),
    ("t t", "operator is missing before 't'", "*t"),
    ("1_000", "operator is missing before '_000'", "Write *"),
    ("0,5*t", "comma is outside", "0.5"),
    ("(t, 1)", "comma is outside", "0.5"),
    ("t // 2", "missing before '/'", "value before"),
    ("t +", "ends too early", "after the last sign"),
    ("* t", "missing before '*'", "value before"),
    ("sin(*t)", "missing before '*'", "value before"),
    ("sin()", "missing before ')'", "value before"),
    ("min(t, 1,)", "missing before ')'", "value before"),
    ("sin(t", "parenthesis is not closed", "')'"),
    ("t)", "never opened", "Remove ')'"),
    ("sin", "'sin' is a function", "sin(...)"),
    ("t(2)", "'t' is a number, not a function", "t*(...)"),
    ("omega(2)", "'omega' is a number, not a function", "omega*(...)"),
    ("sin(t, t)", "sin() needs 1 argument(s), but 2 are given", "sin(a)"),
    ("atan2(t)", "atan2() needs 2 argument(s), but 1 are given", "atan2(a, b)"),
    ("hypot(t, t, t)", "hypot() needs 2 argument(s), but 3 are given", "hypot(a, b)"),
    ("min(t)", "min() needs 2 or more argument(s), but 1 are given", "min(a, b)"),
    ("inf", "name 'inf' is not known", "names above"),
    ("nan", "name 'nan' is not known", "names above"),
    ("1e999", "1e999 is too large", "1.8e308"),
    ("t + 1/0", "'1/0' has no finite value", "Change the numbers"),
    ("t/(1 - 1)", "'t/(1 - 1)' has no finite value", "Change the numbers"),
    ("t*sqrt(2 - 3)", "'sqrt(2 - 3)' has no finite value", "Change the numbers"),
    ("log(0)", "'log(0)' has no finite value", "Change the numbers"),
    ("(-8)^(1/3)", "has no finite value", "Change the numbers"),
    ("0^-1", "'0^-1' has no finite value", "Change the numbers"),
    ("1e200*1e200*t", "'1e200*1e200' has no finite value", "Change the numbers"),
    ("9**9**9**9", "'9**9**9' has no finite value", "Change the numbers"),
    ("t \N{MINUS SIGN} 1", "\N{MINUS SIGN}", "minus sign of the keyboard"),
    ("t\N{SUPERSCRIPT TWO}", "\N{SUPERSCRIPT TWO}", "^2"),
    ("\N{GREEK SMALL LETTER OMEGA}*t", "character", "Use numbers"),
    ("t # 1", "character '#'", "Use numbers"),
    ("t\x001", "character '\\x00'", "Use numbers"),
    ("(" * 101 + "t" + ")" * 101, "nested too deeply", "Remove parentheses"),
    ("(" * 10_000 + "t" + ")" * 10_000, "20001 characters; the limit is 2000", "Spline"),
    ("+".join(f"t*{k}" for k in range(250)), "more than 500 operations", "Polynomial"),
]


@pytest.mark.parametrize(("text", "what", "way_out"), REFUSED,
                         ids=[ascii(text[:20])[1:-1] for text, _, _ in REFUSED])
def test_a_refusal_says_what_where_and_the_way_out(text, what, way_out):
    with pytest.raises(ExpressionError) as caught:
        parse(text, inputs=("omega",))
    lines = str(caught.value).splitlines()
    assert len(lines) == 5
    assert what in lines[0]
    assert set(lines[2].strip()) == {"^"}
    assert "Known names: t, pi, e, omega." in lines[3] and "atan2" in lines[3]
    assert way_out in lines[4]
    assert max(map(len, lines)) < 200


def carets(text: str) -> str:
    """The part of the text above the carets."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    _, shown, marks, *_ = str(caught.value).splitlines()
    return shown[marks.index("^"):marks.rindex("^") + 1]


@pytest.mark.parametrize(("text", "place"), [
    ("sin(omga*t)", "omga"),
    ("t^2 + t^3 + foo^2", "foo"),
    (" 2^2 * ( t ^ 2 + sin( ) )", ")"),
    ("t^2*sqrt( 1 - 2^2 )", "sqrt( 1 - 2^2 )"),
    ("t + 0x10", "x10"),
    ("1" + "+t" * 300 + " + foo" + "+t" * 300, "foo"),
])
def test_carets_stand_under_the_mistake(text, place):
    assert carets(text) == place


@pytest.mark.parametrize("name", ["t", "pi", "e", "sin", "step", "max", "a b", "2a", "a.b", "", "a__b",
                                  "lambda", "\N{GREEK SMALL LETTER ALPHA}"])
def test_a_quantity_needs_a_free_and_plain_name(name):
    with pytest.raises(ExpressionError, match="cannot be used for a quantity"):
        parse("1", constants={name: 1.0})
    with pytest.raises(ExpressionError, match="Choose another name"):
        parse("1", inputs=(name,))


def test_a_name_cannot_be_input_and_constant():
    with pytest.raises(ExpressionError, match="given twice"):
        parse("d", inputs=("d",), constants={"d": 1.0})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True, 1j, [1.0], 10**400])
def test_constants_are_finite_numbers(value):
    with pytest.raises(ExpressionError, match="the constant 'k' of an expression is .*finite number"):
        parse("k*t", constants={"k": value})


@pytest.mark.parametrize("text", [None, 3.0, b"t", ["t"]])
def test_an_expression_is_text(text):
    with pytest.raises(ExpressionError, match="must be text"):
        parse(text)


def test_a_value_that_does_not_exist_is_named():
    with pytest.raises(ExpressionError, match=r"'sqrt\(d\)' has no finite value at t = 2, d = -1"):
        parse("sqrt(d)", inputs=("d",)).evaluate(2.0, [-1.0])
    with pytest.raises(ExpressionError, match=r"given 1 input\(s\), but it has 2"):
        parse("d + dd", inputs=("d", "dd")).evaluate(0.0, [1.0])


def test_an_expression_error_is_a_model_error_and_a_value_error():
    assert issubclass(ExpressionError, ModelError)
    assert issubclass(ModelError, ValueError) and issubclass(ModelError, VincoloError)


def test_suggestions_ignore_case_and_stay_silent_when_nothing_is_near():
    assert suggest("upright_L", ["chassis", "upright_l"]) == " Did you mean 'upright_l'?"
    assert suggest("zzz", ["chassis", "upright_l"]) == ""
    many = [f"body_{k}" for k in range(5000)]
    assert suggest("upright_k", [*many, "upright_l"]) == " Did you mean 'upright_l'?"
    assert suggest("x", []) == ""


@pytest.mark.parametrize("alphabet", [
    "t1+-*/^(),. ",
    "td2e.+-*(^)_",
    "()-+^*t",
    "ab0_.:=<>[]{}'\"#\\\n\t\0@!%&|~;?$\N{DEGREE SIGN}",
])
def test_no_text_gives_anything_but_a_tape_or_an_expression_error(rng, alphabet):
    outcomes = {"tape": 0, "error": 0}
    letters = list(alphabet)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2000):
            text = "".join(rng.choice(letters, size=rng.integers(0, 25)))
            try:
                tape = parse(text, inputs=("d",))
                outcomes["tape"] += 1
                assert isinstance(tape, Tape) and tape.ops
            except ExpressionError as error:
                outcomes["error"] += 1
                assert len(str(error).splitlines()) == 5
    assert outcomes["error"] > 100 and sum(outcomes.values()) == 2000


def test_no_chain_of_words_gives_anything_but_a_tape_or_an_expression_error(rng):
    words = ["t", "d", "2", "0", "sin", "min", "atan2", "sqrt", "(", "(", ")", ")", ",", "+", "-", "*", "/",
             "^", "**", "1e300", "lambda", "if", "x", "e", "pi"]
    tapes = 0
    for _ in range(4000):
        text = " ".join(rng.choice(words, size=rng.integers(1, 9)))
        try:
            tapes += bool(parse(text, inputs=("d",)).ops)
        except ExpressionError as error:
            assert "^" in str(error).splitlines()[2]
    assert tapes > 100


@pytest.mark.parametrize("text", ["-" * 1999 + "1", "2^" * 999 + "1", "1+" * 999 + "1", "1^" * 999 + "t",
                                  "sin(" * 400 + "t" + ")" * 400, "min(" * 99 + "t" + ",1)" * 99, "(" * 2000])
def test_long_chains_do_not_exhaust_python(text):
    try:
        assert parse(text).ops
    except ExpressionError as error:
        assert len(str(error)) < 1000
