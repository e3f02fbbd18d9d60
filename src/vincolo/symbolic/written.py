"""Expressions as SymPy has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from vincolo.optional import library
from vincolo.symbolic.calculus import below
from vincolo.symbolic.graph import Node

LARGEST_DENOMINATOR = 64  # of numbers that are shown as fractions
DASH = "'"


def load_sympy() -> Any:
    """SymPy, or the way to install it."""
    return library("sympy", "symbolic equations need the package sympy", "sympy")


def number(value: float) -> Any:
    """A number as SymPy has it: whole, a simple fraction, or a decimal."""
    sp = load_sympy()
    if value != value or value in (float("inf"), float("-inf")):
        return sp.Float(value)
    if value == int(value) and abs(value) < 1e15:
        return sp.Integer(int(value))
    exact = Fraction(value)
    if exact.denominator <= LARGEST_DENOMINATOR:
        return sp.Rational(exact.numerator, exact.denominator)
    return sp.Float(value)


class Written:
    """Writes nodes as SymPy expressions; `symbol` says what stands for a symbol."""

    def __init__(self, symbol: Callable[[Node], Any]) -> None:
        self._sp = load_sympy()
        self._symbol = symbol
        self._known: dict[int, Any] = {}
        self.turns: dict[Any, Any] = {}  # how often an angle has gone round, by what counts it
        self._operations = operations(self._sp)

    def __call__(self, node: Node) -> Any:
        """The expression of a node."""
        if node.id not in self._known:
            for each in below([node]):
                if each.id not in self._known:
                    self._known[each.id] = self._of(each)
        return self._known[node.id]

    def all(self, nodes: Iterable[Node]) -> list[Any]:
        """The expressions of several."""
        return [self(node) for node in nodes]

    def _of(self, node: Node) -> Any:
        if node.op == "const":
            return number(node.data)
        if node.op == "symbol":
            return self._symbol(node)
        args = [self._known[a.id] for a in node.args]
        if node.op == "call":
            function, order = node.data
            return self._sp.Function(function.name + DASH * order)(*args)
        if node.op == "turning":
            n = self.turns.setdefault(node.data, self._sp.Symbol(f"n_{len(self.turns) + 1}", integer=True))
            return args[0] + 2 * self._sp.pi * n
        return self._operations[node.op](*args)


def operations(sp: Any) -> dict[str, Callable[..., Any]]:
    """What each operation is in SymPy."""
    found = {name: getattr(sp, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
                                                  "tanh", "exp", "log", "sqrt", "sign", "floor")}
    return found | {
        "neg": lambda a: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "abs": sp.Abs, "step": lambda a: sp.Heaviside(a, 1),
        "min": lambda a, b: sp.Min(a, b, evaluate=False), "max": lambda a, b: sp.Max(a, b, evaluate=False),
        "choose": lambda c, a, b: sp.Piecewise((a, _condition(sp, c)), (b, True))}


def _condition(sp: Any, c: Any) -> Any:
    """A condition that is not zero; of a step, that its argument is not negative."""
    return c.args[0] >= 0 if isinstance(c, sp.Heaviside) else sp.Ne(c, 0)
