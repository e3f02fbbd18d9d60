"""A function as its definition, which runs on any number: floats, series, numbers that know their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vincolo.equations.arithmetic import OPERATIONS, Number
from vincolo.equations.functions import DEFINITIONS, pieces
from vincolo.model.tape import Tape, run

#: a function as the kernel takes it: kind, parameters, operations, constants, and the same of its parts
Spec = tuple[str, list[float], list[tuple[str, int, int]], list[float], list[Any]]


def definition(spec: Spec) -> Callable[[Number], Number]:
    """The definition of a function given as for the kernel; a formula ("tape") is its own definition."""
    kind, params, ops, constants, part_specs = spec
    parts = [definition(part) for part in part_specs]
    if kind == "tape":
        tape = Tape(tuple(ops), tuple(constants), (), "")
        return lambda t: run(tape, t, (), OPERATIONS, parts)
    if kind == "pieces":
        return lambda t: pieces(t, params, parts)
    return lambda t: DEFINITIONS[kind](t, *params)
