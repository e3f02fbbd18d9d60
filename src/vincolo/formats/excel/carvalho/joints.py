"""The sheet Joints: joints by their IDs, held coordinates, and points of interest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.formats.excel.carvalho.bodies import SHORTEST, Bodies, triple
from vincolo.formats.excel.carvalho.settings import numbers_or_names
from vincolo.formats.excel.carvalho.tables import Column, Layout, Reading, Row, alike, plain, read_table
from vincolo.formats.excel.cells import Sheet, shown
from vincolo.model import Model
from vincolo.model.body import Body
from vincolo.model.geometry import Array, perpendicular
from vincolo.model.measure import Measure, along_world, angle, cosine

SQUARE = 1e-3  # rad, by which directions may miss a right angle
UNIT = np.eye(3)

LAYOUT = Layout((
    Column("type", ("type", "jointtype", "joint", "jointid", "matlabid", "id")),
    Column("name", ("name", "label")),
    Column("i", ("bodyi", "body1", "i", "body", "firstbody")),
    Column("j", ("bodyj", "body2", "j", "secondbody")),
    *triple("point", (("x", "px", "pix"), ("y", "py", "piy"), ("z", "pz", "piz")), ("point", "position", "rp")),
    *triple("axis", (("sx", "six", "ux", "axisx", "x"), ("sy", "siy", "uy", "axisy", "y"),
                     ("sz", "siz", "uz", "axisz", "z")), ("axis", "si", "vector")),
    *triple("axis2", (("sjx", "axis2x", "x"), ("sjy", "axis2y", "y"), ("sjz", "axis2z", "z")), ("axis2", "sj")),
    *triple("second", (("x2", "pjx", "qx", "x"), ("y2", "pjy", "qy", "y"), ("z2", "pjz", "qz", "z")),
            ("second", "pj", "pointj")),
    Column("direction", ("direction", "directionindex", "dir", "index")),
), ("type", "i"))


@dataclass
class Points:
    """Points of interest in their order."""

    names: list[str] = field(default_factory=list)

    def find(self, text: str) -> str:
        """The name of a point, by number or name."""
        if text.isdecimal() and 1 <= int(text) <= len(self.names):
            return self.names[int(text) - 1]
        for name in self.names:
            if alike(name) == alike(text):
                return name
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(self.names[:20], 1)) or "none"
        raise ModelError(f"there is no point {shown(text)}.\n  Points in the sheet Joints: {listed}."
                         f"{suggest(text, self.names)}")


class _Held(NamedTuple):
    """A coordinate of a body that is held as drawn."""

    row: Row
    name: str
    body: Body
    direction: int
    point: Array


@dataclass
class _Link:
    """One row with what every joint needs."""

    row: Row
    model: Model
    name: str
    i: Body
    j: Body
    length: float

    def at(self, key: str = "point") -> Array:
        return np.asarray(np.array(self.row.vector(key)) * self.length, dtype=float)

    def axis(self, key: str = "axis") -> Array:
        """A direction that must be given."""
        if self.row.need(f"{key}", "the direction" if key == "axis" else "the second direction", vector=True):
            vector: Array = np.array(self.row.vector(key))
            size = float(np.abs(vector).max())
            if size >= SHORTEST:
                return np.asarray(vector / np.linalg.norm(vector), dtype=float)
            if not self.row.bad:
                self.row.wrong(f"{key}.x", "the direction is zero.", "Write a direction such as 0, 0, 1.")
        return np.array([0.0, 0.0, 1.0])

    def span(self, across: Array | None = None) -> Array:
        """From the first point to the second, which must be at a right angle to `across`."""
        if not self.row.need("second", "the second point, on body j,", vector=True):
            return np.array([1.0, 0.0, 0.0])
        d = self.at("second") - self.at()
        size = float(np.linalg.norm(d))
        if size < 1e-9:
            self.row.wrong("second.x", "the two points coincide.", "Give the point on body i and the one on body j.")
        elif across is not None:
            lean = abs(float(across @ d)) / size
            if lean > SQUARE:
                self.row.wrong("second.x", f"the line from the first to the second point is {np.degrees(lean):.3g} "
                               "degrees away from the right angle to the axis.", "Correct the point or the axis.")
        return d


def _spherical(k: _Link) -> None:
    k.model.spherical(k.name, k.i, k.j, k.at())


def _about_axis(make: Callable[..., object]) -> Callable[[_Link], None]:
    """A joint with a point and an axis."""
    def add(k: _Link) -> None:
        axis = k.axis()
        if not k.row.bad:
            make(k.model, k.name, k.i, k.j, k.at(), axis)

    return add


def _rod(k: _Link) -> None:
    k.span()
    if not k.row.bad:
        k.model.distance(k.name, k.i.frame(k.at()), k.j.frame(k.at("second")))


def _universal(k: _Link) -> None:
    first, second = k.axis(), k.axis("axis2")
    if k.row.bad:
        return
    lean = abs(float(first @ second))
    if lean > SQUARE:
        degrees = np.degrees(np.arcsin(min(1.0, lean)))
        k.row.wrong("axis2.x", f"the two axes are {degrees:.3g} degrees away from a right angle.",
                    "A universal joint has axes at right angles: correct one of them.")
        return
    k.model.universal(k.name, k.i, k.j, k.at(), first, second)


def _sph_rev(k: _Link) -> None:
    axis = k.axis()
    k.span(axis)
    if not k.row.bad:
        k.model.spherical_revolute(k.name, k.i, k.j, k.at(), axis, k.at("second"))


def _tra_rev(k: _Link) -> None:
    """A slot of body i through both points, and a pin of body j at the second, about the axis."""
    axis = k.axis()
    along = k.span(axis)
    if not k.row.bad:
        k.model.slot(k.name, k.i, k.j, k.at("second"), axis, along)


JOINTS: dict[str, Callable[[_Link], None]] = {
    "Spherical": _spherical, "CompSpherical": _rod, "Universal": _universal, "Revolute": _about_axis(Model.revolute),
    "Cylindrical": _about_axis(Model.cylindrical), "Translation": _about_axis(Model.prismatic), "SphRev": _sph_rev,
    "TraRev": _tra_rev}
IDS = (*JOINTS, "Ground", "Simple", "Points", "Driver")


def read_joints(reading: Reading, sheet: Sheet, model: Model, bodies: Bodies, length: float) -> Points:
    """All joints and points into the model."""
    points, held, count = Points(), list[_Held](), 0
    for row in read_table(reading, sheet, LAYOUT):
        kind = find_id(row, IDS)
        if kind is None:
            continue
        count += kind != "Points"
        given = row.text("name").replace(".", "_")
        if kind == "Points":
            points.names.append(given or f"P{len(points.names) + 1}")
        with reading.at(row.place):
            name = points.names[-1] if kind == "Points" else given or f"J{count}"
            held += _add(row, kind, model, bodies, length, name)
    _hold(model, held)
    return points


def find_id(row: Row, known: tuple[str, ...]) -> str | None:
    """The ID in the first column as it is spelt in the list; None with a mistake if it is not in it."""
    if not row.need("type", "the ID of the type"):
        return None
    text = row.text("type")
    by_words = {plain(name): name for name in known}
    if plain(text) in by_words:
        return by_words[plain(text)]
    if not row.bad:
        row.wrong("type", f"there is no ID {shown(text)}.", f"IDs: {', '.join(known)}.{suggest(text, known)}")
    return None


def _add(row: Row, kind: str, model: Model, bodies: Bodies, length: float, name: str) -> list[_Held]:
    """Adds a joint or point to the model; returns the coordinates that are to be held."""
    if kind == "Driver":
        row.wrong("type", "drivers have a sheet of their own.", "Move this row to the sheet 'Joints Drivers'.")
        return []
    i = bodies.find(row, "i", "body i")
    if kind in JOINTS:
        j = bodies.find(row, "j", "body j")
        row.need("point", "the point", vector=True)
        if i is not None and j is not None and not row.bad:
            JOINTS[kind](_Link(row, model, name, i, j, length))
    elif i is not None:
        return _single(row, kind, model, name, i, length)
    return []


def _single(row: Row, kind: str, model: Model, name: str, body: Body, length: float) -> list[_Held]:
    """What concerns one body: Points, Ground, Simple."""
    if kind == "Points":
        row.need("point", "the point", vector=True)
        if not row.bad:
            model.frame(name, body, np.array(row.vector("point")) * length)
    elif body.is_ground:
        row.wrong("i", "body 1 is the ground and is held already.", "Name the body that is to be held.")
    elif kind == "Ground" and not row.bad:
        model.fixed(name, model.ground, body, body.at)
    elif kind == "Simple" and row.need("direction", "the direction index") and not row.bad:
        with row.reading.at(row.where("direction")):
            return _coordinates(row, name, body, length)
    return []


def _coordinates(row: Row, name: str, body: Body, length: float) -> list[_Held]:
    """The coordinates that a row Simple names; only translations are those of a point."""
    chosen = numbers_or_names(row.text("direction"))
    indices = [direction_index(text) for text in chosen]
    point = np.array(row.vector("point")) * length if row.given("point") else body.at
    if min(indices, default=1) > 3:
        row.idle("rotations are the same at every point", "point")
    return [_Held(row, name if len(chosen) == 1 else f"{name} {text}", body, index, point)
            for text, index in zip(chosen, indices, strict=True)]


def _hold(model: Model, held: list[_Held]) -> None:
    """Simple: coordinates 1 to 3 of a point, rotations 4 to 6, as drawn."""
    for one in held:
        turns = sorted({other.direction for other in held if other.body is one.body and other.direction > 3})
        with one.row.reading.at(one.row.where("direction")):
            if one.direction <= 3 or len(turns) == 1:
                measure = coordinate(model, one.body, one.direction, one.point)
            else:
                measure = _still(model, one.body, one.direction, turns)
            model.hold(one.name, measure, measure.drawn_value)


def _still(model: Model, body: Body, index: int, turns: list[int]) -> Measure:
    """One of two or three rotations that are held together. Of two, the free axis of the body stays at right angles to
    world axes, however far it turns about itself; three are the rows of an orientation joint."""
    ground, own = (b.frame(body.at, z="z", x="x") for b in (model.ground, body))
    a = index - 4
    if len(turns) == 3:
        return cosine("yzx"[a], "zxy"[a], ground, own)
    free = 15 - sum(turns) - 4
    return cosine("xyz"[3 - a - free], "xyz"[free], ground, own)


def direction_index(text: str) -> int:
    """1 to 6."""
    if text not in ("1", "2", "3", "4", "5", "6"):
        raise ModelError(f"the direction index is {shown(text)}.\n  1, 2, 3 are the translations along x, y, z and "
                         "4, 5, 6 the rotations about them.")
    return int(text)


def coordinate(model: Model, body: Body, index: int, point: Array, u: Array | None = None) -> Measure:
    """A world coordinate of a point, or the rotation about a world direction, zero as drawn and counted over turns."""
    if index <= 3:
        return along_world(UNIT[index - 1], model.ground.frame((0.0, 0.0, 0.0)), body.frame(point))
    z = UNIT[index - 4] if u is None else u / np.linalg.norm(u)
    x = perpendicular(z)
    return angle(model.ground.frame(body.at, z=z, x=x), body.frame(body.at, z=z, x=x))
