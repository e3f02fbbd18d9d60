"""Formulas as trees of symbols: what tapes and functions of time are, their derivatives, and how a card writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from vincolo.model.functions import Constant, Function, Polynomial, Ramp, Sine
from vincolo.model.functions.combined import Formula
from vincolo.model.tape import BINARY, FLOATS, UNARY, Tape, run

MOST_SYMBOLS = 2_000  # of one formula, before it is written
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
BINDS = {"add": 1, "sub": 1, "neg": 1, "mul": 2, "div": 2, "pow": 3}
TIGHT = 4  # numbers, names and calls


class Unsaid(Exception):
    """A card has no words for something."""


@dataclass(frozen=True)
class Node:
    """An operation on other nodes, a number or a name."""

    op: str
    args: tuple[Node, ...] = ()
    value: float = 0.0
    name: str = ""

    @property
    def size(self) -> int:
        """How many symbols it has."""
        return 1 + sum(arg.size for arg in self.args)

    def holds(self, name: str) -> bool:
        """Whether a name is in it."""
        return self.name == name or any(arg.holds(name) for arg in self.args)

    def replaced(self, change: Callable[[Node], Node | None]) -> Node:
        """The same with nodes replaced by what `change` gives for them, from the outside; None leaves one as it is."""
        found = change(self)
        if found is not None or not self.args:
            return self if found is None else found
        return ALGEBRA[self.op](*(arg.replaced(change) for arg in self.args))

    def __str__(self) -> str:
        return _text(self)


def number(value: float) -> Node:
    """A number."""
    return Node("number", value=float(value))


def name(text: str) -> Node:
    """t, or a coordinate such as q1."""
    return Node("name", name=text)


TIME = name("t")
ZERO, ONE = number(0), number(1)


def _node(x: Node | float) -> Node:
    return x if isinstance(x, Node) else number(x)


def operation(op: str, *given: Node | float) -> Node:
    """An operation on nodes, without what says nothing: x + 0, 1*x, 0*x; numbers are worked out."""
    args = tuple(_node(x) for x in given)
    if all(arg.op == "number" for arg in args):
        try:
            found = float(FLOATS[op](*(arg.value for arg in args)))
        except (ValueError, ArithmeticError):
            found = math.nan
        if math.isfinite(found):
            return number(found)
    short = _shorter(op, *args)
    made = short if short is not None else Node(op, args)
    if made.size > MOST_SYMBOLS:
        raise Unsaid("is too long a formula for a card")
    return made


def _shorter(op: str, a: Node, b: Node = ZERO) -> Node | None:
    if op in ("add", "sub") and b.op == "neg":
        return operation("sub" if op == "add" else "add", a, b.args[0])
    if op == "add" and ZERO in (a, b):
        return b if a == ZERO else a
    if op == "sub" and ZERO in (a, b):
        return a if b == ZERO else operation("neg", b)
    if op == "mul":
        return _product(a, b)
    if op in ("div", "pow") and b == ONE:
        return a
    if op == "div" and "neg" in (a.op, b.op):
        return operation("neg", operation(op, *(x.args[0] if x.op == "neg" else x for x in (a, b)))) if a.op != b.op \
            else operation(op, a.args[0], b.args[0])
    if op == "div" and a == ZERO and b.op != "number":
        return ZERO
    return a.args[0] if op == "neg" and a.op == "neg" else None


def _product(a: Node, b: Node) -> Node | None:
    if ZERO in (a, b):
        return ZERO
    for one, other in ((a, b), (b, a)):
        if one == ONE:
            return other
        if one.op == "neg":
            return neg(mul(one.args[0], other) if one is a else mul(other, one.args[0]))
        if one == number(-1):
            return neg(other)
        if one.op == "number" and other.op == "mul" and other.args[0].op == "number":
            return mul(one.value * other.args[0].value, other.args[1])
    return mul(b, a) if b.op == "number" else None  # numbers first


ALGEBRA: dict[str, Callable[..., Node]] = {op: partial(operation, op) for op in (*UNARY, *BINARY)}
add, sub, mul, div, power, neg = (ALGEBRA[op] for op in ("add", "sub", "mul", "div", "pow", "neg"))


def total(nodes: Sequence[Node]) -> Node:
    """The sum of nodes."""
    found = ZERO
    for node in nodes:
        found = sub(found, node.args[0]) if node.op == "neg" else add(found, node)
    return found


def of_tape(tape: Tape, inputs: Sequence[Node], parts: Sequence[Function] = (), time: Node = TIME) -> Node:
    """The formula of a tape over its inputs."""
    if any(op not in (*UNARY, *BINARY, "const", "time", "input", "call") for op, _, _ in tape.ops):
        raise Unsaid("has an operation that cards do not know")
    called: list[Callable[[Any], Any]] = [partial(of_function, part) for part in parts]
    return _node(run(tape, time, inputs, ALGEBRA, called))


def of_function(function: Function, time: Node = TIME) -> Node:
    """A function of time as a formula in t."""
    if isinstance(function, Formula):
        return of_tape(function.tape, (), function.parts, time)
    if isinstance(function, Constant):
        return number(function.value)
    if isinstance(function, Polynomial):
        return total([mul(c, power(time, float(k)) if k else ONE) for k, c in enumerate(function.coefficients)])
    if isinstance(function, Sine):
        turn = add(mul(function.frequency, time), function.phase)
        return add(function.offset, mul(function.amplitude, ALGEBRA["sin"](turn)))
    if isinstance(function, Ramp):
        return add(function.offset, mul(function.slope, ALGEBRA["max"](sub(time, function.start), 0.0)))
    raise Unsaid(f"goes by {type(function).__name__}; cards have formulas: Constant, Expression, Polynomial, Sine, "
                 "Ramp and what is made of them")


# derivatives

#: f'(x) of operations with one argument
SLOPES: dict[str, Callable[[Node], Node]] = {
    "neg": lambda x: number(-1), "sin": lambda x: ALGEBRA["cos"](x), "cos": lambda x: neg(ALGEBRA["sin"](x)),
    "tan": lambda x: div(1, power(ALGEBRA["cos"](x), 2)), "asin": lambda x: div(1, _root(sub(1, power(x, 2)))),
    "acos": lambda x: div(-1, _root(sub(1, power(x, 2)))), "atan": lambda x: div(1, add(1, power(x, 2))),
    "sinh": lambda x: ALGEBRA["cosh"](x), "cosh": lambda x: ALGEBRA["sinh"](x),
    "tanh": lambda x: sub(1, power(ALGEBRA["tanh"](x), 2)), "exp": lambda x: ALGEBRA["exp"](x),
    "log": lambda x: div(1, x), "sqrt": lambda x: div(0.5, _root(x)), "abs": lambda x: ALGEBRA["sign"](x),
    "sign": lambda x: ZERO, "step": lambda x: ZERO}


def _root(x: Node) -> Node:
    return ALGEBRA["sqrt"](x)


def derivative(node: Node, by: str) -> Node:
    """The partial derivative by a name; where steps are, those of the pieces."""
    if not node.holds(by):
        return ZERO
    if not node.args:
        return ONE
    slopes = [derivative(arg, by) for arg in node.args]
    if node.op in SLOPES:
        return mul(SLOPES[node.op](node.args[0]), slopes[0])
    return _of_two(node.op, *node.args, *slopes)


def _of_two(op: str, a: Node, b: Node, da: Node, db: Node) -> Node:
    if op in ("add", "sub"):
        return ALGEBRA[op](da, db)
    if op == "mul":
        return add(mul(da, b), mul(a, db))
    if op == "div":
        return sub(div(da, b), div(mul(a, db), power(b, 2)))
    if op == "pow" and db == ZERO:
        return mul(mul(b, power(a, sub(b, 1))), da)
    if op == "pow":
        return mul(power(a, b), add(mul(db, ALGEBRA["log"](a)), div(mul(b, da), a)))
    if op == "atan2":
        return div(sub(mul(b, da), mul(a, db)), add(power(a, 2), power(b, 2)))
    first = ALGEBRA["step"](sub(b, a) if op == "min" else sub(a, b))  # a is taken there
    return add(mul(first, da), mul(sub(1, first), db))


# text


def _text(node: Node) -> str:
    if node.op == "number":
        return repr(int(node.value)) if node.value.is_integer() and abs(node.value) < 1e15 else repr(node.value)
    if node.op == "name":
        return node.name
    if node.op == "neg":
        return f"-{_within(node.args[0], TIGHT if node.args[0].op == 'pow' else 2)}"
    if node.op not in SIGNS:
        return f"{node.op}({','.join(map(_text, node.args))})"
    own = BINDS[node.op]
    right = own + (node.op in ("sub", "div")) if node.op != "pow" else TIGHT
    return f"{_within(node.args[0], TIGHT if node.op == 'pow' else own)}{SIGNS[node.op]}{_within(node.args[1], right)}"


def _within(node: Node, least: int) -> str:
    """In brackets if it binds less than what is around it; negative numbers always."""
    binds = BINDS.get(node.op, TIGHT)
    text = _text(node)
    return f"({text})" if binds < least or text.startswith("-") else text
