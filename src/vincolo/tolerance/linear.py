"""Tolerances by slopes: the root of the sum of squares, the worst case, and who contributes what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.tolerance.sampling import Sampler, correlation_matrix, titles
from vincolo.tolerance.sources import Source
from vincolo.tolerance.study import nominal_outputs
from vincolo.tolerance.subject import Subject

SHARE = 0.01  # of a standard deviation: the step of a slope


@dataclass(frozen=True, eq=False)
class LinearTolerances:
    """Slopes (coordinates, positions, outputs) of the outputs at the nominal values, and what follows from them."""

    subject: Subject
    sampler: Sampler
    coordinates: tuple[str, ...]
    nominal: Array  # (positions, outputs)
    slopes: Array

    @cached_property
    def mean(self) -> Array:
        """Nominal outputs moved by the mean deviations (positions, outputs)."""
        means = np.concatenate([s.mean for s in self.sampler.sources])
        return np.asarray(self.nominal + np.einsum("c,cpo->po", means, self.slopes))

    @cached_property
    def deviation(self) -> Array:
        """Root of the sum of squares, with correlations (positions, outputs)."""
        square = np.einsum("cpo,cd,dpo->po", self.slopes, self.sampler.covariance, self.slopes)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def _worst(self, sign: float) -> Array:
        """Deviations (coordinates, positions, outputs) that push each output at each position furthest."""
        parts, k = [], 0
        for s in self.sampler.sources:
            width = len(s.coordinates)
            own = sign * self.slopes[k: k + width]
            parts.append(np.stack([np.asarray(s.worst(own[:, :, o])) for o in range(own.shape[2])], axis=-1))
            k += width
        return np.concatenate(parts)

    @cached_property
    def worst(self) -> tuple[Array, Array]:
        """The lowest and highest outputs (positions, outputs) that limits allow, by slopes."""
        low, high = ((self.slopes * self._worst(sign)).sum(axis=0) for sign in (-1.0, 1.0))
        return self.nominal + low, self.nominal + high

    def worst_case(self, output: str, position: int) -> tuple[float, float]:
        """The same for one output at one position, computed with the deviations that slopes name, not from slopes."""
        if output not in self.subject.outputs or not -len(self.subject.at) <= position < len(self.subject.at):
            raise ModelError(f"worst_case(): there is no output {output!r} at position {position}.")
        o = self.subject.outputs.index(output)
        both = np.stack([self._worst(sign)[:, position, o] for sign in (-1.0, 1.0)])
        found = self.subject.evaluate({name: both[:, k] for k, name in enumerate(self.coordinates)})
        if any(found.reasons):
            raise ModelError(f"worst_case(): {next(filter(None, found.reasons))}.\n  The mechanism cannot take all "
                             "limits at once; sampling tells how often it fails.")
        low, high = found.values[:, position, o]
        return float(low), float(high)

    def contributions(self, output: str | None = None, position: int | None = None) -> dict[str, float]:
        """Shares of the variance by source, largest first; at a position, or summed over all. What correlated ones
        cause together is divided between them."""
        o = 0 if output is None else self.subject.outputs.index(output)
        slopes = self.slopes[:, :, o] if position is None else self.slopes[:, [position], o]
        parts = (slopes * (self.sampler.covariance @ slopes)).sum(axis=1)
        total = float(parts.sum())
        found, k = {}, 0
        for s in self.sampler.sources:
            width = len(s.coordinates)
            found[s.name] = float(parts[k: k + width].sum()) / total if total else 0.0
            k += width
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def linear_tolerances(subject: Subject, sources: Sequence[Source], *,
                      correlations: Mapping[tuple[str, str], float] | None = None) -> LinearTolerances:
    """Slopes by central differences, with steps that are small against the tolerances."""
    names = titles(sources)
    subject.check(names)
    sampler = Sampler(tuple(sources), correlation_matrix(sources, correlations))
    steps = SHARE * np.sqrt(np.diag(sampler.covariance))
    moving = np.flatnonzero(steps)
    nominal = nominal_outputs(subject, names)
    slopes = np.zeros((len(names), *nominal.shape))
    if len(moving):
        rows = np.zeros((2 * len(moving), len(names)))
        rows[np.arange(len(moving)), moving], rows[len(moving) + np.arange(len(moving)), moving] = (
            steps[moving], -steps[moving])
        found = subject.evaluate({name: rows[:, k] for k, name in enumerate(names)})
        for k, text in enumerate(found.reasons):
            if text:
                name = names[moving[k % len(moving)]]
                raise ModelError(f"tolerances: {name!r} can hardly deviate at all: {text}.\n  Joints that hold the "
                                 "mechanism more often than needed leave no room for it; use joints with more freedom.")
        ahead, behind = found.values[: len(moving)], found.values[len(moving):]
        slopes[moving] = (ahead - behind) / (2 * steps[moving, None, None])
    return LinearTolerances(subject, sampler, names, nominal, slopes)
