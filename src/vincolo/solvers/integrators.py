"""Integrators in time, as options for the kernel."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.solvers.stabilisation import Corrections, Projection, Stabilisation

if TYPE_CHECKING:
    from vincolo.system import System

__all__ = ["BDF", "DOP853", "HHT", "RK4", "Adams", "AdamsMoulton", "Auto", "BogackiShampine", "CashKarp",
           "DormandPrince", "Euler", "GeneralisedAlpha", "Heun", "Integrator", "ModifiedEuler", "Newmark", "Radau",
           "Rattle", "Rosenbrock", "SemiImplicitEuler", "Trapezoidal"]

ATOL = 1e-10  # rad and rad/s; of the extent for lengths and their rates
SHARED = ("positions", "rotations", "velocities")  # share atol unless they have their own


@dataclass(frozen=True)
class Integrator:
    """A way to step in time: the kernel's name for it, its order, and its numbers."""

    method: ClassVar[str] = ""
    title: ClassVar[str] = ""
    order: ClassVar[int] = 0
    implicit: ClassVar[bool] = False  # with equations of its own

    def options(self) -> dict[str, Any]:
        """The numbers the kernel reads."""
        return {"method": self.method, "step": 0.0, "rtol": 0.0, "atol": [0.0, 0.0, 0.0],
                "by_extent": [True, True], "min_step": 0.0,
                "max_step": 0.0, "violation": 0.0, "automatic": False, "index": 1, "alpha_weights": [],
                **{f.name: getattr(self, f.name) for f in fields(self)}}

    def check(self, stabilisation: Stabilisation, system: System) -> None:
        """Refuses what the method cannot do."""
        if getattr(self, "index", 1) == 3:
            check_positions(self.title, system)

    def __str__(self) -> str:
        numbers = ", ".join(f"{f.name} {getattr(self, f.name):g}" for f in fields(self) if getattr(self, f.name))
        return f"{self.title}, {numbers}"


@dataclass(frozen=True)
class FixedStep(Integrator):
    """Steps of one size [s], the largest up to `step` that divides the run."""

    step: float = 1e-3

    def __post_init__(self) -> None:
        if finite_number(f"{type(self).__name__}: step", self.step) <= 0:
            raise ModelError(f"{type(self).__name__}: the step is {self.step:g} s; it must be positive.")


@dataclass(frozen=True)
class Euler(FixedStep):
    """Explicit Euler; order 1. Gains energy; for comparison and teaching."""

    method: ClassVar[str] = "euler"
    title: ClassVar[str] = "Euler"
    order: ClassVar[int] = 1


@dataclass(frozen=True)
class ModifiedEuler(FixedStep):
    """Modified Euler: the slope of a half step; order 2."""

    method: ClassVar[str] = "modified_euler"
    title: ClassVar[str] = "modified Euler"
    order: ClassVar[int] = 2


@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """Velocities first, then positions with the new velocities; order 1."""

    method: ClassVar[str] = "semi_implicit_euler"
    title: ClassVar[str] = "semi-implicit Euler"
    order: ClassVar[int] = 1


@dataclass(frozen=True)
class Heun(FixedStep):
    """Explicit trapezoidal rule; order 2."""

    method: ClassVar[str] = "heun"
    title: ClassVar[str] = "Heun"
    order: ClassVar[int] = 2


@dataclass(frozen=True)
class RK4(FixedStep):
    """The classical Runge-Kutta method; order 4."""

    method: ClassVar[str] = "rk4"
    title: ClassVar[str] = "Runge-Kutta 4"
    order: ClassVar[int] = 4


@dataclass(frozen=True)
class AdamsMoulton(FixedStep):
    """Adams-Bashforth-Moulton, predicted, evaluated, corrected, evaluated; order 4 at two evaluations a step."""

    method: ClassVar[str] = "adams_moulton"
    title: ClassVar[str] = "Adams-Bashforth-Moulton 4"
    order: ClassVar[int] = 4


