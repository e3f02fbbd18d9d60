"""A series of a result as a function of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vincolo.errors import ModelError, suggest
from vincolo.model.functions import checks
from vincolo.model.functions.motion_laws import hermite
from vincolo.model.functions.piecewise import Curve, Polynomials
from vincolo.model.functions.spline import Spline

if TYPE_CHECKING:
    from vincolo.results import Result

#: endings of the names of series, each with the one of its rate
RATES = {"x": "vx", "y": "vy", "z": "vz", "vx": "ax", "vy": "ay", "vz": "az",
         "wx": "alpha_x", "wy": "alpha_y", "wz": "alpha_z"}


@dataclass(frozen=True, init=False)
class Recorded(Polynomials):
    """The series `name` of a result as a function of time, for example Recorded(result, "crank.x").

    It meets every recorded value, rate and acceleration, those of the last sample too, with polynomials of degree 5;
    with the rate alone of degree 3; without, it is a Spline. Its third derivative jumps at every sample: at tight
    tolerances let no step be longer than their distance (max_step). `outside` as for Linear.
    """

    name: str
    x: tuple[float, ...]
    series: tuple[tuple[float, ...], ...]  # value, and as many derivatives as were recorded
    outside: str | tuple[str, str]

    def __init__(self, result: Result, name: str, outside: str | tuple[str, str] = "straight") -> None:
        chain = _with_rates(name, result.keys())
        series = [checks.finite_numbers(f"Recorded {name!r}", part, result[part].tolist()) for part in chain[:3]]
        x = checks.finite_numbers(f"Recorded {name!r}", "t", result.t.tolist())
        checks.samples(f"Recorded {name!r}", x, series[0])
        checks.outside_modes("Recorded", outside)
        for field, value in (("name", name), ("x", x), ("series", tuple(series)),
                             ("outside", outside if isinstance(outside, str) else tuple(outside))):
            object.__setattr__(self, field, value)

    @cached_property
    def curve(self) -> Curve:
        modes = checks.outside_modes("Recorded", self.outside)
        if len(self.series) == 1:
            return Curve(self.x, Spline(self.x, self.series[0]).curve.rows, *modes, closed=True)
        at = list(zip(*self.series, strict=True))
        lengths = [b - a for a, b in zip(self.x, self.x[1:], strict=False)]
        rows = tuple(hermite(a, b, T) for a, b, T in zip(at, at[1:], lengths, strict=False))
        checks.finite_coefficients(f"Recorded {self.name!r}", self.x, [c for row in rows for c in row], "smooth")
        return Curve(self.x, rows, *modes, closed=True)

    @property
    def breaks(self) -> tuple[float, ...]:
        smooth = len(self.series) != 2  # with value and rate alone the curvature jumps at every sample
        return (self.x[0], self.x[-1]) if smooth else self.x


def _with_rates(name: str, known: Sequence[str]) -> list[str]:
    """The name of a series, of its rate, of the rate of that, as far as they are recorded."""
    if not isinstance(name, str) or name not in known:
        hint = suggest(name, known) if isinstance(name, str) else ""
        raise ModelError(f"Recorded: there is no series called {name!r} in the result.{hint}\n"
                         "  result.keys() lists them all.")
    found = [name]
    while True:
        base, _, last = found[-1].rpartition(".")
        candidates = [f"{found[-1]}.rate", f"{base}.{RATES[last]}" if last in RATES else "",
                      f"{base}.rate" if last in ("length", "value") else "",
                      f"{base}.acceleration" if last == "rate" else ""]
        rate = next((c for c in candidates if c in known), None)
        if rate is None:
            return found
        found.append(rate)
