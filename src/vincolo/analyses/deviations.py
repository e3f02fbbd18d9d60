"""Small deviations from a motion: derivatives of M u' + J^T lam = Q, J u' = gamma along motions that constraints allow.

A deviation is a displacement dq = Z z + E e of all bodies, z = (xi, f): Z = (N, F) with xi along the free motions N and
f along the drives that are inputs; e is what constraints of velocities (rolling, skates) leave to positions but not to
velocities, and they determine its rate. N, F and E follow the mechanism in axes of every body that turn with given
rates, so that their components are constant in a steady motion, and change by the least that keeps J Z in any other:

    Z' = W x Z - J^+ (J' Z + J (W x Z)),    du = Z z' + E e' + Z' z + E' e + dtheta x w."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vincolo.analyses.carried_states import states_of
from vincolo.analyses.steady import Motion, crossed, steady_axes, turned
from vincolo.analyses.tangent import Slopes, Tangent, slopes_at
from vincolo.model.geometry import Array

RANK = 1e-9


@dataclass(frozen=True, eq=False)
class Carried:
    """Of the model's states: xi'' by them, their rates by positions (z, e), by velocities z', and by themselves."""

    pushes: Array
    by_position: Array
    by_velocity: Array
    own: Array


@dataclass(frozen=True, eq=False)
class Deviations:
    """xi'' = by_position (z, e) + by_velocity z', e' = slip (z, e): dq = Z z + E e, du = Z z' + U (z, e)."""

    here: Tangent
    Z: Array
    E: Array
    U: Array
    M: Array  # N^T M N
    by_position: Array
    by_velocity: Array
    slip: Array
    acceleration: Array
    carried: Carried
    axes: Array  # rates of the axes of every body (bodies, 3)
    steady: bool

    @property
    def places(self) -> Array:
        """dq by (z, e)."""
        return np.hstack([self.Z, self.E])

    def response(self, force: Array, gamma: Array) -> Array:
        """xi'' due to forces on all bodies and accelerations of the rows: M xi'' = N^T (force - M J^+ gamma)."""
        left = force - self.here.at.M @ _across(self.here, gamma)
        return np.asarray(np.linalg.solve(self.M, _times(self.here.N.T, left)))

    def full(self, force: Array, gamma: Array) -> Array:
        """The same as accelerations of all bodies."""
        return np.asarray(self.here.N @ self.response(force, gamma) + _across(self.here, gamma))


