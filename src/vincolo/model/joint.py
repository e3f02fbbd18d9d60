"""Joints, drives and held measures of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from vincolo.equations import joints as equations
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError, suggest
from vincolo.model.body import Frame
from vincolo.model.functions import Function
from vincolo.model.measure import Measure, measure


def resisted(e: Equation) -> str:
    """What a held measure resists, in the axes of the joint's first frame."""
    if e.kind == "cosine":
        left = {"x", "y", "z"} - set(e.axes)
        return f"moment about {left.pop()}" if len(left) == 1 else "moment normal to both axes"
    return {"along": f"force along {e.axes[0] if e.axes else ''}", "distance": "force along the line"}[e.kind]


@dataclass(frozen=True, eq=False)
class Joint:
    """Two frames and the measures between them that are held."""

    name: str
    kind: str
    a: Frame
    b: Frame
    length: float | None = None  # of a distance

    @property
    def equations(self) -> list[Equation]:
        """The measures it holds, from the catalogue."""
        return equations.JOINTS[self.kind].held

    @property
    def coordinates(self) -> dict[str, Measure]:
        """The measures of its freedom, by name."""
        found = equations.JOINTS[self.kind].coordinates
        return {name: measure(e, self.a, self.b).named(f"{self.name}.{name}") for name, e in found.items()}

    def __getitem__(self, name: str) -> Measure:
        """The measure of one freedom, such as joint["angle"]."""
        known = self.coordinates
        if name not in known:
            has = ", ".join(known) if known else "none"
            raise ModelError(f"{self.kind} joint {self.name!r} has no coordinate {name!r} (it has: {has})."
                             f"{suggest(name, known)}")
        return known[name]

    def row_names(self) -> list[str]:
        """What each held row resists, in joint axes."""
        return [resisted(e) for e in self.equations]

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.kind}: {self.a.body.name!r} - {self.b.body.name!r})"


@dataclass(frozen=True, eq=False)
class Held:
    """A measure held at a function of time; a drive if it is meant to move something."""

    name: str
    measure: Measure
    function: Function
    drive: bool = field(default=True)
