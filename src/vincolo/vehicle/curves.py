"""Curves of a suspension: its metrics along the standard rigs, as series, tables and
files, with limits that are checked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.model.geometry import Array
from vincolo.units import rounding, told
from vincolo.vehicle.compliance import elastic
from vincolo.vehicle.metrics import BUSHED, NO_CAR, OF_AXLES, OF_SIDES, SPRUNG, UNITS, Setting, metrics, plain_names
from vincolo.vehicle.rigs import RIGS, Sweep, rig_of, sweep
from vincolo.vehicle.suspension import Suspension

#: how metrics are shown: the unit and what SI is multiplied by
SHOWN = {
    "rad": ("deg", 180 / np.pi),
    "m": ("mm", 1e3),
    "rad/m": ("deg/m", 180 / np.pi),
    "N/m": ("N/mm", 1e-3),
    "N m/rad": ("N m/deg", np.pi / 180),
    "rad/N": ("deg/kN", 1e3 * 180 / np.pi),
    "rad/(N m)": ("deg/(kN m)", 1e3 * 180 / np.pi),
    "m/N": ("mm/kN", 1e6),
}
#: standard ranges: travel and rack [m], roll [rad]
RANGES = {
    "parallel": (-0.03, 0.03),
    "opposite": (-0.03, 0.03),
    "single": (-0.03, 0.03),
    "roll": (-0.05, 0.05),
    "steer": (-0.03, 0.03),
}


@dataclass(frozen=True, eq=False)
class Curves:
    """Metrics of a suspension along a rig, in SI units: curves["left.camber"] over curves.x."""

    sweep: Sweep
    series: dict[str, Array]
    notes: tuple[str, ...] = ()

    @property
    def suspension(self) -> Suspension:
        """Whose curves they are."""
        return self.sweep.axle.suspension

    @property
    def rig(self) -> str:
        """The rig."""
        return self.sweep.rig

    @property
    def x(self) -> Array:
        """Travel or place of the rack [m], or roll [rad]."""
        return self.sweep.x

    @property
    def coordinate(self) -> str:
        """What x is."""
        return RIGS[self.rig].coordinate

    def keys(self) -> list[str]:
        """Names of all metrics."""
        return list(self.series)

    def __iter__(self) -> Iterator[str]:
        return iter(self.series)

    def __getitem__(self, name: str) -> Array:
        return self.series[known_metric(name, self.series)]

    def at(self, name: str, x: float = 0.0) -> float:
        """A metric at a place of the path, between its positions in straight lines."""
        return float(np.interp(x, self.x, self[name]))

    @staticmethod
    def unit(name: str) -> str:
        """The SI unit of a metric."""
        return UNITS.get(name.rpartition(".")[2], RIGS[name].unit if name in RIGS else "")

    def shown(self, name: str) -> tuple[Array, str]:
        """A metric in the unit in which it is usually read (deg, mm, N/mm), and that unit."""
        values = self.x if name == self.coordinate else self[name]
        unit = RIGS[self.rig].unit if name == self.coordinate else self.unit(name)
        to, factor = SHOWN.get(unit, (unit, 1.0))
        return values * factor, to

    def rows(self, names: Sequence[str] | None = None) -> tuple[list[str], Array]:
        """Headings with units, and a row for each position."""
        chosen = [self.coordinate, *(self.keys() if names is None else [known_metric(n, self.series) for n in names])]
        columns = [self.shown(name) for name in chosen]
        return (
            [f"{name} [{unit}]" if unit else name for name, (_, unit) in zip(chosen, columns, strict=True)],
            np.stack([values for values, _ in columns], axis=1),
        )

    def to_csv(self, path: str | os.PathLike[str], names: Sequence[str] | None = None) -> Path:
        """Writes metrics as a table, in usual units."""
        headings, rows = self.rows(names)
        lines = [",".join(headings), *(",".join("" if np.isnan(v) else f"{v:.10g}" for v in row) for row in rows)]
        target = Path(path)
        with appearing("to_csv()", target) as file:
            file.write(("\n".join(lines) + "\n").encode())
        return target

    def __str__(self) -> str:
        names = [n for n in self.keys() if not n.startswith("right.") and not np.isnan(self[n]).all()]
        places = [0, int(np.argmin(np.abs(self.x))), len(self.x) - 1]
        x, unit = self.shown(self.coordinate)
        head = f"{self.suspension.name} suspension ({self.suspension.kind}), rig {self.rig}: {RIGS[self.rig].about}"
        lines = [head, f"  {self.coordinate + f' [{unit}]':28s}" + "".join(f"{x[k]:12.4g}" for k in places)]
        rows = {name: self.shown(name) for name in names}
        least = rounding((unit or name, values.tolist()) for name, (values, unit) in rows.items())
        for name, (values, unit) in rows.items():
            numbers = "".join(f"{told(values[k], least[unit or name]):>12}" for k in places)
            lines.append(f"  {name + (f' [{unit}]' if unit else ''):28s}{numbers}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def known_metric(name: str, known: Mapping[str, Any] | None = None) -> str:
    """The name of a metric, or an error with the nearest one."""
    if known is not None and name in known:
        return name
    names = (
        list(known)
        if known is not None
        else [*(f"{side}.{m}" for side in ("left", "right") for m in OF_SIDES), *OF_AXLES]
    )
    if name in names:
        return name
    if name in OF_SIDES:
        return f"left.{name}"
    raise ModelError(
        f"there is no metric {name!r}.{suggest(name, [*names, *OF_SIDES])}\n"
        f"  Of sides: {', '.join(OF_SIDES)}. Of axles: {', '.join(OF_AXLES)}."
    )


def curves(
    suspension: Suspension,
    rig: str = "parallel",
    low: float | None = None,
    high: float | None = None,
    count: int = 101,
    *,
    car: Setting = NO_CAR,
    travel: float = 0.0,
    rack: float = 0.0,
    wanted: Sequence[str] | None = None,
) -> Curves:
    """All metrics of a suspension along a rig (see RIGS), at `count` positions; with `wanted` those and some others:
    where none of them is about springs or bars, only what leads the wheels is moved."""
    rig_of(rig)
    ends = RANGES[rig]
    names = None if wanted is None else plain_names(wanted)
    low, high = ends[0] if low is None else low, ends[1] if high is None else high

    def moved(s: Suspension) -> Sweep:
        return sweep(s, rig, low, high, count, travel=travel, rack=rack)

    found = moved(suspension if names is None or names & SPRUNG else suspension.bare())
    series = metrics(found, car, wanted)
    if names is None or names & BUSHED:
        series |= elastic(suspension, moved, len(found))
    return Curves(found, series, _notes(found))


def _notes(found: Sweep) -> tuple[str, ...]:
    if found.reason is None:
        return ()
    return (f"{found.reason}\n  Concerned first: {', '.join(found.roles)}.",)


def standard_curves(suspension: Suspension, *, car: Setting = NO_CAR, count: int = 101) -> dict[str, Curves]:
    """The curves of all rigs that a suspension can be put on."""
    return {rig: curves(suspension, rig, count=count, car=car) for rig in RIGS if rig != "steer" or suspension.steered}


@dataclass(frozen=True)
class Limit:
    """A metric that must stay between two values, or should be near a target (SI), along a rig."""

    metric: str
    rig: str = "parallel"
    low: float | None = None
    high: float | None = None
    target: float | None = None
    weight: float = 1.0
    name: str = ""
    suspension: str = ""

    def __post_init__(self) -> None:
        known_metric(self.metric)
        rig_of(self.rig)
        if self.low is None and self.high is None and self.target is None:
            raise ModelError(f"limit of {self.metric!r}: give low, high or target.")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ModelError(f"limit of {self.metric!r}: low is {self.low:g} and above high, {self.high:g}.")


@dataclass(frozen=True)
class Checked:
    """A limit after a look at the curves: the least and the largest value, and whether both are allowed."""

    limit: Limit
    least: float
    largest: float
    kept: bool = field(default=False)

    def __str__(self) -> str:
        unit = UNITS.get(self.limit.metric.rpartition(".")[2], "")
        to, factor = SHOWN.get(unit, (unit, 1.0))
        limit = self.limit
        wanted = " and ".join(
            f"{word} {value * factor:.4g} {to}".rstrip()
            for word, value in (("at least", limit.low), ("at most", limit.high), ("near", limit.target))
            if value is not None
        )
        numbers = [self.least, self.largest, *(v for v in (limit.low, limit.high, limit.target) if v is not None)]
        least = rounding([("", numbers)])[""]
        ends = [told(factor * v, factor * least) for v in (self.least, self.largest)]
        return (
            f"{'kept' if self.kept else 'BROKEN'}: {limit.metric} ({limit.rig}) from {ends[0]} to {ends[1]} {to}; "
            f"{wanted}"
        )


def check_limits(found: Mapping[str, Curves], limits: Sequence[Limit]) -> list[Checked]:
    """Looks at every limit; a metric that is not defined breaks its limit."""
    checked = []
    for limit in limits:
        if limit.rig not in found:
            raise ModelError(
                f"limit of {limit.metric!r}: there are no curves of the rig {limit.rig!r} here; there are: "
                f"{', '.join(found)}."
            )
        values = found[limit.rig][limit.metric]
        defined = values[np.isfinite(values)]
        least, largest = (float(defined.min()), float(defined.max())) if len(defined) else (np.nan, np.nan)
        slack = 1e-12 * max(1.0, abs(least), abs(largest))
        kept = (
            len(defined) > 0
            and (limit.low is None or least >= limit.low - slack)
            and (limit.high is None or largest <= limit.high + slack)
        )
        checked.append(Checked(limit, least, largest, bool(kept)))
    return checked
