"""What tolerances are studied on: something that turns deviations into outputs over a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

import numpy as np

from vincolo.dual import Closed, Dual, Loop, frame, rodrigues
from vincolo.errors import ModelError, VincoloError, suggest
from vincolo.model.geometry import Array

PLAIN = (str, bytes, int, float, complex, type(None))


class Mistake(str):
    """The reason of a sample or variant that failed with an error that no mechanism has: a mistake of a program in it,
    such as a KeyError. `error` is the error itself, where it is known in this process."""

    error: BaseException | None = None

    @classmethod
    def of(cls, error: BaseException) -> Mistake:
        """A mistake in one line."""
        mistake = cls(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'without a message'}")
        mistake.error = error
        return mistake

    def __reduce__(self) -> tuple[Any, ...]:
        return Mistake, (str(self),)


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Outputs (samples, positions, outputs), NaN where a sample has none, and why it has none ("" if it has)."""

    values: Array
    reasons: list[str]


class Subject(Protocol):
    """What a study needs to know."""

    name: str
    outputs: tuple[str, ...]
    units: tuple[str, ...]
    at: Array  # positions: times [s], angles, or numbers
    axis: str  # what they are
    block: int  # samples that are best evaluated together
    parallel: str  # "threads", or "processes" where Python itself takes most of the time
    mark: str  # differs for different subjects, as far as nominal outputs do not tell

    def check(self, coordinates: Sequence[str]) -> None:
        """Refuses names of deviations that mean nothing here."""

    def evaluate(self, deviations: Mapping[str, Array]) -> Evaluated:
        """Outputs of samples; an array of deviations, one for each sample, for each name."""


def told(thing: Any) -> str:
    """A text that tells things apart: numbers to the last bit, and all that dataclasses hold; functions by name."""
    if isinstance(thing, np.ndarray):
        return f"{thing.shape}{thing.tolist()!r}"
    if isinstance(thing, Mapping):
        return "{" + ",".join(f"{told(k)}:{told(v)}" for k, v in thing.items()) + "}"
    if isinstance(thing, list | tuple):
        return "(" + ",".join(map(told, thing)) + ")"
    if is_dataclass(thing) and not isinstance(thing, type):
        return type(thing).__name__ + told({f.name: getattr(thing, f.name) for f in fields(thing)})
    return getattr(thing, "__qualname__", None) or (repr(thing) if isinstance(thing, PLAIN) else type(thing).__name__)


class FunctionSubject:
    """A function of parameters, called with nominal values plus deviations, for each sample, or with `vectorised` once
    for arrays of them. It returns a number, or a list of them over positions, for one output."""

    parallel = "threads"
    mark = ""

    def __init__(self, function: Callable[..., Any], nominal: Mapping[str, float], *, output: str = "outcome",
                 at: Any = None, vectorised: bool = False, axis: str = "position", unit: str = "") -> None:
        if not callable(function):
            raise ModelError("tolerances: the function of the parameters cannot be called.")
        self.function, self.nominal, self.vectorised = function, dict(nominal), vectorised
        self.name, self.outputs, self.units, self.axis = "function", (output,), (unit,), axis
        self.at = np.zeros(1) if at is None else np.asarray(at, dtype=float)
        self.block = 4096 if vectorised else 64

    def check(self, coordinates: Sequence[str]) -> None:
        """Only parameters are known."""
        for name in coordinates:
            if name not in self.nominal:
                raise ModelError(f"tolerances: there is no parameter {name!r}.{suggest(name, self.nominal)}\n"
                                 f"  Parameters: {', '.join(self.nominal)}.")

    def evaluate(self, deviations: Mapping[str, Array]) -> Evaluated:
        """Values of the function."""
        count = len(next(iter(deviations.values())))
        if self.vectorised:
            moved = {name: value + deviations[name] if name in deviations else np.full(count, value)
                     for name, value in self.nominal.items()}
            found = np.asarray(self.function(**moved), dtype=float).reshape(count, len(self.at), 1)
            bad = ~np.isfinite(found).all(axis=(1, 2))
            return Evaluated(np.where(bad[:, None, None], np.nan, found),
                             ["the outcome is not finite" if b else "" for b in bad])
        rows = [self._one({name: float(values[k]) for name, values in deviations.items()}) for k in range(count)]
        return Evaluated(np.stack([row[0] for row in rows]), [row[1] for row in rows])

    def _one(self, deviations: dict[str, float]) -> tuple[Array, str]:
        nothing = np.full((len(self.at), 1), np.nan)
        try:
            found = self.function(**{n: v + deviations.get(n, 0.0) for n, v in self.nominal.items()})
        except VincoloError as error:
            return nothing, str(error).splitlines()[0]
        except Exception as error:
            return nothing, Mistake.of(error)
        values = np.asarray(found, dtype=float).reshape(len(self.at), 1)
        return (values, "") if np.isfinite(values).all() else (nothing, "the outcome is not finite")


