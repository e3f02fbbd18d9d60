"""A centred slider-crank driven by a constant torque of 10 N m, 5 s.

Source: Oldani, doctoral thesis, University of Bergamo (2010); the reference solves one equation in the crank's
angle. The slider must be within 1e-6 m of x = 2.005897933 m after 5 s, whether its joints are spherical or
revolutes, which hold the mechanism in its plane more often than needed.
"""

import numpy as np

import vincolo as vc
from comparison import compare

CRANK, ROD = 1.0, 2.0  # m
REFERENCE = 2.005897933


def build(joint: str = "revolute", torque: float | str = 10.0) -> vc.Model:
    """The mechanism at rest, crank at 45 degrees, in the x-z plane; `joint`: "revolute" or "spherical"."""
    pin = np.array([CRANK, 0, CRANK]) / np.sqrt(2)
    slide = np.array([pin[0] + np.sqrt(ROD**2 - pin[2] ** 2), 0, 0])
    model = vc.Model(f"slider-crank with {joint} joints")
    crank = model.body("crank", mass=1, inertia=0.1, at=pin / 2)
    rod = model.body("rod", mass=2, inertia=0.2, at=(pin + slide) / 2)
    slider = model.body("slider", mass=4, inertia=0.3, at=slide)
    for name, a, b, at in (("O", model.ground, crank, (0, 0, 0)), ("A", crank, rod, pin), ("B", rod, slider, slide)):
        if joint == "revolute":
            model.revolute(name, a, b, at=at, axis="y")
        else:
            model.spherical(name, a, b, at=at)
    model.cylindrical("guide", model.ground, slider, at=slide, axis="x")
    model.torque("motor", crank, (0, torque, 0))
    return model


def main() -> list[float]:
    found = []
    for joint in ("spherical", "revolute"):
        result = vc.simulate(build(joint), until=5.0, outputs=2000,
                             integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
        found.append(compare(f"slider x at 5 s, {joint} joints", result["slider.x"][-1], REFERENCE, "m"))
    m = result.mobility
    print(f"\nCounting joints, this slider-crank should have {m.kutzbach} degrees of freedom; it has {m.dof}, since "
          f"{m.redundant} of its {m.rows} conditions\nsay again what others say. The motor turns it faster and faster: "
          f"{abs(result['crank.wy']).max():.1f} rad/s at most.\n")
    print(result)
    return found


if __name__ == "__main__":
    main()
