"""Ranges that a coordinate or measure is meant to stay in: kept with the model and watched by every run. Mixed into
Model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.measure import Measure
from vincolo.model.measure_units import measure_unit
from vincolo.model.named_parts import Parts


@dataclass(frozen=True, eq=False)
class Range:
    """The limits of a measure, None where it has none. Nothing holds it there: a run that leaves them says so."""

    name: str
    measure: Measure
    at_least: float | None
    at_most: float | None

    @property
    def unit(self) -> str:
        """The SI unit of its limits."""
        return self.measure.unit or measure_unit(self.measure)

    @property
    def told(self) -> str:
        """The limits in words: "-1 to 1 rad", "at most 0.04 m"."""
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        if self.at_least is None or self.at_most is None:
            word, value = ("most", self.at_most) if self.at_least is None else ("least", self.at_least)
            return f"at {word} {value:.6g}{unit}"
        return f"{self.at_least:.6g} to {self.at_most:.6g}{unit}"


class Ranges(Parts):
    """The method of Model for ranges."""

    def range(self, name: str, target: str | Measure, *, at_least: float | None = None,
              at_most: float | None = None) -> Range:
        """The limits that a coordinate such as "O.angle", or a named measure, is meant to stay in [SI]. Every run
        watches them, and its summary says where they were left; nothing is stopped there."""
        what = f"range {name!r}"
        measure = self._measure(what, target)
        if not measure.name or not self._is_channel(measure.name):
            raise ModelError(f"{what}: a measure without a name is in no result, so nobody can watch it.\n"
                             "  Name it first: model.measure('gap', ...), or take a coordinate such as 'O.angle'.")
        low, high = (_bound(what, key, value) for key, value in (("at_least", at_least), ("at_most", at_most)))
        if low is None and high is None:
            raise ModelError(f"{what}: it has no limits.\n  Give at_least=, at_most= or both.")
        if low is not None and high is not None and low > high:
            raise ModelError(f"{what}: at_least is {low:g}, which is above at_most, {high:g}.\n  Exchange them.")
        self._claim(name, "range")
        self.ranges[name] = Range(name, measure, low, high)
        return self.ranges[name]

    def _is_channel(self, name: str) -> bool:
        joint, _, coordinate = name.rpartition(".")
        return name in self.measures or (joint in self.joints and coordinate in self.joints[joint].coordinates)


def _bound(what: str, key: str, value: Any) -> float | None:
    return None if value is None else finite_number(f"{what}: {key}", value)
