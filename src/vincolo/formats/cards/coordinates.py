"""Expressions of a card over t, q1.. and qp1.., and what those are in terms of the measure they act along."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vincolo.errors import ExpressionError, FileError
from vincolo.formats.cards.bodies import Start
from vincolo.formats.cards.connections import Connection
from vincolo.formats.cards.text import Field, plain
from vincolo.model.expression import Tape, parse
from vincolo.model.geometry import Array, quaternion_of

_COORDINATE = re.compile(r"(?<![\w.])(qp?)(\d{1,9})(?!\w)", re.ASCII)
_TIME = re.compile(r"(?<![\w.])t(?!\w)", re.ASCII)
ROUNDING = 1e-15
STRAIGHT = 1e-9  # how far a point may lie off an axis, or two directions apart

#: what a coordinate is: its value and its rate as texts in d and dd
Texts = dict[int, tuple[str, str]]


@dataclass(frozen=True)
class Expression:
    """A text of a card that was read: the coordinates (counted from zero) and rates in it."""

    text: str
    item: Field
    tape: Tape
    positions: tuple[int, ...]
    rates: tuple[int, ...]
    constants: Mapping[str, float] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """It depends on coordinates or rates."""
        return bool(self.positions or self.rates)

    @property
    def constant(self) -> float | None:
        """Its value if it is one number."""
        return None if self.moves or _TIME.search(self.text) else self.tape.evaluate()

    def over(self, texts: Texts) -> str | None:
        """The same over d and dd, or None if a coordinate is not known in them."""
        if not set(self.positions) | set(self.rates) <= texts.keys():
            return None
        return _COORDINATE.sub(lambda m: f"({texts[int(m[2]) - 1][m[1] == 'qp']})", self.text)

    def at(self, values: Mapping[str, str]) -> str:
        """The text with names of coordinates, rates and t replaced by other texts."""
        text = _COORDINATE.sub(lambda m: values.get(m[0], m[0]), _TIME.sub("\x00", self.text))
        return text.replace("\x00", values.get("t", "t"))

    def inlined(self) -> Expression:
        """The same with its constants written out as numbers."""
        if not self.constants:
            return self
        names = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, self.constants))})(?!\w)", re.ASCII)
        text = names.sub(lambda m: number_text(self.constants[m[0]]), self.text)
        return replace(self, text=text, constants={})

    def error(self, what: str, way_out: str) -> FileError:
        """An error here."""
        return self.item.error(f"= {self.item.text} {what}", way_out)


def expression(item: Field, bodies: int, constants: Mapping[str, float] | None = None,
               names: Sequence[str] = ()) -> Expression:
    """A text over t, the coordinates q1..q<7 bodies>, their rates qp1.., constants and other names."""
    text = plain(item.text)
    found = {m[0]: (m[1], int(m[2])) for m in _COORDINATE.finditer(text)}
    for name, (_, k) in found.items():
        if not 1 <= k <= 7 * bodies:
            raise item.place.right(text.index(name)).error(
                f"there is no coordinate {name}.", f"With {bodies} bodies there are q1 to q{7 * bodies}, seven for "
                "each body, in the order of the bodies: x, y, z, e0, e1, e2, e3.")
    try:
        tape = parse(text, (*found, *names), constants)
    except ExpressionError as error:
        raise item.place.error(f"{item.label}: {error}", "Correct the expression.") from None
    q, qp = (tuple(sorted(k - 1 for kind, k in found.values() if kind == letter)) for letter in ("q", "qp"))
    return Expression(text, item, tape, q, qp, dict(constants or {}))


def number_text(value: float) -> str:
    """A number as it may stand in any expression."""
    return f"({float(value)!r})"


def product(p: Array, q: Array) -> Array:
    """The quaternion of turning by q first, then by p."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def turned(connection: Connection, start: Start) -> Texts:
    """The coordinates of a body that hangs on the ground by this joint, over its angle d; of a cylindrical joint only
    the Euler parameters. With F the frames on ground and body, R = F_g Rz(s d) F_b^T."""
    found = connection.on_ground()
    if found is None or connection.kind not in ("revolute", "cylindrical"):
        return {}
    ground, body, s = found
    pairs = [(number_text(x), number_text(y)) for x, y in zip(*half_turn(connection, start), strict=True)]
    texts: Texts = {3 + k: (f"{x}*cos(d/2)+{y}*sin(d/2)", f"({y}*cos(d/2)-{x}*sin(d/2))*dd/2")
                    for k, (x, y) in enumerate(pairs)}
    if connection.kind == "revolute":
        x, y, z = body.axes.T @ body.point
        fixed = ground.point - ground.axes[:, 2] * z
        cosines = -ground.axes[:, 0] * x - ground.axes[:, 1] * y
        sines = s * (ground.axes[:, 0] * y - ground.axes[:, 1] * x)
        for k in range(3):
            a, b, c = (number_text(v[k]) for v in (fixed, cosines, sines))
            texts[k] = (f"{a}+{b}*cos(d)+{c}*sin(d)", f"({c}*cos(d)-{b}*sin(d))*dd")
    first = 7 * (body.body - 1)
    return {first + k: pair for k, pair in texts.items()}


