"""Elementary functions with their derivatives, of numbers and of SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: SymPy's names where they differ
SYMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
         "arccosh": "acosh", "arctanh": "atanh", "absolute": "Abs"}


def apply(name: str, *values: Any) -> Any:
    """A function of numpy by its name; of entries that are SymPy expressions that of SymPy."""
    if not any(np.asarray(value).dtype == object for value in values):
        return getattr(np, name)(*values)
    return np.frompyfunc(_of_sympy(name), len(values), 1)(*values)


def _of_sympy(name: str) -> Callable[..., Any]:
    import sympy

    own: dict[str, Callable[..., Any]] = {
        "exp2": lambda x: 2**x, "expm1": lambda x: sympy.exp(x) - 1, "log1p": lambda x: sympy.log(1 + x),
        "log2": lambda x: sympy.log(x, 2), "log10": lambda x: sympy.log(x, 10), "square": lambda x: x**2,
        "reciprocal": lambda x: 1 / x}
    found: Callable[..., Any] = own.get(name) or getattr(sympy, SYMPY.get(name, name))
    return found


def _f(name: str) -> Callable[[Any], Any]:
    return lambda x: apply(name, x)


_sin, _cos, _exp, _sqrt, _sinh, _cosh = (_f(name) for name in ("sin", "cos", "exp", "sqrt", "sinh", "cosh"))
LN2, LN10 = float(np.log(2.0)), float(np.log(10.0))

#: functions by their names in numpy: their derivatives
ELEMENTARY: dict[str, Callable[[Any], Any]] = {
    "sin": _cos, "cos": lambda x: -_sin(x), "tan": lambda x: 1 / _cos(x) ** 2,
    "arcsin": lambda x: 1 / _sqrt(1 - x * x), "arccos": lambda x: -1 / _sqrt(1 - x * x),
    "arctan": lambda x: 1 / (1 + x * x), "sinh": _cosh, "cosh": _sinh, "tanh": lambda x: 1 / _cosh(x) ** 2,
    "arcsinh": lambda x: 1 / _sqrt(x * x + 1), "arccosh": lambda x: 1 / _sqrt(x * x - 1),
    "arctanh": lambda x: 1 / (1 - x * x), "exp": _exp, "expm1": _exp, "exp2": lambda x: LN2 * _f("exp2")(x),
    "log": lambda x: 1 / x, "log1p": lambda x: 1 / (1 + x), "log2": lambda x: 1 / (x * LN2),
    "log10": lambda x: 1 / (x * LN10), "sqrt": lambda x: 1 / (2 * _sqrt(x)),
    "cbrt": lambda x: 1 / (3 * _f("cbrt")(x) ** 2),
    "square": lambda x: 2 * x, "reciprocal": lambda x: -1 / (x * x), "absolute": lambda x: x / _f("absolute")(x),
}
