"""Ready blocks of control: discrete ones are controllers, continuous ones states, added to a model by a function each.
What a continuous block gives is a text, for laws and other blocks."""

from vincolo.blocks.continuous import first_order, lead_lag, look_up, saturation, second_order
from vincolo.blocks.discrete import delay, pid, rate_limit
from vincolo.blocks.feedback import Feedback, lqr, place_poles, state_feedback
from vincolo.blocks.fmu import fmu

__all__ = ["Feedback", "delay", "first_order", "fmu", "lead_lag", "look_up", "lqr", "pid", "place_poles", "rate_limit",
           "saturation", "second_order", "state_feedback"]
