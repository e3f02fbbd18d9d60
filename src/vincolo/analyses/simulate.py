"""Motion in time."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.ballast import without_inertia
from vincolo.analyses.bounds import check_stops
from vincolo.analyses.choosing import chosen
from vincolo.analyses.entering import Entering
from vincolo.analyses.happening import reason_at_event, unsettled
from vincolo.analyses.locking import locked, loses_drives, told_drives
from vincolo.analyses.mobility import mobility_of
from vincolo.analyses.pace import Pace, blame, moved
from vincolo.analyses.progress import NotebookBar, Progress, ProgressLine, reporter
from vincolo.analyses.ways_out import require_a_way_out
from vincolo.errors import ModelError, SimulationError, SimulationWarning
from vincolo.model import Model
from vincolo.model.checks import finite_number, number_array
from vincolo.model.geometry import Array
from vincolo.model.python_laws import mistakes
from vincolo.results.happenings import gathered
from vincolo.results.recording import Held, Recording
from vincolo.results.result import Result
from vincolo.results.settings import Settings
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.touching import refuse_overlap

if TYPE_CHECKING:
    from vincolo.solvers import Formulation, Integrator, Stabilisation
    from vincolo.solvers.formulation import Solver


MOST_STEPS = 1e12  # of a fixed size
MOST_BYTES = 8e9  # of recorded samples
LOST_ENERGY = 0.01  # share of the energy in motion
LOOK = 0.1  # s between two looks at a run that calls
LOOSE_WORK = ("bdf", "adams")  # count work at a lower order than motion behind corners
ROUNDING = 1e-12  # share of the largest energies that are summed up, and of the positions they come from

REASONS = {
    "step too small": "the step size went to zero at t = {t:.6g} s: a force or drive jumps or grows without bound\n"
                      "there, or the mechanism locks. Look at the last samples, or loosen the tolerance.",
    "not finite": "a position, velocity or force became infinite or undefined at t = {t:.6g} s: check formulas for\n"
                  "divisions by zero and roots of negative numbers; with a fixed step, try a smaller one.",
    "too many steps": "the limit of max_steps was reached at t = {t:.6g} s.",
    "not converged": "the implicit step at t = {t:.6g} s did not converge: it is too large, a force jumps there, or\n"
                     "the position is singular and the stabilisation does not project. Take a smaller step, or an\n"
                     "integrator that chooses its steps, such as vincolo.integrators.Radau();\n"
                     "leave stabilisation= out.",
    "open": "the joints could not be closed again at t = {t:.6g} s: the step is too large, drives ask for what the\n"
            "joints do not allow, or what is switched on there is elsewhere. Take a smaller step or an adaptive\n"
            "integrator; switch joints and drives on where the mechanism meets them.",
}
LEFT_OUT = ("{row} opens at t = {t:.6g} s. There the mechanism is in a singular position, drawn in a line or at a\n"
            "change point: the row follows from others at that position only, and no motion out of it keeps all\n"
            "joints closed. Start away from that position, or with velocities along a way out.")
ENERGY_JUMPS = ("from t = {t:.6g} s on the mechanism passes a singular configuration, in which joints become\n"
                "dependent, so slowly that rounding decides its motion: energy changes by {jump:.3g} J,\n"
                "{share:.2g} % of the energy in motion, without work. Later samples are left out. Start further\n"
                "away from that configuration, or faster.")
WITHOUT_INERTIA = ("at t = {t:.6g} s body '{body}' would have to spin without bound: it has no inertia about an axis,\n"
                   "and its joints no longer tie that rotation to other masses. Give '{body}' an inertia about all\n"
                   "axes.")
DRIVES_PART = ("there are more drives than freedoms, and from t = {t:.6g} s on they disagree: {row} asks for another\n"
               "motion than the others. Remove one of them, or make them agree.")

def simulate(model: Model | System, until: float, *, outputs: int | Any = 200, start: State | None = None,
             integrator: Integrator | None = None, stabilisation: Stabilisation | None = None,
             formulation: Formulation | Solver | None = None, max_steps: int = 0, checkpoints: Any = (),
             progress: bool | Progress | None = None, record: str | os.PathLike[str] | None = None,
             inputs: Mapping[str, Any] | None = None) -> Result:
    """Simulates to the time `until` [s] and records `outputs` samples (a number of intervals, or times). A run that
    fails or is interrupted (Ctrl-C) returns what it has, with the reason. `formulation` is the kernel's own, or joint
    coordinates where joints form a tree and that is faster, unless another is asked for, or a function of
    (M, J, gamma, Q, Phi, Phi_dot) that returns (u_dot, lam). At `checkpoints` [s] steps begin anew: a run started from
    the state recorded there goes on as this one does, to the last bit. With `record`, the name of a file, samples go
    there while the run goes on, and not into memory; Result.load() reads it, also after a run that was killed. `inputs`
    have numbers, tables (times, values) or (function, every) by name."""
    system = as_system(model)
    begin = first_state("simulate()", system, start)
    refuse_overlap("simulate()", begin)
    end = finite_number("simulate(): until", until)
    marks = checked_marks(begin.t, end, checkpoints)
    times = output_times(begin.t, end, outputs)
    times = np.union1d(times, marks) if marks.size else times
    found = chosen("simulate()", begin, integrator, stabilisation, formulation, restarts=bool(marks.size))
    solver, formulated = found.integrator, found.formulation
    if marks.size and formulated.kind != "sparse":
        raise ModelError("simulate(): checkpoints need the default formulation; others remember more than the state.")
    require_a_way_out(begin)
    entering = Entering(system, begin, end, inputs)
    options = {**found.options(), "max_steps": max_steps, "corners": system.numbers.corners_between(begin.t, end),
               "checkpoints": marks.tolist(), "calls": entering.times()}
    _check_steps(max_steps, solver.fixed_step, end - begin.t)
    settings = Settings(str(solver), formulated.keeping(found.stabilisation), found.told, begin.t, end,
                        automatic=found.kind)
    keeping = _kept(system, times) if record is None else Recording(record, system, settings, len(times))
    run = formulated.run(system, options, begin, times)
    with keeping:
        keeping.attach(run)
        pace = None if max_steps or solver.fixed_step else Pace(begin.t, end)
        status, seconds = _carried(run, end, reporter(progress), keeping, entering, pace)
        if pace and pace.reason:
            status = f"{pace.reason}\n{blame(run, system)}"
        at_start = run.time == begin.t and run.recorded <= 1 and run.statistics()["steps"] == 0
        if status == "not finite" and at_start and run.unsettled_law() < 0:
            _check_finite(begin)
            if run.trouble().get("failure") == "massless":
                raise SimulationError(str(formulated.failure(run.trouble(), system)))
        reason = None if status in ("done", "stopped") else reason_of(run, status, system, formulated)
        struck = struck_at(run.statistics(), getattr(solver, "rtol", 0.0))
        reason = reason if struck == math.inf else energy_jump(run.statistics())
        happened = gathered(system, run.events())
        reason = keeping.finish(run, seconds, reason, happened)
    t, y, turns = keeping.arrays()
    if struck < math.inf:
        t, y, turns = (samples[t <= struck] for samples in (t, y, turns))
    result = Result(system, t, y, turns, settings, run.statistics(), seconds, reason, happened)
    loose = solver.method in LOOSE_WORK or formulated.kind != "sparse"
    told = [f"the run ended early: {reason}"] if reason is not None else []
    if system.has_energy:
        told += _lost_energy(result.statistics, 0.0 if loose else getattr(solver, "rtol", 0.0))
    if told:
        warnings.warn("\nBesides, ".join(told), SimulationWarning, stacklevel=2)
    return result


def struck_at(statistics: dict[str, Any], rtol: float) -> float:
    """When steps through singular positions began to change energy without work by more than matters to the whole
    motion; infinity if they did not."""
    matters = 5e3 * rtol * statistics["energy_range"] + ROUNDING * statistics["energy_size"]
    return statistics["energy_jump_at"] if rtol > 0 and statistics.get("energy_jumps", 0.0) > matters else math.inf


def energy_jump(statistics: dict[str, Any]) -> str:
    return ENERGY_JUMPS.format(t=statistics["energy_jump_at"], jump=statistics["energy_jumps"],
                               share=100 * statistics["energy_jumps"] / max(statistics["energy_range"], 1e-300))


def first_state(who: str, system: System, start: Any) -> State:
    """Where a run begins: assembled, or as given for this very system."""
    begin = assemble(system) if start is None else start
    if not isinstance(begin, State):
        raise ModelError(f"{who}: start is {begin!r}; pass what assemble() or result.state() returned.")
    if begin.system is not system:
        raise ModelError(f"{who}: the start belongs to another system.\n"
                         f"  Compile once (system = vincolo.compile(model)) and use it for assemble() and {who}.")
    check_stops(who, begin)
    return begin


def reason_of(run: Any, status: str, system: System, formulation: Formulation) -> str:
    """Why a run ended early: what failed and when, the joint that is most open there, and the likely cause."""
    error, trouble = run.take_error(), run.trouble()
    if isinstance(error, KeyboardInterrupt):
        return f"interrupted at t = {run.time:.6g} s"
    if isinstance(error, SystemExit):
        raise error
    if error is not None and trouble["failure"] == "raised":
        return f"{formulation} raised {type(error).__name__} at t = {trouble['t']:.6g} s: {error}"
    if status in ("event failed", "events without end"):
        return reason_at_event(run, status, system)
    if status not in REASONS:
        return status
    if status in ("not finite", "step too small") and (lost := run.unsettled_law()) >= 0:
        return unsettled(system, lost, run.time)
    failure = trouble.get("failure", "none")
    known = None
    if status in ("not finite", "step too small"):
        known = formulation.failure(trouble, system)
    if status == "open" and run.statistics()["opened_row"] >= 0:
        row = system.rows[run.statistics()["opened_row"]]
        return (DRIVES_PART if row.drive else LEFT_OUT).format(row=row, t=run.time)
    t, y, turns = run.state()
    last = State(system, t, y, turns)
    lost = undefined_drives(system, t)
    if status == "step too small" and not known and not lost and loses_drives(last):
        return locked(last)
    if status == "step too small" and not known and (body := without_inertia(last)):
        return WITHOUT_INERTIA.format(t=t, body=body)
    cause = known or REASONS[status].format(t=run.time)
    blamed = [f"The last step was {run.step:.2g} s.", f"After it, {lost} has no finite value." if lost else "",
              f"The drives stand at {at}." if (at := told_drives(last)) else "",
              *mistakes(system.called), joint_to_blame(last, failure), _force_to_blame(last, run.step)]
    return f"{cause}\n{' '.join(text for text in blamed if text)}"


def undefined_drives(system: System, t: float) -> str:
    """The drives and held measures whose functions have no finite value, rate or acceleration just after a time."""
    times = [t + h * max(1.0, abs(t)) for h in (1e-12, 1e-9, 1e-6)]
    found = [f"{'drive' if held.drive else 'hold'} {name!r}" for name, held in system.holds.items()
             if not all(np.isfinite(held.function.derivatives(at)).all() for at in times)]
    return ", ".join(found)


def joint_to_blame(state: State, failure: str = "none") -> str:
    """The joints that are redundant, or the one with the largest residual at a state, in a sentence."""
    system = state.system
    if not system.rows:
        return "There are no joints."
    if failure == "singular" and np.isfinite(state.y).all():
        shared = sorted({row.owner for group in mobility_of(state).groups for row in group})
        if shared:
            return f"Redundant together: {', '.join(shared[:8])}{' and more' if len(shared) > 8 else ''}."
    phi = system.kernel.rows(state.t, state.y.tolist(), state.turns.tolist())["phi"]
    worst = int(np.nanargmax(np.where(np.isfinite(phi), np.abs(phi), np.inf)))
    return f"Of the joints, {system.rows[worst]} is most open at t = {state.t:.6g} s, by {abs(phi[worst]):.2g}."


def _force_to_blame(state: State, step: float) -> str:
    """The force that is not finite just after a state, or else changes most over a step from there, in a sentence."""
    system, h = state.system, max(step, 1e-9 * max(1.0, abs(state.t)))
    if not system.laws or not np.isfinite(state.y).all():
        return ""
    now = state.channels.observed["law_force"][0]
    later = moved(state, h).channels.observed["law_force"][0]
    change = np.abs(later - now)
    k = int(np.argmax(np.where(np.isfinite(change), change, np.inf)))
    if np.isfinite(change[k]) and change[k] <= 1e-9 * abs(now[k]):
        return ""
    name = list(system.laws)[k]
    return f"Of the forces, {name!r} changes most there: from {now[k]:.3g} to {later[k]:.3g} (N or N m) in {h:.2g} s."


def _lost_energy(statistics: dict[str, Any], rtol: float) -> list[str]:
    """What is wrong with a run whose energy does not follow the work done on it; adaptive steps (rtol > 0) promise
    more than fixed ones."""
    imbalance, size = statistics["energy_imbalance"], statistics["energy_range"]
    allowed = min(LOST_ENERGY, max(1e-4, 1e4 * rtol)) if rtol > 0 else LOST_ENERGY
    if not imbalance > max(allowed * size, ROUNDING * statistics["energy_size"]):
        return []
    share = 100 * imbalance / max(size, 1e-300)
    return [f"energy and work differ by {imbalance:.3g} J ({share:.2g} % of the energy in motion):\n"
            "the steps are too large, a drive jumps in speed, or the start contradicts itself.\n"
            "Use a smaller step or tolerance."]


def output_times(start: float, end: float, outputs: Any) -> Array:
    """Sample times from a number of intervals or a list; the last one is the end."""
    if not end > start:
        raise ModelError(f"simulate(): until is {end:g} s, but the start is at t = {start:g} s; it must lie after it.")
    if isinstance(outputs, int | np.integer) and not isinstance(outputs, bool):
        if not 1 <= outputs <= 10_000_000:
            raise ModelError(f"simulate(): outputs is {outputs}; a number from 1 to 10,000,000 is needed.")
        return np.linspace(start, end, int(outputs) + 1)
    times = _increasing(outputs)
    if times is None or not times.size:
        raise ModelError("simulate(): outputs must be a number of intervals or a list of increasing times.")
    if times[0] < start or times[-1] > end:
        raise ModelError(f"simulate(): output times run from {times[0]:g} to {times[-1]:g} s, outside the run from "
                         f"{start:g} to {end:g} s.")
    return times if times[-1] == end else np.append(times, end)


def _increasing(values: Any) -> Array | None:
    """Finite numbers that rise, or None."""
    times = number_array("simulate(): a time", values)
    if not times.size and np.size(values):
        return None
    return times if times.ndim == 1 and np.isfinite(times).all() and (np.diff(times) > 0).all() else None


def checked_marks(start: float, end: float, checkpoints: Any) -> Array:
    """Increasing times within a run."""
    marks = np.zeros(0) if checkpoints == () else _increasing(checkpoints)
    if marks is None:
        raise ModelError("simulate(): checkpoints must be a list of increasing times.")
    if marks.size and not (start < marks[0] and marks[-1] < end):
        raise ModelError(f"simulate(): checkpoints run from {marks[0]:g} to {marks[-1]:g} s; they must lie within the "
                         f"run from {start:g} to {end:g} s.")
    return marks


def _check_steps(limit: Any, step: float, span: float) -> None:
    """Refuses a run that could not end."""
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0:
        raise ModelError(f"simulate(): max_steps is {limit!r}; a whole number is needed, 0 for no limit.")
    if step > 0 and span / step > MOST_STEPS:
        raise ModelError(f"simulate(): {span:g} s in steps of {step:g} s are {span / step:.2g} steps; the limit is "
                         f"{MOST_STEPS:.0e}.\n  Take a larger step, or an adaptive integrator such as "
                         "vincolo.integrators.DormandPrince().")


def _kept(system: System, times: Array) -> Held:
    """Samples in memory; refuses a record that would not fit."""
    samples, size = len(times), 8.0 * len(times) * (system.kernel.state_size + system.kernel.turns)
    if size > MOST_BYTES:
        raise ModelError(f"simulate(): {samples:,} samples of {len(system.centred):,} bodies need {size / 1e9:.3g} GB; "
                         f"the limit is {MOST_BYTES / 1e9:g} GB.\n  Ask for fewer outputs, or have them written to a "
                         "file with record='run.vcr'.")
    return Held(times)


def _check_finite(begin: State) -> None:
    """Names what is infinite or undefined at the start."""
    system, t = begin.system, begin.t
    observed = begin.channels.observed
    found = [f"law '{name}' (force {observed['law_force'][0, k]:g})" for name, k in system.laws.items()
             if not math.isfinite(observed["law_force"][0, k])]
    found += [f"load '{name}' (power {observed['load_power'][0, k]:g})" for name, k in system.loads.items()
              if not math.isfinite(observed["load_power"][0, k])]
    for name, held in system.holds.items():
        acceleration = held.function.derivatives(t)[2]
        if not math.isfinite(acceleration):
            found.append(f"drive '{name}' (acceleration {acceleration:g})")
    if not np.isfinite(observed["acceleration"]).all():
        raised = "".join(f"  {mistake}\n" for mistake in mistakes(system.called))
        raise SimulationError(f"the run cannot start: accelerations are infinite or undefined at t = {t:g} s.\n"
                              f"  Not finite there: {', '.join(found) or 'the positions or velocities of the start'}.\n"
                              f"{raised}"
                              "  Check for divisions by zero and roots of negative numbers, or start elsewhere.")


def _carried(run: Any, end: float, report: Progress | None, keeping: Held | Recording,
             entering: Entering, pace: Pace | None) -> tuple[str, float]:
    """Advances a run to its end; how it ended, and the CPU time it took [s]."""
    clock = time.thread_time()
    try:
        entering.begin(run)
        status = _advance(run, end, report, keeping, entering, pace, clock)
    except KeyboardInterrupt:
        status = f"interrupted at t = {run.time:.6g} s"
    except SimulationError as error:  # of a function that was called
        status = str(error)
    except OSError as error:  # a record that cannot be written
        if not isinstance(keeping, Recording):
            raise
        status = keeping.trouble(error)
    seconds = time.thread_time() - clock
    if isinstance(report, ProgressLine | NotebookBar):
        report.close()
    return status, seconds


def _advance(run: Any, end: float, report: Progress | None, keeping: Held | Recording, entering: Entering,
             pace: Pace | None, clock: float) -> str:
    """Advances in pieces of about a tenth of a second, so that Ctrl-C and progress get through, as long as it gets on;
    `clock` is the CPU time at which the run began."""
    piece, looked = 2000, time.perf_counter()
    while True:
        begun = time.perf_counter()
        status: str = run.advance(piece)
        now = time.perf_counter()
        if status == "called":
            entering.answer(run)
            if now - looked < LOOK:
                continue
        elif status != "running":
            return status
        else:
            piece = int(np.clip(piece * 0.1 / max(now - begun, 1e-6), 200, min(4 * piece, 10_000_000)))
        looked = now
        keeping.look(run, time.thread_time() - clock)
        if pace is not None and pace.look(run, time.thread_time() - clock):
            return "no progress"
        if report is not None:
            report(run.time, end)
