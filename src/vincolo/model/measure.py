"""Measures on the frames of a model, their linear combinations, and formulas of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vincolo.equations import measures as equations
from vincolo.errors import ExpressionError, ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number, refuse_unused
from vincolo.model.expression import parse
from vincolo.model.functions import Function
from vincolo.model.functions.tracer import arguments, trace
from vincolo.model.geometry import direction
from vincolo.model.tape import Tape, degree

Term = tuple[float, equations.Measure, Frame, Frame]
RATE = "_rate"  # behind the name of a measure: its rate


@dataclass(frozen=True, eq=False)
class Measure:
    """A sum of factors times scalar functions of two frames, which can be added and scaled; or, with a tape, a formula
    of them, and with `rates` one that is linear in their rates."""

    terms: tuple[Term, ...]
    name: str | None = None
    tape: Tape | None = None
    parts: tuple[Function, ...] = ()
    rates: bool = False
    built_on: tuple[str, ...] = ()  # names of the coordinates and measures it was made of
    unit: str = ""  # as declared: in which it is shown, or, of a formula whose own is not found, in which it is

    @property
    def sources(self) -> tuple[str, ...]:
        """Its name, and the names of what it was made of."""
        return self.built_on if self.name is None else (*self.built_on, self.name)

    def is_same(self, other: Measure) -> bool:
        """Whether another is the same sum or formula, whatever its name and unit."""
        kept, others = ((m.terms, m.tape, m.rates, [id(part) for part in m.parts]) for m in (self, other))
        return kept == others

    def __add__(self, other: Measure) -> Measure:
        if not isinstance(other, Measure):
            return NotImplemented
        self._check_plain()
        other._check_plain()
        return Measure(self.terms + other.terms, built_on=self.sources + other.sources)

    def __mul__(self, factor: float) -> Measure:
        number = finite_number("the factor of a measure", factor)
        self._check_plain()
        return Measure(tuple((number * f, e, a, b) for f, e, a, b in self.terms), built_on=self.sources)

    __rmul__ = __mul__

    def __neg__(self) -> Measure:
        return self * -1.0

    def __sub__(self, other: Measure) -> Measure:
        return self + (-other)

    def _check_plain(self) -> None:
        if self.tape is not None:
            raise ModelError(f"the formula '{self.tape.text}' cannot be added to or scaled from outside; write the sum "
                             "into its text.")

    def named(self, name: str) -> Measure:
        """The same measure under a name."""
        return Measure(self.terms, name, self.tape, self.parts, self.rates,
                       tuple(s for s in self.sources if s != name), self.unit)

    @property
    def is_velocity(self) -> bool:
        """Whether it has a rate but no value."""
        return self.rates or any(e.kind in ("skid", "roll") for _, e, _, _ in self.terms)

    @property
    def is_distance(self) -> bool:
        """Whether it is the distance of two points, and not a sum or a formula."""
        if self.tape is not None or len(self.terms) != 1:
            return False
        factor, equation, _, _ = self.terms[0]
        return factor == 1.0 and equation.kind == "distance"

    @property
    def drawn_value(self) -> float:
        """Its value as drawn."""
        found = [factor * float(e((a.drawn_point, a.drawn_axes), (b.drawn_point, b.drawn_axes)))
                 for factor, e, a, b in self.terms]
        if self.tape is None:
            return sum(found)
        return self.tape.evaluate(0.0, found + [0.0] * (len(self.tape.inputs) - len(found)), self.parts)


def measure(equation: equations.Measure, a: Any, b: Any) -> Measure:
    """The measure of two frames of a model."""
    for frame in (a, b):
        if not isinstance(frame, Frame):
            raise ModelError(f"a measure needs two frames, not {frame!r}.\n  Make one with body.frame(point).")
    if a.body is b.body:
        raise ModelError(f"a measure between two frames of the same body {a.body.name!r} never changes.")
    return Measure(((1.0, equation, a, b),))


def formula(text: str | Callable[..., Any], **values: Any) -> Measure:
    """A measure by a formula: text over t and the names given, each a measure, a number or a function of one variable,
    as in formula("sqrt(x^2 + y^2) - f(t)", x=..., y=..., f=...). `x_rate` in the text is the rate of x; it must
    come linearly, and what is held is then a velocity. A Python function of the measures, built of arithmetic and
    mathematical functions, does instead of the text."""
    measures = {name: value for name, value in values.items() if isinstance(value, Measure)}
    functions = {name: value for name, value in values.items() if isinstance(value, Function)}
    constants = {name: value for name, value in values.items() if name not in measures and name not in functions}
    if not measures:
        raise ModelError("a formula needs a measure among its names, such as x=joint['angle'].")
    for name, value in measures.items():
        if value.tape is not None or len(value.terms) != 1:
            raise ModelError(f"formula: {name!r} is a sum or a formula itself; name its measures one by one.")
    terms = tuple(value.terms[0] for value in measures.values())
    rates = tuple(f"{name}{RATE}" for name in measures)
    sources = tuple(source for value in measures.values() for source in value.sources)
    if not isinstance(text, str):
        tape, parts = _traced(text, measures, constants)
        return Measure(terms, tape=tape, parts=parts, built_on=sources)
    try:
        tape = parse(text, inputs=tuple(measures), constants=constants, functions=tuple(functions))
        with_rates = False
    except ExpressionError as error:
        if RATE not in text:
            raise ModelError(f"formula: {error}") from None
        try:
            tape = parse(text, inputs=(*measures, *rates), constants=constants, functions=tuple(functions))
        except ExpressionError as again:
            raise ModelError(f"formula: {again}") from None
        with_rates = True
        if degree(tape, rates) > 1:
            named = ", ".join(rate for rate in rates if rate in text)
            raise ModelError(f"formula: '{text}' is not linear in the rates ({named}).\n"
                             "  What is held or measured by rates must be a sum of them with factors that depend on\n"
                             "  values and t only, as in 'sin(a)*x_rate - cos(a)*y_rate'.") from None
    refuse_unused("formula", text, (*constants, *functions))
    return Measure(terms, tape=tape, parts=tuple(functions.values()), rates=with_rates, built_on=sources)


def _traced(function: Callable[..., Any], measures: dict[str, Measure],
            constants: dict[str, Any]) -> tuple[Tape, tuple[Function, ...]]:
    """The tape of a Python function of measures, and the functions it calls."""
    own = arguments(function)
    wanted = list(measures if own is None else own)
    constants = {name: value for name, value in (own or {}).items()
                 if value is not None and name not in measures} | constants
    unknown = [name for name in wanted if name not in measures and name not in constants and name != "t"]
    if unknown:
        raise ModelError(f"formula: the function needs {', '.join(unknown)}, for which nothing is given.\n"
                         "  Name each of its arguments: formula(function, x=..., y=...).")
    numbers = {name: finite_number(f"formula: {name}", value) for name, value in constants.items()}
    return trace(function, tuple(measures), numbers, wanted)


def distance(a: Frame, b: Frame) -> Measure:
    """Distance of the points of two frames [m]."""
    return measure(equations.distance, a, b)


def along(axis: str, a: Frame, b: Frame) -> Measure:
    """Coordinate of b's point along an axis ("x", "y", "z") of frame a [m]."""
    return measure(equations.along(axis_name(axis)), a, b)


def along_world(axis: Any, a: Frame, b: Frame) -> Measure:
    """Separation of two points along a fixed world direction [m]."""
    e = direction("the world direction of a measure", axis)
    return measure(equations.world((float(e[0]), float(e[1]), float(e[2]))), a, b)


def cosine(i: str, j: str, a: Frame, b: Frame) -> Measure:
    """Cosine of the angle between axis i of a and axis j of b."""
    return measure(equations.cosine(axis_name(i), axis_name(j)), a, b)


def angle(a: Frame, b: Frame, axis: str = "x") -> Measure:
    """Angle [rad] about z of a, from x of a to the given axis of b; counted over turns."""
    return measure(equations.angle(axis_name(axis)), a, b)


def azimuth(a: Frame, b: Frame) -> Measure:
    """Angle [rad] about z of a, from x of a to the direction of b's point; counted over turns."""
    return measure(equations.azimuth, a, b)


def axis_name(axis: str) -> str:
    """One of x, y, z."""
    if axis not in ("x", "y", "z"):
        raise ModelError(f"an axis of a frame is 'x', 'y' or 'z', not {axis!r}.")
    return axis
