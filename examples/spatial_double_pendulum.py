"""Two bars in space: the first turns about the fixed z axis, the second about the long axis of the first, 5 s.

Source: Valentini, Pennestri, D'Alessio and Ferrari, SymDyn3D (about 2001): bars of 1 m, 1 kg, with 0.1 kg m2
across and 0.01 kg m2 along. The paper gives neither gravity nor the place of the second bar in its text; chosen
here: gravity of 9.81 m/s2 along -y, so in the plane in which the first bar swings, and the second bar at the end
of the first, at right angles to it, level along -z; the first starts along x; both at rest. There are no published
numbers: the reference is Lagrange's equations in two angles, solved to twelve digits; both centres must meet them
within 1e-7 m.
"""

import numpy as np
from scipy.integrate import solve_ivp

import vincolo as vc
from comparison import compare

GRAVITY = 9.81


def build() -> vc.Model:
    """Both bars at rest in the horizontal plane."""
    model = vc.Model("spatial double pendulum", gravity=(0, -GRAVITY, 0))
    first = model.body("first", 1.0, (0.01, 0.1, 0.1), at=(0.5, 0, 0))
    second = model.body("second", 1.0, (0.1, 0.1, 0.01), at=(1, 0, -0.5))
    model.revolute("swing", model.ground, first, at=(0, 0, 0), axis="z")
    model.revolute("twist", first, second, at=(1, 0, 0), axis="x")
    return model


def lagrange(_: float, s: np.ndarray) -> list[float]:
    """Swing q, and twist p from hanging: the rates of the state (q, p, q', p')."""
    q, p, dq, dp = s
    A, dA = 0.35 + 1 + 0.25 * np.cos(p) ** 2 + 0.1 - 0.09 * np.sin(p) ** 2, -0.68 * np.sin(p) * np.cos(p)
    B, dB, C = 0.5 * np.sin(p), 0.5 * np.cos(p), 0.35
    V_q = GRAVITY * (1.5 * np.cos(q) + 0.5 * np.cos(p) * np.sin(q))
    V_p = GRAVITY * 0.5 * np.sin(p) * np.cos(q)
    # A q'' + B p'' + A' q' p' + B' p'^2 = -V_q,  B q'' + C p'' - A' q'^2 / 2 = -V_p
    ddq, ddp = np.linalg.solve([[A, B], [B, C]], [-V_q - dA * dq * dp - dB * dp**2, -V_p + 0.5 * dA * dq**2])
    return [dq, dp, ddq, ddp]


def reference(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres (n, 3) of both bars [m] by Lagrange's equations."""
    q, p, *_ = solve_ivp(lagrange, (0, t[-1]), [0, np.pi / 2, 0, 0], "DOP853", t, rtol=1e-12, atol=1e-13).y
    radial, across = np.array([np.cos(q), np.sin(q), 0 * q]), np.array([-np.sin(q), np.cos(q), 0 * q])
    second = radial - 0.5 * (np.cos(p) * across + np.sin(p) * np.array([[0], [0], [1]]))
    return 0.5 * radial.T, second.T


def main() -> list[float]:
    result = vc.simulate(build(), until=5.0, outputs=500, integrator=vc.integrators.DOP853(rtol=1e-11, atol=1e-12))
    first, second = reference(result.t)
    return [compare("first bar's centre y at 5 s", result["first.y"][-1], first[-1, 1], "m"),
            compare("second bar's centre y at 5 s", result["second.y"][-1], second[-1, 1], "m"),
            compare("second bar's centre z at 5 s", result["second.z"][-1], second[-1, 2], "m")]


if __name__ == "__main__":
    main()
