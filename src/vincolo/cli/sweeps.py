"""vincolo sweep."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import numpy as np
import typer
from rich.progress import Progress

from vincolo.cli.common import (
    ENDED_EARLY,
    changes_of,
    err,
    guarded,
    lively,
    print_json,
    say,
    say_error,
    units_of,
    worth_seeing,
)
from vincolo.cli.places import Places, deliver
from vincolo.errors import ModelError
from vincolo.formats import open_model
from vincolo.plots import plot
from vincolo.plots.figure import checked_target
from vincolo.plots.sheet import MOST_LINES
from vincolo.results.columns import choose
from vincolo.studies import Sweep, sweep, variation_of
from vincolo.units import rounding, told

MOST_DRAWN = 12  # runs in the plot


def sweep_model(path: str, vary: list[str], names: list[str], against: str, output: Path | None, changes: list[str],
                unit: list[str], force: bool, as_json: bool) -> None:
    """Runs a model for each value of a number in it; one table, one plot."""
    with guarded(as_json) as heard:
        if not vary:
            raise ModelError("--vary is missing: what changes from run to run.\n"
                             "  Such as --vary LBJ.z=100:140:9mm, from 100 to 140 mm in 9 steps.")
        document = open_model(path, changes_of(changes))
        shown = names or list(document.settings.channels)
        if not shown:
            known = worth_seeing(document.system.drawn.channels.keys())
            raise ModelError("--plot is missing: the series to look at, and the file names none.\n"
                             f"  Such as --plot {quote(known[0])}" + (f"; others: {', '.join(known[1:6])}." if known[1:]
                                                                      else "."))
        choose(document.system.drawn.channels, [*shown, against])
        varied, units = [variation_of(text) for text in vary], units_of(unit)
        target = output or Path(f"{Path(path).stem}_sweep.html")
        checked_target("--out", target)
        table = target.with_suffix(".csv")
        own = frozenset() if output is not None else frozenset([target.resolve(), table.resolve()])
        places = Places(document.files, force, own)
        for place in {target, table}:
            places.check("--out", place)
        with Progress(console=err, transient=True, disable=as_json or not lively()) as bar:
            task = bar.add_task("running", total=None)
            found = sweep(path, *varied, changes=changes_of(changes), units=units,
                          progress=lambda k, n: bar.update(task, completed=k, total=n))
        _write(found, shown, against, target, table, as_json)
        _tell(found, shown, heard, as_json)


def _write(found: Sweep, names: list[str], against: str, target: Path, table: Path, as_json: bool) -> None:
    sources = found.sources()
    most = max(1, min(MOST_DRAWN, MOST_LINES // len(names)))
    kept = np.unique(np.linspace(0, max(len(sources) - 1, 0), min(most, len(sources))).astype(int)).tolist()
    if sources and target != table:
        drawn = [sources[k] for k in kept]
        deliver(lambda place: plot(drawn if len(drawn) > 1 else drawn[0][1], names, against=against, path=place),
                target, quiet=as_json)
    deliver(lambda place: found.to_csv(place, names), table, quiet=as_json)


def _tell(found: Sweep, names: list[str], heard: list[str], as_json: bool) -> None:
    heads, rows = found.table(names)
    failed = [run for run in found.runs if run.result is None or run.reason]
    if as_json:
        print_json({"heads": heads, "rows": rows, "failed": [
            {"values": list(run.values), "reason": run.reason} for run in failed], "warnings": heard})
    else:
        _say_table(heads, rows)
        for run in failed:
            say_error("error", "red", f"{found.label(run)}: {run.reason}")
    if failed:
        raise typer.Exit(ENDED_EARLY)


def _say_table(heads: list[str], rows: list[list[float]]) -> None:
    units = [head.rpartition(" [")[2] for head in heads]  # what has no unit has a scale of its own
    least = rounding(zip(units, zip(*rows, strict=True), strict=True))
    cells = [heads, *([told(v, least[u], 5) for v, u in zip(row, units, strict=True)] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(heads))]
    for row in cells:
        say("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
