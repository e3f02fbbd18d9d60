"""Forces and torques by three components along the axes of a marker on any part, with their reaction on any other."""

from __future__ import annotations

from vincolo.formats.adams.bodies import Dataset
from vincolo.formats.adams.functions import Untranslated, translated
from vincolo.formats.adams.joints import scaled
from vincolo.formats.adams.measured import Markers
from vincolo.formats.adams.text import Statement
from vincolo.formats.vector_laws import Vector, rows_of
from vincolo.model import Body, Frame
from vincolo.model.geometry import Array


def add_vector(to: Dataset, statement: Statement) -> None:
    """VFORCE, VTORQUE and GFORCE: components on I along the axes of RM; the reaction is on the part of JFLOAT, at the
    point of I."""
    where = to.frame(statement, "I")
    axes = to.frame(statement, "RM") if statement.has("RM") else to.origin
    if statement.has("FUNCTION"):
        raise Untranslated("it is computed by a subroutine")
    reaction = _reaction(to, statement)
    if where.body is reaction:
        if where.body.is_ground:
            to.report.not_used(statement.place, f"{statement.title}: it acts on ground.")
            statement.used.update(statement.arguments)
            return
        raise statement.error(f"I and JFLOAT are both on the part {reaction.name!r}.", "Name markers of two parts.")
    for letter, unit in (("F", to.units.force), ("T", to.units.torque)):
        markers = Markers(to, statement)
        texts = {k: scaled(translated(text, to.units.time, markers), unit) for k, axis in enumerate("XYZ")
                 if (text := statement.formula(letter + axis)) is not None}
        if texts:
            name = statement.name if letter == "F" else f"{statement.name}_torque"
            free = to.names.free(name, statement.keyword.lower(), statement.place)
            apply(to, statement, Vector(free, where, axes, reaction, texts, markers.measures), letter == "T")


def _reaction(to: Dataset, statement: Statement) -> Body:
    """The part of the floating marker; the ground if there is none."""
    found = statement.ids("JFLOAT")
    if not found:
        return to.model.ground
    marker = to.markers.get(found[0])
    if marker is None or marker.part not in to.bodies:
        raise statement.error(f"JFLOAT names marker {found[0]}, which is not on a part of the dataset.",
                              "Name a floating marker of a part.")
    return to.bodies[marker.part]


def apply(to: Dataset, statement: Statement, vector: Vector, turning: bool) -> None:
    """Adds a force or torque: as a load if it is one of time on one body, else by laws along measures."""
    plain = vector.axes.body.is_ground or vector.axes.body is vector.where.body
    if plain and vector.reaction.is_ground and not vector.others:
        _add_load(to, vector, turning)
        return
    made = []
    for suffix, measure, text, others in rows_of(vector, _base(to, vector), turning):
        name = to.names.free(f"{vector.name}_{suffix}", statement.keyword.lower(), statement.place)
        to.model.actuator(name, measure, text, **others)
        made.append(name)
    to.report.note(statement.place, f"{statement.title} is made of {len(made)} actuators: {', '.join(made)}.")


def _add_load(to: Dataset, vector: Vector, turning: bool) -> None:
    on_body = vector.axes.body is vector.where.body
    columns: Array = vector.axes.axes if on_body else vector.axes.drawn_axes
    components = [" + ".join(f"({float(columns[row, k])!r})*({text})" for k, text in vector.texts.items()
                             if abs(columns[row, k]) > 1e-15) or "0" for row in range(3)]
    method = to.model.torque if turning else to.model.force
    method(vector.name, vector.where, components, axes="body" if on_body else "world")


def _base(to: Dataset, vector: Vector) -> Frame:
    """A frame on the body that takes the reaction: the one that gives the directions, if it is there."""
    if vector.axes.body is vector.reaction:
        return vector.axes
    return to.origin if vector.reaction.is_ground else vector.reaction.frame(local=(0.0, 0.0, 0.0))
