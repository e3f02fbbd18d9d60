"""The blocks of equations of motion as matrices of SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.symbolic.calculus import Derivative, below, written_size
from vincolo.symbolic.coordinates import EulerParameters, Twists, add, axes_of
from vincolo.symbolic.graph import Node
from vincolo.symbolic.mechanism import Mechanism
from vincolo.symbolic.rows import Part, Row
from vincolo.symbolic.symbol_names import Names
from vincolo.symbolic.written import Written, load_sympy

MOST_OPERATIONS = 1_000_000  # that are written out for readers: about half a minute
SECONDS = 3e-5  # that one of them takes, roughly
SHARED = 10  # times as many operations are written out as there are different ones, at least in long expressions
PER_PART = {"twists": 2_000, "euler parameters": 6_000}  # operations of a joint or body, written out, roughly
PER_PAIR = 1_000  # of two bodies of a tree
Matrix = Any  # of SymPy


class Matrices:
    """All blocks, each found when it is first asked for."""

    def __init__(self, mechanism: Mechanism, index: int, limit: float) -> None:
        self.mechanism, self.index, self.limit = mechanism, index, limit
        self.names = Names(mechanism)

    @property
    def coordinates(self) -> str:
        """The kind of coordinates."""
        return self.mechanism.coordinates.kind

    @cached_property
    def parts(self) -> list[Part]:
        """All parts of the model with what they add."""
        check_count(self.mechanism.model, self.coordinates, self.limit)
        found = self.mechanism.parts
        self.mechanism.parameters.check()
        return found

    @cached_property
    def rows(self) -> list[Row]:
        """All rows: those of joints and drives, and with Euler parameters their unit lengths."""
        return [row for part in self.parts for row in part.rows] + unit_lengths(self.mechanism)

    @property
    def row_names(self) -> list[str]:
        """What each row belongs to and resists."""
        return [f"{row.owner} ({row.resists})" for row in self.rows]

    # the blocks, as SymPy matrices

    @cached_property
    def q(self) -> Matrix:
        """The coordinates."""
        return self._column(self.mechanism.coordinates.q)

    @cached_property
    def u(self) -> Matrix:
        """The velocities."""
        return self._column(self.mechanism.coordinates.u)

    @cached_property
    def accelerations(self) -> Matrix:
        """u', the unknowns of the equations of motion."""
        return self._column(self.mechanism.coordinates.a)

    @cached_property
    def lam(self) -> Matrix:
        """The multipliers of the rows."""
        sp = load_sympy()
        return sp.Matrix(len(self.rows), 1, [sp.Symbol(f"lambda_{k + 1}", real=True) for k in range(len(self.rows))])

    @cached_property
    def Psi(self) -> Matrix:
        """What rows hold at zero, as far as they hold positions."""
        return self._column([row.phi for row in self.rows])

    @cached_property
    def Psi_q(self) -> Matrix:
        """The rows on velocities."""
        return self._matrix(len(self.rows), {(k, j): x for k, row in enumerate(self.rows) for j, x in row.J.items()})

    @cached_property
    def Psi_t(self) -> Matrix:
        """The part of the rates of rows that does not come with velocities: Psi_q u + Psi_t = 0."""
        return self._column([row.by_time for row in self.rows])

    @cached_property
    def gamma(self) -> Matrix:
        """Psi_q u' = gamma."""
        return self._column([row.gamma for row in self.rows])

    @cached_property
    def M(self) -> Matrix:
        """Masses and inertias."""
        return self._matrix(len(self.mechanism.coordinates.u), self.total_M)

    @cached_property
    def Q(self) -> Matrix:
        """Forces, weights, and what velocities ask for."""
        zero = self.mechanism.graph.zero
        return self._column([self.total_Q.get(k, zero) for k in range(len(self.mechanism.coordinates.u))])

    @cached_property
    def definitions(self) -> dict[Any, Any]:
        """What abbreviations stand for: the axes A of bodies, by their Euler parameters."""
        c = self.mechanism.coordinates
        if not isinstance(c, Twists):
            return {}
        found: dict[Any, Any] = {}
        for body in range(len(self.mechanism.numbers)):
            A = axes_of(np.array(c.q[7 * body + 3: 7 * body + 7], dtype=object))
            for i, j in np.ndindex(3, 3):
                found[self.write(c.pose(body)[1][i, j])] = self.write(A[i, j])
        return found

    @cached_property
    def kinematics(self) -> Matrix:
        """q' by u."""
        return self._column(self.mechanism.coordinates.rates)

    @cached_property
    def states(self) -> dict[Any, Any]:
        """The rates of states that are integrated with the motion, by the symbols of the states."""
        self.check_size(self.mechanism.state_rates.values())
        return {self.write(self.mechanism.auxiliary(name)): self.write(rate)
                for name, rate in self.mechanism.state_rates.items()}

    @cached_property
    def motion(self) -> Matrix:
        """M u' + Psi_q^T lam - Q, which is zero."""
        found = self.M * self.accelerations - self.Q
        return found + self.Psi_q.T * self.lam if self.rows else found

    @cached_property
    def constraints(self) -> Matrix:
        """What is held at zero besides, at the level of the index; rows that only hold rates do so at any."""
        chosen = [self._at_level(k, max(3 - self.index, row.level)) for k, row in enumerate(self.rows)]
        return load_sympy().Matrix(len(chosen), 1, chosen)

    def _at_level(self, k: int, level: int) -> Any:
        if level == 0:
            return self.Psi[k]
        row = self.Psi_q[k, :]
        if level == 1:
            return (row * self.u)[0] + self.Psi_t[k]
        return (row * self.accelerations)[0] - self.gamma[k]

    @cached_property
    def system(self) -> Matrix:
        """All that is zero: motion and constraints."""
        return load_sympy().Matrix([*self.motion, *self.constraints])

    # from nodes to SymPy

    @cached_property
    def write(self) -> Written:
        """Writes nodes as SymPy expressions."""
        return Written(self.names.symbol)

    @cached_property
    def total_M(self) -> dict[tuple[int, int], Node]:
        """Entries of M that are not zero."""
        total: dict[tuple[int, int], Node] = {}
        for part in self.parts:
            for key, term in part.M.items():
                add(total, key, term)
        return total

    @cached_property
    def total_Q(self) -> dict[int, Node]:
        """Entries of Q that are not zero."""
        total: dict[int, Node] = {}
        for part in self.parts:
            for key, term in part.Q.items():
                add(total, key, term)
        return total

    def _column(self, nodes: Sequence[Node]) -> Any:
        self.check_size(nodes)
        return load_sympy().Matrix(len(nodes), 1, self.write.all(nodes))

    def _matrix(self, count: int, entries: Mapping[tuple[int, int], Node]) -> Any:
        self.check_size(entries.values())
        found = load_sympy().zeros(count, len(self.mechanism.coordinates.u))
        for key, node in entries.items():
            found[key] = self.write(node)
        return found

    def check_size(self, nodes: Iterable[Node]) -> None:
        """Refuses matrices of more operations than SymPy gets through in good time, before that is begun."""
        size = SHARED * len(below(nodes))
        if size > self.limit:
            raise too_large(self.mechanism.model, self.coordinates, size, self.limit)

    def check_length(self) -> None:
        """Refuses to write out what nobody could read, before that is begun."""
        nodes = [x for row in self.rows for x in (row.phi, row.by_time, row.gamma, *row.J.values())]
        size = 2 * written_size([*nodes, *self.total_M.values(), *self.total_Q.values()])
        if size > self.limit:
            raise too_large(self.mechanism.model, self.coordinates, size, self.limit)


