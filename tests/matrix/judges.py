"""Independent judges of a run: each returns a list of complaints, empty where the run is right.

None of them trusts the solver: bodies are balanced from recorded accelerations, loads of friction follow from
recorded reactions by the definition in docs/friction.md, gaps and impulses are looked at as inequalities."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.optimize import lsq_linear
from time_stepping import pressing_load

import vincolo as vc
from balance import Wrenches, _inertia, _loads, _reactions
from dense import gradient, inertia_and_weight, kernel_rows, measured, speeds
from jets import Jet
from mechanisms import motions

BALANCED = 1e-6  # share of the largest force or moment at a sample
CLOSED = 1e-7  # share of the size: what a joint may be open by
CONE = 1e-6  # share of the largest friction bound in the run
ENERGY = 1e-5  # share of the energy in motion
PLACED = 1e-9  # share of the size that positions may be off by, ten times the tolerance of projection
IMPACTS = 100  # events that are looked at, evenly spread
STANDSTILL = 1e-6  # m/s or rad/s: slip slower than this may be set to none where it sticks
SAMPLES = 7


def chosen_samples(result: vc.Result) -> list[int]:
    """Some samples, the first and the last among them."""
    return sorted({int(k) for k in np.linspace(0, len(result) - 1, SAMPLES).round()})


# Newton and Euler -----------------------------------------------------------------------------------------------------

def unbalanced_bodies(result: vc.Result) -> list[str]:
    """m a = m g + forces and I w' + w x I w = moments of every body at some samples."""
    reactions = {name: result.reaction(name) for name in result.system.joints}
    complaints = []
    single_points = all((result[f"{name}.points"] <= 1).all() for name in result.system.contacts)
    for k in chosen_samples(result):
        state = result.state(k)
        w, now = Wrenches(np.zeros((len(state.system.centred), 2, 3))), motions(state)
        _inertia(result, k, now, w)
        _reactions(reactions, state, k, now, w)
        _loads_on(result, state, now, w)
        for size, row in _along_measures(result, state, k):
            for body, part in enumerate((size * row).reshape(-1, 2, 3)):
                if part.any():
                    w.add(body, *part)
        _contacts(result, k, now, w)
        _rotors(result, state, k, w)
        missing = np.abs(w.total[:len(result.model.bodies)]).max(axis=(0, 2))  # spins of rotors come behind
        pull = w.moment / result.system.extent
        levers = w.force * result.system.extent
        shares = missing[0] / max(w.force, pull, 1e-300), missing[1] / max(w.moment, levers, 1e-300)
        for what, share in zip(("forces", "moments"), shares, strict=True):
            if share > BALANCED and (what == "forces" or single_points):
                complaints.append(f"{what} out of balance by {share:.2g} of the largest at t = {state.t:.4g} s")
    return complaints


def _loads_on(result: vc.Result, state: vc.State, now: dict, w: Wrenches) -> None:
    off = {name for name in result.model.loads if f"{name}.on" in result.channels and state[f"{name}.on"] == 0}
    kept = result.model.loads
    result.model.loads = {name: load for name, load in kept.items() if name not in off}
    try:
        _loads(result.model, state, now, w)
    finally:
        result.model.loads = kept


def _along_measures(result: vc.Result, state: vc.State, k: int) -> Iterable[tuple[float, np.ndarray]]:
    """Force and Jacobian row of drives, springs, laws, stops and friction, from their channels."""
    system = state.system
    J = kernel_rows(state)["J"]
    for name in system.holds:
        yield result[f"{name}.force"][k], J[system.block_rows[name].start]
    signs = {name: law.sign for name, law in result.model.laws.items()}
    pairs: list[tuple[float, int]] = []
    frictions = {title: f for f in result.model.frictions.values() for title in f.titles}
    for name in system.laws:
        if name in frictions:
            continue
        key = f"{name}.length" if name in result.model.springs else f"{name}.value"
        pairs.append((signs.get(name, -1.0) * result[f"{name}.force"][k], system.quantities[key]))
    pairs += [(result[f"{title}.force"][k], system.quantities[f"{title}.value"]) for title in frictions]
    pairs += [(result[f"{name}.force"][k], system.quantities[f"{name}.value"]) for name in result.model.stops]
    if not pairs:
        return
    entries = system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), [q for _, q in pairs])
    A = np.zeros((len(pairs), J.shape[1]))
    np.add.at(A, (entries["row"], entries["column"]), entries["value"])
    yield from ((float(size), A[n]) for n, (size, _) in enumerate(pairs))


