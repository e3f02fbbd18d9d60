"""Formulations on the examples of those who wrote about them: Oldani (2010) and Vita (about 2005)."""

import numpy as np
import pytest

import bricard
import five_bar
import slider_crank
import vincolo as vc
from formulations import EVERY, EXACT, PENALTY, in_coordinates
from linkages import equal_slider_crank
from vincolo.solvers.formulations import COORDINATES, ELIMINATIONS, FORMS, PSEUDOINVERSES, RENEWALS

G = 9.81


def bar_on_two_supports(push=2.0, mass=1.0):
    """Oldani (2010), 2.5.5: a bar held across at both ends, one of the two rows redundant once it cannot turn."""
    model = vc.Model("bar", gravity=(0, 0, 0))
    bar = model.body("bar", mass, 1.0)
    model.planar("plane", model.ground, bar, at=(0, 0, 0), axis="z")
    model.hold("left", vc.along_world("y", model.ground.frame((0, 0, 0)), bar.frame((0, 0, 0))), 0.0)
    model.hold("right", vc.along_world("y", model.ground.frame((0, 0, 0)), bar.frame((0, 0, 0))), 0.0)
    model.force("push", bar, (0, push, 0))
    return vc.assemble(model)


def passes_wanted(alpha, mass=1.0, push=2.0):
    """y'' after n passes is (m / (m + 2 alpha))^n Fy / m: the first n with |y''| < 1e-12."""
    n = 1
    while push / mass * (mass / (mass + 2 * alpha)) ** n >= 1e-12:
        n += 1
    return n


@pytest.mark.parametrize(("alpha", "published"), [(0.4, 48), (0.6, 35), (0.9, 27), (10.0, 9), (1e3, 3)])
def test_redundant_bar_converges_by_m_over_m_plus_two_alpha(alpha, published):
    """The closed form gives y'' < 1e-12 after the pass `published`, counted from zero. The kernel stops when a change
    is below its tolerance; a change is (1 - ratio) / ratio of what is left, which shifts the passes by a few."""
    ratio = 1 / (1 + 2 * alpha)
    assert passes_wanted(alpha) - published in (0, 1)
    state = bar_on_two_supports()
    found = state.solve(vc.AugmentedLagrangian(alpha=alpha, tolerance=1e-12, iterations=200))
    shift = np.log((1 - ratio) / ratio) / np.log(1 / ratio)
    assert found.iterations == pytest.approx(passes_wanted(alpha) + shift, abs=1.5)
    assert found.acceleration[0, 1] == pytest.approx(0, abs=1e-11)
    assert found.lam[-2:] == pytest.approx([1.0, 1.0], abs=1e-9)  # Fy / 2 each


@pytest.mark.parametrize("formulation", EVERY)
def test_redundant_bar_shares_its_load(formulation):
    """lam = Fy / 2 in each support (the exact solution; Oldani's iteration formula 2.126 is not that of his method)."""
    state = bar_on_two_supports()
    if formulation.startswith("Lagrange"):
        with pytest.raises(vc.SimulationError, match="singular"):
            state.solve(EVERY[formulation])
        return
    found = state.solve(EVERY[formulation])
    assert found.acceleration == pytest.approx(np.zeros((1, 6)), abs=1e-10)
    assert found.lam[-2:].sum() == pytest.approx(2.0, abs=1e-8)
    if formulation not in PENALTY:
        assert found.lam[-2:] == pytest.approx([1.0, 1.0], abs=1e-7)


@pytest.mark.parametrize(("joint", "rows", "rank"), [("spherical", 31, 31), ("revolute", 37, 35)])
def test_rows_of_oldanis_slider_crank_in_natural_coordinates(joint, rows, rank):
    """36 coordinates; two rows too many with revolutes."""
    J = vc.assemble(slider_crank.build(joint)).equations("natural").J
    assert J.shape == (rows, 36) and np.linalg.matrix_rank(J, tol=1e-9) == rank


@pytest.mark.parametrize(("build", "shape", "redundant"), [
    (lambda: equal_slider_crank(np.pi / 6), (23, 21), 3), (five_bar.build, (34, 28), 7),
], ids=["slider-crank", "five-bar"])
def test_rows_of_vitas_mechanisms_in_euler_parameters(build, shape, redundant):
    J = vc.assemble(build()).equations("euler_parameters").J
    assert J.shape == shape and np.linalg.matrix_rank(J, tol=1e-9) == shape[0] - redundant


def bar_pendulum(angle, speed, L=1.0, mass=1.0, inertia=0.1, gravity=G):
    """Vita's simple pendulum: a bar of 2 L hinged at its end, its centre at L from the hinge."""
    model = vc.Model("pendulum", gravity=(0, -gravity, 0))
    tip = np.array([np.cos(angle), np.sin(angle), 0])
    bar = model.body("bar", mass, [0.05, 0.08, inertia], at=L * tip, angular_velocity=(0, 0, speed),
                     velocity=L * speed * np.array([-tip[1], tip[0], 0]))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="z")
    return vc.assemble(model)


@pytest.mark.parametrize("formulation", EXACT)
def test_simple_pendulum_obeys_its_reduced_equation(formulation):
    """Vita, 2.56: (m L^2 + Ig) p'' + m g L cos q = 0, with q'' in the centre by L (-s q'' - c q'^2, c q'' - s q'^2)."""
    q, speed, L, m, inertia = np.pi / 4, 1.5, 0.8, 1.3, 0.12
    found = bar_pendulum(q, speed, L, m, inertia).solve(EXACT[formulation]).acceleration[0]
    turn = -m * G * L * np.cos(q) / (m * L**2 + inertia)
    c, s = np.cos(q), np.sin(q)
    exact = [L * (-s * turn - c * speed**2), L * (c * turn - s * speed**2), 0, 0, 0, turn]
    assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("kind", PSEUDOINVERSES)
