"""What a plot shows, before anything draws it: panels by unit, lines with labels, titles of axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.results.columns import Series, choose
from vincolo.results.in_units import run_of
from vincolo.units import readings, unit_of

COLOURS = ("#0b6fb8", "#d1495b", "#2a9d5c", "#e08e1b", "#7a4fbf", "#4b5563", "#17a2a2", "#b5547e", "#8a6d1f", "#5b8def")
MOST_LINES = 60  # in one plot
MOST_MARKS = 100  # of events
LONGEST_TITLE, LONGEST_LABEL = 28, 48  # characters of an axis title, and of a line in the legend
SAME = 0.005  # of the largest value: lines that are nearer cannot be told apart
QUANTITIES = {(unit_of(unit).powers, unit_of(unit).apart): word for unit, word in {
    "m": "length", "m/s": "velocity", "m/s^2": "acceleration", "rad": "angle", "rad/s": "angular velocity",
    "rad/s^2": "angular acceleration", "N": "force", "N m": "torque", "W": "power", "J": "energy", "s": "time",
    "1": "value"}.items()}

Sources = Sequence[tuple[str, Series]]
Remarks = Mapping[tuple[int, str], str]  # number of the source and name of the series: what its label says besides


@dataclass(frozen=True, eq=False)
class Line:
    """One series; colours and dashes are counted from 0."""

    label: str
    x: Array
    y: Array
    colour: str
    dash: int


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two series."""

    label: str
    x: Array
    low: Array
    high: Array
    colour: str


