"""Checks of the numbers a user gives."""

from __future__ import annotations

import math
import numbers
import unicodedata
from typing import Any

from vincolo.errors import ModelError


def control_codes(text: str) -> list[str]:
    """Characters that a terminal or a file may obey instead of showing them; halves of characters too."""
    return [char for char in text if unicodedata.category(char) in ("Cc", "Cs")]


def harmless(text: str, kept: str = "") -> str:
    """A text whose control codes are spelled out, such as \\x1b, but for those `kept`."""
    return "".join(repr(char)[1:-1] if char not in kept and control_codes(char) else char for char in text)


def checked_name(kind: str, name: str) -> str:
    """A name that can be shown and written everywhere."""
    found = control_codes(name)
    if found:
        raise ModelError(f"{kind} {name!r}: a name has no control codes in it, such as {found[0]!r}, which a terminal "
                         "or a file would obey.\n  Leave them out.")
    return name


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
