"""Starts in singular positions: velocities along one of the ways that lead out, or the joint that would open.

Where rows depend on each other, N J = 0, velocities must also keep N (J u' - gamma) = 0: N gamma(u) = 0. That holds by
itself where rows are redundant everywhere. In a singular position it is a quadratic equation in u, and its solutions
are the ways out, as the two of a parallelogram that is drawn flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.analyses.closing import Given, values_of
from vincolo.analyses.relaxation import dependencies
from vincolo.errors import SimulationError
from vincolo.held import RowName
from vincolo.layout import MOTION, by_body
from vincolo.model.geometry import Array
from vincolo.state import State

FITS = 1e-6  # of the terms that must cancel
TRIES = 12
SPEEDS = (1e-6, 1e3)  # of the speed before: outside, equations that no way meets are lost in rounding


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
    """The state with velocities that keep all joints closed also to second order, changed as little as possible and
    with the rates that are given; where several ways fit, the one on which bodies turn least. The same state where
    there is nothing to do, or where no way is found."""
    N = dependencies(state, drives=True)
    if not len(N) or not np.abs(_velocities(state)).any() or not fit(state, N).open:
        return state
    T = _freedom(state, rates)
    rng = np.random.default_rng(5)
    speed = float(np.linalg.norm(_velocities(state)))
    found = []
    for k in range(TRIES if T.shape[1] else 0):
        z = np.zeros(T.shape[1]) if k == 0 else rng.normal(size=T.shape[1]) * speed / np.sqrt(T.shape[1])
        way = _solved(state, N, T, z)
        if way is not None:
            found.append(way)
    return min(found, key=_turning) if found else state


def require_a_way_out(state: State) -> None:
    """Refuses a start from which no motion keeps all joints closed."""
    N = dependencies(state, drives=True)
    if not len(N):
        return
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


def _freedom(state: State, rates: Given) -> Array:
    """Basis of the velocities that rows and given rates leave free."""
    J = state.jacobian()[0]
    if rates.quantities:
        J = np.vstack([J, values_of(state, rates).jacobian])
    size = np.linalg.norm(J, axis=1)
    _, s, Vt = np.linalg.svd(J[size > 0] / size[size > 0, None], full_matrices=True)
    return np.asarray(Vt[int((s > 1e-7).sum()):].T)


def _solved(state: State, N: Array, T: Array, z: Array) -> State | None:
    """Velocities u + T z with N gamma = 0 by Gauss-Newton steps; gamma is quadratic, so that differences are exact."""
    start = _velocities(state)
    for _ in range(40):
        now = _with(state, start + T @ z)
        test = fit(now, N)
        if test.size <= 1e-12 or not np.isfinite(z).all():
            break
        h = max(1e-3 * float(np.linalg.norm(start + T @ z)), 1e-12)
        ahead, behind = (np.array([fit(_with(state, start + T @ z + step * t), N).left for t in T.T])
                         for step in (h, -h))
        slope = (ahead - behind).T / (2 * h)
        z = z - np.linalg.lstsq(slope, test.left, rcond=1e-9)[0]
    least, most = (share * np.linalg.norm(start) for share in SPEEDS)
    return now if fit(now, N).size <= 1e-9 and least < np.linalg.norm(_velocities(now)) < most else None


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
