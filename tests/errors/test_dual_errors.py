"""Dual numbers, lines and loops that cannot be: every message says why."""

import numpy as np
import pytest

import vincolo as vc
from vincolo import dual
from vincolo.dual import Dual


@pytest.mark.parametrize(("work", "words"), [
    (lambda: Dual("one"), "numbers, lists of numbers"), (lambda: Dual([1.0, [2.0]]), "numbers, lists of numbers|shape"),
    (lambda: Dual(None), "numbers, lists of numbers"),
    (lambda: Dual([1, 2], [1, 2, 3]), r"real part has shape \(2,\), the dual part \(3,\)"),
    (lambda: Dual(Dual(1, 2), 3), "is itself dual"),
    (lambda: 1 / dual.eps, "without a real part"), (lambda: Dual([1.0, 0.0], 1) ** -1, "power -1"),
    (lambda: Dual(0.0, 1).parameter, "no inverse"),
    (lambda: np.sqrt(Dual(-1.0, 1.0)), r"sqrt\(\).*smooth"), (lambda: np.log(Dual(0.0, 1.0)), r"log\(\).*smooth"),
    (lambda: np.arcsin(Dual(1.0, 1.0)), r"arcsin\(\)"), (lambda: np.arctan2(dual.eps, 0.0), "without real parts"),
    (lambda: dual.line((0, 0, 0)), "points nowhere"), (lambda: dual.line((np.nan, 0, 1)), "points nowhere"),
    (lambda: dual.screw_of(Dual(np.zeros(3))), "no axis"),
    (lambda: dual.inv(Dual(np.zeros((3, 3)), np.eye(3))), "singular"),
    (lambda: dual.det(Dual(np.zeros((2, 3)))), r"square matrices.*\(2, 3\)"),
    (lambda: dual.roots([1.0, -2.0, 1.0]), "two of them are the same"), (lambda: dual.roots([1.0]), "two coefficients"),
    (lambda: dual.eig(np.eye(3)), "two of them are the same"),
    (lambda: dual.motion_screw(2 * np.eye(3)), "not a displacement"),
    (lambda: dual.from_points((0, 0, 0), (1, 0, 1), (0, 0, 1)), "right angles"),
    (lambda: dual.DualInertia.of(-1.0, (0, 0, 0), 1.0), "must not be negative"),
    (lambda: dual.DualInertia.of(1.0, (0, 0, 0), (1, 1, 5)), "triangle"),
    (lambda: dual.Loop({"A": "revolute", "B": "revolute"}, [np.eye(3)] * 2), "three of them at least"),
    (lambda: dual.Loop(dict.fromkeys("ABC", "hinge"), [np.eye(3)] * 3), "one of: revolute"),
])
def test_what_cannot_be_is_refused_in_words(work, words):
    with pytest.raises(vc.ModelError, match=f"(?s){words}"):
        work()


def test_dual_numbers_have_no_order():
    with pytest.raises(TypeError):
        assert Dual(1.0, 2.0) < Dual(2.0, 0.0)


def triangle(side):
    """Three hinges with parallel axes: a rigid triangle of sides 1, 1 and the one given."""
    return dual.Loop(dict.fromkeys("ABC", "revolute"), [dual.frame(np.eye(3), (a, 0, 0)) for a in (1.0, 1.0, side)])


def test_a_loop_that_cannot_be_closed_says_so_and_coordinates_are_named():
    assert triangle(1.0).close({}, {"A.angle": 2.0, "B.angle": 2.0, "C.angle": 2.0}).closed
    far = triangle(3.0).close({}, {"A.angle": 2.0, "B.angle": 2.0, "C.angle": 2.0})
    assert not far.closed and far.residual > 0.3
    with pytest.raises(vc.ModelError, match=r"no coordinate 'A.angel'. Did you mean 'A.angle'"):
        triangle(1.0).close({"A.angel": 0.0}, {})
    with pytest.raises(vc.ModelError, match="one closed position is needed"):
        dual.linkage(triangle(3.0), far)
