"""Formulations, integrators and stabilisations: small frozen nouns that combine freely."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vincolo.solvers.table import NAMES

if TYPE_CHECKING:
    from vincolo.solvers.formulations import (
        QTZ,
        AugmentedLagrangian,
        CoordinatePartitioning,
        Formulation,
        Lagrange,
        NullSpace,
        OwnFormulation,
        Penalty,
        Sparse,
        UdwadiaKalaba,
    )
    from vincolo.solvers.integrators import Integrator
    from vincolo.solvers.stabilisation import (
        Baumgarte,
        CorrectionByTolerance,
        DirectCorrection,
        NoStabilisation,
        Projection,
        Stabilisation,
        TunedBaumgarte,
    )

__all__ = ["QTZ", "AugmentedLagrangian", "Baumgarte", "CoordinatePartitioning", "CorrectionByTolerance",
           "DirectCorrection", "Formulation", "Integrator", "Lagrange", "NoStabilisation", "NullSpace",
           "OwnFormulation", "Penalty", "Projection", "Sparse", "Stabilisation", "TunedBaumgarte", "UdwadiaKalaba"]
__all__ += NAMES


def __getattr__(name: str) -> Any:
    """All of them, imported when first asked for."""
    if name in __all__:
        for module in ("integrators", "stabilisation", "formulations"):
            found = import_module(f"vincolo.solvers.{module}")
            if hasattr(found, name):
                globals()[name] = value = getattr(found, name)
                return value
    raise AttributeError(f"module 'vincolo.solvers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
