"""Four-bars through points with free angles, in the numbers that are not linear alone: with ratios of the lengths and
the angles of the crank given, place, size, direction and traced point follow from a linear system.

P_k = O + c (exp(i theta_k) + q turn_k), with the pivot O, crank and direction c, and the traced point c q, complex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vincolo.model.geometry import Array
from vincolo.studies.synthesis.four_bar import closed

if TYPE_CHECKING:
    from vincolo.studies.synthesis.path import _Task

STARTS, KEPT = 100, 4  # random ones on each branch, and how many of what they become are polished
PLACED = ("px", "py", "angle", "x", "y")


def fitted(task: _Task, rng: np.random.Generator, branch: int, wrong: float) -> list[Array]:
    """The best linkages that random starts become, within the limits and with errors that are not `wrong`; none where
    angles are given, or a place is."""
    from scipy.optimize import leastsq

    if task.timing is not None or not set(PLACED) <= set(task.free):
        return []
    found: list[tuple[float, Array]] = []
    for _ in range(STARTS):
        z, *_ = leastsq(_missed, _start(rng, len(task.targets)), args=(task.targets, branch), maxfev=400,
                        full_output=True)  # which makes it quiet
        left = _missed(z, task.targets, branch)
        x = _numbers(z, task, branch)
        inside = (x >= task.low).all() and (x <= task.high).all()
        if inside and task.errors(x[None], branch)[0] < wrong:
            found.append((float(left @ left), x))
    return [x for _, x in sorted(found, key=lambda f: f[0])[:KEPT]]


def _start(rng: np.random.Generator, count: int) -> Array:
    """Logarithms of ground, coupler and rocker over a crank that turns over, and angles in order, in either sense."""
    while True:
        ratios = rng.uniform(0.0, 2.0, 3)
        lengths = np.sort(np.exp([0.0, *ratios]))
        if lengths[0] + lengths[3] < lengths[1] + lengths[2]:
            break
    span = rng.uniform(0.5, 5.5)
    theta = rng.uniform(0, 2 * np.pi) + rng.choice([-1, 1]) * np.sort(rng.uniform(0, span, count))
    return np.concatenate([ratios, theta])


def _columns(z: Array, branch: int) -> Array:
    """What O, c and c q are multiplied by, at each point."""
    ground, coupler, rocker = np.exp(np.clip(z[:3], -5, 5))
    unit = np.array([ground, 1.0, coupler, rocker, 0, 0, 0, 0, 0])
    A, turn = closed(unit, z[3:], branch)
    return np.stack([np.ones(len(A), dtype=complex), A, turn], axis=-1)


def _missed(z: Array, targets: Array, branch: int) -> Array:
    """What is left of the points when the linear numbers are the best."""
    columns = _columns(z, branch)
    if not np.isfinite(columns).all():
        return np.full(2 * len(targets), 1e3)
    left = columns @ np.linalg.lstsq(columns, targets, rcond=None)[0] - targets
    return np.concatenate([left.real, left.imag])


def _numbers(z: Array, task: _Task, branch: int) -> Array:
    """The free numbers of the linkage; far out where it cannot be closed."""
    columns = _columns(z, branch)
    if not np.isfinite(columns).all():
        return np.full(len(task.free), np.inf)
    pivot, c, p = np.linalg.lstsq(columns, task.targets, rcond=None)[0]
    ground, coupler, rocker = np.exp(np.clip(z[:3], -5, 5)) * abs(c)
    point = p * np.exp(-1j * np.angle(c))
    known = {"ground": ground, "crank": abs(c), "coupler": coupler, "rocker": rocker, "px": point.real,
             "py": point.imag, "angle": np.angle(c) % (2 * np.pi), "x": pivot.real, "y": pivot.imag, "theta": 0.0}
    return np.array([float(known[name]) for name in task.free])
