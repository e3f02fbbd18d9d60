"""QTZ with kernel-basis update (Vita, chapter 3) on whole matrices: J = W S Q1^T with W and Q1 of orthonormal columns.

C = W^T makes r independent rows C J of all; Q1 and Q2 are bases of the row space and of the kernel where it was
decomposed. Later Q1h = Q1 (C J Q1)^-1 and Q2h = Q2 - Q1h C J Q2 follow the mechanism: C J Q1h = 1, C J Q2h = 0.
"""

from __future__ import annotations

import numpy as np

from vincolo.model.geometry import Array

GROWTH = 2.0  # of the condition of C J Q1, beyond which it is decomposed anew
GAINED = 1e-5  # share of J that a row left out may have on the kernel


class Qtz:
    """A decomposition that follows the mechanism. `limit` is the least share of the velocities in the old kernel
    (Vita, 3.49), `tolerance` the share of the longest row below which one is dependent; rows of drives come first."""

    def __init__(self, drives: Array, tolerance: float, limit: float) -> None:
        self.drives, self.tolerance, self.limit = drives, tolerance, limit
        self.count = 0

    def decompose(self, J: Array) -> None:
        """Rank and bases anew."""
        self.count += 1
        self.Q1 = _row_space(J, self.drives, self.tolerance)
        self.rank = self.Q1.shape[1]
        n = J.shape[1]
        self.Q2 = np.linalg.qr(self.Q1, mode="complete")[0][:, self.rank:] if self.rank else np.eye(n)
        self.C = np.linalg.qr(J @ self.Q1)[0].T if self.rank else np.zeros((0, len(J)))
        self.update(J)
        self._fresh = self._condition()

    def update(self, J: Array) -> None:
        """Q1h and Q2h for the rows where the mechanism is now."""
        self.CJ = self.C @ J
        self.Q1h = self.Q1 @ np.linalg.inv(self.CJ @ self.Q1)
        self.Q2h = self.Q2 - self.Q1h @ (self.CJ @ self.Q2)

    def due(self, J: Array, u: Array) -> bool:
        """Whether it is to be decomposed anew: the rank changes, the condition has grown, or too much of the velocities
        has left the old kernel."""
        if not self._condition() < GROWTH * self._fresh:
            return True
        if np.abs(J @ self.Q2h).max(initial=0.0) > GAINED * np.abs(J).max(initial=0.0):
            return True
        kept = self.Q2.T @ u
        return bool(kept @ kept < self.limit * (u @ u))

    def _condition(self) -> float:
        return float(np.linalg.norm(self.CJ) * np.linalg.norm(self.Q1h)) if self.rank else 1.0

    def system(self, M: Array) -> Array:
        """The matrix of Q2h^T M x = ..., C J x = ..."""
        return np.vstack([self.Q2h.T @ M, self.CJ])

    def accelerations(self, M: Array, Q: Array, gamma: Array) -> Array:
        """Q2h^T M a = Q2h^T Q with C J a = C gamma."""
        return np.linalg.solve(self.system(M), np.concatenate([self.Q2h.T @ Q, self.C @ gamma]))

    def multipliers(self, M: Array, Q: Array, a: Array) -> Array:
        """lam of minimum norm with J^T lam = Q - M a."""
        return self.C.T @ (self.Q1h.T @ (Q - M @ a))


def _row_space(J: Array, drives: Array, tolerance: float) -> Array:
    """Orthonormal basis of the rows by pivoted orthogonalisation, those of drives first."""
    left = J.copy()
    lengths = np.linalg.norm(left, axis=1)
    least = tolerance * float(lengths.max(initial=0.0))
    found: list[Array] = []
    for chosen in (drives, np.logical_not(drives)):
        while chosen.any() and float(lengths[chosen].max()) > least:
            row = int(np.flatnonzero(chosen)[np.argmax(lengths[chosen])])
            direction = left[row]
            for _ in range(2):  # once more for what rounding left
                for q in found:
                    direction = direction - q * (q @ direction)
            size = float(np.linalg.norm(direction))
            if size <= least:
                lengths[row] = 0.0
                continue
            found.append(direction / size)
            left = left - np.outer(left @ found[-1], found[-1])
            lengths = np.linalg.norm(left, axis=1)
            lengths[row] = 0.0
    return np.array(found).reshape(len(found), J.shape[1]).T
