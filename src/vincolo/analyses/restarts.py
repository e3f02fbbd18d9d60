"""Closing from more than one start: at a singular position, such as a straight arm, gaps can stand open although the
mechanism can close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vincolo.analyses.closing import Aim, Closing, close, counted
from vincolo.analyses.orientation import aligned, turned_joints
from vincolo.analyses.scatter import scattered
from vincolo.state import State

PATIENCE = 8  # iterations without progress before a random position is given up
SPREADS = (0.01, 0.1, 0.1, 0.4, 0.4, 1.0, 1.0, 3.0)  # rad, or shares of lengths: the nearest starts first


def closed_from(state: State, aim: Aim) -> Closing:
    """Closes from a state; if that fails or leaves a joint turned, from where its axes point as they should, and from
    positions around it, and takes the first that closes."""
    first = close(state, aim)
    if first.closed and not turned(first):
        return first
    rng = np.random.default_rng(5)
    starts = [counted(scattered(state, rng, spread, aim.kept), aim.asked) for spread in SPREADS]
    if not first.closed:
        for start in starts:
            again = close(start, aim, PATIENCE)
            if again.closed and not turned(again):
                return again
    for start in [state, *starts]:
        again = close(aligned(start, aim), aim, PATIENCE)
        if again.closed and not turned(again):
            return again
    return replace(first, starts=1 + len(SPREADS), turned=turned(first))


def turned(found: Closing) -> tuple[str, ...]:
    """Joints that a closed mechanism holds with an axis turned around; none where nothing had to move."""
    return tuple(turned_joints(found.state)) if found.closed and found.history else ()
