"""Joints, joint primitives, motions, couplers and gears. Coordinates are those of marker I, seen from marker J."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.adams.bodies import Dataset
from vincolo.formats.adams.functions import Untranslated, translated
from vincolo.formats.adams.text import ARGUMENTS, Statement
from vincolo.model import Frame, Joint
from vincolo.model.measure import Measure, along, angle

PLAIN = {"REVOLUTE": "revolute", "TRANSLATIONAL": "prismatic", "CYLINDRICAL": "cylindrical", "SPHERICAL": "spherical",
         "UNIVERSAL": "universal", "FIXED": "fixed", "PLANAR": "planar"}
PRIMITIVES = {"ATPOINT": "spherical", "INLINE": "guide", "INPLANE": "point_on_plane", "ORIENTATION": "orientation",
              "PARALLEL_AXES": "parallel", "PERPENDICULAR": "perpendicular"}
OPEN = 1e-3  # m or a cosine: a joint drawn more open than this is worth a warning


def add_joint(to: Dataset, statement: Statement) -> None:
    """A JOINT or JPRIM."""
    if statement.number in to.joints and statement.keyword == "JOINT":
        raise statement.error("there are two joints of this number.", "Give each a number of its own.")
    kinds = [name for name in ARGUMENTS[statement.keyword] if name in (*PLAIN, *PRIMITIVES, *SPECIAL)]
    found = [kind for kind in kinds if statement.has(kind)]
    if len(found) != 1:
        raise statement.error(f"it has {len(found) or 'no'} kind{'s' if len(found) > 1 else ''} of joint.",
                              f"Write one of: {', '.join(kinds)}.")
    a, b = to.pair(statement)
    if found[0] in SPECIAL:
        made = SPECIAL[found[0]](to, statement, a, b)
    else:
        method: Callable[..., Joint] = getattr(to.model, {**PLAIN, **PRIMITIVES}[found[0]])
        made = method(to.name(statement), a, b)
    if made is None:
        return
    _warn_open(to, statement, made)
    if statement.keyword == "JOINT":
        to.joints[statement.number] = made
        _start(to, statement, made)


def _warn_open(to: Dataset, statement: Statement, joint: Joint) -> None:
    worst = max((abs(row.measure.drawn_value - row.value) for row in joint.rows), default=0.0)
    if worst > OPEN:
        to.report.warn(statement.place, f"{statement.title}: its markers are apart or turned against each other (by "
                                        f"{worst:.3g}); parts are moved at the start to close it.")
    elif "angle" in joint.coordinates and float(joint.a.drawn_axes[:, 2] @ joint.b.drawn_axes[:, 2]) < 0:
        to.report.warn(statement.place, f"{statement.title}: the z axes of its markers are opposed.")


def _hooke(to: Dataset, statement: Statement, j: Frame, i: Frame) -> Joint:
    """The cross: the x axis of I and the y axis of J."""
    a = j.body.frame(local=j.point, z=j.axes[:, 1], x=j.axes[:, 2])
    b = i.body.frame(local=i.point, z=i.axes[:, 0], x=i.axes[:, 1])
    return to.model.universal(to.name(statement), a, b)


def _convel(to: Dataset, statement: Statement, j: Frame, i: Frame) -> Joint:
    """z axes point away from the joint in Adams; here they point the same way."""
    if float(j.drawn_axes[:, 2] @ i.drawn_axes[:, 2]) < 0:
        i = i.body.frame(local=i.point, z=-i.axes[:, 2], x=i.axes[:, 0])
    return to.model.constant_velocity(to.name(statement), j, i)


def _screw(to: Dataset, statement: Statement, j: Frame, i: Frame) -> None:
    """One equation: travel - pitch angle / 2 pi, as drawn; what keeps the axes together is another joint."""
    pitch = statement.value("PITCH") * to.units.length
    held = along("z", j, i) - pitch / (2 * math.pi) * angle(j, i)
    to.model.hold(to.name(statement), held, held.drawn_value)


def _rackpin(to: Dataset, statement: Statement, j: Frame, i: Frame) -> None:
    """The pinion I turns about its z axis, the rack J runs along its own. The sense is that of rolling on the side
    where the rack's marker is; if that is not given, that of the axes: x of the pinion is the way of the rack for a
    positive turn. A negative PD reverses it."""
    spin, way = i.drawn_axes[:, 2], j.drawn_axes[:, 2]
    radius = statement.value("PD") * to.units.length / 2
    if radius == 0:
        raise statement.error("the pitch diameter PD is zero or missing.", "Write PD=0.05, for example.")
    if abs(float(spin @ way)) > OPEN:
        to.report.warn(statement.place, f"{statement.title}: the rack does not run at right angles to the axis of "
                                        f"the pinion (cosine {float(spin @ way):.3g}).")
    sense = _rolling(to, statement, j, i, abs(radius))
    if sense is None:
        return
    pinion = i.body.frame(i.drawn_point, z=spin, x=way)
    rack = j.body.frame(j.drawn_point, z=spin, x=way)
    to.model.rack_and_pinion(to.name(statement), pinion, rack, radius=radius * sense)


def _rolling(to: Dataset, statement: Statement, j: Frame, i: Frame, radius: float) -> float | None:
    """1 if the rack runs along its z axis for a positive turn of the pinion, -1 if against it, None if neither says."""
    spin, way = i.drawn_axes[:, 2], j.drawn_axes[:, 2]
    by_axes = float(i.drawn_axes[:, 0] @ way)
    lever = j.drawn_point - i.drawn_point
    lever = lever - way * (way @ lever) - spin * (spin @ lever)
    size = float(np.linalg.norm(lever))
    if size < 1e-6 * radius and abs(by_axes) < 0.99:
        to.leave_out(statement, f"{statement.title}: neither the markers nor the x axis of I show on which side of the "
                                "pinion the rack is; write model.rack_and_pinion(...).")
        return None
    if size < 1e-6 * radius:
        to.report.note(statement.place, f"{statement.title}: by its axes, the rack runs along x of I for a positive "
                                        "turn.")
        return math.copysign(1.0, by_axes)
    rolling = math.copysign(1.0, float(np.cross(spin, lever / size) @ way))
    if abs(size - radius) > 1e-3 * radius:
        to.report.warn(statement.place, f"{statement.title}: the markers are {size:g} m apart, but half of PD is "
                                        f"{radius:g} m, which is what is used.")
    if rolling * by_axes < -0.99:
        to.report.note(statement.place, f"{statement.title}: by where its marker is the rack runs against x of I for a "
                                        "positive turn, by its axes along it; the first is taken.")
    return rolling


SPECIAL: dict[str, Callable[[Dataset, Statement, Frame, Frame], Joint | None]] = {
    "HOOKE": _hooke, "CONVEL": _convel, "SCREW": _screw, "RACKPIN": _rackpin}


def _start(to: Dataset, statement: Statement, joint: Joint) -> None:
    """Initial displacement and velocity of the coordinates of a joint."""
    for argument, coordinate in (("IC", None), ("ICTRAN", "travel"), ("ICROT", "angle")):
        given = statement.numbers(argument, (1, 2), angles=coordinate != "travel")
        if given is None:
            continue
        known = list(joint.coordinates)
        name = coordinate or (known[0] if len(known) == 1 else "")
        if name not in known:
            to.leave_out(statement, f"{statement.title}: {argument} on a {joint.kind} joint.")
            continue
        if f"{joint.name}.{name}" in to.given:
            raise statement.error(f"{argument} says again where the {name} begins.", "Keep one of IC, ICTRAN, ICROT.")
        unit = to.units.length if name == "travel" else 1.0
        to.given[f"{joint.name}.{name}"] = given[0] * unit
        if len(given) == 2:
            to.given[f"{joint.name}.{name}.rate"] = given[1] * unit / to.units.time


def add_motion(to: Dataset, statement: Statement) -> None:
    """A MOTION: a drive of a joint's coordinate, or of one marker against another."""
    measure, length = _moved(to, statement)
    text = statement.formula("FUNCTION")
    if measure is None or text is None:
        if text is None:
            to.leave_out(statement, f"{statement.title}: it has no FUNCTION.")
        return
    levels = [level for level in ("DISPLACEMENT", "VELOCITY", "ACCELERATION") if statement.has(level)]
    if len(levels) > 1:
        raise statement.error(f"it is given at {len(levels)} levels: {', '.join(levels)}.", "Keep one of them.")
    level = levels[0].lower().replace("displacement", "position") if levels else "position"
    factor = (to.units.length if length else 1.0) / to.units.time**(0, 1, 2)[
        ("position", "velocity", "acceleration").index(level)]
    try:
        function = scaled(translated(text, to.units.time), factor)
        held = to.model.drive(measure, function, to.name(statement), level)
    except (Untranslated, ModelError) as error:
        to.leave_out(statement, f"{statement.title}: {reason(error)}; nothing moves it.")
        return
    if level != "position" and measure.name:
        unit = to.units.length if length else 1.0
        if statement.has("ICDISP"):
            to.given[measure.name] = statement.value("ICDISP", angles=True) * unit
        if statement.has("ICVEL") and level == "acceleration":
            to.given[f"{measure.name}.rate"] = statement.value("ICVEL", angles=True) * unit / to.units.time
    to.report.understood.append(f"{statement.title}: {held.measure.name or 'a measure'} by {text[:60]}")


