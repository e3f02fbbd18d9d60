"""Joints that are closed but turned: cosines of axes also vanish where an axis points the other way, or where three
axes are exchanged. The drawn position decides which way an axis points; axes that are all held coincide.

`aligned` turns bodies by the logarithm of the relative rotation, which vanishes in the right orientation alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.analyses.closing import Aim, counted, jacobian_of, moved, residual_of
from vincolo.analyses.scatter import place
from vincolo.equations.measures import Measure as Equation
from vincolo.model import Joint
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

XYZ = "xyz"
STEPS = 80
NEAR = 0.02  # rad, and share of the size: near enough for the equations of the joints
DAMPING = 1e-6  # share of the largest singular value


@dataclass(frozen=True)
class Held:
    """Axes that a joint holds: pairs (of A, of B) that are parallel, or all three; numbers of its cosines."""

    name: str
    joint: Joint
    pairs: tuple[tuple[int, int], ...]
    cosines: tuple[int, ...]
    even: bool = False  # both shafts turn alike, in a joint of constant velocity


def held_axes(system: System) -> list[Held]:
    """Of all joints that hold axes."""
    found = []
    for name, joint in system.joints.items():
        rows = joint.definition.rows(**joint.parameters)
        cosines = {k: e for k, e in enumerate(rows) if isinstance(e, Equation) and e.kind == "cosine"}
        if joint.kind == "constant_velocity":
            found.append(Held(name, joint, (), (), True))
        elif pairs := _parallel([*cosines.values()]):
            found.append(Held(name, joint, pairs, tuple(cosines)))
    return found


def _parallel(cosines: list[Equation]) -> tuple[tuple[int, int], ...]:
    """Pairs of axes, of A and of B, that are held parallel: the third of A if two are at right angles to one of B, and
    the other way round; all like axes if three pairs are held."""
    pairs = [(XYZ.index(e.axes[0]), XYZ.index(e.axes[-1])) for e in cosines]
    if len(pairs) >= 3:
        return (0, 0), (1, 1), (2, 2)
    columns = [(3 - sum(i for i, j in pairs if j == b), b) for b in range(3) if sum(j == b for _, j in pairs) == 2]
    rows = [(a, 3 - sum(j for i, j in pairs if i == a)) for a in range(3) if sum(i == a for i, _ in pairs) == 2]
    return tuple(columns + rows)


def relative(state: State, joint: Joint) -> Array:
    """Axes of B in those of A, as columns."""
    return np.asarray(place(state, joint.a)[1].T @ place(state, joint.b)[1])


def wanted(held: Held, drawn: State) -> Array:
    """The relative rotation of axes that are all held: as drawn if that is closed, or else none; of one axis the drawn
    direction."""
    D = relative(drawn, held.joint)
    if len(held.pairs) == 3:
        return D if np.abs(np.abs(D).max(axis=0) - 1).max() < 1e-6 and _closed(held, D) else np.eye(3)
    return np.array([[-1.0 if D[i, j] < -1e-9 else 1.0 for i, j in held.pairs]])


def _closed(held: Held, C: Array) -> bool:
    """Whether the cosines that the joint holds are zero."""
    rows = held.joint.definition.rows(**held.joint.parameters)
    pairs = [(XYZ.index(rows[k].axes[0]), XYZ.index(rows[k].axes[-1])) for k in held.cosines]  # type: ignore[union-attr]
    return all(abs(C[i, j]) < 1e-6 for i, j in pairs)


def turned_joints(state: State) -> list[str]:
    """Names of the joints that are closed with an axis turned around or axes exchanged."""
    drawn = state.system.drawn
    return [held.name for held in held_axes(state.system) if _turned(held, state, drawn)]


def _turned(held: Held, state: State, drawn: State) -> bool:
    C = relative(state, held.joint)
    if held.even:
        return bool(C[0, 0] + C[1, 1] < -1e-6)
    target = wanted(held, drawn)
    if len(held.pairs) == 3:
        return bool(np.trace(target.T @ C) < 2.5)
    return any(C[i, j] * sign < 0 for (i, j), sign in zip(held.pairs, target[0], strict=True))


def aligned(state: State, aim: Aim) -> State:
    """The state with bodies turned until the axes of all joints point as they should, and gaps small: damped
    Gauss-Newton steps with the logarithms of rotations in place of cosines."""
    system, drawn = state.system, state.system.drawn
    joints, n = held_axes(system), len(system.centred)
    replaced = [system.block_rows[held.name].start + k for held in joints for k in held.cosines]
    length = np.repeat([c.length for c in system.centred], 6).reshape(n, 6)
    scale = np.where(np.arange(6) < 3, 1.0, 1 / length).ravel()
    scale[[6 * k + i for k in aim.kept for i in range(6)]] = 0.0
    for _ in range(STEPS):
        J, r = jacobian_of(state, aim), residual_of(state, aim)
        J[replaced], r[replaced] = 0.0, 0.0
        more = [_conditions(held, state, drawn, n) for held in joints]
        J, r = np.vstack([J, *(m[0] for m in more)]), np.concatenate([r, *(m[1] for m in more)])
        if np.abs(r).max(initial=0.0) <= NEAR * min(1.0, system.size):
            break
        U, s, Vt = np.linalg.svd(J * scale, full_matrices=False)
        weak = DAMPING * s.max(initial=1e-300)
        state = counted(moved(state, -scale * (Vt.T @ (s / (s**2 + weak**2) * (U.T @ r)))), aim.asked)
    return state


def _conditions(held: Held, state: State, drawn: State, bodies: int) -> tuple[Array, Array]:
    """Rows on (dr, dtheta) of all bodies, and how far axes are turned from where they should be [rad]."""
    (_, A), (_, B) = place(state, held.joint.a), place(state, held.joint.b)
    rows = []
    if held.even:
        C = A.T @ B
        mean = A[:, 2] + B[:, 2]
        axis = mean / np.linalg.norm(mean) if np.linalg.norm(mean) > 1e-9 else A[:, 2]
        rows.append((axis, float(np.arctan2(C[1, 0] - C[0, 1], C[0, 0] + C[1, 1]))))
    elif len(held.pairs) == 3:
        off = -logarithm(A @ wanted(held, drawn) @ B.T)
        rows += [(axis, float(axis @ off)) for axis in np.eye(3)]
    else:
        for (i, j), sign in zip(held.pairs, wanted(held, drawn)[0], strict=True):
            a, b = sign * A[:, i], B[:, j]
            off = -_between(b, a)
            rows += [(axis, float(axis @ off)) for axis in np.linalg.svd(b[None])[2][1:]]
    numbers = {**state.system.body_numbers, "ground": -1}
    J = np.zeros((len(rows), 6 * bodies))
    for k, (axis, _) in enumerate(rows):
        for frame, sign in ((held.joint.b, 1.0), (held.joint.a, -1.0)):
            body = numbers[frame.body.name]
            if body >= 0:
                J[k, 6 * body + 3: 6 * body + 6] += sign * axis
    return J, np.array([value for _, value in rows])


def logarithm(R: Array) -> Array:
    """The rotation vector of a rotation, of at most pi."""
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = float(np.linalg.norm(skew)) / 2, (float(np.trace(R)) - 1) / 2
    angle = float(np.arctan2(sine, cosine))
    if sine > 1e-8:
        return np.asarray(skew * (angle / (2 * sine)))
    if cosine > 0:
        return np.asarray(skew / 2)
    column = (R + np.eye(3))[:, int(np.argmax(np.diag(R)))]  # half a turn: R + 1 = 2 n n^T
    return np.asarray(np.pi * column / np.linalg.norm(column))


def _between(b: Array, a: Array) -> Array:
    """The shortest rotation vector that takes one unit vector into another."""
    across = np.cross(b, a)
    sine, cosine = float(np.linalg.norm(across)), float(a @ b)
    if sine > 1e-9:
        return np.asarray(across * (np.arctan2(sine, cosine) / sine))
    return np.zeros(3) if cosine > 0 else np.asarray(np.pi * np.linalg.svd(b[None])[2][1])
