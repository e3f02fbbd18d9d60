"""A planar five-bar linkage (a parallelogram with a third bar) built in space, swinging under its weight, 8 s.

Source: L. Vita, doctoral thesis, Rome Tor Vergata (about 2005), section 4.7.1. Counting gives -6 degrees of
freedom; it has 1, and 7 redundant rows. Its coupler only translates, so that the bars swing like one pendulum: the
left bar must be at an angle of -0.9265852742 rad after 8 s, and the period is 1.952210519 s.
"""

import numpy as np

import vincolo as vc
from comparison import compare

REFERENCE = -0.9265852742  # rad, bar against x
TURN = -np.pi / 4  # rad, at the start


def build() -> vc.Model:
    """The linkage at rest, its bars 45 degrees below the horizontal."""
    model = vc.Model("five-bar", gravity=(0, -9.81, 0))
    bar = np.array([np.cos(TURN), np.sin(TURN), 0])  # 1 m
    c, s = bar[:2]
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    coupler = model.body("coupler", 195.0, (0.325, 101.725, 101.725), at=bar + (1.25, 0, 0))
    for name, x in (("left", 0.0), ("centre", 1.25), ("right", 2.5)):
        foot = np.array([x, 0, 0])
        body = model.body(name, 78.0, (0.13, 6.565, 6.565), at=foot + bar / 2, orientation=turned)
        model.revolute(f"{name} foot", model.ground, body, at=foot, axis="z")
        model.revolute(f"{name} head", body, coupler, at=foot + bar, axis="z")
    return model


def main() -> list[float]:
    model = build()
    print(vc.mobility(model))
    result = vc.simulate(model, until=8.0, integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    return [compare("angle of the left bar at 8 s", result["left foot.angle"][-1] + TURN, REFERENCE, "rad")]


if __name__ == "__main__":
    main()
