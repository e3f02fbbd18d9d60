"""Suspensions and limits of a file: points by role, and mistakes with the cells of the points concerned."""

from __future__ import annotations

from typing import Any

from pydantic import create_model

from vincolo.errors import ModelError
from vincolo.formats.tree.carried import CarriedParts
from vincolo.formats.tree.keys import Keys, checked
from vincolo.formats.tree.source import Source, Where
from vincolo.vehicle.build import add_axle
from vincolo.vehicle.curves import Limit
from vincolo.vehicle.fields import LIMIT, SUSPENSION, Field
from vincolo.vehicle.files import Garage, split_name
from vincolo.vehicle.suspension import HardpointError, Suspension

_TYPES: dict[str, Any] = {"number": float, "text": str, "truth": bool, "nested": dict[str, Any]}


def _keys(name: str, fields: dict[str, Field], **more: Any) -> type[Keys]:
    """The keys of a section, from its table of fields."""
    given: dict[str, Any] = {key: (_TYPES[field.kind] | None, None) for key, field in fields.items()}
    made: type[Keys] = create_model(name, __base__=Keys, **given, **more)
    return made


SuspensionKeys = _keys("SuspensionKeys", SUSPENSION, points=(dict[str, list[float]], {}))
LimitKeys = _keys("LimitKeys", LIMIT)


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

    def suspension(self, name: str, data: Any, where: Where) -> None:
        """A suspension, built on the ground."""
        keys = checked(SuspensionKeys, data, self.source, where)
        given = {key: getattr(keys, key) for key in keys.model_fields_set if getattr(keys, key) is not None}
        if "kind" not in given:
            raise self.source.error(where, f"the key 'kind' is missing: {SUSPENSION['kind'].help}")
        try:
            made = Suspension(name, **{"points": {}, **given})
            self.garage.suspensions[name] = made
            add_axle(self.model, made)
        except HardpointError as error:
            raise self._at_points(name, error, where) from None

    def _at_points(self, name: str, error: HardpointError, where: Where) -> ModelError:
        """The error at the cell of its first point, with those of the others."""
        split = [role.partition(".") for role in error.roles]
        places: list[Where] = [
            ("points", f"{name}_{role}", *(["xyz".index(axis)] if axis else [])) for role, _, axis in split
        ]
        known = [place for place in places if self.source.has(place[:2])]
        if not known:
            return self.source.error(where, error.text)
        others = "; ".join(self.source.place(place) for place in known[1:])
        return self.source.error(known[0], error.text + (f"\n  Also concerned: {others}." if others else ""))

    def limit(self, name: str, data: Any, where: Where) -> None:
        """A limit of a metric."""
        keys = checked(LimitKeys, data, self.source, where)
        given = {key: getattr(keys, key) for key in keys.model_fields_set if getattr(keys, key) is not None}
        if "metric" not in given:
            raise self.source.error(where, f"the key 'metric' is missing: {LIMIT['metric'].help}")
        owner = given.get("suspension", "")
        if owner and owner not in self.garage.suspensions:
            raise self.source.error(
                (*where, "suspension"),
                f"there is no suspension {owner!r}; there are: {', '.join(self.garage.suspensions) or 'none'}.",
            )
        self.garage.limits.append(Limit(name=name, **given))
