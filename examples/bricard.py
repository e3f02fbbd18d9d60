"""Bricard's mechanism: five rods and six hinges in a loop, movable only by its special geometry, 10 s.

Source: problem A04 of the IFToMM library of multibody benchmarks (Gonzalez, Dopico, Lugris and Cuadrado, 2006):
rods of 1 kg and 1 m with a square section of 0.1 m, at rest at the start. Counting joints gives no freedom; it has
one. The third pin must be at (0.999731, 0.000000, -1.000269) m after 10 s.
"""

import numpy as np

import vincolo as vc
from comparison import compare

PINS = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, -1], [1, 1, -1], [0, 1, -1]], dtype=float)
AXES = "xzyxzy"
REFERENCE = (0.999731, 0.000000, -1.000269)


def bar_inertia(mass: float, length: float, side: float, along: np.ndarray) -> np.ndarray:
    """Inertia [kg m2] of a bar with square section about its centre."""
    own = np.outer(along, along)
    return mass / 12 * ((length**2 + side**2) * (np.eye(3) - own) + 2 * side**2 * own)


def build() -> vc.Model:
    """The loop as drawn on the edges of a cube."""
    model = vc.Model("Bricard", gravity=(0, -9.81, 0))
    loop = [model.ground]
    for i in range(5):
        edge = PINS[i + 1] - PINS[i]
        loop.append(model.body(f"rod{i + 1}", 1.0, bar_inertia(1.0, 1.0, 0.1, edge), at=(PINS[i] + PINS[i + 1]) / 2))
    loop.append(model.ground)
    for i in range(6):
        model.revolute(f"P{i}", loop[i], loop[i + 1], at=PINS[i], axis=AXES[i])
    model.frame("third pin", "rod3", PINS[3])
    return model


def main() -> list[float]:
    model = build()
    print(vc.mobility(model))
    result = vc.simulate(model, until=10.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    pin = result.point("third pin")[-1]
    return [compare(f"third pin {axis} at 10 s", pin[k], REFERENCE[k], "m") for k, axis in enumerate("xyz")]


if __name__ == "__main__":
    main()
