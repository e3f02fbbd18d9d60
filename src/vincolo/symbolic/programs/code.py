"""Expressions as statements of the description that programs are printed from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vincolo.symbolic.calculus import below
from vincolo.symbolic.graph import Node

LONGEST = 70  # of an expression that is written into another one
FUNCTIONS = {"sign": "sgn", "step": "unit_step", "choose": "sel"}
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def statements(results: Sequence[tuple[str, Node]], leaf: Callable[[Node], str]) -> list[str]:
    """Assignments of results to their targets; what is used more than once is computed once."""
    nodes = below([node for _, node in results])
    uses: dict[int, int] = {}
    for node in nodes:
        for a in node.args:
            uses[a.id] = uses.get(a.id, 0) + 1
    for _, node in results:
        uses[node.id] = uses.get(node.id, 0) + 1
    written: dict[int, str] = {}
    lines: list[str] = []
    for node in nodes:
        text = leaf(node) if node.op in ("const", "symbol") else _operation(node, [written[a.id] for a in node.args],
                                                                            leaf)
        if node.args and (uses[node.id] > 1 or len(text) > LONGEST):
            name = f"w{len(lines)}_"
            lines.append(f"{name}: real = {text}")
            text = name
        written[node.id] = text
    return lines + [f"{target} = {written[node.id]}" for target, node in results]


def _operation(node: Node, args: list[str], leaf: Callable[[Node], str]) -> str:
    if node.op in INFIX:
        return f"({args[0]} {INFIX[node.op]} {args[1]})"
    if node.op == "neg":
        return f"(-{args[0]})"
    if node.op == "pow":
        power = node.args[1].constant
        whole = power is not None and power == int(power)
        return f"({args[0]} ** {int(power) if whole and power is not None else args[1]})"
    if node.op in ("call", "turning"):
        return leaf(node).format(args[0])
    return f"{FUNCTIONS.get(node.op, node.op)}({', '.join(args)})"
