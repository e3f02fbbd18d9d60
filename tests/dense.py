"""The equations of motion written a second time, dense and by automatic differentiation of the definitions:
M u' + J^T lam = Q, J u' = gamma, with u = (v, w) of every centre of mass in world axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import vincolo as vc
from jets import Jet, cos, jet_frame, lift, parts, sin, sqrt
from mechanisms import motions
from vincolo.equations.arithmetic import OPERATIONS
from vincolo.model.tape import run

Terms = list | tuple  # of (factor, equation, frame a, frame b)
NOW = Jet(0.0, 1.0)


@dataclass(frozen=True)
class Dense:
    """All matrices at one state."""

    M: np.ndarray
    J: np.ndarray
    gamma: np.ndarray
    Q: np.ndarray
    phi: np.ndarray
    rate: np.ndarray

    def accelerations(self) -> np.ndarray:
        """Gauss: of all accelerations with J u' = gamma the one nearest to the free one in the sense of mass."""
        root = np.linalg.cholesky(self.M)
        free = np.linalg.solve(self.M, self.Q)
        J = np.linalg.solve(root, self.J.T).T  # J root^-T
        return free + np.linalg.solve(root.T, np.linalg.pinv(J, rcond=1e-9) @ (self.gamma - self.J @ free))

    def reactions(self) -> np.ndarray:
        """The smallest of all lam with J^T lam = Q - M u'."""
        return np.linalg.pinv(self.J.T, rcond=1e-9) @ (self.Q - self.M @ self.accelerations())

    def least_reactions(self, state: vc.State) -> np.ndarray:
        """The least of all lam with J^T lam = Q - M u', measured by the forces of every joint and by its torques at
        both frames over the size of the mechanism."""
        root = np.linalg.cholesky(reaction_metric(state, self.J))
        needed = self.Q - self.M @ self.accelerations()
        return np.linalg.solve(root.T, np.linalg.pinv(np.linalg.solve(root, self.J).T, rcond=1e-9) @ needed)

    @property
    def rank(self) -> int:
        return int(np.linalg.matrix_rank(self.J, tol=1e-8)) if self.J.size else 0


def jet_of(frame: vc.Frame, motion: tuple, time: Jet, a=(0, 0, 0), alpha=(0, 0, 0)):
    """A frame of a model as jets, on a body with the given motion and accelerations."""
    p, R = jet_frame((*motion, a, alpha), frame.point - frame.body.com, frame.axes)
    if frame.motion is None:
        return p, R
    x, y, z, turn = (Jet(0.0) if f is None else time._of(*f.derivatives(time.value))
                     for f in (*frame.motion.along, frame.motion.turn))
    i, j, k = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[frame.motion.axis]
    turned = np.empty((3, 3), dtype=object)
    turned[:, i], turned[:, j], turned[:, k] = R[:, i], cos(turn) * R[:, j] + sin(turn) * R[:, k], \
        cos(turn) * R[:, k] - sin(turn) * R[:, j]
    return p + x * R[:, 0] + y * R[:, 1] + z * R[:, 2], turned


def velocities(x: np.ndarray) -> np.ndarray:
    """The rates of jets as jets: one derivative fewer."""
    return np.vectorize(lambda jet: Jet(jet.rate, jet.acceleration), otypes=[object])(x)


def value_of(equation, A, B) -> Jet:
    """A measure of two frames as a jet. Where there is only a velocity, of points of both frames where they touch, the
    jet has no value."""
    if equation.kind not in ("skid", "roll"):
        return equation(A, B)
    (pa, Ra), (pb, Rb) = (B, A) if equation.swapped else (A, B)
    axis, touch = Rb[:, "xyz".index(equation.axes[0])], pb
    if equation.kind == "roll":
        name, radius, ball = equation.axes
        axis, normal, axle = Ra[:, "xyz".index(name)], Ra[:, 2], Rb[:, 2]
        down = normal if ball else normal - (normal @ axle) * axle
        touch = pb - radius / sqrt(down @ down) * down
    # a point that stands at `touch` and moves with a frame: velocity p' + R' R^T (touch - p)
    first, second = (velocities(p) + velocities(R) @ (R.T @ (touch - p)) for p, R in ((pa, Ra), (pb, Rb)))
    slip = equation.sign * (axis @ (second - first))
    return Jet(0.0, slip.value, slip.rate)


