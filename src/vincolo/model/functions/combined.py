"""Formulas over functions: sums, products, quotients, f(g), and the text formulas of users."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.expression import MAX_OPERATIONS, parse
from vincolo.model.functions.corners import breaks_between, fixed_breaks, span_of
from vincolo.model.functions.function import Function
from vincolo.model.tape import Tape, TapeWriter, run

DEEPEST = 32  # functions inside functions inside functions
LARGEST = 1_000_000  # functions in one function
LONGEST_TEXT = 160


class Formula(Function):
    """A function that is a tape of operations, which may call other functions."""

    kind: ClassVar[str] = "tape"
    written_out: ClassVar[bool] = False  # whether it becomes part of a formula operation by operation, or by a call

    @property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        """The operations, and the functions they call."""
        raise NotImplementedError

    @property
    def params(self) -> tuple[float, ...]:
        return ()

    @property
    def tape(self) -> Tape:
        return self._formula[0]

    @property
    def parts(self) -> tuple[Function, ...]:
        return self._formula[1]

    @property
    def span(self) -> tuple[float, float] | None:
        return span_of(*self._formula)

    @property
    def breaks(self) -> tuple[float, ...]:
        return fixed_breaks(*self._formula)

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        return breaks_between(*self._formula, t0, t1, every)

    @property
    def written(self) -> str:
        """The formula as text, with f0, f1, ... for the functions it calls, which follow."""
        names = [_name(f"f{k}") for k in range(len(self.parts))]
        formula = _short(str(run(self.tape, "t", (), _Texts(), names)))
        return "; ".join([formula, *(f"f{k} = {part!r}" for k, part in enumerate(self.parts))])


@dataclass(frozen=True, init=False)
class Expression(Formula):
    """A formula in t [s] and named constants, for example Expression("A*sin(w*t)", A=0.1, w=6.28)."""

    written_out: ClassVar[bool] = True
    text: str
    constants: tuple[tuple[str, float], ...]

    def __init__(self, text: str, /, **constants: float) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_tape", parse(text, constants=constants))
        numbers_by_name = tuple((name, float(value)) for name, value in constants.items())
        object.__setattr__(self, "constants", numbers_by_name)

    @property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        tape: Tape = self._tape  # type: ignore[attr-defined]  # set once in __init__
        return tape, ()


@dataclass(frozen=True, repr=False)
class Combined(Formula):
    """What arithmetic with functions gives: a formula that calls them."""

    written_out: ClassVar[bool] = True
    operations: Tape
    functions: tuple[Function, ...]

    def __post_init__(self) -> None:
        refuse_deep("a combined function", self.functions)

    @property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        return self.operations, self.functions

    def __repr__(self) -> str:
        return f"Combined({self.written})"


class _Texts(dict[str, Callable[..., Any]]):
    """What each operation does to texts."""

    SIGNS: ClassVar[dict[str, str]] = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}

    def __missing__(self, op: str) -> Callable[..., Any]:
        if op in self.SIGNS:
            return lambda a, b: _short(f"({a} {self.SIGNS[op]} {b})")
        if op == "either":
            return lambda a, b: (a, b)
        if op == "choose":
            return lambda condition, pair: _short(f"if({condition} != 0, {pair[0]}, {pair[1]})")
        return lambda *x: _short(f"{op}({', '.join(map(str, x))})")

    def get(self, op: str, default: Any = None) -> Any:
        return self[op]


def _name(name: str) -> Callable[[Any], str]:
    return lambda x: _short(f"{name}({x})")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT // 2]} ... {text[-LONGEST_TEXT // 2 + 5:]}"


def combined(op: str, *operands: Any) -> Combined:
    """The function op(operands) of functions and numbers."""
    writer, flat = TapeWriter(), _fits(*operands)
    registers = [register_of(writer, operand, flat) for operand in operands]
    return Combined(*writer.finish(writer.write(op, *registers)))


def composed(outer: Function, inner: Function) -> Combined:
    """The function outer(inner(t))."""
    writer, flat = TapeWriter(), _fits(outer, inner)
    argument = register_of(writer, inner, flat)
    return Combined(*writer.finish(_called(writer, outer, argument, flat)))


def _fits(*operands: Any) -> bool:
    """Whether formulas are short enough to be written out one after the other."""
    return sum(len(f.tape.ops) for f in operands if isinstance(f, Formula) and f.written_out) < MAX_OPERATIONS - 8


def register_of(writer: TapeWriter, operand: Any, flat: bool) -> int:
    """Where a number or f(t) stands on the tape."""
    if not isinstance(operand, Function):
        return writer.constant(finite_number("arithmetic with a function: the number", operand))
    return _called(writer, operand, writer.write("time"), flat)


def _called(writer: TapeWriter, f: Function, argument: int, flat: bool) -> int:
    """Where f(argument) stands; `flat`: a formula is written out there."""
    if flat and isinstance(f, Formula) and f.written_out:
        return writer.include(f.tape, argument, f.parts)
    return writer.call(f, argument)


def refuse_deep(what: str, parts: Collection[Function]) -> None:
    """Refuses functions inside functions that cannot be evaluated safely."""
    if max((part.depth for part in parts), default=0) >= DEEPEST or sum(part.size for part in parts) > LARGEST:
        raise ModelError(f"{what}: functions are nested more than {DEEPEST} deep, or there are more than {LARGEST} "
                         "of them.\n  Put the pieces side by side in one Pieces or Sequence, or sample the function.")
