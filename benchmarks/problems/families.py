"""Mechanisms of any size, in which bodies hang together in different ways: how the cost of an evaluation grows."""

from __future__ import annotations

import math

import numpy as np

from problems.chain import chain
from problems.description import GROUND, Problem, rod_inertia

LENGTH, MASS = 0.1, 0.1  # m, kg
Z = (0, 0, 1)


def star(bodies: int) -> Problem:
    """A carriage on a rail that carries pendulums about different axes."""
    problem = Problem(f"star_{bodies}", duration=1.0)
    hub = problem.add_body("hub", 1.0, [0, 0, 0], [0.1, 0.1, 0.1])
    problem.add_joint("pri", GROUND, hub, [0, 0, 0], [1, 0, 0])
    for k in range(bodies - 1):
        turn = 2 * math.pi * k / max(1, bodies - 1)
        foot = np.array([math.cos(turn), 0, math.sin(turn)])
        _hang(problem, hub, foot, np.array([0, -1, 0.2]), np.array([-foot[2], 0, foot[0]]))
    return problem


def tree(bodies: int) -> Problem:
    """A binary tree of links, each turned about an axis of its own."""
    problem = Problem(f"tree_{bodies}", duration=1.0)
    ends = {GROUND: np.zeros(3)}
    for k in range(bodies):
        parent, side = (k - 1) // 2 if k else GROUND, 1 if k % 2 else -1
        depth = (k + 1).bit_length()
        direction = np.array([side * math.cos(depth), -1.0, side * math.sin(depth)])
        link = _hang(problem, parent, ends[parent], direction, np.cross(direction, [0.3, 0.5, side]))
        ends[link] = ends[parent] + LENGTH * direction / np.linalg.norm(direction)
    return problem


def ladder(bodies: int) -> Problem:
    """A hanging ladder: two rails of links between rungs, one loop behind the other; redundant in space."""
    problem = Problem(f"ladder_{bodies}", duration=1.0, planar=True)
    above, cells = GROUND, max(1, bodies // 3)
    for k in range(cells):
        rails = [_bar(problem, [x, -k * LENGTH, 0], [x, -(k + 1) * LENGTH, 0]) for x in (0, LENGTH)]
        rung = _bar(problem, [0, -(k + 1) * LENGTH, 0], [LENGTH, -(k + 1) * LENGTH, 0])
        for x, rail in zip((0, LENGTH), rails, strict=True):
            problem.add_joint("rev", above, rail, [x, -k * LENGTH, 0], Z)
            problem.add_joint("rev", rail, rung, [x, -(k + 1) * LENGTH, 0], Z)
        above = rung
    return problem


def grid(bodies: int) -> Problem:
    """A square net of four-bars: rows of upright bars with couplers between their ends; redundant in space."""
    side = max(1, round((math.sqrt(1 + 8 * bodies) - 1) / 4))  # 2 side^2 + side bodies
    problem = Problem(f"grid_{bodies}", duration=1.0, planar=True)
    below: list[int] = [GROUND] * (side + 1)
    for row in range(side):
        low, high = row * LENGTH, (row + 1) * LENGTH
        uprights = [_bar(problem, [j * LENGTH, low, 0], [j * LENGTH, high, 0]) for j in range(side + 1)]
        couplers = [_bar(problem, [j * LENGTH, high, 0], [(j + 1) * LENGTH, high, 0]) for j in range(side)]
        for j, upright in enumerate(uprights):
            problem.add_joint("rev", below[j], upright, [j * LENGTH, low, 0], Z)
            for coupler in couplers[max(0, j - 1):j + 1]:
                problem.add_joint("rev", upright, coupler, [j * LENGTH, high, 0], Z)
        below = [couplers[min(j, side - 1)] for j in range(side + 1)]
    return problem


def _hang(problem: Problem, parent: int, foot: np.ndarray, direction: np.ndarray, axis: np.ndarray) -> int:
    """A link from a point of its parent, which turns about an axis there."""
    link = _bar(problem, foot, foot + LENGTH * direction / np.linalg.norm(direction))
    problem.add_joint("rev", parent, link, foot, axis)
    return link


def _bar(problem: Problem, a, b) -> int:
    p, q = np.array(a, dtype=float), np.array(b, dtype=float)
    inertia = rod_inertia(MASS, LENGTH, q - p) + 1e-5 * np.eye(3)
    return problem.add_body(f"bar{len(problem.bodies)}", MASS, (p + q) / 2, inertia)


FAMILIES = {"chain": chain, "star": star, "tree": tree, "ladder": ladder, "grid": grid}
