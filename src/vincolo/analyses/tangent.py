"""Small motions that the joints allow at a state: their basis, steps along them, and derivatives along them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vincolo.analyses.closing import counted
from vincolo.errors import SimulationError
from vincolo.layout import MOTION, by_body
from vincolo.model.geometry import Array
from vincolo.state import Equations, State
from vincolo.system import System

RANK = 1e-9  # singular values of J below this share of the largest count as zero
STEP = 1e-4  # rad, and share of the mechanism's length, of a difference quotient
COARSE = 1e-6  # the same of a rough one
CLOSED = 1e-13  # m and rad


@dataclass(frozen=True, eq=False)
class Tangent:
    """Motions dq = N xi with J N = 0 at a state; dq = (dr, dtheta) of every centre of mass in world axes. The columns
    of N are orthonormal in (dr, length dtheta), so that xi is in metres; J^+ is taken in the same metric."""

    state: State
    at: Equations
    length: float
    weight: Array  # 1, 1, 1, length, length, length of every body
    N: Array
    inverse: Array  # J^+: J J^+ J = J, and N^T weight^2 J^+ = 0

    @cached_property
    def P(self) -> Array:
        """xi of any dq: P N = 1 and P J^+ = 0."""
        return np.asarray((self.N * (self.weight**2)[:, None]).T)

    @cached_property
    def lam(self) -> Array:
        """Smallest reactions of the rows that balance the forces at rest: J^T lam = Q across the free motions."""
        return np.asarray(self.inverse.T @ self.at.Q)

    @cached_property
    def force(self) -> Array:
        """Force along every free motion [N]: N^T Q, zero in equilibrium."""
        return np.asarray(self.N.T @ self.at.Q)


def tangent(state: State) -> Tangent:
    """The free motions at a state, by singular values of J."""
    at, length = state.equations(), length_of(state.system)
    _check_finite(state, at)
    size = 6 * len(state.system.centred)
    weight = np.tile([1.0, 1.0, 1.0, length, length, length], len(state.system.centred))
    if not len(at.J):
        return Tangent(state, at, length, weight, np.diag(1 / weight), np.zeros((size, 0)))
    U, s, Vt = np.linalg.svd(at.J / weight)
    rank = int((s > RANK * s[0]).sum()) if len(s) else 0
    inverse = (Vt[:rank].T / s[:rank]) @ U[:, :rank].T / weight[:, None]
    return Tangent(state, at, length, weight, Vt[rank:].T / weight[:, None], inverse)


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


def closed(state: State, inverse: Array, left: Sequence[int] = ()) -> State | None:
    """The state with its joints closed again by dq = -J^+ Phi, with J^+ from nearby; None if they stay open. Rows
    that are `left` are not looked at."""
    gap = np.inf
    for _ in range(25):
        phi = state.system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())["phi"]
        phi[list(left)] = 0.0
        now = float(np.abs(phi).max(initial=0.0))
        if now <= CLOSED or (now <= 100 * CLOSED and now > 0.5 * gap):
            return state
        if not now < 0.9 * gap:
            return None
        gap, state = now, displaced(state, -inverse @ phi)
    return None


def moved(here: Tangent, dq: Array) -> State | None:
    """The closed state after a displacement along the free motions; None if the joints cannot follow."""
    return closed(displaced(here.state, dq), here.inverse)


def derivative(f: Callable[[State], Array], state: State, dq: Array, du: Array, fine: bool = True) -> Array:
    """df along displacements dq and velocities du of all bodies, one column each: central differences, improved by
    those of twice the step (Richardson). Joints stay closed to first order; what opens is even and drops out. Not
    `fine` is one difference to the front."""
    columns = []
    u, length = velocities(state), length_of(state.system)
    speed = max(1.0, float(np.abs(u).max(initial=0.0)))
    here = f(state)
    for one, other in zip(dq.T, du.T, strict=True):
        h = _reach(one, other, length, speed)

        def value(h: float, one: Array = one, other: Array = other) -> Array:
            return f(with_velocities(displaced(state, h * one) if one.any() else state, u + h * other))

        def slope(h: float, value: Callable[[float], Array] = value) -> Array:
            return (value(h) - value(-h)) / (2 * h)

        columns.append((4 * slope(STEP * h) - slope(2 * STEP * h)) / 3 if fine
                       else (value(COARSE * h) - here) / (COARSE * h))
    return np.array(columns).T if columns else np.zeros((len(here), 0))


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
    if np.isfinite(at.Q).all() and np.isfinite(at.J).all():
        return
    force = state.channels.observed["law_force"][0]
    names = [f"'{name}' ({force[k]:g})" for name, k in state.system.laws.items() if not np.isfinite(force[k])]
    names += [f"'{name}'" for name, k in state.system.loads.items()
              if not np.isfinite(state.channels.observed["load_power"][0, k])]
    raise SimulationError(f"forces are infinite or undefined at t = {state.t:g} s.\n"
                          f"  Not finite there: {', '.join(names) or 'a position'}.\n"
                          "  Check for divisions by zero and roots of negative numbers, or start elsewhere.")
