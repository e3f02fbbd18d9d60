"""Coordinates of bodies in expressions: where a body is, how fast its symbols change, and along which directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.symbolic.calculus import Direction
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.names import plain

Nodes = Any  # nodes in a numpy array
XYZ = "xyz"
DOTS = ("{0}", "{0}dot", "{0}ddot")  # behind the letter of a coordinate: its rates


class Coordinates(ABC):
    """What rows and forces need of coordinates q with velocities u."""

    kind: str
    held: frozenset[str] = frozenset()  # joints that hold by the choice of coordinates

    def __init__(self, graph: Graph) -> None:
        self.graph, self.time = graph, graph.symbol("t")
        self.q: list[Node] = []
        self.u: list[Node] = []
        self.a: list[Node] = []  # u'
        self.rates: list[Node] = []  # q' by u
        self.flow: dict[Node, Node] = {self.time: graph.one}  # d/dt of all symbols, at u' = 0

    @abstractmethod
    def pose(self, body: int) -> tuple[Nodes, Nodes]:
        """Centre of mass and axes of a body, in the world."""

    @abstractmethod
    def columns(self, body: int) -> range | list[int]:
        """Numbers of the velocities that move a body."""

    @abstractmethod
    def direction(self, column: int) -> Direction:
        """How symbols of the position change with one unit of a velocity."""

    @abstractmethod
    def spin(self, body: int, column: int) -> Nodes:
        """The angular velocity of a body, in world axes, for one unit of a velocity."""

    @abstractmethod
    def inertia(self, body: int, mass: Node, tensor: Nodes, gravity: Nodes) -> tuple[Matrix, Vector]:
        """What a body adds to M and to Q: inertia, weight and what velocities ask for."""

    @abstractmethod
    def letter(self, key: tuple[Any, ...], bodies: list[str]) -> str:
        """The name of a symbol for readers."""


Matrix = dict[tuple[int, int], Node]
Vector = dict[int, Node]


def cross(a: Nodes, b: Nodes) -> Nodes:
    """a x b of nodes."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def symbols(graph: Graph, kind: str, body: int, count: int) -> Nodes:
    """Symbols of a body."""
    return np.array([graph.symbol((kind, body, k)) for k in range(count)], dtype=object)


def constants(graph: Graph, x: Array) -> Nodes:
    """Numbers as nodes."""
    found = np.empty(np.shape(x), dtype=object)
    for index in np.ndindex(found.shape):
        found[index] = graph.number(float(x[index]))
    return found


def add(total: dict[Any, Node], key: Any, term: Node) -> None:
    """Adds a term to an entry of a matrix or vector, if it is not zero."""
    if not term.is_number(0.0):
        total[key] = total[key] + term if key in total else term


def is_round(tensor: Nodes) -> bool:
    """Whether a tensor is a number times one."""
    d = tensor[0, 0]
    return all(tensor[i, j] is d if i == j else tensor[i, j].is_number(0.0) for i in range(3) for j in range(3))


class _Bodies(Coordinates):
    """What coordinates of one body after another share."""

    size: int

    def __init__(self, graph: Graph, count: int) -> None:
        super().__init__(graph)
        self.poses: list[tuple[Nodes, Nodes]] = []
        for body in range(count):
            self._add(body)

    @abstractmethod
    def _add(self, body: int) -> None:
        """Makes the symbols of a body."""

    def pose(self, body: int) -> tuple[Nodes, Nodes]:
        return self.poses[body]

    def columns(self, body: int) -> range:
        return range(self.size * body, self.size * body + self.size)

    def letter(self, key: tuple[Any, ...], bodies: list[str]) -> str:
        return letter_of(key, bodies)


class Twists(_Bodies):
    """Position r of the centre of mass and axes A, which Euler parameters p give; velocities v and w in world axes."""

    kind = "twists"
    size = 6

    def _add(self, body: int) -> None:
        graph = self.graph
        r, v, w, p = (symbols(graph, kind, body, n) for kind, n in (("r", 3), ("v", 3), ("w", 3), ("p", 4)))
        A = np.array([[graph.symbol(("A", body, i, j)) for j in range(3)] for i in range(3)], dtype=object)
        self.q += [*r, *p]
        self.u += [*v, *w]
        self.a += [graph.symbol(("u'", body, k)) for k in range(6)]
        self.rates += [*v, *(0.5 * (world_G(p).T @ w))]
        self.flow |= dict(zip(r, v, strict=True)) | _turned(A, w)
        self.poses.append((r, A))

    def direction(self, column: int) -> Direction:
        body, k = divmod(column, 6)
        r, A = self.poses[body]
        if k < 3:
            return {r[k]: self.graph.one}
        return _turned(A, constants(self.graph, np.eye(3)[k - 3]))

    def spin(self, body: int, column: int) -> Nodes:
        e = np.zeros(3)
        if column // 6 == body and column % 6 >= 3:
            e[column % 6 - 3] = 1.0
        return constants(self.graph, e)

    def inertia(self, body: int, mass: Node, tensor: Nodes, gravity: Nodes) -> tuple[Matrix, Vector]:
        """M = diag(m 1, I), Q = (m g, -w x I w) with I = A J A^T."""
        _, A = self.poses[body]
        first = 6 * body
        w = np.array(self.u[first + 3: first + 6], dtype=object)
        inertia = tensor if is_round(tensor) else _symmetric(A @ tensor @ A.T)
        M: Matrix = {}
        Q: Vector = {}
        gyroscopic = constants(self.graph, np.zeros(3)) if is_round(tensor) else cross(inertia @ w, w)
        for k in range(3):
            add(M, (first + k, first + k), mass)
            add(Q, first + k, mass * gravity[k])
            add(Q, first + 3 + k, gyroscopic[k])
            for j in range(3):
                add(M, (first + 3 + k, first + 3 + j), inertia[k, j])
        return M, Q


