"""plot(): series of results and tables, as a web page, an image, a table or a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.plots.columns import Column, columns_of
from vincolo.plots.compare import remarks_on
from vincolo.plots.figure import Figure, PathLike, checked_target
from vincolo.plots.page import Picture
from vincolo.plots.sheet import Sources, Together, arrange, chosen_names
from vincolo.results.columns import Series
from vincolo.results.in_units import InUnits, run_of
from vincolo.results.result import Result
from vincolo.tables.table import Table


def plot(sources: Series | Sequence[tuple[str, Series]], names: Sequence[str] | str, *, against: str = "t",
         path: PathLike | None = None, title: str | None = None, log: bool = False, errors: bool = False) -> Any:
    """Draws series of a Result or a Table, or of several as [(label, result), ...], over time or over another series,
    with a panel for each unit. A path that ends in .html is a web page that needs no network; .png, .svg and .pdf are
    images, .csv the numbers. `log` draws values over decades; `errors` tells in the legend how far each source is from
    the first. Returns the path, or without one a Figure, which notebooks show."""
    labelled = labelled_sources("plot()", sources)
    target = checked_target("plot()", path)
    remarks = None
    if errors:
        remarks = remarks_on(labelled, names, against)
    sheet = arrange(labelled, names, against, title_of(labelled) if title is None else str(title), log=log,
                    remarks=remarks)
    chosen = chosen_names(Together(labelled), names, len(labelled))
    columns = columns_of(labelled, chosen if against in ("t", *chosen) else [against, *chosen])
    return drawn("plot()", sheet, target, columns)


def drawn(who: str, picture: Picture, target: Path | None, columns: Sequence[Column], head: str = "t [s]") -> Any:
    """The plot as the kind of file that the target asks for, or as a Figure."""
    figure = Figure(picture, columns, head, who)
    return figure if target is None else figure.save(target)


def labelled_sources(who: str, sources: Any) -> Sources:
    """Pairs of label and source; a single source has no label."""
    pairs = [("", sources)] if isinstance(sources, Result | Table | InUnits) else sources
    verb = who.removesuffix("()")
    way = f"Pass a result, a table, or pairs of a label and one of them: {verb}([('fine', a), ('coarse', b)], names)."
    if isinstance(pairs, str) or not hasattr(pairs, "__iter__"):
        raise ModelError(f"{who}: {type(sources).__name__} cannot be drawn.\n  {way}")
    found = list(pairs)
    for pair in found:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
                and isinstance(pair[1], Result | Table | InUnits)):
            raise ModelError(f"{who}: {pair!r:.100} is not a pair of a label and a result.\n  {way}")
        if not len(pair[1].t):
            raise ModelError(f"{who}: {pair[0] or 'the result'} has no samples.\n  Its reason and settings tell why.")
    if not found:
        raise ModelError(f"{who}: there is nothing to draw.\n  {way}")
    return [(label, source) for label, source in found]


def title_of(sources: Sources) -> str:
    """The names of the models, each once."""
    names = [source.system.name if isinstance(source, Result) else getattr(source, "title", "")
             for source in (run_of(shown) for _, shown in sources)]
    return ", ".join(dict.fromkeys(name for name in names if name))
