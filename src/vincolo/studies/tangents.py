"""The tangent of a motion: how (dq, du) of all bodies by parameters grow along a recorded run, in steps of their own.

Between two samples they are as long as the tangent allows, not as the samples are apart: where a stiff damper
settles within microseconds, steps are halved until it is followed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.simulate import simulate
from vincolo.analyses.tangent import equations_at, missing_at, slopes_at
from vincolo.channels.channels import Channels
from vincolo.errors import ModelError
from vincolo.layout import MOTION, by_body
from vincolo.model.geometry import Array
from vincolo.solvers.integrators import INTEGRATORS
from vincolo.state import State
from vincolo.system import System

SHARE = 1e-3  # of a parameter: the step of differences of equations, which are of the fourth order
STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
RTOL = 1e-11  # of the motion itself
FINE: Any = INTEGRATORS["DOP853"](rtol=RTOL, atol=RTOL)  # type: ignore[call-arg]
LOBATTO = ((1 / 6, -1 / 3, 1 / 6), (1 / 6, 5 / 12, -1 / 12), (1 / 6, 2 / 3, 1 / 6))  # at the begin, middle and end
LOCAL = 1e-8  # of the largest change over the run: what a step may be off
FELT = (1e-6, 1e-3)  # of the way and the speed: effects of a whole parameter, below which the run's own errors matter
DEEPEST = 30  # halvings of a piece between samples
MOST = 20_000  # steps; beyond them pieces are taken whole, and `error` tells what that costs

Start = Callable[[System], State]
Made = Callable[[Mapping[str, float]], System]  # by how much parameters are off


class Near:
    """Designs around the present one, along one parameter."""

    def __init__(self, base: System, begin: State, name: str, value: float,
                 made: Made, start: Start | None) -> None:
        self.h = SHARE * (abs(value) or 1.0)
        self.systems = {k: made({name: k * self.h}) for k, _ in STENCIL}
        for k, system in self.systems.items():
            for old, new in zip(base.centred, system.centred, strict=True):
                if np.abs(old.principal - new.principal).max() > 0.1 * abs(k):
                    raise ModelError(f"gradients(): with {name!r} the principal axes of {old.body.name!r} jump, since "
                                     "two of its moments of inertia are equal.\n  Make them a little different.")
        states = {k: (assemble(s, guess=pose(begin, s), t=begin.t) if start is None else start(s))
                  for k, s in self.systems.items()}
        self.first = sum((w * _away(begin, states[k]) for k, w in STENCIL), np.zeros(12 * len(base.centred))) / self.h

    def slope(self, found: Callable[[System, int], Array]) -> Array:
        """The derivative of something that depends on the system."""
        return np.asarray(sum(w * found(self.systems[k], k) for k, w in STENCIL) / self.h)


def _away(begin: State, other: State) -> Array:
    """(dq, du) from one state to another near it: rotations as vectors in world axes."""
    n = len(begin.system.centred)
    a, b = by_body(begin.y, n), by_body(other.y, n)
    e0, e = a[:, 3], a[:, 4:7]
    f0, f = b[:, 3], b[:, 4:7]
    scalar = e0 * f0 + (e * f).sum(axis=1)
    vector = e0[:, None] * f - f0[:, None] * e - np.cross(f, e)
    half = np.arctan2(np.linalg.norm(vector, axis=1), np.abs(scalar))
    turn = 2 * vector / np.sinc(half / np.pi)[:, None] * np.sign(scalar)[:, None]
    return np.concatenate([np.hstack([b[:, :3] - a[:, :3], turn]).ravel(), (b[:, MOTION] - a[:, MOTION]).ravel()])


@dataclass(frozen=True, eq=False)
class _Point:
    """A state of the motion: x' = A x + push for x = (dq, du), a column for each parameter."""

    state: State
    A: Array
    push: Array


def _points(channels: Channels, near: Sequence[Near], where: Sequence[int]) -> list[_Point]:
    system, observed = channels.system, channels.observed
    return [_point(State(system, float(channels.t[k]), channels.y[k], channels.turns[k]),
                   observed["acceleration"][k].ravel(), observed["lam"][k], near) for k in where]


