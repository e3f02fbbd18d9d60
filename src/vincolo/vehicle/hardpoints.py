"""Hardpoints that cannot be right: units, sides, order, lengths, and lines that meet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from vincolo.model.geometry import Array, cross
from vincolo.vehicle.roles import KINDS

Problem = tuple[tuple[str, ...], str]  # roles or coordinates concerned, and why


class Drawn(Protocol):
    """What is looked at of a suspension."""

    @property
    def kind(self) -> str: ...
    @property
    def carrier(self) -> str: ...
    @property
    def bar_carrier(self) -> str: ...
    @property
    def spring(self) -> str: ...
    @property
    def bar(self) -> str: ...
    @property
    def points(self) -> Mapping[str, Any]: ...
    @property
    def wheel_radius(self) -> float: ...
    @property
    def wheel_width(self) -> float: ...


def problems(s: Drawn) -> list[Problem]:
    """What cannot be right about hardpoints: the roles concerned, and why in words."""
    found: list[Problem] = []
    _find_scale(s, found)
    if not found:
        _find_sides(s, found)
        _find_links_of_axles(s, found)
        _find_order(s, found)
        _find_short(s, found)
        _find_lines(s, found)
    return found


TINY = 0.002  # m


def _find_scale(s: Drawn, found: list[Problem]) -> None:
    """Millimetres for metres, or the other way about."""
    track = 2 * abs(s.points["wheel_centre"][1])
    for role, p in s.points.items():
        if np.abs(p).max() > 10.0:
            found.append(
                (
                    (role,),
                    f"{role} is at {_shown(p)} m, more than 10 m away from the origin.\n"
                    "  These look like millimetres: divide by 1000, use vc.vehicle.millimetres(...), or "
                    "write [mm] into the heading.",
                )
            )
            return
    small = next((role for role, p in s.points.items() if role != "wheel_centre" and np.abs(p).max() < TINY), None)
    if track >= 0.2 and small is not None:
        text = f"{small} is at {_shown(s.points[small])} m, less than {1000 * TINY:g} mm away from the origin.\n"
        found.append(((small,), f"{text}  These look like metres where millimetres are meant: multiply by 1000."))
    if track < 0.2:
        found.append(
            (
                ("wheel_centre.y",),
                f"wheel_centre is at y = {s.points['wheel_centre'][1]:g} m, so the track would be "
                f"{track:g} m.\n  Check its unit: y is half of the track.",
            )
        )


def _find_sides(s: Drawn, found: list[Problem]) -> None:
    """Points of the right side among those of the left."""
    central = (
        *KINDS[s.kind].central,
        "panhard_chassis",
        "panhard_axle",
        *(("bar_pivot", "bar_top") if s.bar == "t" else ()),
    )
    wrong = [role for role, p in s.points.items() if p[1] < -1e-9 and role not in central]
    if wrong:
        everything = len(wrong) == len([r for r in s.points if r not in central])
        which = "all points are" if everything else f"{', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'}"
        found.append(
            (
                tuple(f"{role}.y" for role in wrong),
                f"{which} on the right (y < 0); the first has y = {s.points[wrong[0]][1]:g} m.\n"
                "  Points are those of the left side, y to the left (ISO 8855): change the sign of y.",
            )
        )
    for inner, outer in (
        ("tie_inner", "tie_outer"),
        ("lower_front", "lower_ball"),
        ("upper_front", "upper_ball"),
        ("lower_rear", "lower_ball"),
        ("upper_rear", "upper_ball"),
    ):
        if (
            inner in s.points
            and not wrong
            and s.points[inner][1] >= s.points[outer][1] - 1e-9
            and s.kind != "live axle"
        ):
            found.append(
                (
                    (f"{inner}.y", f"{outer}.y"),
                    f"{inner} (y = {s.points[inner][1]:g} m) is further out than {outer} "
                    f"(y = {s.points[outer][1]:g} m).\n  Check whether the two are swapped.",
                )
            )
    if s.bar == "t":
        for role in ("bar_pivot", "bar_top"):
            if abs(s.points[role][1]) > 1e-6:
                found.append(
                    (
                        (f"{role}.y",),
                        f"{role} has y = {s.points[role][1]:g} m; the stem of a T-bar is in the middle plane, y = 0.",
                    )
                )


#: points that are above others, and ahead of others
ABOVE = (("upper_ball", "lower_ball"), ("strut_top", "strut_bottom"))
AHEAD = (("upper_front", "upper_rear"), ("lower_front", "lower_rear"))


def _find_order(s: Drawn, found: list[Problem]) -> None:
    """Points in the place of their partners, below the road, or outside of the wheel."""
    p, swapped = s.points, "  Check whether the two are swapped."
    for pairs, k, word in ((ABOVE, 2, "below"), (AHEAD, 0, "behind")):
        for first, second in pairs:
            if first in p and p[first][k] < p[second][k] - 1e-9:
                at = tuple(f"{role}.{'xyz'[k]}" for role in (first, second))
                numbers = " and ".join(f"{'xyz'[k]} = {p[role][k]:g} m" for role in (first, second))
                found.append((at, f"{first} is {word} {second} ({numbers}).\n{swapped}"))
    centre = p["wheel_centre"]
    road = float(centre[2]) - s.wheel_radius
    for role, point in p.items():
        if point[2] < road - 1e-3:
            text = f"{role} (z = {point[2]:g} m) is below the road, which is at z = {road:.4g} m: wheel_centre less "
            text += "wheel_radius.\n  Check the sign and unit of both z."
            found.append(((f"{role}.z", "wheel_centre.z"), text))
            return
    for role in ("lower_ball", "upper_ball", "tie_outer"):
        if role in p and p[role][1] > centre[1] + s.wheel_width / 2:
            text = f"{role} (y = {p[role][1]:g} m) is outside of the wheel, whose centre is at y = {centre[1]:g} m."
            found.append(((f"{role}.y", "wheel_centre.y"), f"{text}\n  Check the two."))
    if "lower_ball" in p and p["lower_ball"][2] > centre[2] + s.wheel_radius:
        text = f"lower_ball (z = {p['lower_ball'][2]:g} m) is above the wheel, whose centre is at z = {centre[2]:g} m."
        found.append((("lower_ball.z", "wheel_centre.z"), f"{text}\n  Check the two."))


#: links by their ends
LINKS = (
    ("upper_front", "upper_ball"),
    ("upper_rear", "upper_ball"),
    ("lower_front", "lower_ball"),
    ("lower_rear", "lower_ball"),
    ("tie_inner", "tie_outer"),
    ("strut_bottom", "strut_top"),
    *((f"link{k}_inner", f"link{k}_outer") for k in range(1, 5)),
    ("pivot_inner", "pivot_outer"),
    ("lower_chassis", "lower_axle"),
    ("upper_chassis", "upper_axle"),
    ("panhard_chassis", "panhard_axle"),
    ("rod_outer", "rod_rocker"),
    ("spring_rocker", "spring_chassis"),
    ("spring_bottom", "spring_top"),
    ("rocker_pivot", "rocker_axis"),
    ("bar_end", "bar_link"),
    ("bar_pivot", "bar_top"),
    ("upper_front", "upper_rear"),
    ("lower_front", "lower_rear"),
    ("lower_ball", "upper_ball"),
)
SHORTEST = 0.01  # m


def _find_short(s: Drawn, found: list[Problem]) -> None:
    for a, b in LINKS:
        if a in s.points and b in s.points:
            length = math.dist(s.points[a], s.points[b])
            if length < SHORTEST:
                found.append(
                    (
                        (a, b),
                        f"{a} and {b} are {1000 * length:.3g} mm apart; a part needs at least "
                        f"{1000 * SHORTEST:g} mm.\n  Check the two points.",
                    )
                )


def _find_lines(s: Drawn, found: list[Problem]) -> None:
    """Lines that meet where nothing could then hold or move the wheel."""
    p = s.points
    for front, rear, ball in (("upper_front", "upper_rear", "upper_ball"), ("lower_front", "lower_rear", "lower_ball")):
        if ball in p and _off_line(p[ball], p[front], p[rear]) < SHORTEST:
            found.append(
                (
                    (front, rear, ball),
                    f"{ball} is on the line from {front} to {rear}: the arm has no length "
                    "across its hinge.\n  Move the ball joint outwards.",
                )
            )
    axis = KINDS[s.kind].kingpin
    if axis is not None and "tie_outer" in p and _off_line(p["tie_outer"], p[axis[0]], p[axis[1]]) < SHORTEST:
        found.append(
            (
                ("tie_outer", *axis),
                f"tie_outer is on the steering axis from {axis[0]} to {axis[1]}: the tie rod "
                "cannot hold the wheel.\n  Move tie_outer forwards or rearwards.",
            )
        )
    _find_meeting(s, found)
    for role in ("rod_rocker", "spring_rocker"):
        if role in p and _off_line(p[role], p["rocker_pivot"], p["rocker_axis"]) < SHORTEST / 2:
            found.append(
                (
                    (role, "rocker_pivot", "rocker_axis"),
                    f"{role} is on the axis of the rocker, so it does not move.\n  Move it off the axis.",
                )
            )
    if s.bar == "u" and _off_line(p["bar_end"], p["bar_pivot"], p["bar_pivot"] + (0.0, 1.0, 0.0)) < SHORTEST:
        found.append(
            (
                ("bar_end", "bar_pivot"),
                "bar_end is on the axis of the anti-roll bar (parallel to y through "
                "bar_pivot), so it has no lever.\n  Move it forwards or rearwards.",
            )
        )


#: lines that must not meet an axis: their ends (one: with its mirror image), the axis, and what then happens
MEETING = (
    (("tie_inner", "tie_outer"), "the steering axis", "the tie rod cannot hold the wheel"),
    (("rod_outer", "rod_rocker"), "the axis of the rocker", "the rod cannot turn the rocker"),
    (("rod_outer", "rod_rocker"), "the hinge of the arm", "the wheel cannot move the rod"),
    (("spring_chassis", "spring_rocker"), "the axis of the rocker", "the spring cannot hold the rocker"),
    (("spring_bottom", "spring_top"), "the hinge of the arm", "the spring cannot hold the wheel"),
    (("third_rocker",), "the axis of the rocker", "the third spring cannot hold the rockers"),
    (("bar_end", "bar_link"), "the axis of the anti-roll bar", "the drop link cannot twist the bar"),
    (("bar_end", "bar_link"), "what carries the drop link", "the wheel cannot move the drop link"),
)
LEVER = 0.003  # m
#: the hinge of each part that carries something
HINGES = {
    "lower_arm": ("lower_front", "lower_rear"),
    "upper_arm": ("upper_front", "upper_rear"),
    "arm": ("pivot_inner", "pivot_outer"),
    "rocker": ("rocker_pivot", "rocker_axis"),
}


def _axes(s: Drawn) -> dict[str, tuple[str, str]]:
    """The axes of a suspension by name, each by the roles of two points; of a U-bar the second is "y", a direction."""
    own = HINGES.get(s.carrier) if s.spring not in ("none", "strut") else None
    bar = {"u": ("bar_pivot", "y"), "t": ("bar_pivot", "bar_top")}.get(s.bar)
    named = {
        "the steering axis": KINDS[s.kind].kingpin,
        "the axis of the rocker": HINGES["rocker"],
        "the hinge of the arm": own,
        "the axis of the anti-roll bar": bar,
        "what carries the drop link": HINGES.get(s.bar_carrier) if bar else None,
    }
    return {name: axis for name, axis in named.items() if axis and all(r in s.points or r == "y" for r in axis)}


def _find_meeting(s: Drawn, found: list[Problem]) -> None:
    """Links whose lines meet the axis that they should turn or hold something about."""
    p, axes = s.points, _axes(s)
    for ends, named, so in MEETING:
        if named not in axes or any(role not in p for role in ends):
            continue
        first, second = axes[named]
        start = p[ends[0]]
        line = (p[ends[1]] if len(ends) > 1 else start * (1.0, -1.0, 1.0)) - start
        about = np.array([0.0, 1.0, 0.0]) if second == "y" else p[second] - p[first]
        size = math.hypot(*line.tolist()) * math.hypot(*about.tolist())
        lever = abs(float(cross(start - p[first], line) @ about)) / size if size else 1.0
        if lever < LEVER:
            which = f"from {ends[0]} to {ends[1]}" if len(ends) > 1 else f"from {ends[0]} to that of the other side"
            text = f"the line {which} meets {named} (lever {1000 * lever:.2g} mm), so {so}.\n"
            roles = dict.fromkeys(role for role in (*ends, first, second) if role in p)
            found.append((tuple(roles), f"{text}  Move one of its ends off that line."))


def _find_links_of_axles(s: Drawn, found: list[Problem]) -> None:
    """A live axle has two upper links, or one and a Panhard rod, which goes from one side to the other."""
    if s.kind != "live axle":
        return
    upper, rod = ("upper_chassis", "upper_axle"), ("panhard_chassis", "panhard_axle")
    single = all(abs(s.points[role][1]) < 1e-9 for role in upper)
    given = [role for role in rod if role in s.points]
    if len(given) == 1 or single != (len(given) == 2):
        text = "a live axle has two upper links (y > 0, mirrored), or one in the middle (y = 0) and a Panhard rod.\n  "
        text += (
            "Give panhard_chassis and panhard_axle."
            if single
            else "Leave the Panhard rod out, or put upper_chassis and upper_axle at y = 0."
        )
        found.append(((*upper, *given), text))
    elif single and s.points[rod[0]][1] * s.points[rod[1]][1] > 0:
        numbers = " and ".join(f"y = {s.points[role][1]:g} m" for role in rod)
        text = f"panhard_chassis and panhard_axle are on the same side ({numbers}).\n"
        found.append((tuple(f"{role}.y" for role in rod), f"{text}  The rod goes across: change the sign of one y."))


def _off_line(point: Array, a: Array, b: Array) -> float:
    """Distance [m] of a point from the line through a and b."""
    along = b - a
    size = math.hypot(*along.tolist())
    return math.hypot(*cross(point - a, along).tolist()) / size if size else math.dist(point, a)


def _shown(p: Array) -> str:
    return "(" + ", ".join(f"{v:g}" for v in p) + ")"
