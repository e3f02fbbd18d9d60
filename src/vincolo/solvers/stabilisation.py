"""What keeps the constraints satisfied during a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number

__all__ = ["Baumgarte", "CorrectionByTolerance", "DirectCorrection", "NoStabilisation", "Projection", "Stabilisation",
           "TunedBaumgarte"]

CLOSED = 1e-10  # of the extent of a mechanism, and rad: joints count as closed


@dataclass(frozen=True)
class Stabilisation:
    """A way against drift: the kernel's name for it, and its numbers."""

    kind: ClassVar[str] = "none"

    def options(self) -> dict[str, Any]:
        """What the kernel reads; what is left out keeps the kernel's default."""
        return {"kind": self.kind}

    def for_step(self, step: float) -> Stabilisation:
        """The stabilisation for an integrator with this fixed step [s]; 0 stands for an adaptive one."""
        return self


@dataclass(frozen=True)
class NoStabilisation(Stabilisation):
    """Constraints hold at the level of accelerations only; positions drift."""

    def __str__(self) -> str:
        return "none (constraints drift)"


@dataclass(frozen=True)
class Baumgarte(Stabilisation):
    """J u' = gamma - 2 alpha (J u - nu) - beta^2 Phi, with alpha and beta in 1/s."""

    kind: ClassVar[str] = "baumgarte"
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
class TunedBaumgarte(Stabilisation):
    """Baumgarte with beta = 2 pi / (steps h) and alpha = damping beta: a violation swings in `steps` integration
    steps (Oldani 2010, eq. 2.80). For fixed steps."""

    steps: float = 20.0
    damping: float = 1.0

    def __post_init__(self) -> None:
        if finite_number("TunedBaumgarte: steps", self.steps) < 2:
            raise ModelError(f"TunedBaumgarte: steps is {self.steps:g}; a swing needs at least 2 steps to be seen.")
        if finite_number("TunedBaumgarte: damping", self.damping) < 0:
            raise ModelError(f"TunedBaumgarte: damping is {self.damping:g}; it must not be negative.")

    def for_step(self, step: float) -> Stabilisation:
        if step <= 0:
            raise ModelError("simulate(): TunedBaumgarte takes its numbers from the step and needs one of fixed size.\n"
                             "  Use an integrator such as vincolo.integrators.RK4(step=1e-3), or "
                             "Baumgarte(alpha, beta).")
        beta = 2 * math.pi / (self.steps * step)
        return Baumgarte(self.damping * beta, beta)

    def __str__(self) -> str:
        return f"Baumgarte tuned to swings of {self.steps:g} steps"


@dataclass(frozen=True)
class Corrections(Stabilisation):
    """What all corrections after a step share: onto the constraints until `tolerance` [m and rad]; if it is not given,
    to 1e-10 of the extent of the mechanism, and 1e-10 rad."""

    kind: ClassVar[str] = "projection"
    tolerance: float | None = None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if self.tolerance is None:
            return
        if finite_number(f"{owner}: tolerance", self.tolerance) <= 0:
            raise ModelError(f"{owner}: the tolerance is {self.tolerance:g}; it must be positive.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "tolerance": CLOSED if self.tolerance is None else float(self.tolerance),
                "relative": self.tolerance is None, "positions": True, "velocities": True, "outputs": False}

    @property
    def shown_tolerance(self) -> str:
        """The tolerance in words."""
        return f"tolerance {CLOSED:g} of the extent" if self.tolerance is None else f"tolerance {self.tolerance:g}"


@dataclass(frozen=True)
class Projection(Corrections):
    """Mass-orthogonal projection of positions (to `tolerance`) and velocities after every step and, if
    `outputs`, at every output time. Either of the two can be left out."""

    outputs: bool = True
    positions: bool = True
    velocities: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("outputs", "positions", "velocities"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"Projection: {name} is {getattr(self, name)!r}; it is True or False.")
        if not (self.positions or self.velocities):
            raise ModelError("Projection: neither positions nor velocities are projected; use NoStabilisation().")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "outputs": bool(self.outputs), "positions": bool(self.positions),
                "velocities": bool(self.velocities)}

    def __str__(self) -> str:
        what = " and ".join(name for name in ("positions", "velocities") if getattr(self, name))
        return f"projection of {what} ({self.shown_tolerance})"


@dataclass(frozen=True)
class DirectCorrection(Corrections):
    """The shortest correction of positions (repeated to `tolerance`) and velocities (once) after every step, masses
    left out of it (Yoon; Carvalho, eq. 3.47 to 3.49). Rotations count with the size of the mechanism."""

    def options(self) -> dict[str, Any]:
        return {**super().options(), "geometric": True}

    def __str__(self) -> str:
        return f"direct correction of positions and velocities ({self.shown_tolerance})"


@dataclass(frozen=True)
class CorrectionByTolerance(Corrections):
    """NumDyn3D's: once the sum of all |Phi| passes `start`, positions are corrected until it is below `tolerance`;
    velocities are left as they are (Vita, 4.5.2)."""

    tolerance: float = 1e-12
    start: float = 1e-9

    def __post_init__(self) -> None:
        super().__post_init__()
        tolerance = finite_number("CorrectionByTolerance: tolerance", self.tolerance)
        if not finite_number("CorrectionByTolerance: start", self.start) > tolerance:
            raise ModelError(f"CorrectionByTolerance: start is {self.start:g} and tolerance {tolerance:g}; start "
                             "must be the larger one.")

    def options(self) -> dict[str, Any]:
        return {**super().options(), "geometric": True, "velocities": False, "trigger": float(self.start)}

    def __str__(self) -> str:
        return f"correction of positions from {self.start:g} to {self.tolerance:g}"
