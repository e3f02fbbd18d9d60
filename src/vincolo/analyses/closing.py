"""The equations of closure and their solution by damped Gauss-Newton steps, least in the sense of mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.channels.channels import rotations
from vincolo.layout import MOTION, QUATERNION, by_body, of_body
from vincolo.model.geometry import Array
from vincolo.state import State

CLOSED = 1e-12  # m and rad: an assembled mechanism is not touched
ACCEPTED = 1e-9
ITERATIONS = 60
LARGEST_TURN = 0.6  # rad of a body in one step
ROUNDING = 1e-11  # of velocities that joints take away
EXACT = 1e-12  # damping of rows that hold exactly
SETTLED = 1e-11  # m and rad: steps towards wishes that no longer matter
SOFT = 1e-3  # damping of wishes: far above EXACT, so that joints do not give way to them


@dataclass(frozen=True)
class Given:
    """Values asked for at the start: quantity numbers with their values, and the names users gave."""

    quantities: list[int] = field(default_factory=list)
    values: Array = field(default_factory=lambda: np.zeros(0))
    names: list[str] = field(default_factory=list)
    weights: Array = field(default_factory=lambda: np.zeros(0))  # of wishes

    def __str__(self) -> str:
        return ", ".join(f"{n} = {v:g}" for n, v in zip(self.names, self.values.tolist(), strict=True))


@dataclass(frozen=True)
class Aim:
    """What must hold besides the joints: given values, bodies (by number) that stay, drives unless released."""

    given: Given = field(default_factory=Given)
    kept: tuple[int, ...] = ()
    drives: bool = True
    asked: frozenset[int] = frozenset()  # places of angles that keep their turn


@dataclass(frozen=True)
class Equations:
    """All rows to be met at a state: residual and Jacobian on (dr, dtheta) of every body."""

    residual: Array
    jacobian: Any  # scipy sparse
    rate: Array


@dataclass(frozen=True)
class Closing:
    """How far the gaps could be closed: the last state, its residual and the largest gap of every iteration."""

    state: State
    residual: Array
    history: list[float]
    starts: int = 1  # positions from which it was tried

    @property
    def closed(self) -> bool:
        """Whether all gaps are within the tolerance."""
        return not self.history or self.history[-1] <= ACCEPTED


def equations(state: State, aim: Aim, levels: tuple[str, ...] = ("position",)) -> Equations:
    """Rows of the given levels; those of others, and of drives that are released, are left empty."""
    from scipy import sparse

    system = state.system
    size = 6 * len(system.centred)
    rows = system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())
    used = np.array([row.level in levels and (aim.drives or not row.drive) for row in system.rows], dtype=float)
    hold = np.array([aim.drives or not row.drive for row in system.rows], dtype=float)
    value = rows["value"] * used[rows["row"]] if len(used) else rows["value"]
    J = sparse.coo_array((value, (rows["row"], rows["column"])), shape=(len(system.rows), size))
    phi, rate = rows["phi"] * hold, rows["rate"] * hold
    if not aim.given.quantities:
        return Equations(phi, J.tocsr(), rate)
    more = quantity_equations(state, aim.given)
    return Equations(np.concatenate([phi, more.residual]), sparse.vstack([J, more.jacobian]).tocsr(),
                     np.concatenate([rate, more.rate]))


def quantity_equations(state: State, given: Given) -> Equations:
    """Quantities and their rates against the values given, with their rows."""
    from scipy import sparse

    shape = (len(given.quantities), 6 * len(state.system.centred))
    found = state.system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(),
                                              given.quantities)
    A = sparse.coo_array((found["value"], (found["row"], found["column"])), shape=shape)
    return Equations(found["quantity"] - given.values, A.tocsr(), found["rate"] - given.values)


def inverse_mass(state: State, kept: tuple[int, ...] = ()) -> Any:
    """M^-1 in world axes, block diagonal; bodies that are kept have none."""
    from scipy import sparse

    n = len(state.system.centred)
    blocks: list[Array] = []
    R = rotations(by_body(state.y, n)[:, QUATERNION])
    for k, c in enumerate(state.system.centred):
        free = 0.0 if k in kept else 1.0
        blocks += [free * np.eye(3) / (c.body.mass + c.mass_ballast),
                   free * R[k] @ np.diag(1 / (c.moments + c.ballast)) @ R[k].T]
    places = np.arange(2 * n + 1)
    return sparse.bsr_array((np.reshape(blocks, (-1, 3, 3)), places[:-1], places), shape=(6 * n, 6 * n)).tocsr()


def least_step(jacobian: Any, residual: Array, weight: Any, damping: float | Array) -> Array:
    """-M^-1 J^T (S + damping diag S)^-1 residual with S = J M^-1 J^T: a damped Gauss-Newton step, least by mass."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    W = weight @ jacobian.T
    S = (jacobian @ W).tocsc()
    own = damping * np.maximum(S.diagonal(), 1e-12 * S.diagonal().max())
    own[S.diagonal() == 0] = 1.0  # rows left empty
    try:
        factor = splu((S + sparse.diags_array(own, format="csc")).tocsc())
    except RuntimeError:  # exactly singular: numbers so large or small that the damping is lost in rounding
        return np.full(W.shape[0], np.nan)
    return np.asarray(-(W @ factor.solve(residual)))


