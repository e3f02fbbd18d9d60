"""Which tolerances to tighten so that an output is good enough, for the least cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.tolerance.linear import LinearTolerances
from vincolo.tolerance.sources import Cost, Tolerance

STEPS = 200  # of bisection


@dataclass(frozen=True, eq=False)
class Tightened:
    """Tolerances that meet a target: by what factor each is to be multiplied, what it costs, and what it gives."""

    factors: dict[str, float]
    tolerances: dict[str, float]  # half of what is between the limits
    cost: float
    cost_before: float
    deviation: float
    deviation_before: float
    position: int

    def __str__(self) -> str:
        lines = [f"standard deviation {self.deviation_before:.4g} -> {self.deviation:.4g}, cost {self.cost_before:.4g} "
                 f"-> {self.cost:.4g}"]
        for name, factor in sorted(self.factors.items(), key=lambda item: item[1]):
            size = f" to +-{self.tolerances[name]:.4g}" if name in self.tolerances else ""
            lines.append(f"  {name}: " + (f"times {factor:.3f}{size}" if factor < 1 - 1e-9 else "as it is"))
        return "\n".join(lines)


def tightened(linear: LinearTolerances, output: str, deviation: float, *, position: int | None = None,
              least: float = 0.01) -> Tightened:
    """The cheapest factors for all tolerances with a cost that bring the standard deviation of an output, at a position
    or at its worst one, down to a value. No factor is above one, nor below `least`. The cost of each falls with its
    tolerance: minimise sum C_i(f_i t_i) so that sum of f_i^2 variances is what is asked for."""
    target = finite_number("tightened(): deviation", deviation)
    if target <= 0:
        raise ModelError(f"tightened(): the deviation asked for is {target:g}; it must be above zero.")
    if output not in linear.subject.outputs:
        raise ModelError(f"tightened(): there is no output {output!r}; there is {', '.join(linear.subject.outputs)}.")
    if not np.array_equal(linear.sampler.correlations, np.eye(len(linear.sampler.correlations))):
        raise ModelError("tightened(): tolerances that are correlated are not tightened one by one.\n"
                         "  Leave the correlations out for this.")
    o = linear.subject.outputs.index(output)
    k = int(np.argmax(linear.deviation[:, o])) if position is None else position
    problem = _Problem(linear, k, o, finite_number("tightened(): least", least))
    return problem.solve(target, k)


class _Problem:
    """Variances and costs of all sources at one position."""

    def __init__(self, linear: LinearTolerances, position: int, output: int, least: float) -> None:
        self.sources, self.least = linear.sampler.sources, least
        covariance, start = linear.sampler.covariance, 0
        self.variances = np.zeros(len(self.sources))
        for i, s in enumerate(self.sources):
            end = start + len(s.coordinates)
            slope = linear.slopes[start:end, position, output]
            self.variances[i] = slope @ covariance[start:end, start:end] @ slope
            start = end
        self.costs = [s.cost if isinstance(s, Tolerance) else None for s in self.sources]
        self.sizes = [0.5 * (s.spread.limits[1] - s.spread.limits[0]) if isinstance(s, Tolerance) else 0.0
                      for s in self.sources]
        if not any(self.costs):
            raise ModelError("tightened(): no tolerance has a cost.\n  Give Tolerance(..., cost=Cost(factor, power)) "
                             "to those that can be tightened.")

    def factors(self, price: float) -> Array:
        """The cheapest factors if variance has a price."""
        return np.array([self._factor(cost, size, price * variance if variance else 0.0)
                         for cost, size, variance in zip(self.costs, self.sizes, self.variances, strict=True)])

    def _factor(self, cost: Cost | None, size: float, price: float) -> float:
        """The f that makes C(f t) + price f^2 least."""
        if cost is None or size == 0 or price == 0:
            return 1.0
        if cost.law is None:  # p a t^-p f^(-p-1) = 2 price f
            p = cost.power
            best = (p * cost.factor / (2 * price * size**p)) ** (1 / (p + 2)) if price > 0 else np.inf
            return float(np.clip(best, self.least, 1.0))
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(lambda f: cost(f * size) + price * f * f, bounds=(self.least, 1.0), method="bounded",
                                options={"xatol": 1e-10})
        return float(found.x)

    def spent(self, factors: Array) -> float:
        return sum(cost(f * size) for cost, f, size in zip(self.costs, factors, self.sizes, strict=True)
                   if cost is not None and size > 0)

    def solve(self, target: float, position: int) -> Tightened:
        before = float(self.variances.sum())
        if before <= target**2:
            factors = np.ones(len(self.sources))
        else:
            tightest = self.factors(np.inf if all(c is None or c.law is None for c in self.costs) else 1e300)
            if float(self.variances @ tightest**2) > target**2:
                raise ModelError(
                    f"tightened(): a standard deviation of {target:g} cannot be had: with all factors at "
                    f"{self.least:g} it is {np.sqrt(self.variances @ tightest**2):.4g}, from {np.sqrt(before):.4g}.\n"
                    "  Give costs to more tolerances, smaller clearances, or a smaller least=.")
            factors = self._bisected(target**2)
        after = float(self.variances @ factors**2)
        names = [s.name for s in self.sources]
        return Tightened(dict(zip(names, factors.tolist(), strict=True)),
                         {n: float(f * t) for n, f, t in zip(names, factors, self.sizes, strict=True) if t},
                         self.spent(factors), self.spent(np.ones(len(factors))), float(np.sqrt(after)),
                         float(np.sqrt(before)), position)

    def _bisected(self, target: float) -> Array:
        """The price of variance at which the target is just met."""
        low, high = -300.0, 300.0  # powers of ten
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            if float(self.variances @ self.factors(10.0**middle) ** 2) > target:
                low = middle
            else:
                high = middle
        return self.factors(10.0**high)
