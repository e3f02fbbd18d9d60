"""Where a run left the ranges that its model keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vincolo.model.ranges import Range
    from vincolo.results.result import Result

ROUNDING = 1e-9  # of the width of a range, or of its limits: what is less outside is on the limit


@dataclass(frozen=True)
class Left:
    """A range that was left: the value farthest outside and its time, and when it was first outside."""

    range: Range
    value: float
    t: float
    first: float
    inside_at_start: bool

    @property
    def beyond(self) -> float:
        """How far outside the value is."""
        low, high = self.range.at_least, self.range.at_most
        return max(0.0 if low is None else low - self.value, 0.0 if high is None else self.value - high)

    def __str__(self) -> str:
        unit = self.range.unit if self.range.unit not in ("", "1") else ""
        since = f"first at t = {self.first:.6g} s" if self.inside_at_start else "from the start on"
        value = f"{self.value:.6g} {unit}".rstrip()
        return (f"{self.range.measure.name} is {value} at t = {self.t:.6g} s, outside its range {self.range.told} "
                f"({self.range.name}), {since}")


def left_ranges(result: Result) -> list[Left]:
    """The ranges of the model that a result left, at its samples; the farthest first."""
    found = [left for kept in result.model.ranges.values() if (left := _left(result, kept)) is not None]
    return sorted(found, key=lambda left: -left.beyond)


def _left(result: Result, kept: Range) -> Left | None:
    values = result[str(kept.measure.name)]
    low = -np.inf if kept.at_least is None else kept.at_least
    high = np.inf if kept.at_most is None else kept.at_most
    size = max(abs(v) for v in (kept.at_least, kept.at_most) if v is not None)
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(low - values, values - high)
        outside = np.flatnonzero(beyond > ROUNDING * max(size, high - low if np.isfinite(high - low) else 0.0, 1e-6))
    if not len(outside):
        return None
    k = int(outside[np.argmax(beyond[outside])])
    return Left(kept, float(values[k]), float(result.t[k]), float(result.t[outside[0]]), bool(outside[0] > 0))