@dataclass(frozen=True)
class Rattle(FixedStep):
    """RATTLE on the group of rotations, for long runs without friction: symplectic, so that energy swings within
    bounds that shrink with the square of the step and does not drift, however long the run. Order 2 at one evaluation
    of forces a step; joints stay closed to rounding."""

    method: ClassVar[str] = "rattle"
    title: ClassVar[str] = "RATTLE, symplectic"
    order: ClassVar[int] = 2
    implicit: ClassVar[bool] = True

    def check(self, stabilisation: Stabilisation, system: System) -> None:
        check_positions(self.title, system)
        if not (isinstance(stabilisation, Projection) and stabilisation.positions and stabilisation.velocities):
            raise ModelError("simulate(): Rattle keeps positions and velocities on the constraints itself; leave "
                             "stabilisation= out.")
        if system.light_bodies:
            light = ", ".join(system.light_bodies[:8])
            raise ModelError(f"Rattle: {light} without inertia about some axis. It steps the momentum of\n  every body "
                             "and needs some: give the body a small inertia, or take another integrator.")


@dataclass(frozen=True)
class Rosenbrock(FixedStep):
    """Linearly implicit, without iterations: a fixed cost per step whatever the stiffness; order 2. For real time."""

    method: ClassVar[str] = "rosenbrock"
    title: ClassVar[str] = "linearly implicit (ROS2)"
    order: ClassVar[int] = 2
    implicit: ClassVar[bool] = True


@dataclass(frozen=True)
class GeneralisedAlpha(FixedStep):
    """Generalised-alpha on positions (index 3) or velocities (index 2) of the constraints; implicit, order 2. The
    spectral radius says what is left of the fastest motion after a step: 1 keeps it, 0 takes it away at once."""

    method: ClassVar[str] = "generalised_alpha"
    title: ClassVar[str] = "generalised-alpha"
    order: ClassVar[int] = 2
    implicit: ClassVar[bool] = True
    spectral_radius: float = 0.8
    index: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= finite_number("GeneralisedAlpha: spectral_radius", self.spectral_radius) <= 1:
            raise ModelError(f"GeneralisedAlpha: spectral_radius is {self.spectral_radius:g}; it lies between 0 and 1.")
        check_index("GeneralisedAlpha", self.index)

    def options(self) -> dict[str, Any]:
        r = float(self.spectral_radius)
        mean_acceleration, mean_force = (2 * r - 1) / (r + 1), r / (r + 1)
        gamma = 0.5 - mean_acceleration + mean_force
        return {**super().options(), "alpha_weights": [mean_acceleration, mean_force, gamma, (gamma + 0.5)**2 / 4,
                                                       float(self.index)]}


@dataclass(frozen=True)
class HHT(FixedStep):
    """Hilber, Hughes and Taylor: alpha from -1/3 (most damping) to 0 (none); implicit, order 2."""

    method: ClassVar[str] = "generalised_alpha"
    title: ClassVar[str] = "HHT"
    order: ClassVar[int] = 2
    implicit: ClassVar[bool] = True
    alpha: float = -0.1
    index: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -1 / 3 <= finite_number("HHT: alpha", self.alpha) <= 0:
            raise ModelError(f"HHT: alpha is {self.alpha:g}; it lies between -1/3 and 0.")
        check_index("HHT", self.index)

    def check(self, stabilisation: Stabilisation, system: System) -> None:
        super().check(stabilisation, system)
        check_damping(self, stabilisation)

    def options(self) -> dict[str, Any]:
        a = -float(self.alpha)
        return {**super().options(), "alpha_weights": [0.0, a, 0.5 + a, (1 + a)**2 / 4, float(self.index)]}


