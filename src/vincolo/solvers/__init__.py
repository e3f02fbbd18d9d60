"""Formulations, integrators and stabilisations: small frozen nouns that combine freely."""

from vincolo.solvers.formulation import Formulation, Sparse
from vincolo.solvers.formulations import (
    QTZ,
    AugmentedLagrangian,
    CoordinatePartitioning,
    Lagrange,
    NullSpace,
    OwnFormulation,
    Penalty,
    UdwadiaKalaba,
)
from vincolo.solvers.integrators import (
    BDF,
    DOP853,
    HHT,
    RK4,
    Adams,
    AdamsMoulton,
    Auto,
    BogackiShampine,
    CashKarp,
    DormandPrince,
    Euler,
    GeneralisedAlpha,
    Heun,
    Integrator,
    ModifiedEuler,
    Newmark,
    Radau,
    Rattle,
    Rosenbrock,
    SemiImplicitEuler,
    Trapezoidal,
)
from vincolo.solvers.stabilisation import (
    Baumgarte,
    CorrectionByTolerance,
    DirectCorrection,
    NoStabilisation,
    Projection,
    Stabilisation,
    TunedBaumgarte,
)

__all__ = ["BDF", "DOP853", "HHT", "QTZ", "RK4", "Adams", "AdamsMoulton", "AugmentedLagrangian", "Auto", "Baumgarte",
           "BogackiShampine", "CashKarp", "CoordinatePartitioning", "CorrectionByTolerance",
           "DirectCorrection", "DormandPrince", "Euler", "Formulation", "GeneralisedAlpha", "Heun",
           "Integrator", "Lagrange", "ModifiedEuler", "Newmark", "NoStabilisation", "NullSpace",
           "OwnFormulation", "Penalty", "Projection", "Radau", "Rattle", "Rosenbrock", "SemiImplicitEuler", "Sparse",
           "Stabilisation", "Trapezoidal", "TunedBaumgarte", "UdwadiaKalaba"]
