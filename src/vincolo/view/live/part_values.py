"""Parts of a model as a viewer reads them: names, kinds, and rows of values with units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.channels.channels import Motion
from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.results.result import Result

XYZ = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Row:
    """A value over time: one number, or three along the world's axes."""

    title: str
    unit: str
    series: Callable[[Result], Array]  # (n,) or (n, 3)
    vector: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """Something that can be chosen: its rows, and the point whose path can be drawn."""

    name: str
    kind: str
    rows: tuple[Row, ...]
    path: Callable[[Result], Array] | None = None

    @property
    def title(self) -> str:
        """As it stands in lists."""
        return f"{self.name} ({self.kind})"


def parts_of(result: Result) -> list[Part]:
    """All parts of a result's system that have values."""
    s = result.system
    found = [_moving(name, "body", _at_centre(name)) for name in s.body_numbers]
    found += [_joint(result, name) for name in s.joints]
    found += [_scalars(result, name, "force" if name not in _springs(result) else "spring") for name in s.laws]
    found += [_scalars(result, name, "drive" if held.drive else "held") for name, held in s.holds.items()]
    found += [_scalars(result, name, "rotor") for name in s.model.rotors]
    found += [_scalars(result, name, "load") for name in s.loads]
    found += [_moving(name, "frame", _of_frame(frame)) for name, frame in s.frames.items()]
    return [part for part in found if part.rows]


def key_point(name: str, body: str, point: Array) -> Part:
    """A point on a body, given in its axes, that was defined on the spot."""

    def motion(result: Result) -> Motion:
        number = result.system.body_of(body)
        return result.channels.motion(number, point - result.system.centred[number].body.com)

    return _moving(name, f"point on {body}", motion)


def _springs(result: Result) -> Sequence[str]:
    return () if result.model is None else tuple(result.model.springs)


def _at_centre(name: str) -> Callable[[Result], Motion]:
    return lambda result: result.channels.motion(result.system.body_of(name), np.zeros(3))


def _of_frame(frame: Frame) -> Callable[[Result], Motion]:
    return lambda result: result.channels.frame_motion(frame)


def _moving(name: str, kind: str, motion: Callable[[Result], Motion]) -> Part:
    """Rows of a point: of a body, its centre of mass."""
    where = "mass centre" if kind == "body" else "position"
    table = ((where, "m", "position"), ("velocity", "m/s", "velocity"), ("acceleration", "m/s^2", "acceleration"),
             ("angular velocity", "rad/s", "angular_velocity"),
             ("angular acceleration", "rad/s^2", "angular_acceleration"))
    kept = table if kind == "body" else table[:3]
    rows = tuple(Row(title, unit, _field(motion, field), True) for title, unit, field in kept)
    return Part(name, kind, rows, lambda result: motion(result).position)


def _field(motion: Callable[[Result], Motion], name: str) -> Callable[[Result], Array]:
    return lambda result: np.asarray(getattr(motion(result), name))


def _joint(result: Result, name: str) -> Part:
    joint = result.system.joints[name]
    rows = list(_scalars(result, name, "joint").rows)
    known = set(result.keys())
    for field, unit in (("force", "N"), ("torque", "N m")):
        if f"{name}.reaction.{field}.x" in known:
            names = [f"{name}.reaction.{field}.{axis}" for axis in XYZ]
            rows.append(Row(f"reaction {field}", unit, _columns(names), True))
    return Part(name, f"{joint.kind.replace('_', ' ')} joint", tuple(rows))


def _columns(names: list[str]) -> Callable[[Result], Array]:
    return lambda result: np.column_stack([result[name] for name in names])


def _scalars(result: Result, name: str, kind: str) -> Part:
    """Channels that are one number: coordinates, lengths, forces, powers."""
    other = [f"{n}." for n in result.system.body_numbers if n.startswith(f"{name}.")]
    known = result.keys()
    names = [key for key in known if key.startswith(f"{name}.") and ".reaction." not in key
             and not key.startswith(tuple(other))]
    rows = [Row(key.removeprefix(f"{name}."), result.unit(key), _one(key)) for key in names]
    return Part(name, kind, tuple(rows))


def _one(name: str) -> Callable[[Result], Array]:
    return lambda result: result[name]


def number(value: Any) -> str:
    """A number as it is shown."""
    v = float(value)
    return "not finite" if not np.isfinite(v) else f"{0.0 if abs(v) < 5e-13 else v:.6g}"
