"""Turning parts with handles: bodies and sub-models by their orientation, joints and frames by their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, vector
from vincolo.model.rotations import Rotation
from vincolo.studio.actions import Action
from vincolo.studio.draft import Draft
from vincolo.studio.places import Place, value_at

DIGITS = 12


def turned(draft: Draft, place: Place, axis: Any, angle: Any) -> Action:
    """The action that turns a part about an axis of the world [deg]."""
    about = vector("the axis", axis)
    degrees = finite_number("the angle", angle)
    if not np.linalg.norm(about) > 0:
        raise ModelError("the axis has no direction.")
    R = np.asarray(Rotation.axis_angle(about, degrees, degrees=True).matrix)
    section, name = place[:2]
    part = value_at(draft.tree, (section, name))
    model = draft.whole().model
    if section == "bodies":
        return _change(place, "orientation", _about(R @ model.bodies[name].orientation))
    if section == "joints" and "between" not in part:
        joint = model.joints[name]
        frame = joint.a
        axes = frame.body.orientation @ frame.axes
        changes = [_change(place, "axis", _rounded(R @ axes[:, 2]))] if "axis" in part else []
        if "axis2" in part:
            other = joint.b.body.orientation @ joint.b.axes
            changes.append(_change(place, "axis2", _rounded(R @ other[:, 2])))
        if changes:
            return {"do": "all", "title": f"turn {name}", "actions": changes}
    if section == "frames" and "axes" not in part:
        frame = model.frames[name]
        axes = R @ frame.body.orientation @ frame.axes
        return {"do": "all", "title": f"turn {name}", "actions": [
            _change(place, "z", _rounded(axes[:, 2])), _change(place, "x", _rounded(axes[:, 0]))]}
    raise ModelError(f"{name!r} has no axes that can be turned.")


def _change(place: Place, key: str, value: Any) -> Action:
    return {"do": "change", "at": [*place[:2], key], "value": value}


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
