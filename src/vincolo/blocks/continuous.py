"""Continuous blocks: states that are integrated with the motion, and texts over them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.checks import finite_number, number_array


def _positive(what: str, value: Any) -> float:
    number = finite_number(what, value)
    if number <= 0:
        raise ModelError(f"{what} is {number:g} s; it must be positive.")
    return number


def first_order(model: Model, name: str, signal: str, *, T: float, start: float = 0.0, unit: str = "") -> str:
    """A filter of first order: T y' + y = signal. The text of y is the block's name."""
    time = _positive(f"first_order() {name!r}: T", T)
    model.state(name, f"(({signal}) - {name})/({time!r})", start, unit=unit)
    return name


def second_order(model: Model, name: str, signal: str, *, frequency: float, damping: float = 1.0, start: float = 0.0,
                 unit: str = "") -> str:
    """A filter of second order: y'' + 2 damping w y' + w^2 y = w^2 signal, with w = frequency [rad/s]. Value and
    rate do not jump, so that a position can be driven along it. The text of y is the block's name."""
    what = f"second_order() {name!r}"
    w, z = _positive(f"{what}: frequency", frequency), finite_number(f"{what}: damping", damping)
    rate = f"{name}_speed"
    model.state(name, 0.0, start, unit=unit)
    model.state(rate, f"{w * w!r}*(({signal}) - {name}) - {2 * z * w!r}*{rate}", size=w)
    model.rate(name, rate)
    return name


def lead_lag(model: Model, name: str, signal: str, *, lead: float, lag: float, gain: float = 1.0,
             start: float = 0.0) -> str:
    """gain (1 + lead s)/(1 + lag s) times the signal, with times [s]. The state has the block's name; what is returned
    is the text of its output, for laws and other blocks."""
    what = f"lead_lag() {name!r}"
    ahead, behind = finite_number(f"{what}: lead", lead), _positive(f"{what}: lag", lag)
    k = finite_number(f"{what}: gain", gain)
    model.state(name, f"(({signal}) - {name})/({behind!r})", start)
    return f"({k!r}*({name} + {ahead / behind!r}*(({signal}) - {name})))"


def saturation(signal: str, low: float, high: float) -> str:
    """The text of a signal that stays between two numbers."""
    least, most = finite_number("saturation(): low", low), finite_number("saturation(): high", high)
    if not least < most:
        raise ModelError(f"saturation(): low is {least:g} and high is {most:g}; low must be less than high.")
    return f"min(max({signal}, {least!r}), {most!r})"


def look_up(signal: str, x: Any, y: Any) -> str:
    """The text of a table over a signal: straight lines between the points (x, y), held beyond its ends."""
    at, value = number_array("look_up(): x", x), number_array("look_up(): y", y)
    if at.ndim != 1 or at.shape != value.shape or len(at) < 2 or not (at[1:] > at[:-1]).all():
        raise ModelError("look_up(): x and y are lists of as many numbers, at least two, and x rises.")
    points = list(zip(at.tolist(), value.tolist(), strict=True))
    inside = saturation(signal, points[0][0], points[-1][0])
    slopes = [(b - a) / (q - p) for (p, a), (q, b) in pairwise(points)]
    text = f"{points[0][1]!r} + {slopes[0]!r}*({inside} - {points[0][0]!r})"
    for (knot, _), before, after in zip(points[1:], slopes, slopes[1:], strict=False):
        text += f" + {after - before!r}*max({inside} - {knot!r}, 0)"
    return f"({text})"