def _moved(to: Dataset, statement: Statement) -> tuple[Measure | None, bool]:
    """What a motion moves, and whether that is a length."""
    if statement.has("JOINT"):
        joint = _joint(to, statement, "JOINT")
        if joint is None:
            return None, False
        wanted = "travel" if statement.has("TRANSLATIONAL") else "angle" if statement.has("ROTATIONAL") else ""
        known = [name for name in ("angle", "travel") if name in joint.coordinates]
        name = wanted or (known[0] if len(known) == 1 else "")
        if name not in known:
            raise statement.error(f"it does not say which freedom of the {joint.kind} joint {joint.name!r} it moves.",
                                  "Write ROTATION or TRANSLATION, or name another joint.")
        return joint[name], name == "travel"
    a, b = to.pair(statement)
    for axis in "XYZ":
        if statement.has(axis):
            return along(axis.lower(), a, b), True
    to.leave_out(statement, f"{statement.title}: motions about axes of markers are not translated.")
    return None, False


def _joint(to: Dataset, statement: Statement, argument: str) -> Joint | None:
    found = _joints(to, statement, argument, 1)
    return found[0] if found else None


def _joints(to: Dataset, statement: Statement, argument: str, most: int) -> list[Joint]:
    """The joints an argument names; none, with a note, if one of them was left out."""
    numbers = statement.ids(argument, most)
    for number in numbers:
        if number in to.skipped and to.mistakes.found:
            return []  # it may be wrong itself, and was reported
        if number in to.skipped:
            to.leave_out(statement, f"{statement.title}: JOINT/{number} has no coordinate here to act on.")
            return []
        if number not in to.joints:
            raise statement.error(f"{argument} names joint {number}, which is not in the dataset.",
                                  f"Joints: {', '.join(str(n) for n in list(to.joints)[:12]) or 'none'}.")
    return [to.joints[number] for number in numbers]


