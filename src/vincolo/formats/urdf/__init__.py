"""Robots from URDF files: links and joints as the file has them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.document import Document
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.formats.urdf.model import Builder
from vincolo.formats.urdf.robot import KIND, robot_of
from vincolo.formats.xml_tree import list_unused, read_xml

__all__ = ["read_urdf"]

BASES = ("ground", "free")
LIMITS = ("watched", "stops")


def read_urdf(path: str | os.PathLike[str], *, base: str = "ground", limits: str = "watched",
              inertia_checked: bool = True) -> Document:
    """A model from a URDF file, in its zero position. The base link is fixed on the ground; with base="free" it is
    free to move. Lengths, masses and angles are SI, gravity is 9.80665 m/s2 along -z. The limits of its joints are
    watched; with limits="stops" they are rigid stops, called after their joints: "elbow_limits". With
    inertia_checked=False inertias that break the triangle inequality are taken as they are, and listed in the
    report."""
    if base not in BASES:
        raise ModelError(f"read_urdf(): base is {base!r}; it is 'ground' or 'free'.")
    if limits not in LIMITS:
        raise ModelError(f"read_urdf(): limits is {limits!r}; it is 'watched' or 'stops'.")
    report, mistakes, where = Report(), Mistakes(), Path(path)
    with np.errstate(all="ignore"):
        robot = robot_of(read_xml(path, "robot", KIND), where, report, mistakes)
        mistakes.refuse(where.name)
        builder = Builder(robot, report, mistakes, where.parent, stops=limits == "stops",
                          inertia_checked=inertia_checked)
        model = builder.build(base == "ground")
    mistakes.refuse(where.name)
    list_unused(robot.element, report)
    return Document(model, report=report, path=where)
