"""Every formulation, in all coordinates, finds the accelerations and reactions of equations written a second time."""

from functools import cache

import numpy as np
import pytest

import vincolo as vc
from dense import dense, kernel_rows, speeds
from formulations import EVERY, EXACT, LAGRANGE, PENALTY
from mechanisms import build, moved_state, plans
from vincolo.model.geometry import matrix_of
from vincolo.solvers.formulation import Formulation
from vincolo.solvers.formulations import COORDINATES, PSEUDOINVERSES

PLANS = plans()
PLAN = pytest.mark.parametrize("name", PLANS)
COORDINATE = pytest.mark.parametrize("coordinates", COORDINATES)
SEEDS = range(2)
PLACES = [(name, seed) for name in PLANS for seed in SEEDS]


@cache
def at_random(name, seed):
    """A consistent state somewhere else with other velocities, the dense equations there, and their solution."""
    model = build(PLANS[name])
    system = vc.compile(model)
    guess = moved_state(vc.assemble(system), np.random.default_rng(seed))
    state = vc.assemble(system, guess=guess)
    exact = dense(model, state)
    return state, exact, exact.accelerations(), exact.reactions()


def redundant(plan):
    J = kernel_rows(vc.assemble(build(plan)))["J"]
    return np.linalg.matrix_rank(J, tol=1e-8) < len(J)


REDUNDANT = [name for name, plan in PLANS.items() if redundant(plan)]
INDEPENDENT = [name for name in PLANS if name not in REDUNDANT]


def family(kind):
    return {kind, *(k for sub in kind.__subclasses__() for k in family(sub))}


def test_the_catalogue_holds_every_formulation():
    tested = {type(f) for f in EVERY.values()}
    assert {f for f in family(Formulation) if f.kind} == tested | {vc.Sparse}


def test_the_mechanisms_are_of_both_kinds():
    assert len(REDUNDANT) >= 8 and len(INDEPENDENT) >= 8


@pytest.mark.parametrize("formulation", [*EXACT, *PENALTY])
def test_accelerations_are_those_of_the_dense_equations(formulation):
    for name, seed in PLACES:
        state, _, acceleration, _ = at_random(name, seed)
        found = state.solve(EVERY[formulation]).acceleration.ravel()
        assert found == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max()), (name, seed)


@pytest.mark.parametrize("formulation", [*EXACT, *PENALTY])
def test_reactions_carry_what_the_motion_needs(formulation):
    """J^T lam = Q - M u', whatever share each joint takes. Multipliers that are found by iteration are alpha times
    what is left of the accelerations, so they have alpha times the rounding of these."""
    solver = EVERY[formulation]
    iterated = isinstance(solver, vc.AugmentedLagrangian)
    share = max(1e-9, 20 * np.finfo(float).eps * solver.weight if iterated else 0.0)
    for name, seed in PLACES:
        state, exact, acceleration, _ = at_random(name, seed)
        needed = exact.Q - exact.M @ acceleration
        found = exact.J.T @ state.solve(solver).lam
        assert found == pytest.approx(needed, abs=share * np.abs(needed).max()), (name, seed)


@pytest.mark.parametrize("formulation", EXACT)
def test_reactions_are_unique_or_the_smallest(formulation):
    """Of minimum norm where they are not unique. In natural coordinates the norm counts the rows within bodies too."""
    natural = getattr(EXACT[formulation], "coordinates", "") == "natural"
    for name, seed in PLACES:
        if natural and name in REDUNDANT:
            continue
        state, _, _, smallest = at_random(name, seed)
        found = state.solve(EXACT[formulation]).lam
        assert found == pytest.approx(smallest, abs=1e-7 * np.abs(smallest).max()), (name, seed)


@pytest.mark.parametrize("formulation", LAGRANGE)
@pytest.mark.parametrize("name", REDUNDANT)
def test_lagrange_refuses_redundant_rows(name, formulation):
    for seed in SEEDS:
        with pytest.raises(vc.SimulationError, match="(?s)singular at t = 0 s.*redundant.*NullSpace"):
            at_random(name, seed)[0].solve(LAGRANGE[formulation])


