"""A slider-crank with a play of 0.5 mm in the pin between rod and slider: rigid impacts against elastic ones.

Source: data of Flores, Ambrosio, Claro and Lankarani (2006), crank 50 mm at 5000 rpm, rod 120 mm, steel on steel
(66 GN/m^1.5), restitution 0.9. In both models the pin crosses its play and meets the hole for the first time; rigidly
this is one impulse, elastically (Lankarani and Nikravesh 1990) a force of some microseconds. Time and impulse must be
the same to 1 %; the slider strays about as far as the play from where an ideal pin would have it.
"""

import math

import numpy as np

import vincolo as vc
from comparison import compare

GAP, SPEED, E, K = 5e-4, 5000 * 2 * math.pi / 60, 0.9, 66e9


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


def main() -> list[float]:
    t, impulse, met, pressed = first_impact()
    ideal, loose = (vc.simulate(build(c), 0.024, outputs=480) for c in (None, {"restitution": E}))
    away = float(np.abs(loose["slider.x"] - ideal["slider.x"]).max()) / GAP
    return [compare("first impact, elastic against rigid", met / t, 1.0),
            compare("its impulse, elastic against rigid", pressed / impulse, 1.0),
            compare("slider away from the ideal one, in gaps", away, 1.1)]


if __name__ == "__main__":
    main()
