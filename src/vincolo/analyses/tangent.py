"""Small motions that the joints allow at a state: steps along them, forces across them, and how forces change with
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.carried_states import carried_by, condensed, coupled_places, slope_entries
from vincolo.analyses.closing import counted
from vincolo.analyses.saddle import Entries, Places, Saddle
from vincolo.errors import SimulationError
from vincolo.layout import MOTION, by_body
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

RANK = 1e-9  # singular values of J below this share of the largest count as zero
STEP = 1e-4  # rad, and share of the mechanism's length, of a difference quotient
SPEED_STEP = 1e-6  # share of the speed, or m/s: shorter, as resistance often goes by the square of a speed, with a kink
CLOSED = 1e-13  # m and rad
DENSE = 120  # motions of bodies up to which matrices are looked at whole


@dataclass(frozen=True, eq=False)
class Equations:
    """M u' + J^T lam = Q and J u' = gamma at a state, M and J sparse; columns are (v, w) of every body."""

    M: Any
    rows: Entries  # of J
    gamma: Array
    Q: Array
    Phi: Array
    Phi_dot: Array

    @cached_property
    def J(self) -> Any:
        """The rows on the velocities of all bodies."""
        return self.rows.matrix((len(self.Phi), len(self.Q)))


@dataclass(frozen=True, eq=False)
class Slopes:
    """Sparse derivatives by displacements and velocities (dr, dtheta) and (v, w) of all bodies, and by what a run
    carries beside the motion, at given u' and lam: of F = Q - M u' - J^T lam, of Phi_dot, of gamma - J u', and of the
    rates of what is carried."""

    force_by_position: Any
    force_by_velocity: Any
    rate_by_position: Any
    gamma_by_position: Any
    gamma_by_velocity: Any
    force_by_state: Any
    state_by_position: Any
    state_by_velocity: Any
    state_by_state: Any


def equations_at(state: State) -> Equations:
    """The equations of motion at a state."""
    system, where = state.system, (state.t, state.y.tolist(), state.turns.tolist())
    n = 6 * len(system.centred)
    rows, forces = system.kernel.rows(*where), system.kernel.forces(*where)
    J = Entries(rows["row"], rows["column"], rows["value"])
    return Equations(Entries(*forces["M"]).matrix((n, n)), J, rows["gamma"], forces["Q"], rows["phi"], rows["rate"])


def missing_at(state: State, lam: Array, acceleration: Array) -> tuple[Array, Array]:
    """What is missing in the equations of motion at given u' and lam: F = Q - M u' - J^T lam, and G = gamma - J u'."""
    system, where = state.system, (state.t, state.y.tolist(), state.turns.tolist())
    rows, forces = system.kernel.rows(*where), system.kernel.forces(*where)
    row, column, value = rows["row"], rows["column"], rows["value"]
    i, j, mass = forces["M"]
    n, m = len(acceleration), len(lam)
    F = forces["Q"] - np.bincount(i, mass * acceleration[j], n) - np.bincount(column, value * lam[row], n)
    return F, rows["gamma"] - np.bincount(row, value * acceleration[column], m)


def slopes_at(state: State, lam: Array, acceleration: Array) -> Slopes:
    """Exact derivatives of the equations of motion."""
    n, m, count = 6 * len(state.system.centred), len(state.system.rows), carried_by(state).size
    rows, columns = {"force": n, "rate": m, "gamma": m, "state": count}, {"position": n, "velocity": n, "state": count}
    sizes = {name: name.split("_by_") for name in Slopes.__dataclass_fields__}
    return Slopes(**{name: x.matrix((rows[sizes[name][0]], columns[sizes[name][1]]))
                     for name, x in slope_entries(state, lam, acceleration).items()})


