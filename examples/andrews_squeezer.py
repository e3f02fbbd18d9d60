"""Andrews' squeezing mechanism: seven bodies, ten hinges, a stiff spring and a motor, 0.03 s.

Source: W. Schiehlen, Multibody Systems Handbook (1990); reference by the test set for initial value problems
(Mazzia and Magherini, 2008). The angle of the crank OF must be 15.8107711963 rad at 0.03 s. The sources give
planar data, one moment of inertia per body; `build(planar=False)` adds moments about the other two axes, which
change nothing.
"""

import numpy as np

import vincolo as vc
from comparison import compare

# beta, theta, gamma, phi, delta, omega, epsilon: consistent start [rad] and values at 0.03 s
START = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
         -0.222668390165885885, 1.23054744454982119)
ANGLES = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
          0.5347301163226948, 1.048080741042263)
RATES = (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
         -19.29337464421385, 0.3231791658026955)
JOINTS = ("O", "F", "B", "G", "A", "H", "A'")  # whose coordinates these angles are
BODIES = {"OF": (0.04325, 2.194e-6), "FE": (0.00365, 4.410e-7), "BED": (0.02373, 5.255e-6), "EG": (0.00706, 5.667e-7),
          "GA": (0.07050, 1.169e-5), "HE": (0.00706, 5.667e-7), "AH": (0.05498, 1.912e-5)}  # kg, kg m2
A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])


def along(angle: float) -> np.ndarray:
    """Direction at an angle from x."""
    return np.array([np.cos(angle), np.sin(angle), 0])


def below(angle: float) -> np.ndarray:
    """The same direction turned by -90 degrees."""
    return np.array([np.sin(angle), -np.cos(angle), 0])


def points() -> dict[str, np.ndarray]:
    """Pins and centres of mass [m] at the start."""
    beta, theta, gamma, phi, delta, omega, epsilon = START
    F, G, H = 0.007 * along(beta), A + 0.04 * along(delta), A + 0.04 * below(epsilon)
    return {"F": F, "G": G, "H": H, "E": F - 0.028 * along(beta + theta),
            "D": B + 0.02 * along(gamma) + 0.018 * below(gamma),
            "OF": 0.00092 * along(beta), "FE": F - 0.0115 * along(beta + theta),
            "BED": B + 0.01874 * below(gamma) + 0.01043 * along(gamma),
            "EG": G + (0.02 - 0.01421) * below(phi + delta), "GA": A + 0.02308 * along(delta) - 0.00916 * below(delta),
            "HE": H + (0.02 - 0.01421) * along(omega + epsilon),
            "AH": A + 0.01228 * below(epsilon) - 0.00449 * along(epsilon)}


def build(planar: bool = True) -> vc.Model:
    """The mechanism at rest in its consistent start."""
    model, at = vc.Model("Andrews' squeezer", gravity=(0, 0, 0)), points()
    body = {name: model.body(name, mass, (0, 0, Izz) if planar else (Izz, 0.7 * Izz, Izz), at=at[name])
            for name, (mass, Izz) in BODIES.items()}
    ground = model.ground
    for name, a, b, pin in (("O", ground, body["OF"], (0, 0, 0)), ("F", body["OF"], body["FE"], at["F"]),
                            ("B", ground, body["BED"], B), ("A", ground, body["GA"], A), ("A'", ground, body["AH"], A),
                            ("G", body["GA"], body["EG"], at["G"]), ("H", body["AH"], body["HE"], at["H"]),
                            ("E1", body["BED"], body["FE"], at["E"]), ("E2", body["EG"], body["FE"], at["E"]),
                            ("E3", body["HE"], body["FE"], at["E"])):
        model.revolute(name, a, b, at=pin, axis="z")
    model.spring("spring", ground.frame(C), body["BED"].frame(at["D"]), k=4530.0, length=0.07785)
    model.torque("motor", body["OF"], (0, 0, 0.033))
    return model


def angles_and_rates(result: vc.Result) -> tuple[np.ndarray, np.ndarray]:
    """The seven angles [rad] and their rates [rad/s] at the end of a run, as the sources count them."""
    turned = np.array([result[f"{name}.angle"][-1] for name in JOINTS])
    return turned + START, np.array([result[f"{name}.angle.rate"][-1] for name in JOINTS])


def main() -> list[float]:
    found = []
    for planar in (True, False):
        result = vc.simulate(build(planar), until=0.03, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-12))
        angles, _ = angles_and_rates(result)
        data = "planar data" if planar else "spatial inertia"
        found.append(compare(f"crank angle at 0.03 s, {data}", angles[0], ANGLES[0], "rad"))
    return found


if __name__ == "__main__":
    main()
