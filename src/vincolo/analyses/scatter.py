"""Other positions to close from: bodies moved at random in the freedoms of the joints that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vincolo.channels.channels import rotations
from vincolo.layout import POINT, QUATERNION, of_body
from vincolo.model import Frame, Joint
from vincolo.model.geometry import Array, quaternion_of
from vincolo.state import State

AXIS = {"x": 0, "y": 1, "z": 2}
FREE = {  # axes of the first frame: rotations about them, travel along them; "any" rotation; "cross": z of both frames
    "spherical": ("any", ""), "constant_velocity": ("any", ""), "revolute": ("z", ""), "cylindrical": ("z", "z"),
    "screw": ("z", ""), "prismatic": ("", "z"), "universal": ("cross", ""), "elbow": ("cross", ""),
    "planar": ("z", "xy"), "slot": ("z", "x"), "guide": ("any", "z"), "parallel": ("z", "xyz"),
    "orientation": ("", "xyz"), "oldham": ("", "xy"), "fixed": ("", ""), "distance": ("any", ""),
    "spherical_revolute": ("any", ""), "point_on_plane": ("any", "xy")}


@dataclass(frozen=True)
class Shift:
    """A rigid motion x -> R x + d of a body from where it was, world axes."""

    R: Array
    d: Array

    def after(self, first: Shift) -> Shift:
        """This motion, done after another."""
        return Shift(self.R @ first.R, self.R @ first.d + self.d)


def turn(axis: Array, angle: float, point: Array) -> Shift:
    """A rotation about a line through a point."""
    x, y, z = axis
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R = np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across
    return Shift(R, point - R @ point)


def place(state: State, frame: Frame) -> tuple[Array, Array]:
    """World point and axes (columns) of a frame."""
    if frame.body.is_ground:
        return frame.point, frame.axes
    k = state.system.body_numbers[frame.body.name]
    s, axes = state.system.centred[k].local(frame)
    R = rotations(of_body(state.y, k)[None, QUATERNION])[0]
    return of_body(state.y, k)[POINT] + R @ s, R @ axes


def scattered(state: State, rng: np.random.Generator, spread: float, kept: Iterable[int] = ()) -> State:
    """The state with every body moved against the one before it, up to +-spread [rad, or share of its length]."""
    shifts = _shifts(state, rng, spread, set(kept))
    y = state.y.copy()
    for k, shift in shifts.items():
        of_body(y, k)[POINT] = shift.R @ of_body(y, k)[POINT] + shift.d
        of_body(y, k)[QUATERNION] = quaternion_of(shift.R @ rotations(of_body(y, k)[None, QUATERNION])[0])
    return state.with_vector(y)


def _shifts(state: State, rng: np.random.Generator, spread: float, kept: set[int]) -> dict[int, Shift]:
    """Motions of all bodies that joints connect to the ground or to kept bodies, along a random tree of joints."""
    system = state.system
    found = {k: Shift(np.eye(3), np.zeros(3)) for k in {-1, *kept}}
    joints = list(system.joints.values())
    waiting = [joints[k] for k in rng.permutation(len(joints))]
    numbers = {**system.body_numbers, "ground": -1}
    while waiting:
        ends = [(numbers[j.a.body.name], numbers[j.b.body.name]) for j in waiting]
        k = next((k for k, (a, b) in enumerate(ends) if (a in found) != (b in found)), None)
        if k is None:
            break
        joint, (a, b) = waiting.pop(k), ends[k]
        old, new = (a, b) if a in found else (b, a)
        length = spread * system.centred[new].length
        found[new] = found[old].after(_motion(state, joint, rng, spread, length))
    return {k: shift for k, shift in found.items() if k >= 0}


def _motion(state: State, joint: Joint, rng: np.random.Generator, spread: float, length: float) -> Shift:
    """A random motion that a joint allows, from where it is."""
    (p, A), (q, B) = place(state, joint.a), place(state, joint.b)
    turns, slides = FREE.get(joint.kind, ("", ""))
    shift = Shift(np.eye(3), np.zeros(3))
    if turns == "any":
        for point in (q, p) if joint.kind == "distance" else (q,):
            axis = rng.standard_normal(3)
            shift = turn(axis / np.linalg.norm(axis), spread * rng.uniform(-1, 1), point).after(shift)
    elif turns:
        for axis in (B[:, 2], A[:, 2]) if turns == "cross" else (A[:, 2],):
            shift = turn(axis, spread * rng.uniform(-1, 1), q).after(shift)
    travel = sum((A[:, AXIS[i]] * length * rng.uniform(-1, 1) for i in slides), np.zeros(3))
    return Shift(np.eye(3), travel).after(shift)
