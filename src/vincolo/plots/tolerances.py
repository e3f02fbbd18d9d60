"""Tolerances in pictures: mean with its band over the motion, a histogram at one position, who contributes what."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.plots.columns import Column
from vincolo.plots.draw import drawn
from vincolo.plots.figure import PathLike, checked_target
from vincolo.plots.sheet import COLOURS, Band, Bars, Line, Panel, Sheet, axis_title
from vincolo.results.columns import header
from vincolo.tolerance.linear import LinearTolerances
from vincolo.tolerance.results import BAND, Tolerated

MOST = 20  # bars


def plot_band(found: Tolerated, output: str | None = None, *, path: PathLike | None = None, share: float = BAND) -> Any:
    """The nominal output, the mean over the samples and the band that holds a share of them, over the motion; below it
    how far they are from the nominal output. Files and figures are as those of plot()."""
    target = checked_target("plot_band()", path)
    columns = _columns(found, output, share)
    return drawn("plot_band()", band_sheet(found, output, share), target, columns, found.subject.axis)


def band_sheet(found: Tolerated, output: str | None = None, share: float = BAND) -> Sheet:
    """The same before it is drawn."""
    k = found.index(output)
    name, unit, x = found.outputs[k], found.subject.units[k], found.at
    nominal, mean = found.nominal[:, k], found.mean(name)
    low, high = found.band(name, share)
    word = f"{share:.2%} of {int(found.good.sum()):,} samples"
    top = Panel(axis_title(name, unit), (_line("nominal", x, nominal, 0, 0), _line("mean", x, mean, 1, 1)), True,
                (Band(word, x, low, high, COLOURS[1]),))
    off = Panel(axis_title(f"{name}, less nominal", unit),
                (_line("mean", x, mean - nominal, 1, 0),
                 _line("standard deviation", x, found.deviation(name), 2, 0)), True,
                (Band(word, x, low - nominal, high - nominal, COLOURS[1]),))
    return Sheet(f"{found.subject.name}: tolerances", found.subject.axis, (top, off), False)


def _line(label: str, x: Array, y: Array, colour: int, dash: int) -> Line:
    return Line(label, x, y, COLOURS[colour], dash)


def _columns(found: Tolerated, output: str | None, share: float) -> list[Column]:
    k = found.index(output)
    name, unit = found.outputs[k], found.subject.units[k]
    low, high = found.band(name, share)
    series = {"nominal": found.nominal[:, k], "mean": found.mean(name), "standard deviation": found.deviation(name),
              f"lower {share:.2%}": low, f"upper {share:.2%}": high}
    return [Column(header(f"{name} {what}", unit), found.at, values) for what, values in series.items()]


def plot_histogram(found: Tolerated, output: str | None = None, position: int | None = None, *,
                   path: PathLike | None = None, bins: int = 40) -> Any:
    """How the samples of an output are spread at a position, that of the largest standard deviation if not given, with
    the Gaussian of the same mean and deviation."""
    target = checked_target("plot_histogram()", path)
    sheet = histogram_sheet(found, output, position, bins)
    band = sheet.panels[0].bands[0]
    return drawn("plot_histogram()", sheet, target, [Column("samples", band.x[1::2], band.high[1::2])], sheet.x_title)


def histogram_sheet(found: Tolerated, output: str | None = None, position: int | None = None, bins: int = 40) -> Sheet:
    """The same before it is drawn."""
    k = found.index(output)
    name, unit = found.outputs[k], found.subject.units[k]
    at = found.worst_position(name) if position is None else position
    values = found.samples(name)[:, at]
    counts, edges = np.histogram(values, bins)
    x, high = np.repeat(edges, 2)[1:-1], np.repeat(counts, 2).astype(float)
    mean, spread = float(values.mean()), float(values.std(ddof=1)) or 1.0
    fine = np.linspace(edges[0], edges[-1], 200)
    height = len(values) * (edges[1] - edges[0]) / (spread * np.sqrt(2 * np.pi))
    gauss = height * np.exp(-0.5 * ((fine - mean) / spread) ** 2)
    where = f" at {found.subject.axis.split(' [')[0]} = {found.at[at]:.4g}" if len(found.at) > 1 else ""
    nominal = float(found.nominal[at, k])
    lines = (_line("Gaussian", fine, gauss, 1, 0),
             _line("nominal", np.array([nominal, nominal]), np.array([0.0, float(counts.max())]), 2, 1))
    panel = Panel("samples", lines, True, (Band(f"{len(values):,} samples", x, np.zeros(len(x)), high, COLOURS[0]),))
    return Sheet(f"{found.subject.name}: {name}{where}", axis_title(name, unit), (panel,), False)


def plot_contributions(found: Tolerated | LinearTolerances, output: str | None = None, position: int | None = None, *,
                       path: PathLike | None = None) -> Any:
    """Shares of the variance by source, as bars; at a position, or over the whole motion."""
    target = checked_target("plot_contributions()", path)
    bars = contribution_bars(found, output, position)
    column = Column("share of the variance", np.arange(len(bars.values), dtype=float), np.array(bars.values))
    return drawn("plot_contributions()", bars, target, [column], "rank")


def contribution_bars(found: Tolerated | LinearTolerances, output: str | None = None,
                      position: int | None = None) -> Bars:
    """The same before it is drawn."""
    shares = found.contributions(output, position)
    name = output or found.subject.outputs[0]
    kept = dict(list(shares.items())[:MOST])
    title = f"{found.subject.name}: what spreads {name}"
    return Bars(title, "share of the variance", tuple(kept), tuple(kept.values()))
