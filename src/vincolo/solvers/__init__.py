"""Integrators and stabilisations: small frozen nouns that combine freely."""

from vincolo.solvers.integrators import DOP853, RK4, DormandPrince, Heun, Integrator, SemiImplicitEuler
from vincolo.solvers.stabilisation import Baumgarte, NoStabilisation, Projection, Stabilisation

__all__ = ["DOP853", "RK4", "Baumgarte", "DormandPrince", "Heun", "Integrator", "NoStabilisation", "Projection",
           "SemiImplicitEuler", "Stabilisation"]
