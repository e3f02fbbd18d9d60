"""Every formulation with every option, made from the tables of the package: a new entry gets all laws for nothing."""

from __future__ import annotations

import numpy as np

import vincolo as vc
from vincolo.solvers.formulations import COORDINATES, ELIMINATIONS, FORMS, INTEGRATED, PSEUDOINVERSES, RENEWALS


def kkt(M, J, gamma, Q, phi, rate):
    """A formulation of one's own: M u' + J^T lam = Q and J u' = gamma at once, of minimum norm."""
    n, m = len(Q), len(gamma)
    whole = np.block([[M, J.T], [J, np.zeros((m, m))]])
    found = np.linalg.lstsq(whole, np.concatenate([Q, gamma]), rcond=1e-11)[0]
    return found[:n], found[n:]


def in_coordinates(coordinates: str) -> dict[str, vc.solvers.Formulation]:
    """All that work in one kind of coordinates, without Penalty, which is only near, and Lagrange, which wants
    independent rows."""
    c = {"coordinates": coordinates}
    found = {"augmented Lagrangian": vc.AugmentedLagrangian(**c), "own": vc.OwnFormulation(function=kkt, **c)}
    if coordinates != "euler_parameters":
        found |= {f"Udwadia-Kalaba {k}": vc.UdwadiaKalaba(pseudoinverse=k, **c) for k in PSEUDOINVERSES}
    found |= {f"partitioning {k}": vc.CoordinatePartitioning(by=k, **c) for k in ELIMINATIONS}
    found |= {f"partitioning {k}": vc.CoordinatePartitioning(integrate=k, **c) for k in INTEGRATED
              if k != "coordinates"}
    found |= {f"null space {k}": vc.NullSpace(by=k, **c) for k in ("svd", "qr")}
    found |= {f"QTZ {form} {renew}": vc.QTZ(form=form, renew=renew, **c) for form in FORMS for renew in RENEWALS}
    return {f"{name}, {coordinates}": f for name, f in found.items()}


EXACT = {name: f for coordinates in COORDINATES for name, f in in_coordinates(coordinates).items()}
EXACT["joint coordinates"] = vc.JointCoordinates()
LAGRANGE = {f"Lagrange, {c}": vc.Lagrange(coordinates=c) for c in COORDINATES}
# an error of 1/alpha; omega would pull at the rounding of Phi
PENALTY = {f"penalty, {c}": vc.Penalty(alpha=1e13, omega=0.0, coordinates=c) for c in COORDINATES}
EVERY = {**EXACT, **LAGRANGE, **PENALTY}
