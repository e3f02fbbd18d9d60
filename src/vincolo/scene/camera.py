"""Where a scene is looked at from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.scene.poses import Poses, points_of, turned
from vincolo.scene.scene import Scene

#: directions from the scene to the eye, in axes right, ahead, up
VIEWS = {"iso": (0.7, -1.6, 0.7), "front": (0.0, -1.0, 0.0), "back": (0.0, 1.0, 0.0), "left": (-1.0, 0.0, 0.0),
         "right": (1.0, 0.0, 0.0), "top": (0.0, 0.0, 1.0), "bottom": (0.0, 0.0, -1.0)}


ANGLE = 0.5  # rad, of the opening


@dataclass(frozen=True, eq=False)
class Camera:
    """The eye, what it looks at, which way is up, and the opening angle [rad]; zero is a parallel projection, whose
    height [m] is that of the picture."""

    eye: Array
    target: Array
    up: Array
    angle: float = ANGLE
    height: float = 1.0

    @property
    def axes(self) -> Array:
        """Rows: to the right, up, and towards the eye."""
        back = self.eye - self.target
        back = back / np.linalg.norm(back)
        right = np.cross(self.up, back)
        if np.linalg.norm(right) < 1e-6:
            right = np.cross((0.0, 1.0, 0.0) if abs(back[1]) < 0.9 else (1.0, 0.0, 0.0), back)
        right = right / np.linalg.norm(right)
        return np.array([right, np.cross(back, right), back])

    def project(self, points: Array) -> tuple[Array, Array]:
        """Places in the picture, from -1 to 1 in its height, and depths towards the eye [m]."""
        seen = (points - self.eye) @ self.axes.T
        depth = seen[:, 2]
        if self.angle <= 0:
            return seen[:, :2] / (self.height / 2), depth
        near = np.maximum(-depth, 1e-3 * float(np.linalg.norm(self.eye - self.target)))
        return seen[:, :2] / (np.tan(self.angle / 2) * near)[:, None], depth


def cloud_of(scene: Scene, poses: Poses) -> Array:
    """Corners of what is seen, at some samples of a motion; parts that fly far away do not count."""
    chosen = np.unique(np.linspace(0, len(poses) - 1, 12).astype(int))
    found = []
    for item in scene.items:
        v = item.mesh.vertices
        low, high = v.min(axis=0), v.max(axis=0)
        corners = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]]
                            for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        for n in chosen:
            q = np.broadcast_to(poses.quaternions[item.body][n], (8, 4))
            found.append(turned(q, corners) + poses.positions[item.body][n])
    for link in scene.links:
        found += [points_of(f, poses.t, poses.positions, poses.quaternions)[chosen] for f in (link.a, link.b)]
    cloud = np.concatenate(found) if found else scene.centre[None, :]
    reach = np.linalg.norm(cloud - scene.centre, axis=1)
    return np.asarray(cloud[reach <= max(3 * scene.size, float(np.quantile(reach, 0.8)))])


def camera_of(scene: Scene, poses: Poses, view: str = "iso", parallel: bool = False,
              wide: float = 1.5) -> Camera:
    """A camera that sees all of a motion in a picture `wide` times as wide as high."""
    if view not in VIEWS:
        raise ModelError(f"there is no view {view!r}.{suggest(str(view), VIEWS)}\n  Views: {', '.join(VIEWS)}.")
    cloud = cloud_of(scene, poses)
    across = natural_axes(scene, cloud)
    direction = across @ np.array(VIEWS[view])
    direction = direction / np.linalg.norm(direction)
    up = across[:, 1] if view in ("top", "bottom") else across[:, 2]
    return _fitted(cloud, direction, up, parallel, wide)


def _fitted(cloud: Array, direction: Array, up: Array, parallel: bool, wide: float) -> Camera:
    """The nearest camera in a direction that sees all points, with a margin."""
    middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
    axes = Camera(middle + direction, middle, up).axes
    seen = (cloud - middle) @ axes.T
    shift = (seen[:, :2].min(axis=0) + seen[:, :2].max(axis=0)) / 2
    target = middle + shift @ axes[:2]
    seen = (cloud - target) @ axes.T
    half = np.maximum(np.abs(seen[:, 1]), np.abs(seen[:, 0]) / wide)
    if parallel:
        return Camera(target + 4 * (float(np.ptp(cloud, axis=0).max()) + 1e-9) * direction, target, up, 0.0,
                      2.2 * max(float(half.max()), 1e-9))
    distance = float((half / np.tan(ANGLE / 2) + seen[:, 2]).max())
    return Camera(target + 1.08 * max(distance, 1e-9) * direction, target, up, ANGLE)


def natural_axes(scene: Scene, cloud: Array) -> Array:
    """Columns right, ahead and up. Up is against gravity; ahead is where a mechanism extends least, so that planar ones
    are seen from the front. A planar one without gravity stands upright in its plane."""
    spread = cloud - cloud.mean(axis=0)
    _, sizes, rows = np.linalg.svd(np.vstack([spread, 1e-12 * np.eye(3)]), full_matrices=False)
    up = scene.up
    if scene.weightless and sizes[2] < 0.3 * sizes[1]:
        normal = np.eye(3)[np.argmax(np.abs(rows[2]))] if np.abs(rows[2]).max() > 0.9 else rows[2]
        up = next(a for a in np.eye(3)[[2, 1, 0]] if abs(a @ normal) < 0.9)
        ahead = -normal if normal.sum() > 0 else normal
        up = up - ahead * (up @ ahead)
        up = up / np.linalg.norm(up)
        return np.column_stack([np.cross(ahead, up), ahead, up])
    flat = spread - np.outer(spread @ up, up)
    _, spans, rows = np.linalg.svd(np.vstack([flat, 1e-12 * np.eye(3)]), full_matrices=False)
    right = rows[0] - up * (rows[0] @ up)
    if spans[0] - spans[1] < 1e-6 * spans[0] or np.linalg.norm(right) < 1e-6:  # as wide as deep
        right = np.cross((0.0, 1.0, 0.0), up) if abs(up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    right = right / np.linalg.norm(right)
    nearest = np.argmax(np.abs(right))
    if abs(right[nearest]) > 0.8:  # along a world axis if it nearly is
        right = np.eye(3)[nearest] - up * up[nearest]
        right = right / np.linalg.norm(right)
    right = right if right[np.argmax(np.abs(right))] > 0 else -right
    return np.column_stack([right, np.cross(up, right), up])
