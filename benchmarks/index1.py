"""A general index-1 solver in absolute coordinates, dense and slow, written only to make references.

State y = (r, p, v, w) of all bodies: world positions of the centres of mass, unit quaternions, world
velocities and world angular velocities. Redundant rows are handled by the pseudoinverse.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from problems.description import Joint, Problem


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product, ten times faster than np.cross for single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of the quaternion p, which need not be normalised."""
    e0, e = p[0], p[1:]
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + 2 / (p @ p) * (e0 * skew + skew @ skew)


def normals(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that make a right-handed set with the unit vector n."""
    t1 = cross(n, np.eye(3)[np.argmin(abs(n))])
    t1 /= np.linalg.norm(t1)
    return t1, cross(n, t1)


class Kinematics:
    """Positions and velocities of all bodies at one state; the last entry is the ground."""

    def __init__(self, y: np.ndarray, bodies: int) -> None:
        n = bodies
        ground = np.zeros((1, 3))
        self.r = np.vstack([y[: 3 * n].reshape(n, 3), ground])
        self.p = y[3 * n : 7 * n].reshape(n, 4)
        self.v = np.vstack([y[7 * n : 10 * n].reshape(n, 3), ground])
        self.w = np.vstack([y[10 * n :].reshape(n, 3), ground])
        self.R = [rotation(p) for p in self.p] + [np.eye(3)]

    def quaternion_rates(self) -> np.ndarray:
        e0, e, w = self.p[:, :1], self.p[:, 1:], self.w[:-1]
        return 0.5 * np.hstack([-(w * e).sum(axis=1, keepdims=True), e0 * w + np.cross(w, e)])


class Rows:
    """Constraint rows at one state: residuals Phi, Jacobian J on (v, w), right side gamma of J u' = gamma."""

    def __init__(self, problem: Problem, at: Kinematics) -> None:
        self.problem, self.at = problem, at
        self.Phi: list[float] = []
        self.J: list[np.ndarray] = []
        self.gamma: list[float] = []
        for joint in problem.joints:
            getattr(self, joint.kind)(joint)

    def add(self, residual: float, parts: list, gamma: float) -> None:
        n = len(self.problem.bodies)
        row = np.zeros((2, n + 1, 3))
        for body, linear, angular in parts:
            row[0, body] += linear
            row[1, body] += angular
        self.Phi.append(residual)
        self.J.append(row[:, :n].ravel())
        self.gamma.append(gamma)

    def levers(self, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
        a, b, R, com = joint.a, joint.b, self.at.R, self.problem.com
        return R[a] @ (joint.point - com(a)), R[b] @ (joint.point - com(b))

    def centripetal(self, body: int, lever: np.ndarray) -> np.ndarray:
        w = self.at.w[body]
        return cross(w, cross(w, lever))

    def coincide(self, joint: Joint) -> None:
        a, b, at = joint.a, joint.b, self.at
        sa, sb = self.levers(joint)
        gap = at.r[b] + sb - at.r[a] - sa
        bias = self.centripetal(b, sb) - self.centripetal(a, sa)
        for k, e in enumerate(np.eye(3)):
            self.add(gap[k], [(b, e, cross(sb, e)), (a, -e, -cross(sa, e))], -bias[k])

    def perpendicular(self, joint: Joint, f: np.ndarray, h: np.ndarray) -> None:
        """f fixed in body a stays perpendicular to h fixed in body b (both given at the start)."""
        a, b, at = joint.a, joint.b, self.at
        f, h = at.R[a] @ f, at.R[b] @ h
        f_dot, h_dot = cross(at.w[a], f), cross(at.w[b], h)
        bias = cross(at.w[a], f_dot) @ h + 2 * f_dot @ h_dot + f @ cross(at.w[b], h_dot)
        self.add(f @ h, [(a, 0, cross(f, h)), (b, 0, -cross(f, h))], -bias)

    def no_separation(self, joint: Joint, f: np.ndarray) -> None:
        """The two joint points do not separate along f, fixed in body a."""
        a, b, at = joint.a, joint.b, self.at
        sa, sb = self.levers(joint)
        f = at.R[a] @ f
        d = at.r[b] + sb - at.r[a] - sa
        d_dot = at.v[b] + cross(at.w[b], sb) - at.v[a] - cross(at.w[a], sa)
        f_dot = cross(at.w[a], f)
        d_bias = self.centripetal(b, sb) - self.centripetal(a, sa)
        bias = f @ d_bias + 2 * f_dot @ d_dot + cross(at.w[a], f_dot) @ d
        self.add(f @ d, [(b, f, cross(sb, f)), (a, -f, -cross(sa, f) + cross(f, d))], -bias)

    def sph(self, joint: Joint) -> None:
        self.coincide(joint)

    def rev(self, joint: Joint) -> None:
        self.coincide(joint)
        for t in normals(joint.axis):
            self.perpendicular(joint, joint.axis, t)

    def bush(self, joint: Joint) -> None:
        for t in normals(joint.axis):
            self.perpendicular(joint, joint.axis, t)

    def cyl(self, joint: Joint) -> None:
        for t in normals(joint.axis):
            self.perpendicular(joint, joint.axis, t)
            self.no_separation(joint, t)

    def uni(self, joint: Joint) -> None:
        self.coincide(joint)
        self.perpendicular(joint, joint.axis, joint.axis2)

    def pri(self, joint: Joint) -> None:
        t1, t2 = normals(joint.axis)
        for f, h in ((joint.axis, t1), (joint.axis, t2), (t1, t2)):
            self.perpendicular(joint, f, h)
        for t in (t1, t2):
            self.no_separation(joint, t)


def applied_forces(problem: Problem, at: Kinematics) -> np.ndarray:
    """Forces and torques (world axes, about the centres of mass) of weight, gyration, springs, bushes, torques."""
    n = len(problem.bodies)
    F, T = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    for i, body in enumerate(problem.bodies):
        F[i] += body.mass * problem.gravity
        T[i] -= cross(at.w[i], at.R[i] @ body.inertia @ at.R[i].T @ at.w[i])
    for spring in problem.springs:
        a, b = spring.a, spring.b
        sa, sb = at.R[a] @ (spring.point_a - problem.com(a)), at.R[b] @ (spring.point_b - problem.com(b))
        d = at.r[b] + sb - at.r[a] - sa
        length = np.linalg.norm(d)
        rate = d @ (at.v[b] + cross(at.w[b], sb) - at.v[a] - cross(at.w[a], sa)) / length
        f = (spring.stiffness * (length - spring.length) + spring.damping * rate) * d / length
        F[a] += f
        T[a] += cross(sa, f)
        F[b] -= f
        T[b] -= cross(sb, f)
    for joint in problem.joints:
        if joint.kind == "bush":
            add_rubber(problem, at, joint, F, T)
    for body, torque in problem.torques:
        T[body] += torque
    return np.concatenate([F[:n].ravel(), T[:n].ravel()])


def add_rubber(problem: Problem, at: Kinematics, joint: Joint, F: np.ndarray, T: np.ndarray) -> None:
    """Add the force of a bush, stiffness * d + damping * d' with d and d' as seen in the axes of body a."""
    a, b = joint.a, joint.b
    sa, sb = at.R[a] @ (joint.point - problem.com(a)), at.R[b] @ (joint.point - problem.com(b))
    d = at.r[b] + sb - at.r[a] - sa
    rate = at.v[b] + cross(at.w[b], sb) - at.v[a] - cross(at.w[a], sa + d)
    f = joint.stiffness * d + joint.damping * rate
    F[a] += f
    T[a] += cross(sa + d, f)
    F[b] -= f
    T[b] -= cross(sb, f)


def inverse_mass(problem: Problem, at: Kinematics) -> np.ndarray:
    n = len(problem.bodies)
    M_inv = np.zeros((6 * n, 6 * n))
    for i, body in enumerate(problem.bodies):
        k = 3 * (n + i)
        M_inv[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.eye(3) / body.mass
        M_inv[k : k + 3, k : k + 3] = np.linalg.inv(at.R[i] @ body.inertia @ at.R[i].T)
    return M_inv


def start_state(problem: Problem) -> np.ndarray:
    bodies = problem.bodies
    r = [b.com for b in bodies]
    p = [np.array([1.0, 0, 0, 0])] * len(bodies)
    return np.concatenate([*r, *p, *(b.velocity for b in bodies), *(b.angular_velocity for b in bodies)])


def state_rates(problem: Problem, y: np.ndarray, redundant: bool) -> np.ndarray:
    at = Kinematics(y, len(problem.bodies))
    rows = Rows(problem, at)
    J, gamma = np.array(rows.J), np.array(rows.gamma)
    M_inv, Q = inverse_mass(problem, at), applied_forces(problem, at)
    # J M^-1 J^T lam = J M^-1 Q - gamma
    S, rhs = J @ M_inv @ J.T, J @ (M_inv @ Q) - gamma
    lam = np.linalg.pinv(S, rcond=1e-9, hermitian=True) @ rhs if redundant else np.linalg.solve(S, rhs)
    u_dot = M_inv @ (Q - J.T @ lam)
    return np.concatenate([at.v[:-1].ravel(), at.quaternion_rates().ravel(), u_dot])


def tracked_trajectory(problem: Problem, tolerance: float = 1e-11) -> np.ndarray:
    """World positions of the tracked point at the samples, in m, by DOP853 without stabilisation."""
    n, y0 = len(problem.bodies), start_state(problem)
    J = np.array(Rows(problem, Kinematics(y0, n)).J)
    redundant = np.linalg.matrix_rank(J, 1e-9) < len(J)
    solution = solve_ivp(
        lambda t, y: state_rates(problem, y, redundant), (0, problem.duration), y0,
        method="DOP853", rtol=tolerance, atol=tolerance, t_eval=problem.times,
    )  # fmt: skip
    drift = np.abs(Rows(problem, Kinematics(solution.y[:, -1], n)).Phi).max()
    print(f"  {problem.name}: constraints open by {drift:.1e} at the end, {solution.nfev} evaluations")
    body, offset = problem.tracked_body, problem.tracked_offset
    states = [Kinematics(y, n) for y in solution.y.T]
    return np.array([at.r[body] + at.R[body] @ offset for at in states])
