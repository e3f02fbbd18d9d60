"""Steady motion: whether a mechanism moves so that it looks the same at any time from axes that turn with its bodies.

In a steady motion the axes of every body turn with a constant rate W, and velocities, Jacobian, inertia and forces are
constant in them. The axes are those of the world for a wheel that rolls straight, of the shaft for the arms of a
governor, and of a heading for a disc that rolls in a circle: in general neither of the world nor of the body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.analyses.tangent import Slopes, Tangent, displaced, slopes_at, tangent, velocities, with_velocities
from vincolo.model.geometry import Array
from vincolo.state import State

NEAR = 1e-3  # share of the accelerations that may be missing in a steady motion
REACH = 1e-3  # rad, and share of the mechanism's length, of a difference quotient in time
PROBES = 6  # free motions in which the Jacobian is compared
RANK = 1e-7  # singular values below this share count as zero


def crossed(axes: Array, Z: Array) -> Array:
    """Motions (6 bodies, columns) turned by the rates of axes (bodies, 3): W x dr, W x dtheta."""
    parts = Z.reshape(len(axes), 2, 3, -1)
    return np.cross(axes[:, None, :, None], parts, axisa=2, axisb=2, axisc=2).reshape(Z.shape)


def turned(Z: Array, u: Array) -> Array:
    """Change of w that a turned body has while it moves as before: dtheta x w, one column each."""
    out = np.zeros_like(Z)
    w = u.reshape(-1, 6)[:, 3:]
    theta = Z.reshape(len(w), 6, -1)[:, 3:]
    out.reshape(len(w), 6, -1)[:, 3:] = np.cross(theta, w[:, :, None], axisa=1, axisb=1, axisc=1)
    return out


@dataclass(frozen=True, eq=False)
class Motion:
    """A state that moves: its free motions, its accelerations, and how its Jacobian changes with time."""

    here: Tangent
    du: Array
    slopes: Slopes

    @property
    def u(self) -> Array:
        """Velocities (v, w) of all bodies."""
        return velocities(self.here.state)

    @property
    def rate(self) -> float:
        """The largest angular velocity, or speed over the mechanism's length [1/s]."""
        return float(np.abs(self.u * self.here.weight).max(initial=0.0)) / self.here.length

    @property
    def by_difference(self) -> Array:
        """Which rows hold velocities or accelerations: their rates have no slope that is the rate of the Jacobian."""
        return np.array([row.level != "position" for row in self.here.state.system.rows], dtype=bool)

    def rows_rate(self, Y: Array) -> Array:
        """J' Y: of holonomic rows by exact derivatives, of others by differences along the motion."""
        out = np.asarray(self.slopes.rate_by_position @ Y + self.here.at.J @ turned(Y, self.u))
        other = self.by_difference
        if other.any() and Y.size:
            out[other] = self._difference(Y)[other] if self.rate > 0 else 0.0
        return out

    def _difference(self, Y: Array) -> Array:
        """J' Y by central differences in time, of the fourth order."""
        h = REACH / self.rate

        def slope(h: float) -> Array:
            return np.asarray((self.later(h).jacobian()[0] - self.later(-h).jacobian()[0]) @ Y / (2 * h))

        return (4 * slope(h) - slope(2 * h)) / 3

    def later(self, h: float) -> State:
        """The state after a short time, to the second order."""
        state = self.here.state
        place = displaced(state, h * self.u + h * h / 2 * self.du)
        found = with_velocities(place, self.u + h * self.du)
        return State(state.system, state.t + h, found.y, found.turns)


def steady_axes(motion: Motion) -> Array | None:
    """Rates (bodies, 3) of the axes in which the motion is steady, the smallest there are; None if it is not."""
    bodies = len(motion.here.state.system.centred)
    still = np.abs(motion.du * motion.here.weight).max(initial=0.0) <= 1e-9 * motion.here.length
    if motion.rate == 0.0:
        return np.zeros((bodies, 3)) if still else None
    A, b = _conditions(motion)
    spin = motion.u.reshape(-1, 6)[:, 3:]
    for near in (np.zeros((bodies, 3)), spin):
        step = np.linalg.lstsq(A, b - A @ near.ravel(), rcond=RANK)[0]
        axes = near + step.reshape(-1, 3)
        axes[np.abs(axes) <= 1e-12 * motion.rate] = 0.0
        if np.abs(A @ axes.ravel() - b).max(initial=0.0) <= NEAR * motion.rate and _stays(motion, axes):
            return np.asarray(axes)
    return None


