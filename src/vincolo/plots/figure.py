"""A plot that is not yet a file: a notebook shows it, and it can be saved or opened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.plots.columns import Column, write_columns
from vincolo.plots.image import draw
from vincolo.plots.page import Picture, page
from vincolo.plots.sheet import Line, Sheet
from vincolo.plots.web import framed, opened

IMAGES = (".png", ".svg", ".pdf")
PANEL, ROOM, WHOLE = 250, 80, 560  # pixels in a notebook: a panel, the rest, and a plot that is not of panels

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Figure:
    """A plot: what it shows, and its numbers in columns."""

    picture: Picture
    columns: Sequence[Column]
    head: str = "t [s]"  # of the first column
    who: str = "plot()"

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines with their labels and numbers; none of a plot that has no panels."""
        return tuple(line for panel in getattr(self.picture, "panels", ()) for line in panel.lines)

    def save(self, path: PathLike) -> Path:
        """Writes it: .html is a page that needs no network, .png, .svg and .pdf are images, .csv the numbers."""
        target = checked_target(self.who, path)
        assert target is not None
        kind = target.suffix.lower()
        with appearing(self.who, target) as file:
            if kind == ".csv":
                write_columns(file, self.head, self.columns)
            elif kind == ".html":
                file.write(self.html())
            else:
                draw(self.picture, file, kind[1:])
        return target

    def html(self) -> bytes:
        """The page as bytes of UTF-8."""
        return page(self.picture)

    def show(self) -> None:
        """Opens the page in the browser; the program goes on."""
        opened(self.html(), "plot")

    def _repr_html_(self) -> str:
        panels = self.picture.panels if isinstance(self.picture, Sheet) and not self.picture.equal else ()
        height = max(WHOLE if not panels else 360, ROOM + PANEL * len(panels))
        return framed(self.html(), height)


def checked_target(who: str, path: PathLike | None) -> Path | None:
    """The path, if its ending says what kind of file is wanted."""
    target = None if path is None else Path(path)
    if target is not None and target.suffix.lower() not in (".html", ".csv", *IMAGES):
        raise ModelError(f"{who}: {target.name!r} does not say what kind of picture is wanted.\n"
                         "  Give it a name that ends in .html, .png, .svg or .pdf, or .csv for the numbers.")
    return target
