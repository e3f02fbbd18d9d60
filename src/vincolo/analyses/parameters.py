"""Numbers of a model that a stepper may change between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.model.tape import Tape
from vincolo.varied import Feature, feature_of, value_of, varied_system

if TYPE_CHECKING:
    from vincolo.system import System

SPRING = ("k", "c", "length", "preload")


class Parameters(MutableMapping[str, float]):
    """Numbers by name: k, c, length and preload of springs ("strut.k"), constants of laws and of rates ("push.gain"),
    variables and states by their names; and numbers that the structure stays the same with, such as masses
    ("arm.mass"), lengths ("rod.length") and places of joints on bodies ("A@crank.x"). The last make a new system, which
    takes some milliseconds: `renew` goes on with it."""

    def __init__(self, system: System, pacer: Any, renew: Callable[[System], None]) -> None:
        self._system, self._pacer, self._renew = system, pacer, renew
        self._features: dict[str, float] = {}  # those that were set
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
        if owner in self._texts:
            return self._texts[owner][1][key]
        return self._features[name] if name in self._features else self._feature(name)[1]

    def __setitem__(self, name: str, value: float) -> None:
        number = finite_number(f"parameter {name!r}", value)
        if name in self._carried:
            self._carried[name].refuse_setting(f"parameter {name!r}")
            self._pacer.set_auxiliary(self._system.auxiliaries[name], number)
            return
        owner, key = self._split(name)
        if owner in self._springs:
            self._springs[owner][SPRING.index(key)] = number
            self._pacer.set_spring(self._system.laws[owner], *self._springs[owner])
        elif owner in self._texts:
            self._set_constant(owner, key, number)
        else:
            self._set_feature(name, number)

    def _feature(self, name: str) -> tuple[Feature, float]:
        feature = feature_of(self._system.model, name)
        return feature, value_of(self._system.model, feature)

    def _set_feature(self, name: str, number: float) -> None:
        """A system with another number in the place of this one, and what was set before in it."""
        feature, before = self._feature(name)
        if feature.group == "body" and not number > 0:
            raise ModelError(f"parameter {name!r}: the mass is {number:g} kg; between steps it stays above zero.")
        made = varied_system(self._system, [(feature, number - before)])
        self._renew(made)
        self._system = made
        self._features[name] = number
        for spring, numbers in self._springs.items():
            self._pacer.set_spring(made.laws[spring], *numbers)
        for owner, (tape, _) in self._texts.items():
            self._put_constants(owner, tape)

    def _put_constants(self, owner: str, tape: Tape) -> None:
        if owner in self._system.laws:
            self._pacer.set_formula(self._system.laws[owner], list(tape.constants))
        else:
            self._pacer.set_rate(self._system.auxiliaries[owner], list(tape.constants))

    def _set_constant(self, owner: str, key: str, number: float) -> None:
        tape, constants = self._texts[owner]
        changed = {**constants, key: number}
        made = parse(tape.text, tape.inputs, changed)
        if made.ops != tape.ops:
            raise ModelError(f"parameter '{owner}.{key}': with {number:g} the formula '{tape.text}' has other "
                             "operations than it was compiled with.\n"
                             "  Make it a variable: model.variable(...) can take any value.")
        self._texts[owner] = made, changed
        self._put_constants(owner, made)

    def _split(self, name: Any) -> tuple[str, str]:
        owner, _, key = str(name).rpartition(".")
        if (owner in self._springs and key in SPRING) or (owner in self._texts and key in self._texts[owner][1]):
            return owner, key
        try:
            feature = feature_of(self._system.model, str(name))
        except ModelError:
            feature = None
        if feature is not None and feature.group != "input":
            return owner, key
        known = list(self)
        raise ModelError(f"there is no parameter called {name!r} that can be changed between steps.\n"
                         f"  There are: {', '.join(known[:30]) or 'none'}.{suggest(str(name), known)}\n"
                         "  Besides, masses (arm.mass), lengths (rod.length) and places of joints on bodies "
                         "(A@crank.x); any other number can be a variable of the model.")

    def __delitem__(self, name: str) -> None:
        raise ModelError(f"parameter {name!r} cannot be removed.")

    def __iter__(self) -> Iterator[str]:
        yield from self._carried
        yield from (f"{name}.{key}" for name in self._springs for key in SPRING)
        yield from (f"{name}.{key}" for name, (_, constants) in self._texts.items() for key in constants)
        yield from (f"{name}.mass" for name in self._system.model.bodies)
        yield from (name for name in self._features if not name.endswith(".mass"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Parameters({dict(self)})"