@pytest.mark.parametrize("formulation", LAGRANGE)
@pytest.mark.parametrize("name", INDEPENDENT)
def test_lagrange_is_right_on_independent_rows(name, formulation):
    for seed in SEEDS:
        state, _, acceleration, reaction = at_random(name, seed)
        found = state.solve(LAGRANGE[formulation])
        assert found.acceleration.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max()), seed
        assert found.lam == pytest.approx(reaction, abs=1e-9 * np.abs(reaction).max()), seed


@COORDINATE
@pytest.mark.parametrize("form", ["saddle", "normal"])
@pytest.mark.parametrize("name", ["loop 1", "parallelogram", "driven door"])
def test_the_error_of_a_penalty_is_divided_as_alpha_is_multiplied(name, form, coordinates):
    state, _, acceleration, _ = at_random(name, 0)
    near = [vc.Penalty(alpha=alpha, omega=0, form=form, coordinates=coordinates) for alpha in (1e4, 1e5, 1e6)]
    errors = [np.abs(state.solve(f).acceleration.ravel() - acceleration).max() for f in near]
    # the next term of the series is of the order of 1/alpha^2
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx([10, 10], rel=0.02), errors


@pytest.mark.parametrize("name", ["loop 1", "parallelogram"])
def test_more_weight_needs_fewer_passes_and_ends_alike(name):
    state, _, acceleration, _ = at_random(name, 0)
    found = [state.solve(vc.AugmentedLagrangian(alpha=alpha, tolerance=1e-12, iterations=1000))
             for alpha in (1e1, 1e2, 1e3, 1e4, 1e6)]
    passes = [x.iterations for x in found]
    assert passes == sorted(passes, reverse=True) and passes[0] > 2 * passes[-1]
    for x in found:
        assert x.acceleration.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())


@pytest.mark.parametrize("name", PLANS)
def test_index_three_starts_from_the_same_accelerations(name):
    state, _, acceleration, _ = at_random(name, 0)
    found = state.solve(vc.AugmentedLagrangian(index=3)).acceleration.ravel()
    assert found == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())


@PLAN
def test_the_matrices_are_those_of_the_dense_equations(name):
    for seed in SEEDS:
        state, exact, *_ = at_random(name, seed)
        found = state.equations()
        for key, wanted in (("M", exact.M), ("J", exact.J), ("Q", exact.Q), ("gamma", exact.gamma),
                            ("u", speeds(state))):
            assert getattr(found, key) == pytest.approx(wanted, abs=1e-12 * (1 + np.abs(wanted).max())), key
        assert found.Phi == pytest.approx(exact.phi, abs=1e-12)
        assert found.Phi_dot == pytest.approx(exact.rate, abs=1e-12)


def rates_of(y, coordinates):
    """The rates of a body's coordinates by its twist (v, w), and how many rows keep them a body."""
    p0, p1, p2, p3 = y[3:7]
    if coordinates == "twist":
        return np.eye(6), 0
    if coordinates == "euler_parameters":  # p' = E^T w / 2
        turn = 0.5 * np.array([[-p1, -p2, -p3], [p0, p3, -p2], [-p3, p0, p1], [p2, -p1, p0]])
        return np.block([[np.eye(3), np.zeros((3, 3))], [np.zeros((4, 3)), turn]]), 1
    axes = matrix_of(y[3:7]).T  # a_k' = w x a_k = -a_k x w
    turn = np.vstack([np.array([[0, z, -y_], [-z, 0, x], [y_, -x, 0]]) for x, y_, z in axes])
    return np.block([[np.eye(3), np.zeros((3, 3))], [np.zeros((9, 3)), turn]]), 6


def tangent(state, coordinates):
    """The rates of all coordinates by all twists."""
    blocks = [rates_of(state.y[13 * k: 13 * k + 7], coordinates)[0] for k in range(len(state.system.centred))]
    rows, columns = (sum(b.shape[axis] for b in blocks) for axis in (0, 1))
    T, r, c = np.zeros((rows, columns)), 0, 0
    for b in blocks:
        T[r: r + b.shape[0], c: c + b.shape[1]] = b
        r, c = r + b.shape[0], c + b.shape[1]
    return T


