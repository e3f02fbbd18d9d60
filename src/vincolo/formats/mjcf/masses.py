"""Masses of the bodies of an MJCF file: as given, or of their geoms."""

from __future__ import annotations

import math

import numpy as np

from vincolo.formats.mjcf.reader import Item, Reader
from vincolo.formats.sources import short
from vincolo.formats.xml_tree import Element, take_all
from vincolo.model.mass import MassProperties
from vincolo.model.shapes import box, cylinder, ellipsoid, sphere

DENSITY = 1000.0  # kg/m3, of geoms that do not say
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}  # how many numbers a geom is given by


def properties_of(item: Item, reader: Reader) -> MassProperties | None:
    """Mass properties in the body's own frame; None if it has neither mass nor inertia."""
    if item.inertial is not None and reader.from_geoms != "true":
        idle_geoms(item, reader, "the body has an <inertial>")
        return _inertial(item.inertial, reader)
    if reader.from_geoms == "false":
        idle_geoms(item, reader, "inertiafromgeom is false")
        return None
    found = [(_shape(geom, item, reader), pose) for geom, pose in item.geoms]
    parts = [part.moved(pose.p, pose.R) for part, pose in found if part is not None]
    return sum(parts[1:], parts[0]) if parts else None


def _inertial(element: Element, reader: Reader) -> MassProperties | None:
    mass, pose = element.number("mass"), reader.pose(element)
    if element.get("fullinertia") is not None:
        xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        tensor = np.diag(element.numbers("diaginertia", 3, (0, 0, 0) if mass == 0 else None))
    if mass == 0 and not tensor.any():
        return None
    return MassProperties.given(mass, pose.p, tensor, axes=pose.R, inertia_checked=reader.inertia_checked)


def idle_geoms(item: Item, reader: Reader, why: str) -> None:
    """Lists geoms that give no mass, and so have no effect on the motion."""
    for geom, _ in item.geoms:
        _idle(geom, reader, why)


def _idle(geom: Element, reader: Reader, why: str) -> None:
    take_all(geom)
    reader.report.not_used(geom.place, f"{geom.title}: <geom> has no effect on the motion, since {why}.")


def _shape(geom: Element, item: Item, reader: Reader) -> MassProperties | None:
    """The mass of a geom, in its own axes; none of what has none."""
    kind = geom.get("type", "sphere") or "sphere"
    given = geom.number("mass") if geom.get("mass") is not None else None
    density = geom.number("density", DENSITY) if given is None else 0.0
    if given == 0 or (given is None and density == 0) or kind == "plane":
        _idle(geom, reader, "it has no mass")
        return None
    if geom.get("shellinertia") == "true":
        raise geom.error("the mass of a shell is not computed here.", "Give the body an <inertial>.")
    if kind not in SIZES:
        raise geom.error(f"the mass of a geom of type {short(kind)}, in body {short(item.name)}, is not computed here.",
                         "Give the body an <inertial>; of a mesh, "
                         "vincolo.shapes.mesh(\"part.stl\", density=...) knows it.")
    size = sizes_of(geom, SIZES[kind])
    needed = 1 if geom.get("fromto") and SIZES[kind] == 2 else SIZES[kind]
    if len(geom.need("size").split()) > needed:
        reader.report.not_used(geom.place, f"{geom.title}: of size={short(geom.get('size'))} a {kind} has use for "
                                           f"{needed}.")
    how = {"density": density} if given is None else {"mass": given}
    if kind == "sphere":
        return sphere(size[0], **how)
    if kind == "box":
        return box([2 * value for value in size], **how)
    if kind == "ellipsoid":
        return ellipsoid(size, **how)
    if kind == "cylinder":
        return cylinder(size[0], 2 * size[1], **how)
    return capsule(size[0], 2 * size[1], density, given)


def sizes_of(geom: Element, count: int) -> list[float]:
    """The numbers that a geom is given by; with fromto, its half length follows."""
    given = geom.numbers("size", len(geom.need("size").split()))
    if geom.get("fromto"):
        ends = np.array(geom.numbers("fromto", 6))
        half = float(np.linalg.norm(ends[3:] - ends[:3])) / 2
        return [given[0], half] if count == 2 else [given[0], given[min(1, len(given) - 1)], half][:count]
    return given[:count] if len(given) >= count else geom.numbers("size", count)


def capsule(radius: float, length: float, density: float, mass: float | None) -> MassProperties:
    """A cylinder along z with two half balls, its centre at the origin; `length` [m] without the balls."""
    r, h = radius, length
    pipe, balls = math.pi * r**2 * h, 4 / 3 * math.pi * r**3
    per = density if mass is None else mass / (pipe + balls) if pipe + balls > 0 else 0.0
    m, ends = per * pipe, per * balls
    across = m * (3 * r**2 + h**2) / 12 + ends * (0.4 * r**2 + h**2 / 4 + 3 * h * r / 8)
    about = m * r**2 / 2 + ends * 0.4 * r**2
    return MassProperties(m + ends, np.zeros(3), np.diag([across, across, about]))
