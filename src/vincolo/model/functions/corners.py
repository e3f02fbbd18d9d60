"""Where a formula has corners: at the breaks of the functions it calls, and where step, abs, min or floor switch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from vincolo.model.functions.definition import definition
from vincolo.model.functions.function import Function
from vincolo.model.functions.times import sorted_inside
from vincolo.model.tape import FLOATS, Line, Tape, Undefined, line_of, lines, needed, registers, timed

SWITCHES = ("step", "sign", "abs", "min", "max", "floor")
SEARCHED = 512  # intervals in which a switch that does not follow time linearly is searched
MOST_BREAKS = 100_000  # of one function in one run; steps have to be far shorter than the distance of so many anyway


def fixed_breaks(tape: Tape, parts: Sequence[Function]) -> tuple[float, ...]:
    """The breaks that are few and known without a search."""
    line, found = lines(tape), set[float]()
    for k in sorted(needed(tape.ops, len(tape.ops) - 1)):
        op, a, b = tape.ops[k]
        x = _switch(op, a, b, line)
        if x is not None and x[0] != 0 and op != "floor":
            levels = parts[b].breaks if op == "call" else (0.0,)
            found.update((level - x[1]) / x[0] for level in levels)
    return sorted_inside(t for t in found if math.isfinite(t))


def _switch(op: str, a: int, b: int, line: Sequence[Line | None]) -> Line | None:
    """What decides over a switch, or what a function is called with, if it is linear in time."""
    if op in ("min", "max"):
        return line_of("sub", line[a], line[b])
    return line[a] if op in SWITCHES or op == "call" else None


def span_of(tape: Tape, parts: Sequence[Function]) -> tuple[float, float] | None:
    """From the first beginning to the last end of the functions called."""
    line, ends = lines(tape), list[float]()
    for op, a, b in tape.ops:
        x = line[a] if op == "call" else None
        inner = parts[b].span if x is not None and x[0] != 0 else None
        if x is not None and inner is not None:
            ends += [(end - x[1]) / x[0] for end in inner]
    return (min(ends), max(ends)) if ends else None


def breaks_between(tape: Tape, parts: Sequence[Function], t0: float, t1: float, every: bool) -> tuple[float, ...]:
    """All breaks of a formula from t0 to t1; those that need a search are found if they lie apart. In a formula with
    inputs: those of the parts that depend on time alone."""
    of_time = timed(tape.ops)
    switches = [k for k in sorted(needed(tape.ops, len(tape.ops) - 1))
                if k in of_time and (tape.ops[k][0] in SWITCHES or tape.ops[k][0] == "call")]
    if not switches:
        return ()
    watched, found = _Watched(tape, parts, t0, t1), set[float]()
    for k in switches:
        op, _, b = tape.ops[k]
        found.update(watched.crossings(k, _levels(op, parts[b] if op == "call" else None, every)))
    return sorted_inside(found, t0, t1)


def _levels(op: str, part: Function | None, every: bool) -> Callable[[float, float], Iterable[float]]:
    """The numbers in a range at which an operation switches."""
    if part is not None:
        return lambda low, high: part.breaks_between(low, high, every)
    return _whole_numbers if op == "floor" else lambda low, high: (0.0,)


def _whole_numbers(low: float, high: float) -> Iterable[float]:
    return map(float, range(math.ceil(low), math.floor(high) + 1)) if high - low < MOST_BREAKS else ()


class _Watched:
    """The registers of a formula over a stretch of time."""

    def __init__(self, tape: Tape, parts: Sequence[Function], t0: float, t1: float) -> None:
        self._tape, self._t0, self._t1 = tape, t0, t1
        self._lines = lines(tape)
        self._parts = [definition(part.spec()) for part in parts]
        self._sampled: list[tuple[float, list[Any]]] = []

    def crossings(self, k: int, levels: Callable[[float, float], Iterable[float]]) -> Iterator[float]:
        """When what decides over operation k passes one of the levels that lie in its range."""
        op, a, b = self._tape.ops[k]
        line = _switch(op, a, b, self._lines)
        if line is None:
            yield from self._searched(k, levels)
        elif line[0] != 0:
            low, high = sorted((line[0] * self._t0 + line[1], line[0] * self._t1 + line[1]))
            for level in levels(low, high):
                yield self._settled(k, (level - line[1]) / line[0], level)

    def _value(self, k: int, found: Sequence[Any]) -> float:
        op, a, b = self._tape.ops[k]
        return float(found[a] - found[b]) if op in ("min", "max") else float(found[a])

    def _at(self, t: float) -> list[Any]:
        inputs = [math.nan] * len(self._tape.inputs)
        return [math.nan if isinstance(x, Undefined) else x
                for x in registers(self._tape, t, inputs, FLOATS, self._parts)]

    def _settled(self, k: int, t: float, level: float) -> float:
        """The first of the times next to t that lies on the far side of the switch, whatever was rounded."""
        after = self._value(k, self._at(t + 1e-9 * max(1.0, abs(t)))) >= level
        for _ in range(8):
            if (self._value(k, self._at(t)) >= level) == after:
                break
            t = math.nextafter(t, math.inf)
        return t

    def _searched(self, k: int, levels: Callable[[float, float], Iterable[float]]) -> Iterator[float]:
        if not self._sampled:
            step = (self._t1 - self._t0) / SEARCHED
            times = [self._t0 + j * step for j in range(SEARCHED)] + [self._t1]
            self._sampled = [(t, self._at(t)) for t in times]
        values = [(t, self._value(k, found)) for t, found in self._sampled]
        finite = [(t, v) for t, v in values if math.isfinite(v)]
        if len(finite) < 2:
            return
        seen = [v for _, v in finite]
        for level in levels(min(seen), max(seen)):
            for (left, before), (right, after) in zip(finite, finite[1:], strict=False):
                if (before >= level) != (after >= level):
                    yield self._bisected(k, level, left, right)

    def _bisected(self, k: int, level: float, left: float, right: float) -> float:
        after = self._value(k, self._at(right)) >= level
        while (middle := 0.5 * (left + right)) not in (left, right):
            if (self._value(k, self._at(middle)) >= level) == after:
                right = middle
            else:
                left = middle
        return right
