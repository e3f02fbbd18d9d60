"""Arrays that are compared at once are found equal where pytest finds them equal number by number."""

import itertools
import math

import numpy as np
import pytest

import array_approx

VALUES = [0.0, -0.0, 1.0, 1.0 + 1e-6, 1.0 + 1.0001e-6, 1 + 2**-52, 1e-12, 1.1e-12, -1.0, 1e300, -1e300,
          math.inf, -math.inf, math.nan]
TOLERANCES = [{}, {"abs": 0}, {"abs": 1e-6}, {"rel": 1e-3}, {"rel": 0.0}, {"abs": 1e-6, "rel": 1e-3}, {"abs": math.inf},
              {"abs": 1.0, "nan_ok": True}]


def one_by_one(approx, actual):
    return array_approx.one_by_one[type(approx)](approx, actual)


@pytest.mark.parametrize("given", TOLERANCES, ids=str)
def test_it_is_the_same_decision(given):
    for a, b in itertools.product(VALUES, VALUES):
        for expected in (np.array([a]), np.array([[1.0, a]]), a):
            actual = np.full(np.shape(expected) or (2,), b)
            approx = pytest.approx(expected, **given)
            assert (actual == approx) is one_by_one(approx, actual), (expected, actual)


def test_one_number_of_many_is_seen(rng):
    expected = rng.standard_normal((7, 30))
    for place in np.ndindex(*expected.shape):
        actual = expected.copy()
        actual[place] *= 1 + 1.001e-6
        assert actual != pytest.approx(expected) and actual == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize(("actual", "expected"), [
    (np.zeros(2), np.zeros(3)), (np.zeros((2, 1)), np.zeros(2)), (np.zeros(2, bool), np.zeros(2)),
    (np.zeros(2), np.zeros(2, int)), (np.zeros(2) + 1e-13j, np.zeros(2)), (np.zeros(0), 3.0), ([0.0, 1.0], np.zeros(2)),
    (0.0, np.zeros(2)), (np.ones(2), True)])
def test_other_things_are_left_to_pytest(actual, expected):
    approx = pytest.approx(expected)
    assert (actual == approx) is one_by_one(approx, actual)


def test_tolerances_that_cannot_be_are_told():
    for given in ({"abs": -1.0}, {"rel": math.nan}, {"abs": math.nan}):
        with pytest.raises(ValueError, match="tolerance"):
            assert np.ones(2) == pytest.approx(np.zeros(2), **given)
