"""Which variants a study has: grids, lists and samples, made piece by piece, so that millions need no memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array
from vincolo.tolerance.distributions import Distribution, Uniform
from vincolo.tolerance.sampling import Sampler
from vincolo.tolerance.sources import Tolerance

PLANS = ("grid", "list", "latin", "sobol", "random")
MOST = 2**30  # variants: a Sobol sequence of 30 bits has no more
MOST_LATIN = 10**8
MOST_SEED = 2**63 - 1
PIECE = 4096  # samples that are drawn together


@dataclass(frozen=True)
class Range:
    """A parameter from `low` to `high`; on a grid by `count` values, both ends among them."""

    low: float
    high: float
    count: int | None = None

    def __post_init__(self) -> None:
        low, high = (finite_number(f"Range: {key}", getattr(self, key)) for key in ("low", "high"))
        if not low < high:
            raise ModelError(f"Range: from {low:g} to {high:g}; the lower end comes first.")
        if self.count is not None and (isinstance(self.count, bool) or not isinstance(self.count, int | np.integer)
                                       or not 2 <= self.count <= MOST):
            raise ModelError(f"Range: count is {self.count!r}; a whole number from 2 on is needed.")


@dataclass(frozen=True)
class Spread:
    """A parameter about `centre`, off by a distribution of vincolo.tolerance."""

    centre: float
    by: Distribution

    def __post_init__(self) -> None:
        finite_number("Spread: centre", self.centre)
        if not isinstance(self.by, Distribution):
            raise ModelError(f"Spread: {self.by!r} is not a distribution.\n"
                             "  Write Spread(2.0, vincolo.tolerance.Normal(0.1)).")


Parameter = Range | Spread | tuple[float, ...]


class Plan(Protocol):
    """What a study asks a plan for."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""

    @property
    def count(self) -> int:
        """Of variants."""

    @property
    def mark(self) -> tuple[Any, ...]:
        """Tells plans apart; of plans that can be made longer, their beginning."""

    def rows(self, start: int, stop: int) -> Array:
        """Values (variants, parameters) of the variants from one number up to another."""


@dataclass(frozen=True, eq=False)
class Grid:
    """All combinations; the last parameter changes fastest."""

    names: tuple[str, ...]
    values: tuple[Array, ...]

    @property
    def count(self) -> int:
        """Of variants."""
        return math.prod(len(v) for v in self.values)

    @property
    def mark(self) -> tuple[Any, ...]:
        """All of its values."""
        return "grid", self.names, [v.tolist() for v in self.values]

    def rows(self, start: int, stop: int) -> Array:
        """Combinations by number."""
        places = np.unravel_index(np.arange(start, stop), [len(v) for v in self.values])
        return np.stack([v[k] for v, k in zip(self.values, places, strict=True)], axis=-1)


@dataclass(frozen=True, eq=False)
class Listed:
    """Variants as listed."""

    names: tuple[str, ...]
    table: Array

    @property
    def count(self) -> int:
        """Of variants."""
        return len(self.table)

    @property
    def mark(self) -> tuple[Any, ...]:
        """All of its values."""
        return "list", self.names, self.table.tolist()

    def rows(self, start: int, stop: int) -> Array:
        """Lines of the list."""
        return np.array(self.table[start:stop])


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples: of "random" and "sobol" plans fewer are the first of more. A variant depends on its number alone."""

    names: tuple[str, ...]
    spreads: tuple[Range | Spread, ...]
    method: str
    count: int
    seed: int = 1
    _last: dict[int, Array] = field(default_factory=dict, repr=False)

    @property
    def mark(self) -> tuple[Any, ...]:
        """What the first variants depend on."""
        return (self.method, self.names, self.spreads, int(self.seed), self.count if self.method == "latin" else 0)

    @cached_property
    def _sampler(self) -> Sampler:
        sources = tuple(Tolerance(name, Uniform((s.low, s.high)) if isinstance(s, Range) else s.by)
                        for name, s in zip(self.names, self.spreads, strict=True))
        return Sampler(sources, np.eye(len(sources)), "random", self.seed)

    @cached_property
    def _centres(self) -> Array:
        return np.array([0.0 if isinstance(s, Range) else s.centre for s in self.spreads])

    @cached_property
    def _strata(self) -> Array:
        """The stratum of each variant and parameter of a Latin hypercube."""
        rng = np.random.default_rng(self.seed)
        return np.stack([rng.permutation(self.count).astype(np.uint32) for _ in self.names], axis=-1)

    def rows(self, start: int, stop: int) -> Array:
        """Samples by number."""
        pieces = [self._piece(k)[max(start - k * PIECE, 0): stop - k * PIECE]
                  for k in range(start // PIECE, (stop - 1) // PIECE + 1)]
        return np.concatenate(pieces)

    def _piece(self, k: int) -> Array:
        if k not in self._last:
            self._last.clear()
            self._last[k] = self._sampler.shaped(self._uniform(k)) + self._centres
        return self._last[k]

    def _uniform(self, k: int) -> Array:
        """Numbers between 0 and 1 of a piece."""
        if self.method == "sobol":
            from scipy.stats import qmc

            engine = qmc.Sobol(len(self.names), scramble=True, seed=np.random.default_rng(self.seed))
            return np.asarray(engine.fast_forward(k * PIECE).random(PIECE) if k else engine.random(PIECE))
        inside = np.random.default_rng([self.seed, k]).random((PIECE, len(self.names)))
        if self.method == "random":
            return inside
        strata = self._strata[k * PIECE: (k + 1) * PIECE]
        return np.asarray((strata + inside[:len(strata)]) / self.count)


def plan_of(parameters: Mapping[str, Any], plan: str, samples: Any, seed: Any) -> Plan:
    """The plan that is asked for, checked."""
    if not isinstance(parameters, Mapping) or not parameters:
        raise ModelError("study(): there are no parameters.\n  Give a dictionary such as "
                         "{'crank.mass': (1.0, 2.0), 'k': [10, 20, 30]}: a pair is a range, a list has values.")
    if plan not in PLANS:
        raise ModelError(f"study(): plan is {plan!r}; it is one of: {', '.join(PLANS)}.{suggest(str(plan), PLANS)}")
    named = {str(name): parameter_of(str(name), value) for name, value in parameters.items()}
    if plan in ("grid", "list"):
        _refuse_samples(plan, samples)
        return _grid(named) if plan == "grid" else _listed(named)
    return _sampled(named, plan, samples, seed)


def ranges_of(who: str, parameters: Any) -> dict[str, Range]:
    """Parameters that all have ranges, by name; one at least."""
    if not isinstance(parameters, Mapping) or not parameters:
        raise ModelError(f"{who}: there are no parameters.\n  Give a dictionary of ranges, such as "
                         "{'crank.mass': (1.0, 2.0)}.")
    found: dict[str, Range] = {}
    for name, given in parameters.items():
        p = parameter_of(str(name), given)
        if not isinstance(p, Range):
            raise ModelError(f"{who}: {str(name)!r} has no range; write (low, high).")
        found[str(name)] = p
    return found


def whole_number(what: str, given: Any, least: int, most: int) -> int:
    """A whole number between two others."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not least <= given <= most:
        raise ModelError(f"{what} is {given!r}; a whole number from {least:,} to {most:,} is needed.")
    return int(given)


