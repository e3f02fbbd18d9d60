"""Parts and markers: bodies, and the frames on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.formats.adams.text import Statement
from vincolo.formats.adams.units import Units
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.formats.sources import Names
from vincolo.model import Body, Frame, Joint, Model
from vincolo.model.geometry import Array, axes_from
from vincolo.model.mass import MassProperties
from vincolo.model.rotations import Rotation


@dataclass(frozen=True)
class Marker:
    """A marker: its part, and its place on it in the part's axes [m]."""

    statement: Statement
    part: int
    point: Array
    axes: Array


@dataclass
class Dataset:
    """A dataset on its way to a model: parts, markers and joints by their numbers."""

    model: Model
    units: Units
    report: Report
    names: Names
    mistakes: Mistakes
    markers: dict[int, Marker] = field(default_factory=dict)
    bodies: dict[int, Body] = field(default_factory=dict)
    centres: dict[int, Array] = field(default_factory=dict)  # where on its part a body's frame is: at the mass centre
    frames: dict[int, Frame] = field(default_factory=dict)
    joints: dict[int, Joint] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)  # numbers of joints that have no coordinates here
    given: dict[str, float] = field(default_factory=dict)  # coordinates and rates at the start

    @cached_property
    def origin(self) -> Frame:
        """The axes of the ground, for functions that name no marker."""
        return self.model.ground.frame((0.0, 0.0, 0.0))

    def name(self, statement: Statement) -> str:
        """A free name for what a statement makes."""
        return self.names.free(statement.name, statement.keyword.lower(), statement.place)

    def leave_out(self, statement: Statement, text: str) -> None:
        """Lists a statement that cannot be translated, with all that stands in it."""
        statement.used.update(statement.arguments)
        self.report.leave_out(statement.place, text)

    def frame(self, statement: Statement, argument: str) -> Frame:
        """The frame of the marker that an argument names."""
        found = statement.ids(argument)
        if not found:
            raise statement.error(f"{argument}= is missing.", f"Write {argument}= with the number of a marker.")
        return self.marked(statement, argument, found[0])

    def marked(self, statement: Statement, argument: str, number: int) -> Frame:
        """The frame of a marker by its number."""
        if number not in self.frames:
            known = ", ".join(str(n) for n in sorted(self.frames)[:12]) or "none"
            raise statement.error(f"{argument} names marker {number}, which is not in the dataset.",
                                  f"Markers: {known}{', ...' if len(self.frames) > 12 else ''}.")
        return self.frames[number]

    def pair(self, statement: Statement) -> tuple[Frame, Frame]:
        """The frames of J and of I, which are on two different bodies: coordinates are those of I, seen from J."""
        i, j = self.frame(statement, "I"), self.frame(statement, "J")
        if i.body is j.body:
            raise statement.error(f"both its markers are on the part {i.body.name!r}.",
                                  "Name markers of two different parts.")
        return j, i


def add_markers(to: Dataset, statements: list[Statement]) -> None:
    """Reads the markers, in whatever order they come; one without PART= belongs to the part before it."""
    before = 0
    for statement in statements:
        if statement.keyword == "PART":
            before = statement.number
        elif statement.keyword == "MARKER":
            with to.mistakes.kept(statement.place):
                _add_marker(to, statement, before)


def _add_marker(to: Dataset, statement: Statement, before: int) -> None:
    if statement.number in to.markers:
        first = to.markers[statement.number].statement.line
        raise statement.error(f"there are two markers of this number, the first in line {first}.",
                              "Give each a number of its own.")
    part = (statement.ids("PART") or [before])[0]
    if statement.has("POINT_MASS") or statement.has("FLEX_BODY"):
        part = -1
    if statement.has("FLOATING"):  # it is where another is
        to.markers[statement.number] = Marker(statement, part, np.zeros(3), np.eye(3))
        return
    point = np.array(statement.vector("QP")) * to.units.length
    to.markers[statement.number] = Marker(statement, part, point, _axes(statement, "ZP", "XP", point, to.units))


def _axes(statement: Statement, z_name: str, x_name: str, point: Array, units: Units) -> Array:
    """Axes by 3-1-3 angles, or by points on z and in the x-z plane."""
    if statement.has("REULER") or not (statement.has(z_name) or statement.has(x_name)):
        return np.array(Rotation.euler("ZXZ", *statement.vector("REULER", angles=True)).matrix)
    found: dict[str, Array | None] = {}
    for name in (z_name, x_name):
        given = statement.numbers(name, (3,))
        towards = None if given is None else np.array(given) * units.length - point
        length = 0.0 if towards is None else float(np.linalg.norm(towards))
        if towards is not None and not length > 0:
            raise statement.error(f"{name} is the marker's own point.", f"Give {name} at a distance.")
        found[name] = None if towards is None else towards / length
    z, x = found[z_name], found[x_name]
    if x is not None and z is not None and statement.has("USEXP"):
        turned = axes_from(statement.title, x, z)  # x is kept, z made perpendicular to it
        return np.column_stack([turned[:, 2], -turned[:, 1], turned[:, 0]])
    return axes_from(statement.title, z, x)