class EulerParameters(_Bodies):
    """Seven coordinates a body, its centre of mass and the Euler parameters of its axes, which are of unit length."""

    kind = "euler parameters"
    size = 7

    def _add(self, body: int) -> None:
        q, dq = (symbols(self.graph, kind, body, 7) for kind in ("q", "q'"))
        self.q += [*q]
        self.u += [*dq]
        self.rates += [*dq]
        self.a += [self.graph.symbol(("q''", body, k)) for k in range(7)]
        self.flow |= dict(zip(q, dq, strict=True))
        self.poses.append((q[:3], axes_of(q[3:])))

    def direction(self, column: int) -> Direction:
        return {self.q[column]: self.graph.one}

    def spin(self, body: int, column: int) -> Nodes:
        if column // 7 != body or column % 7 < 3:
            return constants(self.graph, np.zeros(3))
        return 2.0 * world_G(np.array(self.q[7 * body + 3: 7 * body + 7], dtype=object))[:, column % 7 - 3]

    def inertia(self, body: int, mass: Node, tensor: Nodes, gravity: Nodes) -> tuple[Matrix, Vector]:
        """M = diag(m 1, 4 G^T J G), Q = (m g, 8 G'^T J G' p) with G in body axes."""
        first = 7 * body
        p, dp = (np.array(x[first + 3: first + 7], dtype=object) for x in (self.q, self.u))
        G, dG = body_G(p), body_G(dp)
        block, turning = _symmetric(4.0 * (G.T @ tensor @ G)), 8.0 * (dG.T @ (tensor @ (dG @ p)))
        M: Matrix = {}
        Q: Vector = {}
        for k in range(3):
            add(M, (first + k, first + k), mass)
            add(Q, first + k, mass * gravity[k])
        for i in range(4):
            add(Q, first + 3 + i, turning[i])
            for j in range(4):
                add(M, (first + 3 + i, first + 3 + j), block[i, j])
        return M, Q


def _symmetric(x: Nodes) -> Nodes:
    """The same with the upper half taken for both."""
    return np.array([[x[min(i, j), max(i, j)] for j in range(len(x))] for i in range(len(x))], dtype=object)


def _turned(A: Nodes, w: Nodes) -> dict[Node, Node]:
    """A' = w x A, entry by entry."""
    found: dict[Node, Node] = {}
    for j in range(3):
        found |= dict(zip(A[:, j], cross(w, A[:, j]), strict=True))
    return found


def axes_of(p: Nodes) -> Nodes:
    """The axes (columns) of Euler parameters of unit length: A = (2 e0^2 - 1) 1 + 2 (e e^T + e0 [e x])."""
    e0, e1, e2, e3 = p
    return np.array([[2.0 * (e0 * e0 + e1 * e1) - 1.0, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)],
                     [2.0 * (e1 * e2 + e0 * e3), 2.0 * (e0 * e0 + e2 * e2) - 1.0, 2.0 * (e2 * e3 - e0 * e1)],
                     [2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 2.0 * (e0 * e0 + e3 * e3) - 1.0]],
                    dtype=object)


def world_G(p: Nodes) -> Nodes:
    """The matrix with w = 2 G p' in world axes."""
    e0, e1, e2, e3 = p
    return np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]], dtype=object)


def body_G(p: Nodes) -> Nodes:
    """The matrix with w = 2 G p' in body axes."""
    e0, e1, e2, e3 = p
    return np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]], dtype=object)


def letter_of(key: tuple[Any, ...], bodies: list[str]) -> str:
    """The name of a symbol of a body: x_crank, xdot_crank, e_0_crank, v_x_crank, A_12_crank."""
    kind, body, *k = key
    own = plain(bodies[body])
    if kind in ("q", "q'", "q''", "r", "p"):
        dots = DOTS[kind.count("'")]
        number = k[0] + (3 if kind == "p" else 0)
        return f"{dots.format(XYZ[number])}_{own}" if number < 3 else f"{dots.format('e')}_{number - 3}_{own}"
    if kind == "A":
        return f"A_{k[0] + 1}{k[1] + 1}_{own}"
    if kind == "u'":
        return f"{'vdot' if k[0] < 3 else 'omegadot'}_{XYZ[k[0] % 3]}_{own}"
    return f"{'omega' if kind == 'w' else kind}_{XYZ[k[0]]}_{own}"
