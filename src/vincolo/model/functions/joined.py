"""Functions joined to one another: fillets of any smoothness, and sequences without jumps."""

from __future__ import annotations

from collections.abc import Sequence as ListOf
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, refuse_quantity
from vincolo.model.functions import checks
from vincolo.model.functions.changed import Shifted
from vincolo.model.functions.combined import refuse_deep
from vincolo.model.functions.function import Function
from vincolo.model.functions.motion_laws import hermite
from vincolo.model.functions.piecewise import OfPieces, PiecewisePolynomial
from vincolo.model.functions.simple import Constant, as_functions, part_of

SMOOTHEST = 8


def bridge(owner: str, left: Function, right: Function, start: float, end: float, order: int) -> PiecewisePolynomial:
    """The polynomial of degree 2 order + 1 that leaves `left` at start and meets `right` at end."""
    row = hermite(left.taylor(start, order, side=-1), right.taylor(end, order), end - start)
    checks.finite_span(owner, row)
    return PiecewisePolynomial((start, end), (row,), "extend")


@dataclass(frozen=True)
class Fillet(OfPieces):
    """`before` until start [s], `after` from end on, and between them the polynomial that joins them smoothly.

    Value and `order` derivatives are continuous; the polynomial has degree 2 order + 1. `before` and `after` are
    functions, numbers, or texts in t.
    """

    before: Function
    after: Function
    start: float
    end: float
    order: int = 2

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            object.__setattr__(self, name, part_of(f"Fillet: {name}", getattr(self, name)))
        for name in ("start", "end"):
            object.__setattr__(self, name, finite_number(f"Fillet: {name}", getattr(self, name)))
        object.__setattr__(self, "order", checks.whole_number("Fillet: order", self.order, 0, SMOOTHEST))
        checks.start_before_end("Fillet", self.start, self.end, "Give start < end.")
        refuse_deep("Fillet", (self.before, self.after))
        _ = self.laid

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        between = bridge("Fillet", self.before, self.after, self.start, self.end, self.order)
        return (self.start, self.end), (self.before, between, self.after)


@dataclass(frozen=True)
class Sequence(OfPieces):
    """One function after the other, each moved in time and value so that it begins where the last one ended.

    Each runs over its own span, or from 0 on for the time given in `durations` [s]. With `fillet` [s], a polynomial
    of that duration rounds each joint, with `order` continuous derivatives. Before the `start` and after the end the
    value is held.
    """

    functions: tuple[Function, ...]
    durations: tuple[float | None, ...] | None = None
    start: float = 0.0
    fillet: float = 0.0
    order: int = 2

    def __post_init__(self) -> None:
        functions = as_functions("Sequence", self.functions)
        object.__setattr__(self, "functions", functions)
        if not functions:
            raise ModelError("Sequence: there are no functions.\n  Give at least one: Sequence([f1, f2], [1.0, 2.0]).")
        object.__setattr__(self, "durations", _durations(functions, self.durations))
        object.__setattr__(self, "start", finite_number("Sequence: start", self.start))
        object.__setattr__(self, "fillet", finite_number("Sequence: fillet", self.fillet))
        object.__setattr__(self, "order", checks.whole_number("Sequence: order", self.order, 0, SMOOTHEST))
        shortest = min(T for T in self.durations or () if T)
        if not 0 <= self.fillet < shortest:
            raise ModelError(f"Sequence: fillet is {self.fillet:g} s; give 0 or more, and less than the shortest "
                             f"duration, {shortest:g} s.")
        refuse_deep("Sequence", functions)
        _ = self.laid

    @cached_property
    def laid(self) -> tuple[tuple[float, ...], tuple[Function, ...]]:
        joints = tuple(accumulate((T or 0.0 for T in self.durations or ()), initial=self.start))
        checks.rising("Sequence", "joints", joints, "Give longer durations, or start nearer to zero.")
        levels = [_values(self.functions[0], joints[0], joints[1])[0]]
        moved: list[Function] = []
        for f, begin, end in zip(self.functions, joints, joints[1:], strict=False):
            low, high = _values(f, begin, end)
            moved.append(Shifted(f, begin - _beginning(f), levels[-1] - low))
            levels.append(levels[-1] + high - low)
        parts = (Constant(levels[0]), *moved, Constant(levels[-1]))
        return _rounded(joints, parts, self.fillet, self.order) if self.fillet else (joints, parts)


def _beginning(f: Function) -> float:
    return f.span[0] if f.span else 0.0


def _values(f: Function, begin: float, end: float) -> tuple[float, float]:
    """What f begins and ends with if it runs from `begin` to `end`."""
    start = _beginning(f)
    return f.taylor(start, 0)[0], f.taylor(start + (end - begin), 0, side=-1)[0]


def _durations(functions: ListOf[Function], given: Any) -> tuple[float, ...]:
    """How long each function runs: as given, or over its own span."""
    refuse_quantity("Sequence: durations", given)
    listed = [None] * len(functions) if given is None else given
    if isinstance(listed, str) or not isinstance(listed, ListOf) and not hasattr(listed, "__len__"):
        raise ModelError(f"Sequence: durations is {given!r}; a list of numbers is needed.")
    if len(listed) != len(functions):
        raise ModelError(f"Sequence: there are {len(functions)} functions, but {len(listed)} durations.")
    found = []
    for k, (f, T) in enumerate(zip(functions, listed, strict=True)):
        if T is None and f.span is None:
            raise ModelError(f"Sequence: functions[{k}], {type(f).__name__}, has no end of its own.\n"
                             f"  Give durations[{k}].")
        found.append(f.span[1] - f.span[0] if T is None and f.span else checks.positive(f"Sequence: durations[{k}]", T))
    return tuple(found)


def _rounded(joints: tuple[float, ...], parts: tuple[Function, ...], width: float,
             order: int) -> tuple[tuple[float, ...], tuple[Function, ...]]:
    """The same pieces with a polynomial of the given width about each inner joint."""
    limits, pieces = [joints[0]], [parts[0], parts[1]]
    for at, left, right in zip(joints[1:-1], parts[1:], parts[2:], strict=False):
        start, end = at - 0.5 * width, at + 0.5 * width
        pieces += [bridge("Sequence", left, right, start, end, order), right]
        limits += [start, end]
    return (*limits, joints[-1]), (*pieces, parts[-1])