@pytest.mark.parametrize("coordinates", ["twist", "natural"])
def test_udwadia_and_kalabas_pendulum(kind, coordinates):
    """Vita's example 1 of 2.57 to 2.67 with m = 1, IG = 0.1, L = 1 at -45 degrees from rest; her printed accelerations
    are sqrt 2 too large, these follow from the reduced equation."""
    found = bar_pendulum(-np.pi / 4, 0.0).solve(vc.UdwadiaKalaba(pseudoinverse=kind, coordinates=coordinates))
    assert found.acceleration[0, [0, 1, 5]] == pytest.approx([-4.4591, -4.4591, -6.3061], abs=5e-5)


@pytest.mark.parametrize("by", ELIMINATIONS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_partitioning_formulas(by, coordinates):
    """Vita, 2.11 to 2.17, from blocks of the matrices for a choice of dependent coordinates of our own."""
    state = vc.assemble(slider_crank.build("spherical"))
    e = state.equations(coordinates)
    n, m = len(e.Q), len(e.gamma)
    order = pivots(e.J)
    u, v = order[:m], order[m:]
    inverse = np.linalg.inv(e.J[:, u])
    H = inverse @ e.J[:, v]
    M = e.M
    mass = M[np.ix_(v, v)] - M[np.ix_(v, u)] @ H - H.T @ (M[np.ix_(u, v)] - M[np.ix_(u, u)] @ H)
    held = inverse @ e.gamma
    force = e.Q[v] - M[np.ix_(v, u)] @ held - H.T @ (e.Q[u] - M[np.ix_(u, u)] @ held)
    acceleration = np.zeros(n)
    acceleration[v] = np.linalg.solve(mass, force)
    acceleration[u] = inverse @ (e.gamma - e.J[:, v] @ acceleration[v])
    lam = inverse.T @ (e.Q[u] - M[np.ix_(u, v)] @ acceleration[v] - M[np.ix_(u, u)] @ acceleration[u])
    found = state.solve(vc.CoordinatePartitioning(by=by, coordinates=coordinates))
    assert found.lam == pytest.approx(lam[:len(found.lam)], abs=1e-8)
    per_body = n // 3
    centres = np.concatenate([acceleration[per_body * k: per_body * k + 3] for k in range(3)])
    assert found.acceleration[:, :3].ravel() == pytest.approx(centres, abs=1e-8)


def pivots(J):
    """Columns in the order of QR with pivoting: the first are independent."""
    from scipy.linalg import qr

    return qr(J, pivoting=True, mode="r")[1]


@pytest.mark.parametrize("renew", RENEWALS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_qtz_swings_vitas_five_bar(form, renew, coordinates):
    """273.195 th'' = -3060.72 cos th on 7 redundant rows: th is -1.6013949337 after 0.5 s, -2.3539337705 after 1 s."""
    step = 0.005 if renew == "rank" else 0.01  # coordinates kept for long bend the motion more
    result = vc.simulate(five_bar.build(), 1.0, outputs=2, integrator=vc.RK4(step=step),
                         formulation=vc.QTZ(form=form, renew=renew, coordinates=coordinates))
    # RK4 with 0.01 s is 1e-7 off
    assert result["left foot.angle"] - np.pi / 4 == pytest.approx([-np.pi / 4, -1.6013949337, -2.3539337705], abs=1e-6)


def test_a_kept_decomposition_serves_many_steps():
    """Renewed only with the rank: once. Renewed whenever the velocities leave the old kernel: more often."""
    counts = [vc.simulate(five_bar.build(), 1.0, outputs=2, integrator=vc.RK4(step=0.01),
                          formulation=vc.QTZ(renew=renew)).statistics["decompositions"] for renew in ("rank", "alpha")]
    assert counts[0] <= 2 < counts[1] < 60


@pytest.mark.parametrize("formulation", [*in_coordinates("twist"), "null space qr, natural"])
def test_bricards_loop_turns_alike(formulation):
    """Its one redundant row is redundant only while the loop is closed: open by as much as a stage of RK4, it looks
    independent, and counted so it would lock the loop."""
    system = vc.compile(bricard.build())
    exact = vc.simulate(system, 0.3, outputs=1, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    found = vc.simulate(system, 0.3, outputs=1, integrator=vc.RK4(step=5e-3), formulation=EXACT[formulation])
    assert found.complete, found.reason
    for body in system.body_numbers:
        assert found[f"{body}.x"] == pytest.approx(exact[f"{body}.x"], abs=1e-5)


@pytest.mark.parametrize("formulation", [f for f in EVERY if "QTZ" not in f or "alpha" in f])
@pytest.mark.parametrize("inertia", [[0.1, 0.2, 0.3], [0.1, 0.7, 0.1 + 0.7]], ids=["flat", "flat but for rounding"])
def test_flat_bodies_swing_too(formulation, inertia):
    """I_z = I_x + I_y: in natural coordinates the third axis has no mass, but rows hold it."""
    model = vc.Model("plate", gravity=(0, -G, 0))
    plate = model.body("plate", 2.0, inertia, at=(0.3, 0, 0))
    model.revolute("O", model.ground, plate, at=(0, 0, 0), axis="z")
    if formulation.startswith("Udwadia-Kalaba") and formulation.endswith("natural"):
        with pytest.raises(vc.ModelError, match="'plate' has no extent along some axis"):
            vc.assemble(model).solve(EVERY[formulation])
        return
    found = vc.assemble(model).solve(EVERY[formulation]).acceleration[0, 5]
    assert found == pytest.approx(-2 * G * 0.3 / (inertia[2] + 2 * 0.3**2), rel=1e-9)
