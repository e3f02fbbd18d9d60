"""A motion that can be asked for any time: places of bodies between samples, and series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.results.result import Result
from vincolo.results.settings import Settings
from vincolo.scene import Poses, Scene, poses_of
from vincolo.state import State
from vincolo.system import System


@dataclass(frozen=True, eq=False)
class Pose:
    """Places at one time: of bodies, and of links with their lengths, in the order of the track."""

    positions: Array
    quaternions: Array
    starts: Array
    turns: Array
    lengths: Array


class Track:
    """The places of a result's bodies as a function of time; samples with numbers that are not finite are left out."""

    def __init__(self, label: str, result: Result, scene: Scene) -> None:
        self.label, self.scene = label, scene
        self.bodies = list(result.system.body_numbers)
        self.links = [link.name for link in scene.links]
        self.skipped = 0
        self.t, self._all = np.zeros(0), np.zeros((0, 0))
        self.result = result
        self.poses: Poses
        self.extend(result, result)
        if not len(self.t):
            raise ModelError(f"there is nothing to show of {label or 'the result'}: none of its {len(result)} samples "
                             "has finite positions.")

    def extend(self, piece: Result, whole: Result, anew: bool = False) -> None:
        """Adds the samples of a piece that comes behind, or begins anew; `whole` is the result that has them all."""
        poses = poses_of(piece, self.scene)
        n = len(poses)
        parts = [poses.positions[b] for b in self.bodies] + [poses.quaternions[b] for b in self.bodies]
        parts += [poses.links[k][0] for k in self.links] + [poses.links[k][1] for k in self.links]
        parts += [poses.links[k][2][:, None] for k in self.links]
        rows = np.concatenate(parts, axis=1) if parts else np.zeros((n, 0))
        kept = np.isfinite(rows).all(axis=1) & np.isfinite(poses.t)
        self.skipped += int((~np.isfinite(rows).all(axis=1)).sum())
        if len(self.t) and not anew:
            kept &= poses.t > self.t[-1]
            self._all, self.t = np.concatenate([self._all, rows[kept]]), np.concatenate([self.t, poses.t[kept]])
        else:
            self._all, self.t = rows[kept], poses.t[kept]
        if whole is piece:
            self.poses = Poses(poses.t[kept], {b: v[kept] for b, v in poses.positions.items()},
                               {b: v[kept] for b, v in poses.quaternions.items()}, {})
        self.result = whole

    def renew(self, result: Result) -> None:
        """Another motion of the same scene."""
        self.extend(result, result, anew=True)

    def at(self, t: float) -> Pose:
        """Where everything is at a time [s]; before the start and after the end, as there."""
        k, share = self._between(self.t, t)
        row = self._all[k] if share == 0 else (1 - share) * self._all[k] + share * self._same_side(k)
        b, n = len(self.bodies), len(self.links)
        ends = np.cumsum([3 * b, 4 * b, 3 * n, 4 * n])
        places, turns, starts, directions, lengths = np.split(row, ends)
        return Pose(places.reshape(b, 3), _unit(turns.reshape(b, 4)), starts.reshape(n, 3),
                    _unit(directions.reshape(n, 4)), lengths)

    def _same_side(self, k: int) -> Array:
        """The sample behind k; quaternions of one turn have two signs, and pieces may differ in them."""
        after: Array = np.array(self._all[k + 1])
        b, n = len(self.bodies), len(self.links)
        for begin, count in ((3 * b, b), (7 * b + 3 * n, n)):
            q, p = after[begin: begin + 4 * count].reshape(-1, 4), self._all[k, begin: begin + 4 * count].reshape(-1, 4)
            q *= np.where((q * p).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        return after

    @staticmethod
    def _between(times: Array, t: float) -> tuple[int, float]:
        """The sample at or before a time, and the share of the way to the next."""
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, max(len(times) - 2, 0)))
        if len(times) < 2:
            return 0, 0.0
        gap = times[k + 1] - times[k]
        return k, float(np.clip((t - times[k]) / gap, 0.0, 1.0)) if gap > 0 else 0.0

    def value(self, series: Array, t: float) -> Any:
        """A series (n, ...) over the result's times at a time."""
        times = self.result.t[:len(series)]
        k, share = self._between(times, t)
        return series[k] if share == 0 else (1 - share) * series[k] + share * series[k + 1]

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return float(self.t[0]), float(self.t[-1])

    def note(self) -> str:
        """What a viewer of this motion should know; empty if all is well."""
        found = []
        if not self.result.complete:
            found.append(f"The run ended early, at t = {self.t[-1]:.6g} s of {self.result.settings.until:g} s: "
                         f"{self.result.reason}")
        if self.skipped:
            found.append(f"{self.skipped} samples are not shown: their positions are not finite.")
        if len(self.t) == 1 and self.result.settings.integrator:  # states have none
            found.append("There is one sample only: a picture, not a motion.")
        return " ".join(found)


def _unit(q: Array) -> Array:
    length = np.linalg.norm(q, axis=1, keepdims=True)
    return np.asarray(q / np.where(length > 0, length, 1.0))


def labelled(source: Any) -> list[tuple[str, Result]]:
    """Results with labels: of a result, a state, a model as drawn and closed, or a list of results or of pairs
    (label, result)."""
    if isinstance(source, Model | System):
        source = assemble(source)
    if isinstance(source, State):
        return [("", of_states([source]))]
    if isinstance(source, Result):
        return [("", source)]
    if isinstance(source, str) or not isinstance(source, Sequence) or not source:
        raise ModelError(f"the viewer cannot show {source!r:.80}.\n"
                         "  Pass a result, a list of results or of pairs (label, result), a model or a state.")
    return [_pair(k, member) for k, member in enumerate(source, 1)]


def _pair(k: int, member: Any) -> tuple[str, Result]:
    if isinstance(member, Result):
        return f"{k}: {member.system.name}", member
    if isinstance(member, tuple | list) and len(member) == 2 and isinstance(member[1], Result):
        return str(member[0]), member[1]
    raise ModelError(f"the viewer cannot show {member!r:.80} in a list.\n"
                     "  Its members are results, or pairs (label, result).")


def of_states(states: Sequence[Any], times: Array | None = None) -> Result:
    """States of one system as a result, to be shown only."""
    t = np.array([s.t for s in states]) if times is None else times
    return Result(states[0].system, t, np.array([s.y for s in states]), np.array([s.turns for s in states]),
                  Settings("", "", "", float(t[0]), float(t[-1])), {}, 0.0)
