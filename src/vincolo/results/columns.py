"""Columns of numbers: what has series by name, which of them are chosen, how they are headed, and as CSV."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.results.in_units import InUnits
    from vincolo.results.result import Result

FORMULA = ("=", "+", "-", "@")  # how formulas begin in programs for spreadsheets


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
    csv.writer(line, lineterminator="\n").writerow([f"'{head}" if like_formula(head) else head for head in heads])
    return line.getvalue().encode(errors="backslashreplace")


def like_formula(head: str) -> bool:
    """Whether a program for spreadsheets would take a head for a formula."""
    return head.lstrip("'")[:1] in FORMULA


def gathered(result: Result | InUnits, names: Sequence[str]) -> dict[str, Array]:
    """Several series, in one pass over a record that is in a file."""
    parts = [[np.array(block[name]) for name in names] for block in result.blocks()]
    return dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True)) if names else {}


def write_csv(file: IO[bytes], result: Result | InUnits, names: Sequence[str], selected: bool) -> None:
    """One line of heads such as `slider.x [m]`, then numbers with 17 digits, which are exact."""
    file.write(head_line([header(n, result.unit(n)) for n in ("t", *names)]))
    for block in result.blocks():
        table = np.column_stack([block[n] for n in ("t", *names)])
        np.savetxt(file, table, delimiter=",", fmt="%.17g", encoding="utf-8")


def csv_file(result: Result | InUnits, path: str | os.PathLike[str], names: Sequence[str] | str | None) -> Path:
    """A CSV file of series; it appears only when complete."""
    chosen = choose(result, names)
    with appearing("to_csv()", path) as file:
        write_csv(file, result, chosen, names is not None)
    return Path(path)
