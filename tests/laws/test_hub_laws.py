"""Bodies with many joints are nodes of the elimination: accelerations and reactions are those of whole matrices,
whatever the masses, and small mechanisms have no such nodes."""

import numpy as np
import pytest
from scipy.linalg import lu_factor, lu_solve, qr

import vincolo as vc
from mechanisms import build, plans
from networks import FAMILIES, doors, legs, star, two_stars

COUNT = 12
RATIOS = (1e-6, 1e-3, 1.0, 1e3, 1e6)
STARS = {f.__name__: f for f in (star, doors, two_stars)}
DRAWN = [(family, ratio) for family in FAMILIES for ratio in RATIOS]
LIGHT = [(family, ratio) for family in STARS for ratio in (1e-9, *RATIOS)]


def stirred(model, rng):
    """A state of the model with velocities that fit its joints."""
    system = vc.compile(model)
    y = system.drawn.y.copy()
    for k in range(len(system.centred)):
        y[13 * k + 7: 13 * k + 13] = rng.normal(size=6)
    return vc.assemble(system, guess=system.drawn.with_vector(y))


def independent(J):
    """Rows of a matrix that do not depend on each other."""
    R, order = qr((J / np.linalg.norm(J, axis=1)[:, None]).T, mode="r", pivoting=True)
    return np.sort(order[:int((np.abs(np.diag(R)) > 1e-7).sum())])


def whole(equations):
    """Accelerations and J^T lam from the matrices of M u' + J^T lam = Q, J u' = gamma on independent rows, refined with
    residuals in longer numbers until nothing changes."""
    kept = independent(equations.J)
    M, J, gamma, n = equations.M, equations.J[kept], equations.gamma[kept], len(equations.M)
    # every body by its own mass
    scale = np.repeat([1 / np.sqrt(np.diag(M)[k:k + 6].max()) for k in range(0, n, 6)], 6)
    s = np.concatenate([scale, 1 / np.linalg.norm(J * scale, axis=1)])
    matrix = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    factor, long = lu_factor(s[:, None] * matrix * s), matrix.astype(np.longdouble)
    x, right = np.zeros(len(s), dtype=np.longdouble), np.concatenate([equations.Q, gamma]).astype(np.longdouble)
    for _ in range(30):
        x = x + s * lu_solve(factor, s * (right - long @ x).astype(float))
    return x[:n].astype(float), (J.T.astype(np.longdouble) @ x[n:]).astype(float)


def slope(state):
    """Accelerations as a run finds them, and the number of hubs."""
    dy, hubs, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return np.concatenate([dy[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))]), hubs


@pytest.mark.parametrize("family, ratio", DRAWN)
def test_accelerations_and_reactions_are_those_of_whole_matrices(family, ratio, rng):
    state = stirred(FAMILIES[family](rng, COUNT, ratio), rng)
    equations = state.equations()
    acceleration, forces = whole(equations)
    found = state.solve()
    assert found.acceleration.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert equations.J.T @ found.lam == pytest.approx(forces, abs=1e-9 * np.abs(forces).max())


@pytest.mark.parametrize("family, ratio", LIGHT)
def test_steps_of_a_run_need_no_refinement_however_light_or_heavy_a_hub_is(family, ratio, rng):
    """As bodies among others hubs of 1e-6 of the mass of their spokes cost nine digits."""
    state = stirred(STARS[family](rng, COUNT, ratio), rng)
    acceleration, _ = whole(state.equations())
    found, hubs = slope(state)
    assert hubs == (2 if family == "two_stars" else 1)
    assert found == pytest.approx(acceleration, abs=1e-10 * np.abs(acceleration).max())


@pytest.mark.parametrize("ratio", RATIOS)
def test_spokes_without_inertia_about_their_own_axis_hang_on_a_hub(ratio, rng):
    state = stirred(star(rng, COUNT, ratio, thin=True), rng)
    acceleration, forces = whole(state.equations())
    equations, found = state.equations(), state.solve()
    assert slope(state)[1] == 1
    assert slope(state)[0] == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert found.acceleration.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert equations.J.T @ found.lam == pytest.approx(forces, abs=1e-9 * np.abs(forces).max())


