"""Coordinates of any body as measures: x, y, z from the frame, Euler parameters over the angles of the hinges that lead
to the body. So an expression of a card may depend on any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vincolo.formats.cards.bodies import Start
from vincolo.formats.cards.connections import Connection, Side
from vincolo.formats.cards.coordinates import STRAIGHT, Expression, Texts, euler_pair
from vincolo.formats.cards.symbols import ALGEBRA, ZERO, Node, Unsaid, add, derivative, div, mul, name, neg, number
from vincolo.formats.cards.symbols import total as summed
from vincolo.formats.vector_laws import named_in
from vincolo.model import Body, Frame, Measure, Model
from vincolo.model.geometry import AXES, Array
from vincolo.model.measure import RATE, along_world, angle

TURNING = ("revolute", "cylindrical")
Four = tuple[Node, Node, Node, Node]


def coordinate(model: Model, bodies: Sequence[Body], k: int) -> Measure:
    """x, y or z of a body by its number, counted from zero."""
    body = bodies[k // 7 + 1]
    return along_world(AXES["xyz"[k % 7]], model.ground.frame((0, 0, 0)), body.frame(local=(0, 0, 0)))


def quaternion_product(p: Four, q: Four) -> Four:
    """The Euler parameters of turning by q first, then by p."""
    (a, b, c, d), (e, f, g, h) = p, q
    rows = (((a, e, 1), (b, f, -1), (c, g, -1), (d, h, -1)), ((a, f, 1), (b, e, 1), (c, h, 1), (d, g, -1)),
            ((a, g, 1), (b, h, -1), (c, e, 1), (d, f, 1)), ((a, h, 1), (b, g, 1), (c, f, -1), (d, e, 1)))
    w, x, y, z = (summed([mul(u, v) if sign > 0 else neg(mul(u, v)) for u, v, sign in row]) for row in rows)
    return w, x, y, z


def conjugate(p: Four) -> Four:
    """The Euler parameters of turning back."""
    return p[0], neg(p[1]), neg(p[2]), neg(p[3])


@dataclass(frozen=True)
class Hinge:
    """A joint on the way from the frame to a body: the bodies on its two sides, and the half turn between them,
    e0..e3 = a cos(d/2) + b sin(d/2), d its angle."""

    key: int
    connection: Connection
    near: int
    far: int

    def side(self, body: int) -> Side:
        """The side of the joint on one of its bodies."""
        return next(side for side in self.connection.sides if side.body == body)

    def half_turn(self, start: Start) -> tuple[list[float], list[float]]:
        """a and b, up to their common sign."""
        s = 1.0 if self.connection.sides[0].body == self.near else -1.0
        a, b = euler_pair(self.side(self.near).axes, self.side(self.far).axes, s,
                          self.connection.joint["angle"].drawn_value, start)
        return a.tolist(), b.tolist()


class Coordinates:
    """Expressions over any coordinates as texts over measures."""

    def __init__(self, model: Model, bodies: Sequence[Body], starts: Sequence[Start],
                 connections: dict[int, Connection]) -> None:
        self.model, self.bodies, self.starts, self.connections = model, bodies, starts, connections

    def over(self, e: Expression) -> tuple[str, dict[str, Measure]] | None:
        """The text of an expression, with the measures that are in it; None if Euler parameters in it are those of a
        body to which no hinges lead from the frame."""
        texts: Texts = {}
        others: dict[str, Measure] = {}
        try:
            for k in sorted({*e.positions, *e.rates}):
                texts[k], more = self._position(k) if k % 7 < 3 else self._euler(k)
                others |= more
        except Unsaid:
            return None
        text = e.over(texts)
        return None if text is None else (text, named_in(text, others))

    def _position(self, k: int) -> tuple[tuple[str, str], dict[str, Measure]]:
        return (f"q{k + 1}", f"q{k + 1}{RATE}"), {f"q{k + 1}": coordinate(self.model, self.bodies, k)}

    def _euler(self, k: int) -> tuple[tuple[str, str], dict[str, Measure]]:
        body = k // 7 + 1
        way = self.way(body)
        if not way:
            raise Unsaid("is not a function of the angles of hinges")
        frames = self.planar(body)
        if frames is not None and len(way) > 1:
            found = self._in_plane(body, *frames)
            angles = {f"turn{body}": angle(*frames)}
        else:
            found = self._turned(way, body)
            angles = {f"angle{hinge.key}": hinge.connection.joint["angle"] for hinge in way}
        turned = found[k % 7 - 3]
        rate = summed([mul(derivative(turned, key), name(f"{key}{RATE}")) for key in angles])
        return (str(turned), str(rate)), angles

    def planar(self, body: int) -> tuple[Frame, Frame] | None:
        """Frames on the ground and on a body whose z axes stay parallel, if all hinges on the way have one axis."""
        way = self.way(body)
        if not way:
            return None
        for one, next_one in pairwise(way):
            first, second = (hinge.side(one.far).axes[:, 2] for hinge in (one, next_one))
            if float(np.abs(np.cross(first, second)).max()) > STRAIGHT:
                return None
        ground, own = way[0].side(0).axes, way[-1].side(body).axes
        frames = [part.frame(local=(0, 0, 0), z=axes[:, 2], x=axes[:, 0])
                  for part, axes in ((self.bodies[0], ground), (self.bodies[body], own))]
        if frames[0].drawn_axes[:, 2] @ frames[1].drawn_axes[:, 2] < 0:
            frames[1] = self.bodies[body].frame(local=(0, 0, 0), z=-own[:, 2], x=own[:, 0])
        return frames[0], frames[1]

    def _in_plane(self, body: int, on_ground: Frame, on_body: Frame) -> Four:
        """The Euler parameters of a body over the angle that it has turned in its plane."""
        a, b = plane_pair(on_ground, on_body, self.starts[body - 1])
        half = div(name(f"turn{body}"), 2)
        c, s = ALGEBRA["cos"](half), ALGEBRA["sin"](half)
        w, x, y, z = (add(mul(float(u), c), mul(float(v), s)) for u, v in zip(a, b, strict=True))
        return w, x, y, z

    def _turned(self, way: list[Hinge], body: int) -> Four:
        """The Euler parameters of a body over the angles of hinges, with the sign that the start has."""
        found: Four = (number(1), ZERO, ZERO, ZERO)
        drawn = np.array([1.0, 0.0, 0.0, 0.0])
        for hinge in way:
            a, b = hinge.half_turn(self.starts[hinge.far - 1])
            half = div(name(f"angle{hinge.key}"), 2)
            c, s = ALGEBRA["cos"](half), ALGEBRA["sin"](half)
            w, x, y, z = (add(mul(number(u), c), mul(number(v), s)) for u, v in zip(a, b, strict=True))
            found = quaternion_product(found, (w, x, y, z))
            d = hinge.connection.joint["angle"].drawn_value / 2
            turn = np.array(a) * np.cos(d) + np.array(b) * np.sin(d)
            drawn = np.array([node.value for node in quaternion_product(four(drawn), four(turn))])
        if drawn @ self.starts[body - 1].euler < 0:
            found = (neg(found[0]), neg(found[1]), neg(found[2]), neg(found[3]))
        return found

    def way(self, body: int) -> list[Hinge] | None:
        """The fewest revolute and cylindrical joints that lead from the frame to a body."""
        ways: dict[int, list[Hinge]] = {0: []}
        waiting = [0]
        for near in waiting:  # grows while it is walked
            for key, connection in self.connections.items():
                ends = [side.body for side in connection.sides]
                if connection.kind in TURNING and near in ends:
                    far = ends[1 - ends.index(near)]
                    if far not in ways:
                        ways[far] = [*ways[near], Hinge(key, connection, near, far)]
                        waiting.append(far)
        return ways.get(body)


def plane_pair(on_ground: Frame, on_body: Frame, start: Start) -> tuple[Array, Array]:
    """a and b of e0..e3 = a cos(d/2) + b sin(d/2), d the angle of two frames whose z axes stay parallel."""
    return euler_pair(on_ground.axes, on_body.axes, 1.0, angle(on_ground, on_body).drawn_value, start)


def four(p: Array) -> Four:
    """Numbers as Euler parameters."""
    w, x, y, z = (number(float(v)) for v in p)
    return w, x, y, z


# writing


def relative_turn(hinge: Hinge, starts: Sequence[Start]) -> tuple[Node, Node, Node, Node]:
    """cos(d/2) and sin(d/2) of a hinge between two bodies, and their rates, over Euler parameters: with those of the
    far body seen from the near one, p = near* far, they are a.p and b.p."""
    a, b = hinge.half_turn(starts[hinge.far - 1])
    near, far = starts[hinge.near - 1].euler, starts[hinge.far - 1].euler
    seen = np.array([node.value for node in quaternion_product(conjugate(four(near)), four(far))])
    d = hinge.connection.joint["angle"].drawn_value / 2
    sign = 1.0 if (np.array(a) * np.cos(d) + np.array(b) * np.sin(d)) @ seen > 0 else -1.0
    i, j = _parameters("q", hinge.near), _parameters("q", hinge.far)
    p = quaternion_product(conjugate(i), j)
    turning = zip(quaternion_product(conjugate(_parameters("qp", hinge.near)), j),
                  quaternion_product(conjugate(i), _parameters("qp", hinge.far)), strict=True)
    rates = [add(u, v) for u, v in turning]
    along = [summed([mul(sign * c, node) for c, node in zip(v, nodes, strict=True)])
             for nodes in (p, rates) for v in (a, b)]
    return along[0], along[1], along[2], along[3]


def _parameters(letter: str, body: int) -> Four:
    """Names of e0..e3 of a body, or of their rates."""
    w, x, y, z = (name(f"{letter}{7 * body - 3 + k}") for k in range(4))
    return w, x, y, z
