"""A dense time stepper for the judges: Moreau's midpoint rule with small equal steps, all stops and all friction of a
step in one complementarity problem, solved by projected Gauss-Seidel. It shares nothing with the solvers of the
package but the matrices M, J, Q of the mechanism without stops and friction.

    M (u+ - u) = h Q - J^T h lam + G_N^T p_N + G_T^T p_T,   J u+ = nu
    0 <= p_N  |_  G_N u+ + e G_N u >= 0 where the gap is closed;   p_T against the slip, |p_T| <= h mu N

N of friction is the one of docs/friction.md, of the joint's reaction lam of the same step."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

import vincolo as vc
from dense import _wrenches, kernel_rows, reaction_metric, speeds
from mechanisms import motions

SWEEPS, SETTLED = 4000, 1e-10
STABILISED = 0.3  # share of an open joint that a step closes


@dataclass
class Motion:
    """What the stepper computed: states by time, and forces of stops and friction by name."""

    system: vc.System
    t: list[float] = field(default_factory=list)
    states: list[vc.State] = field(default_factory=list)
    forces: dict[str, list] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel of the mechanism without stops and friction, or NAME.force of one of these."""
        if name.removesuffix(".force") in self.forces:
            return np.array(self.forces[name.removesuffix(".force")])
        return np.array([state[name] for state in self.states])


@dataclass
class Law:
    """A stop or a friction: its quantities in the system, and what it needs."""

    name: str
    quantities: list[int]
    stop: vc.elements.Stop | None = None
    sign: float = 1.0
    bound: float = 0.0
    friction: object = None


