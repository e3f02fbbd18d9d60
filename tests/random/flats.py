"""Random mechanisms that start in, or next to, a position where rows depend on each other."""

from __future__ import annotations

import numpy as np
from loops import bar, cranks, hinge, tilted
from sketch import Sketch
from trees import finish


def flat(s: Sketch) -> None:
    """A coupler on two to five cranks, all drawn in one line, at rest or moving."""
    _cranks(s, s.pick([0.0, np.pi]))


def near_flat(s: Sketch) -> None:
    """The same, drawn with a small angle, from 1e-8 to 1e-2 rad."""
    _cranks(s, s.decades(-8, -2) * s.pick([-1, 1]) + s.pick([0.0, np.pi]))


def _cranks(s: Sketch, angle: float) -> None:
    """All cranks turn alike at the start, or nothing moves; now and then only one of them is told to."""
    rate = s.pick([-2.0, -0.5, 0.7, 3.0]) / s.scale.time if s.moving else 0.0
    s.moving = False
    feet = cranks(s, angle, int(s.rng.integers(2, 6)))
    if rate:
        told = feet[:1] if s.chance(0.15) else feet
        s.given = {f"{j.name}.angle.rate": rate if j.a.body.is_ground else -rate for j in told}
    s.forces(0.2)


def change_point(s: Sketch) -> None:
    """A four-bar whose lengths can all lie in one line (shortest + longest = the other two), drawn in that line, or
    within 1e-8 to 1e-2 rad of it."""
    plane = tilted(s)
    a, b = s.between(0.3, 0.6), s.between(0.9, 1.4)
    c = s.between(0.6, 0.9)
    d = b + c - a  # ground: a + d = b + c
    angle = s.pick([0.0, s.decades(-8, -2)])
    pin = -a * np.array([np.cos(angle), np.sin(angle)])  # folded back: from -a to d the length is b + c
    foot = np.array([d, 0.0])
    gap = np.linalg.norm(foot - pin)
    along = (foot - pin) / gap
    x = (b**2 - c**2 + gap**2) / (2 * gap)
    y = np.sqrt(max(0.0, b**2 - x**2)) if angle else 0.0
    knee = pin + x * along + y * np.array([-along[1], along[0]])
    corners = [np.zeros(2), pin, knee, foot]
    bars = [bar(s, plane, corners[k], corners[k + 1]) for k in range(3)]
    parts = [s.ground, *bars, s.ground]
    for k, corner in enumerate(corners):
        hinge(s, plane, parts[k], parts[k + 1], corner)
    s.forces(0.2)


def straight_arm(s: Sketch) -> None:
    """A straight arm of hinged bars, free at its end, held there by a slide, or carried by a ball on a plane."""
    plane, count = tilted(s), int(s.rng.integers(2, 5))
    corners = [np.array([float(k), 0.0]) for k in range(count + 1)]
    bars = [bar(s, plane, corners[k], corners[k + 1]) for k in range(count)]
    for k, (a, b) in enumerate(zip([s.ground, *bars], bars, strict=False)):
        hinge(s, plane, a, b, corners[k])
    end = plane @ np.append(corners[-1], 0.0)
    how = s.pick(["free", "guide", "slide", "plane"])
    if how == "guide":
        s.joint("guide", s.ground, bars[-1], end, axis=plane[:, 0])
    elif how == "slide":
        block = bar(s, plane, corners[-1], corners[-1] + [0.2, 0.0])
        hinge(s, plane, bars[-1], block, corners[-1])
        s.joint("prismatic", s.ground, block, end, axis=plane[:, 0])
    elif how == "plane":
        s.joint("point_on_plane", s.ground, bars[-1], end, axis=plane[:, 1])
    finish(s, drive=0.1)


def stretched(s: Sketch) -> None:
    """A chain of bars between two points of the ground that it just reaches: it can move at first order only."""
    plane, count, s.moving = tilted(s), int(s.rng.integers(2, 4)), False
    if s.chance(0.5):
        s.model.gravity[:] = -np.linalg.norm(s.model.gravity) * plane[:, 0]  # along the bars: it stays
    corners = [np.array([float(k), 0.0]) for k in range(count + 1)]
    bars = [s.body(plane @ np.append((corners[k] + corners[k + 1]) / 2, 0.0), along=plane[:, 0]) for k in range(count)]
    parts = [s.ground, *bars, s.ground]
    for k, corner in enumerate(corners):
        hinge(s, plane, parts[k], parts[k + 1], corner)


def aligned_crank(s: Sketch) -> None:
    """A slider-crank at its dead centre, stretched or folded, or with crank and rod of one length at 90 degrees."""
    plane, r = tilted(s), s.between(0.3, 0.6)
    how = s.pick(["stretched", "folded", "upright"])
    rod = r if how == "upright" else r * s.between(1.5, 3)
    pin = {"stretched": [r, 0.0], "folded": [-r, 0.0], "upright": [0.0, r]}[how]
    pin, end = np.array(pin), np.array([0.0 if how == "upright" else pin[0] + rod, 0.0])
    parts = [s.ground, bar(s, plane, np.zeros(2), pin), bar(s, plane, pin, end), bar(s, plane, end, end + [0.2, 0])]
    for k, corner in enumerate([np.zeros(2), pin, end]):
        hinge(s, plane, parts[k], parts[k + 1], corner)
    s.joint("prismatic", s.ground, parts[-1], plane @ np.append(end, 0), axis=plane[:, 0])
    s.forces(0.3)


FLATS = {"flat": flat, "near_flat": near_flat, "change_point": change_point, "straight_arm": straight_arm,
         "stretched": stretched, "aligned_crank": aligned_crank}
