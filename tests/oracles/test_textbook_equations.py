"""Equations of textbooks come out of joint coordinates by simplification, sign by sign."""

import pytest

import vincolo as vc

sp = pytest.importorskip("sympy")
m, M, h, g, J, A, C, k, c = sp.symbols("m M h g J A C k c", real=True)


def same(found, expected):
    """Sines and cosines as exponentials: what is equal cancels when it is multiplied out."""
    assert sp.expand((found - expected).rewrite(sp.exp)) == 0, (found, expected)


def same_matrices(found, expected):
    for a, b in zip(found, sp.Matrix(expected), strict=True):
        same(a, b)


def test_pendulum_on_a_cart():
    """(M + m) x'' + m h (theta'' cos theta - theta'^2 sin theta) = -k x, and
    (J + m h^2) theta'' + m h x'' cos theta = -m g h sin theta - c theta', theta counted from hanging."""
    model = vc.Model("cart", gravity=(0, -9.81, 0))
    cart, rod = model.body("cart", 2.0, 1.0), model.body("rod", 0.5, (0.02, 0.0, 0.02), at=(0, -0.7, 0))
    rail = model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis="x")
    pin = model.revolute("pin", cart, rod, at=(0, 0, 0), axis="z")
    model.spring("spring", rail["travel"], k=30.0, length=0.0)
    model.spring("damper", pin["angle"], k=0.0, c=0.1)
    eqs = vc.equations(model, coordinates="joint", symbols={
        "cart.mass": "M", "rod.mass": "m", "rod.inertia.zz": "J", "pin.b.y": h, "gravity.y": -g, "spring.k": "k",
        "damper.c": "c", "rail.travel": "x", "pin.angle": "theta"})
    x, theta, dtheta = eqs.q[0], eqs.q[1], eqs.u[1]
    assert [str(s) for s in (*eqs.q, *eqs.u, *eqs.accelerations)] == [
        "x", "theta", "xdot", "thetadot", "xddot", "thetaddot"]
    assert not eqs.rows
    same_matrices(eqs.M, [[M + m, m * h * sp.cos(theta)], [m * h * sp.cos(theta), J + m * h**2]])
    same_matrices(eqs.Q, [m * h * dtheta**2 * sp.sin(theta) - k * x, -m * g * h * sp.sin(theta) - c * dtheta])


def test_spinning_top_in_euler_angles():
    """Symmetric top on its tip, phi theta psi about z, x, z, A about the tip across the axis, C along it:
    A (theta'' - phi'^2 sin cos) + C (psi' + phi' cos) phi' sin = m g h sin theta; p_psi and p_phi are conserved."""
    model = vc.Model("top", gravity=(0, 0, -9.81))
    top = model.body("top", 2.0, (0.3, 0.3, 0.1), at=(0, 0, 0.4))
    model.spherical("tip", model.ground, top, at=(0, 0, 0))
    eqs = vc.equations(model, coordinates="joint", angles="zxz", symbols={
        "top.mass": "m", "top.inertia.xx": A - m * h**2, "top.inertia.yy": A - m * h**2, "top.inertia.zz": "C",
        "tip.b.z": -h, "gravity.z": -g, "tip.turn1": "phi", "tip.turn2": "theta", "tip.turn3": "psi"})
    theta, (dphi, dtheta, dpsi) = eqs.q[1], eqs.u
    s, co = sp.sin(theta), sp.cos(theta)
    same_matrices(eqs.M, [[A * s**2 + C * co**2, 0, C * co], [0, A, 0], [C * co, 0, C]])
    spin = dpsi + dphi * co
    same_matrices(eqs.Q, [-(2 * A - 2 * C) * s * co * dphi * dtheta + C * s * dtheta * dpsi,
                          A * dphi**2 * s * co - C * spin * dphi * s + m * g * h * s,
                          C * s * dtheta * dphi])


def test_four_bar_by_loop_closure():
    """a cos t1 + b cos(t1 + t2) = d + e cos t4 and the same with sines, angles between neighbours."""
    a, b, d, e = sp.symbols("a b d e", real=True)
    model = vc.Model("four-bar", gravity=(0, -9.81, 0))
    crank = model.body("crank", 1.0, 0.1, at=(0, 0, 0))
    coupler = model.body("coupler", 1.0, 0.1, at=(0.3, 0, 0))
    rocker = model.body("rocker", 1.0, 0.1, at=(1.0, 0, 0))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("P", crank, coupler, at=(0.3, 0, 0), axis="z")
    model.revolute("R", model.ground, rocker, at=(1.0, 0, 0), axis="z")
    pins = coupler.frame((1.2, 0, 0), z="z", x="x"), rocker.frame((1.2, 0, 0), z="z", x="x")
    model.revolute("Q", *pins)
    eqs = vc.equations(model, coordinates="joint", symbols={
        "P.a.x": "a", "Q.a.x": "b", "Q.b.x": "e", "R.a.x": "d", "O.angle": "t_1", "P.angle": "t_2", "R.angle": "t_4"})
    t1, t2, t4 = eqs.q
    assert eqs.row_names[:2] == ["Q (force along x)", "Q (force along y)"]
    # the closure stands in axes of the coupler; turned into the world it is the textbook's
    turn = sp.Matrix([[sp.cos(t1 + t2), -sp.sin(t1 + t2)], [sp.sin(t1 + t2), sp.cos(t1 + t2)]])
    closure = [d + e * sp.cos(t4) - a * sp.cos(t1) - b * sp.cos(t1 + t2),
               e * sp.sin(t4) - a * sp.sin(t1) - b * sp.sin(t1 + t2)]
    same_matrices(turn * eqs.Psi[:2, :], closure)
    same_matrices(eqs.Psi[2:, :], [0, 0, 0])  # what a plane in space holds besides: redundant
    jacobian = sp.Matrix(closure).jacobian([t1, t2, t4])
    # of the coupler's axes, which turn; zero where the loop is closed
    turning = sp.Matrix([[closure[1]] * 2 + [0], [-closure[0]] * 2 + [0]])
    same_matrices(turn * eqs.Psi_q[:2, :], jacobian + turning)


def test_double_pendulum_of_two_points():
    """The planar double pendulum in relative angles, as in any textbook."""
    m2, l2 = sp.symbols("m_2 l_2", real=True)
    model = vc.Model("double", gravity=(0, -9.81, 0))
    one = model.body("one", 1.0, (0.0, 0.0, 0.0), at=(0, -1, 0))
    two = model.body("two", 2.0, (0.0, 0.0, 0.0), at=(0, -2.5, 0))
    model.revolute("O", model.ground, one, at=(0, 0, 0), axis="z")
    model.revolute("P", one, two, at=(0, -1, 0), axis="z")
    eqs = vc.equations(model, coordinates="joint", symbols={
        "one.mass": "m", "two.mass": "m_2", "O.b.y": h, "P.b.y": l2, "gravity.y": -g, "O.angle": "a", "P.angle": "b"})
    a, b = eqs.q
    da, db = eqs.u
    mixed = m2 * l2**2 + m2 * h * l2 * sp.cos(b)
    same_matrices(eqs.M, [[m * h**2 + m2 * (h**2 + l2**2 + 2 * h * l2 * sp.cos(b)), mixed], [mixed, m2 * l2**2]])
    n = m2 * h * l2 * sp.sin(b)
    same_matrices(eqs.Q, [n * (2 * da * db + db**2) - (m + m2) * g * h * sp.sin(a) - m2 * g * l2 * sp.sin(a + b),
                          -n * da**2 - m2 * g * l2 * sp.sin(a + b)])
