"""The points nearest to the origin that lie on several quadrics: z^T A z + b^T z + c = 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vincolo.model.geometry import Array

STARTS = 12
ROUNDS = 40
MOST_SECTIONS = 3
SETTLED = 1e-12  # of the size of a point: the last step
RANK = 1e-6  # of the largest slope
SOLVED, CLOSE = 1e-13, 1e-6  # of the largest coefficient, and of the square of the slope
AS_NEAR = 1e-9  # relative difference of distances that counts as none


@dataclass(frozen=True)
class Quadrics:
    """Quadratic equations in n unknowns, with symmetric A."""

    A: Array  # (equations, n, n)
    b: Array  # (equations, n)
    c: Array  # (equations,)

    @staticmethod
    def through(values: Callable[[Array], Array], n: int) -> Quadrics:
        """The equations of quadratic functions, from their values at (n + 1)(n + 2) / 2 points and at the mirrored
        unit vectors: exact but for rounding."""
        e = np.eye(n)
        c = values(np.zeros(n))
        ahead, behind = (np.array([values(sign * x) for x in e]) for sign in (1.0, -1.0))
        A = np.zeros((len(c), n, n))
        for i in range(n):
            A[:, i, i] = 0.5 * (ahead[i] + behind[i]) - c
            for j in range(i):
                A[:, i, j] = A[:, j, i] = 0.5 * (values(e[i] + e[j]) - ahead[i] - ahead[j] + c)
        return Quadrics(A, 0.5 * (ahead - behind).T, c)

    def of(self, chosen: Array) -> Quadrics:
        """Some of the equations, reduced to independent ones of size 1."""
        A, b, c = self.A[chosen], self.b[chosen], self.c[chosen]
        n = self.b.shape[1]
        table = np.hstack([A.reshape(len(A), -1), b, c[:, None]])
        table = table / np.maximum(np.abs(table).max(axis=1, keepdims=True, initial=0.0), 1e-300)
        _, s, Vt = np.linalg.svd(table, full_matrices=False)
        rows = Vt[s > 1e-7 * s.max(initial=0.0)]
        return Quadrics(rows[:, :n * n].reshape(-1, n, n), rows[:, n * n:-1], rows[:, -1])

    def at(self, z: Array) -> tuple[Array, Array]:
        """Values and slopes at a point."""
        half = self.A @ z
        return half @ z + self.b @ z + self.c, 2 * half + self.b

    def nearest(self) -> list[Array]:
        """The points nearest to the origin, all that are as near; none where no point is found. Several starts lead to
        points at which the distance is stationary; the least of them is taken."""
        n = self.b.shape[1]
        rng = np.random.default_rng(5)
        places = [self._stationary(self._on_section(np.zeros(n), np.zeros((0, n))))]
        for sections in (count for count in range(min(n, MOST_SECTIONS + 1)) for _ in range(STARTS + 2 * n)):
            planes, way = rng.normal(size=(sections, n)), rng.normal(size=n) / np.sqrt(max(n, 1))
            places += [self._stationary(self._on_section(start, planes)) for start in self._met_along(way, rng)]
        points = [point for point in places if point is not None]
        least = min((float(np.linalg.norm(p)) for p in points), default=0.0)
        return _distinct([p for p in points if np.linalg.norm(p) <= least * (1 + AS_NEAR) + 1e-14])

    def _met_along(self, way: Array, rng: np.random.Generator) -> list[Array]:
        """Where a line through the origin meets one of the quadrics; its end where it meets none."""
        if not len(self.c):
            return [way]
        k = int(rng.integers(len(self.c)))
        roots = np.roots([way @ self.A[k] @ way, self.b[k] @ way, self.c[k]])
        real = roots[np.abs(roots.imag) <= 1e-6 * np.abs(roots)].real
        return [share * way for share in real.tolist()] or [way]

    def _on_section(self, z: Array, planes: Array) -> Array:
        """A point of the quadrics in planes through a start. Newton's steps lead to the apex of a cone unless a plane
        beside the apex cuts it."""
        at = planes @ z
        for _ in range(ROUNDS):
            value, slope = self.at(z)
            off = np.concatenate([value, planes @ z - at])
            step = -np.linalg.lstsq(np.vstack([slope, planes]), off, rcond=1e-10)[0]
            z = z + step / max(1.0, float(np.linalg.norm(step)))
            if np.linalg.norm(step) <= 1e-15 * (1 + np.linalg.norm(z)):
                break
        return np.asarray(z)

    def _stationary(self, z: Array) -> Array | None:
        """Where steps to the nearest point of the linearised quadrics lead: sequential quadratic programming. Equations
        come first, and the distance counts along what they leave free."""
        for _ in range(ROUNDS):
            value, slope = self.at(z)
            U, s, Vt = np.linalg.svd(slope)
            rank = int((s > RANK * max(1e-300, s.max(initial=0.0))).sum())
            normal = -Vt[:rank].T @ ((U[:, :rank].T @ value) / s[:rank])
            multipliers = -U[:, :rank] @ ((Vt[:rank] @ z) / s[:rank])
            free = Vt[rank:]
            H = free @ (np.eye(len(z)) + 2 * np.tensordot(multipliers, self.A, 1)) @ free.T
            convex = not len(H) or np.linalg.eigvalsh(H)[0] > 0.05  # else the step need not lead towards less
            along = free @ (z + normal)
            step = normal - free.T @ (np.linalg.solve(H, along) if convex else along)
            z = z + step
            if not np.isfinite(z).all():
                return None
            if np.linalg.norm(step) <= SETTLED * (1 + np.linalg.norm(z)):
                return z if self._solved(z) else None
        return None

    def _solved(self, z: Array) -> bool:
        """Whether equations hold to rounding, or as well as their slopes can tell: next to the apex of a cone values
        are small everywhere, but not against the squares of slopes."""
        value, slope = self.at(z)
        steepest = float((slope**2).sum(axis=1).max(initial=0.0))
        return bool(np.abs(value).max(initial=0.0) <= max(SOLVED * (1 + float(z @ z)), CLOSE * steepest))


def _distinct(points: list[Array]) -> list[Array]:
    kept: list[Array] = []
    for point in points:
        if all(np.linalg.norm(point - other) > 1e-7 for other in kept):
            kept.append(point)
    return kept
