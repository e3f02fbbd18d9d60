"""Results and states in files: NumPy archives with the names of the bodies they belong to."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.results.recording import is_record, read_record
from vincolo.results.settings import Settings
from vincolo.system import as_system

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.system import System

FORMAT = 1
#: statistics that a summary of dynamics cannot do without, and other numbers that are told if they are there
TOLD = {"dynamics": ("steps", "rejected", "evaluations", "smallest_step", "largest_step", "changes", "implicit_time",
                     "fastest", "first_change", "formulation", "iterations", "most_iterations", "decompositions")}
NUMBERS = ("position_residual", "velocity_residual", "energy_imbalance", "energy_jumps", "energy_jump_at",
           "energy_range", "energy_size", "extent", "opened_row", "zeroed_pivots", "renewals", "crossing_steps",
           "crossing_time", "first_crossing")
CONTACT = ("contact_steps", "contact_points", "contact_rounds", "contact_residual", "unsolved_steps", "penetration")
MOST_BYTES = 16e9  # of a record, unpacked; what simulate() keeps is less


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
    target, system = Path(path), as_system(model)
    if kind == "result" and is_record(target):
        about, arrays = read_record(target, system)
    else:
        about, arrays = _archive(target, kind)
    _check_bodies(target, about, system)
    _check_shape(target, kind, system, arrays)
    return system, about, arrays


def _archive(target: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is known, and the arrays of a NumPy archive."""
    try:
        with zipfile.ZipFile(target) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > MOST_BYTES:
            raise ModelError(f"load(): {str(target)!r} unpacks to {size / 1e9:.3g} GB; the limit is "
                             f"{MOST_BYTES / 1e9:g} GB.")
        with np.load(target, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        odd = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
        if odd:
            raise ValueError(f"{odd[0]!r} is not an array")
        about = json.loads(str(arrays.pop("about")))
    except (FileNotFoundError, ModelError):
        raise
    except Exception as error:  # what a damaged archive makes NumPy raise has no end
        raise ModelError(f"load(): {str(target)!r} is not a file of a vincolo {kind} ({error}).") from None
    if not isinstance(about, dict) or about.get("vincolo") != kind or about.get("format") != FORMAT:
        raise ModelError(f"load(): {str(target)!r} is not a file of a vincolo {kind}.")
    return about, arrays


def _check_bodies(target: Path, about: dict[str, Any], system: System) -> None:
    if not isinstance(about.get("bodies"), list) or not all(isinstance(name, str) for name in about["bodies"]):
        raise ModelError(f"load(): {str(target)!r} does not say which bodies it belongs to.")
    if about["bodies"] != list(system.body_numbers):
        there, here = (", ".join(names[:6]) for names in (about["bodies"], list(system.body_numbers)))
        raise ModelError(
            f"load(): {str(target)!r} was made with other bodies ({there} ...) than this model has ({here} ...)."
        )


def _check_shape(target: Path, kind: str, system: System, arrays: dict[str, Any]) -> None:
    wanted = {"y": system.kernel.state_size, "turns": system.kernel.turns}
    depth = 1 if kind == "state" else 2
    for name, width in wanted.items():
        array = arrays.get(name)
        if array is None or array.ndim != depth or array.shape[-1] != width or array.dtype != float:
            raise ModelError(f"load(): {str(target)!r} does not fit this model: a {kind} of other joints or measures.")


def check_result(target: Path, about: dict[str, Any], arrays: dict[str, Any], events: Any) -> None:
    """Refuses a record whose parts do not fit together."""
    t = arrays.get("t")
    settings = about.get("settings") or {}
    whole = (_has_settings(settings) and _has_statistics(about.get("statistics"), settings["analysis"])
             and isinstance(about.get("seconds"), int | float) and isinstance(about.get("reason", 0), str | None)
             and events is not None and t is not None and t.dtype == float and t.ndim == 1
             and len(t) == len(arrays["y"]) == len(arrays["turns"]))
    if not whole:
        raise ModelError(f"load(): {str(target)!r} is damaged: times, states and settings do not fit together.\n"
                         "  Copy it again, or run the model again.")


def _has_statistics(counted: Any, analysis: str) -> bool:
    """Whether all that a summary speaks of is there, and of the right kind."""
    if not isinstance(counted, dict) or any(name not in counted for name in TOLD.get(analysis, ())):
        return False
    if counted.get("contact_steps") and any(name not in counted for name in CONTACT):
        return False
    numbers = (name for name in (*TOLD["dynamics"], *NUMBERS, *CONTACT) if name != "formulation")
    singular = counted.get("singular", [])
    return (all(isinstance(counted.get(name, 0), int | float) for name in numbers)
            and isinstance(counted.get("formulation", ""), str) and isinstance(singular, list)
            and all(_is_moment(entry) for entry in singular))


def _is_moment(entry: Any) -> bool:
    """A time and what happened then."""
    return (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], int | float)
            and isinstance(entry[1], str))


def _has_settings(asked: Any) -> bool:
    if not isinstance(asked, dict) or {*asked, "units", "channels", "automatic"} != {f.name for f in fields(Settings)}:
        return False
    kinds = {"start": int | float, "until": int | float, "units": list, "channels": list}
    return all(isinstance(value, kinds.get(name, str)) for name, value in asked.items()) and all(
        isinstance(word, str) for key in ("units", "channels") for word in asked.get(key, ()))
