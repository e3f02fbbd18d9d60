"""Force elements of a model: springs, laws, actuators, rotors, loads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vincolo.model.body import Frame
from vincolo.model.expression import Tape
from vincolo.model.functions import Function, Spline
from vincolo.model.measure import RATE, Measure
from vincolo.model.python_laws import Called


@dataclass(frozen=True, eq=False)
class Spring:
    """Resists along a measure m with F = k (m - length) + c m_dot + preload; tension is positive."""

    name: str
    measure: Measure
    k: float
    c: float
    length: float
    preload: float


@dataclass(frozen=True, eq=False)
class Law:
    """Force along a measure by a formula, a curve over it or a function of time; sign -1 resists, +1 drives. The
    formula may name other measures: x for the value and x_rate for the rate of each of `others`; and what a run
    carries beside the motion: the inputs, variables and states of `reads`."""

    name: str
    measure: Measure
    formula: Tape | None
    curve: Spline | None
    history: Function | None
    sign: float
    others: tuple[tuple[str, Measure], ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    called: Called | None = None  # a Python function in place of a formula
    constants: tuple[tuple[str, float], ...] = ()  # of the formula, that were given by name
    forces: tuple[tuple[str, str], ...] = ()  # that follow from the motion, with which it is solved together
    told: str = ""  # its text as it was given, where it reads forces

    @staticmethod
    def inputs(others: Iterable[str]) -> tuple[str, ...]:
        """The names that a formula may use besides t: of its own measure d and dd, of others x and x_rate."""
        names = tuple(others)
        return ("d", "dd", *names, *(f"{name}{RATE}" for name in names))


@dataclass(frozen=True, eq=False)
class Rotor:
    """Inertia J [kg m2; kg on a travel] that turns with a measure m: kinetic energy 1/2 J (ratio m_dot)^2."""

    name: str
    measure: Measure
    inertia: float
    ratio: float

    @property
    def reflected(self) -> float:
        """What it adds to the inertia of the measure: J ratio^2."""
        return self.inertia * self.ratio**2


@dataclass(frozen=True, eq=False)
class Load:
    """Force [N] or torque [N m] at a frame, in world axes or in the axes of that frame's body."""

    name: str
    frame: Frame
    torque: bool
    in_body_axes: bool
    components: tuple[Function, Function, Function]
