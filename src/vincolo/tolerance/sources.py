"""What varies: single numbers, and the place of a pin in the clearance of its hole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.tolerance.distributions import Distribution, as_distribution

PLAY = ("x", "y", "tilt x", "tilt y")  # of a pin in its hole
RADII = 512  # at which the length of a pin is averaged


@dataclass(frozen=True)
class Cost:
    """What a tolerance t costs: factor / t^power, or one's own law, a function of t that falls."""

    factor: float = 1.0
    power: float = 1.0
    law: Callable[[float], float] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for what in ("factor", "power"):
            if finite_number(f"cost: {what}", getattr(self, what)) <= 0:
                raise ModelError(f"cost: the {what} is {getattr(self, what):g}; it must be above zero.")

    def __call__(self, t: float) -> float:
        return self.factor / t**self.power if self.law is None else float(self.law(t))


@dataclass(frozen=True)
class Tolerance:
    """A number that deviates from its nominal value. `of` says which: a parameter, or what a model calls it, such as
    "A@crank.x", the place of joint A on the body crank along its x axis."""

    of: str
    spread: Distribution
    cost: Cost | None = None
    title: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of.strip():
            raise ModelError(f"a tolerance is of something that has a name, not of {self.of!r}.")
        if not isinstance(self.spread, Distribution):
            raise ModelError(f"tolerance of {self.of!r}: {self.spread!r} is not a distribution.\n"
                             "  Write Normal(0.1), Uniform((-0.1, 0.2)), ...")

    @property
    def name(self) -> str:
        """Its title, or what it is of."""
        return self.title or self.of

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of what it changes."""
        return (self.of,)

    @property
    def dimensions(self) -> int:
        """How many random numbers it takes."""
        return 1

    def draw(self, u: Array) -> Array:
        """Deviations (samples, coordinates) from numbers between 0 and 1 (samples, dimensions)."""
        return self.spread.quantile(u)

    @property
    def mean(self) -> Array:
        """Mean deviations."""
        return np.array([self.spread.mean])

    @property
    def covariance(self) -> Array:
        """Of the coordinates."""
        return np.array([[self.spread.deviation**2]])

    def worst(self, slope: Array) -> Array:
        """The deviations (coordinates, ...) inside of the limits with the largest effect, for slopes of the same
        shape."""
        lower, upper = self.spread.limits
        return np.where(slope >= 0, upper, lower)

    def why_not(self, deviations: Array) -> list[str]:
        """Why a draw cannot be, or "" for those that can."""
        return [""] * len(deviations)


@dataclass(frozen=True)
class Clearance:
    """A pin that touches its hole at two points: its ends lie anywhere on circles of the gap, so that its middle is off
    by gap cos(beta / 2) and it tilts by atan(2 gap sin(beta / 2) / length), in the direction xi; both angles are
    uniform over a turn. `gap` is the radius of the hole less that of the pin [m], `length` that of the pin; numbers or
    distributions. `on` is the body with the pin, the first of the joint if not given: the directions turn with it.
    `radius` of the pin is for checks alone."""

    joint: str
    gap: Any
    length: Any
    on: str | None = None
    radius: float | None = None
    title: str = ""

    def __post_init__(self) -> None:
        what = f"clearance of {self.joint!r}"
        for key in ("gap", "length"):
            object.__setattr__(self, key, as_distribution(f"{what}: {key}", getattr(self, key)))
        (least, most), (shortest, _) = self.gap.limits, self.length.limits
        if least < 0:
            raise ModelError(f"{what}: the gap goes down to {least:g} m, where the pin is larger than its hole.\n"
                             "  Give limits from zero on, or HalfNormal(largest).")
        if shortest <= 0:
            raise ModelError(f"{what}: the pin has a length of {shortest:g} m; it must be above zero.")
        if 2 * most >= shortest:
            raise ModelError(f"{what}: the gap of up to {most:g} m is too large for a pin of {shortest:g} m, which "
                             "would tilt by 45 degrees or more.\n  Is the gap in metres, and that of the radius?")
        if self.radius is not None and most >= finite_number(f"{what}: radius", self.radius):
            raise ModelError(f"{what}: the gap of up to {most:g} m is larger than the radius of the pin, "
                             f"{self.radius:g} m.\n  Is the gap in metres?")

    @property
    def name(self) -> str:
        """Its title, or what it is of."""
        return self.title or f"clearance of {self.joint}"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Place and tilt of the pin in its hole: along and about x and y of the joint."""
        where = self.joint if self.on is None else f"{self.joint}@{self.on}"
        return tuple(f"{where}.play {axis}" for axis in PLAY)

    @property
    def dimensions(self) -> int:
        """Gap, length and two angles."""
        return 4

    def draw(self, u: Array) -> Array:
        """Places and tilts of the pin (samples, 4) [m, rad]."""
        gap, length = self.gap.quantile(u[:, 0]), self.length.quantile(u[:, 1])
        gap = np.where((gap >= 0) & (length > 0), gap, np.nan)
        return two_points(gap, length, 2 * np.pi * u[:, 2], 2 * np.pi * u[:, 3])

    @property
    def mean(self) -> Array:
        """It lies on no side more often than on others."""
        return np.zeros(4)

    @property
    def covariance(self) -> Array:
        """Of places gap^2 / 4, of tilts gap^2 / length^2, in the mean; uncorrelated."""
        square = self.gap.deviation**2 + self.gap.mean**2
        lengths = self.length.quantile((np.arange(RADII) + 0.5) / RADII)
        return np.diag([square / 4] * 2 + [square * float((lengths**-2).mean())] * 2)

    def worst(self, slope: Array) -> Array:
        """Two-point contact with the largest effect: gap times the largest singular value of the slopes by place and,
        in the same measure, by tilt."""
        gap, length = self.gap.limits[1], self.length.limits[0]
        flat = slope.reshape(4, -1)
        pair = np.stack([flat[:2], 2 / length * flat[2:]])  # (place or tilt, x or y, ...)
        left, _, right = np.linalg.svd(np.moveaxis(pair, -1, 0))
        place, sense = left[:, :, 0], right[:, 0, :]  # cos, sin of beta / 2; of xi
        found = gap * np.concatenate([place[:, :1] * sense, 2 / length * place[:, 1:] * sense], axis=1)
        return np.asarray(found.T.reshape(slope.shape))

    def why_not(self, deviations: Array) -> list[str]:
        """Draws in which the pin is larger than its hole, or has no length."""
        return [f"{self.name}: the pin is larger than its hole" if bad else "" for bad in np.isnan(deviations[:, 0])]


Source = Tolerance | Clearance


@dataclass(frozen=True)
class Tolerances:
    """Tolerances and clearances of a mechanism, as a file has them, with correlations by pairs of names."""

    sources: tuple[Source, ...] = ()
    correlations: Mapping[tuple[str, str], float] = field(default_factory=dict)


def two_points(gap: Array, length: Array, xi: Array, beta: Array) -> Array:
    """Place and tilt (..., 4) of a pin from its two-point contact: its ends at gap (cos, sin)(xi +- beta / 2)."""
    off, tilt = gap * np.cos(beta / 2), np.arctan(2 * gap * np.sin(beta / 2) / length)
    c, s = np.cos(xi), np.sin(xi)
    return np.stack([off * c, off * s, tilt * c, tilt * s], axis=-1)
