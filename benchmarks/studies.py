"""Variants of a slider-crank under torque, 1 s each: how many per second and core, how two workers compare with one,
and the same study in a plain loop of MuJoCo.

python benchmarks/studies.py            100,000 variants once, one in 20 of them by MuJoCo: some ten minutes
python benchmarks/studies.py --short    2,000 variants, the best of two rounds: about a minute
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import numpy as np

import slider_crank
import vincolo as vc
from results_file import write
from vincolo.studies.plan import plan_of

RANGES = {"crank.mass": (0.5, 2.0), "motor.y": (5.0, 20.0)}
STEPS = (1e-3, 5e-4, 2e-4)  # s, of MuJoCo
PEER = 20  # one in so many variants also in the plain loop of the peer
LOOKED = 400  # variants whose time is taken apart

MJCF = """<mujoco><option timestep="{step}" integrator="RK4" gravity="0 0 -9.80665">
<flag contact="disable" island="disable"/></option>
<worldbody>
<body name="crank"><joint type="hinge" axis="0 1 0"/><inertial pos="{half}" mass="1" diaginertia=".1 .1 .1"/>
<body name="rod" pos="{pin}"><joint type="hinge" axis="0 1 0"/>
<inertial pos="{middle}" mass="2" diaginertia=".2 .2 .2"/></body></body>
<body name="slider" pos="{slide}"><joint type="slide" axis="1 0 0"/>
<inertial pos="0 0 0" mass="4" diaginertia=".3 .3 .3"/></body>
</worldbody>
<equality><connect body1="rod" body2="slider" anchor="{rod}" solref="{closing} 1" solimp=".9999 .9999 .001"/></equality>
</mujoco>"""


def cpu() -> float:
    """CPU time [s] of this process and of those it has waited for."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF,
                                                                         resource.RUSAGE_CHILDREN)))


def measured(f: Callable[[], np.ndarray]) -> tuple[np.ndarray, float, float]:
    """What a function finds, its CPU time and its wall time [s]."""
    wall, begun = time.perf_counter(), cpu()
    found = f()
    return found, cpu() - begun, time.perf_counter() - wall


def ours(model: vc.Model, count: int, **work: object) -> np.ndarray:
    found = vc.study(model, RANGES, "max slider.vx", plan="sobol", samples=count, until=1.0, times=50, progress=False,
                     **work)
    return found["max slider.vx"]


def mujoco_loop(count: int, step: float) -> np.ndarray:
    import mujoco

    pin = np.array([1.0, 0, 1.0]) / np.sqrt(2)
    slide = np.array([pin[0] + np.sqrt(4 - pin[2] ** 2), 0, 0])
    text = {"half": pin / 2, "pin": pin, "middle": (slide - pin) / 2, "slide": slide, "rod": slide - pin}
    words = {key: " ".join(f"{x:.17g}" for x in value) for key, value in text.items()}
    model = mujoco.MjModel.from_xml_string(MJCF.format(step=step, closing=2 * step, **words))
    data = mujoco.MjData(model)
    crank, kept = model.body("crank").id, np.empty(count)
    for k, (mass, torque) in enumerate(plan_of(RANGES, "sobol", count, 1).rows(0, count)):
        model.body_mass[crank] = mass
        mujoco.mj_setConst(model, data)
        mujoco.mj_resetData(model, data)
        data.qfrc_applied[0] = torque
        speeds = [0.0]
        for _ in range(50):
            mujoco.mj_step(model, data, nstep=round(0.02 / step))
            speeds.append(float(data.qvel[2]))
        kept[k] = max(speeds)
    return kept


def released(model: vc.Model) -> tuple[float, float]:
    """The time of a variant [ms], and the share of it in the kernel, where other threads of Python may run."""
    found = vc.study(model, RANGES, "max slider.vx", plan="sobol", samples=LOOKED, until=1.0, times=50, how="serial",
                     progress=False)
    begun = time.process_time()
    kernel = sum(found.run(k).seconds for k in range(LOOKED))
    whole = time.process_time() - begun
    return 1e3 * whole / LOOKED, kernel / whole


def vincolo_rows(model: vc.Model, count: int, rounds: int) -> tuple[list[dict[str, object]], np.ndarray]:
    """Our ways, each round one after the other, so that a change of load meets all of them; and what they find."""
    ways = {"serial": {"how": "serial"}, "2 processes": {"how": "processes", "workers": 2},
            "2 threads": {"how": "threads", "workers": 2}}
    best: dict[str, tuple[float, float]] = {}
    reference = None
    for _ in range(rounds):
        for name, work in ways.items():
            found, used, wall = measured(lambda work=work: ours(model, count, **work))
            if reference is not None and not np.array_equal(found, reference):
                raise SystemExit(f"{name}: other numbers than before")
            reference = found
            old = best.get(name, (np.inf, np.inf))
            best[name] = min(old[0], used), min(old[1], wall)
            print(f"  vincolo, {name}: {count:,} variants in {wall:.1f} s, {used:.1f} s of CPU", flush=True)
    return [{"way": f"vincolo, {name}", "variants": count, "cpu_ms": 1e3 * c / count, "wall_ms": 1e3 * w / count,
             "against_serial": best["serial"][1] / w, "by_cpu": 2 * best["serial"][0] / c}
            for name, (c, w) in best.items()], reference


def mujoco_rows(count: int, rounds: int, reference: np.ndarray) -> list[dict[str, object]]:
    """The peer in a plain loop, and how far it is off in what it finds."""
    rows: list[dict[str, object]] = []
    for step in STEPS:
        timings = [measured(lambda step=step: mujoco_loop(count, step)) for _ in range(rounds)]
        print(f"  mujoco, RK4 {step:g} s: {count:,} variants in {timings[-1][2]:.1f} s", flush=True)
        off = float(np.abs(timings[0][0] - reference[:count]).max())
        used, wall = (1e3 * min(t[k] for t in timings) / count for k in (1, 2))
        rows.append({"way": f"mujoco, RK4 {step:g} s", "variants": count, "cpu_ms": used, "wall_ms": wall, "off": off})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=100_000)
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    count, rounds = (2_000, 2) if given.short else (given.variants, 1)
    model = slider_crank.build()
    ours(model, 8, how="serial")
    load = os.getloadavg()[0]
    rows, reference = vincolo_rows(model, count, rounds)
    rows += mujoco_rows(max(count // PEER, 20), rounds, reference)
    print(f"load {load:.1f} before; per variant of 1 s, the best of {rounds} rounds")
    for r in rows:
        print(f"  {r['way']:<24} {r['variants']:>7,} variants {r['cpu_ms']:8.3f} ms CPU {r['wall_ms']:8.3f} ms by the "
              f"clock {1e3 / r['cpu_ms']:7.0f} per second and core"
              + (f", off by {r['off']:.1e} m/s" if "off" in r else ""))
    for r in rows[1:3]:
        print(f"  {r['way']}: {r['against_serial']:.2f} times as fast as one by the clock, {r['by_cpu']:.2f} by CPU "
              "time")
    whole, share = released(model)
    print(f"  of {whole:.2f} ms of a variant {100 * share:.0f} % are in the kernel, where other threads may run: two "
          f"threads can be {min(2.0, 1 / max(1 - share, 0.5)):.2f} times as fast at most")
    print(f"written to {write('studies.json', rows).name}")


if __name__ == "__main__":
    main()
