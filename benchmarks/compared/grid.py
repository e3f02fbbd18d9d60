"""Which formulations, stabilisations and integrators the comparison tries, by short names."""

from __future__ import annotations

from collections.abc import Iterator

import vincolo as vc
from compared.cases import Case
from compared.runs import Setting

PSEUDOINVERSES = ("svd", "double_qr", "greville", "householder", "gram_schmidt")
OTHER_COORDINATES = ("euler_parameters", "natural")
ADAPTIVE = vc.DormandPrince(rtol=1e-7, atol=1e-9)


def formulations() -> dict[str, vc.Formulation]:
    """Every formulation in its variants, in twists of the bodies."""
    found: dict[str, vc.Formulation] = {
        "sparse": vc.Sparse(),
        "Lagrange": vc.Lagrange(),
        "penalty, saddle 1e13": vc.Penalty(alpha=1e13, omega=0),
        "penalty, normal 1e7": vc.Penalty(alpha=1e7, omega=0, form="normal"),
        "penalty, saddle 1e7, omega 10": vc.Penalty(),
        "ALF": vc.AugmentedLagrangian(),
        "ALF, omega 10": vc.AugmentedLagrangian(omega=10),
    }
    found |= {f"Udwadia-Kalaba, {k}": vc.UdwadiaKalaba(pseudoinverse=k) for k in PSEUDOINVERSES}
    found |= {f"partitioning, {k}": vc.CoordinatePartitioning(by=k) for k in ("gauss_jordan", "lu", "qr")}
    found |= {f"partitioning, lu, {k}": vc.CoordinatePartitioning(integrate=k) for k in ("velocities", "all")}
    found |= {f"null space, {k}": vc.NullSpace(by=k) for k in ("svd", "qr")}
    found |= {f"QTZ, {k}": vc.QTZ(form=k) for k in ("minimal", "independent_accelerations", "orthogonalised")}
    return found | strict()


def strict() -> dict[str, vc.Formulation]:
    """Those that count a row as dependent, or end their iterations, much later than by default."""
    return {"ALF, tolerance 1e-12": vc.AugmentedLagrangian(tolerance=1e-12),
            "Udwadia-Kalaba, greville, rank 1e-10": vc.UdwadiaKalaba(pseudoinverse="greville", rank_tolerance=1e-10),
            "null space, qr, rank 1e-10": vc.NullSpace(rank_tolerance=1e-10)}


def other_coordinates() -> dict[tuple[str, str], vc.Formulation]:
    """The main formulations in Euler parameters and in natural coordinates, by name and coordinates."""
    found: dict[tuple[str, str], vc.Formulation] = {}
    for c in OTHER_COORDINATES:
        found["Lagrange", c] = vc.Lagrange(coordinates=c)
        found["ALF", c] = vc.AugmentedLagrangian(coordinates=c)
        found["null space, qr", c] = vc.NullSpace(coordinates=c)
        found["partitioning, lu", c] = vc.CoordinatePartitioning(coordinates=c)
        found["QTZ, minimal", c] = vc.QTZ(coordinates=c)
    found["Udwadia-Kalaba, greville", "natural"] = vc.UdwadiaKalaba(pseudoinverse="greville", coordinates="natural")
    return found


def all_formulations() -> dict[tuple[str, str], vc.Formulation]:
    """All of them by name and coordinates."""
    return {(name, "twist"): f for name, f in formulations().items()} | other_coordinates()


INDEX3 = ("ALF, index 3", "twist"), vc.AugmentedLagrangian(index=3)
STABILISED = ("sparse", "Lagrange", "ALF", "Udwadia-Kalaba, greville", "null space, qr", "QTZ, orthogonalised")


def stabilisations() -> dict[str, vc.Stabilisation]:
    """Ways against drift other than the default."""
    return {"none": vc.NoStabilisation(), "Baumgarte 20, 20": vc.Baumgarte(),
            "Baumgarte, tuned": vc.TunedBaumgarte(),
            "projection of positions": vc.Projection(velocities=False), "direct correction": vc.DirectCorrection(),
            "correction by tolerance": vc.CorrectionByTolerance()}


def short_name(stabilisation: vc.Stabilisation) -> str:
    """A stabilisation in one or two words."""
    for name, known in stabilisations().items():
        if stabilisation == known:
            return name
    return "projection" if isinstance(stabilisation, vc.Projection) else str(stabilisation)


Combination = tuple[str, str, str, Setting]  # formulation, coordinates, stabilisation, how to run it


def combinations(case: Case, quick: bool) -> Iterator[Combination]:
    """What is tried on a mechanism: all formulations, then all stabilisations with some of them."""
    steps = case.steps[:1] if quick else case.steps
    for (name, coordinates), formulation in all_formulations().items():
        twist = coordinates == "twist"
        fixed = [vc.RK4(step) for step in (steps if twist else steps[:1])]
        for integrator in fixed + ([ADAPTIVE] if twist and not quick else []):
            yield name, coordinates, short_name(formulation.default_stabilisation()), Setting(formulation, integrator)
    (name, coordinates), formulation = INDEX3
    for step in steps:
        yield name, coordinates, "own projections", Setting(formulation, vc.Trapezoidal(step))
    for name in () if quick else STABILISED:
        for label, stabilisation in stabilisations().items():
            yield name, "twist", label, Setting(formulations()[name], vc.RK4(steps[-1]), stabilisation)
    for name in ("sparse", "ALF"):
        for kind in (vc.SemiImplicitEuler, vc.Heun):
            yield name, "twist", "projection", Setting(formulations()[name], kind(steps[-1]))
