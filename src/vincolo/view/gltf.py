"""A moving mechanism as one binary glTF file (.glb), for slides and for programs such as Blender.

Every body is a node that moves; its shapes hang on it. Springs and rods are nodes that stretch. glTF has y upwards, so
all of it hangs on one node that turns the mechanism upright.
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing, check_place
from vincolo.model.geometry import Array
from vincolo.results.in_units import InUnits, run_of
from vincolo.results.result import Result
from vincolo.scene import Poses, Scene, poses_of, scene_of
from vincolo.scene.between import between
from vincolo.scene.meshes import Mesh
from vincolo.scene.shading import surface_of

FLOAT, INDEX = 5126, 5125  # kinds of numbers in glTF: single precision, and counting ones of 32 bits
VERTICES, FACES = 34962, 34963  # what a piece of the file is for
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
Y_UP = np.array([0.0, 1.0, 0.0])


def write_scene(result: Result | InUnits, path: str | os.PathLike[str], *, fps: float = 60) -> Path:
    """Writes the mechanism with its motion as .glb; `fps` is the highest rate of samples."""
    target = Path(path)
    if target.suffix.lower() != ".glb":
        raise ModelError(f"write_scene(): {target.name!r} does not end in .glb.\n  Name a file such as 'motion.glb'.")
    if not (isinstance(fps, int | float) and 0 < fps < 1e6):
        raise ModelError(f"write_scene(): fps is {fps!r}; it must be a positive number.")
    check_place("write_scene()", target)
    run = run_of(result)
    data = scene_bytes(run, fps)
    with appearing("write_scene()", target) as file:
        file.write(data)
    return target


def scene_bytes(result: Result, fps: float = 60) -> bytes:
    """The same as bytes."""
    fine = np.isfinite(result.y).all(axis=1)
    if not fine.any():
        raise ModelError("write_scene(): there is nothing to show: no sample is finite.")
    scene = scene_of(result.system)
    poses = poses_of(result, scene, np.flatnonzero(fine))
    count = int(np.ceil((poses.t[-1] - poses.t[0]) * fps)) + 1
    if count < len(poses):
        poses = between(poses, scene, np.linspace(poses.t[0], poses.t[-1], max(count, 2)))
    return _File(scene, poses).written()


class _File:
    """The nodes of a scene and the numbers they refer to."""

    def __init__(self, scene: Scene, poses: Poses) -> None:
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[tuple[float, ...], int] = {}
        self._nodes: list[dict[str, Any]] = [{"name": scene.name, "rotation": _turn(scene.up), "children": []}]
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []
        self._moving = len(poses) > 1 and poses.t[-1] > poses.t[0]
        self._times = self._put(poses.t - poses.t[0], ends=True) if self._moving else -1
        self._add_bodies(scene, poses)
        self._add_links(scene, poses)

    def _add_bodies(self, scene: Scene, poses: Poses) -> None:
        for name in poses.positions:
            node = self._node(name)
            self._nodes[node]["children"] = []
            if name != "ground":
                self._move(node, poses.positions[name], poses.quaternions[name])
            for item in (i for i in scene.items if i.body == name):
                self._nodes[node]["children"].append(len(self._nodes))
                self._nodes.append({"name": item.name, "mesh": self._mesh(item.name, item.mesh, item.colour)})
            if not self._nodes[node]["children"]:
                del self._nodes[node]["children"]

    def _add_links(self, scene: Scene, poses: Poses) -> None:
        for link in scene.links:
            at, turn, length = poses.links[link.name]
            node = self._node(link.name)
            self._nodes[node]["mesh"] = self._mesh(link.name, link.mesh, link.colour)
            stretch = np.column_stack([np.ones((len(length), 2)), np.maximum(length, 1e-9)])
            self._move(node, at, turn, stretch)

    def _node(self, name: str) -> int:
        """A new node below the first one."""
        self._nodes.append({"name": name})
        self._nodes[0]["children"].append(len(self._nodes) - 1)
        return len(self._nodes) - 1

    def _move(self, node: int, places: Array, turns: Array, stretch: Array | None = None) -> None:
        """The first place of a node, and its motion."""
        paths = {"translation": places, "rotation": turns[:, [1, 2, 3, 0]]}
        if stretch is not None:
            paths["scale"] = stretch
        for path, values in paths.items():
            self._nodes[node][path] = [float(v) for v in values[0]]
            if self._moving and np.ptp(values, axis=0).max() > 0:
                self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
                self._samplers.append({"input": self._times, "output": self._put(values), "interpolation": "LINEAR"})

    def _mesh(self, name: str, mesh: Mesh, colour: tuple[float, ...]) -> int:
        surface = surface_of(mesh)
        attributes = {"POSITION": self._put(surface.vertices, VERTICES, ends=True),
                      "NORMAL": self._put(surface.normals, VERTICES)}
        faces = self._put(surface.faces.reshape(-1), FACES, kind=INDEX)
        self._meshes.append({"name": name, "primitives": [{"attributes": attributes, "indices": faces,
                                                           "material": self._material(colour)}]})
        return len(self._meshes) - 1

    def _material(self, colour: tuple[float, ...]) -> int:
        return self._materials.setdefault(tuple(colour), len(self._materials))

    def _put(self, values: Any, use: int | None = None, *, kind: int = FLOAT, ends: bool = False) -> int:
        """The number of an array in the file; `ends` tells its least and largest values as well."""
        numbers = np.ascontiguousarray(values, dtype="<f4" if kind == FLOAT else "<u4")
        width = 1 if numbers.ndim == 1 else numbers.shape[1]
        view = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": numbers.nbytes}
        self._views.append(view if use is None else {**view, "target": use})
        self._bytes += numbers.tobytes()
        told = {"bufferView": len(self._views) - 1, "componentType": kind, "count": len(numbers), "type": KINDS[width]}
        if ends:
            rows = numbers.reshape(len(numbers), width)
            told |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self._accessors.append(told)
        return len(self._accessors) - 1

    def written(self) -> bytes:
        """The file: a head, the nodes as JSON, and the numbers."""
        look = [{"pbrMetallicRoughness": {"baseColorFactor": [*(_linear(c) for c in colour), 1.0],
                                          "metallicFactor": 0.1, "roughnessFactor": 0.6}, "doubleSided": True}
                for colour in self._materials]
        data: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "vincolo"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": self._nodes, "meshes": self._meshes, "materials": look, "accessors": self._accessors,
            "bufferViews": self._views, "buffers": [{"byteLength": len(self._bytes)}]}
        if self._channels:
            data["animations"] = [{"name": "motion", "channels": self._channels, "samplers": self._samplers}]
        text = json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
        chunks = _chunk(b"JSON", text, b" ") + _chunk(b"BIN\0", bytes(self._bytes), b"\0")
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _chunk(kind: bytes, data: bytes, filling: bytes) -> bytes:
    whole = data + filling * (-len(data) % 4)
    return struct.pack("<I4s", len(whole), kind) + whole


def _linear(share: float) -> float:
    """A share of colour as light, which glTF wants."""
    return float(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)


def _turn(up: Array) -> list[float]:
    """The shortest turn of what is up onto y, as a quaternion with its scalar last."""
    cosine = float(up @ Y_UP)
    if cosine < -1 + 1e-9:
        return [1.0, 0.0, 0.0, 0.0]
    q = np.append(np.cross(up, Y_UP), 1 + cosine)
    return [float(v) for v in q / np.linalg.norm(q)]
