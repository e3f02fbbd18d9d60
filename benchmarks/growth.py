"""Cost of one evaluation of all accelerations per body, for chains, stars, binary trees, ladders and grids of four-bars
of up to 1,000 bodies, beside MuJoCo and Pinocchio.

python benchmarks/growth.py [family ...] [--most BODIES] [--quick]
"""

from __future__ import annotations

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"  # one thread, set before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Callable
from pathlib import Path

import numpy as np

import history
import vincolo as vc
from machine import cpu_per_call, described, machine, measured
from problems.description import Problem
from problems.families import FAMILIES
from results_file import FOLDER, write
from vincolo_engine import build_model

SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
QUICK = [1, 10, 100, 300, 1000]
# s of CPU time of one evaluation, and of one with its preparations, above which an engine is asked for no more bodies
LONGEST, LONGEST_BEGUN = 0.05, 0.5
Work = Callable[[int], object]


def evaluations(system: vc.System, start: vc.State) -> Work:
    """The kernel's own evaluation, nothing around it."""
    return lambda count: system.time_evaluations(start, count)


def in_run(formulation: object = None) -> Callable[[vc.System, vc.State], Work]:
    """One evaluation out of a run of fixed explicit steps without projection, in a formulation."""
    def made(system: vc.System, start: vc.State) -> Work:
        step = vc.integrators.RK4(step=1e-6)
        return lambda count: vc.simulate(
            system, start.t + 1e-6 * max(1, count // 4), outputs=1, start=start, integrator=step, progress=False,
            formulation=formulation, stabilisation=vc.stabilisations.NoStabilisation())
    return made


#: a column is a name and a function of system and state; a formulation is one more line
OURS: dict[str, Callable[[vc.System, vc.State], Work]] = {
    "vincolo": evaluations,
    "vincolo in a run": in_run(vc.formulations.Sparse()),
    "joint coordinates": in_run(vc.formulations.JointCoordinates()),
}


def mujoco_work(problem: Problem) -> Work:
    """mj_forward: positions, velocities and accelerations, loops by its soft equalities."""
    import mujoco

    from peers.mujoco_peer import Simulation

    peer = Simulation(problem)
    peer._start()
    return lambda count: [mujoco.mj_forward(peer.model, peer.data) for _ in range(count)]


def pinocchio_work(problem: Problem) -> Work | None:
    """aba(), of trees."""
    import pinocchio as pin

    from peers.pinocchio_peer import build_model as build
    from peers.pinocchio_peer import rates, serves

    if not serves(problem):
        return None
    model, joints = build(problem)
    data, q, v, none = model.createData(), pin.neutral(model), rates(problem, model, joints), np.zeros(model.nv)
    return lambda count: [pin.aba(model, data, q, v, none) for _ in range(count)]


PEERS = {"mujoco": mujoco_work, "pinocchio": pinocchio_work}


def main() -> None:
    arguments = parsed_arguments()
    print(f"{described()}\nmicroseconds of CPU time per evaluation and body, one thread, best of several rounds")
    rows = []
    for family in arguments.families:
        sizes = [n for n in (QUICK if arguments.quick else SIZES) if n <= arguments.most]
        rows += measure(family, sizes, 3 if arguments.quick else 7)
    write("growth.json", [{"machine": machine()}, *rows])
    history.append("growth", {f"{r['family']} {r['bodies']} {r['engine']} [us per body]": r["us_per_body"]
                              for r in rows})
    print(f"drawn in {draw(rows, described()).name}; {described()}")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", metavar="family", default=list(FAMILIES), help=", ".join(FAMILIES))
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of bodies")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds")
    return parser.parse_args()


def measure(family: str, sizes: list[int], rounds: int) -> list[dict]:
    """A row for each size and engine; one that has become too slow is left out from then on."""
    rows, slow = [], set[str]()
    problems = {len(problem.bodies): problem for problem in map(FAMILIES[family], sizes)}
    for bodies, problem in problems.items():
        for engine, work in works(problem, slow).items():
            spent = cpu_per_call(work, rounds=rounds)
            rows.append({"family": family, "bodies": bodies, "engine": engine, "us_per_evaluation": 1e6 * spent,
                         "us_per_body": 1e6 * spent / bodies})
            if spent > LONGEST or measured(work, 1) > LONGEST_BEGUN:
                slow.add(engine)
        shown = [f"{r['engine']} {r['us_per_body']:.3f}" for r in rows if r["bodies"] == bodies]
        print(f"{family:<8}{bodies:>6} bodies  {', '.join(shown)}", flush=True)
    return rows


def works(problem: Problem, slow: set[str]) -> dict[str, Work]:
    found: dict[str, Work] = {}
    if not slow.issuperset(OURS):
        system = vc.compile(build_model(problem))
        start = vc.assemble(system)
        found = {name: made(system, start) for name, made in OURS.items() if name not in slow}
    for name, made in PEERS.items():
        try:
            work = made(problem) if name not in slow else None
        except ImportError:
            continue  # not installed
        if work is not None:
            found[name] = work
    return found


def draw(rows: list[dict], title: str) -> Path:
    """One panel for each family, one line for each engine."""
    from matplotlib.figure import Figure

    families = list(dict.fromkeys(r["family"] for r in rows))
    figure = Figure(figsize=(3.2 * len(families), 4.2), layout="constrained")
    axes = figure.subplots(1, len(families), sharey=True, squeeze=False)[0]
    for axis, family in zip(axes, families, strict=True):
        for engine in [*OURS, *PEERS]:
            mine = [r for r in rows if r["family"] == family and r["engine"] == engine]
            axis.loglog([r["bodies"] for r in mine], [r["us_per_body"] for r in mine], "o-", label=engine, markersize=3)
        axis.set(title=family, xlabel="bodies")
        axis.grid(True, which="both", linewidth=0.4)
    axes[0].set_ylabel("CPU time per evaluation and body [µs]")
    axes[0].legend(fontsize=8)
    figure.suptitle(title, fontsize=10)
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "growth.svg"
    figure.savefig(path)
    return path


if __name__ == "__main__":
    main()
