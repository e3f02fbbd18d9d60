"""Frames, measures and functions of a model in the kernel, each under the number that the kernel gave it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

from vincolo.centred import Centred
from vincolo.equations import measures as equations
from vincolo.equations.measures import Measure as Equation
from vincolo.errors import ModelError
from vincolo.kernel_terms import AXIS, TURNING, axes_of
from vincolo.model import Frame, Measure
from vincolo.model.functions import Constant, Function
from vincolo.model.functions.corners import breaks_between
from vincolo.model.functions.signal import Signal
from vincolo.model.functions.times import sorted_inside
from vincolo.model.tape import Tape

ORIGIN = np.zeros(3)


class Numbering:
    """Puts into the kernel what is asked for, and knows its number; frames and angles are there once."""

    def __init__(self, kernel: Any, bodies: list[Centred], auxiliaries: dict[str, int]) -> None:
        self.kernel = kernel
        self.bodies = bodies
        self.auxiliaries = auxiliaries  # by name: functions of time may read them
        self.moves = False  # whether frames move on their bodies
        self.plain = True  # only measures that natural coordinates know
        self.timed: list[Function] = []  # functions of time
        self.tapes: list[tuple[Tape, tuple[Function, ...]]] = []  # formulas over measures and time, with what they call
        self.drawn_turns: list[float] = []  # angles as drawn, by number
        self._own = {c.body.name: k for k, c in enumerate(bodies)}
        self._frames: dict[int, int] = {}
        self._kept: list[Frame] = []  # keeps frames alive while their id() is a key
        self._read: dict[int, int] = {}
        self._seen: list[Measure] = []  # keeps measures alive while their id() is a key
        self._counted: dict[tuple[Any, ...], int] = {}  # numbers of angles that have a turn of their own

    def frame(self, frame: Frame) -> int:
        """A frame for the kernel."""
        number = self._frames.get(id(frame))
        return self._new_frame(frame) if number is None else number

    def known(self, frame: Frame) -> int:
        """A frame that joints, measures, loads or names use."""
        if id(frame) not in self._frames:
            raise ModelError(f"{frame!r} is not in use by anything.\n  Name it with model.frame(name, body, point) "
                             "before the model is compiled.")
        return self._frames[id(frame)]

    def _new_frame(self, frame: Frame) -> int:
        if frame.body.is_ground:
            number = int(self.kernel.add_frame(-1, frame.point.tolist(), frame.axes.ravel().tolist()))
        else:
            body = self._own[frame.body.name]
            s, axes = self.bodies[body].local(frame)
            number = int(self.kernel.add_frame(body, s.tolist(), axes.ravel().tolist()))
        if frame.motion is not None:
            functions = [-1 if f is None else self.time_function(f) for f in (*frame.motion.along, frame.motion.turn)]
            self.kernel.add_moving_frame(number, functions[:3], AXIS[frame.motion.axis], functions[3])
            self.plain, self.moves = False, True
        self._frames[id(frame)] = number
        self._kept.append(frame)
        return number

    def moved(self, kernel: Any, bodies: list[Centred], frames: Mapping[int, Frame]) -> Numbering:
        """The same numbers in a copy of the kernel, with other frames in place of some, which are named by their id."""
        made = copy(self)
        made.kernel, made.bodies = kernel, bodies
        if not frames:
            return made
        made._frames, made._kept, made.drawn_turns = dict(self._frames), list(self._kept), list(self.drawn_turns)
        changed = {self._frames[old]: new for old, new in frames.items() if old in self._frames}
        for number, frame in changed.items():
            own = None if frame.body.is_ground else bodies[self._own[frame.body.name]]
            point, turned = (frame.point, frame.axes) if own is None else own.local(frame)
            kernel.set_frame(number, point.tolist(), turned.ravel().tolist())
            made._frames.pop(id(self._kept[number]))
            made._frames[id(frame)], made._kept[number] = number, frame
        for (kind, axes, first, second), turn in self._counted.items():
            if first in changed or second in changed:
                made.drawn_turns[turn] = _drawn_turn(kind, axes, made._kept[first], made._kept[second])
        return made

    def quantity(self, measure: Measure) -> int:
        """A measure for the kernel."""
        terms = [(self._measure(e, a, b), factor * e.sign) for factor, e, a, b in measure.terms]
        if measure.tape is None:
            return int(self.kernel.add_quantity(terms))
        self.plain = False
        parts = [part.spec() for part in measure.parts]
        tape = measure.tape
        self.tapes.append((tape, tuple(measure.parts)))
        return int(self.kernel.add_formula_quantity(terms, list(tape.ops), list(tape.constants), parts, measure.rates))

    def read(self, measure: Measure) -> int:
        """A measure that texts read; the same one has one number."""
        number = self._read.get(id(measure))
        if number is None:
            number = self._read[id(measure)] = self.quantity(measure)
            self._seen.append(measure)
        return number

    def _measure(self, e: Equation, a: Frame, b: Frame) -> int:
        self.plain = self.plain and e.kind not in ("azimuth", "skid", "roll")
        if e.kind in TURNING:
            self.count_turns(e, a, b)
        return int(self.kernel.add_measure(e.kind, *self._between(e, a, b), *axes_of(e)))

    def _between(self, e: Equation, a: Frame, b: Frame) -> tuple[int, int]:
        first, second = (b, a) if e.swapped else (a, b)
        return self.frame(first), self.frame(second)

    def ends(self, measure: Measure) -> tuple[int, int]:
        """The two frames between which a measure is, of a sum those of its first term."""
        _, e, a, b = measure.terms[0]
        return self._between(e, a, b)

    def count_turns(self, e: Equation, a: Frame, b: Frame) -> None:
        """An angle is counted over turns from where it is drawn; angles that are the same count the same turns."""
        key = (e.kind, e.axes, *self._between(e, a, b))
        if key not in self._counted:
            self._counted[key] = len(self._counted)
            self.drawn_turns.append(_drawn_turn(e.kind, e.axes, *((b, a) if e.swapped else (a, b))))

    def turn(self, e: Equation, a: Frame, b: Frame) -> int:
        """Where a state has the angle that a measure counts over turns."""
        return self._counted[e.kind, e.axes, *self._between(e, a, b)]

    def function(self, f: Function) -> int:
        """A function for the kernel."""
        return int(self.kernel.add_function(f.spec_in(self.auxiliaries) if isinstance(f, Signal) else f.spec()))

    def time_function(self, f: Function) -> int:
        """A function of time, whose corners a run steps on."""
        self.timed.append(f)
        return self.function(f)

    def held_at(self, value: float) -> int:
        """What a row is held at, as a function; none for zero."""
        return self.function(Constant(value)) if value else -1

    def corners_between(self, start: float, end: float) -> list[float]:
        """Times [s] at which a function of time has a corner, or the part of a formula that depends on time alone."""
        found: list[float] = []
        for function in self.timed:
            found += function.breaks_between(start, end)
        for tape, parts in self.tapes:
            found += breaks_between(tape, parts, start, end, every=False)
        return list(sorted_inside(found, start, end))


def _drawn_turn(kind: str, axes: Any, first: Frame, second: Frame) -> float:
    """An angle as it is drawn."""
    drawn = [equations.Frame(ORIGIN if kind == "angle" else f.drawn_point, f.drawn_axes) for f in (first, second)]
    return float(equations.EQUATIONS[kind](*drawn, *axes))
