"""Idle freedoms: links that can spin between ball joints and move nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vincolo.analyses.closing import Given, values_of
from vincolo.analyses.scatter import place
from vincolo.channels.channels import rotations
from vincolo.layout import POINT, QUATERNION, of_body
from vincolo.model import Joint
from vincolo.model.functions import Constant
from vincolo.model.geometry import Array
from vincolo.state import State

BALLS = ("spherical", "guide", "distance", "point_on_plane", "spherical_revolute")  # leave all rotations about a point
SMALL = 1e-7  # of a row's own size


@dataclass(frozen=True)
class IdleFreedom:
    """Bodies that spin about the line through the ball joints at their ends; nothing else moves."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]

    def __str__(self) -> str:
        who = " and ".join(f"'{b}'" for b in self.bodies)
        return f"{who} can spin about the line through {' and '.join(repr(j) for j in self.joints)}"


def idle_freedoms(state: State) -> tuple[IdleFreedom, ...]:
    """Spins of links and chains of links between ball joints on two other bodies. A spin that a spring, a law, a drive
    or a held measure sees is not idle."""
    found: list[IdleFreedom] = []
    for chain in _chains(state):
        ends = _ends(state, chain)
        line = _line(state, chain, ends)
        if line is None:
            continue
        names = tuple(sorted(j.name for j in ends))
        for spin in _spins(state, sorted(chain), *line):
            found.append(IdleFreedom(tuple(state.system.centred[k].body.name for k in spin), names))
    return tuple(found)


def _chains(state: State) -> list[set[int]]:
    """Bodies that hang together by joints other than ball joints; not those on the ground."""
    numbers = {**state.system.body_numbers, "ground": -1}
    group = {k: k for k in numbers.values()}

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    for joint in state.system.joints.values():
        if joint.kind not in BALLS:
            group[root(numbers[joint.a.body.name])] = root(numbers[joint.b.body.name])
    chains: dict[int, set[int]] = {}
    for k in numbers.values():
        chains.setdefault(root(k), set()).add(k)
    return [chain for chain in chains.values() if -1 not in chain]


def _ends(state: State, chain: set[int]) -> list[Joint]:
    numbers = {**state.system.body_numbers, "ground": -1}
    return [j for j in state.system.joints.values()
            if (numbers[j.a.body.name] in chain) != (numbers[j.b.body.name] in chain)]


def _line(state: State, chain: set[int], ends: list[Joint]) -> tuple[Array, Array] | None:
    """Point and direction of the line through the points of all end joints, if they are on a line and on two bodies."""
    names = {state.system.centred[k].body.name for k in chain}
    frames = [(j.a, j.b) if j.a.body.name in names else (j.b, j.a) for j in ends]
    if len({outer.body.name for _, outer in frames}) < 2:
        return None
    points = np.array([place(state, inner)[0] for inner, _ in frames])
    far = points[np.argmax(np.linalg.norm(points - points[0], axis=1))] - points[0]
    length = float(np.linalg.norm(far))
    if length <= 1e-9:
        return None
    along = far / length
    off = points - points[0] - np.outer((points - points[0]) @ along, along)
    return (points[0], along) if np.abs(off).max() <= 1e-7 * length else None


def _spins(state: State, chain: list[int], point: Array, along: Array) -> list[list[int]]:
    """Bodies of every independent combination of spins about the line that no row and no force law sees."""
    system = state.system
    spin = np.zeros((6 * len(system.centred), len(chain)))
    for column, k in enumerate(chain):
        spin[6 * k: 6 * k + 3, column] = np.cross(along, of_body(state.y, k)[POINT] - point)
        spin[6 * k + 3: 6 * k + 6, column] = along
    seen = rows_seen(state)
    effect = seen @ spin
    size = np.abs(seen) @ np.abs(spin).max(axis=1)
    U = effect[size > 0] / size[size > 0, None]
    _, s, Vt = np.linalg.svd(U[np.abs(U).max(axis=1) > SMALL], full_matrices=True)
    null = Vt[int((s > SMALL).sum()):]
    return [[chain[k] for k in np.nonzero(np.abs(row) > 1e-6)[0]] for row in reduced(null)]


def rows_seen(state: State) -> Array:
    """Rows of all joints, held measures and drives, of the measures that springs and laws act on, and of loads."""
    system = state.system
    forces = [system.quantities[name] for law in system.laws for name in (f"{law}.length", f"{law}.value")
              if name in system.quantities]
    more = values_of(state, Given(forces, np.zeros(len(forces))))
    return np.vstack([state.jacobian()[0], more.jacobian, _rows_of_loads(state)])


def _rows_of_loads(state: State) -> Array:
    """For every component of a load that is not zero: what it does to the velocities of its body."""
    system, rows = state.system, [np.zeros((0, 6 * len(state.system.centred)))]
    for load in system.model.loads.values():
        if load.frame.body.is_ground:
            continue
        k = system.body_of(load.frame.body.name)
        own = rotations(of_body(state.y, k)[None, QUATERNION])[0] @ system.centred[k].principal.T
        used = [not (isinstance(f, Constant) and f(0.0) == 0) for f in load.components]
        axes = (own if load.in_body_axes else np.eye(3)).T[used]
        row = np.zeros((len(axes), 6 * len(system.centred)))
        row[:, 6 * k: 6 * k + 3] = 0 if load.torque else axes
        arm = place(state, load.frame)[0] - of_body(state.y, k)[POINT]
        row[:, 6 * k + 3: 6 * k + 6] = axes if load.torque else np.cross(arm, axes)
        rows.append(row)
    return np.vstack(rows)


def reduced(rows: Array) -> Array:
    """Row echelon form: combinations with as few bodies as elimination finds."""
    rows = rows.copy()
    done = 0
    for column in range(rows.shape[1]):
        if done == len(rows):
            break
        pivot = done + int(np.argmax(np.abs(rows[done:, column])))
        if abs(rows[pivot, column]) < 1e-9:
            continue
        rows[[done, pivot]] = rows[[pivot, done]]
        rows[done] /= rows[done, column]
        others = np.arange(len(rows)) != done
        rows[others] -= np.outer(rows[others, column], rows[done])
        done += 1
    return rows
