"""The sheet Force Elements: springs, dampers and actuators, linear or by functions in up to three pieces."""

from __future__ import annotations

import math

import numpy as np

from vincolo.formats.excel.carvalho.bodies import Bodies, triple
from vincolo.formats.excel.carvalho.handles import formula_of, with_argument
from vincolo.formats.excel.carvalho.joints import find_id
from vincolo.formats.excel.carvalho.tables import Column, Layout, Reading, Row, read_table
from vincolo.formats.excel.cells import Sheet
from vincolo.model import Model
from vincolo.model.body import Body
from vincolo.model.functions import Constant, Expression, Pieces
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure, angle, distance

SQUARE = 1e-3  # rad, by which the directions of a rotational spring may miss the right angle to its axis
IDS = ("Spring", "Damper", "Tspring", "Actuator")
Law = tuple[list[str], list[float]]  # formulas in t, and the limits between them

LAYOUT = Layout((
    Column("type", ("type", "elementtype", "element", "matlabid", "id")),
    Column("name", ("name", "label")),
    Column("i", ("bodyi", "body1", "i", "firstbody")),
    Column("j", ("bodyj", "body2", "j", "secondbody")),
    *triple("pi", (("xi", "pix", "six", "x1p", "x"), ("yi", "piy", "siy", "y"), ("zi", "piz", "siz", "z")),
            ("pointi", "bodyi", "pi", "si")),
    *triple("pj", (("xj", "pjx", "sjx", "x"), ("yj", "pjy", "sjy", "y"), ("zj", "pjz", "sjz", "z")),
            ("pointj", "bodyj", "pj", "sj")),
    Column("coefficient", ("coefficient", "linearcoefficient", "constant", "k", "c", "stiffness", "damping")),
    Column("rest", ("undeformedlength", "restlength", "l0", "undeformed", "theta0", "undeformedangle", "rest")),
    Column("count", ("numberoffunctions", "nfunctions", "functions", "n")),
    Column("x1", ("x1", "limit1")), Column("x2", ("x2", "limit2")),
    Column("f1", ("function1", "f1")), Column("f2", ("function2", "f2")), Column("f3", ("function3", "f3")),
), ("type", "i", "j"))


def read_elements(reading: Reading, sheet: Sheet, model: Model, bodies: Bodies, length: float) -> None:
    """All force elements into the model."""
    for count, row in enumerate(read_table(reading, sheet, LAYOUT), 1):
        kind = find_id(row, IDS)
        if kind is not None:
            with reading.at(row.place):
                _element(row, kind, model, bodies, length, row.text("name").replace(".", "_") or f"F{count}")


def _element(row: Row, kind: str, model: Model, bodies: Bodies, length: float, name: str) -> None:
    i, j = bodies.find(row, "i", "body i"), bodies.find(row, "j", "body j")
    law = _pieces(row)
    k = row.value("coefficient")
    if law is None and not row.bad and kind != "Actuator":
        row.need("coefficient", "the coefficient (or functions in its place)")
    if i is None or j is None or row.bad:
        return
    if i is j:
        row.wrong("j", f"both ends are on the body {i.name!r}, so nothing changes between them.", "Name two bodies.")
        return
    rest = math.nan
    if kind in ("Spring", "Tspring"):
        rest = row.value("rest", math.nan) * (1.0 if kind == "Tspring" else length)
    measure = _turn(row, model, i, j) if kind == "Tspring" else _line(row, i, j, length)
    if measure is None or row.bad:
        return
    drawn = measure.drawn_value
    if kind in ("Spring", "Tspring") and math.isnan(rest):
        rest = drawn
        title, unit = ("angle", "rad") if kind == "Tspring" else ("length", "m")
        row.reading.report.note(row.place, f"no undeformed {title}: it is taken as drawn, {drawn:.9g} {unit}.")
    if kind == "Tspring":
        rest += 2 * math.pi * round((drawn - rest) / (2 * math.pi))  # the turn on which the spring is drawn
    _add(row, kind, model, name, measure, law, k, rest, length)


