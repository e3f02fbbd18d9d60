"""vincolo: multibody dynamics of mechanisms.

Here is what nearly every script needs; the rest is in vc.functions, vc.shapes, vc.integrators, vc.formulations,
vc.stabilisations, vc.blocks, vc.elements and vc.records."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vincolo.analyses import assemble, mobility, simulate
from vincolo.errors import (
    AssemblyError,
    AssemblyWarning,
    ExpressionError,
    FileError,
    FileErrors,
    FileWarning,
    ModelError,
    SimulationError,
    SimulationWarning,
    VincoloError,
    VincoloWarning,
    WriteError,
    suggest,
)
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.functions import Function
from vincolo.model.mass import MassProperties
from vincolo.model.measure import along, along_world, angle, azimuth, cosine, distance, formula
from vincolo.model.rotations import Rotation
from vincolo.results import Result
from vincolo.state import State
from vincolo.system import System, compile
from vincolo.version import __version__  # noqa: F401

if TYPE_CHECKING:
    from vincolo import elements, formulations, functions, integrators, records, shapes, stabilisations
    from vincolo.analyses.branches import branches
    from vincolo.analyses.carry import carried
    from vincolo.analyses.inverse_dynamics import inverse_dynamics
    from vincolo.analyses.kinematics import drag, kinematics, motion_range
    from vincolo.analyses.linearize import linearize
    from vincolo.analyses.linkages import mechanical_advantage, transmission_angle, velocity_ratio
    from vincolo.analyses.load_sweep import load_sweep
    from vincolo.analyses.modes import modes
    from vincolo.analyses.sensitivity import design_sensitivities, sensitivities
    from vincolo.analyses.static_design import spring_for
    from vincolo.analyses.statics import statics
    from vincolo.analyses.stepper import stepper
    from vincolo.formats import convert, load_model, open_model, save_model
    from vincolo.formats.cards import read_cards, write_cards
    from vincolo.symbolic.equations import equations
else:
    del equations  # noqa: F821  # the package of definitions, imported above: vc.equations() is the verb

__all__ = [
    "AssemblyError", "AssemblyWarning", "Body", "ExpressionError", "FileError", "FileErrors", "FileWarning",
    "Frame", "Function", "Joint", "MassProperties", "Measure", "Model", "ModelError", "Result", "Rotation",
    "SimulationError", "SimulationWarning", "State", "System", "VincoloError", "VincoloWarning", "WriteError",
    "along", "along_world", "angle", "assemble", "azimuth", "branches", "carried", "compile", "convert", "cosine",
    "design_sensitivities", "distance", "drag", "elements", "equations", "formula", "formulations", "functions",
    "integrators", "inverse_dynamics", "kinematics", "linearize", "load_model", "load_sweep",
    "mechanical_advantage", "mobility", "modes", "motion_range", "open_model", "read_cards", "records",
    "save_model", "sensitivities", "shapes", "simulate", "spring_for", "stabilisations", "statics", "stepper",
    "transmission_angle", "velocity_ratio", "write_cards",
]

#: what nearly every script needs, but not at once: imported when first asked for
_LATER = ("analyses.inverse_dynamics", "analyses.kinematics", "analyses.statics", "analyses.linearize",
          "analyses.modes", "analyses.linkages", "analyses.carry", "analyses.sensitivity", "analyses.branches",
          "analyses.load_sweep", "analyses.static_design", "analyses.stepper", "formats", "formats.cards",
          "symbolic.equations")
_NAMESPACES = ("functions", "shapes", "integrators", "formulations", "stabilisations", "elements", "records", "blocks",
               "environments", "studies", "vehicle")


def __getattr__(name: str) -> Any:
    """A namespace, an analysis, or what is in a namespace: vc.Sine is vc.functions.Sine."""
    if name in _NAMESPACES:
        return import_module(f"vincolo.{name}")
    if name.startswith("_"):  # other programs ask for such names, which is no reason to import anything
        raise AttributeError(f"module 'vincolo' has no attribute {name!r}")
    known = [*__all__]
    for module in _LATER if name in __all__ else _NAMESPACES:
        found = import_module(f"vincolo.{module}")
        if hasattr(found, name):
            globals()[name] = value = getattr(found, name)
            return value
        known += vars(found)
    raise AttributeError(f"module 'vincolo' has no attribute {name!r}.{suggest(name, known)}")


def __dir__() -> list[str]:
    return __all__
