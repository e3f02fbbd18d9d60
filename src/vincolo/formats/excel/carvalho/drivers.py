"""The sheet Joints Drivers: coordinates of bodies that follow functions of time."""

from __future__ import annotations

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.excel.carvalho.bodies import Bodies, triple
from vincolo.formats.excel.carvalho.handles import compare_derivative, function_of
from vincolo.formats.excel.carvalho.joints import UNIT, coordinate, direction_index
from vincolo.formats.excel.carvalho.settings import Parameters
from vincolo.formats.excel.carvalho.tables import Column, Layout, Reading, Row, read_table
from vincolo.formats.excel.cells import Sheet
from vincolo.model import Model
from vincolo.model.body import Body
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure

LAYOUT = Layout((
    Column("body", ("body", "bodyi", "bodyid", "i")),
    Column("direction", ("direction", "directionindex", "dir", "index")),
    *triple("u", (("u1", "ux", "x"), ("u2", "uy", "y"), ("u3", "uz", "z"))),
    Column("f", ("function", "position", "positionfunction", "f")),
    Column("df", ("firstderivative", "1stderivative", "velocity", "velocityfunction", "df")),
    Column("ddf", ("secondderivative", "2ndderivative", "acceleration", "accelerationfunction", "ddf")),
    Column("name", ("name", "label")),
    Column("type", ("type", "id", "matlabid", "driver")),
), ("body", "direction", "f"))


def read_drivers(reading: Reading, sheet: Sheet, model: Model, bodies: Bodies, parameters: Parameters) -> None:
    """All drivers into the model."""
    for number, row in enumerate(read_table(reading, sheet, LAYOUT), 1):
        if row.text("type").lower() not in ("", "driver"):
            row.wrong("type", f"{row.text('type')!r} is not a driver.", "Write Driver, or leave the cell empty.")
        with reading.at(row.where("direction")):
            _driver(row, model, bodies, parameters, row.text("name") or f"D{number}")


def _driver(row: Row, model: Model, bodies: Bodies, parameters: Parameters, name: str) -> None:
    body = bodies.find(row, "body", "the body")
    filled = [row.need(key, title) for key, title in (("direction", "the direction index"), ("f", "the function"))]
    if not all(filled) or body is None:
        return
    if body.is_ground:
        row.wrong("body", "body 1 is the ground and cannot be driven.", "Name the body that is to be moved.")
        return
    index = direction_index(row.text("direction"))
    measure, factor = _target(row, model, body, index)
    if index <= 3:
        factor *= parameters.length
    f = function_of(row, "f", factor)
    for order, key in ((1, "df"), (2, "ddf")):
        if f is not None and not row.bad:
            compare_derivative(row, key, f, order, parameters.until, factor)
    if f is None or row.bad:
        return
    model.drive(measure, f, name)
    begin, drawn = f(0.0), measure.drawn_value
    if abs(begin - drawn) > 1e-9 * max(1.0, abs(drawn)):
        row.reading.report.note(row.where("f"), f"at t = 0 it is {begin:.9g}, but the body is drawn at {drawn:.9g} "
                                "(m or rad): the mechanism is closed there first.")


def _target(row: Row, model: Model, body: Body, index: int) -> tuple[Measure, float]:
    """What is driven, and the factor of the function: a coordinate of the centre of mass is u_k f(t), a rotation about
    u is f(t)."""
    u = np.array(row.vector("u"))
    component = float(u[(index - 1) % 3]) if row.given("u") else 1.0
    if component == 0.0:
        axis = "xyz"[(index - 1) % 3]
        raise ModelError(f"the direction index is {index}, but the vector has no component along {axis}.\n"
                         "  Give the vector in that direction, or leave it empty.")
    if index <= 3:
        row.idle(f"the direction index is {index}", *(f"u.{a}" for k, a in enumerate("xyz", 1) if k != index))
        return coordinate(model, body, index, body.at), component
    axis = u / np.linalg.norm(u) if row.given("u") else UNIT[index - 4]
    return _joint_angle(model, body, axis) or (coordinate(model, body, index, body.at, axis), 1.0)


def _joint_angle(model: Model, body: Body, axis: Array) -> tuple[Measure, float] | None:
    """The angle of a joint with the ground about this axis, with its sign; None if there is none."""
    for joint in model.joints.values():
        ends = [joint.a.body, joint.b.body]
        if joint.kind in ("revolute", "cylindrical") and body in ends and model.ground in ends:
            along = float(joint.a.drawn_axes[:, 2] @ axis)
            if abs(along) > 1 - 1e-12:
                return joint["angle"], float(np.sign(along)) * (1.0 if joint.b.body is body else -1.0)
    return None
