"""Formulations: how the equations of motion M u' + J^T lam = Q, J u' = gamma are solved for the accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.onsets import Onset
from vincolo.solvers.formulation import (
    COORDINATES,
    MOST_ITERATIONS,
    Dense,
    Formulation,
    Solver,
    Sparse,
    one_of,
    positive,
)
from vincolo.solvers.integrators import Integrator, check_positions
from vincolo.solvers.joint_coordinates import JointCoordinates
from vincolo.solvers.orthogonalised import OrthogonalisedRun
from vincolo.solvers.stabilisation import Baumgarte, NoStabilisation, Projection, Stabilisation, TunedBaumgarte
from vincolo.state import State
from vincolo.system import System

__all__ = ["QTZ", "AugmentedLagrangian", "CoordinatePartitioning", "Formulation", "JointCoordinates",
           "Lagrange", "NullSpace",
           "OwnFormulation", "Penalty", "Sparse", "UdwadiaKalaba"]


@dataclass(frozen=True)
class Lagrange(Dense):
    """Lagrange multipliers, index 1: one linear system for accelerations and multipliers. Fails where rows are
    redundant."""

    kind: ClassVar[str] = "lagrange"
    title: ClassVar[str] = "Lagrange multipliers, index 1"


@dataclass(frozen=True)
class Relaxed(Dense):
    """What penalty and augmented Lagrangian share: constraints as masses alpha with the frequency omega [1/s] and the
    damping ratio mu."""

    def default_stabilisation(self) -> Stabilisation:
        return NoStabilisation() if self._omega() > 0 else Projection()

    def _omega(self) -> float:
        return float(getattr(self, "omega", 0.0))

    def check(self, integrator: Integrator, stabilisation: Stabilisation) -> None:
        super().check(integrator, stabilisation)
        if self._omega() > 0 and isinstance(stabilisation, Baumgarte | TunedBaumgarte):
            raise ModelError(f"simulate(): {type(self).__name__} with omega = {self._omega():g} 1/s stabilises as "
                             "Baumgarte does; both together count twice.\n  Set omega=0, or leave stabilisation= out.")


@dataclass(frozen=True)
class Penalty(Relaxed):
    """Penalty: one solve, an error of the order of 1/alpha. form="saddle" keeps the multipliers as unknowns and its
    digits at any alpha; "normal" is the form of the books, (M + J^T alpha J) u' = ..."""

    kind: ClassVar[str] = "penalty"
    alpha: float = 1e7
    omega: float = 10.0
    mu: float = 1.0
    form: str = "saddle"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("Penalty", "alpha", self.alpha)
        positive("Penalty", "omega", self.omega, zero=True)
        positive("Penalty", "mu", self.mu, zero=True)
        one_of("Penalty", "form", self.form, {"saddle": "", "normal": ""})

    def options(self) -> dict[str, Any]:
        return {**super().options(), "form": self.form, "alpha": float(self.alpha), "omega": float(self.omega),
                "mu": float(self.mu)}

    def __str__(self) -> str:
        return f"penalty, alpha {self.alpha:g}, omega {self.omega:g} 1/s, mu {self.mu:g}{COORDINATES[self.coordinates]}"


