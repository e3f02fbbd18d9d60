"""Small vibrations about a state: M x'' + C x' + K x = 0 on independent coordinates, and A, B, C, D for control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.analyses.assemble import assemble
from vincolo.analyses.deviations import Deviations, deviations
from vincolo.analyses.linear_ports import Ports, ports_of, without_dots
from vincolo.analyses.resting import refuse_undecided
from vincolo.analyses.tangent import Tangent, tangent, velocities
from vincolo.analyses.undirected import refuse_undirected
from vincolo.analyses.vibrations import Vibrations, deflated, from_squares, in_order, of_size_one, without_places
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.state import State
from vincolo.system import System

IDLE = 1e-8  # share of a row of A below which displacements do nothing


@dataclass(frozen=True, eq=False)
class LinearSystem(Vibrations):
    """Equations of small deviations from a state or a steady motion: mass xi'' + damping xi' + stiffness xi = forces.
    `basis` (bodies, 6, freedoms) are the velocities (v, w in world axes) of all bodies per xi'. The state vector of
    A, B, C, D is (xi, f, xi', f', z, e) with f the deviations of those drives that are inputs, z those of the model's
    `states`, and e displacements along `beyond`, which rolling, skates and drives of velocities leave to positions but
    not to velocities; z and e have no place in the matrices of second order. `basis` follows the motion in `axes` that
    turn with every body, so that A is constant in a steady motion."""

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
    states: tuple[str, ...]  # of the model
    beyond: Array  # (bodies, 6, e): displacements that constraints of velocities leave to positions alone
    axes: Array  # (bodies, 3): angular velocities of the axes in which `basis` and `beyond` of every body stay [rad/s]
    steady: bool  # whether the equations stay the same as the motion goes on, so that eigenvalues decide on stability

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Eigenvalues and shapes xi, in order of size."""
        if self._plain:
            return in_order(*_conservative(self))
        if not self.coupled:
            values, vectors = deflated(_companion(self))
            return in_order(values, vectors[:len(self.mass)])
        return in_order(*without_places(_companion(self), len(self.mass), self.beyond.shape[2]))

    @property
    def _plain(self) -> bool:
        """Whether there is no damping and the stiffness is symmetric: vibrations about rest without friction."""
        K = self.stiffness
        plain = not self.states and not self.coupled and not self.damping.any()
        return plain and bool(np.abs(K - K.T).max(initial=0.0) <= 1e-9 * np.abs(K).max(initial=0.0))

    @property
    def coupled(self) -> bool:
        """Whether displacements along `beyond` act on the motion and are moved by it."""
        first = len(self.A) - self.beyond.shape[2]
        acting = np.abs(self.A[:first, first:]).max(axis=1, initial=0.0)
        size = np.abs(self.A[:first]).max(axis=1, initial=0.0)
        return bool((acting > IDLE * size).any() and np.abs(self.A[first:]).max(initial=0.0) > IDLE * size.max())

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
    _check_mass(here)
    ports = ports_of(here, inputs, outputs)
    d = deviations(here, ports.drives)
    n, names = here.N.shape[1], tuple(state.system.model.states)
    A, B = _first_order(d, ports, len(names))
    C, D = ports.read(here, d, d.full(ports.forces, ports.accelerations))
    kept = _effective(d, A, C)
    basis = here.N.reshape(-1, 6, n)
    K, damping = -d.M @ d.by_position[:, :n], -d.M @ d.by_velocity[:, :n]
    still = not velocities(state).any()
    small = np.abs(damping).max(initial=0.0) <= 1e-11 * np.sqrt(np.abs(K).max(initial=0.0) * np.abs(d.M).max(initial=0))
    damping = np.zeros_like(damping) if still and small else damping
    E = d.E if len(kept) == len(A) else d.E[:, :0]
    beyond = E.reshape(len(basis), 6, E.shape[1])
    return LinearSystem(state, d.M, damping, K, basis, d.acceleration, A[np.ix_(kept, kept)], B[kept], C[:, kept], D,
                        ports.inputs, ports.outputs, names, beyond, d.axes, d.steady)


def _first_order(d: Deviations, ports: Ports, states: int) -> tuple[Array, Array]:
    """A and B over (xi, f, xi', f', z, e)."""
    n, count, extra = len(d.M), len(ports.drives), d.E.shape[1]
    motion = 2 * (n + count)
    size = motion + states + extra
    A, B = np.zeros((size, size)), np.zeros((size, len(ports.inputs)))
    places = [*range(n + count), *range(size - extra, size)]  # of positions
    rates = [*range(n + count, motion)]
    A[:n + count, n + count: motion] = np.eye(n + count)
    lower = slice(n + count, 2 * n + count)
    rows = slice(motion, motion + states)
    A[lower, places], A[lower, rates], A[lower, rows] = d.by_position, d.by_velocity, d.carried.pushes
    A[rows, places], A[rows, rates], A[rows, rows] = d.carried.by_position, d.carried.by_velocity, d.carried.own
    A[size - extra:, places] = d.slip
    B[lower] = d.response(ports.forces, ports.accelerations)
    B[2 * n + count: motion] = ports.accelerations[list(ports.drives)] if count else 0.0
    return A, B


def _effective(d: Deviations, A: Array, C: Array) -> NDArray[np.intp]:
    """The numbers of the state without displacements e that neither the motion nor an output depends on."""
    size, extra = len(A), d.E.shape[1]
    first = size - extra
    everything = np.arange(size)
    if not extra:
        return everything
    scale = np.abs(A[:first]).max(axis=1, initial=0.0)
    works = bool((np.abs(A[:first, first:]).max(axis=1, initial=0.0) > IDLE * scale).any())
    seen = bool(np.abs(C[:, first:]).max(initial=0.0) > IDLE * np.abs(C).max(initial=0.0))
    return everything if works or seen else everything[:first]


def _check_mass(here: Tangent) -> None:
    """Refuses free motions without inertia."""
    M = here.N.T @ (here.at.M @ here.N)
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
    """The rates of (xi, xi', z, e) by themselves; drives that are inputs keep their motion."""
    n, last = len(linear.mass), len(linear.A) - linear.beyond.shape[2]
    motion = last - len(linear.states)
    extra = range(last, len(linear.A)) if linear.coupled else ()
    if linear.states or extra:
        kept = [*range(n), *range(motion // 2, motion // 2 + n), *range(motion, last), *extra]
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
