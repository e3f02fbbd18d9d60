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
    QTZ,
    RK4,
    AugmentedLagrangian,
    Baumgarte,
    CoordinatePartitioning,
    CorrectionByTolerance,
    DirectCorrection,
    DormandPrince,
    Heun,
    Lagrange,
    NoStabilisation,
    NullSpace,
    OwnFormulation,
    Penalty,
    Projection,
    SemiImplicitEuler,
    Sparse,
    Trapezoidal,
    TunedBaumgarte,
    UdwadiaKalaba,
)
from vincolo.system import System, compile

__version__ = "0.1.0"

__all__ = [
    "DOP853", "QTZ", "RK4", "AssemblyError", "AugmentedLagrangian", "Baumgarte", "Body", "Constant",
    "CoordinatePartitioning", "CorrectionByTolerance", "DirectCorrection", "DormandPrince", "Expression",
    "ExpressionError", "Frame", "Function", "Heun", "Joint", "Lagrange", "Measure", "Mobility", "Model",
    "ModelError", "NoStabilisation", "NullSpace", "OwnFormulation", "Penalty", "Polynomial", "Projection",
    "Ramp", "Result", "SemiImplicitEuler", "SimulationError", "SimulationWarning", "Sine", "SmoothStep",
    "Sparse", "Spline", "State", "System", "Trapezoidal", "TunedBaumgarte", "UdwadiaKalaba", "VincoloError",
    "along", "along_world", "angle", "assemble", "compile", "cosine", "distance", "mobility", "simulate",
]