def add_coupler(to: Dataset, statement: Statement) -> None:
    """r1 q1 + r2 q2 + r3 q3 = as drawn"""
    joints = _joints(to, statement, "JOINTS", 3)
    scales = statement.numbers("SCALES", (1, 2, 3))
    if not joints and to.mistakes.found:
        return
    if len(joints) < 2 or scales is None or statement.has("FUNCTION"):
        to.leave_out(statement, f"{statement.title}: only couplers of joints with SCALES are translated.")
        return
    scales = [1.0] * (len(joints) - len(scales)) + scales
    kinds = "".join(statement.words("TYPE")).upper().split(":")
    total: Measure | None = None
    for k, (joint, scale) in enumerate(zip(joints, scales, strict=True)):
        name = _freedom(statement, joint, kinds[k] if k < len(kinds) else "")
        part = scale / (to.units.length if name == "travel" else 1.0) * joint[name]
        total = part if total is None else total + part
    assert total is not None
    to.model.hold(to.name(statement), total, total.drawn_value)


def _freedom(statement: Statement, joint: Joint, kind: str) -> str:
    known = [name for name in ("angle", "travel") if name in joint.coordinates]
    if not known:
        raise statement.error(f"the {joint.kind} joint {joint.name!r} has no coordinate to couple.",
                              "Couple revolute, translational and cylindrical joints.")
    wanted = {"T": "travel", "R": "angle", "": known[0]}.get(kind[:1], "")
    if wanted not in known:
        raise statement.error(f"TYPE says {kind!r} of the {joint.kind} joint {joint.name!r}.",
                              "Write R for its rotation or T for its translation, whichever it has.")
    return wanted


def add_gear(to: Dataset, statement: Statement) -> None:
    """Both wheels have one velocity along z of the marker CV of their carrier: r1 q1 = r2 q2"""
    joints = _joints(to, statement, "JOINTS", 2)
    if not joints:
        return
    contact = to.frame(statement, "CV")
    sides = [_toothed(statement, joint, contact) for joint in joints]
    if len(sides) != 2:
        raise statement.error(f"JOINTS names {len(sides)} joint(s).", "Name two joints.")
    total = sides[0] - sides[1]
    to.model.hold(to.name(statement), total, total.drawn_value)


def _toothed(statement: Statement, joint: Joint, contact: Frame) -> Measure:
    """The velocity of a wheel's teeth at the contact, as a measure of its joint."""
    way, axis = contact.drawn_axes[:, 2], joint.a.drawn_axes[:, 2]
    name = _freedom(statement, joint, "")
    if contact.body not in (joint.a.body, joint.b.body):
        raise statement.error(f"the marker CV is on {contact.body.name!r}, which the joint {joint.name!r} does not "
                              "hold.", "Put CV on the part that carries both wheels.")
    sense = 1.0 if contact.body is joint.a.body else -1.0
    lever = float(way @ axis) if name == "travel" else float(np.cross(axis, contact.drawn_point -
                                                                      joint.a.drawn_point) @ way)
    if abs(lever) < 1e-12:
        raise statement.error(f"the teeth of the joint {joint.name!r} do not move along z of the marker CV.",
                              "Turn z of CV into the direction in which the teeth move.")
    return sense * lever * joint[name]


def scaled(text: str, factor: float) -> str:
    """An expression in other units."""
    return text if factor == 1 else f"{factor!r}*({text})"


def reason(error: Exception) -> str:
    """The first line of an error, for the report."""
    return str(error).splitlines()[0].rstrip(".")[:200]
