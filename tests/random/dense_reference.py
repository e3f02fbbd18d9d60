"""A dense reference simulator: maximal coordinates, the null space of all rows at once by a singular value
decomposition, and the integrators of SciPy. It shares with the package the formulas of rows and forces, which are held
against automatic differentiation of their definitions, and neither selects rows nor projects, factors or plans steps as
the package does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import vincolo as vc
from dense import dense, inertia_and_weight, kernel_rows, speeds
from mechanisms import motions

REDUNDANT = 1e-9  # of the largest singular value: less are combinations of rows that follow from others
EVALUATIONS = 6000  # of a run


class TooManyError(Exception):
    """Raised when a run has used its evaluations."""


@dataclass
class Passage:
    """How far the reference came: its steps, its last state, whether it reached the end, and its fastest spin."""

    steps: int
    t: float
    state: vc.State
    complete: bool
    spin: float
    evaluations: int


class Reference:
    """Runs a system from a state."""

    def __init__(self, start: vc.State, redundant: float = REDUNDANT) -> None:
        self.start, self.system, self.redundant = start, start.system, redundant
        self.bodies = len(self.system.centred)
        self.evaluations, self.farthest, self.spin = 0, start.t, 0.0
        self.latest = start.y

    def differs_from_definitions(self) -> float:
        """The largest share by which rows and forces differ from automatic differentiation of their definitions."""
        exact, rows = dense(self.system.model, self.start), kernel_rows(self.start)
        size = max(float(np.abs(exact.Q).max(initial=0.0)), 1e-300)
        pairs = [(exact.J, rows["J"], 1.0), (exact.gamma, rows["gamma"], float(np.abs(exact.gamma).max(initial=1.0))),
                 (exact.Q, self.start.equations().Q, size)]
        return max(float(np.abs(a - b).max(initial=0.0)) / scale for a, b, scale in pairs)

    def accelerations(self, state: vc.State) -> np.ndarray:
        """What J u' = gamma asks for, and M u' = Q along all that it leaves free: u' = J^+ gamma + T a with J T = 0 and
        T^T M T a = T^T (Q - M J^+ gamma). Free axes without inertia are not accelerated."""
        rows, Q = kernel_rows(state), state.equations().Q
        M = inertia_and_weight(self.system.model, motions(state))[0]
        unit = np.repeat([[1.0, c.length] for c in self.system.centred], 3, axis=1).ravel()
        U, s, Wt = np.linalg.svd(rows["J"] / unit, full_matrices=True)
        rank = int((s > self.redundant * s[0]).sum()) if len(s) else 0
        held = Wt[:rank].T @ ((U[:, :rank].T @ rows["gamma"]) / s[:rank]) / unit
        T = Wt[rank:].T / unit[:, None]
        values, V = np.linalg.eigh(T.T @ M @ T)
        pushed = V.T @ (T.T @ (Q - M @ held))
        moving = values > 1e-14 * values.max(initial=1e-300)
        return held + T @ (V[:, moving] @ (pushed[moving] / values[moving]))

    def run(self, until: float, rtol: float, method: str = "DOP853") -> Passage:
        """To a time, or as far as the evaluations last."""
        self.evaluations, self.farthest, self.spin, self.latest = 0, self.start.t, 0.0, self.start.y
        n = 13 * self.bodies
        sizes = np.maximum(np.abs(self.start.y[:n]), 1e-3 * np.repeat(self.unit_sizes(), 1))
        steps, complete, y = 0, False, self.start.y[:n]
        try:
            solution = solve_ivp(self.slope, (self.start.t, until), self.start.y[:n], method=method, rtol=rtol,
                                 atol=rtol * sizes)
            steps, complete, y = len(solution.t) - 1, bool(solution.success), solution.y[:, -1]
            self.farthest = float(solution.t[-1])
        except (TooManyError, np.linalg.LinAlgError, FloatingPointError):
            y = self.latest[:n]
            steps = self.evaluations // 12
        return Passage(steps, self.farthest, self.with_bodies(self.farthest, y), complete, self.spin, self.evaluations)

    def unit_sizes(self) -> np.ndarray:
        """Sizes of places, quaternions, velocities and spins, for tolerances."""
        u = np.abs(speeds(self.start)).reshape(-1, 6)
        v, w = max(float(u[:, :3].max()), 1e-9), max(float(u[:, 3:].max()), 1e-9)
        return np.tile([self.system.extent] * 3 + [1.0] * 4 + [v] * 3 + [w] * 3, self.bodies)

    def with_bodies(self, t: float, y: np.ndarray) -> vc.State:
        whole = self.start.y.copy()
        whole[:len(y)] = y
        for k in range(self.bodies):
            p = whole[13 * k + 3: 13 * k + 7]
            p /= np.linalg.norm(p)
        return vc.State(self.system, t, whole, self.start.turns)

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of places, quaternions, velocities and spins."""
        self.evaluations += 1
        if self.evaluations > EVALUATIONS or not np.isfinite(y).all():
            raise TooManyError
        state = self.with_bodies(t, y)
        if t > self.farthest:
            self.farthest, self.latest = t, state.y
        a = self.accelerations(state).reshape(-1, 6)
        parts = y.reshape(-1, 13)
        p, v, w = parts[:, 3:7], parts[:, 7:10], parts[:, 10:13]
        self.spin = max(self.spin, float(np.linalg.norm(w, axis=1).max()))
        turning = 0.5 * np.column_stack([-(w * p[:, 1:]).sum(axis=1), p[:, :1] * w + np.cross(w, p[:, 1:])])
        return np.column_stack([v, turning, a]).ravel()


def fastest_rate(state: vc.State) -> float:
    """The largest eigenvalue [1/s] of the motions around a state: oscillations and decays of the linearised mechanism,
    by differences of the reference's accelerations."""
    reference = Reference(state)
    unit = np.repeat([[1.0, c.length] for c in state.system.centred], 3, axis=1).ravel()
    J = kernel_rows(state)["J"] / unit
    size = np.linalg.norm(J, axis=1, keepdims=True)
    _, values, Vt = np.linalg.svd(J / np.where(size > 0, size, 1.0), full_matrices=True)
    T = Vt[int((values > 1e-6).sum()):].T / unit[:, None]
    if not T.shape[1]:
        return 0.0
    speed, h, inverse = max(float(np.abs(speeds(state)).max()), 1e-3), 1e-6, np.linalg.pinv(T)

    def slope(direction: np.ndarray, moved: bool) -> np.ndarray:
        both = []
        for sign in (h, -h):
            other = state.displaced(sign * direction) if moved else state
            vector = other.y.copy()
            if not moved:
                bodies = vector[:13 * len(state.system.centred)].reshape(-1, 13)
                bodies[:, 7:] += sign * speed * direction.reshape(-1, 6)
            both.append(reference.accelerations(other.with_vector(vector)))
        return inverse @ (both[0] - both[1]) / (2 * h * (1.0 if moved else speed))

    K, C = (np.nan_to_num(np.array([slope(t, moved) for t in T.T]).T) for moved in (True, False))
    n = len(K)
    return float(np.abs(np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [K, C]]))).max())
