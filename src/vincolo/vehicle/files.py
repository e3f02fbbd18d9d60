"""What a file says of vehicles: suspensions, tyres, a car, load cases and limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vincolo.state import State
from vincolo.system import System
from vincolo.vehicle.build_car import Built, rolling
from vincolo.vehicle.car import Car
from vincolo.vehicle.curves import Limit
from vincolo.vehicle.loads import CASES, LoadCase, LoadTable, load_table
from vincolo.vehicle.metrics import NO_CAR, Setting
from vincolo.vehicle.suspension import Suspension
from vincolo.vehicle.tyres import Tyre


@dataclass
class Garage:
    """What a file says of vehicles."""

    suspensions: dict[str, Suspension] = field(default_factory=dict)
    tyres: dict[str, Tyre] = field(default_factory=dict)
    cars: dict[str, Car] = field(default_factory=dict)
    tyre_sets: dict[str, dict[str, Tyre]] = field(default_factory=dict)
    cases: list[LoadCase] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    speed: float = 0.0  # m/s: with which a run begins
    built: Built | None = None
    places: dict[str, dict[str, str]] = field(default_factory=dict)  # of points in the file, by suspension and role

    def cells(self, name: str, roles: Iterable[str]) -> str:
        """Where points of a suspension stand in the file; empty if that is not known."""
        own = self.places.get(name, {})
        return "; ".join(dict.fromkeys(own[r.partition(".")[0]] for r in roles if r.partition(".")[0] in own))

    def setting(self, name: str) -> Setting:
        """What metrics of a suspension need of the car, as far as it is known."""
        for car in self.cars.values():
            for axle, s in car.axles.items():
                if s.name == name:
                    return car.setting(axle)
        return NO_CAR

    def moved(self, points: Mapping[str, Mapping[str, Any]]) -> Garage:
        """The same with points [m] elsewhere, by suspension and role; cars stand on the suspensions that moved."""
        suspensions = {
            name: replace(s, points={**s.points, **points[name]}) if points.get(name) else s
            for name, s in self.suspensions.items()
        }
        cars = {
            name: replace(
                car,
                front=suspensions.get(car.front.name, car.front),
                rear=suspensions.get(car.rear.name, car.rear),
            )
            for name, car in self.cars.items()
        }
        return replace(self, suspensions=suspensions, cars=cars, built=None)

    def loads(self) -> LoadTable | None:
        """Loads of the car for the cases of the file, or for the usual ones; none without a car."""
        for car in self.cars.values():
            return load_table(car, self.cases or CASES)
        return None

    def begin(self, system: System, t: float) -> State:
        """The start of a run: the car rolls at its speed."""
        if self.built is None:
            raise ValueError("there is no car")
        return rolling(self.built, system, self.speed)

    def __bool__(self) -> bool:
        return bool(self.suspensions)


def split_name(point: str, suspensions: Any) -> tuple[str, str] | None:
    """The suspension and role that a point called front_lower_ball belongs to."""
    owners = [name for name in suspensions if point.startswith(f"{name}_")]
    owner = max(owners, key=len, default=None)
    return None if owner is None else (owner, point[len(owner) + 1 :])
