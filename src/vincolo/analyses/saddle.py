"""Saddle points: a symmetric matrix over the motions that rows J allow, factored sparse with the rows kept,

    [ H  J^T ] [ x   ]   [ f ]
    [ J   0  ] [ lam ] = [ r ],

in motions x = weight dq and rows of unit length. Redundant rows are no trouble: they get a hair of give (`GIVE`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vincolo._kernel import core
from vincolo.model.geometry import Array

GIVE = 1e-13  # of a row, against the motions it holds
REFINED = 3  # rounds that take the give, and rounding, out of a solution


@dataclass(frozen=True, eq=False)
class Entries:
    """A sparse matrix as it is gathered: entries of the same place add up."""

    row: Array
    column: Array
    value: Array

    @staticmethod
    def of(matrix: Any) -> Entries:
        """Those of a scipy matrix."""
        found = matrix.tocoo()
        return Entries(*(np.asarray(k, dtype=np.int32) for k in found.coords), found.data)

    @staticmethod
    def diagonal(values: Array) -> Entries:
        """Along the diagonal."""
        places = np.arange(len(values), dtype=np.int32)
        return Entries(places, places, values)

    @staticmethod
    def together(parts: Sequence[Entries]) -> Entries:
        """The sum of several."""
        return Entries(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("row", "column", "value")))

    def at(self, row: int, column: int) -> Entries:
        """Moved to another place of a larger matrix."""
        return Entries(self.row + np.int32(row), self.column + np.int32(column), self.value)

    @property
    def T(self) -> Entries:
        """Transposed."""
        return Entries(self.column, self.row, self.value)


@dataclass(frozen=True, eq=False)
class Factored:
    """A factor of a symmetric matrix, with the matrix itself for refining."""

    factor: Any
    matrix: Any

    @staticmethod
    def of(order: Array, parts: Sequence[Entries], give: Array) -> Factored:
        """The factor of the sum of the parts and of the give on the diagonal, which the solutions are freed of."""
        from scipy import sparse

        whole, size = Entries.together(parts), len(order)
        soft = Entries.together([whole, Entries.diagonal(give)])
        factor = core().SymmetricFactor.of(order, soft.row, soft.column, soft.value)
        return Factored(factor, sparse.coo_array((whole.value, (whole.row, whole.column)), shape=(size, size)).tocsr())

    def solve(self, right: Array) -> Array:
        """The solution, as good as the rounding of the matrix allows."""
        x = np.asarray(self.factor.solve(right))
        left, size = right - self.matrix @ x, np.inf
        for _ in range(REFINED):
            now = float(np.linalg.norm(left))
            if not 1e-16 * float(np.linalg.norm(right)) < now < 0.5 * size:
                break
            x = x + self.factor.solve(left)
            left, size = right - self.matrix @ x, now
        return x


class Saddle:
    """The rows of one position, and what can be factored over them. Motions are scaled by `weight`, one for each of
    6 columns for every body; a matrix K is given in dq and forces."""

    def __init__(self, J: Any, weight: Array, pairs: tuple[Array, Array] | None = None,
                 order: Array | None = None) -> None:
        from scipy import sparse

        self.weight = weight
        self.n, self.m = len(weight), J.shape[0]
        scaled = (J @ sparse.diags_array(1 / weight)).tocsr() if self.m else J
        size = np.sqrt(np.asarray(scaled.power(2).sum(axis=1)).ravel()) if self.m else np.zeros(0)
        self.unit = 1 / np.where(size > 0, size, 1.0)  # of every row
        self.J = (sparse.diags_array(self.unit) @ scaled).tocsr() if self.m else scaled.tocsr()
        self._rows = Entries.of(self.J)
        self.order = self._order(pairs) if order is None else order

    def _order(self, pairs: tuple[Array, Array] | None) -> Array:
        """Of elimination: by bodies that rows and a matrix K couple."""
        a, b = pairs if pairs is not None else (np.zeros(0, np.int32), np.zeros(0, np.int32))
        found = np.unique(np.array([a // 6, b // 6], dtype=np.int64), axis=1).astype(np.int32)
        row, body = np.unique(np.array([self._rows.row, self._rows.column // 6]), axis=1).astype(np.int32)
        return np.asarray(core().saddle_order(self.n // 6, self.m, np.ascontiguousarray(found[0]),
                                              np.ascontiguousarray(found[1]), np.ascontiguousarray(row),
                                              np.ascontiguousarray(body)))

    @property
    def give(self) -> Array:
        """On the diagonal: none for motions, a hair for rows."""
        return np.concatenate([np.zeros(self.n), np.full(self.m, -GIVE)])

    @cached_property
    def squared(self) -> Entries:
        """J^T J: added to a matrix it changes nothing along the rows' free motions, and holds all others."""
        return Entries.of(self.J.T @ self.J)

    def scaled(self, K: Any) -> Any:
        """A matrix from forces over dq to forces over scaled motions."""
        from scipy import sparse

        W = sparse.diags_array(1 / self.weight)
        return (W @ K @ W).tocsr()

    @cached_property
    def metric(self) -> Factored:
        """H = 1: for projections."""
        parts = [Entries.diagonal(np.ones(self.n)), self._rows.at(self.n, 0), self._rows.T.at(0, self.n)]
        return Factored.of(self.order, parts, self.give)

    def split(self, force: Array, rows: Array | None = None) -> tuple[Array, Array]:
        """Displacements dq that a force causes where each motion resists alike, N N^T f, and the reactions lam of the
        rows; with values of rows: dq = J^+ r besides."""
        right = np.concatenate([force / self.weight, np.zeros(self.m) if rows is None else self.unit * rows])
        found = self.metric.solve(right)
        return found[:self.n] / self.weight, found[self.n:] * self.unit

    def columns(self, forces: Array, rows: Array | None = None) -> Array:
        """The displacements of split() for many columns; those of zero are passed over."""
        out = np.zeros((self.n, forces.shape[1]))
        for k in range(forces.shape[1]):
            r = None if rows is None else rows[:, k]
            if forces[:, k].any() or (r is not None and r.any()):
                out[:, k] = self.split(forces[:, k], r)[0]
        return out

    def held(self, K: Any, shift: float = 0.0) -> Held:
        """The symmetric part of K, in scaled motions, with a shift; one for solving along free motions and for telling
        stable positions."""
        return Held.of(self, Entries.of((K + K.T) * 0.5), scale_of(K), shift)

    def fitted(self, K: Any, damping: float, right: Array) -> Array:
        """Scaled motions x with J x = 0 for which |N^T (right - K x)|^2 + damping |K|^2 |x|^2 is least; K need not be
        symmetric: [1 J^T K 0; J 0 0 0; K^T 0 -d J^T; 0 0 J 0] (r, mu, x, nu) = (right, 0, 0, 0)."""
        size, n = scale_of(K), self.n
        k, own, start = Entries.of(K / size), self._rows, self.n + self.m
        held = self.squared
        parts = [Entries.diagonal(np.ones(n)), own.at(n, 0), own.T.at(0, n), k.at(0, start), k.T.at(start, 0),
                 Entries(held.row, held.column, -held.value).at(start, start),
                 Entries.diagonal(np.full(n, -damping)).at(start, start), own.at(start + n, start),
                 own.T.at(start, start + n)]
        order = np.column_stack([self.order, self.order + start]).ravel().astype(np.int32)
        hair = np.full(n, -1e-15)
        give = np.concatenate([self.give, hair, np.full(self.m, GIVE)])
        found = Factored.of(order, parts, give).solve(np.concatenate([right / size, np.zeros(2 * start - n)]))
        return found[start:start + n]