def moved(state: State, step: Array) -> State:
    """The state after small displacements and rotations in world axes; no body turns by more than is safe."""
    largest = float(np.abs(step.reshape(-1, 6)[:, 3:]).max())
    step = step * min(1.0, LARGEST_TURN / largest) if largest > 0 else step
    return state.displaced(step)


def counted(state: State, asked: frozenset[int] = frozenset()) -> State:
    """The state with its angles counted on; those that are asked for keep their branch."""
    turns = np.array(state.system.kernel.turns_at(state.t, state.y.tolist(), state.turns.tolist()))
    kept = np.array([k in asked or not np.isfinite(x) for k, x in enumerate(turns)], dtype=bool)
    return State(state.system, state.t, state.y, np.where(kept, state.turns, turns))


def close(state: State, aim: Aim, patience: int = 2000) -> Closing:
    """Closes all gaps of positions as far as they can be closed from here; gives up after `patience` iterations in
    which the gap shrank by less than a fifth."""
    e = equations(state, aim)
    if not len(e.residual) or np.abs(e.residual).max() <= CLOSED:
        return Closing(state, e.residual, [])
    damping, history = 1e-3, [float(np.abs(e.residual).max())]
    for _ in range(ITERATIONS + int(min(2 * np.abs(e.residual).max(), 1000))):
        trial = moved(state, least_step(e.jacobian, e.residual, inverse_mass(state, aim.kept), damping))
        after = equations(trial, aim)
        if np.linalg.norm(after.residual) < np.linalg.norm(e.residual):
            state, e, damping = counted(trial, aim.asked), after, max(0.1 * damping, EXACT)
        else:
            damping *= 10
        history.append(float(np.abs(e.residual).max()))
        if history[-1] <= CLOSED or damping > 1e8:
            break
        if history[-1] <= ACCEPTED and history[-1] > 0.5 * history[-2]:
            break
        if len(history) > patience and history[-1] > max(ACCEPTED, 0.8 * history[-1 - patience]):
            break
    return Closing(state, e.residual, history)


def _towards(e: Equations, residual: Array, wish: Equations, missed: Array, weights: Array, weight: Any,
             freely: float) -> Array:
    """The step that meets the rows of e exactly and the wishes by least squares; `freely` damps the wishes."""
    from scipy import sparse

    A = sparse.vstack([e.jacobian, wish.jacobian]).tocsr()
    own = (wish.jacobian @ weight @ wish.jacobian.T).diagonal()
    alike = own.max() / np.where(own > 0, own, 1.0)  # so that only the weights tell wishes apart
    damping = np.concatenate([np.full(len(residual), EXACT), freely * alike * weights.max() / weights])
    return least_step(A, np.concatenate([residual, missed]), weight, damping)


def meet(state: State, aim: Aim, wishes: Given, settled: float = SETTLED) -> State:
    """Minimises the sum of weight (quantity - value)^2 over the positions that are closed, until steps [m and rad] are
    below `settled`."""
    if not wishes.quantities:
        return state
    freely, still, wish = SOFT, 0, quantity_equations(state, wishes)
    for _ in range(4 * ITERATIONS):
        e = equations(state, aim)
        step = _towards(e, e.residual, wish, wish.residual, wishes.weights, inverse_mass(state, aim.kept), freely)
        found = close(counted(moved(state, step), aim.asked), aim)
        after = quantity_equations(found.state, wishes)
        cost, before = (float(wishes.weights @ w.residual**2) for w in (after, wish))
        if found.closed and cost <= before * (1 + 1e-13):
            state, wish, freely = found.state, after, max(0.1 * freely, SOFT)
            still = still + 1 if cost > before * (1 - 1e-13) else 0
        else:
            freely *= 10
        if np.abs(step).max() <= settled or freely > 1e8 or still == 3:
            break
    return state


