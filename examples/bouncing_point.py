"""A point falls from 1 m onto a floor that throws it back: times and heights of the first eight bounces.

Source: Newton's law of restitution (1687), in closed form: the point reaches the floor after t1 = sqrt(2 h / g)
and leaves it with e times its speed, so that every flight takes e times as long as the one before and is e^2 times as
high: t_n = t1 (1 + 2 (e + e^2 + ... + e^(n-1))), h_n = e^(2 n) h. All times must meet that within 1e-10 s and all
heights within 1e-10 m.
"""

import math

import vincolo as vc
from comparison import compare

GRAVITY, HEIGHT, BOUNCES = 9.81, 1.0, 8


def build(e: float = 0.9) -> vc.Model:
    """The point above the floor z = 0; the run stops after so many bounces, at the top of the last flight."""
    model = vc.Model("bouncing point", gravity=(0, 0, -GRAVITY))
    model.body("ball", mass=0.5, inertia=0.0, at=(0, 0, HEIGHT))
    model.variable("count")
    model.event("bounce", "ball.z", direction="down", bounce={"ball.z": e}, set={"count": "count + 1"})
    model.event("top", "ball.vz", direction="down")
    model.event("enough", f"max(count - {BOUNCES} + 0.5, 0)*ball.vz", direction="down", stop=True)
    return model


def bounces(e: float) -> tuple[list[float], list[float]]:
    """Times of the bounces [s], and heights between them [m]."""
    result = vc.simulate(build(e), until=60.0)
    return ([event.t for event in result.events if event.name == "bounce"],
            [event.after["ball.z"] for event in result.events if event.name == "top"])


def main() -> list[float]:
    found = []
    first = math.sqrt(2 * HEIGHT / GRAVITY)
    for e in (0.5, 0.9, 1.0):
        times, heights = bounces(e)
        for n, (t, z) in enumerate(zip(times, heights, strict=True), 1):
            expected = first * (1 + 2 * sum(e**k for k in range(1, n)))
            found.append(compare(f"e = {e:g}, bounce {n}", t, expected, "s"))
            found.append(compare(f"e = {e:g}, height {n}", z, e**(2 * n) * HEIGHT, "m"))
    return found


if __name__ == "__main__":
    main()
