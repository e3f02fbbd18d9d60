"""Every way of running a mechanism: a function that runs it and returns the complaints of its judges.

It raises what the package raises where the mechanism is refused, and EndedEarly where a run ends before its time.
Every way is judged against the default run of the same mechanism with SI units, so that units are judged with it."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from judges import complaints_of, difference, different_events
from machines import Mechanism
from parts import PARTS, with_part
from time_stepping import TimeStepper

import vincolo as vc
from dense import speeds

I = vc.integrators  # noqa: E741
OUTPUTS = 40
STEP = 1e-3
AGREE = 1e-3  # adaptive runs, as a share of each body's travel
LOOSE = 0.05  # steps of fixed size, with events to within a step


class EndedEarly(Exception):  # noqa: N818
    """A run that ended before its time, with the reason it gives."""

    def __init__(self, result: vc.Result, confirmed: bool = False) -> None:
        super().__init__(str(result.reason))
        self.result = result
        self.confirmed = confirmed  # whether the way out that the reason names was tried, and works


@dataclass(frozen=True)
class Case:
    """A mechanism with a part, in units, and where it came from."""

    machine: Mechanism
    mechanism: str
    part: str

    @property
    def marks(self) -> frozenset[str]:
        return PARTS[self.part].marks

    @property
    def jumps(self) -> bool:
        """Whether forces or velocities jump at times that depend on the motion."""
        return bool(self.marks & {"unilateral", "friction", "event", "rigid contact", "soft contact", "control"})


WAYS: dict[str, Callable[[Case], list[str]]] = {}
COST: dict[str, float] = {}  # of a way, in units of a plain run


def way(name: str, cost: float = 1.0) -> Callable[[Callable[[Case], list[str]]], Callable[[Case], list[str]]]:
    """Registers a way of running."""
    def register(function: Callable[[Case], list[str]]) -> Callable[[Case], list[str]]:
        WAYS[name], COST[name] = function, cost
        return function
    return register


def started(machine: Mechanism) -> tuple[vc.System, vc.State]:
    system = vc.compile(machine.model)
    return system, vc.assemble(system, machine.rates)


def rigid_settings(case: Case) -> dict[str, Any]:
    """The integrator of rigid contact, with steps of which samples, and so pieces, have a whole number."""
    if "rigid contact" not in case.marks:
        return {}
    return {"integrator": I.Moreau(step=case.machine.until / OUTPUTS / 8)}


def simulated(case: Case, until: float | None = None, **settings: Any) -> vc.Result:
    """A run to its end; raises EndedEarly."""
    system, start = started(case.machine)
    settings = {**rigid_settings(case), **settings}
    return completed(vc.simulate(system, until or case.machine.until, start=start, **{"outputs": OUTPUTS, **settings}))


def completed(result: vc.Result) -> vc.Result:
    if not result.complete:
        raise EndedEarly(result)
    return result


@cache
def default_run(mechanism: str, part: str) -> vc.Result | str:
    """The default run in SI units, or why there is none."""
    case = Case(with_part(mechanism, part), mechanism, part)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return simulated(case)
    except (vc.VincoloError, EndedEarly) as error:
        return f"{type(error).__name__}: {error}"


def compared(case: Case, result: vc.Result, tolerance: float, velocities: bool = True) -> list[str]:
    """Complaints about a run against the default one."""
    reference = default_run(case.mechanism, case.part)
    if isinstance(reference, str):
        return [f"there is no default run to compare with: {reference}"]
    worst, channel = difference(reference, result, velocities)
    return [f"{channel} differs from the default run by {worst:.2g} of its travel"] if not worst <= tolerance else []


def _adaptive(name: str, integrator: Any) -> None:
    @way(name)
    def run(case: Case) -> list[str]:
        result = simulated(case, integrator=integrator)
        loose = 1e-3 if name in ("Adams", "BDF", "BogackiShampine") or case.jumps else 1e-4
        tolerance = LOOSE if "sensor" in case.marks else 3 * AGREE if case.jumps else AGREE
        return complaints_of(result, loose) + compared(case, result, tolerance)


for _name in ("DormandPrince", "DOP853", "BogackiShampine", "Adams", "Radau", "BDF"):
    _adaptive(_name, getattr(I, _name)())


@way("default")
def default(case: Case) -> list[str]:
    """With default settings, against small steps of the dense stepper where it jumps."""
    result = simulated(case)
    complaints = complaints_of(result, None if "rigid contact" in case.marks else 1e-4)
    complaints += compared(case, result, AGREE)
    return complaints + against_small_steps(case, result)


def against_small_steps(case: Case, result: vc.Result) -> list[str]:
    """Positions at the end, and at the middle, against the dense stepper with two step sizes, whose difference says
    what the reference is worth."""
    if not case.marks & {"unilateral", "friction"} or case.machine.model.events:
        return []
    ends = []
    for h in (2e-3, 1e-3):
        motion = TimeStepper(case.machine.model, case.machine.rates).run(case.machine.until, h, every=10**9)
        ends.append(motion.states[-1])
    last = result.state()
    size = result.system.extent
    complaints = []
    for name, k in result.system.body_numbers.items():
        coarse, fine, place = (s.y[13 * k: 13 * k + 3] for s in (*ends, last))
        travel = max(float(np.ptp(result.y[:, 13 * k: 13 * k + 3], axis=0).max()), 0.05 * size)
        doubt = float(np.abs(coarse - fine).max())
        off = float(np.abs(place - fine).max())
        if off > 4 * doubt + 0.01 * travel:
            complaints.append(f"{name} ends {off / travel:.2g} of its travel from where small steps end "
                              f"(these differ by {doubt / travel:.2g})")
    return complaints


def _fixed(name: str, step: float = STEP) -> None:
    @way(name)
    def run(case: Case) -> list[str]:
        result = by_steps(case, name, step)
        complaints = complaints_of(result, None, step)
        off = compared(case, result, LOOSE, not case.jumps)
        return complaints + (off if off and not converging(case, name, step, result) else [])


def by_steps(case: Case, name: str, step: float) -> vc.Result:
    """A run with steps of a fixed size; where it ends and asks for smaller ones, these are tried."""
    try:
        return simulated(case, integrator=getattr(I, name)(step=step))
    except EndedEarly as error:
        if "smaller step" not in str(error) and "smaller one" not in str(error):
            raise
        simulated(case, integrator=getattr(I, name)(step=step / 16))
        raise EndedEarly(error.result, confirmed=True) from None


def converging(case: Case, name: str, step: float, coarse: vc.Result) -> bool:
    """Whether steps an eighth as large come nearer to the default run by half at least: then the first were too large
    for this motion, which is no mistake."""
    reference = default_run(case.mechanism, case.part)
    if isinstance(reference, str):
        return False
    fine = simulated(case, integrator=getattr(I, name)(step=step / 8))
    velocities = not case.jumps
    return difference(reference, fine, velocities)[0] <= max(LOOSE, 0.5 * difference(reference, coarse, velocities)[0])


for _name in ("RK4", "SemiImplicitEuler", "AdamsMoulton", "Rattle", "Rosenbrock", "GeneralisedAlpha", "Moreau"):
    _fixed(_name, 2e-4 if "Euler" in _name else STEP)


@way("stepper")
def stepped(case: Case) -> list[str]:
    """Steps of 1 ms with the default integrator inside, against the run in one."""
    system, start = started(case.machine)
    settings = rigid_settings(case)
    s = vc.stepper(system, step=STEP, start=start, **settings)
    reference = default_run(case.mechanism, case.part)
    if isinstance(reference, str):
        raise vc.SimulationError(reference)
    while s.t < reference.t[-1] - 1e-9 and not s.stopped:
        s.step()
    return ends_alike(case, s.state, reference, LOOSE if case.jumps or "sensor" in case.marks else AGREE)


def ends_alike(case: Case, state: vc.State, reference: vc.Result, tolerance: float) -> list[str]:
    """The last state of a run against that of another; times may differ by a step where an event ends both."""
    n = len(reference.system.centred)
    a, b = (y[:13 * n].reshape(n, 13) for y in (state.y, reference.y[-1]))
    late = abs(state.t - reference.t[-1])
    travel = np.maximum(np.ptp(reference.y[:, :13 * n].reshape(-1, n, 13)[:, :, :3], axis=0).max(axis=1),
                        0.01 * reference.system.extent)
    speed = np.abs(speeds(state)).max()
    off = float(((np.abs(a[:, :3] - b[:, :3]).max(axis=1) - late * speed) / travel).max())
    return [f"it ends {off:.2g} of its travel from the default run"] if off > tolerance else []


@way("pieces")
def in_pieces(case: Case) -> list[str]:
    """A run in three pieces, seams at a sample and at half of the time, against the run in one."""
    settings = rigid_settings(case)
    whole = simulated(case)
    system, state = whole.system, whole.state(0)
    pieces: list[vc.Result] = []
    times = np.linspace(0, case.machine.until, OUTPUTS + 1)
    for part in (times[:11], times[10:21], times[20:]):
        if pieces and pieces[-1].t[-1] < part[0]:  # an event has ended the run
            break
        pieces.append(completed(vc.simulate(system, float(part[-1]), start=state, outputs=part, **settings)))
        state = pieces[-1].state()
    return joined_alike(pieces, whole, case)


def joined_alike(pieces: list[vc.Result], whole: vc.Result, case: Case) -> list[str]:
    from vincolo.view.live.running import joined

    result = joined(pieces, float(whole.t[0]), float(whole.t[-1]), None)
    worst, channel = difference(whole, result)
    complaints = [f"{channel} in pieces differs by {worst:.2g} from the run in one"] if not worst <= AGREE else []
    events = [event for piece in pieces for event in piece.events]
    names, expected = [e.name for e in events], [e.name for e in whole.events]
    if names != expected:
        complaints.append(f"events in pieces {names[:6]}, in one {expected[:6]}")
    return complaints


@way("restart")
def restarted(case: Case) -> list[str]:
    """From a state that was saved at a checkpoint, to the last bit."""
    settings = rigid_settings(case)
    middle = float(np.linspace(0, case.machine.until, OUTPUTS + 1)[20])
    whole = simulated(case, checkpoints=[middle], **settings)
    at = int(np.searchsorted(whole.t, middle))
    if at >= len(whole) - 1:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = whole.state(at).save(Path(folder) / "state.npz")
        start = vc.State.load(path, whole.system)
    again = completed(vc.simulate(whole.system, float(whole.t[-1]), start=start, outputs=whole.t[at:], **settings))
    count = min(len(again), len(whole) - at)
    same = np.array_equal(again.y[:count], whole.y[at:at + count]) and count == len(whole) - at
    off = float(np.abs(again.y[:count] - whole.y[at:at + count]).max())
    return [] if same else [f"the run from the saved state differs by {off:.2g}, from the checkpoint on"]


@way("watch")
def watched(case: Case) -> list[str]:
    """Computed in pieces for a browser, against the run in one."""
    from vincolo.view.live.running import watch

    settings = rigid_settings(case)
    system, start = started(case.machine)
    result = completed(watch(system, case.machine.until, start=start, outputs=OUTPUTS, port=0, open_browser=False,
                             block=False, **settings))
    whole = simulated(case)
    worst, channel = difference(whole, result)
    said = [f"{channel} differs by {worst:.2g} from simulate()"] if not worst <= AGREE else []
    return said + different_events(whole, result)


@way("study worker")
def studied(case: Case) -> list[str]:
    """As a variant of a study, with the mass it has already, against the default run."""
    name = f"{case.machine.body}.mass"
    outputs = [f"{case.machine.body}.x", f"{case.machine.body}.z"]
    settings = rigid_settings(case)
    table = vc.studies.study(case.machine.model, {name: [case.machine.moving.mass]}, outputs, plan="list",
                             until=case.machine.until, workers=1, how="serial", **settings)
    return study_complaints(case, table, outputs)


def study_complaints(case: Case, table: Any, outputs: list[str]) -> list[str]:
    reference = default_run(case.mechanism, case.part)
    if isinstance(reference, str):
        raise vc.SimulationError(reference)
    if table.failures:
        raise vc.SimulationError(next(iter(table.failures.values())))
    complaints = []
    for name in outputs:
        value, expected = float(table[f"final {name}"][0]), float(reference[name][-1])
        travel = max(float(np.ptp(reference[name])), 0.01 * reference.system.extent)
        if not abs(value - expected) <= AGREE * travel:
            complaints.append(f"{name} is {value:.6g} in a study and {expected:.6g} in the default run")
    return complaints
