"""How far two results, or a result and measured data, are apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.plots.sheet import Sources, Together, neat_unit
from vincolo.results.columns import Series, choose
from vincolo.results.in_units import run_of
from vincolo.results.result import Result
from vincolo.tables.table import Table

LEAST = 2  # samples in common
HEADS = ("series", "unit", "rms", "largest", "at t [s]", "mean", "rms/range", "correlation")


@dataclass(frozen=True)
class Deviation:
    """How far a series b is from a series a: statistics of b - a, over the times of a that both have."""

    name: str
    unit: str
    rms: float  # root of the mean square
    largest: float  # absolute
    at: float  # time of the largest [s]
    mean: float
    share: float  # rms over the range of a; nan if a is constant
    correlation: float  # from -1 to 1; nan if a or b is constant
    samples: int


@dataclass(frozen=True)
class Comparison:
    """Deviations of several series; print it for a table."""

    first: str
    second: str
    start: float  # [s]
    end: float  # [s]
    deviations: tuple[Deviation, ...]

    def __getitem__(self, name: str) -> Deviation:
        """The deviation of a series."""
        known = [d.name for d in self.deviations]
        if name not in known:
            raise ModelError(f"{name!r} was not compared.{suggest(str(name), known)}\n  Compared: {', '.join(known)}.")
        return self.deviations[known.index(name)]

    def __contains__(self, name: object) -> bool:
        return any(d.name == name for d in self.deviations)

    def __iter__(self) -> Iterator[str]:
        return iter([d.name for d in self.deviations])

    def __len__(self) -> int:
        return len(self.deviations)

    def __str__(self) -> str:
        rows = [HEADS, *(_cells(d) for d in self.deviations)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADS))]
        lines = [f"{self.second} against {self.first}, t = {self.start:.6g} to {self.end:.6g} s"]
        for row in rows:
            texts = [row[k].ljust(widths[k]) if k < 2 else row[k].rjust(widths[k]) for k in range(len(row))]
            lines.append("  " + "  ".join(texts).rstrip())
        return "\n".join(lines)


def _cells(d: Deviation) -> tuple[str, ...]:
    share = f"{100 * d.share:.3g} %" if np.isfinite(d.share) else "-"
    alike = f"{d.correlation:.6f}" if np.isfinite(d.correlation) else "-"
    return (d.name, neat_unit(d.unit), f"{d.rms:.4g}", f"{d.largest:.4g}", f"{d.at:.6g}", f"{d.mean:.4g}", share, alike)


def compare(a: Series, b: Series, names: Sequence[str] | str | None = None, *,
            labels: tuple[str, str] | None = None) -> Comparison:
    """Compares series of two results or tables: b, interpolated linearly, at the times of a that lie within b. All
    series that both have, if no names are given."""
    for source in (a, b):
        if not isinstance(run_of(source), Result | Table):
            raise ModelError(f"compare(): {type(source).__name__} is neither a result nor a table.\n"
                             "  Read measured data with read_measured(path).")
    here, times = _overlap(a, b)
    chosen = _common(a, b, names)
    first, second = labels or (_title(a, "the first"), _title(b, "the second"))
    found = tuple(_deviation(a, b, name, here) for name in chosen)
    return Comparison(first, second, float(times[0]), float(times[-1]), found)


def _title(source: Any, other: str) -> str:
    found = run_of(source)
    return str(found.system.name if isinstance(found, Result) else found.title) or other


def _overlap(a: Series, b: Series) -> tuple[Array, Array]:
    """Which samples of a lie within b, and their times."""
    for source in (a, b):
        if not (np.isfinite(source.t).all() and (np.diff(source.t) >= 0).all()):
            raise ModelError(f"compare(): the time of {_title(source, 'a table')!r} goes back, or is not finite.\n"
                             "  Sort the samples by time.")
    span = [f"{s.t[0]:g} to {s.t[-1]:g} s" if len(s.t) else "none" for s in (a, b)]
    here = (a.t >= b.t[0]) & (a.t <= b.t[-1]) if len(a.t) and len(b.t) else np.zeros(len(a.t), dtype=bool)
    if np.count_nonzero(here) < LEAST:
        raise ModelError(f"compare(): the two have no times in common: {span[0]} and {span[1]}.\n"
                         "  Bring the times to the same beginning and unit, as with read_measured(path, scale=..., "
                         "shift=...).")
    return here, a.t[here]


def _common(a: Series, b: Series, names: Sequence[str] | str | None) -> list[str]:
    if names is None:
        others = set(b.keys())
        chosen = [name for name in a.keys()[1:] if name in others and a.unit(name) == b.unit(name)]
        if not chosen:
            raise ModelError("compare(): the two have no series of the same name and unit.\n"
                             "  Name those of measured data with read_measured(path, names={'column': 'O.angle'}).")
        return chosen
    chosen = choose(a, names)
    for name in chosen:
        here, there = a.unit(name), b.unit(name)  # raises if there is none
        if here and there and here != there:
            raise ModelError(f"compare(): {name!r} is in {here} in one and in {there} in the other.\n"
                             "  Bring it to one unit, as with read_measured(path, scale={'column': factor}).")
    return chosen


def _deviation(a: Series, b: Series, name: str, here: Array) -> Deviation:
    t, x = a.t[here], a[name][here]
    known = np.isfinite(b[name])
    y = np.interp(t, b.t[known], b[name][known]) if known.any() else np.full(len(t), np.nan)
    whole = np.isfinite(x) & np.isfinite(y)
    if np.count_nonzero(whole) < LEAST:
        raise ModelError(f"compare(): {name!r} has no finite numbers in common.\n  Look at both with plot().")
    t, x, y = t[whole], x[whole], y[whole]
    apart, extent = y - x, float(np.ptp(x))
    worst = int(np.argmax(np.abs(apart)))
    rms = float(np.sqrt(np.mean(apart**2)))
    alike = float(np.corrcoef(x, y)[0, 1]) if extent > 0 and np.ptp(y) > 0 else float("nan")
    return Deviation(name, a.unit(name) or b.unit(name), rms, float(abs(apart[worst])), float(t[worst]),
                     float(apart.mean()), rms / extent if extent > 0 else float("nan"), alike, len(t))


def remarks_on(sources: Sources, names: Sequence[str] | str, against: str) -> dict[tuple[int, str], str]:
    """What the legend says about sources that are compared with the first: rms and its share of the range."""
    if len(sources) < 2 or against != "t":
        raise ModelError("plot(): errors are those of several results over time.\n"
                         "  Pass [('model', a), ('measured', b)], and leave out against=.")
    together, first, found = Together(sources), sources[0][1], {}
    for n, (_, source) in enumerate(sources[1:], 1):
        here = _overlap(first, source)[0]
        for name in choose(together, names):
            if together.has(first, name) and together.has(source, name) and first.unit(name) == source.unit(name):
                found[n, name] = _remark(_deviation(first, source, name, here))
    return found


def _remark(d: Deviation) -> str:
    share = f", {100 * d.share:.2g} %" if np.isfinite(d.share) else ""
    return f" (rms {d.rms:.3g}{' ' + neat_unit(d.unit) if d.unit else ''}{share})"
