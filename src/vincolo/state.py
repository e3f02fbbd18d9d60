"""Positions and velocities of a mechanism at one time, and how a state was assembled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.channels.channels import Channels, rotations
from vincolo.errors import SimulationError
from vincolo.layout import by_body
from vincolo.model.geometry import Array, crosses

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.solvers.formulation import Formulation, Solver
    from vincolo.system import System

SMALL = 1e-9  # rad, or share of a body's length: what is less did not move


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
    formulation: str = field(default="", repr=False)  # kind that the run which recorded it had chosen automatically

    @cached_property
    def channels(self) -> Channels:
        """Everything that can be read from this state."""
    
        return Channels(self.system, np.array([self.t]), self.y[None, :], self.turns[None, :])

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "channels"}  # which are found again

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the state to a file that State.load() reads."""
        from vincolo.results.files import write

        about = {"t": self.t, "formulation": self.formulation}
        return write(path, "state", self.system, about, y=self.y, turns=self.turns)

    @staticmethod
    def load(path: str | os.PathLike[str], model: Model | System) -> State:
        """The state in a file, with the model it was made with."""
        from vincolo.results.files import read

        system, about, arrays = read(path, "state", model)
        return State(system, float(about["t"]), arrays["y"], arrays["turns"],
                     formulation=str(about.get("formulation", "")))

    def displaced(self, dq: Array) -> State:
        """The state after displacements and rotations (dr, dtheta) of every centre of mass, in world axes."""
        y, n = self.y.copy(), len(self.system.centred)
        bodies, step = by_body(y, n), dq.reshape(n, 6)
        bodies[:, :3] += step[:, :3]
        angle = np.linalg.norm(step[:, 3:], axis=1)
        half = 0.5 * step[:, 3:] * np.sinc(angle / (2 * np.pi))[:, None]
        c, e0, e = np.cos(angle / 2), bodies[:, 3].copy(), bodies[:, 4:7].copy()
        bodies[:, 3] = c * e0 - (half * e).sum(axis=1)
        bodies[:, 4:7] = c[:, None] * e + e0[:, None] * half + crosses(half, e)
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
        failure = chosen.failure(d["trouble"], self.system)
        if failure is not None:
            raise SimulationError(failure)
        lam = np.zeros(len(self.system.rows))
        lam[d["rows"]] = d["lam"][:len(d["rows"])]
        return Solution(d["acceleration"], lam, int(d["iterations"]))

    def _solve(self, formulation: Formulation, solved: bool) -> dict[str, Any]:
        found: dict[str, Any] = self.system.kernel.solve(formulation.options(), self.t, self.y.tolist(),
                                                         self.turns.tolist(), solved)
        return found

    def with_vector(self, y: Array) -> State:
        """The same time with another state vector."""
        return State(self.system, self.t, y, self.turns)

    def __repr__(self) -> str:
        return f"State(t={self.t:g} s of {self.system.name!r})"


@dataclass(frozen=True, eq=False)
class Assembly:
    """The way from a start to an assembled state; print it."""

    start: State
    end: State
    asked: tuple[str, ...]  # coordinates and measures with a value given, wished for, or driven
    unmet: tuple[tuple[str, float, float], ...]  # wishes: name, value wished for, value reached

    @cached_property
    def moved(self) -> dict[str, tuple[float, float]]:
        """Coordinates of joints that changed although nothing was asked of them: name, value before and after."""
        system, names = self.start.system, []
        names = [m.name or "" for joint in system.joints.values() for m in joint.coordinates.values()]
        numbers = [system.quantities[n] for n in names]
        if not names:
            return {}
        before, after = (system.kernel.quantity_rows(s.t, s.y.tolist(), s.turns.tolist(), numbers)["quantity"].tolist()
                         for s in (self.start, self.end))
        size = max(c.length for c in system.centred)
        return {n: (a, b) for n, a, b in zip(names, before, after, strict=True)
                if n not in self.asked and abs(b - a) > SMALL * max(1.0, size)}

    @cached_property
    def bodies(self) -> dict[str, tuple[float, float]]:
        """Bodies that moved: by how much their centres of mass [m], and by what angle they turned [rad]."""
        n = len(self.start.system.centred)
        p, q = (by_body(s.y, n) for s in (self.start, self.end))
        steps = np.linalg.norm(q[:, :3] - p[:, :3], axis=1)
        R = np.einsum("nij,nkj->nik", rotations(q[:, 3:7]), rotations(p[:, 3:7]))
        skew = np.array([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]])
        turns = np.arctan2(np.linalg.norm(skew, axis=0), np.trace(R, axis1=1, axis2=2) - 1)
        return {c.body.name: (float(step), float(turn))
                for c, step, turn in zip(self.start.system.centred, steps, turns, strict=True)
                if step > SMALL * c.length or turn > SMALL}

    def __str__(self) -> str:
        lines = [f"{self.start.system.name}: {len(self.bodies)} of {len(self.start.system.centred)} bodies moved"]
        lines += [f"  {name} went from {round(before, 12):g} to {round(after, 12):g}"
                  for name, (before, after) in self.moved.items()]
        return "\n".join(lines + [f"  {wish}" for wish in map(unmet_wish, self.unmet)])


def unmet_wish(wish: tuple[str, float, float]) -> str:
    """A wish that is not met, in words."""
    name, value, reached = wish
    return f"{name} should be {value:.6g}, but only {reached:.6g} is possible"