@dataclass(frozen=True)
class Newmark(FixedStep):
    """Newmark's method; gamma 1/2 and beta 1/4 are the trapezoidal rule. Implicit, order 2 if gamma is 1/2, else 1."""

    method: ClassVar[str] = "generalised_alpha"
    title: ClassVar[str] = "Newmark"
    order: ClassVar[int] = 2
    implicit: ClassVar[bool] = True
    gamma: float = 0.5
    beta: float = 0.25
    index: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.5 <= finite_number("Newmark: gamma", self.gamma) <= 1:
            raise ModelError(f"Newmark: gamma is {self.gamma:g}; it lies between 1/2 and 1.")
        if not self.gamma / 2 <= finite_number("Newmark: beta", self.beta) <= 1:
            raise ModelError(f"Newmark: beta is {self.beta:g}; it lies between gamma / 2 = {self.gamma / 2:g} and 1.")
        check_index("Newmark", self.index)

    def check(self, stabilisation: Stabilisation, system: System) -> None:
        super().check(stabilisation, system)
        check_damping(self, stabilisation)

    def options(self) -> dict[str, Any]:
        weights = [0.0, 0.0, float(self.gamma), float(self.beta), float(self.index)]
        return {**super().options(), "alpha_weights": weights}


def check_positions(title: str, system: System) -> None:
    """Refuses rows that hold velocities or accelerations where a method holds positions."""
    found = next((row for row in system.rows if row.level != "position"), None)
    if found is not None:
        raise ModelError(f"simulate(): {title} holds joints by their positions, but {found} holds only its "
                         f"{found.level}.\n  Take index=2 or 1, or another integrator.")


def check_damping(integrator: HHT | Newmark, stabilisation: Stabilisation) -> None:
    """Refuses the trapezoidal rule on positions alone: velocities leave the constraints further with every step."""
    *_, mean_force, gamma, _, index = integrator.options()["alpha_weights"]
    projects = isinstance(stabilisation, Corrections) and stabilisation.options()["velocities"]
    if index == 3 and mean_force == 0 and gamma == 0.5 and not projects:
        raise ModelError(f"simulate(): {integrator.title} without damping of its own, on positions (index 3), needs "
                         f"the projection of velocities;\n  with {stabilisation} they swing further out with every "
                         "step.\n  Leave stabilisation= out, take index=2, or give it damping: GeneralisedAlpha(), "
                         "HHT(alpha=-0.1)\n  or Newmark(gamma=0.6, beta=0.3025).")


def check_index(owner: str, index: Any) -> None:
    """Refuses an index other than 2 and 3."""
    if type(index) is not int or index not in (2, 3):
        raise ModelError(f"{owner}: index is {index!r}; it is 3 (positions) or 2 (velocities).")


@dataclass(frozen=True)
class Trapezoidal(FixedStep):
    """The implicit trapezoidal rule, for AugmentedLagrangian(index=3); order 2."""

    method: ClassVar[str] = "trapezoidal"
    title: ClassVar[str] = "implicit trapezoidal rule"
    order: ClassVar[int] = 2


@dataclass(frozen=True)
class Adaptive(Integrator):
    """Steps chosen so that the estimated error of each stays within atol + rtol |state|.

    `atol` [m, rad and their rates] holds for all, unless positions [m], rotations [rad] or velocities [m/s and rad/s]
    have their own; if it is not given it is 1e-10, for lengths of the mechanism's extent. Steps stay between
    `min_step` and `max_step` [s], 0 for no limit. With `violation`, a step that opens a joint by more
    [m or rad] before it is closed again is repeated at half its size (Righettini and Tasora)."""

    rtol: float = 1e-8
    atol: float | None = None
    max_step: float = 0.0
    min_step: float = 0.0
    positions: float | None = None
    rotations: float | None = None
    velocities: float | None = None
    violation: float = 0.0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("rtol", "atol", "max_step", "min_step", "positions", "rotations", "velocities", "violation"):
            value = getattr(self, name)
            if value is None and name in (*SHARED, "atol"):
                continue
            if finite_number(f"{owner}: {name}", value) < 0:
                raise ModelError(f"{owner}: {name} is {value:g}; it must not be negative.")
        if self.rtol < 1e-14 and min(self._absolute()) < 1e-14:
            raise ModelError(f"{owner}: rtol {self.rtol:g} and atol {min(self._absolute()):g} ask for more than double "
                             "precision holds.\n  Use at least 1e-13.")
        if 0 < self.max_step < self.min_step:
            raise ModelError(f"{owner}: min_step {self.min_step:g} s is more than max_step {self.max_step:g} s.")

    def _absolute(self) -> list[float]:
        """Absolute tolerances of positions, quaternions (half the angle) and velocities."""
        atol = ATOL if self.atol is None else self.atol
        positions, velocities = (atol if x is None else x for x in (self.positions, self.velocities))
        return [positions, atol if self.rotations is None else self.rotations / 2, velocities]

    def __str__(self) -> str:
        shown, rtol = super().__str__(), f"rtol {self.rtol:g}"
        return shown if self.atol is not None else shown.replace(rtol, f"{rtol}, atol {ATOL:g}")

    def options(self) -> dict[str, Any]:
        return {**{k: v for k, v in super().options().items() if k not in SHARED}, "atol": self._absolute(),
                "by_extent": [self.atol is None and own is None for own in (self.positions, self.velocities)]}


