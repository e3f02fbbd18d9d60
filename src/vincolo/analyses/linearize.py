"""Small vibrations about a state: M x'' + C x' + K x = 0 on independent coordinates, and A, B, C, D for control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carried_states import states_of
from vincolo.analyses.linear_ports import ports_of, without_dots
from vincolo.analyses.resting import refuse_undecided
from vincolo.analyses.tangent import Slopes, Tangent, slopes_at, tangent, velocities
from vincolo.analyses.undirected import refuse_undirected
from vincolo.analyses.vibrations import Vibrations, from_squares, in_order, of_size_one
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.state import State
from vincolo.system import System


@dataclass(frozen=True, eq=False)
class LinearSystem(Vibrations):
    """Equations of small deviations from a state or a steady motion: mass xi'' + damping xi' + stiffness xi = forces.
    `basis` (bodies, 6, freedoms) are the velocities (v, w in world axes) of all bodies per xi'. The state vector of
    A, B, C, D is (xi, f, xi', f', z) with f the deviations of those drives that are inputs, and z those of the model's
    `states`, which have no place in the matrices of second order: mass, damping and stiffness hold them."""

    state: State
    mass: Array
    damping: Array
    stiffness: Array
    basis: Array
    acceleration: Array  # of xi at the state: zero at rest and in a steady motion
    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...] = ()  # of the model, whose deviations stand last

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Eigenvalues and shapes xi, in order of size."""
        values, vectors = _conservative(self) if self._plain else np.linalg.eig(_companion(self))
        return in_order(values, vectors[:len(self.mass)])

    @property
    def _plain(self) -> bool:
        """Whether there is no damping and the stiffness is symmetric: vibrations about rest without friction."""
        K = self.stiffness
        plain = not self.states and not self.damping.any()
        return plain and bool(np.abs(K - K.T).max(initial=0.0) <= 1e-9 * np.abs(K).max(initial=0.0))

    @property
    def eigenvalues(self) -> Array:
        """One for every mode [1/s], smallest first: of a conjugate pair the upper one."""
        return self._solved[0]

    @property
    def modes(self) -> Array:
        """Velocities (v, w in world axes) of all bodies in every mode, (modes, bodies, 6), complex where bodies move
        out of phase; the largest is 1."""
        return of_size_one(np.einsum("bcn,nm->mbc", self.basis, self._solved[1]))

    def to_scipy(self) -> Any:
        """The same as scipy.signal.StateSpace."""
        from scipy.signal import StateSpace

        self._check_ports("to_scipy()")
        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """The same as control.StateSpace of the python-control package, with names of inputs and outputs; it allows no
        dots in them: 'slider.x' is 'slider_x' there."""
        self._check_ports("to_control()")
        control = library("control", "to_control() needs the package 'control'", "control", "; or use to_scipy().")
        return control.StateSpace(self.A, self.B, self.C, self.D, inputs=without_dots(self.inputs),
                                  outputs=without_dots(self.outputs), name=without_dots([self.state.system.name])[0])

    def _check_ports(self, what: str) -> None:
        if not self.inputs or not self.outputs:
            missing = "inputs" if not self.inputs else "outputs"
            raise ModelError(f"{what}: there are no {missing}.\n"
                             "  Name them: linearize(state, inputs=['motor'], outputs=['slider.x']).")

    def __str__(self) -> str:
        freedoms = "1 freedom" if len(self.mass) == 1 else f"{len(self.mass)} freedoms"
        head = f"{self.state.system.name} at t = {self.state.t:g} s: {freedoms}"
        return "\n".join([head, *self.table()])


