"""vincolo study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
from vincolo.studies.plan import Plan
from vincolo.studies.study import Progress, studied
from vincolo.studies.table import SUFFIXES, Study
from vincolo.studies.variants import ModelVariants
from vincolo.view.live import StudyViewer
from vincolo.view.page import checked_ending


@dataclass(frozen=True)
class Seen:
    """How a study is looked at: as a page that is written, or in the browser while it goes on."""

    page: Path | None
    live: bool
    port: int | None
    browser: bool

    @contextmanager
    def viewer(self, subject: ModelVariants, plan: Plan) -> Iterator[StudyViewer | None]:
        """The page in the browser, if it is wanted."""
        if not self.live:
            yield None
            return
        with StudyViewer(subject, plan, port=self.port) as viewer:
            viewer.open(self.browser)
            yield viewer


def study_file(path: str, changes: list[str], sampling: dict[str, Any], work: dict[str, Any], folder: Path | None,
               tables: list[Path], seen: Seen, *, force: bool, as_json: bool, accept_missing: bool) -> None:
    """Studies what a file asks for; variants that are done are kept in a folder, so that a study that was stopped goes
    on."""
    with guarded(as_json) as heard:
        if seen.live and as_json:
            raise ModelError("--live shows the study until Ctrl-C, and --json is for programs.\n"
                             "  Leave out one of them.")
        document = opened(path, changes, as_json)
        document.require_whole(accept_missing)
        subject, plan = study_in(document, changes_of(changes), **sampling)
        target = _checked(document, folder, force)
        _check_places(document, tables, seen.page, force)
        with seen.viewer(subject, plan) as viewer:
            with _Bar(as_json) as bar:
                found = studied(subject, plan, folder=target, progress=_both(bar, viewer),
                                watch=None if viewer is None else viewer.heard, **work)
            written = tables or [target / "study.csv"]
            for table in written:
                deliver(found.save, table, quiet=as_json)
            if seen.page is not None:
                deliver(found.show, seen.page, quiet=as_json)
            _tell(found, [*written, *([seen.page] if seen.page is not None else [])], heard, as_json)
            if viewer is not None and found.reason is None:
                viewer.finish(found)
                viewer.wait()
        if found.reason is not None:
            raise typer.Exit(INTERRUPTED)
        if len(found.failures) == len(found):
            raise typer.Exit(ENDED_EARLY)


def _check_places(document: Document, tables: list[Path], page: Path | None, force: bool) -> None:
    for table in tables:
        if table.suffix.lower() not in SUFFIXES:
            raise ModelError(f"--table: {str(table)!r}: a table is written as {', '.join(SUFFIXES)}.")
        Places(document.files, force).check("--table", table)
    if page is not None:
        Places(document.files, force).check("--page", checked_ending(page))


def _both(bar: _Bar, viewer: StudyViewer | None) -> Callable[[Progress], None]:
    """Progress on the terminal, and in the browser."""
    def told(progress: Progress) -> None:
        bar(progress)
        if viewer is not None:
            viewer.tell(progress)

    return told


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