class LoopSubject:
    """A closed loop of dual algebra: `links` is a function of deviations by name (arrays of samples; names with spaces
    and dots come as in `coordinates`) that returns the links. It is followed over the driven coordinates, whose first
    index is that of the positions; with `rates` velocities are outputs too, as "A.angle.rate"."""

    block = 2048
    parallel = "threads"
    mark = ""

    def __init__(self, joints: Mapping[str, str], links: Callable[[Mapping[str, Array]], Sequence[Dual]],
                 driven: Mapping[str, Any], guess: Mapping[str, float], outputs: Sequence[str], *,
                 coordinates: Sequence[str], rates: Mapping[str, float] | None = None) -> None:
        self.joints, self.links, self.guess, self.rates = dict(joints), links, dict(guess), rates
        self.driven = {name: np.asarray(values, dtype=float) for name, values in driven.items()}
        self.known = tuple(coordinates)
        first = next(iter(self.driven))
        self.name, self.outputs, self.at, self.axis = "loop", tuple(outputs), self.driven[first], f"{first} [rad or m]"
        self.units = tuple("" for _ in outputs)
        nominal = Loop(self.joints, links({name: np.zeros(1) for name in self.known}))
        for output in self.outputs:
            if output.removesuffix(".rate") not in nominal.names or (output.endswith(".rate") and rates is None):
                raise ModelError(f"tolerances of a loop: there is no output {output!r}."
                                 f"{suggest(output, nominal.names)}\n  Outputs: {', '.join(nominal.names)}; with "
                                 "rates= also their rates, such as 'A.angle.rate'.")

    def check(self, coordinates: Sequence[str]) -> None:
        """Only what the links depend on is known."""
        for name in coordinates:
            if name not in self.known:
                raise ModelError(f"tolerances of a loop: the links know no {name!r}.{suggest(name, self.known)}\n"
                                 f"  They know: {', '.join(self.known)}.")

    def evaluate(self, deviations: Mapping[str, Array]) -> Evaluated:
        """Loops closed over all positions together."""
        count = len(next(iter(deviations.values())))
        every = {name: deviations.get(name, np.zeros(count)) for name in self.known}
        loop = Loop(self.joints, self.links(every))
        driven = {name: np.repeat(values[:, None], count, axis=1) for name, values in self.driven.items()}
        found = loop.follow(driven, self.guess)
        speeds = loop.rates(found, self.rates) if self.rates is not None else {}
        values = np.stack([self._output(found, speeds, name).T for name in self.outputs], axis=-1)
        bad = np.atleast_1d(~found.closed.all(axis=0))
        values[bad] = np.nan
        return Evaluated(values, ["the loop cannot be closed" if b else "" for b in bad])

    @staticmethod
    def _output(found: Closed, speeds: Mapping[str, Array], name: str) -> Array:
        return speeds[name.removesuffix(".rate")] if name.endswith(".rate") else found[name]


def play_of(deviations: Mapping[str, Array], joint: str) -> Dual:
    """The displacement (samples, 3, 3) from a pin to its hole that a Clearance of a joint makes; it stands before the
    motion of the joint, at the end of the link with the pin."""
    x, y, tilt_x, tilt_y = (deviations[f"{joint}.play {axis}"] for axis in ("x", "y", "tilt x", "tilt y"))
    return play(np.stack([x, y, tilt_x, tilt_y], axis=-1))


def play(place: Array) -> Dual:
    """The displacement from pin to hole for place and tilt (..., 4) [m, rad]: both back."""
    tilt = np.hypot(place[..., 2], place[..., 3])
    safe = np.where(tilt > 0, tilt, 1.0)
    x, y = np.where(tilt > 0, place[..., 2] / safe, 1.0), place[..., 3] / safe
    axis = np.stack([x, y, np.zeros(tilt.shape)], axis=-1)
    R = rodrigues(axis, Dual(-tilt)).real
    off = np.concatenate([-place[..., :2], np.zeros((*tilt.shape, 1))], axis=-1)
    return frame(R, off)
