"""What keeps the constraints satisfied during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number


@dataclass(frozen=True)
class Stabilisation:
    """A way against drift: the kernel's number for it, and its numbers."""

    code: ClassVar[int] = 0

    def options(self) -> dict[str, Any]:
        """The numbers the kernel reads."""
        return {"stabilisation": self.code, "alpha": 0.0, "beta": 0.0, "tolerance": 0.0, "project_outputs": False}


@dataclass(frozen=True)
class NoStabilisation(Stabilisation):
    """Constraints hold at the level of accelerations only; positions drift."""

    def __str__(self) -> str:
        return "none (constraints drift)"


@dataclass(frozen=True)
class Baumgarte(Stabilisation):
    """J u' = gamma - 2 alpha (J u - nu) - beta^2 Phi, with alpha and beta in 1/s."""

    code: ClassVar[int] = 1
    alpha: float = 20.0
    beta: float = 20.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            if finite_number(f"Baumgarte: {name}", getattr(self, name)) < 0:
                raise ModelError(f"Baumgarte: {name} is {getattr(self, name):g} 1/s; it must not be negative.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "alpha": float(self.alpha), "beta": float(self.beta)}

    def __str__(self) -> str:
        return f"Baumgarte, alpha {self.alpha:g}, beta {self.beta:g} 1/s"


@dataclass(frozen=True)
class Projection(Stabilisation):
    """Mass-orthogonal projection of positions (to `tolerance`) and velocities after every step and, if
    `outputs`, at every output time."""

    code: ClassVar[int] = 2
    tolerance: float = 1e-10
    outputs: bool = True

    def __post_init__(self) -> None:
        if finite_number("Projection: tolerance", self.tolerance) <= 0:
            raise ModelError(f"Projection: the tolerance is {self.tolerance:g}; it must be positive.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "tolerance": float(self.tolerance), "project_outputs": bool(self.outputs)}

    def __str__(self) -> str:
        return f"projection of positions and velocities (tolerance {self.tolerance:g})"
