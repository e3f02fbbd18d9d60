"""Positions and velocities between two states."""

from __future__ import annotations

import numpy as np

from vincolo.model.geometry import Array, crosses

End = tuple[Array, Array, Array]  # values, slopes and second derivatives


def quintic(x: float, h: float, first: End, last: End) -> tuple[Array, Array]:
    """Values and slopes at the share x of an interval h, by the quintic through both ends."""
    rise, slope = x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2
    values = ((1 - rise, rise), (x - x**3 * (6 - 8 * x + 3 * x**2), x**3 * (-4 + 7 * x - 3 * x**2)),
              (x**2 / 2 - x**3 * (3 - 3 * x + x**2) / 2, x**3 * (1 - 2 * x + x**2) / 2))
    slopes = ((-slope, slope), (1 - x**2 * (18 - 32 * x + 15 * x**2), x**2 * (-12 + 28 * x - 15 * x**2)),
              (x - x**2 * (9 - 12 * x + 5 * x**2) / 2, x**2 * (3 - 8 * x + 5 * x**2) / 2))
    q, rate = np.zeros_like(first[0]), np.zeros_like(first[0])
    for k in range(3):
        q = q + h**k * (values[k][0] * first[k] + values[k][1] * last[k])
        rate = rate + h ** (k - 1) * (slopes[k][0] * first[k] + slopes[k][1] * last[k])
    return q, rate


def cubic(x: float, first: float, last: float, slope0: float, slope1: float) -> float:
    """The cubic with these ends and slopes."""
    return float(first + x**2 * (3 - 2 * x) * (last - first) + x * (1 - x) ** 2 * slope0 - x**2 * (1 - x) * slope1)


def unit(q: Array) -> Array:
    """Positions (bodies, 7) with Euler parameters of length one."""
    return np.hstack([q[:, :3], q[:, 3:] / np.linalg.norm(q[:, 3:], axis=1, keepdims=True)])


def twists(q: Array, change: Array) -> Array:
    """Small changes of positions (bodies, 7) as displacements and rotations, or rates as velocities: w = 2 E p_dot."""
    p, d = q[:, 3:], change[:, 3:]
    turned = 2 * (p[:, :1] * d[:, 1:] - d[:, :1] * p[:, 1:] + crosses(p[:, 1:], d[:, 1:]))
    return np.hstack([change[:, :3], turned]).ravel()
