"""The mechanism in the user's hand: a point of a body is drawn, joints stay closed, drives are let go."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.kinematics import Dragged
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import vector
from vincolo.state import State
from vincolo.system import as_system

STEP = 0.05  # of the size: the hand goes no further at once, so that it does not jump to another branch
MOST_STEPS = 20
POINT = "hand of the studio"


class Hand:
    """Holds a point of a body, in the axes of the body; `state` is where the mechanism is, of this model or of another
    with the same bodies."""

    def __init__(self, source: Model, state: State, body: Any, point: Any) -> None:
        if body not in source.bodies:
            raise ModelError(f"there is no body {body!r} to take hold of.")
        model = source.copy()
        model.holds = {name: held for name, held in source.holds.items() if not held.drive}
        model.frame(POINT, body, local=vector("the point of the hand", point))
        system = as_system(model)
        self._hand = Dragged(assemble(system, guess=pose(state, system)))
        self._size = max(c.length for c in system.centred)

    @property
    def state(self) -> State:
        """Where the mechanism is."""
        return self._hand.state

    @property
    def left(self) -> float:
        """How far the point is behind the hand [m]."""
        return self._hand.left

    def to(self, target: Any) -> State:
        """Draws the point towards a place in the world."""
        aim = vector("the place of the hand", target)
        here = self.state.channels.point(self._hand.frame(POINT))[0]
        steps = int(np.clip(np.ceil(np.linalg.norm(aim - here) / (STEP * self._size)), 1, MOST_STEPS))
        for share in np.arange(1, steps + 1) / steps:
            self._hand.to(POINT, here + share * (aim - here))
        return self.state
