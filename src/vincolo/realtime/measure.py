"""Which solvers suit a model in real time: how long their steps take, and how far they are from the motion itself."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.analyses.simulate import simulate
from vincolo.errors import ModelError, SimulationError, VincoloWarning
from vincolo.layout import by_body
from vincolo.model.geometry import Array
from vincolo.realtime.library import OK, CModel
from vincolo.realtime.table import plant
from vincolo.realtime.times import StepTimes
from vincolo.solvers import formulations, integrators
from vincolo.state import State
from vincolo.system import System

INTEGRATORS = ("SemiImplicitEuler", "Heun", "RK4", "LinearlyImplicitEuler", "Rosenbrock")  # of a fixed cost
FORMULATIONS = ("Sparse", "JointCoordinates", "AugmentedLagrangian", "NullSpace", "Lagrange")
ROOM = 2.0  # periods a step of the longest kind should fit into: the rest is for wires and other programs
WARM = 50  # steps that are not counted
REST = 1e-9  # of the extent: what goes less far has not moved


@dataclass(frozen=True)
class Measured:
    """A pair of solvers: their step times, the largest distance from the motion [m, of positions of bodies], and the
    largest way of the motion itself."""

    integrator: str
    formulation: str
    times: StepTimes | None
    error: float = np.inf
    trouble: str = ""
    way: float = np.inf

    @property
    def rate(self) -> float:
        """The highest rate [Hz] at which a step of the longest kind (p99.99) takes half of the period."""
        return 0.0 if self.times is None else 1e6 / (ROOM * max(self.times.share(0.9999), 1e-3))


def measured(system: System, step: float, begin: State, *, steps: int = 10_000,
             span: float = 0.25) -> Iterator[Measured]:
    """Times of steps [of this thread, in which other programs do not count] of all solvers of a fixed cost, and their
    distance from the motion over `span` seconds."""
    count = max(1, round(span / step))
    truth = _truth(system, begin, begin.t + count * step)
    before = by_body(begin.y, len(system.centred))[:, :3]
    way = np.inf if truth is None else float(np.abs(truth - before).max(initial=0.0))
    for formulation in FORMULATIONS:
        for integrator in INTEGRATORS:
            made = getattr(formulations, formulation)()
            try:
                found = plant(system, step, start=begin, integrator=getattr(integrators, integrator)(step=step),
                              formulation=made)
            except ModelError:
                continue  # they do not go together, or not with this model
            yield replace(_one(integrator, formulation, CModel(found.text()), truth, count, steps), way=way)


def _truth(system: System, begin: State, end: float) -> Array | None:
    """Positions of bodies at a time, by steps of high order; None if that fails."""
    exact: Any = integrators.Radau(rtol=1e-9, atol=1e-11)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", VincoloWarning)
            result = simulate(system, end, start=begin, integrator=exact, outputs=1)
    except (SimulationError, VincoloWarning):
        return None
    positions: Array = by_body(result.y[-1], len(system.centred))[:, :3].copy()
    return positions


def _one(integrator: str, formulation: str, model: CModel, truth: Array | None, count: int, steps: int) -> Measured:
    error, times = np.inf, StepTimes()
    for k in range(max(steps, count) + WARM):
        begun = time.thread_time_ns()
        status = model.step()
        spent = time.thread_time_ns() - begun
        if status != OK:
            return Measured(integrator, formulation, None, trouble=f"{model.reason} at t = {model.t:.4g} s")
        if k >= WARM:
            times.note(spent)
        if k + 1 == count and truth is not None:
            error = float(np.abs(by_body(model.state[3:], len(truth))[:, :3] - truth).max())
    model.close()
    return Measured(integrator, formulation, times, error)


def advice(found: list[Measured], step: float, extent: float) -> str:
    """Which one to take, and why."""
    rate = 1 / step
    able = [m for m in found if m.rate >= rate and m.error < 0.01 * extent]
    if not able:
        fastest = max(found, key=lambda m: m.rate, default=None)
        if fastest is None or fastest.rate == 0:
            return "None of them makes these steps: take a smaller one."
        if fastest.rate < rate:
            return (f"None of them is fast enough for {rate:,.0f} Hz on this machine; the fastest, "
                    f"{fastest.integrator} with {fastest.formulation}, reaches {fastest.rate:,.0f} Hz.")
        return "All that are fast enough lose the motion (by more than 1 % of its extent): take a smaller step."
    if max(m.way for m in able) < REST * extent:
        chosen = max(able, key=lambda m: m.rate)
        return (f"Take {chosen.integrator} with {chosen.formulation}, the fastest: it reaches {chosen.rate:,.0f} Hz. "
                "But the mechanism stays where it is, so that all of them are equally exact here.\n"
                "  Measure a model that moves: give its bodies a velocity, or its inputs a value.")
    best = min(m.error for m in able)
    good = [m for m in able if m.error <= max(3 * best, 1e-6 * extent)]
    chosen = max(good, key=lambda m: m.rate)
    return (f"Take {chosen.integrator} with {chosen.formulation}: of those that leave half of each period free at "
            f"{rate:,.0f} Hz it is {'the closest to the motion' if len(good) == 1 else 'the fastest of the closest'}, "
            f"{chosen.error:.2g} m off; it reaches {chosen.rate:,.0f} Hz.")
