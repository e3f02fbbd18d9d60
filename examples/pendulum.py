"""A point mass of 1 kg on a rod of 1 m without mass, released from the horizontal, 10 s.

Source: problem A01 of the IFToMM library of multibody benchmarks (Gonzalez, Dopico, Lugris and Cuadrado, 2006), a
point mass without any inertia of its own. It must meet the closed solution by Jacobi's elliptic functions: x =
-0.275087 m and y = -0.961419 m at 10 s; the period is 2.367842 s.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import vincolo as vc
from comparison import compare

LENGTH, GRAVITY = 1.0, 9.81


def build() -> vc.Model:
    """The pendulum as released, to the left of its hinge."""
    model = vc.Model("pendulum", gravity=(0, -GRAVITY, 0))
    bob = model.body("bob", mass=1.0, inertia=0.0, at=(-LENGTH, 0, 0))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="z")
    return model


def closed_solution(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y [m] of the bob: sin(angle / 2) = k cd(w t), k = sin(45 degrees), angle from the vertical."""
    k = np.sin(np.pi / 4)
    _, cn, dn, _ = ellipj(np.sqrt(GRAVITY / LENGTH) * np.asarray(t), k**2)
    angle = -2 * np.arcsin(k * cn / dn)
    return LENGTH * np.sin(angle), -LENGTH * np.cos(angle)


def main() -> list[float]:
    result = vc.simulate(build(), until=10.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    x, y = closed_solution(result.t)
    print(f"period {4 * ellipk(0.5) / np.sqrt(GRAVITY / LENGTH):.6f} s")
    return [compare("bob x at 10 s", result["bob.x"][-1], x[-1], "m"),
            compare("bob y at 10 s", result["bob.y"][-1], y[-1], "m")]


if __name__ == "__main__":
    main()
