"""What follows from a tree: the closed mechanism or why it does not close, its freedom, and its picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.mobility import Mobility, mobility_of
from vincolo.errors import VincoloError
from vincolo.formats.document import Document
from vincolo.results.result import Result
from vincolo.state import State
from vincolo.studio.draft import Draft
from vincolo.studio.places import Tree
from vincolo.studio.reading import Problem, Reading, problem_of
from vincolo.view.live.shown import of_states

MOST_MASSES = 500  # bodies whose masses are shown


@dataclass(frozen=True, eq=False)
class Insight:
    """A mechanism as its tree says; `state` is closed, or as drawn if it cannot be closed."""

    document: Document | None
    state: State | None
    problems: tuple[Problem, ...]
    closed: bool = False
    tree: Tree = field(default_factory=dict)

    @cached_property
    def mobility(self) -> Mobility | None:
        """Its freedom, if it closes."""
        return mobility_of(self.state) if self.closed and self.state is not None else None

    @cached_property
    def result(self) -> Result | None:
        """The state as a result with one sample, to be drawn."""
        return None if self.state is None else of_states([self.state])

    def freedom(self) -> dict[str, Any]:
        """Degrees of freedom, redundancy and the parts concerned, as plain data."""
        m = self.mobility
        if m is None:
            return {"known": False, "text": "" if self.document is None else "no bodies yet"
                    if not self.document.model.bodies else "the mechanism does not close"}
        owners = [sorted({row.owner for row in group}) for group in m.groups]
        drives = sum(row.drive for row in m.state.system.rows) if m.state is not None else 0
        return {"known": True, "dof": m.dof, "redundant": m.redundant, "groups": owners, "drives": drives,
                "rows": m.rows, "kutzbach": m.kutzbach}

    def explained(self) -> str:
        """Freedom and redundancy in full."""
        return "" if self.mobility is None else str(self.mobility)

    def measures(self) -> list[str]:
        """Coordinates and measures by name."""
        if self.document is None:
            return []
        model = self.document.model
        return [*(f"{j.name}.{c}" for j in model.joints.values() for c in j.coordinates), *model.measures]

    def masses(self) -> dict[str, Any]:
        """Place, mass, centre of mass in the world and principal moments of each body as drawn, as plain data."""
        bodies = self.document.model.bodies if self.document is not None else {}
        return {name: {"at": body.at.tolist(), "mass": body.mass,
                       "com": (body.at + body.orientation @ body.com).tolist(),
                       "moments": np.linalg.eigvalsh(body.inertia).tolist()}
                for name, body in [*bodies.items()][:MOST_MASSES]}


def insight_of(draft: Draft) -> Insight:
    """What follows from a draft."""
    return insight_from(draft.reading, draft.tree)


def insight_from(reading: Reading, tree: Tree) -> Insight:
    """What follows from a tree that was read."""
    if reading.document is None:
        return Insight(None, None, reading.problems, tree=tree)
    document = reading.document
    if not document.model.bodies:
        return Insight(document, None, reading.problems, tree=tree)
    try:
        system = document.system
    except VincoloError as error:
        return Insight(document, None, (*reading.problems, problem_of(error, tree)), tree=tree)
    try:
        return Insight(document, document.start(), reading.problems, True, tree)
    except VincoloError as error:
        return Insight(document, system.drawn, (*reading.problems, problem_of(error, tree)), tree=tree)
