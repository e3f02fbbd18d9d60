"""Arrows of velocities, accelerations, reactions and spring forces, with a value at the tip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.results.result import Result
from vincolo.view.live.part_values import number
from vincolo.view.live.track import Track

LONGEST = 0.35  # of the size of the mechanism: the longest arrow of a kind, but for rare peaks
MOST = 1.2  # of the size: no arrow is longer
OFTEN = 0.15  # s between new numbers at the tips
FEW = 24  # arrows of a kind that get a number

#: colour and unit of every kind
LOOKS = {"velocity": ((47, 109, 181), "m/s"), "acceleration": ((224, 128, 43), "m/s²"),
         "angular velocity": ((123, 82, 171), "rad/s"), "reaction force": ((200, 55, 45), "N"),
         "reaction torque": ((212, 103, 159), "N m"), "spring force": ((63, 154, 78), "N")}


@dataclass(frozen=True, eq=False)
class Field:
    """Feet and vectors of the arrows of one kind, (n, arrows, 3), and whose they are."""

    owners: list[str]
    feet: Array
    vectors: Array

    @property
    def largest(self) -> float:
        """Of all arrows at most times: nine of ten samples do not exceed it, so that a peak does not hide the rest."""
        sizes = np.linalg.norm(np.nan_to_num(self.vectors), axis=2).max(axis=1, initial=0.0)
        usual = float(np.quantile(sizes, 0.9)) if len(sizes) else 0.0
        return usual if usual > 1e-3 * float(sizes.max(initial=0.0)) else float(sizes.max(initial=0.0))

    def of(self, owner: str) -> Field:
        """Those of one part alone."""
        kept = [k for k, name in enumerate(self.owners) if name == owner]
        return Field([owner] * len(kept), self.feet[:, kept], self.vectors[:, kept])


def field_of(result: Result, kind: str) -> Field:
    """The arrows of a kind in a result."""
    maker: Callable[[Result, str], list[tuple[str, Array, Array]]]
    maker = _springs if kind == "spring force" else _reactions if kind.startswith("reaction") else _motions
    found = maker(result, kind)
    empty = np.zeros((len(result), 0, 3))
    return Field([owner for owner, _, _ in found], np.stack([f for _, f, _ in found], axis=1) if found else empty,
                 np.stack([v for _, _, v in found], axis=1) if found else empty)


def _motions(result: Result, kind: str) -> list[tuple[str, Array, Array]]:
    """At centres of mass."""
    found = []
    for name, k in result.system.body_numbers.items():
        m = result.channels.motion(k, np.zeros(3))
        found.append((name, m.position, np.asarray(getattr(m, kind.replace(" ", "_")))))
    return found


def _reactions(result: Result, kind: str) -> list[tuple[str, Array, Array]]:
    """On the second body, at the joint."""
    found = []
    for name, joint in result.system.joints.items():
        reaction = result.reaction(name)
        found.append((name, result.channels.frame_motion(joint.b).position,
                      reaction.force if kind.endswith("force") else reaction.torque))
    return found


def _springs(result: Result, kind: str) -> list[tuple[str, Array, Array]]:
    """On the second end; tension of a spring draws it to the first."""
    model, found = result.model, []
    if model is None:
        return []
    forces = [(n, s.measure, -1.0) for n, s in model.springs.items()]
    forces += [(n, law.measure, law.sign) for n, law in model.laws.items()]
    for name, measure, sign in forces:
        ends = [(factor, a, b) for factor, e, a, b in measure.terms if e.kind == "distance"]
        if len(ends) == 1 and len(measure.terms) == 1 and measure.tape is None:
            factor, a, b = ends[0]
            first, second = (result.channels.frame_motion(f).position for f in (a, b))
            line = second - first
            length = np.linalg.norm(line, axis=1, keepdims=True)
            found.append((name, second, sign * factor * result[f"{name}.force"][:, None] * line
                          / np.where(length > 0, length, 1.0)))
    return found


class Arrows:
    """The arrows that are switched on, of all parts or of the chosen one."""

    def __init__(self, server: Any, track: Track, size: float) -> None:
        self._server, self._track, self._size = server, track, size
        self._fields: dict[str, tuple[int, Field]] = {}
        self._drawn: dict[str, tuple[Any, list[Any]]] = {}
        self._told = -np.inf
        self.wanted: set[str] = set()
        self.longer = 1.0
        self.only: str | None = None  # the part whose arrows are drawn; None for all

    def field(self, kind: str) -> Field:
        """The arrows of a kind, computed when first asked for and after the result has grown."""
        result = self._track.result
        known = self._fields.get(kind)
        if known is None or known[0] != len(result):
            known = self._fields[kind] = (len(result), field_of(result, kind))
        return known[1]

    def renew(self) -> None:
        """Draws them anew after another choice."""
        for arrows, _ in self._drawn.values():
            arrows.remove()  # and the labels below it
        self._drawn = {}
        self._told = -np.inf

    def move(self, t: float, clock: float, still: bool) -> None:
        """Puts the arrows where they are at a time."""
        tell = still or clock - self._told >= OFTEN
        for kind in [kind for kind in LOOKS if kind in self.wanted]:
            whole = self.field(kind)
            field = whole if self.only is None else whole.of(self.only)
            if field.owners:
                self._put(kind, field, self.factor(whole), t, tell)
        self._told = clock if tell else self._told

    def factor(self, field: Field) -> float:
        """Metres of arrow per unit."""
        return self.longer * LONGEST * self._size / field.largest if field.largest > 0 else 0.0

    def _put(self, kind: str, field: Field, factor: float, t: float, tell: bool) -> None:
        feet, vectors = (self._track.value(np.nan_to_num(values), t) for values in (field.feet, field.vectors))
        drawn = factor * vectors
        length = np.linalg.norm(drawn, axis=1, keepdims=True)
        tips = feet + drawn * np.minimum(1.0, MOST * self._size / np.where(length > 0, length, 1.0))
        least = 0.004 * self._size  # an arrow of no length has no direction
        short = np.linalg.norm(tips - feet, axis=1) < least
        ends = np.where(short[:, None], feet + np.array([0.0, 0.0, 1e-6 * self._size]), tips)
        if kind not in self._drawn:
            self._drawn[kind] = self._make(kind, len(feet))
        arrows, labels = self._drawn[kind]
        arrows.points = np.stack([feet, ends], axis=1)
        for k, label in enumerate(labels):
            label.position = tips[k]
            if tell:
                label.text = "" if short[k] else f"{number_short(np.linalg.norm(vectors[k]))} {LOOKS[kind][1]}"

    def _make(self, kind: str, count: int) -> tuple[Any, list[Any]]:
        scene, thin = self._server.scene, 0.007 * self._size
        place = f"/arrows/{list(LOOKS).index(kind)}"
        arrows = scene.add_arrows(place, np.zeros((count, 2, 3)) + [[[0.0] * 3, [0.0, 0.0, 1e-6]]], LOOKS[kind][0],
                                  shaft_radius=thin, head_radius=2.4 * thin, head_length=6 * thin)
        labels = [scene.add_label(f"{place}/{k}", "", anchor="bottom-left", font_screen_scale=0.8)
                  for k in range(min(count, FEW))]
        return arrows, labels


def number_short(value: Any) -> str:
    """Three digits are enough at the tip of an arrow."""
    return number(f"{float(value):.3g}")