@dataclass(frozen=True, eq=False)
class Held:
    """A symmetric matrix over the free motions, shifted: (K + shift) x + J^T mu = f, J x = 0."""

    factored: Factored
    scale: float
    n: int
    m: int

    @staticmethod
    def of(saddle: Saddle, K: Entries, scale: float, shift: float) -> Held:
        """Scaled to the size of the rows, which are added squared."""
        size = max(scale, abs(shift), 1e-300)
        rows = saddle._rows
        parts = [Entries(K.row, K.column, K.value / size), Entries.diagonal(np.full(saddle.n, shift / size)),
                 saddle.squared, rows.at(saddle.n, 0), rows.T.at(0, saddle.n)]
        return Held(Factored.of(saddle.order, parts, saddle.give), size, saddle.n, saddle.m)

    @property
    def downwards(self) -> int:
        """Free motions against which K + shift does not resist: its negative eigenvalues there."""
        if not self.factored.factor.good:
            return self.n
        return int(self.factored.factor.negative) - self.m

    def solve(self, force: Array) -> Array:
        """x of a force, both scaled."""
        right = np.concatenate([force / self.scale, np.zeros(self.m)])
        return self.factored.solve(right)[:self.n]


def scale_of(K: Any) -> float:
    """The largest sum of a row's sizes: no eigenvalue is larger."""
    return float(abs(K).sum(axis=1).max()) if K.nnz else 1e-300