def parameter_of(name: str, given: Any) -> Parameter:
    """A range from a pair or three numbers (low, high, count), values from a list, and a single number as one value."""
    if isinstance(given, Range | Spread):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3):
        try:
            return Range(*given)
        except ModelError as error:
            raise ModelError(f"study(): {name!r}: {error}") from None
    if isinstance(given, Distribution):
        raise ModelError(f"study(): {name!r} is a distribution of deviations, without what they are from.\n"
                         f"  Write Spread(2.0, {type(given).__name__}(...)).")
    values = number_array(f"study(): {name}", given)
    if values.ndim > 1 or not values.size or not np.isfinite(values).all():
        raise ModelError(f"study(): {name!r} is {given!r}; a pair (low, high), a list of finite numbers, Range(...) or "
                         "Spread(...) is needed.")
    return tuple(float(v) for v in np.atleast_1d(values))


def _refuse_samples(plan: str, samples: Any) -> None:
    if samples is not None:
        raise ModelError(f"study(): samples= is for latin, sobol and random plans; a {plan} has the variants that its "
                         "values make.")


def _grid(named: Mapping[str, Parameter]) -> Grid:
    count = 1  # found before values take memory
    for name, p in named.items():
        if isinstance(p, Spread) or (isinstance(p, Range) and p.count is None):
            raise ModelError(f"study(): {name!r} has no values to make a grid of.\n  Give a list, or (low, high, "
                             "count); or take another plan: latin, sobol or random.")
        count *= (p.count or 2) if isinstance(p, Range) else len(p)
    if count > MOST:
        raise ModelError(f"study(): this grid has {count:,} variants; at most {MOST:,} are possible.\n"
                         "  Take fewer values, or a sobol plan.")
    return Grid(tuple(named), tuple(np.linspace(p.low, p.high, p.count or 2) if isinstance(p, Range) else np.array(p)
                                    for p in named.values()))


def _listed(named: Mapping[str, Parameter]) -> Listed:
    columns: dict[str, tuple[float, ...]] = {}
    for name, p in named.items():
        if not isinstance(p, tuple):
            raise ModelError(f"study(): {name!r} is a range; a list plan takes a list of values for each parameter, "
                             "the first of all together, then the second, and so on.")
        columns[name] = p
    count = max(map(len, columns.values()))
    for name, column in columns.items():
        if len(column) not in (1, count):
            raise ModelError(f"study(): {name!r} has {len(column)} values, others have {count}; in a list plan they go "
                             "together.\n  Give as many, or one for all.")
    table = np.stack([np.broadcast_to(np.array(c), (count,)) for c in columns.values()], axis=-1)
    return Listed(tuple(named), table)


def _sampled(named: Mapping[str, Parameter], plan: str, samples: Any, seed: Any) -> Sampled:
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or not 1 <= samples <= MOST:
        raise ModelError(f"study(): samples is {samples!r}; a {plan} plan needs a whole number from 1 to {MOST:,}.")
    if plan == "latin" and samples > MOST_LATIN:
        raise ModelError(f"study(): a Latin hypercube of {samples:,} variants is shuffled in memory as a whole; at "
                         f"most {MOST_LATIN:,} are possible.\n  Take a sobol plan, which is made piece by piece.")
    whole_number("study(): the seed", seed, 0, MOST_SEED)
    spreads: list[Range | Spread] = []
    for name, p in named.items():
        if isinstance(p, tuple):
            raise ModelError(f"study(): {name!r} has values in a list; a {plan} plan takes a range (low, high) or a "
                             "Spread.\n  Leave out what does not vary, or take a grid.")
        spreads.append(p)
    return Sampled(tuple(named), tuple(spreads), plan, int(samples), int(seed))


def middle_of(parameters: Mapping[str, Any]) -> dict[str, float]:
    """A value of each parameter in the middle of its range, its centre, or its first."""
    found: dict[str, float] = {}
    for name, given in parameters.items():
        p = parameter_of(str(name), given)
        found[str(name)] = 0.5 * (p.low + p.high) if isinstance(p, Range) else (
            p.centre if isinstance(p, Spread) else p[0])
    return found
