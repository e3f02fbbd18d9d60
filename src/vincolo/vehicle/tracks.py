"""Tracks: a centre line with banking, a speed for each place of it, and a lap."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.vehicle.build_car import Built
from vincolo.vehicle.car import G
from vincolo.vehicle.manoeuvres import BANKING, Drive, add_heading, drive
from vincolo.vehicle.roads import read_numbers

STEEPEST = np.radians(60.0)


@dataclass(frozen=True, eq=False)
class Track:
    """The centre line of a track: points [m] (x, y) on the map, closed or not, and its banking [rad] at each, positive
    where the left edge is the lower one, as helps in a turn to the left."""

    points: Array
    closed: bool = True
    bank: Any = 0.0

    def __post_init__(self) -> None:
        p = np.asarray(self.points, dtype=float)
        if p.ndim != 2 or p.shape[1] < 2 or len(p) < 4 or not np.isfinite(p).all():
            raise ModelError(f"track: at least four finite points (x, y) are needed; the shape is {p.shape}.")
        bank = np.asarray(self.bank, dtype=float)
        if bank.shape not in ((), (len(p),)) or not np.isfinite(bank).all() or np.abs(bank).max() > STEEPEST:
            raise ModelError(
                f"track: banking is one angle or one for each of {len(p)} points, of at most 60 deg.\n"
                "  In Python it is in rad; in a file, the third column, in degrees."
            )
        bank = np.broadcast_to(bank, len(p))
        if self.closed and np.linalg.norm(p[0, :2] - p[-1, :2]) > 1e-6:
            p, bank = np.vstack([p, p[:1]]), np.append(bank, bank[0])
        if (np.linalg.norm(np.diff(p[:, :2], axis=0), axis=1) < 1e-9).any():
            raise ModelError("track: two points one after the other are the same.\n  Leave one of them out.")
        object.__setattr__(self, "points", p[:, :2])
        object.__setattr__(self, "bank", np.array(bank))

    @staticmethod
    def read(path: str | os.PathLike[str], closed: bool = True) -> Track:
        """A track from a CSV file with columns x, y [m] and, if it is banked, bank [deg]; a
        first line of headings is left out."""
        rows = read_numbers(path, "x, y and bank")
        return Track(rows[:, :2], closed, np.radians(rows[:, 2]) if rows.shape[1] > 2 else 0.0)

    @cached_property
    def along(self) -> Array:
        """Distance [m] of each point along the track."""
        steps = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def curvature(self) -> Array:
        """1/m at each point, positive to the left."""
        p, s, more = self.points, self.along, 2 if self.closed else 0
        if more:  # the end goes on as the beginning does
            p = np.vstack([p[-1 - more : -1], p, p[1 : 1 + more]])
            s = np.concatenate([s[-1 - more : -1] - s[-1], s, s[1 : 1 + more] + s[-1]])
        d1 = np.gradient(p, s, axis=0)
        d2 = np.gradient(d1, s, axis=0)
        found: Array = (d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]) / (d1**2).sum(axis=1) ** 1.5
        return found[more : len(p) - more]

    def at(self, distance: float, values: Array) -> float:
        """What is given at each point at a distance [m] along the track; a closed one begins again."""
        where = distance % self.along[-1] if self.closed else distance
        return float(np.interp(where, self.along, values))

    def speeds(self, lateral: float, braking: float, driving: float, highest: float) -> Array:
        """A speed [m/s] for each point that keeps to accelerations [m/s2] on a flat road: forwards for driving,
        backwards for braking. Banking b takes v^2 |curvature| to g (sin b + m cos b)/(cos b - m sin b) with
        m = lateral/g."""
        bank, grip = self.bank * np.sign(self.curvature), lateral / G
        holds, slips = np.sin(bank) + grip * np.cos(bank), np.cos(bank) - grip * np.sin(bank)
        if (holds <= 0).any():
            k = int(np.argmin(holds))
            raise ModelError(
                f"track: at {self.along[k]:.4g} m it is banked by {np.degrees(-bank[k]):.3g} deg out of its turn, from "
                f"which a car with {lateral:g} m/s2 of grip slides.\n  Check the sign: positive is lower on the left."
            )
        limit = np.where(slips > 0, G * holds / np.maximum(slips, 1e-12), np.inf)
        v = np.minimum(np.sqrt(limit / np.maximum(np.abs(self.curvature), 1e-6)), highest)
        steps = np.diff(self.along)
        for k in range(len(v) - 1):
            v[k + 1] = min(v[k + 1], np.sqrt(v[k] ** 2 + 2 * driving * steps[k]))
        for k in range(len(v) - 2, -1, -1):
            v[k] = min(v[k], np.sqrt(v[k + 1] ** 2 + 2 * braking * steps[k]))
        return v


@dataclass(frozen=True, eq=False)
class Lap:
    """A lap: its run, time [s] from the start to the end of the track (NaN if it was not reached), energy [J] put into
    the wheels, and the largest distance from the centre line [m]."""

    run: Drive
    time: float
    energy: float
    furthest: float


class _Driver:
    """Looks ahead along a track and steers there; knows how far it came."""

    def __init__(self, track: Track, speeds: Array, preview: float, gain: float) -> None:
        self.track, self.speeds, self.preview, self.gain = track, speeds, preview, gain
        self.k, self.rounds = 0, 0
        self.times: list[float] = []
        self.ways: list[float] = []
        self.off: list[float] = []

    def __call__(self, t: float, x: float, y: float, heading: float, speed: float) -> tuple[float, ...]:
        track = self.track
        way, off = self._place(np.array([x, y]))
        if not self.rounds:
            self.times.append(t)
            self.ways.append(way)
            self.off.append(off)
        reach = way + max(speed * self.preview, 1.5)
        goal = [track.at(reach, track.points[:, i]) for i in (0, 1)]
        angle = (np.arctan2(goal[1] - y, goal[0] - x) - heading + np.pi) % (2 * np.pi) - np.pi
        steering = float(np.clip(self.gain * angle, -3.5, 3.5))
        wished = track.at(reach, self.speeds)
        if not track.bank.any():
            return steering, wished
        bank, turn = track.at(way, track.bank), speed**2 * track.at(way, track.curvature)
        side = G * np.sin(bank) + turn * (1 - np.cos(bank))
        return steering, wished, float(side), float(G * np.cos(bank) + turn * np.sin(bank) - G)

    def _place(self, p: Array) -> tuple[float, float]:
        """How far along the track the car is, and how far from it, on the nearest of the next pieces."""
        track = self.track
        pieces = len(track.points) - 1
        best = (np.inf, 0.0, self.k)
        for j in range(self.k, self.k + 30 if track.closed else min(self.k + 30, pieces)):
            a, b = track.points[j % pieces], track.points[j % pieces + 1]
            share = float(np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0))
            off = float(np.linalg.norm(p - a - share * (b - a)))
            if off < best[0]:
                best = (off, float(track.along[j % pieces] + share * np.linalg.norm(b - a)), j)
        self.rounds += best[2] // pieces if track.closed else int(best[1] >= track.along[-1])
        self.k = best[2] % pieces
        return best[1], best[0]

    def lap_time(self) -> float:
        """When the end of the track was reached, by the speed of the last two places before it."""
        if not self.rounds or len(self.ways) < 2:
            return float("nan")
        pace = (self.ways[-1] - self.ways[-2]) / (self.times[-1] - self.times[-2])
        return self.times[-1] + (float(self.track.along[-1]) - self.ways[-1]) / pace


def lap(
    built: Built,
    track: Track,
    *,
    lateral: float = 8.0,
    braking: float = 6.0,
    driving: float = 4.0,
    highest: float = 25.0,
    preview: float = 0.35,
    gain: float = 10.0,
) -> Lap:
    """Drives along a track with a speed profile that keeps to accelerations, and a preview driver; the drive both
    drives and brakes. The track begins at the origin along x. On a banked track all masses feel what a car in the axes
    of the road does: gravity across it, and the share of the turn that presses it on the road."""
    v = track.speeds(lateral, braking, driving, highest)
    begin, first = track.points[0], track.points[1] - track.points[0]
    if np.linalg.norm(begin) > 1e-6 or abs(np.arctan2(first[1], first[0])) > 0.1:
        raise ModelError("lap(): the track begins at the origin and goes along x.\n  Shift and turn its points.")
    planned = float(np.sum(np.diff(track.along) / np.maximum((v[1:] + v[:-1]) / 2, 0.1)))
    driver = _Driver(track, v, preview, gain)
    car = _banked(built) if track.bank.any() else built
    run = drive(car, 1.05 * planned + 0.5, float(v[0]), driver=driver, outputs=int(40 * planned))
    return Lap(run, driver.lap_time(), run.energy, max(driver.off))


def _banked(built: Built) -> Built:
    """The car with inputs "bank_side" and "bank_down" [m/s2], to its left and downwards on every mass."""
    model = built.model.copy()
    for name in BANKING:
        model.input(name, unit="m/s^2")
    add_heading(model)
    for name, body in [*model.bodies.items()]:
        if body.mass:
            parts = ("-m*bank_side*heading_y", "m*bank_side*heading_x", "-m*bank_down")
            model.force(f"bank_{name}", body.frame(local=body.com), parts, m=body.mass)
    return replace(built, model=model)
