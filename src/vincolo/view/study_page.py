"""A study as a web page: its variants as dots and lines that can be chosen, and the motion of those that are in it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError, SimulationWarning, VincoloError
from vincolo.files import appearing, check_place
from vincolo.model.geometry import Array
from vincolo.plots.web import Blob, asset
from vincolo.results.result import Result
from vincolo.studies.plan import Plan
from vincolo.studies.table import Study
from vincolo.studies.variants import ModelVariants, Variants
from vincolo.view.page import PACKAGE, checked_ending, stage_page
from vincolo.view.page_data import run_data, start_plots, thinned

SCRIPTS = ("study_table.js", "study_charts.js", "study.js")
MOST_SHOWN = 20_000  # variants on a page; of more, every so many
MOST_RUNS = 8  # motions in a page, if not said
SAMPLES = 400  # of a motion in a page
HINT = "Choose a dot or a line above, or type a number."


def every(count: int) -> int:
    """Of how many variants one is shown."""
    return -(-count // MOST_SHOWN)


def columns_of(subject: Variants, plan: Plan) -> list[dict[str, Any]]:
    """What the page tells of the columns."""
    return [*({"name": name, "unit": "", "parameter": True} for name in plan.names),
            *({"name": name, "unit": unit, "parameter": False}
              for name, unit in zip(subject.outputs, subject.units, strict=True))]


def about_study(subject: Variants, plan: Plan, axes: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the page knows of a study before any variant is done."""
    first = len(plan.names)
    return {"columns": columns_of(subject, plan), "count": plan.count, "hint": HINT,
            "models": isinstance(subject, ModelVariants), "runs": int(isinstance(subject, ModelVariants)), "held": [],
            "axes": axes or {"x": 0, "y": first, "colour": first + len(subject.outputs) - 1, "front": ""}}


def rows_of(plan: Plan, start: int, values: Array) -> tuple[Array, Array]:
    """Of variants one after the other those that are shown: numbers, and rows of all columns."""
    numbers = np.arange(start, start + len(values), dtype=float)
    kept = (numbers % every(plan.count) == 0) & np.isfinite(values).all(axis=1)
    if not kept.any():
        return numbers[:0], np.zeros((0, len(plan.names) + values.shape[1]))
    return numbers[kept], np.hstack([plan.rows(start, start + len(values)), values])[kept]


def packed_rows(numbers: Array, rows: Array, blob: Blob) -> dict[str, Any]:
    """Rows as references to packed numbers."""
    return {"numbers": blob.put(numbers, "<u4"), "values": blob.put(rows.ravel(), "<f8")}


def told_study(found: Study) -> str:
    """How far a study has come, in a line."""
    done, step = sum(stop - start for start, stop in found.done), every(len(found))
    shown = f"; one in {step:,} is shown" if step > 1 else ""
    return f"{done:,} of {len(found):,} variants{shown}; " + (found.told_failures() or "none failed")


def all_rows(found: Study) -> tuple[Array, Array]:
    """Everything of a study that is shown."""
    step, pieces = 8192, []
    for start in range(0, len(found), step):
        pieces.append(rows_of(found.plan, start, np.asarray(found.values[start: start + step])))
    return np.concatenate([n for n, _ in pieces]), np.concatenate([r for _, r in pieces])


def write_study(found: Study, path: str | os.PathLike[str], *, runs: Sequence[int] | None = None,
                title: str | None = None) -> Path:
    """Writes one HTML file with the variants of a study, of which some have their motion in it: those in `runs`, or the
    least and the greatest of each output."""
    target = checked_ending(Path(path))
    check_place("show()", target)
    chosen = _chosen(found, runs)
    motions = _motions(found, chosen)
    blob = Blob()
    data = [run_data(f"variant {k}", run, thinned(run, SAMPLES), blob) for k, run in motions.items()]
    pairs = [(f"variant {k}", run) for k, run in motions.items()]
    about = {**about_study(found.subject, found.plan, found.axes), "held": list(motions), "runs": len(motions),
             "rows": packed_rows(*all_rows(found), blob), "told": told_study(found), "share": 1.0}
    page = {"title": found.subject.name if title is None else str(title), "fps": 60.0, "quiet": True, "runs": data,
            "plots": start_plots(pairs[:1], None) if pairs else [], "study": about}
    with appearing("show()", target) as file:
        scripts = [asset(PACKAGE, name) for name in (*SCRIPTS, "begin_study.js")]
        file.write(stage_page(asset(PACKAGE, "page.html"), scripts, page, blob.text(),
                              styles=[asset(PACKAGE, "study.css")]))
    return target


def _chosen(found: Study, runs: Sequence[int] | None) -> list[int]:
    """Variants whose motion goes into the page."""
    if runs is not None:
        wrong = [k for k in runs if isinstance(k, bool) or not isinstance(k, int | np.integer)
                 or not 0 <= k < len(found)]
        if wrong:
            raise ModelError(f"show(): runs: {wrong[0]!r} is not the number of a variant, from 0 to "
                             f"{len(found) - 1:,}.")
        return [int(k) for k in dict.fromkeys(runs)]
    if not isinstance(found.subject, ModelVariants) or found.subject.subject.analysis == "assembly":
        return []
    good = [name for name in found.outputs if np.isfinite(found[name]).any()]
    ends = [found.best(name, largest) for name in good for largest in (False, True)]
    return list(dict.fromkeys(ends))[:MOST_RUNS]


def _motions(found: Study, chosen: Sequence[int]) -> dict[int, Result]:
    """Runs of variants by their numbers; those that cannot be put together have none."""
    made: dict[int, Result] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        for k in chosen:
            try:
                made[k] = found.run(k)
            except VincoloError as error:
                if k not in found.failures:
                    raise ModelError(f"show(): variant {k} cannot be run again: {error}") from None
    return {k: run for k, run in made.items() if len(run)}
