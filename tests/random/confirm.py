"""Why a run ended early, by something else than the run: closing by Gauss-Newton, geometry, and brute force: that of
dense_reference.py goes on from the last sample. Where it gets past the end easily, there was no reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from dense_reference import Passage, Reference
from sketch import Sketch

import vincolo as vc
from dense import kernel_rows
from mechanisms import motions
from vincolo.model.geometry import quaternion_of

MOST_STEPS = 20_000  # of a run
SAMPLES = 2000  # of a run that is looked at again: the last one is next to its end
AHEAD = (1e-4, 1e-3, 1e-2, 3e-2)  # shares of the run in which a drive is followed beyond its end
OPEN = 1e-6  # of the size: what no position closes
THIN = (1e-3, 1e-6)  # inertias in the place of none, of the largest of a body
FASTER = 1.5  # growth of a spin from one to the other; 30 where nothing else bounds it
UNUSUAL = 100.0  # rad in the unit of time
BEYOND = 0.01  # share of the run that brute force goes on behind its end
STEPS = 200  # of a run that its limit of steps ended: in their time brute force is to need as many
AS_MANY = 0.25  # of them
STAGES = 6  # evaluations of a step of brute force, by the same Runge-Kutta formula as the package's
AGREE = 1e-3  # of the size of each quantity: motions of brute force with two tolerances that are one
DEPENDENT = 1e-12  # of the largest singular value, where rows next to dependence are held too
DEFINED = 1e-6  # share by which rows and forces may differ from their definitions


def cause(s: Sketch) -> str:
    """What ends a run: "drive", "no direction", "no inertia", "singular" or "fast"; nothing where nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_of(s, MOST_STEPS)
        if run.complete or not len(run):
            return ""
        last, tests = run.state(), {"drive": drive_asks_for_the_impossible, "no direction": has_no_direction,
                                    "no inertia": spins_without_inertia, "fast": needs_as_many_steps,
                                    "singular": does_not_get_past}
        return next((name for name, test in tests.items() if test(s, run, last)), "")


def run_of(s: Sketch, most: int) -> vc.Result:
    """A run with default settings and at most so many steps."""
    system = vc.compile(s.model)
    return vc.simulate(system, s.span * s.scale.time, start=vc.assemble(system, s.given), outputs=SAMPLES,
                       max_steps=most)


def lengths(system: vc.System) -> np.ndarray:
    """1 for displacements, the length of a body for its rotations."""
    return np.repeat([[1.0, c.length] for c in system.centred], 3, axis=1).ravel()


