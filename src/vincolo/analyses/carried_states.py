"""What a run carries beside the motion, at rest: where its states stay, and what they add to stiffness."""

from __future__ import annotations

import numpy as np

from vincolo.analyses.saddle import Entries, Places
from vincolo.errors import SimulationError
from vincolo.layout import auxiliaries_of
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System
from vincolo.touching import refuse_rigid

MOST = 50
SETTLED = 1e-12  # change of a state, by its size, below which it stays


def states_of(system: System) -> list[int]:
    """The numbers of the states among what is carried."""
    return [system.auxiliaries[name] for name in system.model.states]


def carried_by(state: State) -> Array:
    """What a state carries beside the motion: a view of its inputs, variables and states."""
    return auxiliaries_of(state.y, len(state.system.centred))


def slope_entries(state: State, lam: Array, acceleration: Array) -> dict[str, Entries]:
    """Derivatives of the equations of motion as the kernel gathers them in one go."""
    refuse_rigid("linearisation", state.system, "has no slope")
    found = state.system.kernel.slopes(state.t, state.y.tolist(), state.turns.tolist(), np.ascontiguousarray(lam),
                                       np.ascontiguousarray(acceleration))
    return {name: Entries(*x) for name, x in found.items()}


def settled(state: State) -> State:
    """The same position with the states where their rates vanish, by Newton."""
    system, k = state.system, states_of(state.system)
    if not k:
        return state
    size = np.array([s.size for s in system.model.states.values()])
    for _ in range(MOST):
        rates = _rates(state)[k]
        slopes = _own_slopes(_slopes_at_rest(state), k, len(carried_by(state)))
        _check_slopes(state, rates, slopes)
        change = -np.linalg.solve(slopes, rates)
        y = state.y.copy()
        now = auxiliaries_of(y, len(system.centred))
        now[k] += change
        state = state.with_vector(y)
        if (np.abs(change) <= SETTLED * np.maximum(size, np.abs(now[k]))).all():
            return state
    raise _no_rest(state, [*system.model.states], "do not come to rest in this position")


def condensed(entries: dict[str, Entries], state: State) -> Entries:
    """Slopes of forces by positions with the states following: F_q - F_z Z_z^-1 Z_q."""
    found, k = entries["force_by_position"], states_of(state.system)
    if not k:
        return found
    n, count = 6 * len(state.system.centred), len(carried_by(state))
    force = entries["force_by_state"].matrix((n, count)).toarray()[:, k]
    by_position = entries["state_by_position"].matrix((count, n)).toarray()[k]
    added = -force @ np.linalg.solve(_own_slopes(entries, k, count), by_position)
    row, column = (places.astype(np.int32) for places in np.nonzero(added))
    return Entries.together([found, Entries(row, column, added[row, column])])


def coupled_places(entries: dict[str, Entries]) -> tuple[Places, Places]:
    """Rows and columns at which slopes of forces by positions may stand, those through states among them."""
    found = entries["force_by_position"]
    rows, columns = np.unique(entries["force_by_state"].row), np.unique(entries["state_by_position"].column)
    return (np.concatenate([found.row, np.repeat(rows, len(columns))]).astype(np.int32),
            np.concatenate([found.column, np.tile(columns, len(rows))]).astype(np.int32))


def _rates(state: State) -> Array:
    slope, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    return auxiliaries_of(np.asarray(slope), len(state.system.centred))


def _slopes_at_rest(state: State) -> dict[str, Entries]:
    system = state.system
    return slope_entries(state, np.zeros(len(system.rows)), np.zeros(6 * len(system.centred)))


def _own_slopes(entries: dict[str, Entries], k: list[int], count: int) -> Array:
    return np.asarray(entries["state_by_state"].matrix((count, count)).toarray()[np.ix_(k, k)])


def _check_slopes(state: State, rates: Array, slopes: Array) -> None:
    """Refuses states whose rates do not tell where they stay."""
    names = [*state.system.model.states]
    if not np.isfinite(rates).all() or not np.isfinite(slopes).all():
        raise _no_rest(state, [n for n, r in zip(names, rates, strict=True) if not np.isfinite(r)] or names,
                       "have rates that are not finite")
    rows, columns = (np.abs(slopes).max(axis=axis) for axis in (1, 0))
    idle = [n for n, a, b in zip(names, rows, columns, strict=True) if a == 0 or b == 0]
    scaled = slopes / np.where(rows > 0, rows, 1.0)[:, None]
    if idle or np.linalg.cond(scaled) > 1e13:
        raise _no_rest(state, idle or names, "have rates that do not tell where they stay at rest")


def _no_rest(state: State, names: list[str], why: str) -> SimulationError:
    now, numbers = carried_by(state), state.system.auxiliaries
    told = ", ".join(f"'{name}' ({now[numbers[name]]:g})" for name in names)
    return SimulationError(f"statics(): states {why}: {told}.\n"
                           "  Make such a state a variable() at the value that it has at rest, or let a run with\n"
                           "  damping come to rest and take its last state.")
