"""A flyball governor: two rods with 5 kg balls on a turning shaft, tied to a slider by stiff spring-dampers, 10 s.

Source: problem A05 of the IFToMM library of multibody benchmarks (Gonzalez, Dopico, Lugris and Cuadrado, 2006);
the shaft turns at 2 pi rad/s about y at the start. The slider must be at a height of 0.619623 m after 10 s. The
dampers (4e4 N s/m) make it stiff: an explicit integrator pays with small steps.
"""

import numpy as np

import vincolo as vc
from comparison import compare

SPIN = np.array([0, 2 * np.pi, 0])
ROD, BALL, SLOPE = 0.3, 5.0, np.pi / 6  # kg, kg, rad below the horizontal
REFERENCE = 0.619623


def bar_inertia(mass: float, along: np.ndarray) -> np.ndarray:
    """Inertia [kg m2] of a bar of 1 m with a square section of 0.01 m about its centre."""
    own = np.outer(along, along)
    return mass / 12 * ((1 + 1e-4) * (np.eye(3) - own) + 2e-4 * own)


def build() -> vc.Model:
    """The governor, all of it turning with the shaft."""
    model = vc.Model("flyball governor", gravity=(0, -9.81, 0))

    def turning(name: str, mass: float, inertia: np.ndarray, at: np.ndarray) -> vc.Body:
        return model.body(name, mass, inertia, at, velocity=np.cross(SPIN, at), angular_velocity=SPIN)

    shaft = turning("shaft", 0.3, bar_inertia(0.3, np.array([0, 1, 0])), np.array([0, 0.5, 0]))
    slider = turning("slider", 3.0, 0.005 * np.eye(3), np.array([0, 0.5, 0]))
    model.revolute("foot", model.ground, shaft, at=(0, 0, 0), axis="y")
    model.prismatic("sleeve", shaft, slider, at=(0, 0.5, 0), axis="y")
    for side, name in ((1, "right"), (-1, "left")):
        pivot, along = np.array([0.05 * side, 1, 0]), np.array([side * np.cos(SLOPE), -np.sin(SLOPE), 0])
        middle, tip = pivot + 0.5 * along, pivot + along
        centre = (ROD * middle + BALL * tip) / (ROD + BALL)
        reduced = ROD * BALL / (ROD + BALL) * 0.5**2  # of the two masses, 0.5 m apart
        inertia = bar_inertia(ROD, along) + reduced * (np.eye(3) - np.outer(along, along))
        arm = turning(name, ROD + BALL, inertia, centre)
        model.revolute(f"{name} hinge", shaft, arm, at=pivot, axis="z")
        model.spring(f"{name} spring", slider.frame((0.05 * side, 0.5, 0)), arm.frame(middle), k=8e5, c=4e4, length=0.5)
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=10.0, integrator=vc.integrators.DormandPrince(rtol=1e-8, atol=1e-9))
    print(result)
    return [compare("slider height at 10 s", result["slider.y"][-1], REFERENCE, "m")]


if __name__ == "__main__":
    main()
