"""Small vibrations about a state: M x'' + C x' + K x = 0 on independent coordinates, and A, B, C, D for control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.linear_ports import ports_of, without_dots
from vincolo.analyses.tangent import Slopes, Tangent, slopes_at, tangent, velocities
from vincolo.analyses.vibrations import Vibrations, from_squares, in_order, of_size_one
from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.state import State


@dataclass(frozen=True, eq=False)
class LinearSystem(Vibrations):
    """Equations of small deviations from a state or a steady motion: mass xi'' + damping xi' + stiffness xi = forces.
    `basis` (bodies, 6, freedoms) are the velocities (v, w in world axes) of all bodies per xi'. The state vector of
    A, B, C, D is (xi, f, xi', f') with f the deviations of those drives that are inputs."""

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

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Eigenvalues and shapes xi, in order of size."""
        values, vectors = _conservative(self) if self._plain else np.linalg.eig(_companion(self))
        return in_order(values, vectors[:len(self.mass)])

    @property
    def _plain(self) -> bool:
        """Whether there is no damping and the stiffness is symmetric: vibrations about rest without friction."""
        K = self.stiffness
        return not self.damping.any() and np.abs(K - K.T).max(initial=0.0) <= 1e-9 * np.abs(K).max(initial=0.0)

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
        head = f"{self.state.system.name} at t = {self.state.t:g} s: {len(self.mass)} freedoms"
        return "\n".join([head, *self.table()])


def linearize(state: State, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> LinearSystem:
    """Linear equations of small deviations from an assembled state: at rest, in a steady motion, or at one moment.

    Inputs: a measure, spring, law or actuator by name is a force that drives its measure up; a load by name is a factor
    on it, added to 1; "body.fx" to "body.tz" (or of a named frame) are forces and torques in world axes; a drive by
    name is its acceleration. Outputs: any channel, such as "slider.x"."""
    if not isinstance(state, State):
        raise ModelError(f"linearize(): state is {state!r}; pass what assemble(), statics(...).state or "
                         "result.state() returned.")
    here = tangent(state)
    ports = ports_of(here, inputs, outputs)
    d = _deviations(here, ports.drives)
    n, count = here.N.shape[1], len(ports.drives)
    forces, jumps = ports.forces, ports.accelerations  # what inputs are: forces on bodies, or f'' of rows
    by_input = d.response(forces, jumps)
    A, B = np.zeros((2 * (n + count),) * 2), np.zeros((2 * (n + count), len(ports.inputs)))
    A[:n + count, n + count:] = np.eye(n + count)
    A[n + count: 2 * n + count] = np.hstack([d.by_position, d.by_velocity])
    B[n + count: 2 * n + count] = by_input
    B[2 * n + count:] = jumps[list(ports.drives)] if count else 0.0
    C, D = ports.read(here, d.Z, d.U, d.full(forces, jumps))
    basis = here.N.reshape(-1, 6, n)
    K, damping = -d.M @ d.by_position[:, :n], -d.M @ d.by_velocity[:, :n]
    still = not velocities(state).any()
    small = np.abs(damping).max(initial=0.0) <= 1e-11 * np.sqrt(np.abs(K).max(initial=0.0) * np.abs(d.M).max(initial=0))
    damping = np.zeros_like(damping) if still and small else damping
    return LinearSystem(state, d.M, damping, K, basis, d.acceleration, A, B, C, D, ports.inputs, ports.outputs)


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
    found = Deviations(here, Z, Z_dot + spin, M, np.empty(0), np.empty(0), acceleration)
    by_position, by_velocity = _reduced(found, slopes, Z_dot, spin, du)
    return replace(found, by_position=by_position, by_velocity=by_velocity)


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
    n = len(linear.mass)
    low = -np.linalg.solve(linear.mass, np.hstack([linear.stiffness, linear.damping]))
    return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), low])


def _conservative(linear: LinearSystem) -> tuple[Array, Array]:
    """Eigenvalues and shapes of M xi'' + K xi = 0, both symmetric; what nothing holds has eigenvalue zero."""
    root = np.linalg.inv(np.linalg.cholesky(linear.mass))
    K = root @ (linear.stiffness + linear.stiffness.T) @ root.T / 2
    squares, vectors = np.linalg.eigh(K)
    squares[np.abs(squares) <= 1e-12 * np.abs(squares).max(initial=0.0)] = 0.0
    return from_squares(squares, root.T @ vectors)