def series(measure: vc.Measure | Terms, now: dict, time: Jet = NOW) -> Jet:
    """A measure, sum or formula of measures as a jet, at zero acceleration."""
    plain = measure if isinstance(measure, list | tuple) else measure.terms
    jets = [f * value_of(e, *(jet_of(x, now[x.body.name], time) for x in (a, b))) for f, e, a, b in plain]
    if plain is measure or measure.tape is None:
        return sum(jets)
    called = [lambda x, f=f: lift(x)._of(*f.derivatives(lift(x).value)) for f in measure.parts]
    if not measure.rates:
        return lift(run(measure.tape, time, jets, OPERATIONS, called))
    speed = lift(run(measure.tape, time, [*jets, *velocities(np.array(jets, dtype=object))], OPERATIONS, called))
    return Jet(0.0, speed.value, speed.rate)


def measured(measure: vc.Measure | Terms, now: dict, time: Jet = NOW) -> tuple[float, float, float]:
    """Value, rate and second derivative at zero acceleration of a measure."""
    return parts(series(measure, now, time))


def gradient(measure: vc.Measure | Terms, now: dict, numbers: dict[str, int], t: float = 0.0) -> np.ndarray:
    """The row J of a measure: its rate for every unit velocity of every body it touches."""
    row = np.zeros(6 * len(numbers))
    plain = measure if isinstance(measure, list | tuple) else measure.terms
    rest = {n: (*motion[:2], *np.zeros((2, 3))) for n, motion in now.items()}
    alone = measured(measure, rest, Jet(t))[1]  # of a formula with rates
    for name in {f.body.name for *_, a, b in plain for f in (a, b)} - {"ground"}:
        for c, one in enumerate(np.eye(6)):
            moved = {**rest, name: (*now[name][:2], one[:3], one[3:])}
            row[6 * numbers[name] + c] = measured(measure, moved, Jet(t))[1] - alone
    return row


def rows(system: vc.System) -> list[tuple[vc.Measure, vc.Function]]:
    """All held measures, with the function of time each is held at, in the kernel's order."""
    found = [(row.measure, vc.Constant(row.value)) for joint in system.joints.values() for row in joint.rows]
    return found + [(held.measure, held.function) for held in system.holds.values()]


def dense(model: vc.Model, state: vc.State) -> Dense:
    """Everything at a state."""
    system, now, t = state.system, motions(state), state.t
    numbers = system.body_numbers
    M, Q = inertia_and_weight(model, now)
    held = rows(system)
    J, phi, rate, gamma = np.zeros((len(held), len(Q))), *np.zeros((3, len(held)))
    for k, (measure, function) in enumerate(held):
        f, df, ddf = function.derivatives(t)
        value, speed, bias = measured(measure, now, Jet(t, 1.0))
        J[k] = gradient(measure, now, numbers, t)
        phi[k], rate[k], gamma[k] = value - f, speed - df, ddf - bias
    return Dense(M, J, gamma, Q + applied(model, now, numbers, t), phi, rate)


