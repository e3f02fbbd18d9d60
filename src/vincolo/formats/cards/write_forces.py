"""Springs, laws and actuators of a model as SPDamp and Force: formulas over d and dd as formulas over q and qp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vincolo.formats.cards.bodies import Start
from vincolo.formats.cards.connections import Connection
from vincolo.formats.cards.coordinates import half_turn, line_of
from vincolo.formats.cards.measured import Hinge, relative_turn
from vincolo.formats.cards.symbols import (
    ZERO,
    Node,
    Unsaid,
    add,
    div,
    mul,
    name,
    neg,
    number,
    of_function,
    of_tape,
    power,
    sub,
    total,
)
from vincolo.model.forces import Law, Spring
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure

D, RATE = name("d"), name("dd")


def resistance(part: Spring | Law, value_of: Callable[[Measure], Place]) -> Node:
    """The force of a spring or law against its measure, over d (its value), dd (its rate), t, and coordinates where it
    depends on other measures: `value_of` tells what those are."""
    if isinstance(part, Spring):
        return total([mul(part.k, sub(D, part.length)), mul(part.c, RATE), number(part.preload)])
    if part.history is not None:
        found = of_function(part.history)
    elif part.formula is not None:
        inputs = [{"d": D, "dd": RATE}.get(symbol) or name(symbol) for symbol in part.formula.inputs]
        found = of_tape(part.formula, inputs)
        for symbol, other in part.others:
            found = _without(found, symbol, value_of(other))
    elif part.called is not None:
        raise Unsaid("is a Python function; cards have formulas")
    else:
        raise Unsaid("goes by a curve over its value; cards have formulas")
    return neg(found) if part.sign > 0 else found


def _without(force: Node, symbol: str, place: Place) -> Node:
    """A formula with the measure of this name, and its rate, in terms of coordinates."""
    names = {D: name("own d"), RATE: name("own dd"), name(symbol): D, name(f"{symbol}_rate"): RATE}
    found = place.over(force.replaced(names.get))
    return found.replaced({name("own d"): D, name("own dd"): RATE}.get)


def scaled(force: Node, factor: float) -> Node:
    """The force against d of a law along the measure factor*d."""
    if factor == 1.0:
        return force
    values = {D: mul(factor, D), RATE: mul(factor, RATE)}
    return total([mul(factor, term) for term in _terms(force.replaced(values.get))])


@dataclass(frozen=True)
class Parted:
    """K (d - L0) + C dd + A"""

    K: Node
    L0: Node
    C: Node
    A: Node

    @property
    def entries(self) -> list[tuple[str, object]]:
        """As the card has them."""
        return [("K", self.K), ("L0", self.L0), ("C", self.C), ("A", self.A)]

    def over(self, place: Place) -> Parted:
        """The same with d and dd in terms of coordinates."""
        return Parted(*(place.over(node) for node in (self.K, self.L0, self.C, self.A)))


def parted(force: Node) -> Parted:
    """A force as stiffness, free length, damping and what is left."""
    K, C, A, rest = [], [], [], None
    for term in _terms(force):
        number_, factors = _factors(term)
        stiff = next((f for f in factors if _line(f) is not None), None)
        if stiff is not None and rest in (None, _rest(stiff)):
            slope, rest = _line(stiff)[0], _rest(stiff)  # type: ignore[index]  # it is a line
            K.append(_product(number_ * slope, [f for f in factors if f is not stiff]))
        elif RATE in factors:
            left = list(factors)
            left.remove(RATE)
            C.append(_product(number_, left))
        else:
            A.append(term)
    return Parted(total(K), number(rest or 0.0), total(C), total(A))


def _rest(line: Node) -> float:
    """Where a line a d + b is zero."""
    slope, value = _line(line)  # type: ignore[misc]  # it is a line
    return -value / slope + 0.0


def _line(node: Node) -> tuple[float, float] | None:
    """(a, b) of a d + b with numbers a, not zero, and b."""
    if node == D:
        return 1.0, 0.0
    if node.op in ("add", "sub") and node.holds("d"):
        first, second = (_constant_or_line(arg) for arg in node.args)
        if first is None or second is None:
            return None
        sign = 1.0 if node.op == "add" else -1.0
        return (first[0] + sign * second[0], first[1] + sign * second[1]) if first[0] + sign * second[0] else None
    return None


def _constant_or_line(node: Node) -> tuple[float, float] | None:
    if node.op == "number":
        return 0.0, node.value
    factor, rest = _factors(node)
    line = _line(rest[0]) if len(rest) == 1 else None
    return None if line is None else (factor * line[0], factor * line[1])


def _terms(node: Node, sign: float = 1.0) -> list[Node]:
    """The terms of a sum."""
    if node.op in ("add", "sub"):
        second = sign if node.op == "add" else -sign
        return _terms(node.args[0], sign) + _terms(node.args[1], second)
    if node.op == "neg":
        return _terms(node.args[0], -sign)
    return [] if node == ZERO else [node if sign > 0 else neg(node)]


def _factors(node: Node) -> tuple[float, list[Node]]:
    """The number and the other factors of a product."""
    if node.op == "number":
        return node.value, []
    if node.op == "neg":
        value, factors = _factors(node.args[0])
        return -value, factors
    if node.op == "mul":
        (a, first), (b, second) = (_factors(arg) for arg in node.args)
        return a * b, first + second
    if node.op == "div" and node.args[1].op == "number" and node.args[1].value:
        value, factors = _factors(node.args[0])
        return value / node.args[1].value, factors
    return 1.0, [node]


def _product(value: float, factors: Sequence[Node]) -> Node:
    found = number(value)
    for factor in factors:
        found = mul(found, factor)
    return found


# d and dd over coordinates


class Place:
    """Where a force acts whose d and dd are not functions of coordinates that a card could name."""

    why = "depends on its own length or angle in another way than K (d - L0) + C d'"

    def over(self, node: Node) -> Node:
        """A formula over d, dd and t as one over q, qp and t."""
        return node.replaced(self.change)

    def change(self, node: Node) -> Node | None:
        """What takes the place of a node."""
        if node in (D, RATE):
            raise Unsaid(self.why)
        return None


@dataclass(frozen=True)
class Line(Place):
    """d = (q_k - start)/slope: along an axis of the world, or of a joint on the frame."""

    k: int
    start: float
    slope: float

    def change(self, node: Node) -> Node | None:
        """q and qp in the place of d and dd."""
        if node == D:
            return div(sub(name(f"q{self.k}"), self.start), self.slope)
        return div(name(f"qp{self.k}"), self.slope) if node == RATE else None


@dataclass(frozen=True)
class Sum(Place):
    """d = start + sum of factors times coordinates."""

    start: float
    shares: tuple[tuple[int, float], ...]

    def change(self, node: Node) -> Node | None:
        """Sums of q and qp in the place of d and dd."""
        if node == D:
            return add(total([mul(c, name(f"q{k}")) for k, c in self.shares]), self.start)
        return total([mul(c, name(f"qp{k}")) for k, c in self.shares]) if node == RATE else None


@dataclass(frozen=True)
class Direction(Place):
    """d = e_j . R e_k, an entry of the rotation R = (2 e0^2 - 1) 1 + 2 v v^T + 2 e0 [v] of a body, v = (e1, e2, e3)."""

    body: int
    j: int
    k: int

    why = "depends on how fast the axes of a body turn"

    def change(self, node: Node) -> Node | None:
        """Euler parameters in the place of d."""
        if node != D:
            return super().change(node)
        w, *v = (name(f"q{7 * self.body - 3 + i}") for i in range(4))
        found = mul(2, mul(v[self.j], v[self.k]))
        if self.j == self.k:
            return add(found, sub(mul(2, power(w, 2)), 1))
        sign = 2.0 if (self.j - self.k) % 3 == 1 else -2.0
        return add(found, mul(sign, mul(w, v[3 - self.j - self.k])))


def line_place(connection: Connection, points: tuple[Array, Array], drawn: float) -> Place:
    """The line that a joint on the frame leads a body along, for a distance of points of ground and body."""
    found = line_of(connection, *points, drawn)
    if found is None:
        return Place()
    body, start, way = found
    k = int(np.argmax(np.abs(way)))
    return Line(7 * (body - 1) + k + 1, float(start[k]), float(way[k]))


@dataclass(frozen=True)
class Turn(Place):
    """The angle d of a joint on the frame: e0..e3 = a cos(d/2) + b sin(d/2), so that cos(d/2) = a.p, sin(d/2) = b.p."""

    first: int  # number of e0
    a: tuple[float, ...]
    b: tuple[float, ...]

    why = "depends on the angle itself, which Euler parameters do not count over turns"

    def _along(self, v: tuple[float, ...], letter: str) -> Node:
        return total([mul(c, name(f"{letter}{self.first + k}")) for k, c in enumerate(v)])

    @property
    def _half(self) -> tuple[Node, Node, Node, Node]:
        """cos(d/2), sin(d/2), and -sin(d/2) dd/2, cos(d/2) dd/2."""
        a, b, a_rate, b_rate = (self._along(v, letter) for letter in ("q", "qp") for v in (self.a, self.b))
        return a, b, a_rate, b_rate

    def change(self, node: Node) -> Node | None:
        """Cosines and sines of d and d/2, and dd, over Euler parameters."""
        cosine, sine, cosine_rate, sine_rate = self._half
        if node.op in ("mul", "neg", "div") and node.holds("dd"):
            return self._with_rate(node)
        if node == RATE:
            return mul(2, sub(mul(cosine, sine_rate), mul(sine, cosine_rate)))
        if node.op in ("cos", "sin") and abs(_multiple(node.args[0])) in (0.5, 1.0):
            half, sign = abs(_multiple(node.args[0])) == 0.5, float(np.sign(_multiple(node.args[0])))
            if node.op == "cos":
                return cosine if half else sub(power(cosine, 2), power(sine, 2))
            return mul(sign, sine if half else mul(2, mul(cosine, sine)))
        return super().change(node) if node == D else None

    def _with_rate(self, node: Node) -> Node | None:
        """sin(d/2) dd and cos(d/2) dd are rates of Euler parameters."""
        value, factors = _factors(node)
        halves = [f for f in factors if f.op in ("cos", "sin") and abs(_multiple(f.args[0])) == 0.5]
        if RATE not in factors or not halves:
            return None
        left, taken = list(factors), halves[0]
        left.remove(RATE)
        left.remove(taken)
        sign = float(np.sign(_multiple(taken.args[0])))
        rate, per = (self._half[2], -2 * sign) if taken.op == "sin" else (self._half[3], 2.0)
        return mul(_product(value * per, left).replaced(self.change), rate)


@dataclass(frozen=True)
class Between(Turn):
    """The angle d of a joint between two bodies, by cos(d/2) and sin(d/2) and their rates."""

    halves: tuple[Node, Node, Node, Node] = (ZERO,) * 4

    @property
    def _half(self) -> tuple[Node, Node, Node, Node]:
        return self.halves


def _multiple(node: Node) -> float:
    """c of c d; 0 if it is not of that form."""
    value, factors = _factors(node)
    return value if factors == [D] else 0.0


def turn_place(connection: Connection, starts: Sequence[Start]) -> Place:
    """The angle of a joint, over Euler parameters."""
    found = connection.on_ground()
    if found is None:
        first, second = (side.body for side in connection.sides)
        return Between(0, (), (), relative_turn(Hinge(0, connection, first, second), starts))
    body = found[1].body
    a, b = half_turn(connection, starts[body - 1])
    return Turn(7 * (body - 1) + 4, tuple(a.tolist()), tuple(b.tolist()))


# forces along axes of the world


@dataclass(frozen=True)
class Push:
    """A force by a formula on a body: its number, its point as formulas over t, and its three components."""

    body: int
    point: list[Node]
    force: list[Node]


def pushed(force: Node, body: int, point: list[Node], axis: Array, start: Array) -> Push:
    """The force of a law against d = axis . (r - start), r a point of a body; over d only at its centre."""
    if force.holds("d") or force.holds("dd"):
        k = int(np.argmax(np.abs(axis)))
        if any(p != ZERO for p in point) or abs(abs(axis[k]) - np.abs(axis).sum()) > 1e-12:
            raise Unsaid("depends on a coordinate that is not x, y or z of a centre of mass")
        force = Line(7 * (body - 1) + k + 1, float(start[k]), 1 / float(axis[k])).over(force)
    return Push(body, point, [mul(-float(c), force) for c in axis])


def moved_point(point: Array, along: Sequence[Node | None]) -> list[Node]:
    """A point that moves on its body by formulas of time."""
    return [add(float(p), f or ZERO) for p, f in zip(point, along, strict=True)]
