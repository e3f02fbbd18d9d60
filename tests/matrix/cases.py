"""The axes of the combination matrix and its cases: a covering array of all pairs, and a part of it for the fast
suite."""

from __future__ import annotations

from functools import cache

import analyses  # noqa: F401  # registers ways
import more_parts  # noqa: F401  # registers parts
from cover import Case, Pair, covering_array, required_pairs, subset
from machines import MECHANISMS
from parts import PARTS, fits
from units import UNITS
from ways import COST, WAYS

AXES = {"mechanism": tuple(MECHANISMS), "part": tuple(PARTS), "way": tuple(WAYS), "units": UNITS}
FAST = 300


def allowed(pair: Pair) -> bool:
    """A part goes with a mechanism that it fits; everything else goes together."""
    i, a, j, b = pair
    return (i, j) != (0, 1) or not fits(a, b)


@cache
def all_cases() -> tuple[Case, ...]:
    return tuple(covering_array(list(AXES.values()), allowed))


@cache
def fast_cases() -> tuple[Case, ...]:
    """Those that cover most pairs in little time, with every single value among them."""
    return tuple(subset(all_cases(), FAST, lambda case: COST[case[2]]))


def pair_count() -> int:
    """How many pairs there are to cover."""
    return len(required_pairs(list(AXES.values()), allowed))
