"""A slider-crank with a play of 0.5 mm in the pin between rod and slider: rigid impacts against elastic ones.

Source: two models of ours against each other, and closed forms. The pin begins where an ideal one would be, crosses its
play and meets the hole; rigidly this is one impulse, elastically (Lankarani and Nikravesh 1990) a force of some 50
microseconds. From the impulse and the speed of the rigid blow follows the peak of the elastic force, as if nothing
else acted meanwhile. The inertia of the slider does: the first peak is 9 % higher, and the excess falls with the
stiffness to the power -0.4 as the contact becomes shorter, so that both models are one in the limit; the next peaks are
within 6 %. The slider strays by at most gap / cos(largest angle of the rod) from where an ideal pin would have it.

The mechanism is of the size that Flores and others study (crank 50 mm at 5000 rpm, rod 120 mm, play 0.5 mm, restitution
0.9, steel of 207 GPa and 0.3: by memory), with masses of ours. Peaks that they print as numbers were not found, only
abstracts, so that the elastic run is checked against equations of its own instead, written and integrated by other
means (tests/oracles/test_clearance_peaks.py): 24 contacts of the first turn. The stiffness is Hertz's for a pin of
9.5 mm in a hole of 10 mm.
"""

import math

import numpy as np
from scipy.optimize import brentq

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
    rod = m.body("rod", 0.21, 2.5e-4, at=(0.11, 0, 0), velocity=(0, 0, -SPEED * CRANK / 2),
                 angular_velocity=(0, -SPEED * CRANK / ROD, 0))
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


def peak_force(impulse: float, speed: float, stiffness: float = K) -> float:
    """Largest force [N] of an elastic blow that does what a rigid one does, nothing else acting: of
    m v dv/dd = -K d^1.5 (1 + a v/v0), a = 3 (1 - e^2) / 4, the first integral is (2/5) (K/m) d^2.5 = v0^2 g(v/v0), and
    the force is largest where 1.5 x = 2.5 a g(x), x = v/v0."""
    a, mass = 0.75 * (1 - E**2), impulse / ((1 + E) * speed)

    def g(x: float) -> float:  # integral of y / (1 + a y) from x to 1
        return (1 - x) / a - math.log((1 + a) / (1 + a * x)) / a**2

    x = brentq(lambda x: 1.5 * x - 2.5 * a * g(x), 0, 1)
    deep = (2.5 * mass / stiffness * speed**2 * g(x))**0.4
    return stiffness * deep**1.5 * (1 + a * x)


def elastic_run(until: float, outputs: np.ndarray, stiffness: float = K, rtol: float = 1e-10) -> np.ndarray:
    """Force of the elastic pin [N] at some times."""
    result = vc.simulate(build({"restitution": E, "stiffness": stiffness}), until, outputs=outputs,
                         integrator=vc.integrators.DOP853(rtol=rtol, atol=1e-3 * rtol))
    return result["C.radial.force"] * np.sqrt(2 * result["C.radial.value"] / GAP)  # from r^2 / (2 c) to r


def peaks(force: np.ndarray) -> np.ndarray:
    """The largest force of each contact, between samples on the parabola through three of them."""
    on = np.concatenate([[False], force > 0, [False]])
    begins, ends = np.flatnonzero(~on[:-1] & on[1:]), np.flatnonzero(on[:-1] & ~on[1:])
    found = []
    for begin, end in zip(begins, ends, strict=True):
        k = begin + int(np.argmax(force[begin:end]))
        left, top, right = force[max(k - 1, 0)], force[k], force[min(k + 1, len(force) - 1)]
        bend = left - 2 * top + right
        found.append(top - (right - left)**2 / (8 * bend) if bend < 0 else top)
    return np.array(found)


def rigid_blows(count: int) -> list[tuple[float, float]]:
    """Time [s] and peak force [N] of the first rigid blows."""
    events = [event for event in vc.simulate(build({"restitution": E}), 1.2e-3).events if event.impulses]
    return [(event.t, peak_force(abs(event.impulses["C.radial"]), event.before["C.radial.rate"]))
            for event in events[:count]]


def farthest() -> float:
    """How far the slider can stray, in gaps: the distance of its pin from the crank pin is the rod and the play."""
    across = CRANK * np.sin(np.linspace(0.0, math.pi, 181))
    return float((np.sqrt((ROD + GAP)**2 - across**2) - np.sqrt(ROD**2 - across**2)).max()) / GAP


def main() -> list[float]:
    blows = rigid_blows(4)
    times = np.linspace(0.0, 1.2e-3, 24001)[1:]
    force = elastic_run(times[-1], times)
    met = times[np.argmax(force > 0)]
    ideal, loose = (vc.simulate(build(c), 0.024, outputs=480) for c in (None, {"restitution": E}))
    away = float(np.abs(loose["slider.x"] - ideal["slider.x"]).max()) / GAP
    found = [compare("first impact, elastic against rigid", met / blows[0][0], 1.0)]
    for k, (peak, (_, rigid)) in enumerate(zip(peaks(force)[:4], blows, strict=True), 1):
        found.append(compare(f"peak {k} ({peak / 1000:.1f} kN), elastic against rigid", peak / rigid, 1.0))
    return [*found, compare("slider away from the ideal one, in gaps", away, farthest())]


if __name__ == "__main__":
    main()