@dataclass(frozen=True, eq=False)
class Tangent:
    """Motions dq with J dq = 0 at a state; dq = (dr, dtheta) of every centre of mass in world axes, measured by
    weight dq = (dr, length dtheta) in metres. J^+ is taken in the same metric."""

    state: State
    at: Equations
    length: float
    weight: Array  # 1, 1, 1, length, length, length of every body
    saddle: Saddle

    @cached_property
    def _rest(self) -> tuple[Array, Array]:
        return self.saddle.split(self.at.Q)

    @property
    def lam(self) -> Array:
        """Smallest reactions of the rows that balance the forces at rest: J^T lam = Q across the free motions."""
        return self._rest[1]

    @cached_property
    def force(self) -> Array:
        """Force along free motions [N], zero in equilibrium: a vector weight N N^T Q of the size of N^T Q."""
        return np.asarray(self._rest[0] * self.weight)

    def work(self, dq: Array) -> float:
        """Of that force along a displacement, as far as it is free here."""
        return float(self.force @ (self.weight * dq))

    def free(self, dq: Array) -> Array:
        """The free part of a displacement."""
        return self.saddle.split(self.weight**2 * dq)[0]

    def across(self, rows: Array) -> Array:
        """J^+ rows: the least displacement that changes the rows by given values."""
        return self.saddle.split(np.zeros(len(self.weight)), rows)[0]

    @cached_property
    def stiffness(self) -> Any:
        """-d(Q - J^T lam) by dq at rest, sparse, over scaled motions: of the forces, and of the reactions that turn
        with their joints; states that a run carries follow where they stay."""
        found = slope_entries(self.state, self.lam, np.zeros(len(self.weight)))
        return -self.saddle.scaled(condensed(found, self.state))

    @cached_property
    def N(self) -> Array:
        """A basis of the free motions, dense: dq = N xi, orthonormal in weight dq, so that xi is in metres."""
        n = len(self.weight)
        if not self.saddle.m:
            return np.diag(1 / self.weight)
        if n <= DENSE:
            U, s, Vt = np.linalg.svd(self.at.J.toarray() / self.weight)
            return np.asarray(Vt[int((s > RANK * s[0]).sum()):].T / self.weight[:, None])
        count = n - sum(self.state.system.kernel.independent(self.state.t, self.state.y.tolist(),
                                                             self.state.turns.tolist(), True))
        found = self.saddle.columns(np.random.default_rng(3).standard_normal((n, count)) * self.weight[:, None])
        return np.asarray(np.linalg.qr(found * self.weight[:, None])[0] / self.weight[:, None])

    @cached_property
    def P(self) -> Array:
        """xi of any dq: P N = 1 and P J^+ = 0."""
        return np.asarray((self.N * (self.weight**2)[:, None]).T)


def tangent(state: State, length: float | None = None, like: Tangent | None = None) -> Tangent:
    """The free motions at a state, by a length other than that of its largest body; or `like` those at another state
    of the same mechanism, with its length and order of elimination."""
    at = equations_at(state)
    _check_finite(state, at)
    if like is not None:
        saddle = Saddle(at.rows, len(at.Phi), like.weight, order=like.saddle.order)
        return Tangent(state, at, like.length, like.weight, saddle)
    size = length_of(state.system) if length is None else length
    weight = np.tile([1.0, 1.0, 1.0, size, size, size], len(state.system.centred))
    return Tangent(state, at, size, weight, Saddle(at.rows, len(at.Phi), weight, _coupled(state)))


def _coupled(state: State) -> tuple[Places, Places]:
    """Places of bodies that forces couple."""
    n = 6 * len(state.system.centred)
    return coupled_places(slope_entries(state, np.zeros(len(state.system.rows)), np.zeros(n)))


def length_of(system: System) -> float:
    """A length of the mechanism [m] that makes rotations and displacements comparable."""
    return max(c.length for c in system.centred)


def at_rest(state: State) -> State:
    """The same position without velocities."""
    return with_velocities(state, np.zeros(6 * len(state.system.centred)))


