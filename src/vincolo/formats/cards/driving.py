"""Driving Pos: laws of motion Psi(q, t) = 0, with the derivatives the card gives compared with our own."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vincolo.errors import FileError, ModelError, VincoloError
from vincolo.formats.cards.bodies import General
from vincolo.formats.cards.connections import Connection
from vincolo.formats.cards.coordinates import Expression, expression, number_text
from vincolo.formats.cards.forces import Mechanism
from vincolo.formats.cards.measured import coordinate
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import Block, Blocks, Field, blocks_of, number
from vincolo.formats.mistakes import Follows, Mistakes, each
from vincolo.model.functions import Expression as Function
from vincolo.model.geometry import AXES
from vincolo.model.measure import angle, formula

#: the labels of derivatives as Vita's text (4.2.7) and its listing (4.7.3) spell them
SPELLINGS = {"PSIit": "PSI_t", "PSIitt": "PSI_tt", "PSIt": "PSI_t", "PSItt": "PSI_tt"}
AGREE = 1e-6  # relative difference of two derivatives
ANGLE = ("Euler parameters are driven in pairs, q4 - cos(g) and q5 - sin(g) with the same g: the angle 2 g about x (q6 "
         "about y, q7 about z) of a body that a revolute or cylindrical joint holds on the frame. In Python write "
         "model.drive('joint.angle', ...).")


@dataclass(frozen=True)
class Law:
    """A law of motion: its number, where it stands, and the expression that is zero."""

    key: str
    place: Place
    zero: Expression


def add_drives(to: Mechanism, path: Path, general: General, strict: bool, mistakes: Mistakes) -> int:
    """All laws of the card; returns how many drives they became."""
    read, before = blocks_of(path, to.report, mistakes), len(to.model.holds)
    constants = mistakes.attempt(_constants, read)
    if constants is None:
        return 0
    found = [mistakes.attempt(_law, to, block, constants, general) for block in read.blocks if block.key != "constants"]
    _list_constants(to, read)
    laws = [law for law in found if law is not None]
    problems = add_laws(to, laws, read.whole and len(laws) == len(found))
    if strict:
        mistakes.found += problems
    else:
        to.report.left_out += [str(error) for error in problems]
    return len(to.model.holds) - before


def _constants(read: Blocks) -> dict[str, float]:
    fields = [item for block in read.blocks if block.key == "constants" for item in block.fields.values()]
    if not read.whole and not fields:
        raise Follows("the constants could not be read.")
    return dict(zip([item.label for item in fields], each(number, fields), strict=True))


def _list_constants(to: Mechanism, read: Blocks) -> None:
    """Constants that no law names."""
    words = {word for block in read.blocks if block.key != "constants" for item in block.fields.values()
             for word in re.findall(r"[A-Za-z_]\w*", item.text, re.ASCII)}
    for item in (item for block in read.blocks if block.key == "constants" for item in block.fields.values()):
        if item.label not in words:
            to.report.not_used(item.place, f"{item.label}={item.text} (no law names it)")


def _law(to: Mechanism, block: Block, constants: dict[str, float], general: General) -> Law:
    _ = block.number
    law = Law(block.key, block.place, law_of(block.need("position"), len(to.starts), constants))
    _compare(to, block, law.zero, general)
    return law


def law_of(item: Field, bodies: int, constants: Mapping[str, float] | None = None) -> Expression:
    """An expression of positions and time that can be held at zero."""
    law = expression(item, bodies, constants)
    if law.rates:
        raise law.error("has rates qp in it.", "A law of motion is one of positions: write it over q and t.")
    if not law.positions:
        raise law.error("has no coordinate in it, so it moves nothing.", "Write for example q1 - 0.1*sin(t).")
    return law


def add_laws(to: Mechanism, laws: list[Law], whole: bool = True) -> list[ModelError]:
    """Adds the drives of all laws; returns what is wrong with them. If the laws are not `whole`, one that lacks its
    partner is not a mistake of its own."""
    mistakes, done = Mistakes(), set[str]()
    for law in laws:
        if law.key not in done:
            done |= mistakes.attempt(_add, to, law, laws, whole) or set()
    return mistakes.found


def _add(to: Mechanism, law: Law, laws: list[Law], whole: bool) -> set[str]:
    """Adds the drive of a law; returns the keys of the laws that are served by it."""
    zero = law.zero
    if all(k % 7 < 3 for k in zero.positions):
        measures = {f"q{k + 1}": coordinate(to.model, to.bodies, k) for k in zero.positions}
        name = to.names.free(f"law {law.key}", "drive")
        try:
            words = set(re.findall(r"[A-Za-z_]\w*", zero.text))  # constants belong to all laws of a card
            used = {constant: value for constant, value in zero.constants.items() if constant in words}
            to.model.drive(formula(zero.text, **measures, **used), 0.0, name)
        except FileError:
            raise
        except ModelError as error:
            raise zero.item.place.error(str(error), "Correct this law.") from None
        return {law.key}
    for other in laws:
        if other is not law and _add_turn(to, law, zero, other.zero):
            return {law.key, other.key}
    one = "" if len(zero.positions) > 1 or zero.positions[0] % 7 < 3 else " alone, and leaves the sense of turning open"
    alone = to.own_fault(zero.error(f"drives Euler parameters{one}.", ANGLE))
    raise alone if whole else Follows(str(alone))


def _add_turn(to: Mechanism, law: Law, first: Expression, second: Expression) -> bool:
    """e0 = cos(g), e_k = sin(g): the body turns by 2 g about the axis k, which a joint must hold on the ground."""
    found = [_euler_law(e) for e in (first, second)]
    pair = sorted((x for x in found if x is not None), key=lambda x: x[0])
    if len(pair) < 2 or pair[0][0] // 7 != pair[1][0] // 7 or pair[0][3] != pair[1][3]:
        return False
    (e0, cosine, sign0, _, argument), (ek, sine, sign, _, _) = pair
    if e0 % 7 != 3 or ek % 7 == 3 or (cosine, sine) != ("cos", "sin") or sign0 < 0:
        return False
    body, axis = e0 // 7 + 1, AXES["xyz"[ek % 7 - 4]]
    if not any(_holds(c, body, axis) for c in to.connections.values()):
        return False
    x = AXES["yzx"[ek % 7 - 4]]
    a, b = (to.bodies[k].frame(local=(0, 0, 0), z=axis, x=x) for k in (0, body))
    function = Function(f"{'-' if sign < 0 else ''}2*({argument})", **first.constants)
    to.model.drive(angle(a, b), function, to.names.free(f"law {law.key}", "drive"))
    to.report.note(law.place, f"{first.item.text} and {second.item.text} are taken as a turn of body "
                                f"'{to.bodies[body].name}' by {'-' if sign < 0 else ''}2*({argument}) about "
                                f"{'xyz'[ek % 7 - 4]}.")
    return True


def _holds(connection: Connection, body: int, axis: tuple[float, float, float]) -> bool:
    """A joint that leaves a body only the turn about an axis of the ground, which is the same axis of the body."""
    found = connection.on_ground()
    if found is None or found[1].body != body or connection.kind not in ("revolute", "cylindrical"):
        return False
    return all(abs(abs(float(side.axes[:, 2] @ np.array(axis))) - 1.0) < 1e-9 for side in found[:2])


def _euler_law(e: Expression) -> tuple[int, str, float, str, str] | None:
    """(coordinate, "cos" or "sin", sign, a fingerprint of g, g) of a law q - cos(g), q + sin(g) or cos(g) - q."""
    try:
        tree = ast.parse(e.text.replace("^", "**"), mode="eval").body  # looked at, never run
    except SyntaxError:  # numbers such as 01
        return None
    if len(e.positions) != 1 or not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Sub | ast.Add):
        return None
    coordinate = f"q{e.positions[0] + 1}"
    sign = 1.0 if isinstance(tree.op, ast.Sub) else -1.0
    sides = (tree.left, tree.right) if isinstance(tree.left, ast.Name) else (tree.right, tree.left)
    match sides:
        case (ast.Name(id=moved), ast.Call(func=ast.Name(id="cos" | "sin" as name), args=[argument])):
            inside = {node.id for node in ast.walk(argument) if isinstance(node, ast.Name)}
            if moved == coordinate and coordinate not in inside:
                return e.positions[0], name, sign, ast.dump(argument), ast.unparse(argument)
    return None


# derivatives


def _compare(to: Mechanism, block: Block, law: Expression, general: General) -> None:
    """Warns where a derivative in the card differs from the one of its law."""
    given: dict[str, Field] = {}
    for label, item in block.fields.items():
        name = _spelling(label)
        if name is None:
            to.report.warn(item.place, f"the label '{label}' is not known; it is not used.")
            to.report.not_used(item.place, f"{label}={item.text}")
        elif name in given:
            raise item.place.error(f"'{name}' is given twice in begin({block.key}).", "Remove one of them.")
        else:
            given[name] = item
    for name in ("PSI_t", "PSI_tt"):
        if name not in given:
            to.report.note(block.place, f"begin({block.key}) has no {name}, which NumDyn3D needs; it is computed here.")
    wanted = [f"{kind}({k + 1})" for kind in ("PSI_q", "PSI_qt") for k in law.positions]
    for name in dict.fromkeys([*given, *wanted]):
        if name != "position" and (name in given or name in wanted):
            _compare_one(to, block, law, name, given.get(name), general)


def _spelling(label: str) -> str | None:
    """The label of a derivative as Vita's text spells it; None if it is not one."""
    name, bracket, rest = label.partition("(")
    if not bracket:
        name = SPELLINGS.get(name, name)
        return name if name in ("position", "PSI_t", "PSI_tt") else None
    name = {"PSIQ": "PSI_q", "PSIq": "PSI_q", "PSIQt": "PSI_qt", "PSIqt": "PSI_qt"}.get(name, name)
    return f"{name}({rest}" if name in ("PSI_q", "PSI_qt") else None


