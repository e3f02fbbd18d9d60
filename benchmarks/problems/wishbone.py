"""Double wishbone quarter car: chassis on a vertical guide, two arms, upright, tie rod and wheel; arms on hinges or
in rubber bushings."""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem, rod_inertia, unit

# hard points in m: x forward, y left, z up
UPPER_FRONT, UPPER_REAR, UPPER_BALL = np.array([[0.12, 0.42, 0.62], [-0.16, 0.42, 0.60], [-0.02, 0.68, 0.60]])
LOWER_FRONT, LOWER_REAR, LOWER_BALL = np.array([[0.15, 0.36, 0.26], [-0.20, 0.36, 0.24], [0.01, 0.74, 0.22]])
TIE_INNER, TIE_OUTER = np.array([[-0.14, 0.38, 0.34], [-0.12, 0.70, 0.33]])
WHEEL_CENTRE = np.array([0, 0.78, 0.33])
STRUT_TOP, STRUT_FOOT = np.array([[0.0, 0.46, 0.80], [0.0, 0.60, 0.25]])
GUIDE = np.array([0, 0, 0.55])
START_VELOCITY = np.array([0, 0, -0.6])  # of everything, m/s


def double_wishbone() -> Problem:
    """Both arms on hinges."""
    return _quarter_car("wishbone", "rev")


def bushed_wishbone() -> Problem:
    """Both arms in rubber: six more freedoms, which swing at 50 to 330 Hz and are damped by 0.07 to 0.5 of critical."""
    return _quarter_car("bushings", "bush", stiffness=5e6, damping=2e3)


def _quarter_car(name: str, arm_joint: str, **rubber: float) -> Problem:
    problem = Problem(name, duration=2.0, gravity=np.array([0, 0, -9.81]))
    _add_bodies(problem)
    chassis, upper, lower, upright, tie_rod, wheel = range(6)
    problem.add_joint("pri", GROUND, chassis, GUIDE, [0, 0, 1])
    for arm, front, rear in ((upper, UPPER_FRONT, UPPER_REAR), (lower, LOWER_FRONT, LOWER_REAR)):
        problem.add_joint(arm_joint, chassis, arm, (front + rear) / 2, front - rear, **rubber)
    problem.add_joint("sph", lower, upright, LOWER_BALL)
    problem.add_joint("rev", upright, wheel, WHEEL_CENTRE, [0, 1, 0])
    problem.add_joint("sph", upper, upright, UPPER_BALL)
    along_tie = unit(TIE_OUTER - TIE_INNER)
    level = unit(np.cross(along_tie, [0, 0, 1]))
    problem.add_joint("uni", chassis, tie_rod, TIE_INNER, np.cross(along_tie, level), level)
    problem.add_joint("sph", tie_rod, upright, TIE_OUTER)
    # strut and tyre are preloaded close to static equilibrium
    strut_length = np.linalg.norm(STRUT_TOP - STRUT_FOOT) + 0.14
    strut = {"stiffness": 4e4, "damping": 2.5e3, "length": strut_length}
    problem.add_spring(chassis, lower, STRUT_TOP, STRUT_FOOT, **strut)
    patch = WHEEL_CENTRE - [0, 0, 0.33]
    problem.add_spring(GROUND, wheel, patch, WHEEL_CENTRE, stiffness=2e5, damping=2e2, length=0.349)
    problem.track(wheel, WHEEL_CENTRE)
    return problem


def _add_bodies(problem: Problem) -> None:
    tie = TIE_OUTER - TIE_INNER
    tie_inertia = rod_inertia(0.6, np.linalg.norm(tie), tie) + 1e-4 * np.eye(3)
    upper_com = (UPPER_FRONT + UPPER_REAR + 2 * UPPER_BALL) / 4
    lower_com = (LOWER_FRONT + LOWER_REAR + 2 * LOWER_BALL) / 4
    upright_com = (UPPER_BALL + LOWER_BALL + 2 * WHEEL_CENTRE) / 4
    for name, mass, com, inertia in [
        ("chassis", 350.0, GUIDE, [60, 60, 60]),
        ("upper_arm", 2.5, upper_com, [0.02, 0.025, 0.04]),
        ("lower_arm", 4.0, lower_com, [0.05, 0.06, 0.1]),
        ("upright", 8.0, upright_com, [0.15, 0.15, 0.08]),
        ("tie_rod", 0.6, (TIE_INNER + TIE_OUTER) / 2, tie_inertia),
        ("wheel", 18.0, WHEEL_CENTRE, [0.7, 1.2, 0.7]),
    ]:
        problem.add_body(name, mass, com, inertia, velocity=START_VELOCITY)
