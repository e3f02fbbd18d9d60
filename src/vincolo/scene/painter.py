"""Paints scenes without a display: triangles with light, edges and a shadow on the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.ndimage import gaussian_filter, zoom

from vincolo.model.geometry import Array, matrix_of
from vincolo.optional import library
from vincolo.scene.camera import Camera, cloud_of
from vincolo.scene.poses import Poses
from vincolo.scene.raster import Seen, covered, planes_of, seen
from vincolo.scene.scene import Item, Link, Scene
from vincolo.scene.shading import brightness, surface_of

if TYPE_CHECKING:
    from vincolo.scene.overlay import Overlay

FINE = 2  # painted larger and scaled down, for smooth edges
PAPER = (250, 251, 252)
SHADOW = (214, 219, 226)
INK = 0.42  # brightness of outlines
CLEAR = 0.34  # how much of a body that encloses others is seen


@dataclass(frozen=True, eq=False)
class _Layer:
    """Triangles that are painted together: vertices belong to parts, faces have colours."""

    faces: Any
    colours: Array
    parts: Any  # of each face
    solid: Any  # of each face


@dataclass(frozen=True, eq=False)
class Depths:
    """How near what is painted is, from a corner of the picture on; minus infinity where nothing is."""

    corner: Any
    near: Array

    def at(self, flat: Array) -> Array:
        """How near it is at places (n, 2) in pixels."""
        with np.errstate(invalid="ignore"):
            x, y = np.nan_to_num(np.floor(flat - self.corner), posinf=-1, neginf=-1).clip(-1, 1e6).astype(np.int64).T
        height, width = self.near.shape
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        return np.where(inside, self.near[np.where(inside, y, 0), np.where(inside, x, 0)], -np.inf)


class Painter:
    """Paints a scene at the samples of a motion; the floor is below all of the `whole` motion, if that is longer."""

    def __init__(self, scene: Scene, poses: Poses, size: tuple[int, int] = (960, 640),
                 whole: Poses | None = None) -> None:
        self.scene, self.poses, self.size = scene, poses, size
        self._parts: list[Item | Link] = [*scene.items, *scene.links]
        self._surfaces = [surface_of(part.mesh) for part in self._parts]
        clear = np.array([isinstance(p, Item) and encloses(p, scene) for p in self._parts], dtype=bool)
        self._layers = self._layer(~clear), self._layer(clear)
        self._floor = float((cloud_of(scene, poses if whole is None else whole) @ scene.up).min())

    def _layer(self, chosen: Any) -> _Layer:
        starts = np.cumsum([0, *(len(s.vertices) for s in self._surfaces)])
        picked = np.flatnonzero(chosen)
        none = np.zeros((0, 3), dtype=np.int64)
        counts = [len(self._surfaces[k].faces) for k in picked]
        return _Layer(np.concatenate([none, *(self._surfaces[k].faces + starts[k] for k in picked)]),
                      np.repeat(np.array([self._parts[k].colour for k in picked]).reshape(-1, 3), counts, axis=0),
                      np.repeat(picked, counts),
                      np.repeat(np.array([self._surfaces[k].solid for k in picked], dtype=bool), counts))

    def paint(self, k: int, camera: Camera, overlay: Overlay | None = None) -> Any:
        """The picture of a sample, as an image of Pillow."""
        image = pillow("PIL.Image")
        canvas, depths = self._canvas(k, camera)
        if overlay is None:
            return image.fromarray(reduced(canvas))
        picture = image.fromarray(canvas)
        overlay.draw(picture, k, camera, depths, FINE)
        return picture.reduce(FINE)

    def pixels(self, k: int, camera: Camera) -> Any:
        """The picture of a sample as bytes (height, width, 3); it needs no library for pictures."""
        return reduced(self._canvas(k, camera)[0])

    def _canvas(self, k: int, camera: Camera) -> tuple[Any, Depths]:
        """The picture, larger than it will be, and how near what is painted is."""
        size = (FINE * self.size[0], FINE * self.size[1])
        vertices, normals = self._world(k)
        with np.errstate(invalid="ignore", over="ignore"):  # a run may end with numbers that are not finite
            flat, near = projected(camera, vertices, size)
        light = brightness(normals, camera.axes)
        canvas = self._paper(camera, vertices).repeat(FINE, axis=0).repeat(FINE, axis=1)
        corner, window = _window(flat, size)
        depths = Depths(corner, np.full((window[1], window[0]), -np.inf, dtype=np.float32))
        inner = canvas[corner[1]:corner[1] + window[1], corner[0]:corner[0] + window[0]]
        pixels = inner.reshape(-1, 3)
        for layer, share in zip(self._layers, (1.0, CLEAR), strict=True):
            if len(layer.faces):
                found, tints = self._painted(layer, flat - corner, near, light, window)
                _blend(pixels, depths.near.reshape(-1), found, tints, share)
        inner[:] = pixels.reshape(inner.shape)
        return canvas, depths

    def _painted(self, layer: _Layer, flat: Array, near: Array, light: Array,
                 size: tuple[int, int]) -> tuple[Seen, Any]:
        """Pixels of a layer and their colours."""
        corners, depths = flat[layer.faces], near[layer.faces]
        shown = np.flatnonzero(~(faces_away(corners) & layer.solid))
        found = seen(corners[shown], depths[shown], size)
        which = shown[found.triangles]
        shade = _between_corners(corners, light[layer.faces], which, found.pixels, size[0])
        shade = np.where(_edges(layer.parts[which], found, size), INK, shade)
        tints = np.clip(255 * layer.colours[which] * shade[:, None] + 10, 0, 255)
        return found, tints.astype(np.uint8)

    def _paper(self, camera: Camera, vertices: Array) -> Any:
        """The background, with a soft shadow under what is above the floor."""
        width, height = self.size
        paper = np.full((height, width, 3), PAPER, dtype=np.uint8)
        up = self.scene.up
        if camera.axes[1] @ up < 0.5 or camera.axes[2] @ up < 0.05:
            return paper
        small = (max(width // 2, 1), max(height // 2, 1))
        floor = vertices - np.outer(vertices @ up - self._floor, up)
        flat, _ = projected(camera, floor, small)
        faces = np.concatenate([layer.faces for layer in self._layers])
        mask = gaussian_filter(covered(flat[faces], small).astype(np.float32), max(small) / 90, truncate=3.0)
        faded = 0.6 / 255 * mask * _fading(small)
        share = zoom(faded, (height / small[1], width / small[0]), order=1, mode="nearest", grid_mode=True)
        dark = share > 0  # a small part of the picture
        share = np.clip(share[dark], 0.0, 1.0)[:, None]
        paper[dark] = (paper[dark] + share * (np.array(SHADOW, dtype=float) - PAPER) + 0.5).astype(np.uint8)
        return paper

    def _world(self, k: int) -> tuple[Array, Array]:
        """Vertices and normals of everything at a sample."""
        vertices, normals = [], []
        for part, surface in zip(self._parts, self._surfaces, strict=True):
            if isinstance(part, Item):
                at, q, stretch = self.poses.positions[part.body][k], self.poses.quaternions[part.body][k], np.ones(3)
            else:
                at, q, length = (values[k] for values in self.poses.links[part.name])
                stretch = np.array([1.0, 1.0, max(float(length), 1e-12)])
            R = matrix_of(q)
            turned = surface.normals / stretch
            vertices.append((surface.vertices * stretch) @ R.T + at)
            normals.append(turned / np.linalg.norm(turned, axis=1, keepdims=True) @ R.T)
        none = np.zeros((0, 3))
        return np.concatenate([none, *vertices]), np.concatenate([none, *normals])


def reduced(canvas: Any) -> Any:
    """The mean of every FINE by FINE pixels."""
    height, width, _ = canvas.shape
    rows = np.moveaxis(canvas.reshape(height // FINE, FINE, 3 * width), 1, 0)
    columns = np.moveaxis(_added(rows).reshape(height // FINE, width // FINE, FINE, 3), 2, 0)
    return ((_added(columns) + np.uint16(FINE * FINE // 2)) // np.uint16(FINE * FINE)).astype(np.uint8)


def _added(parts: Any) -> Any:
    """The sum along the first axis, one after the other: numpy's own takes ten times as long for so few."""
    total = parts[0].astype(np.uint16)
    for part in parts[1:]:
        total += part
    return total


