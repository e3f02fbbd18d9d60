"""Checks of the numbers a user gives."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any

from vincolo.errors import ExpressionError, ModelError, suggest

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)


def finite_number(what: str, value: Any, error: type[ModelError] = ModelError) -> float:
    """The value as a float; `what` names it in the error if it is no number, NaN or infinite."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise error(f"{what} is {value!r} ({type(value).__name__}); a finite number is needed.\n"
                "  Give a number such as 0.5, not NaN, infinity, text or a list.")


def refuse_unused(what: str, text: str, names: Iterable[str]) -> None:
    """Refuses numbers and functions that are given by name for a text which does not name them."""
    words = set(_NAME.findall(text))
    for name in names:
        if name not in words:
            raise ExpressionError(f"{what}: {name!r} is given, but the text {text!r} does not use it."
                                  f"{suggest(name, words)}\n  Correct the name, or leave it out.")
