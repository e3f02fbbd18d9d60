"""Contact between bodies: who meets whom, and what happens where they touch. Mixed into Model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.contact_shapes import FORMS, Form, form_of, shape_of
from vincolo.model.looks import Look
from vincolo.model.mass import MassProperties
from vincolo.model.named_parts import Parts

#: laws of contacts that give way
LAWS = ("hunt-crossley", "lankarani-nikravesh", "linear")
CREEP = 1e-3  # m/s
EXPONENT = 1.5  # of two round bodies (Hertz)


@dataclass(frozen=True, eq=False)
class Side:
    """A shape on a body, placed in its axes; the frame's z is the axis of shapes that have one."""

    frame: Frame
    shape: Look
    form: Form

    @property
    def told(self) -> str:
        """In words."""
        return f"{self.shape.kind} of {self.frame.body.name!r}"


@dataclass(frozen=True, eq=False)
class Contact:
    """Shapes of some bodies that may touch shapes of others. Rigid, with restitution, if it has no stiffness; else
    F = k d^n (1 + chi d') + c d' at the depth d [m]."""

    name: str
    a: tuple[Side, ...]
    b: tuple[Side, ...]  # none: those of a among themselves
    friction: float
    restitution: float | None = None
    stiffness: float | None = None
    exponent: float = EXPONENT
    damping: float = 0.0
    law: str = "hunt-crossley"
    speed: float | None = None
    creep: float = CREEP
    given: Mapping[str, Any] = field(default_factory=dict)  # as written, for files

    @property
    def rigid(self) -> bool:
        """Whether it does not give way."""
        return self.stiffness is None

    @property
    def chi(self) -> float:
        """Damping over stiffness [s/m], such that a hit at the approach speed has the restitution."""
        if self.law == "linear" or self.rigid:
            return 0.0
        if self.restitution is None or self.speed is None:
            return self.damping
        e = self.restitution
        return (1.5 * (1 - e) if self.law == "hunt-crossley" else 0.75 * (1 - e * e)) / self.speed

    @property
    def words(self) -> str:
        """Who meets whom, and how, in a line."""
        count = len(self.a), len(self.b)
        who = (f"{self.a[0].told} and {self.b[0].told}" if count == (1, 1) else
               f"{count[0]} shapes among themselves" if not self.b else f"{count[0]} shapes meet {count[1]}")
        how = f"rigid, restitution {self.restitution:g}" if self.rigid else f"{self.law}, stiffness {self.stiffness:g}"
        return f"{who}; {how}, friction {self.friction:g}"

    @property
    def sides(self) -> tuple[Side, ...]:
        """All shapes."""
        return self.a + self.b

    def pairs(self, joined: set[frozenset[str]]) -> list[tuple[Side, Side]]:
        """Who meets whom: not shapes of one body, and within a group not bodies that a joint connects."""
        if self.b:
            return [(p, q) for p in self.a for q in self.b if p.frame.body is not q.frame.body
                    and (len(self.a) == 1 == len(self.b) or not self._joined(p, q, joined))]
        return [(p, q) for k, p in enumerate(self.a) for q in self.a[k + 1:]
                if p.frame.body is not q.frame.body and not self._joined(p, q, joined)]

    @staticmethod
    def _joined(p: Side, q: Side, joined: set[frozenset[str]]) -> bool:
        return frozenset((p.frame.body.name, q.frame.body.name)) in joined


class Contacts(Parts):
    """The methods of a model for contact."""

    def contact(self, name: str, a: Any, b: Any = None, shape_a: Any = None, shape_b: Any = None, *,
                friction: float = 0.0, restitution: float | None = None, stiffness: float | None = None,
                exponent: float | None = None, damping: float | None = None, law: str = "hunt-crossley",
                speed: float | None = None, creep: float | None = None) -> Contact:
        """Contact between bodies: a and b are bodies or frames on them, or lists of them; without b those of a meet
        each other. Their shapes are what they look like, or are given: a product of vincolo.shapes, "plane" (the
        half-space below z = 0 of a frame) or a mapping {"kind": ..., ...}, at the body's frame or the one given. In a
        list, (body, shape) has a shape of its own.

        Without `stiffness` [N/m^exponent] it is rigid, with Newton's `restitution` (0 to 1) and dry `friction`, for the
        integrator Moreau. With it, F = stiffness d^exponent (1 + damping d') for the depth d, after Hunt and Crossley,
        in any integrator; or give restitution= with the approach speed= [m/s] it is meant for. `law` may also be
        "lankarani-nikravesh", or "linear": F = stiffness d + damping d'. Friction is then regularised:
        friction F v / sqrt(v^2 + creep^2)."""
        what = f"contact {name!r}"
        given = {"friction": friction, "restitution": restitution, "stiffness": stiffness, "exponent": exponent,
                 "damping": damping, "law": law, "speed": speed, "creep": creep}
        numbers = _numbers(what, given)
        first = self._sides(f"{what}: a", a, shape_a)
        second = () if b is None else self._sides(f"{what}: b", b, shape_b)
        if b is None and shape_b is not None:
            raise ModelError(f"{what}: shape_b is given without b.\n  Give b=, or leave shape_b= out.")
        made = Contact(name, first, second, **numbers, given={k: v for k, v in given.items() if v is not None})
        _check_pairs(what, made)
        self._claim(name, "contact")
        self.contacts[name] = made
        return made

    def _sides(self, what: str, who: Any, shape: Any) -> tuple[Side, ...]:
        if isinstance(who, Iterable) and not isinstance(who, str | tuple):
            members = list(who)
            if not members:
                raise ModelError(f"{what} is an empty list.\n  Give at least one body.")
            return tuple(side for member in members for side in self._sides(what, member, shape))
        if isinstance(who, tuple) and len(who) == 2:
            return self._sides(what, *who)
        if isinstance(who, str) and who in self.frames:
            who = self.frames[who]
        if isinstance(who, Frame) and who.motion is not None:
            raise ModelError(f"{what}: the frame {who.name or who!r} moves on its body; shapes are fixed on theirs.\n"
                             "  Give a frame that stands still.")
        body = self._body(what, who.body if isinstance(who, Frame) else who)
        frame = who if isinstance(who, Frame) else Frame(body, np.zeros(3), np.eye(3))
        if shape is not None:
            looks: tuple[Look, ...] = tuple(shape_of(what, s) for s in _shapes(shape))
        else:
            looks = tuple(shape_of(what, look) for look in self.looks.get(body.name, ()) if look.kind != "point_mass")
        if not looks:
            raise ModelError(f"{what}: body {body.name!r} has no shape.\n  Make it from one of vincolo.shapes, give it "
                             f"a look, or name the shape of the contact: {', '.join(FORMS)}.")
        return tuple(_side(what, frame, look) for look in looks)


