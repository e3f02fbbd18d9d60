"""A run by Vita's default method: constraints orthogonalised by QTZ, the algebraic-differential system by Radau IIA.

At every stage of a step (her equation 3.57, with the positions of the independent constraints)

    Q2h^T (M a - Q) = 0,   C Phi = 0,   u = u0 + h sum A a,   q = q0 + h sum A q_dot,

so that joints stay closed to rounding. In Python, for mechanisms of the size of hers; the kernel's own Radau(index=3)
solves the same equations on chosen rows instead of combined ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.layout import MOTION, POINT, POSE, QUATERNION, by_body, of_body
from vincolo.model.geometry import Array, crosses
from vincolo.solvers.between import cubic, quintic, twists, unit
from vincolo.solvers.equations_here import Here, stored_power
from vincolo.solvers.qtz import Qtz
from vincolo.solvers.radau import ERROR, GAMMA, NODES, A
from vincolo.state import State
from vincolo.system import System

MOST_PASSES = 12
VELOCITIES = 0.1  # their weight against positions in the error
CONVERGED, ROUNDED = 0.01, 0.2  # share of the tolerance; the same where rounding leaves no more
FIRST_STEP = 1e-3  # of the run
LARGEST_TURN = 1.0  # rad about an axis in one step, so that turns can be counted
NOTHING = dict.fromkeys(("fitted", "corrections", "too_open", "renewals", "changes", "zeroed_pivots", "selections"), 0)


class OrthogonalisedRun:
    """Advances piece by piece and keeps what it has computed, as the kernel's runs do."""

    def __init__(self, system: System, options: dict[str, Any], begin: State, times: Array) -> None:
        self.system, self.times = system, times
        self._load = {"kind": "null_space", "by": "qr", "rank_tolerance": options["formulation"]["rank_tolerance"]}
        control = options["integrator"]
        self.rtol, (self.positions, self.rotations, self.velocities) = control["rtol"], control["atol"]
        self.longest, self.shortest = control["max_step"] or np.inf, control["min_step"]
        self.most_steps, self.projects = options["max_steps"], bool(options["stabilisation"].get("outputs"))
        self.stops = [t for t in options["corners"] if begin.t < t < times[-1]] + [float(times[-1])]
        drives = np.array([row.drive for row in system.rows], dtype=bool)
        self.qtz = Qtz(drives, options["formulation"]["rank_tolerance"], options["formulation"]["limit"])
        self.bodies = len(system.centred)
        self.turns_now, self.step = begin.turns.copy(), FIRST_STEP * (float(times[-1]) - begin.t)
        self.evaluations = self.passes = self.most_passes = 0
        self._y: list[Array] = []
        self._turns: list[Array] = []
        self._handed, self._most = 0, 0
        self._taker: Callable[[Array, Array, Array], None] | None = None
        self.stats: dict[str, Any] = {**NOTHING, "steps": 0, "rejected": 0, "crossing_steps": 0, "restarts": 0,
                                      "factorisations": 0, "smallest_step": np.inf, "largest_step": 0.0,
                                      "energy_imbalance": 0.0, "energy_range": 0.0,
                                      "position_residual": 0.0, "velocity_residual": 0.0,
                                      "first_change": 0.0, "implicit_time": 0.0, "fastest": 0.0,
                                      "lowest_pivot_share": 1.0, "formulation": "qtz", "opened_row": -1,
                                      "extent": system.extent, "energy_size": 0.0}
        self._rejected = False
        self._slopes: tuple[Array, Array] | None = None  # of the forces by positions and velocities
        self._last: tuple[float, Array] | None = None  # size and accelerations of the last step
        self._energies: Array = np.zeros((0, 3))  # least and largest of kinetic, potential energy and work
        self._begin(begin)

    # what the kernel's runs have

    @property
    def recorded(self) -> int:
        """How many samples there are."""
        return self._handed + len(self._y)

    @property
    def time(self) -> float:
        """The time of the last accepted state [s]."""
        return self.here.t

    def samples(self) -> Array:
        """The recorded states."""
        return np.array(self._y).reshape(len(self._y), self.system.kernel.state_size)

    def turns(self) -> Array:
        """Angles at the samples, counted over turns."""
        return np.array(self._turns).reshape(len(self._turns), self.system.kernel.turns)

    def hand_over(self, most: int, function: Callable[[Array, Array, Array], None]) -> None:
        """Has samples taken by a function of times, states and turns, `most` of them at a time."""
        self._most, self._taker = most, function

    def flush(self) -> None:
        """Hands over the samples that are held."""
        if self._taker is not None and self._y:
            self._taker(self.times[self._handed:self.recorded], self.samples(), self.turns())
            self._handed = self.recorded
            self._y, self._turns = [], []

    def state(self) -> tuple[float, Array, Array]:
        """The last accepted state."""
        return self.here.t, self.here.y, self.turns_now

    def statistics(self) -> dict[str, Any]:
        """What was counted."""
        return {**self.stats, "evaluations": self.evaluations, "iterations": self.passes,
                "most_iterations": self.most_passes, "decompositions": self.qtz.count}

    @staticmethod
    def unsettled_law() -> int:
        """Laws that read reactions are refused."""
        return -1

    def trouble(self) -> dict[str, Any]:
        """Failures of the kernel's formulations and of users' functions: there are none here."""
        return {}

    take_error = staticmethod(lambda: None)

    @staticmethod
    def events() -> list[Any]:
        """What happened: models with events are refused."""
        return []

    def advance(self, evaluations: int) -> str:
        """Goes on for about so many evaluations of the equations."""
        until = self.evaluations + evaluations
        while self.evaluations < until:
            if self.here.t >= self.times[-1]:
                return "done"
            if self.most_steps and self.stats["steps"] >= self.most_steps:
                return "too many steps"
            if not np.isfinite(self.a).all():
                return "not finite"
            span, fastest = self.stops[0] - self.here.t, float(np.abs(self.here.u.reshape(-1, 6)[:, 3:]).max())
            self.step = min(self.step, LARGEST_TURN / max(1e-300, fastest))
            if not self.step > max(1e-14 * max(abs(self.here.t), abs(self.times[-1])), self.shortest * (1 - 1e-9)):
                return "step too small"
            self._attempt(min(self.step, span, self.longest), span)
        return "running"

    # states

    def _begin(self, begin: State) -> None:
        self.here = self._equations(begin.t, begin.y)
        self.qtz.decompose(self.here.J)
        self.a = self.qtz.accelerations(self.here.M, self.here.Q, self.here.gamma)
        self._energy0 = self._work0 = float("nan")
        self.power = self._watch()
        if self.times[0] <= begin.t:
            self._keep(begin.y)

    def _equations(self, t: float, y: Array) -> Here:
        self.evaluations += 1
        d = self.system.kernel.solve(self._load, t, y.tolist(), self.turns_now.tolist(), False)
        return Here(t, y, *(d[name] for name in ("M", "J", "gamma", "Q", "phi", "rate", "u")))

    def _rates(self, y: Array, u: Array) -> Array:
        """q_dot of every body: v, and 1/2 (0, w) p."""
        found = np.zeros((self.bodies, 7))
        p, w = by_body(y, self.bodies)[:, QUATERNION], u.reshape(-1, 6)[:, 3:]
        found[:, :3] = u.reshape(-1, 6)[:, :3]
        found[:, 3] = -0.5 * (w * p[:, 1:]).sum(axis=1)
        found[:, 4:] = 0.5 * (p[:, :1] * w + crosses(w, p[:, 1:]))
        return found

    def _with(self, q: Array, u: Array, work: float = 0.0) -> Array:
        """A state of positions (bodies, 7) and velocities."""
        return np.append(np.hstack([q, u.reshape(-1, 6)]).ravel(), work)

    def _positions(self, y: Array) -> Array:
        return np.asarray(by_body(y, self.bodies)[:, POSE])

    # a step

    def _attempt(self, h: float, span: float) -> None:
        stages = self._solve(h)
        error = np.inf if stages is None else self._error(h, *stages[:2])
        if stages is None or not error <= 1:
            self.stats["rejected"] += 1
            self._rejected, self._slopes = True, None if stages is None else self._slopes
            self.step = h * (0.25 if stages is None or not np.isfinite(error) else max(0.2, 0.9 * error**-0.25))
            return
        end = self.stops[0] if h == span else self.here.t + h
        self._accept(h, end, stages)
        grow = min(1.0 if self._rejected else 6.0, max(0.3, 0.9 * max(error, 1e-8) ** -0.25))
        self._rejected = False
        self.step = h * grow if h < span else max(self.step, h * min(grow, 1.0))
        if h == span and len(self.stops) > 1:
            self._restart()

    def _solve(self, h: float) -> tuple[list[Array], list[Array], Array, list[Here]] | None:
        """Stages q, u, a and the equations there; None if the iteration does not converge."""
        n = 6 * self.bodies
        u0, q0 = self.here.u, self._positions(self.here.y)
        a = self._predicted(h)
        u = [u0 + h * (A[i] @ a) for i in range(3)]
        q = [q0 + NODES[i] * h * self._rates(self.here.y, (u0 + u[i]) / 2) for i in range(3)]
        factor, before = None, np.inf
        latest = np.nextafter(self.stops[0], self.here.t)  # no stage looks behind a corner
        for passes in range(1, MOST_PASSES + 1):
            found = [self._equations(min(self.here.t + NODES[i] * h, latest), self._with(q[i], u[i])) for i in range(3)]
            bases, residual = self._residual(found, a, h)
            if not np.isfinite(residual).all():
                return None
            factor = self._factor(found, bases, h) if factor is None else factor
            change = -np.linalg.solve(factor, residual).reshape(3, n)
            a = a + change
            u = [u0 + h * (A[i] @ a) for i in range(3)]
            rates = [self._rates(self._with(q[j], u[j]), u[j]) for j in range(3)]
            new = [q0 + h * sum(A[i, j] * rates[j] for j in range(3)) for i in range(3)]
            # lengths of Euler parameters count too: stages are not put back to one; velocities are an order behind
            longer = max(float(np.abs(new[i][:, 3:] - q[i][:, 3:]).max()) for i in range(3))
            size = max(longer / (self.rotations + self.rtol),
                       *(self._measure(twists(q0, new[i] - q[i]), min(1.0, h) * h * (A[i] @ change)) for i in range(3)))
            q, self.passes, self.most_passes = new, self.passes + 1, max(self.most_passes, passes)
            if size < CONVERGED:
                return q, u, a, found
            if not np.isfinite(size) or (passes > 2 and size > 0.9 * before):
                return (q, u, a, found) if size < ROUNDED else None
            before = size
        return None

    def _predicted(self, h: float) -> Array:
        """Accelerations of the last step carried on by the parabola through two of its stages and its end."""
        if self._last is None:
            return np.tile(self.a, (3, 1))
        step, stages = self._last
        nodes, known = np.array([NODES[0], NODES[1], 1.0]), np.vstack([stages[:2], self.a])
        at = 1 + h / step * NODES
        weights = [np.prod([(at - nodes[k]) / (nodes[j] - nodes[k]) for k in range(3) if k != j], axis=0)
                   for j in range(3)]
        return np.asarray(np.array(weights).T @ known)

    def _residual(self, found: list[Here], a: Array, h: float) -> tuple[list[tuple[Array, Array]], Array]:
        bases, rows = [], []
        for i, here in enumerate(found):
            self.qtz.update(here.J)
            bases.append((self.qtz.Q2h, self.qtz.CJ))
            rows += [self.qtz.Q2h.T @ (here.M @ a[i] - here.Q), self.qtz.C @ here.phi / h**2]
        return bases, np.concatenate(rows)

    def _factor(self, found: list[Here], bases: list[tuple[Array, Array]], h: float) -> Array:
        """The derivative of the residual by the accelerations of all stages."""
        by_q, by_u = self._force_slopes()
        A2, blocks = A @ A, []
        for i, (here, (Q2h, CJ)) in enumerate(zip(found, bases, strict=True)):
            moving = [(i == j) * here.M - h * A[i, j] * by_u - h**2 * A2[i, j] * by_q for j in range(3)]
            blocks.append([np.vstack([Q2h.T @ moving[j], A2[i, j] * CJ]) for j in range(3)])
        self.stats["factorisations"] += 1
        return np.block(blocks)

    def _force_slopes(self) -> tuple[Array, Array]:
        """dQ/dq and dQ/du where the step begins, by differences; kept while the iteration converges."""
        if self._slopes is not None:
            return self._slopes
        here, n = self.here, 6 * self.bodies
        state = State(self.system, here.t, here.y, self.turns_now)
        by_q, by_u = np.zeros((n, n)), np.zeros((n, n))
        for k in range(n):
            eps = 1e-7 * max(1.0, float(np.abs(of_body(here.y, k // 6)[POINT]).max()))
            unit = np.zeros(n)
            unit[k] = eps
            by_q[:, k] = (self._equations(here.t, state.displaced(unit).y).Q - here.Q) / eps
            eps = 1e-7 * max(1.0, float(np.abs(here.u).max()))
            y = here.y.copy()
            of_body(y, k // 6)[MOTION][k % 6] += eps
            by_u[:, k] = (self._equations(here.t, y).Q - here.Q) / eps
        self._slopes = by_q, by_u
        return self._slopes

    def _measure(self, moved: Array, faster: Array) -> float:
        """The size of changes of positions and velocities in tolerances."""
        y = by_body(self.here.y, self.bodies)
        d, v = moved.reshape(-1, 6), faster.reshape(-1, 6)
        scales = (self.positions + self.rtol * np.abs(y[:, :3]), 2 * self.rotations + self.rtol,
                  self.velocities + self.rtol * np.abs(y[:, 7:10]), self.velocities + self.rtol * np.abs(y[:, 10:]))
        changes = (d[:, :3], d[:, 3:], v[:, :3], v[:, 3:])
        parts = [change / scale for change, scale in zip(changes, scales, strict=True)]
        return float(np.sqrt(np.mean(np.square(np.hstack(parts)))))

    def _error(self, h: float, q: list[Array], u: list[Array]) -> float:
        """The embedded estimate, freed of what the constraints and stiff forces take back."""
        here, q0, g = self.here, self._positions(self.here.y), GAMMA * h
        off = h * self._rates(here.y, here.u) + sum(ERROR[i] * (q[i] - q0) for i in range(3))
        e_q = GAMMA * twists(unit(q[2]), off)
        e_u = GAMMA * (h * self.a + sum(ERROR[i] * (u[i] - here.u) for i in range(3)))
        by_q, by_u = self._force_slopes()
        self.qtz.update(here.J)
        M = here.M - g * by_u - g**2 * by_q
        right = np.concatenate([self.qtz.Q2h.T @ (here.M @ e_u + g * by_q @ e_q), -self.qtz.CJ @ e_q / g])
        x_u = np.linalg.solve(self.qtz.system(M), right)
        # of velocities those that the joints allow: the others are of lower order and taken back
        return self._measure(e_q + g * x_u, VELOCITIES * self.qtz.Q2h @ (self.qtz.Q2.T @ x_u))

    def _accept(self, h: float, end: float, stages: tuple[list[Array], list[Array], Array, list[Here]]) -> None:
        q, u, a, found = stages
        work = self.here.y[-1] + h * float(A[2] @ [self._power(there) for there in found])
        before, a_before, power_before = self.here, self.a, self.power
        y = self._with(unit(q[2]), u[2], work)
        self.turns_now = np.array(self.system.kernel.turns_at(end, y.tolist(), self.turns_now.tolist()))
        self.here = self._landed(self._equations(end, y))
        if self.qtz.due(self.here.J, self.here.u):
            self.qtz.decompose(self.here.J)
        self.a = self.qtz.accelerations(self.here.M, self.here.Q, self.here.gamma)
        self.power = self._watch()
        self._last = h, a
        s = self.stats
        s["steps"] += 1
        s["smallest_step"], s["largest_step"] = min(s["smallest_step"], h), max(s["largest_step"], h)
        self._record(before, a_before, power_before)

    def _landed(self, here: Here) -> Here:
        """A state put onto the constraints: what is left of positions would come back as a speed of the next step."""
        s = self.stats
        s["position_residual"] = max(s["position_residual"], float(np.abs(here.phi).max(initial=0.0)))
        s["velocity_residual"] = max(s["velocity_residual"], float(np.abs(here.rate).max(initial=0.0)))
        return self._equations(here.t, self._closed(here)) if self.projects else here

    def _restart(self) -> None:
        """Behind a corner of a force or drive."""
        self.stops.pop(0)
        self.stats["restarts"] += 1
        behind = self._equations(np.nextafter(self.here.t, np.inf), self.here.y)
        self.here = replace(behind, t=self.here.t)
        self.qtz.decompose(self.here.J)
        self.a = self.qtz.accelerations(self.here.M, self.here.Q, self.here.gamma)
        self._slopes = self._last = None

    # energy

    def _power(self, here: Here) -> float:
        """Power that is not stored: Q u, less what gravity and springs give back, and that of drives, -lam nu. The
        multipliers of stages are of low order; those of the accelerations there are not."""
        self.qtz.update(here.J)
        lam = self.qtz.multipliers(here.M, here.Q, self.qtz.accelerations(here.M, here.Q, here.gamma))
        v = here.u.reshape(-1, 6)[:, :3]
        masses = np.array([c.body.mass for c in self.system.centred])
        weight = float(masses @ (v @ self.system.gravity))
        stored = stored_power(self.system, lambda: self._seen(here))
        return float(here.u @ here.Q - lam @ (here.J @ here.u - here.rate)) - weight + stored

    def _seen(self, here: Here) -> Any:
        return self.system.kernel.observe([here.t], here.y[None, :], self.turns_now[None, :])

    def _watch(self) -> float:
        """Energy against work at an accepted state; returns the power there."""
        seen, s = self._seen(self.here), self.stats
        kinetic, potential, work = float(seen["kinetic"][0]), float(seen["potential"][0]), float(self.here.y[-1])
        if np.isnan(self._energy0):
            self._energy0, self._work0 = kinetic + potential, work
        off = kinetic + potential - self._energy0 - (work - self._work0)
        s["energy_imbalance"] = max(s["energy_imbalance"], abs(off))
        met = np.vstack([self._energies, [kinetic, potential, work]])
        self._energies = np.array([met.min(axis=0), met.max(axis=0)])
        s["energy_range"] = max(self._energies[1, 0], *np.ptp(self._energies[:, 1:], axis=0))
        s["energy_size"] = max(s["energy_size"], abs(potential) + kinetic, abs(work))
        return self._power(self.here)

    # samples

    def _record(self, before: Here, a: Array, power: float) -> None:
        h = self.here.t - before.t
        while self.recorded < len(self.times) and self.times[self.recorded] <= self.here.t:
            t = float(self.times[self.recorded])
            if t == self.here.t:
                self._keep(self.here.y)
                continue
            ends = [(self._positions(here.y), self._rates(here.y, here.u), self._seconds(here, acc))
                    for here, acc in ((before, a), (self.here, self.a))]
            x = (t - before.t) / h
            q, rate = quintic(x, h, ends[0], ends[1])
            work = cubic(x, before.y[-1], self.here.y[-1], h * power, h * self.power)
            y = self._with(unit(q), twists(unit(q), rate), work)
            self._keep(self._closed(self._equations(t, y)) if self.projects else y)

    def _seconds(self, here: Here, a: Array) -> Array:
        """q_ddot of every body: v', and 1/2 (0, w') p + 1/2 (0, w) p'."""
        w = here.u.reshape(-1, 6)[:, 3:]
        found = self._rates(here.y, a)
        found[:, 3:] -= 0.25 * (w * w).sum(axis=1, keepdims=True) * self._positions(here.y)[:, 3:]
        return found

    def _closed(self, here: Here) -> Array:
        """Positions put onto the constraints, and velocities, nearest by masses."""
        self.qtz.update(here.J)
        state = State(self.system, here.t, here.y, self.turns_now)
        y = state.displaced(-self.qtz.Q1h @ (self.qtz.C @ here.phi)).y
        right = np.concatenate([self.qtz.Q2h.T @ (here.M @ here.u), self.qtz.CJ @ here.u - self.qtz.C @ here.rate])
        return self._with(self._positions(y), np.linalg.solve(self.qtz.system(here.M), right), float(here.y[-1]))

    def _keep(self, y: Array) -> None:
        if self._taker is not None and len(self._y) >= self._most:
            self.flush()
        t = float(self.times[self.recorded])
        self._y.append(y.copy())
        self._turns.append(np.array(self.system.kernel.turns_at(t, y.tolist(), self.turns_now.tolist())))
