"""Jets carry exact first and second derivatives through every operation."""

import math

import numpy as np
import pytest

import jets
from jets import Jet, jet_frame, jet_vector, parts, time

UNARY = [
    jets.sqrt, jets.exp, jets.log, jets.sin, jets.cos, jets.tan, jets.asin, jets.acos, jets.atan,
    jets.sinh, jets.cosh, jets.tanh, jets.sign, jets.step, abs,
    lambda x: x**3, lambda x: x**-2, lambda x: x**0.5, lambda x: 2.0**x, lambda x: x**x, lambda x: x**0,
    lambda x: 1 / x, lambda x: 3 - x, lambda x: x - 3, lambda x: x / 4, lambda x: +x * -x,
    lambda x: jets.atan2(x, 2.0), lambda x: jets.atan2(-2.0, x), lambda x: jets.atan2(x * x, 0.3 - x),
    lambda x: jets.minimum(x, 0.1), lambda x: jets.minimum(9.0, x), lambda x: jets.maximum(x, 0.1),
    lambda x: jets.maximum(9.0, x),
]


def inner(t):
    """A curved path through 0.2 .. 0.8, where every function above exists."""
    return 0.5 + 0.3 * jets.sin(2.0 * t + 0.1)


@pytest.mark.parametrize("f", UNARY)
def test_derivatives_meet_finite_differences(f):
    h = 1e-4
    for t in (-0.9, 0.15, 0.6, 2.2):
        value, rate, acceleration = parts(f(inner(time(t))))
        before, now, after = (f(inner(t + step)) for step in (-h, 0.0, h))
        scale = 1 + abs(value) + abs(rate) + abs(acceleration)
        assert value == pytest.approx(now, rel=1e-14)
        # central differences are h^2 = 1e-8 off times the next derivatives, and 1e-16/h^2 = 1e-8 by rounding
        assert rate == pytest.approx((after - before) / (2 * h), abs=1e-6 * scale)
        assert acceleration == pytest.approx((after - 2 * now + before) / h**2, abs=1e-5 * scale)


def test_closed_forms():
    t = 0.4
    s, c, f = math.sin(3 * t), math.cos(3 * t), math.exp(-2 * t)
    assert parts(jets.sin(3 * time(t))) == pytest.approx((s, 3 * c, -9 * s))
    assert parts(time(t) ** 3) == pytest.approx((t**3, 3 * t**2, 6 * t))
    assert parts(jets.exp(-2 * time(t))) == pytest.approx((f, -2 * f, 4 * f))
    turning = jets.atan2(jets.sin(time(2.0)), jets.cos(time(2.0)))
    assert parts(turning) == pytest.approx((2.0, 1.0, 0.0), abs=1e-14)
    assert parts(jets.sqrt(time(t) * time(t))) == pytest.approx((t, 1.0, 0.0), abs=1e-14)


def test_powers_at_zero_are_those_of_the_polynomial():
    assert [parts(time(0.0) ** n) for n in range(4)] == [(1, 0, 0), (0, 1, 0), (0, 0, 2), (0, 0, 0)]
    assert parts(time(-2.0) ** 3) == (-8.0, 12.0, -12.0)


def test_plain_numbers_stay_plain():
    assert isinstance(jets.sin(0.3), float) and jets.sin(0.3) == math.sin(0.3)
    assert jets.maximum(1.0, 2.0) == 2.0 and jets.minimum(1.0, 2.0) == 1.0
    assert (jets.sign(-3.0), jets.sign(0.0), jets.step(0.0), jets.step(-1e-9)) == (-1.0, 0.0, 1.0, 0.0)


def test_equal_numbers_give_the_first():
    first, second = Jet(1.0, 2.0), Jet(1.0, 3.0)
    assert jets.maximum(first, second) is first and jets.minimum(first, second) is first


def test_jets_mix_with_numpy_numbers_and_arrays():
    x, array = time(2.0), np.array([1.0, 3.0])
    for product in (x * array, array * x):
        assert [parts(entry) for entry in product] == [(2, 1, 0), (6, 3, 0)]
    assert isinstance(np.float64(2.0) * x, Jet) and parts(np.float64(2.0) - x) == (0.0, -1.0, 0.0)
    assert parts(np.sin(np.array([x]))[0]) == parts(jets.sin(x))
    assert parts((x * array) @ (x * array)) == (40.0, 40.0, 20.0)
    with pytest.raises(TypeError):
        x + "1"


def rotation(axis, angle):
    """Rodrigues: I + sin [n]x + (1 - cos) [n]x^2."""
    N = jets.cross_matrix(np.asarray(axis) / np.linalg.norm(axis))
    return np.eye(3) + math.sin(angle) * N + (1 - math.cos(angle)) * N @ N


def test_point_on_a_turning_body_has_the_velocity_and_acceleration_of_the_textbook(rng):
    r, v, w, a, alpha, s = rng.normal(size=(6, 3))
    R = rotation(rng.normal(size=3), 1.1)
    p, _ = jet_frame((r, R, v, w, a, alpha), s)
    arm = R @ s
    values, rates, accelerations = np.array([parts(x) for x in p]).T
    assert values == pytest.approx(r + arm)
    assert rates == pytest.approx(v + np.cross(w, arm))
    assert accelerations == pytest.approx(a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)))


def test_axes_of_a_turning_frame_stay_orthonormal(rng):
    body = (np.zeros(3), rotation(rng.normal(size=3), 0.8), *rng.normal(size=(4, 3)))
    _, R = jet_frame(body, C=rotation(rng.normal(size=3), -2.0))
    identity = np.array([[parts(entry) for entry in row] for row in R.T @ R])
    assert identity[..., 0] == pytest.approx(np.eye(3), abs=1e-14)
    assert identity[..., 1:] == pytest.approx(np.zeros((3, 3, 2)), abs=1e-13)


def test_constant_vectors_do_not_move():
    assert [parts(x) for x in jets.constant([1.0, 2.0])] == [(1, 0, 0), (2, 0, 0)]
    moving = jet_vector([1, 2, 3], [4, 5, 6], [7, 8, 9])
    assert [parts(x) for x in moving] == [(1, 4, 7), (2, 5, 8), (3, 6, 9)]
