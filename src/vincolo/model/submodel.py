"""Sub-models: copies of whole models inside another, placed, turned and mirrored.

A placement takes the sub-model's world to the parent's by x -> p + Q M x, with a rotation Q and M either the identity
or a reflection such as diag(1, -1, 1). Vectors turn with Q M, axial vectors (angular velocity, torque) with
det(M) Q M. A body's axes R become Q M R M, so that what is fixed on it is mirrored by M in its own axes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.equations.arithmetic import total
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError, suggest
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.body import Body, Frame, Motion
from vincolo.model.contact import Contact, Side
from vincolo.model.control import Controller, Output
from vincolo.model.event import Action, Event, Setting, Switched
from vincolo.model.forces import Law, Load, Rotor, Spring
from vincolo.model.friction import Friction
from vincolo.model.functions import Constant, Function
from vincolo.model.functions.signal import Signal
from vincolo.model.geometry import Array, rotation_of, vector
from vincolo.model.joint import Held, Joint, mirror_image
from vincolo.model.measure import Measure
from vincolo.model.ranges import Range
from vincolo.model.sights import renamed
from vincolo.model.stops import Stop

if TYPE_CHECKING:
    from vincolo.model.model import Model

SHOWN = 20  # names listed in an error
ROUNDING = 1e-15  # of the numbers of a rotation


@dataclass(frozen=True, eq=False)
class Placed:
    """A sub-model in its place: placed["upright"] is the copy of the part that the sub-model calls "upright"."""

    name: str
    on: Body  # what its ground became
    parts: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """A body, frame, joint, measure, drive, force or sub-model by its short name; "O.angle" is a coordinate."""
        if not isinstance(name, str):
            raise ModelError(f"sub-model {self.name!r}: a part is read by its name, such as 'arm', not by {name!r}.")
        if name in self.parts:
            return self.parts[name]
        owner, _, coordinate = name.rpartition(".")
        if isinstance(self.parts.get(owner), Joint):
            return self.parts[owner][coordinate]
        own = [part for part in self.parts if "." not in part]
        more = f" and {len(own) - SHOWN} more" if len(own) > SHOWN else ""
        raise ModelError(f"sub-model {self.name!r}: it has nothing called {name!r}.\n"
                         f"  It has: {', '.join(own[:SHOWN]) or 'no parts'}{more}.{suggest(name, self.parts)}")

    def __contains__(self, name: object) -> bool:
        owner, _, coordinate = str(name).rpartition(".")
        return name in self.parts or (isinstance(self.parts.get(owner), Joint) and coordinate in self.parts[owner])

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def forget(self, names: set[str]) -> None:
        """Parts with these full names are no longer in the model."""
        if isinstance(self.parts, dict):
            for name in names:
                self.parts.pop(name.removeprefix(f"{self.name}."), None)

    def __repr__(self) -> str:
        return f"Placed({self.name!r} on {self.on.name!r}: {len(self.parts)} parts)"


@dataclass(frozen=True)
class Placement:
    """Where the world of a sub-model stands in the world of its parent: x -> p + Q M x."""

    p: Array
    Q: Array
    M: Array

    @property
    def mirrored(self) -> bool:
        """Whether left and right change places."""
        return bool(np.linalg.det(self.M) < 0)

    def point(self, x: Array) -> Array:
        """A point of the sub-model's world [m]."""
        return np.asarray(self.p + self.Q @ self.M @ x)

    def polar(self, v: Array) -> Array:
        """A velocity, a force or a direction."""
        return np.asarray(self.Q @ self.M @ v)

    def axial(self, w: Array) -> Array:
        """An angular velocity or a torque: it turns as a rotation seen in the mirror does."""
        return -self.polar(w) if self.mirrored else self.polar(w)


def placement_of(what: str, at: Any, orientation: Any, mirror: Any) -> Placement:
    """A checked placement; `mirror` is the axis normal to the mirror, or None."""
    if mirror is not None and not (isinstance(mirror, str) and mirror in ("x", "y", "z")):
        raise ModelError(f"{what}: mirror is {mirror!r}; it is None, 'x', 'y' or 'z'.\n"
                         "  mirror='y' reflects at the plane y = 0 of the sub-model: left becomes right.")
    M = np.diag([-1.0 if axis == mirror else 1.0 for axis in "xyz"])
    return Placement(vector(f"{what}: at", at), rotation_of(f"{what}: orientation", orientation), M)


