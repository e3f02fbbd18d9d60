"""Cardan joints: motion, forces, friction and efficiency of the RCCC linkage that a joint with errors is."""

from vincolo.cardan.double import DoubleCardan, DoubleTurn
from vincolo.cardan.joint import Bearing, Cardan
from vincolo.cardan.multibody import RubbedMotion, cardan_model, rubbed_turn
from vincolo.cardan.rccc import Position, accelerations, positions, velocities
from vincolo.cardan.sweeps import efficiency_map
from vincolo.cardan.turn import Turn, work

__all__ = [
    "Bearing", "Cardan", "DoubleCardan", "DoubleTurn", "Position", "RubbedMotion", "Turn", "accelerations",
    "cardan_model", "efficiency_map", "positions", "rubbed_turn", "velocities", "work",
]
