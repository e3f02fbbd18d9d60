"""How a deviation from the nominal value is spread. Each distribution gives quantiles, so that it goes with any way of
sampling and with correlations; its mean, its standard deviation, and its limits, which the worst case takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array

POINTS = 20_000  # at which quantiles are averaged where there is no formula
TAIL = 0.00135  # share beyond a limit of what has none: that of a Gaussian beyond three standard deviations


class Distribution:
    """What all distributions answer: quantile(u), mean, deviation, limits."""

    def quantile(self, u: Array) -> Array:
        """The deviation below which a share u lies."""
        raise NotImplementedError

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and largest deviation that the worst case counts with."""
        raise NotImplementedError

    @cached_property
    def _grid(self) -> Array:
        return self.quantile((np.arange(POINTS) + 0.5) / POINTS)

    @property
    def mean(self) -> float:
        """Mean deviation."""
        return float(self._grid.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return float(self._grid.std())


def _limits(what: str, tolerance: Any) -> tuple[float, float]:
    """Limits of a tolerance: +- a number, or (lower, upper)."""
    if isinstance(tolerance, Sequence) and not isinstance(tolerance, str) and len(tolerance) == 2:
        lower, upper = (finite_number(f"{what}: limit", value) for value in tolerance)
        if lower > upper:
            raise ModelError(f"{what}: the limits are {lower:g} and {upper:g}; the lower one comes first.")
        return lower, upper
    size = finite_number(f"{what}: the tolerance", tolerance)
    if size < 0:
        raise ModelError(f"{what}: the tolerance is {size:g}; it must not be negative.\n"
                         "  Write 0.1 for +-0.1, or (lower, upper), such as (-0.1, 0).")
    return -size, size


@dataclass(frozen=True)
class _Limited(Distribution):
    """A distribution by its limits: +- a number, or (lower, upper)."""

    tolerance: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "tolerance", _limits(type(self).__name__, self.tolerance))

    @property
    def limits(self) -> tuple[float, float]:
        lower, upper = self.tolerance
        return float(lower), float(upper)

    @property
    def centre(self) -> float:
        """The middle of the limits."""
        return 0.5 * sum(self.limits)

    @property
    def half(self) -> float:
        """Half of what is between the limits."""
        return 0.5 * (self.limits[1] - self.limits[0])


def _sigmas(owner: Any) -> None:
    if finite_number(f"{type(owner).__name__}: sigmas", owner.sigmas) <= 0:
        raise ModelError(f"{type(owner).__name__}: sigmas is {owner.sigmas:g}; it says how many standard deviations "
                         "the tolerance is, such as 3, and is above zero.")


@dataclass(frozen=True)
class Normal(_Limited):
    """Gaussian, with the tolerance so many standard deviations; some parts lie beyond its limits."""

    sigmas: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _sigmas(self)

    def quantile(self, u: Array) -> Array:
        from scipy.special import ndtri

        return np.asarray(self.mean + self.deviation * ndtri(u))

    @property
    def mean(self) -> float:
        return self.centre

    @property
    def deviation(self) -> float:
        return self.half / self.sigmas


@dataclass(frozen=True)
class Truncated(Normal):
    """Gaussian, with parts beyond the limits sorted out."""

    def quantile(self, u: Array) -> Array:
        from scipy.special import ndtr, ndtri

        low = ndtr(-self.sigmas)
        scaled = ndtri(low + u * (1.0 - 2.0 * low)) / self.sigmas
        return np.asarray(self.centre + self.half * np.clip(scaled, -1.0, 1.0))

    @property
    def deviation(self) -> float:
        from scipy.special import ndtr

        density = math.exp(-0.5 * self.sigmas**2) / math.sqrt(2 * math.pi)
        inside = 1.0 - 2.0 * float(ndtr(-self.sigmas))
        return self.half / self.sigmas * math.sqrt(1.0 - 2.0 * self.sigmas * density / inside)


@dataclass(frozen=True)
class HalfNormal(Distribution):
    """The size of a Gaussian about zero: from zero up, with the largest value so many standard deviations of it."""

    largest: float
    sigmas: float = 3.0

    def __post_init__(self) -> None:
        _limits("HalfNormal", self.largest)
        _sigmas(self)

    def quantile(self, u: Array) -> Array:
        from scipy.special import ndtri

        return np.asarray(self.largest / self.sigmas * ndtri(0.5 + 0.5 * u))

    @property
    def limits(self) -> tuple[float, float]:
        return 0.0, float(self.largest)

    @property
    def mean(self) -> float:
        return self.largest / self.sigmas * math.sqrt(2 / math.pi)

    @property
    def deviation(self) -> float:
        return self.largest / self.sigmas * math.sqrt(1 - 2 / math.pi)


