"""Integrators in time, as options for the kernel. Their classes are made from the table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.solvers.stabilisation import Corrections, Projection, Stabilisation
from vincolo.solvers.table import NAMES, TABLE, Choice, Row

if TYPE_CHECKING:
    from vincolo.system import System

    def __getattr__(name: str) -> Any:
        """The classes of the table."""

__all__ = ["Integrator", *NAMES]

ATOL = 1e-10  # rad and rad/s; of the extent for lengths and their rates
SHARED = ("positions", "rotations", "velocities")  # share atol unless they have their own


@dataclass(frozen=True)
class Integrator:
    """A way to step in time: the kernel's name for it, its order, and its numbers."""

    row: ClassVar[Row]
    method: ClassVar[str] = ""
    title: ClassVar[str] = ""
    order: ClassVar[int] = 0
    implicit: ClassVar[bool] = False  # with equations of its own

    @property
    def fixed_step(self) -> float:
        """The size of its steps [s]; 0 if it chooses them."""
        return float(getattr(self, "step", 0.0))

    def options(self) -> dict[str, Any]:
        """What the kernel reads."""
        own = {number.name: getattr(self, number.name) for number in self.row.own}
        if self.row.weights is not None:
            own = {"index": own["index"], **self.row.weights(self)}
        return {"method": self.method, **own}

    def check(self, stabilisation: Stabilisation, system: System) -> None:
        """Refuses what the method cannot do."""
        if self.row.keeps:
            check_keeping(self, stabilisation, system)
        if getattr(self, "index", 1) == 3:
            check_positions(self.title, system)
        if self.row.weights is not None:
            check_damping(self, stabilisation)

    def _check_own(self) -> None:
        owner = type(self).__name__
        for number in self.row.own:
            value = getattr(self, number.name)
            if isinstance(number, Choice):
                if type(value) is not int or value not in number.known:
                    raise ModelError(f"{owner}: {number.name} is {value!r}; {number.words}.")
            elif not number.lies(self, finite_number(f"{owner}: {number.name}", value)):
                words = number.words if isinstance(number.words, str) else number.words(self)
                raise ModelError(f"{owner}: {number.name} is {value:g}; {words}.")

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
        self._check_own()

    def options(self) -> dict[str, Any]:
        return {**super().options(), "step": self.step}


def check_keeping(integrator: Integrator, stabilisation: Stabilisation, system: System) -> None:
    """Refuses what a method that keeps the constraints by itself cannot do."""
    name = type(integrator).__name__
    check_positions(integrator.title, system)
    if not (isinstance(stabilisation, Projection) and stabilisation.positions and stabilisation.velocities):
        raise ModelError(f"simulate(): {name} keeps positions and velocities on the constraints itself; leave "
                         "stabilisation= out.")
    if system.light_bodies:
        light = ", ".join(system.light_bodies[:8])
        raise ModelError(f"{name}: {light} without inertia about some axis. It steps the momentum of\n  every body "
                         "and needs some: give the body a small inertia, or take another integrator.")


def check_positions(title: str, system: System) -> None:
    """Refuses rows that hold velocities or accelerations where a method holds positions."""
    found = next((row for row in system.rows if row.level != "position"), None)
    if found is not None:
        raise ModelError(f"simulate(): {title} holds joints by their positions, but {found} holds only its "
                         f"{found.level}.\n  Take index=2 or 1, or another integrator.")


def check_damping(integrator: Integrator, stabilisation: Stabilisation) -> None:
    """Refuses the trapezoidal rule on positions alone: velocities leave the constraints further with every step."""
    o = integrator.options()
    projects = isinstance(stabilisation, Corrections) and stabilisation.options()["velocities"]
    if o["index"] == 3 and o["mean_force"] == 0 and o["mean_acceleration"] == 0 and o["gamma"] == 0.5 and not projects:
        raise ModelError(f"simulate(): {integrator.title} without damping of its own, on positions (index 3), needs "
                         f"the projection of velocities;\n  with {stabilisation} they swing further out with every "
                         "step.\n  Leave stabilisation= out, take index=2, or give it damping: GeneralisedAlpha(), "
                         "HHT(alpha=-0.1)\n  or Newmark(gamma=0.6, beta=0.3025).")


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
        self._check_own()

    def _absolute(self) -> list[float]:
        """Absolute tolerances of positions, quaternions (half the angle) and velocities."""
        atol = ATOL if self.atol is None else self.atol
        positions, velocities = (atol if x is None else x for x in (self.positions, self.velocities))
        return [positions, atol if self.rotations is None else self.rotations / 2, velocities]

    def __str__(self) -> str:
        shown, rtol = super().__str__(), f"rtol {self.rtol:g}"
        return shown if self.atol is not None else shown.replace(rtol, f"{rtol}, atol {ATOL:g}")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "rtol": self.rtol, "atol": self._absolute(),
                "by_extent": [self.atol is None and own is None for own in (self.positions, self.velocities)],
                "min_step": self.min_step, "max_step": self.max_step, "violation": self.violation}


def made(row: Row) -> type[Integrator]:
    """The class of a row: a frozen dataclass with the numbers of its kind and its own."""
    own = [(number.name, "int" if isinstance(number, Choice) else "float", field(default=number.default))
           for number in row.own]
    shown = {"row": row, "method": row.method, "title": row.title, "order": row.order, "implicit": row.implicit,
             "__doc__": row.doc, "__module__": __name__, "__qualname__": row.name}
    return make_dataclass(row.name, own, bases=(Adaptive if row.adaptive else FixedStep,), namespace=shown, frozen=True)


INTEGRATORS = {row.name: made(row) for row in TABLE}
globals().update(INTEGRATORS)
