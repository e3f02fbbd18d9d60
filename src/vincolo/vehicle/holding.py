"""Whether links hold a wheel, and the points of those that do not: from the rows of a suspension at a position."""

from __future__ import annotations

import numpy as np

from vincolo.model.geometry import Array
from vincolo.system import System
from vincolo.vehicle.suspension import Suspension

#: points of the parts that hold a wheel, by the names of joints
HELD_BY = {
    "tie_rod": ("tie_inner", "tie_outer"),
    "strut_slide": ("strut_top", "strut_bottom"),
    "hinge": ("pivot_inner", "pivot_outer"),
    "travel.drive": ("wheel_centre",),
    "push_rod": ("rod_outer", "rod_rocker"),
    "pull_rod": ("rod_outer", "rod_rocker"),
    "rocker_hinge": ("rocker_pivot", "rocker_axis"),
    "bar_link": ("bar_end", "bar_link"),
    "bar_hinge": ("bar_pivot", "bar_end"),
    "t_bar_foot": ("bar_pivot", "bar_top"),
    "rack": ("tie_inner",),
    "panhard_rod": ("panhard_chassis", "panhard_axle"),
    **{f"link{k}": (f"link{k}_inner", f"link{k}_outer") for k in range(1, 5)},
    **{f"{level}_link": (f"{level}_chassis", f"{level}_axle") for level in ("lower", "upper")},
    **{f"{level}_front": (f"{level}_front", f"{level}_ball") for level in ("upper", "lower")},
    **{f"{level}_rear": (f"{level}_rear", f"{level}_ball") for level in ("upper", "lower")},
    **{f"{level}_hinge": (f"{level}_front", f"{level}_rear", f"{level}_ball") for level in ("upper", "lower")},
    **{f"{level}_ball_joint": (f"{level}_ball",) for level in ("upper", "lower")},
}
LOOSE = 1e-4  # of the largest: a singular value below it is a wheel that its links do not hold


def holds(J: Array) -> bool:
    """Whether the rows at a position leave nothing free."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return J.shape[0] >= J.shape[1] and bool(sizes[J.shape[1] - 1] > LOOSE * sizes[0])


def concerned(suspension: Suspension, system: System, J: Array) -> tuple[str, ...]:
    """The points of the parts whose rows come nearest to depending on each other at a
    position, the most concerned first."""
    share = np.abs(np.linalg.svd(J)[0][:, -1])
    order = [k for k in np.argsort(-share).tolist() if share[k] > 0.05 * share.max()]
    parts = [str(system.rows[k].owner) for k in order]
    ends = [part.removeprefix(f"{suspension.name}_").removeprefix("left_").removeprefix("right_") for part in parts]
    return tuple(dict.fromkeys(r for end in ends for r in HELD_BY.get(end, ()) if r in suspension.points))
