"""Positions and velocities of a mechanism at one time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import SimulationError
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.results.assembly import Assembly
    from vincolo.results.channels import Channels
    from vincolo.solvers.formulations import Formulation, Solver
    from vincolo.system import System


@dataclass(frozen=True, eq=False)
class Equations:
    """M u' + J^T lam = Q and J u' = gamma at a state, with u the velocities: v and w of every body in world axes, or
    the rates of other coordinates. Phi and Phi_dot are the residuals of positions and velocities."""

    M: Array
    J: Array
    gamma: Array
    Q: Array
    Phi: Array
    Phi_dot: Array
    u: Array


@dataclass(frozen=True, eq=False)
class Solution:
    """What a formulation finds at a state."""

    acceleration: Array  # (bodies, 6): v' and w' in world axes
    lam: Array  # by row; minimum norm where it is not unique
    iterations: int


@dataclass(frozen=True, eq=False)
class State:
    """A time [s] with the positions and velocities of all bodies, as the kernel holds them."""

    system: System
    t: float
    y: Array
    turns: Array  # angles counted over turns
    assembly: Assembly | None = field(default=None, repr=False)  # how assemble() came here

    @cached_property
    def channels(self) -> Channels:
        """Everything that can be read from this state."""
        from vincolo.results.channels import Channels

        return Channels(self.system, np.array([self.t]), self.y[None, :], self.turns[None, :])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the state to a file that State.load() reads."""
        from vincolo.results.files import write

        return write(path, "state", self.system, {"t": self.t}, y=self.y, turns=self.turns)

    @staticmethod
    def load(path: str | os.PathLike[str], model: Model | System) -> State:
        """The state in a file, with the model it was made with."""
        from vincolo.results.files import read

        system, about, arrays = read(path, "state", model)
        return State(system, float(about["t"]), arrays["y"], arrays["turns"])

    def displaced(self, dq: Array) -> State:
        """The state after displacements and rotations (dr, dtheta) of every centre of mass, in world axes."""
        y, n = self.y.copy(), len(self.system.centred)
        bodies, step = y[:13 * n].reshape(n, 13), dq.reshape(n, 6)
        bodies[:, :3] += step[:, :3]
        angle = np.linalg.norm(step[:, 3:], axis=1)
        half = 0.5 * step[:, 3:] * np.sinc(angle / (2 * np.pi))[:, None]
        c, e0, e = np.cos(angle / 2), bodies[:, 3].copy(), bodies[:, 4:7].copy()
        bodies[:, 3] = c * e0 - (half * e).sum(axis=1)
        bodies[:, 4:7] = c[:, None] * e + e0[:, None] * half + np.cross(half, e)
        bodies[:, 3:7] /= np.linalg.norm(bodies[:, 3:7], axis=1, keepdims=True)
        return self.with_vector(y)

    def jacobian(self) -> tuple[Array, dict[str, Array]]:
        """J of all rows on (v, w) of every body, and what the kernel says of them: phi, rate, gamma."""
        found = self.system.kernel.rows(self.t, self.y.tolist(), self.turns.tolist())
        J = np.zeros((len(self.system.rows), 6 * len(self.system.centred)))
        np.add.at(J, (found["row"], found["column"]), found["value"])
        return J, found

    def __getitem__(self, name: str) -> float:
        """A channel such as state["crank.x"] or state["O.angle"]."""
        return float(self.channels[name][0])

    def __contains__(self, name: object) -> bool:
        return name in self.channels

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def keys(self) -> list[str]:
        """Names of all channels."""
        return self.channels.keys()

    def equations(self, coordinates: str = "twist") -> Equations:
        """The equations of motion here as matrices: M u' + J^T lam = Q, J u' = gamma."""
        from vincolo.solvers import NullSpace

        d = self._solve(NullSpace(coordinates=coordinates), False)
        return Equations(d["M"], d["J"], d["gamma"], d["Q"], d["phi"], d["rate"], d["u"])

    def solve(self, formulation: Formulation | Solver | None = None) -> Solution:
        """Accelerations and reactions here by a formulation (the kernel's own if none is given)."""
        from vincolo.solvers.formulations import as_formulation

        chosen = as_formulation(formulation)
        if chosen.kind == "sparse":
            found = self.channels.observed
            return Solution(found["acceleration"][0], found["lam"][0], 0)
        chosen.check_system(self.system)
        d = self._solve(chosen, True)
        if d["trouble"]["failure"] != "none":
            from vincolo.analyses.simulate import FAILURES

            raise SimulationError(FAILURES[d["trouble"]["failure"]].format(t=self.t, title=str(chosen)))
        return Solution(d["acceleration"], d["lam"][:len(self.system.rows)], int(d["iterations"]))

    def _solve(self, formulation: Formulation, solved: bool) -> dict[str, Any]:
        found: dict[str, Any] = self.system.kernel.solve(formulation.options(), self.t, self.y.tolist(),
                                                         self.turns.tolist(), solved)
        return found

    def with_vector(self, y: Array) -> State:
        """The same time with another state vector."""
        return State(self.system, self.t, y, self.turns)

    def __repr__(self) -> str:
        return f"State(t={self.t:g} s of {self.system.name!r})"