def deviations(here: Tangent, drives: Sequence[int]) -> Deviations:
    """All derivatives about the state, along free motions and along drives that are inputs."""
    N, e = here.N, here.at
    M = N.T @ (e.M @ N)
    least = here.across(e.gamma)
    du = N @ np.linalg.solve(M, N.T @ (e.Q - e.M @ least)) + least
    lam = here.saddle.split(e.Q - e.M @ du)[1]
    motion = Motion(here, du, slopes_at(here.state, lam, du))
    axes = steady_axes(motion)
    steady = axes is not None
    axes = np.zeros((len(here.weight) // 6, 3)) if axes is None else axes
    units = np.zeros((len(e.gamma), len(drives)))
    units[list(drives), range(len(drives))] = 1.0
    Z, E = np.hstack([N, _across(here, units)]), _beyond(here)
    none = np.empty(0)
    acceleration = here.P @ (du - crossed(axes, motion.u[:, None])[:, 0])
    nothing = Carried(none, none, none, none)
    found = Deviations(here, Z, E, none, M, none, none, none, acceleration, nothing, axes, steady)
    return _reduced(found, motion)


def _beyond(here: Tangent) -> Array:
    """E: displacements that constraints of positions allow and constraints of velocities do not, orthonormal."""
    rows = [k for k, row in enumerate(here.state.system.rows) if row.level == "velocity"]
    units = np.zeros((len(here.at.gamma), len(rows)))
    units[rows, range(len(rows))] = 1.0
    displacements = _across(here, units) * here.weight[:, None]
    U, s, _ = np.linalg.svd(displacements, full_matrices=False)
    return np.asarray(U[:, s > RANK * s.max(initial=0.0)] / here.weight[:, None])


def _reduced(found: Deviations, motion: Motion) -> Deviations:
    """P du = xi' + P (W x + spin) (z, e) + P (F f' + E e'), differentiated in time."""
    here, places, slopes, axes = found.here, found.places, motion.slopes, found.axes
    n, count = here.N.shape[1], found.Z.shape[1]
    with_axes, spin = crossed(axes, places), turned(places, motion.u)
    later = _rate_of_basis(found, motion, with_axes)
    slip = _slip(found, motion, later + spin)
    U = later + spin + _times(found.E, slip)
    P_dot = (later[:, :n] * (here.weight**2)[:, None]).T
    by_place = found.response(slopes.force_by_position @ places + slopes.force_by_velocity @ U,
                              slopes.gamma_by_position @ places + slopes.gamma_by_velocity @ U)
    by_rate = found.response(slopes.force_by_velocity @ found.Z, slopes.gamma_by_velocity @ found.Z)
    turning = _times(here.P, 2 * with_axes + spin)
    by_place += _times(P_dot, later - with_axes) - _times(turning[:, count:], slip)
    by_place -= _times(here.P, crossed(axes, later) + turned(later, motion.u) + turned(places, motion.du))
    found = replace(found, U=U, slip=slip, by_position=by_place, by_velocity=by_rate - turning[:, :count])
    return replace(found, carried=_carried(found, slopes))


def _rate_of_basis(found: Deviations, motion: Motion, with_axes: Array) -> Array:
    """(Z, E)' in the axes that turn, with J Z kept; for E the constraints of positions alone are kept."""
    count = found.Z.shape[1]
    open_by = motion.rows_rate(found.places) + found.here.at.J @ with_axes
    velocity = [row.level == "velocity" for row in found.here.state.system.rows]
    open_by[np.ix_(velocity, range(count, open_by.shape[1]))] = 0.0
    return with_axes - _across(found.here, open_by)


def _slip(found: Deviations, motion: Motion, moved: Array) -> Array:
    """e' by (z, e), from J du + dJ u = 0 of the constraints of velocities."""
    rows = [k for k, row in enumerate(found.here.state.system.rows) if row.level == "velocity"]
    if not found.E.shape[1]:
        return np.zeros((0, moved.shape[1]))
    J = found.here.at.J[rows]
    right = J @ moved + motion.slopes.rate_by_position[rows] @ found.places
    return np.asarray(-np.linalg.lstsq(np.asarray(J @ found.E), np.asarray(right), rcond=RANK)[0])


def _carried(found: Deviations, slopes: Slopes) -> Carried:
    """What states do to the motion, and it to them."""
    k, places, count = states_of(found.here.state.system), found.places.shape[1], found.Z.shape[1]
    if not k:
        return Carried(np.zeros((len(found.M), 0)), np.zeros((0, places)), np.zeros((0, count)), np.zeros((0, 0)))
    force = slopes.force_by_state.toarray()[:, k]
    by_position, by_velocity = slopes.state_by_position.toarray()[k], slopes.state_by_velocity.toarray()[k]
    return Carried(found.response(force, np.zeros((len(found.here.at.gamma), len(k)))),
                   by_position @ found.places + by_velocity @ found.U, by_velocity @ found.Z,
                   slopes.state_by_state.toarray()[np.ix_(k, k)])


def _across(here: Tangent, rows: Array) -> Array:
    """J^+ rows, column by column."""
    return here.saddle.columns(np.zeros((len(here.weight), rows.shape[1])), rows)


def _times(a: Array, b: Array) -> Array:
    """a b; at rest most factors are zero, and of many bodies they are large."""
    return np.asarray(a @ b) if a.any() and b.any() else np.zeros((a.shape[0], b.shape[1]))
