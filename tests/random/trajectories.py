"""A recorded run is a solution of its own equations: between events, velocities are the integrals of the recorded
accelerations, positions those of the velocities, and forces of springs are those of their definition."""

from __future__ import annotations

import numpy as np

import vincolo as vc

INTEGRATED = 1e-4  # share of the largest change of a quantity over five samples
DOUBT = 45.0  # times the difference of two quadratures, which is a 45th of the fourth difference of the rate
SPRUNG = 1e-7  # share of the largest force of a spring
BOOLE = np.array([7, 32, 12, 32, 7]) * 2 / 45
SIMPSON = np.array([1, 4, 2, 4, 1]) / 3


def rates(result: vc.Result) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Quantities of all bodies of the model with their rates, by name: (samples, bodies, components)."""
    count = len(result.model.bodies)
    y = result.y[:, :13 * count].reshape(len(result), count, 13)
    a = result.channels.observed["acceleration"][:, :count]
    w, q = y[:, :, 10:13], y[:, :, 3:7]
    e0, e = q[:, :, :1], q[:, :, 1:]
    turning = 0.5 * np.concatenate([-(w * e).sum(axis=2, keepdims=True), e0 * w + np.cross(w, e)], axis=2)
    return {"position": (y[:, :, :3], y[:, :, 7:10]), "orientation": (q, turning),
            "velocity": (y[:, :, 7:10], a[:, :, :3]), "angular velocity": (w, a[:, :, 3:])}


def quiet_windows(result: vc.Result) -> list[int]:
    """First samples of five in equal steps without an event between them."""
    t, events = result.t, np.array(sorted(e.t for e in result.events))
    h, first, touching = np.diff(t), [], touches(result)
    for k in range(len(t) - 4):
        if np.ptp(h[k: k + 4]) > 1e-9 * t[-1]:
            continue
        close = 1e-9 * t[-1]
        if touching[k: k + 5].any():
            continue
        if not ((events >= t[k] - close) & (events <= t[k + 4] + close)).any():
            first.append(k)
    return first


def touches(result: vc.Result) -> np.ndarray:
    """Samples at which bodies are in contact that gives way, or as near to it as they come within a sample: a pulse of
    force between samples is not seen in them."""
    near = np.zeros(len(result), dtype=bool)
    if result.statistics["crossing_steps"]:  # velocities jump there without an event; the summary has the first time
        near |= result.t > result.statistics["first_crossing"] - 2 * float(np.diff(result.t).max())
    for name in result.model.laws:
        if f"{name}.meets" in result.model.events:  # elastic play
            pressed = np.abs(result[f"{name}.force"]) > 0
            near |= pressed | np.roll(pressed, 1) | np.roll(pressed, -1)
    for name in result.model.contacts:
        gap = result[f"{name}.gap"]
        near |= gap < 2 * float(np.abs(np.diff(gap)).max(initial=0.0))
    return near


def inconsistent_rates(result: vc.Result) -> list[str]:
    """By Boole's rule over five samples, and its difference from Simpson's as the doubt of it."""
    windows = np.array(quiet_windows(result), dtype=int)
    if not len(windows):
        return []
    h = result.t[windows + 1] - result.t[windows]
    least, complaints = least_changes(result), []
    for name, (value, rate) in rates(result).items():
        samples = np.stack([rate[windows + k] for k in range(5)])
        boole, simpson = (np.einsum("k,kwbc,w->wbc", rule, samples, h) for rule in (BOOLE, SIMPSON))
        change = value[windows + 4] - value[windows]
        size = max(float(np.abs(np.diff(value, axis=0)).max()), 1e-4 * float(np.abs(value).max()), least[name])
        doubt = around(np.abs(boole - simpson).max(axis=(1, 2)))[:, None, None]
        off = np.abs(change - boole) - DOUBT * doubt - INTEGRATED * size
        if not off.max() <= 0:
            w, b, _ = np.unravel_index(np.nanargmax(off), off.shape)
            body = list(result.model.bodies)[b]
            complaints.append(f"{name} of {body!r} is not the integral of its rate from t = {result.t[windows[w]]:.6g} "
                              f"s, by {off.max() / size:.2g} of its change")
    return complaints


def least_changes(result: vc.Result) -> dict[str, float]:
    """Changes of quantities that are rounding: a millionth of the motion as a whole, or of what is at rest 1e-12 of the
    size, or of it in the time of the run."""
    found, size = rates(result), result.system.extent
    travel = max(float(np.ptp(found["position"][0], axis=0).max()), 1e-6 * size)
    speed = max(float(np.abs(found["velocity"][0]).max()), size * float(np.abs(found["angular velocity"][0]).max()))
    speed = max(speed, 1e-6 * size / float(result.t[-1]))
    return {"position": 1e-6 * travel, "orientation": 1e-6 * travel / size, "velocity": 1e-6 * speed,
            "angular velocity": 1e-6 * speed / size}


def around(doubt: np.ndarray) -> np.ndarray:
    """The largest doubt of a window and of those that overlap it: a force that sets in between samples is seen by one
    rule in one window and by the other in the next."""
    padded = np.pad(doubt, 4, mode="edge")
    return np.max([padded[k: k + len(doubt)] for k in range(9)], axis=0)


def wrong_springs(result: vc.Result) -> list[str]:
    """k (length - free length) + c rate + preload, of springs that are on."""
    complaints = []
    for name, spring in result.model.springs.items():
        if f"{name}.on" in result.channels or f"{name}.length" not in result.channels:
            continue
        force = spring.k * (result[f"{name}.length"] - spring.length) + spring.preload
        force = force + spring.c * result[f"{name}.rate"] if spring.c else force
        off = np.abs(force - result[f"{name}.force"]).max()
        if not off <= SPRUNG * max(float(np.abs(force).max()), 1e-12):
            complaints.append(f"the force of spring {name!r} differs by {off:.3g} N from its definition")
    return complaints
