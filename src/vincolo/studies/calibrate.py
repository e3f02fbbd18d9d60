"""Parameters of a model from measured series, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array
from vincolo.studies.outputs import Output
from vincolo.studies.plan import middle_of, ranges_of
from vincolo.studies.variants import ModelVariants, variants_of

STEP = 1e-4  # of a range: the step of differences
FINE = 1e-9  # a parameter whose effect is below this share of the largest cannot be told


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Parameters with the half width of their confidence interval, their correlations, and what is left of each series
    (samples, series)."""

    parameters: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    share: float  # that the intervals hold
    correlations: Array
    residuals: Array
    noise: float  # standard deviation of what is left, in shares of the given deviations
    evaluations: int

    def __str__(self) -> str:
        lines = [f"  {n} = {v:.6g}, {100 * self.share:g} % between {self.intervals[n][0]:.6g} and "
                 f"{self.intervals[n][1]:.6g}" for n, v in self.parameters.items()]
        return "\n".join([f"calibrated by {self.evaluations} runs", *lines])


def calibrate(what: Any, parameters: Mapping[str, Any], t: Any, measured: Mapping[str, Any], *,
              deviations: Mapping[str, float] | None = None, share: float = 0.95, analysis: str = "dynamics",
              start: Mapping[str, float] | None = None, **settings: Any) -> Calibrated:
    """Values of parameters, in ranges (low, high), with which channels of a motion come nearest to series `measured` at
    times t [s], by least squares, from the middle of the ranges or `start`. `deviations` are the standard deviations of
    the series, which weigh them; without them each counts by its own spread. Intervals follow from the curvature there
    and from what is left, as if that were noise without memory."""
    from scipy.optimize import least_squares
    from scipy.stats import t as student

    task = _Task(what, parameters, t, measured, deviations or {}, analysis, settings)
    held = finite_number("calibrate(): share", share)
    if not 0 < held < 1:
        raise ModelError(f"calibrate(): the share is {held:g}; it is between 0 and 1, such as 0.95.")
    begin = task.beginning(start or {})
    shares = np.clip((begin - task.low) / (task.high - task.low), 1e-3, 1 - 1e-3)
    result = least_squares(task.off, shares, jac=task.slopes, bounds=(0, 1), x_scale="jac", xtol=1e-12, ftol=1e-12)
    J = task.slopes(result.x)
    size = np.linalg.norm(J, axis=0)
    if (size <= FINE * size.max()).any() or np.linalg.cond(J / size) > 1e8:
        weak = list(task.middle)[int(np.argmin(size))]
        raise ModelError(f"calibrate(): these series do not tell the parameters apart; {weak!r} has the least effect.\n"
                         "  Measure something that depends on it, or leave it out.")
    free = len(J) - len(result.x)
    variance = float(2 * result.cost / free)
    covariance = np.linalg.inv(J.T @ J) * variance
    width = np.sqrt(np.diag(covariance)) * (task.high - task.low) * student.ppf(0.5 + held / 2, free)
    x = task.low + (task.high - task.low) * result.x
    spread = np.sqrt(np.diag(covariance))
    return Calibrated(dict(zip(task.middle, x.tolist(), strict=True)),
                      {n: (float(v - w), float(v + w)) for n, v, w in zip(task.middle, x, width, strict=True)}, held,
                      covariance / np.outer(spread, spread),
                      task.off(result.x).reshape(len(task.t), -1) * task.weights, float(np.sqrt(variance)), task.runs)


class _Task:
    """Runs at the measured times, and how far they are off."""

    def __init__(self, what: Any, parameters: Mapping[str, Any], t: Any, measured: Mapping[str, Any],
                 deviations: Mapping[str, float], analysis: str, settings: Mapping[str, Any]) -> None:
        self.t = number_array("calibrate(): t", t)
        if self.t.ndim != 1 or len(self.t) < 2 or not measured or not (np.diff(self.t) > 0).all() or self.t[0] < 0:
            raise ModelError("calibrate(): give times that rise from zero on, and series measured at them by channel.")
        series = {name: number_array(f"calibrate(): {name}", x) for name, x in measured.items()}
        for name, x in series.items():
            if x.shape != self.t.shape or not np.isfinite(x).all():
                raise ModelError(f"calibrate(): {name!r} has {x.size} values for {len(self.t)} times; finite ones, one "
                                 "for each, are needed.")
        ranges = ranges_of("calibrate()", parameters)
        if len(series) * len(self.t) <= len(ranges):
            raise ModelError(f"calibrate(): {len(series) * len(self.t)} measured values for {len(ranges)} parameters; "
                             "more values than parameters are needed.\n  Measure more, or leave parameters out.")
        for name, deviation in deviations.items():
            if name not in series or not finite_number(f"calibrate(): the deviation of {name!r}", deviation) > 0:
                raise ModelError(f"calibrate(): the deviation of {name!r} is {deviation!r}; measured series have "
                                 f"deviations above zero: {', '.join(series)}.")
        self.low, self.high = (np.array([getattr(p, end) for p in ranges.values()]) for end in ("low", "high"))
        self.middle, self.runs = middle_of(parameters), 0
        self.data = np.stack(list(series.values()), axis=-1)
        self.weights = np.array([float(deviations.get(n, 0.0)) or float(x.std()) or 1.0 for n, x in series.items()])
        outputs = [Output(name, "final") for name in series]
        made = variants_of(what, tuple(ranges), self.middle, outputs, until=float(self.t[-1]), times=self.t,
                           analysis=analysis, vectorised=False, settings=settings)
        assert isinstance(made, ModelVariants)
        self.made = made

    def beginning(self, start: Mapping[str, float]) -> Array:
        """Where the search begins: the middle of the ranges, or as given."""
        ends = dict(zip(self.middle, zip(self.low, self.high, strict=True), strict=True))
        for name, value in start.items():
            if name not in ends:
                raise ModelError(f"calibrate(): start: there is no parameter {name!r}.{suggest(str(name), list(ends))}")
            low, high = ends[name]
            if not low <= finite_number(f"calibrate(): start: {name}", value) <= high:
                raise ModelError(f"calibrate(): start: {name!r} is {value:g}, outside of its range from {low:g} to "
                                 f"{high:g}.")
        return np.array([start.get(n, m) for n, m in self.middle.items()])

    def run(self, shares: Array) -> Array:
        """Series (variants, samples, channels) of variants in shares of the ranges."""
        x = self.low + (self.high - self.low) * shares
        off = x - self.made.nominal
        found = self.made.subject.evaluate({n: off[:, k] for k, n in enumerate(self.made.names)})
        self.runs += len(shares)
        return np.asarray(found.values)

    def off(self, shares: Array) -> Array:
        """Differences in shares of the deviations; far off where there is no motion."""
        found = self.run(shares[None])[0]
        return np.asarray(np.nan_to_num((found - self.data) / self.weights, nan=1e3).ravel())

    def slopes(self, shares: Array) -> Array:
        """Derivatives of the differences, by central differences of runs."""
        n = len(shares)
        steps = STEP * np.concatenate([np.eye(n), -np.eye(n)])
        found = self.run(shares + steps)
        return np.asarray(((found[:n] - found[n:]) / (2 * STEP) / self.weights).reshape(n, -1).T)
