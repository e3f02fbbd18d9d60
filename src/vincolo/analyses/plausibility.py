"""What in a model looks like wrong units or a wrong drawing, though it can be computed."""

from __future__ import annotations

import math

import numpy as np

from vincolo.analyses.idle import SMALL, reduced
from vincolo.model import Model
from vincolo.model.body import Body
from vincolo.model.geometry import Array
from vincolo.state import State

EARTH = (9.7, 9.9)  # m/s2
MOON, MARS = 1.62, 3.72  # m/s2
LARGE = 100.0  # m: mechanisms larger than this are usually in mm
HEAVY = 2e4  # kg/m3: denser than any metal in use
TOO_WIDE = 10.0  # times the size of the mechanism


def doubts(model: Model) -> list[str]:
    """Sentences about numbers that are probably wrong: lengths in mm, inertias in kg mm2, gravity in mm/s2, bodies
    that nothing holds, springs far from their length."""
    places = _places(model)
    size = float(np.ptp(places, axis=0).max()) if len(places) > 1 else 0.0
    found = _gravity(model) + _size(size)
    found += [text for body in model.bodies.values() for text in _inertia(body, size)]
    return found + _loose(model) + _springs(model) + _degrees(model)


def undriven(state: State) -> list[list[str]]:
    """The bodies that move in each freedom which joints, held measures and drives leave: combinations of freedoms with
    as few bodies as elimination finds."""
    return [[name for name, speed in freedom.items() if speed.any()] for freedom in _freedoms(state)]


def forgotten(state: State) -> list[str]:
    """A sentence about freedoms that neither drives nor forces move, beside drives: a joint or drive may be missing.
    Bodies that only spin about their own centre, such as rods between balls and wheels, are left out."""
    model = state.system.model
    if not any(held.drive for held in model.holds.values()):
        return []
    forced = _forced(model)
    free = [list(freedom) for freedom in _freedoms(state)
            if not forced & freedom.keys() and any(speed[:3].any() for speed in freedom.values())]
    named = "; ".join(", ".join(map(repr, bodies[:6])) for bodies in free[:6])
    return [f"drives move this mechanism, but neither drives nor springs, laws, loads or contacts move {len(free)} of "
            f"its freedoms: {named}. If that is not intended, a joint or a drive is missing."] if free else []


def _forced(model: Model) -> set[str]:
    """Bodies that forces other than gravity reach."""
    measures = [spring.measure for spring in model.springs.values()] + [law.measure for law in model.laws.values()]
    measures += [measure for friction in model.frictions.values() for measure in friction.measures]
    found = {frame.body.name for measure in measures for _, _, a, b in measure.terms for frame in (a, b)}
    found |= {load.frame.body.name for load in model.loads.values()}
    found |= {side.frame.body.name for contact in model.contacts.values() for side in (*contact.a, *contact.b)}
    return found - {model.ground.name}


def _freedoms(state: State) -> list[dict[str, Array]]:
    """The velocities of the bodies that move in each freedom [m/s; turns at the rim], slow ones as zero."""
    bodies = state.system.centred
    if not bodies:
        return []
    scale = np.repeat([[1.0, c.length] for c in bodies], 3, axis=1).ravel()  # turns as paths at the rim [m]
    J = state.jacobian()[0] / scale
    size = np.linalg.norm(J, axis=1)
    _, s, Vt = np.linalg.svd(J[size > 0] / size[size > 0, None], full_matrices=True)
    null = reduced(Vt[int((s > SMALL).sum()):])
    moving = np.abs(null).reshape(len(null), len(bodies), 6)
    moving[moving <= 1e-6 * moving.max(axis=(1, 2), initial=0.0)[:, None, None]] = 0.0
    return [{bodies[k].body.name: row[k] for k in np.nonzero(row.any(axis=1))[0]} for row in moving]


def _places(model: Model) -> Array:
    """Points that show how large the mechanism is: bodies, and frames of joints."""
    points = [b.at + b.orientation @ b.com for b in model.bodies.values()]
    points += [frame.drawn_point for joint in model.joints.values() for frame in (joint.a, joint.b)]
    return np.array(points).reshape(-1, 3)


def _gravity(model: Model) -> list[str]:
    g = float(np.linalg.norm(model.gravity))
    if 9000 < g < 10000:
        return [f"gravity is {g:g} m/s2: it looks like mm/s2. Everything here is in SI units: m, kg, s, N."]
    known = g == 0 or EARTH[0] <= g <= EARTH[1] or abs(g - MOON) < 0.1 or abs(g - MARS) < 0.1
    return [] if known else [f"gravity is {g:g} m/s2; on earth it is 9.81 m/s2."]


def _size(size: float) -> list[str]:
    if size > LARGE:
        return [f"the mechanism is {size:g} m across: its lengths look like mm. Everything here is in m."]
    return []


def _inertia(body: Body, size: float) -> list[str]:
    """The radius of gyration shows wrong units: kg mm2 is a million times too much."""
    if body.mass <= 0:
        return []
    radius = math.sqrt(float(np.linalg.eigvalsh(body.inertia).max()) / body.mass)
    reach = max(size, float(np.abs(body.com).max()))
    if reach > 0 and radius > TOO_WIDE * reach:
        return [f"body {body.name!r}: its inertia fits a mass spread over {radius:.3g} m, in a mechanism of "
                f"{reach:.3g} m. Inertia is in kg m2 (1 kg mm2 = 1e-6 kg m2)."]
    if radius > 0 and body.mass / (4 / 3 * math.pi * (1.3 * radius) ** 3) > 100 * HEAVY:
        return [f"body {body.name!r}: {body.mass:g} kg within {radius:.3g} m is denser than any metal. Check mass "
                "(kg) and inertia (kg m2)."]
    return []


def _loose(model: Model) -> list[str]:
    """Bodies that neither joints nor forces nor contacts reach."""
    held = {frame.body.name for joint in model.joints.values() for frame in (joint.a, joint.b)}
    measures = [h.measure for h in model.holds.values()] + [s.measure for s in model.springs.values()]
    measures += [law.measure for law in model.laws.values()]
    held |= {frame.body.name for m in measures for _, _, a, b in m.terms for frame in (a, b)}
    held |= {side.frame.body.name for contact in model.contacts.values() for side in (*contact.a, *contact.b)}
    return [f"body {name!r} has no joint, spring or drive: it flies freely. Is that intended?"
            for name in model.bodies if name not in held and len(model.bodies) > 1]


def _springs(model: Model) -> list[str]:
    found = []
    for name, spring in model.springs.items():
        if spring.k < 0:
            found.append(f"spring {name!r}: k is {spring.k:g}; a negative stiffness pushes apart what it connects.")
        if spring.c < 0:
            found.append(f"spring {name!r}: c is {spring.c:g}; a negative damper adds energy.")
    return found


def _degrees(model: Model) -> list[str]:
    """Drives of angles that look like degrees."""
    found = []
    for name, held in model.holds.items():
        value = abs(held.function.derivatives(0.0)[0])
        angular = all(e.kind == "angle" for _, e, _, _ in held.measure.terms)
        if angular and value >= 15.0 and abs(value / 15.0 - round(value / 15.0)) < 1e-9:
            found.append(f"drive {name!r}: the angle at t = 0 is {value:g} rad, which looks like degrees. Angles are "
                         "in rad: write pi*x/180.")
    return found
