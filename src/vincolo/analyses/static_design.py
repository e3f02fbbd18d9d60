"""Springs that bring a mechanism to rest where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.analyses.statics import Equilibrium, statics
from vincolo.errors import ModelError, SimulationError, suggest
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.state import State
from vincolo.system import compile

Change = Callable[[Model, float], None]
SPRING_NUMBERS = ("length", "k", "preload")


@dataclass(frozen=True, eq=False)
class SpringDesign:
    """The number of a spring that fulfils a wish: `change` is "length" [m], "k" [N/m] or "preload" [N]."""

    springs: tuple[str, ...]
    change: str
    value: float
    model: Model  # with the changed springs
    equilibrium: Equilibrium
    iterations: int

    def __str__(self) -> str:
        return f"{self.change} of {', '.join(self.springs)}: {self.value:.8g}\n{self.equilibrium}"


def spring_for(model: Model, spring: str | Sequence[str], wish: Mapping[str, float], change: str = "length", *,
               start: State | None = None, t: float = 0.0) -> SpringDesign:
    """The free length, stiffness k or preload of a spring (several get the same) with which a channel has the value
    that is wished for at rest, such as {"chassis.z": 0.31}. The model is not changed; the answer has a changed one."""
    check_model("spring_for()", model)
    names = (spring,) if isinstance(spring, str) else tuple(spring)
    _check_springs(model, names, change)
    if not isinstance(wish, Mapping) or len(wish) != 1:
        raise ModelError(f"spring_for(): wish is {wish!r}; one channel with its value is needed, such as "
                         "{'chassis.z': 0.31}.")
    (channel, target), = wish.items()
    goal = finite_number(f"spring_for(): {channel}", target)
    first = float(getattr(model.springs[names[0]], change))
    walk = Walk(model, lambda m, x: _set_springs(m, names, change, x), start, t, stay=False)
    walk.at(first)[channel]  # an unknown name is told at once
    if change == "k":  # over its logarithm, since a stiffness is positive
        first, step = float(np.log(first if first > 0 else 1.0)), 0.1
    else:
        size = abs(first) or 1.0 if change == "length" else max(abs(walk.last()[f"{names[0]}.force"]), 1.0)
        step = 1e-2 * size

    def number(x: float) -> float:
        return float(np.exp(x)) if change == "k" else x

    what = f"{change} of {', '.join(names)}"
    try:
        x, count = _secant(lambda x: walk.at(number(x))[channel] - goal, first, step)
    except _Unreached as end:
        raise SimulationError(f"spring_for(): '{channel}' = {goal:g} cannot be reached by the {what}.\n"
                              f"  At {number(end.x):.4g} it is off by {end.left:.3g}, and {end.reason}.\n"
                              "  Change another number or another spring, or wish for another value.") from None
    return SpringDesign(names, change, number(x), walk.model_at(number(x)), walk.at(number(x)), count)


class Walk:
    """Equilibria of changed copies of a model, each begun where the last was found."""

    def __init__(self, model: Model, change: Change, start: State | None, t: float, stay: bool) -> None:
        if start is not None and not isinstance(start, State):
            raise ModelError(f"start is {start!r}; pass what assemble() or statics(...).state returned.")
        self.model, self.change, self.t, self.stay = model, change, finite_number("t", t), stay
        self.start = start
        self.found: Equilibrium | None = None

    def model_at(self, value: float) -> Model:
        """A changed copy."""
        changed = self.model.copy()
        self.change(changed, value)
        return changed

    def at(self, value: float, stay: bool | None = None) -> Equilibrium:
        """The equilibrium at a value."""
        system = compile(self.model_at(value))
        begin = self.start
        if begin is not None:
            if len(begin.y) != len(system.drawn.y) or len(begin.turns) != len(system.drawn.turns):
                raise ModelError("the start belongs to a model of other bodies or angles.\n"
                                 "  Begin with a state of this model, and do not change its bodies or joints.")
            begin = State(system, self.t, begin.y.copy(), begin.turns.copy())
        try:
            self.found = statics(system, start=begin, t=self.t, stay=self.stay if stay is None else stay)
        except SimulationError as error:
            raise SimulationError(f"at the value {value:.6g}: {error}") from None
        self.start = self.found.state
        return self.found

    def last(self) -> Equilibrium:
        """The latest equilibrium."""
        if self.found is None:
            raise ModelError("there is no equilibrium yet.")
        return self.found


def check_model(what: str, model: Any) -> None:
    """Refuses what is not a model."""
    if not isinstance(model, Model):
        raise ModelError(f"{what}: it takes a Model, not {type(model).__name__}, since parts of it are changed.")


def _check_springs(model: Model, names: tuple[str, ...], change: str) -> None:
    if change not in SPRING_NUMBERS:
        raise ModelError(f"spring_for(): change is {change!r}; it is 'length', 'k' or 'preload'."
                         f"{suggest(str(change), SPRING_NUMBERS)}")
    for name in names or ("",):
        if name not in model.springs:
            raise ModelError(f"spring_for(): there is no spring called {name!r}.\n"
                             f"  Springs: {', '.join(model.springs) or 'none'}.{suggest(str(name), model.springs)}")


def _set_springs(model: Model, names: tuple[str, ...], change: str, value: float) -> None:
    for name in names:
        spring = model.springs[name]
        n = {"length": spring.length, "k": spring.k, "preload": spring.preload, change: value}
        model.springs[name] = replace(spring, length=n["length"], k=n["k"], preload=n["preload"])


class _Unreached(Exception):
    """Secants found no zero."""

    def __init__(self, x: float, left: float, reason: str) -> None:
        self.x, self.left, self.reason = x, left, reason


def _secant(f: Callable[[float], float], x0: float, step: float) -> tuple[float, int]:
    """A zero of f by secants, kept inside a bracket once there is one."""
    a, fa, b = x0, f(x0), x0 + step
    fb = f(b)
    bracket: tuple[float, float] | None = None
    small = 1e-11 * max(abs(fa), abs(fb), 1e-3)
    for count in range(2, 60):
        if abs(fb) <= small or (b != 0 and abs(b - a) <= 1e-14 * abs(b)):
            return b, count
        if abs(fa - fb) <= 1e-12 * abs(fb):
            raise _Unreached(b, fb, "changing it further has no influence")
        if fa * fb < 0:
            bracket = (min(a, b), max(a, b))
        new = b - float(np.clip(fb * (b - a) / (fb - fa), -10 * step, 10 * step))
        if bracket is not None and not bracket[0] <= new <= bracket[1]:
            new = 0.5 * (bracket[0] + bracket[1])
        step = max(step, abs(new - b))
        a, fa, b = b, fb, new
        fb = f(b)
    raise _Unreached(b, fb, "60 equilibria were not enough")
