"""Forces along several measures, and rates of states, that one Python function of readings gives together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vincolo.errors import ModelError
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.forces import Law
from vincolo.model.functions.tracer import Tracer
from vincolo.model.measure import RATE, Measure
from vincolo.model.model import Model
from vincolo.model.tape import BINARY, FLOATS, UNARY, Tape, TapeWriter

Readings = Mapping[str, Measure | Auxiliary]
Function = Callable[[Mapping[str, Any]], Sequence[Any]]


def add_laws(model: Model, name: str, along: Mapping[str, Measure], function: Function, readings: Readings) -> None:
    """Forces that drive measures, called "name.part" by the keys of `along`: as many as the function returns. It
    gets a map
    of readings: the value of a measure by its name, its rate by name_rate, an input or state by its name."""
    found = _traced(function, readings, name)
    if len(found) != len(along):
        raise ModelError(f"laws {name!r}: the function gives {len(found)} forces for {len(along)} measures.")
    for (part, measure), formula in zip(along.items(), found, strict=True):
        model._claim(f"{name}.{part}", "actuator")
        model.laws[f"{name}.{part}"] = Law(
            f"{name}.{part}", measure, formula.tape, None, None, 1.0, formula.others, formula.reads
        )


def set_rates(model: Model, states: Sequence[str], function: Function, readings: Readings) -> None:
    """Rates of states that are there, as many as the function returns."""
    found = _traced(function, readings, ", ".join(states))
    for state, formula in zip(states, found, strict=True):
        model.states[state] = replace(model.states[state], rate=formula)


class FoldingWriter(TapeWriter):
    """Writes no operation that numbers decide: between numbers, 0 x, 1 x, x + 0, 0/x, of finite x. Formulas of many
    coefficients, most of them zero, get short."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, float] = {}  # registers that hold a number

    def constant(self, value: float) -> int:
        register = super().constant(value)
        self._known[register] = float(value)
        return register

    def write(self, op: str, a: int = 0, b: int = 0) -> int:
        x, y = self._known.get(a), self._known.get(b)
        if op in ("mul", "div") and x == 0 or op == "mul" and y == 0:
            return self.constant(0.0)
        if op == "mul" and x == 1 or op == "add" and x == 0:
            return b
        if op in ("mul", "div") and y == 1 or op in ("add", "sub") and y == 0:
            return a
        if op in UNARY and x is not None:
            return self.constant(FLOATS[op](x))
        if op in BINARY and op not in ("either", "choose") and x is not None and y is not None:
            return self.constant(FLOATS[op](x, y))
        return super().write(op, a, b)


class _Asked(dict[str, Any]):
    """Readings that write down which of them were asked for."""

    def __init__(self, writer: TapeWriter, known: Readings) -> None:
        super().__init__()
        self._writer, self._known = writer, known

    def __missing__(self, name: str) -> Tracer:
        if name not in self._known and name.removesuffix(RATE) not in self._known:
            raise ModelError(f"a function reads {name!r}, which is not given.")
        self[name] = Tracer(self._writer, self._writer.write("input", len(self)))
        return Tracer(self._writer, self[name].register)


def _traced(function: Function, readings: Readings, text: str) -> list[Formula]:
    """A formula for each result, with what it needs and no more."""
    writer = FoldingWriter()
    asked = _Asked(writer, readings)
    results = function(asked)
    names = list(asked)
    first = next(iter(asked.values()))
    made = []
    for result in results:
        tape, _ = writer.finish(first.register_of(result), text, tuple(names))
        made.append(_formula(tape, names, readings))
    return made


def _formula(tape: Tape, names: list[str], readings: Readings) -> Formula:
    """A tape over its own inputs alone."""
    used = sorted({a for op, a, _ in tape.ops if op == "input"})
    place = {old: new for new, old in enumerate(used)}
    ops = tuple((op, place[a], b) if op == "input" else (op, a, b) for op, a, b in tape.ops)
    inputs = tuple(names[k] for k in used)
    bases = {n if n in readings else n.removesuffix(RATE) for n in inputs}
    others = tuple((n, m) for n, m in readings.items() if n in bases and isinstance(m, Measure))
    reads = tuple((n, a.name) for n, a in readings.items() if n in bases and isinstance(a, Auxiliary))
    return Formula(Tape(ops, tape.constants, inputs, tape.text), others, reads)
