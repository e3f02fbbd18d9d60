"""N square windows of 1 m rods side by side, pushed at 1 m/s from the upright position, 10 s.

Source: problem A02 of the IFToMM library of multibody benchmarks (Gonzalez, Dopico, Lugris and Cuadrado, 2006). Twice
in every turn all rods lie in one line; there the mechanism has more freedoms for an instant and could fold. All rods
must turn together, so the motion is that of one pendulum; with N = 2 the top of the first rod must be within 1e-4 m of
x = 0.328458 m, y = 0.944519 m after 10 s. Look at the balance of energy below: a fold would show there.
Usage: python n_four_bar.py [N]
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import vincolo as vc
from comparison import compare

GRAVITY, SPEED = 9.81, 1.0
UPRIGHT, LEVEL = (1 / 12, 0, 1 / 12), (0, 1 / 12, 1 / 12)  # slender rods of 1 kg and 1 m


def build(windows: int = 2) -> vc.Model:
    """The windows, upright, with the velocities of the push."""
    model = vc.Model(f"{windows} four-bars", gravity=(0, -GRAVITY, 0))
    previous = model.ground
    for i in range(windows + 1):
        post = model.body(f"post{i}", 1.0, UPRIGHT, at=(i, 0.5, 0), velocity=(SPEED / 2, 0, 0),
                          angular_velocity=(0, 0, -SPEED))
        model.revolute(f"foot{i}", model.ground, post, at=(i, 0, 0), axis="z")
        if i > 0:
            link = model.body(f"link{i}", 1.0, LEVEL, at=(i - 0.5, 1, 0), velocity=(SPEED, 0, 0))
            model.revolute(f"left{i}", previous, link, at=(i - 1, 1, 0), axis="z")
            model.revolute(f"right{i}", link, post, at=(i, 1, 0), axis="z")
        previous = post
    model.frame("top", "post0", (0, 1, 0))
    return model


def one_pendulum(windows: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y [m] of the top: the links only translate, so J q'' = M g sin q, q from the vertical."""
    J = (windows + 1) * (1 / 12 + 1 / 4) + windows
    M = (windows + 1) / 2 + windows
    run = solve_ivp(lambda _, s: [s[1], M / J * GRAVITY * np.sin(s[0])], (0, t[-1]), [0, SPEED], "DOP853", t,
                    rtol=1e-12, atol=1e-13)
    return np.sin(run.y[0]), np.cos(run.y[0])


def main(windows: int = 2) -> list[float]:
    result = vc.simulate(build(windows), until=10.0, integrator=vc.integrators.DormandPrince(rtol=1e-8, atol=1e-9))
    x, y = one_pendulum(windows, result.t)
    print(result)
    return [compare(f"top x at {result.t[-1]:g} s", result["top.x"][-1], x[-1], "m"),
            compare(f"top y at {result.t[-1]:g} s", result["top.y"][-1], y[-1], "m")]


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
