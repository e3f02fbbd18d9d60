"""The largest and smallest values of a run, and when they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vincolo.model.geometry import Array
from vincolo.report.elements import DASH, Safe, element, joined, number, table, unit
from vincolo.results.in_units import InUnits
from vincolo.results.sharing import shared_reactions
from vincolo.units import rounding as told_as_zero

if TYPE_CHECKING:
    from vincolo.results.result import Result

ROUNDING = 1e-10  # of the largest value; what is less is shown as zero


@dataclass(frozen=True)
class Peak:
    """The largest force [N] and torque [N m] of a joint, and their times [s]."""

    joint: str
    force: float
    force_at: float
    torque: float
    torque_at: float


def extremes(result: Result) -> Safe:
    """Tables of reactions, forces of springs, drives, ranges of coordinates, and how fast bodies are."""
    return joined([reactions(result), forces(result), drives(result), coordinates(result), bodies(result)])


def peak(values: Array) -> int | None:
    """The sample of the largest value; none if no value is finite."""
    whole = np.isfinite(values)
    return int(np.argmax(np.where(whole, values, -np.inf))) if whole.any() else None


def reaction_peaks(result: Result) -> list[Peak]:
    """The largest force and torque of each joint; nan if none is finite."""
    found = []
    for joint in result.system.joints:
        row: list[float] = []
        for field in ("force", "torque"):
            values = np.linalg.norm(getattr(result.reaction(joint), field), axis=1)
            k = peak(values)
            row += [float("nan")] * 2 if k is None else [float(values[k]), float(result.t[k])]
        found.append(Peak(joint, row[0], row[1], row[2], row[3]))
    return found


def largest(peaks: Sequence[Peak]) -> tuple[float, float]:
    """The largest force and the largest torque of all joints."""
    force = max((p.force for p in peaks if np.isfinite(p.force)), default=0.0)
    return force, max((p.torque for p in peaks if np.isfinite(p.torque)), default=0.0)


def rounding(result: Result, peaks: Sequence[Peak]) -> tuple[float, float]:
    """Forces and torques below these are nothing but rounding of the others."""
    force, torque = largest(peaks)
    points = np.array([frame.drawn_point for j in result.system.joints.values() for frame in (j.a, j.b)]).reshape(-1, 3)
    size = max(float(np.ptp(points, axis=0).max()), 1e-3) if len(points) else 1.0
    return ROUNDING * max(force, torque / size), ROUNDING * max(torque, force * size)


def reactions(result: Result) -> Safe:
    """Largest force and torque of every joint on its second body, at the joint."""
    peaks = reaction_peaks(result)
    most, least = largest(peaks), rounding(result, peaks)
    rows, shared = [], shared_reactions(result)
    for p in peaks:
        rows.append([p.joint, result.system.joints[p.joint].kind.replace("_", " "),
                     *_peak_cells(p.force, p.force_at, most[0], least[0]),
                     *_peak_cells(p.torque, p.torque_at, most[1], least[1]),
                     _uniqueness(shared.get(p.joint, ""))])
    return table(["joint", "kind", "max. force [N]", "at t [s]", "max. torque [N·m]", "at t [s]", "reaction"], rows,
                 "llrrrrl", "Reactions: largest magnitudes on the second body, at the joint. Those of shared joints "
                 "are not unique in the components named; the least forces are given.")


def _uniqueness(shared: str) -> object:
    return joined([element("span", "shared", class_="tag note"), f" {shared}"]) if shared else "unique"


def _peak_cells(value: float, at: float, most: float, least: float) -> list[object]:
    """A value with a bar, and its time; zero if it is rounding."""
    if not value > least:
        return [Safe(DASH) if np.isnan(value) else number(0.0), Safe(DASH)]
    return [(number(value), value / most), number(at)]


def _range_rows(result: Result, named: Sequence[tuple[str, str]]) -> list[list[object]]:
    """Least and greatest value of series by title, each with its time, and the unit; zero where it is rounding beside
    the others in the same unit."""
    shown = result.in_units()
    least = told_as_zero((shown.unit(name), shown[name].tolist()) for _, name in named)
    return [_range_row(shown, title, name, least[shown.unit(name)]) for title, name in named]


def _range_row(shown: InUnits, title: str, name: str, least: float) -> list[object]:
    values, own = shown[name], unit(shown.unit(name))
    ends = peak(-values), peak(values)
    cells = [cell for k in ends for cell in _value_cells(float("nan") if k is None else float(values[k]), shown.t, k,
                                                         least)]
    return [title, *cells, own]


RANGE = ["least", "at t [s]", "greatest", "at t [s]", "unit"]


def forces(result: Result) -> Safe:
    """Extreme forces and lengths of springs, dampers and force laws."""
    rows = []
    for name in [*result.model.springs, *result.model.laws]:
        if name in result.system.laws:
            rows.append((f"{name}, force", f"{name}.force"))
            own = f"{name}.length" if name in result.model.springs else f"{name}.value"
            if own in result.system.quantities:
                word = "length" if name in result.model.springs else "value"
                rows.append((f"{name}, {word}", own))
    return table(["spring or law", *RANGE], _range_rows(result, rows), "lrrrrl", "Springs, dampers and force laws.")


def drives(result: Result) -> Safe:
    """Extreme forces and powers of drives, and powers of loads."""
    rows = []
    for name, held in result.system.holds.items():
        rows.append((f"{name}, {'force' if held.drive else 'holding force'}", f"{name}.force"))
        rows.append((f"{name}, power", f"{name}.power"))
    rows += [(f"{name}, power", f"{name}.power") for name in result.system.loads]
    return table(["drive or load", *RANGE], _range_rows(result, rows), "lrrrrl", "Drives and loads: force or torque "
                 "along the driven measure, and power into the mechanism.")


def coordinates(result: Result) -> Safe:
    """Range and fastest rate of joint coordinates and measures."""
    known, shown, names = frozenset(result.keys()), result.in_units(), coordinate_names(result)
    rates = [f"{name}.rate" for name in names if f"{name}.rate" in known]
    least = told_as_zero((shown.unit(rate), shown[rate].tolist()) for rate in rates)
    rows = []
    for name, row in zip(names, _range_rows(result, [(name, name) for name in names]), strict=True):
        rate = f"{name}.rate"
        fastest = np.abs(shown[rate]) if rate in known else np.zeros(0)
        k = peak(fastest)
        told = "" if k is None else joined([_value_cells(float(fastest[k]), shown.t, k, least[shown.unit(rate)])[0],
                                            f"\N{NO-BREAK SPACE}{unit(shown.unit(rate))}"])
        rows.append([*row, told])
    return table(["coordinate", *RANGE, "fastest rate"], rows, "lrrrrlr", "Motion in the joints and measures.")


def bodies(result: Result) -> Safe:
    """Largest speed, acceleration and angular velocity of every body, in the units that are shown."""
    names, shown, heads, columns = list(result.system.body_numbers), result.in_units(), ["body"], []
    for field, title in (("v", "speed"), ("a", "acceleration"), ("w", "angular velocity")):
        sizes = [np.sqrt(sum(shown[f"{name}.{field}{axis}"] ** 2 for axis in "xyz")) for name in names]
        peaks = [peak(size) for size in sizes]
        values = [float("nan") if k is None else float(size[k]) for size, k in zip(sizes, peaks, strict=True)]
        least = told_as_zero([("", values)])[""]
        columns.append([_value_cells(value, result.t, k, least) for value, k in zip(values, peaks, strict=True)])
        heads += [f"max. {title} [{unit(shown.unit(f'{names[0]}.{field}x'))}]" if names else title, "at t [s]"]
    rows = [[name, *(cell for column in columns for cell in column[n])] for n, name in enumerate(names)]
    return table(heads, rows, "lrrrrrr", "Motion of bodies: largest magnitudes at their origins.")


def _value_cells(value: float, t: Array, k: int | None, least: float) -> list[object]:
    """A value and its time; zero if it is rounding."""
    if k is None or not abs(value) > least:
        return [number(None if k is None else 0.0), Safe(DASH)]
    return [number(value), number(float(t[k]))]


def coordinate_names(result: Result) -> list[str]:
    """Names of all joint coordinates and of measures that users named."""
    known = result.system.quantities
    own = [m.name or "" for joint in result.system.joints.values() for m in joint.coordinates.values()]
    return [name for name in dict.fromkeys([*own, *result.model.measures]) if name in known]
