"""Redundant rows: which joint to relax, and how far manufacturing errors open the loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.equations.joints import JOINTS
from vincolo.equations.measures import Measure as Equation
from vincolo.equations.measures import along, cosine
from vincolo.held import RowName
from vincolo.layout import by_body
from vincolo.model import Joint
from vincolo.model.geometry import Array
from vincolo.state import State

#: what a joint may become, the most usual first
USUAL = ("cylindrical", "spherical", "universal", "revolute", "prismatic")
KINDS = (*USUAL, "guide", "planar", "slot", "point_on_plane", "parallel", "perpendicular")
COINCIDE = [along("x"), along("y"), along("z")]
CROSSED = ([*COINCIDE, cosine("x", "z")], [*COINCIDE, cosine("y", "z")])  # a hinge with one more axis: a cross
SMALL = 1e-6


@dataclass(frozen=True)
class Relaxation:
    """A joint of another kind in place of one, which takes redundant rows away and adds no freedom."""

    joint: str
    kind: str
    to: str
    rows: tuple[RowName, ...]  # what is no longer held

    @property
    def removes(self) -> int:
        """How many redundant rows it takes away."""
        return len(self.rows)

    def __str__(self) -> str:
        held = ", ".join(row.resists for row in self.rows)
        return (f"{self.kind} '{self.joint}' -> {self.to} (gives up {held} of its own axes; "
                f"{self.removes} fewer redundant)")


@dataclass(frozen=True)
class Opening:
    """How far a redundant row is opened by an error in another row: gap = per_unit x error, to first order."""

    row: RowName
    by: RowName
    per_unit: float  # m or rad at `row` per m or rad at `by`

    def __str__(self) -> str:
        return f"{self.row} by {self.per_unit:.3g} per unit of error in {self.by}"


def dependencies(state: State, drives: bool = False) -> Array:
    """N with N J = 0: one line per redundant row, with -1 in its own column; drives are released unless asked for. They
    depend on time and positions alone, and the last found are kept: assembly and the check of a start ask for the same.
    """
    system = state.system
    bodies = by_body(state.y, len(system.centred))
    here = (state.t, drives, bodies[:, :7].tobytes(), state.turns.tobytes())
    kept = system.dependencies
    if kept is None or kept[0] != here:
        kept = system.dependencies = (here, found_dependencies(state, drives))
    return kept[1]


def found_dependencies(state: State, drives: bool) -> Array:
    """The same as dependencies(), found anew."""
    found = state.system.kernel.dependencies(state.t, state.y.tolist(), state.turns.tolist(), drives)
    N = np.zeros((len(found), len(state.system.rows)))
    for line, terms in enumerate(found):
        for k, c in terms:
            N[line, k] = c
    N.setflags(write=False)
    return N


def openings(state: State, N: Array) -> tuple[Opening, ...]:
    """For every redundant row, how far errors of other rows open it; the worst first. A redundant row is a combination
    of others, row_r = sum c_k row_k, so that errors e_k leave the gap sum c_k e_k."""
    rows, out = state.system.rows, []
    for line in N:
        own = int(np.nonzero(line == -1.0)[0][0])
        out += [Opening(rows[own], rows[k], abs(float(line[k]))) for k in np.nonzero(line)[0] if k != own]
    return tuple(sorted(out, key=lambda o: -o.per_unit))


def options(state: State, N: Array) -> tuple[Relaxation, ...]:
    """Every single joint that can be relaxed without adding freedom; what removes most first."""
    involved = {state.system.rows[k].owner for k in np.nonzero(N)[1]}
    found = [r for name, joint in state.system.joints.items() if name in involved for r in _ways(state, joint)
             if _costs_nothing(state, N, [r])]
    return tuple(sorted(found, key=lambda r: (-r.removes, KINDS.index(r.to))))


def plan(state: State, N: Array, ways: tuple[Relaxation, ...]) -> tuple[Relaxation, ...]:
    """Joints to relax that together take the redundancy away and add no freedom: first by common kinds of joints, each
    time the one that removes most."""
    chosen: list[Relaxation] = []
    for way in sorted(ways, key=lambda w: w.to not in USUAL):
        free = all(way.joint != c.joint for c in chosen)
        if free and sum(c.removes for c in chosen) + way.removes <= len(N) and _costs_nothing(state, N, [*chosen, way]):
            chosen.append(way)
    return tuple(chosen)


def _costs_nothing(state: State, N: Array, relaxed: list[Relaxation]) -> bool:
    """Rows can go without loss of rank if their columns of N are independent."""
    system = state.system
    columns = [k for r in relaxed for k in system.block_rows[r.joint] if system.rows[k] in r.rows]
    size = np.linalg.norm(N[:, columns], axis=0)
    if len(columns) > len(N) or (size <= SMALL).any():
        return False
    return int(np.linalg.matrix_rank(N[:, columns] / size, tol=SMALL)) == len(columns)


def _ways(state: State, joint: Joint) -> list[Relaxation]:
    """Kinds of joints that hold only a part of what this one holds, in the same frames."""
    entry, used = joint.definition, _used_coordinates(state, joint)
    held = list(entry.held) if not callable(entry.held) and not entry.drawn and not entry.rates else []
    names = [state.system.rows[k] for k in state.system.block_rows[joint.name]]
    out = []
    for kind in KINDS:
        if any(JOINTS[kind].coordinates.get(name) != entry.coordinates[name] for name in used):
            continue  # a drive or force acts on a coordinate that the other joint does not have
        for kept in _forms(kind):
            if all(row in held for row in kept) and len(kept) < len(held):
                given_up = tuple(n for n, row in zip(names, held, strict=True) if row not in kept)
                out.append(Relaxation(joint.name, joint.kind, kind, given_up))
    return out


def _used_coordinates(state: State, joint: Joint) -> list[str]:
    """The coordinates of a joint that drives, held and named measures, springs and laws act on."""
    model = state.system.model
    owners = [part.measure for group in (model.holds, model.springs, model.laws) for part in group.values()]
    sources = {source for measure in [*owners, *model.measures.values()] for source in measure.sources}
    terms = {(e.kind, e.axes, id(a), id(b)) for measure in owners for _, e, a, b in measure.terms}
    own = {name: measure.terms[0] for name, measure in joint.coordinates.items()}
    return [name for name, (_, e, a, b) in own.items()
            if f"{joint.name}.{name}" in sources or (e.kind, e.axes, id(a), id(b)) in terms]


def _forms(kind: str) -> list[list[Equation]]:
    if kind == "universal":
        return [list(form) for form in CROSSED]
    held = JOINTS[kind].held
    return [] if callable(held) else [[row for row in held if isinstance(row, Equation)]]
