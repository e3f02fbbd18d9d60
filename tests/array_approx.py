"""Arrays are compared with pytest.approx at once: number by number, as pytest does it, takes longer than many a run."""

from typing import Any

import numpy as np
import pytest

Number, Numbers = type(pytest.approx(0.0)), type(pytest.approx(np.zeros(1)))
NUMBERS = (float, int, np.float64)
one_by_one = {kind: kind.__eq__ for kind in (Number, Numbers)}


def are_floats(given: Any) -> bool:
    return type(given) is np.ndarray and given.dtype == float


def are_near(approx: Any, actual: Any) -> bool:
    """Whether numbers are as near to those of an approx() as it says. False also for what pytest has to look at itself:
    other kinds of numbers, infinite ones, tolerances that cannot be."""
    expected, given = approx.expected, (approx.rel, approx.abs)
    same = are_floats(expected) and expected.shape == actual.shape or type(expected) in NUMBERS
    if not same or not all(x is None or type(x) in NUMBERS and x >= 0 for x in given):
        return False
    share, least = (usual if x is None else x for x, usual in zip(
        given, (Number.DEFAULT_RELATIVE_TOLERANCE, Number.DEFAULT_ABSOLUTE_TOLERANCE), strict=True))
    with np.errstate(all="ignore"):
        alone = given[0] is None and given[1] is not None  # the absolute tolerance
        tolerance = least if alone else np.maximum(share * np.abs(expected), least)
        return bool(np.isfinite(expected).all() and (np.abs(expected - actual) <= tolerance).all())


def equal(approx: Any, actual: Any) -> bool:
    """What pytest finds, sooner where it is true."""
    return are_floats(actual) and are_near(approx, actual) or one_by_one[type(approx)](approx, actual)


def compare_at_once() -> None:
    """From now on, for all tests."""
    for kind in one_by_one:
        kind.__eq__ = equal