def inertia_and_weight(model: vc.Model, now: dict) -> tuple[np.ndarray, np.ndarray]:
    """M, and Q from weight and the gyroscopic torque -w x I w."""
    size = 6 * len(model.bodies)
    M, Q = np.zeros((size, size)), np.zeros(size)
    for k, (name, body) in enumerate(model.bodies.items()):
        _, R, _, w = now[name]
        inertia = R @ body.inertia @ R.T
        M[6 * k: 6 * k + 3, 6 * k: 6 * k + 3] = body.mass * np.eye(3)
        M[6 * k + 3: 6 * k + 6, 6 * k + 3: 6 * k + 6] = inertia
        Q[6 * k: 6 * k + 3] = body.mass * model.gravity
        Q[6 * k + 3: 6 * k + 6] = -np.cross(w, inertia @ w)
    return M, Q


def applied(model: vc.Model, now: dict, numbers: dict[str, int], t: float) -> np.ndarray:
    """Q from springs, formulas on measures, and loads."""
    Q = np.zeros(6 * len(numbers))
    for s in model.springs.values():
        value, rate, _ = measured(s.measure, now, Jet(t, 1.0))
        Q -= (s.k * (value - s.length) + s.c * rate + s.preload) * gradient(s.measure, now, numbers, t)
    for law in model.laws.values():
        value, rate, _ = measured(law.measure, now, Jet(t, 1.0))
        force = law.curve(value) if law.curve else law.formula.evaluate(t, [value, rate])
        Q += law.sign * force * gradient(law.measure, now, numbers, t)
    for load in model.loads.values():
        k = 6 * numbers[load.frame.body.name]
        R = now[load.frame.body.name][1]
        vector = np.array([f(t) for f in load.components])
        vector = R @ vector if load.in_body_axes else vector
        arm = R @ (load.frame.point - load.frame.body.com)
        Q[k: k + 6] += np.concatenate([0 * vector, vector] if load.torque else [vector, np.cross(arm, vector)])
    return Q


def kernel_rows(state: vc.State) -> dict[str, np.ndarray]:
    """phi, rate (J u - nu), gamma and J of all held rows, as the kernel has them."""
    system = state.system
    found = system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())
    J = np.zeros((len(system.rows), 6 * len(system.centred)))
    np.add.at(J, (found["row"], found["column"]), found["value"])
    return {"phi": found["phi"], "rate": found["rate"], "gamma": found["gamma"], "J": J}


def speeds(state: vc.State) -> np.ndarray:
    """u = (v, w) of every body."""
    return np.concatenate([state.y[13 * k + 7: 13 * k + 13] for k in range(len(state.system.centred))])


def reaction_metric(state: vc.State, J: np.ndarray) -> np.ndarray:
    """G with lam^T G lam = sum over joints and drives of |F_a|^2 + |F_b|^2 + (|T_a|^2 + |T_b|^2) / size^2."""
    system, now = state.system, motions(state)
    ends = {name: (joint.a, joint.b) for name, joint in system.joints.items()}
    ends |= {name: held.measure.terms[0][2:] for name, held in system.holds.items()}
    G = np.zeros((len(J), len(J)))
    for name, frames in ends.items():
        part = list(system.block_rows[name])
        W = _wrenches(frames, -J[part], now, system.body_numbers)
        W[:, 6:] /= system.size
        G[np.ix_(part, part)] = W @ W.T
    return G


def _wrenches(frames: tuple, rows: np.ndarray, now: dict, numbers: dict[str, int]) -> np.ndarray:
    """Forces on both bodies and torques at both frames (rows, 12); the ground's follow from balance."""
    points, found = [], []
    for frame in frames:
        r, R = now[frame.body.name][:2]
        arm = R @ (frame.point - frame.body.com)
        points.append(r + arm)
        if frame.body.name == "ground":
            found.append(None)
            continue
        k = 6 * numbers[frame.body.name]
        found.append((rows[:, k: k + 3], rows[:, k + 3: k + 6] - np.cross(arm, rows[:, k: k + 3])))
    for own, other in ((0, 1), (1, 0)):
        if found[own] is None:
            F, T = found[other]
            found[own] = (-F, -T - np.cross(points[other] - points[own], F))
    return np.hstack([found[0][0], found[1][0], found[0][1], found[1][1]])
