"""The numbers of a plot as a CSV table: one column for each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from vincolo.model.geometry import Array
from vincolo.plots.sheet import Sources
from vincolo.results.columns import head_line, header


@dataclass(frozen=True, eq=False)
class Column:
    """A series over what the first column has, such as the time."""

    head: str
    key: Array
    values: Array


def columns_of(sources: Sources, names: Sequence[str]) -> list[Column]:
    """The series of all sources over time; with several sources their labels are in the heads."""
    found: list[Column] = []
    taken: set[str] = set()
    for number, (label, source) in enumerate(sources, 1):
        known = set(source.keys())
        for name in names:
            if name in known and name != "t":
                full = name if len(sources) == 1 else f"{name}, {label or number}"
                full = full if full not in taken else f"{full} ({number})"
                taken.add(full)
                found.append(Column(header(_line(full), source.unit(name)), source.t, source[name]))
    return found


def _line(text: str) -> str:
    """A text without what ends a line."""
    return " ".join(text.split()) if not text.isprintable() else text


def write_columns(file: IO[bytes], head: str, columns: Sequence[Column]) -> None:
    """All columns over the union of their keys, `nan` where one has no sample; numbers of 17 digits, which are
    exact."""
    file.write(head_line([head, *(c.head for c in columns)]))
    np.savetxt(file, _merged(columns), fmt="%.17g", delimiter=",")


def _merged(columns: Sequence[Column]) -> Array:
    """Keys and values in columns. A key that comes n times in a series has n rows."""
    first = columns[0].key
    if all(c.key is first or np.array_equal(c.key, first) for c in columns):
        return np.column_stack([first, *(c.values for c in columns)])
    keyed = [_counted(c.key) for c in columns]
    rows = np.unique(np.concatenate(keyed), axis=0)
    number = {(float(t), int(n)): k for k, (t, n) in enumerate(rows)}
    data = np.full((len(rows), len(columns) + 1), np.nan)
    data[:, 0] = rows[:, 0]
    for c, (column, keys) in enumerate(zip(columns, keyed, strict=True), 1):
        finite = column.values[np.isfinite(column.key)]
        data[[number[float(t), int(n)] for t, n in keys], c] = finite
    return data


def _counted(key: Array) -> Array:
    """Each finite key, and how often it came before."""
    seen: dict[float, int] = {}
    found = []
    for t in key[np.isfinite(key)].tolist():
        found.append((t, seen.get(t, 0)))
        seen[t] = seen.get(t, 0) + 1
    return np.array(found, dtype=float).reshape(-1, 2)
