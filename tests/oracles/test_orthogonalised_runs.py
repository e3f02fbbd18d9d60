"""QTZ orthogonalisation with Radau (Vita's default method), and her choice of the state form, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import vincolo as vc

ORTHOGONALISED = vc.QTZ(form="orthogonalised", limit=0.999, rank_tolerance=1e-10)


def radau(tolerance=1e-8):
    return vc.Radau(rtol=tolerance, atol=tolerance, index=3)


def run(model, until, tolerance=1e-8, formulation=ORTHOGONALISED, **options):
    return vc.simulate(model, until=until, formulation=formulation, integrator=radau(tolerance), **options)


def pendulum(k=0.0, c=0.0):
    m = vc.Model("pendulum", gravity=(0, 0, -9.81))
    bar = m.body("bar", 2.0, (0.01, 0.2, 0.2), at=(0.5, 0, 0))
    m.revolute("O", m.ground, bar, at=(0, 0, 0), axis="y")
    if k or c:
        m.spring("spring", "O.angle", k=k, c=c, length=0.0)
    return m


def parallelogram():
    """Three cranks: seven redundant rows."""
    m = vc.Model("parallelogram", gravity=(0, -9.81, 0))
    coupler = m.body("coupler", 2.0, 0.1, at=(1, 0.6, 0))
    for k in range(3):
        crank = m.body(f"crank{k}", 1.0, 0.02, at=(k + 0.4, 0.3, 0), orientation=vc.Rotation.axis_angle("z", 0.6435))
        crank_end = (k + 0.8, 0.6, 0)
        m.revolute(f"A{k}", m.ground, crank, at=(k, 0, 0), axis="z")
        m.revolute(f"B{k}", crank, coupler, at=crank_end, axis="z")
    return m


def swing(t, k=0.0, c=0.0):
    """(I + m r^2) q'' = m g r cos q - k q - c q'"""
    def slope(_, y):
        return [y[1], (2 * 9.81 * 0.5 * np.cos(y[0]) - k * y[0] - c * y[1]) / 0.7]
    return solve_ivp(slope, (0, t[-1]), [0, 0], "DOP853", t, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize(("k", "c"), [(0, 0), (30, 2)])
def test_a_pendulum_swings_as_its_equation_says(k, c):
    result = run(pendulum(k, c), 0.8, outputs=8)
    assert result.complete and len(result) == 9
    assert result["O.angle"] == pytest.approx(swing(result.t, k, c), abs=2e-7)  # the tolerance over a swing
    assert np.abs(result["energy.balance"]).max() < 1e-5
    assert result["residual.position"].max() < 1e-10 and result["residual.velocity"].max() < 1e-10


def test_errors_shrink_with_the_tolerance():
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        result = run(pendulum(), 0.5, tolerance, outputs=[0.5])
        errors.append(abs(result["O.angle"][-1] - swing(np.array([0.5]))[0]))
    assert errors[0] > 5 * errors[1] > 25 * errors[2]
    assert errors[2] < 1e-7


def test_stiff_forces_do_not_bound_the_steps():
    # a damper of 7e4 N m s: rates of 1e5 1/s, for which explicit steps would be some 3e-5 s
    result = run(pendulum(k=7.0, c=7e4), 1.0, 1e-6, outputs=4)
    assert result.complete and result.statistics["steps"] < 400
    assert result["O.angle"][-1] == pytest.approx(9.81 / 7e4, rel=1e-3)  # creeps with m g r/c


def test_redundant_joints_are_no_obstacle_and_stay_closed():
    # the coupler only translates: a crank of the inertia 3 (0.02 + 0.25) + 2
    first = vc.assemble(parallelogram())
    result = run(parallelogram(), 0.3, outputs=3)
    angle = np.arctan2(first["coupler.y"], first["coupler.x"] - 1 + 0.8)  # of the cranks, 1 m long
    moment = (3 * 0.5 + 2) * 9.81 / (3 * (0.02 + 0.25) + 2)
    found = solve_ivp(lambda _, y: [y[1], -moment * np.cos(y[0])], (0, 0.3), [0.6435, 0], "DOP853", result.t,
                      rtol=1e-12, atol=1e-13).y[0]
    assert angle == pytest.approx(0.6435, abs=1e-4)
    assert result["crank1.y"] == pytest.approx(np.sin(found) / 2, abs=1e-4)  # drawn to four digits
    assert result["residual.position"].max() < 1e-9
    assert result.mobility.redundant == 7


def test_the_same_motion_as_the_kernels_own_radau():
    mine, kernels = run(parallelogram(), 0.3, outputs=3), vc.simulate(parallelogram(), until=0.3, outputs=3,
                                                                      integrator=radau(1e-9))
    assert mine.y == pytest.approx(kernels.y, abs=1e-6)


def test_the_limit_says_how_often_it_is_decomposed():
    counts = [run(parallelogram(), 0.3, 1e-5, formulation=vc.QTZ(form="orthogonalised", limit=limit),
                  outputs=2).statistics["decompositions"] for limit in (0.5, 0.99, 1.0)]
    assert counts[0] < counts[1] < counts[2]


def test_the_rank_tolerance_decides_which_rows_are_redundant():
    # the third row is 1e-6 off the other two; rows of drives are taken first, however short
    from vincolo.solvers.qtz import Qtz

    J = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 1e-6]])
    ranks = []
    for tolerance in (1e-3, 1e-9):
        qtz = Qtz(np.array([False, False, True]), tolerance, 0.9)
        qtz.decompose(J)
        ranks.append(qtz.rank)
        assert np.linalg.norm(J[2] - qtz.Q1 @ (qtz.Q1.T @ J[2])) < 1e-15
    assert ranks == [2, 3]