def _conditions(motion: Motion) -> tuple[Array, Array]:
    """Linear conditions A W = b on the rates of axes: u' = W x u, J constant along free motions, inertia constant."""
    here, bodies = motion.here, len(motion.here.state.system.centred)
    size, units = here.length * motion.rate, np.eye(3 * bodies).reshape(-1, bodies, 3)
    Y = here.N @ np.random.default_rng(11).standard_normal((here.N.shape[1], min(PROBES, here.N.shape[1])))
    scale = here.saddle.unit[:, None] / max(float(np.abs(Y * here.weight[:, None]).max(initial=0.0)), 1e-300)
    rows = np.array([(scale * (here.at.J @ crossed(unit, Y))).ravel() for unit in units]).T
    turning = np.array([crossed(unit, motion.u[:, None])[:, 0] * here.weight / size for unit in units]).T
    masses, right = _inertia_conditions(motion)
    b = [motion.du * here.weight / size, -(scale * motion.rows_rate(Y)).ravel(), right]
    return np.vstack([turning, rows, masses]), np.concatenate(b)


def _inertia_conditions(motion: Motion) -> tuple[Array, Array]:
    """(W - w) x I = I (W - w) x of every body, over the size of I."""
    bodies = len(motion.here.state.system.centred)
    M, w = motion.here.at.M.toarray(), motion.u.reshape(-1, 6)[:, 3:]
    A, b = np.zeros((9 * bodies, 3 * bodies)), np.zeros(9 * bodies)
    basis = [np.cross(np.eye(3)[k], np.eye(3)).T for k in range(3)]  # e_k x
    for body in range(bodies):
        inertia = M[6 * body + 3: 6 * body + 6, 6 * body + 3: 6 * body + 6]
        size = float(np.abs(inertia).max()) or 1.0
        block = np.array([(e @ inertia - inertia @ e).ravel() / size for e in basis]).T
        A[9 * body: 9 * body + 9, 3 * body: 3 * body + 3] = block
        b[9 * body: 9 * body + 9] = block @ w[body]
    return A, b


def _stays(motion: Motion, axes: Array) -> bool:
    """Whether accelerations, and the slopes of forces, stay what they are in the axes."""
    here, rate = motion.here, motion.rate
    h = REACH / rate
    Y = here.N @ np.random.default_rng(12).standard_normal((here.N.shape[1], min(PROBES, here.N.shape[1])))
    ends = []
    for step in (h, -h):
        state = motion.later(step)
        du = state.solve().acceleration.ravel()[:len(here.weight)]
        there = tangent(state, like=here)
        slopes = slopes_at(state, there.saddle.split(there.at.Q - there.at.M @ du)[1], du)
        moved = Y + step * crossed(axes, Y) + step * step / 2 * crossed(axes, crossed(axes, Y))
        ends.append((du, moved.T @ (slopes.force_by_position @ moved), moved.T @ (slopes.force_by_velocity @ moved)))
    jerk = (ends[0][0] - ends[1][0]) / (2 * h) - crossed(axes, motion.du[:, None])[:, 0]
    if np.abs(jerk * here.weight).max(initial=0.0) > NEAR * here.length * rate**3:
        return False
    pairs = [(a, b) for a, b in zip(ends[0][1:], ends[1][1:], strict=True)]
    return all(np.abs(a - b).max(initial=0.0) <= 2 * h * NEAR * rate * np.abs(a + b).max(initial=0.0) / 2 + 1e-9 * size
               for (a, b), size in zip(pairs, _sizes(motion, Y), strict=True))


def _sizes(motion: Motion, Y: Array) -> tuple[float, float]:
    """Sizes of stiffness and damping over the probes that are rounding next to the masses."""
    mass = float(np.abs(Y.T @ (motion.here.at.M @ Y)).max(initial=0.0))
    return mass * motion.rate**2, mass * motion.rate
