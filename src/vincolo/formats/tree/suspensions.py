"""Suspensions and limits of a file: points by role, and mistakes with the cells of the points concerned."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.carried import CarriedParts
from vincolo.formats.tree.dimensions import check_units
from vincolo.formats.tree.keys import Keys, checked
from vincolo.formats.tree.source import Source, Where
from vincolo.units import readings
from vincolo.vehicle.build import add_axle
from vincolo.vehicle.build_car import build_car
from vincolo.vehicle.car import Car
from vincolo.vehicle.curves import Limit
from vincolo.vehicle.fields import LIMIT, LOAD_CASE, SECTIONS, SUSPENSION, TYRE, VEHICLE, Field
from vincolo.vehicle.files import Garage, split_name
from vincolo.vehicle.loads import LoadCase
from vincolo.vehicle.metrics import UNITS
from vincolo.vehicle.rigs import check_held
from vincolo.vehicle.suspension import HardpointError, Suspension
from vincolo.vehicle.tir import read_tir
from vincolo.vehicle.tyres import Tyre

_TYPES: dict[str, Any] = {"number": float, "text": str, "truth": bool, "nested": dict[str, Any]}


def _keys(name: str, fields: dict[str, Field], **more: Any) -> type[Keys]:
    """The keys of a section, from its table of fields."""
    given: dict[str, Any] = {key: (_TYPES[field.kind] | None, None) for key, field in fields.items()}
    made: type[Keys] = create_model(name, __base__=Keys, **given, **more)
    return made


SuspensionKeys = _keys("SuspensionKeys", SUSPENSION, points=(dict[str, list[float]], {}))
LimitKeys, TyreKeys, VehicleKeys, CaseKeys = (
    _keys(name, fields)
    for name, fields in (("LimitKeys", LIMIT), ("TyreKeys", TYRE), ("VehicleKeys", VEHICLE), ("CaseKeys", LOAD_CASE))
)


def give_points(source: Source, points: dict[str, Any]) -> set[str]:
    """Hands points called front_lower_ball to the suspension 'front'; the names that were taken."""
    listed = source.data.get("suspensions")
    if not isinstance(listed, dict):
        return set()
    taken = set()
    for name, value in points.items():
        found = split_name(name, listed)
        if found is not None and isinstance(listed[found[0]], dict):
            listed[found[0]].setdefault("points", {})[found[1]] = list(value)
            taken.add(name)
    return taken


class SuspensionParts(CarriedParts):
    """Reads suspensions into the model, and keeps them as they were written."""

    garage: Garage

    def _given(self, kind: type[Keys], data: Any, where: Where, *needed: str) -> dict[str, Any]:
        """What a row gives; what it cannot do without is asked for."""
        keys = checked(kind, data, self.source, where)
        given = {key: getattr(keys, key) for key in keys.model_fields_set if getattr(keys, key) is not None}
        for key in needed:
            if key not in given:
                fields = SECTIONS[str(where[0])][1]
                raise self.source.error(where, f"the key {key!r} is missing: {fields[key].help}")
        return given

    def suspension(self, name: str, data: Any, where: Where) -> None:
        """A suspension; it is built when the vehicles are known."""
        given = self._given(SuspensionKeys, data, where, "kind")
        try:
            made = Suspension(name, **{"points": {}, **given})
            check_held(made)
            self.garage.suspensions[name] = made
            points = {role: ("points", f"{name}_{role}") for role in made.points}
            self.garage.places[name] = {r: self._place(at) for r, at in points.items() if self.source.has(at)}
        except HardpointError as error:
            raise self._at_points(name, error, where) from None

    def tyre(self, name: str, data: Any, where: Where) -> None:
        """A tyre by its numbers, or from a .tir file."""
        given = self._given(TyreKeys, data, where)
        if "file" in given:
            more = [key for key in given if key != "file"]
            if more:
                raise self.source.error((*where, more[0]), "a tyre from a file has no numbers of its own here.")
            self.garage.tyres[name] = read_tir(self.folder / given["file"])
            return
        self._given(TyreKeys, data, where, "kind", "radius", "k")
        self.garage.tyres[name] = Tyre(name, **given)

    def vehicle(self, name: str, data: Any, where: Where) -> None:
        """A car of two suspensions and their tyres."""
        given = self._given(
            VehicleKeys, data, where, "front", "rear", "mass", "com_x", "com_z", "tyre_front", "tyre_rear"
        )
        if self.garage.cars:
            raise self.source.error(where, "there is one vehicle in a file.")
        for key, known in (
            ("front", self.garage.suspensions),
            ("rear", self.garage.suspensions),
            ("tyre_front", self.garage.tyres),
            ("tyre_rear", self.garage.tyres),
        ):
            if given[key] not in known:
                self.mistakes.follows(given[key], (*where, key))
                raise self.source.error(
                    (*where, key),
                    f"there is no {given[key]!r}; there are: {', '.join(known) or 'none'}.{suggest(given[key], known)}",
                )
        com = (given["com_x"], given.get("com_y", 0.0), given["com_z"])
        inertia = tuple(given.get(f"inertia_{axis}", 0.0) for axis in ("xx", "yy", "zz"))
        plain = ("mass", "brake_front", "drive_front", "drag", "downforce_front", "downforce_rear", "rack_ratio")
        front, rear = (self.garage.suspensions[given[key]] for key in ("front", "rear"))
        self.garage.cars[name] = Car(
            name, front, rear, com=com, inertia=inertia, **{key: given[key] for key in plain if key in given}
        )
        self.garage.tyre_sets[name] = {axle: self.garage.tyres[given[f"tyre_{axle}"]] for axle in ("front", "rear")}
        self.garage.speed = given.get("speed", 0.0)

    def build_suspensions(self) -> None:
        """Bodies and joints of all suspensions: of a car on its chassis, of others on the ground."""
        taken = set()
        for name, car in self.garage.cars.items():
            with self.mistakes.at(("vehicles", name), name):
                self.garage.built = build_car(car, self.garage.tyre_sets[name], model=self.model)
                taken |= {s.name for s in car.axles.values()}
        for name, s in self.garage.suspensions.items():
            if name not in taken:
                with self.mistakes.at(("suspensions", name), name):
                    add_axle(self.model, s)

    def load_case(self, name: str, data: Any, where: Where) -> None:
        """A load case."""
        self.garage.cases.append(LoadCase(name, **self._given(CaseKeys, data, where)))

    def _at_points(self, name: str, error: HardpointError, where: Where) -> ModelError:
        """The error at the cell of its first point, with those of the others."""
        split = [role.partition(".") for role in error.roles]
        places: list[Where] = [
            ("points", f"{name}_{role}", *(["xyz".index(axis)] if axis else [])) for role, _, axis in split
        ]
        known = [place for place in places if self.source.has(place[:2])]
        if not known:
            return self.source.error(where, error.text)
        cells = "; ".join(self._place(place) for place in known)
        return self.source.error(known[0], f"{error.text}\n  See {cells}.")

    def _place(self, where: Where) -> str:
        """Where a point or one of its coordinates stands; of a whole point in a workbook the cells from x to z."""
        first, last = (self.source.place((*where[:2], k)) for k in (0, 2))
        if len(where) == 2 and ", cell " in first:
            return f"{first} to {last.rpartition(' ')[2]}"
        return self.source.place(where)

    def limit(self, name: str, data: Any, where: Where) -> None:
        """A limit of a metric."""
        given = self._given(LimitKeys, data, where, "metric")
        owner = given.get("suspension", "")
        if owner and owner not in self.garage.suspensions:
            raise self.source.error(
                (*where, "suspension"),
                f"there is no suspension {owner!r}; there are: {', '.join(self.garage.suspensions) or 'none'}.",
            )
        limit = Limit(name=name, **given)
        wanted = frozenset(unit.powers for unit in readings(UNITS.get(limit.metric.rpartition(".")[2], ""))[:1])
        check_units(self.source, where, limit.metric, ("low", "high", "target"), wanted)
        self.garage.limits.append(limit)
