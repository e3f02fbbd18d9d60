"""Two Cardan joints one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.cardan.joint import Cardan
from vincolo.cardan.turn import Turn, work
from vincolo.model.geometry import Array


@dataclass(frozen=True, eq=False)
class DoubleTurn:
    """Both joints at the same positions of the input."""

    first: Turn
    second: Turn

    @property
    def speed_ratio(self) -> Array:
        """Speed of the output over that of the input, in size: one always where the joint is homokinetic."""
        return self.first.speed_ratio * self.second.speed_ratio

    @property
    def efficiency(self) -> Array:
        """1 - losses of both / power put in."""
        losses = self.first.losses.sum(axis=-1) + self.second.losses.sum(axis=-1)
        return np.asarray(1.0 - losses / self.first.power_in)

    @property
    def mean_efficiency(self) -> float:
        """Its mean over the positions."""
        return float(self.efficiency.mean())


@dataclass(frozen=True, eq=False)
class DoubleCardan:
    """Two joints on one shaft between them. With `twist` zero [rad] its two forks lie in one plane, and equal angles of
    both joints give the same speed at both ends; a quarter turn is the worst. It is an assembly error of the shaft."""

    first: Cardan
    second: Cardan
    twist: float = 0.0

    def work(self, speed: float, *, input_torque: Any, at: Any = None) -> DoubleTurn:
        """A turn at an input speed [rad/s] with a torque at the input [N m]; see work() of a single joint."""
        one = work(self.first, speed, input_torque=input_torque, at=at)
        # the shaft between turns back on the frame of the first joint; its other fork leads the cross of the second
        middle = np.pi - one.theta[3].real + self.twist
        two = work(self.second, -one.rates[3].real, input_torque=one.output_torque, at=middle,
                   acceleration=-one.accelerations[3].real)
        return DoubleTurn(one, two)
