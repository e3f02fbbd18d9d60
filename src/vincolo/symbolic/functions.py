"""Functions of one variable in expressions: written out where they have a closed form, by name where they have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vincolo.equations.arithmetic import OPERATIONS
from vincolo.equations.functions import DEFINITIONS
from vincolo.model.functions import Function
from vincolo.model.tape import Algebra, Tape, run
from vincolo.symbolic.graph import Graph, Node, NotClosed

OneVariable = Callable[[Any], Node]


@dataclass(frozen=True)
class Named:
    """A function that is known by its name, such as one of samples; its derivatives are functions too."""

    name: str
    function: Function

    def value(self, order: int, x: float) -> float:
        """Its derivative of an order at a number."""
        return float(self.function.derivatives(x)[order] if order <= 2 else self.function.taylor(x, order)[order])


class Functions:
    """The functions that a mechanism uses; those without a closed form are named after what uses them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.named: dict[Function, Named] = {}
        self._algebra: Algebra = {**OPERATIONS, "pow": lambda a, b: graph.make("pow", a, b),
                                  "floor": lambda x: graph.make("floor", x), "either": lambda a, b: (a, b),
                                  "choose": lambda condition, pair: graph.choose(condition, *pair)}

    def of(self, function: Function, owner: str) -> OneVariable:
        """A function as an expression of its argument."""
        return lambda x: self.graph.node(self._closed(function, owner, self.graph.node(x)))

    def formula(self, tape: Tape, t: Node, inputs: Sequence[Node], parts: Sequence[OneVariable] = ()) -> Node:
        """A formula of nodes as a node."""
        return self.graph.node(run(tape, t, inputs, self._algebra, parts))

    def _closed(self, function: Function, owner: str, x: Node) -> Any:
        try:
            if function.tape is not None:
                return self.formula(function.tape, x, (), [self.of(part, owner) for part in function.parts])
            if function.kind in DEFINITIONS:
                return DEFINITIONS[function.kind](x, *function.params)
        except NotClosed:
            pass
        return self.graph.call(self._named(function, owner), 0, x)

    def _named(self, function: Function, owner: str) -> Named:
        if function not in self.named:
            taken = {known.name for known in self.named.values()}
            name, count = f"f_{owner}", 1
            while name in taken:
                count += 1
                name = f"f{count}_{owner}"
            self.named[function] = Named(name, function)
        return self.named[function]
