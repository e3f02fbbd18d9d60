"""Random deviations of all sources together: the same for any number of workers, and after a stop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.tolerance.sources import Clearance, Source, Tolerance

METHODS = ("random", "sobol")
INSIDE = 1e-15  # of 0 and 1, where quantiles may be infinite
NODES = 48  # of a Gauss-Hermite rule, in each direction


def correlation_matrix(sources: Sequence[Source], pairs: Mapping[tuple[str, str], float] | None) -> Array:
    """The matrix of correlations between tolerances, from pairs of names; checked to be possible."""
    names = [s.name for s in sources if isinstance(s, Tolerance)]
    matrix = np.eye(len(names))
    for (first, second), value in (pairs or {}).items():
        rho = finite_number(f"correlation of {first!r} and {second!r}", value)
        for name in (first, second):
            if name not in names:
                raise ModelError(f"correlations: there is no tolerance of {name!r}.{suggest(name, names)}\n"
                                 f"  Tolerances: {', '.join(names) or 'none'}; clearances are not correlated.")
        if first == second or not -1 <= rho <= 1:
            raise ModelError(f"correlation of {first!r} and {second!r} is {rho:g}; it is between -1 and 1, of two "
                             "different tolerances.")
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = rho
    least = float(np.linalg.eigvalsh(matrix)[0]) if len(names) else 1.0
    if least <= 1e-10:
        listed = ", ".join(f"{a} with {b}: {value:g}" for (a, b), value in (pairs or {}).items())
        raise ModelError(f"the correlations ({listed}) cannot be all at once: the smallest eigenvalue of their matrix "
                         f"is {least:.3g}; it must be positive.\n  Bring them nearer to zero, or leave out one of two "
                         "that always go together.")
    return matrix


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws of all sources together."""

    sources: tuple[Source, ...]
    correlations: Array
    method: str = "random"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(f"the method of sampling is {self.method!r}; it is one of: {', '.join(METHODS)}.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise ModelError(f"the seed is {self.seed!r}; a whole number from 0 on is needed.")

    def draw(self, count: int) -> Array:
        """Deviations (samples, coordinates); fewer of them are the first of more."""
        return self.shaped(self._uniform(count))

    def shaped(self, uniform: Array) -> Array:
        """Deviations (samples, coordinates) from numbers between 0 and 1 (samples, dimensions)."""
        u = self._correlated(np.clip(uniform, INSIDE, 1 - INSIDE))
        parts, column = [], 0
        for source in self.sources:
            drawn = source.draw(u[:, column: column + source.dimensions])
            parts.append(drawn.reshape(len(u), -1))
            column += source.dimensions
        return np.concatenate(parts, axis=1)

    def _uniform(self, count: int) -> Array:
        d = sum(s.dimensions for s in self.sources)
        rng = np.random.default_rng(int(self.seed))
        if self.method == "random":
            return rng.random((count, d))
        from scipy.stats import qmc

        power = math.ceil(math.log2(max(count, 2)))
        return np.asarray(qmc.Sobol(d, scramble=True, seed=rng).random_base2(power)[:count])

    def _correlated(self, u: Array) -> Array:
        """Numbers of tolerances tied by a Gaussian copula."""
        if np.array_equal(self.correlations, np.eye(len(self.correlations))):
            return u
        from scipy.special import ndtr, ndtri

        columns = self._columns()
        u[:, columns] = ndtr(ndtri(u[:, columns]) @ np.linalg.cholesky(self.correlations).T)
        return np.clip(u, INSIDE, 1 - INSIDE)

    def _columns(self) -> list[int]:
        """Where the numbers of tolerances stand among those of all sources."""
        starts = np.cumsum([0, *(s.dimensions for s in self.sources)])
        return [int(k) for k, s in zip(starts, self.sources, strict=False) if isinstance(s, Tolerance)]

    @property
    def covariance(self) -> Array:
        """Of all coordinates, with correlations."""
        sizes = [len(s.coordinates) for s in self.sources]
        starts = np.cumsum([0, *sizes])
        found = np.zeros((starts[-1], starts[-1]))
        for k, s in enumerate(self.sources):
            found[starts[k]: starts[k + 1], starts[k]: starts[k + 1]] = s.covariance
        tied = [(int(starts[k]), s) for k, s in enumerate(self.sources) if isinstance(s, Tolerance)]
        for i, (row, a) in enumerate(tied):
            for j, (column, b) in enumerate(tied[:i]):
                if self.correlations[i, j]:
                    found[row, column] = found[column, row] = _tied(a, b, float(self.correlations[i, j]))
        return found


def _tied(a: Tolerance, b: Tolerance, rho: float) -> float:
    """Covariance of two tolerances whose normal scores are correlated: exact for Gaussians, else by a Gauss-Hermite
    rule."""
    from scipy.special import ndtr

    x, w = np.polynomial.hermite_e.hermegauss(NODES)
    w = w / w.sum()
    first = a.spread.quantile(np.clip(ndtr(x), INSIDE, 1 - INSIDE)) - a.spread.mean
    second = b.spread.quantile(np.clip(ndtr(rho * x[:, None] + np.sqrt(1 - rho**2) * x[None, :]), INSIDE, 1 - INSIDE))
    return float(w @ (first * ((second - b.spread.mean) @ w)))


def titles(sources: Sequence[Any]) -> tuple[str, ...]:
    """Names of all coordinates, each once."""
    if not sources:
        raise ModelError("there are no tolerances.\n  Give a list such as [Tolerance('l', Normal(0.1e-3))].")
    for s in sources:
        if not isinstance(s, Tolerance | Clearance):
            raise ModelError(f"{s!r} is neither a Tolerance nor a Clearance.")
    names = [name for s in sources for name in s.coordinates]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"tolerances: {name!r} is given twice.\n  Give one tolerance for it.")
    return tuple(names)
