"""vincolo: multibody dynamics of mechanisms."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from vincolo.system import System, compile

if TYPE_CHECKING:
    from vincolo.solvers import (
        BDF,
        DOP853,
        HHT,
        QTZ,
        RK4,
        Adams,
        AdamsMoulton,
        AugmentedLagrangian,
        Auto,
        Baumgarte,
        BogackiShampine,
        CashKarp,
        CoordinatePartitioning,
        CorrectionByTolerance,
        DirectCorrection,
        DormandPrince,
        Euler,
        GeneralisedAlpha,
        Heun,
        Lagrange,
        ModifiedEuler,
        Newmark,
        NoStabilisation,
        NullSpace,
        OwnFormulation,
        Penalty,
        Projection,
        Radau,
        Rattle,
        Rosenbrock,
        SemiImplicitEuler,
        Sparse,
        Trapezoidal,
        TunedBaumgarte,
        UdwadiaKalaba,
    )

__version__ = "0.1.0"

__all__ = [
    "BDF", "DOP853", "HHT", "QTZ", "RK4", "Adams", "AdamsMoulton", "AssemblyError", "AugmentedLagrangian", "Auto",
    "Baumgarte", "Body", "BogackiShampine", "CashKarp", "Constant", "CoordinatePartitioning",
    "CorrectionByTolerance", "DirectCorrection", "DormandPrince", "Euler", "Expression", "ExpressionError",
    "Frame", "Function", "GeneralisedAlpha", "Heun", "Joint", "Lagrange", "Measure", "Mobility", "Model",
    "ModelError", "ModifiedEuler", "Newmark", "NoStabilisation", "NullSpace", "OwnFormulation", "Penalty",
    "Polynomial", "Projection", "Radau", "Ramp", "Rattle", "Result", "Rosenbrock", "SemiImplicitEuler",
    "SimulationError", "SimulationWarning", "Sine", "SmoothStep", "Sparse", "Spline", "State", "System", "Trapezoidal",
    "TunedBaumgarte", "UdwadiaKalaba", "VincoloError", "along", "along_world", "angle", "assemble", "compile",
    "cosine", "distance", "mobility", "simulate",
]


def __getattr__(name: str) -> Any:
    """Formulations, integrators and stabilisations, imported when first asked for: few scripts need many of them."""
    if name in __all__:
        globals()[name] = value = getattr(import_module("vincolo.solvers"), name)
        return value
    raise AttributeError(f"module 'vincolo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
