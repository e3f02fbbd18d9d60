"""The lowest modes of small vibrations about rest, by shift and inversion of the sparse equations with their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carried_states import slope_entries
from vincolo.analyses.linearize import linearize, no_inertia
from vincolo.analyses.resting import refuse_undecided
from vincolo.analyses.saddle import Entries, scale_of
from vincolo.analyses.tangent import DENSE, Tangent, tangent, velocities
from vincolo.analyses.undirected import refuse_undirected
from vincolo.analyses.vibrations import Vibrations, from_squares, in_order, of_size_one
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

STILL = 1e-9  # share of the forces at work that may be left at rest
SHIFT = 1e-10  # share of the highest square of a frequency


@dataclass(frozen=True, eq=False)
class Modes(Vibrations):
    """The lowest modes of a mechanism about a state."""

    state: State
    values: Array
    shapes: Array  # velocities (v, w in world axes) of all bodies in every mode, (modes, bodies, 6); the largest is 1

    @property
    def eigenvalues(self) -> Array:
        """One for every mode [1/s], smallest first: of a conjugate pair the upper one."""
        return self.values

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        head = f"{self.state.system.name} at t = {self.state.t:g} s: the lowest {len(self)} modes"
        return "\n".join([head, *self.table()])


def modes(state: State | Model | System, count: int = 20) -> Modes:
    """The lowest modes of small vibrations about a state, as many as asked for or as there are; of a model as it is
    drawn and assembled. At rest in equilibrium
    a mechanism of a thousand bodies is a matter of seconds: nothing dense is formed; other states, and small
    mechanisms, are linearised whole."""
    if isinstance(state, Model | System):
        state = assemble(state)
    if not isinstance(state, State):
        raise ModelError(f"modes(): state is {state!r}; pass what assemble(), statics(...).state or result.state() "
                         "returned.")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(f"modes(): count is {count!r}; a whole number from 1 is needed.")
    refuse_undecided("modes()", state)
    refuse_undirected("modes()", state)
    here = tangent(state)
    size = max(float(np.abs(here.at.Q / here.weight).max(initial=0.0)), float(np.abs(here.lam).max(initial=0.0)))
    resting = not velocities(state).any() and float(np.abs(here.force).max(initial=0.0)) <= STILL * size
    resting = resting and not state.system.model.states
    if len(here.weight) <= DENSE or not resting or here.at.Phi_dot.any() or here.at.gamma.any():
        linear = linearize(state)
        return Modes(state, linear.eigenvalues[:count], linear.modes[:count])
    values, motions = _lowest(here, count)
    shapes = (motions / here.weight[:, None]).T.reshape(-1, len(here.weight) // 6, 6)
    return Modes(state, values, of_size_one(shapes))


def _lowest(here: Tangent, count: int) -> tuple[Array, Array]:
    """Eigenvalues and motions, weight dq."""
    slopes = slope_entries(here.state, here.lam, np.zeros(len(here.weight)))
    M, C = here.saddle.scaled(Entries.of(here.at.M)), -here.saddle.scaled(slopes["force_by_velocity"])
    K = -here.saddle.scaled(slopes["force_by_position"])
    _check_inertia(here, M)
    squares, shapes = _conservative(here, M, K, count)
    if not C.nnz and here.saddle.asymmetry(K) <= 1e-9:
        values, shapes = in_order(*from_squares(squares, shapes))
        return values[:count], shapes[:, :count]
    values, shapes = in_order(*_damped(here, (M, C, K), count, float(np.sqrt(np.abs(squares).max()))))
    return values[:count], shapes[:, :count]


def _conservative(here: Tangent, M: Any, K: Any, count: int) -> tuple[Array, Array]:
    """The squares nearest to zero, and shapes, of K x = square M x along the free motions, K made symmetric."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    n, high = len(here.weight), scale_of(K) / scale_of(M)
    shift = -SHIFT * high
    held = here.saddle.held(K - shift * M)
    inverse = LinearOperator((n, n), matvec=lambda x: held.solve(x.ravel()), dtype=float)
    start = held.solve(M @ np.random.default_rng(5).standard_normal(n))
    squares, shapes = eigsh(K, k=min(count, n - 1), M=M, sigma=shift, OPinv=inverse, v0=start)
    squares[np.abs(squares) <= 1e-14 * high] = 0.0
    return squares, shapes


def _damped(here: Tangent, matrices: tuple[Any, Any, Any], count: int, size: float) -> tuple[Array, Array]:
    """Eigenvalues nearest to a real shift s of the size of the wanted ones: x1 with v1 = x0 + s x1 and
    (s^2 M + s C + K) x1 = -M v0 - (C + s M) x0, along the free motions."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigs, splu

    M, C, K = matrices
    n, s, J = len(here.weight), 0.3 * size or 1.0, here.saddle.J
    whole = s * s * M + s * C + K
    unit = scale_of(whole)
    give = sparse.diags_array(np.full(J.shape[0], -1e-14))
    factor = splu(sparse.block_array([[whole / unit, J.T], [J, give]]).tocsc())

    def inverse(z: Array) -> Array:
        x0, v0 = z[:n], z[n:] * s
        right = (-(M @ v0) - C @ x0 - s * (M @ x0)) / unit
        x1 = factor.solve(np.concatenate([right, np.zeros(J.shape[0])]))[:n]
        return np.concatenate([x1, (x0 + s * x1) / s])

    operator = LinearOperator((2 * n, 2 * n), matvec=lambda z: inverse(z.ravel()), dtype=float)
    start = inverse(inverse(np.random.default_rng(5).standard_normal(2 * n)))
    found, vectors = eigs(operator, k=min(2 * count + 20, 2 * n - 2), v0=start)
    return s + 1 / found, vectors[:n]


def _check_inertia(here: Tangent, M: Any) -> None:
    """Refuses free motions without inertia."""
    floor = 1e-13 * scale_of(M)
    if here.saddle.held(M, -floor).downwards:
        held = here.saddle.held(M, 2 * floor)
        x = held.solve(held.solve(np.random.default_rng(5).standard_normal(len(here.weight))))
        raise no_inertia("modes()", here.state, x)
