"""vincolo run and vincolo kinematics."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import typer

from vincolo.analyses.run_settings import UNTIL
from vincolo.cli.common import (
    ELSEWHERE,
    ENDED_EARLY,
    INTERRUPTED,
    err,
    guarded,
    lively,
    opened,
    print_json,
    say,
    say_error,
    units_of,
    worth_seeing,
)
from vincolo.cli.inputs import fed_inputs
from vincolo.cli.places import Places, own_exports, rescued, tell_troubles
from vincolo.errors import ModelError
from vincolo.files import check_place, try_out
from vincolo.formats.document import Document
from vincolo.formats.tree.settings import solver_data, solver_of
from vincolo.formats.tree.source import Source
from vincolo.results import Result
from vincolo.results.columns import choose
from vincolo.results.facts import facts
from vincolo.tables.export import check_ending, yaml_text
from vincolo.tables.folder import begin_folder, end_folder, note_exported, save_folder
from vincolo.tables.results_sheet import add_results


@dataclass(frozen=True)
class Asked:
    """What the command line says about a run."""

    until: float | None = None
    outputs: int | None = None
    integrator: str | None = None
    rtol: float | None = None
    step: float | None = None
    analysis: str | None = None
    accept_missing: bool = False
    inputs: tuple[str, ...] = ()  # name=file

    def changes(self, document: Document) -> dict[str, Any]:
        """Arguments that change what the file says."""
        found: dict[str, Any] = {key: getattr(self, key) for key in ("until", "outputs", "analysis")
                                 if getattr(self, key) is not None}
        if self.inputs:
            found["inputs"] = fed_inputs(self.inputs, document.model, self.until or document.settings.until or UNTIL)
        solver = self._integrator(document)
        return found if solver is None else {**found, "integrator": solver}

    def _integrator(self, document: Document) -> Any:
        if self.integrator is None and self.rtol is None and self.step is None:
            return None
        numbers = {key: getattr(self, key) for key in ("rtol", "step") if getattr(self, key) is not None}
        if self.integrator is None and document.settings.integrator is not None:
            written = solver_data(document.settings.integrator)
            before = {"kind": written} if isinstance(written, str) else written
        else:
            before = {"kind": self.integrator or ("RK4" if self.step is not None else "Auto")}
        return solver_of("integrator", {**before, **numbers}, Source("--integrator"), ())


@dataclass(frozen=True)
class Wanted:
    """What a run is to write, and whether it may replace files that are there."""

    folder: Path | None = None
    exports: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    write_back: bool = False
    force: bool = False
    record: bool = False  # while it runs
    units: tuple[str, ...] = ()

    def names(self, document: Document) -> list[str] | None:
        """The series to export; all if it is None."""
        return list(self.channels) or list(document.settings.channels) or None


def run_model(path: str, changes: list[str], asked: Asked, wanted: Wanted, as_json: bool, verbose: bool) -> None:
    """Runs a model, writes its results, and reports on it."""
    with guarded(as_json) as heard:
        document = in_units(opened(path, changes, as_json, verbose), wanted.units)
        document.require_whole(asked.accept_missing)
        folder = wanted.folder or Path(f"{Path(os.path.realpath(path)).stem}_results")
        changes_of_run = asked.changes(document)  # before the model is compiled: tables say how inputs go
        own = _check_writing(document, folder, wanted)
        given = _given(document, changes_of_run, wanted, folder)
        with Bar(as_json) as bar:
            watched = {"progress": bar} if _dynamic(document, given) else {}
            result = document.run(accept_missing=asked.accept_missing, **given, **watched)
        troubles: list[str] = []
        written = _write(result, document, folder, wanted, own, troubles)
        _tell(result, document, written, heard, troubles, as_json)
        if not result.complete:
            raise typer.Exit(INTERRUPTED if str(result.reason).startswith("interrupted") else ENDED_EARLY)
        if troubles:
            raise typer.Exit(ELSEWHERE)


def in_units(document: Document, units: Sequence[str]) -> Document:
    """The document, whose results are shown in these units if some are asked for."""
    found = units_of(units)
    return replace(document, settings=replace(document.settings, units=tuple(found))) if found else document


def _given(document: Document, given: dict[str, Any], wanted: Wanted, folder: Path) -> dict[str, Any]:
    """The arguments of the run; makes the folder if the record is to be written there while it runs."""
    if "inputs" in given and not _dynamic(document, given):
        raise ModelError("--input feeds a motion in time; this file asks for kinematics.\n  Leave --input out.")
    if not wanted.record:
        return given
    if not _dynamic(document, given):
        raise ModelError("--record writes the motion in time while it is computed; this file asks for kinematics.\n"
                         "  Leave --record out.")
    return {**given, "record": begin_folder(document.model, folder)}


def _dynamic(document: Document, given: dict[str, Any]) -> bool:
    return bool(given.get("analysis", document.settings.analysis) == "dynamics")


def _check_writing(document: Document, folder: Path, wanted: Wanted) -> frozenset[Path]:
    """Refuses before the run what could not be written after it; returns what the same run exported before."""
    name = document.system.name
    own = own_exports(folder, name)
    places = Places(document.files, wanted.force, own)
    results, taken = places.check_results("--out", folder, name), set[Path]()
    for export in wanted.exports:
        check_ending(Path(export))
        place = places.check("--export", Path(export))
        if place in taken or place.is_relative_to(results):
            raise ModelError(f"--export {export}: this name is given twice, or lies in the folder of the results, "
                             "which is replaced as a whole.\n  Choose another name.")
        taken.add(place)
    choose(document.system.drawn.channels, wanted.names(document))
    yaml_text(document.model)
    if wanted.write_back:
        if document.path is None or document.path.suffix.lower() != ".xlsx":
            raise ModelError("--write-back adds results to a workbook (.xlsx); this model is not one.\n"
                             "  Use --export results.xlsx instead.")
        try_out("--write-back", check_place("--write-back", document.path))
    return own


def _write(result: Result, document: Document, folder: Path, wanted: Wanted, own: frozenset[Path],
           troubles: list[str]) -> list[Path]:
    chosen = wanted.names(document)
    saved = _ended(result, folder, troubles) if wanted.record else rescued(
        lambda place: save_folder(result, place), folder, troubles)
    shown = result.in_units()
    exports = [rescued(lambda place: shown.export(place, chosen), Path(name), troubles) for name in wanted.exports]
    if exports or own:
        note_exported(saved, [*exports, *(path for path in own if path.is_file())])
    if wanted.write_back and document.path is not None:
        exports.append(rescued(lambda place: add_results(shown, place, chosen), document.path, troubles))
    return [saved, *exports]


def _ended(result: Result, folder: Path, troubles: list[str]) -> Path:
    """The folder of a run whose record is there, with how it went."""
    try:
        end_folder(result, folder)
    except OSError as error:
        troubles.append(f"{error}\n  The record is in {str(folder)!r}; its summary is missing.")
    return folder


def _tell(result: Result, document: Document, written: list[Path], heard: list[str], troubles: list[str],
          as_json: bool) -> None:
    tyres = [str(tyre) for tyre in document.garage.tyres.values()]
    if as_json:
        print_json({**facts(result), "warnings": heard, **({"tyres": tyres} if tyres else {}),
                    "results": str(written[0]), "files": [str(p) for p in written[1:]],
                    **({"error": "\n".join(troubles)} if troubles else {})})
        return
    say(str(result))
    for tyre in tyres:
        say(f"  tyre          {tyre}")
    for path in written:
        say(f"  written       {path}")
    tell_troubles(troubles)
    if result.complete and len(result):
        first = [*document.settings.channels, *worth_seeing(result.keys())][0]
        say(f"  to see it     vincolo plot {quote(str(written[0]))} {quote(first)}")
    elif not any(str(result.reason) in text for text in heard):  # else it has been told by the run
        say_error("error", "red", f"the run ended early: {result.reason}")


class Bar:
    """Progress on the error stream: time reached, time left, and how many times faster than real time."""

    def __init__(self, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(TextColumn("t = {task.fields[now]:.4g} of {task.fields[end]:g} s"), BarColumn(),
                             TextColumn("{task.percentage:.0f} %"), TimeRemainingColumn(compact=True),
                             TextColumn("{task.fields[speed]}"), console=err, transient=True,
                             disable=quiet or not lively())
        self._task: Any = None
        self._begun = time.perf_counter()
        self._from: float | None = None

    def __call__(self, t: float, end: float) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=None, now=t, end=end, speed="")
            self._from = t
        assert self._from is not None
        spent = time.perf_counter() - self._begun
        speed = f"{(t - self._from) / spent:,.3g} times real time" if t > self._from and spent > 0 else ""
        self._bar.update(self._task, total=end - self._from, completed=t - self._from, now=t, end=end, speed=speed)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