@dataclass(frozen=True)
class Panel:
    """Lines of one unit, over bands; `legend` says whether the title of the axis is not enough to tell them."""

    title: str
    lines: tuple[Line, ...]
    legend: bool
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A plot: panels under each other over the same x; `equal` if both axes are lengths, to be drawn to scale; `log` if
    the values are drawn over decades."""

    title: str
    x_title: str
    panels: tuple[Panel, ...]
    equal: bool
    log: bool = False
    marks: tuple[float, ...] = ()  # x at which something happened


@dataclass(frozen=True)
class Bars:
    """Bars from left to right, the first at the top."""

    title: str
    x_title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]


class Together:
    """Several sources as one: all their names."""

    def __init__(self, sources: Sources) -> None:
        self.sources = [source for _, source in sources]
        self._keys = {source: frozenset(source.keys()) for source in self.sources}

    @property
    def t(self) -> Array:
        """Times of the first source [s]."""
        return self.sources[0].t

    def keys(self) -> list[str]:
        """Names that any source has."""
        return list(dict.fromkeys(name for source in self.sources for name in source.keys()))  # noqa: SIM118

    def has(self, source: Series, name: str) -> bool:
        """Whether this source has the series."""
        return name in self._keys[source]

    def _owner(self, name: str) -> Series:
        return next((s for s in self.sources if isinstance(name, str) and self.has(s, name)), self.sources[0])

    def unit(self, name: str) -> str:
        """The unit in the first source that has it."""
        return self._owner(name).unit(name)

    def __getitem__(self, name: str) -> Array:
        return self._owner(name)[name]


def arrange(sources: Sources, names: Sequence[str] | str, against: str, title: str, *, log: bool = False,
            remarks: Remarks | None = None) -> Sheet:
    """The plot of series over another one: a panel for each unit. `remarks` are added to the labels of lines."""
    together = Together(sources)
    chosen = chosen_names(together, names, len(sources))
    x_unit = _common_unit(sources, together, chosen, against)
    groups: dict[str, list[str]] = {}
    for name in chosen:
        for _, source in sources:
            if together.has(source, name):
                unit = source.unit(name)
                members = groups.setdefault(unit or f" {name}", [])  # series without unit do not share a panel
                members += [] if name in members else [name]
    panels = tuple(_panel(sources, together, unit, members, against, remarks or {}) for unit, members in groups.items())
    marks = _marks(sources) if against == "t" and x_unit == "s" else ()
    return Sheet(title, axis_title(against, x_unit), panels,
                 _quantity(x_unit) == "length" and list(groups) == [x_unit] and not log, log, marks)


def _marks(sources: Sources) -> tuple[float, ...]:
    """Times of events; more than can be told apart are left out."""
    runs = [run_of(source) for _, source in sources]
    times = sorted({event.t for run in runs for event in getattr(run, "events", ())})
    return tuple(times) if len(times) <= MOST_MARKS else ()


def chosen_names(together: Together, names: Sequence[str] | str, sources: int) -> list[str]:
    """The series that are asked for, if they are some and not too many."""
    chosen = choose(together, names)
    if not chosen:
        raise ModelError("plot(): no series is named.\n  Name some, as in result.plot('slider.x', 'O.angle').")
    if len(chosen) * sources > MOST_LINES:
        raise ModelError(f"plot(): these are {len(chosen) * sources} lines, which nobody can tell apart; at most "
                         f"{MOST_LINES} are drawn.\n  Choose fewer series, or export() them.")
    return chosen


def _common_unit(sources: Sources, together: Together, chosen: Sequence[str], against: str) -> str:
    """The unit of the x axis, which every source that is drawn must have."""
    units = {label: source.unit(against) for label, source in sources
             if any(together.has(source, name) for name in chosen)}
    if len(set(units.values())) > 1:
        shown = ", ".join(f"{unit or 'not known'} ({label})" for label, unit in units.items())
        raise ModelError(f"plot(): {against!r} has different units: {shown}.\n  Bring them to one unit first.")
    return next(iter(units.values()))


def _panel(sources: Sources, together: Together, unit: str, names: Sequence[str], against: str,
           remarks: Remarks) -> Panel:
    plain = "" if unit.startswith(" ") else unit
    lines: list[Line] = []
    for k, name in enumerate(names):
        for n, (label, source) in enumerate(sources):
            if not together.has(source, name) or source.unit(name) != plain:
                continue
            colour = n if len(names) == 1 else k
            full = name if len(sources) == 1 else label if len(names) == 1 else f"{name}, {label}"
            told = shortened(full, LONGEST_LABEL) + remarks.get((n, name), "")
            line = Line(told, finite(source[against]), finite(source[name]), COLOURS[colour % len(COLOURS)],
                        n + colour // len(COLOURS))
            lines.append(replace(line, dash=line.dash + sum(hides(line, other) for other in lines)))
    title = axis_title(", ".join(names), plain)
    short = len(title) <= LONGEST_TITLE
    word = _quantity(plain) or shortened(names[0], LONGEST_TITLE)
    return Panel(title if short else axis_title(word, plain), tuple(lines), len(lines) > 1 or not short)


def hides(line: Line, other: Line) -> bool:
    """Whether a line lies upon another one that was drawn the same way; it is dashed then, so that both are seen."""
    if line.dash != other.dash or line.y.shape != other.y.shape or not np.array_equal(line.x, other.x, equal_nan=True):
        return False
    apart = np.abs(line.y - other.y)
    return bool(np.nanmax(apart, initial=0.0) <= SAME * np.nanmax(np.abs(other.y), initial=0.0))


def _quantity(unit: str) -> str:
    """What a unit measures, in a word; "" if it is not known."""
    return next((QUANTITIES[u.powers, u.apart] for u in readings(unit) if (u.powers, u.apart) in QUANTITIES), "")


def axis_title(name: str, unit: str) -> str:
    """`slider.ax [m/s²]`."""
    return f"{name} [{neat_unit(unit)}]" if unit else name


def neat_unit(unit: str) -> str:
    """`m/s²` for m/s^2."""
    return unit.replace("^2", "²")


def shortened(text: str, longest: int) -> str:
    """A text without its middle, if it is too long."""
    if len(text) <= longest:
        return text
    return f"{text[:longest // 2 - 1]}…{text[-(longest - longest // 2):]}"


def finite(values: Array) -> Array:
    """The same, with gaps where numbers are not finite or too large to be drawn."""
    numbers = np.asarray(values, dtype=float)
    return np.where(np.abs(numbers) < 1e150, numbers, np.nan)
