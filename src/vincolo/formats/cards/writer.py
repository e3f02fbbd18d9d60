"""Writing a model as cards, as far as the format can say it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileWarning
from vincolo.files import appear_together, place_of
from vincolo.formats.cards.bodies import Start, left_matrix
from vincolo.formats.cards.connections import KINDS, Connection, Side
from vincolo.formats.cards.coordinates import STRAIGHT
from vincolo.formats.cards.measured import Coordinates, plane_pair
from vincolo.formats.cards.place import CardError
from vincolo.formats.cards.settings import settings_lines
from vincolo.formats.cards.symbols import ZERO, Node, Unsaid, number, of_function
from vincolo.formats.cards.text import MOST_CHARACTERS, VERSION
from vincolo.formats.cards.write_drives import Bodies, law_entries
from vincolo.formats.cards.write_forces import (
    Direction,
    Place,
    Push,
    Sum,
    Turn,
    line_place,
    moved_point,
    parted,
    pushed,
    resistance,
    scaled,
    turn_place,
)
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law, Load, Spring
from vincolo.model.geometry import Array, quaternion_of

AXES = "xyz"
CODES = {kind: code for code, kind in KINDS.items()}
SMALL = 1e-14  # share of a body's largest rate that is rounding; a rate that is not zero is asked for
Lines = list[str]
Entries = list[tuple[str, object]]


def write_cards(model: Model, folder: str | os.PathLike[str], *, until: float = 1.0, outputs: int = 200,
                start: float = 0.0, settings: RunSettings | None = None) -> Path:
    """Writes a model as NumDyn3D cards into a folder, which is made if it is not there. Bodies are written with their
    origin in the centre of mass, gravity as a weight on each; `settings`, such as those of cards that were read, become
    QRTol. What the format cannot say is listed in the error, and then nothing is written; names of frames and measures
    and the looks of bodies, which do not matter for the motion, are left out with a warning."""
    begin, end = finite_number("write_cards(): start", start), finite_number("write_cards(): until", until)
    if not end > begin or type(outputs) is not int or outputs < 1:
        raise CardError(f"write_cards(): the run from {begin:g} s to {end:g} s in {outputs!r} intervals is not "
                        "possible.\n  Give until= after start=, and a number of outputs.")
    writer = _Writer(model)
    cards = {"General": writer.general(begin, end, outputs), "Connection": writer.connections(),
             "Inertial": writer.inertias(), "Initial configuration": writer.positions(), "Force": writer.loads(),
             "SPDamp": writer.springs(), "Driving Pos": writer.drives(), "QRTol": writer.options(settings)}
    writer.refuse_others()
    if writer.unsaid:
        raise CardError("the cards of NumDyn3D cannot say all of this model:\n"
                        + "\n".join(f"  {line}" for line in writer.unsaid)
                        + "\n  Remove these parts (model.remove(name)), or replace them by others.")
    writer.warn_of_others()
    where = place_of("write_cards()", folder)
    made = [place for place in (where, *where.parents) if not place.exists()]
    try:
        where.mkdir(parents=True, exist_ok=True)
        appear_together("write_cards()", {where / f"{n}.s3d": _text_of(n, lines) for n, lines in cards.items()})
    except BaseException:
        for place in made:  # no empty folder stays
            with suppress(OSError):
                place.rmdir()
        raise
    return Path(folder)


def _text_of(card: str, lines: Lines) -> bytes:
    head = [] if card == "General" else [VERSION, ""]
    return ("\n".join([*head, *lines]) + "\n").encode()


def _block(key: int, entries: Iterable[tuple[str, object]]) -> Lines:
    return [f"begin({key})", *(f"  {label}={value}" for label, value in entries), f"end({key})", ""]


def _row(values: Iterable[float]) -> str:
    return " ".join(repr(float(v)) for v in values)


class _Writer:
    """The parts of a model as lines of cards; what cannot be said is collected."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.unsaid: Lines = []
        self._number = {id(model.ground): 0, **{id(b): k for k, b in enumerate(model.bodies.values(), 1)}}
        self._joints: dict[str, int] = {}
        self._starts = [self._start(body) for body in model.bodies.values()]
        if not model.bodies:
            self.unsaid.append("the model has no bodies")

    def number(self, body: Body) -> int:
        return self._number[id(body)]

    def point(self, frame: Frame) -> Array:
        """The point of a frame from the centre of mass of its body, in body axes."""
        return np.asarray(frame.point - frame.body.com, dtype=float)

    def general(self, start: float, until: float, outputs: int) -> Lines:
        names = [f"{k} | {name}" for k, name in enumerate(self.model.bodies, 1)]
        title = " ".join(self.model.name.split()) or "model"
        return [title, f"NB {len(names)}", f"TI {start!r}", f"TE {until!r}", f"ST {outputs}", "PP N",
                "ID | BODY NAME", *names]

    def inertias(self) -> Lines:
        lines: Lines = []
        for k, body in enumerate(self.model.bodies.values(), 1):
            lines += [f"begin({k})", f"mass={body.mass!r}", "CoM=0. 0. 0.", "inertia=[",
                      *(_row(row) for row in body.inertia), "]", f"end({k})", ""]
        return lines

    @staticmethod
    def _start(body: Body) -> Start:
        """Where the centre of mass starts."""
        arm, p = body.orientation @ body.com, quaternion_of(body.orientation)
        velocity = body.velocity + np.cross(body.angular_velocity, arm)
        rates = np.concatenate([velocity, 0.5 * left_matrix(p).T @ body.angular_velocity])
        return Start(body.at + arm, p, np.where(np.abs(rates) > SMALL * np.abs(rates).max(), rates, 0.0))

    def positions(self) -> Lines:
        lines: Lines = []
        for k, start in enumerate(self._starts, 1):
            q = np.concatenate([start.position, start.euler])
            lines += _block(k, [(f"q{i}", repr(float(v))) for i, v in enumerate(q, 1)]
                            + [(f"qp{i}", repr(float(v))) for i, v in enumerate(start.rates, 1)])
        return lines

    def connections(self) -> Lines:
        lines: Lines = []
        for joint in self.model.joints.values():
            if joint.kind not in CODES or joint.a.motion or joint.b.motion:
                what = "moves on a body" if joint.kind in CODES else f"is {joint.kind}"
                self.unsaid.append(f"joint '{joint.name}' {what}; there are {', '.join(CODES)}")
                continue
            self._joints[joint.name] = len(self._joints) + 1
            lines += _block(self._joints[joint.name], self._joint(joint))
        return lines

    def _joint(self, joint: Joint) -> Entries:
        entries: Entries = [("name", joint.name), ("type", CODES[joint.kind]), ("body1", self.number(joint.a.body)),
                            ("body2", self.number(joint.b.body))]
        for i, frame in ((1, joint.a), (2, joint.b)):
            P = self.point(frame)
            f = frame.axes[:, 1 if joint.kind == "prismatic" and i == 2 else 0]  # f1.f2 = 0 is x1.y2 = 0
            entries += [(f"P{i}", _row(P)), (f"Q{i}", _row(P + frame.axes[:, 2])), (f"R{i}", _row(P + f))]
        return entries

    def _connection(self, joint: Joint) -> Connection:
        """A joint as the reader has it, from the centres of mass."""
        first, second = (Side(self.number(f.body), self.point(f), f.axes) for f in (joint.a, joint.b))
        return Connection(joint, joint.kind, (first, second))

    def _attempt(self, owner: str, write: Callable[[], None]) -> None:
        """Writes a part, or keeps why it cannot be said."""
        try:
            write()
        except Unsaid as why:
            self.unsaid.append(f"{owner} {why}")

    # forces

    def loads(self) -> Lines:
        blocks: list[Entries] = []
        for k, body in enumerate(self.model.bodies.values(), 1):
            if self.model.gravity.any():
                weight = [number(float(g)) for g in body.mass * self.model.gravity]
                blocks.append(_action(f"Grav{k}", k, 1, force=weight))
        for load in self.model.loads.values():
            self._attempt(f"load '{load.name}'", lambda load=load: blocks.append(self._load(load)))  # type: ignore[misc]
        for part in self._along_the_world():
            self._attempt(_title(part), lambda part=part: blocks.append(self._push(part)))  # type: ignore[misc]
        return _numbered(blocks)

    def _load(self, load: Load) -> Entries:
        components = [of_function(f) for f in load.components]
        if load.frame.motion is not None and not load.torque and load.in_body_axes:
            raise Unsaid("acts in body axes at a frame that moves on its body")
        how = "torque" if load.torque else "force"
        point = [ZERO] * 3 if load.torque else self._point(load.frame)
        return _action(load.name, self.number(load.frame.body), 2 if load.in_body_axes else 1, point=point,
                       **{how: components})

    def _point(self, frame: Frame) -> list[Node]:
        """A point from the centre of mass, which may move in time along the axes of its body."""
        if frame.motion is None:
            return [number(float(v)) for v in self.point(frame)]
        if frame.motion.turn is not None or not np.array_equal(frame.axes, np.eye(3)):
            raise Unsaid("acts at a frame that moves on its body, not along the axes of the body")
        return moved_point(self.point(frame), [None if f is None else of_function(f) for f in frame.motion.along])

    def _along_the_world(self) -> list[Spring | Law]:
        """Springs and laws along a world direction between a point of the ground and one of a body."""
        parts: list[Spring | Law] = [*self.model.springs.values(), *self.model.laws.values()]
        return [part for part in parts if _lone(part.measure) == "world" and
                [f.body.is_ground for f in part.measure.terms[0][2:]].count(True) == 1]

    def _push(self, part: Spring | Law) -> Entries:
        factor, e, a, b = part.measure.terms[0]
        sign = e.sign * (-1.0 if e.swapped else 1.0) * (1.0 if a.body.is_ground else -1.0)
        ground, moved = (a, b) if a.body.is_ground else (b, a)
        if ground.motion is not None:
            raise Unsaid("is measured from a point of the ground that moves")
        axis = sign * np.array([float(c) for c in e.axes])
        force = scaled(resistance(part, self._value_of), factor)
        push: Push = pushed(force, self.number(moved.body), self._point(moved), axis, self.point(ground))
        return _action(part.name, push.body, 1, force=push.force, point=push.point)

    def springs(self) -> Lines:
        blocks: list[Entries] = []
        done = {part.name for part in self._along_the_world()}
        parts: list[Spring | Law] = [*self.model.springs.values(), *self.model.laws.values()]
        for part in (part for part in parts if part.name not in done):
            self._attempt(_title(part), lambda part=part: blocks.append(self._spring(part)))  # type: ignore[misc]
        return _numbered(blocks)

    def _spring(self, part: Spring | Law) -> Entries:
        kind = _lone(part.measure)
        if kind not in ("distance", "angle"):
            raise Unsaid("is not on a distance of two points, the angle of a joint or a coordinate of the world")
        factor, e, a, b = part.measure.terms[0]
        if a.motion or b.motion:
            raise Unsaid("acts at a frame that moves on its body")
        place, where = self._span(a, b) if kind == "distance" else self._angle(part.measure)
        force = parted(scaled(resistance(part, self._value_of), factor * e.sign)).over(place)
        return [("name", part.name), *where, *force.entries]

    def _span(self, a: Frame, b: Frame) -> tuple[Place, Entries]:
        """The distance of two points."""
        bodies, points = (self.number(a.body), self.number(b.body)), (self.point(a), self.point(b))
        entries: Entries = [("type", 1), ("body1", bodies[0]), ("body2", bodies[1]),
                            *((f"p{i}{axis}", repr(float(v))) for i, point in enumerate(points, 1)
                              for axis, v in zip("xyz", point, strict=True))]
        for joint in (self.model.joints[name] for name in self._joints):
            connection = self._connection(joint)
            found = connection.on_ground()
            if found is None or {side.body for side in connection.sides} != set(bodies):
                continue
            ground = bodies.index(0)
            ends = (a, b)[ground], (a, b)[1 - ground]
            drawn = float(found[0].axes[:, 2] @ (ends[1].drawn_point - ends[0].drawn_point))
            place = line_place(connection, (points[ground], points[1 - ground]), drawn)
            if type(place) is not Place:
                return place, entries
        return Place(), entries

    def _angle(self, measure: Measure) -> tuple[Place, Entries]:
        """The angle of a joint."""
        _, e, a, b = measure.terms[0]
        for name, k in self._joints.items():
            joint = self.model.joints[name]
            if joint.a is a and joint.b is b and "angle" in joint.coordinates and e.axes == ("x",) and not e.swapped:
                bodies: Entries = [("body1", self.number(a.body)), ("body2", self.number(b.body))]
                return turn_place(self._connection(joint), self._starts), [("type", 2), *bodies, ("ConnectionID", k)]
        raise Unsaid("is on an angle that is not the coordinate of a joint")

    def _value_of(self, measure: Measure) -> Place:
        """What another measure in a law is over coordinates."""
        kind = _lone(measure)
        factor, e, a, b = measure.terms[0]
        plain = factor == e.sign == 1.0 and not e.swapped and a.motion is None and b.motion is None
        if kind == "angle" and plain:
            return self._in_plane(a, b) or self._angle(measure)[0]
        along = all(np.array_equal(f.axes, np.eye(3)) for f in (a, b))
        if kind == "cosine" and plain and a.body.is_ground and along:
            return Direction(self.number(b.body), *(AXES.index(axis) for axis in e.axes))
        if kind != "world" or any(f.motion or (self.number(f.body) and self.point(f).any()) for f in (a, b)):
            raise Unsaid("depends on another measure than the angle of a joint or a coordinate of a centre of mass")
        axis = factor * e.sign * (-1.0 if e.swapped else 1.0) * np.array([float(c) for c in e.axes])
        start, shares = 0.0, list[tuple[int, float]]()
        for frame, sign in ((a, -1.0), (b, 1.0)):
            k = self.number(frame.body)
            if k == 0:
                start += sign * float(axis @ self.point(frame))
            else:
                shares += [(7 * (k - 1) + i + 1, sign * float(c)) for i, c in enumerate(axis) if c]
        return Sum(start, tuple(shares))

    def _in_plane(self, a: Frame, b: Frame) -> Place | None:
        """The angle of a body that hinges with one axis lead from the frame to, over its Euler parameters."""
        k, bodies = self.number(b.body), [self.model.ground, *self.model.bodies.values()]
        connections = {n: self._connection(self.model.joints[joint]) for joint, n in self._joints.items()}
        found = Coordinates(self.model, bodies, self._starts, connections).planar(k) if a.body.is_ground else None
        if found is None or any(np.abs(np.cross(own.axes[:, 2], f.axes[:, 2])).max() > STRAIGHT
                                for own, f in zip(found, (a, b), strict=True)):
            return None
        first, second = plane_pair(a, b, self._starts[k - 1])
        return Turn(7 * (k - 1) + 4, tuple(first.tolist()), tuple(second.tolist()))

    # drives and settings

    def drives(self) -> Lines:
        bodies = Bodies(lambda frame: self.number(frame.body), self.point, self._starts,
                        [self.model.joints[name] for name in self._joints])
        blocks: list[Entries] = []
        for held in self.model.holds.values():
            self._attempt(f"drive '{held.name}'", lambda held=held: blocks.extend(  # type: ignore[misc]
                law_entries(law) for law in bodies.laws(held)))
        return _numbered(blocks)

    def options(self, settings: RunSettings | None) -> Lines:
        lines: Lines = []
        if settings is not None and settings.position:
            self.unsaid.append(f"'{settings.position[0][0]}' begins elsewhere than drawn (position: of the run)")
        self._attempt("the run", lambda: lines.extend(settings_lines(settings or RunSettings())))
        return lines

    def refuse_others(self) -> None:
        """Whatever no card has a place for."""
        self.unsaid += [f"'{s.owner}' is switched during the run" for s in self.model.switches]
        self.unsaid += [f"the inertia of '{name}' breaks the triangle inequality (inertia_checked: false)"
                        for name, body in self.model.bodies.items() if not body.inertia_checked]
        self.unsaid += [f"the event '{name}', which {e.done}" for name, e in self.model.events.items()]
        self.unsaid += [f"the contact '{name}'" for name in self.model.contacts]
        self.unsaid += [f"rotor '{name}' has no body" for name in self.model.rotors]
        self.unsaid += [f"controller '{name}' is a function of Python" for name in self.model.controllers]
        self.unsaid += [f"{a.kind} '{name}' is not of the motion" for name, a in self.model.auxiliaries.items()]

    def warn_of_others(self) -> None:
        """What has no effect on the motion and no place in a card."""
        m = self.model
        for what, names in (("frames", m.frames), ("measures", m.measures), ("outputs", m.outputs),
                            ("ranges", m.ranges),
                            ("looks of", {**m.looks, **m.colours})):
            if names:
                shown = ", ".join(list(names)[:8]) + (" and more" if len(names) > 8 else "")
                warnings.warn(f"write_cards(): {what} {shown} are not written; cards have no place for them.",
                              FileWarning, stacklevel=4)


