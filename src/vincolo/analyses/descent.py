"""Lowest values of a cost over the closed positions of a mechanism: Newton's method along the motions that the joints
allow, in the metric of the masses. At a singular position, such as a straight arm, a cost can stand still without being
lowest; the second derivative shows the way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.closing import SETTLED, Aim, close, closure, counted, moved
from vincolo.channels.channels import rotations
from vincolo.layout import QUATERNION, by_body
from vincolo.model.geometry import Array
from vincolo.state import State

Cost = Callable[[State], tuple[float, Array]]  # its value, and its gradient on (dr, dtheta) of every body

STEPS = 100
ESCAPES = 6
INNER = 20  # products with the second derivative for one step
LARGEST = 0.5  # rad, or share of a body's length, of a step
PROBE = 1e-5  # the same, for differences of the gradient
FLAT = 1e-9  # share of the gradient that is left along free motions where the cost stands still
STILL = 1e-12  # share of the cost that a last step gains
DOWNWARDS = 1e-4  # share of the largest curvature; less is the error of its difference
TIGHT = 1e-11  # m and rad: gaps that a cost cannot profit from


@dataclass(frozen=True)
class _Here:
    """A closed state with the cost and its gradient, and the solver for what must stay closed."""

    state: State
    value: float
    covector: Array
    solver: Any

    def along(self, v: Array) -> Array:
        """The part of a motion that the joints allow."""
        return np.asarray(self.solver.along(self.state.t, self.state.y, self.state.turns, v))

    def weighed(self, push: Array) -> Array:
        """M^-1 push."""
        return np.asarray(self.solver.weighed(self.state.t, self.state.y, self.state.turns, push))

    def gradient(self) -> Array:
        """The motion that raises the cost most, by mass."""
        return self.along(self.weighed(self.covector))

    def heavy(self, v: Array) -> Array:
        """M v."""
        centred = self.state.system.centred
        n = len(centred)
        R = rotations(by_body(self.state.y, n)[:, QUATERNION])
        motion = v.reshape(n, 6)
        own = np.array([c.moments + c.ballast for c in centred]) * np.einsum("nji,nj->ni", R, motion[:, 3:])
        moved_by = np.array([c.body.mass for c in centred])[:, None] * motion[:, :3]
        return np.hstack([moved_by, np.einsum("nij,nj->ni", R, own)]).ravel()


def lowest(state: State, aim: Aim, cost: Cost, enough: float) -> State:
    """Where a cost is lowest, down from a closed state; a cost up to `enough` is as good as none."""
    here = _descended(_at(state, aim, cost), aim, cost, enough)
    for _ in range(ESCAPES):
        way = _downwards(here, aim, cost) if here.value > enough else None
        after = None if way is None else _taken(here, aim, cost, way)
        if after is None:
            break
        here = _descended(after, aim, cost, enough)
    return here.state


def _descended(here: _Here, aim: Aim, cost: Cost, enough: float) -> _Here:
    for _ in range(STEPS):
        g = here.gradient()
        if here.value <= enough or _size(here.state, g) <= FLAT * _size(here.state, here.weighed(here.covector)):
            break
        d = _direction(here, aim, cost, g)
        after = _taken(here, aim, cost, d)
        if after is None:
            break
        gain, here = here.value - after.value, after
        if gain <= STILL * here.value or _size(here.state, d) <= SETTLED:
            break
    return here


def _at(state: State, aim: Aim, cost: Cost) -> _Here:
    value, covector = cost(state)
    return _Here(state, value, covector, closure(state.system, aim))


def _size(state: State, v: Array) -> float:
    """The largest rotation [rad], or displacement as a share of its body's length, of a motion."""
    lengths = np.array([c.length for c in state.system.centred])
    motion = v.reshape(-1, 6)
    turns, moves = np.abs(motion[:, 3:]).max(axis=1), np.abs(motion[:, :3]).max(axis=1)
    return float(max(turns.max(initial=0.0), (moves / lengths).max(initial=0.0)))


def _direction(here: _Here, aim: Aim, cost: Cost, g: Array) -> Array:
    """Newton's step by conjugate gradients; where the cost is curved downwards, as far as they came."""
    d, r, p = np.zeros_like(g), -g, -g
    rr = first = float(r @ here.heavy(r))
    for _ in range(INNER):
        Hp = _second(here, aim, cost, g, p)
        curved = float(p @ here.heavy(Hp))
        if curved <= 1e-12 * float(p @ here.heavy(p)):
            break
        d, r = d + rr / curved * p, r - rr / curved * Hp
        before, rr = rr, float(r @ here.heavy(r))
        if rr <= 1e-8 * first:
            break
        p = r + rr / before * p
    return d if d.any() else -g * (LARGEST / _size(here.state, g))


def _second(here: _Here, aim: Aim, cost: Cost, g: Array, p: Array) -> Array:
    """The change of the gradient along a motion, by a difference; the gaps it opens are of second order."""
    h = PROBE / _size(here.state, p)
    there = _at(counted(here.state.displaced(h * p), aim.asked), aim, cost)
    return here.along((there.gradient() - g) / h)


def _downwards(here: _Here, aim: Aim, cost: Cost) -> Array | None:
    """A motion along which a cost that stands still is curved downwards, by Lanczos; None if there is none."""
    g, any_way = here.gradient(), here.weighed(np.random.default_rng(3).standard_normal(len(here.covector)))
    v = here.along(any_way)
    if _size(here.state, v) <= 1e-6 * _size(here.state, any_way):
        return None  # nothing can move
    basis: list[Array] = []
    images: list[Array] = []
    while len(basis) < INNER and (square := float(v @ here.heavy(v))) > 0:
        basis.append(v / np.sqrt(square))
        images.append(_second(here, aim, cost, g, basis[-1]))
        v = images[-1]
        for b in 2 * basis:  # twice is enough against rounding
            v = v - float(b @ here.heavy(v)) * b
        if float(v @ here.heavy(v)) <= 1e-8 * float(images[-1] @ here.heavy(images[-1])):
            break
    if not basis:
        return None
    T = np.array([[float(b @ here.heavy(w)) for w in images] for b in basis])
    values, vectors = np.linalg.eigh(0.5 * (T + T.T))
    if values[0] >= -DOWNWARDS * np.abs(values).max():
        return None
    way = np.asarray(vectors[:, 0] @ np.array(basis))
    return way * (LARGEST / _size(here.state, way))


def _taken(here: _Here, aim: Aim, cost: Cost, d: Array) -> _Here | None:
    """Where a step leads, shortened until the cost falls; None if it does not."""
    slope = float(here.covector @ d)
    share = min(1.0, LARGEST / _size(here.state, d))
    if slope > 0:
        d, slope = -d, -slope
    while share * _size(here.state, d) > 1e-2 * SETTLED:
        found = _closed(moved(here.state, share * d), aim)
        if found is not None:
            value, _ = cost(found)
            if value < here.value + 1e-4 * share * slope:
                return _at(found, aim, cost)
        share *= 0.5
    return None


def _closed(state: State, aim: Aim) -> State | None:
    """The state with its gaps closed to rounding."""
    for _ in range(3):
        found = close(counted(state, aim.asked), aim)
        if found.closed and np.abs(found.residual).max(initial=0.0) <= TIGHT:
            return found.state
        state = found.state
    return None
