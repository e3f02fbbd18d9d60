"""Tight references of the tracked points: closed minimal coordinates where possible, else the index-1 solver.

python benchmarks/references.py [problem ...]            recompute and compare with the stored files
python benchmarks/references.py --write [problem ...]    recompute and store
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp

import index1
from problems import PROBLEMS, andrews
from problems.chain import LINK_LENGTH, LINK_MASS, TRACKED_LINK
from problems.description import Problem

FOLDER = Path(__file__).parent / "references"
# Andrews' seven angles at 0.03 s as published with the test set for initial value problem solvers
ANDREWS_PUBLISHED = np.array(
    [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
     0.5244099658805304, 0.5347301163226948, 1.048080741042263]
)  # fmt: skip


def load(problem: Problem) -> np.ndarray:
    """Stored reference positions of the tracked point at the 201 samples, in m."""
    return np.load(FOLDER / f"{problem.name}.npz")["points"]


def planar(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.column_stack([x, y, np.zeros_like(x)])


def pendulum(problem: Problem, angle: float, rate: float, restoring: float) -> np.ndarray:
    """Unit pendulum: angle'' = -restoring cos(angle), with the angle from the x axis."""
    solution = solve_ivp(
        lambda t, y: [y[1], -restoring * np.cos(y[0])], (0, problem.duration), [angle, rate],
        method="DOP853", rtol=1e-13, atol=1e-14, t_eval=problem.times,
    )  # fmt: skip
    return planar(np.cos(solution.y[0]), np.sin(solution.y[0]))


def simple_pendulum(problem: Problem) -> np.ndarray:
    return pendulum(problem, np.pi, 0.0, -problem.gravity[1])


def n_four_bar(problem: Problem) -> np.ndarray:
    """All posts turn together, so the whole is one compound pendulum."""
    post = problem.bodies[0]
    loops = len(problem.bodies) // 2
    inertia = (loops + 1) * (post.inertia[2, 2] + post.mass / 4) + loops * post.mass
    moment = (loops + 1) * post.mass / 2 + loops * post.mass
    restoring = -problem.gravity[1] * moment / inertia
    return pendulum(problem, np.pi / 2, post.angular_velocity[2], restoring)


def andrews_rates(t: float, y: np.ndarray) -> np.ndarray:
    """Index-1 equations in the seven body angles, points as complex numbers."""
    angle, w = y[:7], y[7:]
    turn = np.exp(1j * angle)
    com_jacobian = 1j * andrews.COM_ARMS * turn
    com_bias = -(andrews.COM_ARMS * turn) @ (w * w)
    masses = np.array(andrews.MASSES)
    M = np.diag(andrews.INERTIAS) + np.real(com_jacobian.conj().T @ (masses[:, None] * com_jacobian))
    Q = -np.real(com_jacobian.conj().T @ (masses * com_bias))
    Q[0] += andrews.DRIVE_TORQUE
    stretch = andrews.B + andrews.D_ARMS @ turn - andrews.C
    force = andrews.SPRING_STIFFNESS * (abs(stretch) - andrews.SPRING_LENGTH) * stretch / abs(stretch)
    Q -= np.real((1j * andrews.D_ARMS * turn).conj() * force)
    loops = (andrews.E_ARMS - andrews.E_FROM_GROUND) * turn
    J = np.vstack([(1j * loops).real, (1j * loops).imag])
    gamma = loops @ (w * w)
    K = np.block([[M, J.T], [J, np.zeros((6, 6))]])
    rates = np.linalg.solve(K, np.concatenate([Q, gamma.real, gamma.imag]))
    return np.concatenate([w, rates[:7]])


def squeezing_mechanism(problem: Problem) -> np.ndarray:
    start = np.concatenate([andrews.ANGLE_SUMS @ andrews.START_ANGLES, np.zeros(7)])
    solution = solve_ivp(
        andrews_rates, (0, problem.duration), start,
        method="DOP853", rtol=1e-12, atol=1e-12, t_eval=problem.times, dense_output=True,
    )  # fmt: skip
    angles = np.linalg.solve(andrews.ANGLE_SUMS, solution.sol(0.03)[:7])
    difference = abs(angles - ANDREWS_PUBLISHED).max()
    print(f"  A03: largest angle difference from the published values {difference:.1e} rad")
    points = andrews.E_ARMS @ np.exp(1j * solution.y[:7])
    return planar(points.real, points.imag)


class Governor:
    """The flyball governor in rod angle and slider height; its spin follows from momentum."""

    def __init__(self, problem: Problem) -> None:
        base, rod, _, slider = problem.bodies
        spring = problem.springs[0]
        along = np.array([np.cos(np.pi / 6), -np.sin(np.pi / 6), 0])
        across = np.array([-along[1], along[0], 0])
        self.gravity, self.slider_mass, self.mass = -problem.gravity[1], slider.mass, rod.mass
        self.k, self.c, self.length = spring.stiffness, spring.damping, spring.length
        self.lever = (rod.com - [0.05, 1, 0]) @ along
        self.I_along, self.I_across = along @ rod.inertia @ along, across @ rod.inertia @ across
        self.I_z = rod.inertia[2, 2]
        self.I_rest = base.inertia[1, 1] + slider.inertia[1, 1]
        self.momentum = self.spin_inertia(np.pi / 6) * 2 * np.pi

    def spin_inertia(self, angle: float) -> float:
        radius = 0.05 + self.lever * np.cos(angle)
        own = self.I_along * np.sin(angle) ** 2 + self.I_across * np.cos(angle) ** 2
        return self.I_rest + 2 * (self.mass * radius**2 + own)

    def spin_inertia_slope(self, angle: float) -> float:
        radius = 0.05 + self.lever * np.cos(angle)
        own = (self.I_along - self.I_across) * np.sin(2 * angle)
        return 2 * (-2 * self.mass * radius * self.lever * np.sin(angle) + own)

    def rates(self, t: float, y: np.ndarray) -> list[float]:
        angle, height, angle_rate, height_rate = y
        x, z = 0.5 * np.cos(angle), 1 - 0.5 * np.sin(angle) - height
        stretch = np.hypot(x, z)
        by_angle, by_height = -0.5 * (x * np.sin(angle) + z * np.cos(angle)) / stretch, -z / stretch
        force = self.k * (stretch - self.length) + self.c * (by_angle * angle_rate + by_height * height_rate)
        spin = self.momentum / self.spin_inertia(angle)
        torque = (
            0.5 * spin**2 * self.spin_inertia_slope(angle)
            + 2 * self.mass * self.gravity * self.lever * np.cos(angle)
            - 2 * force * by_angle
        )
        angle_acceleration = torque / (2 * (self.mass * self.lever**2 + self.I_z))
        height_acceleration = -self.gravity - 2 * force * by_height / self.slider_mass
        return [angle_rate, height_rate, angle_acceleration, height_acceleration]


def flyball_governor(problem: Problem) -> np.ndarray:
    solution = solve_ivp(
        Governor(problem).rates, (0, problem.duration), [np.pi / 6, 0.5, 0, 0],
        method="Radau", rtol=1e-11, atol=1e-13, t_eval=problem.times,
    )  # fmt: skip
    return planar(np.zeros_like(problem.times), solution.y[1])


def chain(problem: Problem) -> np.ndarray:
    """In absolute angles a of the links: C_ij cos(a_i - a_j) a_j'' + C_ij sin(a_i - a_j) a_j'^2 = Q_i."""
    n = len(problem.bodies)
    i = np.arange(n)
    hanging = LINK_MASS * (n - 1 - i)
    C = LINK_MASS * (n - 1 - np.maximum.outer(i, i)) + LINK_MASS / 2
    C[i, i] = hanging + LINK_MASS / 3
    weight = problem.gravity[1] / LINK_LENGTH * (hanging + LINK_MASS / 2)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        angle, w = y[:n], y[n:]
        between = angle[:, None] - angle[None, :]
        rhs = weight * np.cos(angle) - (C * np.sin(between)) @ (w * w)
        w_dot = scipy.linalg.solve(C * np.cos(between), rhs, assume_a="pos", check_finite=False)
        return np.concatenate([w, w_dot])

    tolerance = 1e-12 if n <= 10 else 1e-11 if n <= 100 else 1e-9
    solution = solve_ivp(
        rates, (0, problem.duration), np.zeros(2 * n),
        method="DOP853", rtol=tolerance, atol=tolerance, t_eval=problem.times,
    )  # fmt: skip
    angles = solution.y[: TRACKED_LINK + 1]
    return planar(LINK_LENGTH * np.cos(angles).sum(axis=0), LINK_LENGTH * np.sin(angles).sum(axis=0))


METHODS = {
    "A01": simple_pendulum,
    "A02": n_four_bar,
    "A03": squeezing_mechanism,
    "A05": flyball_governor,
    "chain": chain,
}


def compute(problem: Problem) -> np.ndarray:
    method = METHODS.get(problem.name.split("_")[0], index1.tracked_trajectory)
    return method(problem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), metavar="problem")
    parser.add_argument("--write", action="store_true", help="store the result")
    arguments = parser.parse_args()
    for name in arguments.problems:
        problem = PROBLEMS[name]()
        started = time.perf_counter()
        points = compute(problem)
        seconds = time.perf_counter() - started
        if arguments.write:
            FOLDER.mkdir(exist_ok=True)
            np.savez_compressed(FOLDER / f"{name}.npz", t=problem.times, points=points)
            print(f"{name}: stored, {seconds:.1f} s")
        else:
            difference = np.linalg.norm(points - load(problem), axis=1).max()
            print(
                f"{name}: differs by at most {difference:.1e} m from the stored file, {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
