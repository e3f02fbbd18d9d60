"""Writing a model as cards, as far as the format can say it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from vincolo.formats.cards.bodies import left_matrix
from vincolo.formats.cards.connections import KINDS
from vincolo.formats.cards.report import CardError
from vincolo.formats.cards.text import VERSION
from vincolo.model import Body, Frame, Joint, Measure, Model
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law, Load, Spring
from vincolo.model.functions import Constant, Expression, Function, Polynomial, Sine
from vincolo.model.geometry import Array, quaternion_of
from vincolo.model.joint import Held
from vincolo.writing import appear_together, place_of

CODES = {kind: code for code, kind in KINDS.items()}
Lines = list[str]


def write_cards(model: Model, folder: str | os.PathLike[str], *, until: float = 1.0, outputs: int = 200,
                start: float = 0.0) -> Path:
    """Writes a model as NumDyn3D cards into a folder, which is made if it is not there. Bodies are written with their
    origin in the centre of mass, gravity as a weight on each. What the format cannot say is listed in the error, and
    then nothing is written."""
    begin, end = finite_number("write_cards(): start", start), finite_number("write_cards(): until", until)
    if not end > begin or type(outputs) is not int or outputs < 1:
        raise CardError(f"write_cards(): the run from {begin:g} s to {end:g} s in {outputs!r} intervals is none.\n"
                        "  Give until= after start=, and a number of outputs.")
    writer = _Writer(model)
    cards = {"General": writer.general(begin, end, outputs), "Connection": writer.connections(),
             "Inertial": writer.inertias(), "Initial configuration": writer.positions(), "Force": writer.loads(),
             "SPDamp": writer.springs(), "Driving Pos": writer.drives(), "QRTol": _options()}
    writer.refuse_others()
    if writer.unsaid:
        raise CardError("the cards of NumDyn3D cannot say all of this model:\n"
                        + "\n".join(f"  {line}" for line in writer.unsaid)
                        + "\n  Remove these parts (model.remove(name)), or replace them by others.")
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


def _options() -> Lines:
    return ["ResMethod = 2", "tolRadau = 1.E-8", "tolRank = 1.E-10"]


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

    def positions(self) -> Lines:
        lines: Lines = []
        for k, body in enumerate(self.model.bodies.values(), 1):
            arm, p = body.orientation @ body.com, quaternion_of(body.orientation)
            velocity = body.velocity + np.cross(body.angular_velocity, arm)
            q = [*(body.at + arm), *p]
            rates = [*velocity, *(0.5 * left_matrix(p).T @ body.angular_velocity)]
            lines += _block(k, [(f"q{i}", repr(float(v))) for i, v in enumerate(q, 1)]
                            + [(f"qp{i}", repr(float(v))) for i, v in enumerate(rates, 1)])
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

    def _joint(self, joint: Joint) -> list[tuple[str, object]]:
        entries: list[tuple[str, object]] = [("name", joint.name), ("type", CODES[joint.kind]),
                                             ("body1", self.number(joint.a.body)),
                                             ("body2", self.number(joint.b.body))]
        for i, frame in ((1, joint.a), (2, joint.b)):
            P = self.point(frame)
            f = frame.axes[:, 1 if joint.kind == "prismatic" and i == 2 else 0]  # f1.f2 = 0 is x1.y2 = 0
            entries += [(f"P{i}", _row(P)), (f"Q{i}", _row(P + frame.axes[:, 2])), (f"R{i}", _row(P + f))]
        return entries

    # forces

    def loads(self) -> Lines:
        lines: Lines = []
        count = 0
        for k, body in enumerate(self.model.bodies.values(), 1):
            if self.model.gravity.any():
                count += 1
                weight = [repr(float(g)) for g in body.mass * self.model.gravity]
                lines += _block(count, self._action(f"Grav{k}", k, 1, weight, None, np.zeros(3)))
        for load in self.model.loads.values():
            texts = [self._function(f, f"load '{load.name}'") for f in load.components]
            if load.frame.motion:
                self.unsaid.append(f"load '{load.name}' acts at a frame that moves on its body")
            if None in texts or load.frame.motion:
                continue
            count += 1
            lines += _block(count, self._load(load, [str(text) for text in texts]))
        return lines

    def _load(self, load: Load, texts: Lines) -> list[tuple[str, object]]:
        force, torque = (None, texts) if load.torque else (texts, None)
        return self._action(load.name, self.number(load.frame.body), 2 if load.in_body_axes else 1, force, torque,
                            self.point(load.frame))

    def _action(self, name: str, body: int, kind: int, force: Lines | None, torque: Lines | None,
                point: Array) -> list[tuple[str, object]]:
        zero = ["0", "0", "0"]
        return [("name", name), ("body", body), ("type", kind),
                *((f"F{a}", v) for a, v in zip("xyz", force or zero, strict=True)),
                *((f"T{a}", v) for a, v in zip("xyz", torque or zero, strict=True)),
                *((f"p{a}", repr(float(v))) for a, v in zip("xyz", point, strict=True))]

    def springs(self) -> Lines:
        lines: Lines = []
        count = 0
        parts: list[Spring | Law] = [*self.model.springs.values(), *self.model.laws.values()]
        for part in parts:
            kind = "spring" if isinstance(part, Spring) else "law"
            place, numbers = self._span(part.measure), self._numbers(part)
            if place is None:
                self.unsaid.append(f"{kind} '{part.name}' is not on a distance of two points or the angle of a joint")
            elif numbers is None:
                self.unsaid.append(f"{kind} '{part.name}' has a law that is no function of time alone")
            else:
                count += 1
                lines += _block(count, [("name", part.name), *place, *numbers])
        return lines

    def _numbers(self, part: Spring | Law) -> list[tuple[str, object]] | None:
        if isinstance(part, Spring):
            return [("K", repr(part.k)), ("L0", repr(part.length)), ("C", repr(part.c)), ("A", repr(part.preload))]
        sign = "-" if part.sign > 0 else ""
        text = None if part.history is None else _text(part.history)
        if part.formula is not None and re.fullmatch(r"[-+.\deE]+", part.formula.text):
            text = part.formula.text
        return None if text is None else [("K", "0"), ("L0", "0"), ("C", "0"), ("A", f"{sign}({text})")]

    def _span(self, measure: Measure) -> list[tuple[str, object]] | None:
        """The two points of a distance, or the joint of an angle."""
        if measure.tape is not None or len(measure.terms) != 1:
            return None
        factor, e, a, b = measure.terms[0]
        if factor != 1.0 or e.sign != 1.0 or e.swapped or a.motion or b.motion:
            return None
        bodies: list[tuple[str, object]] = [("body1", self.number(a.body)), ("body2", self.number(b.body))]
        if e.kind == "distance":
            points = [(f"p{i}{axis}", repr(float(v))) for i, frame in ((1, a), (2, b))
                      for axis, v in zip("xyz", self.point(frame), strict=True)]
            return [("type", 1), *bodies, *points]
        for name, k in self._joints.items():
            joint = self.model.joints[name]
            same = joint.a is a and joint.b is b and "angle" in joint.coordinates
            if same and e.kind == "angle" and e.axes == ("x",):
                return [("type", 2), *bodies, ("ConnectionID", k)]
        return None

    # drives

    def drives(self) -> Lines:
        lines: Lines = []
        for held in self.model.holds.values():
            entries = self._drive(held)
            if entries is None:
                self.unsaid.append(f"drive '{held.name}' is not that of a world coordinate x, y or z of a centre of "
                                   "mass by a Constant, Polynomial or Sine")
            else:
                lines += _block(len([x for x in lines if x.startswith("begin")]) + 1, entries)
        return lines

    def _drive(self, held: Held) -> list[tuple[str, object]] | None:
        measure, texts = held.measure, _derivatives(held.function)
        if texts is None or held.level != "position" or measure.tape is not None or len(measure.terms) != 1:
            return None
        factor, e, a, b = measure.terms[0]
        axes = [abs(float(x)) for x in e.axes] if e.kind == "world" else []
        centred = np.abs(self.point(b)).max() < 1e-12 and not a.motion and not b.motion
        if sorted(axes) != [0.0, 0.0, 1.0] or not a.body.is_ground or b.body.is_ground or not centred or e.swapped:
            return None
        axis = axes.index(1.0)
        scale = factor * e.sign * float(e.axes[axis])
        k = 7 * (self.number(b.body) - 1) + axis + 1
        value, rate, acceleration = texts
        return [("position", f"({scale!r})*(q{k}-({float(a.point[axis])!r}))-({value})"), ("PSI_t", f"-({rate})"),
                ("PSI_tt", f"-({acceleration})"), (f"PSI_q({k})", repr(scale))]

    def _function(self, function: Function, owner: str) -> str | None:
        text = _text(function)
        if text is None:
            self.unsaid.append(f"{owner} has a component by {type(function).__name__}; there are Constant, Expression, "
                               "Polynomial and Sine")
        return text

    def refuse_others(self) -> None:
        """Whatever no card has a place for."""
        self.unsaid += [f"'{s.owner}' is switched during the run" for s in self.model.switches]


def _text(function: Function) -> str | None:
    """A function of time as an expression of a card."""
    if isinstance(function, Expression):
        text = function.text
        for name, value in function.constants:
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"({value!r})", text)
        return text.replace("**", "^")
    texts = _derivatives(function)
    return None if texts is None else texts[0]


def _derivatives(function: Function) -> tuple[str, str, str] | None:
    """Value, first and second derivative as expressions of a card."""
    if isinstance(function, Constant):
        return repr(float(function.value)), "0", "0"
    if isinstance(function, Polynomial):
        c = list(function.coefficients)
        rate = [k * x for k, x in enumerate(c)][1:]
        return _powers(c), _powers(rate), _powers([k * x for k, x in enumerate(rate)][1:])
    if isinstance(function, Sine):
        a, w, turn = function.amplitude, function.frequency, f"({function.frequency!r})*t+({function.phase!r})"
        return (f"({function.offset!r})+({a!r})*sin({turn})", f"({a * w!r})*cos({turn})",
                f"({-a * w * w!r})*sin({turn})")
    return None


def _powers(coefficients: list[float]) -> str:
    terms = [f"({float(c)!r})*t^{k}" if k else f"({float(c)!r})" for k, c in enumerate(coefficients)]
    return "+".join(terms) or "0"
