"""vincolo: multibody dynamics of mechanisms."""

from vincolo.analyses import Mobility, assemble, mobility, simulate
from vincolo.errors import (
    AssemblyError,
    ExpressionError,
    ModelError,
    SimulationError,
    SimulationWarning,
    VincoloError,
)
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.functions import Constant, Expression, Function, Polynomial, Ramp, Sine, SmoothStep, Spline
from vincolo.model.measure import along, along_world, angle, cosine, distance
from vincolo.results import Result, State
from vincolo.solvers import (
    DOP853,
    RK4,
    Baumgarte,
    DormandPrince,
    Heun,
    NoStabilisation,
    Projection,
    SemiImplicitEuler,
)
from vincolo.system import System, compile

__version__ = "0.1.0"

__all__ = [
    "DOP853", "RK4", "AssemblyError", "Baumgarte", "Body", "Constant", "DormandPrince", "Expression",
    "ExpressionError", "Frame", "Function", "Heun", "Joint", "Measure", "Mobility", "Model", "ModelError",
    "NoStabilisation", "Polynomial", "Projection", "Ramp", "Result", "SemiImplicitEuler", "SimulationError",
    "SimulationWarning", "Sine", "SmoothStep", "Spline", "State", "System", "VincoloError", "along",
    "along_world", "angle", "assemble", "compile", "cosine", "distance", "mobility", "simulate",
]
