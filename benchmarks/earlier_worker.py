"""Runs with the Python of an earlier tree, in its benchmarks/: answers what earlier.py asks, a line each.

{"problem": NAME} is answered by the configurations it would try, {"configuration": ..., "value": ...} by CPU time and
points of the run, or by why it failed.
"""

from __future__ import annotations

import dataclasses
import json
import sys

import vincolo_engine
from engine import Configuration
from problems import PROBLEMS


def main() -> None:
    simulation = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "problem" in asked:
            problem = PROBLEMS[asked["problem"]]()
            simulation = vincolo_engine.Simulation(problem)
            answer = {"configurations": [dataclasses.asdict(c) for c in vincolo_engine.configurations(problem)]}
        else:
            answer = ran(simulation, Configuration(**asked["configuration"]), asked["value"])
        print(json.dumps(answer), flush=True)


def ran(simulation: vincolo_engine.Simulation, configuration: Configuration, value: float) -> dict:
    try:
        run = simulation.run(configuration, value)
    except Exception as error:  # a search starts with settings that are too coarse
        return {"failure": f"{type(error).__name__}: {error}"}
    return {"cpu": run.cpu, "points": run.points.tolist()}


if __name__ == "__main__":
    main()
