"""What vincolo's automatic integrator costs where the accuracy asked for is given as the tolerance, over the cheapest
integrator that meets it so: what a user can choose who does not know the answer.

python benchmarks/as_asked.py [problem ...]
"""

from __future__ import annotations

import math
import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"  # one thread, set before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import references
from engine import Configuration
from machine import described
from problems import PROBLEMS
from search import interleaved_times, relative_error
from vincolo_engine import Simulation, configurations

ACCURACIES = (1e-3, 1e-5)
ROUNDS, BUDGET = 7, 2.0  # of timing; s of CPU time for one integrator
AUTOMATIC = "Auto"


def main() -> None:
    print(f"{described()}; CPU ms at a tolerance of the accuracy, and the error over it")
    for name in sys.argv[1:] or PROBLEMS:
        problem = PROBLEMS[name]()
        simulation, reference = Simulation(problem), references.load(problem)
        for accuracy in ACCURACIES:
            print(line(name, accuracy, measured(simulation, reference, accuracy)), flush=True)
    print(f"at the end: {described()}")


def measured(simulation: Simulation, reference: np.ndarray, accuracy: float) -> dict[str, tuple[float, float]]:
    """CPU time [ms] and error over accuracy of every integrator that has a tolerance and comes to the end."""
    errors, runs = {}, {}
    for configuration in configurations(simulation.problem):
        if configuration.control != "tolerance":
            continue
        name = " ".join([configuration.method, *(f"{k}={v}" for k, v in configuration.options.items())])
        errors[name] = error_of(simulation, configuration, accuracy, reference) / accuracy
        if math.isfinite(errors[name]):
            runs[name] = lambda c=configuration: simulation.run(c, accuracy)
    times = interleaved_times(runs, ROUNDS, BUDGET)
    return {name: (1e3 * cpu, errors[name]) for name, cpu in times.items()}


def error_of(simulation: Simulation, configuration: Configuration, tolerance: float, reference: np.ndarray) -> float:
    """Relative to the problem's size; infinite where the run ended early."""
    try:
        return relative_error(simulation.problem, simulation.run(configuration, tolerance).points, reference)
    except RuntimeError:
        return math.inf


def line(problem: str, accuracy: float, found: dict[str, tuple[float, float]]) -> str:
    own = min((pair for name, pair in found.items() if name.startswith(AUTOMATIC)), default=(math.nan, math.nan))
    met = {name: pair for name, pair in found.items() if pair[1] <= max(1.0, own[1])}
    best = min(met, key=lambda name: met[name][0], default="none")
    ratio = own[0] / met[best][0] if best in met else math.nan
    ordered = sorted(found.items(), key=lambda item: item[1])
    shown = "; ".join(f"{name} {cpu:.3g} ({error:.2g})" for name, (cpu, error) in ordered)
    return f"{problem:<12}{accuracy:>7.0e}  auto/best {ratio:5.2f}  best: {best:<20} {shown}"


if __name__ == "__main__":
    main()