def _point(state: State, du: Array, lam: Array, near: Sequence[Near]) -> _Point:
    n, e, s = len(du), equations_at(state), slopes_at(state, lam, du)
    M, J, m = e.M.toarray(), e.J.toarray(), len(lam)
    size = np.abs(np.diag(M)).max() / max(np.abs(J).max(initial=0.0) ** 2, 1e-300) if m else 1.0
    whole = np.block([[M, J.T * size], [J * size, np.zeros((m, m))]])  # rows as heavy as the masses
    inverse = np.linalg.pinv(whole, rcond=1e-12, hermitian=True)[:n]
    response = np.hstack([inverse[:, :n], inverse[:, n:] * size])  # du' by (F, G)
    slope = np.block([[s.force_by_position.toarray(), s.force_by_velocity.toarray()],
                      [s.gamma_by_position.toarray(), s.gamma_by_velocity.toarray()]])
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    for b, (wx, wy, wz) in enumerate(by_body(state.y, n // 6)[:, 10:13]):
        A[6 * b + 3: 6 * b + 6, 6 * b + 3: 6 * b + 6] = [[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]]
    A[n:] = response @ slope

    def left(system: System, _: int) -> Array:
        return np.concatenate(missing_at(State(system, state.t, state.y, state.turns), lam, du))

    by_parameters = np.stack([response @ each.slope(left) for each in near], axis=-1)
    return _Point(state, A, np.vstack([np.zeros_like(by_parameters), by_parameters]))


class Tangent:
    """(dq, du) by parameters along a run, carried from sample to sample."""

    def __init__(self, run: Channels, near: Sequence[Near]) -> None:
        self.run, self.near = run, near
        self.steps = 0
        self._n = 6 * len(run.system.centred)
        self._largest = self._felt()  # displacements and velocities over the run, by each parameter

    def _felt(self) -> Array:
        """The smallest changes that are told from rounding, for all of a parameter: shares of the way and the speed."""
        y = np.stack([by_body(y, self._n // 6) for y in self.run.y])
        way = max(float(np.ptp(y[..., :3])), 1e-3)
        speed = max(float(np.abs(y[..., MOTION]).max()), way / float(self.run.t[-1] - self.run.t[0]))
        return np.outer(np.multiply(FELT, (way, speed)), [SHARE / each.h for each in self.near])

    def carried(self) -> tuple[Array, Array]:
        """At every second sample (samples, motions, parameters): the tangent, and the same less exactly."""
        first = np.stack([each.first for each in self.near], axis=-1)
        points = _points(self.run, self.near, range(len(self.run.t)))
        pieces = [points[k: k + 5] for k in range(0, len(points) - 1, 4)]
        x = first[None]
        for piece in pieces:  # roughly, to know what is large
            x = _step((piece[0], piece[2], piece[4]), x)
            self._largest = np.maximum(self._largest, np.abs(x[0]).reshape(2, self._n, -1).max(axis=1))
        x = np.stack([first, first])
        found = [x]
        for piece in pieces:
            middle, x = self._over(piece, x, 0)
            found += [middle, x]
        best, rough = np.moveaxis(np.array(found), 1, 0)
        return best, rough

    def _over(self, points: list[_Point], x: Array, depth: int) -> tuple[Array, Array]:
        """The tangent in the middle and at the end of five points: by two steps, made better by what one step over both
        differs from them; in halves where that is too much. The second of a pair goes without being made better."""
        begin, a, middle, b, end = points
        half = _step((begin, a, middle), x)
        fine = _step((middle, b, end), half)
        off = (fine[0] - _step((begin, middle, end), x[:1])[0]) / 15  # both are of the fourth order
        share = np.abs(off).reshape(2, self._n, -1).max(axis=1) / self._largest
        if share.max(initial=0.0) > LOCAL and depth < DEEPEST and self.steps < MOST:
            first, second = self._halves(points)
            _, half = self._over(first, x, depth + 1)
            _, fine = self._over(second, half, depth + 1)
            return half, fine
        self.steps += 2
        return half, np.stack([fine[0] + off, fine[1]])

    def _halves(self, points: list[_Point]) -> tuple[list[_Point], list[_Point]]:
        """Five points of each half: those that are there, and those between them by another run."""
        t = [p.state.t for p in points]
        between = [0.5 * (a + b) for a, b in zip(t[:-1], t[1:], strict=True)]
        run = simulate(self.run.system, t[-1], start=points[0].state, outputs=[t[0], *between, t[-1]], integrator=FINE)
        if run.reason is not None:
            raise ModelError(f"gradients(): the run ended early: {run.reason}")
        new = _points(run.channels, self.near, range(1, 5))
        both = [points[0], new[0], points[1], new[1], points[2], new[2], points[3], new[3], points[4]]
        return both[:5], both[4:]


def _step(stages: tuple[_Point, _Point, _Point], x: Array) -> Array:
    """One step of Lobatto IIIC for several tangents (tangents, motions, parameters): of the fourth order, and stiff
    springs and dampers do not limit it."""
    n, h = x.shape[1], stages[2].state.t - stages[0].state.t
    left = np.eye(3 * n)
    right = np.tile(x, (1, 3, 1))
    for i, row in enumerate(LOBATTO):
        for j, a in enumerate(row):
            left[i * n: (i + 1) * n, j * n: (j + 1) * n] -= h * a * stages[j].A
            right[:, i * n: (i + 1) * n] += h * a * stages[j].push
    flat = np.concatenate(list(right), axis=1)
    found = np.linalg.solve(left, flat)[2 * n:]
    return np.stack(np.split(found, len(x), axis=1))
