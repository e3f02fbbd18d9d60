"""Closing a mechanism: positions first, then velocities, with the least change in the sense of mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import AssemblyError, ModelError, suggest
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.results.channels import rotations
from vincolo.results.state import State
from vincolo.system import System, as_system

CLOSED = 1e-12  # m and rad: an assembled mechanism is not touched
ACCEPTED = 1e-9
ITERATIONS = 60


@dataclass(frozen=True)
class Given:
    """Values asked for at the start: quantity numbers with their values, and the names users gave."""

    quantities: list[int]
    values: Array
    names: list[str]


@dataclass(frozen=True)
class Equations:
    """All rows to be met at a state: residual and Jacobian on (dr, dtheta) of every body."""

    residual: Array
    jacobian: Any  # scipy sparse
    rate: Array


def assemble(model: Model | System, given: Mapping[str, float] | None = None, *, t: float = 0.0,
             guess: State | None = None) -> State:
    """Closes a mechanism from its drawn position or a guess. `given` fixes measures at the start, such as
    {"O.angle": 0.3, "O.angle.rate": 2.0}; everything else moves as little as its mass allows."""
    system = as_system(model)
    start = system.drawn if guess is None else guess
    if not isinstance(start, State):
        raise ModelError(f"assemble(): guess is {start!r}; pass what assemble() or result.state() returned.")
    if start.system is not system:
        raise ModelError("assemble(): the guess belongs to another system.\n"
                         "  Compile once and use that system for both.")
    positions, rates = _given(system, {} if given is None else given)
    time = finite_number("assemble(): t", t)
    _check_functions(system, time)
    asked = {} if system.geared else _asked_turns(system, positions, time)  # gears must be turned all the way
    turns = start.turns.copy()
    turns[list(asked)] = list(asked.values())
    state = _close_positions(State(system, time, start.y.copy(), turns), positions, set(asked))
    state = _close_velocities(state, rates)
    check_start(state)
    return state


def _given(system: System, given: Mapping[str, float]) -> tuple[Given, Given]:
    if not isinstance(given, Mapping):
        raise ModelError(f"assemble(): given is {given!r}; a dictionary such as {{'O.angle': 0.3}} is needed.")
    chosen: dict[bool, list[tuple[str, int, float]]] = {False: [], True: []}
    for name, value in given.items():
        rate = name.endswith(".rate") and name not in system.quantities
        base = name.removesuffix(".rate") if rate else name
        if base not in system.quantities:
            known = list(system.quantities)
            raise ModelError(f"assemble(): there is no measure called {base!r} to give a value.\n"
                             f"  Measures: {', '.join(known) or 'none'}.{suggest(base, known)}")
        chosen[rate].append((name, system.quantities[base], finite_number(f"assemble(): {name}", value)))
    first, second = (Given([q for _, q, _ in c], np.array([v for _, _, v in c]), [n for n, _, _ in c])
                     for c in (chosen[False], chosen[True]))
    return first, second


def _check_functions(system: System, t: float) -> None:
    """Drives and held measures need a value and a rate to start from."""
    for name, held in system.holds.items():
        value, rate, _ = held.function.derivatives(t)
        if not (np.isfinite(value) and np.isfinite(rate)):
            raise ModelError(f"{'drive' if held.drive else 'hold'} '{name}': its function has value {value:g} and rate "
                             f"{rate:g} at t = {t:g} s; both must be finite at the start.\n"
                             "  Change the function, or start at another time.")


def _asked_turns(system: System, given: Given, t: float) -> dict[int, float]:
    """Angles that drives and given values ask for, by their places in the record: they start on that branch."""
    asked: dict[int, float] = {}
    targets = [(system.kernel.row_quantity(system.block_rows[name].start), held.function(t))
               for name, held in system.holds.items() if held.level == "position"]
    targets += list(zip(given.quantities, given.values.tolist(), strict=True))
    for quantity, value in targets:
        alone = system.kernel.lone_turn(quantity)  # (place in the record, factor) of a single angle
        if alone is not None:
            asked[int(alone[0])] = value / alone[1]
    return asked


def _counted(state: State, asked: set[int]) -> State:
    """The state with its angles counted on; those that are asked for keep their branch."""
    turns = np.array(state.system.kernel.turns_at(state.t, state.y.tolist(), state.turns.tolist()))
    kept = np.array([k in asked or not np.isfinite(x) for k, x in enumerate(turns)], dtype=bool)
    return State(state.system, state.t, state.y, np.where(kept, state.turns, turns))


def _equations(state: State, given: Given, levels: tuple[str, ...] = ("position",)) -> Equations:
    """Rows of the given levels; those of others are left empty."""
    from scipy import sparse

    system, kernel = state.system, state.system.kernel
    size = 6 * len(system.centred)
    rows = kernel.rows(state.t, state.y.tolist(), state.turns.tolist())
    held = np.array([row.level in levels for row in system.rows], dtype=float)
    value = rows["value"] * held[rows["row"]] if len(held) else rows["value"]
    J = sparse.coo_array((value, (rows["row"], rows["column"])), shape=(len(system.rows), size))
    if not given.quantities:
        return Equations(rows["phi"], J.tocsr(), rows["rate"])
    more = kernel.quantity_rows(state.y.tolist(), state.turns.tolist(), given.quantities)
    extra = sparse.coo_array((more["value"], (more["row"], more["column"])), shape=(len(given.quantities), size))
    return Equations(np.concatenate([rows["phi"], more["quantity"] - given.values]),
                     sparse.vstack([J, extra]).tocsr(), np.concatenate([rows["rate"], more["rate"] - given.values]))


def _inverse_mass(state: State) -> Any:
    """M^-1 in world axes, block diagonal."""
    from scipy import sparse

    n = len(state.system.centred)
    blocks = []
    R = rotations(np.array([state.y[13 * k + 3: 13 * k + 7] / np.linalg.norm(state.y[13 * k + 3: 13 * k + 7])
                            for k in range(n)]))
    for k, c in enumerate(state.system.centred):
        blocks += [np.eye(3) / c.body.mass, R[k] @ np.diag(1 / (c.moments + c.ballast)) @ R[k].T]
    return sparse.block_diag(blocks, format="csr")


def _least_step(e: Equations, residual: Array, inverse_mass: Any, damping: float) -> Array:
    """-M^-1 J^T (S + damping diag S)^-1 residual with S = J M^-1 J^T: a damped Gauss-Newton step, least by mass."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    W = inverse_mass @ e.jacobian.T
    S = (e.jacobian @ W).tocsc()
    own = damping * np.maximum(S.diagonal(), 1e-12 * S.diagonal().max())
    own[S.diagonal() == 0] = 1.0  # rows left empty
    factor = splu((S + sparse.diags_array(own, format="csc")).tocsc())
    return np.asarray(-(W @ factor.solve(residual)))