def half_turn(connection: Connection, start: Start) -> tuple[Array, Array]:
    """a and b of e0..e3 = a cos(d/2) + b sin(d/2), with the sign that the start has, for a joint on the ground with
    the angle d."""
    found = connection.on_ground()
    assert found is not None
    ground, body, s = found
    return euler_pair(ground.axes, body.axes, s, connection.joint["angle"].drawn_value, start)


def euler_pair(ground: Array, body: Array, s: float, drawn: float, start: Start) -> tuple[Array, Array]:
    """The same for axes on ground and body; s = -1 where the angle counts from the body."""
    p, back = quaternion_of(ground), quaternion_of(body) * np.array([1.0, -1.0, -1.0, -1.0])
    a = product(p, back)
    b = s * product(product(p, np.array([0.0, 0.0, 0.0, 1.0])), back)
    if (a * np.cos(drawn / 2) + b * np.sin(drawn / 2)) @ start.euler < 0:
        a, b = -a, -b
    return _clean(a), _clean(b)


def _clean(v: Array) -> Array:
    """Without the rounding of directions that are those of axes."""
    return np.where(np.abs(v) < ROUNDING, 0.0, np.where(np.abs(np.abs(v) - 1) < ROUNDING, np.sign(v), v))


def slid(connection: Connection, on_ground: Array, on_body: Array, drawn: float) -> Texts:
    """x, y, z of a body over the distance d of a point of the ground and one of the body, if both lie on the axis of
    the joint that guides it. `drawn` is the coordinate of the second along the axis, as drawn; d keeps its sign."""
    found = line_of(connection, on_ground, on_body, drawn)
    if found is None:
        return {}
    number, start, way = found
    first = 7 * (number - 1)
    return {first + k: (f"{number_text(start[k])}+{number_text(way[k])}*d", f"{number_text(way[k])}*dd")
            for k in range(3)}


def line_of(connection: Connection, on_ground: Array, on_body: Array,
            drawn: float) -> tuple[int, Array, Array] | None:
    """The number of the body, and r and e of its position r + e d; None if the points do not lie on the axis."""
    found = connection.on_ground()
    if found is None or connection.kind not in ("prismatic", "cylindrical"):
        return None
    ground, body, _ = found
    e, h = ground.axes[:, 2], body.axes[:, 2]
    off = [np.cross(on_ground - ground.point, e), np.cross(on_body - body.point, h), np.cross(on_body, h)]
    if max(float(np.abs(v).max()) for v in off) > STRAIGHT:
        return None
    same = float(connection.joint.a.drawn_axes[:, 2] @ connection.joint.b.drawn_axes[:, 2])
    start = on_ground - e * float(on_body @ h) * (1.0 if same > 0 else -1.0)
    return body.body, start, e * (1.0 if drawn > 0 else -1.0)
