"""Forces: springs, single forces and torques, force vectors, bushings."""

from __future__ import annotations

from collections.abc import Callable

from vincolo.errors import ModelError
from vincolo.formats.adams.bodies import Dataset
from vincolo.formats.adams.functions import Untranslated, translated
from vincolo.formats.adams.joints import reason, scaled
from vincolo.formats.adams.measured import AXES, Markers, turned
from vincolo.formats.adams.text import Statement
from vincolo.formats.adams.vectors import apply
from vincolo.formats.vector_laws import Vector
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
    markers = Markers(to, statement)
    force = translated(text, to.units.time, _along_itself(to, statement, turning, markers))
    to.model.actuator(to.name(statement), measure, scaled(force, unit), **markers.measures)


def _along_itself(to: Dataset, statement: Statement, turning: bool, others: Markers) -> Callable[[str, list[int]], str]:
    """What functions of markers are: of the force's own two the measure d and the rate dd, else other measures."""
    i, j = statement.ids("I")[0], statement.ids("J")[0]
    value, rate = ("d", f"dd*{to.units.time!r}") if turning else (f"d/{to.units.length!r}", f"dd/{to.units.speed!r}")

    def measured(name: str, markers: list[int]) -> str:
        own = sorted(markers[:2]) == sorted((i, j)) and all(k in (i, j) for k in markers[2:])
        if not own or name not in (("AZ", "WZ") if turning else ("DM", "VR")):
            return others(name, markers)
        found = value if name in ("AZ", "DM") else rate
        return f"({found})" if markers[:2] == [i, j] or not turning else f"(-({found}))"

    return measured


def _action_only(to: Dataset, statement: Statement, text: str, turning: bool) -> None:
    """On I along z of J, wherever that is; nothing takes the reaction."""
    where, towards = to.frame(statement, "I"), to.frame(statement, "J")
    if where.body.is_ground:
        to.report.not_used(statement.place, f"{statement.title}: it acts on ground.")
        return
    apply(to, statement, Vector(to.name(statement), where, towards, to.model.ground, {2: text}, {}), turning)


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
