"""Checks of the numbers a user gives."""

from __future__ import annotations

import math
import numbers
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.errors import ExpressionError, ModelError, suggest

#: units of arguments by the last words of their names, for numbers and for lists of numbers
NUMBERS = {"mass": "kg", "radius": "m", "thickness": "m", "density": "kg/m**3", **dict.fromkeys(
    ("until", "t", "every", "first", "step"), "s")}
LISTS = {"inertia": "kg*m**2", "velocity": "m/s", "angular_velocity": "rad/s", "gravity": "m/s**2", "wind": "m/s",
         **dict.fromkeys(("at", "at2", "com", "local", "its point", "a", "b", "front", "rear", "ball", "centre",
                          "point", "about", "origin", "a point of an outline"), "m")}

LARGE = 1e300  # whole numbers below are floats too
_PLAIN = {float, int, np.float64}  # what most numbers are: nothing else has to be asked of them
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)


def is_quantity(value: Any) -> bool:
    """Whether a value has a unit of its own, as those of pint, astropy and unyt have."""
    return not isinstance(value, type) and (hasattr(value, "to_base_units") or (
        hasattr(value, "to") and (hasattr(value, "unit") or hasattr(value, "units"))))


def refuse_quantity(what: str, value: Any, error: type[ModelError] = ModelError) -> None:
    """Refuses values with units, also in lists: arrays of them would lose their units without a word."""
    if is_quantity(value):
        raise error(f"{what} is {value!s}, a quantity with a unit; plain numbers in SI units are needed (m, kg, s, N, "
                    "rad).\n  Convert it and take its number: with pint, value.to_base_units().magnitude.")
    if isinstance(value, list | tuple):
        for part in value:
            refuse_quantity(what, part, error)


def in_si(what: str, value: Any, unit: str | None, error: type[ModelError] = ModelError) -> Any:
    """A quantity of pint as its number in the SI unit that is meant, also in lists; other values as they are. Where it
    is not known what is meant, quantities are refused."""
    if isinstance(value, list | tuple) and any(map(is_quantity, value)):
        return [in_si(what, part, unit, error) for part in value]
    if not is_quantity(value):
        return value
    if unit is None or not hasattr(value, "to_base_units"):
        refuse_quantity(what, value, error)
    try:
        return value.to(unit).magnitude
    except (TypeError, ValueError, AttributeError):  # as pint tells that the dimensions differ
        raise error(f"{what} is {value!s}, which cannot be told in {unit}.\n  Give a quantity of that kind, or a plain "
                    "number in SI units.") from None


def control_codes(text: str) -> list[str]:
    """Characters that a terminal or a file may obey instead of showing them; halves of characters too."""
    return [] if text.isprintable() else [char for char in text if unicodedata.category(char) in ("Cc", "Cs")]


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


def finite_number(what: str, value: Any, error: type[ModelError] = ModelError, unit: str | None = None) -> float:
    """The value as a float; `what` names it in the error if it is not a number, NaN or infinite. Fractions, decimals,
    exact numbers of SymPy and arrays without a dimension are numbers too, and so are quantities of pint where it is
    known which unit is meant."""
    if type(value) in _PLAIN and -LARGE < value < LARGE:
        return float(value)
    value = in_si(what, value, unit or NUMBERS.get(what.rpartition(": ")[2]), error)
    single = value[()] if getattr(value, "shape", None) == () and hasattr(value, "dtype") else value
    exact = getattr(single, "is_number", False) is True  # of SymPy: pi, sqrt(2), 1/3
    if isinstance(single, numbers.Real | Decimal) and not isinstance(single, bool) or exact:
        try:
            number = float(single)
        except (OverflowError, TypeError, ValueError):
            number = math.inf
        if math.isfinite(number):
            return number
    raise error(f"{what} is {value!r} ({type(value).__name__}); a finite number is needed.\n"
                "  Give a number such as 0.5, not NaN, infinity, text or a list.")


def number_array(what: str, value: Any) -> NDArray[np.float64]:
    """A copy of numbers in lists as an array; empty if they are not numbers, so that no shape fits. Texts are not
    numbers, though numpy would take them for such."""
    if type(value) in (list, tuple) and {*map(type, value)} <= _PLAIN:
        return _as_floats(value)
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value.copy()
    value = in_si(what, value, LISTS.get(what.rpartition(": ")[2]))
    refuse_quantity(what, value)
    try:
        given = np.asarray(value)
        texts = given.dtype.kind in "USbc" or _has_text(value)
        return np.empty(0) if texts else _as_floats(given)
    except (TypeError, ValueError):
        return np.empty(0)


def _as_floats(value: Any) -> NDArray[np.float64]:
    try:
        return np.array(value, dtype=float)
    except OverflowError:  # a whole number beyond all floats
        return np.empty(0)


def _has_text(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_text(part) for part in value)
    return isinstance(value, str | bytes | bool)


def words_of(text: str) -> set[str]:
    """The names in a text."""
    return set(_NAME.findall(text))


def refuse_unused(what: str, text: str, names: Iterable[str]) -> None:
    """Refuses numbers and functions that are given by name for a text which does not name them."""
    words = words_of(text)
    for name in names:
        if name not in words:
            raise ExpressionError(f"{what}: {name!r} is given, but the text {text!r} does not use it."
                                  f"{suggest(name, words)}\n  Correct the name, or leave it out.")
