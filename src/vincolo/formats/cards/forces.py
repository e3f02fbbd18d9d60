"""Force and SPDamp: loads, springs, dampers and actuators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.cards.bodies import Start
from vincolo.formats.cards.connections import Connection, Names, body_number
from vincolo.formats.cards.coordinates import Expression, Texts, expression, slid, turned
from vincolo.formats.cards.report import CardError, Report
from vincolo.formats.cards.text import Block, Field, check_labels, number, whole
from vincolo.model import Body, Frame, Measure, Model
from vincolo.model.geometry import AXES, Array
from vincolo.model.measure import along_world, distance

FORCE = ("name", "body", "type", "Fx", "Fy", "Fz", "Tx", "Ty", "Tz", "px", "py", "pz")
SPRING = ("name", "type", "body1", "body2", "K", "L0", "C", "A", "p1x", "p1y", "p1z", "p2x", "p2y", "p2z",
          "ConnectionID")
PARALLEL = 1e-9


@dataclass(frozen=True)
class Mechanism:
    """What forces and drives are put on: the model, its bodies by number, where they start, and its joints."""

    model: Model
    bodies: list[Body]
    starts: list[Start]
    connections: dict[int, Connection]
    names: Names
    report: Report

    def expression(self, block: Block, label: str, default: str | None = None) -> Expression:
        """A field of a block as an expression; `default` where it is not given."""
        item = block.fields.get(label) or (block.need(label) if default is None else
                                           Field(label, default, block.place))
        return expression(item, len(self.starts))

    def name(self, block: Block, kind: str) -> str:
        """A free name for the part of a block."""
        wanted = block.fields["name"].text if "name" in block.fields else f"{kind} {block.key}"
        return self.names.free(wanted, kind)


def add_force(to: Mechanism, block: Block) -> None:
    """One action: a force at a point of a body, a torque, or both."""
    check_labels(block, FORCE, to.report)
    k = body_number(block.need("body"), len(to.starts))
    if k == 0:
        raise block.fields["body"].error("is 0: the action is on the frame, where it does nothing.",
                                         "Give the number of a body.")
    local = whole(block.need("type"), 1, 2, "1 is in global axes, 2 in those of the body") == 2
    parts = {kind: [to.expression(block, f"{kind}{axis}", "0") for axis in "xyz"] for kind in "FT"}
    point = [to.expression(block, f"p{axis}", "0") for axis in "xyz"]
    acting = {kind: three for kind, three in parts.items() if any(e.constant != 0 for e in three)}
    if not acting:
        to.report.not_used(block.place, f"begin({block.key}): force and torque are zero")
    for kind, three in acting.items():
        moved = [(axis, e) for axis, e in enumerate(three) if e.moves]
        laws = [_law(to, k, kind, axis, e, point, local) for axis, e in moved]  # before anything is added
        if any(e.constant != 0 for e in three if not e.moves):
            components = [_text(e) if not e.moves else 0.0 for e in three]
            _add_load(to, block, kind, to.bodies[k], point, components, local)
        for measure, text in laws:
            to.model.actuator(to.name(block, "force" if kind == "F" else "torque"), measure, text)


def _text(e: Expression) -> str | float:
    return e.text if e.constant is None else e.constant


def _add_load(to: Mechanism, block: Block, kind: str, body: Body, point: list[Expression],
              components: list[str | float], local: bool) -> None:
    """A force or torque over t at a point, which may move on the body in time."""
    for e in point:
        if e.moves:
            raise e.error("depends on coordinates.", "A point of application may depend on t only.")
    axes, fixed = "body" if local else "world", all(e.constant is not None for e in point)
    if kind == "T" or fixed or local:
        at = [e.constant or 0.0 for e in point] if fixed else (0.0, 0.0, 0.0)
        add = to.model.force if kind == "F" else to.model.torque
        add(to.name(block, "force" if kind == "F" else "torque"), body.frame(local=at), components, axes)
    if kind == "T" or fixed:
        return
    if local:  # the moment p x F of the force moved to the origin
        (x, y, z), (u, v, w) = ([f"({_text(e)})" for e in point], [f"({c})" for c in components])
        moment = [f"{y}*{w}-{z}*{v}", f"{z}*{u}-{x}*{w}", f"{x}*{v}-{y}*{u}"]
        to.model.torque(to.name(block, "moment"), body.frame(local=(0.0, 0.0, 0.0)), moment, axes)
        return
    frame = body.frame(local=(0.0, 0.0, 0.0)).moving(*(_text(e) for e in point))
    for axis, component in zip("xyz", components, strict=True):
        if component != 0:
            measure = along_world(axis, to.model.ground.frame((0, 0, 0)), frame)
            to.model.actuator(to.name(block, "force"), measure, component)


def _law(to: Mechanism, k: int, kind: str, axis: int, e: Expression, point: list[Expression],
         local: bool) -> tuple[Measure, str]:
    """A component that depends on coordinates, as a law along the measure it works on."""
    origin, world = 7 * (k - 1), np.array(AXES["xyz"[axis]])
    if kind == "F":
        own: Texts = {origin + axis: ("d", "dd")}
        text = e.over(own)
        if text is not None and not local and all(p.constant == 0 for p in point):
            measure = along_world(world, to.model.ground.frame((0, 0, 0)), to.bodies[k].frame(local=(0, 0, 0)))
            return measure, text
        raise e.error("depends on coordinates that it does not act along.",
                      f"{e.item.label} may depend on t, q{origin + axis + 1} and qp{origin + axis + 1}, in global axes "
                      "(type=1) and at px=py=pz=0. For a spring or damper use SPDamp.")
    for connection in to.connections.values():
        found = connection.on_ground()
        text = e.over(turned(connection, to.starts[k - 1]))
        if found is None or found[1].body != k or text is None:
            continue
        ground, body, sign = found
        share = float((body if local else ground).axes[:, 2] @ world)
        if abs(abs(share) - 1.0) < PARALLEL:
            return connection.joint["angle"], f"({sign * np.sign(share):.0f})*({text})"
    raise e.error("depends on coordinates that it does not act along.",
                  f"A torque may depend on t, and on coordinates of body {k} if a revolute joint holds it on the frame "
                  "and the torque is about its axis. Otherwise use A= in SPDamp, type=2.")


# springs, dampers, actuators


def add_spring(to: Mechanism, block: Block) -> None:
    """One spring, damper and actuator: F = K (d - L0) + C d' + A between two points or about a joint."""
    check_labels(block, SPRING, to.report)
    turning = whole(block.need("type"), 1, 2, "1 is translational, 2 torsional") == 2
    numbers = [body_number(block.need(f"body{i}"), len(to.starts)) for i in (1, 2)]
    K, C, A, L0 = (to.expression(block, label, "0") for label in ("K", "C", "A", "L0"))
    measure, texts = (_torsion if turning else _line)(to, block, numbers)
    law = "({})*(d-({}))+({})*dd+({})"
    values = [e.constant for e in (K, L0, C, A)]
    if all(v is not None for v in values):
        k, length, c, preload = (float(v or 0.0) for v in values)
        to.model.spring(to.name(block, "spring"), measure, k=k, c=c, length=length, preload=preload)
        return
    written = [_over(e, texts, turning) for e in (K, L0, C, A)]
    to.model.law(to.name(block, "spring"), measure, law.format(*written))


