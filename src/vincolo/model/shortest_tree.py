"""The shortest tree of straight pieces that joins points."""

from __future__ import annotations

import numpy as np

from vincolo.model.geometry import Array

NEAR = 1e-6  # of the extent: points that are nearer are one point


def distinct(points: Array) -> Array:
    """The points without those that repeat an earlier one."""
    apart = NEAR * float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    kept: list[Array] = []
    for point in points:
        if all(float(np.linalg.norm(point - other)) > apart for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 3)


def shortest_tree(points: Array) -> list[tuple[int, int]]:
    """Pairs of point numbers, by Prim's algorithm; none of a single point."""
    nearest = np.zeros(len(points), dtype=int)
    away = np.linalg.norm(points - points[0], axis=1)
    away[0], pairs = np.inf, []
    for _ in range(len(points) - 1):
        k = int(np.argmin(away))
        pairs.append((int(nearest[k]), k))
        reached = {0, *(j for _, j in pairs)}
        lengths = np.linalg.norm(points - points[k], axis=1)
        for j in range(len(points)):
            if j in reached:
                away[j] = np.inf
            elif lengths[j] < away[j]:
                away[j], nearest[j] = lengths[j], k
    return pairs
