"""How long steps took: a histogram of fixed size, in which the longest is exact."""

from __future__ import annotations

import math

import numpy as np

PER_DOUBLING = 64  # bins: 1.1 % wide
BINS = PER_DOUBLING * 40


class StepTimes:
    """Times of steps [ns]."""

    def __init__(self) -> None:
        self.bins = np.zeros(BINS, np.int64)
        self.count, self.longest = 0, 0

    def note(self, ns: int) -> None:
        """One more."""
        part, power = math.frexp(max(ns, 1))
        self.bins[min(PER_DOUBLING * power + int((part - 0.5) * 2 * PER_DOUBLING), BINS - 1)] += 1
        self.count += 1
        self.longest = max(self.longest, ns)

    def share(self, share: float) -> float:
        """Microseconds that this share of all steps stayed below."""
        if self.count == 0:
            return 0.0
        bin = int(np.searchsorted(np.cumsum(self.bins), share * self.count))
        edge = math.ldexp(0.5 + (bin % PER_DOUBLING + 1) / (2 * PER_DOUBLING), bin // PER_DOUBLING)
        return min(edge, float(self.longest)) / 1000

    @property
    def percentiles(self) -> tuple[float, float, float, float]:
        """p50, p99, p99.99 and the longest [us]."""
        return self.share(0.5), self.share(0.99), self.share(0.9999), self.longest / 1000

    def histogram(self) -> list[tuple[float, int]]:
        """Upper edges [us] and counts, eight to a doubling, from the first to the last that has any."""
        grouped = self.bins.reshape(-1, PER_DOUBLING // 8).sum(axis=1)
        there = np.flatnonzero(grouped)
        if not there.size:
            return []
        return [(math.ldexp(0.5 + (k % 8 + 1) / 16, k // 8) / 1000, int(grouped[k]))
                for k in range(int(there[0]), int(there[-1]) + 1)]

    def __str__(self) -> str:
        return "p50 {:.1f}, p99 {:.1f}, p99.99 {:.1f}, max {:.1f} us".format(*self.percentiles)
