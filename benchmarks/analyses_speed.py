"""Positions per second of kinematics with everything read, updates per second of a dragged mechanism, and seconds of
rest and lowest modes of chains.

python benchmarks/analyses_speed.py
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import numpy as np

import history
import mcpherson
import vincolo as vc
from problems.chain import chain
from vincolo_engine import build_model

ROUNDS = 5


def windows() -> vc.System:
    """Ten four-bar windows in a row, 21 bodies, redundant in space, the first bar driven."""
    from problems.iftomm import n_four_bar

    model = build_model(n_four_bar(10))
    model.drive("J0.angle", "0.5*sin(t)")
    return vc.compile(model)


def positions_per_second() -> float:
    """Positions with velocities, accelerations and all reactions of 21 bodies, per second of CPU time."""
    system, best = windows(), 0.0
    start = vc.assemble(system)
    for _ in range(ROUNDS):
        begun = time.process_time()
        result = vc.kinematics(system, 3.0, outputs=1000, start=start)
        assert np.isfinite(result.reaction("J0").force).all()  # computes those of all joints
        best = max(best, len(result) / (time.process_time() - begun))
    return best


def drags_per_second() -> float:
    """Updates of the McPherson suspension that follows a point of its upright."""
    model = mcpherson.build()
    body = list(model.bodies)[0]
    model.frame("hand", body, model.bodies[body].at)
    model.holds.clear()
    state = vc.assemble(vc.compile(model))
    begin, best = state.channels.point(model.frames["hand"])[0], 0.0
    for _ in range(ROUNDS):
        hand, begun = vc.Dragged(state), time.process_time()
        for k in range(500):
            hand.to("hand", begin + [0, 0, 0.03 * np.sin(0.05 * k)])
        best = max(best, 500 / (time.process_time() - begun))
    return best


def rest_and_modes(links: int) -> tuple[float, float]:
    """CPU time [s] of the rest of a chain held out level, the best of some rounds, and of its lowest 20 modes."""
    system, times = vc.compile(build_model(chain(links))), []
    for _ in range(ROUNDS if links < 1000 else 2):
        begun = time.process_time()
        rest = vc.statics(system)
        times.append(time.process_time() - begun)
    begun = time.process_time()
    frequencies = vc.modes(rest.state, 20).frequencies
    spent = time.process_time() - begun
    assert len(frequencies) == 20 and (frequencies > 0).all()
    return min(times), spent


def main() -> None:
    figures = {"kinematics of 21 bodies, all read [positions per s]": positions_per_second(),
               "McPherson suspension dragged by a point [updates per s]": drags_per_second()}
    for name, value in figures.items():
        print(f"{name}: {value:.0f}")
    for links in (50, 1000):
        rest, modes = rest_and_modes(links)
        figures |= {f"rest of {links} links [s]": rest, f"20 modes of {links} links [s]": modes}
        print(f"chain of {links:>4} links: rest in {rest:.3f} s, 20 modes in {modes:.3f} s")
    history.append("analyses", figures)


if __name__ == "__main__":
    main()