def _fading(size: tuple[int, int]) -> Array:
    """From 0 at the rim of a picture to 1 within."""
    across, down = (np.minimum(np.arange(n), np.arange(n)[::-1]) / (0.1 * min(size)) for n in size)
    return np.clip(np.minimum.outer(down, across) - 0.2, 0.0, 1.0)


def _window(flat: Array, size: tuple[int, int]) -> tuple[Any, tuple[int, int]]:
    """The part of a picture in which something is: its corner and size, with a rim of one pixel."""
    sound = flat[np.isfinite(flat).all(axis=1)]
    if not len(sound):
        return np.zeros(2, dtype=np.int64), (1, 1)
    low = np.clip(np.floor(sound.min(axis=0)) - 1, 0, np.array(size) - 1).astype(np.int64)
    high = np.clip(np.ceil(sound.max(axis=0)) + 1, low + 1, size).astype(np.int64)
    return low, (int(high[0] - low[0]), int(high[1] - low[1]))


def _blend(pixels: Any, nearest: Any, found: Seen, tints: Any, share: float) -> None:
    """Puts colours over those that are farther away; only what hides all behind it counts as near."""
    front = found.near > nearest[found.pixels]
    where, tint = found.pixels[front], tints[front]
    if share < 1:
        pixels[where] = (share * tint + (1 - share) * pixels[where]).astype(np.uint8)
        return
    pixels[where], nearest[where] = tint, found.near[front]


