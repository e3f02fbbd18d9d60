"""Derivatives of motions by parameters, exact in the equations of motion: M u' + J^T lam = Q and J u' = gamma are
differentiated along the recorded motion, and what follows from them is integrated beside it.

With displacements dq = (dr, dtheta) and changes of velocity du of all bodies in world axes, at given u' and lam:
dr' = dv, dtheta' = dw + w x dtheta, and M du' + J^T dlam = F_q dq + F_u du + F_p, J du' = G_q dq + G_u du + G_p, where
F = Q - M u' - J^T lam and G = gamma - J u'. Redundant rows leave dlam open, but not du'. F_q to G_u are those of the
kernel; F_p and G_p are differences of equations, not of runs, and have no noise of steps in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.simulate import simulate
from vincolo.channels.channels import Channels
from vincolo.errors import ModelError
from vincolo.layout import MOTION, by_body
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.studies.outputs import Output, outputs_of
from vincolo.studies.tangents import FINE, Made, Near, Start, Tangent
from vincolo.system import System, as_system
from vincolo.threads import one_thread
from vincolo.varied import feature_of, value_of, varied_system

LARGEST = 40  # bodies: matrices are dense here


@dataclass(frozen=True, eq=False)
class Gradients:
    """Outputs, their derivatives (outputs, parameters), and how far these may be off by the steps in time and by what
    lies between samples; `series` (samples, channels, parameters) are derivatives of whole channels at the times t [s].
    """

    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    values: Array
    by: Array
    error: Array
    t: Array
    channels: tuple[str, ...]
    series: Array

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The derivative of an output by a parameter."""
        output, parameter = key
        if output not in self.outputs or parameter not in self.parameters:
            raise ModelError(f"gradients: there is no derivative of {output!r} by {parameter!r}.\n  Outputs: "
                             f"{', '.join(self.outputs)}; parameters: {', '.join(self.parameters)}.")
        return float(self.by[self.outputs.index(output), self.parameters.index(parameter)])

    def __str__(self) -> str:
        lines = [f"  {o} = {v:.6g}: " + ", ".join(f"{g:.6g} by {p}" for g, p in zip(row, self.parameters, strict=True))
                 for o, v, row in zip(self.outputs, self.values, self.by, strict=True)]
        return "\n".join(["derivatives of outputs by parameters", *lines])


def gradients(what: Model | Callable[..., Model], parameters: Mapping[str, float] | Sequence[str], outputs: Any, *,
              until: float, times: int = 200, start: Start | None = None) -> Gradients:
    """Derivatives of outputs of a motion by parts of a model, named as in study(), or by the arguments of a function
    that builds one. `times` is the number of intervals between samples, an even one, and outputs are read from all of
    them; `start` makes the first state of a system where assemble() does not. Linear algebra takes one thread. Events,
    switches, stops, friction, contacts, controllers and states of the model are refused: sensitivities() takes
    differences of runs."""
    kept = outputs_of(outputs)
    if isinstance(parameters, str) or not len(parameters):
        raise ModelError(f"gradients(): the parameters are {parameters!r}; a list of names, or a dictionary of values, "
                         "is needed.")
    with one_thread():
        return _gradients(what, parameters, kept, until, times, start)


def _gradients(what: Any, parameters: Any, kept: Sequence[Output], until: float, times: int,
               start: Start | None) -> Gradients:
    names, numbers, made = _systems(what, parameters)
    base = made({})
    _check(base)
    count = 4 * max(1, math.ceil(times / 2))  # the tangent is known at every second of these
    begin = assemble(base) if start is None else start(base)
    run = simulate(base, until, start=begin, outputs=count, integrator=FINE)
    if run.reason is not None:
        raise ModelError(f"gradients(): the run ended early: {run.reason}")
    channels = tuple(dict.fromkeys(o.channel for o in kept))
    t, series, slopes, error = run.channels.t[::2], _series(run.channels, channels)[::2], [], []
    near = [Near(base, begin, name, value, made, start) for name, value in zip(names, numbers, strict=True)]
    best, rough = Tangent(run.channels, near).carried()
    for k, each in enumerate(near):
        slopes.append(_read(run.channels, each, best[..., k], channels))
        error.append(np.abs(slopes[-1] - _read(run.channels, each, rough[..., k], channels)))
    by, off_by = np.stack(slopes, axis=-1), np.stack(error, axis=-1)
    reduced = [_reduced(o, t, series[:, k], by[:, k], off_by[:, k])
               for o, k in ((o, channels.index(o.channel)) for o in kept)]
    return Gradients(names, tuple(o.title for o in kept), np.array([r[0] for r in reduced]),
                     np.stack([r[1] for r in reduced]), np.stack([r[2] for r in reduced]), t, channels, by)


