"""Bodies with many joints are nodes of the elimination: accelerations and reactions are those of whole matrices, whatever
the masses, and small mechanisms have no such nodes."""

import numpy as np
import pytest
from scipy.linalg import lu_factor, lu_solve, qr

import vincolo as vc
from mechanisms import build, plans
from networks import FAMILIES, star, tree

COUNT = 12
RATIOS = (1e-6, 1e-3, 1.0, 1e3, 1e6)
CASES = [(family, ratio) for family in FAMILIES for ratio in RATIOS]


def stirred(model, rng):
    """A state of the model with velocities that fit its joints."""
    system = vc.compile(model)
    drawn = system.drawn
    y = drawn.y.copy()
    for k in range(len(system.centred)):
        y[13 * k + 7: 13 * k + 13] = rng.normal(size=6)
    return vc.assemble(system, guess=drawn.with_vector(y))


def whole(equations):
    """Accelerations and J^T lam from the matrices of M u' + J^T lam = Q, J u' = gamma on independent rows, refined with
    residuals in longer numbers until nothing changes."""
    M, J, gamma, Q = (np.asarray(x, dtype=float) for x in (equations.M, equations.J, equations.gamma, equations.Q))
    R, order = qr((J / np.linalg.norm(J, axis=1)[:, None]).T, mode="r", pivoting=True)
    kept = np.sort(order[:int((np.abs(np.diag(R)) > 1e-7).sum())])
    J, gamma, n = J[kept], gamma[kept], len(Q)
    # every body by its own mass
    scale = np.repeat([1 / np.sqrt(np.diag(M)[k:k + 6].max()) for k in range(0, n, 6)], 6)
    rows = 1 / np.linalg.norm(J * scale, axis=1)
    s = np.concatenate([scale, rows])
    matrix = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    factor, long = lu_factor(s[:, None] * matrix * s), matrix.astype(np.longdouble)
    x, right = np.zeros(len(s), dtype=np.longdouble), np.concatenate([Q, gamma]).astype(np.longdouble)
    for _ in range(30):
        x = x + s * lu_solve(factor, s * (right - long @ x).astype(float))
    return x[:n].astype(float), (J.T.astype(np.longdouble) @ x[n:]).astype(float)


def slope(state):
    """Accelerations as a run finds them, and the number of hubs."""
    dy, hubs = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return np.concatenate([dy[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))]), hubs


@pytest.mark.parametrize("family, ratio", CASES)
def test_accelerations_and_reactions_are_those_of_whole_matrices(family, ratio, rng):
    state = stirred(FAMILIES[family](rng, COUNT, ratio), rng)
    equations = state.equations()
    acceleration, forces = whole(equations)
    found, solution = slope(state)[0], state.solve()
    assert found == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert solution.acceleration.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())
    assert equations.J.T @ solution.lam == pytest.approx(forces, abs=1e-9 * np.abs(forces).max())