def projected(camera: Camera, points: Array, size: tuple[int, int]) -> tuple[Array, Array]:
    """Places in pixels, y down, and how near points are in a measure that is even along straight lines of the
    picture."""
    flat, depth = camera.project(points)
    width, height = size
    span = float(np.linalg.norm(camera.eye - camera.target))
    near = depth / span if camera.angle <= 0 else span / np.maximum(-depth, 1e-3 * span)
    return flat * (height / 2) * (1, -1) + (width / 2, height / 2), near


def encloses(item: Item, scene: Scene) -> bool:
    """Whether a body without a look of its own is drawn as a large solid, which would hide what is inside."""
    if item.kind != "body" or item.name != item.owner:
        return False
    spread = item.mesh.vertices - item.mesh.vertices.mean(axis=0)
    _, _, rows = np.linalg.svd(spread, full_matrices=False)
    return bool(np.ptp(spread @ rows.T, axis=0).min() > 7 * scene.radius)


def faces_away(flat: Array) -> Any:
    """Whether the outside of a triangle is turned from the eye; y runs down in pictures."""
    a, b = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] >= 0)


def _between_corners(flat: Array, values: Array, which: Any, pixels: Any, width: int) -> Array:
    """Values at pixels, from those at the corners of the triangles seen there."""
    base, right, down = planes_of(flat, values)
    y, x = np.divmod(pixels, width)
    found = base[which] + right[which] * (x + 0.5) + down[which] * (y + 0.5)
    return np.asarray(np.clip(found, values.min(axis=1)[which], values.max(axis=1)[which]))


def _edges(parts: Any, found: Seen, size: tuple[int, int]) -> Any:
    """Pixels where a part ends before something else, or before a farther piece of itself."""
    width, height = size
    owner = np.full(width * (height + 2) + 2, -1, dtype=np.int32)
    near = np.full(len(owner), -np.inf, dtype=np.float32)
    at = found.pixels + width + 1
    owner[at], near[at] = parts, found.near
    jump = 0.02 * np.abs(found.near)
    edge = np.zeros(len(at), dtype=bool)
    for step in (1, -1, width, -width):
        behind = near[at + step] < found.near
        edge |= behind & ((owner[at + step] != parts) | (found.near - near[at + step] > jump))
    return edge


def pillow(name: str) -> Any:
    """A module of Pillow, which only pictures need."""
    return library(name, "pictures need the package pillow", "pillow")
