"""Models of MuJoCo from MJCF files: bodies, joints, masses of geoms, springs, equalities. What else is in them is
listed in the report."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from vincolo.formats.document import Document
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.mjcf.model import Builder
from vincolo.formats.mjcf.reader import KIND, Reader
from vincolo.formats.report import Report
from vincolo.formats.xml_tree import list_unused, read_xml

__all__ = ["read_mjcf"]


def read_mjcf(path: str | os.PathLike[str], *, inertia_checked: bool = True) -> Document:
    """A model from an MJCF file of MuJoCo, in its initial position: bodies, joints, masses, joint springs and dampers,
    linear equalities, motors as inputs; ranges of joints are watched. What else is there is listed in the report;
    contacts, and tendons and actuators that act by themselves, stop a run unless that is accepted. With
    inertia_checked=False inertias that break the triangle inequality are taken as they are, and listed in the
    report."""
    report, mistakes, where = Report(), Mistakes(), Path(path)
    top = read_xml(path, "mujoco", KIND)
    with np.errstate(all="ignore"):
        reader = Reader(top, report, mistakes, inertia_checked=inertia_checked)
        items = reader.read()
        mistakes.refuse(where.name)
        model = Builder(reader, items, where.stem, where.parent).build()
    mistakes.refuse(where.name)
    list_unused(top, report)
    return Document(model, report=report, path=where)
