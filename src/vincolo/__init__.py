"""vincolo: multibody dynamics of mechanisms."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vincolo.analyses import Mobility, assemble, mobility, simulate
from vincolo.errors import (
    AssemblyError,
    AssemblyWarning,
    ExpressionError,
    ModelError,
    SimulationError,
    SimulationWarning,
    VincoloError,
    VincoloWarning,
    WriteError,
)
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.mass import MassProperties
from vincolo.model.measure import along, along_world, angle, azimuth, cosine, distance, formula
from vincolo.model.rotations import Rotation
from vincolo.results import Result, State
from vincolo.solvers.table import NAMES as INTEGRATORS
from vincolo.system import System, compile

if TYPE_CHECKING:
    from vincolo.analyses.branches import (
        branches,
    )
    from vincolo.analyses.carry import (
        carried,
    )
    from vincolo.analyses.kinematics import (
        Dragged,
        Range,
        drag,
        kinematics,
        motion_range,
    )
    from vincolo.analyses.linearize import (
        LinearSystem,
        linearize,
    )
    from vincolo.analyses.linkages import (
        mechanical_advantage,
        transmission_angle,
        velocity_ratio,
    )
    from vincolo.analyses.load_sweep import (
        LoadSweep,
        load_sweep,
    )
    from vincolo.analyses.sensitivity import (
        design_sensitivities,
        sensitivities,
    )
    from vincolo.analyses.static_design import (
        SpringDesign,
        spring_for,
    )
    from vincolo.analyses.statics import (
        Equilibrium,
        statics,
    )
    from vincolo.formats import (
        Document,
        FileError,
        FileErrors,
        FileWarning,
        Report,
        RunSettings,
        convert,
        load_model,
        open_model,
        save_model,
    )
    from vincolo.formats.cards import (
        read_cards,
        write_cards,
    )
    from vincolo.model.functions import (
        Akima,
        BSpline,
        Chirp,
        Constant,
        ConstantAcceleration,
        Cosine,
        Cycloidal,
        Expression,
        Fillet,
        Function,
        Haversine,
        Line,
        Linear,
        Mirror,
        ModifiedTrapezoid,
        Nurbs,
        Pieces,
        PiecewisePolynomial,
        Poly345,
        Poly4567,
        Polynomial,
        Pulse,
        Ramp,
        RampPulse,
        Recorded,
        Repeat,
        Sequence,
        SevenSegments,
        Sigma,
        Sine,
        Smoothing,
        SmoothStep,
        Spline,
        Step,
        Tan,
        Traced,
    )
    from vincolo.model.shapes import (
        ALUMINIUM,
        STEEL,
        box,
        cone,
        cylinder,
        ellipsoid,
        extrusion,
        frustum,
        mesh,
        plate,
        point_mass,
        polyhedron,
        rod,
        sphere,
        tube,
    )
    from vincolo.solvers import (
        QTZ,
        AugmentedLagrangian,
        Baumgarte,
        CoordinatePartitioning,
        CorrectionByTolerance,
        DirectCorrection,
        Lagrange,
        NoStabilisation,
        NullSpace,
        OwnFormulation,
        Penalty,
        Projection,
        Sparse,
        TunedBaumgarte,
        UdwadiaKalaba,
    )

__version__ = "0.1.0"

__all__ = [
    "ALUMINIUM", "QTZ", "STEEL", "Akima", "AssemblyError", "AssemblyWarning", "AugmentedLagrangian", "BSpline",
    "Baumgarte", "Body", "Chirp", "Constant", "ConstantAcceleration", "CoordinatePartitioning",
    "CorrectionByTolerance", "Cosine", "Cycloidal", "DirectCorrection", "Document", "Dragged", "Equilibrium",
    "Expression", "ExpressionError", "FileError", "FileErrors", "FileWarning", "Fillet", "Frame", "Function",
    "Haversine", "Joint", "Lagrange", "Line", "Linear", "LinearSystem", "LoadSweep", "MassProperties", "Measure",
    "Mirror", "Mobility", "Model", "ModelError", "ModifiedTrapezoid", "NoStabilisation", "NullSpace", "Nurbs",
    "OwnFormulation", "Penalty", "Pieces", "PiecewisePolynomial", "Poly345", "Poly4567", "Polynomial", "Projection",
    "Pulse", "Ramp", "RampPulse", "Range", "Recorded", "Repeat", "Report", "Result", "Rotation", "RunSettings",
    "Sequence", "SevenSegments", "Sigma", "SimulationError", "SimulationWarning", "Sine", "SmoothStep", "Smoothing",
    "Sparse", "Spline", "SpringDesign", "State", "Step", "System", "Tan", "Traced", "TunedBaumgarte", "UdwadiaKalaba",
    "VincoloError", "VincoloWarning", "WriteError", "along", "along_world", "angle", "assemble", "azimuth", "box",
    "branches", "carried", "compile", "cone", "convert", "cosine", "cylinder", "design_sensitivities", "distance",
    "drag", "ellipsoid", "extrusion", "formula", "frustum", "kinematics", "linearize", "load_model", "load_sweep",
    "mechanical_advantage", "mesh", "mobility", "motion_range", "open_model", "plate", "point_mass", "polyhedron",
    "read_cards", "rod", "save_model", "sensitivities", "simulate", "sphere", "spring_for", "statics",
    "transmission_angle", "tube", "velocity_ratio", "write_cards",
]
__all__ += INTEGRATORS

#: where the names are that are imported when first asked for: few scripts need many of them
LATER = ("vincolo.solvers", "vincolo.model.functions", "vincolo.model.shapes", "vincolo.analyses.kinematics",
         "vincolo.analyses.linkages", "vincolo.analyses.carry", "vincolo.analyses.sensitivity",
         "vincolo.analyses.branches", "vincolo.analyses.statics", "vincolo.analyses.linearize",
         "vincolo.analyses.load_sweep", "vincolo.analyses.static_design", "vincolo.formats", "vincolo.formats.cards")


def __getattr__(name: str) -> Any:
    """Functions, shapes, formulations, integrators, stabilisations, and analyses beyond simulate()."""
    if name in __all__:
        for module in LATER:
            found = import_module(module)
            if hasattr(found, name):
                globals()[name] = value = getattr(found, name)
                return value
    raise AttributeError(f"module 'vincolo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
