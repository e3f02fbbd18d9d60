"""Studies in pictures: parallel coordinates, response surfaces, tornados, scatter matrices and Pareto fronts, as PNG,
SVG or PDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.plots.figure import PathLike
from vincolo.studies.optimise import Optimum
from vincolo.studies.table import Study

KINDS = (".png", ".svg", ".pdf")
MOST_LINES = 2000  # variants drawn as lines or dots; more are thinned out
SHARE = 5  # a tornado compares the lowest and the highest fifth of each parameter
BLUE, ORANGE = "#2a6fbb", "#d9772b"


@contextmanager
def _picture(who: str, path: PathLike, size: tuple[float, float]) -> Iterator[Any]:
    """An empty figure that is written when it is filled."""
    suffix = Path(path).suffix.lower()
    if suffix not in KINDS:
        raise ModelError(f"{who}: {str(path)!r}: pictures of studies are {', '.join(KINDS)}.")
    needed = f"{who} needs matplotlib"
    matplotlib = library("matplotlib", needed, "'vincolo[view]'")
    figures = library("matplotlib.figure", needed, "'vincolo[view]'")
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "font.size": 10, "axes.spines.top": False,
                                "axes.spines.right": False}):
        figure = figures.Figure(figsize=size, layout="constrained")
        yield figure
        with appearing(who, path) as file:
            figure.savefig(file, format=suffix[1:], dpi=120)


def _good(found: Study, names: Sequence[str] | None) -> tuple[list[str], Array]:
    """Columns of variants that have outputs, some of them if they are many."""
    chosen = list(names or found.columns)
    table = np.stack([found[name] for name in chosen], axis=-1)
    table = table[np.isfinite(np.stack([found[o] for o in found.outputs], axis=-1)).all(axis=1)]
    if len(table) < 2:
        raise ModelError(f"study: {len(table)} variants have outputs; two are needed for a picture.\n"
                         f"  {found.told_failures()}")
    return chosen, table[:: -(-len(table) // MOST_LINES)]


def _head(found: Study, name: str) -> str:
    unit = dict(zip(found.outputs, found.subject.units, strict=True)).get(name, "")
    return f"{name} [{unit}]" if unit else name


def plot_parallel(found: Study, path: PathLike, *, names: Sequence[str] | None = None, by: str | None = None) -> Path:
    """One line for each variant over all columns, each from its least to its greatest value; coloured by one of them,
    the last if not said."""
    chosen, table = _good(found, names)
    colour = table[:, chosen.index(by)] if by in chosen else table[:, -1]
    low, span = table.min(axis=0), np.ptp(table, axis=0)
    lines = (table - low) / np.where(span > 0, span, 1.0)
    with _picture("plot_parallel()", path, (1.6 * len(chosen) + 1.5, 4.2)) as figure:
        axes = figure.subplots()
        collections = library("matplotlib.collections", "plot_parallel() needs matplotlib", "'vincolo[view]'")
        places = np.arange(len(chosen))
        drawn = collections.LineCollection([np.stack([places, line], axis=-1) for line in lines], cmap="viridis",
                                           linewidths=0.8, alpha=0.6)
        drawn.set_array(colour)
        axes.add_collection(drawn)
        axes.set(xlim=(0, len(chosen) - 1), ylim=(-0.02, 1.02), yticks=[], title=found.subject.name)
        axes.set_xticks(places, [f"{_head(found, n)}\n{a:.4g} to {a + s:.4g}" for n, a, s in
                                 zip(chosen, low, span, strict=True)])
        for place in places:
            axes.axvline(place, color="0.6", linewidth=0.8)
        figure.colorbar(drawn, ax=axes, label=_head(found, by if by in chosen else chosen[-1]))
    return Path(path)


def plot_surface(found: Study, x: str, y: str, output: str, path: PathLike) -> Path:
    """An output over two parameters: lines of equal value between the variants, which are dots."""
    _, table = _good(found, [x, y, output])
    if len(table) < 4 or min(np.ptp(table[:, 0]), np.ptp(table[:, 1])) == 0:
        raise ModelError(f"plot_surface(): {x!r} and {y!r} must both vary, over four variants at least.")
    with _picture("plot_surface()", path, (6.4, 5.0)) as figure:
        axes = figure.subplots()
        drawn = axes.tricontourf(*table.T, levels=16, cmap="viridis")
        axes.plot(table[:, 0], table[:, 1], ".", color="black", markersize=2)
        axes.set(xlabel=_head(found, x), ylabel=_head(found, y), title=found.subject.name)
        figure.colorbar(drawn, ax=axes, label=_head(found, output))
    return Path(path)


def tornado(found: Study, output: str) -> dict[str, tuple[float, float]]:
    """Mean of an output over the lowest and over the highest fifth of each parameter, largest difference first."""
    _, table = _good(found, [*found.parameters, output])
    y, ends = table[:, -1], {}
    for k, name in enumerate(found.parameters):
        low, high = np.quantile(table[:, k], [1 / SHARE, 1 - 1 / SHARE])
        ends[name] = float(y[table[:, k] <= low].mean()), float(y[table[:, k] >= high].mean())
    return dict(sorted(ends.items(), key=lambda item: -abs(item[1][1] - item[1][0])))


def plot_tornado(found: Study, output: str, path: PathLike) -> Path:
    """What an output is in the mean where each parameter is low and where it is high; the largest difference on top."""
    ends = tornado(found, output)
    middle = float(np.nanmean(found[output]))
    with _picture("plot_tornado()", path, (7.0, 1.2 + 0.45 * len(ends))) as figure:
        axes = figure.subplots()
        for k, (low, high) in enumerate(reversed(list(ends.values()))):
            axes.barh(k, low - middle, left=middle, color=BLUE, label="low" if k == 0 else None)
            axes.barh(k, high - middle, left=middle, color=ORANGE, label="high" if k == 0 else None)
        axes.set_yticks(range(len(ends)), list(reversed(ends)))
        axes.axvline(middle, color="black", linewidth=0.8)
        axes.set(xlabel=_head(found, output), title=found.subject.name)
        axes.legend(title="parameter is", loc="lower right")
    return Path(path)


def plot_scatter_matrix(found: Study, path: PathLike, *, names: Sequence[str] | None = None) -> Path:
    """Every column over every other, with histograms on the diagonal."""
    chosen, table = _good(found, names)
    n = len(chosen)
    with _picture("plot_scatter_matrix()", path, (1.9 * n + 0.6, 1.9 * n + 0.6)) as figure:
        grid = np.atleast_2d(figure.subplots(n, n, squeeze=False))
        for i in range(n):
            for j in range(n):
                if i == j:
                    grid[i, j].hist(table[:, i], bins=20, color=BLUE)
                else:
                    grid[i, j].plot(table[:, j], table[:, i], ".", markersize=2, color=BLUE)
                if i == n - 1:
                    grid[i, j].set_xlabel(_head(found, chosen[j]))
                if j == 0:
                    grid[i, j].set_ylabel(_head(found, chosen[i]))
    return Path(path)


def plot_front(found: Optimum, path: PathLike) -> Path:
    """A Pareto front of two goals: points that no other variant beats in both."""
    if found.goals.shape[1] != 2 or len(found.goals) < 2:
        raise ModelError(f"plot_front(): {found.goals.shape[1]} goals and {len(found.goals)} points; a front of two "
                         "goals is needed.")
    names = list(found.outputs)
    order = np.argsort(found.goals[:, 0])
    with _picture("plot_front()", path, (6.0, 4.6)) as figure:
        axes = figure.subplots()
        axes.plot(*found.goals[order].T, "o-", color=BLUE, markersize=4, linewidth=0.8)
        axes.set(xlabel=names[0], ylabel=names[1], title=f"front of {len(order)} points")
    return Path(path)
