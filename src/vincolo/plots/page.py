"""A plot as a web page with plotly: to zoom, to hover, to switch lines on and off."""

from __future__ import annotations

import html
from typing import Any

from vincolo.optional import library
from vincolo.plots.sheet import COLOURS, Bars, Sheet
from vincolo.plots.space import Space

DASHES = ("solid", "dash", "dot", "dashdot")
GRID, INK, MARK = "#e6e9ee", "#1f2933", "#7a8794"
FONT = "Inter, Segoe UI, Helvetica, Arial, sans-serif"
PANEL, ROOM = 250, 130  # pixels: height of a panel, and for the title and the lowest axis
ROW = 22  # pixels of a line in a legend


def figure_of(picture: Sheet | Space | Bars) -> Any:
    """The plot as a figure of plotly."""
    objects = library("plotly.graph_objects", "plot() needs plotly", "plotly")
    if isinstance(picture, Bars):
        return _bars_figure(objects, picture)
    return _space_figure(objects, picture) if isinstance(picture, Space) else _sheet_figure(objects, picture)


def _sheet_figure(objects: Any, sheet: Sheet) -> Any:
    subplots = library("plotly.subplots", "plot() needs plotly", "plotly")
    heights = [max(PANEL, ROW * len(p.lines) + 40) if p.legend else PANEL for p in sheet.panels]
    inside = sum(heights)
    figure = subplots.make_subplots(rows=len(heights), cols=1, shared_xaxes=True, row_heights=heights,
                                    vertical_spacing=min(0.2, 36 / inside))
    for row, panel in enumerate(sheet.panels, 1):
        for band in panel.bands:
            figure.add_trace(objects.Scatter(
                x=[*band.x, *band.x[::-1]], y=[*band.high, *band.low[::-1]], fill="toself", mode="none",
                fillcolor=band.colour, opacity=0.25, name=html.escape(band.label, quote=False), hoverinfo="skip",
                showlegend=panel.legend, legend="legend" if row == 1 else f"legend{row}"), row=row, col=1)
        for line in panel.lines:
            figure.add_trace(objects.Scatter(
                x=line.x, y=line.y, name=html.escape(line.label, quote=False), mode="lines", showlegend=panel.legend,
                legend="legend" if row == 1 else f"legend{row}",
                line={"color": line.colour, "width": 2, "simplify": False,
                      "dash": DASHES[line.dash % len(DASHES)]}), row=row, col=1)
        figure.update_yaxes(title_text=html.escape(panel.title, quote=False), row=row, col=1)
        for x in sheet.marks:
            figure.add_vline(x=x, line={"color": MARK, "width": 1, "dash": "dot"}, layer="below", row=row, col=1)
    figure.update_xaxes(title_text=html.escape(sheet.x_title, quote=False), row=len(heights), col=1)
    _dress(figure, sheet, inside + ROOM)
    return figure


def _dress(figure: Any, sheet: Sheet, height: int) -> None:
    """Fonts, grids, legends beside their panels."""
    axis = {"gridcolor": GRID, "zerolinecolor": "#c5ccd6", "linecolor": "#9aa5b1", "showline": True, "ticks": "outside",
            "tickcolor": "#9aa5b1", "exponentformat": "power", "automargin": True, "title_standoff": 10}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    over_time = sheet.x_title == "t [s]"
    figure.update_layout(
        template="plotly_white", height=height if not sheet.equal else max(height, 640), autosize=True,
        font={"family": FONT, "size": 14, "color": INK},
        title={"text": html.escape(sheet.title, quote=False), "x": 0, "xref": "paper", "font": {"size": 18}},
        margin={"l": 70, "r": 30, "t": 70, "b": 60}, hovermode="x unified" if over_time else "closest")
    for row, _ in enumerate(sheet.panels, 1):
        top = figure.layout["yaxis" if row == 1 else f"yaxis{row}"].domain[1]
        figure.update_layout({"legend" if row == 1 else f"legend{row}": {
            "x": 1.01, "xanchor": "left", "y": top, "yanchor": "top", "font": {"size": 13}}})
    if sheet.equal:
        figure.update_yaxes(scaleanchor="x", scaleratio=1)
    if sheet.log:
        figure.update_yaxes(type="log")


def _bars_figure(objects: Any, bars: Bars) -> Any:
    """Bars with their values behind them."""
    names = [html.escape(label, quote=False) for label in bars.labels]
    figure = objects.Figure(objects.Bar(x=bars.values, y=names, orientation="h", marker={"color": COLOURS[0]},
                                        text=[f"{v:.1%}" for v in bars.values], textposition="outside"))
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title_text=html.escape(bars.x_title, quote=False), tickformat=".0%", gridcolor=GRID)
    figure.update_layout(template="plotly_white", height=ROOM + 34 * len(names), font={"family": FONT, "size": 14},
                         title={"text": html.escape(bars.title, quote=False), "x": 0, "xref": "paper"},
                         margin={"l": 70, "r": 60, "t": 70, "b": 60})
    return figure


def _space_figure(objects: Any, space: Space) -> Any:
    """Paths in space, to scale if their axes have one unit; a ring where each begins, a dot where it ends."""
    figure = objects.Figure()
    for path in space.paths:
        x, y, z = path.points.T
        name = html.escape(path.label, quote=False)
        figure.add_trace(objects.Scatter3d(
            x=x, y=y, z=z, name=name, mode="lines", legendgroup=name, showlegend=True,
            line={"color": path.colour, "width": 5, "dash": DASHES[path.dash % len(DASHES)]}))
        for point, symbol, word in zip(path.ends, ("circle-open", "circle"), ("start", "end"), strict=False):
            figure.add_trace(objects.Scatter3d(
                x=point[:1], y=point[1:2], z=point[2:], name=f"{name}, {word}", mode="markers", legendgroup=name,
                showlegend=False, marker={"color": path.colour, "size": 5, "symbol": symbol}))
    axis = {"gridcolor": "#d5dae1", "backgroundcolor": "#f7f8fa", "exponentformat": "power", "zeroline": False}
    scene = {f"{letter}axis": {**axis, "range": list(limits), "title": {"text": html.escape(title, quote=False)}}
             for letter, limits, title in zip("xyz", space.limits, space.axis_titles, strict=True)}
    towards = {"z": (0.8, -1.2, 0.6), "y": (0.8, 0.6, 1.2), "x": (0.6, 0.8, -1.2)}[space.up]
    figure.update_layout(
        template="plotly_white", height=720, autosize=True, margin={"l": 20, "r": 20, "t": 70, "b": 20},
        font={"family": FONT, "size": 13, "color": INK},
        title={"text": html.escape(space.title, quote=False), "x": 0.02, "font": {"size": 18}},
        scene={**scene, "aspectmode": "manual", "aspectratio": dict(zip("xyz", space.shape, strict=True)),
               "camera": {"up": {k: float(k == space.up) for k in "xyz"},
                          "eye": dict(zip("xyz", towards, strict=True))}})
    return figure


def page(figure: Any, title: str) -> str:
    """The figure as a page that is complete in itself."""
    body = figure.to_html(full_html=False, include_plotlyjs=True, config={"displaylogo": False, "responsive": True})
    return ('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title>\n</head>\n<body style=\"margin:16px\">\n{body}\n</body>\n</html>\n")
