"""Where everything of a scene is at every sample of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.channels.moving import on_body
from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.scene.scene import Link, Scene

if TYPE_CHECKING:
    from vincolo.results import Result
    from vincolo.state import State


@dataclass(frozen=True, eq=False)
class Poses:
    """Places of bodies over time: positions (n, 3) [m] and unit quaternions (n, 4), scalar first, by name; and for each
    link its first point, direction as a quaternion, and length."""

    t: Array
    positions: dict[str, Array]
    quaternions: dict[str, Array]
    links: dict[str, tuple[Array, Array, Array]]

    def __len__(self) -> int:
        return len(self.t)

    def box(self) -> tuple[Array, Array]:
        """The corners of the space that bodies move through."""
        points = np.concatenate([*self.positions.values(), np.zeros((0, 3))])
        return (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(3), np.zeros(3))


def poses_of(result: Result, scene: Scene | None, chosen: Sequence[int] | Any = None) -> Poses:
    """Places at all samples of a result, or at those chosen by number; without a scene, of bodies alone."""
    if not len(result):
        raise ModelError(f"there is nothing to show: the result has no samples.\n  {result.reason or ''}".rstrip())
    which = slice(None) if chosen is None else np.asarray(chosen)
    channels = result.channels
    names = list(result.system.body_numbers)
    positions = {"ground": np.zeros((len(result), 3))[which]}
    quaternions = {"ground": np.tile([1.0, 0.0, 0.0, 0.0], (len(result), 1))[which]}
    for name in names:
        number = result.system.body_of(name)
        positions[name] = channels.point(result.system.centred[number].body.frame())[which]
        quaternions[name] = continuous(channels.quaternions(name))[which]
    t = result.t[which]
    return Poses(t, positions, quaternions, {link.name: stretched(link, t, positions, quaternions)
                                             for link in (scene.links if scene is not None else ())})


def poses_of_state(state: State, scene: Scene) -> Poses:
    """The place of everything at one state."""
    channels = state.channels
    positions, quaternions = {"ground": np.zeros((1, 3))}, {"ground": np.array([[1.0, 0.0, 0.0, 0.0]])}
    for name in state.system.body_numbers:
        number = state.system.body_of(name)
        positions[name] = channels.point(state.system.centred[number].body.frame())
        quaternions[name] = channels.quaternions(name)
    t = np.array([state.t])
    return Poses(t, positions, quaternions, {link.name: stretched(link, t, positions, quaternions)
                                             for link in scene.links})


def continuous(q: Array) -> Array:
    """Quaternions without jumps of sign, so that they can be interpolated."""
    signs = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(q * np.concatenate([[1.0], np.cumprod(signs)])[:, None])


def turned(q: Array, v: Array) -> Array:
    """A vector turned by quaternions (n, 4)."""
    e0, e = q[:, :1], q[:, 1:]
    t = 2 * np.cross(e, np.broadcast_to(v, e.shape))
    return np.asarray(v + e0 * t + np.cross(e, t))


def points_of(frame: Frame, t: Array, positions: dict[str, Array], quaternions: dict[str, Array]) -> Array:
    """World positions of a frame's point at times t [s]."""
    name = frame.body.name
    return positions[name] + turned(quaternions[name], on_body(frame, t).point)


def stretched(link: Link, t: Array, positions: dict[str, Array],
              quaternions: dict[str, Array]) -> tuple[Array, Array, Array]:
    """First point, turn of z onto the line, and length of a link."""
    a, b = (points_of(f, t, positions, quaternions) for f in (link.a, link.b))
    d = b - a
    length = np.linalg.norm(d, axis=1)
    return a, continuous(onto(d / np.where(length > 0, length, 1.0)[:, None])), length


def onto(directions: Array) -> Array:
    """The shortest turns of the z axis onto unit vectors (n, 3), as quaternions."""
    x, y, z = directions.T
    q = np.column_stack([1.0 + z, -y, x, np.zeros_like(z)])
    opposite = z < -1 + 1e-9
    q[opposite] = (0.0, 1.0, 0.0, 0.0)
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))