def _rotors(result: vc.Result, state: vc.State, k: int, w: Wrenches) -> None:
    """-J ratio^2 m'' of every rotor along its measure m, by automatic differentiation of the definition of m."""
    now, numbers = motions(state), {name: n for n, name in enumerate(result.model.bodies)}
    u = result.channels.observed["acceleration"][k, :len(numbers)].ravel()
    for rotor in result.model.rotors.values():
        row = gradient(rotor.measure, now, numbers, state.t)
        second = row @ u + measured(rotor.measure, now, Jet(state.t, 1.0))[2]
        for body, part in enumerate((-rotor.reflected * second * row).reshape(-1, 2, 3)):
            if part.any():
                w.add(body, *part)


def _contacts(result: vc.Result, k: int, now: dict, w: Wrenches) -> None:
    """The force of a contact on its second body at the middle of its points, and the opposite on the first."""
    for name, contact in result.model.contacts.items():
        points, forces = result.channels.contact_force(name)
        if len(contact.sides) != 2:
            continue
        for side, sign in zip(contact.sides, (-1, 1), strict=True):
            body = side.frame.body
            if not body.is_ground:
                arm = points[k] - now[body.name][0]
                w.add(result.system.body_numbers[body.name], sign * forces[k], np.zeros(3), arm)


def open_joints(result: vc.Result) -> list[str]:
    """All joints and drives that are on are closed, at some samples."""
    system, worst, where = result.system, 0.0, ""
    names = [name for name in (*system.joints, *system.holds) if name in system.block_rows]
    for k in chosen_samples(result):
        state = result.state(k)
        phi = np.abs(kernel_rows(state)["phi"]) / system.row_sizes
        for name in names:
            if f"{name}.on" in result.channels and state[f"{name}.on"] == 0:
                continue
            rows = [n for n in system.block_rows[name] if system.rows[n].level == "position"]
            gap = float(phi[rows].max(initial=0.0))
            if gap > worst:
                worst, where = gap, name
    return [f"{where!r} is open by {worst:.2g} of the size"] if worst > CLOSED else []


# energy ---------------------------------------------------------------------------------------------------------------

def lost_energy(result: vc.Result, share: float = ENERGY) -> list[str]:
    """Total energy less its start less all work is zero, but for the weight of the bodies times what positions may be
    off; kinetic energy is the sum over bodies."""
    moving = max(result.statistics.get("energy_range", 0.0), float(np.ptp(result["energy.kinetic"])), 1e-9)
    worst = float(np.abs(result["energy.balance"]).max())
    complaints = []
    weight = sum(b.mass for b in result.model.bodies.values()) * float(np.linalg.norm(result.model.gravity))
    if worst > share * moving + PLACED * result.system.extent * weight:
        complaints.append(f"energy out of balance by {worst / moving:.2g} of the energy in motion")
    if not result.model.rotors:
        for k in chosen_samples(result)[::3]:
            expected = sum(_kinetic(result, k, name) for name in result.model.bodies)
            if abs(result["energy.kinetic"][k] - expected) > 1e-9 * max(expected, moving):
                complaints.append(f"kinetic energy is {result['energy.kinetic'][k]:.6g} J, of bodies {expected:.6g} J")
    return complaints


def _kinetic(result: vc.Result, k: int, name: str) -> float:
    body, (_, R, v, w) = result.model.bodies[name], motions(result.state(k))[name]
    return 0.5 * body.mass * float(v @ v) + 0.5 * float(w @ R @ body.inertia @ R.T @ w)


# friction, stops, impacts ---------------------------------------------------------------------------------------------