def _over(e: Expression, texts: Callable[[], Texts], turning: bool) -> str:
    if not e.moves:
        return e.text
    text = e.over(texts())
    if text is None:
        where = ("the body that the joint holds on the frame" if turning else
                 "a body that a prismatic joint guides on the frame, with both points on its axis")
        raise e.error("depends on coordinates that are no function of the spring's own length or angle.",
                      f"It may depend on t, and on coordinates of {where}. Otherwise leave this block out "
                      "(strict=False lists it) and write the force in Python, with model.law() over d and dd.")
    return text


def _torsion(to: Mechanism, block: Block, numbers: list[int]) -> tuple[Measure, Callable[[], Texts]]:
    item = block.need("ConnectionID")
    k = number(item)
    if k not in to.connections:
        raise item.error(f"is '{item.text}', but Connection has no such joint.",
                         f"Joints: {', '.join(map(str, to.connections)) or 'none'}.")
    connection = to.connections[int(k)]
    if connection.kind not in ("revolute", "cylindrical"):
        raise item.error(f"is the {connection.kind} joint '{connection.joint.name}', which has no angle.",
                         "Take a revolute or cylindrical joint.")
    joined = [side.body for side in connection.sides]
    if sorted(joined) != sorted(numbers):
        raise item.error(f"is '{connection.joint.name}' between bodies {joined[0]} and {joined[1]}, not "
                         f"{numbers[0]} and {numbers[1]}.", "Correct body1 and body2, or ConnectionID.")
    moved = max(joined)
    return connection.joint["angle"], lambda: turned(connection, to.starts[moved - 1])


def _line(to: Mechanism, block: Block, numbers: list[int]) -> tuple[Measure, Callable[[], Texts]]:
    points = [np.array([number(block.fields[f"p{i}{axis}"]) if f"p{i}{axis}" in block.fields else 0.0
                        for axis in "xyz"]) for i in (1, 2)]
    if numbers[0] == numbers[1]:
        raise block.fields["body2"].error(f"is {numbers[1]}, the same as body1.", "A spring has two different bodies.")
    frames = [to.bodies[k].frame(local=p) for k, p in zip(numbers, points, strict=True)]
    if float(np.linalg.norm(frames[1].drawn_point - frames[0].drawn_point)) < 1e-9:
        raise block.place.error("the two points of the spring coincide at the start, so it has no direction.",
                                "Move one of them.")
    return distance(*frames), lambda: _on_axis(to, numbers, points, frames)


def _on_axis(to: Mechanism, numbers: list[int], points: list[Array], frames: list[Frame]) -> Texts:
    """Coordinates over the length of a spring along the axis of a joint on the frame."""
    if 0 not in numbers:
        return {}
    ground = numbers.index(0)
    for connection in to.connections.values():
        if {side.body for side in connection.sides} != set(numbers):
            continue
        found = connection.on_ground()
        axis = found[0].axes[:, 2] if found else np.zeros(3)
        drawn = float(axis @ (frames[1 - ground].drawn_point - frames[ground].drawn_point))
        texts = slid(connection, points[ground], points[1 - ground], drawn)
        if texts:
            return texts
    return {}


def guarded(to: Mechanism, block: Block, add: Callable[[Mechanism, Block], None], strict: bool) -> None:
    """Adds what a block says; what cannot be is an error, or is listed if not strict."""
    try:
        try:
            add(to, block)
        except CardError:
            raise
        except ModelError as error:
            raise block.place.error(f"begin({block.key}): {error}", "Correct this block.") from None
    except CardError as error:
        if strict:
            raise
        to.report.left_out.append(str(error))
