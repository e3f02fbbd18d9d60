"""An unbalanced rotor on two bearings with oil films, driven at 100 rad/s, 0.6 s.

Source: Vita, PhD thesis, Tor Vergata (about 2005), section 4.8: 1 kg, 1 mm off its axis, bearings 0.2 and 0.1 m from
its centre. Its moment of inertia about the axis is given as 0.3 kg m2, more than the other two together (0.01 each)
allow; a wheel that spins faster inside it has the same angular momentum. From the circle of an ideal rotor it comes to
whirl with the spin: its centre on a circle of 1.12025 mm, the journals on circles of 0.5680 and 0.6321 of the
clearance.
"""

import numpy as np

import vincolo as vc
from comparison import compare

OFF, SPEED, CLEARANCE = 1e-3, 100.0, 3e-4  # m, rad/s, m


def build() -> vc.Model:
    """The rotor with its wheel, on films alone; a drive turns it and a stop keeps it in place along its axis."""
    model = vc.Model("rotor on oil films", gravity=(0, 0, 0))
    start = {"at": (OFF, 0, 0), "velocity": (0, OFF * SPEED, 0)}
    rotor = model.body("rotor", 0.1, (0.001, 0.001, 0.002), angular_velocity=(0, 0, SPEED), **start)
    fast = (0.3 - 0.002) * SPEED / 0.018
    wheel = model.body("wheel", 0.9, (0.009, 0.009, 0.018), angular_velocity=(0, 0, fast), **start)
    model.revolute("spindle", rotor, wheel, at=(OFF, 0, 0), axis="z")
    for name, z in (("A", 0.2), ("B", -0.1)):
        model.journal_bearing(name, model.ground.frame((0, 0, z)), rotor.frame((0, 0, z)), radius=0.02, length=0.02,
                              clearance=CLEARANCE, viscosity=0.0242, tilt=False, friction=False)
    ground, axis = model.ground.frame((0, 0, 0)), rotor.frame((0, 0, 0))
    model.hold("thrust", vc.along("z", ground, axis))
    model.drive(vc.angle(ground, axis), f"{SPEED}*t", name="motor")
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=0.6)
    radius = float(np.hypot(result["rotor.x"][-1], result["rotor.y"][-1]))
    found = [compare("radius of the centre", 1e3 * radius, 1.12025, "mm")]
    for name, wanted in (("A", 0.5680), ("B", 0.6321)):
        off = float(np.hypot(result[f"{name}.x.value"][-1], result[f"{name}.y.value"][-1]))
        found.append(compare(f"eccentricity in {name}, of the clearance", off / CLEARANCE, wanted, ""))
    return found


if __name__ == "__main__":
    main()
