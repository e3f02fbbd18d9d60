"""McPherson quarter car with a tyre of stiff damping, on Oldani's data (doctoral thesis, University of Bergamo, 2010).

Bodies, joints, stiffness and damping are Oldani's. There the chassis is the ground and the road moves, which not every
engine can do exactly. Here the road is still and the chassis, with the mass of a quarter car, drops with all the rest;
spring and tyre are preloaded close to static equilibrium.
"""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem

# hard points in m, z up: arm pivot, ball joint, strut top, wheel centre, tie rod ends
REAR, BALL, TOP = np.array([[0.27, -0.005, -0.01], [0.45, -0.33, -0.04], [0.46, -0.18, 0.47]])
HUB, OUTER, INNER = np.array([[0.452, -0.41, 0.02], [0.56, -0.30, 0.06], [0.47, 0.06, 0.09]])
PATCH = HUB - [0, 0, 0.35]
STRUT_AXIS = TOP - BALL
CHASSIS_MASS = 350.0  # kg, not in the thesis
START_VELOCITY = np.array([0, 0, -0.6])  # of everything, m/s


def mcpherson() -> Problem:
    problem = Problem("mcpherson", duration=2.0, gravity=np.array([0, 0, -9.81]))
    _add_bodies(problem)
    chassis, arm, strut, tie_rod, wheel, mount = range(6)
    problem.add_joint("pri", GROUND, chassis, TOP, [0, 0, 1])
    problem.add_joint("sph", chassis, mount, TOP)
    problem.add_joint("cyl", mount, strut, TOP, STRUT_AXIS)
    problem.add_joint("rev", strut, wheel, HUB, [1, 0, 0])
    problem.add_joint("rev", chassis, arm, REAR, REAR)  # the thesis turns it about the line to the origin
    problem.add_joint("sph", chassis, tie_rod, INNER)
    problem.add_joint("sph", arm, strut, BALL)
    problem.add_joint("sph", tie_rod, strut, OUTER)
    strut_length = np.linalg.norm(STRUT_AXIS) + 0.08
    problem.add_spring(strut, mount, BALL, TOP, stiffness=4.22e4, damping=2.7e3, length=strut_length)
    problem.add_spring(GROUND, wheel, PATCH, HUB, stiffness=2e5, damping=8e4, length=0.37)
    problem.track(chassis, TOP)  # the tyre's damper lets the wheel move by 3 mm only
    return problem


def _add_bodies(problem: Problem) -> None:
    for name, mass, com, inertia in [
        ("chassis", CHASSIS_MASS, TOP, 60.0),
        ("arm", 4.6, [0.4162012549, -0.168540764, -0.027081527958], 0.1),
        ("strut", 12.1, [0.4630090362, -0.2796688292, 0.1641816967], 0.25),
        ("tie_rod", 1.0, (OUTER + INNER) / 2, 0.1),
        ("wheel", 25.0, HUB, 0.1),
        ("mount", 1.0, TOP, 0.1),
    ]:
        problem.add_body(name, mass, com, [inertia] * 3, velocity=START_VELOCITY)
