"""From a model to its first step: time to make the model, compile, assemble, count freedoms and step; and variants of a
slider-crank in one thread and in two.

python benchmarks/first_step.py
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import history
import slider_crank
import vincolo as vc
from problems.chain import chain
from results_file import write
from vincolo_engine import build_model

ROUNDS = {"slider-crank": 40, "chain of 200": 5, "ladder of 198": 5}
VARIANTS = 100
SECONDS = {"first step": 1e-6, "5 s": 5.0, "5 s, fine": 5.0}  # of a variant's run


def ladder(rungs: int) -> vc.Model:
    """Two rows of bars with rungs between them: a loop in the plane at every rung, redundant in space."""
    model = vc.Model("ladder")
    below = above = model.ground
    for k in range(rungs):
        low = model.body(f"low{k}", mass=1, inertia=0.1, at=(k + 0.5, 0, 0))
        high = model.body(f"high{k}", mass=1, inertia=0.1, at=(k + 0.5, 0, 1))
        rung = model.body(f"rung{k}", mass=1, inertia=0.1, at=(k + 1, 0, 0.5))
        for name, a, b, at in ((f"A{k}", below, low, (k, 0, 0)), (f"B{k}", above, high, (k, 0, 1)),
                               (f"C{k}", low, rung, (k + 1, 0, 0)), (f"D{k}", high, rung, (k + 1, 0, 1))):
            model.revolute(name, a, b, at=at, axis="y")
        below = above = rung
    return model


def best(rounds: int, f: Callable[[], object]) -> float:
    """Least CPU time [ms] of some rounds."""
    found = []
    for _ in range(rounds):
        begun = time.thread_time()
        f()
        found.append(time.thread_time() - begun)
    return 1e3 * min(found)


def stages(name: str, build: Callable[[], vc.Model]) -> dict:
    """Every stage by itself, and all of them from the model on."""
    rounds, model = ROUNDS[name], build()
    system = vc.compile(model)
    state = vc.assemble(system)
    return {"model": name, "build_ms": best(rounds, build), "compile_ms": best(rounds, lambda: vc.compile(model)),
            "assemble_ms": best(rounds, lambda: vc.assemble(system)),
            "mobility_ms": best(rounds, lambda: vc.mobility(state)),
            "step_ms": best(rounds, lambda: vc.simulate(system, 1e-6, start=state, outputs=1)),
            "from_model_ms": best(rounds, lambda: vc.simulate(vc.compile(model), 1e-6, outputs=1))}


def variant(k: int, until: float, fine: bool) -> float:
    model = slider_crank.build(torque=10.0 + 0.01 * k)
    integrator = vc.integrators.DOP853(rtol=1e-10, atol=1e-12) if fine else None
    return float(vc.simulate(model, until, outputs=50, integrator=integrator)["slider.x"][-1])


def variants(name: str) -> dict:
    """Wall time of all variants, one after the other and in two threads in turn; the best of three."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for threads, found in times.items():
            with ThreadPoolExecutor(threads) as pool:
                begun = time.perf_counter()
                list(pool.map(lambda k: variant(k, SECONDS[name], "fine" in name), range(VARIANTS)))
                found.append(time.perf_counter() - begun)
    one, two = (1e3 * min(found) / VARIANTS for found in times.values())
    return {"variants": name, "one_thread_ms": one, "two_threads_ms": two, "ratio": one / two}


def main() -> None:
    models = {"slider-crank": slider_crank.build, "chain of 200": lambda: build_model(chain(200)),
              "ladder of 198": lambda: ladder(66)}
    print(f"load {os.getloadavg()[0]:.2f}; least CPU time, ms")
    rows = [stages(name, build) for name, build in models.items()]
    for r in rows:
        print(f"{r['model']:<14} build {r['build_ms']:7.2f}  compile {r['compile_ms']:7.2f}  assemble "
              f"{r['assemble_ms']:7.2f}  mobility {r['mobility_ms']:7.2f}  step {r['step_ms']:7.2f}  "
              f"from the model on {r['from_model_ms']:7.2f}")
    more = [variants(name) for name in SECONDS]
    for r in more:
        print(f"{VARIANTS} variants, {r['variants']:<10} {r['one_thread_ms']:7.2f} ms each in one thread, "
              f"{r['two_threads_ms']:7.2f} in two: {r['ratio']:.2f} times as fast")
    print(f"written to {write('first_step.json', [*rows, *more]).name}")
    history.append("first_step", figures(rows, more))


def figures(rows: list[dict], more: list[dict]) -> dict[str, float]:
    found = {f"{r['model']} {name.removesuffix('_ms').replace('_', ' ')} [ms]": value
             for r in rows for name, value in r.items() if name != "model"}
    return found | {f"{r['variants']} two threads": r["ratio"] for r in more}


if __name__ == "__main__":
    main()