@COORDINATE
@PLAN
def test_other_coordinates_say_the_same_as_twists(name, coordinates):
    """On rigid motions T u: the same energy, the same rows, and nothing from the rows that keep a body rigid."""
    for seed in SEEDS:
        state, exact, *_ = at_random(name, seed)
        found, T, u = state.equations(coordinates), tangent(state, coordinates), speeds(state)
        m = len(exact.J)
        assert found.u == pytest.approx(T @ u, abs=1e-13)
        assert found.u @ found.M @ found.u == pytest.approx(u @ exact.M @ u, rel=1e-12)
        mass, scale = T.T @ found.M @ T, np.abs(exact.M).max()
        assert mass == pytest.approx(exact.M, abs=1e-12 * scale)
        assert np.abs(found.M - found.M.T).max() < 1e-14 * np.abs(found.M).max()
        assert found.J[:m] @ T == pytest.approx(exact.J, abs=1e-12 * np.abs(exact.J).max())
        assert found.J[m:] @ T == pytest.approx(np.zeros((len(found.J) - m, len(u))), abs=1e-13)
        assert len(found.J) - m == rates_of(state.y, coordinates)[1] * len(state.system.centred)


@COORDINATE
@PLAN
def test_the_rate_of_phi_is_j_u_less_the_speed_of_drives(name, coordinates):
    state, exact, *_ = at_random(name, 1)
    found = state.equations(coordinates)
    speed = np.zeros(len(found.J))
    drives = list(state.system.holds.values())
    speed[len(exact.J) - len(drives): len(exact.J)] = [d.function.derivatives(state.t)[1] for d in drives]
    assert found.Phi_dot == pytest.approx(found.J @ found.u - speed, abs=1e-13)


def turned(y, k, twist):
    """A copy of a state vector with body k displaced by a small twist (dr, dtheta), to second order."""
    y = y.copy()
    p0, p = y[13 * k + 3], y[13 * k + 4: 13 * k + 7]
    y[13 * k: 13 * k + 3] += twist[:3]
    th = 0.5 * np.asarray(twist[3:])
    y[13 * k + 3: 13 * k + 7] = np.concatenate([[p0 - th @ p], p + p0 * th + np.cross(th, p)])
    y[13 * k + 3: 13 * k + 7] /= np.linalg.norm(y[13 * k + 3: 13 * k + 7])
    return y


@COORDINATE
@pytest.mark.parametrize("name", ["tree 2", "loop 0", "door 1", "parallelogram", "driven four-bar"])
def test_the_jacobian_is_the_difference_of_phi(name, coordinates):
    state, *_ = at_random(name, 1)
    J = state.equations(coordinates).J @ tangent(state, coordinates)
    h = 1e-5
    for k in range(len(state.system.centred)):
        for c, one in enumerate(np.eye(6)):
            ends = [state.with_vector(turned(state.y, k, s * h * one)) for s in (1, -1)]
            ahead, behind = (end.equations(coordinates).Phi for end in ends)
            # central difference: h^2 of the third derivative, and rounding over h
            assert (ahead - behind) / (2 * h) == pytest.approx(J[:, 6 * k + c], abs=1e-8)


@COORDINATE
@PLAN
def test_gamma_is_what_the_true_accelerations_need(name, coordinates):
    """J u' = gamma in every kind of coordinates, with u' from differences of u along the motion."""
    state, *_ = at_random(name, 1)
    h = 1e-4
    acceleration = at_random(name, 1)[2]
    ends = []
    for s in (h, -h):
        y = state.y.copy()
        for k in range(len(state.system.centred)):
            v, a = speeds(state)[6 * k: 6 * k + 6], acceleration[6 * k: 6 * k + 6]
            y = turned(y, k, s * v + s * s / 2 * a)
            y[13 * k + 7: 13 * k + 13] = v + s * a
        ends.append(state.with_vector(y).equations(coordinates).u)
    here = state.equations(coordinates)
    derivative = (ends[0] - ends[1]) / (2 * h)
    scale = 1 + np.abs(acceleration).max() + np.abs(speeds(state)).max() ** 2
    # central difference of u, h^2 of its third derivative
    assert here.J @ derivative == pytest.approx(here.gamma, abs=1e-5 * scale * np.abs(here.J).max())


