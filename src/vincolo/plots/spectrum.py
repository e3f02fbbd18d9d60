"""spectrum(): which frequencies are in a series, and how much of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.plots.columns import columns_of
from vincolo.plots.draw import drawn, labelled_sources, title_of
from vincolo.plots.figure import PathLike, checked_target
from vincolo.plots.sheet import Together, arrange, chosen_names
from vincolo.results.columns import Series
from vincolo.tables.table import Table

WINDOWS = ("hann", "hamming", "blackman", "blackmanharris", "flattop", "boxcar")
LEAST = 8  # samples
FINER = 8  # times more frequencies than samples have by themselves, so that a peak is not missed between two of them
EVEN = 1e-6  # of a step: samples whose distances differ by less are even


def spectrum(sources: Series | Sequence[tuple[str, Series]], names: Sequence[str] | str, *,
             path: PathLike | None = None, window: str = "hann", highest: float | None = None, log: bool = False,
             title: str | None = None) -> Any:
    """Draws the amplitudes of series over frequency [Hz], up to `highest`: a sine of amplitude A gives a peak of height
    A. The mean is taken out. Files and figures are as those of plot()."""
    labelled = labelled_sources("spectrum()", sources)
    target = checked_target("spectrum()", path)
    together = Together(labelled)
    chosen = chosen_names(together, names, len(labelled))
    tables = [(label, spectrum_of(source, [n for n in chosen if together.has(source, n)], window, highest))
              for label, source in labelled]
    name = f"{title_of(labelled)}: amplitudes" if title is None else str(title)
    sheet = replace(arrange(tables, chosen, "t", name, log=log), x_title="frequency [Hz]", equal=False)
    return drawn("spectrum()", sheet, target, columns_of(tables, chosen), "f [Hz]")


def spectrum_of(source: Series, names: Sequence[str], window: str = "hann", highest: float | None = None) -> Table:
    """Amplitudes of series as a table over frequency [Hz], which stands in the place of the time."""
    if window not in WINDOWS:
        raise ModelError(f"spectrum(): there is no window {window!r}.{suggest(str(window), WINDOWS)}\n"
                         f"  Windows: {', '.join(WINDOWS)}.")
    even = even_times(source.t)
    found = {name: amplitudes(even, _on(even, source.t, source[name], name), window) for name in names}
    frequency = next(iter(found.values()))[0] if found else np.zeros(0)
    top = np.inf if highest is None else finite_number("spectrum(): highest", highest)
    if not top > 0:
        raise ModelError(f"spectrum(): highest is {top:g} Hz; it must be positive.")
    kept = frequency <= top
    return Table(tuple(names), tuple(source.unit(name) for name in names), frequency[kept],
                 {name: values[kept] for name, (_, values) in found.items()}, getattr(source, "title", ""))


def even_times(t: Array) -> Array:
    """The times themselves if they are even, else as many even ones between the first and the last."""
    if len(t) < LEAST:
        raise ModelError(f"spectrum(): there are {len(t)} samples; at least {LEAST} are needed.\n"
                         "  Ask simulate() for more outputs.")
    steps = np.diff(t)
    if not (np.isfinite(t).all() and (steps > 0).all()):
        k = int(np.argmin(np.isfinite(t[1:]) & (steps > 0))) + 1
        raise ModelError(f"spectrum(): the time does not increase at sample {k + 1}: {t[k]:g} s after {t[k - 1]:g} s.\n"
                         "  Take that sample out.")
    step = (t[-1] - t[0]) / (len(t) - 1)
    return t if np.abs(steps - step).max() <= EVEN * step else np.linspace(t[0], t[-1], len(t))


def _on(even: Array, t: Array, values: Array, name: str) -> Array:
    """A series at even times, by a cubic spline where it must be interpolated."""
    from scipy.interpolate import CubicSpline  # type: ignore[import-untyped, unused-ignore]

    whole = np.isfinite(values)
    if whole.all() and even is t:
        return values
    if np.count_nonzero(whole) < LEAST:
        raise ModelError(f"spectrum(): {name!r} has {np.count_nonzero(whole)} finite samples; at least {LEAST} are "
                         "needed.\n  Look at it over time first, with plot().")
    return np.asarray(CubicSpline(t[whole], values[whole])(np.clip(even, t[whole][0], t[whole][-1])))


def amplitudes(t: Array, values: Array, window: str) -> tuple[Array, Array]:
    """Frequencies [Hz] and amplitudes of even samples. A power spectrum P holds A^2/2 of a sine, both of its sides
    together; the last frequency has one side only."""
    from scipy.signal import periodogram  # type: ignore[import-untyped, unused-ignore]

    rate = (len(t) - 1) / (t[-1] - t[0])
    count = FINER * len(t)
    frequency, power = periodogram(values, rate, window, count, "constant", scaling="spectrum")
    sides = np.full(len(power), 2.0)
    sides[[0, -1]] = 1.0  # FINER is even, so that the last frequency is half the rate
    return np.asarray(frequency), np.sqrt(sides * power)