def _lone(measure: Measure) -> str:
    """The kind of a measure that is one term."""
    return measure.terms[0][1].kind if measure.tape is None and len(measure.terms) == 1 else ""


def _title(part: Spring | Law) -> str:
    return f"{'spring' if isinstance(part, Spring) else 'law'} '{part.name}'"


def _numbered(blocks: Sequence[Entries]) -> Lines:
    """Blocks with their numbers; a line of a card has a limit."""
    for entries in blocks:
        for label, value in entries:
            if len(str(value)) + len(label) >= MOST_CHARACTERS:
                raise CardError(f"{dict(entries).get('name', 'a law of motion')}: {label} has {len(str(value))} "
                                f"characters; a line of a card has {MOST_CHARACTERS} at most.\n  Simplify it.")
    return [line for k, entries in enumerate(blocks, 1) for line in _block(k, entries)]


def _action(name: str, body: int, kind: int, *, force: Sequence[Node] = (ZERO,) * 3,
            torque: Sequence[Node] = (ZERO,) * 3, point: Sequence[Node] = (ZERO,) * 3) -> Entries:
    return [("name", name), ("body", body), ("type", kind),
            *((f"{letter}{axis}", v) for letter, three in (("F", force), ("T", torque), ("p", point))
              for axis, v in zip("xyz", three, strict=True))]
