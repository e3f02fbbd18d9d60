"""The record of a run: arrays by name, energies, residuals, reactions, statistics, files."""

from __future__ import annotations

import math
import os
from collections.abc import ItemsView, Iterator, Sequence, ValuesView
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.channels.blocks import BlockChannels
from vincolo.channels.channels import Channels, Motion, Reaction
from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.results.columns import csv_file
from vincolo.results.files import check_result, read, write
from vincolo.results.frames import data_frame, dataset
from vincolo.results.happenings import Happening, packed, unpacked
from vincolo.results.in_units import InUnits, in_units
from vincolo.results.settings import Settings, settings_of
from vincolo.results.summary import summary
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.analyses.mobility import Mobility
    from vincolo.model import Model
    from vincolo.system import System


@dataclass(frozen=True, eq=False)
class Result:
    """A simulation's outcome. result["crank.x"] gives a series over result.t; print(result) explains the run."""

    system: System
    t: Array
    y: Array
    turns: Array
    settings: Settings
    statistics: dict[str, Any]
    seconds: float  # CPU time of the run, of its own thread
    reason: str | None = field(default=None)  # why it ended early, None if complete
    events: tuple[Happening, ...] = ()  # what happened, in the order of time

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in vars(self).items() if key != "channels"}  # which are found again
        return kept | {key: np.array(kept[key]) for key in ("t", "y", "turns")}  # also those in a file

    @property
    def complete(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self.reason is None

    @property
    def moments(self) -> list[tuple[float, str]]:
        """Times at which something happened, each once, with what it was in words."""
        found: dict[float, list[str]] = {}
        for event in self.events:
            found.setdefault(event.t, []).append(f"{event.name!r} {event.done}")
        return [(t, f"t = {t:.9g} s: {'; '.join(told)}") for t, told in found.items()]

    @cached_property
    def channels(self) -> Channels:
        """All series, computed from the recorded states when first asked for."""
        kind = BlockChannels if self.in_file else Channels
        return kind(self.system, self.t, self.y, self.turns)

    @property
    def in_file(self) -> bool:
        """Whether the record is in a file rather than in memory; then series are computed block by block."""
        return isinstance(self.y, np.memmap)

    def blocks(self) -> Iterator[Result]:
        """The result in parts that fit into memory, one after the other; one that is in memory is one part."""
        for channels in self.channels.blocks():
            block = replace(self, t=channels.t, y=channels.y, turns=channels.turns)
            vars(block)["channels"] = channels
            yield block

    def __getitem__(self, name: str) -> Array:
        """A series by name, such as "slider.x", "O.angle", "strut.force", "energy.total"."""
        return self.channels[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a series of that name."""
        return name in self.channels

    def __iter__(self) -> Iterator[str]:
        """Names of all series."""
        return iter(self.channels)

    def __len__(self) -> int:
        """The number of samples, as a table has rows."""
        return len(self.t)

    def keys(self) -> list[str]:
        """Names of all series."""
        return self.channels.keys()

    def unit(self, name: str) -> str:
        """The unit of a series: "m", "rad/s", "N m", ...; "1" of plain numbers, "" where it is not known."""
        return self.channels.unit(name)

    def in_units(self, *units: str) -> InUnits:
        """The same series in units such as "mm", "deg", "kN", with those that follow: mm/s, N mm. Without any, in the
        units that measures were declared in and that the model's file asks for. The result itself stays in SI."""
        return in_units(self, *units, usual=self.settings.units)

    def items(self) -> ItemsView[str, Array]:
        """Names and series, as a dictionary has them."""
        return ItemsView(self)

    def values(self) -> ValuesView[Array]:
        """All series."""
        return ValuesView(self)

    def get(self, name: str, default: Any = None) -> Any:
        """A series by name, or something else where there is none."""
        try:
            return self[name]
        except ModelError:
            return default

    @property
    def model(self) -> Model:
        """The model of the run, as it was compiled."""
        return self.system.model

    def point(self, name: str) -> Array:
        """World positions (n, 3) of a named frame, or of the frame of a body [m]."""
        frames = self.system.frames
        number = None if name in frames else self.system.body_of(name)
        return self.channels.point(frames[name] if number is None else self.system.centred[number].body.frame())

    def motion(self, name: str) -> Motion:
        """Motion of a body or a named frame: position, velocity, acceleration (n, 3), rotation (n, 3, 3)."""
        frames = self.system.frames
        return self.channels.frame_motion(frames[name]) if name in frames else self.channels.body_motion(name)

    def reaction(self, name: str) -> Reaction:
        """Force and torque of a joint on its second body, at the joint."""
        return self.channels.reaction(name)

    def state(self, k: int = -1) -> State:
        """The k-th recorded state; the last one by default, to go on from."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self.t) <= k < len(self.t):
            raise ModelError(f"state(): there is no sample {k!r}; the result has {len(self.t)} samples"
                             f"{self._why}.\n  Samples are counted from 0, or from the end: -1 is the last.")
        return State(self.system, float(self.t[k]), self.y[k].copy(), self.turns[k].copy(),
                     formulation=self.settings.automatic)

    @property
    def _why(self) -> str:
        """Why there are no samples, in brackets."""
        return "" if len(self.t) or self.reason is None else f" ({self.reason.splitlines()[0].rstrip('.:')})"

    @cached_property
    def mobility(self) -> Mobility:
        """Freedom and redundancy of the mechanism at the start of the run."""
        from vincolo.analyses.mobility import mobility_of

        if not len(self.t):
            raise ModelError(f"mobility: the result has no samples{self._why}, so there is no position to look at.\n"
                             "  Ask mobility(model), which assembles it.")
        return mobility_of(self.state(0))

    @property
    def energy_drift(self) -> float:
        """Largest imbalance of energy and work, as a share of the largest energy met; NaN of kinematics, which follows
        drives and does not count their work, and without samples."""
        if self.settings.analysis == "kinematics" or not len(self.t):
            return math.nan
        scale = max(float(np.abs(self[f"energy.{name}"]).max()) for name in ("kinetic", "potential", "total"))
        drift = float(np.abs(self["energy.balance"]).max())
        return drift / scale if scale > 0 else drift

    def to_pandas(self, names: Sequence[str] | str | None = None) -> Any:
        """A pandas DataFrame with time as its index; all series if no names are given. Its attrs["units"] has the units
        by name."""
        return data_frame(self, names)

    def to_xarray(self, names: Sequence[str] | str | None = None) -> Any:
        """An xarray Dataset over t; every variable has its unit in attrs["units"]."""
        return dataset(self, names)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the whole record to a file that Result.load() reads; it appears only when complete."""
        told, happened = packed(self.events)
        about = {"settings": asdict(self.settings), "statistics": self.statistics, "seconds": self.seconds,
                 "reason": self.reason, "events": told}
        return write(path, "result", self.system, about, t=self.t, y=self.y, turns=self.turns, **happened)

    @staticmethod
    def load(path: str | os.PathLike[str], model: Model | System) -> Result:
        """The record in a file, with the model it was made with. What simulate(record=) wrote stays in the file, also
        if the run was killed or is still going on; states are read when they are asked for."""
        system, about, arrays = read(path, "result", model)
        events = unpacked(system, about.get("events"), arrays)
        check_result(Path(path), about, arrays, events)
        return Result(system, arrays["t"], arrays["y"], arrays["turns"], settings_of(about["settings"]),
                      about["statistics"], about["seconds"], about["reason"], events or ())

    def to_csv(self, path: str | os.PathLike[str], names: Sequence[str] | str | None = None) -> Path:
        """Writes series to a CSV file, first column time, heads such as `slider.x [m]`; it appears only when
        complete."""
        return csv_file(self, path, names)

    def export(self, path: str | os.PathLike[str], names: Sequence[str] | str | None = None) -> Path:
        """Writes series with their units to a file for other programs: .csv, .xlsx, .h5 or .mat. `names` may have
        patterns such as "slider.*"; all series if none are given."""
        from vincolo.tables.export import export

        return export(self, path, names)

    def plot(self, *names: str, against: str = "t", path: str | os.PathLike[str] | None = None,
             title: str | None = None, log: bool = False) -> Any:
        """Draws series in the units of in_units(), over time or over another series; a panel for each unit. Written to
        .html, .png, .svg or .pdf (or their numbers to .csv) if a path is given, else returned as a Figure, which
        notebooks show and `figure.show()` opens in the browser."""
        from vincolo.plots import plot

        return plot(self.in_units(), names, against=against, path=path, title=title, log=log)

    def show(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Shows the motion in the browser (options: port, host, open_browser, block); or writes it to an .html file
        that needs no network (options: plots, title), or to a .glb file for slides and Blender."""
        if path is not None:
            from vincolo.view.written import write_motion

            return write_motion(self, path, **options)
        from vincolo.view.live import show

        return show(self, **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes a report as .html or .pdf: model, freedom, plots, extreme values, checks, pictures, animation."""
        from vincolo.report import write_report

        return write_report(self, path, **options)

    def _repr_html_(self) -> str:
        from vincolo.view.notebook import result_html

        return result_html(self)

    def summary(self) -> str:
        """The run in words and numbers."""
        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        end = "complete" if self.complete else "ended early"
        reached = f"{len(self.t)} samples to t = {self.t[-1]:g} s" if len(self.t) else "no samples"
        return f"Result({self.system.name!r}: {reached}, {end})"
