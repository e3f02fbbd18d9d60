"""Force and SPDamp: loads, springs, dampers and actuators."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from vincolo.errors import FileError, ModelError
from vincolo.formats.cards.bodies import NOWHERE, Start
from vincolo.formats.cards.connections import Connection, Names, body_number
from vincolo.formats.cards.coordinates import Expression, Texts, expression, slid, turned
from vincolo.formats.cards.measured import Coordinates
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import Block, Field, check_labels, number, whole
from vincolo.formats.mistakes import Follows, Mistakes, each
from vincolo.formats.report import Report
from vincolo.formats.vector_laws import Vector, named_in, rows_of
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.geometry import AXES, Array
from vincolo.model.measure import along_world, cosine, distance

FORCE = ("name", "body", "type", "Fx", "Fy", "Fz", "Tx", "Ty", "Tz", "px", "py", "pz")
SPRING = ("name", "type", "body1", "body2", "K", "L0", "C", "A", "p1x", "p1y", "p1z", "p2x", "p2y", "p2z",
          "ConnectionID")
PARALLEL = 1e-9


@dataclass(frozen=True)
class Words:
    """What the input calls its parts, for the way out of mistakes."""

    spring: str = "SPDamp"
    torsion: str = "A= in SPDamp, type=2"
    leave_out: str = "leave this block out (strict=False lists it)"


@dataclass(frozen=True)
class Mechanism:
    """What forces and drives are put on: the model, its bodies by number, where they start, and its joints. What has
    joints missing, or bodies without a place, was not wholly read: mistakes that come of it are not reported."""

    model: Model
    bodies: list[Body]
    starts: list[Start]
    connections: dict[int, Connection]
    names: Names
    report: Report
    whole: bool = True  # all joints could be read
    words: Words = field(default_factory=Words)

    @property
    def coordinates(self) -> Coordinates:
        """What coordinates are as measures."""
        return Coordinates(self.model, self.bodies, self.starts, self.connections)

    def expression(self, block: Block, label: str, default: str | None = None) -> Expression:
        """A field of a block as an expression; `default` where it is not given."""
        item = block.fields.get(label) or (block.need(label) if default is None else
                                           Field(label, default, block.place))
        return expression(item, len(self.starts))

    def name(self, given: str | None, key: str, kind: str) -> str:
        """A free name for a part: the one given, or its kind and number."""
        return self.names.free(given or f"{kind} {key}", kind)

    def own_fault(self, error: FileError) -> FileError:
        """An error that may come of a joint that could not be read is not reported."""
        return error if self.whole else Follows(str(error))


@dataclass(frozen=True)
class Action:
    """A force at a point of a body, and a torque, each by three expressions, in global or local axes."""

    key: str
    name: str | None
    place: Place
    body: int
    local: bool
    force: list[Expression]
    torque: list[Expression]
    point: list[Expression]


def add_force(to: Mechanism, block: Block) -> None:
    """One action: a force at a point of a body, a torque, or both."""
    check_labels(block, FORCE, to.report)
    numbers = each(lambda label: _acted_on(block, len(to.starts)) if label == "body" else
                   whole(block.need(label), 1, 2, "1 is in global axes, 2 in those of the body"), ("body", "type"))
    labels = [f"{kind}{axis}" for kind in "FTp" for axis in "xyz"]
    parts = each(lambda label: to.expression(block, label, "0"), labels)
    if all(e.constant == 0 for e in parts[:3]):
        _list_idle(to, block, [f"p{axis}" for axis in "xyz"], "there is no force at this point")
    add_action(to, Action(block.key, _name(block), block.place, numbers[0], numbers[1] == 2, parts[:3], parts[3:6],
                          parts[6:]))


def _list_idle(to: Mechanism, block: Block, labels: Iterable[str], why: str) -> None:
    """Lists values that are given, are not zero, and have no effect here."""
    for item in (block.fields[label] for label in labels if label in block.fields):
        if not re.fullmatch(r"[-+]?0*\.?0*", item.text):
            to.report.not_used(item.place, f"{item.label}={item.text} ({why})")


def _name(block: Block) -> str | None:
    return block.fields["name"].text if "name" in block.fields else None


def _acted_on(block: Block, count: int) -> int:
    k = body_number(block.need("body"), count)
    if k == 0:
        raise block.fields["body"].error("is 0: the action is on the frame, where it does nothing.",
                                         "Give the number of a body.")
    return k


def add_action(to: Mechanism, action: Action) -> None:
    """Adds the loads and actuators of an action."""
    acting = {kind: three for kind, three in (("F", action.force), ("T", action.torque))
              if any(e.constant != 0 for e in three)}
    if not acting:
        to.report.not_used(action.place, "force and torque are zero")
    if "F" in acting and any(e.moves for e in action.point):
        _add_at_moving_point(to, action)
        del acting["F"]
    for kind, three in acting.items():
        moved = [(axis, e) for axis, e in enumerate(three) if e.moves]
        laws = [law for laws in each(lambda pair, kind=kind: _laws(to, action, kind, *pair), moved)  # type: ignore[misc]
                for law in laws]  # all before adding
        if any(e.constant != 0 for e in three if not e.moves):
            _add_load(to, action, kind, [_text(e) if not e.moves else 0.0 for e in three])
        for measure, text, others in laws:
            name = to.name(action.name, action.key, "force" if kind == "F" else "torque")
            to.model.actuator(name, measure, text, **others)


def _add_at_moving_point(to: Mechanism, action: Action) -> None:
    """A force at a point that coordinates move on its body: the force at the origin, and its moment p x F there."""
    own, ground = to.bodies[action.body].frame(local=(0.0, 0.0, 0.0)), to.model.ground.frame((0, 0, 0))
    found = each(lambda e: _over(to, e), [*action.force, *action.point])
    others = {name: other for _, more in found for name, other in more.items()}
    (u, v, w), p = [f"({text})" for text, _ in found[:3]], [f"({text})" for text, _ in found[3:]]
    if not action.local:  # the point in axes of the frame
        turned = {f"a{i}{j}": cosine(i, j, ground, own) for i in "xyz" for j in "xyz"}
        p = ["(" + "+".join(f"a{i}{j}*{part}" for j, part in zip("xyz", p, strict=True)) + ")" for i in "xyz"]
        others |= turned
    x, y, z = p
    axes = "body" if action.local else "world"
    for kind, add, three in (("force", to.model.force, [text for text, _ in found[:3]]),
                             ("moment", to.model.torque, [f"{y}*{w}-{z}*{v}", f"{z}*{u}-{x}*{w}", f"{x}*{v}-{y}*{u}"])):
        add(to.name(action.name, action.key, kind), own, three, axes, **named_in(" ".join(three), others))


def _over(to: Mechanism, e: Expression) -> tuple[str, dict[str, Measure]]:
    """An expression over measures."""
    found = to.coordinates.over(e) if e.moves else (str(_text(e)), {})
    if found is None:
        raise to.own_fault(e.error("depends on Euler parameters of a body to which no revolute and cylindrical joints "
                                   "lead from the frame.", "Write it over t, x, y, z of any body, and Euler parameters "
                                                           "of bodies on such joints."))
    return found


def _text(e: Expression) -> str | float:
    return e.text if e.constant is None else e.constant


def _add_load(to: Mechanism, action: Action, kind: str, components: list[str | float]) -> None:
    """A force or torque over t at a point, which may move on the body in time."""
    body, point, local = to.bodies[action.body], action.point, action.local
    axes, fixed = "body" if local else "world", all(e.constant is not None for e in point)
    if kind == "T" or fixed or local:
        at = [e.constant or 0.0 for e in point] if fixed and kind == "F" else (0.0, 0.0, 0.0)
        add = to.model.force if kind == "F" else to.model.torque
        name = to.name(action.name, action.key, "force" if kind == "F" else "torque")
        add(name, body.frame(local=at), components, axes)
    if kind == "T" or fixed:
        return
    if local:  # the moment p x F of the force moved to the origin
        (x, y, z), (u, v, w) = ([f"({_text(e)})" for e in point], [f"({c})" for c in components])
        moment = [f"{y}*{w}-{z}*{v}", f"{z}*{u}-{x}*{w}", f"{x}*{v}-{y}*{u}"]
        to.model.torque(to.name(action.name, action.key, "moment"), body.frame(local=(0.0, 0.0, 0.0)), moment, axes)
        return
    frame = body.frame(local=(0.0, 0.0, 0.0)).moving(*(_text(e) for e in point))
    for axis, component in zip("xyz", components, strict=True):
        if component != 0:
            measure = along_world(axis, to.model.ground.frame((0, 0, 0)), frame)
            to.model.actuator(to.name(action.name, action.key, "force"), measure, component)


Made = tuple[Measure, str, dict[str, Measure]]


def _laws(to: Mechanism, action: Action, kind: str, axis: int, e: Expression) -> list[Made]:
    """A component that depends on coordinates, as a law along the measure it works on; else as laws along the axes of
    the frame, or between them and those of the body."""
    alone = _own_coordinate(to, action, axis, e) if kind == "F" else _own_angle(to, action, axis, e)
    if alone is not None:
        return [alone]
    found = to.coordinates.over(e)
    if found is None:
        raise to.own_fault(e.error(
            "depends on Euler parameters of a body to which no revolute and cylindrical joints lead from the frame.",
            f"It may depend on t, on x, y, z of any body, and on Euler parameters of bodies on such joints. For a "
            f"spring or damper use {to.words.spring}, or {to.words.torsion}."))
    text, others = found
    if kind == "T":
        for joint, sign in _hinges(to, action, axis):
            return [(joint["angle"], f"({sign:.0f})*({text})", others)]
    base, own = to.model.ground.frame((0, 0, 0)), to.bodies[action.body].frame(local=(0, 0, 0))
    where = _point_of(to, action) if kind == "F" else own
    if kind == "F" and not action.local:
        return [(along_world(AXES["xyz"[axis]], base, where), text, others)]
    vector = Vector("", where, own if action.local else base, to.model.ground, {axis: text}, others)
    return [(measure if kind == "T" else along_world(AXES[ending], base, where), words, used)
            for ending, measure, words, used in rows_of(vector, base, kind == "T")]


def _point_of(to: Mechanism, action: Action) -> Frame:
    """Where a force acts; the point may move on the body in time."""
    body, values = to.bodies[action.body], [e.constant for e in action.point]
    if None in values:
        return body.frame(local=(0.0, 0.0, 0.0)).moving(*(_text(e) for e in action.point))
    return body.frame(local=values)


def _own_coordinate(to: Mechanism, action: Action, axis: int, e: Expression) -> Made | None:
    """A force along x, y or z of the frame that depends on the same coordinate of its body."""
    text = e.over({7 * (action.body - 1) + axis: ("d", "dd")})
    if text is None or action.local or any(p.constant != 0 for p in action.point):
        return None
    ground, body = to.model.ground.frame((0, 0, 0)), to.bodies[action.body].frame(local=(0, 0, 0))
    return along_world(np.array(AXES["xyz"[axis]]), ground, body), text, {}


def _own_angle(to: Mechanism, action: Action, axis: int, e: Expression) -> Made | None:
    """A torque about the axis of a joint that holds its body on the frame, over coordinates of that body."""
    for connection in to.connections.values():
        text = e.over(turned(connection, to.starts[action.body - 1]))
        for joint, sign in _hinges(to, action, axis) if text is not None else ():
            if joint is connection.joint:
                return joint["angle"], f"({sign:.0f})*({text})", {}
    return None


def _hinges(to: Mechanism, action: Action, axis: int) -> Iterator[tuple[Joint, float]]:
    """The joints that hold the body of an action on the frame and turn about the axis of its torque, with the sign."""
    world = np.array(AXES["xyz"[axis]])
    for connection in to.connections.values():
        found = connection.on_ground()
        if found is None or found[1].body != action.body or "angle" not in connection.joint.coordinates:
            continue
        ground, body, sign = found
        share = float((body if action.local else ground).axes[:, 2] @ world)
        if abs(abs(share) - 1.0) < PARALLEL:
            yield connection.joint, sign * float(np.sign(share))


# springs, dampers, actuators


def add_spring(to: Mechanism, block: Block) -> None:
    """One spring, damper and actuator: F = K (d - L0) + C d' + A between two points or about a joint."""
    check_labels(block, SPRING, to.report)
    turning, *numbers = each(lambda label: body_number(block.need(label), len(to.starts)) if label != "type" else
                             whole(block.need(label), 1, 2, "1 is translational, 2 torsional"),
                             ("type", "body1", "body2"))
    K, L0, C, A = each(lambda label: to.expression(block, label, "0"), ("K", "L0", "C", "A"))
    measure, texts = _torsion(to, block, numbers) if turning == 2 else _line(to, block, numbers)
    values = [e.constant for e in (K, L0, C, A)]
    if all(v is not None for v in values):
        k, length, c, preload = (float(v or 0.0) for v in values)
        name = to.name(_name(block), block.key, "spring")
        to.model.spring(name, measure, k=k, c=c, length=length, preload=preload)
        return
    written = each(lambda e: over_span(to, e, texts), (K, L0, C, A))
    others = {name: other for _, more in written for name, other in more.items()}
    to.model.law(to.name(_name(block), block.key, "spring"), measure,
                 "({})*(d-({}))+({})*dd+({})".format(*(text for text, _ in written)), **others)


