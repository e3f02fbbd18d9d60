"""The McPherson suspension on a road that comes from outside, step by step, as on a test bench.

Source: Oldani (2010), as in mcpherson.py. There the road is a function of time; here it is an input that is set every
millisecond and goes on in straight lines. The wheel's centre must be at a height of 0.026042 m after 5 s, to 1e-5 m:
the polygon through the samples is at most 0.03 (5 pi 1 ms)^2 / 8 = 9e-7 m off the wave. Every step fits into its
millisecond many times: see `vincolo hil mcpherson_road.py --measure`, and export it with `vincolo export --as c`.
"""

import math

import vincolo as vc
from comparison import compare
from mcpherson import REFERENCE
from mcpherson import build as build_driven

STEP = 1e-3  # s


def build() -> vc.Model:
    """The suspension with the height of the road as an input, and of the wheel as an output."""
    model = build_driven()
    model.remove("road slide.travel.drive")
    model.input("height", unit="m", between="linear")
    model.drive("road slide.travel", "height")
    model.output("hub_height", "wheel.z", unit="m")
    return model


def main() -> list[float]:
    bench = vc.stepper(build(), STEP, integrator=vc.integrators.RK4(step=STEP))
    for k in range(1, 5001):
        bench.step(height=0.03 * math.sin(5 * math.pi * k * STEP))  # where the road is at the end of the step
    print(bench)
    return [compare("wheel z at 5 s", bench.read()["hub_height"], REFERENCE, "m")]


if __name__ == "__main__":
    main()
