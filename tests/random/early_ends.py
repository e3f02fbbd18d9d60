"""Why a run of a mechanism with parts of every kind ended early, by something else than the run: rows of the last
sample, geometry, and small equal steps of the dense time stepper. What these get past easily ended for no reason."""

from __future__ import annotations

from typing import Any

import numpy as np
from dense_reference import fastest_rate
from time_stepping import TimeStepper

import vincolo as vc
from dense import gradient, kernel_rows, speeds
from mechanisms import motions

PRESCRIBED = 1e-7  # share of a row that held rows leave
SINGULAR = 1e-3  # singular value of rows of length 1 that is next to none
ROUNDING = 1e-10
FOLDED = -0.99  # cosine of the bend of a joint of constant velocity
SAMPLES = 2000
STEPS = (40, 80, 160)  # of the window behind the end
CONVERGING = 0.75  # difference of the finer two of three solutions over that of the coarser two
SAME = 1e-4  # share of the size: solutions that agree
RESOLVED = 0.5  # of the largest rate times the step; explicit steps are stable up to about 3
GROWN = 30.0  # forces over those before


def cause_of_end(model: vc.Model, result: vc.Result) -> str:
    """What ends a run; nothing where nothing does."""
    tests = {"prescribed": meets_a_stop_that_drives_prescribe, "bounces what is held": bounces_what_is_held,
             "no direction": has_no_direction, "singular": is_singular, "fast": moves_fast,
             "small steps": small_steps_fail}
    return next((name for name, test in tests.items() if test(model, result)), "")


def closer(result: vc.Result, until: float, **settings: Any) -> vc.Result:
    """The same run again with more samples, so that the last one is next to its end."""
    return vc.simulate(result.system, until, start=result.state(0), outputs=SAMPLES, **settings)


def held_rows(state: vc.State) -> np.ndarray:
    """Rows of joints and drives that are on, one for each centre of mass and axis."""
    system, J = state.system, kernel_rows(state)["J"]
    names = [n for n in (*system.joints, *system.holds) if f"{n}.on" not in state or state[f"{n}.on"]]
    return np.array([J[k] for name in names for k in system.block_rows[name]]).reshape(-1, J.shape[1])


def is_prescribed(row: np.ndarray, held: np.ndarray) -> bool:
    """Whether a row is a combination of held rows, so that nothing can change its rate."""
    if not len(held):
        return False
    left = row - held.T @ np.linalg.lstsq(held.T, row, rcond=1e-10)[0]
    return bool(np.linalg.norm(left) < PRESCRIBED * np.linalg.norm(row))


def row_of(measure: vc.Measure, state: vc.State) -> np.ndarray:
    """The row of a measure by automatic differentiation of its definition, with no columns for spins of rotors."""
    names = {name: k for k, name in enumerate(state.system.model.bodies)}
    row = gradient(measure, motions(state), names, state.t)
    return np.concatenate([row, np.zeros(6 * len(state.system.centred) - len(row))])


def meets_a_stop_that_drives_prescribe(model: vc.Model, result: vc.Result) -> bool:
    """Whether a stop is about to be met along a measure of which joints and drives leave nothing free."""
    last = result.state()
    ahead = 2 * float(np.diff(result.t).max(initial=0.0))
    for name, stop in model.stops.items():
        value, rate = last[f"{name}.value"], last[f"{name}.rate"]
        meets = any(sign * (value - bound) + min(sign * rate, 0.0) * ahead <= 0 for sign, bound in stop.sides)
        if meets and is_prescribed(row_of(stop.measure, last), held_rows(last)):
            return True
    return False


def bounces_what_is_held(model: vc.Model, result: vc.Result) -> bool:
    """Whether an event that is next throws back a measure of which joints and drives leave nothing free."""
    last = result.state()
    ahead = 2 * float(np.diff(result.t).max(initial=0.0))
    due = [e for e in model.events.values() if any(last.t <= t <= last.t + ahead for t in e.at)]
    hits = [action.measure for event in due for action in event.actions if hasattr(action, "measure")]
    return any(is_prescribed(row_of(measure, last), held_rows(last)) for measure in hits)


