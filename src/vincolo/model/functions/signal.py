"""Functions of time that read what a run carries: inputs, variables and states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vincolo.model.functions.combined import Formula
from vincolo.model.functions.definition import Spec
from vincolo.model.functions.function import Function
from vincolo.model.tape import Tape


@dataclass(frozen=True, repr=False)
class Signal(Formula):
    """A formula in t and in numbers that a run carries, such as 2*target + sin(t). Outside a run they have the values
    they begin with."""

    operations: Tape  # with the names of `reads` as inputs
    reads: tuple[tuple[str, str], ...]  # the name in the text, and that of the input, variable or state
    starts: tuple[float, ...]

    @property
    def _formula(self) -> tuple[Tape, tuple[Function, ...]]:
        """As it is outside a run."""
        tape, first = self.operations, len(self.operations.constants)
        ops = tuple(("const", first + a, 0) if op == "input" else (op, a, b) for op, a, b in tape.ops)
        return Tape(ops, (*tape.constants, *self.starts), (), tape.text), ()

    def spec_in(self, numbers: Mapping[str, int]) -> Spec:
        """The function as the kernel takes it, by the numbers of its auxiliary states."""
        known = [numbers[name] for _, name in self.reads]
        ops: list[Any] = [(op, known[a], 0) if op == "input" else (op, a, b) for op, a, b in self.operations.ops]
        return self.kind, [], ops, list(self.operations.constants), []

    def __repr__(self) -> str:
        return f"Signal({self.operations.text!r})"