def loads_of_friction(result: vc.Result, name: str) -> np.ndarray:
    """N of a friction at every sample, from the recorded reaction of its joint, push of its stop, or its number."""
    f = result.model.frictions[name]
    if not f.on:
        return np.full(len(result), float(f.load)) if _is_number(f.load) else np.full(len(result), np.nan)
    if f.on in result.model.stops:
        return np.abs(result[f"{f.on}.force"])
    reaction, joint = result.reaction(f.on), result.system.joints[f.on]
    axes = [result.channels.frame_motion(frame).rotation for frame in (joint.a, joint.b)]
    return np.array([pressing_load(f, reaction.force[k], reaction.torque[k], [a[k] for a in axes], joint.kind)
                     for k in range(len(result))])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def friction_outside_its_cone(result: vc.Result, step: float = 0.0) -> list[str]:
    """At every sample |F| <= mu_static N, |F| = mu(v) N + viscous v while it slips, and F against the slip. With steps
    of a fixed size slip reverses at ends of steps: slower than it changes in two of them it has no direction yet."""
    complaints = []
    weight = sum(b.mass for b in result.model.bodies.values()) * max(float(np.linalg.norm(result.model.gravity)), 1.0)
    for name, f in result.model.frictions.items():
        if f.regularised:
            continue
        N, v = loads_of_friction(result, name), result[f"{name}.slip"]
        F, power = result[f"{name}.force"], _friction_power(result, f)
        viscous = f.given.get("viscous", 0.0) * np.abs(v)
        limit = f.mu_static * N + viscous
        slack = CONE * float(np.nanmax(limit, initial=0.0)) + 1e-9 * weight
        over = np.abs(F) - limit
        if np.nanmax(over) > slack:
            k = int(np.nanargmax(over))
            complaints.append(f"friction {name!r} is {abs(F[k]):.6g} at t = {result.t[k]:.6g} s, limit {limit[k]:.6g}")
        fast = np.abs(v) > max(1e-5, 2 * step * float(np.abs(np.gradient(v, result.t)).max()) if step else 0.0)
        if (power[fast] > slack * np.abs(v[fast])).any():
            complaints.append(f"friction {name!r} drives its slip")
        s = f.given.get("stribeck", 0.0)
        coefficient = f.mu + (f.mu_static - f.mu) * (np.exp(-(v / s)**2) if s else 0.0)
        short = np.abs(np.abs(F) - coefficient * N - viscous)[fast]
        if short.size and np.nanmax(short) > 10 * slack:
            complaints.append(f"friction {name!r} slips with a force that differs from mu N by {np.nanmax(short):.3g}")
    return complaints


def _friction_power(result: vc.Result, f) -> np.ndarray:
    return sum(result[f"{title}.force"] * result[f"{title}.slip"] for title in f.titles)


def stops_that_give_or_pull(result: vc.Result, step: float = 0.0) -> list[str]:
    """gap >= 0, push >= 0, and no push across an open gap; with steps of a fixed size gap >= -speed * step."""
    complaints = []
    for name, stop in result.model.stops.items():
        value, push = result[f"{name}.value"], result[f"{name}.force"]
        size = max(float(np.ptp(value)), 1e-3)
        largest = max(float(np.abs(push).max()), 1e-9)
        gaps = [sign * (value - bound) for sign, bound in stop.sides]
        for (sign, bound), gap in zip(stop.sides, gaps, strict=True):
            if gap.min() < -CLOSED * max(size, abs(bound)) - step * float(np.abs(result[f"{name}.rate"]).max()):
                complaints.append(f"stop {name!r} is overrun by {-gap.min():.3g} at t = {result.t[gap.argmin()]:.4g} s")
            if len(stop.sides) == 1 and (sign * push).min() < -1e-6 * largest:
                complaints.append(f"stop {name!r} pulls with {-(sign * push).min():.3g}")
        apart = np.all([gap > 1e-6 * size + step * float(np.abs(result[f"{name}.rate"]).max()) for gap in gaps], axis=0)
        if (np.abs(push[apart]) > 1e-6 * largest).any():
            complaints.append(f"stop {name!r} pushes across a gap")
    return complaints


