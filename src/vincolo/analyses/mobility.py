"""Degrees of freedom, redundant rows and which joints are redundant together."""

from __future__ import annotations

from dataclasses import dataclass

from vincolo.model import Model
from vincolo.results.state import State
from vincolo.system import RowName, System


@dataclass(frozen=True)
class Mobility:
    """Freedom of a mechanism at one position; drives do not count, held measures do."""

    name: str
    kutzbach: int  # 6 bodies - rows: what counting says
    rank: int  # independent rows
    dof: int  # 6 bodies - rank: what it has
    redundant: int  # rows - rank
    rows: int
    groups: tuple[tuple[RowName, ...], ...]  # rows that depend on each other; their reactions are not unique

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.dof} degree{'' if self.dof == 1 else 's'} of freedom",
                 f"  counting (Kutzbach) gives {self.kutzbach}; {self.rank} of {self.rows} rows are independent, "
                 f"{self.redundant} redundant"]
        for k, group in enumerate(self.groups, 1):
            owners = sorted({row.owner for row in group})
            lines.append(f"  redundant together ({k}): {', '.join(owners)}")
            lines.append(f"    rows: {'; '.join(str(row) for row in group[:12])}"
                         + (f"; and {len(group) - 12} more" if len(group) > 12 else ""))
        if self.groups:
            lines.append("  Motion is exact all the same; reactions of these rows are given in minimum norm. To make\n"
                         "  them unique, replace one revolute of a planar loop by a spherical or cylindrical joint.")
        return "\n".join(lines)


def mobility(model: Model | System | State) -> Mobility:
    """Counts and explains the freedom of a mechanism at its assembled position."""
    if isinstance(model, State):
        return mobility_of(model)
    from vincolo.analyses.assemble import assemble

    return mobility_of(assemble(model))


def mobility_of(state: State) -> Mobility:
    """The freedom at a state that is assembled."""
    system = state.system
    vector, turns = state.y.tolist(), state.turns.tolist()
    independent = system.kernel.independent(state.t, vector, turns, False)
    rows = [k for k, row in enumerate(system.rows) if not row.drive]
    rank = sum(independent[k] for k in rows)
    freedoms = 6 * len(system.centred)
    found = system.kernel.dependencies(state.t, vector, turns, False)
    groups = tuple(tuple(system.rows[k] for k in sorted(group)) for group in merged([{k for k, _ in g} for g in found]))
    return Mobility(system.name, freedoms - len(rows), rank, freedoms - rank, len(rows) - rank, len(rows), groups)


def merged(sets: list[set[int]]) -> list[set[int]]:
    """Unions of the sets that share a member."""
    groups: list[set[int]] = []
    for members in sets:
        touching = [g for g in groups if g & members]
        groups = [g for g in groups if not g & members]
        groups.append(members.union(*touching))
    return groups
