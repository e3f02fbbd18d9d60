"""Links of a file: bodies whose shape is {kind: link}, which joins the points of their joints and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from vincolo.formats.tree.schema import BodyKeys, File
from vincolo.formats.tree.source import Source
from vincolo.model import shapes
from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.model.model import Model

NOWHERE = ("parallel", "perpendicular", "orientation")  # joints without a point
#: points of a link in the world; None while they are sought
Links = dict[str, "Array | None"]


def links_of(top: File) -> list[str]:
    """Names of the bodies with a link whose points are not given."""
    return [name for name, data in (top.bodies or {}).items()
            if isinstance(data, dict) and any(map(_is_open, _listed(data.get("shape"))))]


def points_of(model: Model, links: Iterable[str], top: File, source: Source) -> Links:
    """The points of joints and named frames on links, in the world as drawn."""
    found: dict[str, list[Array]] = {name: [] for name in links}
    unplaced = {name for name in found if "at" not in (top.bodies or {})[name]}
    for name, frame in model.frames.items():
        data = (top.frames or {}).get(name)
        circular = frame.body.name in unplaced and isinstance(data, dict) and "local" in data
        if frame.body.name in found and not circular:
            found[frame.body.name].append(frame.drawn_point)
    for name, joint in model.joints.items():
        for side, frame in zip("ab", (joint.a, joint.b), strict=True):
            if frame.body.name in found and joint.kind not in NOWHERE:
                if frame.body.name in unplaced:
                    _refuse_local(name, side, frame, top, source)
                found[frame.body.name].append(frame.drawn_point)
    return {name: np.array(points).reshape(-1, 3) for name, points in found.items()}


def linked(keys: BodyKeys, points: Array | None, orientation: Array) -> tuple[Any, Any]:
    """The shape of a link with its points in the body's axes, and where the body is: at its centre of mass, unless its
    place is given."""
    if points is None:
        return {"kind": "point_mass", "mass": 1.0}, keys.at
    at = np.array(keys.at)
    if "at" not in keys.model_fields_set and len(points):
        at = shapes.link(points, 1.0, mass=1.0).com
    local = ((points - at) @ orientation).tolist() or [[0.0, 0.0, 0.0]]
    filled = [{**part, "points": local} if _is_open(part) else part for part in _listed(keys.shape)]
    return (filled if isinstance(keys.shape, list) else filled[0]), at.tolist()


def _listed(shape: Any) -> list[Any]:
    return shape if isinstance(shape, list) else [shape]


def _is_open(part: Any) -> bool:
    return isinstance(part, dict) and part.get("kind") == "link" and part.get("points") is None


def _refuse_local(name: str, side: str, frame: Frame, top: File, source: Source) -> None:
    """A joint at a point in the axes of a link that is itself placed by its joints."""
    data = (top.joints or {}).get(name)
    for place, part in _sides(data, side) if isinstance(data, dict) else ():
        meant = (top.frames or {}).get(part) if isinstance(part, str) else part
        if isinstance(meant, dict) and meant.get("on") == frame.body.name and "local" in meant:
            raise source.error(("joints", name, *place), (
                f"the place of this joint is given by local= in the axes of the link {frame.body.name!r}, which is "
                "itself placed by its joints.\n  Give the joint a point of the world, or the link a place (at) or its "
                "points."))


def _sides(data: dict[str, Any], side: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    between = data.get("between")
    if isinstance(between, list) and len(between) == 2:
        yield ("between", "ab".index(side)), between["ab".index(side)]
    elif side in data:
        yield (side,), data[side]
