"""Every kind of part of a model, and what it adds to the equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model import Body, Model
from vincolo.model.auxiliary import Formula
from vincolo.model.forces import Law, Load, Rotor, Spring
from vincolo.model.measure import RATE
from vincolo.symbolic.coordinates import Matrix, add, constants
from vincolo.symbolic.graph import Node
from vincolo.symbolic.rows import Part, Value

if TYPE_CHECKING:
    from vincolo.symbolic.mechanism import Mechanism

#: what this package can write; another kind of part is refused by name until it is told of here
KNOWN = ("body", "joint", "drive", "measure", "spring", "law", "rotor", "load", "range", "frame", "sub-model", "input",
         "variable", "state", "output")


def entries(model: Model) -> Iterator[tuple[str, str, Any]]:
    """All parts of a model that equations know: kind, name, part."""
    for kind, group in (("body", model.bodies), ("joint", model.joints), ("held", model.holds),
                        ("rotor", model.rotors), ("spring", model.springs), ("law", model.laws),
                        ("load", model.loads)):
        for name, thing in group.items():
            yield kind, name, thing


def bodies_of(kind: str, thing: Any) -> list[str]:
    """Names of the bodies that a part is about, in the order it meets them."""
    if kind == "body":
        return [thing.name]
    if kind == "load":
        return [thing.frame.body.name]
    measures = [row.measure for row in thing.rows] if kind == "joint" else [thing.measure]
    if kind == "law":
        measures += [other for _, other in thing.others]
    frames = [f for m in measures for _, _, a, b in m.terms for f in (a, b)]
    return list(dict.fromkeys(f.body.name for f in frames if not f.body.is_ground))


def refuse_unknown(model: Model) -> None:
    """Refuses what cannot be written as equations, by name."""
    if not model.bodies:
        raise ModelError(f"model {model.name!r} has no bodies.\n"
                         "  Add one with model.body(name, mass=..., inertia=...).")
    if model.events:
        raise ModelError(f"event {next(iter(model.events))!r}: the equations are others behind it, or the motion jumps."
                         "\n  Write them for a copy of the model without it: model.copy(), then remove(name).")
    if model.controllers:
        raise ModelError(f"controller {next(iter(model.controllers))!r}: what it returns is not among the equations.\n"
                         "  Take it out of a copy of the model: model.copy(), then remove(name).")
    for kind, group in model.groups().items():
        if kind not in (*KNOWN, "event") and group:
            raise ModelError(f"{kind} {next(iter(group))!r}: equations cannot be written with it yet.\n"
                             "  Take it out of a copy of the model: model.copy(), then remove(name).")
    if model.switches:
        s = model.switches[0]
        raise ModelError(f"switch of {s.owner!r} at {s.at:g} s: the equations are others before and after it.\n"
                         "  Write them for a copy of the model with the part, and for one without.")


def _body(m: Mechanism, name: str, body: Body) -> Part:
    k, number = m.numbers[name], m.parameters.number
    entry = {(i, j): number(f"{name}.inertia.{'xyz'[i]}{'xyz'[j]}", body.inertia[i, j], "J")
             for i in range(3) for j in range(i, 3)}
    if all(body.inertia[i, i] == body.inertia[0, 0] for i in range(3)) and (name + ".inertia.yy") not in \
            m.parameters.asked and (name + ".inertia.zz") not in m.parameters.asked:
        entry[1, 1] = entry[2, 2] = entry[0, 0]  # a ball has one
    tensor = np.array([[entry[min(i, j), max(i, j)] for j in range(3)] for i in range(3)], dtype=object)
    gravity = [number(f"gravity.{'xyz'[i]}", m.model.gravity[i], "g") for i in range(3)]
    M, Q = m.coordinates.inertia(k, number(f"{name}.mass", body.mass, "m"), tensor, np.array(gravity, dtype=object))
    return Part(name, "body", (k,), (), M, Q)


def _joint(m: Mechanism, name: str, joint: Any) -> Part:
    if name in m.coordinates.held:
        return Part(name, "joint", (), (), {}, {})
    rows, values = joint.rows, []
    for k, row in enumerate(rows):
        title = f"{name}.length" if k in joint.definition.drawn and len(joint.definition.drawn) == 1 else f"{name}.{k}"
        values.append(m.parameters.number(title, row.value, "l"))
    bodies = m.touched(*(row.measure for row in rows)) if rows else ()
    made = tuple(m.row(name, row.resists, row.level, row.measure, value)
                 for row, value in zip(rows, values, strict=True))
    return Part(name, "joint", bodies, made, {}, {})


def _held(m: Mechanism, name: str, held: Any) -> Part:
    value = m.functions.of(held.function, name)(m.coordinates.time)
    row = m.row(name, "drive" if held.drive else "held measure", held.level, held.measure, value)
    return Part(name, "drive" if held.drive else "hold", m.touched(held.measure), (row,), {}, {})


def _rotor(m: Mechanism, name: str, rotor: Rotor) -> Part:
    """T = 1/2 J (ratio m')^2: M = J ratio^2 row^T row, Q = -J ratio^2 row^T bias."""
    x, bodies = m.measure(name, rotor.measure), m.touched(rotor.measure)
    row, reflected = m.gradient(x, bodies), m.parameters.number(f"{name}.inertia", rotor.reflected, "J")
    M: Matrix = {}
    for i, a in row.items():
        for j, b in row.items():
            add(M, (i, j), reflected * (a * b))
    return Part(name, "rotor", bodies, (), M, m.along(bodies, -(reflected * m.along_time(x.rate)), row))


def _spring(m: Mechanism, name: str, s: Spring) -> Part:
    x, bodies, number = m.measure(name, s.measure), m.touched(s.measure), m.parameters.number
    k, c, preload = (number(f"{name}.{what}", value, letter) for what, value, letter in
                     (("k", s.k, "k"), ("c", s.c, "c"), ("preload", s.preload, "F")))
    force = c * x.rate + preload
    if x.value is not None:
        force = k * (x.value - number(f"{name}.length", s.length, "l")) + force
    return Part(name, "spring", bodies, (), {}, m.along(bodies, -force, m.gradient(x, bodies)))


def _law(m: Mechanism, name: str, law: Law) -> Part:
    x, t = m.measure(name, law.measure), m.coordinates.time
    own = m.touched(law.measure)
    if law.curve is not None:
        assert x.value is not None
        force = m.functions.of(law.curve, name)(x.value)
    elif law.history is not None:
        force = m.functions.of(law.history, name)(t)
    else:
        if law.formula is None:
            raise ModelError(f"law {name!r} is a Python function that cannot be written as a formula.\n"
                             "  Write it as a text to have its equations.")
        force = of_formula(m, name, Formula(law.formula, law.others, law.reads), x)
    bodies = tuple(dict.fromkeys((*own, *m.touched(*(other for _, other in law.others)))))
    return Part(name, "law" if law.sign < 0 else "actuator", bodies, (), {},
                m.along(bodies, law.sign * force, m.gradient(x, own)))


def of_formula(m: Mechanism, name: str, formula: Formula, x: Value | None = None) -> Node:
    """A text over the mechanism and what a run carries beside it; along a measure x with d and dd."""
    seen = {key: m.measure(f"{name}.{key}", other) for key, other in formula.others}
    known: dict[str, Node] = {key: m.auxiliary(read) for key, read in formula.reads}
    for key, value in {**seen, **({} if x is None else {"d": x})}.items():
        known[key] = m.graph.zero if value.value is None else value.value
        known["dd" if key == "d" else f"{key}{RATE}"] = value.rate
    unknown = [key for key in formula.tape.inputs if key not in known]
    if unknown:
        raise ModelError(f"{name!r}: {unknown[0]!r} in '{formula.tape.text}' is not a measure of the mechanism, so "
                         "that its equation cannot be written.\n"
                         "  Write a number, a measure or a function of time for it.")
    return m.functions.formula(formula.tape, m.coordinates.time, [known[key] for key in formula.tape.inputs])


def _load(m: Mechanism, name: str, load: Load) -> Part:
    body = m.numbers[load.frame.body.name]
    vector = np.array([m.functions.of(f, f"{name}_{x}")(m.coordinates.time)
                       for f, x in zip(load.components, "xyz", strict=True)], dtype=object)
    if load.in_body_axes:
        vector = m.coordinates.pose(body)[1] @ vector
    nothing = constants(m.graph, np.zeros(3))
    point, _ = m.frame(name, load.frame)
    force, torque = (nothing, vector) if load.torque else (vector, nothing)
    return Part(name, "torque" if load.torque else "force", (body,), (), {}, m.pushed(body, point, force, torque))


WRITERS: dict[str, Callable[[Mechanism, str, Any], Part]] = {
    "body": _body, "joint": _joint, "held": _held, "rotor": _rotor, "spring": _spring, "law": _law, "load": _load}
