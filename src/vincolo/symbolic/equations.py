"""Equations of motion as expressions of SymPy, from the definitions that the kernel is tested against."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.symbolic.calculus import values
from vincolo.symbolic.coordinates import Coordinates, EulerParameters, Twists
from vincolo.symbolic.display import as_latex, as_mathml, as_text, save_equations
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.matrices import MOST_OPERATIONS, Matrices, check_count
from vincolo.symbolic.mechanism import Mechanism
from vincolo.symbolic.numbers import known_numbers, tree_numbers, turning
from vincolo.symbolic.parameters import ALL
from vincolo.symbolic.programs.program import Program, make_program
from vincolo.symbolic.tree import Tree, make_tree
from vincolo.symbolic.written import load_sympy
from vincolo.system import System, as_system

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


class Equations(Matrices):
    """M u' + Psi_q^T lam = Q with the rows Psi = 0 (index 3), their rates (2) or accelerations (1).

    Everything is found when it is asked for. `q` are coordinates, `u` velocities (q' itself, or v and w of twists).
    """

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
