"""A formula as a flat list of operations, which the kernel runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vincolo.equations.arithmetic import chosen, either
from vincolo.equations.functions import floor
from vincolo.errors import ExpressionError

Algebra = Mapping[str, Callable[..., Any]]
Line = tuple[float, float]  # slope and offset of a register that is linear in time

UNARY = ("neg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
         "exp", "log", "sqrt", "abs", "sign", "step")
BINARY = ("add", "sub", "mul", "div", "pow", "atan2", "min", "max", "either", "choose")


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
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "either": either, "choose": chosen,
}


@dataclass(frozen=True)
class Undefined:
    """What an operation outside its range gives: an error once it is needed, nothing if another is chosen."""

    error: Exception


@dataclass(frozen=True)
class Tape:
    """Operations (name, a, b); operation i writes register i and the last one is the result.

    a and b are registers, except: "const" has a = index into `constants`, "input" has a = index into
    `inputs`, "call" has b = index of the function that is called with register a, "time" uses neither. What is
    not used is 0. "either" is a pair of registers, of which "choose" takes one: the first where the condition in
    register a is not zero. What is not chosen may be undefined.
    """

    ops: tuple[tuple[str, int, int], ...]
    constants: tuple[float, ...]
    inputs: tuple[str, ...]
    text: str

    def evaluate(self, t: float = 0.0, inputs: Sequence[float] = (),
                 parts: Sequence[Callable[[Any], Any]] = ()) -> float:
        """The value at time t [s], with one number for each name in `inputs`, in their order; `parts` are the functions
        it calls."""
        if len(inputs) != len(self.inputs):
            raise ExpressionError(
                f"the expression '{self.text}' was given {len(inputs)} input(s), "
                f"but it has {len(self.inputs)}.\n"
                f"  Give one number for each of: {', '.join(self.inputs) or '(none)'}.")
        try:
            return float(run(self, float(t), inputs, FLOATS, parts))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            values = "".join(f", {name} = {value:g}" for name, value in zip(self.inputs, inputs, strict=True))
            raise ExpressionError(
                f"the expression '{self.text}' has no finite value at t = {t:g}{values} ({error}).\n"
                "  Keep roots, logarithms and divisions inside their range, for example with max(x, 0)."
            ) from error


def run(tape: Tape, t: Any, inputs: Sequence[Any], algebra: Algebra, parts: Sequence[Callable[[Any], Any]] = ()) -> Any:
    """The tape's result in any arithmetic: `algebra` says what each operation does to its numbers."""
    result = registers(tape, t, inputs, algebra, parts)[-1]
    if isinstance(result, Undefined):
        raise result.error
    return result


def registers(tape: Tape, t: Any, inputs: Sequence[Any], algebra: Algebra,
              parts: Sequence[Callable[[Any], Any]] = ()) -> list[Any]:
    """What every operation of the tape gives, in order; `parts` are the functions it may call."""
    found: list[Any] = []
    given = {"const": tape.constants, "input": inputs}
    for op, a, b in tape.ops:
        if op in given or op == "time":
            found.append(t if op == "time" else given[op][a])
            continue
        operands, part = [found[k] for k in operands_of(op, a, b)], parts[b] if op == "call" else None
        try:
            found.append(_result(op, operands, algebra, part))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            found.append(Undefined(error))
    return found


def _result(op: str, operands: list[Any], algebra: Algebra, part: Callable[[Any], Any] | None) -> Any:
    for operand in operands:
        if isinstance(operand, Undefined) and op != "either":
            return operand
    if part is not None:
        return part(operands[0])
    return algebra.get(op, floor)(*operands) if op == "floor" else algebra[op](*operands)


def needed(ops: Sequence[tuple[str, int, int]], result: int) -> set[int]:
    """The registers that a result is made of, with its own."""
    found = {result}
    for k in range(result, -1, -1):
        if k in found:
            found.update(operands_of(*ops[k]))
    return found


def timed(ops: Sequence[tuple[str, int, int]]) -> set[int]:
    """The registers that depend on time alone, or on nothing: not on an input."""
    found: set[int] = set()
    for k, (op, a, b) in enumerate(ops):
        if op != "input" and found.issuperset(operands_of(op, a, b)):
            found.add(k)
    return found


