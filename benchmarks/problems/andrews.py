"""A03: Andrews' squeezing mechanism, data of the test set for initial value problem solvers."""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem

NAMES = ["OF", "FE", "BED", "EG", "GA", "HE", "AH"]
MASSES = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498]
INERTIAS = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
# fixed points as complex numbers x + iy
A, B, C = -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j
SPRING_STIFFNESS, SPRING_LENGTH, DRIVE_TORQUE = 4530.0, 0.07785, 0.033
# beta, Theta, gamma, Phi, delta, Omega, epsilon at the start
START_ANGLES = np.array(
    [
        -0.0617138900142764496,
        0.0,
        0.455279819163070380,
        0.222668390165885885,
        0.487364979543842550,
        -0.222668390165885885,
        1.23054744454982119,
    ]
)
# the angle of body k to the x axis is row k of this matrix times the seven angles above
ANGLE_SUMS = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 0, 1],
    ],
    dtype=float,
)


def _arms(**lengths: complex) -> np.ndarray:
    """Coefficients of exp(i angle) of the bodies named by their keyword, zero for the others."""
    return np.array([lengths.get(name, 0) for name in NAMES], dtype=complex)


# Every point is origin + sum of arms * exp(i angles of the bodies); -1j turns an arm by -90 degrees.
# Origins: O = 0 for F, E and the first two centres of mass, A or B for the others.
E_ARMS = _arms(OF=0.007, FE=-0.028)
D_ARMS = _arms(BED=0.02 - 0.018j)
COM_ORIGINS = np.array([0, 0, B, A, A, A, A])
COM_ARMS = np.array(
    [
        _arms(OF=0.00092),
        _arms(OF=0.007, FE=-0.0115),
        _arms(BED=0.01043 - 0.01874j),
        _arms(GA=0.04, EG=-1j * (0.02 - 0.01421)),
        _arms(GA=0.02308 + 0.00916j),
        _arms(AH=-0.04j, HE=0.02 - 0.01421),
        _arms(AH=-0.00449 - 0.01228j),
    ]
)
# E as seen from the three ground points B, A, A: equal to E_ARMS when the loops are closed
E_FROM_GROUND = np.array([_arms(BED=-0.035j), _arms(GA=0.04, EG=-0.02j), _arms(AH=-0.04j, HE=0.02)])


def _spatial(point: complex) -> np.ndarray:
    return np.array([np.real(point), np.imag(point), 0.0])


def squeezing_mechanism() -> Problem:
    problem = Problem("A03", duration=0.05, gravity=np.zeros(3), planar=True, size=0.03)
    turn = np.exp(1j * ANGLE_SUMS @ START_ANGLES)
    coms = COM_ORIGINS + COM_ARMS @ turn
    for name, mass, com, inertia in zip(NAMES, MASSES, coms, INERTIAS, strict=True):
        # only the last entry matters in the plane; the others are a plausible plate
        tensor = [0.6 * inertia + 1e-7, 0.6 * inertia + 1e-7, inertia]
        problem.add_body(name, mass, _spatial(com), tensor)
    points = {
        "O": 0, "A": A, "B": B, "F": 0.007 * turn[0], "E": E_ARMS @ turn,
        "G": A + 0.04 * turn[4], "H": A - 0.04j * turn[6],
    }  # fmt: skip
    _add_joints(problem, {name: _spatial(p) for name, p in points.items()})
    d = _spatial(B + D_ARMS @ turn)
    spring = {"stiffness": SPRING_STIFFNESS, "damping": 0.0, "length": SPRING_LENGTH}
    problem.add_spring(GROUND, NAMES.index("BED"), _spatial(C), d, **spring)
    problem.torques.append((NAMES.index("OF"), np.array([0, 0, DRIVE_TORQUE])))
    problem.track(NAMES.index("FE"), _spatial(points["E"]))
    return problem


def _add_joints(problem: Problem, points: dict[str, np.ndarray]) -> None:
    body = {name: i for i, name in enumerate(NAMES)} | {"ground": GROUND}
    tree = ["O ground OF", "F OF FE", "B ground BED", "A ground GA", "G GA EG", "A ground AH", "H AH HE"]
    for line in [*tree, "E BED FE", "E EG FE", "E HE FE"]:
        point, a, b = line.split()
        problem.add_joint("rev", body[a], body[b], points[point], [0, 0, 1])
