"""Checks of the numbers a user gives."""

from __future__ import annotations

import math
import numbers
from typing import Any

from vincolo.errors import ModelError


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