def test_a_hub_without_mass_moves_as_one_of_hardly_any(rng):
    """Its ballast is taken back: the spokes alone decide."""
    motions = {}
    for ratio in (0.0, 1e-9):
        same = np.random.default_rng(5)
        state = stirred(star(same, COUNT, ratio), same)
        motions[ratio] = state.solve().acceleration
        assert slope(state)[1] == 1
    assert motions[0.0] == pytest.approx(motions[1e-9], abs=1e-7 * np.abs(motions[1e-9]).max())


@pytest.mark.parametrize("model", [doors, legs])
def test_the_rows_chosen_with_hubs_are_as_many_as_are_independent(model, rng):
    state = stirred(model(rng, COUNT), rng)
    chosen = state.system.kernel.independent(state.t, state.y.tolist(), state.turns.tolist(), True)
    assert sum(chosen) == len(independent(state.equations().J))
    assert len(independent(state.equations().J[np.array(chosen, dtype=bool)])) == sum(chosen)


def test_drives_come_before_the_rows_they_could_depend_on(rng):
    """A second drive of what an axle with many bodies does is the one that is left out, not a row of a joint."""
    model = two_stars(rng, COUNT)
    model.revolute("axle2", model.ground, model.bodies["hub0"], at=(0, 0, 0.5), axis="z")
    system = vc.compile(model)
    y, turns = system.drawn.y.tolist(), system.drawn.turns.tolist()
    chosen = system.kernel.independent(0.0, y, turns, True)
    assert all(chosen[r] for r in system.block_rows["axle.angle.drive"])
    assert sum(not c for c in chosen) == 5


def test_a_run_of_a_star_keeps_its_energy(rng):
    result = vc.simulate(star(rng, COUNT, 1e-3), until=1.0)
    energy = result["energy.total"]
    assert energy == pytest.approx(np.full(len(energy), energy[0]), abs=1e-5 * np.ptp(result["energy.kinetic"]))


def stiff_star(rng):
    """A star whose hub and spokes are held by springs and dampers, also against the ground."""
    model = star(rng, COUNT, 0.1)
    names = ("hub", *(f"spoke{k}" for k in range(4)))
    points = {name: model.bodies[name].frame(model.bodies[name].at) for name in names}
    for k in range(4):
        model.spring(f"strut{k}", points["hub"], points[f"spoke{k}"], k=1e4, c=1e3, length=0.7)
    model.spring("rope", model.ground.frame((2, 1, 0)), points["hub"], k=1e4, c=1e3, length=0.7)
    return stirred(model, rng), [*(f"strut{k}.length" for k in range(4)), "rope.length"]


@pytest.mark.parametrize("s", [1e-4, 1e-2, 1.0])
def test_implicit_steps_of_a_star_are_those_of_whole_matrices(s, rng):
    """M (x - base) + J^T mu + G^T (c G x - s k G moved) = 0 with J x = J base, c = damping s + stiffness s^2."""
    state, names = stiff_star(rng)
    kernel, at = state.system.kernel, (state.t, state.y.tolist(), state.turns.tolist())
    base, moved = rng.normal(size=(2, 6 * len(state.system.centred)))
    d = kernel.quantity_rows(*at, [state.system.quantities[name] for name in names])
    G = np.zeros((len(names), len(base)))
    np.add.at(G, (d["row"], d["column"]), d["value"])
    M, J = state.equations().M, state.equations().J
    matrix = np.block([[M + (1e3 * s + 1e4 * s**2) * G.T @ G, J.T], [J, np.zeros((len(J), len(J)))]])
    expected = np.linalg.solve(matrix, np.concatenate([M @ base + s * 1e4 * G.T @ (G @ moved), J @ base]))[:len(M)]
    found = np.array(kernel.stiff_response(*at, s, base.tolist(), moved.tolist(), False))
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_small_mechanisms_and_trees_have_no_hubs(rng):
    for plan in plans().values():
        assert slope(vc.assemble(build(plan)))[1] == 0
    assert slope(stirred(FAMILIES["tree"](rng, 40), rng))[1] == 0
