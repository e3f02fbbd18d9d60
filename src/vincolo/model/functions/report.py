"""What can be asked of any function: one-sided derivatives, integrals, coefficients, continuity, a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.functions.checks import finite_times
from vincolo.model.functions.definition import definition
from vincolo.model.functions.series import derivatives_of, series_of
from vincolo.model.functions.times import close, closed_end
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model.functions.function import Function

EXTRA = 5  # further terms that carry a series from beside a break to the break
BESIDE = 1e-5  # how far beside a break, as a share of the distance to the next one
MANY = 500  # samples between which a curve is integrated one by one
SMOOTH = 3  # the highest derivative that is compared
TOLERANCE = 1e-8  # derivatives that differ by less, as a share of their size, are the same


def one_sided(f: Function, t: float, order: int, side: int) -> list[float]:
    """f and its derivatives at t; at a break, those of the piece to the right (side > 0) or left."""
    at = f.breaks_between(t - close(t), t + close(t), every=True)
    if not at:
        return derivatives_of(series_of(definition(f.spec()), t, order).c)
    value = definition(f.spec())
    centre = min(at, key=lambda b: abs(b - t))
    step = math.copysign(max(BESIDE * _gap(f, centre, side), 16 * math.ulp(t)), side)
    beside = series_of(value, t + step, order + EXTRA).shifted(-step).c
    here = series_of(value, t, order).c
    sizes = [max(map(abs, beside[k:])) for k in range(order + 1)]
    same = [abs(a - b) <= 1e-12 * size for a, b, size in zip(here, beside, sizes, strict=False)]
    # where the two agree, the one at t itself is free of rounding
    return derivatives_of([a if agree else b for a, b, agree in zip(here, beside, same, strict=False)])


def _gap(f: Function, t: float, side: int) -> float:
    """The distance from a break to the next one on this side, at most 1."""
    others = f.breaks_between(t, t + 1.0, every=True) if side > 0 else f.breaks_between(t - 1.0, t, every=True)
    away = [abs(b - t) for b in others if abs(b - t) > close(t)]
    return min(away, default=1.0)


def integral(f: Function, t0: float, t1: float) -> float:
    """The integral of f by quadrature from break to break."""
    from scipy.integrate import quad  # type: ignore[import-untyped, unused-ignore]

    low, high = sorted((t0, t1))
    value = definition(f.spec())
    knots = f.breaks_between(low, high, every=True)
    ends = [low, *(knots if len(knots) <= MANY else f.breaks_between(low, high)), high]
    areas = []
    for a, b in zip(ends, ends[1:], strict=False):
        if a < b:
            size = max(abs(value(a + share * (b - a))) for share in (0.1, 0.5, 0.9))
            areas.append(quad(value, a, b, epsabs=1e-14 * size * (b - a), epsrel=1e-12, limit=200)[0])
    return math.copysign(1.0, t1 - t0) * math.fsum(areas)


def coefficient(f: Function, order: int) -> float:
    """Largest |derivative of the given order| times span^order over the rise, within the span of f."""
    owner = type(f).__name__
    if f.span is None:
        raise ModelError(f"{owner}: it has no beginning and end, so it has no coefficients.\n"
                         "  They belong to a motion from one value to another, such as Cycloidal or Spline.")
    start, end = f.span
    rise = f.taylor(end, 0, side=-1)[0] - f.taylor(start, 0)[0]
    if rise == 0:
        raise ModelError(f"{owner}: it ends where it began, so it has no rise to compare with.\n"
                         "  Ask for the coefficients of one of its parts.")
    if any(corner.order < order - 1 for corner in continuity(f).corners):
        return math.inf
    return float(_largest(f, order, start, end) * (end - start)**order / abs(rise))


def _largest(f: Function, order: int, start: float, end: float) -> float:
    """The largest |derivative| between start and end, by search between breaks and refinement."""
    ends = [start, *(b for b in f.breaks_between(start, end, every=True) if start < b < end), end]
    count = max(16, 4000 // len(ends))
    best, bracket = -1.0, (start, end)
    for a, b in zip(ends, ends[1:], strict=False):
        t = a + (b - a) * np.linspace(1e-9, 1 - 1e-9, count)
        size = np.abs(f.sample(t)[order])
        k = int(size.argmax())
        if size[k] > best:
            best = float(size[k])
            bracket = (a if k == 0 else float(t[k - 1]), b if k == count - 1 else float(t[k + 1]))
    low, high = bracket
    sides = abs(f.taylor(low, order)[order]), abs(f.taylor(high, order, side=-1)[order])
    return max(best, *sides, _refined(f, order, low, high))


def _refined(f: Function, order: int, a: float, b: float) -> float:
    """The largest |derivative| in a stretch with one maximum, by thirds."""
    for _ in range(60):
        left, right = a + (b - a) / 3, b - (b - a) / 3
        if abs(f.derivatives(left)[order]) < abs(f.derivatives(right)[order]):
            a = left
        else:
            b = right
    return abs(f.derivatives(0.5 * (a + b))[order])


@dataclass(frozen=True)
class Corner:
    """How smooth a function is at one time: the highest derivative that does not jump; -1 if the value jumps."""

    t: float
    order: int
    jumps: tuple[float, ...]  # of the value and the first derivatives, right minus left


@dataclass(frozen=True)
class Continuity:
    """The corners of a function; derivatives up to the third are compared, to the stated tolerance."""

    corners: tuple[Corner, ...]
    tolerance: float = TOLERANCE

    @property
    def order(self) -> int:
        """The order of continuity everywhere; 3 means three or more."""
        return min((corner.order for corner in self.corners), default=SMOOTH)

    def __str__(self) -> str:
        names = ("value", "velocity", "acceleration", "jerk")
        lines = [f"continuity C{self.order}{' or more' if self.order == SMOOTH else ''}" if self.order >= 0
                 else "the value jumps"]
        for corner in self.corners:
            what = "smooth" if corner.order == SMOOTH else f"{names[corner.order + 1]} jumps by " \
                f"{corner.jumps[corner.order + 1]:.4g}"
            lines.append(f"  t = {corner.t:g}: {what}")
        return "\n".join([*lines, f"  (compared to {self.tolerance:g} of their size)"])


def continuity(f: Function, t0: float | None = None, t1: float | None = None) -> Continuity:
    """The order of continuity of f at each of its breaks from t0 to t1, or within its span, or at all known ones."""
    if t0 is not None and t1 is not None:
        found: Sequence[float] = f.breaks_between(*finite_times("continuity()", t0, t1), every=True)
    elif t0 is not None or t1 is not None:
        raise ModelError("continuity(): give both t0 and t1, or neither.")
    elif f.span is None:
        found = f.breaks
    else:
        low, high = f.span
        found = [min(b, high) for b in f.breaks_between(low, closed_end(high), every=True)]
    return Continuity(tuple(_corner(f, t) for t in found))


def _corner(f: Function, t: float) -> Corner:
    left, right = one_sided(f, t, SMOOTH + 2, -1), one_sided(f, t, SMOOTH + 2, 1)
    T = min(_gap(f, t, -1), _gap(f, t, 1))
    # derivatives as what they change over the distance T to the next break, the higher ones included
    sizes = [max(abs(left[k]), abs(right[k])) * T**k for k in range(len(left))]
    jumps = tuple(b - a for a, b in zip(left, right, strict=True))[:SMOOTH + 1]
    order = -1
    while order < SMOOTH:
        k = order + 1
        if abs(jumps[k]) * T**k > TOLERANCE * (max(sizes[k:]) + 1e-4 * max(sizes)):
            break
        order = k
    return Corner(t, order, jumps)


def plot(f: Function, t0: float | None, t1: float | None) -> Any:
    """A matplotlib figure of f, f' and f''."""
    try:
        from matplotlib.figure import Figure  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ImportError("plot() draws with matplotlib, which is not installed.\n"
                          "  Write: pip install matplotlib") from error
    t = _times(f, t0, t1)
    figure = Figure(figsize=(7, 7), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for axis, values, name in zip(axes, f.sample(t), ("f", "f'", "f''"), strict=True):
        axis.plot(t, values)
        axis.set_ylabel(name)
        axis.grid(True)
    axes[-1].set_xlabel("t")
    axes[0].set_title(type(f).__name__)
    return figure


def _times(f: Function, t0: float | None, t1: float | None) -> Array:
    """Times to draw f at: even ones, and both sides of every break."""
    low, high = f.span or (0.0, 1.0)
    margin = 0.1 * (high - low)
    low = finite_number("plot(): t0", low - margin if t0 is None else t0)
    high = finite_number("plot(): t1", high + margin if t1 is None else t1)
    if not low < high:
        raise ModelError(f"plot(): t0 = {low:g} is not before t1 = {high:g}.")
    breaks = np.array(f.breaks_between(low, high))
    return np.unique(np.concatenate([np.linspace(low, high, 601), breaks, np.nextafter(breaks, -np.inf)]))
