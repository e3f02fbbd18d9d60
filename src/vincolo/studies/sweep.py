"""A model in a file, run again for each value of a number in it: a hardpoint, a mass, a stiffness, a parameter."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import FileError, ModelError, VincoloError
from vincolo.files import appearing
from vincolo.formats import open_model
from vincolo.formats.tree.changes import written
from vincolo.results import Result
from vincolo.results.columns import choose, head_line, header
from vincolo.results.in_units import InUnits
from vincolo.units import quantity

MOST_RUNS = 1000
STATISTICS = ("start", "least", "greatest", "end")
_RANGE = re.compile(r"\s*([^:]+):([^:]+):\s*(\d+)\s*(\D.*)?")
WAY = "Write NAME=FROM:TO:COUNT with a unit, such as LBJ.z=100:140:9mm, or values such as k=20,25,30 N/mm."


@dataclass(frozen=True)
class Variation:
    """A number of the model by its name, its values, and their unit; without one they are in that of their cell."""

    name: str
    values: tuple[float, ...]
    unit: str = ""

    def changes(self) -> list[Any]:
        """The values as changes of a model."""
        return [f"{value!r} {self.unit}" if self.unit else written(value) for value in self.values]


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a sweep: its values, and the result, or why there is none."""

    values: tuple[float, ...]
    result: InUnits | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The runs of a sweep."""

    variations: tuple[Variation, ...]
    runs: tuple[Run, ...]

    def label(self, run: Run) -> str:
        """A run by its values: `LBJ.z = 100 mm`."""
        parts = zip(self.variations, run.values, strict=True)
        return ", ".join(f"{v.name} = {value:.6g}{' ' + v.unit if v.unit else ''}" for v, value in parts)

    def sources(self) -> list[tuple[str, InUnits]]:
        """Results with their labels, as plot() takes them."""
        return [(self.label(run), run.result) for run in self.runs if run.result is not None]

    def table(self, names: Sequence[str]) -> tuple[list[str], list[list[float]]]:
        """Heads and rows: the values, and of each series its start, least, greatest and end; nan where a run failed."""
        whole = [run.result for run in self.runs if run.result is not None]
        chosen = choose(whole[0], names) if whole else list(names)
        heads = [header(v.name, v.unit) for v in self.variations]
        heads += [header(f"{name}, {word}", whole[0].unit(name) if whole else "") for name in chosen
                  for word in STATISTICS]
        return heads, [[*run.values, *_statistics(run.result, chosen)] for run in self.runs]

    def to_csv(self, path: str | os.PathLike[str], names: Sequence[str]) -> Path:
        """Writes the table."""
        heads, rows = self.table(names)
        with appearing("sweep()", path) as file:
            file.write(head_line(heads))
            np.savetxt(file, np.array(rows, dtype=float).reshape(len(rows), len(heads)), delimiter=",", fmt="%.10g")
        return Path(path)


def _statistics(result: InUnits | None, names: Sequence[str]) -> list[float]:
    found: list[float] = []
    for name in names:
        series = np.zeros(0) if result is None else result[name]
        found += ([float(series[0]), float(np.nanmin(series)), float(np.nanmax(series)), float(series[-1])]
                  if len(series) else [math.nan] * len(STATISTICS))
    return found


def variation_of(text: str) -> Variation:
    """A variation from a text such as LBJ.z=100:140:9mm or k=20,25,30 N/mm."""
    name, sign, told = (part.strip() for part in text.partition("="))
    if not name or not sign or not told:
        raise FileError(f"{text!r} does not say what is varied.\n  {WAY}")
    match = _RANGE.fullmatch(told)
    if match:
        values, unit = _spread(text, match), (match[4] or "").strip()
    else:
        *first, last = told.split(",")
        found = quantity(last)
        values = tuple(_number(text, word) for word in (*first, str(found[0]) if found else last))
        unit = found[1].name if found else ""
    if unit and quantity(f"1 {unit}") is None:
        raise FileError(f"{text!r}: there is no unit {unit!r}.\n  {WAY}")
    return Variation(name, values, unit)


def _spread(text: str, match: re.Match[str]) -> tuple[float, ...]:
    first, last, count = _number(text, match[1]), _number(text, match[2]), int(match[3])
    if not 2 <= count <= MOST_RUNS:
        raise FileError(f"{text!r}: {count} values; from 2 to {MOST_RUNS} are possible.\n  {WAY}")
    return tuple(float(v) for v in np.linspace(first, last, count))


def _number(text: str, word: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise FileError(f"{text!r}: {word.strip()!r} is not a number.\n  {WAY}")
    return found


def sweep(path: str | os.PathLike[str], *vary: str | Variation, changes: Mapping[str, Any] | None = None,
          units: Sequence[str] = (), progress: Callable[[int, int], None] | None = None, **options: Any) -> Sweep:
    """Runs the model in a file once for each value, or for each combination if several numbers vary: sweep("car.xlsx",
    "LBJ.z=100:140:9mm"). A run that cannot be made is listed with its reason. `options` are those of Document.run()."""
    varied = tuple(v if isinstance(v, Variation) else variation_of(v) for v in vary)
    names = [v.name for v in varied]
    if not varied or len(set(names)) < len(names):
        raise ModelError(f"sweep(): {'one name is varied twice' if varied else 'nothing is varied'}.\n  {WAY}")
    count = math.prod(len(v.values) for v in varied)
    if count > MOST_RUNS:
        raise ModelError(f"sweep(): these are {count:,} runs; at most {MOST_RUNS:,} are made.\n  Vary by fewer values.")
    runs = []
    for k, (values, given) in enumerate(_combined(varied)):
        runs.append(_run(path, values, {**(changes or {}), **dict(zip(names, given, strict=True))}, units, options))
        if progress is not None:
            progress(k + 1, count)
    return Sweep(varied, tuple(runs))


def _combined(varied: Sequence[Variation]) -> Iterator[tuple[tuple[float, ...], tuple[Any, ...]]]:
    """Values as numbers and as changes, for all combinations."""
    return zip(product(*(v.values for v in varied)), product(*(v.changes() for v in varied)), strict=True)


def _run(path: Any, values: tuple[float, ...], changes: dict[str, Any], units: Sequence[str],
         options: dict[str, Any]) -> Run:
    document = open_model(path, changes)  # a name that is not there is a mistake of the whole
    try:
        result: Result = document.run(**options)
    except VincoloError as error:
        return Run(values, None, str(error))
    return Run(values, result.in_units(*units), result.reason or "")
