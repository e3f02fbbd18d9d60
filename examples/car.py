"""A car of one suspension, mirrored to the right and turned to the rear, set down on its tyres, 1 s.

Source: dimensions of our own. A car that is the same left and right, front and rear only heaves; then it is a quarter
of its chassis on one swing arm, two Lagrange equations in the height z of the chassis and the angle of the arm, solved
to 1e-12. The chassis must be within 1e-8 m of z = 0.587346495 m after 1 s, and roll and pitch by less than 1e-9 rad.
"""

import numpy as np

import vincolo as vc
from comparison import compare

G = 9.80665  # m/s2
PIVOT, SEAT, FOOT, HUB = (0, 0.3, 0), (0, 0.45, 0.4), (0, 0.6, 0), (0, 0.75, 0)  # m: of the left arm and its strut
ARM, INERTIA = 40.0, 1.5  # kg, kg m2: of an arm with its wheel, about the hub
CHASSIS, HEIGHT = 1200.0, 0.6  # kg, m
WHEELBASE, RADIUS, TYRE = 2.6, 0.3, 2e5  # m, m, N/m
HALF_TURN = np.diag([-1.0, -1.0, 1.0])  # about z
REFERENCE = 0.587346495


def suspension(load: float = G * (CHASSIS / 4 + ARM), rate: float = 3e4, damping: float = 2.5e3) -> vc.Model:
    """A swing arm on the left of a chassis, which is the ground here; in balance as drawn with a load [N] under it."""
    lever, foot = HUB[1] - PIVOT[1], FOOT[1] - PIVOT[1]
    up = (SEAT[2] - FOOT[2]) / np.linalg.norm(np.subtract(SEAT, FOOT))
    model = vc.Model("swing arm")
    arm = model.body("arm", ARM, INERTIA, at=HUB)
    model.revolute("pivot", model.ground, arm, at=PIVOT, axis="x")
    model.spring("strut", model.ground.frame(SEAT), arm.frame(FOOT), k=rate, c=damping,
                 preload=-(load - ARM * G) * lever / (foot * up))
    model.frame("hub", arm, HUB)
    return model


def tyre(model: vc.Model, name: str, hub: vc.Frame, preload: float = 0.0, rate: float = TYRE) -> None:
    """A vertical spring between the road, the plane z = 0, and a hub."""
    below = hub.drawn_point * (1, 1, 0)
    height = vc.along_world("z", model.ground.frame(below), hub)
    model.spring(f"tyre {name}", height, k=rate, c=0.002 * rate, preload=preload)


def build() -> vc.Model:
    """The car at rest, its tyres just touching the road."""
    model = vc.Model("car")
    chassis = model.body("chassis", CHASSIS, (400, 1500, 1700), at=(0, 0, HEIGHT))
    corner = suspension()
    for end, x, turn in (("front", WHEELBASE / 2, None), ("rear", -WHEELBASE / 2, HALF_TURN)):
        for side in ("left", "right"):
            mirror = "y" if (side == "right") == (end == "front") else None  # half a turn takes left to right
            placed = model.add(f"{end}_{side}", corner, at=(x, 0, RADIUS), orientation=turn, mirror=mirror, on=chassis)
            tyre(model, f"{end} {side}", placed["hub"])
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=1.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    found = [compare("chassis z at 1 s", result["chassis.z"][-1], REFERENCE, "m"),
             compare("roll and pitch (quaternion e1 + e2) at 1 s", result["chassis.e1"][-1] + result["chassis.e2"][-1],
                     0.0, "")]
    corners = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    print("\nStruts at the end [N]: " + ", ".join(f"{c} {result[f'{c}.strut.force'][-1]:.1f}" for c in corners) + "\n")
    print(result)
    return found


if __name__ == "__main__":
    main()
