"""What all methods of a model share: its parts, their names, and the lookup of bodies, frames and measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vincolo.equations.joints import CATALOGUE
from vincolo.errors import ModelError, suggest
from vincolo.model.body import Body, Frame, make_ground
from vincolo.model.checks import checked_name
from vincolo.model.forces import Law, Load, Rotor, Spring
from vincolo.model.functions import Function
from vincolo.model.functions.given import function_of
from vincolo.model.functions.signal import Signal
from vincolo.model.geometry import Array, vector
from vincolo.model.joint import LEVELS, Held, Joint, Switch
from vincolo.model.looks import Look
from vincolo.model.measure import Measure
from vincolo.model.sights import words_of

if TYPE_CHECKING:
    from vincolo.model.auxiliary import Auxiliary
    from vincolo.model.contact import Contact
    from vincolo.model.control import Controller, Output
    from vincolo.model.event import Event
    from vincolo.model.friction import Friction
    from vincolo.model.ranges import Range
    from vincolo.model.stops import Stop
    from vincolo.model.submodel import Placed

Place = Body | Frame
#: what stands behind the dot in the names of results
RESULTS = {*(f"{kind}{axis}" for kind in ("", "v", "a", "w", "alpha_") for axis in "xyz"), "e0", "e1", "e2", "e3",
           "rate", "acceleration", "length", "value", "force", "power", "on", "stuck", "slip", "gap",
           "points", "sliding", "energy", "dissipation",
           *(f"{kind}.{axis}" for kind in ("force", "point") for axis in "xyz"),
           "reaction", "reaction.force", "reaction.torque",
           *(name for definition in CATALOGUE.values() for name in definition.coordinates)}



def _owned(members: Mapping[str, Any], prefix: str, every: bool) -> list[str]:
    """Names that begin with a prefix and go on as results do, or in any way; of many members the few names that could
    be meant are looked for, of few members all are looked at."""
    if not every and len(members) > len(RESULTS):
        return sorted(members.keys() & set(map(prefix.__add__, RESULTS)))
    own = [name for name in members if name.startswith(prefix)]
    return own if every else sorted(name for name in own if name[len(prefix) :] in RESULTS)


class Parts:
    """The parts of a model by name."""

    def __init__(self, name: str = "mechanism", gravity: Any = (0.0, 0.0, -9.80665)) -> None:
        self.name = checked_name("model", str(name))
        self.gravity = gravity
        self.ground = make_ground()
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.holds: dict[str, Held] = {}
        self.measures: dict[str, Measure] = {}
        self.springs: dict[str, Spring] = {}
        self.laws: dict[str, Law] = {}
        self.rotors: dict[str, Rotor] = {}
        self.loads: dict[str, Load] = {}
        self.stops: dict[str, Stop] = {}
        self.frictions: dict[str, Friction] = {}
        self.contacts: dict[str, Contact] = {}
        self.inputs: dict[str, Auxiliary] = {}
        self.variables: dict[str, Auxiliary] = {}
        self.states: dict[str, Auxiliary] = {}
        self.frames: dict[str, Frame] = {}
        self.submodels: dict[str, Placed] = {}
        self.events: dict[str, Event] = {}
        self.ranges: dict[str, Range] = {}
        self.outputs: dict[str, Output] = {}
        self.controllers: dict[str, Controller] = {}  # functions of Python, which files cannot hold
        self.switches: list[Switch] = []
        self.looks: dict[str, tuple[Look, ...]] = {}  # shapes of bodies, by their names
        self.colours: dict[str, str] = {}

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity [m/s2], in world axes; three numbers can be set at any time before a run."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = vector(f"model {self.name!r}: gravity", value)

    def groups(self) -> dict[str, dict[str, Any]]:
        """All parts by kind and name."""
        return {"body": self.bodies, "joint": self.joints, "drive": self.holds, "measure": self.measures,
                "spring": self.springs, "law": self.laws, "rotor": self.rotors, "load": self.loads, "stop": self.stops,
                "friction": self.frictions, "contact": self.contacts,
                "input": self.inputs, "variable": self.variables, "state": self.states,
                "event": self.events, "range": self.ranges, "output": self.outputs, "frame": self.frames,
                "sub-model": self.submodels}

    @property
    def auxiliaries(self) -> dict[str, Auxiliary]:
        """Inputs, variables and states by name: what a run carries beside the motion."""
        return {**self.inputs, **self.variables, **self.states}

    def _claim(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not name.strip() or len(name) > 200:
            raise ModelError(f"a {kind} needs a name: a text of 1 to 200 characters, not {name!r}.")
        if "." in name and kind == "sub-model":
            raise ModelError(f"{kind} {name!r}: a name has no '.' in it, since results are read as 'name.x'.")
        if name != name.lstrip():
            raise ModelError(f"{kind} {name!r}: a name does not begin with a space, which files would lose.\n"
                             "  Leave it out.")
        checked_name(kind, name)
        groups = self.groups()
        self._check_free(name, kind, groups)
        if kind not in ("drive", "hold", "rotor"):
            self._check_dots(name, kind, groups)

    def _check_dots(self, name: str, kind: str, every: Mapping[str, dict[str, Any]]) -> None:
        """Refuses a name that could be taken for a result of another part, or for a part of a sub-model."""
        words, what = name.split("."), f"{kind} {name!r}: "
        if not all(word.strip() for word in words):
            raise ModelError(f"{what}a name has no dot at its beginning or end, and no two in a row.")
        groups = [members for group, members in every.items() if members and group != "drive"]
        for k in range(1, len(words)):
            owner = ".".join(words[:k])
            if owner in self.submodels:
                raise ModelError(f"{what}names that begin with '{owner}.' are those of the sub-model {owner!r}.")
            if words[k] in RESULTS and any(owner in members for members in groups):
                raise ModelError(f"{what}'{owner}.{words[k]}' is a result of {owner!r}.\n  Choose another name, for "
                                 "example without the dot.")
        for members in groups:
            clash = _owned(members, f"{name}.", kind == "sub-model")
            if clash:
                raise ModelError(f"{what}there is already a part called {clash[0]!r}, which would then belong to it.\n"
                                 "  Choose another name.")

    def _check_free(self, name: str, kind: str, groups: Mapping[str, dict[str, Any]] | None = None) -> None:
        own = name in ("ground", "energy", "residual", "t")
        for other, members in (*(groups or self.groups()).items(), ("controller", self.controllers)):
            if name in members or own:
                taken = f"there is already a {other}" if name in members else "the program itself has something"
                raise ModelError(f"{kind} {name!r}: {taken} called {name!r}.\n"
                                 "  Names are used to read results, so each can be used once: choose another.")

    def _rows_of(self, what: str, owner: Any, rows: Any) -> tuple[int, ...] | None:
        """The rows of a part that is switched; None stands for all of it. Refuses what is not there."""
        groups = (self.joints, self.holds, self.springs, self.laws, self.loads)
        if not any(owner in group for group in groups):
            known = [name for group in groups for name in group]
            raise ModelError(f"{what}: there is no joint, drive, spring, law or load called {owner!r} to switch."
                             f"{suggest(str(owner), known)}")
        if rows is None:
            return None
        count = len(self.joints[owner].form.rows) if owner in self.joints else 1
        chosen = tuple(rows) if isinstance(rows, list | tuple | range) else (rows,)
        if not chosen or any(type(k) is not int or not 0 <= k < count for k in chosen):
            raise ModelError(f"{what}: rows is {rows!r}; {owner!r} has rows 0 to {count - 1}.")
        return chosen if owner in self.joints else None

    def _body(self, what: str, body: Any) -> Body:
        if isinstance(body, str):
            if body == "ground":
                return self.ground
            if body not in self.bodies:
                known = ", ".join(self.bodies) or "none yet"
                raise ModelError(f"{what}: there is no body called {body!r}.\n  Bodies in this model: {known}."
                                 f"{suggest(body, self.bodies)}")
            return self.bodies[body]
        if not isinstance(body, Body):
            raise ModelError(f"{what}: {body!r} is not a body.\n  Pass what model.body(...) returned, or its name.")
        if body is not self.ground and self.bodies.get(body.name) is not body:
            raise ModelError(f"{what}: body {body.name!r} belongs to another model.")
        return body

    def _frames(self, what: str, a: Any, b: Any, at: Any, axes_a: Array, axes_b: Array) -> tuple[Frame, Frame]:
        """Both frames of a joint: given as frames, or made from a world point and world axes."""
        if isinstance(a, Frame) and isinstance(b, Frame):
            frames = (a, b)
            for frame in frames:
                self._body(what, frame.body)
        elif isinstance(a, Frame) or isinstance(b, Frame):
            raise ModelError(f"{what}: give two bodies with a world point, or a frame on each body; not one of each.")
        else:
            first, second = self._body(what, a), self._body(what, b)
            point = vector(f"{what}: at", at)
            frames = (first.frame_at(point, axes_a), second.frame_at(point, axes_b))
        if frames[0].body is frames[1].body:
            raise ModelError(f"{what}: both sides are on the same body {frames[0].body.name!r}.\n"
                             "  Give two different bodies; the ground is one, too.")
        return frames

    def _add_joint(self, joint: Joint) -> Joint:
        self._claim(joint.name, "joint")
        self.joints[joint.name] = joint
        return joint

    def _measure(self, what: str, target: Any) -> Measure:
        """A measure, or the one a text such as "O.angle" names."""
        if isinstance(target, Measure):
            for _, _, a, b in target.terms:
                self._body(what, a.body)
                self._body(what, b.body)
            return target
        if not isinstance(target, str):
            raise ModelError(f"{what}: {target!r} is not a measure; use a text such as 'O.angle', or joint['angle'].")
        if target in self.measures:
            return self.measures[target]
        joint, _, coordinate = (target, "", "") if target in self.joints else target.rpartition(".")
        if joint in self.joints:
            if not coordinate and self.joints[joint].coordinates:
                names = ", ".join(repr(f"{joint}.{c}") for c in self.joints[joint].coordinates)
                raise ModelError(f"{what}: {joint!r} is a joint; name one of its coordinates: {names}.")
            try:
                return self.joints[joint][coordinate]
            except ModelError as error:
                raise ModelError(f"{what}: {error}") from None
        known = [c.name or "" for j in self.joints.values() for c in j.coordinates.values()] + list(self.measures)
        raise ModelError(f"{what}: there is nothing called {target!r} to measure.\n"
                         f"  Known: {', '.join(known) or 'no joint with a coordinate yet'}.{suggest(target, known)}")

    def _hold(self, name: str, measure: Measure, function: Any, drive: bool, level: str = "position") -> Held:
        kind = "drive" if drive else "hold"
        if level not in LEVELS:
            raise ModelError(f"{kind} {name!r}: level is {level!r}; it is 'position', 'velocity' or 'acceleration'.")
        if measure.rates:
            level = "velocity"
        followed = self._followed(f"{kind} {name!r}", function, level)
        self._claim(name, kind)
        self.holds[name] = Held(name, measure, followed, drive, level)
        return self.holds[name]

    def _followed(self, what: str, function: Any, level: str) -> Function:
        """What a measure is held at: a function of time, or a text that names inputs, variables and states too."""
        if isinstance(function, Signal):
            read = function
        elif isinstance(function, str) and any(word in self.auxiliaries for word in words_of(function)):
            read = self._signal(what, function, {})
        else:
            return function_of(what, function)
        for _, name in read.reads:
            self._check_smooth(what, name, level)
        return read

    def _signal(self, what: str, text: str, constants: Mapping[str, Any]) -> Signal:
        raise NotImplementedError

    def _check_smooth(self, what: str, name: str, level: str) -> None:
        raise NotImplementedError
