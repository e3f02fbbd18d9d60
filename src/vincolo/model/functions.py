"""Functions of time: motion laws, load histories and force curves, with exact derivatives."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.expression import Tape, parse

ENDS = ("natural", "clamped", "not-a-knot")


def _finite_numbers(owner: str, name: str, values: Any) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(f"{owner}: {name} is {values!r}; a list of numbers is needed.\n"
                         f"  Write {name}=[...], even for one number.")
    return tuple(finite_number(f"{owner}: {name}[{k}]", value) for k, value in enumerate(values))


class Function:
    """A function f of one variable, usually time [s], with the kernel's name for it and its numbers."""

    kind: ClassVar[str]

    @property
    def params(self) -> tuple[float, ...]:
        """The numbers of the function, in the kernel's order."""
        raise NotImplementedError

    @property
    def tape(self) -> Tape | None:
        """The operations of a formula; None for functions given by their numbers alone."""
        return None

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where a derivative up to the third jumps; adaptive steps end there and begin anew."""
        return ()

    def __call__(self, t: float) -> float:
        """f(t)."""
        return self.derivatives(t)[0]

    def derivatives(self, t: float) -> tuple[float, float, float]:
        """(f, df/dt, d2f/dt2) at t, exact, evaluated by the kernel."""
        from vincolo import _kernel

        ops, constants = (self.tape.ops, self.tape.constants) if self.tape else ((), ())
        f, df, ddf = _kernel.core().function_derivatives(
            self.kind, list(self.params), list(ops), list(constants), float(t))
        return f, df, ddf


class _Numbers(Function):
    """A function whose fields are single numbers, in the kernel's order."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every final class is a dataclass
            number = finite_number(f"{type(self).__name__}: {field.name}", getattr(self, field.name))
            object.__setattr__(self, field.name, number)

    @property
    def params(self) -> tuple[float, ...]:
        return astuple(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True)
class Constant(_Numbers):
    """The same value at all times."""

    kind: ClassVar[str] = "constant"
    value: float


@dataclass(frozen=True)
class Ramp(_Numbers):
    """offset + slope max(t - start, 0); at the corner the derivative is the one from the right."""

    kind: ClassVar[str] = "ramp"
    slope: float
    start: float = 0.0
    offset: float = 0.0

    @property
    def breaks(self) -> tuple[float, ...]:
        return (self.start,)


@dataclass(frozen=True)
class Sine(_Numbers):
    """offset + amplitude sin(frequency t + phase), frequency in rad/s, phase in rad."""

    kind: ClassVar[str] = "sine"
    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True)
class SmoothStep(_Numbers):
    """From low to high between start and end [s] with continuous acceleration; constant outside."""

    kind: ClassVar[str] = "smooth_step"
    start: float
    end: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.start < self.end:
            raise ModelError(f"SmoothStep: start = {self.start:g} is not before end = {self.end:g}.\n"
                             "  Give start < end; to go down instead of up, exchange low and high.")

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.start, self.end


@dataclass(frozen=True)
class Polynomial(Function):
    """c0 + c1 t + c2 t^2 + ..., coefficients in rising powers."""

    kind: ClassVar[str] = "polynomial"
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        coefficients = _finite_numbers("Polynomial", "coefficients", self.coefficients)
        object.__setattr__(self, "coefficients", coefficients)
        if not coefficients:
            raise ModelError("Polynomial: there are no coefficients.\n"
                             "  Give at least one number, in rising powers: Polynomial([c0, c1, c2]).")

    @property
    def params(self) -> tuple[float, ...]:
        return self.coefficients


@dataclass(frozen=True)
class Spline(Function):
    """A cubic spline through the samples (x, y), with continuous curvature; straight lines outside.

    `ends`: "natural" (no curvature), "clamped" (no slope) or "not-a-knot" at the first and last sample.
    """

    kind: ClassVar[str] = "spline"
    x: tuple[float, ...]
    y: tuple[float, ...]
    ends: str = "natural"

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _finite_numbers("Spline", "x", self.x))
        object.__setattr__(self, "y", _finite_numbers("Spline", "y", self.y))
        self._check_samples()
        if self.ends not in ENDS:
            hint = suggest(self.ends, ENDS) if isinstance(self.ends, str) else ""
            raise ModelError(f"Spline: ends is {self.ends!r}.\n  Use one of: {', '.join(ENDS)}.{hint}")

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.x[0], self.x[-1]  # at the samples between only the third derivative jumps, a little

    def _check_samples(self) -> None:
        if len(self.x) != len(self.y):
            raise ModelError(f"Spline: x has {len(self.x)} samples, but y has {len(self.y)}.\n"
                             "  Give one y for every x.")
        if len(self.x) < 2:
            raise ModelError(f"Spline: there are {len(self.x)} samples; at least 2 are needed.\n"
                             "  Give more samples, or use Constant for a single value.")
        for k, (left, right) in enumerate(zip(self.x, self.x[1:], strict=False), start=1):
            if not left < right:
                raise ModelError(f"Spline: x[{k}] = {right:g} is not larger than x[{k - 1}] = {left:g}.\n"
                                 "  Sort the samples by x and remove repeated ones.")

    @cached_property
    def params(self) -> tuple[float, ...]:
        """[n, x0 .. x_{n-1}, then c0 c1 c2 c3 of each interval in powers of x - x_i]."""
        coefficients = self._coefficients()
        if not all(map(math.isfinite, coefficients)):
            raise ModelError("Spline: some samples are too close together for a cubic curve.\n"
                             f"  x goes from {self.x[0]:g} to {self.x[-1]:g} in {len(self.x)} samples.\n"
                             "  Remove samples that nearly coincide.")
        return (float(len(self.x)), *self.x, *coefficients)

    def _coefficients(self) -> list[float]:
        import numpy as np
        from scipy.interpolate import CubicSpline  # type: ignore[import-untyped, unused-ignore]

        try:
            with np.errstate(all="ignore"):
                falling = CubicSpline(self.x, self.y, bc_type=self.ends).c  # [power 3..0, interval]
        except ValueError:  # scipy's answer to slopes that overflow
            return [math.nan]
        return list(falling[::-1].T.ravel().tolist())


@dataclass(frozen=True, init=False)
class Expression(Function):
    """A formula in t [s] and named constants, for example Expression("A*sin(w*t)", A=0.1, w=6.28)."""

    kind: ClassVar[str] = "tape"
    text: str
    constants: tuple[tuple[str, float], ...]

    def __init__(self, text: str, /, **constants: float) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_tape", parse(text, constants=constants))
        numbers_by_name = tuple((name, float(value)) for name, value in constants.items())
        object.__setattr__(self, "constants", numbers_by_name)

    @property
    def params(self) -> tuple[float, ...]:
        return ()

    @property
    def tape(self) -> Tape:
        tape: Tape = self._tape  # type: ignore[attr-defined]  # set once in __init__
        return tape


def as_function(value: float | str | Function) -> Function:
    """A number as Constant, a text in t as Expression, a Function as it is."""
    if isinstance(value, Function):
        return value
    if isinstance(value, str):
        return Expression(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return Constant(value)
    raise TypeError(f"a function of time cannot be made from {value!r} ({type(value).__name__}).\n"
                    "  Give a number, a text in t such as '2*pi*t', or a function such as Sine(0.1, 6.28).")
