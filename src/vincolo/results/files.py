"""Results and states in files: NumPy archives with the names of the bodies they belong to."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.system import System

FORMAT = 1


@contextmanager
def appearing(who: str, path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to that gets its name only when complete; `who` asks for it."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{who}: there is no folder {str(target.parent)!r} to put {target.name!r} in.")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def write(path: str | os.PathLike[str], kind: str, system: System, about: dict[str, Any], **arrays: Any) -> Path:
    """Writes arrays and what is known about them; the file appears only when complete."""
    text = json.dumps({"vincolo": kind, "format": FORMAT, "bodies": list(system.body_numbers), **about})
    with appearing("save()", path) as file:
        np.savez_compressed(file, about=np.array(text), **arrays)
    return Path(path)


def read(
    path: str | os.PathLike[str], kind: str, model: Model | System
) -> tuple[System, dict[str, Any], dict[str, Any]]:
    """The system of a model, what is known, and the arrays of a file written for it."""
    from vincolo.system import as_system

    target, system = Path(path), as_system(model)
    try:
        with np.load(target, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop("about")))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ModelError(f"load(): {str(target)!r} is no file of a vincolo {kind} ({error}).") from None
    if not isinstance(about, dict) or about.get("vincolo") != kind or about.get("format") != FORMAT:
        raise ModelError(f"load(): {str(target)!r} is no file of a vincolo {kind}.")
    if about["bodies"] != list(system.body_numbers):
        there, here = (", ".join(names[:6]) for names in (about["bodies"], list(system.body_numbers)))
        raise ModelError(
            f"load(): {str(target)!r} was made with other bodies ({there} ...) than this model has ({here} ...)."
        )
    _check_shape(target, kind, system, arrays)
    return system, about, arrays


def _check_shape(target: Path, kind: str, system: System, arrays: dict[str, Any]) -> None:
    wanted = {"y": system.kernel.state_size, "turns": system.kernel.turns}
    for name, width in wanted.items():
        if name not in arrays or arrays[name].shape[-1] != width or arrays[name].dtype != float:
            raise ModelError(f"load(): {str(target)!r} does not fit this model: a {kind} of other joints or measures.")
