"""Functions of a few numbers: constant, ramp, sine, polynomial, smooth step."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from typing import Any, ClassVar

from vincolo.equations.arithmetic import total
from vincolo.errors import ModelError
from vincolo.model.functions import checks
from vincolo.model.functions.combined import Expression
from vincolo.model.functions.function import Function, Numbers

WAY_OUT = "Give start < end; to go down instead of up, exchange low and high."


@dataclass(frozen=True)
class Constant(Numbers):
    """The same value at all times."""

    kind: ClassVar[str] = "constant"
    value: float

    def _primitive(self) -> Callable[[float], float]:
        return lambda t: self.value * t


@dataclass(frozen=True)
class Ramp(Numbers):
    """offset + slope max(t - start, 0); at the corner the derivative is the one from the right."""

    kind: ClassVar[str] = "ramp"
    slope: float
    start: float = 0.0
    offset: float = 0.0

    @property
    def breaks(self) -> tuple[float, ...]:
        return (self.start,)

    def _primitive(self) -> Callable[[float], float]:
        return lambda t: self.offset * t + 0.5 * self.slope * max(t - self.start, 0.0)**2


@dataclass(frozen=True)
class Wave(Numbers):
    """offset + amplitude g(frequency t + phase), frequency in rad/s, phase in rad."""

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class Sine(Wave):
    """offset + amplitude sin(frequency t + phase), frequency in rad/s, phase in rad."""

    kind: ClassVar[str] = "sine"

    def _primitive(self) -> Callable[[float], float]:
        A, w, phase, offset = astuple(self)
        if w == 0:
            return lambda t: (offset + A * math.sin(phase)) * t
        return lambda t: offset * t - A / w * math.cos(w * t + phase)


@dataclass(frozen=True)
class Polynomial(Function):
    """c0 + c1 t + c2 t^2 + ..., coefficients in rising powers."""

    kind: ClassVar[str] = "polynomial"
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        coefficients = checks.finite_numbers("Polynomial", "coefficients", self.coefficients)
        object.__setattr__(self, "coefficients", coefficients)
        if not coefficients:
            raise ModelError("Polynomial: there are no coefficients.\n"
                             "  Give at least one number, in rising powers: Polynomial([c0, c1, c2]).")

    @property
    def params(self) -> tuple[float, ...]:
        return self.coefficients

    def _primitive(self) -> Callable[[float], float]:
        return lambda t: total(c * t**(k + 1) / (k + 1) for k, c in enumerate(self.coefficients))


class Rise(Numbers):
    """A motion from low to high between start and end [s]."""

    start: float
    end: float
    low: float
    high: float

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.start_before_end(type(self).__name__, self.start, self.end, WAY_OUT)

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return self.end - self.start

    @property
    def rise(self) -> float:
        """How far it goes."""
        return self.high - self.low


def as_function(value: float | str | Function) -> Function:
    """A number as Constant, a text in t as Expression, a Function as it is."""
    if isinstance(value, Function):
        return value
    if isinstance(value, str):
        return Expression(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return Constant(value)
    raise TypeError(f"a function of time cannot be made from {value!r} ({type(value).__name__}).\n"
                    "  Give a number, a text in t such as '2*pi*t', a function such as Sine(0.1, 6.28), or, for "
                    "drives, forces and cams, a Python function of t.")


def as_functions(owner: str, values: Any) -> tuple[Function, ...]:
    """A list of functions, numbers and texts in t as functions."""
    if isinstance(values, str | Function) or not isinstance(values, Iterable):
        raise ModelError(f"{owner}: functions is {values!r}; a list of functions is needed.")
    return tuple(part_of(f"{owner}: functions[{k}]", value) for k, value in enumerate(values))


def part_of(what: str, value: Any) -> Function:
    """A function, number or text in t as a function; `what` names it if it is not one."""
    try:
        return as_function(value)
    except TypeError as error:
        raise ModelError(f"{what}: {error}") from None
