"""Outputs that are read from a run, and controllers that are called in it. Mixed into Model."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.auxiliary import Auxiliaries, Auxiliary, Formula
from vincolo.model.checks import finite_number
from vincolo.model.measure import Measure
from vincolo.model.sights import of_forces

MOST_MEMORY = 100_000  # numbers


@dataclass(frozen=True, eq=False)
class Output:
    """A number that is read from a run: a formula over the mechanism and the run, or a channel of results that follows
    from forces."""

    name: str
    formula: Formula | None
    channel: str = ""
    unit: str = ""

    @property
    def told(self) -> str:
        """What it is, in words."""
        return self.channel if self.formula is None else self.formula.tape.text


@dataclass(frozen=True)
class Kept:
    """What a controller remembers under a name: a number (whole or not), or an array."""

    key: str
    start: tuple[float, ...]
    shape: tuple[int, ...] | None = None
    whole: bool = False

    def value(self, numbers: Sequence[float]) -> Any:
        """As the controller has it."""
        if self.shape is not None:
            return np.array(numbers, dtype=float).reshape(self.shape)
        return int(numbers[0]) if self.whole else float(numbers[0])

    @property
    def names(self) -> list[str]:
        """One for each number."""
        return [self.key] if self.shape is None else [f"{self.key}.{k}" for k in range(len(self.start))]


@dataclass(frozen=True, eq=False)
class Controller:
    """A function that is called every so many seconds: what it returns is written to inputs and variables."""

    name: str
    every: float
    first: float  # s, of its first call
    reads: tuple[Output, ...]
    writes: tuple[str, ...]
    function: Callable[..., Any]
    memory: tuple[Kept, ...] = ()
    made: Any = None  # the dataclass that its memory is an object of, if it is one

    def time(self, k: int) -> float:
        """Of call k [s]."""
        return self.first + k * self.every

    def call_after(self, t: float) -> int:
        """The number of the first call at a time or after it."""
        k = max(0, math.ceil((t - self.first) / self.every) - 1)
        while self.time(k) < t:
            k += 1
        return k

    def remembered(self, numbers: Sequence[float]) -> Any:
        """Its memory as an object."""
        values, at = {}, 0
        for kept in self.memory:
            values[kept.key] = kept.value(numbers[at:at + len(kept.start)])
            at += len(kept.start)
        return values if self.made is None else self.made(**values)

    def numbers_of(self, memory: Any) -> list[float]:
        """The numbers of its memory."""
        found: list[float] = []
        for kept in self.memory:
            value = memory[kept.key] if self.made is None else getattr(memory, kept.key)
            found += np.asarray(value, dtype=float).ravel().tolist()
        return found


class Controls(Auxiliaries):
    """The methods of a model for what is read and controlled in a run."""

    def output(self, name: str, what: str | Measure, *, unit: str = "",
               **constants: float | Measure | Auxiliary) -> Output:
        """A number to be read from a run, and a channel of its results: a measure, a text over anything of the
        mechanism and the run, or the name of a channel that follows from forces, such as "O.reaction.force.x"."""
        if not isinstance(unit, str):
            raise ModelError(f"output {name!r}: unit is {unit!r}; it is a text such as 'm/s'.")
        made = self._output(f"output {name!r}", name, what, unit, constants)
        self._claim(name, "output")
        self.outputs[name] = made
        return made

    def _output(self, title: str, name: str, what: Any, unit: str, constants: Mapping[str, Any]) -> Output:
        if isinstance(what, Measure):
            return Output(name, self._formula(title, "x", {"x": what}), "", unit)
        if not isinstance(what, str) or not what.strip():
            raise ModelError(f"{title}: {what!r} is neither a measure nor a text such as 'cart.x' or '2*u + O.angle'.")
        if of_forces(self, what):
            return Output(name, None, what.strip(), unit)
        return Output(name, self._formula(title, what, constants), "", unit)

    def controller(self, every: float, reads: Sequence[str | Measure] = (), writes: Sequence[str] = (), *,
                   name: str | None = None, memory: Any = None, first: float = 0.0,
                   ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Makes a function a controller, called at the times first + k every [s] as f(t, *reads), or with `memory` (a
        dict or dataclass of numbers and arrays) as f(t, *reads, memory). It returns a value for each of `writes`,
        inputs and variables: one number, a list, or a dict by name. Reads are texts as those of laws, or names of
        channels. Its memory is part of states, so that restarts go on with it."""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            title = str(name or getattr(function, "__name__", "controller"))
            self.add_controller(title, function, every=every, reads=reads, writes=writes, memory=memory, first=first)
            return function

        return decorate

    def add_controller(self, name: str, function: Callable[..., Any], *, every: float, reads: Any = (),
                       writes: Any = (), memory: Any = None, first: float = 0.0) -> Controller:
        """The same for a given function, or an object that can be called."""
        what = f"controller {name!r}"
        if not callable(function):
            raise ModelError(f"{what}: {function!r} cannot be called; give a function of (t, what it reads).")
        period = finite_number(f"{what}: every", every)
        if period <= 0:
            raise ModelError(f"{what}: every is {period:g} s; it must be positive.")
        begin = finite_number(f"{what}: first", first)
        seen = [reads] if isinstance(reads, str | Measure) else list(reads)
        read = tuple(self._output(f"{what}: reads[{k}]", str(r), r, "", {}) for k, r in enumerate(seen))
        written = (writes,) if isinstance(writes, str) else tuple(writes)
        known = {**self.inputs, **self.variables}
        for target in written:
            if target not in known:
                raise ModelError(f"{what}: writes {target!r}, which is not an input or variable.\n"
                                 f"  There are: {', '.join(known) or 'none'}.{suggest(str(target), known)}")
            known[target].refuse_setting(f"{what}: writes {target!r}")
        if len(set(written)) != len(written):
            raise ModelError(f"{what}: it writes {', '.join(map(repr, written))}; each can be written once.")
        kept = remembered(what, memory)
        self._claim(name, "controller")
        made = type(memory) if dataclasses.is_dataclass(memory) else None
        self.controllers[name] = Controller(name, period, begin, read, written, function, kept, made)
        return self.controllers[name]


