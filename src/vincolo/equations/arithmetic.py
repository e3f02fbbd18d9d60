"""Mathematical functions that work on floats and on any number that brings them as methods.

The methods have numpy's names (`sqrt`, `arctan2`, `maximum`, ...), so the same numbers also work inside
numpy arrays of objects. An equation written with these functions can be evaluated, differentiated
automatically, or printed, without being written twice.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar, cast

Number = Any  # a float, or a number that knows its derivatives
T = TypeVar("T")


def _one_argument(method: str, plain: Callable[[float], float]) -> Callable[[Number], Number]:
    def function(x: Number) -> Number:
        own = getattr(x, method, None)
        return plain(x) if own is None else own()

    function.__name__ = function.__qualname__ = method
    return function


def _two_arguments(method: str, reflected: str,
                   plain: Callable[[float, float], float]) -> Callable[[Number, Number], Number]:
    def function(a: Number, b: Number) -> Number:
        own = getattr(a, method, None)
        if own is not None:
            return own(b)
        own = getattr(b, reflected, None)
        return plain(a, b) if own is None else own(a)

    function.__name__ = function.__qualname__ = method
    return function


def total(terms: Iterable[T]) -> T:
    """The terms added from left to right, as the kernel does. Since Python 3.12 sum() rounds floats, and only floats,
    in another way: values would differ from those of numbers that know their derivatives, and between Pythons."""
    added: T = reduce(operator.add, terms, cast(T, 0))
    return added


sqrt = _one_argument("sqrt", math.sqrt)
exp = _one_argument("exp", math.exp)
log = _one_argument("log", math.log)
sin = _one_argument("sin", math.sin)
cos = _one_argument("cos", math.cos)
tan = _one_argument("tan", math.tan)
asin = _one_argument("arcsin", math.asin)
acos = _one_argument("arccos", math.acos)
atan = _one_argument("arctan", math.atan)
sinh = _one_argument("sinh", math.sinh)
cosh = _one_argument("cosh", math.cosh)
tanh = _one_argument("tanh", math.tanh)
sign = _one_argument("sign", lambda x: float((x > 0) - (x < 0)))
step = _one_argument("step", lambda x: 1.0 if x >= 0 else 0.0)
atan2 = _two_arguments("arctan2", "reflected_arctan2", math.atan2)
minimum = _two_arguments("minimum", "reflected_minimum", min)  # the first of two equals, as Python does
maximum = _two_arguments("maximum", "reflected_maximum", max)


def either(a: Number, b: Number) -> tuple[Number, Number]:
    """The two numbers that a condition decides between."""
    return a, b


def chosen(condition: Number, pair: tuple[Number, Number]) -> Number:
    """The first of two numbers where the condition is not zero, else the second; an undefined condition stays so."""
    if condition > 0 or condition < 0:
        return pair[0]
    return pair[1] if condition <= 0 else condition


def power(a: Number, b: Number) -> Number:
    """a to the power b; an error, not a complex number, where a float power does not exist."""
    plain = isinstance(a, (int, float)) and isinstance(b, (int, float))
    return math.pow(a, b) if plain else a**b


#: what each operation of a tape does to such numbers
OPERATIONS: dict[str, Callable[..., Number]] = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "div": operator.truediv, "pow": power, "abs": abs, "min": minimum, "max": maximum,
    "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan, "atan2": atan2,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "exp": exp, "log": log, "sqrt": sqrt,
    "sign": sign, "step": step, "either": either, "choose": chosen,
}
