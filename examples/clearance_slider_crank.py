"""A slider-crank with a play of 0.5 mm in the pin between rod and slider: rigid impacts against elastic ones.

Source: two models of ours against each other, and a closed form. In both the pin crosses its play and meets the hole
for the first time; rigidly this is one impulse, elastically (Lankarani and Nikravesh 1990) a force of some
microseconds. Time and impulse must be the same to 1 %. The distance of slider pin and crank pin is at most the rod and
the play, so that the slider strays by at most gap / cos(largest angle of the rod) from where an ideal pin would have
it, and comes near to that.

The mechanism is of the size that Flores and others study (crank 50 mm at 5000 rpm, rod 120 mm, play 0.5 mm, restitution
0.9); their tables were not at hand, so that masses are ours and no peak force is compared with theirs. The stiffness is
Hertz's for a pin of 9.5 mm in a hole of 10 mm, both of steel, 207 GPa and 0.3.
"""

import math

import numpy as np

import vincolo as vc
from comparison import compare

GAP, SPEED, E, HOLE = 5e-4, 5000 * 2 * math.pi / 60, 0.9, 10e-3
CRANK, ROD = 0.05, 0.12


def hertz(hole: float, pin: float, modulus: float = 207e9, poisson: float = 0.3) -> float:
    """Stiffness [N/m^1.5] of a ball in a socket of the same material, which Lankarani and Nikravesh take for a pin in
    its hole too: 4 / (3 pi (h + h)) sqrt(R r / (R - r)), h = (1 - poisson^2) / (pi modulus)."""
    h = (1 - poisson**2) / (math.pi * modulus)
    return 4 / (3 * math.pi * 2 * h) * math.sqrt(hole * pin / (hole - pin))


K = hertz(HOLE, HOLE - GAP)  # 66 GN/m^1.5


def build(contact: dict[str, float] | None = None) -> vc.Model:
    """The mechanism in a plane; without `contact` the pin is ideal."""
    m = vc.Model("slider-crank with play", gravity=(0, 0, -9.81))
    crank = m.body("crank", 0.30, 1e-4, at=(0.025, 0, 0))
    rod = m.body("rod", 0.21, 2.5e-4, at=(0.11, 0, 0))
    slider = m.body("slider", 0.14, 1e-4, at=(0.17, 0, 0))
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("B", crank, rod, at=(0.05, 0, 0), axis="y")
    m.prismatic("D", m.ground, slider, at=(0.17, 0, 0), axis="x")
    m.drive("A.angle", f"{SPEED!r}*t")
    if not contact:
        m.revolute("C", rod, slider, at=(0.17, 0, 0), axis="y")
        return m
    m.planar("plane", rod, slider, at=(0.17, 0, 0), axis="y")
    hole, pin = (body.frame((0.17, 0, 0), z="y") for body in (rod, slider))
    m.clearance("C", "cylindrical", hole, pin, GAP, **contact)
    return m


def first_impact() -> tuple[float, float, float, float]:
    """Time [s] and impulse [N s] of the first impact: rigid, then elastic."""
    rigid = next(event for event in vc.simulate(build({"restitution": E}), 3e-3).events if event.impulses)
    times = np.linspace(0.0, rigid.t + 4e-4, 40001)
    elastic = vc.simulate(build({"restitution": E, "stiffness": K}), times[-1], outputs=times[1:],
                          integrator=vc.integrators.DOP853(rtol=1e-9, atol=1e-12))
    force = elastic["C.radial.force"] * np.sqrt(2 * elastic["C.radial.value"] / GAP)  # from r^2 / (2 c) to r
    met = elastic.t[np.argmax(force > 0)]
    first = (elastic.t >= met) & (np.cumsum(np.diff(force > 0, prepend=False)) <= 1)
    return rigid.t, abs(rigid.impulses["C.radial"]), float(met), float(np.trapezoid(force[first], elastic.t[first]))


def farthest() -> float:
    """How far the slider can stray, in gaps: the distance of its pin from the crank pin is the rod and the play."""
    across = CRANK * np.sin(np.linspace(0.0, math.pi, 181))
    return float((np.sqrt((ROD + GAP)**2 - across**2) - np.sqrt(ROD**2 - across**2)).max()) / GAP


def main() -> list[float]:
    t, impulse, met, pressed = first_impact()
    ideal, loose = (vc.simulate(build(c), 0.024, outputs=480) for c in (None, {"restitution": E}))
    away = float(np.abs(loose["slider.x"] - ideal["slider.x"]).max()) / GAP
    return [compare("first impact, elastic against rigid", met / t, 1.0),
            compare("its impulse, elastic against rigid", pressed / impulse, 1.0),
            compare("slider away from the ideal one, in gaps", away, farthest())]


if __name__ == "__main__":
    main()
