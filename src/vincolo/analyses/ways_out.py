"""Starts in singular positions: velocities along one of the ways that lead out, or the joint that would open.

Where rows depend on each other, N J = 0, velocities must also keep N (J u' - gamma) = 0: N gamma(u) = 0. That holds by
itself where rows are redundant everywhere. In a singular position it is a quadratic equation in u, and its solutions
are the ways out, as the two of a parallelogram that is drawn flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.analyses.closing import Given, values_of
from vincolo.analyses.quadrics import Quadrics
from vincolo.analyses.relaxation import dependencies
from vincolo.channels.channels import rotations
from vincolo.errors import SimulationError
from vincolo.held import RowName
from vincolo.layout import MOTION, QUATERNION, by_body
from vincolo.model.geometry import Array
from vincolo.state import State

FITS = 1e-6  # of the terms that must cancel
FASTEST = 1e4  # of the speed before: velocities beyond this are made up of rounding
RESTS = 1e-6  # of the speed before: below, nothing is left of the velocities asked for


@dataclass(frozen=True)
class Fit:
    """How well velocities keep dependent rows closed to second order: what is left of every dependency, and of the
    terms it is summed up from."""

    left: Array
    terms: Array

    @property
    def open(self) -> bool:
        """Whether a row opens."""
        return bool((np.abs(self.left) > FITS * self.terms).any())

    @property
    def size(self) -> float:
        """The largest share that is left."""
        return float((np.abs(self.left) / np.maximum(self.terms, 1e-300)).max(initial=0.0))


def along_a_way_out(state: State, rates: Given) -> State:
    """The state with velocities that keep all joints closed also to second order: of all motions with the rates that
    are given, along any of the branches that meet here, the one nearest to the velocities of the state in the metric of
    mass. The same state where there is nothing to do, or where only rest fits."""
    N = dependencies(state, drives=True)
    if not len(N) or not np.abs(_velocities(state)).any() or not fit(state, N).open:
        return state
    T = _freedom(state, rates)
    return _nearest(state, N, T) if T.shape[1] else state


def require_a_way_out(state: State) -> None:
    """Refuses a start from which no motion keeps all joints closed."""
    N = dependencies(state, drives=True)
    if not len(N) or _rank(state) == 6 * len(state.system.centred):
        return  # nothing depends on other rows, or nothing can move
    moving = bool(np.abs(_velocities(state)).max() > 1e-9 * state.system.extent)
    tried = state if moving else _set_going(state)
    test = fit(tried, N)
    if not test.open or (not moving and _stays(tried)):
        return
    raise SimulationError(_refusal(_opened(state, N, test), moving))


def fit(state: State, N: Array) -> Fit:
    """N gamma(u) at a state, against gamma and what a motion of that speed can make of it."""
    system = state.system
    gamma = system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())["gamma"]
    u = np.abs(_velocities(state).reshape(-1, 6))
    turning = max(float(u[:, :3].max()) / system.extent, float(u[:, 3:].max()))
    usual = turning**2 * system.row_sizes
    return Fit(N @ gamma, np.abs(N) @ np.maximum(np.abs(gamma), usual))


def _set_going(state: State) -> State:
    """A state at rest with its accelerations in place of velocities: the direction in which it sets off."""
    y, count = state.y.copy(), len(state.system.centred)
    slope, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
    by_body(y, count)[:, MOTION] = by_body(np.asarray(slope), count)[:, MOTION]
    return state.with_vector(y)


def _stays(going: State) -> bool:
    """Whether the accelerations a state was set going with are nothing against what holds it."""
    system = going.system
    held = float(np.abs(going.channels.observed["wrench"][0, :, 2]).max(initial=0.0))
    usual = max(float(np.linalg.norm(system.gravity)), held / sum(c.body.mass + c.mass_ballast for c in system.centred))
    u = np.abs(_velocities(going).reshape(-1, 6))
    return bool(max(float(u[:, :3].max()), system.size * float(u[:, 3:].max())) <= 1e-8 * usual)


def _velocities(state: State) -> Array:
    return np.asarray(by_body(state.y, len(state.system.centred))[:, MOTION].ravel())


def _turning(state: State) -> float:
    return float((_velocities(state).reshape(-1, 6)[:, 3:] ** 2).sum())


def _rank(state: State) -> int:
    """Independent rows among those that hold; stops that are open and friction that does not stick hold nothing."""
    return sum(state.system.kernel.independent(state.t, state.y.tolist(), state.turns.tolist(), True))


def _freedom(state: State, rates: Given) -> Array:
    """Basis of the velocities that rows, some of them dependent, and given rates leave free; orthonormal in the metric
    of mass."""
    lengths = _lengths(state)
    J = state.jacobian()[0] / lengths
    T = _null_space(J, _rank(state))
    if rates.quantities:
        rate_rows = (values_of(state, rates).jacobian / lengths) @ T
        T = T @ _null_space(rate_rows, int(np.linalg.matrix_rank(_of_size_one(rate_rows), tol=1e-7)))
    T = T / lengths[:, None]
    return np.asarray(np.linalg.solve(np.linalg.qr(_root_mass(state) @ T)[1].T, T.T).T)


def _null_space(J: Array, rank: int) -> Array:
    return np.asarray(np.linalg.svd(_of_size_one(J), full_matrices=True)[2][rank:].T)


def _of_size_one(J: Array) -> Array:
    """Rows over their sizes; rows of nothing stay."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return np.asarray(J / np.where(size > 0, size, 1.0))


