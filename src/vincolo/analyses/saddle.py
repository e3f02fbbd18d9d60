"""Saddle points: a symmetric matrix over the motions that rows J allow, factored sparse with the rows kept,

    [ H  J^T ] [ x   ]   [ f ]
    [ J   0  ] [ lam ] = [ r ],

in motions x = weight dq and rows of unit length. Redundant rows do no harm: they get a hair of give (`GIVE`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo._kernel import core
from vincolo.model.geometry import Array

GIVE = 1e-11  # of a row, against the motions it holds; solutions are freed of it


Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Entries:
    """A sparse matrix as it is gathered: entries of the same place add up."""

    row: Places
    column: Places
    value: Array

    @staticmethod
    def of(matrix: Any) -> Entries:
        """Those of a scipy matrix."""
        found = matrix.tocoo()
        row, column = (np.asarray(k, dtype=np.int32) for k in found.coords)
        return Entries(row, column, found.data)

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

    def matrix(self, shape: tuple[int, int]) -> Any:
        """As scipy has it."""
        from scipy import sparse

        return sparse.coo_array((self.value, (self.row, self.column)), shape=shape).tocsr()

    @property
    def T(self) -> Entries:
        """Transposed."""
        return Entries(self.column, self.row, self.value)


def factored(order: Places, parts: Sequence[Entries], give: Array) -> Any:
    """The factor of a sum of parts, with a give on the diagonal that its solutions are freed of."""
    whole = Entries.together(parts)
    return core().SymmetricFactor.of(order, whole.row, whole.column, whole.value, give)


class Saddle:
    """The rows of one position, and what can be factored over them. Motions are scaled by `weight`, one for each of
    6 columns for every body; a matrix K is given in dq and forces."""

    def __init__(self, J: Entries, rows: int, weight: Array, pairs: tuple[Places, Places] | None = None,
                 order: Places | None = None) -> None:
        self.weight = weight
        self.n, self.m = len(weight), rows
        scaled = J.value / weight[J.column]
        size = np.sqrt(np.bincount(J.row, scaled**2, rows))
        self.unit = 1 / np.where(size > 0, size, 1.0)  # of every row
        self._rows = Entries(J.row, J.column, scaled * self.unit[J.row])
        self.order = self._order(pairs) if order is None else order

    @cached_property
    def J(self) -> Any:
        """The rows, of unit length, over scaled motions."""
        return self._rows.matrix((self.m, self.n))

    def _order(self, pairs: tuple[Places, Places] | None) -> Places:
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

    def scaled(self, K: Entries) -> Any:
        """A matrix from forces over dq to forces over scaled motions."""
        value = K.value / self.weight[K.row] / self.weight[K.column]
        return Entries(K.row, K.column, value).matrix((self.n, self.n))

    @cached_property
    def metric(self) -> Any:
        """H = 1: for projections."""
        parts = [Entries.diagonal(np.ones(self.n)), self._rows.at(self.n, 0), self._rows.T.at(0, self.n)]
        return factored(self.order, parts, self.give)

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

    def asymmetry(self, K: Any) -> float:
        """How much of K is not symmetric along the free motions: the share in its largest, seen by two motions."""
        x, y = (self.split(v * self.weight)[0] * self.weight for v in
                np.random.default_rng(5).standard_normal((2, self.n)))
        size = scale_of(K) * float(np.linalg.norm(x) * np.linalg.norm(y))
        return abs(float(x @ (K @ y) - y @ (K @ x))) / size if size > 0 else 0.0

    def held(self, K: Any, shift: float = 0.0) -> Held:
        """The symmetric part of K, in scaled motions, with a shift: for solving along free motions and for telling
        stable positions."""
        size, own = max(scale_of(K), abs(shift), 1e-300), Entries.of(K)
        half = Entries(own.row, own.column, own.value * (0.5 / size))
        parts = [half, half.T, Entries.diagonal(np.full(self.n, shift / size)), self.squared,
                 self._rows.at(self.n, 0), self._rows.T.at(0, self.n)]
        return Held(factored(self.order, parts, self.give), size, self.n, self.m)

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
        found = factored(order, parts, give).solve(np.concatenate([right / size, np.zeros(2 * start - n)]))
        return np.asarray(found[start:start + n])


@dataclass(frozen=True, eq=False)
class Held:
    """A symmetric matrix over the free motions, shifted: (K + shift) x + J^T mu = f, J x = 0."""

    factor: Any
    scale: float
    n: int
    m: int

    @property
    def downwards(self) -> int:
        """Free motions against which K + shift does not resist: its negative eigenvalues there."""
        if not self.factor.good:
            return self.n
        return int(self.factor.negative) - self.m

    def solve(self, force: Array) -> Array:
        """x of a force, both scaled."""
        right = np.concatenate([force / self.scale, np.zeros(self.m)])
        return np.asarray(self.factor.solve(right)[:self.n])


def scale_of(K: Any) -> float:
    """The largest sum of a row's sizes: no eigenvalue is larger."""
    rows = np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))
    return float(np.bincount(rows, np.abs(K.data)).max(initial=1e-300)) if K.nnz else 1e-300
