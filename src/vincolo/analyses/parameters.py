"""Numbers of a model that a stepper may change between steps."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.model.tape import Tape

if TYPE_CHECKING:
    from vincolo.system import System

SPRING = ("k", "c", "length", "preload")


class Parameters(MutableMapping[str, float]):
    """Numbers by name: k, c, length and preload of springs ("strut.k"), constants of laws and of rates ("push.gain"),
    variables and states by their names. Masses and geometry are fixed when a model is compiled."""

    def __init__(self, system: System, pacer: Any) -> None:
        self._system, self._pacer = system, pacer
        model = system.model
        self._springs = {s.name: [s.k, s.c, s.length, s.preload] for s in model.springs.values()}
        self._texts: dict[str, tuple[Tape, dict[str, float]]] = {}
        for law in model.laws.values():
            if law.formula is not None and law.constants:
                self._texts[law.name] = law.formula, dict(law.constants)
        for state in model.states.values():
            if state.rate is not None and state.rate.constants:
                self._texts[state.name] = state.rate.tape, dict(state.rate.constants)
        self._carried = {**model.variables, **model.states}

    def __getitem__(self, name: str) -> float:
        if name in self._carried:
            return float(self._pacer.auxiliary(self._system.auxiliaries[name]))
        owner, key = self._split(name)
        if owner in self._springs:
            return float(self._springs[owner][SPRING.index(key)])
        return self._texts[owner][1][key]

    def __setitem__(self, name: str, value: float) -> None:
        number = finite_number(f"parameter {name!r}", value)
        if name in self._carried:
            self._pacer.set_auxiliary(self._system.auxiliaries[name], number)
            return
        owner, key = self._split(name)
        if owner in self._springs:
            self._springs[owner][SPRING.index(key)] = number
            self._pacer.set_spring(self._system.laws[owner], *self._springs[owner])
        else:
            self._set_constant(owner, key, number)

    def _set_constant(self, owner: str, key: str, number: float) -> None:
        tape, constants = self._texts[owner]
        changed = {**constants, key: number}
        made = parse(tape.text, tape.inputs, changed)
        if made.ops != tape.ops:
            raise ModelError(f"parameter '{owner}.{key}': with {number:g} the formula '{tape.text}' has other "
                             "operations than it was compiled with.\n"
                             "  Make it a variable: model.variable(...) can take any value.")
        self._texts[owner] = made, changed
        if owner in self._system.laws:
            self._pacer.set_formula(self._system.laws[owner], list(made.constants))
        else:
            self._pacer.set_rate(self._system.auxiliaries[owner], list(made.constants))

    def _split(self, name: Any) -> tuple[str, str]:
        owner, _, key = str(name).rpartition(".")
        if (owner in self._springs and key in SPRING) or (owner in self._texts and key in self._texts[owner][1]):
            return owner, key
        known = list(self)
        raise ModelError(f"there is no parameter called {name!r} that can be changed between steps.\n"
                         f"  There are: {', '.join(known[:30]) or 'none'}.{suggest(str(name), known)}\n"
                         "  Masses and geometry are fixed; any other number can be a variable of the model.")

    def __delitem__(self, name: str) -> None:
        raise ModelError(f"parameter {name!r} cannot be removed.")

    def __iter__(self) -> Iterator[str]:
        yield from self._carried
        yield from (f"{name}.{key}" for name in self._springs for key in SPRING)
        yield from (f"{name}.{key}" for name, (_, constants) in self._texts.items() for key in constants)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Parameters({dict(self)})"