def _lengths(state: State) -> Array:
    """1 for velocities, the length of a body for its angular velocity."""
    return np.repeat([[1.0, c.length] for c in state.system.centred], 3, axis=1).ravel()


def _root_mass(state: State) -> Array:
    """R with R^T R = M; bodies without mass or inertia have what is lent to them."""
    centred = state.system.centred
    R = np.zeros((6 * len(centred), 6 * len(centred)))
    turned = rotations(by_body(state.y, len(centred))[:, QUATERNION])
    for k, (c, A) in enumerate(zip(centred, turned, strict=True)):
        at = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        R[at[0], at[0]] = np.sqrt(c.body.mass or c.mass_ballast) * np.eye(3)
        R[at[1], at[1]] = np.sqrt(np.where(c.moments > 0, c.moments, c.ballast))[:, None] * A.T
    return R


def _nearest(state: State, N: Array, T: Array) -> State:
    """The state on the branch that is nearest; the same state if no velocities but rest are."""
    start, active = _velocities(state), _active(state, N, T)
    speed = float(np.linalg.norm(_root_mass(state) @ start))
    tests: list[Fit] = []

    def left(z: Array) -> Array:
        tests.append(fit(_with(state, start + speed * (active @ z)), N))
        return tests[-1].left

    quadrics = Quadrics.through(left, active.shape[1])
    opens = np.any([np.abs(test.left) > FITS * test.terms for test in tests], axis=0)
    ways = [_with(state, start + speed * (active @ z)) for z in quadrics.of(opens).nearest()]
    ways = [way for way in ways if _moves(way, speed) and fit(way, N).size <= FITS]
    return min(ways, key=_turning) if ways else state


def _active(state: State, N: Array, T: Array) -> Array:
    """The part of a basis that moves bodies of dependent rows; all other motions are as they are."""
    rows = np.abs(N).max(axis=0) > 0
    moved = np.abs(state.jacobian()[0][rows]).max(axis=0) > 0
    bodies = np.repeat(moved.reshape(-1, 6).any(axis=1), 6)
    _, s, Vt = np.linalg.svd((T * _lengths(state)[:, None])[bodies], full_matrices=False)
    return np.asarray(T @ Vt[s > 1e-10 * s.max(initial=0.0)].T)


def _moves(state: State, speed: float) -> bool:
    """Whether a state moves, and not beyond all measure of the speed, in the metric of mass, that it had before."""
    return bool(RESTS * speed < np.linalg.norm(_root_mass(state) @ _velocities(state)) < FASTEST * speed)


def _with(state: State, u: Array) -> State:
    y = state.y.copy()
    by_body(y, len(state.system.centred))[:, MOTION] = u.reshape(-1, 6)
    return state.with_vector(y)


def _opened(state: State, N: Array, test: Fit) -> RowName:
    """The row of a joint that opens most."""
    line = int(np.argmax(np.abs(test.left) / np.maximum(test.terms, 1e-300)))
    rows: list[RowName] = [state.system.rows[k] for k in np.argsort(-np.abs(N[line])) if N[line, k]]
    return next((row for row in rows if not row.drive), rows[0])


def _refusal(row: RowName, moving: bool) -> str:
    how = ("with velocities that do not follow any way out of it\n  on which all joints stay closed" if moving else
           "at rest, and its forces do not push it along any way out\n  of it on which all joints stay closed")
    return (f"the start is a singular position: {row} depends on other rows there, as where links are drawn in a\n"
            f"  line. The mechanism starts {how}.\n"
            "  Start away from that position, by a degree or so (assemble(given={\"joint.angle\": ...})), or give\n"
            "  rates that fit one of the ways out of it.")
