"""Checks of what a user gives for a function: lists, samples, limits, spans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number, refuse_quantity

#: what a curve does outside its samples, in the kernel's order
OUTSIDE = ("hold", "straight", "extend", "repeat", "rise")


def finite_numbers(owner: str, name: str, values: Any) -> tuple[float, ...]:
    """The values as floats; the first that is not a number is named."""
    if type(values) in (list, tuple) and {*map(type, values)} == {float} and all(map(math.isfinite, values)):
        return tuple(values)
    refuse_quantity(f"{owner}: {name}", values)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(f"{owner}: {name} is {values!r}; a list of numbers is needed.\n"
                         f"  Write {name}=[...], even for one number.")
    return tuple(finite_number(f"{owner}: {name}[{k}]", value) for k, value in enumerate(values))


def finite_times(owner: str, t0: Any, t1: Any) -> tuple[float, float]:
    """Two times as floats."""
    return finite_number(f"{owner}: t0", t0), finite_number(f"{owner}: t1", t1)


def positive(what: str, value: Any) -> float:
    """The value as a float above zero."""
    number = finite_number(what, value)
    if not number > 0:
        raise ModelError(f"{what} is {number:g}; it must be larger than zero.")
    return number


def whole_number(what: str, value: Any, low: int, high: int) -> int:
    """The value as a whole number from low to high."""
    number = finite_number(what, value)
    if number != int(number) or not low <= number <= high:
        raise ModelError(f"{what} is {value!r}; give a whole number from {low} to {high}.")
    return int(number)


def rising(owner: str, name: str, x: Sequence[float], way_out: str) -> None:
    """Refuses numbers that do not rise from each to the next."""
    for k, (left, right) in enumerate(zip(x, x[1:], strict=False), start=1):
        if not left < right:
            raise ModelError(f"{owner}: {name}[{k}] = {right:g} is not larger than {name}[{k - 1}] = {left:g}.\n"
                             f"  {way_out}")


def start_before_end(owner: str, start: float, end: float, way_out: str) -> None:
    """Refuses a span that is empty, backwards, or too short to have a length."""
    if not start < end:
        raise ModelError(f"{owner}: start = {start:g} is not before end = {end:g}.\n  {way_out}")


def samples(owner: str, x: Sequence[float], y: Sequence[float], least: int = 2) -> None:
    """Refuses samples that make no curve: too few, unequal numbers, not in order."""
    if len(x) != len(y):
        raise ModelError(f"{owner}: x has {len(x)} samples, but y has {len(y)}.\n  Give one y for every x.")
    if len(x) < least:
        raise ModelError(f"{owner}: there are {len(x)} samples; at least {least} are needed.\n"
                         "  Give more samples, or use Constant for a single value.")
    rising(owner, "x", x, "Sort the samples by x and remove repeated ones.")


def choice(owner: str, name: str, value: Any, known: Sequence[str]) -> str:
    """The value if it is one of the known words."""
    if value not in known or not isinstance(value, str):
        hint = suggest(value, known) if isinstance(value, str) else ""
        raise ModelError(f"{owner}: {name} is {value!r}.\n  Use one of: {', '.join(known)}.{hint}")
    return value


def outside_modes(owner: str, value: Any) -> tuple[int, int]:
    """What happens before and after the samples, as the kernel's numbers: one word for both, or two words."""
    words = (value, value) if isinstance(value, str) or not isinstance(value, Sequence) else tuple(value)
    if len(words) != 2:
        raise ModelError(f"{owner}: outside has {len(words)} words; give one, or two for before and after.")
    before, after = (OUTSIDE.index(choice(owner, "outside", word, OUTSIDE)) for word in words)
    if before != after and max(before, after) >= OUTSIDE.index("repeat"):
        raise ModelError(f"{owner}: outside is {value!r}; a curve that repeats does so on both sides.\n"
                         f"  Write outside={OUTSIDE[max(before, after)]!r}.")
    return before, after


def finite_span(owner: str, coefficients: Sequence[float]) -> None:
    """Refuses a motion whose coefficients overflowed: far too short, or far too high."""
    if not all(map(math.isfinite, coefficients)):
        raise ModelError(f"{owner}: its numbers are too large to compute with.\n"
                         "  Give a longer span from start to end, or a smaller rise.")


def finite_coefficients(owner: str, x: Sequence[float], coefficients: Sequence[float], kind: str) -> None:
    """Refuses coefficients that overflowed, since samples nearly coincide or values are huge."""
    if not all(map(math.isfinite, coefficients)):
        raise ModelError(f"{owner}: some samples are too close together for a {kind} curve.\n"
                         f"  x goes from {x[0]:g} to {x[-1]:g} in {len(x)} samples.\n"
                         "  Remove samples that nearly coincide.")
