"""Closing a mechanism: what is asked of it, and the kernel's solution by damped Gauss-Newton steps, least by mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vincolo import _kernel
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

CLOSED = 1e-12  # m and rad: an assembled mechanism is not touched
ACCEPTED = 1e-9  # m and rad, as in core/closure.hpp
LARGEST_TURN = 0.6  # rad of a body in one step
SETTLED = 1e-11  # m and rad: steps towards wishes that no longer matter


@dataclass(frozen=True)
class Given:
    """Values asked for at the start: quantity numbers with their values, and the names users gave."""

    quantities: list[int] = field(default_factory=list)
    values: Array = field(default_factory=lambda: np.zeros(0))
    names: list[str] = field(default_factory=list)
    weights: Array = field(default_factory=lambda: np.zeros(0))  # of wishes

    @property
    def parts(self) -> tuple[list[int], list[float], list[float]]:
        """Quantities, values and weights as the kernel takes them."""
        return self.quantities, self.values.tolist(), self.weights.tolist()

    def __str__(self) -> str:
        return ", ".join(f"{n} = {v:g}" for n, v in zip(self.names, self.values.tolist(), strict=True))


@dataclass(frozen=True)
class Aim:
    """What must hold besides the joints: given values, bodies (by number) that stay, drives unless released."""

    given: Given = field(default_factory=Given)
    kept: tuple[int, ...] = ()
    drives: bool = True
    asked: frozenset[int] = frozenset()  # places of angles that keep their turn


@dataclass(frozen=True)
class Values:
    """Quantities and their rates against the values given, with their rows on (dr, dtheta) of every body."""

    residual: Array
    rate: Array
    found: dict[str, Any]  # entries of the rows
    size: int  # 6 for every body

    @cached_property
    def jacobian(self) -> Array:
        """The rows, dense."""
        J = np.zeros((len(self.residual), self.size))
        np.add.at(J, (self.found["row"], self.found["column"]), self.found["value"])
        return J

    def pulled(self, pull: Array) -> Array:
        """J^T pull."""
        weights = self.found["value"] * pull[self.found["row"]]
        return np.asarray(np.bincount(self.found["column"], weights=weights, minlength=self.size), dtype=float)


@dataclass(frozen=True)
class Closing:
    """How far the gaps could be closed: the last state, its residual and the largest gap of every iteration."""

    state: State
    residual: Array
    history: list[float]
    starts: int = 1  # positions from which it was tried
    turned: tuple[str, ...] = ()  # joints that are closed with an axis turned around

    @property
    def closed(self) -> bool:
        """Whether all gaps are within the tolerance."""
        return not self.history or self.history[-1] <= ACCEPTED


def closure(system: System, aim: Aim, wishes: Given | None = None, rates: bool = False) -> Any:
    """The kernel's solver for an aim; with `rates`, values given and wished for are rates."""
    return _kernel.core().Closure(system.kernel, aim.given.parts, (wishes or Given()).parts, list(aim.kept),
                                  sorted(aim.asked), aim.drives, rates)


def residual_of(state: State, aim: Aim) -> Array:
    """What is open of every row and value given; nothing of drives that are released."""
    found: Array = closure(state.system, aim).residual(state.t, state.y, state.turns)
    return found


def jacobian_of(state: State, aim: Aim) -> Array:
    """J of all rows of positions and values given, dense; rows of other levels and of released drives are empty."""
    J = state.jacobian()[0]
    J[[row.level != "position" or (row.drive and not aim.drives) for row in state.system.rows]] = 0.0
    return np.vstack([J, values_of(state, aim.given).jacobian]) if aim.given.quantities else J


def values_of(state: State, given: Given) -> Values:
    """Quantities and their rates against the values given, with their rows."""
    found = state.system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), given.quantities)
    return Values(found["quantity"] - given.values, found["rate"] - given.values, found,
                  6 * len(state.system.centred))


def moved(state: State, step: Array) -> State:
    """The state after small displacements and rotations in world axes; no body turns by more than is safe."""
    largest = float(np.abs(step.reshape(-1, 6)[:, 3:]).max())
    step = step * min(1.0, LARGEST_TURN / largest) if largest > 0 else step
    return state.displaced(step)


def counted(state: State, asked: frozenset[int] = frozenset()) -> State:
    """The state with its angles counted on; those that are asked for keep their branch."""
    turns = np.array(state.system.kernel.turns_at(state.t, state.y.tolist(), state.turns.tolist()))
    kept = np.array([k in asked or not np.isfinite(x) for k, x in enumerate(turns)], dtype=bool)
    return State(state.system, state.t, state.y, np.where(kept, state.turns, turns))


def close(state: State, aim: Aim, patience: int = 2000) -> Closing:
    """Closes all gaps of positions as far as they can be closed from here; gives up after `patience` iterations in
    which the gap shrank by less than a fifth."""
    y, turns, residual, history = closure(state.system, aim).close(state.t, state.y, state.turns, patience)
    return Closing(State(state.system, state.t, y, turns) if history else state, residual, history)


def stepped(state: State, aim: Aim) -> State:
    """One step of least motion towards a closed position."""
    return state.with_vector(closure(state.system, aim).step(state.t, state.y, state.turns))


def meet(state: State, aim: Aim, wishes: Given, settled: float = SETTLED) -> State:
    """Minimises the sum of weight (quantity - value)^2 over the positions that are closed, until steps [m and rad] are
    below `settled`."""
    if not wishes.quantities:
        return state
    y, turns = closure(state.system, aim, wishes).meet(state.t, state.y, state.turns, settled)
    return State(state.system, state.t, y, turns)


def close_velocities(state: State, given: Given) -> tuple[State, Array]:
    """Velocities that all rows and given rates allow, changed least by mass, and what is left of every row. Parts
    without mass follow the others."""
    y, left = closure(state.system, Aim(given), rates=True).close_velocities(state.t, state.y, state.turns)
    return state.with_vector(y), left


def meet_rates(state: State, given: Given, wishes: Given) -> State:
    """Minimises the sum of weight (rate - value)^2 over the velocities that the rows and given rates allow."""
    if not wishes.quantities:
        return state
    solver = closure(state.system, Aim(given), wishes, rates=True)
    return state.with_vector(solver.meet_rates(state.t, state.y, state.turns))
