"""Points picked on bodies: where a click meets a shape, key points, distances and angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.scene.meshes import Mesh
from vincolo.scene.poses import turned
from vincolo.view.live.part_values import number
from vincolo.view.live.track import Pose, Track

INK = (224, 128, 43)


@dataclass(frozen=True, eq=False)
class Spot:
    """A point on a body, in its axes [m]."""

    body: str
    point: Array

    def world(self, track: Track, pose: Pose) -> Array:
        """Where it is."""
        if self.body not in track.bodies:
            return self.point
        k = track.bodies.index(self.body)
        return np.asarray(pose.positions[k] + turned(pose.quaternions[k][None, :], self.point)[0])


def hit(mesh: Mesh, origin: Array, direction: Array) -> Array | None:
    """Where a ray first meets triangles, or None (Moeller and Trumbore 1997)."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    e1, e2 = b - a, c - a
    across = np.cross(direction, e2)
    det = (e1 * across).sum(axis=1)
    sound = np.abs(det) > 1e-15 * max(float(np.abs(det).max(initial=0.0)), 1e-300)
    inverse = 1.0 / np.where(sound, det, 1.0)
    s = origin - a
    u = (s * across).sum(axis=1) * inverse
    q = np.cross(s, e1)
    v = (q @ direction) * inverse
    far = (e2 * q).sum(axis=1) * inverse
    met = sound & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (far > 0)
    return None if not met.any() else np.asarray(origin + far[met].min() * direction)


def spot_of(body: str, mesh: Mesh, ray: tuple[Any, Any], track: Track, pose: Pose) -> Spot | None:
    """The point of a body's shape under the mouse; the ray is in world axes."""
    origin, direction = (np.asarray(part, dtype=float) for part in ray)
    if body in track.bodies:
        k = track.bodies.index(body)
        back = pose.quaternions[k][None, :] * (1.0, -1.0, -1.0, -1.0)
        origin, direction = turned(back, origin - pose.positions[k])[0], turned(back, direction)[0]
    found = hit(mesh, origin, direction)
    return None if found is None else Spot(body, found)


class Ruler:
    """Two points: their distance. Three: also the angle at the second. A fourth begins anew."""

    def __init__(self, server: Any, track: Track, size: float) -> None:
        self._server, self._track, self._size = server, track, size
        self.spots: list[Spot] = []
        self._marks: list[Any] = []
        self._line: Any = None

    def clear(self) -> None:
        """Forgets the points."""
        for handle in (*self._marks, *([self._line] if self._line is not None else [])):
            handle.remove()
        self.spots, self._marks, self._line = [], [], None

    def add(self, spot: Spot) -> None:
        """One more point."""
        if len(self.spots) == 3:
            self.clear()
        self.spots.append(spot)
        self._marks.append(self._server.scene.add_icosphere(f"/ruler/{len(self._marks)}", radius=0.008 * self._size,
                                                            color=INK, cast_shadow=False))
        if len(self.spots) > 1:
            self._line = self._server.scene.add_line_segments(
                "/ruler/line", np.zeros((len(self.spots) - 1, 2, 3)), colors=INK, line_width=2.0)

    def move(self, pose: Pose) -> None:
        """Follows the bodies."""
        places = [spot.world(self._track, pose) for spot in self.spots]
        for mark, place in zip(self._marks, places, strict=True):
            mark.position = place
        if self._line is not None:
            self._line.points = np.stack([places[:-1], places[1:]], axis=1)

    def text(self, pose: Pose) -> str:
        """What is measured now."""
        places = [spot.world(self._track, pose) for spot in self.spots]
        if len(places) < 2:
            missing = "two points" if not places else "another point"
            return f"Click on {missing}: two give a distance, three an angle."
        d = places[1] - places[0]
        told = (f"distance {number(np.linalg.norm(d))} m (x {number(d[0])}, y {number(d[1])}, z {number(d[2])})")
        if len(places) == 3:
            told += f"; angle {number(np.degrees(angle(*places)))}°"
        return told


def angle(a: Array, b: Array, c: Array) -> float:
    """The angle at b between a and c [rad]."""
    u, v = a - b, c - b
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