@dataclass(frozen=True)
class AugmentedLagrangian(Relaxed):
    """Penalty with multipliers found by iteration until the accelerations change by less than `tolerance`, at most
    `iterations` times. index=1 goes with explicit integrators; index=3 with Trapezoidal, whose positions, velocities
    and accelerations it projects itself. alpha is 1e6 for index 1 and, since positions need more, 1e10 for index 3;
    the tolerance is 1e-6 and 1e-12."""

    kind: ClassVar[str] = "augmented_lagrangian"
    alpha: float | None = None
    omega: float = 0.0
    mu: float = 1.0
    tolerance: float | None = None
    iterations: int = 100
    index: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "AugmentedLagrangian"
        if self.alpha is not None:
            positive(owner, "alpha", self.alpha)
        positive(owner, "omega", self.omega, zero=True)
        positive(owner, "mu", self.mu, zero=True)
        if self.tolerance is not None:
            positive(owner, "tolerance", self.tolerance)
        if isinstance(self.iterations, bool) or not isinstance(self.iterations, int | np.integer) \
                or not 1 <= self.iterations <= MOST_ITERATIONS:
            raise ModelError(f"{owner}: iterations is {self.iterations!r}; a whole number from 1 to {MOST_ITERATIONS} "
                             "is needed.")
        if type(self.index) is not int or self.index not in (1, 3):
            raise ModelError(f"{owner}: index is {self.index!r}; it is 1 or 3.")
        if self.index == 3 and self.coordinates != "twist":
            raise ModelError(f"{owner}: index 3 works with twists only, not with coordinates={self.coordinates!r}.\n"
                             "  Leave coordinates= out, or take index=1.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "index": self.index, "alpha": self.weight,
                "omega": float(self.omega), "mu": float(self.mu), "tolerance": self.closeness,
                "iterations": int(self.iterations)}

    @property
    def weight(self) -> float:
        """alpha, as given or by the index."""
        return float(self.alpha) if self.alpha is not None else 1e6 if self.index == 1 else 1e10

    @property
    def closeness(self) -> float:
        """tolerance, as given or by the index."""
        return float(self.tolerance) if self.tolerance is not None else 1e-6 if self.index == 1 else 1e-12

    def default_stabilisation(self) -> Stabilisation:
        return NoStabilisation() if self.index == 3 else super().default_stabilisation()

    def check(self, integrator: Integrator, stabilisation: Stabilisation) -> None:
        if self.index == 1:
            super().check(integrator, stabilisation)
            return
        if integrator.method != "trapezoidal":
            raise ModelError("simulate(): AugmentedLagrangian(index=3) finds positions and multipliers together in an "
                             "implicit step;\n  it goes with integrator=vincolo.integrators.Trapezoidal(step=...), not "
                             f"with {integrator.title}. For explicit integrators take index=1.")
        if not isinstance(stabilisation, NoStabilisation):
            raise ModelError("simulate(): AugmentedLagrangian(index=3) projects positions, velocities and "
                             "accelerations itself;\n  leave stabilisation= out.")

    def check_system(self, system: System) -> None:
        super().check_system(system)
        if self.index == 3:
            check_positions("AugmentedLagrangian(index=3)", system)

    def __str__(self) -> str:
        stabilised = f", omega {self.omega:g} 1/s, mu {self.mu:g}" if self.omega > 0 else ""
        return (f"augmented Lagrangian, index {self.index}, alpha {self.weight:g}{stabilised}"
                f"{COORDINATES[self.coordinates]}")


PSEUDOINVERSES = {"svd": "SVD", "double_qr": "QR twice (Varga)", "greville": "Greville", "householder":
                  "least squares by Householder", "gram_schmidt": "least squares by modified Gram-Schmidt"}


