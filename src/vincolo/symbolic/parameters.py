"""The numbers of a model in its equations: each has a name and a value, and is shown as a number or as a symbol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.symbolic.graph import Graph, Node

ALL = "all"
STRUCTURE = (0.0, 1.0, -1.0)  # numbers that make expressions shorter


class Parameters:
    """Numbers as nodes. Those that are asked for are symbols for the reader too; 0, 1 and -1 are otherwise taken as
    the numbers they are."""

    def __init__(self, graph: Graph, asked: Mapping[str, Any] | str | None) -> None:
        self._graph, self._all = graph, asked == ALL
        self.asked: Mapping[str, Any] = {} if asked is None or isinstance(asked, str) else asked
        self.values: dict[Node, float] = {}
        self.names: dict[Node, str] = {}
        self.known: dict[str, float] = {}  # all that can be asked for

    def number(self, name: str, value: float, letter: str = "") -> Node:
        """The node of a number; with a letter it can be shown as a symbol."""
        value = float(value)
        if letter:
            self.known[name] = value
        wanted = letter and (name in self.asked or (self._all and value != 0.0))
        if value in STRUCTURE and not wanted:
            return self._graph.number(value)
        node = self._graph.symbol(("parameter", name, letter))
        self.values[node], self.names[node] = value, name
        return node

    def shown(self, node: Node) -> bool:
        """Whether the reader sees a symbol in the place of the number."""
        _, name, letter = node.data
        return bool(letter) and (self._all or name in self.asked)

    def check(self) -> None:
        """Refuses symbols for numbers that the model does not have."""
        for name in self.asked:
            if name not in self.known:
                some = ", ".join(list(self.known)[:12]) or "none"
                raise ModelError(f"symbols: there is no number called {name!r} in the equations."
                                 f"{suggest(name, self.known)}\n  There are, for example: {some}.")
