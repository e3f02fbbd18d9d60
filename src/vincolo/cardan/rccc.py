"""The RCCC linkage in closed form: four links with dual angles alpha + eps a between the axes of a revolute and three
cylindrical joints, whose dual angles theta + eps s move.

An ideal Cardan joint is the case alpha = (90, 90, 90 degrees, angle of the shafts), a = 0: link 1 is the input fork,
link 2 the cross, link 3 the output fork, link 4 the frame. Frames are those of Denavit and Hartenberg; joint i is
between link i - 1 and link i, and frame i + 1 is fixed to link i. Arrays go over any number of linkages and positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.dual import Dual, arctan2, dual, where
from vincolo.errors import ModelError

Four = tuple[Dual, Dual, Dual, Dual]


@dataclass(frozen=True, eq=False)
class Position:
    """Dual angles of all four joints [rad, m]; NaN where the linkage cannot be assembled."""

    theta: Four
    assembled: NDArray[np.bool_]


def four_angles(alpha: Sequence[Any]) -> Four:
    """The four dual angles of the links, checked."""
    if len(alpha) != 4:
        raise ModelError(f"an RCCC linkage has four links, not {len(alpha)}.\n  Give alpha + eps a of each.")
    found = tuple(dual(a) for a in alpha)
    for k, a in enumerate(found[:3], 1):
        if np.any(np.abs(np.sin(a.real)) < 1e-9):
            raise ModelError(f"link {k} has an angle of 0 or 180 degrees between its joints, which are then parallel.\n"
                             "  Only link 4, the frame, may be straight: give another angle.")
    return found  # type: ignore[return-value]


def positions(alpha: Sequence[Any], theta1: Any, branch: int = 1) -> Position:
    """All joints from the input theta1 + eps s1, on the branch +1 or -1."""
    if branch not in (1, -1):
        raise ModelError(f"the branch is {branch!r}; an RCCC linkage has two: 1 and -1.")
    a1, a2, a3, a4 = four_angles(alpha)
    t1 = dual(theta1)
    (c1, s1), (c2, _), (c3, s3), (c4, s4) = ((np.cos(a), np.sin(a)) for a in (a1, a2, a3, a4))
    ct, st = np.cos(t1), np.sin(t1)
    # D sin(theta4) + E cos(theta4) + F = 0
    D, E, F = s1 * s3 * st, -s3 * (c1 * s4 + s1 * c4 * ct), -c2 + c3 * (c1 * c4 - s1 * s4 * ct)
    square = D * D + E * E
    inside = square - F * F
    assembled = np.asarray((inside.real > 0) & (square.real > 0))
    square, root = where(assembled, square, 1.0), branch * np.sqrt(where(assembled, inside, 1.0))
    sin4, cos4 = (-D * F - E * root) / square, (D * root - E * F) / square
    # theta2 and theta3 from sine and cosine, both times sin(alpha)'s
    sin2 = (st * (c3 * s4 + s3 * c4 * cos4) + s3 * ct * sin4) * s1
    cos2 = c1 * c2 - c3 * c4 + s3 * s4 * cos4
    sin3 = (s1 * (st * cos4 + c4 * ct * sin4) + c1 * s4 * sin4) * s3
    cos3 = s1 * s4 * ct + c2 * c3 - c1 * c4
    found = [_angle(s, c, assembled) for s, c in ((sin2, cos2), (sin3, cos3), (sin4, cos4))]
    return Position((t1, found[0], found[1], found[2]), assembled)


def _angle(sine: Dual, cosine: Dual, assembled: NDArray[np.bool_]) -> Dual:
    there = assembled & np.asarray(np.hypot(sine.real, cosine.real) > 0)
    angle = arctan2(where(there, sine, 0.0), where(there, cosine, 1.0))
    return where(there, angle, Dual(np.nan, np.nan))


def velocities(alpha: Sequence[Any], theta: Four, v1: Any) -> Four:
    """Rates theta' + eps s' [rad/s, m/s] of all joints, from that of the first."""
    a1, a2, a3, _ = four_angles(alpha)
    (c1, s1), (c2, s2), (c3, s3) = ((np.cos(a), np.sin(a)) for a in (a1, a2, a3))
    t2, t3, v1 = theta[1], theta[2], dual(v1)
    v4 = -v1 * s1 * np.sin(t2) / (s3 * np.sin(t3))
    v2 = (s3 * np.cos(t3) * v4 - v1 * (c1 * s2 + s1 * c2 * np.cos(t2))) / s2
    v3 = -c2 * v2 - c3 * v4 - v1 * (c1 * c2 - s1 * s2 * np.cos(t2))
    return v1 + 0 * v4, v2, v3, v4


def accelerations(alpha: Sequence[Any], theta: Four, v: Four, rate1: Any = 0.0) -> Four:
    """Second derivatives [rad/s2, m/s2] of all joints, from that of the first: the velocities' equations, derived."""
    a1, a2, a3, _ = four_angles(alpha)
    (c1, s1), (c2, s2), (c3, s3) = ((np.cos(a), np.sin(a)) for a in (a1, a2, a3))
    (ct2, st2), (ct3, st3) = ((np.cos(t), np.sin(t)) for t in theta[1:3])
    v1, v2, v3, v4 = v
    w1 = dual(rate1) + 0 * v4
    w4 = -(w1 * s1 * st2 + v1 * s1 * ct2 * v2 + s3 * ct3 * v3 * v4) / (s3 * st3)
    w2 = (s3 * ct3 * w4 - s3 * st3 * v3 * v4 - w1 * (c1 * s2 + s1 * c2 * ct2) + v1 * s1 * c2 * st2 * v2) / s2
    w3 = -c2 * w2 - c3 * w4 - w1 * (c1 * c2 - s1 * s2 * ct2) - v1 * s1 * s2 * st2 * v2
    return w1, w2, w3, w4
