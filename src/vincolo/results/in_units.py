"""Series of a result or a table in the units that a user thinks in; what is behind them stays in SI."""

from __future__ import annotations

import os
from collections.abc import ItemsView, Iterator, Sequence, ValuesView
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.results.columns import Series, csv_file
from vincolo.results.frames import data_frame, dataset
from vincolo.units import TIME, Unit, Units, unit_of

if TYPE_CHECKING:
    from vincolo.results.result import Result


class InUnits:
    """The series of a result in other units: shown["slider.x"] in mm if that is what shown.unit("slider.x") says. Units
    that are asked for come first, then what a measure was declared in, then those of the model's file."""

    def __init__(self, source: Series, asked: Units, usual: Units) -> None:
        self.source, self.asked, self.usual = source, asked, usual
        self._known: dict[str, tuple[Unit, Unit] | None] = {}

    @property
    def result(self) -> Result:
        """The result that is shown."""
        return cast("Result", self.source)

    @property
    def t(self) -> Array:
        """Times [s]."""
        return self.source.t

    def keys(self) -> list[str]:
        """Names of all series, "t" first."""
        return self.source.keys()

    def unit(self, name: str) -> str:
        """The unit that a series is shown in."""
        change = self._change(name)
        return self.source.unit(name) if change is None else change[1].name

    def __getitem__(self, name: str) -> Array:
        change = self._change(name)
        values = self.source[name]
        return values if change is None else np.asarray(change[1].of_si(change[0].si(values)), dtype=float)

    def unit_for(self, text: str) -> Unit:
        """What numbers in a unit are shown in where no series has a wish of its own: mm/s for m/s."""
        return self.asked.instead_of(text) or (None if self.asked.si else self.usual.instead_of(text)) or unit_of(text)

    def _change(self, name: str) -> tuple[Unit, Unit] | None:
        """From which unit to which; None if a series stays as it is."""
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> tuple[Unit, Unit] | None:
        text = self.source.unit(name)
        if name == "t" or not text:
            return None
        shown = self.asked.instead_of(text) or self._wish(name, text)
        return None if shown is None or shown.name == text else (unit_of(text), shown)

    def _wish(self, name: str, text: str) -> Unit | None:
        """What the model and its file want a series to be shown in."""
        if self.asked.si or self.usual.si:
            return None if self.asked.si else self.usual.instead_of(text)
        channels = getattr(self.source, "channels", self.source)
        own = channels.own_unit(name) if hasattr(channels, "own_unit") else ""
        return unit_of(own) if own else self.usual.instead_of(text)

    def __contains__(self, name: object) -> bool:
        return name in self.source.keys()  # noqa: SIM118  # a table or a result, which iterate differently

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.t)

    def items(self) -> ItemsView[str, Array]:
        """Names and series."""
        return ItemsView(self)

    def values(self) -> ValuesView[Array]:
        """All series."""
        return ValuesView(self)

    def blocks(self) -> Iterator[InUnits]:
        """The same in parts that fit into memory."""
        for block in self.result.blocks():
            yield InUnits(block, self.asked, self.usual)

    def to_pandas(self, names: Sequence[str] | str | None = None) -> Any:
        """A pandas DataFrame with time as its index; its attrs["units"] has the units by name."""
        return data_frame(self, names)

    def to_xarray(self, names: Sequence[str] | str | None = None) -> Any:
        """An xarray Dataset over t; every variable has its unit in attrs["units"]."""
        return dataset(self, names)

    def to_csv(self, path: str | os.PathLike[str], names: Sequence[str] | str | None = None) -> Path:
        """Writes series to a CSV file, with heads such as `slider.x [mm]`."""
        return csv_file(self, path, names)

    def export(self, path: str | os.PathLike[str], names: Sequence[str] | str | None = None) -> Path:
        """Writes series with their units to .csv, .xlsx, .h5 or .mat; see Result.export()."""
        from vincolo.tables.export import export

        return export(self, path, names)

    def plot(self, *names: str, **options: Any) -> Any:
        """Draws series in these units; see Result.plot()."""
        from vincolo.plots import plot

        return plot(self, names, **options)

    def show(self, path: str | os.PathLike[str], **options: Any) -> Any:
        """Writes the moving mechanism with plots in these units to an .html file; see Result.show()."""
        from vincolo.view.written import write_motion

        return write_motion(self, path, **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes a report whose series are in these units; see Result.report()."""
        from vincolo.report import write_report

        return write_report(self, path, **options)

    def _repr_html_(self) -> str:
        from vincolo.view.notebook import result_html

        return result_html(settled(self)) if hasattr(self.source, "system") else f"<pre>{self!r}</pre>"

    def __str__(self) -> str:
        return str(self.source)

    def __repr__(self) -> str:
        return f"{self.source!r} in {', '.join(u.name for u in (*self.asked.units, *self.usual.units)) or 'SI units'}"


def in_units(source: Series, *units: str, usual: Sequence[str] = ()) -> InUnits:
    """Series of a result or a table in units such as "mm", "deg", "kN"; rates and products follow: mm/s, N mm."""
    return InUnits(source, checked_units(units), checked_units(usual))


def checked_units(names: Sequence[str]) -> Units:
    """Units that are wanted; time stays in seconds."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ModelError(f"units are given by their names, such as 'mm', 'deg', not as {names!r}.")
    found = Units(*names)
    if any(unit.powers == TIME for unit in found.units):
        raise ModelError("time is shown in seconds everywhere.\n  Leave the unit of time out.")
    return found


def run_of(shown: Any) -> Any:
    """The result, or table, itself: in the units it has."""
    return shown.source if isinstance(shown, InUnits) else shown


def settled(shown: Any) -> Any:
    """A result whose own units are those it is shown in, from then on; anything else as it is."""
    if not isinstance(shown, InUnits):
        return shown
    chosen = shown.asked if shown.asked or shown.asked.si else shown.usual
    names = (*(unit.name for unit in chosen.units), *(["SI"] if chosen.si else []))
    return replace(shown.result, settings=replace(shown.result.settings, units=names))
