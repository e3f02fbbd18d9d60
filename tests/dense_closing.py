"""Closing written densely, as the equations say it: damped Gauss-Newton steps, least by mass, without the kernel's
solver. Rows and gradients are the kernel's; steps, metric, damping and their bookkeeping are done here once more."""

from __future__ import annotations

import numpy as np

import vincolo as vc
from vincolo.analyses.closing import Aim, Given, counted, jacobian_of, moved, values_of
from vincolo.channels.channels import rotations
from vincolo.layout import MOTION, QUATERNION, by_body

EXACT, SOFT = 1e-12, 1e-3
POSITION, VELOCITY = ("position",), ("position", "velocity")


def inverse_mass(state: vc.State, kept: tuple[int, ...]) -> np.ndarray:
    """M^-1 in world axes, with what is lent to bodies without mass; bodies that are kept have none."""
    n = len(state.system.centred)
    W = np.zeros((6 * n, 6 * n))
    for k, (c, R) in enumerate(zip(state.system.centred, rotations(by_body(state.y, n)[:, QUATERNION]), strict=True)):
        if k not in kept:
            W[6 * k: 6 * k + 3, 6 * k: 6 * k + 3] = np.eye(3) / (c.body.mass + c.mass_ballast)
            W[6 * k + 3: 6 * k + 6, 6 * k + 3: 6 * k + 6] = R @ np.diag(1 / (c.moments + c.ballast)) @ R.T
    return W


def least_step(J: np.ndarray, residual: np.ndarray, W: np.ndarray, damping: float | np.ndarray) -> np.ndarray:
    """-M^-1 J^T (S + damping diag S)^-1 residual with S = J M^-1 J^T."""
    S = J @ W @ J.T
    diagonal = np.diag(S)
    own = np.where(diagonal == 0, 1.0, damping * np.maximum(diagonal, 1e-12 * diagonal.max(initial=0.0)))
    return -W @ J.T @ np.linalg.solve(S + np.diag(own), residual)


def residual(state: vc.State, aim: Aim) -> np.ndarray:
    """What is open of rows and given values."""
    held = np.array([aim.drives or not row.drive for row in state.system.rows], dtype=float)
    phi = state.jacobian()[1]["phi"] * held
    return np.concatenate([phi, values_of(state, aim.given).residual])


def close(state: vc.State, aim: Aim) -> tuple[vc.State, list[float]]:
    """Positions closed from a state, and the largest gap of every iteration."""
    r, damping = residual(state, aim), 1e-3
    history = [float(np.abs(r).max(initial=0.0))]
    if history[0] <= 1e-12:
        return state, []
    for _ in range(60 + int(min(2 * history[0], 1000))):
        step = least_step(jacobian_of(state, aim), r, inverse_mass(state, aim.kept), damping)
        trial = moved(state, step)
        after = residual(trial, aim)
        if np.linalg.norm(after) < np.linalg.norm(r):
            state, r, damping = counted(trial, aim.asked), after, max(0.1 * damping, EXACT)
        else:
            damping *= 10
        history.append(float(np.abs(r).max()))
        if history[-1] <= 1e-12 or damping > 1e8 or (history[-1] <= 1e-9 and history[-1] > 0.5 * history[-2]):
            break
    return state, history


def velocity_rows(state: vc.State, given: Given) -> tuple[np.ndarray, np.ndarray]:
    """J of rows of positions and velocities and of given rates, and what is open of them at the state's velocities."""
    J, found = state.jacobian()
    J[[row.level == "acceleration" for row in state.system.rows]] = 0.0
    more = values_of(state, given)
    return np.vstack([J, more.jacobian]), np.concatenate([found["rate"], more.rate])


def close_velocities(state: vc.State, given: Given) -> vc.State:
    """Velocities that rows and given rates allow, nearest by mass; of models all of whose bodies have inertia."""
    W, n = inverse_mass(state, ()), len(state.system.centred)
    for _ in range(6):
        J, rate = velocity_rows(state, given)
        y = state.y.copy()
        by_body(y, n)[:, MOTION] += least_step(J, rate, W, EXACT).reshape(n, 6)
        state = state.with_vector(y)
    return state
