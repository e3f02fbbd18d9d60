"""A Formula Student car: curves and loads of its suspensions, and a step of its steering at 15 m/s.

Source: dimensions of our own. The bicycle model (Gillespie, Fundamentals of Vehicle Dynamics, 1992, chapter 6) gives
the
yaw rate that a car with linear tyres settles at, v/(L + K v^2) for each radian of steer angle. The planes of the two
arms
cut the plane of the wheels in two lines, which meet at the instant centre; from the contact point through it to the
middle
goes the line on which the roll centre is. Both must be met to 5e-3: the tie rod takes no part in that drawing.
"""

from dataclasses import replace

import numpy as np

import vincolo as vc
from comparison import compare
from vincolo.vehicle.manoeuvres import steer_per_rack

SPEED, STEERING = 15.0, 0.15  # m/s, rad at the steering wheel


def car() -> vc.vehicle.Built:
    """The car without wings, on linear tyres that neither trail nor feel camber."""
    plain = replace(vc.vehicle.example_car(), drag=0.0, downforce_front=0.0, downforce_rear=0.0)
    tyre = vc.vehicle.example_tyre("linear")
    return vc.vehicle.build_car(plain, replace(tyre, numbers={**tyre.numbers, "trail": 0.0, "C_gamma": 0.0}))


def drawn_roll_centre(s: vc.vehicle.Suspension) -> float:
    """Height [m] over the ground by the planes of the arms."""
    centre = s.point("wheel_centre")
    lines = []  # a y + b z = c in the plane x of the wheel
    for arm in ("upper", "lower"):
        front, rear, ball = (s.point(f"{arm}_{end}") for end in ("front", "rear", "ball"))
        normal = np.cross(rear - front, ball - front)
        lines.append((normal[1], normal[2], normal @ front - normal[0] * centre[0]))
    (a, b, c), (d, e, f) = lines
    y, z = np.linalg.solve([[a, b], [d, e]], [c, f])
    spin = s.spindle()
    patch = centre - s.wheel_radius * (np.array([0, 0, 1]) - spin * spin[2]) / np.hypot(spin[0], spin[1])
    return float(patch[1] * (z - patch[2]) / (patch[1] - y))


def main() -> list[float]:
    built = car()
    front = vc.vehicle.curves(built.car.front, car=built.car.setting("front"))
    print(front, "\n")
    table = vc.vehicle.load_table(built.car)
    for member in ("front_left_push_rod", "front_left_tie_rod", "front_left_spring"):
        low, high = table.envelope[member]
        print(f"{member:<24} from {low:9.1f} to {high:9.1f} N over {len(table.cases)} load cases")
    step = vc.vehicle.step_steer(built, SPEED, STEERING, until=2.0)
    print(f"response: 90 % of the yaw rate after {step.yaw_time:.3f} s, overshoot {step.overshoot:.1%}\n")
    gain = SPEED / (built.car.wheelbase + vc.vehicle.bicycle_gradient(built) * SPEED**2)
    steer = STEERING * built.car.rack_ratio * steer_per_rack(built)
    drawn = drawn_roll_centre(built.car.front)
    return [compare("roll centre of the front axle", front.at("roll_centre_height"), drawn, "m"),
            compare("steady yaw rate", step.yaw_rate, gain * steer, "rad/s")]


if __name__ == "__main__":
    main()
