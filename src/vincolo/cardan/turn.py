"""Forces, friction and efficiency of a Cardan joint at any positions of its input shaft."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.cardan.joint import Cardan
from vincolo.cardan.rccc import Four, accelerations, positions, velocities
from vincolo.dual import Dual, denavit_hartenberg
from vincolo.errors import ModelError, SimulationError
from vincolo.model.checks import number_array
from vincolo.model.geometry import Array

ITERATIONS = 2000
STILL = 1e-12  # of the input speed: rates [rad/s, m/s] below it are no motion
SETTLED = 1e-13  # of the largest friction: what may still change


@dataclass(frozen=True, eq=False)
class Turn:
    """What a Cardan joint does at given positions. Arrays go over positions; of joints, over (positions, joints)."""

    joint: Cardan
    speed: Array  # rad/s of the input
    theta: Four  # dual angles [rad, m]
    rates: Four  # [rad/s, m/s]
    accelerations: Four
    reactions: Four  # on link i by link i-1, in frame i: dual vectors [N, N m]; of joint 1 with the input torque
    friction: Array  # (positions, 4): moments of friction, on link i by link i-1 [N m]
    axial_friction: Array  # (positions, 4) [N]
    input_torque: Array  # N m
    output_torque: Array  # N m, of the load against the output shaft
    power_in: Array  # W
    power_out: Array
    kinetic_power: Array  # what goes into motion of masses
    iterations: int

    @property
    def angle(self) -> Array:
        """Of the input shaft [rad]."""
        return np.asarray(self.theta[0].real)

    @property
    def losses(self) -> Array:
        """(positions, 4) [W] that friction takes in each joint."""
        turning, sliding = _parts(self.rates)
        return np.asarray(np.abs(self.friction * turning) + np.abs(self.axial_friction * sliding))

    @property
    def efficiency(self) -> Array:
        """1 - losses / power put in, at each position."""
        return np.asarray(1.0 - self.losses.sum(axis=-1) / self.power_in)

    @property
    def mean_efficiency(self) -> float:
        """Its mean over the positions."""
        return float(self.efficiency.mean())

    @property
    def speed_ratio(self) -> Array:
        """Output speed over input speed, in size."""
        return np.asarray(np.abs(self.rates[3].real / self.speed))

    @property
    def balance(self) -> Array:
        """Power put in, less what comes out, is lost and moves masses [W]: zero but for rounding."""
        return np.asarray(self.power_in - self.power_out - self.losses.sum(axis=-1) - self.kinetic_power)


def work(joint: Cardan, speed: Any, *, input_torque: Any = None, output_torque: Any = None, at: Any = None,
         acceleration: Any = 0.0) -> Turn:
    """A turn of the input shaft at a speed [rad/s], with the torque [N m] given at the input, in the sense of the
    speed, or at the output, against its motion; all numbers, or one for each position. `at`: angles of the input [rad],
    360 of them over a turn if not given."""
    if (input_torque is None) == (output_torque is None):
        raise ModelError("work(): give either input_torque= or output_torque=; the other follows.")
    angles: Array = np.linspace(0.0, 2 * np.pi, 360, endpoint=False) if at is None else number_array("work(): at", at)
    if angles.ndim != 1 or not len(angles) or not np.isfinite(angles).all():
        raise ModelError("work(): at= is a list of finite angles [rad] of the input shaft.")
    torque = _each("torque", output_torque if input_torque is None else input_torque, angles)
    omega = _each("speed", speed, angles)
    if np.any(omega == 0) or np.any(np.sign(omega) != np.sign(omega[0])):
        raise ModelError("work(): the speed is zero somewhere, where nothing is transmitted, or changes its sense.\n"
                         "  Give the input speed in rad/s, always above or always below zero.")
    place = positions(joint.alpha, angles, joint.branch)
    _refuse_open(joint, angles[~np.broadcast_to(place.assembled, angles.shape)])
    rates = velocities(joint.alpha, place.theta, omega)
    seconds = accelerations(joint.alpha, place.theta, rates, _each("acceleration", acceleration, angles))
    balance = _Balance(joint, omega, place.theta, rates, seconds)
    return balance.solve(torque, given_in=output_torque is None)


def _each(what: str, value: Any, angles: Array) -> Array:
    """A number for each position."""
    numbers = number_array(f"work(): {what}", value)
    if numbers.shape not in ((), angles.shape) or not np.isfinite(numbers).all():
        raise ModelError(f"work(): the {what} is {value!r}; one finite number is needed, or one for each position.")
    return np.broadcast_to(numbers, angles.shape)


def _refuse_open(joint: Cardan, angles: Array) -> None:
    if len(angles):
        raise SimulationError(f"the joint cannot be assembled at {len(angles)} of its positions, the first at "
                              f"{np.degrees(angles[0]):.4g} degrees of the input.\n"
                              "  Its errors are too large for its angle.")


def _parts(rates: Iterable[Dual]) -> tuple[Array, Array]:
    """Rates of turning and of sliding, (positions, 4)."""
    own = list(rates)
    return np.stack([v.real for v in own], -1), np.stack([v.dual for v in own], -1)


def _six(A: Dual) -> Array:
    """A dual matrix on force and moment in one: [A 0; A0 A]."""
    zero = np.zeros_like(A.real)
    top, bottom = np.concatenate([A.real, zero], -1), np.concatenate([A.dual, A.real], -1)
    return np.concatenate([top, bottom], -2)


class _Balance:
    """The equations of all links: R_(j+1) = A^T R_j - what the motion of link j needs."""

    def __init__(self, joint: Cardan, omega: Array, theta: Four, rates: Four, seconds: Four) -> None:
        self.joint, self.omega, self.theta, self.rates, self.seconds = joint, omega, theta, rates, seconds
        self.n = len(theta[0].real)
        steps = [denavit_hartenberg(t, a).T for t, a in zip(theta, joint.alpha, strict=True)]
        self.steps = [_six(A.map(lambda part: np.broadcast_to(part, (self.n, 3, 3)))) for A in steps]
        self.needs, self.kinetic = self._inertia(steps)
        self.turning, self.sliding = _parts(rates)
        self.turns = np.sign(self.turning) * (np.abs(self.turning) > STILL * np.abs(omega[:, None]))
        self.slides = np.sign(self.sliding) * (np.abs(self.sliding) > STILL * np.abs(omega[:, None]))
        self.slides[:, 0] = 0.0  # a revolute does not slide

    def _inertia(self, steps: list[Dual]) -> tuple[list[Array], Array]:
        """Wrenches (positions, 6) that the motion of the three links needs, about the origin of the frame that follows
        each; and their power [W]."""
        needs, power = [], np.zeros(self.n)
        z = np.array([0.0, 0.0, 1.0])
        V = Dual(np.zeros((self.n, 3)))
        rate = V
        for k in range(3):
            v, w = self.rates[k][..., None] * z, self.seconds[k][..., None] * z
            A = steps[k]
            # from axes of link k-1 to those of link k; A turns back by theta, so that A' = -A v~
            V, rate = (A @ (V + v)[..., None])[..., 0], (A @ (rate + w + _across(V, v))[..., None])[..., 0]
            wrench = (self.joint.links[k].wrench(V, rate) if self.joint.links is not None
                      else Dual(np.zeros((self.n, 3))))
            needs.append(np.concatenate([wrench.real, wrench.dual], -1))
            power += (wrench.real * V.dual).sum(-1) + (wrench.dual * V.real).sum(-1)
        return needs, power

    def solve(self, torque: Array, *, given_in: bool) -> Turn:
        """Reactions with friction that fits them: repeated, with shorter steps where they do not settle."""
        friction, axial = np.zeros((self.n, 4)), np.zeros((self.n, 4))
        share, last, size = 1.0, np.inf, 0.0
        for k in range(1, ITERATIONS + 1):
            reactions = self._reactions(torque, given_in, friction, axial)
            moments, forces = self._friction(reactions)
            change = max(np.abs(moments - friction).max(), np.abs(forces - axial).max())
            size = max(size, np.abs(moments).max(), np.abs(forces).max())
            friction, axial = friction + share * (moments - friction), axial + share * (forces - axial)
            if change <= SETTLED * size or size == 0.0:
                return self._turn(reactions, friction, axial, k)
            if change > 0.9 * last:
                share = max(0.02, 0.7 * share)
            last = change
        raise SimulationError(
            f"friction and reactions do not settle: they still change by {change:.3g} N m after {ITERATIONS} steps.\n"
            f"  With a coefficient of {self.joint.friction:g} and these bearings the joint probably locks itself; give "
            "less friction, or longer bearings.")

    def _reactions(self, torque: Array, given_in: bool, friction: Array, axial: Array) -> Array:
        """Wrenches (positions, 4, 6) of all joints: six numbers of the first are sought."""
        B, W = [np.broadcast_to(np.eye(6), (self.n, 6, 6))], [np.zeros((self.n, 6))]
        for k in range(3):
            B.append(self.steps[k] @ B[-1])
            W.append((self.steps[k] @ W[-1][..., None])[..., 0] + self.needs[k])
        rows = [(1, 2, axial[:, 1]), (1, 5, friction[:, 1]), (2, 2, axial[:, 2]), (2, 5, friction[:, 2]),
                (3, 2, axial[:, 3]),
                (0, 5, torque * np.sign(self.omega) + friction[:, 0]) if given_in else
                (3, 5, friction[:, 3] - torque * np.sign(self.turning[:, 3]))]  # on the frame, which turns by theta4'
        M = np.stack([B[j][:, i] for j, i, _ in rows], axis=1)
        b = np.stack([value + W[j][:, i] for j, i, value in rows], axis=1)
        first = np.linalg.solve(M, b[..., None])
        return np.stack([(B[j] @ first)[..., 0] - W[j] for j in range(4)], axis=1)

    def _friction(self, reactions: Array) -> tuple[Array, Array]:
        """Moments and axial forces of friction of all joints that reactions cause."""
        f = self.joint.friction
        d, L = (np.array([getattr(b, what) for b in self.joint.bearings]) for what in ("diameter", "span"))
        force = np.hypot(reactions[..., 0], reactions[..., 1])
        moment = np.hypot(reactions[..., 3], reactions[..., 4])
        turning = f * (d / L * moment + d / 2 * force)
        return -self.turns * turning, -self.slides * f * (force + 2 * moment / L)

    def _turn(self, reactions: Array, friction: Array, axial: Array, iterations: int) -> Turn:
        put_in = reactions[:, 0, 5] - friction[:, 0]
        on_frame = reactions[:, 3, 5] - friction[:, 3]
        power_out = -on_frame * self.turning[:, 3]
        found = tuple(Dual(reactions[:, j, :3], reactions[:, j, 3:]) for j in range(4))
        return Turn(self.joint, self.omega, self.theta, self.rates, self.seconds, found,  # type: ignore[arg-type]
                    friction, axial, put_in * np.sign(self.omega), power_out / np.abs(self.turning[:, 3]),
                    put_in * self.omega, power_out, self.kinetic, iterations)


def _across(x: Dual, y: Any) -> Dual:
    return Dual(np.cross(x.real, y.real), np.cross(x.real, y.dual) + np.cross(x.dual, y.real))