def degree(tape: Tape, names: Container[str]) -> int:
    """How a formula depends on some of its inputs: 0 not at all, 1 linearly, 2 in another way."""
    found: list[int] = []
    for op, a, b in tape.ops:
        if op in ("const", "time"):
            found.append(0)
        elif op == "input":
            found.append(int(tape.inputs[a] in names))
        elif op in ("add", "sub"):
            found.append(max(found[a], found[b]))
        elif op == "neg":
            found.append(found[a])
        elif op == "mul":
            found.append(min(2, found[a] + found[b]))
        elif op == "div" and not found[b]:
            found.append(found[a])
        else:
            found.append(2 if found[a] or (op in BINARY and found[b]) else 0)
    return found[-1]


class TapeWriter:
    """Writes a tape operation by operation, each distinct one once; functions that it calls are its parts."""

    def __init__(self) -> None:
        self._ops: dict[tuple[str, int, int], int] = {}
        self._constants: dict[str, int] = {}
        self._parts: dict[Any, int] = {}

    def __len__(self) -> int:
        return len(self._ops)

    def write(self, op: str, a: int = 0, b: int = 0) -> int:
        """The register of an operation."""
        return self._ops.setdefault((op, a, b), len(self._ops))

    def constant(self, value: float) -> int:
        """The register of a number."""
        return self.write("const", self._constants.setdefault(float(value).hex(), len(self._constants)))

    def call(self, part: Any, argument: int) -> int:
        """The register of part(argument)."""
        return self.write("call", argument, self._parts.setdefault(part, len(self._parts)))

    def include(self, tape: Tape, time: int, parts: Sequence[Any]) -> int:
        """The register of another tape's result, with the register `time` in the place of its time."""
        place: list[int] = []
        for op, a, b in tape.ops:
            if op == "const":
                place.append(self.constant(tape.constants[a]))
            elif op in ("time", "input"):
                place.append(time if op == "time" else self.write(op, a))
            elif op == "call":
                place.append(self.call(parts[b], place[a]))
            else:
                place.append(self.write(op, place[a], place[b] if op in BINARY else 0))
        return place[-1]

    def finish(self, result: int, text: str = "", inputs: tuple[str, ...] = ()) -> tuple[Tape, tuple[Any, ...]]:
        """The tape of what `result` needs and no more, and the functions that it calls."""
        ops = list(self._ops)
        ops, constants, parts = self._packed([(k, ops[k]) for k in sorted(needed(ops, result))])
        return Tape(tuple(ops), constants, inputs, text), parts

    def _packed(self, kept: Sequence[tuple[int, tuple[str, int, int]]]
                ) -> tuple[list[tuple[str, int, int]], tuple[float, ...], tuple[Any, ...]]:
        """The operations kept, numbered anew, with the constants and the parts that they use."""
        values, functions = [float.fromhex(digits) for digits in self._constants], list(self._parts)
        place: dict[int, int] = {}
        constants: dict[int, int] = {}
        called: dict[int, int] = {}
        ops = []
        for new, (old, (op, a, b)) in enumerate(kept):
            place[old] = new
            if op == "const":
                a = constants.setdefault(a, len(constants))
            elif op == "call":
                a, b = place[a], called.setdefault(b, len(called))
            elif op not in ("time", "input"):
                a, b = place[a], place[b] if op in BINARY else 0
            ops.append((op, a, b))
        return ops, tuple(values[k] for k in constants), tuple(functions[k] for k in called)


def operands_of(op: str, a: int, b: int) -> tuple[int, ...]:
    """The registers that an operation reads."""
    if op in ("const", "time", "input"):
        return ()
    return (a, b) if op in BINARY else (a,)


def lines(tape: Tape) -> list[Line | None]:
    """For each register (a, b) if it is a t + b, else None."""
    found: list[Line | None] = []
    for op, a, b in tape.ops:
        if op == "const":
            found.append((0.0, tape.constants[a]))
        elif op == "time":
            found.append((1.0, 0.0))
        elif op in ("neg", "add", "sub", "mul", "div"):
            found.append(line_of(op, found[a], found[b if op != "neg" else a]))
        else:
            found.append(None)
    return found


def line_of(op: str, x: Line | None, y: Line | None) -> Line | None:
    """The line that an operation makes of two, if it does."""
    if x is None or y is None:
        return None
    if op == "neg":
        return -x[0], -x[1]
    if op in ("add", "sub"):
        sign = 1.0 if op == "add" else -1.0
        return x[0] + sign * y[0], x[1] + sign * y[1]
    if op == "mul" and (x[0] == 0 or y[0] == 0):
        return x[0] * y[1] + x[1] * y[0], x[1] * y[1]
    return (x[0] / y[1], x[1] / y[1]) if op == "div" and y[0] == 0 and y[1] != 0 else None
