"""CPU time that vincolo and its peers need to keep a tracked point within 1e-3 and 1e-5 of a tight reference, and how
much of it vincolo's automatic integrator costs over its best one.

python benchmarks/bench.py [problem ...] [--engines vincolo exudyn mujoco pinocchio] [--quick]
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
from typing import NamedTuple

# one thread, set before numpy is imported
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import history
import references
from machine import described, load
from problems import PROBLEMS
from problems.description import Problem
from results_file import replace_rows
from search import Probe, Search, finalists, interleaved_times

ENGINES = {"vincolo": "vincolo_engine", "exudyn": "peers.exudyn_peer", "mujoco": "peers.mujoco_peer",
           "pinocchio": "peers.pinocchio_peer"}
ACCURACIES = {"1e-3": 1e-3, "1e-5": 1e-5}
CAP = {"full": 15.0, "quick": 2.0}  # s of CPU time expected of a probe, above which it is not run
REFINEMENTS = {"full": 4, "quick": 2}
ROUNDS = {"full": 5, "quick": 3}
BUDGET = 10.0  # s of CPU time spent on timing one setting
OWN, AUTOMATIC = "vincolo", "Auto"  # the engine and its integrator whose price over the best is measured

Timed = tuple[Probe, float]  # a setting and its CPU time in s


class Measured(NamedTuple):
    """A problem with all engines: a row for each engine and accuracy, the simulations, and the settings that won, by
    accuracy and engine."""

    rows: list[dict]
    simulations: dict
    winners: dict[tuple[str, str], Probe]


def main() -> None:
    arguments = parsed_arguments()
    engines = available_engines(arguments.engines)
    effort = "quick" if arguments.quick else "full"
    print(f"{described()}; CPU ms of the solve alone, one thread")
    print_head(list(engines))
    figures: dict[str, float | None] = {}
    try:
        for name in arguments.problems:
            rows = measure(PROBLEMS[name](), engines, effort).rows
            replace_rows("bench.json", rows, problem=name)
            print_rows(name, rows, list(engines))
            figures |= figures_of(rows)
    finally:  # a run that is broken off keeps what it measured
        if figures:
            history.append("bench", figures)
    print(f"at the end: {described()}")


def figures_of(rows: list[dict]) -> dict[str, float | None]:
    """Times by problem, accuracy and engine, and how many times that of the best setting the automatic one takes."""
    heads = {f"{r['problem']} {r['accuracy']}": r.get("auto_over_best") for r in rows if r["engine"] == OWN}
    return ({f"{r['problem']} {r['accuracy']} {r['engine']} [ms]": r["cpu_ms"] for r in rows}
            | {f"{head} auto/best": ratio for head, ratio in heads.items()}
            | {f"{rows[0]['problem']} load": load()[0]})


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


def measure(problem: Problem, engines: dict, effort: str) -> Measured:
    """Search with each engine, then time what passed, interleaved."""
    simulations = {name: engine.Simulation(problem) for name, engine in engines.items()}
    reference = references.load(problem)
    probes = {}
    for name, engine in engines.items():
        search = Search(
            simulations[name], problem, reference, list(ACCURACIES.values()),
            cap=CAP[effort], refinements=REFINEMENTS[effort],
        )  # fmt: skip
        probes[name] = search.explore(engine.configurations(problem))
    measured = Measured([], simulations, {})
    for label, accuracy in ACCURACIES.items():
        timed = timed_finalists(simulations, probes, accuracy, ROUNDS[effort])
        for name in engines:
            best = cheapest(timed[name])
            result = row(problem.name, label, name, best, probes[name])
            measured.rows.append(result | automatic(timed[name]) if name == OWN else result)
            if best:
                measured.winners[label, name] = best[0]
    return measured


def timed_finalists(simulations: dict, probes: dict, accuracy: float, rounds: int) -> dict[str, list[Timed]]:
    """The settings of each engine that meet the accuracy and could be its cheapest, timed in turns."""
    runs = {}
    for name, simulation in simulations.items():
        for probe in chosen(name, probes[name], accuracy):
            runs[name, probe.label] = (
                probe,
                lambda s=simulation, p=probe: s.run(p.configuration, p.value),
            )
    times = interleaved_times({key: run for key, (_, run) in runs.items()}, rounds, BUDGET)
    result: dict[str, list[Timed]] = {name: [] for name in simulations}
    for key, cpu in times.items():
        result[key[0]].append((runs[key][0], cpu))
    return result


def chosen(engine: str, probes: list[Probe], accuracy: float) -> list[Probe]:
    """The finalists of an engine; vincolo's automatic integrator always has its own among them."""
    best = finalists(probes, accuracy)
    own = finalists([p for p in probes if is_automatic(p)], accuracy) if engine == OWN else []
    return best + [p for p in own if p not in best]


def is_automatic(probe: Probe) -> bool:
    return probe.configuration.method == AUTOMATIC


def cheapest(timed: list[Timed]) -> Timed | None:
    return min(timed, key=lambda pair: pair[1], default=None)


def automatic(timed: list[Timed]) -> dict:
    """What the automatic integrator costs at its best tolerance, and how many times the best setting that is."""
    best, own = cheapest(timed), cheapest([pair for pair in timed if is_automatic(pair[0])])
    if best is None or own is None:
        return {"auto_setting": None, "auto_ms": None, "auto_over_best": None}
    return {"auto_setting": own[0].label, "auto_ms": 1e3 * own[1], "auto_over_best": own[1] / best[1]}


def row(problem: str, accuracy: str, engine: str, best: Timed | None, probes: list[Probe]) -> dict:
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
    print(f"{'problem':<12}{'accuracy':>9}{columns}{'peer/vincolo':>14}{'auto/best':>11}  settings (error)")


def print_rows(problem: str, rows: list[dict], engines: list[str]) -> None:
    for accuracy in ACCURACIES:
        mine = {r["engine"]: r for r in rows if r["accuracy"] == accuracy}
        columns = "".join(f"{milliseconds(mine[name]['cpu_ms']):>12}" for name in engines)
        settings = "; ".join(f"{name}: {r['setting']} ({error_text(r['error'])})" for name, r in mine.items())
        ratios = f"{ratio(mine):>14}{automatic_ratio(mine):>11}"
        print(f"{problem:<12}{accuracy:>9}{columns}{ratios}  {settings}", flush=True)


def milliseconds(cpu_ms: float | None) -> str:
    return "-" if cpu_ms is None else f"{cpu_ms:.3g}" if cpu_ms < 1000 else f"{cpu_ms:.0f}"


def error_text(error: float | None) -> str:
    return "failed" if error is None else f"{error:.1e}"


def ratio(rows: dict[str, dict]) -> str:
    """Time of the fastest peer over that of vincolo."""
    peers = [r["cpu_ms"] for name, r in rows.items() if name != OWN and r["cpu_ms"] is not None]
    own = rows.get(OWN, {}).get("cpu_ms")
    return f"{min(peers) / own:.1f}" if peers and own else "-"


def automatic_ratio(rows: dict[str, dict]) -> str:
    """Time of vincolo's automatic integrator over that of its best setting."""
    value = rows.get(OWN, {}).get("auto_over_best")
    return f"{value:.2f}" if value else "-"


if __name__ == "__main__":
    main()
