"""What designers of linkages read from a motion: transmission angles, velocity ratios, mechanical advantage."""

from __future__ import annotations

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array
from vincolo.results.result import Result


def transmission_angle(result: Result, first: str, middle: str, last: str) -> Array:
    """The angle [rad] at the joint `middle` between the lines to the joints `first` and `last`, 0 to pi: of a four-bar,
    between coupler and rocker. Best near a right angle; a linkage below 40 degrees (0.7 rad) transmits badly."""
    points = []
    for name in (first, middle, last):
        if name not in result.system.joints:
            raise ModelError(
                f"transmission_angle(): there is no joint called {name!r}.{suggest(name, result.system.joints)}"
            )
        points.append(result.channels.point(result.system.joints[name].a))
    one, two = points[0] - points[1], points[2] - points[1]
    across = np.linalg.norm(np.cross(one, two), axis=1)
    return np.asarray(np.arctan2(across, np.einsum("ij,ij->i", one, two)), dtype=float)


def velocity_ratio(result: Result, output: str, driven: str) -> Array:
    """How fast one coordinate moves for each unit of another's speed: output rate over driven rate."""
    return np.asarray(result[f"{output}.rate"] / result[f"{driven}.rate"], dtype=float)


def mechanical_advantage(result: Result, output: str, driven: str) -> Array:
    """Force or torque at the output for each unit at the driven coordinate, without friction and inertia: the inverse
    of the velocity ratio; infinite at a dead centre."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / velocity_ratio(result, output, driven), dtype=float)
