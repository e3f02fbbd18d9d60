"""Initial conditions from a minimal set of coordinates: the joints give the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vincolo.analyses.closing import counted, moved
from vincolo.formats.cards.bodies import Start, left_matrix
from vincolo.formats.cards.connections import Side
from vincolo.formats.cards.coordinates import product
from vincolo.formats.cards.start import coordinate_rows
from vincolo.layout import by_body
from vincolo.model.geometry import Array, matrix_of, quaternion_of
from vincolo.state import State

ANGLES = np.radians(np.arange(0, 360, 15))  # at which a joint is tried
ITERATIONS = 100
SETTLED = 1e-14  # m and rad: steps that no longer matter

Pose = tuple[Array, Array]  # position, Euler parameters
Tie = tuple[str, Side, Side]  # a joint: its kind and its frames

#: axes of the second frame in those of the first where they are not the same: f, or h, at right angles
ZERO = {"prismatic": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        "universal": np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])}
TURNING = ("revolute", "cylindrical", "universal", "spherical", "guide")


@dataclass(frozen=True)
class Wanted:
    """Coordinates and rates that are given, by number counted from zero."""

    positions: Mapping[int, float]
    rates: Mapping[int, float]

    def of(self, body: int) -> dict[int, float]:
        """Coordinates of a body (counted from one) by their place among its seven."""
        return {k % 7: v for k, v in self.positions.items() if k // 7 == body - 1}


def guess(count: int, ties: Sequence[Tie], wanted: Wanted) -> list[Start]:
    """Where the bodies are, near enough to close the joints from: bodies given whole as they are, the others hung on
    them joint by joint, at the angle that fits best what is given of them."""
    placed: dict[int, Pose] = {0: (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))}
    whole = [k for k in range(1, count + 1) if len(wanted.of(k)) == 7]
    placed |= {k: _given_pose(wanted.of(k)) for k in whole}
    waiting = list(ties)
    while waiting:
        tie = next((t for t in waiting if (t[1].body in placed) != (t[2].body in placed)), None)
        if tie is None:
            lone = [k for t in waiting for k in (t[1].body, t[2].body) if k not in placed]
            if not lone:
                break
            placed[lone[0]] = _given_pose(wanted.of(lone[0]))  # the first of a chain that hangs on nothing
            continue
        waiting.remove(tie)
        body = tie[2].body if tie[1].body in placed else tie[1].body
        placed[body] = _hung(tie, placed, wanted.of(body))
    return [Start(*placed.get(k, _given_pose(wanted.of(k))), rates=np.zeros(7)) for k in range(1, count + 1)]


def _given_pose(given: Mapping[int, float]) -> Pose:
    """What is given of a body; the rest is zero, without rotation."""
    e = np.array([given.get(k, 0.0) for k in range(3, 7)])
    if not e.any() or not np.isfinite(length := float(np.linalg.norm(e))):
        e, length = np.array([1.0, 0.0, 0.0, 0.0]), 1.0
    return np.array([given.get(k, 0.0) for k in range(3)]), e / length


def _hung(tie: Tie, placed: Mapping[int, Pose], given: Mapping[int, float]) -> Pose:
    """A body on a joint to one that is placed."""
    kind, first, second = tie
    zero = ZERO.get(kind, np.eye(3))
    known, other = (first, second) if first.body in placed else (second, first)
    zero = zero if known is first else zero.T
    angles = ANGLES if kind in TURNING and given else ANGLES[:1] if kind != "prismatic" else ANGLES[[0, 12]]
    if all(k in given for k in range(3, 7)):
        return _at_point(known, other, placed, _given_pose(given)[1])
    found = [_at_point(known, other, placed, _turned(known, other, placed, zero, angle)) for angle in angles]
    # a prismatic joint leaves open which way f points: then the body that is turned less is meant
    return min(found, key=lambda pose: (round(_misfit(pose, given), 9), -abs(pose[1][0]) * (kind == "prismatic")))


def _turned(known: Side, other: Side, placed: Mapping[int, Pose], zero: Array, angle: float) -> Array:
    """Euler parameters of the other body with the joint at an angle about h of the body that is placed."""
    turn = matrix_of(np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]))
    return product(placed[known.body][1], quaternion_of(known.axes @ turn @ zero @ other.axes.T))


def _at_point(known: Side, other: Side, placed: Mapping[int, Pose], euler: Array) -> Pose:
    position, turn = placed[known.body]
    return position + matrix_of(turn) @ known.point - matrix_of(euler) @ other.point, euler


def _misfit(pose: Pose, given: Mapping[int, float]) -> float:
    """How far a pose is from what is given; Euler parameters count the same with both signs."""
    asked = np.array(list(given.values()))
    both = [np.concatenate([pose[0], sign * pose[1]])[list(given)] - asked for sign in (1.0, -1.0)]
    return min(float(np.abs(gap).sum()) for gap in both)


# closing


def completed(state: State, starts: Sequence[Start], wanted: Wanted) -> tuple[list[Start], dict[int, float]]:
    """Positions that meet joints, drives and given coordinates, by Gauss-Newton steps of least squares; and what
    coordinates that are given and cannot be met are instead."""
    eulers = [_signed(start.euler, wanted.of(k)) for k, start in enumerate(starts, 1)]
    numbers, values = list(wanted.positions), np.array(list(wanted.positions.values()))
    held = np.array([row.level == "position" for row in state.system.rows], dtype=float)
    for _ in range(ITERATIONS):
        poses, eulers = _poses(state, eulers)
        J, rows = state.jacobian()
        A = np.vstack([J * held[:, None], coordinate_rows(poses, eulers, numbers)])
        gaps = np.concatenate([rows["phi"] * held, poses[:, :7].ravel()[numbers] - values])
        step = np.linalg.lstsq(A, -gaps, rcond=1e-10)[0]
        if not np.isfinite(step).all() or float(np.abs(step).max(initial=0.0)) < SETTLED:
            break
        state = counted(moved(state, step))
    poses, _ = _poses(state, eulers)
    found = poses[:, :7].ravel()
    missed = {k: float(found[k]) for k, v in wanted.positions.items() if abs(found[k] - v) > 1e-6}
    return [Start(pose[:3], pose[3:7], np.zeros(7)) for pose in poses], missed


def _signed(euler: Array, given: Mapping[int, float]) -> Array:
    """Euler parameters with the sign that fits what is given."""
    asked = {k - 3: v for k, v in given.items() if k >= 3}
    gaps = [sum(abs(sign * euler[k] - v) for k, v in asked.items()) for sign in (1.0, -1.0)]
    return euler if gaps[0] <= gaps[1] else -euler


def _poses(state: State, eulers: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Rows of position, Euler parameters, velocities; the parameters keep their signs from before."""
    poses = by_body(state.y, len(eulers)).copy()
    for pose, before in zip(poses, eulers, strict=True):
        pose[3:7] *= 1.0 if pose[3:7] @ before >= 0 else -1.0
    return poses, [pose[3:7].copy() for pose in poses]


def with_velocities(state: State, starts: Sequence[Start]) -> list[Start]:
    """Positions and velocities of a state as coordinates and rates, Euler parameters with the signs from before."""
    poses, eulers = _poses(state, [start.euler for start in starts])
    found = []
    for pose, euler in zip(poses, eulers, strict=True):
        spin = matrix_of(euler) @ pose[10:]
        found.append(Start(pose[:3], euler, np.concatenate([pose[7:10], 0.5 * left_matrix(euler).T @ spin])))
    return found
