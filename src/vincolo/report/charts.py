"""Plots within a report: drawn by the same program as plots on pages of their own, with values under the pointer."""

from __future__ import annotations

from typing import Any

from vincolo.plots.page import PACKAGE, STYLES, Picture, chart_data, figure_script
from vincolo.plots.web import Blob, asset, told
from vincolo.report.elements import Safe, element


class Charts:
    """The plots of one report; their numbers are kept once."""

    def __init__(self) -> None:
        self._blob = Blob()
        self._charts: list[dict[str, Any]] = []

    def figure(self, picture: Picture, caption: object) -> Safe:
        """A place for a plot, with what it shows below it."""
        number = len(self._charts)
        self._charts.append(chart_data(picture, self._blob))
        return element("figure", element("div", id=f"tools-{number}", class_="chart-tools"),
                       element("div", id=f"chart-{number}", class_="chart"), element("figcaption", caption))

    def style(self) -> str:
        """What plots look like."""
        return "".join(asset(PACKAGE, name) for name in STYLES)

    def script(self) -> Safe:
        """The numbers and the program that draws all plots; nothing if there are none."""
        if not self._charts:
            return Safe("")
        data = told({"title": "", "fixed": True, "charts": self._charts})
        missing = element("noscript", "The plots of this report are drawn by JavaScript, which is switched off.")
        return Safe(f'{missing}\n<script type="application/json" id="vincolo-data">{data}</script>\n'
                    f'<script type="text/plain" id="vincolo-numbers">{self._blob.text()}</script>\n'
                    f"<script>{figure_script()}</script>\n")
