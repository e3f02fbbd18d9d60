"""Frames that move on their bodies, over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vincolo.model.body import Frame
from vincolo.model.geometry import Array

AXIS = {"x": 0, "y": 1, "z": 2}


class OnBody(NamedTuple):
    """A frame in the axes of its body: its point with two derivatives (n, 3), its axes (n, 3, 3), and how it turns."""

    point: Array
    velocity: Array
    acceleration: Array
    axes: Array
    spin: Array
    spin_rate: Array


def on_body(frame: Frame, t: Array) -> OnBody:
    """Where a frame is on its body at times t [s], and how it moves there."""
    n, zero = len(t), np.zeros((len(t), 3))
    motion = frame.motion
    if motion is None:
        return OnBody(np.tile(frame.point, (n, 1)), zero, zero, np.tile(frame.axes, (n, 1, 1)), zero, zero)
    moves = np.array([[f.derivatives(s)[:3] if f is not None else (0.0, 0.0, 0.0) for f in motion.along] for s in t])
    steps = np.einsum("ij,njk->nki", frame.axes, moves.reshape(n, 3, 3))
    turn = np.array([motion.turn.derivatives(s)[:3] for s in t]) if motion.turn is not None else np.zeros((n, 3))
    k = AXIS[motion.axis]
    about = frame.axes[:, k]
    return OnBody(frame.point + steps[:, 0], steps[:, 1], steps[:, 2], frame.axes @ _turned(k, turn[:, 0]),
                  turn[:, 1:2] * about, turn[:, 2:3] * about)


def _turned(k: int, angles: Array) -> Array:
    """Rotations (n, 3, 3) about an axis by its number."""
    c, s = np.cos(angles), np.sin(angles)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = np.zeros((len(angles), 3, 3))
    R[:, k, k] = 1.0
    R[:, i, i] = R[:, j, j] = c
    R[:, j, i], R[:, i, j] = s, -s
    return R
