"""What a run was asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do."""

    integrator: str
    stabilisation: str
    formulation: str
    start: float
    until: float
    analysis: str = "dynamics"
    units: tuple[str, ...] = ()  # in which the model's file wants results to be shown; SI if there are none
    channels: tuple[str, ...] = ()  # the series that the model's file is interested in
    automatic: str = ""  # kind of the formulation where it was chosen automatically; continued runs keep it


def settings_of(data: dict[str, Any]) -> Settings:
    """Settings from plain data, in which tuples are lists."""
    return Settings(**{**data, **{key: tuple(data.get(key, ())) for key in ("units", "channels")}})
