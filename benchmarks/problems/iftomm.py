"""Benchmark problems of the IFToMM library of computational multibody dynamics (data of Gonzalez et al.)."""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem, rod_inertia, square_bar_inertia

X, Y, Z = np.eye(3)


def simple_pendulum() -> Problem:
    """A01: a point mass of 1 kg on a massless rod of 1 m, released from the horizontal."""
    problem = Problem("A01", duration=10.0, planar=True)
    mass = problem.add_body("mass", 1.0, -X, [0, 0, 0])
    problem.add_joint("rev", GROUND, mass, [0, 0, 0], Z)
    problem.track(mass, -X)
    return problem


def n_four_bar(loops: int) -> Problem:
    """A02: `loops` square windows of 1 m rods, singular whenever all rods lie in line."""
    problem = Problem(f"A02_{loops}", duration=10.0, planar=True)
    speed = 1.0
    # a small inertia about the rods' own axes, which never matters, keeps the tensors regular
    regular = np.diag([1e-5, 1e-5, 0])
    upright = rod_inertia(1, 1, Y) + regular
    level = rod_inertia(1, 1, X) + regular
    previous = GROUND
    for i in range(loops + 1):
        post = problem.add_body(
            f"post{i}", 1.0, [i, 0.5, 0], upright, velocity=0.5 * speed * X, angular_velocity=-speed * Z
        )
        problem.add_joint("rev", GROUND, post, [i, 0, 0], Z)
        if i > 0:
            link = problem.add_body(f"link{i}", 1.0, [i - 0.5, 1, 0], level, velocity=speed * X)
            problem.add_joint("rev", previous, link, [i - 1, 1, 0], Z)
            problem.add_joint("rev", link, post, [i, 1, 0], Z)
        previous = post
    problem.track(0, Y)
    return problem


def bricard() -> Problem:
    """A04: Bricard's mechanism, five rods and six hinges, movable only by its special geometry."""
    problem = Problem("A04", duration=10.0)
    corners = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, -1], [1, 1, -1], [0, 1, -1]], dtype=float)
    axes = [X, Z, Y, X, Z, Y]
    for i in range(5):
        inertia = square_bar_inertia(1.0, 1.0, 0.1, corners[i + 1] - corners[i])
        problem.add_body(f"rod{i + 1}", 1.0, (corners[i] + corners[i + 1]) / 2, inertia)
    around = [GROUND, 0, 1, 2, 3, 4, GROUND]
    for i in range(6):
        problem.add_joint("rev", around[i], around[i + 1], corners[i], axes[i])
    problem.track(2, corners[3])
    return problem


def flyball_governor() -> Problem:
    """A05: two rods with 5 kg balls on a turning base, tied to a slider by very stiff spring-dampers."""
    problem = Problem("A05", duration=10.0)
    w = 2 * np.pi * Y
    base = problem.add_body("base", 0.3, 0.5 * Y, square_bar_inertia(0.3, 1, 0.01, Y), angular_velocity=w)
    problem.add_joint("rev", GROUND, base, [0, 0, 0], Y)
    sides = [(1, *_ball_rod(problem, base, 1, w)), (-1, *_ball_rod(problem, base, -1, w))]
    slider = problem.add_body("slider", 3.0, 0.5 * Y, [5e-3] * 3, angular_velocity=w)
    problem.add_joint("pri", base, slider, 0.5 * Y, Y)
    for side, rod, middle in sides:
        end = [0.05 * side, 0.5, 0]
        problem.add_spring(slider, rod, end, middle, stiffness=8e5, damping=4e4, length=0.5)
    problem.track(slider, 0.5 * Y)
    return problem


def _ball_rod(problem: Problem, base: int, side: int, w: np.ndarray) -> tuple[int, np.ndarray]:
    """One rod with the ball at its end as a point mass; returns the body and the rod's middle."""
    angle, rod_mass, ball_mass = np.pi / 6, 0.3, 5.0
    pivot = np.array([0.05 * side, 1, 0])
    direction = np.array([side * np.cos(angle), -np.sin(angle), 0])
    middle, end = pivot + 0.5 * direction, pivot + direction
    mass = rod_mass + ball_mass
    com = (rod_mass * middle + ball_mass * end) / mass
    inertia = square_bar_inertia(rod_mass, 1.0, 0.01, direction)
    for part_mass, point in ((rod_mass, middle), (ball_mass, end)):
        r = point - com
        inertia = inertia + part_mass * (r @ r * np.eye(3) - np.outer(r, r))
    name = "rod_right" if side > 0 else "rod_left"
    rod = problem.add_body(name, mass, com, inertia, velocity=np.cross(w, com), angular_velocity=w)
    problem.add_joint("rev", base, rod, pivot, Z)
    return rod, middle