def linearize(state: State | Model | System, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> LinearSystem:
    """Linear equations of small deviations from an assembled state: at rest, in a steady motion, or at one moment; of
    a model as it is drawn and assembled.

    Inputs: a measure, spring, law or actuator by name is a force that drives its measure up; a load by name is a factor
    on it, added to 1; "body.fx" to "body.tz" (or of a named frame) are forces and torques in world axes; a drive by
    name is its acceleration. Outputs: any channel, such as "slider.x"."""
    if isinstance(state, Model | System):
        state = assemble(state)
    if not isinstance(state, State):
        raise ModelError(f"linearize(): state is {state!r}; pass what assemble(), statics(...).state or "
                         "result.state() returned.")
    refuse_undecided("linearize()", state)
    refuse_undirected("linearize()", state)
    here = tangent(state)
    ports = ports_of(here, inputs, outputs)
    d = _deviations(here, ports.drives)
    n, count = here.N.shape[1], len(ports.drives)
    forces, jumps = ports.forces, ports.accelerations  # what inputs are: forces on bodies, or f'' of rows
    by_input = d.response(forces, jumps)
    names = tuple(state.system.model.states)
    motion = 2 * (n + count)
    A, B = np.zeros((motion + len(names),) * 2), np.zeros((motion + len(names), len(ports.inputs)))
    A[:n + count, n + count: motion] = np.eye(n + count)
    A[n + count: 2 * n + count] = np.hstack([d.by_position, d.by_velocity, d.carried.pushes])
    A[motion:] = np.hstack([d.carried.rows, d.carried.own])
    B[n + count: 2 * n + count] = by_input
    B[2 * n + count: motion] = jumps[list(ports.drives)] if count else 0.0
    C, D = ports.read(here, d.Z, d.U, d.full(forces, jumps))
    basis = here.N.reshape(-1, 6, n)
    K, damping = -d.M @ d.by_position[:, :n], -d.M @ d.by_velocity[:, :n]
    still = not velocities(state).any()
    small = np.abs(damping).max(initial=0.0) <= 1e-11 * np.sqrt(np.abs(K).max(initial=0.0) * np.abs(d.M).max(initial=0))
    damping = np.zeros_like(damping) if still and small else damping
    return LinearSystem(state, d.M, damping, K, basis, d.acceleration, A, B, C, D, ports.inputs, ports.outputs, names)


@dataclass(frozen=True, eq=False)
class Carried:
    """Of the model's states: xi'' by them, their rates by (z, z') of the motion, and by themselves."""

    pushes: Array
    rows: Array
    own: Array


@dataclass(frozen=True, eq=False)
class Deviations:
    """xi'' = by_position z + by_velocity z' with z = (xi, f): displacements dq = Z z, velocities du = Z z' + U z."""

    here: Tangent
    Z: Array
    U: Array
    M: Array  # N^T M N
    by_position: Array
    by_velocity: Array
    acceleration: Array
    carried: Carried

    def response(self, force: Array, gamma: Array) -> Array:
        """xi'' due to forces on all bodies and accelerations of the rows: M xi'' = N^T (force - M J^+ gamma)."""
        left = force - self.here.at.M @ _across(self.here, gamma)
        return np.asarray(np.linalg.solve(self.M, _times(self.here.N.T, left)))

    def full(self, force: Array, gamma: Array) -> Array:
        """The same as accelerations of all bodies."""
        return np.asarray(self.here.N @ self.response(force, gamma) + _across(self.here, gamma))


def _across(here: Tangent, rows: Array) -> Array:
    """J^+ rows, column by column."""
    return here.saddle.columns(np.zeros((len(here.weight), rows.shape[1])), rows)


def _deviations(here: Tangent, drives: Sequence[int]) -> Deviations:
    """All derivatives of M u' + J^T lam = Q, J u' = gamma about the state, along N and along drives that are inputs."""
    N, e = here.N, here.at
    M = N.T @ (e.M @ N)
    _check_mass(here, M)
    least = here.across(e.gamma)
    acceleration: Array = np.asarray(np.linalg.solve(M, N.T @ (e.Q - e.M @ least)), dtype=float)
    du = N @ acceleration + least
    slopes = slopes_at(here.state, here.saddle.split(e.Q - e.M @ du)[1], du)
    units = np.zeros((len(e.gamma), len(drives)))
    units[list(drives), range(len(drives))] = 1.0
    Z = np.hstack([N, _across(here, units)])
    spin = _turned(Z, velocities(here.state))
    Z_dot = -_across(here, slopes.rate_by_position @ Z + e.J @ spin)  # J Z stays what it is as the mechanism moves
    none = np.empty(0)
    found = Deviations(here, Z, Z_dot + spin, M, none, none, acceleration, Carried(none, none, none))
    by_position, by_velocity = _reduced(found, slopes, Z_dot, spin, du)
    return replace(found, by_position=by_position, by_velocity=by_velocity, carried=_carried(found, slopes))


def _carried(found: Deviations, slopes: Slopes) -> Carried:
    """What states do to the motion, and it to them: dq = Z z, du = Z z' + U z."""
    k = states_of(found.here.state.system)
    if not k:
        return Carried(np.zeros((len(found.M), 0)), np.zeros((0, 2 * found.Z.shape[1])), np.zeros((0, 0)))
    force = slopes.force_by_state.toarray()[:, k]
    by_position, by_velocity = slopes.state_by_position.toarray()[k], slopes.state_by_velocity.toarray()[k]
    rows = np.hstack([by_position @ found.Z + by_velocity @ found.U, by_velocity @ found.Z])
    return Carried(found.response(force, np.zeros((len(found.here.at.gamma), len(k)))), rows,
                   slopes.state_by_state.toarray()[np.ix_(k, k)])


def _reduced(found: Deviations, slopes: Slopes, Z_dot: Array, spin: Array, du: Array) -> tuple[Array, Array]:
    """By position and velocity: P du = xi' + P spin z, so that xi'' = P du' + P_dot U z - P spin z' - (P spin)' z."""
    here, Z, U = found.here, found.Z, found.U
    w = velocities(here.state)
    P_dot = (Z_dot[:, :here.N.shape[1]] * (here.weight**2)[:, None]).T
    later = _times(P_dot, spin) + _times(here.P, _turned(Z_dot, w) + _turned(Z, du))
    by_z = found.response(slopes.force_by_position @ Z + slopes.force_by_velocity @ U,
                          slopes.gamma_by_position @ Z + slopes.gamma_by_velocity @ U)
    by_rate = found.response(slopes.force_by_velocity @ Z, slopes.gamma_by_velocity @ Z)
    return by_z + _times(P_dot, U) - later, by_rate - _times(here.P, spin)


def _times(a: Array, b: Array) -> Array:
    """a b; at rest most factors are zero, and of many bodies they are large."""
    return np.asarray(a @ b) if a.any() and b.any() else np.zeros((a.shape[0], b.shape[1]))


def _turned(Z: Array, u: Array) -> Array:
    """Change of w that a turned body has while it moves as before: dtheta x w, one column each."""
    out = np.zeros_like(Z)
    w = u.reshape(-1, 6)[:, 3:]
    theta = Z.reshape(len(w), 6, -1)[:, 3:]
    out.reshape(len(w), 6, -1)[:, 3:] = np.cross(theta, w[:, :, None], axisa=1, axisb=1, axisc=1)
    return out


def _check_mass(here: Tangent, M: Array) -> None:
    """Refuses free motions without inertia."""
    if not len(M):
        raise ModelError("linearize(): the mechanism has no freedom, so nothing can vibrate.\n"
                         "  Take out a drive or a joint.")
    values, vectors = np.linalg.eigh(M)
    if values[0] <= 1e-13 * values[-1]:
        raise no_inertia("linearize()", here.state, here.N @ vectors[:, 0])


def no_inertia(what: str, state: State, motion: Array) -> ModelError:
    """A free motion that nothing resists."""
    share = np.linalg.norm(motion.reshape(-1, 6), axis=1)
    name = state.system.centred[int(np.argmax(share))].body.name
    return ModelError(f"{what}: body '{name}' can move in a way that has no inertia.\n"
                      f"  Give '{name}' an inertia, or hold it by a joint.")


def _companion(linear: LinearSystem) -> Array:
    n, motion = len(linear.mass), len(linear.A) - len(linear.states)
    if linear.states:  # drives that are inputs keep their motion
        kept = [*range(n), *range(motion // 2, motion // 2 + n), *range(motion, len(linear.A))]
        return linear.A[np.ix_(kept, kept)]
    low = -np.linalg.solve(linear.mass, np.hstack([linear.stiffness, linear.damping]))
    return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), low])


def _conservative(linear: LinearSystem) -> tuple[Array, Array]:
    """Eigenvalues and shapes of M xi'' + K xi = 0, both symmetric; what nothing holds has eigenvalue zero."""
    root = np.linalg.inv(np.linalg.cholesky(linear.mass))
    K = root @ (linear.stiffness + linear.stiffness.T) @ root.T / 2
    squares, vectors = np.linalg.eigh(K)
    squares[np.abs(squares) <= 1e-12 * np.abs(squares).max(initial=0.0)] = 0.0
    return from_squares(squares, root.T @ vectors)
