"""What a study found: one table, with the reasons of variants that failed."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.results.columns import header
from vincolo.studies.plan import Plan
from vincolo.studies.variants import ModelVariants, Variants

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.results import Result

PIECE = 8192  # rows that are read together
NOT_DONE = "it was not evaluated"
LISTED = 5
SUFFIXES = (".csv", ".parquet", ".h5", ".hdf5")


def told_time(seconds: float) -> str:
    """A time in words."""
    for size, name in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.0f} s"


@dataclass(frozen=True, eq=False)
class Study:
    """Parameters and outputs of all variants; outputs are NaN where a variant failed, with its reason in `failures`."""

    subject: Variants
    plan: Plan
    values: Array  # (variants, outputs)
    failures: dict[int, str]
    done: tuple[tuple[int, int], ...] = field(repr=False)  # pieces of variants that were evaluated
    reason: str | None = None  # why not all of them
    axes: dict[str, Any] | None = None  # columns that a page begins with: x, y, colour, and the signs of a front

    def __len__(self) -> int:
        return self.plan.count

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what was varied."""
        return self.plan.names

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of what was kept of each variant."""
        return self.subject.outputs

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns with numbers."""
        return (*self.parameters, *self.outputs)

    @property
    def complete(self) -> bool:
        """Whether all variants were evaluated."""
        return self.reason is None

    def __getitem__(self, name: str) -> Array:
        """A column by its name."""
        if name in self.outputs:
            return np.array(self.values[:, self.outputs.index(name)])
        if name not in self.parameters:
            raise ModelError(f"study: there is no column {name!r}.{suggest(str(name), self.columns)}\n"
                             f"  Columns: {', '.join(self.columns)}.")
        return np.array(self.plan.rows(0, len(self))[:, self.parameters.index(name)])

    def variant(self, k: int) -> dict[str, float]:
        """All numbers of a variant, by names."""
        n = self._number(k)
        return dict(zip(self.columns, [*self.plan.rows(n, n + 1)[0].tolist(), *self.values[n].tolist()], strict=True))

    def _number(self, k: Any) -> int:
        """The number of a variant; those below zero count from the end."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"study: {k!r} is not the number of a variant, from 0 to {len(self) - 1:,}.")
        return int(k) % len(self)

    def best(self, output: str, largest: bool = False) -> int:
        """The number of the variant with the smallest, or largest, output."""
        column = self[output]
        if np.isnan(column).all():
            raise ModelError(f"study: no variant has {output!r}.\n  {self.told_failures()}")
        return int(np.nanargmax(column) if largest else np.nanargmin(column))

    def model(self, k: int) -> Model:
        """The model of a variant, to be looked at: study.model(7).show()."""
        return self._runs("model()").subject.changed(self._deviations(k))

    def run(self, k: int) -> Result:
        """The whole run of a variant again: study.run(7).show()."""
        return self._runs("run()").subject.run(self._deviations(k))

    def show(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Shows variants as dots and lines in the browser: one that is chosen is run, and shown in motion (options:
        port, host, open_browser, block); or writes an .html file that needs no network (options: runs, the numbers of
        variants that are in it with their motion, and title)."""
        if path is not None:
            from vincolo.view.study_page import write_study

            return write_study(self, path, **options)
        from vincolo.view.live import show_study

        return show_study(self, **options)

    def _runs(self, who: str) -> ModelVariants:
        if not isinstance(self.subject, ModelVariants):
            raise ModelError(f"{who}: this study is of a function that returns numbers, not of models.")
        return self.subject

    def _deviations(self, k: int) -> dict[str, float]:
        n = self._number(k)
        off = self.plan.rows(n, n + 1)[0] - self._runs("run()").nominal
        return dict(zip(self.parameters, off.tolist(), strict=True))

    def told_reason(self, k: int) -> str:
        """Why a variant has no outputs; "" if it has."""
        known = self.failures.get(k)
        if known is not None:
            return known
        return "" if any(start <= k < stop for start, stop in self.done) else NOT_DONE

    def pieces(self) -> Iterator[tuple[Array, list[str]]]:
        """Rows (variants, columns) with their reasons, some thousands at a time."""
        for start in range(0, len(self), PIECE):
            stop = min(start + PIECE, len(self))
            rows = np.hstack([self.plan.rows(start, stop), self.values[start:stop]])
            yield rows, [self.told_reason(k) for k in range(start, stop)]

    @property
    def heads(self) -> list[str]:
        """Names of columns with units."""
        return [*self.parameters, *(header(n, u) for n, u in zip(self.outputs, self.subject.units, strict=True))]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the table: .csv, .parquet or .h5; piece by piece, so that it may be larger than the memory."""
        writers = {".csv": self._csv, ".parquet": self._parquet, ".h5": self._hdf5, ".hdf5": self._hdf5}
        suffix = Path(path).suffix.lower()
        if suffix not in writers:
            raise ModelError(f"study: {str(path)!r}: a table is written as {', '.join(SUFFIXES)}.")
        with appearing("study", path) as file:
            writers[suffix](file)
        return Path(path)

    def _csv(self, file: Any) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["variant", *self.heads, "reason"])
        number = 0
        for values, reasons in self.pieces():
            for row, why in zip(values.tolist(), reasons, strict=True):
                rows.writerow([number, *map(repr, row), why])
                number += 1
        text.detach()

    def _parquet(self, file: Any) -> None:
        arrow = library("pyarrow", "study: a table in Parquet needs the package 'pyarrow'", "'vincolo[studies]'",
                        "; or write .csv or .h5.")
        parquet = library("pyarrow.parquet", "study: Parquet", "'vincolo[studies]'")
        schema = arrow.schema([*((head, arrow.float64()) for head in self.heads), ("reason", arrow.string())])
        with parquet.ParquetWriter(file, schema) as writer:
            for values, reasons in self.pieces():
                writer.write_table(arrow.table([*(arrow.array(c) for c in values.T), arrow.array(reasons)],
                                               schema=schema))

    def _hdf5(self, file: Any) -> None:
        h5 = library("h5py", "study: a table in HDF5 needs the package 'h5py'", "'vincolo[formats]'",
                     "; or write .csv.")
        with h5.File(file, "w") as out:
            table = out.create_dataset("table", (len(self), len(self.heads)), dtype="f8")
            table.attrs["columns"] = self.heads
            at = 0
            for values, _ in self.pieces():
                table[at: at + len(values)] = values
                at += len(values)
            out.create_dataset("failed", data=np.array(sorted(self.failures), dtype="i8"))
            reasons = [self.failures[k] for k in sorted(self.failures)]
            out.create_dataset("reasons", data=reasons, dtype=h5.string_dtype())

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame; the last column has reasons."""
        pandas = library("pandas", "study: to_pandas() needs the package 'pandas'", "'vincolo[studies]'",
                         "; or save() a .csv file.")
        pieces = list(self.pieces())
        frame = pandas.DataFrame(np.concatenate([rows for rows, _ in pieces]), columns=list(self.columns))
        frame["reason"] = [why for _, reasons in pieces for why in reasons]
        return frame

    def told_failures(self) -> str:
        """How many variants failed, and why; "" if none did."""
        if not self.failures:
            return ""
        listed = Counter(self.failures.values()).most_common(LISTED)
        return f"{len(self.failures):,} failed: " + "; ".join(f"{n:,} x {why}" for why, n in listed)

    def __str__(self) -> str:
        done = sum(stop - start for start, stop in self.done)
        lines = [f"{self.subject.name}: {done:,} of {len(self):,} variants over {', '.join(self.parameters)}"]
        lines += [f"  not complete  {self.reason}"] if self.reason else []
        lines.append(f"  failed        {self.told_failures() or 'none'}")
        for name, unit in zip(self.outputs, self.subject.units, strict=True):
            column = self[name]
            good = column[~np.isnan(column)]
            told = "no variant has it" if not len(good) else (
                f"{good.min():.6g} to {good.max():.6g}{f' {unit}' if unit else ''}, mean {good.mean():.6g}, standard "
                f"deviation {good.std():.4g}")
            lines.append(f"  {name:<13} {told}")
        return "\n".join(lines)
