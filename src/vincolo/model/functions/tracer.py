"""Numbers that write down what is done to them, so that a Python function becomes a formula."""

from __future__ import annotations

import builtins
import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from vincolo.equations.arithmetic import total
from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.expression import MAX_OPERATIONS
from vincolo.model.functions.function import Argument, Function
from vincolo.model.tape import Tape, TapeWriter

#: functions of numpy and math with one argument, by their operation
ONE = {"sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "asin": "asin",
       "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log",
       "sqrt": "sqrt", "absolute": "abs", "abs": "abs", "fabs": "abs", "sign": "sign", "floor": "floor",
       "negative": "neg"}
TWO = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "power": "pow",
       "pow": "pow", "float_power": "pow", "arctan2": "atan2", "atan2": "atan2", "minimum": "min", "maximum": "max",
       "fmin": "min", "fmax": "max"}


MOST = 8 * MAX_OPERATIONS  # of a function: what a program writes down may be longer than what a person writes


class NotTraceable(TypeError):
    """Something was done to a traced number that no formula can say."""


class Tracer(Argument):
    """A number that writes down every operation it takes part in."""

    def __init__(self, writer: TapeWriter, register: int) -> None:
        self.writer, self.register = writer, register

    def put_into(self, outer: Function) -> Tracer:
        return Tracer(self.writer, self.writer.call(outer, self.register))

    def apply(self, op: str, *operands: Any) -> Tracer:
        """op(operands), one of which is this number."""
        if len(self.writer) > MOST:
            raise NotTraceable(f"it needs more than {MOST} operations")
        return Tracer(self.writer, self.writer.write(op, *(self.register_of(x) for x in operands)))

    def register_of(self, x: Any) -> int:
        """Where a number stands on the tape, traced or plain."""
        if isinstance(x, Tracer):
            return x.register
        if isinstance(x, np.ndarray) and x.shape == ():
            x = x.item()
        if isinstance(x, bool | np.bool_):
            x = float(x)
        return self.writer.constant(finite_number("a number in it", x, error=_Refused))

    def __add__(self, other: Any) -> Tracer:
        return self.apply("add", self, other)

    def __radd__(self, other: Any) -> Tracer:
        return self.apply("add", other, self)

    def __sub__(self, other: Any) -> Tracer:
        return self.apply("sub", self, other)

    def __rsub__(self, other: Any) -> Tracer:
        return self.apply("sub", other, self)

    def __mul__(self, other: Any) -> Tracer:
        return self.apply("mul", self, other)

    def __rmul__(self, other: Any) -> Tracer:
        return self.apply("mul", other, self)

    def __truediv__(self, other: Any) -> Tracer:
        return self.apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Tracer:
        return self.apply("div", other, self)

    def __pow__(self, other: Any) -> Tracer:
        return self.apply("pow", self, other)

    def __rpow__(self, other: Any) -> Tracer:
        return self.apply("pow", other, self)

    def __floordiv__(self, other: Any) -> Tracer:
        return self.apply("div", self, other).__floor__()

    def __rfloordiv__(self, other: Any) -> Tracer:
        return self.apply("div", other, self).__floor__()

    def __mod__(self, other: Any) -> Tracer:
        return self.apply("sub", self, self.apply("mul", other, self // other))

    def __rmod__(self, other: Any) -> Tracer:
        return self.apply("sub", other, self * self.__rfloordiv__(other))

    def __neg__(self) -> Tracer:
        return self.apply("neg", self)

    def __pos__(self) -> Tracer:
        return self

    def __abs__(self) -> Tracer:
        return self.apply("abs", self)

    def __floor__(self) -> Tracer:
        return self.apply("floor", self)

    def __ceil__(self) -> Tracer:
        return -(-self).__floor__()

    # comparisons give 1 or 0, for products and numpy.where; Python's own "if" cannot use them
    def __ge__(self, other: Any) -> Tracer:
        return self.apply("step", self - other)

    def __le__(self, other: Any) -> Tracer:
        return self.apply("step", self.apply("sub", other, self))

    def __gt__(self, other: Any) -> Tracer:
        return self.apply("sub", 1.0, self <= other)

    def __lt__(self, other: Any) -> Tracer:
        return self.apply("sub", 1.0, self >= other)

    def __eq__(self, other: object) -> NoReturn:
        raise NotTraceable("it compares the time with == or !=")

    def __ne__(self, other: object) -> NoReturn:
        raise NotTraceable("it compares the time with == or !=")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        raise NotTraceable("it decides by the time, with if, and, or, min or max")

    def __float__(self) -> NoReturn:
        raise NotTraceable("it needs the time as a plain number, as functions of other packages do")

    __int__ = __index__ = __complex__ = __round__ = __trunc__ = __float__

    def __iter__(self) -> NoReturn:
        raise NotTraceable("it treats the time as a list")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise NotTraceable(f"it uses numpy.{ufunc.__name__} in a way that no formula has")
        return _apply(self, ufunc.__name__, inputs, "numpy")

    def __array_function__(self, function: Any, kinds: Any, inputs: Any, options: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            return _where(self, *inputs)
        if function is np.clip and len(inputs) == 3 and not options:
            return _largest(self, inputs[1], _smallest(self, inputs[2], inputs[0]))
        raise NotTraceable(f"it uses numpy.{function.__name__}, which no formula has")


class _Refused(ModelError, NotTraceable):
    """A number that cannot be in a formula."""


def _apply(tracer: Tracer, name: str, inputs: tuple[Any, ...], package: str) -> Any:
    if name in ONE and len(inputs) == 1:
        return tracer.apply(ONE[name], *inputs)
    if name in TWO and len(inputs) == 2:
        return tracer.apply(TWO[name], *inputs)
    if name in OTHERS:
        return OTHERS[name](*inputs)
    raise NotTraceable(f"it uses {package}.{name}, which no formula has")


def _where(tracer: Tracer, condition: Any, yes: Any, no: Any) -> Any:
    """What is not chosen may be undefined there."""
    if not isinstance(condition, Tracer):
        return yes if condition else no
    return tracer.apply("choose", condition, tracer.apply("either", yes, no))


def _largest(tracer: Tracer, *x: Any) -> Any:
    return tracer.apply("max", x[0], x[1] if len(x) == 2 else _largest(tracer, *x[1:]))


def _smallest(tracer: Tracer, *x: Any) -> Any:
    return tracer.apply("min", x[0], x[1] if len(x) == 2 else _smallest(tracer, *x[1:]))


def _hypot(*x: Any) -> Any:
    return total(a * a for a in x)**0.5


def _log(x: Any, base: Any = None) -> Any:
    return np.log(x) if base is None else np.log(x) / np.log(base)


#: functions of numpy and math that are written out
OTHERS: dict[str, Callable[..., Any]] = {
    "log": _log, "hypot": _hypot, "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x, "positive": lambda x: +x,
    "exp2": lambda x: 2.0**x, "log2": lambda x: np.log(x) / math.log(2), "log10": lambda x: np.log(x) / math.log(10),
    "expm1": lambda x: np.exp(x) - 1.0, "log1p": lambda x: np.log(1.0 + x),
    "cbrt": lambda x: np.sign(x) * abs(x)**(1 / 3),
    "degrees": lambda x: x * (180 / math.pi), "rad2deg": lambda x: x * (180 / math.pi),
    "radians": lambda x: x * (math.pi / 180), "deg2rad": lambda x: x * (math.pi / 180),
    "ceil": lambda x: -np.floor(-x), "fmod": lambda x, y: x - y * np.sign(x / y) * np.floor(abs(x / y)),
    "remainder": lambda x, y: x % y, "mod": lambda x, y: x % y, "floor_divide": lambda x, y: x // y,
    "greater": lambda x, y: x > y, "greater_equal": lambda x, y: x >= y, "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y, "heaviside": lambda x, y: x >= 0,
}


def _of_math(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the math module, or min or max, that also takes traced numbers."""
    def traced(*inputs: Any, **options: Any) -> Any:
        listed = inputs[0] if function in (min, max) and len(inputs) == 1 else inputs
        tracer = next((x for x in listed if isinstance(x, Tracer)), None)
        if tracer is None or options:
            return function(*inputs, **options)
        if function in (min, max):
            return (_smallest if function is min else _largest)(tracer, *listed)
        return _apply(tracer, function.__name__, inputs, "math")

    return traced


_MATH = types.SimpleNamespace(**{name: _of_math(value) if callable(value) else value
                                 for name, value in vars(math).items() if not name.startswith("_")})


def _traceable(value: Any, seen: dict[int, Any]) -> Any:
    """The math module, its functions and Python functions that use them, in a form that takes traced numbers."""
    if value is math:
        return _MATH
    if isinstance(value, types.BuiltinFunctionType) and (value.__module__ == "math" or value in (min, max)):
        return _of_math(value)
    if not isinstance(value, types.FunctionType) or value.__module__.partition(".")[0] in ("numpy", "scipy", "vincolo"):
        return value
    if id(value) not in seen:
        names = dict(value.__globals__)
        cells = tuple(types.CellType() for _ in value.__closure__ or ())
        copy = types.FunctionType(value.__code__, names, value.__name__, value.__defaults__, cells or None)
        copy.__kwdefaults__ = value.__kwdefaults__
        seen[id(value)] = copy
        for name in value.__code__.co_names:
            if name in names or name in ("min", "max"):
                names[name] = _traceable(names.get(name, getattr(builtins, name, None)), seen)
        for cell, old in zip(copy.__closure__ or (), value.__closure__ or (), strict=True):
            cell.cell_contents = _traceable(old.cell_contents, seen)
    return seen[id(value)]


def arguments(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The names of a function's arguments with the values it gives them itself, None where it gives none; None if they
    cannot be read."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return {name: None if one.default is one.empty else one.default for name, one in parameters.items()}


def trace(function: Callable[..., Any], inputs: Sequence[str] = (), constants: Mapping[str, float] | None = None,
          wanted: Sequence[str] = ("t",)) -> tuple[Tape, tuple[Function, ...]]:
    """The tape of a Python function, and the functions it calls.

    `wanted` names its arguments in order: "t", one of the `inputs` of the tape, or one of the `constants`.
    """
    writer = TapeWriter()
    time = Tracer(writer, writer.write("time"))
    known: dict[str, Any] = {"t": time, **(constants or {})}
    known.update({name: Tracer(writer, writer.write("input", k)) for k, name in enumerate(inputs)})
    try:
        found = _traceable(function, {})(*(known[name] for name in wanted))
        return writer.finish(time.register_of(found), name_of(function), tuple(inputs))
    except NotTraceable as error:
        reason = str(error).partition("\n")[0]
    except Exception as error:  # whatever the user's function raises
        reason = f"it raises {type(error).__name__}: {error}"
    raise refusal(function, reason)


def name_of(function: Any) -> str:
    """The name of a Python function."""
    return str(getattr(function, "__name__", type(function).__name__))


def refusal(function: Any, reason: str) -> ModelError:
    """Why a Python function cannot be traced, and what to do."""
    return ModelError(f"the Python function {name_of(function)!r} cannot be written as a formula: {reason}.\n"
                      "  Use arithmetic, functions of math and numpy, numpy.where, min and max; put cases into Pieces; "
                      "or sample the function: Spline(x, [f(t) for t in x]) or Linear.")