def inconsistent_impacts(result: vc.Result, step: float = 0.0) -> list[str]:
    """A stop that closes alone throws back with its restitution; no impact brings energy in, unless drives do; momentum
    changes by the impulses that the event tells and by those of joints. Steps of a fixed size meet a stop up to a step
    late, beyond its bound, where its direction is another: there restitution is not looked at."""
    complaints = []
    driven = result.system.numbers.moves or any(hold.drive for hold in result.model.holds.values())
    struck = {e.t for e in result.events if e.name in result.model.events}  # its energy is in all records of that time
    largest = max(float(result["energy.kinetic"].max()), 1e-9)
    for event in result.events[::1 + len(result.events) // IMPACTS]:
        jump = float(np.abs(speeds(event.after) - speeds(event.before)).max(initial=0.0))
        if jump <= STANDSTILL or event.before.system.flywheels:
            continue
        complaints += _thrown_back(result, event, step)
        pushed = driven or event.t in struck
        if event.name.endswith(".closes") and not pushed and event.energy > (1e-4 if step else 1e-9) * largest:
            complaints.append(f"impact {event.name!r} puts {event.energy:.3g} J in")
        share = missing_momentum([e for e in result.events if e.t == event.t])
        if share > (1e-2 if step else 1e-6):
            complaints.append(f"impulses of {event.name!r} at t = {event.t:.4g} s miss {share:.2g} of the momentum")
    return complaints


def _thrown_back(result: vc.Result, event: vc.records.Happening, step: float) -> list[str]:
    """Newton's restitution of a stop that closes while no other does, and without friction."""
    name = event.name.removesuffix(".closes")
    if step or name not in result.model.stops or not event.name.endswith(".closes") or result.model.frictions:
        return []
    stop, stops = result.model.stops[name], result.model.stops
    alone = sum(e.t == event.t and e.name.endswith(".closes") for e in result.events) == 1
    before, after = event.before[f"{name}.rate"], event.after[f"{name}.rate"]
    others = any(event.before[f"{other}.on"] for other in stops if other != name)
    if not alone or others or abs(before) < 10 * stop.rest:
        return []
    off = abs(after + stop.restitution * before)
    if off <= 1e-6 * abs(before) + 2 * stop.rest:
        return []
    return [f"stop {name!r} throws {before:.6g} back as {after:.6g} (e {stop.restitution:g})"]


def missing_momentum(events: list[vc.records.Happening]) -> float:
    """What impulses along measures and of joints leave of M (u+ - u-), as a share of it; of events at the same time,
    which may follow each other."""
    before, after, system = events[0].before, events[-1].after, events[0].after.system
    M, _ = inertia_and_weight(system.model, motions(after))
    change = M @ (speeds(after) - speeds(before))
    impulses: dict[str, float] = {}
    for event in events:  # those at the same instant tell what each has brought about
        for name, p in event.impulses.items():
            impulses[name] = impulses.get(name, 0.0) + p
    stops = [name for name in system.model.stops if name in impulses or before[f"{name}.on"] or after[f"{name}.on"]]
    told = _quantity_rows(after, [f"{name}.value" if f"{name}.value" in system.quantities else name
                                  for name in impulses], len(change))
    change = change - told.T @ np.array(list(impulses.values()))
    size = float(np.abs(M @ speeds(before)).max() + np.abs(M @ speeds(after)).max())
    J = kernel_rows(after)["J"]
    names = [name for name in (*system.joints, *system.holds) if f"{name}.on" not in after or after[f"{name}.on"]]
    rows = np.array([J[n] for name in names for n in system.block_rows[name]]).reshape(-1, len(change))
    # stops that were closed before, through which the impact goes, take impulses of their own: they push, as all do
    sides = np.array([push_side(system.model.stops[name], after[f"{name}.value"]) for name in stops])
    pushing = sides[:, None] * _quantity_rows(after, [f"{name}.value" for name in stops], len(change))
    rest = np.array([system.model.stops[name].rest for name in stops])
    return float(np.abs(unexplained(change, M, rows, pushing, rest)).max()) / max(size, 1e-12)


def _quantity_rows(state: vc.State, names: list[str], width: int) -> np.ndarray:
    """Jacobian rows of quantities."""
    G = np.zeros((len(names), width))
    if names:
        numbers = [state.system.quantities[name] for name in names]
        entries = state.system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), numbers)
        np.add.at(G, (entries["row"], entries["column"]), entries["value"])
    return G


