"""CPU time that vincolo and its peers need to keep a tracked point within 1e-3 and 1e-5 of a tight reference.

python benchmarks/bench.py [problem ...] [--engines vincolo exudyn mujoco] [--quick]
"""

from __future__ import annotations

import argparse
import importlib
import math
import os

# one thread, set before numpy is imported
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import references
from problems import PROBLEMS
from problems.description import Problem
from results_file import replace_rows
from search import Probe, Search, finalists, interleaved_times

ENGINES = {"vincolo": "vincolo_engine", "exudyn": "peers.exudyn_peer", "mujoco": "peers.mujoco_peer"}
ACCURACIES = {"1e-3": 1e-3, "1e-5": 1e-5}
CAP = {"full": 15.0, "quick": 2.0}  # s of CPU time expected of a probe, above which it is not run
REFINEMENTS = {"full": 4, "quick": 2}
ROUNDS = {"full": 5, "quick": 3}
BUDGET = 10.0  # s of CPU time spent on timing one setting


def main() -> None:
    arguments = parsed_arguments()
    engines = available_engines(arguments.engines)
    effort = "quick" if arguments.quick else "full"
    print(f"{os.cpu_count()} processors, load {load()}; CPU ms of the solve alone, one thread")
    print_head(list(engines))
    for name in arguments.problems:
        rows = measure(PROBLEMS[name](), engines, effort)
        replace_rows("bench.json", rows, problem=name)
        print_rows(name, rows, list(engines))
    print(f"load at the end {load()}")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=", ".join(PROBLEMS))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--quick", action="store_true", help="coarser search, fewer repetitions")
    arguments = parser.parse_args()
    unknown = set(arguments.problems) - set(PROBLEMS)
    if unknown:
        parser.error(f"no problem called {', '.join(sorted(unknown))}; there are {', '.join(PROBLEMS)}")
    arguments.problems = arguments.problems or list(PROBLEMS)
    return arguments


def available_engines(names: list[str]) -> dict:
    engines = {}
    for name in names:
        try:
            engines[name] = importlib.import_module(ENGINES[name])
        except ImportError as error:
            print(f"{name} is left out, it cannot be imported: {error}")
    return engines


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


def measure(problem: Problem, engines: dict, effort: str) -> list[dict]:
    """Search with each engine, then time what passed, interleaved; one row per engine and accuracy."""
    simulations = {name: engine.Simulation(problem) for name, engine in engines.items()}
    reference = references.load(problem)
    probes = {}
    for name, engine in engines.items():
        search = Search(
            simulations[name], problem, reference, list(ACCURACIES.values()),
            cap=CAP[effort], refinements=REFINEMENTS[effort],
        )  # fmt: skip
        probes[name] = search.explore(engine.configurations(problem))
    rows = []
    for label, accuracy in ACCURACIES.items():
        best = best_of(simulations, probes, accuracy, ROUNDS[effort])
        rows += [row(problem.name, label, name, best.get(name), probes[name]) for name in engines]
    return rows


def best_of(simulations: dict, probes: dict, accuracy: float, rounds: int) -> dict[str, tuple[Probe, float]]:
    """The cheapest setting of each engine that meets the accuracy, with its CPU time in s."""
    runs = {}
    for name, simulation in simulations.items():
        for probe in finalists(probes[name], accuracy):
            runs[name, probe.label] = (
                probe,
                lambda s=simulation, p=probe: s.run(p.configuration, p.value),
            )
    times = interleaved_times({key: run for key, (_, run) in runs.items()}, rounds, BUDGET)
    best: dict[str, tuple[Probe, float]] = {}
    for key, cpu in times.items():
        engine = key[0]
        if engine not in best or cpu < best[engine][1]:
            best[engine] = (runs[key][0], cpu)
    return best


def row(
    problem: str, accuracy: str, engine: str, best: tuple[Probe, float] | None, probes: list[Probe]
) -> dict:
    """One result; where the accuracy was not reached, the setting that came nearest and no time."""
    nearest = min(probes, key=lambda p: p.error, default=None)
    probe, cpu = best or (nearest, None)
    return {
        "problem": problem,
        "accuracy": accuracy,
        "engine": engine,
        "setting": probe.label if probe else "not tried",
        "cpu_ms": None if cpu is None else 1e3 * cpu,
        "error": probe.error if probe and math.isfinite(probe.error) else None,
    }


def print_head(engines: list[str]) -> None:
    columns = "".join(f"{name:>12}" for name in engines)
    print(f"{'problem':<12}{'accuracy':>9}{columns}{'peer/vincolo':>14}  settings (error)")


def print_rows(problem: str, rows: list[dict], engines: list[str]) -> None:
    for accuracy in ACCURACIES:
        mine = {r["engine"]: r for r in rows if r["accuracy"] == accuracy}
        columns = "".join(f"{milliseconds(mine[name]['cpu_ms']):>12}" for name in engines)
        settings = "; ".join(f"{name}: {r['setting']} ({error_text(r['error'])})" for name, r in mine.items())
        print(f"{problem:<12}{accuracy:>9}{columns}{ratio(mine):>14}  {settings}", flush=True)


def milliseconds(cpu_ms: float | None) -> str:
    return "-" if cpu_ms is None else f"{cpu_ms:.3g}" if cpu_ms < 1000 else f"{cpu_ms:.0f}"


def error_text(error: float | None) -> str:
    return "failed" if error is None else f"{error:.1e}"


def ratio(rows: dict[str, dict]) -> str:
    """Time of the fastest peer over that of vincolo."""
    peers = [r["cpu_ms"] for name, r in rows.items() if name != "vincolo" and r["cpu_ms"] is not None]
    own = rows.get("vincolo", {}).get("cpu_ms")
    return f"{min(peers) / own:.1f}" if peers and own else "-"


if __name__ == "__main__":
    main()
