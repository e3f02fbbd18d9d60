"""Joints, drives and held measures of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from vincolo.equations import joints as equations
from vincolo.equations.measures import Formula, Row, Sum
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError, suggest
from vincolo.model.body import Frame
from vincolo.model.functions import Function
from vincolo.model.measure import Measure, formula, measure

LEVELS = ("position", "velocity", "acceleration")
RESISTED = {"distance": "force along the line", "azimuth": "force across the line", "angle": "moment"}


def resisted(row: Row) -> str:
    """What a held row resists, in the axes of the joint's first frame."""
    if isinstance(row, Sum):
        return " and ".join(dict.fromkeys(_resisted(e) for _, e in row.terms))
    return f"force of {row.text} = 0" if isinstance(row, Formula) else _resisted(row)


@cache
def _resisted(row: Equation) -> str:
    if row.kind == "cosine":
        left = {"x", "y", "z"} - set(row.axes)
        return f"moment about {left.pop()}" if len(left) == 1 else "moment normal to both axes"
    if row.kind in ("skid", "roll"):
        return f"friction along {row.axes[0]}"
    return RESISTED.get(row.kind) or f"force along {row.axes[0]}"


def mirror_image(e: Equation) -> Equation:
    """The measure that has, between frames mirrored with their y axes turned around, the value e has between the
    frames themselves; an angle to y needs that axis as the mirror shows it."""
    to_y = e.axes[:1] == ("y",)
    flips = {"along": to_y, "skid": to_y, "roll": to_y, "cosine": e.axes.count("y") == 1, "angle": True,
             "azimuth": True, "distance": False}
    return -e if flips[e.kind] else e


def mirrored_row(row: Row) -> Row:
    """The same for a sum or formula."""
    if isinstance(row, Sum):
        return Sum(tuple((f, mirror_image(e)) for f, e in row.terms))
    if isinstance(row, Formula):
        return replace(row, inputs={name: mirror_image(e) for name, e in row.inputs.items()})
    return mirror_image(row)


@dataclass(frozen=True, eq=False)
class Form:
    """What a joint holds between any two frames, by row, and the measures of its freedom."""

    rows: tuple[Row, ...]
    levels: tuple[str, ...]
    resists: tuple[str, ...]
    coordinates: Mapping[str, Equation]
    own: tuple[Equation, ...]  # its coordinates, not mirrored


def form_of(entry: equations.Joint, mirrored: bool, parameters: Mapping[str, Any]) -> Form:
    """The form of a joint of the catalogue with given parameters."""
    rows = []
    for k, plain in enumerate(entry.rows(**parameters)):
        plain_zero = isinstance(plain, Equation) and k not in entry.drawn  # its sign does not matter
        rows.append(mirrored_row(plain) if mirrored and not plain_zero else plain)
    found = entry.coordinates
    return Form(tuple(rows), tuple(LEVELS[k in entry.rates] for k in range(len(rows))), tuple(map(resisted, rows)),
                {name: mirror_image(e) for name, e in found.items()} if mirrored else found, tuple(found.values()))


@cache
def form_of_kind(kind: str, mirrored: bool) -> Form:
    """The form of a joint that has no parameters."""
    return form_of(equations.CATALOGUE[kind], mirrored, {})


@dataclass(frozen=True, eq=False)
class JointRow:
    """One scalar equation of a joint: a measure held at a value, or its rate at zero."""

    measure: Measure
    value: float
    level: str
    resists: str


@dataclass(frozen=True, eq=False)
class Joint:
    """Two frames and the measures between them that are held."""

    name: str
    kind: str
    a: Frame
    b: Frame
    length: float | None = None  # what its drawn row is held at, if not the drawn value
    mirrored: bool = False  # its frames are those of a mirrored sub-model: coordinates keep the sign of the original
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def definition(self) -> equations.Joint:
        """Its entry in the catalogue."""
        return equations.CATALOGUE[self.kind]

    @cached_property
    def form(self) -> Form:
        """What it holds and leaves free, whatever its frames."""
        entry = self.definition
        return form_of(entry, self.mirrored, self.parameters) if callable(entry.held) else form_of_kind(
            self.kind, self.mirrored)

    @property
    def rows(self) -> list[JointRow]:
        """The scalar equations it holds."""
        form = self.form
        return [JointRow(self.measure_of(row), self.value_of(k), form.levels[k], form.resists[k])
                for k, row in enumerate(form.rows)]

    def value_of(self, k: int) -> float:
        """What a row is held at."""
        if k not in self.definition.drawn:
            return 0.0
        return self.measure_of(self.form.rows[k]).drawn_value if self.length is None else self.length

    def measure_of(self, row: Row) -> Measure:
        """A row between its frames."""
        if isinstance(row, Sum):
            return Measure(tuple((f, e, self.a, self.b) for f, e in row.terms))
        if isinstance(row, Formula):
            inputs = {name: measure(e, self.a, self.b) for name, e in row.inputs.items()}
            return formula(row.text, **inputs, **row.constants, **row.functions)
        return Measure(((1.0, row, self.a, self.b),))

    @property
    def coordinates(self) -> dict[str, Measure]:
        """The measures of its freedom, by name."""
        return {name: Measure(((1.0, e, self.a, self.b),), f"{self.name}.{name}")
                for name, e in self.form.coordinates.items()}

    def __getitem__(self, name: str) -> Measure:
        """The measure of one freedom, such as joint["angle"]."""
        known = self.coordinates
        if name not in known:
            has = ", ".join(known) if known else "none"
            raise ModelError(f"{self.kind} joint {self.name!r} has no coordinate {name!r} (it has: {has})."
                             f"{suggest(name, known)}")
        return known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.coordinates

    def __iter__(self) -> Iterator[str]:
        return iter(self.coordinates)

    def row_names(self) -> list[str]:
        """What each held row resists, in joint axes."""
        return list(self.form.resists)

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.kind}: {self.a.body.name!r} - {self.b.body.name!r})"


@dataclass(frozen=True)
class Switch:
    """From a time [s] on, rows of a joint or drive hold, or are left out; springs, laws and loads act or do not."""

    owner: str
    at: float
    on: bool
    rows: tuple[int, ...] | None = None  # all if not given


@dataclass(frozen=True, eq=False)
class Held:
    """A measure held at a function of time, or its rate or acceleration; a drive if it is to move something."""

    name: str
    measure: Measure
    function: Function
    drive: bool = field(default=True)
    level: str = "position"
