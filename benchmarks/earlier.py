"""CPU time of vincolo beside that of an earlier commit, in one run and in turns: python benchmarks/earlier.py COMMIT
[problem ...] [--quick].

The earlier tree is taken from git and built in build/earlier/COMMIT, with an environment of its own. Each searches for
its cheapest setting that keeps an accuracy, as in bench.py; 'peer/vincolo' is the earlier time over that of today.
Which tolerance just keeps it is a matter of luck, of some tenths: both are timed with the earlier settings too.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import bench  # first of all: it says that there is one thread before numpy is imported
import vincolo_engine
from engine import Configuration, Run
from machine import described
from problems import PROBLEMS
from problems.description import Problem
from search import interleaved_times

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("earlier_worker.py")
SLOWER = 1.03  # times the earlier time, from which a problem is listed as slower


class Earlier:
    """The engine of an earlier tree, in a process of its own."""

    def __init__(self, tree: Path) -> None:
        # given as text, so that the folder it imports from is the earlier one; one thread, as bench.py has set
        command = [tree / ".venv" / "bin" / "python", "-c", WORKER.read_text()]
        self.process = subprocess.Popen(command, cwd=tree / "benchmarks", text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.tried: list[Configuration] = []

    def Simulation(self, problem: Problem) -> Earlier:  # noqa: N802, as the class of other engines
        self.tried = [Configuration(**c) for c in self.ask(problem=problem.name)["configurations"]]
        return self

    def configurations(self, problem: Problem) -> list[Configuration]:
        return self.tried

    def run(self, configuration: Configuration, value: float) -> Run:
        answer = self.ask(configuration=dataclasses.asdict(configuration), value=value)
        if "failure" in answer:
            raise RuntimeError(answer["failure"])
        import numpy as np

        return Run(answer["cpu"], np.array(answer["points"]))

    def ask(self, **words: object) -> dict:
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"The earlier vincolo ended by itself, with {self.process.wait()}.")
        return json.loads(line)


def built(commit: str) -> Path:
    """The tree of a commit, with its environment."""
    name = subprocess.check_output(["git", "rev-parse", "--short=10", f"{commit}^{{commit}}"], cwd=ROOT, text=True)
    tree = ROOT / "build" / "earlier" / name.strip()
    tree.mkdir(parents=True, exist_ok=True)
    if not (tree / "Makefile").exists():
        files = subprocess.run(["git", "archive", name.strip()], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=files, check=True)
    subprocess.run(["make", "-C", tree, ".venv/.installed"], check=True, stdout=sys.stderr)
    return tree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("problems", nargs="*", metavar="problem", help=", ".join(PROBLEMS))
    parser.add_argument("--quick", action="store_true", help="coarser search, fewer repetitions")
    arguments = parser.parse_args()
    engines = {bench.OWN: vincolo_engine, "earlier": Earlier(built(arguments.commit))}
    print(f"{described()}; CPU ms of the solve alone, one thread")
    bench.print_head(list(engines))
    slower, effort = [], "quick" if arguments.quick else "full"
    for name in arguments.problems or PROBLEMS:
        measured = bench.measure(PROBLEMS[name](), engines, effort)
        bench.print_rows(name, measured.rows, list(engines))
        slower += slower_cells(measured.rows)
        print_equal(name, measured, 2 * bench.ROUNDS[effort])
    print(f"slower than {SLOWER} times: {', '.join(slower) or 'none'}; at the end: {described()}")


def print_equal(name: str, measured: bench.Measured, rounds: int) -> None:
    """Times of both with the settings the earlier one chose."""
    chosen = {accuracy: probe for (accuracy, engine), probe in measured.winners.items() if engine == "earlier"}
    for accuracy, probe in chosen.items():
        runs = {engine: partial(s.run, probe.configuration, probe.value) for engine, s in measured.simulations.items()}
        times = interleaved_times(runs, rounds, bench.BUDGET)
        print(f"{name:<12} {accuracy:>8}  equal settings ({probe.label}): "
              f"{times[bench.OWN] / times['earlier']:.3f} times the earlier time")


def slower_cells(rows: list[dict]) -> list[str]:
    times = {(r["accuracy"], r["engine"]): r["cpu_ms"] for r in rows}
    ratios = {a: times[a, bench.OWN] / times[a, "earlier"] for a in bench.ACCURACIES
              if times[a, bench.OWN] and times[a, "earlier"]}
    return [f"{rows[0]['problem']} {a} ({ratio:.2f})" for a, ratio in ratios.items() if ratio > SLOWER]


if __name__ == "__main__":
    main()
