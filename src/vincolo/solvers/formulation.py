"""What all formulations share: their options, checks and runs, and how their failures are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from vincolo import _kernel
from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.solvers.integrators import Integrator
from vincolo.solvers.stabilisation import Projection, Stabilisation
from vincolo.state import State
from vincolo.system import System

COORDINATES = {"twist": "", "euler_parameters": ", Euler parameters (7 per body)",
               "natural": ", natural coordinates (12 per body)"}
MOST_ITERATIONS = 100_000

# of formulations, by the kernel's name of the failure
FAILURES = {
    "singular": "{title}: the matrix is singular at t = {t:.6g} s. Joints are redundant, this is a singular position,\n"
                "or the step is too large. For redundant joints take NullSpace, AugmentedLagrangian or the default.",
    "singular mass": "{title}: the mass matrix is singular in the motion that is left at t = {t:.6g} s: {body}\n"
                     "without inertia can move freely. Give it some, or hold it by a joint.",
    "massless": "{title}: {body} has no inertia about some axis, and something turns it about that axis\n"
                "at t = {t:.6g} s: rows that the tree of joints leaves over, or a force. Give an inertia, or leave\n"
                "formulation= out.",
    "not converged": "{title}: the iterations did not converge at t = {t:.6g} s. The step is too large, alpha does\n"
                     "not fit the masses, or the position is singular. Change them, or allow more iterations.",
    "not finite": "{title}: the equations became infinite or undefined at t = {t:.6g} s: check formulas, and try a\n"
                  "smaller step.",
}

Solver = Callable[[Array, Array, Array, Array, Array, Array], tuple[Any, Any]]


def one_of(owner: str, what: str, value: str, known: dict[str, str]) -> None:
    """Refuses a name that is not known, with those that are."""
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{owner}: {what} is {value!r}; it is one of {', '.join(map(repr, known))}."
                         f"{suggest(str(value), known)}")


def positive(owner: str, what: str, value: float, zero: bool = False) -> None:
    """Refuses a number that is not finite and positive."""
    if finite_number(f"{owner}: {what}", value) < 0 or (value == 0 and not zero):
        raise ModelError(f"{owner}: {what} is {value:g}; it must {'not be negative' if zero else 'be positive'}.")


@dataclass(frozen=True)
class Formulation:
    """A way from the equations of motion to accelerations: the kernel's name for it, and its numbers."""

    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def options(self) -> dict[str, Any]:
        """What the kernel reads."""
        return {"kind": self.kind}

    def default_stabilisation(self) -> Stabilisation:
        """What keeps the constraints if nothing is asked for."""
        return Projection()

    def keeping(self, stabilisation: Stabilisation) -> str:
        """What keeps the joints closed in a run, in words."""
        return str(stabilisation)

    def failure(self, trouble: dict[str, Any], system: System) -> str | None:
        """What the kernel's account of a failure means: its kind, time [s] and body; None if there was none."""
        if trouble.get("failure") not in FAILURES:
            return None
        body = f"body '{system.centred[trouble['body']].body.name}'" if trouble["body"] >= 0 else "a body"
        return FAILURES[trouble["failure"]].format(t=trouble["t"], title=str(self), body=body)

    def check(self, integrator: Integrator, stabilisation: Stabilisation) -> None:
        """Refuses what cannot go together."""
        if self.kind != "sparse" and integrator.implicit:
            raise ModelError(f"simulate(): {integrator.title} solves its own equations, on independent rows; it goes "
                             f"with the default formulation, not with {self}.\n"
                             "  Leave formulation= out, or take an explicit integrator such as "
                             "vincolo.integrators.RK4(step=1e-3).")
        if integrator.method == "trapezoidal":
            raise ModelError(f"simulate(): Trapezoidal is an implicit step of its own; it goes with "
                             f"AugmentedLagrangian(index=3), not with {self}.\n"
                             "  Take an explicit integrator such as vincolo.integrators.RK4(step=1e-3).")

    def check_system(self, system: System) -> None:
        """Refuses bodies and rows it cannot deal with."""

    def run(self, system: System, options: dict[str, Any], begin: State, times: Array) -> Any:
        """A run that can be advanced: the kernel's."""
        return _kernel.core().Run(system.kernel, options, begin.t, begin.y.tolist(), begin.turns.tolist(),
                                  times.tolist())

    def __str__(self) -> str:
        return self.title


def refuse_decided(formulation: Formulation, system: System) -> None:
    """Refuses rows that the motion decides on during a run, and laws that read reactions."""
    name = type(formulation).__name__
    if system.reacting:
        raise ModelError(f"{name}: '{system.reacting[0]}' reads reactions, which the default formulation finds "
                         "together with it.\n  Leave formulation= out.")


@dataclass(frozen=True)
class Sparse(Formulation):
    """The kernel's own, and the default: Schur complement by joints, sparse, on independent rows chosen and watched."""

    kind: ClassVar[str] = "sparse"
    title: ClassVar[str] = "sparse Schur complement on independent rows"


@dataclass(frozen=True)
class Dense(Formulation):
    """Works on whole matrices, in one of three kinds of coordinates; a row counts as dependent below
    `rank_tolerance` of the largest."""

    coordinates: str = field(default="twist", kw_only=True)  # by keyword, so that its own numbers come first
    rank_tolerance: float = field(default=1e-5, kw_only=True)

    def check_system(self, system: System) -> None:
        if self.coordinates == "natural" and not system.numbers.plain:
            raise ModelError(f"{type(self).__name__}: natural coordinates know the simple joints only, not formulas, "
                             "gears, cams and rolling.\n  Take twists or Euler parameters.")
        refuse_decided(self, system)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        one_of(owner, "coordinates", self.coordinates, COORDINATES)
        positive(owner, "rank_tolerance", self.rank_tolerance)
        if self.rank_tolerance >= 1:
            raise ModelError(f"{owner}: rank_tolerance is {self.rank_tolerance:g}; it is a share below one, such as "
                             "1e-5.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "coordinates": self.coordinates, "rank_tolerance": float(self.rank_tolerance)}

    def __str__(self) -> str:
        return self.title + COORDINATES[self.coordinates]