def _systems(what: Any, parameters: Any) -> tuple[tuple[str, ...], list[float], Made]:
    """Names and values of the parameters, and the system for other values of some of them."""
    if isinstance(what, Model):
        names = tuple(parameters)
        features = {name: feature_of(what, name) for name in names}
        system = as_system(what)
        given = {name: value_of(what, f) for name, f in features.items()}
        if isinstance(parameters, Mapping):
            given = {name: finite_number(f"gradients(): {name}", parameters[name]) for name in names}
        here = {name: given[name] - value_of(what, f) for name, f in features.items()}
        return names, list(given.values()), lambda off: varied_system(
            system, [(f, here[n] + off.get(n, 0.0)) for n, f in features.items()])
    if not callable(what) or not isinstance(parameters, Mapping):
        raise ModelError("gradients(): give a Model with names of its parts, or a function that builds one with a "
                         "dictionary of its arguments.")
    numbers = {str(n): finite_number(f"gradients(): {n}", v) for n, v in parameters.items()}
    return tuple(numbers), list(numbers.values()), lambda off: as_system(
        what(**{n: v + off.get(n, 0.0) for n, v in numbers.items()}))


def _check(system: System) -> None:
    """Refuses what makes a motion jump, or what is beside it."""
    model = system.model
    found = [*(f"event {n!r}" for n in model.events), *(f"state {n!r}" for n in model.states),
             *(f"sensor {n!r}" for n, a in model.variables.items() if a.sensed is not None),
             *(f"stop {n!r}" for n in model.stops), *(f"friction {n!r}" for n in model.frictions),
             *(f"contact {n!r}" for n in model.contacts), *(f"range {n!r}" for n in model.ranges),
             *(f"controller {n!r}" for n in model.controllers), *(f"law {n!r} in Python" for n in system.called),
             *(["switches"] if model.switches else [])]
    if found:
        raise ModelError(f"gradients(): the model has {', '.join(found[:5])}, which these derivatives do not know.\n"
                         "  Take vincolo.sensitivities(), which takes differences of runs.")
    if len(system.centred) > LARGEST:
        raise ModelError(f"gradients(): {len(system.centred)} bodies; up to {LARGEST} are possible here.\n"
                         "  Take vincolo.sensitivities(), which takes differences of runs.")


def _series(channels: Channels, names: Sequence[str]) -> Array:
    return np.stack([channels[name] for name in names], axis=-1)


def _read(channels: Channels, near: Near, changes: Array, names: Sequence[str]) -> Array:
    """Derivatives of channels (samples, channels): of states displaced along what was found, in designs around this."""
    n = 6 * len(channels.system.centred)
    t, turns = channels.t[::2], channels.turns[::2]

    def read(system: System, k: int) -> Array:
        y = np.array([_displaced(State(system, 0.0, y, turn), k * near.h * x, n)
                      for y, turn, x in zip(channels.y[::2], turns, changes, strict=True)])
        return _series(Channels(system, t, y, turns), names)

    return near.slope(read)


def _displaced(state: State, change: Array, n: int) -> Array:
    y = state.displaced(change[:n]).y
    by_body(y, n // 6)[:, MOTION] += change[n:].reshape(-1, 6)
    return y


def _between(what: Any, t: Array, x: Array, by: Array, weights: Array) -> Array:
    """How far a derivative may be off since the motion is known at samples alone: of means by what every second sample
    gives, of extremes by the samples beside them."""
    if what in ("mean", "rms"):
        half: Array = np.gradient(t[::2]) / (t[-1] - t[0])
        half[[0, -1]] /= 2
        if what == "rms":
            half = half * x[::2] / max(float(np.sqrt(half @ x[::2] ** 2)), 1e-300)
        return np.asarray(np.abs(half @ by[::2] - weights @ by))
    if what in ("final", "start"):
        return np.zeros(by.shape[1])
    last = len(t) - 1
    doubts = np.zeros(by.shape[1])
    for k in np.flatnonzero(weights).tolist():
        doubts += np.abs(by[[max(k - 1, 0), min(k + 1, last)]] - by[k]).max(axis=0) / 2
    return doubts


def _reduced(output: Output, t: Array, x: Array, by: Array, error: Array) -> tuple[float, Array, Array]:
    """An output and its derivatives, from those of its series: of the largest value those where it is."""
    value = output.of(t, x)
    weights: Array = np.zeros(len(t))
    what = output.reduction
    mean = np.gradient(t) / (t[-1] - t[0])
    mean[[0, -1]] /= 2
    if what in ("final", "start", "max", "min"):
        weights[{"final": -1, "start": 0, "max": int(np.argmax(x)), "min": int(np.argmin(x))}[str(what)]] = 1.0
    elif what == "peak":
        k = int(np.argmax(np.abs(x)))
        weights[k] = np.sign(x[k])
    elif what == "range":
        weights[int(np.argmax(x))], weights[int(np.argmin(x))] = 1.0, -1.0
    elif what == "mean":
        weights = mean
    elif what == "rms":
        weights = mean * x / max(value, 1e-300)
    else:
        raise ModelError(f"gradients(): {output.title!r} has no derivative here.\n  Outputs with one: final, start, "
                         "max, min, peak, range, mean, rms.")
    return value, weights @ by, np.abs(weights) @ error + _between(what, t, x, by, weights)