def test_a_decomposition_follows_the_mechanism():
    # C J Q1h = 1, C J Q2h = 0, and J Q2h = 0 for all rows; also where the mechanism has moved on
    from vincolo.solvers.qtz import Qtz

    states = [vc.assemble(parallelogram(), given={"A0.angle": angle}) for angle in (0.0, 0.3)]
    J = [state.equations().J for state in states]
    qtz = Qtz(np.zeros(len(J[0]), dtype=bool), 1e-8, 0.9)
    qtz.decompose(J[0])
    for rows in J:
        qtz.update(rows)
        assert qtz.CJ @ qtz.Q1h == pytest.approx(np.eye(qtz.rank), abs=1e-10)
        assert np.abs(rows @ qtz.Q2h).max() < 1e-8
    assert qtz.rank == 23 and qtz.due(J[1], states[1].equations().u + 1.0)


def test_drives_corners_and_loads():
    m = pendulum(k=5.0, c=1.0)
    m.actuator("torque", "O.angle", vc.Expression("8*step(0.3 - t)"))
    m.actuator("kick", "O.angle", "(2 + d)*step(t - 0.5)")
    m.body("cart", 1.0, 0.1, at=(0, 1, 0))
    m.prismatic("rail", m.ground, m.bodies["cart"], at=(0, 1, 0), axis="x")
    m.drive("rail.travel", "0.1*sin(5*t)")
    result = run(m, 0.8, outputs=8)
    other = vc.simulate(m, until=0.8, outputs=8, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    for name in ("O.angle", "O.angle.rate", "cart.x", "rail.travel.drive.force", "energy.work"):
        assert result[name] == pytest.approx(other[name], abs=1e-5), name
    assert result.statistics["restarts"] == 2


def test_a_corner_that_nobody_foresees_is_crossed():
    # a spring that sets in where the angle passes 0.3 rad
    m = pendulum()
    m.law("stop", "O.angle", "40*max(d - 0.3, 0) + 3*step(d - 0.3)")
    result = run(m, 0.5, 1e-6, outputs=5)
    other = vc.simulate(m, until=0.5, outputs=5, integrator=vc.DOP853(rtol=1e-10, atol=1e-12))
    assert result.complete
    assert result["O.angle"] == pytest.approx(other["O.angle"], abs=1e-4)


def test_turns_are_counted():
    m = vc.Model(gravity=(0, 0, 0))
    wheel = m.body("wheel", 1.0, 0.1, angular_velocity=(0, 0, 20.0))
    m.revolute("A", m.ground, wheel, at=(0, 0, 0), axis="z")
    result = run(m, 2.0, 1e-6, outputs=5)
    assert result["A.angle"] == pytest.approx(20 * result.t, abs=1e-4)


@pytest.mark.parametrize(("integrator", "options", "stabilisation", "words"), [
    (vc.Radau(), {}, None, "index=3"), (vc.Radau(index=3), {"renew": "rank"}, None, "renew='alpha'"),
    (vc.Radau(index=3), {"coordinates": "natural"}, None, "twist"),
    (vc.Radau(index=3), {}, vc.Baumgarte(), "keeps positions itself"),
    (vc.BDF(), {}, None, "solves its own equations")])
def test_what_does_not_go_together_is_refused(integrator, options, stabilisation, words):
    with pytest.raises(vc.ModelError, match=words):
        vc.simulate(pendulum(), until=1.0, integrator=integrator, stabilisation=stabilisation,
                    formulation=vc.QTZ(form="orthogonalised", **options))


def test_a_run_that_ends_early_keeps_what_it_has():
    with pytest.warns(vc.SimulationWarning, match="max_steps"):
        result = run(pendulum(), 1.0, max_steps=5)
    assert not result.complete and 0 < len(result) < 200


# the state form


def driven():
    m = pendulum()
    m.drive("O.angle", "0.3*sin(4*t)")
    return m


@pytest.mark.parametrize("model", [pendulum, driven])
def test_the_state_form_is_chosen_by_the_freedoms_that_are_left(model):
    # minimal coordinates; independent accelerations where drives leave nothing free (Vita, 4.5.3)
    chosen = "independent_accelerations" if model is driven else "minimal"
    runs = [vc.simulate(model(), until=0.5, outputs=5, integrator=vc.DormandPrince(), stabilisation=vc.Projection(),
                        formulation=vc.QTZ(form=form)) for form in ("automatic", chosen)]
    assert np.array_equal(runs[0].y, runs[1].y)
    other = "minimal" if model is driven else "independent_accelerations"
    unlike = vc.simulate(model(), until=0.5, outputs=5, integrator=vc.DormandPrince(), stabilisation=vc.Projection(),
                         formulation=vc.QTZ(form=other))
    assert not np.array_equal(runs[0].y, unlike.y)
