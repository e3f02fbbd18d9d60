"""The design loop: how metrics depend on hardpoints, many variants at once, and
points for curves that are wished for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.vehicle.curves import Curves, curves, known_metric
from vincolo.vehicle.metrics import NO_CAR, Setting
from vincolo.vehicle.rigs import rig_of
from vincolo.vehicle.suspension import Suspension

AXES = ("x", "y", "z")
STEP = 1e-5  # m; of central differences: errors of 1e-10 of a metric's curvature, rounding of 1e-11


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Slopes of metrics by coordinates of points, in SI units for each metre: slopes["left.camber", "lower_ball.z"]."""

    metrics: tuple[str, ...]
    coordinates: tuple[str, ...]
    values: Array  # (metrics, coordinates)

    def __getitem__(self, key: tuple[str, str]) -> float:
        metric, coordinate = key
        if coordinate not in self.coordinates:
            raise ModelError(f"there is no coordinate {coordinate!r}.{suggest(coordinate, self.coordinates)}")
        return float(self.values[self.metrics.index(known_metric(metric)), self.coordinates.index(coordinate)])

    def strongest(self, metric: str, count: int = 5) -> list[tuple[str, float]]:
        """The coordinates that move a metric most, with their slopes."""
        row = self.values[self.metrics.index(known_metric(metric))]
        order = np.argsort(-np.abs(np.nan_to_num(row)))[:count]
        return [(self.coordinates[k], float(row[k])) for k in order]


def coordinates_of(s: Suspension, points: Iterable[str] | None = None) -> list[str]:
    """Names of coordinates such as "lower_ball.z": of all points, or of those given (a point or one coordinate)."""
    known = [f"{role}.{axis}" for role in s.points for axis in AXES]
    if points is None:
        return known
    found: list[str] = []
    for name in points:
        own = [c for c in known if c == name or c.rpartition(".")[0] == name]
        if not own:
            raise ModelError(
                f"suspension {s.name!r} has no point {name!r}.{suggest(name, [*s.points, *known])}\n"
                f"  Points: {', '.join(s.points)}."
            )
        found += own
    return found


def shifted(s: Suspension, by: Mapping[str, float]) -> Suspension:
    """The suspension with coordinates such as "lower_ball.z" moved [m]."""
    points = {role: np.array(p, dtype=float) for role, p in s.points.items()}
    for name, value in by.items():
        role, _, axis = coordinates_of(s, [name])[0].rpartition(".")
        points[role][AXES.index(axis)] += value
    return replace(s, points=points)


def sensitivities(
    s: Suspension,
    metrics: Sequence[str],
    points: Iterable[str] | None = None,
    *,
    rig: str = "parallel",
    at: float = 0.0,
    car: Setting = NO_CAR,
) -> Sensitivities:
    """Slopes of metrics by coordinates of hardpoints at a place of a rig, by central differences of
    new kinematics; steps of 0.01 mm."""
    rig_of(rig)
    names, chosen = tuple(known_metric(m) for m in metrics), coordinates_of(s, points)
    low, high = min(at, 0.0) - 1e-3, max(at, 0.0) + 1e-3

    def values(coordinate: str, step: float) -> Array:
        found = curves(shifted(s, {coordinate: step}), rig, low, high, 3 if at == 0 else 41, car=car, wanted=names)
        return np.array([found.at(name, at) for name in names])

    columns = [(values(c, STEP) - values(c, -STEP)) / (2 * STEP) for c in chosen]
    return Sensitivities(names, tuple(chosen), np.array(columns).T.reshape(len(names), len(chosen)))


def variants(
    s: Suspension,
    changes: Sequence[Mapping[str, float]],
    metrics: Sequence[str],
    *,
    rig: str = "parallel",
    low: float = -0.03,
    high: float = 0.03,
    count: int = 5,
    car: Setting = NO_CAR,
) -> Array:
    """Metrics of many variants: an array (variants, metrics, positions); NaN where a variant does not go."""
    names = [known_metric(m) for m in metrics]
    found = np.full((len(changes), len(names), count), np.nan)
    for k, change in enumerate(changes):
        one = curves(shifted(s, change), rig, low, high, count, car=car, wanted=names)
        for m, name in enumerate(names):
            found[k, m, : len(one.x)] = one[name]
    return found


