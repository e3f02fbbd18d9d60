"""What links of a robot look like: shapes, meshes and colours of their <visual> elements."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vincolo.formats.report import Report
from vincolo.formats.sources import Pose
from vincolo.formats.urdf.robot import pose_of
from vincolo.formats.xml_tree import Element
from vincolo.model.looks import colour_code

PACKAGE = "package://"
MOST_PARENTS = 8  # folders above the file in which a package is looked for


def look_of(shape: Element, folder: Path) -> tuple[str, dict[str, Any], Pose] | str:
    """Kind, numbers and place of a <visual>; a text that says why there is none."""
    geometry = shape.one("geometry")
    kinds = [] if geometry is None else [child for child in geometry.children
                                         if child.tag in ("box", "cylinder", "sphere", "mesh", "capsule")]
    if not kinds:
        return "it has no shape that is known here"
    kind, place = kinds[0], pose_of(shape.one("origin"))
    kind.seen = True
    if kind.tag == "box":
        return "box", {"size": kind.numbers("size", 3)}, place
    if kind.tag == "sphere":
        return "sphere", {"radius": kind.number("radius")}, place
    if kind.tag == "cylinder":
        return "cylinder", {"radius": kind.number("radius"), "length": kind.number("length")}, place
    if kind.tag == "capsule":
        half = kind.number("length") / 2
        return "skin", {"points": [[0, 0, -half], [0, 0, half]], "thickness": 2 * kind.number("radius")}, place
    return _mesh(kind, folder, place)


def _mesh(mesh: Element, folder: Path, place: Pose) -> tuple[str, dict[str, Any], Pose] | str:
    x, y, z = mesh.numbers("scale", 3, (1, 1, 1))
    if not (x > 0 and abs(y - x) < 1e-9 * x and abs(z - x) < 1e-9 * x):
        return "its mesh is scaled differently along its axes"
    name = mesh.need("filename")
    found = found_mesh(name, folder)
    if found is None:
        return f"its mesh {name!r:.120} is not found beside the file"
    if find_spec("trimesh") is None:
        return "meshes need the package trimesh (pip install trimesh)"
    return "mesh", {"path": str(found), "scale": float(x)}, place


def found_mesh(name: str, folder: Path) -> Path | None:
    """The file of a mesh: beside the description, or in a package around it."""
    plain = name.removeprefix("file://")
    if not name.startswith(PACKAGE):
        place = Path(os.path.join(folder, plain))
        return place if place.is_file() else None
    whole = name.removeprefix(PACKAGE)
    inner = whole.partition("/")[2]
    for above in [folder, *list(folder.resolve().parents)[:MOST_PARENTS]]:
        for place in (above / whole, above / inner):
            if place.is_file():
                return place
    return None


def colour_of_visual(shape: Element, named: dict[str, Element], report: Report) -> str | None:
    """The colour of its material, given in it or for the whole robot, as #rrggbb; what that cannot say is listed."""
    material = shape.one("material")
    if material is None:
        return None
    colour = material.one("color")
    if colour is None and material.attributes.get("name", "").strip() in named:
        colour = named[str(material.get("name"))].one("color")
    if colour is None:
        return None
    shares = colour.numbers("rgba", 4)
    code = colour_code(shares)
    if shares[3] != 1 or not all(0 <= share <= 1 for share in shares):
        report.not_used(colour.place, f"rgba {colour.get('rgba')!r:.80} of <color> is shown as {code}, solid.")
    return code
