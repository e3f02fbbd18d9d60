"""Tolerances of mechanisms: how deviations and clearances of parts spread over the outputs of a motion."""

from vincolo.tolerance.distributions import (
    Distribution,
    Fixed,
    HalfNormal,
    Measured,
    Normal,
    Own,
    Triangular,
    Truncated,
    Uniform,
)
from vincolo.tolerance.linear import LinearTolerances, linear_tolerances
from vincolo.tolerance.of_model import ModelSubject
from vincolo.tolerance.results import Tolerated
from vincolo.tolerance.sources import Clearance, Cost, Tolerance, Tolerances, two_points
from vincolo.tolerance.study import study
from vincolo.tolerance.subject import Evaluated, FunctionSubject, LoopSubject, Subject, play, play_of
from vincolo.tolerance.tightening import Tightened, tightened

__all__ = [
    "Clearance", "Cost", "Distribution", "Evaluated", "Fixed", "FunctionSubject", "HalfNormal", "LinearTolerances",
    "LoopSubject", "Measured", "ModelSubject", "Normal", "Own", "Subject", "Tightened", "Tolerance", "Tolerances",
    "Tolerated", "Triangular", "Truncated", "Uniform", "linear_tolerances", "play", "play_of", "study", "tightened",
"two_points", ]
