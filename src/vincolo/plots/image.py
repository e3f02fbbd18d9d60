"""A plot as an image with matplotlib: PNG, SVG or PDF; no display is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import IO, Any

import numpy as np

from vincolo.optional import library
from vincolo.plots.sheet import COLOURS, Bars, Panel, Sheet
from vincolo.plots.space import Space

DASHES = ("-", (0, (6, 2.5)), (0, (1.5, 1.8)), (0, (7, 2, 1.5, 2)))
GRID, EDGE, INK, MARK = "#e3e7ec", "#9aa5b1", "#1f2933", "#7a8794"
WIDTH, PANEL, ROOM, ROW = 10.0, 2.3, 1.0, 0.24  # inches: whole, a panel, title and lowest axis, a line of a legend
SINGLE = 4.0  # inches: a panel that is alone
SPACE = (10.0, 7.6)  # inches: a picture in space
DOTS = 150  # per inch
RAISED = str.maketrans("-\u22120123456789", "\u207b\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def draw(picture: Sheet | Space | Bars, file: IO[bytes], kind: str, single: float = SINGLE) -> None:
    """Writes the plot as "png", "svg" or "pdf"; `single` is the least height of a panel alone [inch]."""
    if isinstance(picture, Bars):
        _save(file, kind, (WIDTH, ROOM + 0.4 + 0.36 * len(picture.labels)), lambda figure: _fill_bars(figure, picture))
        return
    if isinstance(picture, Space):
        _save(file, kind, SPACE, lambda figure: _fill_space(figure, picture))
        return
    panels = picture.panels
    heights = [max(PANEL, ROW * len(p.lines) + 0.3) if p.legend else PANEL for p in panels]
    heights = [max(6.0, heights[0])] if picture.equal else [max(single, heights[0])] if len(heights) == 1 else heights
    _save(file, kind, (WIDTH, sum(heights) + ROOM), lambda figure: _fill(figure, picture, heights))


def _save(file: IO[bytes], kind: str, size: tuple[float, float], fill: Callable[[Any], None]) -> None:
    """A figure of a size [inch], filled and written; the same numbers give the same bytes."""
    matplotlib = library("matplotlib", "plot() needs matplotlib", "matplotlib")
    backend = library({"png": "matplotlib.backends.backend_agg", "svg": "matplotlib.backends.backend_svg",
                       "pdf": "matplotlib.backends.backend_pdf"}[kind], "plot() needs matplotlib", "matplotlib")
    figure_module = library("matplotlib.figure", "plot() needs matplotlib", "matplotlib")
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "font.size": 11, "pdf.fonttype": 42,
                                "svg.hashsalt": "vincolo", "axes.unicode_minus": True}):
        figure = figure_module.Figure(figsize=size, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
        backend.FigureCanvas(figure)
        fill(figure)
        dates = {"png": {"Software": "vincolo"}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
        figure.savefig(file, format=kind, dpi=DOTS, metadata=dates)


def _fill(figure: Any, sheet: Sheet, heights: list[float]) -> None:
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, panel in zip(axes, sheet.panels, strict=True):
        _draw_panel(axis, panel, sheet.log)
        for x in sheet.marks:
            axis.axvline(x, color=MARK, linewidth=0.9, linestyle=(0, (1.5, 2.5)), zorder=1)
    _put_title(figure, sheet.title)
    axes[-1].set_xlabel(plain(sheet.x_title), fontsize=12, color=INK)
    figure.align_ylabels(axes)
    if sheet.equal:
        axes[0].set_aspect("equal", adjustable="datalim")


def _put_title(figure: Any, title: str) -> None:
    if title:
        figure.suptitle(plain(title), fontsize=14, fontweight="bold", color=INK, wrap=True)


def _draw_panel(axis: Any, panel: Panel, log: bool) -> None:
    for band in panel.bands:
        axis.fill_between(band.x, band.low, band.high, color=band.colour, alpha=0.25, linewidth=0)
    for line in panel.lines:
        axis.plot(line.x, line.y, color=line.colour, linewidth=1.7, linestyle=DASHES[line.dash % len(DASHES)])
    axis.set_ylabel(plain(panel.title), fontsize=12, color=INK)
    axis.grid(True, color=GRID, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.margins(x=0.01)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color(EDGE)
    axis.tick_params(labelsize=11, color=EDGE, labelcolor=INK)
    if log:
        axis.set_yscale("log", nonpositive="mask")
        _end_at_rounding(axis, panel)
    else:
        axis.locator_params(axis="y", nbins=6)
        axis.yaxis.set_major_formatter(_powers()(useOffset=False))
        axis.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4))
    if panel.legend:
        drawn = [*axis.collections, *axis.get_lines()]
        _put_legend(axis, drawn, [*(band.label for band in panel.bands), *(line.label for line in panel.lines)])


@cache
def _powers() -> Any:
    """Labels as plain text, below a common power of ten; mathematical text takes several times as long."""
    ticker = library("matplotlib.ticker", "plot() needs matplotlib", "matplotlib")

    class Powers(ticker.ScalarFormatter):  # type: ignore[misc, name-defined]
        def get_offset(self) -> str:
            power = super().get_offset().removeprefix("1e")
            return f"\u00d710{power.translate(RAISED)}" if power else ""

    return Powers


def _end_at_rounding(axis: Any, panel: Panel) -> None:
    """Ends an axis over decades where nearly all values are, so that single zeros of rounding do not stretch it."""
    values = np.concatenate([line.y for line in panel.lines])
    values = values[values > 0]
    if len(values):
        axis.set_ylim(0.5 * float(np.quantile(values, 0.01)), 2.0 * float(values.max()))


def _put_legend(axis: Any, lines: Sequence[Any], labels: Sequence[str]) -> None:
    """Beside the axes. Labels are set afterwards, since matplotlib leaves out those that begin with "_"."""
    found = axis.legend(lines, ["x"] * len(labels), loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False,
                        fontsize=11, borderaxespad=0.0, handlelength=2.4)
    for text, label in zip(found.get_texts(), labels, strict=True):
        text.set_text(plain(label))


def _fill_bars(figure: Any, bars: Bars) -> None:
    """Bars with their values behind them."""
    axis = figure.subplots()
    drawn = axis.barh(range(len(bars.values)), bars.values, color=COLOURS[0])
    axis.bar_label(drawn, [f"{value:.1%}" for value in bars.values], padding=4, color=INK)
    axis.set_yticks(range(len(bars.labels)), [plain(label) for label in bars.labels])
    axis.invert_yaxis()
    axis.set_xlabel(plain(bars.x_title), fontsize=12, color=INK)
    axis.margins(x=0.12)
    axis.spines[["top", "right"]].set_visible(False)
    _put_title(figure, bars.title)


def _fill_space(figure: Any, space: Space) -> None:
    """Paths in space, to scale if their axes have one unit; a ring where each begins, a dot where it ends."""
    axis = figure.add_subplot(projection="3d")
    axis.view_init(elev=24, azim=-58, vertical_axis=space.up)
    lines = []
    for path in space.paths:
        x, y, z = path.points.T
        lines += axis.plot(x, y, z, color=path.colour, linewidth=1.8, linestyle=DASHES[path.dash % len(DASHES)])
        for (a, b, c), face in zip(path.ends, ("white", path.colour), strict=False):
            axis.plot([a], [b], [c], "o", markersize=6, markeredgecolor=path.colour, markerfacecolor=face)
    (x, y, z), size = space.limits, space.shape
    axis.set(xlim=x, ylim=y, zlim=z)
    axis.set_box_aspect(size, zoom=1.1)
    for k, (letter, title) in enumerate(zip("xyz", space.axis_titles, strict=True)):
        getattr(axis, f"set_{letter}label")(plain(title), fontsize=12, color=INK, labelpad=8)
        axis.locator_params(axis=letter, nbins=max(1, round(6 * size[k] / max(size))))
        getattr(axis, f"{letter}axis").set_pane_color((0.97, 0.975, 0.98))
        getattr(axis, f"{letter}axis")._axinfo["grid"].update(color=GRID)
    _put_title(figure, space.title)
    _put_legend(axis, lines, [path.label for path in space.paths])


def plain(text: str) -> str:
    """A text that is not taken for mathematics."""
    return text.replace("$", r"\$")
