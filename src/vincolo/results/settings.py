"""What a run was asked to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do."""

    integrator: str
    stabilisation: str
    formulation: str
    start: float
    until: float
    analysis: str = "dynamics"