@dataclass(frozen=True)
class Auto(Adaptive):
    """Dormand-Prince 5(4) while that is cheapest, Radau IIA 5 while stiff springs or dampers bound explicit steps;
    the default."""

    method: ClassVar[str] = "dormand_prince"
    title: ClassVar[str] = "automatic: Dormand-Prince 5(4) and Radau IIA 5"
    order: ClassVar[int] = 5
    implicit: ClassVar[bool] = True

    def options(self) -> dict[str, Any]:
        return {**super().options(), "automatic": True}


@dataclass(frozen=True)
class BogackiShampine(Adaptive):
    """Bogacki-Shampine 3(2), adaptive; for loose tolerances."""

    method: ClassVar[str] = "bogacki_shampine"
    title: ClassVar[str] = "Bogacki-Shampine 3(2)"
    order: ClassVar[int] = 3


@dataclass(frozen=True)
class CashKarp(Adaptive):
    """Cash-Karp 5(4), adaptive; for comparison with programs that use it."""

    method: ClassVar[str] = "cash_karp"
    title: ClassVar[str] = "Cash-Karp 5(4)"
    order: ClassVar[int] = 5


@dataclass(frozen=True)
class Adams(Adaptive):
    """Adams-Bashforth-Moulton of variable order 1 to 12 and variable step, predicted, evaluated, corrected, evaluated:
    two evaluations a step; for smooth motion at tight tolerances, where evaluations are dear (ode113's family)."""

    method: ClassVar[str] = "adams"
    title: ClassVar[str] = "Adams-Bashforth-Moulton 1 to 12"
    order: ClassVar[int] = 12


@dataclass(frozen=True)
class Radau(Adaptive):
    """Radau IIA, implicit, adaptive; for stiff springs, dampers and bushings. Its stages hold the constraints of
    accelerations (index 1), velocities (2) or positions (3)."""

    method: ClassVar[str] = "radau"
    title: ClassVar[str] = "Radau IIA 5"
    order: ClassVar[int] = 5
    implicit: ClassVar[bool] = True
    index: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.index) is not int or self.index not in (1, 2, 3):
            raise ModelError(f"Radau: index is {self.index!r}; it is 1, 2 or 3.")


@dataclass(frozen=True)
class BDF(Adaptive):
    """Backward differentiation of variable order 1 to 5, implicit, adaptive; for stiff runs at moderate tolerances."""

    method: ClassVar[str] = "bdf"
    title: ClassVar[str] = "BDF 1 to 5"
    order: ClassVar[int] = 5
    implicit: ClassVar[bool] = True


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Dormand-Prince 5(4), adaptive; good for moderate tolerances."""

    method: ClassVar[str] = "dormand_prince"
    title: ClassVar[str] = "Dormand-Prince 5(4)"
    order: ClassVar[int] = 5


@dataclass(frozen=True)
class DOP853(Adaptive):
    """Dormand-Prince 8(5,3), adaptive; best for tight tolerances."""

    method: ClassVar[str] = "dop853"
    title: ClassVar[str] = "Dormand-Prince 8(5,3)"
    order: ClassVar[int] = 8
