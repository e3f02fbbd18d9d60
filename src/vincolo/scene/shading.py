"""Light on surfaces: smooth over small bends, sharp at edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.scene.meshes import Mesh

SHARP = np.cos(np.radians(38.0))  # faces that bend more than this meet in an edge
MOST_PAIRS = 4_000_000  # of faces that meet in corners; larger meshes are shaded flat
LIGHT = np.array([-0.42, 0.62, 0.66]) / np.linalg.norm([-0.42, 0.62, 0.66])  # in the axes of the camera


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles with a normal at every vertex; vertices at edges occur once for every side."""

    vertices: Array
    normals: Array
    faces: Any
    solid: bool  # its inside is never seen


def surface_of(mesh: Mesh) -> Surface:
    """A mesh with normals."""
    corners = mesh.vertices[mesh.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    normals = _bent(mesh, across, across / np.where(lengths > 0, lengths, 1.0))
    both = np.column_stack([corners.reshape(-1, 3), normals])
    size = float(np.abs(corners).max(initial=1e-9))
    keys = np.round(both / ([size * 1e-7] * 3 + [1e-3] * 3)).astype(np.int64)
    _, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    volume = float((corners[:, 0] * across).sum())
    return Surface(both[first, :3], both[first, 3:], back.reshape(-1, 3), volume > 0)


def _bent(mesh: Mesh, across: Array, normals: Array) -> Array:
    """Normals at the corners of faces (3 n, 3): means over the faces that meet there without an edge."""
    _, places = np.unique(np.round(mesh.vertices / (1e-7 * float(np.abs(mesh.vertices).max(initial=1e-9)))), axis=0,
                          return_inverse=True)
    at = places.reshape(-1)[mesh.faces].reshape(-1)
    order = np.argsort(at, kind="stable")
    counts = np.bincount(at)
    starts = np.cumsum(counts) - counts
    sizes = counts[at]
    if int(sizes.sum()) > MOST_PAIRS:
        return np.repeat(normals, 3, axis=0)
    mine = np.repeat(np.arange(len(at)), sizes)
    along = np.arange(len(mine)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    other = order[starts[at[mine]] + along] // 3
    smooth = (normals[mine // 3] * normals[other]).sum(axis=1) > SHARP
    found = np.zeros((len(at), 3))
    for k in range(3):
        found[:, k] = np.bincount(mine[smooth], across[other[smooth], k], len(at))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.where(lengths > 0, found / np.where(lengths > 0, lengths, 1.0), np.repeat(normals, 3, axis=0))


def brightness(normals: Array, axes: Array) -> Array:
    """How bright surfaces are, about 0.4 to 1.2; `axes` are the rows of the camera."""
    turned = normals @ axes.T
    turned = np.where(turned[:, 2:] < -0.2, -turned, turned)  # the inside of what is open
    half = 0.5 + 0.5 * (turned @ LIGHT)
    shine = np.maximum(turned @ ((LIGHT + (0, 0, 1)) / np.linalg.norm(LIGHT + (0, 0, 1))), 0.0)
    return np.asarray(0.36 + 0.66 * half + 0.16 * shine**14)
