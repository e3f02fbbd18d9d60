"""Singular configurations that a driven motion passes: each one that the steps suspect is looked at closely."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vincolo.analyses.tangent import length_of
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

CROSSED = 1e-6  # share of its usual size below which the least singular value of the Jacobian is zero
RANK = 1e-8  # singular values below this share count as zero
GOLDEN = 0.5 * (np.sqrt(5.0) - 1)
SCAN = 64  # looks at a motion over three samples
CLOSE = 60  # narrowings of the time of a singular configuration
CHANGE_POINT = "change point: the joints leave one more freedom there, and the motion may branch"
DEAD_CENTRE = "dead centre: the drives lose hold of the mechanism there"

Follow = Callable[[State, float], State | None]  # the motion from a state on to a time; None where it locks


class Passages:
    """A motion over its samples, and how far its constraints are from being dependent."""

    def __init__(self, system: System, samples: list[State], follow: Follow) -> None:
        self.samples, self.follow = samples, follow
        self.weight = np.tile([1.0, 1.0, 1.0, *[length_of(system)] * 3], len(system.centred))
        self.joints = [k for k, row in enumerate(system.rows) if not row.drive]
        self.rank, self.usual = self._usual_rank()
        self.joint_rank, self.usual_joints = self._usual_rank(self.joints)

    def _usual_rank(self, rows: list[int] | None = None) -> tuple[int, float]:
        """The rank of the constraints, and the usual size of their least singular value, over the whole motion."""
        some = self.samples[:: max(1, len(self.samples) // 12)]
        values = [self._singular_values(state, rows) for state in some]
        rank = int(max(np.count_nonzero(s > RANK * s[:1].max(initial=0.0)) for s in values))
        return rank, float(np.median([s[rank - 1] for s in values])) if rank else 0.0

    def _singular_values(self, state: State, rows: list[int] | None = None) -> Array:
        """Of the constraints, each of length one over motions in metres."""
        J = state.jacobian()[0] / self.weight
        size = np.linalg.norm(J, axis=1, keepdims=True)
        J = J / np.where(size > 0, size, 1.0)
        return np.asarray(np.linalg.svd(J if rows is None else J[rows], compute_uv=False))

    def _least(self, state: State) -> float:
        return float(self._singular_values(state)[self.rank - 1]) / self.usual

    def look(self, t: float) -> list[float | str] | None:
        """The time and the kind of a singular configuration at about a time; None if there is none."""
        state = self._nearest(t)
        if state is None:
            return [t, DEAD_CENTRE]
        if self._least(state) > CROSSED:
            return None
        rows = self._singular_values(state, self.joints)
        lost = self.joint_rank and rows[self.joint_rank - 1] <= 1e3 * CROSSED * self.usual_joints
        return [state.t, CHANGE_POINT if lost else DEAD_CENTRE]

    def _nearest(self, t: float) -> State | None:
        """The state about a time in which the constraints are nearest to dependence, by golden sections; None where
        the motion cannot be followed there."""
        around = self._around(t)
        if around is None:
            return None
        begin, low, high = around
        inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
        states = [self.follow(begin, x) for x in inner]
        for _ in range(CLOSE):
            if states[0] is None or states[1] is None:
                return None
            values = [self._least(state) for state in states if state is not None]
            if min(values) <= CROSSED or high - low <= 1e-13 * max(1.0, abs(high)):
                break
            if values[0] < values[1]:
                high, inner, states = inner[1], [inner[1] - GOLDEN * (inner[1] - low), inner[0]], [None, states[0]]
                states[0] = self.follow(begin, inner[0])
            else:
                low, inner, states = inner[0], [inner[1], inner[0] + GOLDEN * (high - inner[0])], [states[1], None]
                states[1] = self.follow(begin, inner[1])
        return min((state for state in states if state is not None), key=self._least)

    def _around(self, t: float) -> tuple[State, float, float] | None:
        """The dip of the least singular value that is next to a time: the state before it, and its ends."""
        k = int(np.searchsorted([state.t for state in self.samples], t))
        state, end = self.samples[max(k - 2, 0)], self.samples[min(k + 1, len(self.samples) - 1)].t
        states = [state]
        for x in np.linspace(state.t, end, SCAN + 1)[1:]:
            after = self.follow(states[-1], float(x))
            if after is None:
                return None
            states.append(after)
        values = [self._least(state) for state in states]
        dips = [i for i in range(1, SCAN) if values[i] <= values[i - 1] and values[i] <= values[i + 1]]
        i = min(dips or [int(np.argmin(values))], key=lambda i: abs(states[i].t - t))
        return states[max(i - 1, 0)], states[max(i - 1, 0)].t, states[min(i + 1, SCAN)].t
