"""The panel of the chosen part: what it is, its values now, a plot with the time, and the path of its point."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.view.live.part_values import XYZ, Part, Row, number
from vincolo.view.live.track import Track
from vincolo.view.live.words import QUIET, paragraph

NOTHING = "(nothing chosen)"
COLOURS = ("#c8372d", "#3f9a4e", "#2f6db5")
POINTS = 400  # of a plot, which is 280 pixels wide
OFTEN = 0.12  # s between new numbers while it plays
RARE = 0.3  # s between new time lines in the plot
PATHS = ((200, 55, 45), (47, 109, 181), (63, 154, 78), (123, 82, 171), (224, 128, 43), (42, 157, 143))


class Inspector:
    """Shows one part at a time; `marked` is told which."""

    def __init__(self, server: Any, track: Track, parts: list[Part], marked: Callable[[str | None], None]) -> None:
        self._server, self._track, self._marked = server, track, marked
        self._parts = {part.title: part for part in parts}
        self._paths: dict[str, Any] = {}
        self._series: dict[tuple[str, str], Array] = {}
        self._told = self._drawn = -np.inf
        self.chosen: Part | None = None

    def build(self, act: Callable[[Callable[[Any], None]], Any]) -> None:
        """Makes the controls; `act` wraps what they do."""
        gui = self._server.gui
        self._list = gui.add_dropdown("Part", (NOTHING, *self._parts), initial_value=NOTHING,
                                      hint="Or click on it in the picture.")
        self._list.on_update(act(lambda event: self.choose(self._parts.get(str(self._list.value)))))
        self._values = gui.add_html("")
        self._path = gui.add_checkbox("Path of its point", False, visible=False)
        self._path.on_update(act(lambda event: self._switch_path(bool(self._path.value))))
        self._what = gui.add_dropdown("Plot", ("none",), initial_value="none", visible=False)
        self._what.on_update(act(lambda event: self._replot()))
        self._room = gui.add_folder("Plot", visible=False)
        self._plot: Any = None
        self.choose(None)

    def named(self, name: str) -> Part | None:
        """The part of a name, if it can be chosen."""
        return next((part for part in self._parts.values() if part.name == name), None)

    def add(self, part: Part) -> None:
        """One more to choose from; it is chosen at once, and its path is drawn."""
        self._parts[part.title] = part
        self._list.options = (NOTHING, *self._parts)
        self.choose(part)
        self._path.value = True
        self._switch_path(True)

    def choose(self, part: Part | None) -> None:
        """Shows a part, or nothing."""
        self.chosen = part
        title = NOTHING if part is None else part.title
        if self._list.value != title:
            self._list.value = title
        self._marked(None if part is None else part.name)
        self._path.visible = part is not None and part.path is not None
        self._path.value = part is not None and part.name in self._paths
        options = ("none", *(row.title for row in part.rows)) if part is not None else ("none",)
        self._what.options = options
        self._what.value = options[1] if len(options) > 1 else "none"
        self._what.visible = part is not None
        self._told = -np.inf
        self._replot()
        if part is None:
            self._values.content = paragraph("Click on a body, joint or spring to see its values.", QUIET)

    # values

    def _of(self, part: Part, row: Row) -> Array:
        """A row's series; kept until the result has grown."""
        key = (part.name, row.title)
        found = self._series.get(key)
        if found is None or len(found) != len(self._track.result):
            found = self._series[key] = np.asarray(row.series(self._track.result), dtype=float)
        return found

    def tell(self, t: float, clock: float, still: bool) -> None:
        """Writes the values at a time; while it plays, not at every picture."""
        if self.chosen is None:
            return
        if still or clock - self._told >= OFTEN:
            self._told = clock
            self._values.content = self.table(self.chosen, t)
        if self._plot is not None and (still or clock - self._drawn >= RARE):
            self._drawn = clock
            self._plot.data = self._data(t)

    def table(self, part: Part, t: float) -> str:
        """Name, kind and values at a time, as HTML."""
        lines = [f"<div style='margin:0 10px;font-size:13px'><b>{escape(part.name)}</b> ",
                 f"<span style='color:{QUIET}'>{escape(part.kind)}</span>",
                 "<table style='width:100%;font-size:12px;border-spacing:0;line-height:1.2;"
                 "font-variant-numeric:tabular-nums'>"]
        for row in part.rows:
            value = self._track.value(self._of(part, row), t)
            lines.append(_vector_line(row, value) if row.vector else
                         f"<tr><td>{escape(row.title)}</td><td style='text-align:right'>{number(value)}</td>"
                         f"<td style='color:#777;padding-left:4px'>{_unit(row.unit)}</td></tr>")
        return "".join(lines) + "</table></div>"

    # plot

    def _replot(self) -> None:
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        row = self._row()
        self._room.visible = row is not None
        if row is None or len(self._track.result) < 2:
            return
        title = f"{row.title} [{row.unit}]" if row.unit not in ("", "1") else row.title
        names = [f"{axis}" for axis in XYZ] if row.vector else [row.title]
        series = [{"label": "t [s]"}, *({"label": n, "stroke": c, "width": 1.5, "points": {"show": False}}
                                        for n, c in zip(names, COLOURS if row.vector else COLOURS[2:], strict=True)),
                  {"label": "now", "scale": "now", "stroke": "#e0802b", "width": 1.5, "points": {"show": False}}]
        with self._room:
            self._plot = self._server.gui.add_uplot(
                data=self._data(self._track.span[0]), series=tuple(series), title=title, height=190,
                padding=(8, 16, 0, 0), scales={"x": {"time": False, "auto": True}, "y": {"auto": True},
                        "now": {"auto": False, "range": (0.0, 1.0)}},
                axes=({"label": "t [s]", "size": 34, "labelSize": 16, "labelFont": "11px sans-serif"}, {"size": 58}))
        self._drawn = -np.inf

    def _row(self) -> Row | None:
        if self.chosen is None:
            return None
        return next((row for row in self.chosen.rows if row.title == self._what.value), None)

    def _data(self, t: float) -> tuple[Array, ...]:
        """Times, columns, and a line that stands at the time: two more samples there, from 0 to 1 on a scale of its
        own."""
        row = self._row()
        if row is None or self.chosen is None:
            return (np.zeros(2), np.zeros(2), np.zeros(2))
        series = self._of(self.chosen, row)
        times, columns = _thinned(self._track.result.t, series.reshape(len(series), -1))
        here = np.atleast_1d(self._track.value(series, t))
        k = int(np.searchsorted(times, t))
        line = np.insert(np.full(len(times), np.nan), k, [0.0, 1.0])
        return (np.insert(times, k, [t, t]), *(np.insert(c, k, [v, v]) for c, v in zip(columns.T, here, strict=True)),
                line)

    # paths

    def _switch_path(self, wanted: bool) -> None:
        part = self.chosen
        if part is None or part.path is None:
            return
        if not wanted and part.name in self._paths:
            self._paths.pop(part.name)[1].remove()
        elif wanted and part.name not in self._paths:
            colour = PATHS[len(self._paths) % len(PATHS)]
            self._paths[part.name] = (part, self._line(part, colour), colour)

    def _line(self, part: Part, colour: Any) -> Any:
        path = np.asarray(part.path(self._track.result) if part.path else np.zeros((0, 3)))
        path = path[np.isfinite(path).all(axis=1)]
        pieces = np.stack([path[:-1], path[1:]], axis=1) if len(path) > 1 else np.zeros((0, 2, 3))
        return self._server.scene.add_line_segments(f"/path/{abs(hash(part.name))}", pieces, colors=colour,
                                                    line_width=2.5)

    def redraw_paths(self) -> None:
        """After the motion has grown."""
        for part, _, colour in list(self._paths.values()):
            self._paths[part.name] = (part, self._line(part, colour), colour)