def _shapes(given: Any) -> tuple[Any, ...]:
    single = isinstance(given, str | Mapping | Look | MassProperties) or not isinstance(given, Iterable)
    return (given,) if single else tuple(given)


def _side(what: str, frame: Frame, shape: Look) -> Side:
    form = form_of(what, shape)
    placed = shape.moved(frame.point, frame.axes)
    axes = placed.orientation if form.axes is None else placed.orientation @ form.axes
    return Side(Frame(frame.body, placed.at, axes), placed, form)


def _numbers(what: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked numbers of a contact; refuses what does not belong to its kind."""
    law = given["law"]
    if law not in LAWS:
        raise ModelError(f"{what}: law is {law!r}; it is one of: {', '.join(LAWS)}.{suggest(str(law), LAWS)}")
    found = {key: finite_number(f"{what}: {key}", value) for key, value in given.items()
             if value is not None and key != "law"}
    for key, value in found.items():
        if value < 0 or (value == 0 and key in ("stiffness", "speed", "creep")):
            raise ModelError(f"{what}: {key} is {value:g}; it must {'be positive' if value == 0 else 'not be negative'}"
                             ".\n  A contact only pushes and only slows down.")
    if found.get("restitution", 0.0) > 1:
        raise ModelError(f"{what}: restitution is {found['restitution']:g}; it lies between 0 (no rebound) and 1 (all "
                         "of it).\n  Above 1 every hit would bring energy in.")
    if "stiffness" not in found:
        return _rigid(what, found, law)
    return _yielding(what, found, law)


def _rigid(what: str, found: dict[str, Any], law: str) -> dict[str, Any]:
    extra = [key for key in ("exponent", "damping", "speed", "creep") if key in found]
    if extra or law != "hunt-crossley":
        raise ModelError(f"{what}: {', '.join(extra) or 'law'} is given without stiffness=, but a rigid contact has "
                         "none.\n  Give stiffness=, or leave it out; a rigid contact has friction= and restitution=.")
    return {"friction": found["friction"], "restitution": found.get("restitution", 0.0)}


def _yielding(what: str, found: dict[str, Any], law: str) -> dict[str, Any]:
    exponent = found.get("exponent", 1.0 if law == "linear" else EXPONENT)
    if exponent < 1 or (law == "linear" and exponent != 1):
        raise ModelError(f"{what}: exponent is {exponent:g}; it is "
                         f"{'1 in a linear law' if law == 'linear' else 'at least 1 (1.5 for round bodies)'}.")
    by_hit = [key for key in ("restitution", "speed") if key in found]
    if len(by_hit) == 1 or (by_hit and ("damping" in found or law == "linear")):
        raise ModelError(f"{what}: restitution= and speed= belong together and stand in the place of damping=.\n"
                         "  Damping has one number: give damping=, or the restitution of a hit at a speed [m/s]; a "
                         "linear law takes damping= alone.")
    if law == "lankarani-nikravesh" and not by_hit:
        raise ModelError(f"{what}: lankarani-nikravesh needs restitution= and the approach speed= [m/s] of the hit.")
    return {"exponent": exponent, "law": law, "damping": found.get("damping", 0.0),
            "restitution": found.get("restitution"), "speed": found.get("speed"), "creep": found.get("creep", CREEP),
            "friction": found["friction"], "stiffness": found["stiffness"]}


def _check_pairs(what: str, contact: Contact) -> None:
    """Refuses pairs that cannot touch: two planes, two meshes, shapes of one body alone."""
    kinds_a = {s.form.kind for s in contact.a}
    kinds_b = {s.form.kind for s in contact.b} or kinds_a
    for kind in ("plane", "mesh"):
        if kind in kinds_a and kind in kinds_b:
            way = "Give one of them another shape" if kind == "plane" else "Give one of them as convex pieces (hull)"
            raise ModelError(f"{what}: a {kind} would meet a {kind}, which is not possible.\n  {way}.")
    if not contact.pairs(set()):
        names = ", ".join(sorted({s.frame.body.name for s in contact.sides}))
        raise ModelError(f"{what}: nobody meets anybody: all shapes are on one body ({names}).\n"
                         "  Give two different bodies; the ground is one, too.")
