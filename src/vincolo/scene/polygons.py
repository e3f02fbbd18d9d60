"""Triangles of a polygon with holes, by cutting off ears."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vincolo.model.geometry import Array


def triangulated(profile: Any, holes: Sequence[Any] = ()) -> tuple[Array, Any]:
    """Corners in order, counterclockwise and with slits to the holes, and triangles of their numbers."""
    corners = _wound(np.asarray(profile, dtype=float), True)
    for hole in sorted((_wound(np.asarray(h, dtype=float), False) for h in holes), key=lambda h: -h[:, 0].max()):
        corners = _slit(corners, hole)
    return corners, _ears(corners)


def _wound(corners: Array, positive: bool) -> Array:
    a, b = corners.T
    area = float((a * np.roll(b, -1) - np.roll(a, -1) * b).sum())
    return corners if (area > 0) == positive else corners[::-1]


def _slit(corners: Array, hole: Array) -> Array:
    """The outline with a way from its nearest corner in sight to the hole and back."""
    k = int(np.argmax(hole[:, 0]))
    order = np.argsort(((corners - hole[k]) ** 2).sum(axis=1))
    seen = next((j for j in order if _in_sight(corners, hole, corners[j], hole[k])), order[0])
    around = np.vstack([hole[k:], hole[:k + 1]])
    return np.vstack([corners[:seen + 1], around, corners[seen:]])


def _in_sight(corners: Array, hole: Array, p: Array, q: Array) -> bool:
    for loop in (corners, hole):
        a, b = loop, np.roll(loop, -1, axis=0)
        ends = (a == p).all(1) | (b == p).all(1) | (a == q).all(1) | (b == q).all(1)
        crossing = (_side(p, q, a) * _side(p, q, b) < 0) & (_sides(a, b, p) * _sides(a, b, q) < 0)
        if (crossing & ~ends).any():
            return False
    return True


def _side(p: Array, q: Array, x: Array) -> Array:
    d = q - p
    return np.asarray(d[0] * (x[:, 1] - p[1]) - d[1] * (x[:, 0] - p[0]))


def _sides(a: Array, b: Array, x: Array) -> Array:
    d = b - a
    return np.asarray(d[:, 0] * (x[1] - a[:, 1]) - d[:, 1] * (x[0] - a[:, 0]))


def _ears(corners: Array) -> Any:
    left = list(range(len(corners)))
    found: list[tuple[int, int, int]] = []
    waiting = 0
    while len(left) > 3 and waiting <= len(left):
        a, b, c = left[-1], left[0], left[1]
        if _is_ear(corners, left, a, b, c):
            found.append((a, b, c))
            left.pop(0)
            waiting = 0
        else:
            left.append(left.pop(0))
            waiting += 1
    if len(left) == 3:
        found.append((left[0], left[1], left[2]))
    return np.array(found, dtype=np.int32).reshape(-1, 3)


def _is_ear(corners: Array, left: list[int], a: int, b: int, c: int) -> bool:
    p, q, r = corners[a], corners[b], corners[c]
    if (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) <= 0:
        return False
    others = corners[[k for k in left if k not in (a, b, c)]]
    same = (others == p).all(1) | (others == q).all(1) | (others == r).all(1)
    inside = (_side(p, q, others) >= 0) & (_side(q, r, others) >= 0) & (_side(r, p, others) >= 0)
    return not (inside & ~same).any()
