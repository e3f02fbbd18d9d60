"""Bodies without mass or inertia of their own: what is lent to them, and where nothing determines their motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vincolo.analyses.idle import rows_seen
from vincolo.channels.channels import rotations
from vincolo.errors import ModelError
from vincolo.layout import QUATERNION, of_body
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.centred import Centred
    from vincolo.model import Model
    from vincolo.state import State

BALLS = ("spherical", "distance")  # hold a point of either body
LINES = ("guide", "point_on_plane", "spherical_revolute")  # hold a point of their second body
SMALL = 2e-3  # share of ballast in the motion it takes part in that the kernel takes back quickly
LEAST, USABLE = 1e-6, 0.999  # of the ballast: less would cost digits; a share that is still taken back
UNSEEN = 1e-7  # of the largest row on a body: a rotation that no row sees


def lend_inertia(state: State) -> None:
    """Ballast must stay a small share of the motion it takes part in; where nothing else moves, the body is named.
    Rotations that nothing sees keep their ballast: a point mass, or a thin rod between ball joints, may turn as it
    likes."""
    system = state.system
    if not any(c.ballast.any() or c.mass_ballast for c in system.centred):
        return
    held = _held(state)
    for k, c in enumerate(system.centred):  # what is lent to thin axes does not count
        system.kernel.set_held(k, (held[k] * (c.moments == 0)).ravel().tolist())
    factor = _small_factor(state)
    for k in range(len(system.centred)):
        system.kernel.set_held(k, held[k].ravel().tolist())
    for k, c in enumerate(system.centred):
        system.kernel.set_ballast(k, np.where(c.moments > 0, c.ballast, factor * c.ballast).tolist(),
                                  factor * c.mass_ballast)


def without_inertia(state: State) -> str:
    """The body whose rotation hardly anything but what is lent to it resists at a state; nothing if there is none."""
    system = state.system
    if not any((c.ballast > 0).any() for c in system.centred) or not np.isfinite(state.y).all():
        return ""
    share, number = system.kernel.ballast_share(state.t, state.y.tolist(), state.turns.tolist())
    empty = share > 0.5 and (system.centred[number].moments == 0).any()
    return str(system.centred[number].body.name) if empty else ""


def _small_factor(state: State) -> float:
    """What to multiply the ballast of missing masses and inertias with, so that it is a small share, or as small as
    digits allow; that of thin axes stands in for what is there and may be any share."""
    system, vector, turns = state.system, state.y.tolist(), state.turns.tolist()
    factor = 1.0
    for _ in range(4):
        for k, c in enumerate(system.centred):
            lent = np.where(c.moments > 0, c.ballast, factor * c.ballast)
            system.kernel.set_ballast(k, lent.tolist(), factor * c.mass_ballast)
        share, body = system.kernel.ballast_share(state.t, vector, turns)
        if share <= SMALL or (factor <= LEAST and share <= USABLE):
            return factor
        if share > 1 - 1e-9 or factor <= LEAST:
            break
        factor = max(LEAST, factor * 1e-3 * (1 - share) / share)
    raise _undetermined(system.centred[body])


def _held(state: State) -> list[Array]:
    """By body, what takes idle rotations about axes with ballast from a rotation."""
    system, seen = state.system, None
    held = [np.eye(3) for _ in system.centred]
    for k, c in enumerate(system.centred):
        if c.ballast.any():
            seen = rows_seen(state) if seen is None else seen
            held[k] -= _idle_rotations(state, k, seen)
    return held


def _idle_rotations(state: State, k: int, seen: Array) -> Array:
    """Projector, in principal axes, onto the rotations of body k about axes with ballast that no row and no force
    sees. An axis with some inertia counts only if the body is a round rod about it: then its spin moves nothing."""
    c = state.system.centred[k]
    round_rod = np.array([np.ptp(np.delete(c.moments, axis)) <= 1e-3 * c.moments[axis] for axis in range(3)])
    axes = np.eye(3)[:, (c.ballast > 0) & ((c.moments == 0) | round_rod)]
    R = rotations(of_body(state.y, k)[None, QUATERNION])[0]
    effect = seen[:, 6 * k + 3: 6 * k + 6] @ R @ axes
    size = max(float(np.abs(seen[:, 6 * k + 3: 6 * k + 6]).max(initial=0.0)), 1e-300)
    _, s, Vt = np.linalg.svd(effect, full_matrices=True) if effect.size else (None, np.zeros(0), np.eye(axes.shape[1]))
    idle = axes @ Vt[int((s > UNSEEN * size).sum()):].T
    unseen = [_always_idle(state.system.model, c, n) for n in idle.T]
    return np.asarray(idle[:, unseen] @ idle[:, unseen].T) if all(unseen) or idle.shape[1] == 1 else np.zeros((3, 3))


def _always_idle(model: Model, c: Centred, n: Array) -> bool:
    """Whether a body can turn about the axis n (principal axes) wherever it is without anything noticing: all that is
    fastened to it are points on that axis."""
    axis = c.principal @ n
    points = []
    for joint in model.joints.values():
        points += [(f, joint.kind in BALLS or (joint.kind in LINES and f is joint.b)) for f in (joint.a, joint.b)]
    measures = [s.measure for s in model.springs.values()] + [h.measure for h in model.holds.values()]
    measures += [part.measure for group in (model.rotors, model.stops, model.frictions)
                 for part in group.values()]
    measures += [m for law in model.laws.values() for m in (law.measure, *(other for _, other in law.others))]
    for measure in measures:
        plain = measure.tape is None
        points += [(f, plain and e.kind in ("distance", "world")) for _, e, a, b in measure.terms for f in (a, b)]
    points += [(load.frame, not load.torque and not load.in_body_axes) for load in model.loads.values()]
    own = [(f, turns) for f, turns in points if f.body is c.body]
    reach = 1e-9 * c.length
    return all(turns and f.motion is None and np.linalg.norm(np.cross(f.point - c.body.com, axis)) <= reach
               for f, turns in own)


def _undetermined(c: Centred) -> ModelError:
    name = c.body.name
    if c.body.mass == 0:
        return ModelError(
            f"body '{name}' has no mass, and nothing else determines its motion.\n"
            "  A part without mass is fine where joints fix its motion or tie it to masses; springs alone do not: it\n"
            f"  would follow them without delay. Give '{name}' a mass, or joints that hold it; two springs in line\n"
            "  without a part between them are one spring of 1/(1/k1 + 1/k2).")
    return ModelError(
        f"body '{name}' has no inertia about an axis about which nothing else determines its rotation.\n"
        "  A zero inertia is fine where joints fix that rotation or tie it to masses, or where nothing sees it; here\n"
        f"  a force or a joint turns the body without resistance. Give '{name}' an inertia, or a joint that holds it\n"
        "  (revolute or universal instead of spherical).")
