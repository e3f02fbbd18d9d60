"""Stiffnesses over the free motions at rest: which are positive, negative, or idle. Few motions are looked at one by
one; of many, the signs of the pivots of a sparse factor count them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.tangent import DENSE, Tangent
from vincolo.model.geometry import Array

IDLE = 1e-9  # share of the largest stiffness


class Spectrum:
    """Eigenvalues [N/m] of the symmetric stiffness over the free motions of a position, rotations times length."""

    def __init__(self, here: Tangent, scale: float) -> None:
        self.here, self.scale = here, scale

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """All eigenvalues, lowest first, and their motions, weight dq."""
        K, N = self.here.stiffness, self.here.N * self.here.weight[:, None]
        reduced = N.T @ (K @ N)
        values, vectors = np.linalg.eigh((reduced + reduced.T) / 2)
        return values, N @ vectors

    @property
    def values(self) -> Array:
        """All of them, lowest first."""
        return self._solved[0]

    @property
    def few(self) -> bool:
        """Whether all are worth finding."""
        return len(self.here.weight) <= DENSE

    @cached_property
    def count(self) -> int:
        """Of free motions."""
        if self.few:
            return len(self.values)
        state = self.here.state
        taken = state.system.kernel.independent(state.t, state.y.tolist(), state.turns.tolist(), True)
        return len(self.here.weight) - int(sum(taken))

    @cached_property
    def floor(self) -> float:
        """Less than this is idle [N/m]."""
        largest = float(np.abs(self.values).max(initial=0.0)) if self.few else abs(self._extreme("LM"))
        return IDLE * max(largest, 1e-3 * self.scale / self.here.length)

    def _extreme(self, which: str) -> float:
        """The largest, or the lowest, by Lanczos with projections."""
        from scipy.sparse.linalg import LinearOperator, eigsh

        K, saddle, n = (self.here.stiffness + self.here.stiffness.T) / 2, self.here.saddle, len(self.here.weight)

        def projected(x: Array) -> Array:
            return saddle.split(x * saddle.weight)[0] * saddle.weight

        operator = LinearOperator((n, n), matvec=lambda x: projected(K @ projected(x.ravel())), dtype=float)
        start = projected(np.random.default_rng(5).standard_normal(n))
        return float(eigsh(operator, k=1, which=which, v0=start, tol=1e-3 if which == "LM" else 1e-8,
                           return_eigenvectors=False)[0])

    @cached_property
    def negative(self) -> int:
        """Motions that run away."""
        if self.few:
            return int((self.values < -self.floor).sum())
        return self._below(-self.floor)

    @cached_property
    def idle(self) -> int:
        """Motions that no force holds or drives."""
        if self.few:
            return int((np.abs(self.values) <= self.floor).sum())
        return self._below(self.floor) - self.negative

    def _below(self, value: float) -> int:
        return self.here.saddle.held(self.here.stiffness, -value).downwards

    @cached_property
    def lowest(self) -> float:
        """The lowest that is not idle; infinite if nothing can move."""
        if self.few:
            return float(self.values[np.abs(self.values) > self.floor].min(initial=np.inf))
        return self._extreme("SA") if self.negative else self._lowest_positive()

    def _lowest_positive(self) -> float:
        """Shifted to just above what is idle, and inverted."""
        from scipy.sparse.linalg import LinearOperator, eigsh

        n, shift = len(self.here.weight), 2 * self.floor
        held = self.here.saddle.held(self.here.stiffness, -shift)
        inverse = LinearOperator((n, n), matvec=lambda x: held.solve(x.ravel()), dtype=float)
        start = held.solve(np.random.default_rng(5).standard_normal(n))
        return shift + 1 / float(eigsh(inverse, k=1, which="LA", v0=start, return_eigenvectors=False)[0])

    def idle_bodies(self) -> tuple[str, ...]:
        """Names of the bodies that move in idle motions."""
        if not self.idle:
            return ()
        share = np.linalg.norm(self._idle_motions().reshape(len(self.here.weight) // 6, -1), axis=1)
        return tuple(c.body.name for c, x in zip(self.here.state.system.centred, share, strict=True) if x > 1e-6)

    def _idle_motions(self) -> Array:
        if self.few:
            return self._solved[1][:, np.abs(self.values) <= self.floor]
        held: Any = self.here.saddle.held(self.here.stiffness, 2 * self.floor)
        x = np.random.default_rng(5).standard_normal(len(self.here.weight))
        for _ in range(3):  # what is idle answers a billion times as strongly as all else
            x = held.solve(x)
            x /= np.linalg.norm(x)
        return x