def copied(path: str, sub: Model, placement: Placement, on: Body) -> tuple[dict[str, dict[str, Any]], Placed]:
    """All parts of a model under a path, by kind and full name; and the sub-model they make."""
    copy = _Copy(path, placement, on)
    groups: dict[str, dict[str, Any]] = {}
    parts: dict[str, Any] = {}
    for kind, members in sub.groups().items():
        if kind == "sub-model":
            continue
        copies = {name: copy.part(kind, part) for name, part in members.items()}
        groups[kind] = {f"{path}.{name}": part for name, part in copies.items()}
        parts.update(copies)
    for name in sorted(sub.submodels, key=lambda name: -name.count(".")):  # the innermost first
        own = {part.removeprefix(f"{name}."): found for part, found in parts.items() if part.startswith(f"{name}.")}
        parts[name] = Placed(f"{path}.{name}", copy.body(sub.submodels[name].on), own)
    groups["controller"] = {f"{path}.{name}": copy.controller(c) for name, c in sub.controllers.items()}
    groups["sub-model"] = {path: Placed(path, on, parts), **{f"{path}.{n}": parts[n] for n in sub.submodels}}
    return groups, groups["sub-model"][path]


class _Copy:
    """Copies the parts of one model; bodies first, since the rest stands on them."""

    def __init__(self, path: str, placement: Placement, on: Body) -> None:
        self.path, self.place, self.on = path, placement, on
        self._bodies: dict[str, Body] = {}
        self._frames: dict[tuple[int, int], Frame] = {}  # by the frame's id and the axis that is turned around
        self._makers: dict[str, Callable[[Any], Any]] = {
            "body": self._new_body, "frame": self.frame, "joint": self._joint, "drive": self._held,
            "measure": self._measure, "spring": self._resisting, "law": self._resisting, "rotor": self._resisting,
            "range": self._resisting,
            "stop": self._resisting, "friction": self._friction, "load": self._load, "input": self._auxiliary,
            "variable": self._auxiliary, "state": self._auxiliary,
            "event": self._event, "output": self._output, "contact": self._contact}

    def part(self, kind: str, part: Any) -> Any:
        """The copy of a part of any kind."""
        return self._makers[kind](part)

    def body(self, body: Body) -> Body:
        """The copy of a body; the ground becomes the body that carries the sub-model."""
        return self.on if body.is_ground else self._bodies[body.name]

    def frame(self, frame: Frame, turned: int = 1) -> Frame:
        """The copy of a frame. A mirrored one has an axis (y, unless asked otherwise) turned around, so that it is
        right-handed again."""
        key = (id(frame), turned)
        if key not in self._frames:
            S = np.diag([-1.0 if self.place.mirrored and k == turned else 1.0 for k in range(3)])
            name = None if frame.name is None else self._named(frame.name)
            point, axes = self._on_body(frame)
            self._frames[key] = Frame(self.body(frame.body), point, axes @ S, name, self._motion(frame, turned))
        return self._frames[key]

    def _motion(self, frame: Frame, turned: int) -> Motion | None:
        """How the copy of a frame moves on its body: mirrored, backwards along the axis that is turned around, and the
        other way about the other two."""
        motion = frame.motion
        if motion is None or not self.place.mirrored:
            return motion
        along = [-f if f is not None and k == turned else f for k, f in enumerate(motion.along)]
        about = motion.turn if motion.turn is None or motion.axis == "xyz"[turned] else -motion.turn
        return Motion((along[0], along[1], along[2]), motion.axis, about)

    def _on_body(self, frame: Frame) -> tuple[Array, Array]:
        """Point and axes in the axes of the copied body, before an axis is turned around."""
        M = self.place.M
        if not frame.body.is_ground:
            return M @ frame.point, M @ frame.axes
        R = self.on.orientation
        return R.T @ (self.place.point(frame.point) - self.on.at), R.T @ self.place.polar(frame.axes)

    def _named(self, name: str) -> str:
        return f"{self.path}.{name}"

    def _new_body(self, b: Body) -> Body:
        p, M = self.place, self.place.M
        at = p.point(b.at)
        carried = self.on.velocity + np.cross(self.on.angular_velocity, at - self.on.at)
        self._bodies[b.name] = replace(
            b, name=self._named(b.name), inertia=M @ b.inertia @ M, at=at, orientation=p.Q @ M @ b.orientation @ M,
            com=M @ b.com, velocity=p.polar(b.velocity) + carried,
            angular_velocity=p.axial(b.angular_velocity) + self.on.angular_velocity)
        return self._bodies[b.name]

    def _joint(self, j: Joint) -> Joint:
        return replace(j, name=self._named(j.name), a=self.frame(j.a), b=self.frame(j.b),
                       mirrored=j.mirrored != self.place.mirrored)

    def _measure(self, m: Measure) -> Measure:
        terms = tuple((factor, *self._term(e, a, b)) for factor, e, a, b in m.terms)
        return replace(m, terms=terms, name=None if m.name is None else self._named(m.name),
                       built_on=tuple(self._named(source) for source in m.built_on))

    def _term(self, e: Equation, a: Frame, b: Frame) -> tuple[Equation, Frame, Frame]:
        """A measure on copied frames that has the value of the original."""
        if e.kind == "world":
            return replace(e, axes=tuple(self.place.polar(np.array(e.axes)).tolist())), self.frame(a), self.frame(b)
        if not self.place.mirrored:
            return e, self.frame(a), self.frame(b)
        to_y = e.kind == "angle" and e.axes == ("y",)  # that axis must keep its direction: z is turned instead
        turned = [2 if to_y and e.swapped else 1, 2 if to_y and not e.swapped else 1]
        return mirror_image(e), self.frame(a, turned[0]), self.frame(b, turned[1])

    def _held(self, h: Held) -> Held:
        found = replace(h, name=self._named(h.name), measure=self._measure(h.measure))
        if not isinstance(h.function, Signal):
            return found
        reads = tuple((name, self._named(read)) for name, read in h.function.reads)
        return replace(found, function=replace(h.function, reads=reads))

    def _output(self, o: Output) -> Output:
        formula = None if o.formula is None else replace(o.formula, **self._seen(o.formula))
        return replace(o, name=self._named(o.name), formula=formula, channel=o.channel and self._named(o.channel))

    def controller(self, c: Controller) -> Controller:
        """The copy of a controller: the same function, on the copied parts."""
        return replace(c, name=self._named(c.name), reads=tuple(self._output(read) for read in c.reads),
                       writes=tuple(self._named(name) for name in c.writes))

    def _resisting(self, f: Spring | Law | Rotor | Stop | Range) -> Spring | Law | Rotor | Stop | Range:
        found = replace(f, name=self._named(f.name), measure=self._measure(f.measure))
        return replace(found, **self._seen(found), told=self._told(found.told)) if isinstance(found, Law) else found

    def _friction(self, f: Friction) -> Friction:
        return replace(f, name=self._named(f.name), measures=tuple(map(self._measure, f.measures)),
                       on=f.on and self._named(f.on), load=f.load if f.on else self._told(f.load),
                       forces=tuple(map(self._formula, f.forces)), bound=self._formula(f.bound))

    def _seen(self, part: Law | Formula) -> dict[str, Any]:
        """What a text sees of the copied model."""
        seen = {"others": tuple((name, self._measure(measure)) for name, measure in part.others),
                "reads": tuple((name, self._named(other)) for name, other in part.reads)}
        seen["forces"] = tuple((name, self._named(other)) for name, other in part.forces)
        return seen

    def _event(self, e: Event) -> Event:
        when = None if e.when is None else self._formula(e.when)
        return replace(e, name=self._named(e.name), when=when,
                       actions=tuple(self._action(action) for action in e.actions))

    def _action(self, a: Action) -> Action:
        if isinstance(a, Switched):
            return replace(a, owner=self._named(a.owner))
        value = self._formula(a.value)
        if isinstance(a, Setting):
            return replace(a, name=self._named(a.name), value=value)
        return replace(a, target=self._told(a.target), measure=self._measure(a.measure), value=value)

    def _formula(self, formula: Formula) -> Formula:
        return replace(formula, **self._seen(formula), told=self._told(formula.told))

    def _told(self, text: str) -> str:
        """A text with the names of the copied model."""
        return renamed(text, self._named)

    def _auxiliary(self, a: Auxiliary) -> Auxiliary:
        rate = None if a.rate is None else replace(a.rate, **self._seen(a.rate))
        sensed = None if a.sensed is None else self._formula(a.sensed)
        return replace(a, name=self._named(a.name), rate=rate, sensed=sensed)

    def _contact(self, c: Contact) -> Contact:
        return replace(c, name=self._named(c.name), a=tuple(self._side(c, s) for s in c.a),
                       b=tuple(self._side(c, s) for s in c.b))

    def _side(self, c: Contact, side: Side) -> Side:
        """A shape in its new place; what is not its own mirror image is not mirrored."""
        if self.place.mirrored and side.form.corners is not None:
            raise ModelError(f"sub-model {self.path!r}: contact {c.name!r}: a {side.shape.kind} is not its own mirror "
                             "image.\n  Build the mirrored part as a model of its own, with its own shapes.")
        frame = self.frame(side.frame)
        own = frame.axes if side.form.axes is None else frame.axes @ side.form.axes.T
        return replace(side, frame=frame, shape=replace(side.shape, at=frame.point, orientation=own))

    def _load(self, f: Load) -> Load:
        turned = np.eye(3) if f.in_body_axes else self.place.Q
        matrix = turned @ self.place.M * (-1.0 if f.torque and self.place.mirrored else 1.0)
        x, y, z = (combined(row, f.components) for row in matrix)
        return replace(f, name=self._named(f.name), frame=self.frame(f.frame), components=(x, y, z))


def combined(factors: Array, functions: tuple[Function, ...]) -> Function:
    """The sum of factors times functions of time."""
    pairs = zip(factors.tolist(), functions, strict=True)
    terms = [(c, f) for c, f in pairs if abs(c) > ROUNDING and f != Constant(0.0)]
    if all(isinstance(f, Constant) for _, f in terms):
        return Constant(total(c * f(0.0) for c, f in terms))
    return reduce(operator.add, [f if c == 1.0 else c * f for c, f in terms])
