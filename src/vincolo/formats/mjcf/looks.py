"""What bodies of an MJCF file look like: shapes and colours of their geoms. Wrong ones are noted, since they change no
motion."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import VincoloError
from vincolo.formats.mjcf.masses import SIZES, sizes_of
from vincolo.formats.mjcf.reader import Item, Reader
from vincolo.formats.sources import Pose
from vincolo.formats.xml_tree import Element
from vincolo.model import Body, Model
from vincolo.model.looks import colour_code

UNSEEN = 3  # groups from here on are not shown by MuJoCo either, if others are there


def add_looks(model: Model, reader: Reader, carriers: dict[int, Body], folder: Path) -> None:
    """Shapes of all geoms on bodies that move, instead of those that masses bring; on the ground there are none."""
    shapes: dict[str, list[tuple[Element, Pose]]] = {}
    for item in reader.items:
        body = carriers[id(item)]
        if not body.is_ground:
            shapes.setdefault(body.name, []).extend((geom, _on(body, item, pose)) for geom, pose in _seen(item))
    for name, found in shapes.items():
        if found:
            model.looks.pop(name, None)
        for geom, pose in found:
            _add(model, name, geom, pose, reader, folder)


def _seen(item: Item) -> list[tuple[Element, Pose]]:
    """Geoms that are meant to be looked at: those of the first groups, if there are any."""
    first = [(geom, pose) for geom, pose in item.geoms if _group(geom) < UNSEEN]
    return first or item.geoms


def _group(geom: Element) -> int:
    text = str(geom.attributes.get("group", "0")).strip()
    return int(text) if text.isdigit() else 0


def _on(body: Body, item: Item, pose: Pose) -> Pose:
    """The place of a geom in the axes of the body that carries it."""
    world = item.pose @ pose
    return Pose(body.orientation.T @ (world.p - body.at), body.orientation.T @ world.R)


def _add(model: Model, name: str, geom: Element, pose: Pose, reader: Reader, folder: Path) -> None:
    try:
        kind, numbers = _form(geom, reader, folder)
        model.look(name, kind, at=pose.p, orientation=pose.R, colour=_colour(geom, reader), **numbers)
    except (VincoloError, ValueError) as error:
        first = str(error).partition("\n")[0]
        reader.report.note(geom.place, f"{geom.title} is not shown: {first}")


def _form(geom: Element, reader: Reader, folder: Path) -> tuple[str, dict[str, Any]]:
    kind = geom.get("type", "mesh" if geom.get("mesh") else "sphere") or "sphere"
    if kind == "mesh":
        return "mesh", _mesh(geom, reader, folder)
    if kind not in SIZES:
        raise ValueError(f"shapes of type {kind} are not drawn.")
    size = sizes_of(geom, SIZES[kind])
    if kind == "capsule":
        return "skin", {"points": [[0, 0, -size[1]], [0, 0, size[1]]], "thickness": 2 * size[0]}
    numbers: dict[str, dict[str, Any]] = {
        "sphere": {"radius": size[0]}, "box": {"size": [2 * s for s in size]}, "ellipsoid": {"radii": size},
        "cylinder": {"radius": size[0], "length": 2 * size[-1]}}
    return kind, numbers[kind]


def _asset(reader: Reader, tag: str, name: str | None) -> Element | None:
    """The first asset of a tag and name."""
    for section in reader.top.all("asset"):
        for element in section.all(tag):
            file = element.get("file")
            if (element.get("name") or (Path(file).stem if file else None)) == name:
                return element
    return None


def _mesh(geom: Element, reader: Reader, folder: Path) -> dict[str, Any]:
    asset = _asset(reader, "mesh", geom.get("mesh"))
    file = None if asset is None else asset.get("file")
    if asset is None or not file:
        raise ValueError(f"there is no file for its mesh {geom.get('mesh')!r}.")
    scale = asset.numbers("scale", 3, (1, 1, 1))
    place = folder / (reader.compiler.get("meshdir") or "") / file
    if not place.is_file():
        raise ValueError(f"its mesh {file!r} is not found beside the file.")
    if not (scale[0] > 0 and np.ptp(scale) < 1e-9 * scale[0]):
        raise ValueError("its mesh is scaled differently along its axes.")
    if find_spec("trimesh") is None:
        raise ValueError("meshes need the package trimesh (pip install trimesh).")
    return {"path": str(place), "scale": float(scale[0])}


def _colour(geom: Element, reader: Reader) -> str | None:
    """Its own colour, or that of its material, as #rrggbb."""
    source: Element | None = geom
    if geom.get("rgba") is None:
        source = _asset(reader, "material", geom.get("material")) if geom.get("material") else None
    if source is None or source.get("rgba") is None:
        return None
    return colour_code(source.numbers("rgba", 4))
