"""What must hold for dual numbers, vectors and matrices: a dual function carries the derivative, by numbers and by
SymPy; lines and displacements keep what makes them such."""

import numpy as np
import pytest
import sympy as sp

from vincolo import dual
from vincolo.dual import Dual, eps
from vincolo.dual.elementary import ELEMENTARY

T, S = sp.symbols("t s", positive=True)
#: real parts at which each function is smooth
PLACES = dict.fromkeys(ELEMENTARY, 0.37) | {"arccosh": 1.7}


def complex_slope(function, x):
    """f'(x) by a complex step, which loses no digits."""
    return np.imag(function(x + 1e-30j)) / 1e-30


@pytest.mark.parametrize("name", [n for n in ELEMENTARY if n not in ("absolute", "cbrt")])
def test_a_dual_function_is_the_function_with_its_derivative(name):
    x = PLACES[name]
    found = getattr(np, name)(Dual(x, 1.3))
    assert found.real == getattr(np, name)(x)
    assert found.dual == pytest.approx(1.3 * complex_slope(getattr(np, name), x), rel=1e-14)


def test_functions_without_a_complex_step_have_their_derivatives_too():
    assert np.cbrt(Dual(8.0, 3.0)).dual == pytest.approx(0.25) and abs(Dual(-2.0, 3.0)) == Dual(2.0, -3.0)


@pytest.mark.parametrize("name", [n for n in ELEMENTARY if n != "absolute"])
def test_sympy_entries_give_the_symbolic_derivative(name):
    plain = {"exp2": 2**T, "expm1": sp.exp(T) - 1, "log1p": sp.log(1 + T), "log2": sp.log(T, 2),
             "log10": sp.log(T, 10), "square": T**2, "reciprocal": 1 / T}
    other = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
             "arctanh": "atanh"}
    expected = plain[name] if name in plain else getattr(sp, other.get(name, name))(T)
    found = getattr(np, name)(Dual(T, S))
    at = {T: PLACES[name], S: 1.3}
    assert complex(found.real.subs(at)) == pytest.approx(complex(expected.subs(at)), rel=1e-14)
    slope = complex((S * sp.diff(expected, T)).subs(at))
    assert complex(sp.sympify(found.dual).subs(at)) == pytest.approx(slope, rel=1e-13)


def random_dual(rng, *shape):
    return Dual(rng.standard_normal(shape), rng.standard_normal(shape))


def test_the_ring_has_its_laws():
    rng = np.random.default_rng(5)
    a, b, c = (random_dual(rng, 40) for _ in range(3))
    assert ((a + b) * c).isclose(a * c + b * c, 1e-14) and (a * b).isclose(b * a, 0) and (a * b / b).isclose(a, 1e-12)
    assert (a - a).isclose(0.0, 0) and (a == a).all() and not (a == b).any()
    assert (eps * eps).real == 0 and (eps * eps).dual == 0 and (a**3).isclose(a * a * a, 1e-13)
    assert (2.0 ** a).isclose(np.exp(a * np.log(2.0)), 1e-13) and (a**0).isclose(1.0, 0)
    assert np.hypot(a, b).isclose(np.sqrt(a * a + b * b), 1e-14)
    assert (np.abs(a) ** b).isclose(np.exp(b * np.log(np.abs(a))), 1e-12)


def test_angles_come_back_from_sine_and_cosine():
    angle = Dual(np.linspace(-3.1, 3.1, 50), np.linspace(-2, 2, 50))
    assert np.arctan2(np.sin(angle), np.cos(angle)).isclose(angle, 1e-14)
    assert (np.sin(2 * angle) - 2 * np.sin(angle) * np.cos(angle)).isclose(0, 1e-14)
    assert (np.tan(angle / 2) * np.sin(angle) - (1 - np.cos(angle))).isclose(0, 1e-13)


def test_arrays_broadcast_and_numpy_functions_act_on_both_parts():
    rng = np.random.default_rng(8)
    A, v = random_dual(rng, 5, 3, 3), random_dual(rng, 3)
    assert (A @ v).shape == (5, 3) and (A + np.arange(3.0)).shape == (5, 3, 3)
    assert np.einsum("kij,j->ki", A, v).isclose(A @ v, 1e-14)
    assert np.concatenate([v, v]).shape == (6,) and np.sum(A, axis=0).isclose(A.sum(0), 0)
    assert np.where([True, False, True], v, 0.0)[1] == 0.0
    both = np.stack([v, np.ones(3)])
    assert both[0].isclose(v, 0) and both[1].isclose(np.ones(3), 0)
    assert np.cross(v, v).isclose(0, 1e-15) and np.array([1.0, 2.0, 3.0]) @ A[0] is not None
    assert (np.arange(3.0) * v).isclose(v * np.arange(3.0), 0)


def test_inverse_determinant_and_eigenvalues_are_those_of_the_real_matrix_and_its_slope():
    rng = np.random.default_rng(3)
    A = random_dual(rng, 6, 4, 4)
    assert (dual.inv(A) @ A).isclose(np.eye(4), 1e-11)
    slope = np.array([np.linalg.det(a.real) * np.trace(np.linalg.solve(a.real, a.dual)) for a in A])  # Jacobi
    assert np.abs(dual.det(A).dual - slope).max() < 1e-12
    assert (A @ dual.solve(A, A[:, :, 0])[..., None])[..., 0].isclose(A[:, :, 0], 1e-11)
    values, vectors = dual.eig(A[0])
    assert (A[0] @ vectors - vectors * values).isclose(0, 1e-12)
    own = np.sqrt((vectors.real.conj() * vectors.real).sum(0))
    assert np.abs(own - 1).max() < 1e-12 and np.abs(np.real((vectors.real.conj() * vectors.dual).sum(0))).max() < 1e-12


