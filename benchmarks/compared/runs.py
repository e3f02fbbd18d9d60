"""One combination of mechanism, formulation, stabilisation and integrator: run, judged and timed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import vincolo as vc
from compared.cases import Case
from vincolo import _kernel

FAR_OFF = 0.1  # of the mechanism's size: a motion with a larger error is another motion
ROUNDS = 3
LONG = 0.08  # s of CPU time: a longer run is timed once


class TooLong(Exception):
    """A run has used up its share of CPU time."""


@dataclass(frozen=True)
class Setting:
    """How to run a mechanism; no stabilisation means the one the formulation asks for."""

    formulation: vc.Formulation
    integrator: vc.Integrator
    stabilisation: vc.Stabilisation | None = None

    @property
    def keeps(self) -> vc.Stabilisation:
        """The stabilisation in force, tuned to the step."""
        chosen = self.stabilisation or self.formulation.default_stabilisation()
        return chosen.for_step(self.integrator.fixed_step)

    @property
    def step(self) -> float | None:
        """The fixed step [s]; None for an adaptive integrator."""
        return self.integrator.fixed_step or None


@dataclass(frozen=True)
class Measured:
    """What one combination did; numbers are None where a run that failed has none."""

    outcome: str  # "ok", "far off", or the reason of the failure
    error: float | None = None  # m, from the reference
    cpu: float | None = None  # s
    worst_step: float | None = None  # s of CPU time
    position_residual: float | None = None
    velocity_residual: float | None = None
    energy_drift: float | None = None  # share of the energy in motion
    iterations: float | None = None  # per evaluation
    most_iterations: int | None = None
    decompositions: int | None = None
    evaluations: int | None = None
    steps: int | None = None
    reached: float = 0.0  # s of the motion
    result: vc.Result | None = None

    @property
    def ok(self) -> bool:
        """Whether the motion is the right one to its end."""
        return self.outcome == "ok"


def limit(seconds: float) -> Callable[[float, float], None]:
    """Stops a run after some CPU time; called by simulate() about ten times a second."""
    end = time.process_time() + seconds

    def check(t: float, until: float) -> None:
        if time.process_time() > end:
            raise TooLong(f"stopped after {seconds:g} s of CPU time at t = {t:.3g} s")

    return check


def simulated(case: Case, setting: Setting, cap: float, max_steps: int = 0) -> vc.Result:
    """The run, with all warnings kept quiet: its outcome is judged here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vc.SimulationWarning)
        return vc.simulate(case.system, case.until, outputs=case.times, start=case.start,
                           integrator=setting.integrator, stabilisation=setting.stabilisation,
                           formulation=setting.formulation, max_steps=max_steps, progress=limit(cap))


def measure(case: Case, setting: Setting, cap: float = 10.0, max_steps: int = 0) -> Measured:
    """Runs once and judges; nothing that goes wrong gets out. A run that meets max_steps keeps what it has."""
    try:
        result = simulated(case, setting, cap, max_steps)
        return judged(case, result)
    except (vc.ModelError, vc.SimulationError, TooLong) as error:
        return Measured(outcome=one_line(error))
    except Exception as error:  # noqa: BLE001 - a table must not end for one cell
        return Measured(outcome=f"{type(error).__name__}: {one_line(error)}")


def one_line(text: object) -> str:
    """The first sentence or line, without the name of the formulation, which stands beside it."""
    first = str(text).split("\n")[0]
    return first.removeprefix("simulate(): ")


def judged(case: Case, result: vc.Result) -> Measured:
    """The numbers of a finished run."""
    s = result.statistics
    error = case.error(result)
    evaluations = max(1, s["evaluations"])
    outcome = one_line(result.reason) if result.reason else "ok" if error <= FAR_OFF * case.size else "far off"
    return Measured(outcome=outcome, error=error, cpu=result.seconds, position_residual=s["position_residual"],
                    velocity_residual=s["velocity_residual"],
                    energy_drift=s["energy_imbalance"] / max(s["energy_range"], 1e-300),
                    iterations=s["iterations"] / evaluations, most_iterations=s["most_iterations"],
                    decompositions=s["decompositions"], evaluations=s["evaluations"], steps=s["steps"],
                    reached=float(result.t[-1]) if len(result) else 0.0, result=result)


def timed(case: Case, setting: Setting, cap: float = 10.0, far_off: bool = False, long: float = LONG) -> Measured:
    """As measure(); if the motion is right, with the best CPU time and the best of the worst single steps. With
    `far_off`, a motion that only reaches its end is timed as well; above `long` s of CPU time a run is timed once."""
    found = measure(case, setting, cap)
    if found.cpu is None or not (found.ok or (far_off and found.outcome == "far off")):
        return found
    rounds = 1 if found.cpu > long else ROUNDS
    times = [found.cpu] + [simulated(case, setting, cap).seconds for _ in range(rounds - 1)]
    slowest = min(worst_step(case, setting) for _ in range(rounds))
    return replace(found, cpu=min(times), worst_step=slowest)


def worst_step(case: Case, setting: Setting) -> float:
    """CPU time [s] of the slowest single step; the start, which also chooses rows and allocates, is left out."""
    run = new_run(case, setting)
    clock = time.thread_time_ns
    status, slowest = run.advance(1), 0
    while status == "running":
        begun = clock()
        status = run.advance(1)
        slowest = max(slowest, clock() - begun)
    return 1e-9 * slowest


def new_run(case: Case, setting: Setting) -> Any:
    """The kernel's run at its start, to be advanced step by step."""
    begin = case.start
    options = {"integrator": setting.integrator.options(), "stabilisation": setting.keeps.options(),
               "formulation": setting.formulation.options()}
    return _kernel.core().Run(case.system.kernel, options, begin.t, begin.y.tolist(), begin.turns.tolist(),
                              case.times.tolist())