@dataclass(frozen=True)
class UdwadiaKalaba(Dense):
    """The accelerations nearest to the free ones in the kinetic norm, by a pseudoinverse of J M^-1/2."""

    kind: ClassVar[str] = "udwadia_kalaba"
    pseudoinverse: str = "svd"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("UdwadiaKalaba", "pseudoinverse", self.pseudoinverse, PSEUDOINVERSES)
        if self.coordinates == "euler_parameters":
            raise ModelError("UdwadiaKalaba: the mass matrix of Euler parameters is singular, and the method divides "
                             "by it.\n  Use coordinates='twist' or 'natural', or Lagrange, NullSpace or QTZ.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "pseudoinverse": self.pseudoinverse}

    def check_system(self, system: System) -> None:
        super().check_system(system)
        natural = self.coordinates == "natural"
        empty, lacks = (system.flat_bodies, "extent along") if natural else (system.light_bodies, "inertia about")
        if empty:
            raise ModelError(f"UdwadiaKalaba divides by the mass matrix, but {', '.join(map(repr, empty))} "
                             f"{'has' if len(empty) == 1 else 'have'} no {lacks} some axis.\n"
                             f"  {'Use twists' if natural else 'Give an inertia'}, or take Lagrange, NullSpace, QTZ "
                             "or the default.")

    def __str__(self) -> str:
        return f"Udwadia-Kalaba, pseudoinverse by {PSEUDOINVERSES[self.pseudoinverse]}{COORDINATES[self.coordinates]}"


@dataclass(frozen=True)
class Reducing(Dense):
    """What formulations share that may integrate independent coordinates only."""

    def _follows(self) -> str:
        return str(self.options()["integrates"])

    def default_stabilisation(self) -> Stabilisation:
        return NoStabilisation() if self._follows() == "coordinates" else Projection()

    def check(self, integrator: Integrator, stabilisation: Stabilisation) -> None:
        super().check(integrator, stabilisation)
        if self._follows() in ("coordinates", "velocities") and isinstance(stabilisation, Baumgarte | TunedBaumgarte):
            raise ModelError(f"simulate(): {self} finds dependent {self._follows()} from the constraints themselves; "
                             "Baumgarte has nothing to pull back there.\n"
                             "  Leave stabilisation= out, or integrate all coordinates.")


ELIMINATIONS = {"gauss_jordan": "Gauss-Jordan", "lu": "LU", "qr": "QR"}
INTEGRATED = {"coordinates": "independent coordinates", "velocities": "independent velocities",
              "all": "all coordinates"}


@dataclass(frozen=True)
class CoordinatePartitioning(Reducing):
    """Wehage and Haug: coordinates divided into dependent and independent ones by elimination. integrate= says which
    are integrated: independent "coordinates" (the others are solved for), independent "velocities", or "all"."""

    kind: ClassVar[str] = "partitioning"
    by: str = "lu"
    integrate: str = "coordinates"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("CoordinatePartitioning", "by", self.by, ELIMINATIONS)
        one_of("CoordinatePartitioning", "integrate", self.integrate, INTEGRATED)

    def options(self) -> dict[str, Any]:
        return {**super().options(), "by": self.by, "integrates": self.integrate}

    def __str__(self) -> str:
        return (f"coordinate partitioning by {ELIMINATIONS[self.by]}, integrating {INTEGRATED[self.integrate]}"
                f"{COORDINATES[self.coordinates]}")


@dataclass(frozen=True)
class NullSpace(Dense):
    """Motion in a basis of the kernel of J, found anew at every evaluation by SVD or QR."""

    kind: ClassVar[str] = "null_space"
    by: str = "qr"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("NullSpace", "by", self.by, {"svd": "", "qr": ""})

    def options(self) -> dict[str, Any]:
        return {**super().options(), "by": self.by}

    def __str__(self) -> str:
        return f"null space by {self.by.upper()}{COORDINATES[self.coordinates]}"


FORMS = {"minimal": "coordinates", "independent_accelerations": "velocities", "orthogonalised": "orthogonalised",
         "automatic": "coordinates"}
RENEWALS = {"condition": 1.1, "alpha": 0.9, "rank": 0.0}


@dataclass(frozen=True)
class QTZ(Reducing):
    """Vita's QTZ with kernel-basis update. form= "minimal" (independent coordinates), "independent_accelerations",
    "automatic" (as she chooses: minimal, unless drives leave no freedom), or "orthogonalised" (equations); this one
    goes with Radau(index=3) too, which holds positions at every stage. renew= says when to decompose again: the
    "condition" has grown by `limit`, the share "alpha" of the velocities in the old kernel has fallen below `limit`, or
    only at a change of "rank"."""

    kind: ClassVar[str] = "qtz"
    form: str = "minimal"
    renew: str = "alpha"
    limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("QTZ", "form", self.form, FORMS)
        one_of("QTZ", "renew", self.renew, dict.fromkeys(RENEWALS, ""))
        if self.limit is None:
            return
        positive("QTZ", "limit", self.limit)
        if self.renew == "alpha" and self.limit > 1:
            raise ModelError(f"QTZ: limit is {self.limit:g}; a share of the velocities is at most one.")
        if self.renew == "condition" and self.limit < 1:
            raise ModelError(f"QTZ: limit is {self.limit:g}; a growth of the condition is at least one.")

    def options(self) -> dict[str, Any]:
        limit = RENEWALS[self.renew] if self.limit is None else self.limit
        return {**super().options(), "renew": self.renew, "integrates": FORMS[self.form], "limit": float(limit)}

    def check(self, integrator: Integrator, stabilisation: Stabilisation) -> None:
        if self.form != "orthogonalised" or integrator.method != "radau":
            super().check(integrator, stabilisation)
            return
        plain = isinstance(stabilisation, NoStabilisation) or stabilisation == Projection()
        asked = integrator.options()
        if asked["index"] != 3 or asked["violation"] or self.coordinates != "twist" or self.renew != "alpha":
            raise ModelError("simulate(): QTZ(form='orthogonalised') with Radau holds positions at every stage.\n"
                             "  It goes with Radau(index=3) without violation=, coordinates='twist' and renew='alpha'.")
        if not plain:
            raise ModelError(f"simulate(): QTZ(form='orthogonalised') with Radau keeps positions itself, not by "
                             f"{stabilisation}.\n  Leave stabilisation= out.")

    def run(self, system: System, options: dict[str, Any], begin: State, times: Array) -> Any:
        if options["integrator"]["method"] == "radau":
            if system.auxiliaries:
                raise ModelError("simulate(): QTZ(form='orthogonalised') with Radau carries no inputs, variables or "
                                 f"states, but the model has {', '.join(map(repr, system.auxiliaries))}.\n"
                                 "  Leave formulation= out.")
            if any(not isinstance(event, Onset) for event in system.events):
                raise ModelError("simulate(): QTZ(form='orthogonalised') with Radau knows no events, but the model has "
                                 f"{system.events[0].name!r}.\n  Leave formulation= out.")
            return OrthogonalisedRun(system, options, begin, times)
        if self.form == "automatic":
            rows = system.kernel.independent(begin.t, begin.y.tolist(), begin.turns.tolist(), True)
            free = sum(rows) < 6 * len(system.centred)
            form = "minimal" if free else "independent_accelerations"
            options = {**options, "formulation": {**options["formulation"], "integrates": FORMS[form]}}
        return super().run(system, options, begin, times)

    def __str__(self) -> str:
        return f"QTZ, {self.form.replace('_', ' ')}, renewed by {self.renew}{COORDINATES[self.coordinates]}"


@dataclass(frozen=True)
class OwnFormulation(Dense):
    """A formulation as a Python function of (M, J, gamma, Q, Phi, Phi_dot) that returns (u_dot, lam); slow, for trying
    ideas. simulate(formulation=function) makes one of any function."""

    kind: ClassVar[str] = "own"
    function: Solver | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise ModelError(f"OwnFormulation: function is {self.function!r}; pass a function of "
                             "(M, J, gamma, Q, Phi, Phi_dot) that returns (u_dot, lam).")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "function": self._called}

    def _called(self, M: Array, J: Array, gamma: Array, Q: Array, phi: Array, rate: Array) -> tuple[Array, Array]:
        assert self.function is not None
        found = self.function(M, J, gamma, Q, phi, rate)
        wanted = f"{self.name} must return (u_dot, lam) with {len(Q)} and {len(gamma)} numbers"
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise ModelError(f"{wanted}, not {type(found).__name__}.")
        if any(np.iscomplexobj(x) for x in found):
            raise ModelError(f"{wanted}; these are complex.")
        acc, lam = (np.ascontiguousarray(x, dtype=float).ravel() for x in found)
        if len(acc) != len(Q) or len(lam) != len(gamma):
            raise ModelError(f"{wanted}, not {len(acc)} and {len(lam)}.")
        return acc, lam

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self.function, "__name__", "the function"))

    def __str__(self) -> str:
        return f"own formulation {self.name}(){COORDINATES[self.coordinates]}"


def as_formulation(given: Any) -> Formulation:
    """A formulation, or one made of a function; None is the kernel's own."""
    if given is None:
        return Sparse()
    if isinstance(given, Formulation):
        return given
    if callable(given) and not isinstance(given, type):
        return OwnFormulation(function=given)
    raise ModelError(f"formulation= is {given!r}; pass an object such as vincolo.formulations.NullSpace() or a "
                     "function of (M, J, gamma, Q, Phi, Phi_dot).")
