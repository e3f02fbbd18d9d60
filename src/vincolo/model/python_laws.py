"""Laws that are Python functions of readings: written as formulas where that can be, else called through the
interpreter at every evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vincolo.errors import ExpressionError, ModelError
from vincolo.model.checks import finite_number
from vincolo.model.functions.tracer import arguments, name_of, trace
from vincolo.model.measure import RATE, Measure
from vincolo.model.sights import sights
from vincolo.model.tape import Tape

if TYPE_CHECKING:
    from vincolo.model.named_parts import Parts


@dataclass(eq=False)
class Called:
    """A Python function that no formula can say. Its last mistake is kept: the run sees a force that is not a
    number."""

    function: Callable[..., Any]
    inputs: tuple[str, ...]  # what it reads, in the order in which values come
    wanted: tuple[str, ...]  # its arguments: t, an input or a number
    numbers: dict[str, float]
    reason: str  # why it is called
    error: Exception | None = field(default=None, repr=False)

    def __call__(self, t: float, values: Sequence[float]) -> float:
        given = {"t": t, **self.numbers, **dict(zip(self.inputs, values, strict=True))}
        try:
            return float(self.function(*(given[name] for name in self.wanted)))
        except Exception as error:  # whatever the user's function raises; the run ends and tells it
            self.error = error
            return math.nan

    @property
    def mistake(self) -> str:
        """What went wrong in it, in a sentence; empty if nothing did."""
        if self.error is None:
            return ""
        return f"the Python function {name_of(self.function)!r} raised {type(self.error).__name__}: {self.error}"


@dataclass
class Arguments:
    """What the arguments of a function stand for."""

    wanted: list[str] = field(default_factory=list)
    others: dict[str, Measure] = field(default_factory=dict)
    reads: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names that are read, each once."""
        return tuple(name for name in dict.fromkeys(self.wanted) if name != "t" and name not in self.numbers)


def arguments_of(model: Parts, what: str, function: Callable[..., Any], given: Mapping[str, Any],
                 own: Measure) -> Arguments:
    """Looks up the arguments of a function: t, d and dd, names given by keyword, measures and what a run carries; else
    its own values of them."""
    names = arguments(function)
    if names is None:
        raise ModelError(f"{what}: the arguments of {name_of(function)!r} cannot be read.\n"
                         "  Put it into a function of your own: lambda d, dd: f(d, dd).")
    found, values = Arguments(), {**names, **given}
    try:
        unknown = [name for name in names if not _place(model, found, name, given, own)
                   and not _place(model, found, name, values, own)]
    except ModelError as error:
        raise type(error)(f"{what}: {error}") from None
    if unknown:
        raise ModelError(f"{what}: the function {name_of(function)!r} needs {', '.join(unknown)}, for which nothing is "
                         "given.\n  Name each of its arguments: angle='hinge.angle', k=3; t, d and dd are there.")
    bases = {name.removesuffix(RATE) for name in names}
    idle = [key for key in given if key not in names and key not in bases]
    if idle:
        raise ModelError(f"{what}: {', '.join(idle)} cannot be used: the function has no such argument.")
    return found


def _place(model: Parts, found: Arguments, name: str, given: Mapping[str, Any], own: Measure) -> bool:
    """Adds one argument; whether it is known."""
    base = name.removesuffix(RATE)
    value = given.get(name, given.get(base) if isinstance(given.get(base), Measure) else None)
    if isinstance(value, Measure):
        found.others[base if name not in given else name] = value
    elif isinstance(value, str):
        return _named(model, found, value, own)
    elif value is not None and any(value is part for part in model.auxiliaries.values()):
        found.reads[name] = value.name
    elif value is not None:
        found.numbers[name] = finite_number(f"the argument {name}", value)
    elif name not in ("t", "d", "dd"):
        return (name in model.auxiliaries or base in model.measures) and _named(
            model, found, name if name in model.auxiliaries or name in model.measures else f"{base}.rate", own)
    found.wanted.append(name)
    return True


def _named(model: Parts, found: Arguments, name: str, own: Measure) -> bool:
    """An argument by a name of the mechanism or of a run."""
    seen = sights(model, name, own, ())
    if not seen.text.isidentifier():
        raise ExpressionError(f"{name!r} is not a name of the mechanism, such as 'hinge.angle' or 'cart.vx'.")
    found.others |= seen.others
    found.reads |= seen.reads
    found.wanted.append(seen.text)
    return True


def mistakes(laws: Mapping[str, Called]) -> list[str]:
    """What Python functions of laws raised, in sentences."""
    return [f"In law {name!r} {called.mistake}." for name, called in laws.items() if called.mistake]


def written(function: Callable[..., Any], arguments: Arguments) -> Tape | Called:
    """The function as a formula, or, where it cannot be one, to be called."""
    others, reads = arguments.others, arguments.reads
    names = ("d", "dd", *others, *(f"{name}{RATE}" for name in others), *reads)  # as those of a text
    try:
        tape, parts = trace(function, names, arguments.numbers, arguments.wanted)
        reason = "it calls functions of one variable"
    except ModelError as error:
        reason, parts, tape = str(error).partition("\n")[0], (), None
    if tape is not None and not parts:
        return tape
    return Called(function, arguments.inputs, tuple(arguments.wanted), arguments.numbers, reason)
