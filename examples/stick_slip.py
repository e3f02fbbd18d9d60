"""A block on a belt, held back by a spring: it sticks to the belt, breaks loose, slides and sticks again.

Source: closed form (Den Hartog 1931). It breaks loose where k x = mu_s N, slides for 2 / w (pi - atan(w s / v)) with
s = (mu_s - mu) N / k, and sticks for 2 s / v. The tenth change must come after 4.873691290 s.
"""

import math

import vincolo as vc
from comparison import compare

G, MASS, K, SPEED, MU, STATIC = 9.81, 1.0, 50.0, 0.2, 0.25, 0.4


def build() -> vc.Model:
    """A driven belt, the block on a rail above it, and friction between the two."""
    m = vc.Model("stick-slip", gravity=(0, 0, -G))
    block, belt = m.body("block", MASS, 0.1), m.body("belt", 1.0, 0.1, at=(0, 0, -0.1))
    rail = m.prismatic("rail", m.ground, block, at=(0, 0, 0), axis="x")
    track = m.prismatic("track", m.ground, belt, at=(0, 0, -0.1), axis="x")
    m.drive("track.travel", f"{SPEED}*t")
    m.spring("spring", "rail.travel", k=K, length=0.0)
    m.friction("dry", rail["travel"] - track["travel"], MU, mu_static=STATIC, normal=MASS * G)
    return m


def changes(count: int) -> list[float]:
    """Times of the closed form [s]."""
    w, s = math.sqrt(K / MASS), (STATIC - MU) * MASS * G / K
    t, found = STATIC * MASS * G / (K * SPEED), []
    while len(found) < count:
        found += [t, t + 2 / w * (math.pi - math.atan(w * s / SPEED))]
        t = found[-1] + 2 * s / SPEED
    return found[:count]


def main() -> list[float]:
    start = vc.assemble(build(), {"rail.travel.rate": SPEED})
    result = vc.simulate(start.system, 9.0, start=start, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-13))
    pairs = zip([event.t for event in result.events], changes(10), strict=False)
    return [compare(f"change {k + 1}", found, told, "s") for k, (found, told) in enumerate(pairs)]


if __name__ == "__main__":
    main()
