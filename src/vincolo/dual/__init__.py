"""Dual numbers, vectors and matrices, and the mechanics of lines and screws with them."""

from vincolo.dual.arrays import det, eig, identity, inv, norm, roots, solve, where
from vincolo.dual.dynamics import DualInertia
from vincolo.dual.frames import (
    denavit_hartenberg,
    frame,
    from_points,
    is_displacement,
    motion_screw,
    origin,
    rodrigues,
    rotation_x,
    rotation_z,
    skew,
    vee,
)
from vincolo.dual.linkage import linkage
from vincolo.dual.loops import Closed, Loop
from vincolo.dual.number import Dual, arctan2, dual, eps
from vincolo.dual.screws import (
    Screw,
    angle_between,
    cross,
    dot,
    line,
    moved,
    power,
    screw,
    screw_of,
    twist,
    unit,
    wrench,
)

__all__ = [
    "Closed", "Dual", "DualInertia", "Loop", "Screw", "angle_between", "arctan2", "cross", "denavit_hartenberg", "det",
    "dot", "dual", "eig", "eps", "frame", "from_points", "identity", "inv", "is_displacement", "line", "linkage",
    "motion_screw", "moved", "norm", "origin", "power", "rodrigues", "roots", "rotation_x", "rotation_z", "screw",
    "screw_of", "skew", "solve", "twist", "unit", "vee", "where", "wrench",
]
