"""Integrators in time, as options for the kernel."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number


@dataclass(frozen=True)
class Integrator:
    """A way to step in time: the kernel's name for it, its order, and its numbers."""

    method: ClassVar[str] = ""
    title: ClassVar[str] = ""
    order: ClassVar[int] = 0

    def options(self) -> dict[str, Any]:
        """The numbers the kernel reads."""
        return {"method": self.method, "step": 0.0, "rtol": 0.0, "atol": 0.0, "max_step": 0.0,
                **{f.name: getattr(self, f.name) for f in fields(self)}}

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
class Trapezoidal(FixedStep):
    """The implicit trapezoidal rule, for AugmentedLagrangian(index=3); order 2."""

    method: ClassVar[str] = "trapezoidal"
    title: ClassVar[str] = "implicit trapezoidal rule"
    order: ClassVar[int] = 2


@dataclass(frozen=True)
class Adaptive(Integrator):
    """Steps chosen so that the estimated error of each stays within atol + rtol |state|."""

    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float = 0.0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("rtol", "atol", "max_step"):
            if finite_number(f"{owner}: {name}", getattr(self, name)) < 0:
                raise ModelError(f"{owner}: {name} is {getattr(self, name):g}; it must not be negative.")
        if self.rtol < 1e-14 and self.atol < 1e-14:
            raise ModelError(f"{owner}: rtol {self.rtol:g} and atol {self.atol:g} ask for more than double precision "
                             "holds.\n  Use at least 1e-13.")


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Dormand-Prince 5(4), adaptive; the default, good for moderate tolerances."""

    method: ClassVar[str] = "dormand_prince"
    title: ClassVar[str] = "Dormand-Prince 5(4)"
    order: ClassVar[int] = 5


@dataclass(frozen=True)
class DOP853(Adaptive):
    """Dormand-Prince 8(5,3), adaptive; best for tight tolerances."""

    method: ClassVar[str] = "dop853"
    title: ClassVar[str] = "Dormand-Prince 8(5,3)"
    order: ClassVar[int] = 8
