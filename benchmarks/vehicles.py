"""Suspensions and cars: a sweep with all metrics, hardpoint variants, and whole cars beside real time.

    python benchmarks/vehicles.py

Times are CPU times, the best of several; 'error' is the largest distance of any body from a run with steps of 0.2 ms.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import vincolo as vc
from vincolo.vehicle.metrics import OF_AXLES, OF_SIDES

METRICS = {"wheels": ["left.camber", "left.toe", "roll_centre_height"], "springs": ["left.camber", "left.wheel_rate"]}
METRICS["all"] = [*(f"{side}.{name}" for side in ("left", "right") for name in OF_SIDES), *OF_AXLES]


def best(run: Callable[[], Any], times: int) -> float:
    """The least CPU time [s] of several runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def sweeps() -> None:
    """101 positions with all metrics, for every kind of suspension."""
    for name in vc.vehicle.EXAMPLES:
        s = vc.vehicle.example(name)
        print(f"  {name:20s} {1e3 * best(lambda s=s: vc.vehicle.curves(s), 5):6.1f} ms")


def variants(count: int = 1000) -> None:
    """Variants of two coordinates, three metrics at five positions."""
    s = vc.vehicle.example("fs push rod")
    moved = np.random.default_rng(1).uniform(-0.003, 0.003, (count, 2)).tolist()
    changes = [{"tie_inner.z": a, "lower_ball.y": b} for a, b in moved]
    for title, metrics in METRICS.items():
        seconds = best(lambda metrics=metrics: vc.vehicle.variants(s, changes, metrics), 3)
        print(f"  metrics of {title:8s} {seconds:6.2f} s")


def car(kind: str, tyre: str, speed: float) -> None:
    """A step of the steering, two seconds."""
    built = vc.vehicle.build_car(vc.vehicle.example_car(kind), vc.vehicle.example_tyre(tyre))
    given = {"steering": ([0.0, 0.2, 0.3], [0.0, 0.0, 0.6 if kind == "road" else 0.3])}

    def run(integrator: Any = None) -> Any:
        return vc.vehicle.drive(built, 2.0, speed, given, hold_speed=True, integrator=integrator)

    fine = run(vc.RK4(step=2e-4))
    rows, soft = len(fine.result.system.rows), 2 * sum(len(s.bushings) for s in built.car.axles.values())
    print(f"  {kind} car: {len(built.model.bodies)} bodies, {rows} rows, four Magic Formula tyres, {soft} bushings")
    for title, integrator in (
        ("steps that fit (1e-4)", None),
        ("Dormand-Prince (1e-4)", vc.DormandPrince(rtol=1e-4, atol=1e-4)),
        ("RK4, 1 ms", vc.RK4(step=1e-3)),
        ("RK4, 2 ms", vc.RK4(step=2e-3)),
    ):
        found = max((run(integrator) for _ in range(3)), key=lambda r: r.real_time_factor)
        off = max(
            float(np.abs(found.result[f"{body}.{axis}"] - fine.result[f"{body}.{axis}"]).max())
            for body in built.model.bodies
            for axis in "xyz"
        )
        print(f"    {title:22s} {found.real_time_factor:6.1f} times real time, error {1e3 * off:.2g} mm")


def soft_car(stiffness: float, arm_mass: float) -> None:
    """A step of the steering with arms in bushings, one second."""
    car, roles = vc.vehicle.example_car("fs"), ("upper_front", "upper_rear", "lower_front", "lower_rear")
    soft = {
        axle: replace(s, arm_mass=arm_mass, bushings=dict.fromkeys(roles, stiffness)) for axle, s in car.axles.items()
    }
    built = vc.vehicle.build_car(replace(car, **soft), vc.vehicle.example_tyre("magic"))
    given = {"steering": ([0.0, 0.2, 0.3], [0.0, 0.0, 0.3])}
    run = vc.vehicle.drive(built, 1.0, 15.0, given, hold_speed=True)
    steps = run.result.statistics["steps"]
    print(f"    {stiffness:.0e} N/m, arms {arm_mass:g} kg: {run.real_time_factor:6.1f} times real time, {steps} steps")


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f}")
    print("sweep of 101 positions, all metrics")
    sweeps()
    print("1,000 variants of hardpoints")
    variants()
    print("cars")
    car("road", "road", 25.0)
    car("fs", "magic", 15.0)
    print("the FS car with arms in bushings, without and with mass")
    for stiffness in (1e6, 2e6, 8e6):
        soft_car(stiffness, 0.0)
    soft_car(8e6, 0.6)
