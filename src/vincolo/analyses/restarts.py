"""Closing from more than one start: at a singular position, such as a straight arm, gaps can stand open although the
mechanism can close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vincolo.analyses.closing import Aim, Closing, close, counted
from vincolo.analyses.scatter import place, scattered
from vincolo.equations.measures import Measure as Equation
from vincolo.model import Joint
from vincolo.state import State

PATIENCE = 8  # iterations without progress before a random position is given up
SPREADS = (0.01, 0.1, 0.1, 0.4, 0.4, 1.0, 1.0, 3.0)  # rad, or shares of lengths: the nearest starts first
XYZ = "xyz"


def closed_from(state: State, aim: Aim) -> Closing:
    """Closes from a state; if that fails, from positions around it, and takes the first that closes."""
    first = close(state, aim)
    if first.closed:
        return first
    rng = np.random.default_rng(5)
    for spread in SPREADS:
        again = close(counted(scattered(state, rng, spread, aim.kept), aim.asked), aim, PATIENCE)
        if again.closed and as_drawn(state.system.drawn, again.state):
            return again
    return replace(first, starts=1 + len(SPREADS))


def as_drawn(drawn: State, state: State) -> bool:
    """Equations of parallel axes also hold if an axis is turned around; no real joint can do that."""
    for joint in state.system.joints.values():
        fixed = _fixed_cosines(joint)
        if fixed:
            C, D = (place(s, joint.a)[1].T @ place(s, joint.b)[1] for s in (state, drawn))
            if any(C[i, j] * D[i, j] < -0.1 for i, j in fixed):
                return False
    return True


def _fixed_cosines(joint: Joint) -> list[tuple[int, int]]:
    """Pairs of axes, of A and of B, that the joint holds parallel: the third of A if two are at right angles to one of
    B, and the other way round; all like axes if three pairs are held."""
    held = joint.definition.rows(**joint.parameters)
    pairs = [(XYZ.index(e.axes[0]), XYZ.index(e.axes[-1])) for e in held
             if isinstance(e, Equation) and e.kind == "cosine"]
    if len(pairs) >= 3:
        return [(0, 0), (1, 1), (2, 2)]
    columns = [(3 - sum(i for i, j in pairs if j == b), b) for b in range(3) if sum(j == b for _, j in pairs) == 2]
    rows = [(a, 3 - sum(j for i, j in pairs if i == a)) for a in range(3) if sum(i == a for i, _ in pairs) == 2]
    return columns + rows
