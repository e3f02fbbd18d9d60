"""Dual momentum and Newton-Euler against the multibody kernel; spatial linkages by dual closure against multibody
kinematics, over a whole turn."""

import numpy as np
import pytest

import vincolo as vc
from vincolo import dual
from vincolo.dual import Dual
from vincolo.model.geometry import matrix_of

TURN = np.linspace(0, 2 * np.pi, 73)


def test_the_dual_equation_gives_the_force_that_moved_the_body():
    model = vc.Model("thrown", gravity=(0, 0, 0))
    J = [[0.5, 0.02, -0.03], [0.02, 0.7, 0.05], [-0.03, 0.05, 0.4]]
    com, local, F, M = (0.1, -0.2, 0.3), np.array([0.4, 0.1, -0.2]), (3.0, -2.0, 5.0), (0.3, 0.7, -0.2)
    body = model.body("stone", 2.0, J, at=(0.2, 0.1, 0.5), orientation=[0.5, 0.5, -0.5, 0.5], com=com,
                      velocity=(1, -2, 0.5), angular_velocity=(0.7, -1.1, 2.0))
    model.force("push", body.frame(local=local), F, axes="body")
    model.torque("twist", body, M, axes="body")
    result = vc.simulate(model, 0.3, outputs=3)
    inertia = dual.DualInertia.of(2.0, com, J)
    for k in range(len(result)):
        R = matrix_of(np.array([result[f"stone.{e}"][k] for e in ("e0", "e1", "e2", "e3")]))
        w, v, alpha, a = (R.T @ [result[f"stone.{kind}{axis}"][k] for axis in "xyz"]
                          for kind in ("w", "v", "alpha_", "a"))
        V = dual.twist(w, v)
        rate = dual.twist(alpha, a - np.cross(w, v))  # of the components in body axes
        needed = inertia.wrench(V, rate)
        assert needed.isclose(dual.wrench(F, np.cross(local, F) + M), 1e-10)
        assert inertia.energy(V) == pytest.approx(result["energy.kinetic"][k], rel=1e-12)
        assert dual.power(needed, V) == pytest.approx(np.dot(F, v + np.cross(w, local)) + np.dot(M, w), rel=1e-10)


def rccc():
    """The general RCCC linkage: four dual angles between its axes."""
    alphas = [Dual(1.5, 0.3), Dual(1.7, -0.2), Dual(1.45, 0.15), Dual(0.3, 0.25)]
    kinds = {"A": "revolute", "B": "cylindrical", "C": "cylindrical", "D": "cylindrical"}
    return (dual.Loop(kinds, [dual.rotation_x(alpha) for alpha in alphas]),
            {"B.angle": 1.5, "C.angle": 1.4, "D.angle": 0.7})


def bennett():
    """Two pairs of equal links with a / sin(alpha) = b / sin(beta): movable though its count of freedom is -2."""
    a, b, alpha = 0.3, 0.5, 0.6
    links = [dual.rotation_x(Dual(alpha, a)), dual.rotation_x(Dual(np.arcsin(b / a * np.sin(alpha)), b))] * 2
    return dual.Loop(dict.fromkeys("ABCD", "revolute"), links), {"B.angle": 2.5, "C.angle": 0.1, "D.angle": -2.5}


def rssr():
    """A crank of 0.1 m and a rocker of 0.4 m about crossed axes, with a rod of 0.9 m between balls."""
    ground = dual.inv(dual.frame(vc.Rotation.axis_angle("x", np.pi / 2).matrix, (0.6, 0.5, 0.2)))
    links = [dual.frame(np.eye(3), (0.1, 0, 0)), dual.frame(np.eye(3), (0.9, 0, 0)),
             dual.frame(np.eye(3), (-0.4, 0, 0)), ground]
    return (dual.Loop({"A": "revolute", "B": "spherical", "C": "spherical", "D": "revolute"}, links),
            {"B.z": 0.5, "C.z": -1.0, "D.angle": 0.2})


@pytest.mark.parametrize(("linkage", "watched"), [
    (rccc, ("B.angle", "B.travel", "C.angle", "C.travel", "D.angle", "D.travel")),
    (bennett, ("B.angle", "C.angle", "D.angle")), (rssr, ("D.angle",))])
def test_dual_closure_is_the_multibody_motion_over_a_turn(linkage, watched):
    loop, guess = linkage()
    start = loop.close({"A.angle": 0.0}, guess)
    model = dual.linkage(loop, start)
    model.drive("A.angle", "t")
    seen = vc.kinematics(model, outputs=TURN)
    found = loop.follow({"A.angle": TURN}, start.coordinates)
    assert found.closed.all()
    rates = loop.rates(found, {"A.angle": 1.0})
    seconds = loop.accelerations(found, rates, {"A.angle": 0.0})
    for name in watched:
        assert np.abs(found[name] - seen[name]).max() < 1e-10
        assert np.abs(rates[name] - seen[f"{name}.rate"]).max() < 1e-10
        assert np.abs(seconds[name] - seen[f"{name}.acceleration"]).max() < 1e-10


def test_the_bennett_linkage_keeps_its_closed_law():
    """tan(A / 2) tan(B / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2) (Bennett, 1903), up to sign."""
    loop, guess = bennett()
    alpha, beta = 0.6, np.arcsin(0.5 / 0.3 * np.sin(0.6))
    found = loop.follow({"A.angle": np.linspace(0.3, 2.8, 20)}, guess)
    product = np.tan(found["A.angle"] / 2) * np.tan(found["B.angle"] / 2)
    assert np.abs(np.abs(product) - np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)).max() < 1e-10


def test_thousands_of_loops_are_closed_together():
    loop, guess = rccc()
    rng = np.random.default_rng(1)
    many = dual.Loop(loop.joints, [link @ dual.rotation_x(Dual(*(1e-3 * rng.standard_normal((2, 3000)))))
                                   for link in loop.links])
    found = many.close({"A.angle": rng.uniform(0, 1, 3000)}, guess)
    assert found.closed.all() and found["D.travel"].shape == (3000,)
    one = dual.Loop(loop.joints, [link[7] for link in many.links])
    alone = one.close({"A.angle": found["A.angle"][7]}, guess)
    assert alone["D.travel"] == pytest.approx(found["D.travel"][7], abs=1e-12)
