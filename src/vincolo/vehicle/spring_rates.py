"""Lengths of springs and twists of bars along a sweep, and their rates for unit rates of its motions."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.vehicle.rigs import Sweep


def _ends(sweep: Sweep, spring: str) -> tuple[Array, Array, list[tuple[float, Any]]]:
    """The two ends of a spring between points along a sweep, and how they move."""
    frames = sweep.axle.model.springs[spring].measure.terms[0][2:]
    points, tracks = [], []
    for frame in frames:
        still = frame.body.is_ground
        track = None if still else sweep.track(frame.body)
        points.append(
            np.broadcast_to(frame.drawn_point, (len(sweep), 3)) if track is None else track.point(frame.drawn_point)
        )
        tracks.append(track)
    return points[0], points[1], list(zip((-1.0, 1.0), tracks, strict=True))


def length(sweep: Sweep, spring: str) -> Array:
    """The length of a spring between two points along a sweep."""
    a, b, _ = _ends(sweep, spring)
    found: Array = np.linalg.norm(b - a, axis=1)
    return found


def length_rate(sweep: Sweep, spring: str, motion: str) -> Array:
    """The rate of a spring's length for a unit rate of a motion; zero if there is no such spring."""
    if spring not in sweep.axle.model.springs:
        return np.zeros(len(sweep))
    a, b, tracks = _ends(sweep, spring)
    along = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    total = np.zeros(len(sweep))
    for (sign, track), points in zip(tracks, (a, b), strict=True):
        if track is not None:
            total += sign * (track.velocity(motion, points) * along).sum(axis=1)
    return total


def twist_rate(sweep: Sweep, motion: str) -> Array:
    """The rate of the anti-roll bar's twist for a unit rate of a motion."""
    s, model = sweep.axle.suspension, sweep.axle.model
    if s.bar == "none":
        return np.zeros(len(sweep))
    if s.bar == "u":
        spins = [
            sweep.track(model.bodies[f"{s.name}_{side}_bar_lever"]).spin(motion)[:, 1] for side in ("left", "right")
        ]
        return np.asarray(spins[0] - spins[1])
    bar = sweep.track(model.bodies[f"{s.name}_t_bar"])
    stem = bar.direction(s.point("bar_top") - s.point("bar_pivot"))
    nod = np.array([0.0, 1.0, 0.0])
    w = bar.spin(motion)  # = nod rate y + twist rate stem, at right angles
    return np.asarray(((w - (w @ nod)[:, None] * nod) * stem).sum(axis=1) / np.linalg.norm(stem, axis=1))
