"""Paths of points in space, before anything draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.plots.columns import Column, columns_of
from vincolo.plots.sheet import COLOURS, LONGEST_LABEL, Sources, axis_title, finite, shortened
from vincolo.results.columns import Series
from vincolo.results.in_units import run_of
from vincolo.results.result import Result

MOST_PATHS = 30  # in one plot
THINNEST = 0.25  # least extent of an axis, as a share of the largest; flat paths get a box with a depth
MARGIN = 1.06  # of the axes around the paths
WAY = "Name bodies or frames, as in plot3d(result, 'tip'), or three series: plot3d(result, ('a.x', 'a.y', 'a.z'))."

Point = tuple[str, str, str]  # the names of its three series
Points = str | Sequence[str | Sequence[str]]


@dataclass(frozen=True, eq=False)
class Path3:
    """The path of one point; colours and dashes are counted from 0."""

    label: str
    points: Array  # (n, 3), with gaps where numbers are not finite
    colour: str
    dash: int

    @property
    def ends(self) -> Array:
        """Its first and last point; none if it has none."""
        whole = self.points[np.isfinite(self.points).all(axis=1)]
        return whole[[0, -1]] if len(whole) else whole


@dataclass(frozen=True, eq=False)
class Space:
    """A plot in space. `limits` are the ends of its three axes, `shape` the proportions of its box, and `up` the axis
    that points up."""

    title: str
    axis_titles: tuple[str, str, str]
    paths: tuple[Path3, ...]
    limits: Array  # (3, 2)
    shape: tuple[float, float, float]
    up: str


def arrange_space(sources: Sources, points: Points, title: str) -> tuple[Space, list[Column]]:
    """The paths of points of all sources, and their numbers over time."""
    known = dict.fromkeys(key for _, source in sources for key in source.keys())  # noqa: SIM118
    chosen = points_of(points, list(known))
    units = [_units(sources, point) for point in chosen.values()]
    for name, unit in zip(chosen, units, strict=True):
        if unit != units[0]:
            raise ModelError(f"plot3d(): {name!r} is in {_told(unit)}, {next(iter(chosen))!r} in {_told(units[0])}; "
                             "they have no axes in common.\n  Draw them apart.")
    paths = _paths(sources, chosen)
    equal = len(set(units[0])) == 1 and units[0][0] != ""
    limits = _limits(np.concatenate([path.points for path in paths]), equal)
    extent = limits[:, 1] - limits[:, 0]
    shape = extent / extent.max() if equal else np.ones(3)
    names = next(iter(chosen.values())) if len(chosen) == 1 and not equal else ("x", "y", "z")
    titles = [axis_title(name, unit) for name, unit in zip(names, units[0], strict=True)]
    space = Space(title, (titles[0], titles[1], titles[2]), paths, limits,
                  (float(shape[0]), float(shape[1]), float(shape[2])), _up(sources) if equal else "z")
    return space, columns_of(sources, list(dict.fromkeys(name for point in chosen.values() for name in point)))


def points_of(points: Points, known: Sequence[str]) -> dict[str, Point]:
    """The series of each point by its label."""
    listed: list[Any] = [points] if isinstance(points, str) else list(points) if hasattr(points, "__iter__") else []
    if len(listed) == 3 and all(isinstance(name, str) and name in known for name in listed):
        listed = [listed]  # three series of one point
    found = dict(_point(point, known) for point in listed)
    if not found:
        raise ModelError(f"plot3d(): no point is named.\n  {WAY}")
    if len(found) > MOST_PATHS:
        raise ModelError(f"plot3d(): these are {len(found)} paths; at most {MOST_PATHS} are drawn.\n  Choose fewer.")
    return found


def _point(point: str | Sequence[str], known: Sequence[str]) -> tuple[str, Point]:
    if isinstance(point, str):
        names = (f"{point}.x", f"{point}.y", f"{point}.z")
        if not all(name in known for name in names):
            places = [key[:-2] for key in known if key.endswith(".z") and f"{key[:-2]}.x" in known]
            shown = ", ".join(places[:8]) + (", ..." if len(places) > 8 else "")
            raise ModelError(f"plot3d(): there is no body or frame called {point!r}.{suggest(point, places)}\n"
                             f"  Points: {shown or 'none'}.")
        return point, names
    three = tuple(point) if hasattr(point, "__iter__") else (point,)
    if len(three) != 3 or not all(isinstance(name, str) for name in three):
        raise ModelError(f"plot3d(): {point!r:.100} is not a point.\n  {WAY}")
    for name in three:
        if name not in known:
            raise ModelError(f"plot3d(): there is no series called {name!r}.{suggest(name, known)}\n  {WAY}")
    return ", ".join(three), (three[0], three[1], three[2])


def _units(sources: Sources, point: Point) -> tuple[str, ...]:
    """The units of a point's series, in the first source that has it."""
    owner = _owners(sources, point)[0][2]
    return tuple(owner.unit(name) for name in point)


def _owners(sources: Sources, point: Point) -> list[tuple[int, str, Series]]:
    found = [(n, label, source) for n, (label, source) in enumerate(sources) if set(point) <= set(source.keys())]
    if not found:
        raise ModelError(f"plot3d(): no source has all of {', '.join(point)}.\n  {WAY}")
    return found


def _told(units: Sequence[str]) -> str:
    return ", ".join(unit or "a unit that is not known" for unit in dict.fromkeys(units))


def _paths(sources: Sources, chosen: dict[str, Point]) -> tuple[Path3, ...]:
    paths = []
    for k, (name, point) in enumerate(chosen.items()):
        for n, label, source in _owners(sources, point):
            colour = n if len(chosen) == 1 else k
            full = name if len(sources) == 1 else label if len(chosen) == 1 else f"{name}, {label}"
            values = np.column_stack([finite(source[series]) for series in point])
            paths.append(Path3(shortened(full, LONGEST_LABEL), values, COLOURS[colour % len(COLOURS)],
                               n + colour // len(COLOURS)))
    return tuple(paths)


def _limits(points: Array, equal: bool) -> Array:
    """The ends of the axes, with a margin; to scale none is much shorter than the longest."""
    whole = points[np.isfinite(points).all(axis=1)]
    low, high = (whole.min(axis=0), whole.max(axis=0)) if len(whole) else (np.zeros(3), np.zeros(3))
    middle, half = (low + high) / 2, MARGIN * (high - low) / 2
    largest = float(half.max())
    least = THINNEST * largest if equal else 0.0
    half = np.maximum(half, least)
    half = np.where(half > 1e-12 * np.maximum(1.0, np.abs(middle)), half, max(largest, 0.5) if not equal else 0.5)
    return np.column_stack([middle - half, middle + half])


def _up(sources: Sources) -> str:
    """The axis against gravity in the first result; z if there is none."""
    for source in (run_of(shown) for _, shown in sources):
        if isinstance(source, Result):
            gravity = source.system.gravity
            k = int(np.argmax(np.abs(gravity)))
            return "xyz"[k] if gravity[k] < 0 else "z"
    return "z"
