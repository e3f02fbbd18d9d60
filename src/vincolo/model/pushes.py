"""What components of a force or torque at a frame act along, as measures: so a component that reads the mechanism is a
law like any other."""

from __future__ import annotations

from vincolo.model.body import Frame
from vincolo.model.geometry import AXES
from vincolo.model.measure import RATE, Measure, along_world, cosine, formula
from vincolo.model.sights import XYZ, spin


def pushed_along(ground: Frame, frame: Frame, axis: str, *, torque: bool, in_body_axes: bool) -> Measure:
    """The measure whose rate is the velocity [m/s] of a frame, or its angular velocity [rad/s], along an axis of the
    world or of the frame's body."""
    own = frame if frame.motion is not None else frame.body.frame(local=frame.point)
    if torque:
        return _own_spin(ground, own, axis) if in_body_axes else spin(ground, own, axis)
    if in_body_axes:
        return _own_velocity(ground, own, axis)
    return along_world(AXES[axis], ground, own)


def _own_velocity(ground: Frame, frame: Frame, axis: str) -> Measure:
    """v . e of an axis e of the frame."""
    travels = {f"r{x}": along_world(AXES[x], ground, frame) for x in XYZ}
    shares = {f"e{x}": cosine(x, axis, ground, frame) for x in XYZ}
    return formula("+".join(f"e{x}*r{x}{RATE}" for x in XYZ), **travels, **shares)


def _own_spin(ground: Frame, frame: Frame, axis: str) -> Measure:
    """w . e of an axis e of the frame: with its other two, u and v, w . e = u' . v = -v' . u."""
    u, v = XYZ[(XYZ.index(axis) + 1) % 3], XYZ[(XYZ.index(axis) + 2) % 3]
    cosines = {f"{i}{x}": cosine(x, i, ground, frame) for i in (u, v) for x in XYZ}
    return formula("+".join(f"0.5*({v}{x}*{u}{x}{RATE}-{u}{x}*{v}{x}{RATE})" for x in XYZ), **cosines)
