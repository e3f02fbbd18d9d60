"""A McPherson suspension over a wavy road of 30 mm and 2.5 Hz, 5 s.

Source: Oldani, doctoral thesis, University of Bergamo (2010), with the data of its own program. The wheel's centre
must be at a height of 0.026042 m after 5 s. The road under the tyre moves: it is a small carrier on a vertical
slide, driven by z = 0.03 sin(5 pi t). A driven body does what its drive says, so the carrier's mass does not
matter.
"""

import vincolo as vc
from comparison import compare

REAR, BALL, TOP = (0.27, -0.005, -0.01), (0.45, -0.33, -0.04), (0.46, -0.18, 0.47)  # m: arm pivot, ball joint, strut
HUB, OUTER, INNER = (0.452, -0.41, 0.02), (0.56, -0.30, 0.06), (0.47, 0.06, 0.09)  # m: wheel centre, tie rod ends
PATCH = (0.452, -0.41, -0.33)  # m: road point
REFERENCE = 0.026042


def build() -> vc.Model:
    """The suspension at rest, its strut stretched."""
    model = vc.Model("McPherson suspension")
    ground = model.ground
    arm = model.body("arm", 4.6, 0.1, at=(0.4162012549, -0.168540764, -0.027081527958))
    strut = model.body("strut", 12.1, 0.25, at=(0.4630090362, -0.2796688292, 0.1641816967))
    tie = model.body("tie rod", 1.0, 0.1, at=(0.515, -0.12, 0.075))
    wheel = model.body("wheel", 25.0, 0.1, at=HUB)
    mount = model.body("mount", 1.0, 0.1, at=TOP)
    road = model.body("road", 1.0, 0.1, at=PATCH)
    model.revolute("arm pivot", ground, arm, at=REAR, axis=REAR)  # the thesis turns it about the line to the origin
    model.spherical("ball joint", arm, strut, at=BALL)
    model.revolute("hub", strut, wheel, at=HUB, axis="x")
    model.spherical("outer tie", strut, tie, at=OUTER)
    model.spherical("inner tie", ground, tie, at=INNER)
    model.spherical("top", ground, mount, at=TOP)
    model.cylindrical("strut slide", strut, mount, at=TOP, axis=(0.01, 0.15, 0.51))
    model.prismatic("road slide", ground, road, at=PATCH, axis="z")
    model.drive("road slide.travel", vc.functions.Sine(0.03, 15.707963267948966))
    model.spring("suspension", strut.frame(BALL), mount.frame(TOP), k=4.22e4, c=2.7e3, length=0.4815)
    model.spring("tyre", road.frame(PATCH), wheel.frame(HUB), k=2e5, c=8e4, length=0.35)
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=5.0, integrator=vc.integrators.DormandPrince(rtol=1e-8, atol=1e-10))
    print(result)
    return [compare("wheel z at 5 s", result["wheel.z"][-1], REFERENCE, "m")]


if __name__ == "__main__":
    main()
