"""Series of a result written to files for other programs: CSV, HDF5, MATLAB. Workbooks are in workbook.py."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError, VincoloError
from vincolo.files import appearing
from vincolo.formats import save_model
from vincolo.optional import library
from vincolo.results.columns import choose, write_csv
from vincolo.results.in_units import InUnits, run_of
from vincolo.tables.table import KINDS
from vincolo.tables.workbook import write_xlsx
from vincolo.version import __version__

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.results.result import Result

Name = str | os.PathLike[str]

ENDINGS = (".csv", ".xlsx", ".h5", ".mat")
LIBRARIES = {".h5": ("h5py", "h5py"), ".xlsx": ("openpyxl", "openpyxl")}  # and what pip installs
MOST_IN_MAT = 2**31 - 1  # bytes of a variable in a MATLAB file, version 5
LONGEST_FIELD = 63  # characters of a name in MATLAB
PACKED_FROM = 1024  # samples from which columns of HDF5 are compressed


def export(result: Result | InUnits, path: Name, names: Sequence[str] | str | None = None) -> Path:
    """Writes series with their units to a .csv, .xlsx, .h5 or .mat file; it appears only when complete. `names` may
    have patterns such as "slider.*"; all series if none are given."""
    writers = {".csv": write_csv, ".xlsx": write_xlsx, ".h5": write_h5, ".mat": write_mat}
    target = Path(path)
    check_ending(target)
    chosen = choose(result, names)
    with appearing("export()", target) as file:
        writers[target.suffix.lower()](file, result, chosen, names is not None)
    return target


def check_ending(path: Path) -> None:
    """Refuses a file that does not say by its ending what kind it is to be, or whose library is missing."""
    if path.suffix.lower() not in ENDINGS:
        raise ModelError(f"export(): {path.name!r} does not say what kind of file is wanted.\n"
                         f"  Give it a name that ends in {KINDS}.")
    if path.suffix.lower() in LIBRARIES:
        name, extra = LIBRARIES[path.suffix.lower()]
        library(name, f"writing {path.suffix.lower()} files needs {name}", extra)


def write_h5(file: IO[bytes], result: Result | InUnits, names: Sequence[str], selected: bool) -> None:
    """/t and /channels/<name>, each with its unit; what the run was as attributes of the root; the model as
    /model_yaml. Texts have a fixed length and the format is that of HDF5 1.8, which has check sums: the library that
    reads HDF5 does not survive damaged texts of variable length. It is made in memory, since the library does not
    survive a full disk either."""
    import h5py

    packed = {"compression": "gzip", "shuffle": True} if len(result.t) >= PACKED_FROM else {}
    with h5py.File("memory", "w", driver="core", backing_store=False, libver=("v108", "v108")) as book:
        book.create_dataset("model_yaml", **_fixed(h5py, _model_text(run_of(result))))
        _set(h5py, book, run_attributes(run_of(result)))
        _set(h5py, book.create_dataset("t", data=result.t, **packed), {"unit": "s"})
        group = book.create_group("channels")
        for k, name in enumerate(names):
            key = name.replace("/", "%2F")  # "/" parts groups in HDF5
            column = group.create_dataset(f"{key} ({k})" if key in group else key, data=result[name], **packed)
            _set(h5py, column, {"name": name, "unit": result.unit(name), "index": k})
        book.flush()
        image = book.id.get_file_image()
    file.write(image)


def _set(h5py: Any, owner: Any, attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        owner.attrs.create(name, **(_fixed(h5py, value) if isinstance(value, str) else {"data": value}))


def _fixed(h5py: Any, text: str) -> dict[str, Any]:
    """A text of fixed length, in UTF-8."""
    data = text.encode()
    return {"data": np.bytes_(data), "dtype": h5py.string_dtype("utf-8", max(1, len(data)))}


def run_attributes(result: Result) -> dict[str, Any]:
    """The run in names and values that HDF5 can hold."""
    return {"vincolo": __version__, "model": result.system.name, **asdict(result.settings),
            "units": ", ".join(result.settings.units), "complete": result.complete, "reason": result.reason or ""}


def _model_text(result: Result) -> str:
    """The model as YAML; if that cannot be, a comment that says why."""
    try:
        return yaml_text(result.model)
    except (VincoloError, ImportError) as error:
        return "".join(f"# {line}\n" for line in ("The model is not in this file:", *str(error).splitlines()))


def yaml_text(model: Model) -> str:
    """A model as save_model() writes it."""
    with tempfile.TemporaryDirectory() as folder:
        return save_model(model, Path(folder) / "model.yaml").read_text(encoding="utf-8")


def write_mat(file: IO[bytes], result: Result | InUnits, names: Sequence[str], selected: bool) -> None:
    """A struct `result` with t, names, units, data (a column for each name), and the same columns as fields of
    result.channels under names that MATLAB allows."""
    from scipy.io import savemat

    size = 8 * len(result.t) * (2 * len(names) + 1) + 1000 * len(names)
    if size > MOST_IN_MAT:
        raise ModelError(f"export(): {len(result.t):,} samples of {len(names):,} series are {size / 1e9:.1f} GB; a "
                         "MATLAB file of version 5 holds 2 GB.\n"
                         "  Choose series with names=, or write .h5, which MATLAB reads with h5read().")
    data = np.column_stack([result[n] for n in names]) if names else np.zeros((len(result.t), 0))
    fields = field_names(names)
    columns = {field: data[:, [k]] for k, field in enumerate(fields)}
    savemat(file, {"result": {
        "model": run_of(result).system.name, "t": result.t[:, None], "names": _cells(names),
        "units": _cells([result.unit(n) for n in names]), "fields": _cells(fields), "data": data,
        "channels": columns or np.zeros((0, 0))}}, long_field_names=True, do_compression=True)


def _cells(texts: Sequence[str]) -> Any:
    """A column of texts as a cell array."""
    found = np.empty((len(texts), 1), dtype=object)
    found[:, 0] = texts
    return found


def field_names(names: Sequence[str]) -> list[str]:
    """Names that MATLAB allows for fields: letters, digits and underscores, a letter first, each once."""
    found: dict[str, None] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = (plain if plain[:1].isalpha() else f"x{plain}")[:LONGEST_FIELD]
        field, k = plain, 1
        while field in found:
            k += 1
            field = f"{plain[:LONGEST_FIELD - len(str(k)) - 1]}_{k}"
        found[field] = None
    return list(found)
