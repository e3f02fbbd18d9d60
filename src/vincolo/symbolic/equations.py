"""Equations of motion as expressions of SymPy, from the definitions that the kernel is tested against."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.symbolic.calculus import Derivative, below, values, written_size
from vincolo.symbolic.coordinates import Coordinates, EulerParameters, Twists, add, axes_of
from vincolo.symbolic.display import as_latex, as_mathml, as_text, save_equations
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.mechanism import Mechanism, Part, Row
from vincolo.symbolic.numbers import known_numbers, tree_numbers, turning
from vincolo.symbolic.parameters import ALL
from vincolo.symbolic.programs.program import Program, make_program
from vincolo.symbolic.symbol_names import Names
from vincolo.symbolic.tree import Tree, make_tree
from vincolo.symbolic.written import Written, load_sympy
from vincolo.system import System, as_system

Matrix = Any  # of SymPy
MOST_OPERATIONS = 1_000_000  # that are written out for readers: about half a minute
SECONDS = 3e-5  # that one of them takes, roughly
SHARED = 10  # times as many operations are written out as there are different ones, at least in long expressions
PER_PART = {"twists": 2_000, "euler parameters": 6_000}  # operations of a joint or body, written out, roughly
PER_PAIR = 1_000  # of two bodies of a tree
COORDINATES = ("euler parameters", "twists", "joint")


class Numbers(NamedTuple):
    """The equations at a state, as numbers."""

    M: Array
    Q: Array
    Psi: Array
    Psi_q: Array
    Psi_t: Array
    rate: Array
    gamma: Array


class Equations:
    """M u' + Psi_q^T lam = Q with the rows Psi = 0 (index 3), their rates (2) or accelerations (1).

    Everything is found when it is asked for. `q` are coordinates, `u` velocities (q' itself, or v and w of twists).
    """

    def __init__(self, mechanism: Mechanism, index: int, limit: float = MOST_OPERATIONS) -> None:
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

    # numbers

    def at(self, state: State) -> Numbers:
        """All blocks as numbers at a state of the same model."""
        n, m = len(self.mechanism.coordinates.u), len(self.rows)
        places: list[tuple[str, Any]] = []
        nodes: list[Node] = []
        for k, row in enumerate(self.rows):
            for name, node in (("Psi", row.phi), ("rate", row.rate), ("Psi_t", row.by_time), ("gamma", row.gamma)):
                places.append((name, k))
                nodes.append(node)
            places += [("Psi_q", (k, j)) for j in row.J]
            nodes += row.J.values()
        for name, entries in (("M", self.total_M), ("Q", self.total_Q)):
            places += [(name, key) for key in entries]
            nodes += entries.values()
        found = {"M": np.zeros((n, n)), "Q": np.zeros(n), "Psi": np.zeros(m), "Psi_q": np.zeros((m, n)),
                 "Psi_t": np.zeros(m), "rate": np.zeros(m), "gamma": np.zeros(m)}
        numbers = values(nodes, self.numbers(state), lambda f, order, x: f.value(order, x),
                         turning(self.mechanism, state))
        for (name, key), value in zip(places, numbers, strict=True):
            found[name][key] = value
        return Numbers(**found)

    def numbers(self, state: State) -> dict[Node, float]:
        """The numbers of all symbols at a state."""
        found = known_numbers(self.mechanism, state)
        c = self.mechanism.coordinates
        return found | tree_numbers(c, state, found) if isinstance(c, Tree) else found

    def simplified(self, how: Callable[[Any], Any] | None = None) -> Equations:
        """The same with every entry simplified by SymPy; for small systems."""
        sp = load_sympy()
        found = Equations(self.mechanism, self.index, self.limit)
        for name in ("Psi", "Psi_q", "Psi_t", "gamma", "M", "Q"):
            found.__dict__[name] = getattr(self, name).applyfunc(how or sp.trigsimp)
        return found

    # for readers

    def text(self) -> str:
        """All blocks as plain text."""
        return as_text(self)

    def latex(self) -> str:
        """All blocks as LaTeX."""
        return as_latex(self)

    def mathml(self) -> str:
        """All blocks as MathML with headings."""
        return as_mathml(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes them as .tex, .html or .txt."""
        return save_equations(self, path)

    def program(self, language: str, *, until: float, start: Any = None, outputs: int = 500, rtol: float = 1e-9,
                atol: float = 1e-11, steps: int | None = None) -> Program:
        """A complete program in "c", "fortran" or "python" that solves the equations with this index by Radau IIA 5,
        with Euler parameters as positions and twists as velocities; with `steps` fixed ones between outputs. `start` is
        a state, or values for assemble()."""
        return make_program(self.mechanism.model, self.index, language, until=until, start=start, outputs=outputs,
                            rtol=rtol, atol=atol, steps=steps)

    def _repr_html_(self) -> str:
        return self.mathml()

    def _repr_latex_(self) -> str:
        return self.latex()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        m = self.mechanism
        return (f"Equations({m.model.name!r}: index {self.index}, {self.coordinates}, {len(m.coordinates.u)} "
                f"velocities, {len(self.rows)} rows)")


def equations(model: Model | System, index: int = 3, coordinates: str = "euler parameters", *,
              symbols: Mapping[str, Any] | str | None = None, limit: float = MOST_OPERATIONS,
              angles: str = "xyz") -> Equations:
    """The equations of motion of a model as expressions of SymPy, of a DAE with index 3, 2 or 1.

    `coordinates`: "euler parameters" (seven a body), "twists" (v and w of bodies) or "joint" (those of a tree of
    joints, with loops cut open; balls turn by `angles`, three letters such as "zxz"). `symbols` names numbers of the
    model that stay symbols, such as {"crank.mass": "m_1"}, or is "all". `limit` is the number of operations up to which
    expressions are written out."""
    if index not in (1, 2, 3) or isinstance(index, bool):
        raise ModelError(f"equations: index is {index!r}; it is 3 (positions are held), 2 (velocities) or "
                         "1 (accelerations).")
    if coordinates not in COORDINATES:
        raise ModelError(f"equations: coordinates is {coordinates!r}.\n  Take one of: {', '.join(COORDINATES)}.")
    if isinstance(symbols, str) and symbols != ALL:
        raise ModelError(f"equations: symbols is {symbols!r}.\n  Give 'all', or names such as "
                         "{'crank.mass': 'm_1'}.")
    system = as_system(model)
    if coordinates == "joint":
        check_count(system.model, coordinates, limit)  # all places of bodies are written at once
    return Equations(Mechanism(system.model, _makers(angles)[coordinates], symbols), index, limit)


def _makers(angles: str) -> dict[str, Callable[[Graph, Mechanism], Coordinates]]:
    return {"twists": lambda graph, m: Twists(graph, len(m.numbers)),
            "euler parameters": lambda graph, m: EulerParameters(graph, len(m.numbers)),
            "joint": lambda graph, m: make_tree(graph, m, angles)}


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