def drive_asks_for_the_impossible(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether a little later no position meets joints and drives, from where it stands or from places around."""
    if not s.model.holds:
        return False
    span, rng = s.span * s.scale.time, np.random.default_rng(3)
    unit = lengths(last.system)
    for ahead in AHEAD:
        later = vc.State(last.system, last.t + ahead * span, last.y, last.turns)
        gaps = [gap(later.displaced(spread * s.scale.length * rng.normal(size=len(unit)) / unit))
                for spread in (0.0, 1e-3, 1e-2, 3e-2)]
        if min(gaps) > OPEN * s.scale.length:
            return True
    return False


def gap(state: vc.State) -> float:
    """What Gauss-Newton steps leave open of the rows of positions, in the least-squares sense."""
    return float(np.linalg.norm(kernel_rows(closed(state))["phi"][positions(state)]))


def positions(state: vc.State) -> np.ndarray:
    return np.array([row.level == "position" for row in state.system.rows])


def closed(state: vc.State) -> vc.State:
    """A state after Gauss-Newton steps on its rows of positions, the best of all."""
    unit, least, best = lengths(state.system), np.inf, state
    for _ in range(60):
        here = kernel_rows(state)
        phi = here["phi"][positions(state)]
        if np.linalg.norm(phi) < least:
            least, best = float(np.linalg.norm(phi)), state
        step = np.linalg.lstsq(here["J"][positions(state)] / unit, -phi, rcond=1e-9)[0]
        longest = 0.1 * float(unit.max())
        state = state.displaced(step * min(1.0, longest / max(float(np.linalg.norm(step)), 1e-300)) / unit)
    return best


def spins_without_inertia(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether a body without inertia about an axis, or with hardly any, would have to turn without bound: with a small
    inertia in its place brute force turns the faster, the smaller it is."""
    if not without_inertia(s):
        return False
    span, spins = s.span * s.scale.time, []
    first = run.state(int(np.searchsorted(run.t, last.t - BEYOND * span)))
    for thin in THIN:
        with thin_bodies(s, thin):
            passage = Reference(moved_to(vc.compile(s.model), first)).run(min(last.t + BEYOND * span, span), 1e-8)
        spins.append(passage.spin)
    return spins[1] > max(FASTER * spins[0], UNUSUAL / s.scale.time)


def without_inertia(s: Sketch) -> list[vc.Body]:
    return [b for b in s.bodies if np.linalg.eigvalsh(b.inertia)[0] <= 1e-9 * np.abs(b.inertia).max()]


@contextmanager
def thin_bodies(s: Sketch, thin: float) -> Iterator[None]:
    """Bodies without inertia about an axis have a share of their largest one inside."""
    kept = {body.name: body.inertia.copy() for body in without_inertia(s)}
    for name, inertia in kept.items():
        body = s.model.bodies[name]
        largest = max(float(np.abs(inertia).max()), 1e-3 * body.mass * s.scale.length**2)
        body.inertia[:] = inertia + thin * largest * np.eye(3)
    try:
        yield
    finally:
        for name, inertia in kept.items():
            s.model.bodies[name].inertia[:] = inertia


def moved_to(system: vc.System, state: vc.State) -> vc.State:
    """The places and velocities of a state in a system with other inertias, whose principal axes may be others."""
    y = state.y.copy()
    for k, (_, R, _, _) in enumerate(list(motions(state).values())[1:]):
        y[13 * k + 3: 13 * k + 7] = quaternion_of(R @ system.centred[k].principal)
    return vc.State(system, state.t, y, state.turns)


def needs_as_many_steps(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether a run that its limit of steps ended took no smaller steps at its end than brute force needs."""
    if run.statistics["steps"] + run.statistics["rejected"] < MOST_STEPS:
        return False
    half = run_of(s, MOST_STEPS // 2)
    pace = (last.t - half.state().t) / (MOST_STEPS // 2)
    passage = started(last).run(last.t + STEPS * pace, 1e-8, "RK45")
    return not passage.complete or passage.evaluations / STAGES > AS_MANY * STEPS


def does_not_get_past(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether brute force does not get past the end either: it needs steps without end, its motions are not one with
    two tolerances and with rows next to dependence held or not, or joints open. Bodies without inertia get some."""
    with thin_bodies(s, THIN[1]):
        reference = started(moved_to(vc.compile(s.model), last))
        until = min(last.t + BEYOND * s.span * s.scale.time, s.span * s.scale.time)
        tight = reference.run(until, 1e-9)
        others = [reference.run(until, 1e-6), Reference(reference.start, DEPENDENT).run(until, 1e-9)]
        return (not all(passage.complete for passage in (tight, *others)) or opened(s, tight) > AGREE
                or any(apart(reference, passage, tight) > AGREE for passage in others))


def started(last: vc.State) -> Reference:
    """Brute force from a state, whose rows and forces are those of their definitions."""
    reference = Reference(last)
    off = reference.differs_from_definitions()
    if not off < DEFINED:
        raise AssertionError(f"rows or forces differ from their definitions by {off:.2g}")
    return reference


def apart(reference: Reference, a: Passage, b: Passage) -> float:
    """The largest difference of two last states, in shares of the size of each quantity."""
    n = 13 * reference.bodies
    sizes = np.maximum(np.abs(b.state.y[:n]), reference.unit_sizes())
    return float((np.abs(a.state.y[:n] - b.state.y[:n]) / sizes).max())


def opened(s: Sketch, passage: Passage) -> float:
    """What rows of positions are open by at the end of brute force, in shares of the size."""
    phi = kernel_rows(passage.state)["phi"][positions(passage.state)]
    return float(np.abs(phi).max(initial=0.0)) / s.scale.length


def has_no_direction(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether the ends of a spring have met, next to which its force turns about, or a joint of constant velocity has
    folded back."""
    springs = [n for n, x in s.model.springs.items() if any(e.kind == "distance" for _, e, _, _ in x.measure.terms)]
    near = min((float(run[f"{name}.length"][-50:].min()) for name in springs), default=np.inf)
    folded = [vc.cosine("z", "z", j.a, j.b) for j in s.model.joints.values() if j.kind == "constant_velocity"]
    bent = [cosine_of(last, measure) for measure in folded]
    return near < 0.02 * s.scale.length or min(bent, default=1.0) < -0.99


def cosine_of(state: vc.State, measure: vc.Measure) -> float:
    (_, _, a, b), = measure.terms
    first, second = (state.channels.frame_motion(frame).rotation[0][:, 2] for frame in (a, b))
    return float(first @ second)
