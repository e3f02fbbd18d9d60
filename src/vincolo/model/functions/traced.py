"""A Python function as a function of time that the kernel runs by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.functions.combined import Formula, refuse_deep
from vincolo.model.functions.definition import definition
from vincolo.model.functions.function import Function
from vincolo.model.functions.tracer import name_of, refusal, trace
from vincolo.model.tape import Tape

CHECKED_AT = (0.0, 0.137, 0.731, 1.93, -0.459, 11.3)


@dataclass(frozen=True, init=False, repr=False)
class Traced(Formula):
    """A Python function of t made of arithmetic and functions of math and numpy, for example Traced(lambda t: 2*t).

    It is called once with a number that records what is done to it, so that the kernel can run it, with exact
    derivatives, without calling Python. It cannot decide by "if"; numpy.where, min and max can be used.
    """

    written_out: ClassVar[bool] = True
    name: str
    operations: Tape
    functions: tuple[Function, ...]

    def __init__(self, function: Callable[[Any], Any]) -> None:
        if not callable(function) or isinstance(function, Function):
            raise ModelError(f"Traced: {function!r} is not a Python function of t.\n"
                             "  Write Traced(lambda t: ...), or Traced(name) for a function defined with def.")
        tape, parts = trace(function)
        for field, value in (("name", name_of(function)), ("operations", tape), ("functions", parts)):
            object.__setattr__(self, field, value)
        refuse_deep("Traced", parts)
        _compare(function, self)

    @property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        return self.operations, self.functions

    def __repr__(self) -> str:
        return f"Traced({self.name!r}: {self.written})"


def _compare(function: Callable[[Any], Any], traced: Traced) -> None:
    """Refuses a function that does not do with a plain number what it did with the traced one."""
    formula = definition(traced.spec())
    for t in CHECKED_AT:
        try:
            with np.errstate(all="ignore"):  # numpy.where computes what it does not choose, too
                plain, written = float(function(t)), float(formula(t))
        except (ArithmeticError, ValueError, TypeError):
            continue  # outside its range
        if not abs(plain - written) <= 1e-9 * (1.0 + abs(plain)) and not (math.isnan(plain) and math.isnan(written)):
            raise refusal(function, f"at t = {t:g} it gives {plain:g}, but what was traced gives {written:g}; "
                                    "it may change from call to call")
