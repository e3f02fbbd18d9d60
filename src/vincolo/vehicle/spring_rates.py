"""Lengths of springs and twists of bars along a sweep, and their rates for unit rates of its motions."""

from __future__ import annotations

import numpy as np

from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.vehicle.rigs import Sweep, Track


class Strut:
    """A spring between two points along a sweep."""

    def __init__(self, sweep: Sweep, spring: str) -> None:
        measure = sweep.axle.model.springs[spring].measure
        self.drawn = measure.drawn_value
        self._ends = [_along(sweep, frame) for frame in measure.terms[0][2:]]
        apart = self._ends[1][0] - self._ends[0][0]
        self.length = np.sqrt((apart**2).sum(axis=1))
        self._along = apart / self.length[:, None]

    def rate(self, motion: str) -> Array:
        """The rate of its length for a unit rate of a motion."""
        moves = [np.zeros(3) if track is None else track.velocity(motion, at) for at, track in self._ends]
        found: Array = ((moves[1] - moves[0]) * self._along).sum(axis=1)
        return found


def _along(sweep: Sweep, frame: Frame) -> tuple[Array, Track | None]:
    """The point of a frame along a sweep, and the body that it moves with."""
    if frame.body.is_ground:
        return frame.drawn_point, None
    track = sweep.track(frame.body)
    return track.point(frame.drawn_point), track


def strut(sweep: Sweep, spring: str) -> Strut | None:
    """A spring along a sweep, if there is one of that name."""
    return Strut(sweep, spring) if spring in sweep.axle.model.springs else None


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