class TimeStepper:
    """Steps a model; `first` as assemble() takes it."""

    def __init__(self, model: vc.Model, rates: dict[str, float] | None = None) -> None:
        copy = model.copy()
        stops, frictions = dict(copy.stops), {n: f for n, f in copy.frictions.items() if not f.regularised}
        laws: list[tuple[Law, list[str]]] = []
        for name, stop in stops.items():
            copy.measure(f"gap {name}", stop.measure)
            laws += [(Law(name, [], stop, sign, bound), [f"gap {name}"]) for sign, bound in stop.sides]
        for name, friction in frictions.items():
            names = [f"slip {name} {k}" for k in range(len(friction.measures))]
            for label, measure in zip(names, friction.measures, strict=True):
                copy.measure(label, measure)
            laws.append((Law(name, [], friction=friction), names))
        for name in frictions:
            copy.remove(name)
        for name in stops:
            if name in copy.stops:
                copy.remove(name)
        self.model, self.system = copy, vc.compile(copy)
        for law, names in laws:
            law.quantities = [self.system.quantities[name] for name in names]
        self.laws = [law for law, _ in laws]
        self.rows = [q for law in self.laws for q in law.quantities]
        self.state = vc.assemble(self.system, rates or {})

    def run(self, until: float, step: float, every: int = 1) -> Motion:
        """Equal steps to a time; a sample at every so many."""
        count = max(1, round(until / step))
        h = until / count
        motion = Motion(self.system, forces={law.name: [] for law in self.laws})
        self.impulses = np.zeros(len(self.rows))
        for k in range(count + 1):
            before = self.state
            if k < count:
                self._step(h)
            if k % every == 0 or k == count:
                motion.t.append(before.t)
                motion.states.append(before)
                self._record(motion, h)
        return motion

    def _record(self, motion: Motion, h: float) -> None:
        totals: dict[str, np.ndarray] = {}
        n = 0
        for law in self.laws:
            p = self.impulses[n: n + len(law.quantities)] * law.sign / h
            totals[law.name] = totals.get(law.name, 0.0) + p
            n += len(law.quantities)
        for name, p in totals.items():
            motion.forces[name].append(float(p[0]) if len(p) == 1 else float(np.linalg.norm(p)))

    def _step(self, h: float) -> None:
        state, u = self.state, speeds(self.state)
        middle = vc.State(self.system, state.t + h / 2, state.displaced(0.5 * h * u).y, state.turns)
        ahead = vc.State(self.system, state.t + h, state.displaced(h * u).y, state.turns)
        eq = middle.equations()
        rows = kernel_rows(ahead)
        J, nu = rows["J"], rows["J"] @ u - rows["rate"] - STABILISED * rows["phi"] / h
        G, value, offset = self._measured(ahead, u)
        viscous = np.array([0.0 if law.friction is None else law.friction.given.get("viscous", 0.0)
                            for law in self.laws for _ in law.quantities])
        Q = eq.Q - G.T @ (viscous * (G @ u + offset))
        after = self._solve(state, u, h, (eq.M, Q), (J, nu), (G, value, offset))
        y = state.displaced(0.5 * h * (u + after)).y.copy()
        for k in range(len(self.system.centred)):
            y[13 * k + 7: 13 * k + 13] = after[6 * k: 6 * k + 6]
        turns = np.array(self.system.kernel.turns_at(state.t + h, y.tolist(), state.turns.tolist()))
        self.state = vc.State(self.system, state.t + h, y, turns)

    def _measured(self, state: vc.State, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of all laws (signed), the values of their measures, and their rates at rest of all bodies."""
        G = np.zeros((len(self.rows), len(u)))
        if not self.rows:
            return G, np.zeros(0), np.zeros(0)
        entries = self.system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), self.rows)
        np.add.at(G, (entries["row"], entries["column"]), entries["value"])
        offset = entries["rate"] - G @ u
        signs = np.array([law.sign for law in self.laws for _ in law.quantities])
        return signs[:, None] * G, entries["quantity"], signs * offset

    def _solve(self, state, u, h, dynamics, held, measured) -> np.ndarray:
        (M, Q), (J, nu), (G, value, offset) = dynamics, held, measured
        inverse = np.linalg.inv(M)
        K = J @ inverse @ J.T
        grip = np.linalg.pinv(K, rcond=1e-11) if len(K) else K
        project = inverse - inverse @ J.T @ grip @ J @ inverse
        free = u + h * inverse @ Q
        free = free - inverse @ J.T @ grip @ (J @ free - nu)
        if not self.rows:
            return free
        W, w0 = G @ project @ G.T, G @ free + offset
        W[np.abs(W) < 1e-12 * np.abs(G @ inverse @ G.T).max()] = 0.0  # slip that drives prescribe
        reaction = self._reactions(state, J, M, u, h, Q, free, G, project)
        p = self._gauss_seidel(W, w0, G @ u + offset, value, reaction, h)
        self.impulses = p
        return free + project @ G.T @ p

    def _reactions(self, state, J, M, u, h, Q, free, G, project):
        """The reactions of joints as an affine function of the impulses of laws: the least ones where redundant."""
        if not any(law.friction is not None and law.friction.on in self.system.joints for law in self.laws):
            return lambda p: {}
        if np.linalg.matrix_rank(J, tol=1e-8) < len(J):
            root = np.linalg.cholesky(reaction_metric(state, J))
            solve = np.linalg.solve(root.T, np.linalg.pinv(np.linalg.solve(root, J).T, rcond=1e-9))
        else:
            solve = np.linalg.pinv(J.T, rcond=1e-11)
        constant = solve @ (Q - M @ (free - u) / h)
        slope = solve @ (G.T - M @ project @ G.T) / h
        now = motions(state)
        wrenches = {}
        for name in {law.friction.on for law in self.laws if law.friction is not None} & set(self.system.joints):
            joint, part = self.system.joints[name], list(self.system.block_rows[name])
            W = _wrenches((joint.a, joint.b), -J[part], now, self.system.body_numbers)
            axes = [now[f.body.name][1] @ f.axes for f in (joint.a, joint.b)]
            wrenches[name] = (part, W, axes)

        def reactions(p: np.ndarray) -> dict[str, tuple]:
            lam = constant + slope @ p
            return {name: (lam[part] @ W[:, 3:6], lam[part] @ W[:, 9:12], axes)
                    for name, (part, W, axes) in wrenches.items()}
        return reactions

    def _gauss_seidel(self, W, w0, before, value, reaction, h) -> np.ndarray:
        p, closed = np.zeros(len(w0)), self._closed(value)
        for _ in range(SWEEPS):
            last = p.copy()
            reactions = reaction(p)
            n = 0
            for law in self.laws:
                part = slice(n, n + len(law.quantities))
                w = w0[part] + W[part] @ p
                if law.stop is not None:
                    e = law.stop.restitution if -before[n] > law.stop.rest else 0.0
                    goal = e * min(before[n], 0.0)
                    p[n] = max(0.0, p[n] - (w[0] + goal) / W[n, n]) if closed[n] and W[n, n] > 0 else 0.0
                else:
                    p[part] = self._dry(law.friction, p[part], w, W[part, part], reactions, h, p)
                n = part.stop
            if np.abs(p - last).max() <= SETTLED * max(np.abs(p).max(), 1e-12):
                return p
        warnings.warn(f"the contact problem has not settled in {SWEEPS} sweeps", RuntimeWarning, stacklevel=2)
        return p

    def _closed(self, value: np.ndarray) -> list[bool]:
        flags, n = [], 0
        for law in self.laws:
            for _ in law.quantities:
                flags.append(law.stop is not None and law.sign * (value[n] - law.bound) <= 0)
                n += 1
        return flags

    def _dry(self, f, p, w, W, reactions, h, impulses) -> np.ndarray:
        """The impulse of one friction, against its slip and at most h mu N."""
        N = self._load(f, reactions, h, impulses)
        speed = float(np.linalg.norm(w))
        stiff = float(np.trace(W)) / len(W)
        v = f.given.get("stribeck", 0.0)
        slipping = f.mu + (f.mu_static - f.mu) * (np.exp(-(speed / v)**2) if v else 0.0)
        if stiff <= 0:
            return -h * slipping * N * w / speed if speed > 0 else 0 * p
        trial = p - w / stiff
        size = float(np.linalg.norm(trial))
        if size <= h * f.mu_static * N and len(p) == 1 or size <= h * slipping * N:
            return trial
        return trial * (h * slipping * N / size) if size > 0 else 0 * p

    def _load(self, f, reactions: dict, h: float, impulses: np.ndarray) -> float:
        """N as docs/friction.md has it."""
        if not f.on:
            return abs(float(f.load))
        if f.on not in reactions:  # on a stop
            n = 0
            for law in self.laws:
                if law.name == f.on:
                    return float(impulses[n]) / h
                n += len(law.quantities)
            raise ValueError(f"friction {f.name!r} is on {f.on!r}, which has no reaction here")
        return pressing_load(f, *reactions[f.on], self.system.joints[f.on].kind)


def pressing_load(f, force: np.ndarray, torque: np.ndarray, axes: list, kind: str) -> float:
    """N of a friction in a joint from its reaction on the second body; world axes."""
    z = axes[1 if f.along == "angle2" else 0][:, 2]
    axial, twist = float(force @ z), float(torque @ z)
    radial, bending = (float(np.linalg.norm(x - (x @ z) * z)) for x in (force, torque))
    radius, length, end = (f.given.get(key, 0.0) for key in ("radius", "length", "end_radius"))
    tilt = 2 * bending / length if length else 0.0
    if f.along == "turn":
        return radius * float(np.linalg.norm(force))
    if f.along == "slip":
        return abs(axial) + tilt
    if f.along == "travel":
        return radial + tilt + (abs(twist) / radius if radius and kind == "prismatic" else 0.0)
    return radius * (radial + tilt) + end * abs(axial)