def remembered(what: str, memory: Any) -> tuple[Kept, ...]:
    """The numbers and arrays that a controller keeps, from a dict or dataclass."""
    if memory is None:
        return ()
    if dataclasses.is_dataclass(memory) and not isinstance(memory, type):
        items = {field.name: getattr(memory, field.name) for field in dataclasses.fields(memory)}
    elif isinstance(memory, Mapping):
        items = dict(memory)
    else:
        raise ModelError(f"{what}: memory is {memory!r}; it is a dict or an object of a dataclass, with numbers and "
                         "arrays.")
    found = tuple(_kept(what, key, value) for key, value in items.items())
    if sum(len(kept.start) for kept in found) > MOST_MEMORY:
        raise ModelError(f"{what}: its memory has more than {MOST_MEMORY:,} numbers.")
    return found


def _kept(what: str, key: Any, value: Any) -> Kept:
    if not isinstance(key, str):
        raise ModelError(f"{what}: memory: the name {key!r} is not a text.")
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fiu" and np.isfinite(value).all():
        return Kept(key, tuple(np.asarray(value, dtype=float).ravel().tolist()), value.shape)
    try:
        number = finite_number(f"{what}: memory {key!r}", value)
    except ModelError:
        raise ModelError(f"{what}: memory {key!r} is {value!r} ({type(value).__name__}), which states cannot carry.\n"
                         "  Keep numbers and arrays of numbers there; what never changes can stay in the function."
                         ) from None
    return Kept(key, (number,), None, isinstance(value, int | np.integer))


