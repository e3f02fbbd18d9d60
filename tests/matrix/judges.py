"""Independent judges of a run: each returns a list of complaints, empty where the run is right.

None of them trusts the solver: bodies are balanced from recorded accelerations, loads of friction follow from
recorded reactions by the definition in docs/friction.md, gaps and impulses are looked at as inequalities."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from time_stepping import pressing_load

import vincolo as vc
from balance import Wrenches, _inertia, _loads, _reactions
from dense import inertia_and_weight, kernel_rows, speeds
from mechanisms import motions

BALANCED = 1e-6  # share of the largest force or moment at a sample
CLOSED = 1e-7  # share of the size: what a joint may be open by
CONE = 1e-6  # share of the largest friction bound in the run
ENERGY = 1e-5  # share of the energy in motion
SAMPLES = 7


def chosen_samples(result: vc.Result) -> list[int]:
    """Some samples, the first and the last among them."""
    return sorted({int(k) for k in np.linspace(0, len(result) - 1, SAMPLES).round()})


# Newton and Euler -----------------------------------------------------------------------------------------------------

def unbalanced_bodies(result: vc.Result) -> list[str]:
    """m a = m g + forces and I w' + w x I w = moments of every body at some samples."""
    if result.system.flywheels:
        return []  # bodies behind those of the model carry the spin of rotors, whose reactions are no joint's
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
        missing = np.abs(w.total).max(axis=(0, 2))
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
    """Total energy less its start less all work is zero; kinetic energy is the sum over bodies."""
    moving = max(result.statistics.get("energy_range", 0.0), float(np.ptp(result["energy.kinetic"])), 1e-9)
    worst = float(np.abs(result["energy.balance"]).max())
    complaints = []
    if worst > share * moving:
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
    driven = any(hold.drive for hold in result.model.holds.values())
    largest = max(float(result["energy.kinetic"].max()), 1e-9)
    for event in result.events:
        if not (speeds(event.after) - speeds(event.before)).any() or event.before.system.flywheels:
            continue
        complaints += _thrown_back(result, event, step)
        if event.name.endswith(".closes") and not driven and event.energy > (1e-4 if step else 1e-9) * largest:
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
    for event, last in zip(events, [None, *events], strict=False):
        together = last is not None and np.array_equal(event.before.y, last.before.y)  # they share what they tell
        for name, p in event.impulses.items():
            impulses[name] = p if together else impulses.get(name, 0.0) + p
    numbers = [system.quantities[f"{name}.value" if f"{name}.value" in system.quantities else name]
               for name in impulses]
    J = kernel_rows(after)["J"]
    names = [name for name in (*system.joints, *system.holds) if f"{name}.on" not in after or after[f"{name}.on"]]
    rows = [J[n] for name in names for n in system.block_rows[name]]
    if numbers:
        entries = system.kernel.quantity_rows(after.t, after.y.tolist(), after.turns.tolist(), numbers)
        G = np.zeros((len(numbers), len(change)))
        np.add.at(G, (entries["row"], entries["column"]), entries["value"])
        change = change - G.T @ np.array(list(impulses.values()))
    size = float(np.abs(M @ speeds(before)).max() + np.abs(M @ speeds(after)).max())
    if rows:
        A = np.array(rows).T
        change = change - A @ np.linalg.lstsq(A, change, rcond=1e-11)[0]
    return float(np.abs(change).max()) / max(size, 1e-12)


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
