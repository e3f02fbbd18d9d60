"""Forces: springs, single forces and torques, force vectors, bushings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.adams.functions import Untranslated, translated
from vincolo.formats.adams.joints import reason, scaled
from vincolo.formats.adams.measured import AXES, turned
from vincolo.formats.adams.parts import Dataset
from vincolo.formats.adams.text import Statement
from vincolo.model import Frame
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure, along, angle, distance


def add_spring(to: Dataset, statement: Statement) -> None:
    """F = -K (DM - LENGTH) - C VR + FORCE on marker I; vincolo counts tension as positive."""
    a, b = to.pair(statement)
    if turns(statement):
        unit = to.units.torque
        to.model.spring(to.name(statement), angle(a, b), k=statement.value("KT") * unit,
                        c=statement.value("CT") * unit * to.units.time, length=statement.value("ANGLE", angles=True),
                        preload=-statement.value("TORQUE") * unit)
        return
    unit = to.units.force / to.units.length
    to.model.spring(to.name(statement), a, b, k=statement.value("K") * unit,
                    c=statement.value("C") * unit * to.units.time, length=statement.value("LENGTH") * to.units.length,
                    preload=-statement.value("FORCE") * to.units.force)


def turns(statement: Statement) -> bool:
    """Whether a force turns about an axis; otherwise it acts along a line."""
    kinds = [name for name in ("TRANSLATIONAL", "ROTATIONAL") if statement.has(name)]
    if len(kinds) == 2:
        raise statement.error("it is both TRANSLATIONAL and ROTATIONAL.", "Keep one of them.")
    return kinds == ["ROTATIONAL"]


def add_sforce(to: Dataset, statement: Statement) -> None:
    """A force along the line of two markers, positive if it pushes them apart; a torque about z; or, action only, a
    force or torque on I along z of J."""
    text = statement.formula("FUNCTION")
    if text is None or statement.has("ROUTINE"):
        raise Untranslated("it has no FUNCTION that can be read")
    turning = turns(statement)
    unit = to.units.torque if turning else to.units.force
    if statement.has("ACTIONONLY"):
        _action_only(to, statement, scaled(translated(text, to.units.time), unit), turning)
        return
    a, b = to.pair(statement)
    if turning and float(a.drawn_axes[:, 2] @ b.drawn_axes[:, 2]) < 0.999:
        to.report.warn(statement.place, f"{statement.title}: the z axes of its markers differ; the torque acts about z "
                                        "of J.")
    measure = angle(a, b) if turning else distance(a, b)
    if not turning and measure.drawn_value < 1e-9:
        raise Untranslated("its two markers coincide, so it has no direction")
    force = translated(text, to.units.time, _along_itself(to, statement, turning))
    to.model.actuator(to.name(statement), measure, scaled(force, unit))


def _along_itself(to: Dataset, statement: Statement, turning: bool) -> Callable[[str, list[int]], str]:
    """What functions of the force's own two markers are: its measure d and the rate dd."""
    i, j = statement.ids("I")[0], statement.ids("J")[0]
    value, rate = ("d", f"dd*{to.units.time!r}") if turning else (f"d/{to.units.length!r}", f"dd/{to.units.speed!r}")

    def measured(name: str, markers: list[int]) -> str:
        shown = f"{name}({','.join(map(str, markers))})"
        if sorted(markers[:2]) != sorted((i, j)) or any(k not in (i, j) for k in markers[2:]):
            raise Untranslated(f"{shown} is not measured between its own two markers")
        forwards = markers[:2] == [i, j]
        if name in (("AZ", "WZ") if turning else ("DM", "VR")):
            found = value if name in ("AZ", "DM") else rate
            return f"({found})" if forwards or not turning else f"(-({found}))"
        raise Untranslated(f"{shown} is not what the force acts along")

    return measured


def _action_only(to: Dataset, statement: Statement, text: str, turning: bool) -> None:
    where, towards = to.frame(statement, "I"), to.frame(statement, "J")
    _load(to, statement, to.name(statement), where, towards, {2: text}, turning)


