"""Momentum and the equations of Newton and Euler of a rigid body, about any of its points, as one dual equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.dual.frames import skew
from vincolo.dual.number import Dual, dual
from vincolo.dual.screws import cross
from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, inertia_of, vector


@dataclass(frozen=True, eq=False)
class DualInertia:
    """Mass [kg], static moment m CG [kg m] and inertia [kg m2] about a point C of a body, all in the same axes. It maps
    the twist omega + eps v_C to the momentum P + eps H_C."""

    mass: float
    static_moment: Array
    inertia: Array

    @staticmethod
    def of(mass: Any, com: Any, inertia: Any) -> DualInertia:
        """From mass, place of the centre of mass G seen from C [m], and inertia about G: J_C = J_G - m R~ R~."""
        m = finite_number("dual inertia: mass", mass)
        if m < 0:
            raise ModelError(f"dual inertia: the mass is {m:g} kg; it must not be negative.")
        G = vector("dual inertia: com", com)
        across = skew(G).real
        return DualInertia(m, m * G, inertia_of("dual inertia", inertia) - m * across @ across)

    def momentum(self, velocity: Any) -> Dual:
        """P + eps H_C [kg m/s, kg m2/s] = m v - S x omega + eps (S x v + J_C omega)."""
        V = dual(velocity)
        S = self.static_moment
        return Dual(self.mass * V.dual - np.cross(S, V.real), np.cross(S, V.dual) + V.real @ self.inertia.T)

    def wrench(self, velocity: Any, rate: Any) -> Dual:
        """F + eps M_C [N, N m] that the motion needs: dH/dt + V x H, with the rates of the components of V in axes that
        move with the body."""
        return self.momentum(rate) + cross(velocity, self.momentum(velocity))

    def energy(self, velocity: Any) -> Any:
        """Kinetic energy [J]: half of omega . H + v . P."""
        return 0.5 * (dual(velocity) * self.momentum(velocity)).sum(-1).dual
