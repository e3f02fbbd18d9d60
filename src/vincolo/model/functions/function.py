"""The base of all functions of time: value and two derivatives from the kernel, arithmetic, and what can be asked."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from vincolo import _kernel
from vincolo.model.checks import finite_number
from vincolo.model.functions.checks import finite_times
from vincolo.model.functions.definition import Spec
from vincolo.model.functions.report import Continuity, coefficient, continuity, integral, one_sided, plot
from vincolo.model.functions.times import sorted_inside
from vincolo.model.geometry import Array
from vincolo.model.tape import Tape

if TYPE_CHECKING:
    from vincolo.model.functions.combined import Combined



class Argument(ABC):
    """What a function can be called with besides a number: another function, or a number that is being traced."""

    @abstractmethod
    def put_into(self, outer: Function) -> Any:
        """outer(self)."""


class Function(Argument):
    """A function f of one variable, usually time [s], with the kernel's name for it and its numbers.

    Functions can be added, subtracted, multiplied and divided, also by numbers, and f(g) is f after g.
    """

    kind: ClassVar[str]
    __array_ufunc__ = None  # so that numpy's numbers leave arithmetic with functions to the functions

    @property
    def params(self) -> tuple[float, ...]:
        """The numbers of the function, in the kernel's order."""
        return ()

    @property
    def tape(self) -> Tape | None:
        """The operations of a formula; None for functions given by their numbers alone."""
        return None

    @property
    def parts(self) -> tuple[Function, ...]:
        """The functions that this one is made of: those a formula calls, or the pieces."""
        return ()

    @cached_property
    def depth(self) -> int:
        """How many functions are inside one another here, this one included."""
        return 1 + max((part.depth for part in self.parts), default=0)

    @cached_property
    def size(self) -> int:
        """How many functions the kernel gets for this one."""
        return 1 + sum(part.size for part in self.parts)

    @property
    def span(self) -> tuple[float, float] | None:
        """From where to where the function does what it is for, if it has a beginning and an end."""
        return None

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where a derivative up to the third jumps; adaptive steps end there and begin anew."""
        return ()

    def breaks_between(self, t0: float, t1: float, every: bool = False) -> tuple[float, ...]:
        """The breaks from t0 to t1, in order, also of functions that repeat and so have infinitely many.

        `every`: also the samples of smooth curves, where only the third derivative jumps, a little.
        """
        return sorted_inside(self.breaks, t0, t1)

    def spec(self) -> Spec:
        """The function as the kernel takes it: (kind, parameters, operations, constants, parts)."""
        ops, constants = (list(self.tape.ops), list(self.tape.constants)) if self.tape else ([], [])
        return self.kind, list(self.params), ops, constants, [part.spec() for part in self.parts]

    @cached_property
    def _spec(self) -> Spec:
        """The same, kept for who evaluates the function: some have thousands of parameters."""
        return self.spec()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_spec"}

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Function) -> Combined: ...
    @overload
    def __call__(self, t: Argument) -> Any: ...
    def __call__(self, t: Any) -> Any:
        """f(t), or the function f(g(t)) for a function g."""
        return t.put_into(self) if isinstance(t, Argument) else self.derivatives(t)[0]

    def derivatives(self, t: float) -> tuple[float, float, float]:
        """(f, df/dt, d2f/dt2) at t, exact, evaluated by the kernel."""
        f, df, ddf = _kernel.core().function_derivatives(self._spec, float(t))
        return f, df, ddf

    def sample(self, t: Any) -> tuple[Array, Array, Array]:
        """(f, df/dt, d2f/dt2) as arrays, for an array of times."""
        times, spec, evaluate = np.asarray(t, dtype=float), self._spec, _kernel.core().function_derivatives
        found = np.array([evaluate(spec, at) for at in times.ravel().tolist()], dtype=float).reshape(-1, 3)
        f, df, ddf = (found[:, k].reshape(times.shape) for k in range(3))
        return f, df, ddf

    def taylor(self, t: float, order: int = 3, side: int = 1) -> list[float]:
        """f and its derivatives up to `order` at t, at a break those from the right (side=1) or left (side=-1)."""
        return one_sided(self, finite_number("taylor(): t", t), order, side)

    def integral(self, t0: float, t1: float) -> float:
        """The integral of f from t0 to t1: exact for polynomials, sines and splines, else to about 1e-12."""
        t0, t1 = finite_times("integral()", t0, t1)
        primitive = self._primitive()
        return primitive(t1) - primitive(t0) if primitive else integral(self, t0, t1)

    def _primitive(self) -> Callable[[float], float] | None:
        """A function whose derivative is f, if it can be written down."""
        return None

    @property
    def velocity_coefficient(self) -> float:
        """Largest |f'| T/rise over the function's span T; infinite if f jumps."""
        return coefficient(self, 1)

    @property
    def acceleration_coefficient(self) -> float:
        """Largest |f''| T^2/rise over the function's span T; infinite if f' jumps."""
        return coefficient(self, 2)

    def continuity(self, t0: float | None = None, t1: float | None = None) -> Continuity:
        """How smooth f is at each of its breaks, from t0 to t1 or where it has any; print it."""
        return continuity(self, t0, t1)

    def plot(self, t0: float | None = None, t1: float | None = None) -> Any:
        """A matplotlib figure of f, f' and f'' from t0 to t1, by default a little more than the function's span."""
        return plot(self, t0, t1)

    def put_into(self, outer: Function) -> Combined:
        from vincolo.model.functions.combined import composed

        return composed(outer, self)

    def __add__(self, other: Any) -> Combined:
        return self._with("add", self, other)

    def __radd__(self, other: Any) -> Combined:
        return self._with("add", other, self)

    def __sub__(self, other: Any) -> Combined:
        return self._with("sub", self, other)

    def __rsub__(self, other: Any) -> Combined:
        return self._with("sub", other, self)

    def __mul__(self, other: Any) -> Combined:
        return self._with("mul", self, other)

    def __rmul__(self, other: Any) -> Combined:
        return self._with("mul", other, self)

    def __truediv__(self, other: Any) -> Combined:
        return self._with("div", self, other)

    def __rtruediv__(self, other: Any) -> Combined:
        return self._with("div", other, self)

    def __pow__(self, other: Any) -> Combined:
        return self._with("pow", self, other)

    def __neg__(self) -> Combined:
        return self._with("neg", self)

    @staticmethod
    def _with(op: str, *operands: Any) -> Combined:
        from vincolo.model.functions.combined import combined

        plain = (isinstance(x, Function) or (isinstance(x, numbers.Real) and not isinstance(x, bool)) for x in operands)
        found: Combined = combined(op, *operands) if all(plain) else NotImplemented
        return found


class Numbers(Function):
    """A function whose fields are single numbers; by themselves they are the kernel's, in its order."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every final class is a dataclass
            if field.type != "float":
                continue
            number = finite_number(f"{type(self).__name__}: {field.name}", getattr(self, field.name))
            object.__setattr__(self, field.name, number)

    @property
    def params(self) -> tuple[float, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
