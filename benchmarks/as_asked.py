"""What vincolo's automatic integrator costs where the accuracy asked for is given as the tolerance, over the cheapest
integrator that comes as near so: what a user can choose who does not know the answer.

A tolerance is asked of positions and of velocities, but nobody says by how many tolerances a run may end off. Several
ratios are found: beside all integrators that keep the tracked point, and beside those of them whose velocities, of all
bodies, end within 1 or 10 tolerances, or as near as those of the automatic one.

python benchmarks/as_asked.py [problem ...]
"""

from __future__ import annotations

import math
import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"  # one thread, set before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from dataclasses import dataclass

import numpy as np

import history
import references
from engine import Configuration
from machine import described, load, machine
from problems import PROBLEMS
from results_file import write
from search import interleaved_times, relative_error
from vincolo_engine import Simulation, configurations

ACCURACIES = (1e-3, 1e-5)
ROUNDS, BUDGET = 7, 2.0  # of timing; s of CPU time for one integrator
AUTOMATIC = "Auto"
BOUNDS = {"1": 1.0, "10": 10.0, "any": math.inf}  # of errors of velocities, in tolerances
TIGHT = 1e-10  # tolerance of the velocities that others are compared with
LEFT_OUT = ("chain_1000",)  # by itself: all integrators of a tree are explicit, and this one is the longest


@dataclass(frozen=True)
class Found:
    """CPU time [ms], and errors of the tracked point and of velocities over what was asked for."""

    cpu_ms: float
    position: float
    velocity: float


def main() -> None:
    print(f"{described()}; CPU ms at a tolerance of the accuracy, and errors of position and velocity over it")
    rows, figures = [], {}
    for name in sys.argv[1:] or [name for name in PROBLEMS if name not in LEFT_OUT]:
        problem = PROBLEMS[name]()
        simulation, reference = Simulation(problem), references.load(problem)
        tight = simulation.velocities(Configuration("DOP853", "tolerance"), TIGHT)
        for accuracy in ACCURACIES:
            rows.append(row(name, accuracy, measured(simulation, reference, tight, accuracy)))
            print(line(rows[-1]), flush=True)
            figures |= {f"{name} {accuracy:.0e} auto/best {bound}": rows[-1][bound]["ratio"] for bound in BOUNDS}
        figures[f"{name} load"] = load()[0]
    write("as_asked.json", [{"machine": machine()}, *rows])
    history.append("as_asked", figures)
    print(f"at the end: {described()}")


def measured(simulation: Simulation, reference: np.ndarray, tight: np.ndarray, accuracy: float) -> dict[str, Found]:
    """Every integrator that has a tolerance and comes to the end."""
    errors, runs = {}, {}
    for configuration in configurations(simulation.problem):
        if configuration.control != "tolerance":
            continue
        name = " ".join([configuration.method, *(f"{k}={v}" for k, v in configuration.options.items())])
        try:
            point = relative_error(simulation.problem, simulation.run(configuration, accuracy).points, reference)
            errors[name] = (point / accuracy, velocity_error(simulation, configuration, tight, accuracy))
        except RuntimeError as error:
            print(f"{simulation.problem.name}: {name} ended early: {error}")
            continue
        runs[name] = lambda c=configuration: simulation.run(c, accuracy)
    times = interleaved_times(runs, ROUNDS, BUDGET)
    return {name: Found(1e3 * cpu, *errors[name]) for name, cpu in times.items()}


def velocity_error(simulation: Simulation, configuration: Configuration, tight: np.ndarray, tolerance: float) -> float:
    """Largest of all bodies and samples, over the tolerance of the largest velocity."""
    found = simulation.velocities(configuration, tolerance)
    return float(np.abs(found - tight).max() / (tolerance * (1 + np.abs(tight).max())))


def row(problem: str, accuracy: float, found: dict[str, Found]) -> dict:
    own = min((f for name, f in found.items() if name.startswith(AUTOMATIC)), key=lambda f: f.cpu_ms, default=None)
    result = {"problem": problem, "accuracy": accuracy, "found": {name: vars(f) for name, f in found.items()}}
    if own is None:
        nothing = {"best": "none", "ratio": math.nan}
        return result | dict.fromkeys(BOUNDS, nothing)
    near = {name: f for name, f in found.items() if f.position <= max(1.0, own.position)}
    return result | {name: over_best(own, near, bound) for name, bound in BOUNDS.items()}


def over_best(own: Found, near: dict[str, Found], bound: float) -> dict:
    """Beside those whose velocities keep the bound, or end as near as its own."""
    others = {name: f.cpu_ms for name, f in near.items() if f.velocity <= max(bound, own.velocity)}
    best = min(others, key=lambda name: others[name])
    return {"best": best, "ratio": own.cpu_ms / others[best]}


def line(row: dict) -> str:
    ordered = sorted(row["found"].items(), key=lambda item: item[1]["cpu_ms"])
    shown = "; ".join(f"{name} {f['cpu_ms']:.3g} ({f['position']:.2g}, {f['velocity']:.2g})" for name, f in ordered)
    ratios = "  ".join(f"{bound} {row[bound]['ratio']:5.2f} ({row[bound]['best']})" for bound in BOUNDS)
    return f"{row['problem']:<12}{row['accuracy']:>7.0e}  auto/best, velocities within {ratios}  {shown}"


if __name__ == "__main__":
    main()