def _compare_one(to: Mechanism, block: Block, law: Expression, name: str, item: Field | None,
                 general: General) -> None:
    place = block.place if item is None else item.place
    theirs = None if item is None else expression(item, len(to.starts), law.constants)
    kind, _, rest = name.partition("(")
    k = int(rest[:-1]) - 1 if rest else None
    if k is not None and not 0 <= k < 7 * len(to.starts):
        raise place.error(f"there is no coordinate q{k + 1} for {name}.",
                          f"Coordinates are q1 to q{7 * len(to.starts)}.")
    for t, q in _samples(to, general):
        try:
            own = _derivative(law, kind, k, t, q)
            other = 0.0 if theirs is None else _value(theirs, t, q)
        except (VincoloError, ArithmeticError, ValueError):
            continue
        if not math.isclose(own, other, rel_tol=AGREE, abs_tol=AGREE):
            text = "is not given, so zero" if item is None else f"= {item.text} is {other:.6g}"
            to.report.warn(place, f"{name} {text} at t = {t:g} s, but the derivative of '{law.item.text}' is "
                                  f"{own:.6g} there; the derivative is used.")
            return


def _samples(to: Mechanism, general: General) -> Iterator[tuple[float, dict[int, float]]]:
    """Times in the run, and coordinates near the start."""
    start = np.concatenate([np.concatenate([s.position, s.euler]) for s in to.starts])
    for k, share in enumerate((0.0, 0.137, 0.618)):
        t = general.start + share * min(general.until - general.start, 10.0)
        yield t, {i: float(start[i]) + 0.1 * k for i in range(len(start))}


