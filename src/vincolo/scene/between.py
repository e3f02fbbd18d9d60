"""Places between the samples of a motion, and places as another body sees them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array, quaternion_of
from vincolo.scene.poses import Poses, stretched
from vincolo.scene.scene import Scene

if TYPE_CHECKING:
    from vincolo.model import Model


def between(poses: Poses, scene: Scene, times: Array) -> Poses:
    """Places at any times of a motion: positions along straight lines, turns by slerp between the samples around."""
    t = np.asarray(times, dtype=float)
    after = np.clip(np.searchsorted(poses.t, t, side="right"), 1, max(len(poses) - 1, 1))
    before, after = after - 1, np.minimum(after, len(poses) - 1)
    gap = poses.t[after] - poses.t[before]
    share = np.clip((t - poses.t[before]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    positions = {name: p[before] + share[:, None] * (p[after] - p[before]) for name, p in poses.positions.items()}
    quaternions = {name: slerp(q[before], q[after], share) for name, q in poses.quaternions.items()}
    links = {link.name: stretched(link, t, positions, quaternions) for link in scene.links}
    return Poses(t, positions, quaternions, links)


def slerp(a: Array, b: Array, share: Array) -> Array:
    """Turns that lead evenly from quaternions a to b (n, 4), the short way."""
    dot = (a * b).sum(axis=1)
    b = np.where(dot[:, None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    near = np.sin(angle) < 1e-6
    sine = np.where(near, 1.0, np.sin(angle))
    first = np.where(near, 1 - share, np.sin((1 - share) * angle) / sine)
    second = np.where(near, share, np.sin(share * angle) / sine)
    mixed = first[:, None] * a + second[:, None] * b
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))


def seen_from(poses: Poses, body: str) -> Poses:
    """The motion as it looks to somebody who travels with a body without turning, from where the body begins."""
    if body not in poses.positions:
        known = [name for name in poses.positions if name != "ground"]
        raise ModelError(f"follow: there is no body called {body!r}.{suggest(str(body), known)}\n"
                         f"  Bodies: {', '.join(known[:12]) or 'none'}{', ...' if len(known) > 12 else ''}.")
    away = poses.positions[body] - poses.positions[body][0]
    return replace(poses, positions={name: p - away for name, p in poses.positions.items()},
                   links={name: (a - away, q, length) for name, (a, q, length) in poses.links.items()})


def as_drawn(model: Model, scene: Scene) -> Poses:
    """The places in which the bodies of a model are drawn."""
    positions = {"ground": np.zeros((1, 3)), **{n: b.at[None, :] for n, b in model.bodies.items()}}
    quaternions = {"ground": np.array([[1.0, 0.0, 0.0, 0.0]])}
    quaternions |= {n: np.asarray(quaternion_of(b.orientation))[None, :] for n, b in model.bodies.items()}
    return Poses(np.zeros(1), positions, quaternions,
                 {link.name: stretched(link, np.zeros(1), positions, quaternions) for link in scene.links})
