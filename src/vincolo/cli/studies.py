"""vincolo study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from vincolo.cli.common import ENDED_EARLY, INTERRUPTED, changes_of, err, guarded, opened, print_json, say, say_error
from vincolo.cli.places import Places, deliver
from vincolo.errors import ModelError
from vincolo.files import place_in_folder
from vincolo.formats.document import Document
from vincolo.studies.journal import NAME
from vincolo.studies.of_file import study_in
from vincolo.studies.study import Progress, studied
from vincolo.studies.table import SUFFIXES, Study


def study_file(path: str, changes: list[str], sampling: dict[str, Any], work: dict[str, Any], folder: Path | None,
               tables: list[Path], *, force: bool, as_json: bool, accept_missing: bool) -> None:
    """Studies what a file asks for; variants that are done are kept in a folder, so that a study that was stopped goes
    on."""
    with guarded(as_json) as heard:
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        subject, plan = study_in(document, changes_of(changes), **sampling)
        target = _checked(document, folder, force)
        for table in tables:
            if table.suffix.lower() not in SUFFIXES:
                raise ModelError(f"--table: {str(table)!r}: a table is written as {', '.join(SUFFIXES)}.")
            Places(document.files, force).check("--table", table)
        with _Bar(as_json) as bar:
            found = studied(subject, plan, folder=target, progress=bar, **work)
        for table in tables or [target / "study.csv"]:
            deliver(found.save, table, quiet=as_json)
        _tell(found, tables or [target / "study.csv"], heard, as_json)
        if found.reason is not None:
            raise typer.Exit(INTERRUPTED)
        if len(found.failures) == len(found):
            raise typer.Exit(ENDED_EARLY)


def _checked(document: Document, folder: Path | None, force: bool) -> Path:
    """The folder of the study; one with other things in it is refused."""
    stem = document.path.stem if document.path is not None else document.model.name
    target = Path(f"{stem}_study") if folder is None else folder
    place = place_in_folder("--out", target)
    if place.exists() and not place.is_dir():
        raise ModelError(f"--out: {str(target)!r} is a file; a study is a folder.\n  Choose another name.")
    if place.is_dir() and any(place.iterdir()) and not force and not (place / NAME).exists():
        raise ModelError(f"--out: {str(target)!r} exists already, and is not a study.\n"
                         "  Choose another name, or use it with --force.")
    return target


def _tell(found: Study, written: list[Path], heard: list[str], as_json: bool) -> None:
    if as_json:
        print_json({"model": found.subject.name, "parameters": found.parameters, "outputs": found.outputs,
                    "units": found.subject.units, "variants": len(found), "complete": found.complete,
                    "failed": {str(k): why for k, why in list(found.failures.items())[:100]},
                    "failures": len(found.failures), "files": [str(p) for p in written], "warnings": heard,
                    "best": {name: {"least": found.variant(found.best(name)),
                                    "greatest": found.variant(found.best(name, largest=True))}
                             for name in found.outputs if len(found.failures) < len(found) and found.complete}})
        return
    say(str(found))
    if found.reason is not None:
        say_error("error", "red", f"{found.reason}; the same command goes on from there")


class _Bar:
    """Progress on the error stream."""

    def __init__(self, quiet: bool) -> None:
        self._status = None if quiet or not err.is_terminal else err.status("studying")

    def __call__(self, progress: Progress) -> None:
        if self._status is not None:
            self._status.update(str(progress))

    def __enter__(self) -> _Bar:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()
