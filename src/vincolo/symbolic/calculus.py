"""Derivatives, values and sizes of expressions in a graph, each operation looked at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vincolo.model.tape import FLOATS
from vincolo.symbolic.graph import Graph, Node

Direction = Mapping[Node, Node]  # how fast symbols change


def below(results: Iterable[Node]) -> list[Node]:
    """All nodes that results are made of, with their own, those that others need first."""
    found: dict[int, Node] = {}
    waiting = list(results)
    while waiting:
        node = waiting.pop()
        if node.id not in found:
            found[node.id] = node
            waiting.extend(node.args)
    return [found[k] for k in sorted(found)]


class Derivative:
    """The derivative of expressions along a direction; what it has found once it remembers."""

    def __init__(self, graph: Graph, direction: Direction) -> None:
        self._graph = graph
        self._known: dict[int, Node] = {symbol.id: rate for symbol, rate in direction.items()}

    def __call__(self, node: Any) -> Node:
        """How fast a node changes."""
        if not isinstance(node, Node):
            return self._graph.zero
        if node.id not in self._known:
            for each in self._unknown(node):
                self._known[each.id] = self._of(each)
        return self._known[node.id]

    def _unknown(self, node: Node) -> list[Node]:
        found: dict[int, Node] = {}
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.id not in self._known and each.id not in found:
                found[each.id] = each
                waiting.extend(each.args)
        return [found[k] for k in sorted(found)]

    def _of(self, node: Node) -> Node:
        zero = self._graph.zero
        rates = [self._known[a.id] for a in node.args]
        if all(rate is zero for rate in rates):
            return zero
        return RULES[node.op](self._graph, node, *rates)


def _choice(graph: Graph, node: Node, *rates: Node) -> Node:
    a, b = node.args
    first = graph.make("step", b - a if node.op == "min" else a - b)
    return graph.choose(first, *rates)


def _power(graph: Graph, node: Node, da: Node, db: Node) -> Node:
    a, b = node.args
    found: Node = b * graph.make("pow", a, b - 1.0) * da
    return found if db is graph.zero else graph.make("add", found, node * graph.make("log", a) * db)


def _atan2(graph: Graph, node: Node, dy: Node, dx: Node) -> Node:
    y, x = node.args
    return graph.make("div", x * dy - y * dx, x * x + y * y)


def _called(graph: Graph, node: Node, rate: Node) -> Node:
    function, order = node.data
    return graph.make("mul", graph.call(function, order + 1, node.args[0]), rate)


def _one(inner: Callable[[Node, Node], Any]) -> Callable[[Graph, Node, Node], Node]:
    """The rule of a function of one argument: its derivative at x, with its own value y at hand, times the rate."""
    return lambda graph, node, rate: graph.make("mul", inner(node.args[0], node), rate)


def _of(x: Node, op: str) -> Node:
    return x.graph.make(op, x)


#: the derivative of each operation by those of what it works on
RULES: dict[str, Callable[..., Node]] = {
    "neg": lambda g, n, da: -da, "add": lambda g, n, da, db: da + db, "sub": lambda g, n, da, db: da - db,
    "mul": lambda g, n, da, db: da * n.args[1] + n.args[0] * db,
    "div": lambda g, n, da, db: (da - n * db) / n.args[1],
    "pow": _power, "atan2": _atan2, "min": _choice, "max": _choice, "call": _called,
    "choose": lambda g, n, dc, da, db: g.choose(n.args[0], da, db), "turning": lambda g, n, da: da,
    "sqrt": _one(lambda x, y: 0.5 / y), "exp": _one(lambda x, y: y), "log": _one(lambda x, y: 1.0 / x),
    "sin": _one(lambda x, y: _of(x, "cos")), "cos": _one(lambda x, y: -_of(x, "sin")),
    "tan": _one(lambda x, y: 1.0 + y * y), "asin": _one(lambda x, y: 1.0 / _of(1.0 - x * x, "sqrt")),
    "acos": _one(lambda x, y: -1.0 / _of(1.0 - x * x, "sqrt")), "atan": _one(lambda x, y: 1.0 / (1.0 + x * x)),
    "sinh": _one(lambda x, y: _of(x, "cosh")), "cosh": _one(lambda x, y: _of(x, "sinh")),
    "tanh": _one(lambda x, y: 1.0 - y * y), "abs": _one(lambda x, y: _of(x, "sign")),
    "sign": _one(lambda x, y: 0.0), "step": _one(lambda x, y: 0.0), "floor": _one(lambda x, y: 0.0)}


def values(results: Sequence[Node], known: Mapping[Node, float],
           call: Callable[[Any, int, float], float] | None = None,
           turning: Callable[[Any, float], float] | None = None) -> list[float]:
    """The numbers of expressions, given those of their symbols, of functions with a name and of angles with turns."""
    found: dict[int, Any] = {symbol.id: value for symbol, value in known.items()}
    for node in below(results):
        if node.id in found:
            continue
        a = [found[x.id] for x in node.args]
        if node.op == "const":
            found[node.id] = node.data
        elif node.op == "choose":
            found[node.id] = a[1] if a[0] != 0 else a[2]
        elif node.op == "call" and call is not None:
            found[node.id] = call(node.data[0], node.data[1], a[0])
        elif node.op == "turning":
            found[node.id] = a[0] if turning is None else turning(node.data, a[0])
        else:
            found[node.id] = _value(node.op, a)
    return [float(found[node.id]) for node in results]


def _value(op: str, a: list[float]) -> float:
    try:
        return float(math.floor(a[0])) if op == "floor" else float(FLOATS[op](*a))
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan  # of a part that may not be chosen


def written_size(results: Iterable[Node]) -> float:
    """How many operations there are when everything is written out, nothing shared; a float, since it may be huge."""
    size: dict[int, float] = {}
    results = list(results)
    for node in below(results):
        size[node.id] = 1.0 + sum(size[a.id] for a in node.args)
    return sum(size[node.id] for node in results)
