"""What stands for the symbols of equations: letters of the textbook with the names of bodies and joints."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from vincolo.errors import ModelError
from vincolo.symbolic.graph import Node
from vincolo.symbolic.mechanism import Mechanism
from vincolo.symbolic.names import plain
from vincolo.symbolic.written import load_sympy, number


class Names:
    """The SymPy symbol of every symbol; names that would be the same get numbers."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._bodies = list(mechanism.numbers)
        self._known: dict[Any, Any] = {}
        self._taken: set[str] = set()

    @cached_property
    def _sp(self) -> Any:
        return load_sympy()

    def symbol(self, node: Node) -> Any:
        """The SymPy expression of a symbol: a symbol, or a number that is not asked to be one."""
        if node.data not in self._known:
            self._known[node.data] = self._new(node)
        return self._known[node.data]

    def _new(self, node: Node) -> Any:
        key = node.data
        if key == "t":
            return self._unique("t")
        if key[0] == "auxiliary":
            return self._unique(plain(key[1]))
        if key[0] == "parameter":
            return self._parameter(node)
        return self._unique(self._mechanism.coordinates.letter(key, self._bodies))

    def _parameter(self, node: Node) -> Any:
        _, name, letter = node.data
        parameters = self._mechanism.parameters
        if not parameters.shown(node):
            return number(parameters.values[node])
        given = parameters.asked.get(name)
        if given is None:
            return self._unique(parameter_name(name, letter))
        if isinstance(given, str):
            return self.given(name, given)
        if isinstance(given, self._sp.Expr):
            return given
        raise ModelError(f"symbols: {name!r} is {given!r}; give a name such as 'm_1', or an expression of SymPy.")

    def given(self, name: str, text: str) -> Any:
        """A symbol under the name that a user chose; the same name twice is the same symbol."""
        if not text.replace("_", "a").isalnum() or text[0].isdigit():
            raise ModelError(f"symbols: {name!r} is {text!r}, which is not a name for a symbol.\n"
                             "  Use letters, digits and underscores, such as 'm_1', or an expression of SymPy.")
        self._taken.add(text)
        return self._sp.Symbol(text, real=True)

    def _unique(self, text: str) -> Any:
        name, count = text, 1
        while name in self._taken:
            count += 1
            name = f"{text}_{count}"
        self._taken.add(name)
        return self._sp.Symbol(name, real=True)


def parameter_name(name: str, letter: str) -> str:
    """The name of a number that stays a symbol: m_crank, J_xx_crank, k_spring, s_x_O_a, g_y."""
    owner, _, last = name.rpartition(".")
    if letter == "g":
        return f"g_{last}"
    if letter == "s" or (letter == "J" and len(last) == 2):
        return f"{letter}_{last}_{plain(owner.removesuffix('.inertia'))}"
    return f"{letter}_{plain(owner)}" if owner else f"{letter}_{plain(last)}"