def over_span(to: Mechanism, e: Expression, texts: Callable[[], Texts]) -> tuple[str, dict[str, Measure]]:
    """An expression over the length or angle d of a spring, if its coordinates are functions of d; else over d and the
    measures of its coordinates, which come with it."""
    if not e.moves:
        return e.text, {}
    text = e.over(texts())
    if text is not None:
        return text, {}
    found = to.coordinates.over(e)
    if found is None:
        raise to.own_fault(e.error(
            "depends on Euler parameters of a body to which no revolute and cylindrical joints lead from the frame.",
            "It may depend on t, on x, y, z of any body, and on Euler parameters of bodies on such joints. Otherwise "
            f"{to.words.leave_out} and write the force in Python, with model.law() over d, dd and other measures."))
    return found


def _torsion(to: Mechanism, block: Block, numbers: list[int]) -> tuple[Measure, Callable[[], Texts]]:
    item = block.need("ConnectionID")
    _list_idle(to, block, [f"p{i}{axis}" for i in (1, 2) for axis in "xyz"], "a torsional spring sits on its joint")
    k = number(item)
    if k not in to.connections:
        raise to.own_fault(item.error(f"is '{item.text}', but Connection has no such joint.",
                                      f"Joints: {', '.join(map(str, to.connections)) or 'none'}."))
    connection = to.connections[int(k)]
    if connection.kind not in ("revolute", "cylindrical"):
        raise item.error(f"is the {connection.kind} joint '{connection.joint.name}', which has no angle.",
                         "Take a revolute or cylindrical joint.")
    bodies = [side.body for side in connection.sides]
    if sorted(bodies) != sorted(numbers):
        raise item.error(f"is '{connection.joint.name}' between bodies {bodies[0]} and {bodies[1]}, not "
                         f"{numbers[0]} and {numbers[1]}.", "Correct body1 and body2, or ConnectionID.")
    return connection.joint["angle"], angle_texts(to, connection)


