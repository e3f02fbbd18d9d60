"""Moving and turning parts with handles; what sits on a body goes along, if that is wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, vector
from vincolo.model.rotations import Rotation
from vincolo.studio.actions import Action
from vincolo.studio.draft import Draft
from vincolo.studio.places import Place, Tree, has, value_at

DIGITS = 12
#: places of a joint, with the bodies that they belong to
PLACES = {"at": "ab", "at2": "b", "end": "b", "point": "b", "centre": "b"}
DIRECTIONS = {"axis": "ab", "axis2": "b", "along": "a", "normal": "a", "axle": "b"}


@dataclass
class Motion:
    """What a handle does: a turn R about a point, then a shift; the changes that it makes, and what stays behind."""

    R: Array
    about: Array
    by: Array
    changes: list[Action] = field(default_factory=list)
    along: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)

    def place(self, p: Array) -> Array:
        """Where a point of the world goes."""
        return self.about + self.R @ (p - self.about) + self.by

    def put(self, place: Place, value: Any) -> None:
        """Notes a change; a place that is changed already, such as a point that several parts are at, stays so."""
        if not any(change["at"] == list(place) for change in self.changes):
            self.changes.append({"do": "change", "at": list(place), "value": value})

    @property
    def turns(self) -> bool:
        """Whether it turns anything."""
        return not np.array_equal(self.R, np.eye(3))

    def action(self, title: str) -> Action:
        """All of it as one."""
        return {"do": "all", "title": title, "actions": self.changes}

    def told(self) -> dict[str, list[str]]:
        """What went along and what did not, by names."""
        return {"along": list(dict.fromkeys(self.along)), "stays": list(dict.fromkeys(self.stays))}


def shifted(draft: Draft, place: Place, at: Place, value: Any, along: bool) -> Motion:
    """The motion that puts other numbers at `at`, the coordinates of a part or of the point that it is at; what sits on
    a body goes along, if that is wanted."""
    old = value_at(draft.tree, at) if has(draft.tree, at) else _drawn_at(draft, place)
    if not isinstance(value, list) or not isinstance(old, list) or len(value) != 3 or len(old) != 3:
        raise ModelError(f"{'.'.join(map(str, at))} is not three numbers that can be moved.")
    by = np.array([new - before if _is_number(new) and _is_number(before) else 0.0
                   for new, before in zip(value, old, strict=True)])
    motion = Motion(np.eye(3), np.zeros(3), by)
    if not (along and _follows_joints(draft.tree, place)):
        motion.put(at, value)
    if place[0] == "bodies":
        _take_along(draft, str(place[1]), motion, along)
    return motion


def _drawn_at(draft: Draft, place: Place) -> Any:
    """Where a body is that has no place of its own: at the origin, or where the joints of a link are."""
    if place[0] == "bodies" and _follows_joints(draft.tree, place):
        return [_number(v) for v in draft.whole().model.bodies[place[1]].at]
    return [0.0, 0.0, 0.0]


def _follows_joints(tree: Tree, place: Place) -> bool:
    """Whether a part is a link that its joints place."""
    part = value_at(tree, place[:2])
    shape = part.get("shape") if place[0] == "bodies" and isinstance(part, dict) else None
    return isinstance(shape, dict) and shape.get("kind") == "link" and "points" not in shape and "at" not in part


def turned(draft: Draft, place: Place, axis: Any, angle: Any, along: bool = False) -> Motion:
    """The motion that turns a part about an axis of the world [deg], through its own point."""
    about = vector("the axis", axis)
    degrees = finite_number("the angle", angle)
    if not np.linalg.norm(about) > 0:
        raise ModelError("the axis has no direction.")
    R = np.asarray(Rotation.axis_angle(about, degrees, degrees=True).matrix)
    section, name = place[:2]
    part, model = value_at(draft.tree, (section, name)), draft.whole().model
    motion = Motion(R, np.zeros(3), np.zeros(3))
    if section == "bodies":
        motion.about = np.asarray(model.bodies[name].at)
        motion.put((*place[:2], "orientation"), _about(R @ model.bodies[name].orientation))
        _take_along(draft, str(name), motion, along)
    elif section == "joints" and "between" not in part:
        _turn_joint(model, str(name), part, motion, DIRECTIONS)
    elif section == "frames" and "axes" not in part:
        _turn_frame(model, str(name), motion)
    if not motion.changes:
        raise ModelError(f"{name!r} has no axes that can be turned.")
    return motion


def _carried(tree: Tree, body: str) -> list[str]:
    """Frames and joints whose places are given on the body, and so go along whatever is wanted."""
    frames = tree.get("frames") or {}
    own = [name for name, part in frames.items() if part.get("on") == body and "local" in part]
    joints = [name for name, part in (tree.get("joints") or {}).items() for side in part.get("between") or ()
              if side in own or isinstance(side, dict) and side.get("on") == body and "local" in side]
    return [name for name in own if not frames[name].get("unnamed")] + joints


def _take_along(draft: Draft, body: str, motion: Motion, wanted: bool) -> None:
    """Frames on a body, and places and axes of its joints."""
    tree, model = draft.tree, draft.whole().model
    motion.along += _carried(tree, body)
    if not wanted:
        return
    for name, part in (tree.get("frames") or {}).items():
        if part.get("on") == body and "local" not in part:
            _take_place(tree, ("frames", name, "at"), name, motion)
            if motion.turns and "axes" not in part:
                _turn_frame(model, name, motion)
    for name, part in (tree.get("joints") or {}).items():
        sides = "".join(side for side in "ab" if part.get(side) == body)
        if not sides or "between" in part:
            continue
        for key, owners in PLACES.items():
            own = "a" if key == "at" and "at2" in part else owners
            if key in part and set(own) & set(sides):
                _take_place(tree, ("joints", name, key), name, motion)
        _turn_joint(model, name, part, motion, {key: owners for key, owners in DIRECTIONS.items()
                                                if set(owners) & set(sides)})


def _take_place(tree: Any, at: Place, name: str, motion: Motion) -> None:
    """A place goes along, or the point that it is at; what is a formula stays."""
    value = value_at(tree, at) if has(tree, at) else None
    if isinstance(value, str) and has(tree, ("points", value)):
        at, value = ("points", value), tree["points"][value]
    if not isinstance(value, list) or len(value) != 3:
        return
    known = [float(v) if _is_number(v) else np.nan for v in value]
    if motion.turns:
        to = motion.place(np.array(known))  # a formula makes all three unknown
    else:
        to = np.array([v + b if b else v for v, b in zip(known, motion.by, strict=True)])
    if any(np.isnan(w) and (motion.turns or b) for w, b in zip(to, motion.by, strict=True)):
        motion.stays.append(name)
        return
    motion.put(at, [v if np.isnan(w) or abs(w - v) < 1e-15 else _number(w) for v, w in zip(value, to, strict=True)])
    motion.along.append(name)


def _turn_joint(model: Model, name: str, part: Any, motion: Motion, keys: Any) -> None:
    """The axes of a joint, those that are not between points."""
    joint = model.joints[name]
    known = {"axis": joint.a, "axis2": joint.b}
    for key in keys if motion.turns else ():
        if key not in part:
            continue
        if key not in known or isinstance(part[key], str) and "->" in part[key]:
            motion.stays.append(name)
            continue
        motion.put(("joints", name, key), _rounded(motion.R @ known[key].drawn_axes[:, 2]))
        motion.along.append(name)


def _turn_frame(model: Model, name: str, motion: Motion) -> None:
    axes = motion.R @ model.frames[name].drawn_axes
    motion.put(("frames", name, "z"), _rounded(axes[:, 2]))
    motion.put(("frames", name, "x"), _rounded(axes[:, 0]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") + 0.0


def _rounded(v: Array) -> Any:
    """A direction by its letter, or three numbers."""
    unit = np.round(v / np.linalg.norm(v), DIGITS) + 0.0
    for k, letter in enumerate("xyz"):
        if abs(abs(unit[k]) - 1.0) < 1e-9:
            return letter if unit[k] > 0 else f"-{letter}"
    return unit.tolist()


def _about(R: Array) -> Any:
    """An orientation as an axis and an angle in degrees; none if it is not turned."""
    cosine = np.clip((np.trace(R) - 1.0) / 2.0, -1.0, 1.0)
    angle = float(np.degrees(np.arccos(cosine)))
    if angle < 1e-9:
        return [1.0, 0.0, 0.0, 0.0]
    if angle > 179.0:
        values, vectors = np.linalg.eigh((R + R.T) / 2.0)
        axis = vectors[:, int(np.argmax(values))]
        lean = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        axis = -axis if axis @ lean < 0 else axis
    else:
        axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return {"axis": _rounded(axis), "angle": round(angle, 9), "degrees": True}