def push_side(stop: vc.elements.Stop, value: float) -> float:
    """1 where the nearer bound of a stop is a lower one, -1 where it is an upper one."""
    return min(stop.sides, key=lambda side: abs(value - side[1]))[0]


def unexplained(change: np.ndarray, M: np.ndarray, held: np.ndarray, pushing: np.ndarray,
                rest: np.ndarray) -> np.ndarray:
    """What is left of a change of momentum by impulses of any sign along held rows, and by such that push along others.
    These hold what would leave slower than twice their `rest`, for which they stay."""
    if not len(pushing):
        return without(change, held)
    values, V = np.linalg.eigh(M)
    root = V * np.where(values > 1e-14 * values.max(), 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)  # R R^T = M^-1
    A = root.T @ np.vstack([held, pushing]).T
    least = np.concatenate([np.full(len(held), -np.inf), np.zeros(len(pushing))])
    scale = max(float(np.abs(root.T @ change).max()), 1e-300)
    impulses = scale * lsq_linear(A, root.T @ change / scale, (least, np.inf), method="bvls", tol=1e-14).x
    left = change - np.vstack([held, pushing]).T @ impulses
    leaving = np.abs(pushing @ root @ (root.T @ left))
    return without(left, np.vstack([held, pushing])) if (leaving <= 2 * rest).all() else left


def without(change: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What rows do not explain."""
    return change - rows.T @ np.linalg.lstsq(rows.T, change, rcond=1e-11)[0] if len(rows) else change


def complaints_of(result: vc.Result, energy: float | None = ENERGY, step: float = 0.0) -> list[str]:
    """What all judges of a run say; `step` of a run with steps of a fixed size, whose events are at ends of steps."""
    if not np.isfinite(result.y).all():
        return ["a state is not finite"]
    said = unbalanced_bodies(result) + open_joints(result) + friction_outside_its_cone(result, step)
    said += stops_that_give_or_pull(result, step) + inconsistent_impacts(result, step)
    return said + (lost_energy(result, energy) if energy is not None else [])


# agreement ------------------------------------------------------------------------------------------------------------

def difference(a: vc.Result, b: vc.Result, velocities: bool = True) -> tuple[float, str]:
    """The largest difference of two results at the times of both, in shares of the size of each channel, and its
    channel. Positions count against their travel or 1 % of the mechanism's size, whichever is larger."""
    times, i, j = np.intersect1d(np.round(a.t, 12), np.round(b.t, 12), return_indices=True)
    if len(times) < 2:
        return np.inf, "no common samples"
    worst, where = 0.0, ""
    for body in a.model.bodies:
        for axis in "xyz":
            for prefix in ("", "v") if velocities else ("",):
                x, y = a[f"{body}.{prefix}{axis}"][i], b[f"{body}.{prefix}{axis}"][j]
                size = max(float(np.ptp(x)), 0.01 * a.system.extent * (1 if not prefix else 10))
                share = float(np.abs(x - y).max()) / size
                if not share <= worst:
                    worst, where = share, f"{body}.{prefix}{axis}"
    return worst, where


def different_events(a: vc.Result, b: vc.Result, apart: float = 1e-6) -> list[str]:
    """The same events at the same times."""
    first, second = ([(e.name, e.t) for e in r.events] for r in (a, b))
    if [name for name, _ in first] != [name for name, _ in second]:
        return [f"{len(first)} events in one run, {len(second)} in the other: {first[:4]} and {second[:4]}"]
    late = max((abs(s - t) for (_, s), (_, t) in zip(first, second, strict=True)), default=0.0)
    return [f"events differ by {late:.3g} s"] if late > apart else []
