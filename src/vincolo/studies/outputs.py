"""What a study keeps of each run: one number of a series, such as its largest value, or the time of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array

Reduction = Callable[[Array, Array], float]  # of times and values


def _mean(t: Array, x: Array) -> float:
    """Over time, by trapezoids."""
    return float(0.5 * ((x[1:] + x[:-1]) * np.diff(t)).sum() / (t[-1] - t[0])) if len(t) > 1 else float(x[0])


def _peak(t: Array, x: Array, what: int) -> float:
    """Frequency [Hz], or amplitude, of the largest line of the spectrum of evenly spaced samples."""
    if len(t) < 4 or np.ptp(np.diff(t)) > 1e-6 * (t[-1] - t[0]) / (len(t) - 1):
        raise ModelError("a spectrum needs four evenly spaced samples at least.")
    n = len(t) - 1  # the last sample begins the next period
    lines = np.abs(np.fft.rfft((x - _mean(t, x))[:n] * np.hanning(n + 1)[:n])) * 4 / n
    k = int(np.argmax(lines[1:])) + 1
    shift = 0.0
    if 0 < k < len(lines) - 1 and min(lines[k - 1: k + 2]) > 0:  # a parabola through the logarithms around the top
        a, b, c = np.log(lines[k - 1: k + 2])
        shift = 0.5 * (a - c) / (a - 2 * b + c) if a - 2 * b + c else 0.0
    return float((k + shift) / (t[-1] - t[0])) if what == 0 else float(lines[k])


#: what can be kept of a series; units are those of the series unless given
REDUCTIONS: dict[str, tuple[Reduction, str | None]] = {
    "time of max": (lambda t, x: float(t[np.argmax(x)]), "s"),
    "time of min": (lambda t, x: float(t[np.argmin(x)]), "s"),
    "spectrum peak": (lambda t, x: _peak(t, x, 0), "Hz"),
    "spectrum height": (lambda t, x: _peak(t, x, 1), None),
    "max": (lambda t, x: float(x.max()), None),
    "min": (lambda t, x: float(x.min()), None),
    "peak": (lambda t, x: float(np.abs(x).max()), None),
    "range": (lambda t, x: float(np.ptp(x)), None),
    "start": (lambda t, x: float(x[0]), None),
    "final": (lambda t, x: float(x[-1]), None),
    "mean": (_mean, None),
    "rms": (lambda t, x: float(np.sqrt(max(_mean(t, x * x), 0.0))), None),
}


@dataclass(frozen=True)
class Output:
    """A number of a run: what is kept of a channel, by the name of a reduction or by one's own function of (t, x)."""

    channel: str
    reduction: str | Reduction = "final"
    name: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.reduction, str) and self.reduction not in REDUCTIONS:
            raise ModelError(f"output of {self.channel!r}: {self.reduction!r} is not something to keep.\n"
                             f"  It is one of: {', '.join(REDUCTIONS)}; or a function of times and values.")

    @property
    def title(self) -> str:
        """Its name, or what it is."""
        what = self.reduction if isinstance(self.reduction, str) else getattr(self.reduction, "__name__", "own")
        return self.name or f"{what} {self.channel}"

    def unit(self, of_channel: str) -> str:
        """Its unit, from that of the channel."""
        if not isinstance(self.reduction, str):
            return ""
        own = REDUCTIONS[self.reduction][1]
        return of_channel if own is None else own

    def of(self, t: Array, x: Array) -> float:
        """The number."""
        reduce = REDUCTIONS[self.reduction][0] if isinstance(self.reduction, str) else self.reduction
        return float(reduce(t, x))

    @property
    def mark(self) -> tuple[str, str, str]:
        """Tells outputs apart."""
        return self.title, self.channel, self.reduction if isinstance(self.reduction, str) else "own"


def output_of(given: Any, name: str = "") -> Output:
    """An output from a text such as "max slider.vx" or "time of max slider.x", from (channel, reduction), or itself."""
    if isinstance(given, Output):
        return given if given.name or not name else Output(given.channel, given.reduction, name)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Output(str(given[0]), given[1], name)
    if isinstance(given, str) and given.strip():
        text = given.strip()
        for known in REDUCTIONS:
            if text.startswith(f"{known} "):
                return Output(text.removeprefix(f"{known} ").removeprefix("of ").strip(), known, name)
        return Output(text, "final", name)
    raise ModelError(f"study(): {given!r} is not an output.\n  Write \"max slider.vx\", (\"slider.vx\", \"max\") or "
                     "(\"slider.vx\", function of t and x).")


def outputs_of(given: Any) -> tuple[Output, ...]:
    """All outputs, from a list or by names in a dictionary; each name once."""
    if isinstance(given, str | Output):
        given = [given]
    found = tuple(output_of(value, str(name)) for name, value in given.items()) if isinstance(given, Mapping) \
        else tuple(output_of(value) for value in given)
    if not found:
        raise ModelError("study(): there is no output.\n  Name some, such as outputs=['max slider.vx'].")
    titles = [o.title for o in found]
    for title in titles:
        if titles.count(title) > 1:
            raise ModelError(f"study(): the output {title!r} is given twice.\n  Give it another name: "
                             "outputs={'name': 'max slider.x'}.")
    return found
