"""Numbers that a run carries beside the motion: inputs, variables and states with a rate of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.model.checks import finite_number, refuse_unused
from vincolo.model.expression import parse
from vincolo.model.functions.signal import Signal
from vincolo.model.measure import RATE, Measure
from vincolo.model.named_parts import Parts
from vincolo.model.sights import force_sights, sights
from vincolo.model.tape import Tape

BETWEEN = ("held", "linear")


@dataclass(frozen=True, eq=False)
class Formula:
    """A text over the mechanism and the run: its tape, and what the names of its inputs stand for: x for the value and
    x_rate for the rate of each of `others`, the inputs, variables and states of `reads`, and in events `forces`."""

    tape: Tape
    others: tuple[tuple[str, Measure], ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    forces: tuple[tuple[str, str], ...] = ()
    told: str = ""  # of events: the text as it was given
    constants: tuple[tuple[str, float], ...] = ()  # that were given by name


@dataclass(frozen=True, eq=False)
class Auxiliary:
    """A number beside the motion: an input or a variable stays as it is set, a sensor is set by every accepted step, a
    state follows its rate."""

    name: str
    kind: str  # input, variable, sensor or state
    start: float
    unit: str = ""
    between: str = ""  # of an input, from one value to the next: held, linear, or not said
    rate: Formula | None = None  # of a state
    size: float = 1.0  # that errors of a state are compared with
    sensed: Formula | None = None  # of a sensor: what it is set to

    def refuse_setting(self, what: str) -> None:
        """A sensor is set by the run alone."""
        if self.sensed is not None:
            raise ModelError(f"{what}: sensor {self.name!r} is set by every step to '{self.sensed.told}', and by "
                             "nothing else.\n  Set a variable: model.variable(...).")


class Auxiliaries(Parts):
    """The methods of a model for what a run carries beside the motion."""

    def input(self, name: str, *, value: float = 0.0, unit: str = "", between: str = "") -> Auxiliary:
        """A number that is set from outside while a run goes on, and that texts of laws read by its name. `between` two
        values it is "held", or goes from one to the next in a straight line ("linear"). If that is left open, values
        of a program are held, and tables in files go in straight lines."""
        if between not in ("", *BETWEEN):
            raise ModelError(f"input {name!r}: between is {between!r}; it is 'held' or 'linear'.")
        return self._auxiliary(name, "input", value, unit, between=between)

    def variable(self, name: str, value: float = 0.0, *, unit: str = "") -> Auxiliary:
        """A number that stays as it is until an event or a controller sets it; texts of laws read it by its name."""
        return self._auxiliary(name, "variable", value, unit)

    def sensor(self, name: str, text: str, *, value: float = 0.0, unit: str = "") -> Auxiliary:
        """A number that the end of every accepted step, and every event, sets to what a text is there. The text may
        also name forces that follow from the motion: "O.reaction.force", "strut.force". Laws, rates, drives, events and
        controllers read it by its name, as they read a variable: so they see reactions of the last accepted state. It
        begins with what the text is in the assembled position, where laws that read it have `value`."""
        what = f"sensor {name!r}"
        if not isinstance(text, str):
            raise ModelError(f"{what}: {text!r} is not a text such as 'O.reaction.force'.")
        sensed = self._formula(what, text, {}, reactions=True)
        return self._auxiliary(name, "sensor", value, unit, sensed=sensed)

    def state(self, name: str, rate: str | float, start: float = 0.0, *, unit: str = "", size: float = 1.0,
              **constants: float | Measure | Auxiliary) -> Auxiliary:
        """A number with a rate of its own, integrated with the motion: rate="(u - filter)/T" of a filter. The text
        names anything of the mechanism, inputs, variables, states, t and the `constants` given. Errors are compared
        with the tolerance times `size`, its usual value, and with its own value."""
        what = f"state {name!r}"
        usual = finite_number(f"{what}: size", size)
        if usual <= 0:
            raise ModelError(f"{what}: size is {usual:g}; give its usual value, which is positive.")
        self._auxiliary(name, "state", start, unit, size=usual)
        try:
            return self.rate(name, rate, **constants)
        except (ModelError, ExpressionError):
            del self.states[name]
            raise

    def rate(self, state: str, rate: str | float, **constants: float | Measure | Auxiliary) -> Auxiliary:
        """Gives a state another rate: of states that name each other the first is made with rate 0, and has its own
        when the others are there."""
        if state not in self.states:
            raise ModelError(f"rate(): there is no state called {state!r}.{suggest(str(state), self.states)}")
        what = f"state {state!r}: rate"
        text = rate if isinstance(rate, str) else repr(finite_number(what, rate))
        self.states[state] = replace(self.states[state], rate=self._formula(what, text, constants))
        return self.states[state]

    def _auxiliary(self, name: str, kind: str, start: Any, unit: str, **more: Any) -> Auxiliary:
        value = finite_number(f"{kind} {name!r}: {'start' if kind == 'state' else 'value'}", start)
        if not isinstance(unit, str):
            raise ModelError(f"{kind} {name!r}: unit is {unit!r}; it is a text such as 'N m'.")
        self._claim(name, "variable" if kind == "sensor" else kind)
        group = {"input": self.inputs, "state": self.states}.get(kind, self.variables)
        group[name] = Auxiliary(name, kind, value, unit, **more)
        return group[name]

    def _formula(self, what: str, text: str, constants: Mapping[str, Any], own: Measure | None = None, *,
                 reactions: bool = False) -> Formula:
        """A text that names anything of the mechanism and of the run; along a measure of its `own` with d and dd; with
        `reactions` also forces that follow from the motion."""
        others = {key: self._measure(f"{what}: {key}", m) for key, m in constants.items() if isinstance(m, Measure)}
        reads = {key: self._carried(f"{what}: {key}", a) for key, a in constants.items() if isinstance(a, Auxiliary)}
        numbers = {key: value for key, value in constants.items() if key not in others and key not in reads}
        try:
            plain, forces = force_sights(self, text) if reactions else (text, {})
            seen = sights(self, plain, own, (*constants, *forces))
            others |= seen.others
            reads |= seen.reads
            names = (*others, *(f"{name}{RATE}" for name in others), *reads, *forces)
            tape = parse(seen.text, inputs=names if own is None else ("d", "dd", *names), constants=numbers)
        except ExpressionError as error:
            raise ExpressionError(f"{what}: {error}") from None
        refuse_unused(what, text, [key for key in constants if key not in others or f"{key}{RATE}" not in text])
        given = tuple((key, finite_number(f"{what}: {key}", value)) for key, value in numbers.items())
        return Formula(tape, tuple(others.items()), tuple(reads.items()), tuple(forces.items()), text, given)

    def _signal(self, what: str, text: str, constants: Mapping[str, Any]) -> Signal:
        """A function of time that reads the run: a text in t, inputs, variables and states."""
        seen = self._formula(what, text, constants)
        if seen.others:
            named = ", ".join(key for key, _ in seen.others)
            raise ExpressionError(f"{what}: '{text}' names the motion ({named}), which it would define itself.\n"
                                  "  A measure is driven along t, inputs, variables and states.")
        starts = tuple(self.auxiliaries[name].start for _, name in seen.reads)
        return Signal(seen.tape, seen.reads, starts)

    def _check_smooth(self, what: str, name: str, level: str) -> None:
        """Refuses a number whose rate is not known where a drive needs it."""
        part = self.auxiliaries[name]
        if level == "position" and part.rate is None and part.between != "linear":
            way = "between='linear', or " if part.kind == "input" else ""
            raise ModelError(f"{what}: {part.kind} {name!r} jumps from value to value, and a position cannot.\n"
                             f"  Take {way}level='velocity' or 'acceleration', or drive along a state that follows it: "
                             f"model.state('smooth', '({name} - smooth)/T', T=0.05).")
        if part.rate is not None and level != "acceleration":
            self._check_known(what, name, level, ())

    def _check_known(self, what: str, name: str, level: str, above: tuple[str, ...]) -> None:
        rate = self.auxiliaries[name].rate
        if rate is None or name in above:
            return
        if rate.others:
            raise ModelError(f"{what}: the rate of state {name!r} names the motion "
                             f"({', '.join(key for key, _ in rate.others)}), so that its {level} would define itself.\n"
                             "  Use level='acceleration', or a force (model.actuator).")
        for _, read in rate.reads:
            self._check_known(what, read, level, (*above, name))

    def _sees(self, what: str, text: Any, given: Collection[str] = ()) -> bool:
        """Whether a text names something of the mechanism or of a run."""
        if not isinstance(text, str):
            return False
        try:
            seen = sights(self, text, None, given)
        except ExpressionError as error:
            raise ExpressionError(f"{what}: {error}") from None
        return bool(seen.others or seen.reads)

    def _carried(self, what: str, part: Auxiliary) -> str:
        if self.auxiliaries.get(part.name) is not part:
            raise ModelError(f"{what}: {part.kind} {part.name!r} belongs to another model, or was replaced.\n"
                             "  Write its name into the text.")
        return part.name
