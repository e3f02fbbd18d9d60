"""Why a run ended early, by something else than the run: dense matrices of the last sample, closing by Gauss-Newton,
and the same mechanism with small inertias in the place of none."""

from __future__ import annotations

import warnings

import numpy as np
from sketch import Sketch

import vincolo as vc
from dense import kernel_rows

MOST_STEPS = 20_000  # of a run
SAMPLES = 2000  # of a run that is looked at again: the last one is next to its end
AHEAD = (1e-4, 1e-3, 1e-2, 3e-2)  # shares of the run in which a drive is followed beyond its end
OPEN = 1e-6  # of the size: what no position closes
RESOLVED = 0.02  # rad of the fastest motion in a step
ROUNDING = 1e-10
SINGULAR = 1e-3  # singular value of rows of length 1 that is next to none
THIN = (1e-3, 1e-6)  # inertias in the place of none, of the largest of a body
FASTER = 1.5  # growth of a spin from one to the other; 30 where nothing else bounds it
UNUSUAL = 100.0  # rad in the unit of time


def cause(s: Sketch) -> str:
    """What ends a run: "drive", "no inertia", "no direction", "singular" or "fast"; nothing where nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = vc.compile(s.model)
        start = vc.assemble(system, s.given)
        run = vc.simulate(system, s.span * s.scale.time, start=start, outputs=SAMPLES, max_steps=MOST_STEPS)
        if run.complete or not len(run):
            return ""
        last, tests = run.state(), {"drive": drive_asks_for_the_impossible, "no inertia": spins_without_inertia,
                                    "no direction": has_no_direction, "singular": is_singular, "fast": moves_fast}
        return next((name for name, test in tests.items() if test(s, run, last)), "")


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
    inertia in its place the mechanism passes, and turns the faster, the smaller it is."""
    empty = [b for b in s.bodies if np.linalg.eigvalsh(b.inertia)[0] <= 1e-9 * np.abs(b.inertia).max()]
    if not empty:
        return False
    kept, peaks = [b.inertia.copy() for b in empty], []
    for thin in THIN:
        for body, inertia in zip(empty, kept, strict=True):
            body.inertia[:] = inertia + thin * np.abs(inertia).max() * np.eye(3)
        system = vc.compile(s.model)
        span = s.span * s.scale.time
        times = np.linspace(max(0.0, last.t - 0.05 * span), min(last.t + 0.05 * span, span), 10 * SAMPLES)
        passed = vc.simulate(system, times[-1], outputs=times, start=vc.assemble(system, s.given),
                             integrator=vc.integrators.DOP853(), max_steps=200_000)
        rates = passed.y[:, :13 * len(s.bodies)].reshape(len(passed), len(s.bodies), 13)[:, :, 10:]
        peaks.append(float(np.linalg.norm(rates, axis=2).max(initial=0.0)))
    for body, inertia in zip(empty, kept, strict=True):
        body.inertia[:] = inertia
    return peaks[1] > max(FASTER * peaks[0], UNUSUAL / s.scale.time)


def moves_fast(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether steps are no smaller than the fastest motion needs: oscillations and decays of the linearised mechanism,
    by differences of accelerations, and the spins of bodies."""
    y = run.y[:, :13 * len(s.bodies)].reshape(len(run), -1, 13)
    spin = float(np.linalg.norm(y[:, :, 10:], axis=2).max())
    steps = run.statistics["steps"] + run.statistics["rejected"]
    if steps < MOST_STEPS:
        return False
    turned = max(spin, fastest_rate(last), fastest_rate(run.state(len(run) // 2))) * (last.t - run.t[0])
    return bool(turned > RESOLVED * steps)


def fastest_rate(state: vc.State) -> float:
    """The largest eigenvalue [1/s] of the motions around a state."""
    J, unit = kernel_rows(state)["J"] / lengths(state.system), lengths(state.system)
    size = np.linalg.norm(J, axis=1, keepdims=True)
    _, values, Vt = np.linalg.svd(J / np.where(size > 0, size, 1.0), full_matrices=True)
    T = Vt[int((values > 1e-6).sum()):].T / unit[:, None]
    if not T.shape[1]:
        return 0.0
    speed = max(float(np.abs(state.y).max()), 1e-3)
    h = 1e-6

    def slope(direction: np.ndarray, moved: bool) -> np.ndarray:
        both = []
        for sign in (h, -h):
            other = state.displaced(sign * direction) if moved else state
            vector = other.y.copy()
            if not moved:
                bodies = vector[:13 * len(state.system.centred)].reshape(-1, 13)
                bodies[:, 7:] += sign * speed * direction.reshape(-1, 6)
            both.append(other.with_vector(vector).channels.observed["acceleration"][0].ravel())
        return np.linalg.pinv(T) @ (both[0] - both[1]) / (2 * h * (1.0 if moved else speed))

    K, C = (np.nan_to_num(np.array([slope(t, moved) for t in T.T]).T) for moved in (True, False))
    n = len(K)
    return float(np.abs(np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [K, C]]))).max())


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


def is_singular(s: Sketch, run: vc.Result, last: vc.State) -> bool:
    """Whether rows are next to dependent at the end, or are dependent and independent at positions around: there
    rounding of positions, 1e-16, makes accelerations of 1e-16 / distance^3. Redundant rows are to rounding."""
    here = independence(last)
    if ((here > ROUNDING) & (here < SINGULAR)).any():
        return True
    rng, unit = np.random.default_rng(4), lengths(last.system)
    around = [closed(last.displaced(spread * s.scale.length * rng.normal(size=len(unit)) / unit))
              for spread in (0.03, 0.1, 0.1, 0.3)]
    rank = max(int((independence(state) > SINGULAR).sum()) for state in around)
    return bool(rank > 0 and here[rank - 1] < SINGULAR)


def independence(state: vc.State) -> np.ndarray:
    """Singular values of the rows, all made of length 1; metres and radians are comparable by the bodies' lengths."""
    J = kernel_rows(state)["J"] / lengths(state.system)
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return np.linalg.svd(J / np.where(size > 0, size, 1.0), compute_uv=False)