MOVED = ["loop 0", "door 2", "driven four-bar"]


@cache
def motion(name):
    system = vc.compile(build(PLANS[name]))
    return system, vc.simulate(system, 0.05, outputs=5, integrator=vc.RK4(step=1e-3))


def without_signs(result):
    """The states with every quaternion's first number positive: p and -p are one orientation."""
    y = result.y.copy()
    for k in range(len(result.system.centred)):
        y[:, 13 * k + 3: 13 * k + 7] *= np.sign(y[:, [13 * k + 3]])
    return y


@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("name", MOVED)
def test_every_formulation_moves_alike(name, formulation):
    """By RK4 with 1e-3 s, whose own error is below 1e-9 here; only how its steps are brought back differs."""
    system, wanted = motion(name)
    found = vc.simulate(system, 0.05, outputs=5, integrator=vc.RK4(step=1e-3), formulation=EXACT[formulation])
    assert found.complete
    assert without_signs(found) == pytest.approx(without_signs(wanted), abs=1e-8)
    assert found["residual.position"].max() < 1e-10
    assert found["residual.velocity"].max() < 1e-10


def boom(reach, inertia):
    """A trolley driven out along a boom on a vertical axle, drawn at 1 cm."""
    model = vc.Model()
    arm = model.body("boom", 10.0, inertia, at=(0.005, 0, 0))
    trolley = model.body("trolley", 1.0, inertia, at=(0.01, 0, 0))
    model.revolute("axle", model.ground, arm, at=(0, 0, 0), axis="z")
    model.prismatic("rail", arm, trolley, at=(0.01, 0, 0), axis="x")
    model.drive("rail.travel", f"{reach}*t")
    return model


@pytest.mark.parametrize("inertia", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("pseudoinverse", PSEUDOINVERSES)
def test_rows_that_carry_are_not_taken_for_redundant_ones_far_from_where_they_are_drawn(pseudoinverse, inertia):
    """From 1 m to 10 km: the rail carries the weight, the axle its moment."""
    for reach in 10.0 ** np.arange(5):
        model = boom(reach, inertia)
        state = vc.assemble(model, t=1.0)
        found = state.solve(vc.UdwadiaKalaba(pseudoinverse=pseudoinverse))
        exact, acceleration = dense(model, state), found.acceleration.ravel()
        assert acceleration[8] == pytest.approx(0.0, abs=1e-6)  # of the trolley along z
        assert exact.J @ acceleration == pytest.approx(exact.gamma, abs=1e-6 * reach)
        left = exact.M @ acceleration + exact.J.T @ found.lam - exact.Q
        assert np.abs(left).max() < 1e-9 * 9.81 * reach + 1e-7


@pytest.mark.parametrize("welds", [0, 1, 2])
@pytest.mark.parametrize("formulation", EVERY.values(), ids=EVERY)
def test_nothing_held_and_everything_held(formulation, welds):
    """Blocks of the equations that are empty: no rows, or no freedom left; two welds have rows to spare."""
    if welds == 2 and isinstance(formulation, vc.Lagrange):
        pytest.skip("it wants independent rows")
    model = vc.Model(gravity=(0, 0, -9.81))
    body = model.body("body", 2.0, [0.1, 0.2, 0.25], at=(0.3, 0, 0))
    for k in range(welds):
        model.fixed(f"weld{k}", model.ground, body, at=(0.1 * k, 0, 0))
    found = vc.assemble(model).solve(formulation)
    assert found.acceleration[0] == pytest.approx([0, 0, 0.0 if welds else -9.81, 0, 0, 0], abs=1e-6)
