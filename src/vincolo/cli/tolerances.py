"""vincolo tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import typer

from vincolo.cli.common import ELSEWHERE, ENDED_EARLY, INTERRUPTED, err, guarded, opened, print_json, say, say_error
from vincolo.cli.places import Places, rescued, tell_troubles
from vincolo.errors import ModelError
from vincolo.files import place_in_folder
from vincolo.formats.document import Document
from vincolo.formats.toleranced import subject_of, tolerances_in
from vincolo.plots.tolerances import plot_band, plot_contributions, plot_histogram
from vincolo.report.write import checked_ending, write_report
from vincolo.tolerance.results import BAND, Tolerated
from vincolo.tolerance.study import study


@dataclass(frozen=True)
class Sampling:
    """What the command line says about a study."""

    outputs: tuple[str, ...] = ()
    samples: int = 1000
    method: str = "random"
    seed: int = 1
    workers: int = 2
    until: float | None = None
    times: int | None = None
    analysis: str | None = None


def study_tolerances(path: str, changes: list[str], asked: Sampling, folder: Path | None, report: Path | None, *,
                     force: bool, as_json: bool, accept_missing: bool) -> None:
    """Studies the tolerances of a file; samples are kept in a folder, so that a study that was stopped goes on."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        tolerances = tolerances_in(document)
        subject = subject_of(document, asked.outputs, until=asked.until, times=asked.times, analysis=asked.analysis)
        target = _checked(document, folder, report, force)
        with _Bar(as_json) as bar:
            found = study(subject, tolerances.sources, samples=asked.samples, method=asked.method, seed=asked.seed,
                          workers=asked.workers, correlations=tolerances.correlations, folder=target / "samples",
                          progress=bar)
        troubles: list[str] = []
        written = _write(found, target, document, report, troubles)
        _tell(found, written, heard, troubles, as_json)
        if found.reason is not None:
            raise typer.Exit(INTERRUPTED)
        if troubles or _few(found):
            raise typer.Exit(ELSEWHERE if troubles else ENDED_EARLY)


def _checked(document: Document, folder: Path | None, report: Path | None, force: bool) -> Path:
    """The folder of the study; what cannot be written is refused before anything is computed."""
    stem = document.path.stem if document.path is not None else document.model.name
    target = Path(f"{stem}_tolerances") if folder is None else folder
    place = place_in_folder("--out", target)
    if place.exists() and not place.is_dir():
        raise ModelError(f"--out: {str(target)!r} is a file; a study of tolerances is a folder.\n"
                         "  Choose another name.")
    there = sorted(place.iterdir()) if place.is_dir() else []
    if there and not force and not (place / "samples" / "study.txt").exists():
        raise ModelError(f"--out: {str(target)!r} exists already, and is not a study of tolerances.\n"
                         "  Choose another name, or use it with --force.")
    if report is not None:
        checked_ending(report)
        Places(document.files, force).check("--report", report)
    return target


def _few(found: Tolerated) -> bool:
    return int(found.done.sum()) - len(found.failures) < 2


def _write(found: Tolerated, folder: Path, document: Document, report: Path | None, troubles: list[str]) -> list[Path]:
    if _few(found):
        return []
    written = []
    for k, name in enumerate(found.outputs):
        stem = "" if len(found.outputs) == 1 else f"_{k + 1}"
        for what, draw in (("band", plot_band), ("histogram", plot_histogram), ("contributions", plot_contributions)):
            written.append(rescued(lambda place, draw=draw, name=name: draw(found, name, path=place),  # type: ignore[misc]
                                   folder / f"{what}{stem}.html", troubles))
        written.append(rescued(lambda place, name=name: plot_band(found, name, path=place),  # type: ignore[misc]
                               folder / f"band{stem}.csv", troubles))
    if report is not None:
        result = document.run()
        written.append(rescued(lambda place: write_report(result, place, tolerances=found), report, troubles))
    return written


def _tell(found: Tolerated, written: list[Path], heard: list[str], troubles: list[str], as_json: bool) -> None:
    if as_json:
        print_json({**_facts(found), "warnings": heard, "files": [str(p) for p in written],
                    **({"error": "\n".join(troubles)} if troubles else {})})
        return
    say(str(found))
    for path in written:
        say(f"  written       {path}")
    tell_troubles(troubles)
    if found.reason is not None:
        say_error("error", "red", f"{found.reason}; the same command goes on from there")
    elif written:
        say(f"  to see it     open {quote(str(written[0]))} in a browser")


def _facts(found: Tolerated) -> dict[str, Any]:
    facts: dict[str, Any] = {"model": found.subject.name, "samples": int(found.done.sum()), "failed":
                             len(found.failures), "failures": found.told_failures(), "complete": found.complete,
                             "method": found.sampler.method, "seed": int(found.sampler.seed), "outputs": {}}
    for k, name in enumerate([] if _few(found) else found.outputs):
        at = found.worst_position(name)
        low, high = found.band(name)
        facts["outputs"][name] = {
            "unit": found.subject.units[k], "at": float(found.at[at]), "nominal": float(found.nominal[at, k]),
            "mean": float(found.mean(name)[at]), "deviation": float(found.deviation(name)[at]), "share": BAND,
            "low": float(low[at]), "high": float(high[at]), "contributions": found.contributions(name, at)}
    return facts


class _Bar:
    """Progress on the error stream."""

    def __init__(self, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(TextColumn("{task.completed:.0f} of {task.total:.0f} samples"), BarColumn(),
                             TimeRemainingColumn(compact=True), console=err, transient=True,
                             disable=quiet or not err.is_terminal)
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=done)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
