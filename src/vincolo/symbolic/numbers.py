"""The numbers of symbols at a state of a compiled model, to compare equations with the kernel and to start programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vincolo.layout import POINT, QUATERNION, SPIN, VELOCITY, auxiliaries_of, of_body
from vincolo.model.geometry import Array, matrix_of, quaternion_of
from vincolo.state import State
from vincolo.symbolic.calculus import values
from vincolo.symbolic.coordinates import body_G
from vincolo.symbolic.graph import Node
from vincolo.symbolic.mechanism import Mechanism
from vincolo.symbolic.tree import Link, Tree


def body_motion(state: State, body: int) -> tuple[Array, Array, Array, Array]:
    """Centre of mass, axes of the body frame, velocity and angular velocity."""
    y = of_body(state.y, body)
    p = y[QUATERNION] / np.linalg.norm(y[QUATERNION])
    return y[POINT], matrix_of(p) @ state.system.centred[body].principal.T, y[VELOCITY], y[SPIN]


def body_numbers(state: State, body: int) -> dict[tuple[Any, ...], float]:
    """All symbols of a body, in twists and in Euler parameters, with their numbers."""
    r, A, v, w = body_motion(state, body)
    p = np.asarray(quaternion_of(A), dtype=float)
    dp = 0.5 * np.asarray(body_G(p), dtype=float).T @ (A.T @ w)
    found: dict[tuple[Any, ...], float] = {("A", body, i, j): float(A[i, j]) for i in range(3) for j in range(3)}
    for kind, numbers in (("r", r), ("p", p), ("v", v), ("w", w), ("q", [*r, *p]), ("q'", [*v, *dp])):
        found |= {(kind, body, k): float(x) for k, x in enumerate(numbers)}
    return found


def known_numbers(mechanism: Mechanism, state: State) -> dict[Node, float]:
    """The numbers of all symbols of positions and velocities, of time and of the model's numbers."""
    graph, found = mechanism.graph, dict(mechanism.parameters.values)
    found[mechanism.coordinates.time] = state.t
    carried = auxiliaries_of(state.y, len(state.system.centred))
    for name, number in state.system.auxiliaries.items():
        found[mechanism.auxiliary(name)] = float(carried[number])
    for body in range(len(mechanism.numbers)):
        for key, value in body_numbers(state, body).items():
            found[graph.symbol(key)] = value
    return found


def turning(mechanism: Mechanism, state: State) -> Callable[[Any, float], float]:
    """The branch of an angle that is nearest to the record of a state."""
    def nearest(key: Any, angle: float) -> float:
        e, a, b = mechanism.turning[key]
        last = float(state.turns[state.system.numbers.turn(e, a, b)])
        return angle + 2 * math.pi * round((last - angle) / (2 * math.pi))

    return nearest


def tree_numbers(tree: Tree, state: State, known: dict[Node, float]) -> dict[Node, float]:
    """Joint coordinates and velocities of a state: angles and slides link by link, velocities by least squares."""
    found: dict[Node, float] = {}
    for link in tree.links:
        for move, value in zip([m for m in link.moves if m.column is not None], _coordinates(link, state), strict=True):
            found[tree.q[move.column or 0]] = value
    bodies = range(len(state.system.body_numbers))
    entries = {(6 * b + i + 3 * part, k): tree.vectors(b, part)[k][i]
               for b in bodies for part in (0, 1) for k in tree.columns(b) for i in range(3)}
    numbers = values(list(entries.values()), known | found)
    T = np.zeros((6 * len(bodies), len(tree.u)))
    for key, number in zip(entries, numbers, strict=True):
        T[key] = number
    twist = [x for b in bodies for A, v, w in [body_motion(state, b)[1:]] for x in (*(A.T @ v), *(A.T @ w))]
    u = np.linalg.lstsq(T, np.array(twist), rcond=None)[0] if len(tree.u) else ()
    return found | dict(zip(tree.u, map(float, u), strict=True))


def _coordinates(link: Link, state: State) -> list[float]:
    """The coordinates of a link, from the frames it is between."""
    p, R, angles = _between(link, state)
    turns = [m for m in link.moves if m.turns and m.column is not None]
    slides = [float(p[m.axis]) for m in link.moves if not m.turns]
    if not turns:
        return slides
    if len(turns) == 1:
        return [*slides, math.atan2(R[1, 0], R[0, 0])]
    if len(turns) == 2:  # R = Rz(a) Ry(90 degrees) Rz(b)
        return [*slides, math.atan2(R[1, 2], R[0, 2]), math.atan2(R[2, 1], -R[2, 0])]
    return [*slides, *map(float, Rotation.from_matrix(R).as_euler(angles))]


def _between(link: Link, state: State) -> tuple[Array, Array, str]:
    """Place and axes of the second frame of a link in the first, and the letters of its turns."""
    ends = []
    if link.joint is None:
        body = state.system.body_numbers[link.body]
        ends = [(np.zeros(3), np.eye(3)), body_motion(state, body)[:2]]
    else:
        for frame in (link.joint.a, link.joint.b):
            if frame.body.is_ground:
                ends.append((frame.point, frame.axes))
            else:
                r, A, *_ = body_motion(state, state.system.body_numbers[frame.body.name])
                ends.append((r + A @ (frame.point - frame.body.com), A @ frame.axes))
    (p, R), (p2, R2) = ends
    return R.T @ (p2 - p), R.T @ R2, "".join("XYZ"[m.axis] for m in link.moves if m.turns and m.column is not None)
