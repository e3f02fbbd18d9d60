"""A hydraulic cylinder moves a mass against a load; then its valve closes, and the oil in it is a spring.

Source: H. E. Merritt, Hydraulic Control Systems (1967), chapters 5 and 6: with a symmetrical valve a cylinder of the
area A moves a load F steadily at v = C u/A sqrt((p_s - F/A)/2), where C u is the conductance of the valve and p_s the
supply. With the valve closed the pressure of each chamber follows from its volume alone, p = p_0 - beta ln(V/V_0).
Pressures are states of the model: V p' = beta (q - A v). Both must be met to 1e-6.
"""

import math

import vincolo as vc
from comparison import compare

AREA, MASS, LOAD = 1e-3, 100.0, 5e3  # m2, kg, N
SUPPLY, BETA, CONDUCTANCE = 2e7, 1.4e9, 4e-8  # Pa, Pa, m3/(s sqrt(Pa))
VOLUME = 5e-4  # m3, of each chamber at the middle
CLOSED, END = 3.0, 3.2  # s


def build() -> vc.Model:
    """The rod on its rail, with the pressures of both chambers as states and the valve as an input."""
    model = vc.Model("hydraulic actuator", gravity=(0, 0, 0))
    rod = model.body("rod", MASS, 1.0)
    model.prismatic("rail", model.ground, rod, at=(0, 0, 0), axis="x")
    model.input("valve", value=0.0)
    numbers = {"beta": BETA, "A": AREA, "V": VOLUME, "C": CONDUCTANCE}
    model.state("p1", "beta/(V + A*rod.x)*(C*valve*sqrt(max(ps - p1, 0)) - A*rod.vx)", SUPPLY / 2, unit="Pa", size=1e6,
                ps=SUPPLY, **numbers)
    model.state("p2", "beta/(V - A*rod.x)*(A*rod.vx - C*valve*sqrt(max(p2, 0)))", SUPPLY / 2, unit="Pa", size=1e6,
                **numbers)
    model.actuator("cylinder", "rail.travel", "A*(p1 - p2)", A=AREA)
    model.law("load", "rail.travel", LOAD)
    model.output("speed", "rod.vx", unit="m/s")
    return model


def main() -> list[float]:
    """Opens the valve for three seconds, and compares speed and pressures."""
    result = vc.simulate(build(), END, inputs={"valve": ([0.0, CLOSED], [1.0, 0.0])}, outputs=[0.0, 2.99, CLOSED, END],
                         integrator=vc.integrators.DOP853(rtol=1e-10, atol=1e-12))
    steady = CONDUCTANCE / AREA * math.sqrt((SUPPLY - LOAD / AREA) / 2)
    numbers = [compare("steady speed", result["speed"][1], steady, "m/s")]
    for name, sign in (("p1", 1), ("p2", -1)):
        volume = VOLUME + sign * AREA * result["rod.x"]
        trapped = result[name][2] - BETA * math.log(volume[3] / volume[2])
        numbers.append(compare(f"{name} of the trapped oil, over its volume's", result[name][3] / trapped, 1.0))
    print(result.summary())
    return numbers


if __name__ == "__main__":
    main()