@dataclass(frozen=True)
class Goal:
    """A curve that is wished for: values (SI) of a metric at places x of a rig; weight over its usual size."""

    metric: str
    values: Any
    x: Any = (0.0,)
    rig: str = "parallel"
    weight: float = 1.0

    def __post_init__(self) -> None:
        known_metric(self.metric)
        rig_of(self.rig)
        places, values = (
            np.atleast_1d(np.asarray(self.x, dtype=float)),
            np.atleast_1d(np.asarray(self.values, dtype=float)),
        )
        if (
            places.shape != values.shape
            or places.ndim != 1
            or not (np.isfinite(places).all() and np.isfinite(values).all())
        ):
            raise ModelError(
                f"goal of {self.metric!r}: x and values must be finite and of one length; they have "
                f"{places.size} and {values.size}."
            )
        object.__setattr__(self, "x", places)
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, eq=False)
class Found:
    """Points that an optimiser found: the suspension, by how much coordinates moved
    [m], and what is left of the goals."""

    suspension: Suspension
    moved: dict[str, float]
    before: float
    after: float
    evaluations: int
    message: str

    def __str__(self) -> str:
        lines = [
            f"sum of squares from {self.before:.4g} to {self.after:.4g} in {self.evaluations} evaluations: "
            f"{self.message}"
        ]
        return "\n".join([*lines, *(f"  {name} {1e3 * by:+.3f} mm" for name, by in self.moved.items())])


def optimise(
    s: Suspension,
    goals: Sequence[Goal],
    bounds: Mapping[str, float | tuple[float, float]],
    *,
    car: Setting = NO_CAR,
    most: int = 60,
) -> Found:
    """Moves coordinates within bounds [m] about where they are (a point "tie_inner", or one coordinate
    "tie_inner.z") so that curves come as near to the goals as they can: least squares, each goal over the largest of
    its values or 0.1 deg, 1 mm, 1 %."""
    from scipy.optimize import least_squares

    if not goals or not bounds:
        raise ModelError("optimise(): give at least one goal, and bounds of at least one point.")
    limits: dict[str, tuple[float, float]] = {}
    for name, given in bounds.items():
        ends = (-given, given) if isinstance(given, int | float) else given
        low, high = (finite_number(f"optimise(): bounds of {name!r}", v) for v in ends)
        if not low <= 0 <= high or low == high:
            raise ModelError(f"optimise(): bounds of {name!r} are {low:g} to {high:g} m; they hold 0 and are apart.")
        limits |= dict.fromkeys(coordinates_of(s, [name]), (low, high))
    names = list(limits)

    def residuals(q: Array) -> Array:
        return _residuals(shifted(s, dict(zip(names, q.tolist(), strict=True))), goals, car)

    start = np.zeros(len(names))
    before = residuals(start)
    found = least_squares(
        residuals, start, bounds=np.array(list(limits.values())).T, diff_step=1e-4, x_scale=1e-3, max_nfev=most
    )
    moved = {n: float(v) for n, v in zip(names, found.x, strict=True)}
    return Found(
        shifted(s, moved), moved, float(before @ before), float(2 * found.cost), int(found.nfev), str(found.message)
    )


_SIZES = {"rad": np.radians(0.1), "m": 1e-3, "rad/m": np.radians(1.0), "%": 1.0, "": 0.01}


def _residuals(s: Suspension, goals: Sequence[Goal], car: Setting) -> Array:
    """What is left of all goals; where a suspension does not go, as much as ten times the size."""
    parts, made = [], dict[tuple[str, float, float], Curves]()
    for goal in goals:
        low, high = min(-1e-3, float(goal.x.min())), max(1e-3, float(goal.x.max()))
        key = goal.rig, low, high
        if key not in made:
            made[key] = curves(s, goal.rig, low, high, 21, car=car, wanted=[g.metric for g in goals])
        found = made[key]
        size = max(float(np.abs(goal.values).max()), _SIZES.get(found.unit(goal.metric), 1.0))
        reached = (goal.x >= found.x[0] - 1e-12) & (goal.x <= found.x[-1] + 1e-12)
        left = (np.interp(goal.x, found.x, found[goal.metric]) - goal.values) / size
        parts.append(goal.weight * np.where(reached & np.isfinite(left), left, 10.0))
    return np.concatenate(parts)