def _add(row: Row, kind: str, model: Model, name: str, measure: Measure, law: Law | None, k: float, rest: float,
         length: float) -> None:
    """A linear element, or a law with the element's own variable in the place of t."""
    variable = {"Spring": f"{1 / length!r}*(d - ({rest!r}))", "Damper": f"{1 / length!r}*dd",
                "Tspring": f"d - ({rest!r})", "Actuator": "t"}[kind]
    if kind == "Actuator":  # a positive force pulls the points together
        pulling = Constant(k) if law is None else Pieces(tuple(Expression(text) for text in law[0]), tuple(law[1]))
        model.actuator(name, measure, -1.0 * pulling)
    elif law is not None:
        text = with_argument(joined(*law), variable)
        model.law(name, measure, f"{length!r}*({text})" if kind == "Tspring" and length != 1 else text)
    elif kind == "Damper":
        model.spring(name, measure, k=0.0, c=k / length, length=measure.drawn_value)
    else:
        model.spring(name, measure, k=k * length if kind == "Tspring" else k / length, length=rest)
    if k < 0 and law is None and kind != "Actuator":
        row.reading.report.warn(row.where("coefficient"), f"the coefficient {k:g} is negative: it adds energy.")


def _pieces(row: Row) -> Law | None:
    """The law of a non-linear element, in t: up to three formulas with their limits; None if it is linear."""
    texts = [formula_of(row, key) for key in ("f1", "f2", "f3")]
    filled = sum(row.cell(key) is not None for key in ("f1", "f2", "f3"))
    count = row.value("count", float(filled))
    if count not in (0, 1, 2, 3):
        row.wrong("count", f"the number of functions is {count:g}.", "Write 1, 2 or 3, or leave it empty.")
    if row.bad or count == 0:
        if filled and not row.bad:
            row.wrong("count", f"the number of functions is 0, but {filled} are given.", "Write their number.")
        return None
    n = int(count)
    for k in range(n):
        row.need(f"f{k + 1}", f"function {k + 1} of {n}")
    limits = [row.value(f"x{k}") for k in range(1, n) if row.need(f"x{k}", f"the limit x{k}")]
    if row.value("coefficient") or filled > n:
        row.reading.report.not_used(row.place, "functions are given: the linear coefficient and functions beyond "
                                    "their number have no effect.")
    if limits != sorted(set(limits)):
        row.wrong("x2", f"the limits are {limits[0]:g} and {limits[-1]:g}; they must increase.", "Exchange them.")
    return None if row.bad else ([text for text in texts[:n] if text is not None], limits)


def joined(texts: list[str], limits: list[float]) -> str:
    """One formula of two or three: f1 below x1, f2 from x1 to x2, f3 above x2."""
    if not limits:
        return texts[0]
    if len(limits) == 1:
        return f"if(t < {limits[0]!r}, {texts[0]}, {texts[1]})"
    return f"if(t < {limits[0]!r}, {texts[0]}, if(t <= {limits[1]!r}, {texts[1]}, {texts[2]}))"


def _line(row: Row, i: Body, j: Body, length: float) -> Measure | None:
    """The distance of the two points."""
    points = [row.need(key, f"the point on body {key[1]}", vector=True) for key in ("pi", "pj")]
    first, second = (np.array(row.vector(key)) * length for key in ("pi", "pj"))
    if not all(points) or row.bad:
        return None
    if np.linalg.norm(second - first) < 1e-9:
        row.wrong("pj.x", "the two points coincide, so the element has no direction.", "Move one of them.")
        return None
    return distance(i.frame(first), j.frame(second))


def _turn(row: Row, model: Model, i: Body, j: Body) -> Measure | None:
    """The angle from s_i to s_j about the joint of both bodies."""
    joints = [k for k in model.joints.values()
              if k.kind in ("revolute", "cylindrical") and {k.a.body, k.b.body} == {i, j}]
    if len(joints) != 1:
        row.wrong("i", f"{len(joints) or 'no'} joints with an axis (Revolute, Cylindrical) connect the bodies "
                  f"{i.name!r} and {j.name!r}.",
                  "A rotational spring needs one such joint: its axis is that of the spring.")
        return None
    z = joints[0].a.drawn_axes[:, 2]
    x = joints[0].a.drawn_axes[:, 0]
    sides = [_across(row, key, z) if row.given(key) else x for key in ("pi", "pj")]
    if row.given("pi") != row.given("pj"):
        row.wrong("pi.x", "one of the vectors s_i and s_j is missing.",
                  "Give both, or neither: then the angle is zero as drawn.")
    if row.bad:
        return None
    at = joints[0].a.drawn_point
    return angle(i.frame(at, z=z, x=sides[0]), j.frame(at, z=z, x=sides[1]))


def _across(row: Row, key: str, z: Array) -> Array:
    vector = np.array(row.vector(key))
    size = float(np.linalg.norm(vector))
    if size == 0 or abs(float(vector @ z)) > SQUARE * size:
        row.wrong(f"{key}.x", f"the vector {tuple(vector.tolist())} is not at a right angle to the axis of the joint.",
                  "The angle of the spring is counted in the plane across the axis: give vectors in it.")
        return np.array([1.0, 0.0, 0.0])
    return vector / size
