"""Tables of series over time with names and units: chosen from results, and read back from files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import FileError, ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.results.columns import like_formula

TIME = ("t", "time")  # what the first column may be called
KINDS = ".csv, .xlsx, .h5 or .mat"
MOST_VALUES = 500_000_000  # numbers in one table


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


def heads_in(line: str, comma: str) -> list[str]:
    """The heads in the first line of a CSV file."""
    heads = next(csv.reader([line], delimiter=comma), [])
    return [head[1:] if head.startswith("'") and like_formula(head) else head for head in heads]


def parted(head: str) -> tuple[str, str]:
    """Name and unit in the head of a column; the unit is "" if none is given."""
    match = re.fullmatch(r"(.*?) ?\[([^\[\]]*)\]", head.strip(), re.DOTALL)
    return (match[1], match[2].strip()) if match and match[1].strip() else (head.strip(), "")


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
