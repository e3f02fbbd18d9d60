"""A plot as a web page: to zoom, to read values under the pointer, to switch lines on and off, to save."""

from __future__ import annotations

from typing import Any

from vincolo.plots.sheet import Band, Bars, Line, Sheet
from vincolo.plots.space import Space
from vincolo.plots.web import CHARTS, Blob, asset, filled, program

Picture = Sheet | Space | Bars
PACKAGE = "vincolo.plots"
FIGURE = (*CHARTS, "sheet.js", "bars.js", "space.js", "figure.js")  # scripts that draw whole plots
STYLES = ("plot.css", "chart.css")
EXACT = "<f8"


def page(picture: Picture) -> bytes:
    """The plot as a page that is complete in itself."""
    blob = Blob()
    data = {"title": picture.title, "fixed": False, "charts": [chart_data(picture, blob)]}
    style = "".join(asset(PACKAGE, name) for name in (*STYLES, "figure.css"))
    return filled(asset(PACKAGE, "figure.html"), style, figure_script(), data, blob.text())


def figure_script() -> str:
    """The program that draws plots on a page."""
    return program([asset(PACKAGE, name) for name in FIGURE])


def chart_data(picture: Picture, blob: Blob) -> dict[str, Any]:
    """What the program needs to know of a plot; its numbers go to the blob."""
    if isinstance(picture, Bars):
        return {"kind": "bars", "title": picture.title, "xTitle": picture.x_title, "labels": list(picture.labels),
                "values": [float(value) for value in picture.values]}
    if isinstance(picture, Space):
        return _space(picture, blob)
    panels = [{"title": panel.title, "legend": panel.legend, "lines": [_line(line, blob) for line in panel.lines],
               "bands": [_band(band, blob) for band in panel.bands]} for panel in picture.panels]
    return {"kind": "sheet", "title": picture.title, "xTitle": picture.x_title, "equal": picture.equal,
            "log": picture.log, "marks": [float(x) for x in picture.marks], "panels": panels}


def _line(line: Line, blob: Blob) -> dict[str, Any]:
    return {"label": line.label, "colour": line.colour, "dash": line.dash, "x": blob.put(line.x, EXACT),
            "y": blob.put(line.y, EXACT)}


def _band(band: Band, blob: Blob) -> dict[str, Any]:
    return {"label": band.label, "colour": band.colour, "x": blob.put(band.x, EXACT), "low": blob.put(band.low, EXACT),
            "high": blob.put(band.high, EXACT)}


def _space(space: Space, blob: Blob) -> dict[str, Any]:
    paths = [{"label": path.label, "colour": path.colour, "dash": path.dash,
              "points": [blob.put(column, EXACT) for column in path.points.T]} for path in space.paths]
    return {"kind": "space", "title": space.title, "axes": list(space.axis_titles), "limits": space.limits.tolist(),
            "shape": list(space.shape), "up": space.up, "paths": paths}