def velocities(state: State) -> Array:
    """u = (v, w) of every centre of mass, world axes."""
    n = len(state.system.centred)
    return np.asarray(by_body(state.y, n)[:, MOTION].ravel().copy())


def with_velocities(state: State, u: Array) -> State:
    """The same position with other velocities."""
    y, n = state.y.copy(), len(state.system.centred)
    by_body(y, n)[:, MOTION] = u.reshape(n, 6)
    return state.with_vector(y)


def displaced(state: State, dq: Array) -> State:
    """The state after a displacement (dr, dtheta) of every body, angles counted on over turns."""
    return counted(state.displaced(dq))


def closed(state: State, here: Tangent, left: Sequence[int] = ()) -> State | None:
    """The state with its joints closed again by dq = -J^+ Phi, with J^+ from nearby, or of the state itself where that
    does not do; None if they stay open. Rows that are `left` are not looked at."""
    gap = np.inf
    for _ in range(25):
        phi = state.system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())["phi"]
        phi[list(left)] = 0.0
        now = float(np.abs(phi).max(initial=0.0))
        if now <= CLOSED or (now <= 100 * CLOSED and now > 0.5 * gap):
            return state
        if not now < 0.9 * gap:
            return None
        if now > 0.2 * gap:
            here = tangent(state, like=here)
        gap, state = now, displaced(state, -here.across(phi))
    return None


def moved(here: Tangent, dq: Array) -> State | None:
    """The closed state after a displacement along the free motions; None if the joints cannot follow."""
    return closed(displaced(here.state, dq), here)


def derivative(f: Callable[[State], Array], state: State, dq: Array, du: Array) -> Array:
    """df of what is read from states along displacements dq and velocities du of all bodies, one column each: central
    differences, improved by those of twice the step (Richardson). Joints stay closed to first order; what opens is even
    and drops out."""
    columns = []
    u, length = velocities(state), length_of(state.system)
    speed = max(1.0, float(np.abs(u).max(initial=0.0)))
    for one, other in zip(dq.T, du.T, strict=True):
        h = _reach(one, other, length, speed)

        def value(h: float, one: Array = one, other: Array = other) -> Array:
            return f(with_velocities(displaced(state, h * one) if one.any() else state, u + h * other))

        def slope(h: float, value: Callable[[float], Array] = value) -> Array:
            return (value(h) - value(-h)) / (2 * h)

        step = STEP if one.any() else SPEED_STEP
        columns.append((4 * slope(step * h) - slope(2 * step * h)) / 3)
    return np.array(columns).T if columns else np.zeros((len(f(state)), 0))


def _reach(dq: Array, du: Array, length: float, speed: float) -> float:
    """Factor that brings a motion to a radian, to the mechanism's length, or to its speed."""
    if dq.any():
        return 1.0 / size_of(dq, length)
    return speed / float(np.abs(du).max(initial=1e-300))


def size_of(dq: Array, length: float) -> float:
    """Largest rotation [rad], or displacement as share of a length."""
    steps = dq.reshape(-1, 6)
    return max(float(np.abs(steps[:, :3]).max(initial=0.0)) / length, float(np.abs(steps[:, 3:]).max(initial=0.0)))


def _check_finite(state: State, at: Equations) -> None:
    if np.isfinite(at.Q).all() and np.isfinite(at.rows.value).all():
        return
    force = state.channels.observed["law_force"][0]
    names = [f"'{name}' ({force[k]:g})" for name, k in state.system.laws.items() if not np.isfinite(force[k])]
    names += [f"'{name}'" for name, k in state.system.loads.items()
              if not np.isfinite(state.channels.observed["load_power"][0, k])]
    raise SimulationError(f"forces are infinite or undefined at t = {state.t:g} s.\n"
                          f"  Not finite there: {', '.join(names) or 'a position'}.\n"
                          "  Check for divisions by zero and roots of negative numbers, or start elsewhere.")
