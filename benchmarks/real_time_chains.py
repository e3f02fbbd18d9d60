"""The longest chain of bodies on hinges that fits into real time at 1 kHz and 10 kHz, by formulation and integrator.

A step fits if nine of ten of its kind (p90, of the time of this thread) leave half of the period free: run it on a
machine that does nothing else and take p99.99 from `vincolo hil --measure` for a promise. `python real_time_chains.py`
prints a table for docs/realtime.md.
"""

from __future__ import annotations

import time

import numpy as np

import vincolo as vc
from vincolo.realtime.library import OK, CModel
from vincolo.realtime.table import plant

PAIRS = [("SemiImplicitEuler", "JointCoordinates"), ("RK4", "JointCoordinates"), ("SemiImplicitEuler", "Sparse"),
         ("RK4", "Sparse"), ("LinearlyImplicitEuler", "Sparse"), ("Rosenbrock", "Sparse"),
         ("SemiImplicitEuler", "AugmentedLagrangian"), ("RK4", "AugmentedLagrangian"), ("RK4", "NullSpace"),
         ("RK4", "Lagrange")]
MOST = 512  # bodies


def chain(count: int) -> vc.Model:
    """Rods of 0.1 m on hinges whose axes turn from one to the next."""
    model = vc.Model(f"chain of {count}")
    last = model.ground
    for k in range(count):
        rod = model.body(f"rod {k}", 0.1, 1e-4, at=(0.1 * k + 0.05, 0, 0))
        model.revolute(f"hinge {k}", last, rod, at=(0.1 * k, 0, 0), axis="y" if k % 2 == 0 else "z")
        last = rod
    return model


def step_time(count: int, integrator: str, formulation: str, step: float) -> float:
    """Microseconds that nine of ten steps stay below; infinite where a step fails."""
    found = plant(chain(count), step, integrator=getattr(vc.integrators, integrator)(step=step),
                  formulation=getattr(vc.formulations, formulation)())
    model, times = CModel(found.text()), []
    for _ in range(150):
        begun = time.thread_time_ns()
        if model.step() != OK:
            return np.inf
        times.append(time.thread_time_ns() - begun)
    return float(np.quantile(times[20:], 0.9)) / 1000


def longest(integrator: str, formulation: str, step: float) -> int:
    """The most bodies whose steps leave half of the period free."""
    good, bad = 0, 1
    while bad <= MOST and step_time(bad, integrator, formulation, step) <= 0.5e6 * step:
        good, bad = bad, 2 * bad
    while bad <= MOST and bad - good > max(1, good // 10):
        middle = (good + bad) // 2
        if step_time(middle, integrator, formulation, step) <= 0.5e6 * step:
            good = middle
        else:
            bad = middle
    return good


def main() -> None:
    print("| integrator | formulation | bodies at 1 kHz | at 10 kHz |\n|---|---|---|---|")
    for integrator, formulation in PAIRS:
        counts = [longest(integrator, formulation, step) for step in (1e-3, 1e-4)]
        print(f"| {integrator} | {formulation} | " + " | ".join(
            f"{'more than ' if n >= MOST else ''}{min(n, MOST)}" for n in counts) + " |", flush=True)


if __name__ == "__main__":
    main()
