"""Expressions as a graph: every distinct operation once. The definitions of measures and functions run on its nodes.

A node has numpy's names for functions as methods (`sqrt`, `arctan2`, ...), so that whatever is written with
vincolo.equations.arithmetic works on it. Sums of nothing and products with one are left out at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vincolo.model.tape import FLOATS

COMMUTATIVE = ("add", "mul")
PLAIN = (int, float)


class NotClosed(TypeError):
    """A definition decided something by the value of a node: it has no closed form."""


class Node:
    """One operation of a graph: its name, the nodes it works on, and what else belongs to it."""

    __slots__ = ("args", "data", "graph", "id", "op")

    def __init__(self, graph: Graph, number: int, op: str, args: tuple[Node, ...], data: Any) -> None:
        self.graph, self.id, self.op, self.args, self.data = graph, number, op, args, data

    @property
    def constant(self) -> float | None:
        """Its number, if it is one."""
        return float(self.data) if self.op == "const" else None

    def is_number(self, x: float) -> bool:
        """Whether it is this number."""
        return self.op == "const" and bool(self.data == x)

    def __neg__(self) -> Node:
        return self.graph.make("neg", self)

    def _with(self, op: str, first: Any, second: Any) -> Any:
        if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
            return NotImplemented  # numpy goes through it entry by entry
        return self.graph.make(op, first, second)

    def __add__(self, other: Any) -> Any:
        return self._with("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._with("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._with("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._with("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._with("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("div", other, self)

    def __pow__(self, other: Any) -> Any:
        return self._with("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._with("pow", other, self)

    def __abs__(self) -> Node:
        return self.graph.make("abs", self)

    def _undecided(self, *_: Any) -> Any:
        raise NotClosed("the value of an expression is not known")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = _undecided

    def __repr__(self) -> str:
        return f"Node({self.op} {self.data if self.data is not None else [a.id for a in self.args]})"


def _method(op: str) -> Callable[[Node], Node]:
    return lambda self: self.graph.make(op, self)


def _method_of_two(op: str, turned: bool) -> Callable[[Node, Any], Node]:
    return lambda self, other: self.graph.make(op, other, self) if turned else self.graph.make(op, self, other)


for _name, _op in {"sqrt": "sqrt", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan",
                   "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh",
                   "tanh": "tanh", "sign": "sign", "step": "step"}.items():
    setattr(Node, _name, _method(_op))
for _name, _op in {"arctan2": "atan2", "minimum": "min", "maximum": "max"}.items():
    setattr(Node, _name, _method_of_two(_op, False))
    setattr(Node, f"reflected_{_name}", _method_of_two(_op, True))


class Graph:
    """Makes nodes, each distinct one once; a node is younger than what it works on."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Node] = {}
        self.zero, self.one = self.number(0.0), self.number(1.0)

    def __len__(self) -> int:
        return len(self._known)

    def number(self, value: float) -> Node:
        """A number as a node."""
        return self._new("const", (), float(value) + 0.0)

    def symbol(self, name: Any) -> Node:
        """What has a name and no value yet."""
        return self._new("symbol", (), name)

    def node(self, x: Any) -> Node:
        """A node as it is, a plain number as one."""
        return x if isinstance(x, Node) else self.number(x)

    def call(self, function: Any, order: int, argument: Any) -> Node:
        """The derivative of an order of a function that has a name only, at an argument."""
        return self._new("call", (self.node(argument),), (function, order))

    def turning(self, record: Any, angle: Node) -> Node:
        """An angle counted over turns: the branch of `angle` nearest to what was recorded last."""
        return self._new("turning", (angle,), record)

    def choose(self, condition: Any, first: Any, second: Any) -> Node:
        """The first where the condition is not zero, else the second."""
        c, a, b = self.node(condition), self.node(first), self.node(second)
        if c.op == "const":
            return a if c.data != 0 else b
        return a if a is b else self._new("choose", (c, a, b), None)

    def make(self, op: str, *operands: Any) -> Node:
        """The node of an operation, simplified where nothing has to be thought about."""
        args = tuple(self.node(x) for x in operands)
        if all(a.op == "const" for a in args):
            folded = _folded(op, args)
            if folded is not None:
                return self.number(folded)
        rule = RULES.get(op)
        found = rule(self, *args) if rule else None
        if found is not None:
            return found
        if op in COMMUTATIVE:
            args = tuple(sorted(args, key=_numbers_first))
        return self._new(op, args, None)

    def _new(self, op: str, args: tuple[Node, ...], data: Any) -> Node:
        key = (op, *(a.id for a in args), data)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Node(self, len(self._known), op, args, data)
        return known


def _numbers_first(node: Node) -> tuple[bool, int]:
    return node.op != "const", node.id


def _folded(op: str, args: tuple[Node, ...]) -> float | None:
    """The number that an operation on numbers gives; none where it is not defined, which is left as it stands."""
    try:
        value = math.floor(args[0].data) if op == "floor" else FLOATS[op](*(a.data for a in args))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return float(value)


def _neg(graph: Graph, a: Node) -> Node | None:
    if a.op == "neg":
        return a.args[0]
    if a.op == "mul" and a.args[0].op == "const":
        return graph.make("mul", -a.args[0].data, a.args[1])
    return graph.make("sub", a.args[1], a.args[0]) if a.op == "sub" else None


def _add(graph: Graph, a: Node, b: Node) -> Node | None:
    if a.is_number(0.0):
        return b
    if b.is_number(0.0):
        return a
    if b.op == "neg":
        return graph.make("sub", a, b.args[0])
    if a.op == "neg":
        return graph.make("sub", b, a.args[0])
    roots = {x.args[0].op: x.args[0] for x in (a, b) if x.op == "mul" and x.args[0] is x.args[1]}
    if roots.keys() == {"sin", "cos"} and roots["sin"].args[0] is roots["cos"].args[0]:
        return graph.one  # sin^2 + cos^2
    return None


def _sub(graph: Graph, a: Node, b: Node) -> Node | None:
    if a is b:
        return graph.zero
    if a.is_number(0.0):
        return -b
    if b.is_number(0.0):
        return a
    return graph.make("add", a, b.args[0]) if b.op == "neg" else None


def _mul(graph: Graph, a: Node, b: Node) -> Node | None:
    for x, y in ((a, b), (b, a)):
        if x.is_number(0.0):
            return graph.zero
        if x.is_number(1.0):
            return y
        if x.is_number(-1.0):
            return -y
        if x.op == "const" and y.op == "mul" and y.args[0].op == "const":
            return graph.make("mul", x.data * y.args[0].data, y.args[1])
        if x.op == "neg":
            return -graph.make("mul", x.args[0], y)
    return None


def _div(graph: Graph, a: Node, b: Node) -> Node | None:
    if a.is_number(0.0) and not b.is_number(0.0):
        return graph.zero
    if b.is_number(1.0):
        return a
    return -graph.make("div", a.args[0], b) if a.op == "neg" else None


def _pow(graph: Graph, a: Node, b: Node) -> Node | None:
    if b.is_number(0.0):
        return graph.one
    if b.is_number(2.0):
        return graph.make("mul", a, a)
    return a if b.is_number(1.0) else None


RULES: dict[str, Callable[..., Node | None]] = {"neg": _neg, "add": _add, "sub": _sub, "mul": _mul, "div": _div,
                                                "pow": _pow}
