"""What the user builds: bodies, frames, joints, drives, forces, functions."""

from vincolo.model.body import Body, Frame
from vincolo.model.joint import Held, Joint
from vincolo.model.measure import Measure
from vincolo.model.model import Model

__all__ = ["Body", "Frame", "Held", "Joint", "Measure", "Model"]