@dataclass(frozen=True)
class Uniform(_Limited):
    """Anything between the limits alike."""

    def quantile(self, u: Array) -> Array:
        return np.asarray(self.centre + self.half * (2.0 * u - 1.0))

    @property
    def mean(self) -> float:
        return self.centre

    @property
    def deviation(self) -> float:
        return self.half / math.sqrt(3.0)


@dataclass(frozen=True)
class Triangular(_Limited):
    """Likeliest at the peak, the middle if not given, and never beyond the limits."""

    peak: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        lower, upper = self.limits
        top = self.centre if self.peak is None else finite_number("Triangular: peak", self.peak)
        if not lower <= top <= upper:
            raise ModelError(f"Triangular: the peak {top:g} is not between the limits {lower:g} and {upper:g}.")

    @property
    def _top(self) -> float:
        return self.centre if self.peak is None else self.peak

    def quantile(self, u: Array) -> Array:
        (a, b), c = self.limits, self._top
        if a == b:
            return np.full(np.shape(u), a)
        return np.asarray(np.where(u < (c - a) / (b - a), a + np.sqrt(u * (b - a) * (c - a)),
                                   b - np.sqrt((1 - u) * (b - a) * (b - c))))

    @property
    def mean(self) -> float:
        return (sum(self.limits) + self._top) / 3

    @property
    def deviation(self) -> float:
        (a, b), c = self.limits, self._top
        return math.sqrt((a * a + b * b + c * c - a * b - a * c - b * c) / 18)


@dataclass(frozen=True)
class Measured(Distribution):
    """Deviations as measured on parts, with straight lines between those that are next to each other in size."""

    values: Any

    def __post_init__(self) -> None:
        found = number_array("Measured: values", self.values)
        if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all():
            raise ModelError(f"Measured: {np.size(self.values)} values; a list of two finite deviations at least is "
                             "needed.")
        object.__setattr__(self, "values", tuple(np.sort(found).tolist()))

    def quantile(self, u: Array) -> Array:
        return np.asarray(np.interp(u, np.linspace(0, 1, len(self.values)), self.values))

    @property
    def limits(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])

    @property
    def mean(self) -> float:
        q = np.array(self.values)
        return float(0.5 * (q[1:] + q[:-1]).mean())

    @property
    def deviation(self) -> float:
        q = np.array(self.values) - self.mean
        return math.sqrt(float((q[1:] ** 2 + q[1:] * q[:-1] + q[:-1] ** 2).mean() / 3))


@dataclass(frozen=True)
class Own(Distribution):
    """One's own: an object with ppf(u), such as a frozen distribution of scipy.stats, or a function of u. Where it has
    no ends, its limits leave out 0.135 % on each side."""

    source: Any

    def __post_init__(self) -> None:
        if not callable(getattr(self.source, "ppf", self.source)):
            raise ModelError(f"Own: {self.source!r} has no quantiles.\n  Give a function of u from 0 to 1, or an "
                             "object with ppf(u), such as scipy.stats.gamma(2.0).")
        found = self.quantile(np.array([0.1, 0.5, 0.9]))
        if found.shape != (3,) or not np.isfinite(found).all() or (np.diff(found) < 0).any():
            raise ModelError(f"Own: the quantiles of 0.1, 0.5 and 0.9 are {found.tolist()}; finite numbers that rise "
                             "are needed.")

    def quantile(self, u: Array) -> Array:
        return np.asarray(getattr(self.source, "ppf", self.source)(np.asarray(u)), dtype=float)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        ends = self.quantile(np.array([0.0, 1.0]))
        inner = self.quantile(np.array([TAIL, 1 - TAIL]))
        return tuple(np.where(np.isfinite(ends), ends, inner).tolist())

    @property
    def limits(self) -> tuple[float, float]:
        return self._ends


@dataclass(frozen=True)
class Fixed(Distribution):
    """Always the same."""

    value: float

    def quantile(self, u: Array) -> Array:
        return np.full(np.shape(u), self.value)

    @property
    def limits(self) -> tuple[float, float]:
        return self.value, self.value

    @property
    def mean(self) -> float:
        return self.value

    @property
    def deviation(self) -> float:
        return 0.0


#: by their names in files
KINDS: dict[str, type[Distribution]] = {"normal": Normal, "truncated": Truncated, "uniform": Uniform,
                                        "triangular": Triangular, "measured": Measured, "half normal": HalfNormal}


def as_distribution(what: str, value: Any) -> Distribution:
    """A distribution; a number is one value always."""
    return value if isinstance(value, Distribution) else Fixed(finite_number(what, value))
