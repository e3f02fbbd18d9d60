"""Dual numbers and arrays of them: a + eps a0 with eps^2 = 0, with the operators and functions of numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from vincolo.dual.elementary import ELEMENTARY, apply
from vincolo.errors import ModelError


def entries(what: str, value: Any) -> np.ndarray:
    """Numbers, or SymPy expressions, as an array."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind in "iub":
        return array.astype(float)
    if array.dtype.kind not in "fcO" or (array.dtype == object and any(_is_no_entry(part) for part in array.flat)):
        raise ModelError(f"{what} is {value!r}; numbers, lists of numbers of one shape, or SymPy expressions are "
                         "needed.")
    return array


def _exact(array: np.ndarray) -> np.ndarray:
    """Among expressions, floats that are whole numbers are written as such."""
    if array.dtype == object:
        flat = array.reshape(-1)
        whole = [(isinstance(x, float) or getattr(x, "is_Float", False)) and float(x).is_integer() for x in flat]
        flat[:] = [int(x) if is_whole else x for x, is_whole in zip(flat, whole, strict=True)]
    return array


def _is_no_entry(part: Any) -> bool:
    return part is None or isinstance(part, str | list | tuple | dict | bytes)


class Dual:
    """A number a + eps a0, or an array of them; parts may be real, complex, or SymPy expressions."""

    __slots__ = ("_dual", "_real")

    def __init__(self, real: Any, dual: Any = 0.0) -> None:
        if type(real) is type(dual) is np.ndarray and real.shape == dual.shape and real.dtype == dual.dtype == float:
            self._real, self._dual = real, dual
            return
        if isinstance(real, Dual) or isinstance(dual, Dual):
            raise ModelError("Dual(): a part of a dual number is itself dual.\n  Write x + eps * y instead, which "
                             "leaves out eps^2.")
        a, a0 = entries("the real part", real), entries("the dual part", dual)
        try:
            shape = a.shape if a.shape == a0.shape else np.broadcast_shapes(a.shape, a0.shape)
        except ValueError:
            raise ModelError(f"Dual(): the real part has shape {a.shape}, the dual part {a0.shape}.\n"
                             "  Give parts of the same shape, or one number for all.") from None
        kind = np.result_type(a.dtype, a0.dtype)
        self._real, self._dual = (_exact(np.broadcast_to(part, shape).astype(kind)) for part in (a, a0))

    @property
    def real(self) -> Any:
        """The part without eps."""
        return self._real[()]

    @property
    def dual(self) -> Any:
        """The factor of eps."""
        return self._dual[()]

    @property
    def parameter(self) -> Any:
        """a0 / a: of a screw's modulus its pitch."""
        return _ratio(self, self)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return tuple(self._real.shape)

    @property
    def ndim(self) -> int:
        """How many indices it has."""
        return self._real.ndim

    @property
    def T(self) -> Dual:
        """The transposed matrix, of arrays of matrices those of all."""
        return Dual(np.swapaxes(self._real, -1, -2), np.swapaxes(self._dual, -1, -2)) if self.ndim > 1 else self

    def __getitem__(self, key: Any) -> Dual:
        return Dual(self._real[key], self._dual[key])

    def __len__(self) -> int:
        return len(self._real)

    def __iter__(self) -> Iterator[Dual]:
        return (self[k] for k in range(len(self)))

    def map(self, function: Callable[..., Any], *arguments: Any) -> Dual:
        """A linear function of arrays, done on both parts."""
        return Dual(function(self._real, *arguments), function(self._dual, *arguments))

    def __repr__(self) -> str:
        if self.shape == ():
            return f"{self.real} + eps {self.dual}"
        return f"Dual({np.array2string(self._real)},\n     {np.array2string(self._dual)})"

    def isclose(self, other: Any, tolerance: float = 1e-12) -> bool:
        """Whether both parts of all entries agree within a tolerance."""
        gap = self - other
        return bool(np.abs(gap._real).max(initial=0.0) <= tolerance and np.abs(gap._dual).max(initial=0.0) <= tolerance)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "reduce" and ufunc is np.add:
            return self.map(lambda part: np.add.reduce(part, **options))
        work = UFUNCS.get(ufunc)
        if method != "__call__" or work is None or options:
            return NotImplemented
        return work(*inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        work = FUNCTIONS.get(function)
        return NotImplemented if work is None else work(*arguments, **options)

    def sum(self, axis: Any = None) -> Dual:
        """The sum over an axis."""
        return self.map(lambda part: part.sum(axis=axis))

    def __neg__(self) -> Dual:
        return Dual(-self._real, -self._dual)

    def __pos__(self) -> Dual:
        return self

    def __add__(self, other: Any) -> Dual:
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        return add(self, -dual(other))

    def __rsub__(self, other: Any) -> Dual:
        return add(dual(other), -self)

    def __mul__(self, other: Any) -> Dual:
        return multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Dual:
        return divide(other, self)

    def __matmul__(self, other: Any) -> Dual:
        return bilinear(np.matmul, self, other)

    def __rmatmul__(self, other: Any) -> Dual:
        return bilinear(np.matmul, other, self)

    def __pow__(self, exponent: Any) -> Dual:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Dual:
        return power(base, self)

    def __abs__(self) -> Dual:
        return apply_to(self, "absolute")

    def __eq__(self, other: object) -> Any:
        theirs = dual(other)
        return np.logical_and(self._real == theirs._real, self._dual == theirs._dual)[()]

    __hash__ = None  # type: ignore[assignment]


#: functions of numpy on arrays of dual numbers; filled by vincolo.dual.arrays
FUNCTIONS: dict[Any, Callable[..., Any]] = {}

#: the dual unit
eps = Dual(0.0, 1.0)


def dual(value: Any) -> Dual:
    """The value itself if it is dual; else without a dual part. Lists may have dual numbers among others."""
    if isinstance(value, Dual):
        return value
    if isinstance(value, list | tuple) and any(_has_dual(part) for part in value):
        rows = [dual(part) for part in value]
        return Dual(np.stack([row._real for row in rows]), np.stack([row._dual for row in rows]))
    return Dual(value)


def _has_dual(value: Any) -> bool:
    return isinstance(value, Dual) or (isinstance(value, list | tuple) and any(map(_has_dual, value)))


def bilinear(product: Callable[..., Any], x: Any, y: Any) -> Dual:
    """Any product of arrays: x y + eps (x y0 + x0 y)."""
    a, b = dual(x), dual(y)
    return Dual(product(a.real, b.real), product(a.real, b.dual) + product(a.dual, b.real))


def add(x: Any, y: Any) -> Dual:
    """x + y."""
    a, b = dual(x), dual(y)
    return Dual(a.real + b.real, a.dual + b.dual)


def multiply(x: Any, y: Any) -> Dual:
    """x y, entry by entry."""
    return bilinear(np.multiply, x, y)


def divide(x: Any, y: Any) -> Dual:
    """x / y; a divisor needs a real part."""
    a, b = dual(x), dual(y)
    _refuse_pure(b)
    return Dual(a.real / b.real, (a.dual * b.real - a.real * b.dual) / (b.real * b.real))


def _ratio(x: Dual, y: Dual) -> Any:
    _refuse_pure(y)
    return x.dual / y.real


def _refuse_pure(divisor: Dual) -> None:
    if np.any(np.asarray(divisor.real == 0, dtype=bool)):
        raise ModelError("division by a dual number without a real part, which has no inverse.\n"
                         "  Parallel lines have such sines: treat that position on its own.")


def power(x: Any, y: Any) -> Dual:
    """x^y: for a plain exponent n by n x^(n-1), for a dual one by exp(y log x)."""
    if isinstance(y, Dual) and np.any(np.asarray(y.dual != 0, dtype=bool)):
        return apply_to(multiply(y, apply_to(dual(x), "log")), "exp")
    n = y.real if isinstance(y, Dual) else y
    a = dual(x)
    if np.any(np.asarray(a.real == 0, dtype=bool) & np.asarray(n < 1, dtype=bool) & np.asarray(n != 0, dtype=bool)):
        raise ModelError(f"the power {n} of a dual number without a real part does not exist.")
    zero = np.asarray(n == 0, dtype=bool)
    slope = np.where(zero, 0, n * a.real ** np.where(zero, 1, n - 1))
    return Dual(a.real**n, slope * a.dual)


def arctan2(y: Any, x: Any) -> Dual:
    """The angle of (x, y): atan2(y, x) + eps (x y0 - y x0) / (x^2 + y^2)."""
    a, b = dual(y), dual(x)
    square = a.real * a.real + b.real * b.real
    if np.any(np.asarray(square == 0, dtype=bool)):
        raise ModelError("arctan2() of two dual numbers without real parts has no value.")
    return Dual(apply("arctan2", a.real, b.real), (b.real * a.dual - a.real * b.dual) / square)


def hypot(x: Any, y: Any) -> Dual:
    """sqrt(x^2 + y^2)."""
    return apply_to(multiply(x, x) + multiply(y, y), "sqrt")


def apply_to(x: Any, name: str) -> Dual:
    """An elementary function: y(x) + eps x0 y'(x)."""
    given = dual(x)
    with np.errstate(all="ignore"):
        value, slope = apply(name, given.real), ELEMENTARY[name](given.real)
        found = Dual(value, slope * given.dual)
    if not _finite(found) and _finite(given):
        raise ModelError(f"{name}() of the dual number {given!r}: the function or its slope has no finite value "
                         "there.\n  Keep its real part inside of where the function is smooth.")
    return found


def _finite(x: Dual) -> bool:
    return x._real.dtype == object or bool(np.isfinite(x._real).all() and np.isfinite(x._dual).all())


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: add, np.subtract: lambda x, y: dual(x) - y, np.multiply: multiply, np.divide: divide, np.power: power,
    np.arctan2: arctan2, np.hypot: hypot, np.matmul: lambda x, y: bilinear(np.matmul, x, y), np.negative: lambda x: -x,
    np.positive: lambda x: x, np.equal: lambda x, y: dual(x) == y,
    **{getattr(np, name): (lambda x, name=name: apply_to(x, name)) for name in ELEMENTARY},
}
