"""Functions of time: motion laws, load histories and force curves, with exact derivatives."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vincolo.model.functions.combined import Combined, Expression
from vincolo.model.functions.function import Function
from vincolo.model.functions.simple import Constant, Polynomial, Ramp, Sine, as_function
from vincolo.model.functions.spline import ENDS, Spline

if TYPE_CHECKING:
    from vincolo.model.functions.bspline import BSpline, Nurbs
    from vincolo.model.functions.changed import Mirror, Repeat, Scaled, Shifted
    from vincolo.model.functions.joined import Fillet, Sequence
    from vincolo.model.functions.motion_laws import (
        ConstantAcceleration,
        Cycloidal,
        Haversine,
        ModifiedTrapezoid,
        Poly345,
        Poly4567,
        Sigma,
        SmoothStep,
    )
    from vincolo.model.functions.piecewise import Pieces, PiecewisePolynomial
    from vincolo.model.functions.recorded import Recorded
    from vincolo.model.functions.report import Continuity, Corner
    from vincolo.model.functions.samples import Akima, Linear, Smoothing
    from vincolo.model.functions.seven_segments import SevenSegments
    from vincolo.model.functions.steps import Line, Pulse, RampPulse, Step
    from vincolo.model.functions.traced import Traced
    from vincolo.model.functions.waves import Chirp, Cosine, Tan

#: where the functions are that are imported when first asked for: few scripts need many of them
LATER = {
    "bspline": ("BSpline", "Nurbs"), "changed": ("Mirror", "Repeat", "Scaled", "Shifted"),
    "joined": ("Fillet", "Sequence"),
    "motion_laws": ("ConstantAcceleration", "Cycloidal", "Haversine", "ModifiedTrapezoid", "Poly345", "Poly4567",
                    "Sigma", "SmoothStep"),
    "piecewise": ("Pieces", "PiecewisePolynomial"), "recorded": ("Recorded",), "report": ("Continuity", "Corner"),
    "samples": ("Akima", "Linear", "Smoothing"), "seven_segments": ("SevenSegments",),
    "steps": ("Line", "Pulse", "RampPulse", "Step"), "traced": ("Traced",), "waves": ("Chirp", "Cosine", "Tan"),
}

__all__ = [
    "ENDS", "Akima", "BSpline", "Chirp", "Combined", "Constant", "ConstantAcceleration", "Continuity", "Corner",
    "Cosine", "Cycloidal", "Expression", "Fillet", "Function", "Haversine", "Line", "Linear", "Mirror",
    "ModifiedTrapezoid", "Nurbs", "Pieces", "PiecewisePolynomial", "Poly345", "Poly4567", "Polynomial", "Pulse",
    "Ramp", "RampPulse", "Recorded", "Repeat", "Scaled", "Sequence", "SevenSegments", "Shifted", "Sigma", "Sine",
    "SmoothStep", "Smoothing", "Spline", "Step", "Tan", "Traced", "as_function",
]


def __getattr__(name: str) -> Any:
    for module, names in LATER.items():
        if name in names:
            globals()[name] = value = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
