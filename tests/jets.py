"""Truncated Taylor numbers: a value with its first and second derivative in time.

Pushing a rigid motion through an equation as jets gives the equation's value, rate and acceleration
without writing a derivative by hand, so that the kernel's hand-written ones can be checked against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.equations.arithmetic import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
)

__all__ = [
    "Jet", "acos", "asin", "atan", "atan2", "constant", "cos", "cosh", "exp", "jet_frame", "jet_vector",
    "log", "maximum", "minimum", "parts", "sign", "sin", "sinh", "sqrt", "step", "tan", "tanh", "time",
]

PLAIN = (int, float, np.integer, np.floating)


@dataclass(slots=True)
class Jet:
    """x(t) = value + rate dt + acceleration dt^2 / 2."""

    value: float
    rate: float = 0.0
    acceleration: float = 0.0

    def _of(self, f: float, df: float, ddf: float) -> Jet:
        """The chain rule for f(x), given f, f' and f'' at x."""
        return Jet(f, df * self.rate, ddf * self.rate**2 + df * self.acceleration)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.acceleration)

    def __pos__(self) -> Jet:
        return self

    def __add__(self, other: Any) -> Jet:
        b = lift(other)
        if b is None:
            return NotImplemented
        return Jet(self.value + b.value, self.rate + b.rate, self.acceleration + b.acceleration)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Jet:
        b = lift(other)
        return NotImplemented if b is None else self + (-b)

    def __rsub__(self, other: Any) -> Jet:
        return (-self) + other

    def __mul__(self, other: Any) -> Jet:
        b = lift(other)
        if b is None:
            return NotImplemented
        return Jet(self.value * b.value, self.rate * b.value + self.value * b.rate,
                   self.acceleration * b.value + 2 * self.rate * b.rate + self.value * b.acceleration)

    __rmul__ = __mul__

    def reciprocal(self) -> Jet:
        x = self.value
        return self._of(1 / x, -1 / x**2, 2 / x**3)

    def __truediv__(self, other: Any) -> Jet:
        b = lift(other)
        return NotImplemented if b is None else self * b.reciprocal()

    def __rtruediv__(self, other: Any) -> Jet:
        return self.reciprocal() * other

    def __pow__(self, exponent: Any) -> Jet:
        if isinstance(exponent, Jet):
            return (exponent * self.log()).exp()
        if not isinstance(exponent, PLAIN):
            return NotImplemented
        x, n = self.value, float(exponent)
        first = n * math.pow(x, n - 1) if n != 0 else 0.0
        second = n * (n - 1) * math.pow(x, n - 2) if n not in (0, 1) else 0.0
        return self._of(math.pow(x, n), first, second)

    def __rpow__(self, base: Any) -> Jet:
        return (self * math.log(base)).exp() if isinstance(base, PLAIN) else NotImplemented

    def __abs__(self) -> Jet:
        return self if self.value >= 0 else -self

    def __lt__(self, other: Any) -> bool:
        return self.value < _value(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= _value(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > _value(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= _value(other)

    def sqrt(self) -> Jet:
        root = math.sqrt(self.value)
        return self._of(root, 0.5 / root, -0.25 / root**3)

    def exp(self) -> Jet:
        f = math.exp(self.value)
        return self._of(f, f, f)

    def log(self) -> Jet:
        x = self.value
        return self._of(math.log(x), 1 / x, -1 / x**2)

    def sin(self) -> Jet:
        s, c = math.sin(self.value), math.cos(self.value)
        return self._of(s, c, -s)

    def cos(self) -> Jet:
        s, c = math.sin(self.value), math.cos(self.value)
        return self._of(c, -s, -c)

    def tan(self) -> Jet:
        f = math.tan(self.value)
        return self._of(f, 1 + f**2, 2 * f * (1 + f**2))

    def arcsin(self) -> Jet:
        x, w = self.value, math.sqrt(1 - self.value**2)
        return self._of(math.asin(x), 1 / w, x / w**3)

    def arccos(self) -> Jet:
        return math.pi / 2 - self.arcsin()

    def arctan(self) -> Jet:
        x, d = self.value, 1 + self.value**2
        return self._of(math.atan(x), 1 / d, -2 * x / d**2)

    def arctan2(self, other: Any) -> Jet:
        """The angle of the point (x, y) = (other, self): theta' = (x y' - y x')/(x^2 + y^2)."""
        y, x = self, _jet(other)
        square = x.value**2 + y.value**2
        area = x.value * y.rate - y.value * x.rate
        d_area = x.value * y.acceleration - y.value * x.acceleration
        d_square = 2 * (x.value * x.rate + y.value * y.rate)
        return Jet(math.atan2(y.value, x.value), area / square, d_area / square - area * d_square / square**2)

    def reflected_arctan2(self, y: Any) -> Jet:
        return _jet(y).arctan2(self)

    def sinh(self) -> Jet:
        s, c = math.sinh(self.value), math.cosh(self.value)
        return self._of(s, c, s)

    def cosh(self) -> Jet:
        s, c = math.sinh(self.value), math.cosh(self.value)
        return self._of(c, s, c)

    def tanh(self) -> Jet:
        f = math.tanh(self.value)
        return self._of(f, 1 - f**2, -2 * f * (1 - f**2))

    def sign(self) -> Jet:
        return Jet(float(sign(self.value)))

    def step(self) -> Jet:
        return Jet(float(step(self.value)))

    def minimum(self, other: Any) -> Jet:
        return self if self.value <= _value(other) else _jet(other)

    def reflected_minimum(self, first: Any) -> Jet:
        return _jet(first).minimum(self)

    def maximum(self, other: Any) -> Jet:
        return self if self.value >= _value(other) else _jet(other)

    def reflected_maximum(self, first: Any) -> Jet:
        return _jet(first).maximum(self)


def lift(x: Any) -> Jet | None:
    """A Jet as it is, a plain number as a constant jet, None for anything else."""
    if isinstance(x, Jet):
        return x
    return Jet(float(x)) if isinstance(x, PLAIN) else None


def _jet(x: Any) -> Jet:
    jet = lift(x)
    if jet is None:
        raise TypeError(f"no jet can be made from {x!r}")
    return jet


def _value(x: Any) -> float:
    return x.value if isinstance(x, Jet) else float(x)


def time(t: float) -> Jet:
    """Time itself: it runs at rate 1."""
    return Jet(float(t), 1.0, 0.0)


def constant(x: Any) -> np.ndarray:
    """An array of jets that do not change in time."""
    return jet_array(x, np.zeros_like(x, dtype=float), np.zeros_like(x, dtype=float))


def jet_array(x: Any, dx: Any, ddx: Any) -> np.ndarray:
    """An object array of jets from arrays of values, rates and accelerations of one shape."""
    x, dx, ddx = (np.asarray(part, dtype=float) for part in (x, dx, ddx))
    jets = np.empty(x.size, dtype=object)
    jets[:] = [Jet(*series) for series in zip(*(part.ravel().tolist() for part in (x, dx, ddx)), strict=True)]
    return jets.reshape(x.shape)


def jet_vector(r: Any, v: Any, a: Any) -> np.ndarray:
    """A moving point with position r, velocity v and acceleration a."""
    return jet_array(r, v, a)


def cross_matrix(w: Any) -> np.ndarray:
    """[w]x, so that [w]x b = w x b."""
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def jet_frame(body: tuple[Any, ...], s: Any = (0, 0, 0), C: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The frame (p, R) at local point s with local axes C on a body moving with (r, R, v, w, a, alpha)."""
    r, R, v, w, a, alpha = body
    # R' = [w]x R,  R'' = ([alpha]x + [w]x [w]x) R, w and alpha in world axes
    W = cross_matrix(w)
    turning = np.array([R, W @ R, (cross_matrix(alpha) + W @ W) @ R], dtype=float)
    local_axes = np.eye(3) if C is None else np.asarray(C, dtype=float)
    return jet_array(*(np.array([r, v, a]) + turning @ np.asarray(s, dtype=float))), jet_array(*(turning @ local_axes))


def parts(x: Any) -> tuple[float, float, float]:
    """(value, rate, acceleration) of a jet or of a plain number."""
    jet = _jet(x)
    return jet.value, jet.rate, jet.acceleration