def add_parts(to: Dataset, statements: list[Statement]) -> None:
    """Makes the bodies, with their frames at the centres of mass and along the axes of the parts."""
    seen: dict[int, Statement] = {}
    for statement in statements:
        with to.mistakes.kept(statement.place):
            if statement.number in seen:
                raise statement.error("there are two parts of this number, the first in line "
                                      f"{seen[statement.number].line}.", "Give each a number of its own.")
            seen[statement.number] = statement
            to.bodies[statement.number] = to.model.ground  # stands in, if it is wrong
            if not statement.has("GROUND"):
                to.bodies[statement.number] = _body(to, statement)
    if not any(statement.has("GROUND") for statement in seen.values()):
        to.report.note("the dataset", "no part is GROUND: nothing is fixed by that name.")


def _body(to: Dataset, statement: Statement) -> Body:
    """A part; one without MASS is a body without mass, with its CM where the part is if it names none."""
    mass = statement.value("MASS") * to.units.mass
    if mass < 0:
        raise statement.error(f"MASS is {statement.value('MASS'):g}; it must not be negative.",
                              "Give MASS, CM and IP; a dummy part between joints may have no mass: leave it out.")
    at = np.array(statement.vector("QG")) * to.units.length
    R = _axes(statement, "ZG", "XG", at, to.units)
    centre = _marker_on(to, statement, "CM")
    if centre is None and mass:
        raise statement.error("CM= is missing, so the centre of mass is not known.", "Write CM= and a marker's number.")
    point, axes = (np.zeros(3), np.eye(3)) if centre is None else (centre.point, centre.axes)
    velocity, spin = _velocities(to, statement, R @ axes)
    to.centres[statement.number] = point
    place: dict[str, Any] = {"at": at + R @ point, "orientation": R, "velocity": velocity, "angular_velocity": spin}
    about = _marker_on(to, statement, "IM")
    lever, turned = (np.zeros(3), axes) if about is None else (about.point - point, about.axes)
    tensor = _tensor(to, statement, mass)
    if not mass and not tensor.any():
        to.report.note(statement.place, f"{statement.title} has no mass: it is a body without mass, which joints and "
                                        "other masses must determine.")
        return to.model.body(to.name(statement), 0, **place)
    return to.model.body(to.name(statement), MassProperties.given(mass, inertia=tensor, about=lever, axes=turned),
                         **place)


def _marker_on(to: Dataset, statement: Statement, argument: str) -> Marker | None:
    """The marker that a part names for itself."""
    found = statement.ids(argument)
    if not found:
        return None
    marker = to.markers.get(found[0])
    if marker is None or marker.part != statement.number:
        where = "is not in the dataset" if marker is None else f"is on part {marker.part}"
        raise statement.error(f"{argument} names marker {found[0]}, which {where}.",
                              f"Name a marker of part {statement.number}.")
    return marker


def _tensor(to: Dataset, statement: Statement, mass: float) -> Array:
    """The inertia about the IM marker, in its axes. Adams gives products as integrals: IXY = +integral of x y dm."""
    given = statement.numbers("IP", (3, 6))
    if given is None:
        if mass:
            to.report.note(statement.place, f"{statement.title} has no IP: it is taken as a point mass.")
        given = [0.0, 0.0, 0.0]
    xx, yy, zz, xy, xz, yz = [*given, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]) * to.units.inertia


def _velocities(to: Dataset, statement: Statement, axes: Array) -> tuple[Array, Array]:
    """The velocity of the centre of mass, and the angular velocity, which Adams counts along the axes of CM."""
    for name in ("VM", "WM"):
        if statement.has(name):
            to.report.leave_out(statement.place, f"{statement.title}: velocities along the axes of marker {name}; they "
                                                 "are taken along those of ground (V) and of CM (W).")
    v = np.array([statement.value(name) for name in ("VX", "VY", "VZ")]) * to.units.speed
    w = np.array([statement.value(name, angles=True) for name in ("WX", "WY", "WZ")]) / to.units.time
    return v, axes @ w


def add_frames(to: Dataset) -> None:
    """Makes a frame, called MARKER_number or by its name with its part's, of every marker that does not float."""
    for number, marker in to.markers.items():
        statement = marker.statement
        if statement.has("FLOATING"):
            continue
        if marker.part not in to.bodies:
            where = f"part {marker.part}" if marker.part >= 0 else "a point mass or flexible body"
            to.mistakes.found.append(statement.error(f"it is on {where}, which is not among the rigid parts.",
                                                     f"Parts: {', '.join(str(n) for n in list(to.bodies)[:12])}."))
            continue
        with to.mistakes.kept(statement.place):
            own = statement.view_name if "." in (statement.view_name or "") else None  # with its part's: one of a kind
            name = to.names.free(own or f"MARKER_{number}", "marker", statement.place)
            point = marker.point - to.centres.get(marker.part, np.zeros(3))
            to.frames[number] = to.model.frame(name, to.bodies[marker.part], local=point, z=marker.axes[:, 2],
                                               x=marker.axes[:, 0])