def _load(to: Dataset, statement: Statement, name: str, where: Frame, axes: Frame | None, texts: dict[int, str],
          turning: bool) -> None:
    """A load on a frame, by its components along the axes of another that is fixed on ground or on the same body."""
    if where.body.is_ground:
        to.report.not_used(statement.place, f"{statement.title}: it acts on ground.")
        return
    if axes is not None and axes.body is not where.body and not axes.body.is_ground:
        raise Untranslated(f"its direction turns with another part, {axes.body.name!r}")
    on_body = axes is not None and axes.body is where.body
    columns: Array = np.eye(3) if axes is None else axes.axes if on_body else axes.drawn_axes
    components = [" + ".join(f"({float(columns[row, k])!r})*({text})" for k, text in texts.items()
                             if abs(columns[row, k]) > 1e-15) or "0" for row in range(3)]
    method = to.model.torque if turning else to.model.force
    method(name, where, components, axes="body" if on_body else "world")


def add_vector(to: Dataset, statement: Statement) -> None:
    """VFORCE, VTORQUE and GFORCE: components on I along the axes of RM, with the reaction on ground."""
    where = to.frame(statement, "I")
    axes = to.frame(statement, "RM") if statement.has("RM") else None
    if statement.has("FUNCTION"):
        raise Untranslated("it is computed by a subroutine")
    if statement.has("JFLOAT"):
        reaction = to.markers.get((statement.ids("JFLOAT") or [-1])[0])
        body = None if reaction is None else to.bodies.get(reaction.part)
        if body is None or not body.is_ground:
            raise Untranslated("its reaction acts on a moving part, at a point that moves on it")
    for letter, unit in (("F", to.units.force), ("T", to.units.torque)):
        texts = {k: scaled(translated(text, to.units.time), unit) for k, axis in enumerate("XYZ")
                 if (text := statement.formula(letter + axis)) is not None}
        if texts:
            name = statement.name if letter == "F" else f"{statement.name}_torque"
            free = to.names.free(name, statement.keyword.lower(), statement.place)
            _load(to, statement, free, where, axes, texts, letter == "T")


def add_bushing(to: Dataset, statement: Statement) -> None:
    """F = -K x - C v + FORCE along the axes of J, and the like about them; angles as AX, AY and AZ of Adams."""
    j, i = to.pair(statement)
    force, torque, time = to.units.force, to.units.torque, to.units.time
    name = to.name(statement)
    rows: list[tuple[str, Measure, float, float, float]] = []
    k, c, f = (statement.vector(argument) for argument in ("K", "C", "FORCE"))
    kt, ct, t = (statement.vector(argument) for argument in ("KT", "CT", "TORQUE"))
    for n, axis in enumerate(AXES):
        per_length = force / to.units.length
        rows.append((axis, along(axis, j, i), k[n] * per_length, c[n] * per_length * time, f[n] * force))
        rows.append((f"a{axis}", turned(axis, j, i), kt[n] * torque, ct[n] * torque * time, t[n] * torque))
    for suffix, measure, stiffness, damping, preload in rows:
        if stiffness or damping or preload:
            free = to.names.free(f"{name}_{suffix}", "bushing", statement.place)
            to.model.spring(free, measure, k=stiffness, c=damping, length=0.0, preload=-preload)
    to.report.note(statement.place, f"{statement.title} is made of springs {name}_x, {name}_ax and so on.")


def guarded(to: Dataset, statement: Statement, add: Callable[[Dataset, Statement], None]) -> None:
    """Adds a force or constraint, or lists it as left out if it cannot be translated."""
    try:
        add(to, statement)
    except Untranslated as error:
        to.leave_out(statement, f"{statement.title} is left out: {reason(error)}.")
    except ModelError as error:
        if str(error).startswith(statement.place):
            raise
        to.leave_out(statement, f"{statement.title} is left out: {reason(error)}.")