def test_roots_of_a_dual_polynomial_are_roots():
    p = Dual([2.0, -3.0, 1.0, 5.0, -1.0], [0.3, -1.0, 2.0, 0.1, 4.0])
    x = np.roots(p)
    value = Dual(np.zeros(4, complex))
    for c in p:
        value = value * x + c
    assert value.isclose(0, 1e-12)


def random_line(rng):
    return dual.line(rng.standard_normal(3), rng.standard_normal(3))


def test_products_of_lines_are_their_dual_angle_and_common_perpendicular():
    rng = np.random.default_rng(2)
    for _ in range(20):
        A = dual.frame(np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.standard_normal(3))
        a, angle = random_line(rng), Dual(rng.uniform(0.1, 3.0), rng.uniform(-2, 2))
        foot = dual.screw_of(a).point + 0.7 * a.real  # a line that meets a at right angles
        across = dual.line(np.cross(a.real, rng.standard_normal(3)), foot)
        b = dual.rodrigues(across, angle) @ a
        assert dual.dot(a, b).isclose(np.cos(angle), 1e-12) and dual.cross(a, b).isclose(across * np.sin(angle), 1e-12)
        assert dual.angle_between(a, b).isclose(angle, 1e-11) and dual.dot(b, b).isclose(1.0, 1e-12)
        assert dual.dot(A @ a, A @ b).isclose(dual.dot(a, b), 1e-12)  # whatever the axes


def test_parallel_and_coaxial_lines_have_their_own_rules():
    a, b = dual.line((0, 0, 2), (1, 0, 0)), dual.line((0, 0, 1), (1, 3, 0))
    assert dual.screw_of(dual.cross(a, b)).pitch == np.inf
    assert dual.cross(a, b).real.any() == 0 and np.allclose(np.abs(dual.cross(a, b).dual), (0, 3, 0))
    assert dual.angle_between(a, b).isclose(Dual(0.0, 3.0), 1e-15) and dual.cross(a, a).isclose(0, 0)


def test_a_screw_is_read_as_it_was_made_and_moves_with_its_pole():
    V = dual.screw((1, 2, 2), (0.5, -0.3, 0.2), pitch=0.4, modulus=3.0)
    found = dual.screw_of(V)
    assert found.pitch == pytest.approx(0.4) and found.modulus == pytest.approx(3.0)
    assert np.cross(found.point - (0.5, -0.3, 0.2), found.direction) == pytest.approx(np.zeros(3), abs=1e-14)
    there = dual.screw_of(dual.moved(V, (0.1, 0.2, 0.3)))
    assert there.pitch == pytest.approx(0.4)
    off = np.cross(there.point + (0.1, 0.2, 0.3) - found.point, found.direction)
    assert off == pytest.approx(np.zeros(3), abs=1e-14)
    assert dual.unit(V).isclose(dual.line((1, 2, 2), (0.5, -0.3, 0.2)), 1e-14)
    assert dual.screw_of(dual.wrench((0, 0, 0), (0, 2, 0))).pitch == np.inf


def test_every_displacement_is_one_screw_motion():
    rng = np.random.default_rng(4)
    turns = [*rng.uniform(0.05, 3.0, 20), np.pi, np.pi - 1e-9, 1e-4]
    for turn in turns:
        E, angle = random_line(rng), Dual(turn, rng.uniform(-2, 2))
        A = dual.rodrigues(E, angle)
        line, found = dual.motion_screw(A)
        assert dual.is_displacement(A, 1e-12) and dual.rodrigues(line, found).isclose(A, 1e-8)
        assert (A @ E).isclose(E, 1e-12)  # the eigen-screw of the eigenvalue one
        if turn < 3.1:
            assert found.isclose(angle, 1e-9) and line.isclose(E, 1e-8)
    line, found = dual.motion_screw(dual.frame(np.eye(3), (0, 3, 4)))
    assert found.isclose(Dual(0, 5.0), 1e-15) and np.allclose(line.real, (0, 0.6, 0.8))


def test_frames_of_points_rotations_and_denavit_hartenberg_agree():
    P = np.array([0.3, -0.2, 0.9])
    R = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    R = R * np.linalg.det(R)
    A = dual.from_points(P, P + R[:, 0], P + R[:, 2])
    assert A.isclose(dual.frame(R, P), 1e-14) and np.allclose(dual.origin(A), P, atol=1e-14)
    theta, alpha = Dual(0.4, 0.7), Dual(-1.1, 0.2)
    D = dual.denavit_hartenberg(theta, alpha)
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    rows = [[c, -ca * s, sa * s], [s, ca * c, -sa * c], [Dual(0.0), sa, ca]]
    assert D.isclose(dual.dual(rows), 1e-15)
    # the same step by a matrix of four by four: turn and slide along z, then along x
    p = np.array([0.2 * np.cos(0.4), 0.2 * np.sin(0.4), 0.7])
    assert np.allclose(dual.origin(D), p, atol=1e-15)


def test_symbolic_displacements_are_orthogonal():
    theta, s, alpha, a = sp.symbols("theta s alpha a", real=True)
    D = dual.denavit_hartenberg(Dual(theta, s), Dual(alpha, a))
    gap = D.T @ D
    assert sp.simplify(sp.Matrix(gap.real) - sp.eye(3)) == sp.zeros(3)
    assert sp.simplify(sp.Matrix(gap.dual)) == sp.zeros(3)
    assert sp.simplify(dual.det(D).real) == 1 and sp.simplify(dual.det(D).dual) == 0
    gap = (dual.inv(D) - D.T).dual
    at = {theta: 0.3, s: 0.7, alpha: 1.1, a: -0.4}
    assert np.abs(np.array(sp.Matrix(gap).subs(at), dtype=float)).max() < 1e-14
