"""Times of breaks: in order, and told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable


def sorted_inside(times: Iterable[float], t0: float = -math.inf, t1: float = math.inf) -> tuple[float, ...]:
    """The times from t0 to t1 in order; of those that only rounding separates, the last: then all has switched."""
    found = sorted({float(t) for t in times if t0 <= t <= t1})
    return tuple(t for t, after in zip(found, (*found[1:], math.inf), strict=False) if after - t > close(t))


def closed_end(last: float) -> float:
    """From where on what follows a curve counts, if its last point has the curve's own derivatives."""
    return math.nextafter(last, math.inf)


def close(t: float) -> float:
    """Times that differ by less than this are the same."""
    return 1e-12 * max(1.0, abs(t))
