"""What every measured engine offers: a list of configurations, and a simulation that runs one of them.

An engine is a module with
    NAME                          the engine's name in tables,
    configurations(problem)       the configurations worth trying, likely winners first,
    Simulation(problem)           with run(configuration, value) -> Run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import CubicSpline

from problems.description import Problem


@dataclass(frozen=True)
class Configuration:
    """One way to solve a problem, up to the one number that trades accuracy for time.

    That number is the step size in s where `control` is "step", the tolerance where it is "tolerance".
    """

    method: str
    control: str
    form: str = ""
    options: dict[str, float | str] = field(default_factory=dict)
    coarsest: float = 1  # steps per sample interval at which a search starts: more where few failed or took very long

    def label(self, value: float) -> str:
        options = [f"{key}={option}" for key, option in self.options.items()]
        number = f"h={value:.4g}" if self.control == "step" else f"tol={value:.2g}"
        return " ".join(part for part in (self.form, self.method, number, *options) if part)


@dataclass(frozen=True)
class Run:
    """CPU time of the solve alone in s, and the tracked point at the 201 samples in m."""

    cpu: float
    points: np.ndarray


def at_samples(problem: Problem, times: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The recorded points at the sample times, by a cubic spline where steps did not end on them."""
    if times[-1] < (1 - 1e-6) * problem.duration:
        raise RuntimeError(f"{problem.name}: the run ended at {times[-1]} s of {problem.duration} s")
    if len(times) == len(problem.times) and abs(times - problem.times).max() < 1e-6 * problem.interval:
        return points
    times, first = np.unique(times, return_index=True)
    return CubicSpline(times, points[first])(problem.times)