def _value(e: Expression, t: float, q: dict[int, float]) -> float:
    names = {name: q[int(name[1:]) - 1] for name in e.tape.inputs if not name.startswith("qp")}
    return e.tape.evaluate(t, [names.get(name, 0.0) for name in e.tape.inputs])


def _along(law: Expression, t: float, q: dict[int, float], k: int | None, time: bool) -> tuple[float, float]:
    """First and second derivative of the law along time, a coordinate, or both at once, at fixed other values."""
    values = {f"q{i + 1}": number_text(q[i]) for i in law.positions}
    values["t"] = f"({t!r}+t)" if time else number_text(t)
    if k is not None and f"q{k + 1}" in values:
        values[f"q{k + 1}"] = f"({q[k]!r}+t)"
    _, first, second = Function(law.at(values), **law.constants).derivatives(0.0)[:3]
    return float(first), float(second)


def _derivative(law: Expression, kind: str, k: int | None, t: float, q: dict[int, float]) -> float:
    if kind in ("PSI_t", "PSI_tt"):
        return _along(law, t, q, None, True)[kind == "PSI_tt"]
    if k not in law.positions:
        return 0.0
    if kind == "PSI_q":
        return _along(law, t, q, k, False)[0]
    # along q and t at once the second derivative is Psi_qq + 2 Psi_qt + Psi_tt
    both, one, other = (_along(law, t, q, *how)[1] for how in ((k, True), (k, False), (None, True)))
    return (both - one - other) / 2
