"""Drives and held measures of a model as laws of motion, with the derivatives that NumDyn3D asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vincolo.equations.measures import Measure as Equation
from vincolo.formats.cards.bodies import Start
from vincolo.formats.cards.coordinates import euler_pair
from vincolo.formats.cards.symbols import (
    ALGEBRA,
    ZERO,
    Node,
    Unsaid,
    add,
    derivative,
    mul,
    name,
    number,
    of_function,
    of_tape,
    sub,
    total,
)
from vincolo.model import Frame, Joint, Measure
from vincolo.model.geometry import Array
from vincolo.model.joint import Held

CENTRED = 1e-12  # m between a point and the centre of mass
ALONG = 1e-9  # between two directions


@dataclass(frozen=True)
class Bodies:
    """What a law needs to know of a model: numbers of bodies, points from their centres, starts and joints."""

    number: Callable[[Frame], int]
    point: Callable[[Frame], Array]
    starts: list[Start]
    joints: list[Joint]

    def laws(self, held: Held) -> list[Node]:
        """The formulas that are held at zero: one over x, y, z of centres, or the pair of an angle."""
        if held.level != "position" or held.measure.rates:
            raise Unsaid("gives a velocity or an acceleration; laws of motion give positions")
        measure, wanted = held.measure, of_function(held.function)
        if measure.tape is None and len(measure.terms) == 1 and measure.terms[0][1].kind == "angle":
            return self._turn(measure, wanted)
        terms = [self._term(e, a, b) for _, e, a, b in measure.terms]
        if measure.tape is not None:
            return [sub(of_tape(measure.tape, terms, measure.parts), wanted)]
        return [sub(total([mul(f, term) for (f, *_), term in zip(measure.terms, terms, strict=True)]), wanted)]

    def _term(self, e: Equation, a: Frame, b: Frame) -> Node:
        if e.kind != "world":
            raise Unsaid("moves something else than x, y, z of centres of mass, or the angle of a hinge on the ground "
                         "about x, y or z")
        sign = e.sign * (-1.0 if e.swapped else 1.0)
        return total([mul(sign * float(c), sub(self._coordinate(b, k), self._coordinate(a, k)))
                      for k, c in enumerate(e.axes) if c])

    def _coordinate(self, frame: Frame, k: int) -> Node:
        point = self.point(frame)
        if frame.motion is not None:
            raise Unsaid("is measured at a frame that moves on its body")
        if frame.body.is_ground:
            return number(float(point[k]))
        if np.abs(point).max() > CENTRED:
            raise Unsaid(f"moves a point of '{frame.body.name}' beside its centre of mass")
        return name(f"q{7 * (self.number(frame) - 1) + k + 1}")

    def _turn(self, measure: Measure, wanted: Node) -> list[Node]:
        """q4 - cos(g) and q5 - sin(g) for a turn by 2 g about x."""
        factor, e, a, b = measure.terms[0]
        first, second = (b, a) if e.swapped else (a, b)
        s, ground, body = (1.0, first, second) if first.body.is_ground else (-1.0, second, first)
        if not ground.body.is_ground or a.motion or b.motion or e.axes != ("x",):
            raise Unsaid("moves an angle that is not one of a body about an axis of the ground")
        drawn = Measure(((1.0, Equation("angle", e.axes), first, second),)).drawn_value
        body_number = self.number(body)
        cosines, sines = euler_pair(ground.axes, body.axes, s, drawn, self.starts[body_number - 1])
        k = int(np.argmax(np.hypot(cosines[1:], sines[1:]))) + 1
        # e0 = cos(g), e_k = sin(g) with g = phase + sense d/2
        phase, sense = math.atan2(cosines[k], cosines[0]), float(np.sign(sines[k] * cosines[0] - sines[0] * cosines[k]))
        if abs(math.hypot(cosines[0], cosines[k]) - 1) > ALONG or not self._held(body, k - 1):
            raise Unsaid("moves an angle about an axis that is not x, y or z of the ground and of the body, or that no "
                         "hinge on the ground holds")
        g = add(phase if abs(phase) > 1e-15 else 0.0, mul(0.5 * sense / (factor * e.sign), wanted))
        at = 7 * (body_number - 1) + 4
        return [sub(name(f"q{at}"), ALGEBRA["cos"](g)), sub(name(f"q{at + k}"), ALGEBRA["sin"](g))]

    def _held(self, body: Frame, k: int) -> bool:
        """A hinge on the ground about an axis of the world that is the same axis of the body."""
        for joint in self.joints:
            frames = (joint.a, joint.b)
            if joint.kind in ("revolute", "cylindrical") and any(f.body.is_ground for f in frames) and any(
                    f.body is body.body for f in frames):
                return all(abs(abs(float(f.axes[k, 2])) - 1) < ALONG for f in frames)
        return False


def law_entries(law: Node) -> list[tuple[str, object]]:
    """A law of motion with its derivatives."""
    by_time = derivative(law, "t")
    entries: list[tuple[str, object]] = [("position", law), ("PSI_t", by_time), ("PSI_tt", derivative(by_time, "t"))]
    for coordinate in sorted(coordinates(law), key=lambda q: int(q[1:])):
        slope = derivative(law, coordinate)
        entries.append((f"PSI_q({coordinate[1:]})", slope))
        turning = derivative(slope, "t")
        if turning != ZERO:
            entries.append((f"PSI_qt({coordinate[1:]})", turning))
    return entries


def coordinates(node: Node) -> set[str]:
    """The coordinates in a formula."""
    own = {node.name} if node.name.startswith("q") else set()
    return own.union(*(coordinates(arg) for arg in node.args))