def has_no_direction(model: vc.Model, result: vc.Result) -> bool:
    """Whether the ends of a spring have met, or a joint of constant velocity has folded back."""
    for joint in model.joints.values():
        if joint.kind == "constant_velocity":
            a, b = (result.channels.frame_motion(frame).rotation[-1][:, 2] for frame in (joint.a, joint.b))
            if a @ b < FOLDED:
                return True
    springs = [n for n, x in model.springs.items() if any(e.kind == "distance" for _, e, _, _ in x.measure.terms)]
    return any(result[f"{n}.length"][-50:].min() < 0.02 * result.system.extent for n in springs)


def is_singular(model: vc.Model, result: vc.Result) -> bool:
    """Whether held rows become dependent where the run ends: their smallest singular value that is not of redundancy
    has gone to a thousandth of its largest in the run, or goes to zero on a straight line within twenty samples."""
    last = [(result.t[k], least_singular_value(result.state(k))) for k in (max(-20, -len(result)), -1)]
    largest = max(least_singular_value(result.state(k)) for k in np.linspace(0, len(result) - 1, 9).astype(int))
    if last[1][1] < SINGULAR * largest:
        return True
    falls = (last[0][1] - last[1][1]) / max(last[1][0] - last[0][0], 1e-300)
    spacing = float(np.diff(result.t).max(initial=0.0))
    return falls > 0 and last[1][1] / falls < 20 * spacing


def moves_fast(model: vc.Model, result: vc.Result) -> bool:
    """Whether the fastest motion around the last sample, or the fastest spin, needs steps as small as those taken."""
    spin = float(np.abs(result.y[:, :13 * len(model.bodies)].reshape(len(result), -1, 13)[:, :, 10:]).max())
    rate = max(spin, fastest_rate(result.state()))
    steps = result.statistics["steps"] + result.statistics["rejected"]
    return bool(rate * (result.t[-1] - result.t[0]) > RESOLVED * steps)


def least_singular_value(state: vc.State) -> float:
    lengths = np.repeat([[1.0, c.length] for c in state.system.centred], 3, axis=1).ravel()
    J = held_rows(state) / lengths
    if not J.size:
        return 1.0
    size = np.linalg.norm(J, axis=1, keepdims=True)
    values = np.linalg.svd(J / np.where(size > 0, size, 1.0), compute_uv=False)
    return float(values[values > ROUNDING].min(initial=1.0))


def small_steps_fail(model: vc.Model, result: vc.Result) -> bool:
    """Whether small equal steps from the last sample on do not get past the end either: they do not converge to one
    motion, or their forces grow without bound."""
    if any(s.owner in model.joints or s.owner in model.holds for e in model.events.values() for s in e.actions
           if hasattr(s, "owner")) or model.contacts:
        return False  # what is switched, and contact of shapes, the stepper does not know
    window = max(3 * float(np.diff(result.t).max(initial=0.0)), 0.01 * result.t[-1])
    ends, pushes = [], []
    for steps in STEPS:
        stepper = TimeStepper(model)
        n = 13 * len(stepper.system.centred)
        y = stepper.state.y.copy()
        y[:n] = result.y[-1][:n]
        stepper.state = vc.State(stepper.system, float(result.t[-1]), y, stepper.state.turns)
        try:
            motion = stepper.run(window, window / steps)
        except (np.linalg.LinAlgError, vc.VincoloError, FloatingPointError):
            return True
        ends.append(motion.states[-1].y[:n])
        forces = [np.abs(f).max() for f in map(np.array, motion.forces.values()) if f.size]
        pushes.append(max(map(float, forces), default=0.0))
    if not all(np.isfinite(y).all() for y in ends) or pushes[-1] > GROWN * max(pushes[0], 1e-300):
        return True
    size = max(result.system.extent, float(np.abs(speeds(result.state())).max()))
    first, second = (float(np.abs(a - b).max()) for a, b in zip(ends, ends[1:], strict=False))
    return second > CONVERGING * first and second > SAME * size
