"""A result as a folder: the record, the model, the series, the summary and the facts, together."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vincolo.errors import FileError, ModelError
from vincolo.files import appearing, appearing_folder, in_use
from vincolo.formats import load_model, save_model
from vincolo.results.facts import facts
from vincolo.results.result import Result
from vincolo.version import __version__

if TYPE_CHECKING:
    from vincolo.model import Model

Name = str | os.PathLike[str]

FORMAT = 1
ABOUT, RECORD, MODEL, SUMMARY = "about.json", "result.npz", "model.yaml", "summary.txt"
RECORDING = "result.vcr"  # the record of a run that wrote it while it ran, in place of the other
TABLES = ("results.csv", "results.h5", "results.xlsx", "results.mat")
PLOT = "plot.html"  # what the command line draws of a folder; it goes with the run it shows
EXPORTED = "exported.json"  # which other files the same run wrote, and what was in them
OURS = {ABOUT, RECORD, RECORDING, MODEL, SUMMARY, PLOT, EXPORTED, *TABLES}
LONGEST_ABOUT = 10_000_000  # bytes


def save_folder(result: Result, folder: Name, *, names: Sequence[str] | str | None = None,
                table: str = "csv") -> Path:
    """Writes a folder with everything of a run, from which load_folder() makes the same result: result.npz,
    model.yaml, results.csv (another kind with `table`: "h5", "xlsx", "mat"; the series in `names`), summary.txt and
    about.json. A result folder that is there is replaced; a folder with other files is left alone."""
    if f"results.{table}" not in TABLES:
        raise ModelError(f"save_folder(): table is {table!r}; it is 'csv', 'h5', 'xlsx' or 'mat'.")
    with appearing_folder("save_folder()", folder, check_replaceable) as fresh:
        _fill(fresh, result, names, table)
    return Path(folder)


def check_replaceable(target: Path) -> None:
    """Refuses to replace what save_folder() did not write."""
    if not target.exists():
        return
    if not target.is_dir():
        raise FileError(f"{target.name}: it is a file; a result folder cannot have its name.\n"
                        "  Choose another name, or remove it.")
    found = sorted(entry.name for entry in target.iterdir())
    others = [name for name in found if name not in OURS or not (target / name).is_file()]
    if others:
        shown = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        raise FileError(f"{target.name}: the folder has files that do not belong to a result: {shown}.\n"
                        "  Choose another folder, or move them away; nothing was changed.")
    if found:
        _about(target)  # raises if it is not a result
    if RECORDING in found and in_use(target / RECORDING):
        raise FileError(f"{target.name}: a run is writing its record there ({RECORDING}).\n"
                        "  Choose another folder, or wait for its end.")


def _fill(folder: Path, result: Result, names: Sequence[str] | str | None, table: str) -> None:
    result.save(folder / RECORD)
    save_model(result.model, folder / MODEL)
    result.in_units().export(folder / f"results.{table}", names)
    end_folder(result, folder)


def begin_folder(model: Model, folder: Name) -> Path:
    """Makes the folder of a run that is to begin, with its model; returns where simulate(record=) is to write, from
    which load_folder() reads what was computed."""
    with appearing_folder("save_folder()", folder, check_replaceable) as fresh:
        save_model(model, fresh / MODEL)
        _write_about(fresh, {"model": model.name, "complete": False, "reason": "the run has not ended"})
    return Path(folder) / RECORDING


def end_folder(result: Result, folder: Path) -> None:
    """Writes into the folder of a run how it went."""
    with appearing("save_folder()", folder / SUMMARY) as file:
        file.write((result.summary() + "\n").encode(errors="backslashreplace"))
    _write_about(folder, facts(result))


def _write_about(folder: Path, known: dict[str, Any]) -> None:
    about = {"vincolo": "result folder", "format": FORMAT, "version": __version__, **known}
    with appearing("save_folder()", folder / ABOUT) as file:
        file.write((json.dumps(about, indent=2) + "\n").encode(errors="backslashreplace"))


def load_folder(folder: Name) -> Result:
    """The result in a folder that save_folder() wrote, with its model; or in that of a run that writes its record while
    it runs, as far as it has come."""
    target = Path(folder)
    if not target.is_dir():
        raise FileError(f"{target.name}: there is no folder {str(target)!r}.\n"
                        "  A result folder is written by save_folder(result, folder).")
    _about(target)
    record = RECORDING if (target / RECORDING).is_file() else RECORD
    for name in (MODEL, record):
        if not (target / name).is_file():
            raise FileError(f"{target.name}: the result folder has no {name!r}; it is not complete.\n"
                            "  Copy it again as a whole, or run the model again.")
    return Result.load(target / record, load_model(target / MODEL))


def _about(target: Path) -> dict[str, Any]:
    """What about.json says; checks that the folder is a result."""
    path = target / ABOUT
    way = "A result folder is written by save_folder(result, folder)."
    try:
        if path.stat().st_size > LONGEST_ABOUT:
            raise ValueError(f"it has {path.stat().st_size / 1e6:.0f} MB")
        about = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(f"{target.name}: this is not a result folder: it has no {ABOUT}.\n  {way}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(f"{target.name}, {ABOUT}: it cannot be read ({error}).\n  {way}") from None
    if not isinstance(about, dict) or about.get("vincolo") != "result folder":
        raise FileError(f"{target.name}, {ABOUT}: it does not say that this is a result folder.\n  {way}")
    if about.get("format") != FORMAT:
        raise FileError(f"{target.name}, {ABOUT}: its format is {about.get('format')!r}; this version reads {FORMAT}.\n"
                        "  Read it with the version of vincolo that wrote it.")
    return about


def model_in(folder: Name) -> str | None:
    """The name of the model whose results are in a folder; None if it has none."""
    try:
        return str(_about(Path(folder)).get("model"))
    except FileError:
        return None


def note_exported(folder: Path, files: Iterable[Path]) -> None:
    """Notes in a result folder which other files the same run wrote, so that they are known again as long as nobody
    changes them."""
    noted = {os.path.relpath(os.path.realpath(file), os.path.realpath(folder)): _digest(file) for file in files}
    with appearing("save_folder()", folder / EXPORTED) as file:
        file.write((json.dumps(noted, indent=2) + "\n").encode(errors="backslashreplace"))


def exported(folder: Path) -> frozenset[Path]:
    """Files that the run of a result folder wrote, as far as they are as it left them."""
    try:
        noted = json.loads((folder / EXPORTED).read_bytes()[:LONGEST_ABOUT])
    except (OSError, ValueError, RecursionError):
        return frozenset()
    found = noted.items() if isinstance(noted, dict) else ()
    places = ((Path(os.path.realpath(folder / name)), digest) for name, digest in found)
    return frozenset(place for place, digest in places if place.is_file() and _digest(place) == digest)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