def angle_texts(to: Mechanism, connection: Connection) -> Callable[[], Texts]:
    """Coordinates over the angle of a joint on the frame."""
    moved = max(side.body for side in connection.sides)
    return lambda: turned(connection, to.starts[moved - 1])


def _line(to: Mechanism, block: Block, numbers: list[int]) -> tuple[Measure, Callable[[], Texts]]:
    labels = [f"p{i}{axis}" for i in (1, 2) for axis in "xyz"]
    _list_idle(to, block, ["ConnectionID"], "a spring between points is not on a joint")
    values = each(lambda label: number(block.fields[label]) if label in block.fields else 0.0, labels)
    if numbers[0] == numbers[1]:
        raise block.fields["body2"].error(f"is {numbers[1]}, the same as body1.", "A spring has two different bodies.")
    return span_of(to, numbers, [np.array(values[:3]), np.array(values[3:])], block.place)


def span_of(to: Mechanism, numbers: list[int], points: list[Array],
            place: Place) -> tuple[Measure, Callable[[], Texts]]:
    """The distance of two points of different bodies."""
    frames = [to.bodies[k].frame(local=p) for k, p in zip(numbers, points, strict=True)]
    if math.dist(frames[1].drawn_point, frames[0].drawn_point) < 1e-9:
        error = place.error("the two points of the spring coincide at the start, so it has no direction.",
                            "Move one of them.")
        raise Follows(str(error)) if any(to.starts[k - 1] is NOWHERE for k in numbers if k) else error
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
    mistakes = Mistakes()
    mistakes.attempt(_placed, to, block, add)
    if strict:
        mistakes.refuse(block.key)
    to.report.left_out += [str(error) for error in mistakes.found]


def _placed(to: Mechanism, block: Block, add: Callable[[Mechanism, Block], None]) -> None:
    try:
        add(to, block)
    except FileError:
        raise
    except ModelError as error:
        raise block.place.error(f"begin({block.key}): {error}", "Correct this block.") from None
