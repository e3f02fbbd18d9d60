"""One web page that holds a whole result: the mechanism in motion and plots, for any browser, without a network."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing, check_place
from vincolo.plots.page import PACKAGE as CHARTING
from vincolo.plots.web import CHARTS, Blob, asset, filled, program
from vincolo.results.in_units import InUnits, settled
from vincolo.results.result import Result
from vincolo.scene import scene_of
from vincolo.view.page_data import run_data, start_plots, thinned

Labelled = Sequence[tuple[str, Result]]

PACKAGE = "vincolo.view"
#: the program of the stage, after what draws charts, in this order; a page adds how it begins
STAGE = ("maths.js", "shapes.js", "data.js", "camera.js", "shaders.js", "smoothing.js", "stage.js", "plots.js",
         "marks.js", "panel.js", "pointer.js", "scenery.js", "looks.js", "player.js", "offered.js")
LEAST_SAMPLES = 2
ROUNDS = 12  # of thinning until a page is small enough
WAY = "Pass a result, or pairs of a label and a result: write_page([('fine', a), ('coarse', b)], path)."


def write_page(results: Result | InUnits | Labelled, path: str | os.PathLike[str],
               plots: Sequence[str] | str | None = None, title: str | None = None, *, fps: float = 60,
               max_mb: float = 10) -> Path:
    """Writes one HTML file with the animation of a result and plots under a common time cursor; it needs no network.
    Of several results, as [(label, result), ...], the first is shown solid and the others as ghosts. `plots` names the
    series to begin with. `fps` is the highest rate of pictures. A file larger than `max_mb` gets fewer samples, and
    says so."""
    target = checked_ending(Path(path))
    check_place("write_page()", target)
    text = page_html(results, plots, title, fps=fps, max_mb=max_mb)
    with appearing("write_page()", target) as file:
        file.write(text)
    return target


def checked_ending(path: Path) -> Path:
    """A path that ends as pages do."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"write_page(): {path.name!r} does not end in .html.\n  Name a file such as 'motion.html'.")
    return path


def page_html(results: Result | InUnits | Labelled, plots: Sequence[str] | str | None = None,
              title: str | None = None, *, fps: float = 60, max_mb: float = 10, scripts: Sequence[str] = ()) -> bytes:
    """The same page as bytes of UTF-8, to be put into other documents; with texts of more programs, which know the
    `player`."""
    pairs = _labelled(results)
    rate, limit = _positive("fps", fps), 1e6 * _positive("max_mb", max_mb)
    shown = start_plots(pairs, plots)
    name = ", ".join(dict.fromkeys(r.system.name for _, r in pairs)) if title is None else str(title)
    counts = [_first_count(result, limit) for _, result in pairs]
    for _ in range(ROUNDS):
        page = _assembled(pairs, counts, {"title": name, "fps": rate, "plots": shown}, scripts)
        if len(page) <= limit:
            return page
        counts = [int(n * 0.95 * limit / len(page)) for n in counts]
        if min(counts) < LEAST_SAMPLES:
            break
    raise ModelError(f"write_page(): the page would have {len(page) / 1e6:.1f} MB even with few samples; at most "
                     f"{max_mb:g} MB are allowed.\n  The largest part is {_largest(pairs)}.\n"
                     "  Use coarser mesh files, or allow more with max_mb=.")


def _labelled(results: Any) -> list[tuple[str, Result]]:
    pairs = [("", results)] if isinstance(results, Result | InUnits) else results
    if isinstance(pairs, str) or not hasattr(pairs, "__iter__"):
        raise ModelError(f"write_page(): {type(results).__name__} cannot be shown.\n  {WAY}")
    found = [(pair[0], settled(pair[1])) if isinstance(pair, tuple | list) and len(pair) == 2 else pair
             for pair in pairs]
    for pair in found:
        if not (isinstance(pair, tuple) and isinstance(pair[0], str) and isinstance(pair[1], Result)):
            raise ModelError(f"write_page(): {pair!r:.100} is not a pair of a label and a result.\n  {WAY}")
        _check_result(*pair)
    if not found:
        raise ModelError(f"write_page(): there is nothing to show.\n  {WAY}")
    return [(label, result) for label, result in found]


def _check_result(label: str, result: Result) -> None:
    who = f"the result {label!r}" if label else "the result"
    if not len(result):
        raise ModelError(f"write_page(): there is nothing to show: {who} has no samples.\n"
                         f"  {result.reason or 'Run it again with outputs.'}")
    if not np.isfinite(result.t).all() or (np.diff(result.t) < 0).any():
        raise ModelError(f"write_page(): the times of {who} are not finite and rising, so it cannot be played.")
    if result.model is None:
        raise ModelError(f"write_page(): {who} does not know its model, so there is nothing to draw.\n"
                         "  Load it with its model: Result.load(path, model).")


def _positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise ModelError(f"write_page(): {name} is {value!r}; it must be a positive number.")
    return float(number)


def _first_count(result: Result, limit: float) -> int:
    """Samples to begin with, so that very long results are not written out only to be thinned."""
    most = int(4 * limit / (6 * len(result.keys())))
    return max(min(len(result), most), min(len(result), LEAST_SAMPLES))


def _assembled(pairs: Labelled, counts: Sequence[int], about: dict[str, Any], scripts: Sequence[str]) -> bytes:
    blob = Blob()
    runs = [run_data(label, result, thinned(result, n), blob) for (label, result), n in zip(pairs, counts, strict=True)]
    programs = [asset(PACKAGE, "begin.js"), *scripts]
    return stage_page(asset(PACKAGE, "page.html"), programs, {**about, "runs": runs}, blob.text())


def stage_page(template: str, scripts: Sequence[str], data: dict[str, Any], numbers: str = "", *,
               styles: Sequence[str] = (), connect: str = "'none'") -> bytes:
    """A page with the stage on it, from a template that says where; texts of more programs and styles come behind
    those of the stage. See filled() for the rest."""
    for shared in ("stage", "view-tools"):
        template = template.replace(f"{{{{{shared}}}}}", asset(PACKAGE, f"{shared.replace('-', '_')}.html").rstrip())
    style = "".join((asset(CHARTING, "plot.css"), asset(PACKAGE, "player.css"), *styles))
    script = program([*(asset(CHARTING, name) for name in CHARTS), *(asset(PACKAGE, name) for name in STAGE), *scripts])
    return filled(template, style, script, data, numbers, connect)


def _largest(pairs: Labelled) -> str:
    """The mesh with most triangles, for the error."""
    found = [item for _, result in pairs for item in scene_of(result.system).items]
    if not found:
        return "the series"
    item = max(found, key=lambda i: len(i.mesh.faces))
    return f"the shape of {item.owner!r} with {len(item.mesh.faces)} triangles"
