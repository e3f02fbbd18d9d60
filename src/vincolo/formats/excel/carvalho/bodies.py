"""The sheet Bodies: where bodies are, how they are turned, what they weigh, and what acts on them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from vincolo.errors import suggest
from vincolo.formats.excel.carvalho.handles import function_of
from vincolo.formats.excel.carvalho.settings import Parameters
from vincolo.formats.excel.carvalho.tables import Column, Layout, Reading, Row, alike, plain, read_table
from vincolo.formats.excel.cells import Sheet, shown
from vincolo.model import Model
from vincolo.model.body import Body
from vincolo.model.geometry import Array
from vincolo.model.rotations import Rotation

AGREE = 1e-6  # of two orientations that mean the same
OBLIQUE = 1e-3  # rad, by which two axes may miss the right angle
SHORTEST = 1e-12  # that a direction may be
ROUNDED = 2e-3  # share by which rounded moments may break the triangle inequality


def triple(key: str, words: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
           group: tuple[str, ...] = ()) -> tuple[Column, ...]:
    """Three columns x, y, z."""
    return tuple(Column(f"{key}.{axis}", w, group) for axis, w in zip("xyz", words, strict=True))


LAYOUT = Layout((
    Column("name", ("bodiesid", "bodyid", "body", "bodies", "name", "id")),
    *triple("com", (("x", "comx", "xcom"), ("y", "comy", "ycom"), ("z", "comz", "zcom")), ("origin", "com", "general")),
    *triple("x axis", (("xaxisx", "pxx", "x"), ("xaxisy", "pxy", "y"), ("xaxisz", "pxz", "z")), ("xaxis",)),
    *triple("y axis", (("yaxisx", "pyx", "x"), ("yaxisy", "pyy", "y"), ("yaxisz", "pyz", "z")), ("yaxis",)),
    *triple("angles", (("roll", "phi1"), ("pitch", "phi2"), ("yaw", "phi3"))),
    *triple("u", (("u1", "ux"), ("u2", "uy"), ("u3", "uz"))),
    Column("angle", ("rotang", "rotangle", "rotationangle", "angle")),
    Column("mass", ("mass", "m")),
    *triple("inertia", (("ixx",), ("iyy",), ("izz",))),
    *triple("velocity", (("vx", "velocityx"), ("vy", "velocityy"), ("vz", "velocityz"))),
    *triple("spin", (("wx", "omegax"), ("wy", "omegay"), ("wz", "omegaz"))),
    *triple("force", (("fx", "forcex"), ("fy", "forcey"), ("fz", "forcez"))),
    *triple("torque", (("tx", "nx", "mx", "torquex"), ("ty", "ny", "my", "torquey"), ("tz", "nz", "mz", "torquez"))),
), ("name",), lonely=True)


@dataclass
class Bodies:
    """Bodies by number (1 is the ground); None where a row has mistakes, which are collected already."""

    names: list[str] = field(default_factory=list)
    bodies: list[Body | None] = field(default_factory=list)

    def find(self, row: Row, key: str, title: str) -> Body | None:
        """The body a cell refers to, by number or name; None with a mistake collected if there is none."""
        if not row.need(key, title):
            return None
        text = row.text(key)
        index = self.index(text)
        if index is None and not row.bad:
            listed = ", ".join(f"{k} {name}" for k, name in enumerate(self.names[:20], 1))
            row.wrong(key, f"there is no body {shown(text)}.", f"Bodies: {listed}.{suggest(text, self.names)}")
        found = None if index is None else self.bodies[index]
        row.bad = row.bad or found is None
        return found

    def index(self, text: str) -> int | None:
        """The place of a body by number or name."""
        if re.fullmatch("[0-9]{1,6}", text):
            number = int(text)
            return number - 1 if 1 <= number <= len(self.names) else None
        if alike(text) in ("ground", "absoluteframe"):
            return 0
        name = alike(text.replace(".", "_"))
        return next((k for k, other in enumerate(self.names) if alike(other) == name), None)


def read_bodies(reading: Reading, sheet: Sheet, model: Model, parameters: Parameters) -> Bodies:
    """All bodies into the model, with their loads."""
    rows, found = read_table(reading, sheet, LAYOUT), Bodies()
    for number, row in enumerate(rows, 1):
        name = _name(row, number, found.names)
        found.names.append(name)
        found.bodies.append(_ground(row, name, model) if number == 1 else _body(row, name, model, parameters))
    if len(rows) < 2 and not reading.mistakes:
        reading.mistakes.append(sheet.error(1, None, "there are no bodies besides the Absolute Frame.",
                                            "Write each body in a row of its own below it."))
    return found


def _name(row: Row, number: int, taken: list[str]) -> str:
    """The name of a body; a number alone must be that of the row."""
    text = row.text("name")
    if not text and not row.bad:
        row.wrong("name", "the body has no name.", "Write a name in the first column.")
    name = re.sub(r"[\s]+", " ", text).replace(".", "_") or f"Body {number}"
    if re.fullmatch("[0-9]+", name):
        if int(name) != number:
            row.wrong("name", f"the body is called {name}, but it is body number {number} in this sheet.",
                      "Number the bodies in their order from 1, which is the Absolute Frame, or give them names.")
        name = f"Body {number}"
    if alike(name) in [alike(other) for other in taken]:
        row.wrong("name", f"there is another body called {shown(name)}.", "Give each body a name of its own.")
    if name != text and text and not re.fullmatch("[0-9]+", text):
        row.reading.report.note(row.where("name"), f"the body is called {name!r} in results, without points.")
    return name


def _ground(row: Row, name: str, model: Model) -> Body | None:
    if not (plain(name).startswith("abs") or plain(name) in ("ground", "world", "body1")):
        row.wrong("name", f"the first body is {shown(name)}; it must be the Absolute Frame.",
                  "Insert a row 'Absolute Frame' with zeros before it: body number 1 is the ground.")
    for key in ("com", "angles", "u", "velocity", "spin"):
        if any(row.vector(key)):
            axis = next(a for a, value in zip("xyz", row.vector(key), strict=True) if value)
            row.wrong(f"{key}.{axis}", "the Absolute Frame is the world itself and cannot be moved.", "Write zeros.")
    return None if row.bad else model.ground


def _body(row: Row, name: str, model: Model, parameters: Parameters) -> Body | None:
    length, dynamic = parameters.length, parameters.analysis == "dynamics"
    at = np.array(row.vector("com")) * length
    rotation = _orientation(row)
    mass, inertia = _mass(row, dynamic, length)
    velocity, spin = np.array(row.vector("velocity")) * length, row.vector("spin")
    if row.bad:
        _loads(row, name, model, length)
        return None
    with row.reading.at(row.place):
        body = model.body(name, mass, inertia, at, orientation=rotation, velocity=velocity, angular_velocity=spin)
        _loads(row, name, model, length, body)
        return body
    return None


def _mass(row: Row, dynamic: bool, length: float) -> tuple[float, Array]:
    """Mass [kg] and principal moments [kg m2]; zero is a part without mass, and so is an empty cell where only motion
    is asked for."""
    mass, moments = row.value("mass"), np.array(row.vector("inertia"))
    if mass < 0 and not row.bad:
        row.wrong("mass", f"the mass is {mass:g} kg; it must not be negative.", "Correct it; 0 is a part without mass.")
    if mass == 0 and not row.bad:
        if dynamic and row.cell("mass") is None:
            row.wrong("mass", "there is no mass, which a dynamic simulation needs.",
                      "Fill it in; write 0 for a part without mass, which joints and other masses must determine.")
        row.reading.report.note(row.place, "the body has no mass; joints and other masses must determine its motion."
                                if dynamic else "no mass; positions do not depend on it, but reactions are without it.")
    return mass, _possible(row, moments) * length**2


def _possible(row: Row, moments: Array) -> Array:
    """Moments of which no one exceeds the sum of the others: what rounding has added is shared by the larger two."""
    order = np.argsort(moments)
    small, middle, large = moments[order]
    excess = large - small - middle
    if not (small > 0 and 0 < excess <= ROUNDED * large):
        return moments
    row.reading.report.note(row.where("inertia.x"), f"the moment {large:g} is above the sum of the others by rounding; "
                            f"{middle + excess / 2:.7g} and {large - excess / 2:.7g} are taken for the larger two.")
    found = moments.copy()
    found[order[1:]] += np.array([0.5, -0.5]) * excess
    return found


def _orientation(row: Row) -> Array:
    """The rotation by the input that is not all zero; several must agree."""
    ways = {"axis vectors": ("x axis", _by_axes), "Bryant angles": ("angles", _by_angles),
            "axis and angle": ("u", _by_turn)}
    found: dict[str, tuple[str, Array]] = {}
    for title, (key, way) in ways.items():
        rotation = way(row)
        if rotation is not None:
            found[title] = (row.where(f"{key}.x").rpartition(" ")[2], rotation)
    if not found or row.bad:
        return np.eye(3)
    (_, first), *others = found.values()
    if any(np.abs(other - first).max() > AGREE for _, other in others):
        listed = ", ".join(f"{title} from {where}" for title, (where, _) in found.items())
        row.wrong("name", f"the orientation is given in ways that disagree: {listed}.",
                  "Fill in one of them, and leave the others empty or zero.")
    return first


def _by_axes(row: Row) -> Array | None:
    """Type 1: points on the x and y axes of the body, in global coordinates."""
    points = np.array([row.vector("x axis"), row.vector("y axis")])
    if not points.any():
        return None
    vectors = points - np.array(row.vector("com"))
    sizes = np.linalg.norm(vectors, axis=1)
    for size, key in zip(sizes, ("x axis", "y axis"), strict=True):
        if size < 1e-9 * max(1.0, float(np.abs(points).max())):
            row.wrong(f"{key}.x", f"the point on the {key} is the centre of mass itself, so it gives no direction.",
                      "Give a point away from it; both points are needed, in global coordinates.")
            return None
    x, y = vectors / sizes[:, None]
    z = np.cross(x, y)
    if abs(float(x @ y)) > OBLIQUE:
        angle = np.degrees(np.arccos(np.clip(x @ y, -1, 1)))
        row.wrong("y axis.x", f"the x and y axes are at {angle:.4f} degrees, not at a right angle.",
                  "Correct the points, with more digits if need be.")
        return None
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _by_angles(row: Row) -> Array | None:
    """Type 2: Bryant angles about x, y, z, in this order, about axes that turn along."""
    angles = row.vector("angles")
    return Rotation.euler("XYZ", *angles).matrix if any(angles) else None


def _by_turn(row: Row) -> Array | None:
    """Type 3: a turn about a direction."""
    axis, angle = row.vector("u"), row.value("angle")
    directed = max(abs(x) for x in axis) >= SHORTEST
    if directed and row.cell("angle") is None:
        row.wrong("angle", f"there is an axis of rotation {axis}, but no angle.",
                  "Fill in the angle in rad, in a column whose heading is 'Rot Ang', or empty u1, u2, u3.")
    if angle == 0:
        row.idle("the angle of rotation is zero", "u")
        return None
    if not directed:
        row.wrong("u.x", f"there is an angle of rotation of {angle:g} rad, but no axis.", "Fill in u1, u2, u3.")
        return None
    return Rotation.axis_angle(axis, angle).matrix


def _loads(row: Row, name: str, model: Model, length: float, body: Body | None = None) -> None:
    """Forces at the centre of mass and torques, in global axes: numbers or functions of time."""
    for key, factor, add in (("force", 1.0, model.force), ("torque", length, model.torque)):
        found = [function_of(row, f"{key}.{axis}", factor) for axis in "xyz"]
        acting = [f for f in found if f is not None and (f.kind != "constant" or any(f.params))]
        if acting and body is not None and not row.bad:
            add(f"{name} {key}", body, [0.0 if f is None else f for f in found])
