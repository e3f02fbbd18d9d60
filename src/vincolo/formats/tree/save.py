"""A model as plain data, complete: what is read back is the same model, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.tree.controllers import controller_data
from vincolo.formats.tree.events import event_data, sensed_data
from vincolo.formats.tree.functions import function_data, function_map, names_of, tape_data
from vincolo.model.auxiliary import Auxiliary, Formula
from vincolo.model.body import Body, Frame
from vincolo.model.contact import Contact
from vincolo.model.control import Output
from vincolo.model.forces import Law, Load, Rotor, Spring
from vincolo.model.friction import REST as SLOW
from vincolo.model.friction import Friction
from vincolo.model.functions import Function
from vincolo.model.functions.signal import Signal
from vincolo.model.geometry import Array
from vincolo.model.joint import Held, Joint, Switch
from vincolo.model.looks import Look
from vincolo.model.measure import Measure, Term
from vincolo.model.model import Model
from vincolo.model.ranges import Range
from vincolo.model.stops import REST, Stop
from vincolo.model.submodel import Placed

SIGNED = ("x", "y", "z", "-x", "-y", "-z")
FORMAT = 1


def data_of(model: Model) -> dict[str, Any]:
    """The whole model."""
    writer = _Writer(model)
    holds, laws = model.holds, model.laws
    parts: dict[str, Any] = {
        "bodies": {n: _body(b) for n, b in model.bodies.items()},
        "looks": _looks(model),
        "submodels": {n: writer.placed(n, p) for n, p in model.submodels.items()},
        "frames": writer.named_frames(),
        "joints": {n: writer.joint(j) for n, j in model.joints.items()},
        "measures": {n: writer.measure(m, n) for n, m in model.measures.items()},
        "inputs": {n: _carried(a) for n, a in model.inputs.items()},
        "variables": {n: _carried(a) | sensed_data(model, a) for n, a in model.variables.items()},
        "states": {n: writer.state(a) for n, a in model.states.items()},
        **_ordered("drives", "holds", {n: (h.drive, writer.held(h)) for n, h in holds.items()}, {"hold": True}),
        "springs": {n: writer.spring(s) for n, s in model.springs.items()},
        **_ordered("laws", "actuators", {n: (w.sign < 0, writer.law(w)) for n, w in laws.items()}, {"drives": True}),
        "rotors": {n: writer.rotor(r) for n, r in model.rotors.items()},
        "loads": {n: writer.load(f) for n, f in model.loads.items()},
        "stops": {n: writer.stop(s) for n, s in model.stops.items()},
        "frictions": {n: writer.friction(f) for n, f in model.frictions.items()},
        "contacts": {n: _contact(c) for n, c in model.contacts.items()},
        "controllers": {n: controller_data(c) for n, c in model.controllers.items()},
        "events": {n: event_data(model, e) for n, e in model.events.items()},
        "ranges": {n: writer.range(r) for n, r in model.ranges.items()},
        "outputs": {n: writer.output(o) for n, o in model.outputs.items()},
        "switches": [_switch(s) for s in model.switches],
    }
    head = {"vincolo": FORMAT, "name": model.name, "gravity": model.gravity.tolist()}
    return head | {key: value for key, value in parts.items() if value}


def _ordered(first: str, second: str, entries: dict[str, tuple[bool, dict[str, Any]]],
             mark: dict[str, Any]) -> dict[str, Any]:
    """Two sections; one with marked entries if the order of a single list would be lost."""
    kinds = [is_first for is_first, _ in entries.values()]
    if kinds == sorted(kinds, reverse=True):
        return {first: {n: d for n, (is_first, d) in entries.items() if is_first},
                second: {n: d for n, (is_first, d) in entries.items() if not is_first}}
    return {first: {n: d if is_first else d | mark for n, (is_first, d) in entries.items()}}


def same(a: Array, b: Array) -> bool:
    """Whether two arrays have the same bits; zeros with different signs differ."""
    return np.asarray(a, dtype=float).tobytes() == np.asarray(b, dtype=float).tobytes()


def _body(b: Body) -> dict[str, Any]:
    moments = np.diag(b.inertia).copy()
    data: dict[str, Any] = {"mass": b.mass, "inertia": b.inertia.tolist()}
    if same(np.diag(moments), b.inertia):
        data["inertia"] = moments.tolist()
    data["at"] = b.at.tolist()
    if not same(b.orientation, np.eye(3)):
        data["orientation"] = b.orientation.tolist()
    for key in ("com", "velocity", "angular_velocity"):
        if not same(getattr(b, key), np.zeros(3)):
            data[key] = getattr(b, key).tolist()
    if not b.inertia_checked:
        data["inertia_checked"] = False
    return data


def _looks(model: Model) -> dict[str, Any]:
    """Shapes and colours of bodies."""
    found: dict[str, Any] = {}
    for name in [n for n in ("ground", *model.bodies) if n in model.looks or n in model.colours]:
        data: dict[str, Any] = {"colour": model.colours[name]} if name in model.colours else {}
        shapes = [_look(look) for look in model.looks.get(name, ())]
        found[name] = data | ({"shapes": shapes} if shapes else {})
    return found


def _look(look: Look) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": look.kind, **look.numbers}
    if not same(look.at, np.zeros(3)):
        data["at"] = look.at.tolist()
    if not same(look.orientation, np.eye(3)):
        data["orientation"] = look.orientation.tolist()
    return data if look.colour is None else data | {"colour": look.colour}


def _contact(c: Contact) -> dict[str, Any]:
    """Shapes on their bodies, and the numbers as they were given."""
    sides = {key: [{"on": s.frame.body.name, "shape": _look(s.shape)} for s in side]
             for key, side in (("a", c.a), ("b", c.b)) if side}
    numbers = {key: value if key == "law" else float(value) for key, value in c.given.items()
               if (key, value) != ("law", "hunt-crossley")}
    return sides | numbers


def _carried(a: Auxiliary) -> dict[str, Any]:
    """An input or a variable."""
    data: dict[str, Any] = {"value": a.start}
    if a.unit:
        data["unit"] = a.unit
    return data | {"between": a.between} if a.between else data


def _switch(s: Switch) -> dict[str, Any]:
    data: dict[str, Any] = {"of": s.owner, "on": s.on}
    if s.at != -np.inf:
        data["at"] = s.at
    return data if s.rows is None else data | {"rows": list(s.rows)}


class _Writer:
    """Parts as data. A frame that several parts share is written once and referred to, since angles between the same
    frames count the same turns."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[int, Any] = {id(frame): name for name, frame in model.frames.items()}
        self._unnamed: dict[str, Frame] = {}
        self._coordinates: dict[tuple[Any, ...], str] = {}
        for joint in model.joints.values():
            for side, frame in (("a", joint.a), ("b", joint.b)):
                self._known.setdefault(id(frame), {"joint": joint.name, "side": side})
            for coordinate in joint.coordinates.values():
                _, e, a, b = coordinate.terms[0]
                self._coordinates.setdefault((e, id(a), id(b)), coordinate.name or "")
        self._find_shared()

    def _find_shared(self) -> None:
        """Frames without a name that more than one measure or load uses."""
        seen: set[int] = set()
        model = self._model
        owners: list[Measure] = [h.measure for h in model.holds.values()]
        owners += [s.measure for s in model.springs.values()] + [law.measure for law in model.laws.values()]
        owners += [measure for law in model.laws.values() for _, measure in law.others]
        owners += [measure for a in model.states.values() if a.rate is not None for _, measure in a.rate.others]
        owners += [measure for o in model.outputs.values() if o.formula is not None for _, measure in o.formula.others]
        groups = (model.rotors, model.stops, model.frictions, model.ranges)
        owners += [part.measure for group in groups for part in group.values()]
        distinct = {id(m): m for m in (*model.measures.values(), *owners)}.values()
        used = [frame for m in distinct for _, _, a, b in m.terms for frame in (a, b)]
        for frame in used + [load.frame for load in model.loads.values()]:
            if id(frame) in seen and id(frame) not in self._known:
                self._known[id(frame)] = name = self._free_name()
                self._unnamed[name] = frame
            seen.add(id(frame))

    def _free_name(self) -> str:
        taken = {"ground"}.union(*self._model.groups().values())
        count = len(self._unnamed) + 1
        while f"frame {count}" in taken:
            count += 1
        return f"frame {count}"

    def named_frames(self) -> dict[str, Any]:
        """The section of frames: those with names, and those that are shared."""
        found = {name: self._frame(frame, name) for name, frame in self._model.frames.items()}
        return found | {name: self._frame(frame, None) | {"unnamed": True} for name, frame in self._unnamed.items()}

    def frame(self, frame: Frame) -> Any:
        """A frame, or where it is written already."""
        return self._known[id(frame)] if id(frame) in self._known else self._frame(frame, None)

    def _frame(self, frame: Frame, name: str | None) -> dict[str, Any]:
        data: dict[str, Any] = {"on": frame.body.name, "local": frame.point.tolist(), **_axes(frame)}
        if frame.name != name:
            data["name"] = frame.name
        if frame.motion is not None:
            what = f"{frame!r}"
            functions = zip(("x", "y", "z", "angle"), (*frame.motion.along, frame.motion.turn), strict=True)
            data["moves"] = {k: function_data(what, f) for k, f in functions if f is not None}
            data["moves"] |= {"axis": frame.motion.axis}
        return data

    def joint(self, j: Joint) -> dict[str, Any]:
        """A joint by its two frames."""
        sides = []
        for side, frame in (("a", j.a), ("b", j.b)):
            own = self._known[id(frame)] == {"joint": j.name, "side": side}
            sides.append(self._frame(frame, None) if own else self.frame(frame))
        data: dict[str, Any] = {"kind": j.kind, "between": sides}
        if j.length is not None:
            data["length"] = j.length
        if j.mirrored:
            data["mirrored"] = True
        if j.parameters:
            data["parameters"] = {k: _parameter(j.name, v) for k, v in j.parameters.items()}
        return data

    def measure(self, m: Measure, name: str | None = None) -> Any:
        """A measure: the name of a coordinate or measure, or what it is made of. `name` is what it is called anyway."""
        if name is None and m.name in self._model.measures and _alike(m, self._model.measures[m.name]):
            return m.name
        reference = self._reference(m)
        if reference is not None and (m.name == reference or name is not None):
            return reference if not m.unit else {"of": reference, "unit": m.unit}
        data = self._formula(m) if m.tape is not None else self._sum(m)
        data = data | {"unit": m.unit} if m.unit else data
        return data if m.name == name else data | {"name": m.name}

    def _reference(self, m: Measure) -> str | None:
        factor, e, a, b = m.terms[0]
        plain = m.tape is None and len(m.terms) == 1 and factor == 1.0
        return self._coordinates.get((e, id(a), id(b))) if plain else None

    def _sum(self, m: Measure) -> dict[str, Any]:
        if len(m.terms) == 1 and m.terms[0][0] == 1.0:
            return self._term(m.terms[0])
        return {"sum": [self._term(term) for term in m.terms]}

    def _term(self, term: Term) -> dict[str, Any]:
        factor, e, a, b = term
        data: dict[str, Any] = {} if factor == 1.0 else {"factor": factor}
        if (e, id(a), id(b)) in self._coordinates:
            return data | {"of": self._coordinates[(e, id(a), id(b))]}
        data["kind"] = e.kind
        if e.axes:
            data["axes"] = list(e.axes)
        if e.swapped:
            data["swapped"] = True
        if e.sign != 1.0:
            data["sign"] = e.sign
        return data | {"between": [self.frame(a), self.frame(b)]}

    def _formula(self, m: Measure) -> dict[str, Any]:
        tape = m.tape
        assert tape is not None
        what = f"the formula '{tape.text}'"
        terms, names = [self._term(t) for t in m.terms], names_of(tape, m.parts)
        if names is None or any(t[0] != 1.0 for t in m.terms):
            return {"tape": tape_data(tape), "terms": terms, "functions": [function_data(what, f) for f in m.parts],
                    "rates": m.rates}
        constants, called = names
        data: dict[str, Any] = {"formula": tape.text, "of": dict(zip(tape.inputs, terms, strict=False))}
        if constants:
            data["constants"] = constants
        if called:
            data["functions"] = {n: function_data(what, f) for n, f in zip(called, m.parts, strict=True)}
        return data

    def held(self, h: Held) -> dict[str, Any]:
        """A drive or a held measure."""
        data = {"measure": self.measure(h.measure)}
        data["function"] = (self._signal(h.function) if isinstance(h.function, Signal)
                            else function_data(f"drive {h.name!r}", h.function))
        return data if h.level == "position" else data | {"level": h.level}

    def spring(self, s: Spring) -> dict[str, Any]:
        """A spring on its measure."""
        return {"measure": self.measure(s.measure), "k": s.k, "c": s.c, "length": s.length, "preload": s.preload}

    def law(self, law: Law) -> dict[str, Any]:
        """A law or actuator: its text with numbers, its operations, its curve or its history."""
        data: dict[str, Any] = {"measure": self.measure(law.measure)}
        given: Function | None = law.curve if law.curve is not None else law.history
        if given is not None:
            return data | {"force": function_map(f"law {law.name!r}", given)}
        if law.called is not None:
            raise ModelError(f"law {law.name!r} is a Python function that cannot be written as a formula: "
                             f"{law.called.reason}.\n  Files keep formulas: write it as a text, or keep the model as a "
                             "Python file.")
        if law.formula is None:
            raise ModelError(f"law {law.name!r} has neither a formula nor a curve nor a history.")
        if law.forces:
            constants = {"constants": dict(law.constants)} if law.constants else {}
            return data | {"force": law.told, **constants, "reactions": "solved"}
        return data | self._told("force", Formula(law.formula, law.others, law.reads))

    def _text(self, key: str, text: Formula) -> dict[str, Any]:
        """A text over the mechanism and the run: what it names, and the text with numbers, or its operations."""
        data: dict[str, Any] = {}
        if text.others:
            data["others"] = {name: self.measure(measure) for name, measure in text.others}
        names = names_of(text.tape)
        if names is None or any(name != read for name, read in text.reads):
            data["reads"] = dict(text.reads)
        if names is None:
            return {key: value for key, value in data.items() if value} | {"tape": tape_data(text.tape)}
        return data | {key: text.tape.text} | ({"constants": names[0]} if names[0] else {})

    def _told(self, key: str, text: Formula) -> dict[str, Any]:
        """The same with the text first, as workbooks have it."""
        data = self._text(key, text)
        return {name: data[name] for name in (key, "constants", "others", "reads", "tape") if name in data}

    def _signal(self, f: Signal) -> Any:
        """A function of time that reads the run: its text, if that says all."""
        data = self._text("text", Formula(f.operations, (), f.reads))
        return data["text"] if set(data) == {"text"} else {"kind": "Signal", **data}

    def output(self, o: Output) -> dict[str, Any]:
        """What is read from a run."""
        data = {"what": o.channel} if o.formula is None else self._told("what", o.formula)
        return data | ({"unit": o.unit} if o.unit else {})

    def state(self, a: Auxiliary) -> dict[str, Any]:
        """A state by its rate."""
        data: dict[str, Any] = {} if a.rate is None else self._told("rate", a.rate)
        data["start"] = a.start
        if a.unit:
            data["unit"] = a.unit
        return data if a.size == 1.0 else data | {"size": a.size}

    def rotor(self, r: Rotor) -> dict[str, Any]:
        """A rotor on its measure."""
        return {"measure": self.measure(r.measure), "inertia": r.inertia, "ratio": r.ratio}

    def range(self, r: Range) -> dict[str, Any]:
        """The limits of a measure."""
        limits = {"measure": self.measure(r.measure), "at_least": r.at_least, "at_most": r.at_most}
        return {key: value for key, value in limits.items() if value is not None}

    def stop(self, s: Stop) -> dict[str, Any]:
        """A stop on its measure."""
        bounds = {key: b for key, b in (("at_least", s.at_least), ("at_most", s.at_most)) if b is not None}
        more = {"rest": s.rest} if s.rest != REST else {}
        return {"measure": self.measure(s.measure), **bounds, "restitution": s.restitution, **more}

    def friction(self, f: Friction) -> dict[str, Any]:
        """Friction on what loads it."""
        data: dict[str, Any] = {"on": f.on} if f.on else {"measure": self.measure(f.measure)}
        if f.on in self._model.stops:
            data["along"] = self.measure(f.measure)
        elif f.on:
            data["along"] = f.along
        data |= {"mu": f.mu, **f.given} | ({} if f.on else {"normal": f.load})
        return data | ({"rest": f.rest} if f.rest != SLOW else {})

    def load(self, f: Load) -> dict[str, Any]:
        """A force or torque."""
        return {"kind": "torque" if f.torque else "force", "where": self.frame(f.frame),
                "components": [function_data(f"load {f.name!r}", c) for c in f.components],
                "axes": "body" if f.in_body_axes else "world"}

    def placed(self, name: str, placed: Placed) -> dict[str, Any]:
        """Which parts belong to a sub-model; without a list those whose names begin with its own."""
        groups = {kind: group for kind, group in self._model.groups().items() if kind != "sub-model"}
        here = [n for group in groups.values() for n in group if n.startswith(f"{name}.")]
        own = [n for n in here if n.removeprefix(f"{name}.") in placed.parts]
        data: dict[str, Any] = {"on": placed.on.name}
        return data if own == here else data | {"parts": [n.removeprefix(f"{name}.") for n in own]}


def _alike(m: Measure, other: Measure) -> bool:
    """Whether two measures are the same function of the same frames."""
    first, second = ([(f, e, id(a), id(b)) for f, e, a, b in x.terms] for x in (m, other))
    same = (m.tape, m.parts, m.rates, m.unit) == (other.tape, other.parts, other.rates, other.unit)
    return first == second and same


def _axes(frame: Frame) -> dict[str, Any]:
    """The axes of a frame: none, by words such as z: y, or the matrix."""
    if same(frame.axes, np.eye(3)):
        return {}
    for z in SIGNED if set(np.abs(frame.axes).ravel().tolist()) == {0.0, 1.0} else ():
        for x in SIGNED:
            if x[-1] != z[-1] and same(frame.body.frame(local=frame.point, z=z, x=x).axes, frame.axes):
                return {"z": z, "x": x}
    return {"axes": frame.axes.tolist()}


def _parameter(name: str, value: Any) -> Any:
    if isinstance(value, Function):
        return function_data(f"joint {name!r}", value)
    return [_parameter(name, v) for v in value] if isinstance(value, tuple | list) else value