def _vector_line(row: Row, value: Array) -> str:
    """The size of a vector, and its components below."""
    size = "" if row.title in ("mass centre", "position") else number(np.linalg.norm(value))
    parts = "".join(f"<span style='flex:1;text-align:right'><span style='color:{c}'>{axis}</span> {number(v)}</span>"
                    for axis, c, v in zip(XYZ, COLOURS, value, strict=True))
    return (f"<tr><td>{escape(row.title)}</td><td style='text-align:right'>{size}</td>"
            f"<td style='color:#777;padding-left:4px'>{_unit(row.unit)}</td></tr>"
            f"<tr><td colspan=3><div style='display:flex;font-size:11px;margin-bottom:3px'>{parts}</div></td></tr>")


def _unit(text: str) -> str:
    return "" if text == "1" else escape(text).replace("^2", "&sup2;")


def _thinned(t: Array, columns: Array) -> tuple[Array, Array]:
    """At most POINTS samples, the highest and lowest of each stretch among them."""
    if len(t) <= POINTS:
        return t, columns
    edges = np.linspace(0, len(t), POINTS // 4 + 1).astype(int)
    kept = {0, len(t) - 1}
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        part = np.nan_to_num(columns[a:b])
        kept |= {a, *(a + part.argmin(axis=0)), *(a + part.argmax(axis=0))}
    order = np.array(sorted(kept))
    return t[order], columns[order]
