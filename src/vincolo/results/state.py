"""Positions and velocities of a mechanism at one time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.results.channels import Channels
    from vincolo.system import System


@dataclass(frozen=True, eq=False)
class State:
    """A time [s] with the positions and velocities of all bodies, as the kernel holds them."""

    system: System
    t: float
    y: Array
    turns: Array  # angles counted over turns

    @cached_property
    def channels(self) -> Channels:
        """Everything that can be read from this state."""
        from vincolo.results.channels import Channels

        return Channels(self.system, np.array([self.t]), self.y[None, :], self.turns[None, :])

    def __getitem__(self, name: str) -> float:
        """A channel such as state["crank.x"] or state["O.angle"]."""
        return float(self.channels[name][0])

    def with_vector(self, y: Array) -> State:
        """The same time with another state vector."""
        return State(self.system, self.t, y, self.turns)

    def __repr__(self) -> str:
        return f"State(t={self.t:g} s of {self.system.name!r})"