def _moved(state: State, step: Array) -> State:
    y = state.y.copy()
    for k in range(len(state.system.centred)):
        y[13 * k: 13 * k + 3] += step[6 * k: 6 * k + 3]
        theta = step[6 * k + 3: 6 * k + 6]
        angle = float(np.linalg.norm(theta))
        half = 0.5 * theta * np.sinc(angle / (2 * np.pi))
        e0, e = y[13 * k + 3], y[13 * k + 4: 13 * k + 7].copy()
        c = np.cos(angle / 2)
        y[13 * k + 3] = c * e0 - half @ e
        y[13 * k + 4: 13 * k + 7] = c * e + e0 * half + np.cross(half, e)
        y[13 * k + 3: 13 * k + 7] /= np.linalg.norm(y[13 * k + 3: 13 * k + 7])
    return state.with_vector(y)


def _close_positions(state: State, given: Given, asked: set[int]) -> State:
    e = _equations(state, given)
    if not len(e.residual) or np.abs(e.residual).max() <= CLOSED:
        return state
    damping, history = 1e-3, [float(np.abs(e.residual).max())]
    for _ in range(ITERATIONS + int(min(2 * np.abs(e.residual).max(), 1000))):
        step = _least_step(e, e.residual, _inverse_mass(state), damping)
        largest_turn = np.abs(step.reshape(-1, 6)[:, 3:]).max()
        trial = _moved(state, step * min(1.0, 0.6 / largest_turn) if largest_turn > 0 else step)
        after = _equations(trial, given)
        if np.linalg.norm(after.residual) < np.linalg.norm(e.residual):
            state, e, damping = _counted(trial, asked), after, max(0.1 * damping, 1e-12)
        else:
            damping *= 10
        history.append(float(np.abs(e.residual).max()))
        if history[-1] <= CLOSED or damping > 1e8:
            break
        if history[-1] <= ACCEPTED and history[-1] > 0.5 * history[-2]:
            break
    if not history[-1] <= ACCEPTED:
        _check_drives(state)
        raise AssemblyError(_cannot_close(state, given, e.residual, history))
    return state


