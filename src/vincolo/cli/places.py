"""Where a command may write: never over what it reads, and over another file only with --force."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import typer

from vincolo.cli.common import ELSEWHERE, print_json, say, say_error
from vincolo.errors import FileError, ModelError
from vincolo.files import check_place, place_in_folder, try_out
from vincolo.tables.folder import PLOT, check_replaceable, exported, model_in

WAY = "Choose another name, or replace it with --force."


@dataclass(frozen=True)
class Places:
    """What a command reads, and whether other files that are there may be replaced; those of the same run before may.
    Places are tried out before anything is computed."""

    inputs: tuple[Path, ...] = ()
    force: bool = False
    own: frozenset[Path] = frozenset()

    def check(self, what: str, target: Path) -> Path:
        """Refuses a file that must not be replaced, or cannot be written; returns its place behind all links."""
        place = check_place(what, target)
        self._check_inputs(what, target, place)
        if place.exists() and not self.force and place not in self.own:
            raise ModelError(f"{what}: {str(target)!r} exists already.\n  {WAY}")
        try_out(what, place)
        return place

    def check_results(self, what: str, folder: Path, model: str) -> Path:
        """Refuses a folder that must not be replaced by results of a model; returns its place."""
        place = place_in_folder(what, folder)
        self._check_inputs(what, folder, place)
        check_replaceable(place)
        other = model_in(place)
        if other not in (None, model) and not self.force:
            raise ModelError(f"{what}: {str(folder)!r} has the results of another model, {other!r}.\n  {WAY}")
        try_out(what, place)
        return place

    def check_together(self, what: str, folder: Path) -> None:
        """Refuses a folder in which files must not be replaced."""
        place = place_in_folder(what, folder)
        self._check_inputs(what, folder, place)
        if place.exists() and not place.is_dir():
            raise ModelError(f"{what}: {str(folder)!r} is a file, and a folder is to be written.\n"
                             "  Choose another name, or move it away.")
        there = sorted(place.iterdir()) if place.is_dir() else []
        if there and not self.force:
            raise ModelError(f"{what}: {str(folder)!r} exists already, with {there[0].name!r} in it.\n  {WAY}")
        for entry in there:
            self._check_inputs(what, entry, entry)
        try_out(what, place / "any" if place.is_dir() else place)

    def _check_inputs(self, what: str, target: Path, place: Path) -> None:
        for path in self.inputs:
            parts = [part for part in path.iterdir() if part.name != PLOT] if path.is_dir() else []
            if _within(path, place) or any(_same(part, place) for part in (path, *parts)):
                raise ModelError(f"{what}: {str(target)!r} is, or holds, what this command reads ({str(path)!r}), "
                                 "which is never overwritten.\n  Choose another name.")


def _same(a: Path, b: Path) -> bool:
    """Whether two names lead to one file: by links, hard links, or letters that the disk takes for the same."""
    with suppress(OSError):
        return os.path.samefile(a, b)
    return False


def _within(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder that is there."""
    return folder.is_dir() and any(_same(parent, folder) for parent in Path(os.path.realpath(path)).parents)


def own_exports(folder: Path, model: str) -> frozenset[Path]:
    """Files that a run of this model with these results exported, and nobody has changed since."""
    return exported(folder) if model_in(folder) == model else frozenset()


def rescued(write: Callable[[Path], object], target: Path, troubles: list[str]) -> Path:
    """Where something was written: at the target, or else in a folder for temporary files, at home or here, so that
    what was computed is not lost; then `troubles` says why and where."""
    try:
        write(target)
        return target
    except (OSError, FileError) as error:
        for folder in (Path(tempfile.gettempdir()), Path.home(), Path.cwd()):
            shelter = _sheltered(write, folder, target.name)
            if shelter is not None:
                troubles.append(f"{error}\n  It is in {str(shelter)!r} instead.")
                return shelter
        raise


def _sheltered(write: Callable[[Path], object], folder: Path, name: str) -> Path | None:
    """A file or folder written within a new folder; None if that fails too."""
    try:
        place = Path(tempfile.mkdtemp(prefix="vincolo-", dir=folder))
    except OSError:
        return None
    try:
        write(place / name)
    except (OSError, FileError):
        with suppress(OSError):
            place.rmdir()
        return None
    return place / name


def tell_troubles(troubles: list[str]) -> None:
    """Says what could not be written where it was asked for."""
    for trouble in troubles:
        say_error("error", "red", trouble)


def deliver(write: Callable[[Path], object], target: Path, then: Callable[[Path], object] | None = None, *,
            quiet: bool = False, as_json: bool = False) -> None:
    """Writes a file, says where, and goes on with it; ends the command if that is not where it was asked for."""
    troubles: list[str] = []
    written = rescued(write, target, troubles)
    if as_json:
        print_json({"written": str(written), **({"error": "\n".join(troubles)} if troubles else {})})
    elif not quiet:
        say(f"written: {written}")
    if not as_json:
        tell_troubles(troubles)
    if then is not None:
        then(written)
    if troubles:
        raise typer.Exit(ELSEWHERE)
