"""Degrees of freedom here and nearby, idle freedoms, redundant rows and what to do about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.closing import Aim, close
from vincolo.analyses.idle import IdleFreedom, idle_freedoms
from vincolo.analyses.relaxation import Opening, Relaxation, dependencies, openings, options, plan
from vincolo.analyses.scatter import scattered
from vincolo.flywheels import ROWS
from vincolo.held import RowName
from vincolo.layout import auxiliaries_of
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

NEARBY = 0.1  # rad, and share of a body's length, between this position and those nearby
TRIES = 4
SHOWN = 3  # of the errors that open a loop most


@dataclass(frozen=True)
class Mobility:
    """Freedom of a mechanism at one position; drives do not count, held measures do. Of what is switched, of stops and
    of friction those rows count that hold there.

    What takes more than counting is worked out when it is first asked for."""

    name: str
    kutzbach: int  # 6 bodies - rows: what counting says
    rank: int  # independent rows
    dof: int  # 6 bodies - rank: what it has
    redundant: int  # rows - rank
    rows: int
    groups: tuple[tuple[RowName, ...], ...]  # rows that depend on each other; their reactions are not unique
    state: State | None = field(default=None, repr=False, compare=False)

    @cached_property
    def _neighbours(self) -> tuple[State, ...]:
        """Closed positions nearby, with the drives released."""
        if self.state is None or not self.redundant:  # full rank stays full rank nearby
            return ()
        rng = np.random.default_rng(11)
        aim = Aim(drives=False)
        found = [close(scattered(self.state, rng, NEARBY), aim) for _ in range(TRIES)]
        return tuple(f.state for f in found if f.closed)

    @cached_property
    def generic(self) -> int:
        """Degrees of freedom at positions nearby, drives released; fewer than `dof` in a singular position."""
        return min([self.dof, *(counts(s)[1] for s in self._neighbours)])

    @property
    def singular(self) -> bool:
        """Whether it has more freedoms here than nearby."""
        return self.generic < self.dof

    @cached_property
    def idle(self) -> tuple[IdleFreedom, ...]:
        """Freedoms that move nothing but a link about its own axis, such as a rod between two ball joints."""
        return () if self.state is None else idle_freedoms(self.state)

    @property
    def working(self) -> int:
        """Degrees of freedom nearby that are not idle."""
        return self.generic - len(self.idle)

    @cached_property
    def _ordinary(self) -> State | None:
        """This position, or one nearby if this one is singular: redundancy that does not pass."""
        if self.state is None or not self.singular:
            return self.state
        return min(self._neighbours, key=lambda s: counts(s)[1])

    @cached_property
    def _dependencies(self) -> Array:
        return np.zeros((0, self.rows)) if self._ordinary is None else dependencies(self._ordinary)

    @cached_property
    def openings(self) -> tuple[Opening, ...]:
        """How far manufacturing errors open the redundant rows, the worst first."""
        return () if self._ordinary is None else openings(self._ordinary, self._dependencies)

    @cached_property
    def options(self) -> tuple[Relaxation, ...]:
        """Every joint that can be replaced by one that holds less without adding freedom."""
        return () if self._ordinary is None else options(self._ordinary, self._dependencies)

    @cached_property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """Few joints to replace so that all reactions are unique and no freedom is added; common kinds first."""
        return () if self._ordinary is None else plan(self._ordinary, self._dependencies, self.options)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.dof} degree{'' if self.dof == 1 else 's'} of freedom",
                 f"  counting (Kutzbach) gives {self.kutzbach}; {self.rank} of {self.rows} rows are independent, "
                 f"{self.redundant} redundant"]
        if self.singular:
            lines.append(f"  here {self.dof}, nearby {self.generic}: a singular position")
        lines += [f"  idle: {freedom}" for freedom in self.idle]
        for k, group in enumerate(self.groups, 1):
            owners = sorted({row.owner for row in group})
            lines.append(f"  redundant together ({k}): {', '.join(owners)}")
            lines.append(f"    rows, in each joint's own axes: {'; '.join(str(row) for row in group[:12])}"
                         + (f"; and {len(group) - 12} more" if len(group) > 12 else ""))
        if self.groups:
            lines.append("  Motion is exact all the same; where reactions are not unique the least are given. To make\n"
                         "  them unique, replace a revolute of a planar loop that nothing drives by a spherical or\n"
                         "  cylindrical joint.")
        return "\n".join(lines + self._advice())

    def _repr_html_(self) -> str:
        from vincolo.view.notebook import mobility_html

        return mobility_html(self)

    def _advice(self) -> list[str]:
        lines = []
        if self.relaxations:
            left = len(self._dependencies) - sum(r.removes for r in self.relaxations)
            stay = f" ({left} redundant stay)" if left else ""
            lines.append(f"  Here this would do, without adding freedom{stay}:")
            lines += [f"    {r}" for r in self.relaxations]
        if self.openings:
            lines.append("  Manufacturing errors open the loop, most of all")
            lines += [f"    {o}" for o in self.openings[:SHOWN]]
        return lines


def mobility(model: Model | System | State) -> Mobility:
    """Counts and explains the freedom of a mechanism at its assembled position."""
    if isinstance(model, State):
        return mobility_of(model)
    return mobility_of(assemble(model))


def counts(state: State) -> tuple[int, int]:
    """Independent rows and degrees of freedom at a state, drives released."""
    system = state.system
    independent = system.kernel.independent(state.t, state.y.tolist(), state.turns.tolist(), False)
    rank = sum(independent[k] for k, row in enumerate(system.rows) if not row.drive)
    own = ROWS * len(system.flywheels)  # those of rotors are independent always, and take the freedoms they bring
    return rank - own, 6 * len(system.centred) - rank


def mobility_of(state: State) -> Mobility:
    """The freedom at a state that is assembled."""
    system = state.system
    rank, dof = counts(state)
    off = rows_off(state)
    rows = sum(not row.drive and k not in off for k, row in enumerate(system.rows)) - ROWS * len(system.flywheels)
    found = system.kernel.dependencies(state.t, state.y.tolist(), state.turns.tolist(), False)
    groups = tuple(tuple(system.rows[k] for k in sorted(group)) for group in merged([{k for k, _ in g} for g in found]))
    return Mobility(system.name, rank + dof - rows, rank, dof, rows - rank, rows, groups, state)


def rows_off(state: State) -> set[int]:
    """Rows that do not hold at a state: what is switched off, stops that are not met and friction that slips."""
    system, values = state.system, auxiliaries_of(state.y, len(state.system.centred))
    gates = [(row, numbers[k] if len(numbers) > 1 else numbers[0]) for name, numbers in system.deciding.gates.items()
             for k, row in enumerate(system.block_rows[name])]  # friction of several directions has one gate
    for (owner, k), gate in system.switchboard.gates.items():
        rows = system.block_rows.get(owner, range(0))
        gates += [(row, gate) for row in (rows if k is None else rows[k:k + 1])]
    return {row for row, gate in gates if values[gate] == 0.0}


def merged(sets: list[set[int]]) -> list[set[int]]:
    """Unions of the sets that share a member."""
    groups: list[set[int]] = []
    for members in sets:
        touching = [g for g in groups if g & members]
        groups = [g for g in groups if not g & members]
        groups.append(members.union(*touching))
    return groups