def _cannot_close(state: State, given: Given, residual: Array, history: list[float]) -> str:
    system = state.system
    k = int(np.argmax(np.abs(residual)))
    owner = system.rows[k].owner if k < len(system.rows) else given.names[k - len(system.rows)]
    lines = ["the mechanism cannot be closed from the given guess."]
    gap = f"gap {abs(residual[k]):.3g} after {len(history) - 1} iterations (tolerance {ACCEPTED:g})"
    if owner in system.joints:
        j = system.joints[owner]
        lines.append(f"  Largest open joint: {j.kind} '{owner}' ({j.a.body.name} - {j.b.body.name}), {gap}.")
    else:
        lines.append(f"  Largest open condition: '{owner}', {gap}.")
    if given.names:
        asked = ", ".join(f"{n} = {v:g}" for n, v in zip(given.names, given.values.tolist(), strict=True))
        lines.append(f"  Asked for: {asked}.")
    stalled = next((i for i in range(1, len(history)) if history[i] < 1.2 * history[-1]), len(history) - 1)
    lines.append(f"  The gap stopped shrinking at iteration {stalled}: the links are probably too short or too long "
                 "for this position,\n  or a given value is out of reach.")
    lines.append("  Check the points of that joint on both bodies, the given values and drives at the start,\n"
                 "  or pass another guess=.")
    return "\n".join(lines)


def _close_velocities(state: State, given: Given) -> State:
    e = _equations(state, given, ("position", "velocity"))
    if not len(e.rate):
        return state
    y = state.y.copy()
    inverse_mass = _inverse_mass(state)
    last = np.inf
    for _ in range(ITERATIONS):
        largest = float(np.abs(e.rate).max())
        if largest <= CLOSED * max(1.0, float(np.abs(y).max())) or largest > 0.8 * last:
            break
        last = largest
        step = _least_step(e, e.rate, inverse_mass, 1e-12)
        for k in range(len(state.system.centred)):
            y[13 * k + 7: 13 * k + 13] += step[6 * k: 6 * k + 6]
        state = state.with_vector(y.copy())
        e = _equations(state, given, ("position", "velocity"))
    worst = int(np.argmax(np.abs(e.rate)))
    if abs(e.rate[worst]) > 1e-7 * max(1.0, float(np.abs(y).max())):
        _check_drives(state)
        count = len(state.system.rows)
        owner = str(state.system.rows[worst]) if worst < count else given.names[worst - count]
        raise AssemblyError("the velocities asked for contradict each other.\n"
                            f"  {owner} is violated by {abs(e.rate[worst]):.3g} (m/s or rad/s) at best.\n"
                            "  Give fewer rates, or rates that belong together.")
    return state


def check_start(state: State) -> None:
    """Drives must not fight for the same freedom; axes without inertia must be held by joints."""
    _check_drives(state)
    _lend_inertia(state)


def _check_drives(state: State) -> None:
    system = state.system
    drives = [k for k, row in enumerate(system.rows) if row.drive]
    if not drives:
        return
    vector, turns = state.y.tolist(), state.turns.tolist()
    free = 6 * len(system.centred) - sum(system.kernel.independent(state.t, vector, turns, False))
    independent = sum(system.kernel.independent(state.t, vector, turns, True))
    lost = 6 * len(system.centred) - free + len(drives) - independent
    if lost <= 0:
        return
    groups = system.kernel.dependencies(state.t, vector, turns, True)
    fighting = sorted({system.rows[k].owner for g in groups for k, _ in g if system.rows[k].drive})
    moved = len(drives) - lost
    doing = "fight for the same motion" if len(fighting) > 1 else "moves nothing"
    raise ModelError(
        f"{len(drives)} drives move only {moved} independent freedom{'s' if moved != 1 else ''}: "
        f"{', '.join(repr(n) for n in fighting)} {doing} in this position.\n"
        f"  The mechanism has {free} degree{'s' if free != 1 else ''} of freedom here.\n"
        "  Remove one of these drives, or start where they are independent (not at a dead centre).")


def _lend_inertia(state: State) -> None:
    """Ballast must stay a small share of the motion it takes part in; where nothing else moves, the body is named."""
    system = state.system
    if not any(c.ballast.any() for c in system.centred):
        return
    vector, turns = state.y.tolist(), state.turns.tolist()
    factor = 1.0
    for _ in range(4):
        share, body = system.kernel.ballast_share(state.t, vector, turns)
        if share <= 2e-3:
            return
        if share > 1 - 1e-9 or factor < 1e-7:
            break
        factor *= 1e-3 * (1 - share) / share
        for k, c in enumerate(system.centred):
            system.kernel.set_ballast(k, (factor * c.ballast).tolist())
    name = system.centred[body].body.name
    raise ModelError(
        f"body '{name}' has no inertia about an axis about which nothing else determines its rotation.\n"
        "  A zero inertia is fine where joints fix that rotation or tie it to masses; here the body would spin freely\n"
        f"  without resistance. Give '{name}' an inertia, or a joint that holds it (revolute or universal instead of "
        "spherical).")
