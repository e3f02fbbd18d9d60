"""What happens in a run where an expression crosses zero, or at a time. Mixed into Model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.model.auxiliary import Auxiliaries, Formula
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.model.joint import Switch
from vincolo.model.measure import RATE, Measure
from vincolo.model.sights import force_sights, sights, words_of

DIRECTIONS = ("up", "down", "both")


@dataclass(frozen=True, eq=False)
class Switched:
    """A joint, drive, held measure, spring, law or load that is switched on or off; of a joint all rows, or some. What
    begins to hold holds where it stands (latch), or where it is drawn or driven."""

    owner: str
    on: bool
    rows: tuple[int, ...] | None = None
    latch: bool = False

    def __str__(self) -> str:
        some = "" if self.rows is None else f" (rows {', '.join(map(str, self.rows))})"
        return f"switches {self.owner!r}{some} {'on' if self.on else 'off'}"


@dataclass(frozen=True, eq=False)
class Setting:
    """An input, variable or state that becomes a value."""

    name: str
    value: Formula

    def __str__(self) -> str:
        return f"sets {self.name} = {self.value.told}"


@dataclass(frozen=True, eq=False)
class Hit:
    """An impulse along a measure: given [N s, N m s], or such that its rate is thrown back, v_plus = -e v_minus."""

    target: str
    measure: Measure
    value: Formula  # the impulse, or e
    bounce: bool

    def __str__(self) -> str:
        if self.bounce:
            return f"throws {self.target} back, e = {self.value.told}"
        return f"strikes along {self.target} by {self.value.told}"


Action = Switched | Setting | Hit


@dataclass(frozen=True, eq=False)
class Event:
    """Where an expression crosses zero up, down or both ways, or at times, actions change the state all at once; then
    the run stops, or a function is called, or it goes on."""

    name: str
    when: Formula | None = None
    direction: str = "both"
    at: tuple[float, ...] = ()
    every: float = 0.0  # s, from the first time on
    actions: tuple[Action, ...] = ()
    stop: bool = False
    call: Callable[..., Any] | None = None

    @property
    def shown(self) -> bool:
        """Whether results tell it."""
        return True

    @property
    def text(self) -> str:
        """The expression that is watched, as it was given."""
        return "" if self.when is None else self.when.told

    @property
    def condition(self) -> str:
        """When it happens, in words."""
        if self.when is not None:
            ways = {"up": "crosses zero upwards", "down": "crosses zero downwards", "both": "crosses zero"}
            return f"{self.text} {ways[self.direction]}"
        if self.every:
            return f"every {self.every:g} s" + (f" from t = {self.at[0]:g} s on" if self.at[0] else "")
        return f"t = {', '.join(f'{t:g}' for t in self.at)} s"

    @property
    def done(self) -> str:
        """What it does, in words."""
        what = [str(action) for action in self.actions]
        what += ["calls a function"] if self.call is not None else []
        return "; ".join([*what, *(["stops the run"] if self.stop else [])]) or "is noted"

    @property
    def formulas(self) -> list[Formula]:
        """All expressions in it."""
        found = [] if self.when is None else [self.when]
        return found + [a.value for a in self.actions if not isinstance(a, Switched)]

    @property
    def targets(self) -> list[str]:
        """What impulses of it are along."""
        return [action.target for action in self.actions if isinstance(action, Hit)]

    @property
    def by_motion(self) -> bool:
        """Whether the motion brings it about, and decides what it does."""
        return self.when is not None

    def names(self, part: str) -> bool:
        """Whether it speaks of a part."""
        said = [self.text, *(a.owner for a in self.actions if isinstance(a, Switched))]
        said += [f"{getattr(a, 'name', '')} {getattr(a, 'target', '')} {a.value.told}"
                 for a in self.actions if not isinstance(a, Switched)]
        return any(word == part or word.startswith(f"{part}.") for text in said for word in words_of(text))


class Events(Auxiliaries):
    """The methods of a model for what happens in a run."""

    def event(self, name: str, when: str | None = None, *, direction: str = "both", at: float | Sequence[float] = (),
              every: float = 0.0, switch_on: Any = (), switch_off: Any = (), latch: bool = True,
              set: Mapping[str, str | float] | None = None, bounce: Mapping[str, str | float] | None = None,
              strike: Mapping[str, str | float] | None = None, stop: bool = False,
              call: Callable[..., Any] | None = None) -> Event:
        """What happens where the text `when`, over anything of the mechanism and the run, crosses zero: `direction` is
        "up", "down" or "both"; or `at` a time or times [s], or `every` so many seconds. Then, at once and with all
        joints holding: joints, drives, springs, laws and loads are switched on or off (names, or {joint: rows}; with
        `latch` joints hold where they stand then, without it where they are drawn), inputs, variables and states are
        `set` ({name: number or text}), the rates of measures are thrown back (`bounce`={measure: e}), impulses strike
        along measures (`strike`={measure: N s or N m s}). After that a function of the state is called, which may
        return values to set, and the run stops or goes on."""
        what = f"event {name!r}"
        times = self._times(what, when, at, every)
        if direction not in DIRECTIONS:
            raise ModelError(f"{what}: direction is {direction!r}; it is 'up', 'down' or 'both'.")
        if call is not None and not callable(call):
            raise ModelError(f"{what}: call is {call!r}; it is a function of the state.")
        for key, flag in (("stop", stop), ("latch", latch)):
            if not isinstance(flag, bool):
                raise ModelError(f"{what}: {key} is {flag!r}; it is True or False.")
        guard = None if when is None else self._guard(what, when)
        actions: tuple[Action, ...] = (
            *self._switched(what, switch_off, False, False), *self._switched(what, switch_on, True, latch),
            *(self._setting(what, key, value) for key, value in _pairs(what, "set", set)),
            *(self._hit(what, key, value, True) for key, value in _pairs(what, "bounce", bounce)),
            *(self._hit(what, key, value, False) for key, value in _pairs(what, "strike", strike)))
        self._claim(name, "event")
        self.events[name] = Event(name, guard, direction, times, float(every), actions, stop, call)
        return self.events[name]

    @staticmethod
    def _times(what: str, when: Any, at: Any, every: Any) -> tuple[float, ...]:
        times = tuple(at) if isinstance(at, Iterable) and not isinstance(at, str) else (at,)
        found = tuple(finite_number(f"{what}: at", t) for t in times)
        period = finite_number(f"{what}: every", every)
        if when is not None and not isinstance(when, str):
            raise ModelError(f"{what}: when is {when!r}; it is a text such as 'ball.z - 0.5', which is watched for "
                             "crossing zero.")
        if period < 0 or (period and len(found) > 1):
            raise ModelError(f"{what}: every {period:g} s needs a positive number and at most one time, the first.")
        if (when is None) == (not found and not period):
            raise ModelError(f"{what}: it needs a text that is watched (when='ball.z'), or times (at=1.5 or "
                             "every=0.1), and not both.")
        return found or ((0.0,) if period else ())

    def _guard(self, what: str, text: str) -> Formula:
        guard = self.seen_by_event(f"{what}: when", text)
        if not guard.tape.inputs and not any(op[0] == "time" for op in guard.tape.ops):
            raise ModelError(f"{what}: '{text}' does not change, so it never crosses zero.\n"
                             "  Name what is to be watched, such as 'ball.z', 'O.angle - 1' or 't - 2'.")
        return guard

    def seen_by_event(self, what: str, text: Any) -> Formula:
        """A text or number that sees the mechanism, the run, and the forces that follow from the motion."""
        given = text if isinstance(text, str) else repr(finite_number(what, text))
        try:
            plain, forces = force_sights(self, given)
            seen = sights(self, plain, None, forces)
            names = (*seen.others, *(f"{name}{RATE}" for name in seen.others), *seen.reads, *forces)
            tape = parse(seen.text, inputs=names)
        except ExpressionError as error:
            raise ExpressionError(f"{what}: {error}") from None
        return Formula(tape, tuple(seen.others.items()), tuple(seen.reads.items()), tuple(forces.items()), given)

    def _switched(self, what: str, given: Any, on: bool, latch: bool) -> list[Switched]:
        if isinstance(given, str) or not isinstance(given, Iterable):
            given = (given,)
        named = given if isinstance(given, Mapping) else dict.fromkeys(given)
        owners = {owner if isinstance(owner, str) else getattr(owner, "name", repr(owner)): rows
                  for owner, rows in named.items()}
        return [Switched(owner, on, self._rows_of(what, owner, rows), latch) for owner, rows in owners.items()]

    def _setting(self, what: str, name: str, value: str | float) -> Setting:
        if name not in self.auxiliaries:
            known = self.auxiliaries
            raise ModelError(f"{what}: there is no input, variable or state called {name!r} to set.\n"
                             f"  There are: {', '.join(known) or 'none'}.{suggest(name, known)}\n"
                             f"  Make it with model.variable({name!r}, 0).")
        self.auxiliaries[name].refuse_setting(f"{what}: set {name}")
        return Setting(name, self.seen_by_event(f"{what}: set {name}", value))

    def _hit(self, what: str, target: str, value: str | float, bounce: bool) -> Hit:
        kind = "bounce" if bounce else "strike"
        measure = self._along(f"{what}: {kind}", target)
        if bounce and not isinstance(value, str) and not 0 <= finite_number(f"{what}: bounce {target}", value) <= 1:
            raise ModelError(f"{what}: bounce of {target} is {value:g}; it is the restitution, from 0 to 1.")
        return Hit(target, measure, self.seen_by_event(f"{what}: {kind} {target}", value), bounce)

    def _along(self, what: str, target: str) -> Measure:
        """The measure that a name of the mechanism stands for, such as "ball.z", "O.angle" or a measure's own."""
        try:
            seen = sights(self, target, None, ())
        except ExpressionError as error:
            raise ExpressionError(f"{what}: {error}") from None
        if len(seen.others) != 1 or seen.text not in seen.others:
            raise ModelError(f"{what}: {target!r} is not the name of a measure, such as 'ball.z' or 'O.angle'.")
        return seen.others[seen.text]


def _pairs(what: str, key: str, given: Any) -> list[tuple[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"{what}: {key} is {given!r}; it is a table of names and values, such as {{'ball.z': 0.5}}.")
    return list(given.items())


def switching(switches: Iterable[Switch]) -> list[Event]:
    """What is switched at times as events of these times, in their order."""
    later = [s for s in switches if s.at > -math.inf]
    return [Event(f"{s.owner} {'on' if s.on else 'off'}", at=(s.at,), actions=(Switched(s.owner, s.on, s.rows),))
            for s in sorted(later, key=lambda s: s.at)]
