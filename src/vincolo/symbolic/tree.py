"""Joint coordinates: a tree of joints gives the places of bodies, joints that close loops are cut and stay as rows.

Velocities of a body are kept in its own axes, column by column: v = V u, w = W u. So expressions have the angles
between bodies in them, not those against the world.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Frame, Joint
from vincolo.symbolic.calculus import Derivative, Direction
from vincolo.symbolic.coordinates import Coordinates, Matrix, Nodes, Vector, add, constants, cross
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.names import plain

if TYPE_CHECKING:
    from vincolo.symbolic.mechanism import Mechanism

AXIS = {"x": 0, "y": 1, "z": 2}
FREE = ("x", "y", "z", "ball")  # what a body can do that no joint of the tree holds


@dataclass(frozen=True)
class Move:
    """An elementary motion: a turn about, or a slide along, an axis by a coordinate; a screw does both."""

    axis: int
    column: int | None  # None: by a fixed angle
    turns: bool
    lead: float = 0.0  # of a screw [m/rad]
    angle: float = 0.0  # of a fixed turn


@dataclass(frozen=True, eq=False)
class Link:
    """How a body hangs on another one: by a joint from a to b or the other way, or free over the ground."""

    body: str
    parent: str
    joint: Joint | None
    backwards: bool
    moves: tuple[Move, ...]


@dataclass
class Placed:
    """A body in the tree: its centre of mass and axes in the world, its velocities by columns in its own axes."""

    r: Nodes
    A: Nodes
    V: dict[int, Nodes] = field(default_factory=dict)
    W: dict[int, Nodes] = field(default_factory=dict)


class Tree(Coordinates):
    """Coordinates of the joints of a tree."""

    kind = "joint"

    def __init__(self, graph: Graph, mechanism: Mechanism, angles: str) -> None:
        super().__init__(graph)
        self._mechanism, self._angles = mechanism, angles
        self.labels: list[str] = []  # of coordinates, such as "O.angle"
        self.links = self._span()
        count = len(self.labels)
        self.q, self.u, self.a = ([graph.symbol(("joint", k, order)) for k in range(count)] for order in range(3))
        self.rates = self.u
        self.flow |= dict(zip(self.q, self.u, strict=True))
        self.held = frozenset(link.joint.name for link in self.links if link.joint is not None)
        self._along = Derivative(graph, self.flow)
        mechanism.parameters.known.update(dict.fromkeys(self.labels, 0.0))
        self._placed: dict[str, Placed] = {"ground": Placed(constants(graph, np.zeros(3)), constants(graph, np.eye(3)))}
        for link in self.links:
            self._placed[link.body] = self._place(link)
        self._by_number = [self._placed[name] for name in mechanism.numbers]

    # the tree

    def _span(self) -> list[Link]:
        """Bodies in an order in which each hangs on the ground or an earlier one, by the first joint that allows it."""
        model, links, reached = self._mechanism.model, [], {"ground"}
        left = [j for j in model.joints.values() if j.definition.moves is not None
                and j.a.motion is None and j.b.motion is None]
        while len(reached) <= len(model.bodies):
            joint = next((j for j in left if (j.a.body.name in reached) != (j.b.body.name in reached)), None)
            if joint is None:
                body = next(name for name in model.bodies if name not in reached)
                links.append(Link(body, "ground", None, False, self._moves(body, FREE, 0.0, {})))
            else:
                left.remove(joint)
                links.append(self._hung(joint, reached))
            reached.add(links[-1].body)
        return links

    def _hung(self, joint: Joint, reached: set[str]) -> Link:
        backwards = joint.b.body.name in reached
        parent, child = (joint.b, joint.a) if backwards else (joint.a, joint.b)
        lead = joint.parameters.get("pitch", 0.0) / (2 * math.pi) * (-1 if joint.mirrored else 1)
        moves = self._moves(joint.name, joint.definition.moves or (), lead, joint.definition.coordinates)
        return Link(child.body.name, parent.body.name, joint, backwards, moves)

    def _moves(self, owner: str, moves: tuple[str, ...], lead: float, known: Any) -> tuple[Move, ...]:
        found: list[Move] = []
        turns = moves.count("turn")
        for move in moves:
            if move == "quarter":
                found.append(Move(1, None, True, angle=math.pi / 2))
            elif move == "ball":
                found += [Move(AXIS[a], self._new(f"{owner}.turn{k + 1}"), True) for k, a in enumerate(self._angles)]
            elif move in ("turn", "screw"):
                nth = 1 + sum(1 for m in found if m.turns and m.column is not None)
                found.append(Move(2, self._new(f"{owner}.angle{nth if turns > 1 else ''}"), True, lead))
            else:
                travel = "travel" in known and len(moves) - turns == 1
                found.append(Move(AXIS[move], self._new(f"{owner}.{'travel' if travel else move}"), False))
        return tuple(found)

    def _new(self, label: str) -> int:
        self.labels.append(label)
        return len(self.labels) - 1

    # places and velocities

    def _place(self, link: Link) -> Placed:
        """Goes from the parent to its frame of the joint, along the motions, and on to the centre of mass."""
        parent, zero = self._placed[link.parent], constants(self.graph, np.zeros(3))
        s, C, s2, C2 = self._ends(link)
        d, R = s, C  # place and axes on the way, in the axes of the parent
        way = {k: (C.T @ (parent.V[k] + cross(parent.W[k], s)), C.T @ parent.W[k]) for k in parent.V}
        for move in reversed(link.moves) if link.backwards else link.moves:
            slide, turn, own = self._motion(move, -1.0 if link.backwards else 1.0)
            d, R = d + R @ slide, R @ turn
            way = {k: (turn.T @ (v + cross(w, slide)), turn.T @ w) for k, (v, w) in way.items()}
            way |= own
        c, R_child = -(C2.T @ s2), R @ C2.T
        V = {k: C2 @ (v + cross(w, c)) for k, (v, w) in way.items()}
        W = {k: C2 @ w + zero for k, (_, w) in way.items()}
        return Placed(parent.r + parent.A @ (d + R @ c), parent.A @ R_child, V, W)

    def _ends(self, link: Link) -> tuple[Nodes, Nodes, Nodes, Nodes]:
        """The frames of a link on the parent and on the child."""
        one, zero = constants(self.graph, np.eye(3)), constants(self.graph, np.zeros(3))
        if link.joint is None:
            return zero, one, zero, one
        name = link.joint.name
        ends: list[tuple[str, Frame]] = [(f"{name}.a", link.joint.a), (f"{name}.b", link.joint.b)]
        first, second = ends[::-1] if link.backwards else ends
        return (*self._mechanism.lever(*first), *self._mechanism.lever(*second))

    def _motion(self, move: Move, sign: float) -> tuple[Nodes, Nodes, dict[int, tuple[Nodes, Nodes]]]:
        """How far a motion goes, how it turns, and its velocity and angular velocity by its own column."""
        e, zero = constants(self.graph, sign * np.eye(3)[move.axis]), constants(self.graph, np.zeros(3))
        if move.column is None:
            return zero, self._rotation(move.axis, self.graph.number(sign * move.angle)), {}
        q = self.q[move.column]
        if not move.turns:
            return e * q, constants(self.graph, np.eye(3)), {move.column: (e, zero)}
        return e * (move.lead * q), self._rotation(move.axis, sign * q), {move.column: (move.lead * e, e)}

    def _rotation(self, axis: int, angle: Node) -> Nodes:
        c, s = self.graph.make("cos", angle), self.graph.make("sin", angle)
        if angle.constant is not None:  # a quarter turn
            c, s = (self.graph.number(round(x.data, 15)) for x in (c, s))
        elif angle.op == "neg":
            inner = angle.args[0]
            c, s = self.graph.make("cos", inner), -self.graph.make("sin", inner)
        found = constants(self.graph, np.eye(3))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        found[i, i], found[j, j], found[i, j], found[j, i] = c, c, -s, s
        return found

    # what rows and forces ask for

    def pose(self, body: int) -> tuple[Nodes, Nodes]:
        placed = self._by_number[body]
        return placed.r, placed.A

    def columns(self, body: int) -> list[int]:
        return sorted(self._by_number[body].V)

    def vectors(self, body: int, part: int) -> dict[int, Nodes]:
        """The velocities (part 0) or angular velocities (1) of a body in its own axes, by columns."""
        placed = self._by_number[body]
        return placed.W if part else placed.V

    def direction(self, column: int) -> Direction:
        return {self.q[column]: self.graph.one}

    def spin(self, body: int, column: int) -> Nodes:
        placed = self._by_number[body]
        return placed.A @ placed.W[column]

    def inertia(self, body: int, mass: Node, tensor: Nodes, gravity: Nodes) -> tuple[Matrix, Vector]:
        """M = m V^T V + W^T J W; Q = weight - m V^T (v' + w x v) - W^T (J w' + w x J w), at u' = 0 in body axes."""
        placed, u = self._by_number[body], self.u
        V, W = placed.V, placed.W
        zero = constants(self.graph, np.zeros(3))
        v, w = (sum((X[k] * u[k] for k in X), zero) for X in (V, W))
        rate = np.vectorize(self._along, otypes=[object])
        force = mass * (rate(v) + cross(w, v))
        torque = tensor @ rate(w) + cross(w, tensor @ w)
        M: Matrix = {}
        Q: Vector = {}
        for i in V:
            fall = Derivative(self.graph, self.direction(i))
            weight = sum((gravity[k] * fall(placed.r[k]) for k in range(3)), self.graph.zero)
            add(Q, i, mass * weight - (V[i] @ force + W[i] @ torque))
            for j in V:
                a, b = min(i, j), max(i, j)
                add(M, (i, j), mass * (V[a] @ V[b]) + W[a] @ (tensor @ W[b]))
        return M, Q

    def letter(self, key: tuple[Any, ...], bodies: list[str]) -> str:
        """The name of a coordinate, velocity or acceleration: the user's own, or q with the name of the joint."""
        _, column, order = key
        given = self._mechanism.parameters.asked.get(self.labels[column])
        name = given if isinstance(given, str) else f"q_{plain(self.labels[column])}"
        head, _, tail = name.partition("_")
        return f"{head}{('', 'dot', 'ddot')[order]}{'_' + tail if tail else ''}"


def make_tree(graph: Graph, mechanism: Mechanism, angles: str) -> Tree:
    """The joint coordinates of a mechanism."""
    if len(angles) != 3 or any(a not in AXIS for a in angles) or angles[0] == angles[1] or angles[1] == angles[2]:
        raise ModelError(f"equations: angles is {angles!r}; balls turn by three angles about axes such as 'xyz' or "
                         "'zxz', of which no two neighbours are the same.")
    return Tree(graph, mechanism, angles)
