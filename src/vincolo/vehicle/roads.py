"""Roads: heights [m] over the world's x, as functions that build_car() takes."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.checks import finite_number
from vincolo.model.functions import Function, PiecewisePolynomial, Spline
from vincolo.model.geometry import Array

#: roughness G_d(n0) [m3] of the classes of ISO 8608 at n0 = 0.1 1/m, the geometric means
ISO_8608 = {name: 16e-6 * 4**k for k, name in enumerate("ABCDEFGH")}
REFERENCE = 0.1  # 1/m
MOST = 200_000  # samples of a road


def _sampled(x: Array, z: Array) -> Function:
    return Spline(tuple(x.tolist()), tuple(z.tolist()))


def bumps(places: Sequence[tuple[float, float, float]], *, level: float = 0.0, step: float = 0.02) -> Function:
    """A level road with bumps (start, length, height) [m], each half of 1 - cos; a negative height is a hole."""
    if not len(places):
        raise ModelError("bumps(): there are no bumps; give (start, length, height) of each [m].")
    rows = np.asarray(places, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all() or (rows[:, 1] <= 0).any():
        raise ModelError(f"bumps(): {places!r} is not a list of (start, length, height) with positive lengths [m].")
    x = _grid(float(rows[:, 0].min()) - 1.0, float((rows[:, 0] + rows[:, 1]).max()) + 1.0, step)
    z = np.full_like(x, level)
    for start, length, height in rows:
        inside = (x > start) & (x < start + length)
        z[inside] += height / 2 * (1 - np.cos(2 * np.pi * (x[inside] - start) / length))
    return _sampled(x, z)


def waves(amplitude: float, length: float, *, start: float = 5.0, end: float = 100.0, level: float = 0.0) -> Function:
    """A sine of an amplitude and wavelength [m] between two places, level before and
    after; it fades in over one wave."""
    a, wave = finite_number("waves(): amplitude", amplitude), finite_number("waves(): length", length)
    if wave <= 0 or end <= start:
        raise ModelError(
            f"waves(): length is {wave:g} m and the waves go from {start:g} to {end:g} m; both must be positive."
        )
    x = _grid(start - 1.0, end + 1.0, wave / 40)
    fade = np.clip((x - start) / wave, 0.0, 1.0) * np.clip((end - x) / wave, 0.0, 1.0)
    return _sampled(x, level + a * fade**2 * (3 - 2 * fade) * np.sin(2 * np.pi * (x - start) / wave))


def rough(
    kind: str = "C",
    length: float = 200.0,
    *,
    seed: int = 1,
    level: float = 0.0,
    step: float = 0.05,
    between: tuple[float, float] = (0.011, 2.83),
) -> Function:
    """A rough road of a class of ISO 8608 (A to H): G_d(n) = G_d(n0) (n/n0)^-2, as sines of random phases between two
    spatial frequencies [1/m]; the same seed gives the same road. It begins level, at x = 0."""
    if kind not in ISO_8608:
        raise ModelError(
            f"rough(): there is no class {kind!r} of ISO 8608; classes: {', '.join(ISO_8608)}."
            f"{suggest(str(kind), ISO_8608)}"
        )
    x = _grid(0.0, finite_number("rough(): length", length), step)
    z = profile(kind, x, seed=seed, between=between)
    return _sampled(x, level + (z - z[0]) * np.clip(x / 5.0, 0.0, 1.0))


def profile(kind: str, x: Array, *, seed: int = 1, between: tuple[float, float] = (0.011, 2.83)) -> Array:
    """Heights [m] at places of a road of a class of ISO 8608."""
    edges = np.geomspace(*between, 301)
    n, width = np.sqrt(edges[1:] * edges[:-1]), np.diff(edges)
    sizes = np.sqrt(2 * ISO_8608[kind] * (n / REFERENCE) ** -2 * width)
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(n))
    found = np.zeros_like(x)
    for size, frequency, phase in zip(sizes, n, phases, strict=True):
        found += size * np.sin(2 * np.pi * frequency * x + phase)
    return found


def read_road(path: str | os.PathLike[str]) -> Function:
    """A road from a CSV file with columns x, z [m]; a first line of headings is left out.

    Between two rows it never rises above the higher or falls below the lower one (cubics of Fritsch and Carlson, 1980,
    with a continuous slope); before the first and after the last row it goes straight on.
    """
    rows = read_numbers(path, "x, z")
    if len(rows) < 3 or (np.diff(rows[:, 0]) <= 0).any():
        raise ModelError(f"{Path(path).name}: a road has at least three rows x, z with x rising.")
    from scipy.interpolate import PchipInterpolator  # type: ignore[import-untyped, unused-ignore]

    cubics = PchipInterpolator(rows[:, 0], rows[:, 1]).c[::-1].T
    return PiecewisePolynomial(tuple(rows[:, 0].tolist()), tuple(map(tuple, cubics.tolist())), "straight")


def read_numbers(path: str | os.PathLike[str], columns: str) -> Array:
    """A table of finite numbers with commas, of at least two columns; a first line of headings is left out."""
    file = Path(path)
    text = file.read_bytes().decode("utf-8-sig", errors="replace")  # headings may be in any encoding
    first = text.partition("\n")[0]
    skip = 0 if set(first) <= set("0123456789+-.eE,; \t\r\n") else 1
    try:
        rows = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=skip, ndmin=2)
    except ValueError as error:
        raise ModelError(f"{file.name}: it is not a table of numbers {columns} with commas: {error}") from None
    if not rows.size or rows.shape[1] < 2 or not np.isfinite(rows).all():
        raise ModelError(f"{file.name}: it is not a table of finite numbers {columns} with commas.")
    return np.asarray(rows, dtype=float)


def _grid(first: float, last: float, step: float) -> Array:
    if not step > 0 or not (last - first) / step < MOST:
        raise ModelError(f"a road from {first:g} to {last:g} m in steps of {step:g} m has more than {MOST} samples.")
    return np.arange(first, last + step / 2, step)
