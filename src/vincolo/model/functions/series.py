"""Truncated Taylor series: a number that carries as many derivatives as are asked for.

A definition run on Series gives its derivatives of any order; the kernel has the first two, fillets and reports on
continuity need more. The methods have numpy's names, as `vincolo.equations.arithmetic` expects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vincolo.equations.arithmetic import total

LARGEST_POWER = 64  # whole powers up to this one are products, so that they also exist at zero


@dataclass(frozen=True, eq=False)
class Series:
    """sum of c_k s^k, k = 0 .. order, in a small step s of time; c_k is the k-th derivative over k!."""

    c: tuple[float, ...]

    @property
    def value(self) -> float:
        """The number itself."""
        return self.c[0]

    def shifted(self, s: float) -> Series:
        """The same polynomial about a point that lies s further on."""
        n = len(self.c)
        return Series(tuple(total(math.comb(j, k) * self.c[j] * s**(j - k) for j in range(k, n)) for k in range(n)))

    def __neg__(self) -> Series:
        return Series(tuple(-a for a in self.c))

    def __add__(self, other: Any) -> Series:
        return Series(tuple(a + b for a, b in zip(self.c, self._lift(other).c, strict=True)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Series:
        return self + (-self._lift(other))

    def __rsub__(self, other: Any) -> Series:
        return self._lift(other) - self

    def __mul__(self, other: Any) -> Series:
        a, b = self.c, self._lift(other).c
        return Series(tuple(total(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Series:
        # q b = a
        a, b, q = self.c, self._lift(other).c, list[float]()
        for k in range(len(a)):
            q.append((a[k] - total(q[j] * b[k - j] for j in range(k))) / b[0])
        return Series(tuple(q))

    def __rtruediv__(self, other: Any) -> Series:
        return self._lift(other) / self

    def __pow__(self, exponent: Any) -> Series:
        if isinstance(exponent, Series):
            return (exponent * self.log()).exp()
        n = float(exponent)
        if n == int(n) and 0 <= n <= LARGEST_POWER:
            return math.prod([self] * int(n), start=self._lift(1.0))
        # x y' = n y x'
        x, y = self.c, [math.pow(self.c[0], n)]
        for k in range(1, len(x)):
            y.append(total((n * j - (k - j)) * x[j] * y[k - j] for j in range(1, k + 1)) / (k * x[0]))
        return Series(tuple(y))

    def __rpow__(self, base: float) -> Series:
        return (self * math.log(base)).exp()

    def __abs__(self) -> Series:
        return self if self.value >= 0 else -self

    def __lt__(self, other: Any) -> bool:
        return self.value < _value(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= _value(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > _value(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= _value(other)

    def sqrt(self) -> Series:
        return self**0.5

    def exp(self) -> Series:
        return self._pair(math.exp(self.value), math.exp(self.value), 1.0)[0]

    def log(self) -> Series:
        return self._integral(math.log(self.value), lambda x: 1.0 / x)

    def sin(self) -> Series:
        return self._pair(math.sin(self.value), math.cos(self.value), -1.0)[0]

    def cos(self) -> Series:
        return self._pair(math.sin(self.value), math.cos(self.value), -1.0)[1]

    def tan(self) -> Series:
        sine, cosine = self._pair(math.sin(self.value), math.cos(self.value), -1.0)
        return sine / cosine

    def sinh(self) -> Series:
        return self._pair(math.sinh(self.value), math.cosh(self.value), 1.0)[0]

    def cosh(self) -> Series:
        return self._pair(math.sinh(self.value), math.cosh(self.value), 1.0)[1]

    def tanh(self) -> Series:
        twice = 2.0 * abs(self)
        small = (-twice).exp()
        size = (1.0 - small) / (1.0 + small)
        return size if self.value >= 0 else -size

    def arcsin(self) -> Series:
        return self._integral(math.asin(self.value), lambda x: 1.0 / (1.0 - x * x).sqrt())

    def arccos(self) -> Series:
        return math.pi / 2 - self.arcsin()

    def arctan(self) -> Series:
        return self._integral(math.atan(self.value), lambda x: 1.0 / (1.0 + x * x))

    def arctan2(self, other: Any) -> Series:
        """The angle of the point (x, y) = (other, self)."""
        y, x = self, self._lift(other)
        ratio = (y / x).arctan() if abs(x.value) > abs(y.value) else -(x / y).arctan()
        return ratio + (math.atan2(y.value, x.value) - ratio.value)

    def reflected_arctan2(self, y: Any) -> Series:
        return self._lift(y).arctan2(self)

    def sign(self) -> Series:
        return self._lift(float((self.value > 0) - (self.value < 0)))

    def step(self) -> Series:
        return self._lift(1.0 if self.value >= 0 else 0.0)

    def minimum(self, other: Any) -> Series:
        return self if self.value <= _value(other) else self._lift(other)

    def reflected_minimum(self, first: Any) -> Series:
        return self._lift(first).minimum(self)

    def maximum(self, other: Any) -> Series:
        return self if self.value >= _value(other) else self._lift(other)

    def reflected_maximum(self, first: Any) -> Series:
        return self._lift(first).maximum(self)

    def _lift(self, other: Any) -> Series:
        return other if isinstance(other, Series) else Series((float(other), *(0.0,) * (len(self.c) - 1)))

    def _integral(self, value: float, slope: Callable[[Series], Series]) -> Series:
        """y with y' = slope(x) x' and y(0) = value."""
        x, g = self.c, slope(self).c
        rate = [total((j + 1) * x[j + 1] * g[k - j] for j in range(k + 1)) for k in range(len(x) - 1)]
        return Series((value, *(r / (k + 1) for k, r in enumerate(rate))))

    def _pair(self, first: float, second: float, sign: float) -> tuple[Series, Series]:
        """u and v with u' = v x', v' = sign u x'."""
        x, u, v = self.c, [first], [second]
        for k in range(1, len(x)):
            next_u = total(j * x[j] * v[k - j] for j in range(1, k + 1)) / k
            v.append(sign * total(j * x[j] * u[k - j] for j in range(1, k + 1)) / k)
            u.append(next_u)
        return Series(tuple(u)), Series(tuple(v))


def _value(x: Any) -> float:
    return x.value if isinstance(x, Series) else float(x)


def time_series(t: float, order: int) -> Series:
    """Time itself about t, with `order` derivatives."""
    return Series((float(t), 1.0, *(0.0,) * order)[:order + 1])


def series_of(f: Callable[[Any], Any], t: float, order: int) -> Series:
    """The Taylor series of a definition about t."""
    found = f(time_series(t, order))
    return found if isinstance(found, Series) else Series((float(found), *(0.0,) * order))


def derivatives_of(c: Sequence[float]) -> list[float]:
    """The derivatives that belong to Taylor coefficients."""
    return [math.factorial(k) * a for k, a in enumerate(c)]
