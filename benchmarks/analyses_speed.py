"""Positions per second of kinematics with everything read, and updates per second of a dragged mechanism.

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

import mcpherson
import vincolo as vc
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


def main() -> None:
    print(f"kinematics of 21 bodies, all read: {positions_per_second():8.0f} positions/s")
    print(f"McPherson dragged:                 {drags_per_second():8.0f} updates/s")


if __name__ == "__main__":
    main()