def close_velocities(state: State, given: Given) -> tuple[State, Array]:
    """Velocities that all rows and given rates allow, changed least by mass, and what is left of every row. Parts
    without mass follow the others: what is lent to them is taken back by starting again from what was found for them
    and what was asked of the others; every pass leaves the share of what is lent."""
    asked, light, last = state, _light(state), np.inf
    state, rate = _allowed_velocities(state, given)
    for _ in range(ITERATIONS if light.any() else 0):
        found = light @ (_velocities(state) - _velocities(asked))
        trial, left = _allowed_velocities(_faster(asked, found), given)
        change = float(np.abs(_velocities(trial) - _velocities(state)).max())
        if change > 0.8 * last:
            break
        state, rate, last = trial, left, change
        if change <= CLOSED * max(1.0, float(np.abs(state.y).max())):
            break
    return _at_rest(asked, state, rate, given)


def _at_rest(asked: State, state: State, rate: Array, given: Given) -> tuple[State, Array]:
    """The state at rest, if joints leave nothing but rounding of the velocities asked for."""
    lengths = np.repeat([[1.0, c.length] for c in state.system.centred], 3, axis=1).ravel()
    before, after = (float(np.abs(lengths * _velocities(x)).max()) for x in (asked, state))
    if not 0 < after <= ROUNDING * before:
        return state, rate
    still = _faster(state, -_velocities(state))
    left = equations(still, Aim(given), ("position", "velocity")).rate
    return (state, rate) if left.any() else (still, left)


def _velocities(state: State) -> Array:
    return np.asarray(by_body(state.y, len(state.system.centred))[:, MOTION].ravel())


def _light(state: State) -> Array:
    """Projector onto the velocities of bodies that have no mass, or no inertia, to resist their change."""
    size = 6 * len(state.system.centred)
    found = np.zeros((size, size))
    for k, c in enumerate(state.system.centred):
        R, turn = rotations(of_body(state.y, k)[None, QUATERNION])[0], slice(6 * k + 3, 6 * k + 6)
        found[range(6 * k, 6 * k + 3), range(6 * k, 6 * k + 3)] = float(c.body.mass == 0)
        found[turn, turn] = R @ np.diag((c.moments == 0).astype(float)) @ R.T
    return found


def _allowed_velocities(state: State, given: Given) -> tuple[State, Array]:
    """One projection onto what all rows and given rates allow, with what is lent counted as mass."""
    aim, levels = Aim(given), ("position", "velocity")
    e = equations(state, aim, levels)
    weight, last = inverse_mass(state), np.inf
    for _ in range(ITERATIONS if len(e.rate) else 0):
        largest = float(np.abs(e.rate).max())
        if largest <= CLOSED * max(1.0, float(np.abs(state.y).max())) or largest > 0.8 * last:
            break
        last = largest
        state = _faster(state, least_step(e.jacobian, e.rate, weight, EXACT))
        e = equations(state, aim, levels)
    return state, e.rate


def meet_rates(state: State, given: Given, wishes: Given) -> State:
    """Minimises the sum of weight (rate - value)^2 over the velocities that the rows and given rates allow."""
    weight, last = inverse_mass(state), np.inf
    for _ in range(ITERATIONS if wishes.quantities else 0):
        e, wish = equations(state, Aim(given), ("position", "velocity")), quantity_equations(state, wishes)
        step = _towards(e, e.rate, wish, wish.rate, wishes.weights, weight, SOFT)
        state, size = _faster(state, step), float(np.abs(step).max())
        if size <= SETTLED * max(1.0, float(np.abs(state.y).max())) or size > 0.8 * last:
            break
        last = size
    return state


def _faster(state: State, step: Array) -> State:
    y = state.y.copy()
    by_body(y, len(step) // 6)[:, MOTION] += step.reshape(-1, 6)
    return state.with_vector(y)