def check_count(model: Model, coordinates: str, limit: float) -> None:
    """Refuses a model that is too large at first sight."""
    count = sum(len(group) for group in (model.bodies, model.joints, model.holds, model.springs, model.laws))
    expected = PER_PAIR * len(model.bodies)**2 if coordinates == "joint" else PER_PART[coordinates] * count
    if expected > 2 * limit:
        raise too_large(model, coordinates, expected, limit)


def too_large(model: Model, coordinates: str, size: float, limit: float) -> ModelError:
    """What to say of expressions that are too long."""
    other = "twists, whose expressions are the shortest" if coordinates != "twists" else "the generated program"
    return ModelError(f"model {model.name!r} with {len(model.bodies)} bodies is too large for {coordinates}: written "
                      f"out it has about {size:.2g} operations, some {size * SECONDS:.2g} s of work; the limit is "
                      f"{limit:.2g}.\n"
                      f"  Take {other}; or a part of the model; or pass limit={size * 1.1:.2g}. Programs are made of "
                      "shared pieces and have no such limit.")


def unit_lengths(mechanism: Mechanism) -> list[Row]:
    """With Euler parameters: p.p - 1 = 0 of every body."""
    c = mechanism.coordinates
    if not isinstance(c, EulerParameters):
        return []
    along, found = Derivative(mechanism.graph, c.flow), []
    for name, body in mechanism.numbers.items():
        p = np.array(c.q[7 * body + 3: 7 * body + 7], dtype=object)
        phi = p @ p - 1.0
        J = {7 * body + 3 + k: 2.0 * p[k] for k in range(4)}
        found.append(Row(name, "unit length", 0, phi, along(phi), -along(along(phi)), mechanism.graph.zero, J))
    return found
