"""Readers of tables, one for each kind of file. What they are given is taken for damaged until checked."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import FileError
from vincolo.formats.excel.sheets import read_workbook
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.tables.mat_file import read_struct
from vincolo.tables.table import KINDS, MOST_VALUES, Table, heads_in, parted, table_of

EXPORTED = "Tables are written by result.export()."
LONGEST_NAME = 10_000  # bytes
NUMBERS = "Write numbers such as 0.25 or 2.5e-1, or nan where there is none."


def read_csv(path: Path) -> Table:
    """Text with one line of heads; columns parted by commas, semicolons or tabs."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[:error.start].count(b"\n") + 1
        raise FileError(f"{path.name}, line {line}: this is not text in UTF-8.\n"
                        "  Save it as 'CSV UTF-8 (comma delimited)'.") from None
    first, _, body = text.partition("\n")
    comma = next((c for c in ("\t", ";") if c in first and "," not in first), ",")
    heads = [parted(head) for head in heads_in(first, comma)]
    data = _numbers(path, body if comma != ";" else body.replace(",", "."), comma, len(heads))
    return table_of(path, heads, list(data.T))


def _numbers(path: Path, body: str, comma: str, width: int) -> Array:
    """The numbers under the heads: at once where all is well, else line by line to say where it is not."""
    if not body.strip():
        return np.zeros((0, width))
    try:
        data = np.loadtxt(io.StringIO(body), delimiter=comma, comments=None, ndmin=2)
        if data.shape[1] == width:
            return data
    except (ValueError, OverflowError):
        pass
    return np.array(list(_lines(path, body, comma, width))).reshape(-1, width)


