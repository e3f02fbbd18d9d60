"""Triangles to pixels: the nearest one is seen, also where parts cut each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model.geometry import Array

NUMBERS = 24  # bits of a triangle's number in a key; the rest is how near it is
LEVELS = 2.0**38


@dataclass(frozen=True, eq=False)
class Seen:
    """Pixels in which something is seen, counted row by row: which triangle, and how near it is there."""

    pixels: Any
    triangles: Any
    near: Array


@dataclass(frozen=True, eq=False)
class _Spans:
    """Rows of pixels inside triangles: the triangle, the first pixel, how many, and the middles of both ends."""

    triangles: Any
    first: Any
    counts: Any
    row: Array
    left: Array
    right: Array


def seen(flat: Array, near: Array, size: tuple[int, int]) -> Seen:
    """What is seen of triangles with corners at pixels (n, 3, 2); `near` (n, 3) is larger for what is nearer, and even
    along straight lines of the picture."""
    flat, near, numbers = _visible(flat, near, size)
    order = np.argsort(near.sum(axis=1))  # the nearest last, so that little has to be corrected
    flat, near, numbers = flat[order], near[order], numbers[order]
    spans = _spans(flat, size)
    if not len(spans.triangles):
        return Seen(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    low, high = float(near.min()), float(near.max())
    pixels, depths = _fragments(spans, flat, (near - low) / max(high - low, 1e-300))
    keys = (depths * LEVELS).astype(np.int64) << NUMBERS
    keys |= np.repeat(spans.triangles, spans.counts)
    nearest = _nearest(pixels, keys, size[0] * size[1])
    hit = np.flatnonzero(nearest >= 0)
    found = nearest[hit]
    depth = (found >> NUMBERS) / LEVELS * (high - low) + low
    return Seen(hit, numbers[found & ((1 << NUMBERS) - 1)], depth)


def covered(flat: Array, size: tuple[int, int]) -> Any:
    """Whether any triangle covers a pixel, as a picture (height, width) of 0 and 255."""
    spans = _spans(flat[np.isfinite(flat).all(axis=(1, 2))], size)
    picture = np.zeros(size[0] * size[1], dtype=np.uint8)
    starts = np.cumsum(spans.counts) - spans.counts
    picture[np.arange(int(spans.counts.sum())) + np.repeat(spans.first - starts, spans.counts)] = 255
    return picture.reshape(size[1], size[0])


def _visible(flat: Array, near: Array, size: tuple[int, int]) -> tuple[Array, Array, Any]:
    """Triangles within the picture, with their numbers."""
    low, high = flat.min(axis=1), flat.max(axis=1)
    inside = (high > 0).all(axis=1) & (low < size).all(axis=1) & np.isfinite(near).all(axis=1)
    numbers = np.flatnonzero(inside)[: 1 << NUMBERS]
    return flat[numbers], near[numbers], numbers


def _spans(flat: Array, size: tuple[int, int]) -> _Spans:
    """A pixel belongs to a triangle if its middle does."""
    width, height = size
    order = np.argsort(flat[:, :, 1], axis=1)
    (x0, y0), (x1, y1), (x2, y2) = (np.take_along_axis(flat, order[:, k:k + 1, None], axis=1)[:, 0].T for k in range(3))
    top, end = (np.clip(np.ceil(y - 0.5), 0, height).astype(np.int64) for y in (y0, y2))
    rows = end - top
    which = np.repeat(np.arange(len(flat)), rows)
    row = np.arange(len(which)) + np.repeat(top - (np.cumsum(rows) - rows), rows)
    y = row + 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = (x2 - x0) / (y2 - y0), (x1 - x0) / (y1 - y0), (x2 - x1) / (y2 - y1)
        long = x0[which] + slopes[0][which] * (y - y0[which])
        upper = x0[which] + slopes[1][which] * (y - y0[which])
        lower = x1[which] + slopes[2][which] * (y - y1[which])
    short = np.where(y < y1[which], upper, lower)
    left, right = np.minimum(long, short), np.maximum(long, short)
    start, stop = (np.clip(np.ceil(np.nan_to_num(x) - 0.5), 0, width).astype(np.int64) for x in (left, right))
    kept = stop > start
    return _Spans(which[kept], (row * width + start)[kept], (stop - start)[kept], y[kept], start[kept] + 0.5,
                  stop[kept] - 0.5)


def _fragments(spans: _Spans, flat: Array, near: Array) -> tuple[Any, Array]:
    """Pixels of all spans and how near they are, from 0 to 1."""
    planes = planes_of(flat, near)
    low, high = near.min(axis=1)[spans.triangles], near.max(axis=1)[spans.triangles]
    base, right, down = (c[spans.triangles] for c in planes)
    first, last = (np.clip(base + right * x + down * spans.row, low, high) for x in (spans.left, spans.right))
    step = (last - first) / np.maximum(spans.counts - 1, 1)
    starts = np.cumsum(spans.counts) - spans.counts
    along = np.arange(int(spans.counts.sum())) - np.repeat(starts, spans.counts)
    return (np.repeat(spans.first, spans.counts) + along,
            np.repeat(first, spans.counts) + np.repeat(step, spans.counts) * along)


def planes_of(flat: Array, values: Array) -> tuple[Array, Array, Array]:
    """Coefficients of value = base + right x + down y through the corners of triangles."""
    (ax, ay), (bx, by) = (flat[:, 1] - flat[:, 0]).T, (flat[:, 2] - flat[:, 0]).T
    area = ax * by - bx * ay
    area = np.where(np.abs(area) < 1e-9, np.inf, area)
    first, second = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    right, down = (first * by - second * ay) / area, (second * ax - first * bx) / area
    return values[:, 0] - right * flat[:, 0, 0] - down * flat[:, 0, 1], right, down


def _nearest(pixels: Any, keys: Any, count: int) -> Any:
    """The largest key in every pixel, -1 where there is none."""
    found = np.full(count, -1, dtype=np.int64)
    while len(pixels):  # whoever is written last stays; those who should have stayed try again
        found[pixels] = keys
        again = keys > found[pixels]
        pixels, keys = pixels[again], keys[again]
    return found
