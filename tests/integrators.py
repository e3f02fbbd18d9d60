"""Every integrator of the package, made from its classes: a new one gets all laws for nothing."""

from __future__ import annotations

from typing import Any

import vincolo as vc
from vincolo.solvers.integrators import Adaptive, FixedStep

STEP = {1: 2e-4, 2: 1e-3, 4: 1e-3}  # of steps of one size, by order [s]


def kinds(base: type) -> list[type]:
    """All classes that are made from a base class and have none below them."""
    below = [x for kind in base.__subclasses__() for x in (kinds(kind) or [kind])]
    return list(dict.fromkeys(below))


FIXED, ADAPTIVE = kinds(FixedStep), kinds(Adaptive)
PAIRS = [kind for kind in ADAPTIVE if not kind.implicit and kind is not vc.Adams]  # explicit Runge-Kutta


def settings(method: type) -> dict[str, Any]:
    """An integrator of a class, and the formulation that it needs."""
    if issubclass(method, Adaptive):
        return {"integrator": method(rtol=1e-9, atol=1e-10)}
    if method is vc.Trapezoidal:
        return {"integrator": method(step=STEP[2]), "formulation": vc.AugmentedLagrangian(index=3)}
    return {"integrator": method(step=STEP[method.order])}


EVERY = [settings(kind) for kind in FIXED + ADAPTIVE]
EVERY += [{"integrator": kind(step=STEP[2], index=2)} for kind in (vc.GeneralisedAlpha, vc.HHT, vc.Newmark)]
EVERY += [{"integrator": vc.Radau(rtol=1e-9, atol=1e-10, index=k)} for k in (2, 3)]


def label(how: dict[str, Any]) -> str:
    """A name for a test."""
    return ", ".join(str(x) for x in how.values())
