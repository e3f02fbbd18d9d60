"""Tables of series over time with names and units: chosen from results, and read back from files."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.formats.report import FileError
from vincolo.model.geometry import Array

FORMULA = ("=", "+", "-", "@")  # how formulas begin in programs for spreadsheets
TIME = ("t", "time")  # what the first column may be called
KINDS = ".csv, .xlsx, .h5 or .mat"
MOST_VALUES = 500_000_000  # numbers in one table


class Series(Protocol):
    """What has series by name: a Result or a Table."""

    @property
    def t(self) -> Array:
        """Times [s]."""

    def keys(self) -> list[str]:
        """Names of all series, "t" first."""

    def unit(self, name: str) -> str:
        """The unit of a series."""

    def __getitem__(self, name: str) -> Array: ...


@dataclass(frozen=True, eq=False)
class Table:
    """Series over time t [s], from a file or from measurement: table["slider.x"], table.unit("slider.x")."""

    names: tuple[str, ...]  # without the time
    units: tuple[str, ...]
    t: Array
    columns: Mapping[str, Array]
    title: str = ""

    def keys(self) -> list[str]:
        """Names of all series, "t" first."""
        return ["t", *self.names]

    def unit(self, name: str) -> str:
        """The unit of a series; "" if it is not known."""
        self._check(name)
        return "s" if name == "t" else self._units[name]

    @cached_property
    def _units(self) -> dict[str, str]:
        return dict(zip(self.names, self.units, strict=True))

    def __getitem__(self, name: str) -> Array:
        self._check(name)
        return self.t if name == "t" else self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name == "t" or name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.t)

    def _check(self, name: str) -> None:
        if name != "t" and name not in self.columns:
            shown = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
            raise ModelError(f"the table {self.title!r} has no column called {name!r}.\n"
                             f"  Columns: {shown or 'none'}.{suggest(str(name), self.names)}")

    def __repr__(self) -> str:
        return f"Table({self.title!r}: {len(self.names)} columns, {len(self.t)} samples)"


def choose(source: Series, names: Sequence[str] | str | None) -> list[str]:
    """The names of series asked for, without "t": all of them, or those that names and patterns such as "slider.*"
    give, each once and in that order."""
    known = source.keys()
    if names is None:
        return known[1:]
    found: dict[str, None] = {}
    for name in [names] if isinstance(names, str) else names:
        if isinstance(name, str) and name not in known and ("*" in name or "?" in name):
            found.update(dict.fromkeys(_fitting(name, known)))
        else:
            source.unit(name)  # raises if there is none
            found[name] = None
    return [name for name in found if name != "t"]


def _fitting(pattern: str, known: Sequence[str]) -> list[str]:
    """Names that fit a pattern: "*" is any text, "?" any character."""
    text = "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in re.sub(r"\*+", "*", pattern))
    found = [name for name in known if re.fullmatch(text, name, re.DOTALL)]
    if not found:
        end = pattern.rpartition(".")[2]
        owners = dict.fromkeys(name.rpartition(".")[0] for name in known if "." in name)
        near = suggest(pattern, [f"{owner}.{end}" for owner in owners])
        raise ModelError(f"no channel matches the pattern {pattern!r}.{near}\n"
                         "  '*' stands for any text, as in 'slider.*' or '*.reaction.force'; keys() lists all names.")
    return found


def header(name: str, unit: str) -> str:
    """The head of a column: `slider.x [m]`."""
    return f"{name} [{unit}]" if unit or name.endswith("]") or name != name.rstrip() else name


def head_line(heads: Sequence[str]) -> bytes:
    """The first line of a CSV file. A head that a program for spreadsheets would take for a formula gets the sign ' in
    front, with which such programs mark texts."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([f"'{head}" if _like_formula(head) else head for head in heads])
    return line.getvalue().encode(errors="backslashreplace")


def heads_in(line: str, comma: str) -> list[str]:
    """The heads in the first line of a CSV file."""
    heads = next(csv.reader([line], delimiter=comma), [])
    return [head[1:] if head.startswith("'") and _like_formula(head) else head for head in heads]


def _like_formula(head: str) -> bool:
    return head.lstrip("'")[:1] in FORMULA


def parted(head: str) -> tuple[str, str]:
    """Name and unit in the head of a column; the unit is "" if none is given."""
    match = re.fullmatch(r"(.*?) ?\[([^\[\]]*)\]", head.strip(), re.DOTALL)
    return (match[1], match[2].strip()) if match and match[1].strip() else (head.strip(), "")


def read_table(path: str | os.PathLike[str]) -> Table:
    """The table in a .csv, .xlsx, .h5 or .mat file, as Result.export() writes it, or of measured data: a first column
    t [s], and heads such as `angle [rad]`."""
    from vincolo.results import table_files

    target = Path(path)
    readers: dict[str, Callable[[Path], Table]] = {
        ".csv": table_files.read_csv, ".xlsx": table_files.read_xlsx, ".h5": table_files.read_h5,
        ".mat": table_files.read_mat}
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


def table_of(path: Path, heads: Iterable[tuple[str, str]], columns: Sequence[Any]) -> Table:
    """A table from what a file has, the first column being the time; checked."""
    named = list(heads)
    if not named or named[0][0].lower() not in TIME:
        first = f"is called {named[0][0]!r}" if named else "is missing"
        raise FileError(f"{path.name}: the first column {first}; it must be the time.\n  Call it `t [s]`.")
    if named[0][1] not in ("s", ""):
        raise FileError(f"{path.name}: the time is in {named[0][1]!r}; it must be in seconds.\n"
                        "  Convert it, and call the column `t [s]`.")
    names = [name for name, _ in named[1:]]
    taken = {"t"}
    for k, name in enumerate(names):
        if not name.strip() or name in taken:
            what = "has no name" if not name.strip() else f"is called {name!r} like another one"
            raise FileError(f"{path.name}: column {k + 2} {what}.\n  Give each column a name of its own.")
        taken.add(name)
    arrays = [np.ascontiguousarray(column, dtype=float) for column in columns]
    for name, array in zip(["t", *names], arrays, strict=True):
        if array.shape != arrays[0].shape or array.ndim != 1:
            raise FileError(f"{path.name}: the column {name!r} has {array.size} values, the time {arrays[0].size}.\n"
                            "  Every column needs one number for each time.")
    return Table(tuple(names), tuple(unit for _, unit in named[1:]), arrays[0],
                 dict(zip(names, arrays[1:], strict=True)), path.stem)