def _lines(path: Path, body: str, comma: str, width: int) -> Iterator[list[float]]:
    for line, cells in enumerate(csv.reader(body.splitlines(), delimiter=comma), 2):
        if not cells:
            continue
        if len(cells) != width:
            raise FileError(f"{path.name}, line {line}: it has {len(cells)} columns, but there are {width} headings.\n"
                            "  Write one value for each column, and nan where there is none.")
        try:
            yield [float(cell.replace("_", "?")) for cell in cells]
        except ValueError:
            wrong = next(cell for cell in cells if not _is_number(cell))
            raise FileError(f"{path.name}, line {line}: {wrong[:40]!r} is not a number.\n  {NUMBERS}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace("_", "?"))
    except ValueError:
        return False
    return True


def read_xlsx(path: Path) -> Table:
    """The sheet "Results", or the first one: heads in row 1, numbers below."""
    book = read_workbook(path)
    sheet = book.sheets.get("Results") or next(iter(book.sheets.values()), None)
    if sheet is None or not sheet.cells:
        raise FileError(f"{path.name}: the workbook has no table.\n  Write headings into row 1, and numbers below.")
    width, height = max(c for _, c in sheet.cells), max(r for r, _ in sheet.cells)
    if width * height > 2 * len(sheet.cells) + 1000:
        raise FileError(f"{path.name}, sheet '{sheet.name}': most of the {height} rows and {width} columns are empty.\n"
                        "  Write headings into row 1, and a number into each cell below.")
    heads = [sheet.get(1, c) for c in range(1, width + 1)]
    data = np.empty((height - 1, width))
    for r in range(2, height + 1):
        for c in range(1, width + 1):
            data[r - 2, c - 1] = _cell(sheet, r, c)
    return table_of(path, [("", "") if head is None else parted(head.text) for head in heads], list(data.T))


def _cell(sheet: Any, row: int, column: int) -> float:
    """A number in a sheet; Excel has no way to store nan and inf but as text."""
    cell = sheet.get(row, column)
    if cell is not None and cell.kind == "text" and cell.value in ("nan", "inf", "-inf"):
        return float(cell.value)
    return float(sheet.number(row, column))


def read_h5(path: Path) -> Table:
    """HDF5: /t, and /channels with a dataset for each series."""
    h5py = library("h5py", "reading .h5 files needs h5py", "h5py")
    with h5py.File(path, "r") as file:
        group = file.get("channels")
        if not isinstance(group, h5py.Group) or "t" not in file:
            raise FileError(f"{path.name}: this HDF5 file has no /t and /channels.\n  {EXPORTED}")
        if any(not isinstance(group.get(key, getlink=True), h5py.HardLink) for key in group):
            raise FileError(f"{path.name}: it has links to other data, which are not followed.\n"
                            "  Copy the data into the file.")
        sets = sorted((_attribute(group[key], "index", "iu"), key) for key in group)
        columns = [_plain(path, h5py, file["t"], "t"), *(_plain(path, h5py, group[key], key) for _, key in sets)]
        if sum(d.size for d in columns) > MOST_VALUES:
            raise FileError(f"{path.name}: it claims more than {MOST_VALUES:,} numbers.\n  Export fewer channels.")
        heads = [(_attribute(d, "name", "S").decode(), _attribute(d, "unit", "S").decode()) for d in columns[1:]]
        return table_of(path, [("t", "s"), *heads], [d[()] for d in columns])


def _plain(path: Path, h5py: Any, found: Any, key: str) -> Any:
    """A dataset of numbers that is in this file."""
    whole = isinstance(found, h5py.Dataset) and found.dtype.kind == "f" and found.ndim == 1
    if not whole or found.is_virtual or found.external:
        raise FileError(f"{path.name}: {key!r} is not a column of numbers.\n  {EXPORTED}")
    return found


def _attribute(owner: Any, name: str, kinds: str) -> Any:
    """A number or a text of fixed length; what else is there is not even read, since damaged texts of variable length
    make the HDF5 library crash."""
    if name not in owner.attrs:
        raise ValueError(f"{owner.name} has no attribute {name!r}")
    about = owner.attrs.get_id(name)
    if about.dtype.kind not in kinds or about.shape != () or about.dtype.itemsize > LONGEST_NAME:
        raise ValueError(f"the attribute {name!r} of {owner.name} is of another kind")
    return owner.attrs[name]


def read_mat(path: Path) -> Table:
    """MATLAB: a struct `result` with t, names, units, data."""
    wanted = ("t", "names", "units", "data")
    found = read_struct(path, "result", wanted)
    if set(found) != set(wanted):
        missing = ", ".join(field for field in wanted if field not in found)
        raise FileError(f"{path.name}: the struct 'result' has no {missing}.\n  {EXPORTED}")
    t, names, units, data = (found[field] for field in wanted)
    if names == [] or (isinstance(names, np.ndarray) and not names.size):
        names, units, data = [], [], np.zeros((np.size(t), 0))
    whole = isinstance(names, list) and isinstance(units, list) and isinstance(t, np.ndarray)
    if not whole or not isinstance(data, np.ndarray) or not len(names) == len(units) == data.shape[1]:
        raise FileError(f"{path.name}: names, units and data of the struct 'result' do not fit together.\n"
                        "  The data need one column for each name.")
    return table_of(path, [("t", "s"), *zip(names, units, strict=True)], [t.ravel(), *data.T])


def read_table(path: str | os.PathLike[str]) -> Table:
    """The table in a .csv, .xlsx, .h5 or .mat file, as Result.export() writes it, or of measured data: a first column
    t [s], and heads such as `angle [rad]`."""
    target = Path(path)
    readers: dict[str, Callable[[Path], Table]] = {
        ".csv": read_csv, ".xlsx": read_xlsx, ".h5": read_h5,
        ".mat": read_mat}
    if target.suffix.lower() not in readers:
        raise FileError(f"{target.name}: it is not a table that can be read.\n  A table ends in {KINDS}.")
    if not target.is_file():
        raise FileError(f"{target.name}: there is no file {str(target)!r}.\n  Check its name and folder.")
    try:
        return readers[target.suffix.lower()](target)
    except (FileError, ImportError):
        raise
    except MemoryError:
        raise FileError(f"{target.name}: the table does not fit into memory.\n  Export fewer channels.") from None
    except Exception as error:  # what libraries raise on damaged files has no end
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(f"{target.name}: the file is damaged, or not a table ({reason}).\n"
                        "  Write it again with result.export().") from None
