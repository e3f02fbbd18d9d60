"""A hanging chain of slender links, released from rest in the horizontal position."""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem, rod_inertia

LINK_LENGTH, LINK_MASS = 0.1, 0.1  # m, kg
TRACKED_LINK = 9


def chain(links: int) -> Problem:
    """`links` revolute links about z; tracked is the end of the tenth (or of the last, if fewer)."""
    problem = Problem(f"chain_{links}", duration=1.0, planar=True)
    inertia = rod_inertia(LINK_MASS, LINK_LENGTH, [1, 0, 0]) + np.diag([1e-5, 0, 0])
    previous = GROUND
    for i in range(links):
        link = problem.add_body(f"link{i}", LINK_MASS, [(i + 0.5) * LINK_LENGTH, 0, 0], inertia)
        problem.add_joint("rev", previous, link, [i * LINK_LENGTH, 0, 0], [0, 0, 1])
        previous = link
    tracked = min(TRACKED_LINK, links - 1)
    problem.track(tracked, [(tracked + 1) * LINK_LENGTH, 0, 0])
    return problem
