"""The first state: positions closed, velocities by wishes for the rates of coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.formats.cards.bodies import left_matrix
from vincolo.layout import by_body
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System


def begun(system: System, t: float, eulers: Sequence[Array], asked: Mapping[int, float]) -> State:
    """The closed mechanism, with the rates of coordinates that are asked for, by least squares; the others follow from
    the joints. `eulers` are the Euler parameters of the bodies as the input signs them; coordinates count from zero."""
    return _with_rates(assemble(system, t=t), eulers, asked)


def coordinate_rows(y: Array, eulers: Sequence[Array], coordinates: Sequence[int]) -> Array:
    """Rows on (v, w) of every body in world axes that give the rates of coordinates."""
    rows = np.zeros((len(coordinates), 6 * len(eulers)))
    for row, number in zip(rows, coordinates, strict=True):
        k, i = divmod(number, 7)
        if i < 3:
            row[6 * k + i] = 1.0
            continue
        p = y[k, 3:7] if y[k, 3:7] @ eulers[k] > 0 else -y[k, 3:7]  # both are the same position
        row[6 * k + 3: 6 * k + 6] = 0.5 * left_matrix(p)[:, i - 3]
    return rows


def _with_rates(state: State, eulers: Sequence[Array], asked: Mapping[int, float]) -> State:
    """The least velocities that the joints allow and that meet the rates asked for."""
    equations = state.equations()
    rated = [k for k, row in enumerate(state.system.rows) if row.level != "acceleration"]
    J, count = equations.J[rated], len(eulers)
    y = by_body(state.y, count).copy()
    drawn = y.copy()  # turns of the bodies' own axes; the state has those of their principal axes of inertia
    for k, name in enumerate(state.system.body_numbers):
        drawn[k, 3:7] = state.channels.quaternions(name)[0]
    u = np.zeros(6 * count)
    if len(J):
        nu = J @ equations.u - equations.Phi_dot[rated]
        u = np.asarray(np.linalg.lstsq(J, nu, rcond=1e-9)[0], dtype=float)
    if asked:
        free = _kernel(J) if len(J) else np.eye(6 * count)
        rows, wanted = coordinate_rows(drawn, eulers, list(asked)), np.array(list(asked.values()))
        u = np.asarray(u + free @ np.linalg.lstsq(rows @ free, wanted - rows @ u, rcond=1e-9)[0])
    for k in range(count):
        y[k, 7:10] = u[6 * k: 6 * k + 3]
        y[k, 10:] = u[6 * k + 3: 6 * k + 6]
    return State(state.system, state.t, np.concatenate([y.ravel(), state.y[y.size:]]), state.turns)


def _kernel(J: Array) -> Array:
    _, sizes, V = np.linalg.svd(J)
    rank = int((sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))).sum())
    return np.asarray(V[rank:].T, dtype=float)
