"""Suspensions and limits as files give them: checked, with the place of every mistake named by its role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vincolo.vehicle.curves import Limit
from vincolo.vehicle.metrics import NO_CAR, Setting
from vincolo.vehicle.suspension import Suspension


@dataclass
class Garage:
    """What a file says of vehicles."""

    suspensions: dict[str, Suspension] = field(default_factory=dict)
    limits: list[Limit] = field(default_factory=list)

    def setting(self, name: str) -> Setting:
        """What metrics of a suspension need of the car, as far as it is known."""
        return NO_CAR

    def __bool__(self) -> bool:
        return bool(self.suspensions)


def split_name(point: str, suspensions: Any) -> tuple[str, str] | None:
    """The suspension and role that a point called front_lower_ball belongs to."""
    owners = [name for name in suspensions if point.startswith(f"{name}_")]
    owner = max(owners, key=len, default=None)
    return None if owner is None else (owner, point[len(owner) + 1 :])
