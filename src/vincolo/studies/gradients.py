"""Derivatives of motions by parameters, exact in the equations of motion: M u' + J^T lam = Q and J u' = gamma are
differentiated along the recorded motion, and what follows from them is integrated beside it.

With displacements dq = (dr, dtheta) and changes of velocity du of all bodies in world axes, at given u' and lam:
dr' = dv, dtheta' = dw + w x dtheta, and M du' + J^T dlam = F_q dq + F_u du + F_p, J du' = G_q dq + G_u du + G_p, where
F = Q - M u' - J^T lam and G = gamma - J u'. Redundant rows leave dlam open, but not du'. F_q to G_u are those of the
kernel; F_p and G_p are differences of equations, not of runs, and have no noise of steps in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.carry import pose
from vincolo.analyses.simulate import simulate
from vincolo.analyses.tangent import equations_at, slopes_at
from vincolo.channels.channels import Channels
from vincolo.errors import ModelError
from vincolo.layout import MOTION, by_body
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.solvers.integrators import INTEGRATORS
from vincolo.state import State
from vincolo.studies.outputs import Output, outputs_of
from vincolo.system import System, as_system
from vincolo.varied import feature_of, value_of, varied_system

SHARE = 1e-3  # of a parameter: the step of differences of equations, which are of the fourth order
STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
RTOL = 1e-11  # of the motion itself
FINE: Any = INTEGRATORS["DOP853"](rtol=RTOL, atol=RTOL)  # type: ignore[call-arg]
LOBATTO = ((1 / 6, -1 / 3, 1 / 6), (1 / 6, 5 / 12, -1 / 12), (1 / 6, 2 / 3, 1 / 6))  # at the begin, middle and end
LARGEST = 40  # bodies: matrices are dense here

Start = Callable[[System], State]
Made = Callable[[Mapping[str, float]], System]  # by how much parameters are off


@dataclass(frozen=True, eq=False)
class Gradients:
    """Outputs, their derivatives (outputs, parameters), and how far these may be off by the steps in time; `series`
    (samples, channels, parameters) are derivatives of whole channels at the times t [s]."""

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
              until: float, times: int = 400, start: Start | None = None) -> Gradients:
    """Derivatives of outputs of a motion by parts of a model, named as in study(), or by the arguments of a function
    that builds one. `times` is the number of steps in which they are integrated, a multiple of four; `start` makes the
    first state of a system where assemble() does not. Events, switches, stops, friction, contacts, controllers
    and states of the model are refused: sensitivities() takes differences of runs."""
    kept = outputs_of(outputs)
    names, numbers, made = _systems(what, parameters)
    base = made({})
    _check(base)
    count = 4 * max(1, round(times / 4))
    begin = assemble(base) if start is None else start(base)
    run = simulate(base, until, start=begin, outputs=count, integrator=FINE)
    if run.reason is not None:
        raise ModelError(f"gradients(): the run ended early: {run.reason}")
    channels = tuple(dict.fromkeys(o.channel for o in kept))
    t, series, slopes, error = run.channels.t[::2], _series(run.channels, channels)[::2], [], []
    points = _points(run.channels)
    near = [_Near(base, begin, name, value, made, start) for name, value in zip(names, numbers, strict=True)]
    push = [np.stack([_push(point, each) for each in near], axis=-1) for point in points]
    first = np.stack([each.first for each in near], axis=-1)
    fine, coarse = (_integrated(points, push, first, stride) for stride in (2, 4))
    best = fine.copy()
    best[::2] += (fine[::2] - coarse) / 15  # both are of the fourth order
    for k, each in enumerate(near):
        slopes.append(_read(run.channels, each, best[..., k], channels))
        error.append(np.abs(slopes[-1] - _read(run.channels, each, fine[..., k], channels)))
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


class _Near:
    """Designs around the present one, along one parameter."""

    def __init__(self, base: System, begin: State, name: str, value: float,
                 made: Made, start: Start | None) -> None:
        self.h = SHARE * (abs(value) or 1.0)
        self.systems = {k: made({name: k * self.h}) for k, _ in STENCIL}
        for k, system in self.systems.items():
            for old, new in zip(base.centred, system.centred, strict=True):
                if np.abs(old.principal - new.principal).max() > 0.1 * abs(k):
                    raise ModelError(f"gradients(): with {name!r} the principal axes of {old.body.name!r} jump, since "
                                     "two of its moments of inertia are equal.\n  Make them a little different.")
        states = {k: (assemble(s, guess=pose(begin, s), t=begin.t) if start is None else start(s))
                  for k, s in self.systems.items()}
        self.first = sum((w * _away(begin, states[k]) for k, w in STENCIL), np.zeros(12 * len(base.centred))) / self.h

    def slope(self, found: Callable[[System, int], Array]) -> Array:
        """The derivative of something that depends on the system."""
        return np.asarray(sum(w * found(self.systems[k], k) for k, w in STENCIL) / self.h)


def _away(begin: State, other: State) -> Array:
    """(dq, du) from one state to another near it: rotations as vectors in world axes."""
    n = len(begin.system.centred)
    a, b = by_body(begin.y, n), by_body(other.y, n)
    e0, e = a[:, 3], a[:, 4:7]
    f0, f = b[:, 3], b[:, 4:7]
    scalar = e0 * f0 + (e * f).sum(axis=1)
    vector = e0[:, None] * f - f0[:, None] * e - np.cross(f, e)
    half = np.arctan2(np.linalg.norm(vector, axis=1), np.abs(scalar))
    turn = 2 * vector / np.sinc(half / np.pi)[:, None] * np.sign(scalar)[:, None]
    return np.concatenate([np.hstack([b[:, :3] - a[:, :3], turn]).ravel(), (b[:, MOTION] - a[:, MOTION]).ravel()])


@dataclass(frozen=True, eq=False)
class _Point:
    """A state of the motion: how (dq, du) change, A, and how F and G make u' differ."""

    state: State
    A: Array
    response: Array  # du' by (F, G)
    acceleration: Array
    lam: Array


