"""A formula as a flat list of operations, which the kernel runs and which prints as C or SymPy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vincolo.errors import ExpressionError

Algebra = Mapping[str, Callable[..., Any]]

UNARY = ("neg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
         "exp", "log", "sqrt", "abs", "sign", "step")
BINARY = ("add", "sub", "mul", "div", "pow", "atan2", "min", "max")


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _step(x: float) -> float:
    return 1.0 if x >= 0 else 0.0


#: what each operation does to plain numbers
FLOATS: Algebra = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "div": operator.truediv, "pow": math.pow, "abs": abs, "min": min, "max": max,
    "sign": _sign, "step": _step, "atan2": math.atan2,
    "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt,
}


@dataclass(frozen=True)
class Tape:
    """Operations (name, a, b); operation i writes register i and the last one is the result.

    a and b are registers, except: "const" has a = index into `constants`, "input" has a = index into
    `inputs`, "time" uses neither. What is not used is 0.
    """

    ops: tuple[tuple[str, int, int], ...]
    constants: tuple[float, ...]
    inputs: tuple[str, ...]
    text: str

    def evaluate(self, t: float = 0.0, inputs: Sequence[float] = ()) -> float:
        """The value at time t [s], with one number for each name in `inputs`, in their order."""
        if len(inputs) != len(self.inputs):
            raise ExpressionError(
                f"the expression '{self.text}' was given {len(inputs)} input(s), "
                f"but it has {len(self.inputs)}.\n"
                f"  Give one number for each of: {', '.join(self.inputs) or '(none)'}.")
        try:
            return float(run(self, float(t), inputs, FLOATS))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            values = "".join(f", {name} = {value:g}" for name, value in zip(self.inputs, inputs, strict=True))
            raise ExpressionError(
                f"the expression '{self.text}' has no finite value at t = {t:g}{values} ({error}).\n"
                "  Keep roots, logarithms and divisions inside their range, for example with max(x, 0)."
            ) from error


def run(tape: Tape, t: Any, inputs: Sequence[Any], algebra: Algebra) -> Any:
    """The tape's result in any arithmetic: `algebra` says what each operation does to its numbers."""
    registers: list[Any] = []
    for op, a, b in tape.ops:
        if op == "const":
            result: Any = tape.constants[a]
        elif op == "time":
            result = t
        elif op == "input":
            result = inputs[a]
        elif op in BINARY:
            result = algebra[op](registers[a], registers[b])
        else:
            result = algebra[op](registers[a])
        registers.append(result)
    return registers[-1]
