"""Formulations, integrators and stabilisations: small frozen nouns that combine freely."""

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
from vincolo.solvers.integrators import DOP853, RK4, DormandPrince, Heun, Integrator, SemiImplicitEuler, Trapezoidal
from vincolo.solvers.stabilisation import (
    Baumgarte,
    CorrectionByTolerance,
    DirectCorrection,
    NoStabilisation,
    Projection,
    Stabilisation,
    TunedBaumgarte,
)

__all__ = ["DOP853", "QTZ", "RK4", "AugmentedLagrangian", "Baumgarte", "CoordinatePartitioning",
           "CorrectionByTolerance", "DirectCorrection", "DormandPrince", "Formulation", "Heun", "Integrator",
           "Lagrange", "NoStabilisation", "NullSpace", "OwnFormulation", "Penalty", "Projection",
           "SemiImplicitEuler", "Sparse", "Stabilisation", "Trapezoidal", "TunedBaumgarte", "UdwadiaKalaba"]