def _points(channels: Channels) -> list[_Point]:
    system, observed = channels.system, channels.observed
    return [_point(State(system, float(channels.t[k]), channels.y[k], channels.turns[k]),
                   observed["acceleration"][k].ravel(), observed["lam"][k]) for k in range(len(channels.t))]


def _point(state: State, du: Array, lam: Array) -> _Point:
    n, e, s = len(du), equations_at(state), slopes_at(state, lam, du)
    M, J, m = e.M.toarray(), e.J.toarray(), len(lam)
    size = np.abs(np.diag(M)).max() / max(np.abs(J).max(initial=0.0) ** 2, 1e-300) if m else 1.0
    whole = np.block([[M, J.T * size], [J * size, np.zeros((m, m))]])  # rows as heavy as the masses
    inverse = np.linalg.pinv(whole, rcond=1e-12, hermitian=True)[:n]
    response = np.hstack([inverse[:, :n], inverse[:, n:] * size])
    slope = np.block([[s.force_by_position.toarray(), s.force_by_velocity.toarray()],
                      [s.gamma_by_position.toarray(), s.gamma_by_velocity.toarray()]])
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    for b, (wx, wy, wz) in enumerate(by_body(state.y, n // 6)[:, 10:13]):
        A[6 * b + 3: 6 * b + 6, 6 * b + 3: 6 * b + 6] = [[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]]
    A[n:] = response @ slope
    return _Point(state, A, response, du, lam)


def _push(point: _Point, near: _Near) -> Array:
    """How u' differs by the parameter alone."""

    def left(system: System, _: int) -> Array:
        e = equations_at(State(system, point.state.t, point.state.y, point.state.turns))
        return np.concatenate([e.Q - e.M @ point.acceleration - e.J.T @ point.lam, e.gamma - e.J @ point.acceleration])

    n = len(point.acceleration)
    found = np.zeros(2 * n)
    found[n:] = point.response @ near.slope(left)
    return found


def _integrated(points: list[_Point], push: list[Array], first: Array, stride: int) -> Array:
    """(dq, du) by the parameters at every `stride`-th point (points, motions, parameters), by Lobatto IIIC steps over
    as many: of the fourth order, and stiff springs and dampers do not limit them."""
    x, found, n = first, [first], len(first)
    for k in range(0, len(points) - 1, stride):
        stages = (k, k + stride // 2, k + stride)
        h = points[stages[2]].state.t - points[k].state.t
        left = np.eye(3 * n)
        right = np.tile(x, (3, 1))
        for i, row in enumerate(LOBATTO):
            for j, a in zip(range(3), row, strict=True):
                left[i * n: (i + 1) * n, j * n: (j + 1) * n] -= h * a * points[stages[j]].A
                right[i * n: (i + 1) * n] += h * a * push[stages[j]]
        x = np.asarray(np.linalg.solve(left, right)[2 * n:], dtype=float)
        found.append(x)
    return np.array(found)


def _series(channels: Channels, names: Sequence[str]) -> Array:
    return np.stack([channels[name] for name in names], axis=-1)


def _read(channels: Channels, near: _Near, changes: Array, names: Sequence[str]) -> Array:
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
    return value, weights @ by, np.abs(weights) @ error
