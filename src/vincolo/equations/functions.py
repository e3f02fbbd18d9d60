"""Functions of time as their definitions, f(t, *params) with the parameters in the kernel's order."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from vincolo.equations.arithmetic import Number, maximum, minimum, sin, total


def floor(x: Number) -> float:
    """The largest whole number not above x, a constant: its derivatives are zero."""
    value = x.value if hasattr(x, "value") else x
    return float(math.floor(value))


def constant(t: Number, value: float) -> Number:
    """value"""
    return value + 0 * t


def ramp(t: Number, slope: float, start: float, offset: float) -> Number:
    """offset + slope max(t - start, 0)"""
    return offset + slope * maximum(t - start, 0.0)


def polynomial(t: Number, *coefficients: float) -> Number:
    """sum of c_k t^k"""
    return total(c * t**k for k, c in enumerate(coefficients))


def sine(t: Number, amplitude: float, frequency: float, phase: float, offset: float) -> Number:
    """offset + A sin(omega t + phase)"""
    return offset + amplitude * sin(frequency * t + phase)


def smooth_step(t: Number, start: float, end: float, low: float, high: float) -> Number:
    """low + (high - low) (6 x^5 - 15 x^4 + 10 x^3), x = (t - start)/(end - start) kept in 0..1"""
    x = minimum(maximum((t - start) / (end - start), 0.0), 1.0)
    return low + (high - low) * (6 * x**5 - 15 * x**4 + 10 * x**3)


def spline(t: Number, count: float, *params: float) -> Number:
    """c0 + c1 s + c2 s^2 + c3 s^3 in each interval, s = t - x_i; tangents continued outside"""
    n = int(count)
    x, c = params[:n], [params[k:k + 4] for k in range(n, len(params), 4)]
    inside = min(max(bisect_right(x, t) - 1, 0), n - 2)
    s, length = t - x[inside], x[n - 1] - x[n - 2]
    if t < x[0]:
        return polynomial(t - x[0], *c[0][:2])
    if t >= x[n - 1]:
        slope = c[-1][1] + 2 * c[-1][2] * length + 3 * c[-1][3] * length**2
        return polynomial(length, *c[-1]) + slope * (t - x[n - 1])
    return polynomial(s, *c[inside])


HOLD, STRAIGHT, EXTEND, REPEAT, RISE = range(5)


def piecewise_polynomial(t: Number, count: float, degree: float, before: float, after: float,
                         *params: float) -> Number:
    """sum of c_k s^k in each piece, s = t - x_i; outside: hold, straight on, extend, repeat, repeat and rise"""
    n, width = int(count), int(degree) + 1
    x, c = params[:n + 1], params[n + 1:]

    def inside(at: Number) -> Number:
        i = min(max(bisect_right(x, at) - 1, 0), n - 1)
        return polynomial(at - x[i], *c[i * width:(i + 1) * width])

    if x[0] <= t < x[n]:
        return inside(t)
    mode, end = (int(before), 0) if t < x[0] else (int(after), n)
    if mode == EXTEND:
        return inside(t)
    if mode >= REPEAT:
        turns = floor((t - x[0]) / (x[n] - x[0]))
        return inside(t - turns * (x[n] - x[0])) + (turns * (inside(x[n]) - inside(x[0])) if mode == RISE else 0.0)
    last = c[:width] if end == 0 else c[(n - 1) * width:]
    s = 0.0 if end == 0 else x[n] - x[n - 1]
    slope = total(k * a * s**(k - 1) for k, a in enumerate(last) if k) if mode == STRAIGHT else 0.0
    return polynomial(s, *last) + slope * (t - x[end])


def pieces(t: Number, limits: Sequence[float], parts: Sequence[Callable[[Number], Number]]) -> Number:
    """the i-th part from the i-th limit on"""
    return parts[bisect_right(limits, t)](t)


#: the definition of each kind of function that is given by its numbers alone; a formula ("tape") is its own
#: definition, and "pieces" have other functions as their parts
DEFINITIONS: dict[str, Callable[..., Number]] = {
    "constant": constant, "ramp": ramp, "polynomial": polynomial, "sine": sine,
    "smooth_step": smooth_step, "spline": spline, "piecewise_polynomial": piecewise_polynomial}
