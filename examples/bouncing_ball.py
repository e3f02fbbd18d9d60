"""A ball that falls on a floor from 1 m, with restitution 0, 0.5 and 1.

Source: closed form, by Newton's law of restitution e.
It must come back to heights of 1 m times e^2, e^4, e^6 ..., and lie still after t1 (1 + 2 e / (1 - e)), where t1 is
the time of the first fall: 1.3545709 s with e = 0.5.
"""

import math

import vincolo as vc
from comparison import compare

G = 9.81


def build(e: float = 0.5) -> vc.Model:
    """The ball, the floor as a stop, and an event to see the heights."""
    m = vc.Model("bouncing ball", gravity=(0, 0, -G))
    m.body("ball", mass=0.5, inertia=0.001, at=(0, 0, 1))
    m.stop("floor", "ball.z", at_least=0.0, restitution=e, rest=1e-6)
    m.event("top", "ball.vz", direction="down")
    return m


def heights(e: float, until: float) -> list[float]:
    """Heights to which the ball comes back."""
    return [event.after["ball.z"] for event in vc.simulate(build(e), until).events if event.name == "top"]


def rest(e: float) -> float:
    """When it lies still [s]."""
    model = build(e)
    model.remove("top")
    return vc.simulate(model, 5.0).events[-1].t


def main() -> list[float]:
    first = math.sqrt(2 / G)
    return [compare("e = 0: rests after", rest(0.0), first, "s"),
            compare("e = 0.5: third height", heights(0.5, 1.2)[2], 0.5**6, "m"),
            compare("e = 0.5: rests after", rest(0.5), 3 * first, "s"),
            compare("e = 1: third height", heights(1.0, 3.0)[2], 1.0, "m")]


if __name__ == "__main__":
    main()
