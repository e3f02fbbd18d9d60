"""plot3d(): the paths of points in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vincolo.plots.draw import drawn, labelled_sources, title_of
from vincolo.plots.figure import PathLike, checked_target
from vincolo.plots.space import Points, arrange_space
from vincolo.results.columns import Series


def plot3d(sources: Series | Sequence[tuple[str, Series]], points: Points, *, path: PathLike | None = None,
           title: str | None = None) -> Any:
    """Draws the paths of bodies or frames of a Result or a Table, or of several as [(label, result), ...], in space and
    to scale: "tip", or three series ("a.x", "a.y", "a.z"), or a list of such. Files and figures are as those of
    plot()."""
    labelled = labelled_sources("plot3d()", sources)
    target = checked_target("plot3d()", path)
    space, columns = arrange_space(labelled, points, title_of(labelled) if title is None else str(title))
    return drawn("plot3d()", space, target, columns)
