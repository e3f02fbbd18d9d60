"""The model as tables: bodies, joints, drives, springs, laws, loads, points."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.model import Model
from vincolo.model.functions import Function
from vincolo.model.functions.tracer import name_of
from vincolo.model.joint import Joint
from vincolo.model.measure_units import measure_unit
from vincolo.report.elements import DASH, Safe, joined, number, safe, table, unit, vector
from vincolo.report.words import cut, driven_unit, force_units, function_text, measure_text
from vincolo.units import Unit, Units, unit_of

NO_AXIS = ("spherical", "fixed", "orientation", "distance", "rolling_ball")
TWO_AXES = ("universal", "perpendicular", "elbow", "bevel_gear")
UNITS = {"pitch": "m", "radius": "m", "radius2": "m", "pressure": "rad", "roller": "m"}  # of parameters of joints
NAMES = {"radius2": "second radius", "pressure": "pressure angle", "side": "flank"}
METRE = unit_of("m")
ALIKE = 1e-9  # m: two points that are nearer are one


def model_tables(model: Model, wanted: Units = Units()) -> Safe:  # noqa: B008  # it never changes
    """All parts of a model with their numbers and units, as drawn; places are in the length that is wanted."""
    length = wanted.instead_of("m") or METRE
    return joined([bodies(model, length), joints(model, length), drives(model), springs(model), laws(model),
                   rotors(model), loads(model, length), contacts(model), carried(model), outputs(model),
                   controllers(model), points(model, length), ranges(model), events(model), switches(model)])


def place(values: Any, length: Unit) -> Safe:
    """A point, in m, in another unit."""
    return vector(length.of_si(np.asarray(values, dtype=float)))


def bodies(model: Model, length: Unit) -> Safe:
    """Mass, place, centre of mass and inertia."""
    products = any(np.abs(b.inertia[np.triu_indices(3, 1)]).max() > 1e-12 * max(1e-300, np.abs(b.inertia).max())
                   for b in model.bodies.values())
    rows = []
    for name, b in model.bodies.items():
        row: list[object] = [name, number(b.mass, 6), place(b.at, length), place(b.com, length),
                             vector(np.diag(b.inertia), 5)]
        rows.append([*row, vector(b.inertia[np.triu_indices(3, 1)], 5)] if products else row)
    heads = ["body", "mass [kg]", f"origin [{length.name}]", f"centre of mass [{length.name}]", "Ixx, Iyy, Izz [kg·m²]",
             "Ixy, Ixz, Iyz [kg·m²]"]
    total = sum(b.mass for b in model.bodies.values())
    if len(rows) > 1:
        rows.append(["all together", number(total, 6), *[Safe("")] * (len(rows[0]) - 2)])
    return table(heads[:6 if products else 5], rows, "lrccc" + ("c" if products else ""),
                 "Bodies. Origins are in world axes as drawn; centres of mass, and elements of the inertia tensors "
                 "about them, in body axes.")


def joints(model: Model, length: Unit) -> Safe:
    """Kind, bodies, point and axis, as drawn in world axes."""
    rows = []
    for name, joint in model.joints.items():
        rows.append([name, joint.kind.replace("_", " "), joint.a.body.name, joint.b.body.name, _place(joint, length),
                     _axes(joint), number(joint.definition.freedom), _parameters(joint, length)])
    extra = any(row[-1] for row in rows)
    heads = ["joint", "kind", "first body", "second body", f"point [{length.name}]", "axis", "freedom", "parameters"]
    width = len(heads) if extra else len(heads) - 1
    return table(heads[:width], [row[:width] for row in rows], "llllccc",
                 "Joints. Points and axes are in world axes as drawn; freedom is what a joint leaves of six.")


def _place(joint: Joint, length: Unit) -> Safe:
    a, b = joint.a.drawn_point, joint.b.drawn_point
    same = float(np.linalg.norm(a - b)) <= ALIKE * max(1.0, float(np.abs(a).max()))
    return place(a, length) if same else joined([place(a, length), safe(" and "), place(b, length)])


def _axes(joint: Joint) -> Safe:
    if joint.kind in NO_AXIS:
        return Safe(DASH)
    first = vector(joint.a.drawn_axes[:, 2], 4)
    return joined([first, " and ", vector(joint.b.drawn_axes[:, 2], 4)]) if joint.kind in TWO_AXES else first


def _parameters(joint: Joint, length: Unit) -> Safe:
    texts: list[object] = []
    if joint.length is not None:
        told = length.of_si(joint.length)
        texts.append(joined(["length ", number(told, 6), f" {length.name}"] if joint.kind != "elbow" else
                            ["cosine of the angle ", number(joint.length, 6)]))
    for key, value in joint.parameters.items():
        name = NAMES.get(key, key)
        if isinstance(value, int | float):
            texts.append(joined([f"{name} ", number(float(value), 6), f" {UNITS[key]}" if key in UNITS else ""]))
        else:
            several = value if isinstance(value, tuple | list) else [value]
            told = "; ".join(function_text(f) if isinstance(f, Function) else str(f) for f in several)
            texts.append(cut(f"{name} {told}"))
    return joined(texts, ", ")


def drives(model: Model) -> Safe:
    """What is driven or held, and how."""
    rows = [[name, "drive" if held.drive else "hold", measure_text(held.measure), held.level,
             function_text(held.function), unit(driven_unit(held.measure, held.level))]
            for name, held in model.holds.items()]
    return table(["name", "kind", "measure", "level", "function of time t", "unit"], rows, "llllll",
                 "Drives and held measures.")


def springs(model: Model) -> Safe:
    """Stiffness, damping, free length and preload."""
    rows = []
    for name, s in model.springs.items():
        units = [unit(u) for u in force_units(s.measure)]
        numbers = [joined([number(value, 6), f"\N{NO-BREAK SPACE}{u}" if u else ""]) for value, u in
                   zip((s.k, s.c, s.length, s.preload), units, strict=True)]
        rows.append([name, measure_text(s.measure), *numbers])
    return table(["spring", "along", "stiffness", "damping", "free length", "preload"], rows, "llrrrr",
                 "Springs and dampers: force = stiffness (value − free length) + damping rate + preload, positive in "
                 "tension.")


def laws(model: Model) -> Safe:
    """Forces by formulas, curves and functions of time."""
    rows = []
    for name, law in model.laws.items():
        if law.formula is not None:
            text = cut(law.formula.text)
        elif law.called is not None:
            text = f"Python function {name_of(law.called.function)}"
        elif law.curve is not None:
            text = f"{function_text(law.curve)} over the value"
        else:
            text = function_text(law.history) if law.history is not None else DASH
        rows.append([name, "resists" if law.sign < 0 else "drives", measure_text(law.measure), text,
                     unit(force_units(law.measure)[3])])
    return table(["force law", "acts", "along", "force over value d, rate dd and time t", "unit"], rows, "lllll",
                 "Force laws and actuators.")


def rotors(model: Model) -> Safe:
    """Inertia that turns with a coordinate."""
    rows = [[name, measure_text(r.measure), number(r.inertia, 6), number(r.ratio, 6), number(r.reflected, 6),
             unit("kg" if measure_unit(r.measure) == "m" else "kg m^2")] for name, r in model.rotors.items()]
    return table(["rotor", "turns with", "inertia J", "ratio", "J ratio²", "unit"], rows, "llrrrl",
                 "Rotors: kinetic energy 1/2 J (ratio rate)².")


def loads(model: Model, length: Unit) -> Safe:
    """Forces and torques from outside."""
    rows = [[name, "torque" if load.torque else "force", load.frame.body.name, place(load.frame.point, length),
             "body" if load.in_body_axes else "world", joined([function_text(f) for f in load.components], ", "),
             "N·m" if load.torque else "N"] for name, load in model.loads.items()]
    gravity = model.gravity
    if np.any(gravity):
        rows.append(["gravity", "acceleration", "all bodies", "", "world", vector(gravity), "m/s²"])
    heads = ["load", "kind", "body", f"at, in body axes [{length.name}]", "axes", "components x, y, z", "unit"]
    return table(heads, rows, "lllcllc", "Loads.")


def contacts(model: Model) -> Safe:
    """Who may touch whom."""
    rows = [[name, c.words] for name, c in model.contacts.items()]
    return table(["contact", "who meets whom, and how"], rows, "ll", "Contacts.")


def carried(model: Model) -> Safe:
    """What a run carries beside the motion."""
    rows = []
    for name, a in model.auxiliaries.items():
        moves = cut(a.rate.tape.text) if a.rate is not None else "linear" if a.between == "linear" else DASH
        moves = moves if a.sensed is None else cut(a.sensed.told)
        rows.append([name, a.kind, number(a.start, 6), moves, a.unit])
    return table(["name", "kind", "start", "rate, what is sensed, or between two values", "unit"], rows, "llrll",
                 "Inputs, variables, sensors and states.")


def outputs(model: Model) -> Safe:
    """What is read from a run."""
    rows = [[name, cut(o.told), o.unit] for name, o in model.outputs.items()]
    return table(["output", "what", "unit"], rows, "lll", "Outputs.")


def controllers(model: Model) -> Safe:
    """What is called in a run."""
    rows = [[name, number(c.every, 6), cut(", ".join(read.told for read in c.reads)), ", ".join(c.writes)]
            for name, c in model.controllers.items()]
    return table(["controller", "called every [s]", "reads", "writes"], rows, "lrll", "Controllers.")


def points(model: Model, length: Unit) -> Safe:
    """Named frames."""
    rows = [[name, f.body.name, place(f.point, length), place(f.drawn_point, length),
             "moves on its body" if f.motion else ""]
            for name, f in model.frames.items()]
    moving = any(row[-1] for row in rows)
    heads = ["point", "on body", f"in body axes [{length.name}]", f"in world axes as drawn [{length.name}]", ""]
    width = 5 if moving else 4
    return table(heads[:width], [row[:width] for row in rows], "llccl"[:width], "Named points.")


def ranges(model: Model) -> Safe:
    """Limits that are watched."""
    rows = [[name, measure_text(r.measure), r.told] for name, r in model.ranges.items()]
    return table(["range", "of", "stays within"], rows, "lll", "Ranges, which a run watches.")


def switches(model: Model) -> Safe:
    """What is switched on and off."""
    rows = [[s.owner, "on" if s.on else "off", number(s.at, 6) if np.isfinite(s.at) else "from the beginning",
             "all" if s.rows is None else ", ".join(str(k) for k in s.rows)] for s in model.switches]
    return table(["joint or drive", "switched", "at t [s]", "rows"], rows, "llrl", "Switches.")


def events(model: Model) -> Safe:
    """What happens in a run."""
    rows = [[e.name, cut(e.condition), cut(e.done)] for e in model.events.values()]
    return table(["event", "where", "what it does"], rows, "lll", "Events.")
