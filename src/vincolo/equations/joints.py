"""Joints: short lists of measures held at zero (a distance: at its length), and what stays free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vincolo.equations.measures import Measure, along, angle, cosine, distance


@dataclass(frozen=True)
class Joint:
    """The measures a joint holds, the freedom it leaves of six, and the coordinates of that freedom."""

    held: list[Measure]
    freedom: int
    coordinates: Mapping[str, Measure] = field(default_factory=dict)


coincide = [along("x"), along("y"), along("z")]  # the points of A and B
on_line = [along("x"), along("y")]  # the point of B on the z axis of A
z_parallel = [cosine("x", "z"), cosine("y", "z")]  # the z axes of A and B
same_axes = [cosine("x", "y"), cosine("y", "z"), cosine("z", "x")]  # all axes of A and B

JOINTS: dict[str, Joint] = {
    "spherical": Joint(coincide, 3),
    "revolute": Joint(coincide + z_parallel, 1, {"angle": angle("x")}),
    "cylindrical": Joint(on_line + z_parallel, 2, {"angle": angle("x"), "travel": along("z")}),
    "prismatic": Joint(on_line + z_parallel + [cosine("x", "y")], 1, {"travel": along("z")}),
    "universal": Joint(coincide + [cosine("z", "z")], 2,
                       {"angle1": angle("z"), "angle2": -angle("z").reversed()}),
    "planar": Joint([along("z")] + z_parallel, 3, {"x": along("x"), "y": along("y"), "angle": angle("x")}),
    "fixed": Joint(coincide + same_axes, 0),
    "guide": Joint(on_line, 4, {"travel": along("z")}),
    "point_on_plane": Joint([along("z")], 5),
    "distance": Joint([distance], 5, {"length": distance}),
    "parallel": Joint(z_parallel, 4),
    "perpendicular": Joint([cosine("z", "z")], 5),
    "orientation": Joint(same_axes, 3),
}
