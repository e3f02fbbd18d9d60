"""Closed chains of one loop: the product of all displacements around it is the identity.

The chain alternates joints and links. A joint is a product of screw motions about lines of its own frame; a link is the
fixed displacement to the next joint's frame. Everything may be an array over samples and positions: thousands of loops
are closed together. In the axes of the base, column j of the Jacobian is the line of motion j, the velocity
closure is J q' = 0, and the acceleration closure J q'' = - sum_j q'_j (sum_{i<j} J_i q'_i) x J_j.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vincolo.dual.frames import skew, vee
from vincolo.dual.number import Dual, bilinear, dual
from vincolo.errors import ModelError, suggest
from vincolo.model.geometry import Array

ITERATIONS = 60
LONGEST = 0.5  # rad or m, of a step
RANK = 1e-9  # of the largest singular value
#: motions of each kind of joint about and along axes of its frame
JOINTS = {"revolute": ("turn z",), "prismatic": ("slide z",), "cylindrical": ("turn z", "slide z"),
          "spherical": ("turn z", "turn x", "turn y"), "universal": ("turn z", "turn x"), "fixed": ()}
NAMES = {"revolute": ("angle",), "prismatic": ("travel",), "cylindrical": ("angle", "travel"),
         "spherical": ("z", "x", "y"), "universal": ("angle", "angle2"), "fixed": ()}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Closed:
    """Closed positions: coordinates by name, what is left open [rad, m], and which could be closed."""

    coordinates: dict[str, Array]
    residual: Array
    closed: NDArray[np.bool_]

    def __getitem__(self, name: str) -> Array:
        return self.coordinates[name]


class Loop:
    """A closed chain: joints by name and kind, each followed by the link to the next, the last by the frame."""

    def __init__(self, joints: Mapping[str, str], links: Sequence[Any]) -> None:
        if len(joints) != len(links) or len(joints) < 3:
            raise ModelError(f"a loop of {len(joints)} joints and {len(links)} links cannot be closed.\n"
                             "  Give a link for each joint, the one that follows it, and three of them at least.")
        self.joints, self.links = dict(joints), [dual(link) for link in links]
        self.names: list[str] = []
        self._moves: list[tuple[int, str, str]] = []  # number of the joint, turn or slide, axis
        for k, (name, kind) in enumerate(self.joints.items()):
            if kind not in JOINTS:
                raise ModelError(f"loop: joint {name!r} is {kind!r}; it is one of: {', '.join(JOINTS)}."
                                 f"{suggest(str(kind), JOINTS)}")
            self.names += [f"{name}.{coordinate}" for coordinate in NAMES[kind]]
            self._moves += [(k, *move.split()) for move in JOINTS[kind]]  # type: ignore[misc]

    def _walk(self, q: Array, links: Sequence[Dual] | None = None) -> tuple[Dual, Dual]:
        """The product of all displacements, and the lines of all motions in axes of the base (slides: eps times)."""
        shape = q.shape[:-1]
        A = Dual(np.broadcast_to(np.eye(3), (*shape, 3, 3)))
        lines: list[Dual] = []
        for k, link in enumerate(self.links if links is None else links):
            for j, (joint, kind, axis) in enumerate(self._moves):
                if joint == k:
                    e = A @ np.array(AXES[axis])
                    turning = kind == "turn"
                    lines.append(e if turning else Dual(np.zeros(e.shape), e.real))
                    A = A @ (Dual(_turn(axis, q[..., j])) if turning else _slide(axis, q[..., j]))
            A = A @ link
        real = np.stack([np.broadcast_to(e.real, (*shape, 3)) for e in lines], axis=-1)
        return A, Dual(real, np.stack([np.broadcast_to(e.dual, (*shape, 3)) for e in lines], axis=-1))

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ModelError(f"loop: there is no coordinate {name!r}.{suggest(name, self.names)}\n"
                             f"  Coordinates: {', '.join(self.names)}.")
        return self.names.index(name)

    def close(self, driven: Mapping[str, Any], guess: Mapping[str, Any], *, tolerance: float = 1e-12) -> Closed:
        """Positions with driven coordinates [rad, m] as given, from a guess of the others (zero if left out), by
        Newton's steps of least size, which also close overconstrained loops and those with idle freedoms."""
        shape = np.broadcast_shapes(*(np.shape(v) for v in (*driven.values(), *guess.values())),
                                    *(link.shape[:-2] for link in self.links))
        q = np.zeros((*shape, len(self.names)))
        for name, value in {**guess, **driven}.items():
            q[..., self._index(name)] = value
        q = q.reshape(-1, len(self.names))
        links = [link if link.ndim == 2 else link.map(_flat, shape) for link in self.links]
        left = self._closed(q, links, [k for k, name in enumerate(self.names) if name not in driven], tolerance)
        left = left.reshape(shape)
        return Closed({name: q[:, k].reshape(shape) for k, name in enumerate(self.names)}, left, left <= tolerance)

    def _closed(self, q: Array, links: list[Dual], free: list[int], tolerance: float) -> Array:
        """Newton's steps on q (samples, coordinates) in place, those that are closed left alone after one more step;
        returns what is left open."""
        left, polished = np.full(len(q), np.inf), np.zeros(len(q), dtype=bool)
        for _ in range(ITERATIONS):
            on = np.flatnonzero(~polished)
            if not len(on):
                break
            A, lines = self._walk(q[on], [link if link.ndim == 2 else link[on] for link in links])
            left[on] = _open(A)
            polished[on] = left[on] <= tolerance
            step = -_solved(_columns(lines)[..., free], _six(vee(A)))
            size = np.abs(step).max(-1, keepdims=True, initial=1e-300)
            q[on[:, None], free] += step * np.minimum(1.0, LONGEST / size)
        return left

    def follow(self, driven: Mapping[str, Any], guess: Mapping[str, Any], *, tolerance: float = 1e-12) -> Closed:
        """Positions one after another, each closed from the one before: the first index of the driven coordinates is
        that of the positions; angles go on over turns."""
        steps = len(next(iter(driven.values())))
        found: list[Closed] = []
        at = dict(guess)
        for k in range(steps):
            found.append(self.close({name: values[k] for name, values in driven.items()}, at, tolerance=tolerance))
            at = {name: value for name, value in found[-1].coordinates.items() if name not in driven}
        return Closed({name: np.stack([f[name] for f in found]) for name in self.names},
                      np.stack([f.residual for f in found]), np.stack([f.closed for f in found]))

    def rates(self, at: Closed, driven: Mapping[str, Any]) -> dict[str, Array]:
        """Velocities [rad/s, m/s] of all coordinates, with those that are driven given."""
        J = _columns(self._walk(self._vector(at.coordinates))[1])
        return self._solved_for(J, driven, np.zeros(J.shape[:-1]))

    def accelerations(self, at: Closed, rates: Mapping[str, Any], driven: Mapping[str, Any]) -> dict[str, Array]:
        """Accelerations [rad/s2, m/s2] of all coordinates, with those that are driven given."""
        lines = self._walk(self._vector(at.coordinates))[1]
        u = self._vector(rates)
        bias = np.zeros((*u.shape[:-1], 6))
        before = Dual(np.zeros((*u.shape[:-1], 3)))
        for j in range(len(self.names)):
            own = lines[..., j] * u[..., j, None]
            bias += _six(bilinear(np.cross, before, own))
            before = before + own
        return self._solved_for(_columns(lines), driven, bias)

    def _vector(self, values: Mapping[str, Any]) -> Array:
        shape = np.broadcast_shapes(*(np.shape(v) for v in values.values()))
        return np.stack([np.broadcast_to(values[name], shape) for name in self.names], axis=-1)

    def _solved_for(self, J: Array, driven: Mapping[str, Any], bias: Array) -> dict[str, Array]:
        """The unknowns of J u + bias = 0."""
        u = np.zeros((*J.shape[:-2], len(self.names)))
        for name, value in driven.items():
            u[..., self._index(name)] = value
        free = [k for k, name in enumerate(self.names) if name not in driven]
        u[..., free] = -_solved(J[..., free], (J @ u[..., None])[..., 0] + bias)
        return {name: u[..., k] for k, name in enumerate(self.names)}


def _turn(axis: str, angle: Array) -> Array:
    """Rotations about a coordinate axis."""
    c, s, R = np.cos(angle), np.sin(angle), np.zeros((*angle.shape, 3, 3))
    i, j, k = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[axis]
    R[..., i, i], R[..., j, j], R[..., k, k], R[..., k, j], R[..., j, k] = 1.0, c, c, s, -s
    return R


def _slide(axis: str, travel: Array) -> Dual:
    """I + eps p~ along a coordinate axis."""
    p = travel[..., None] * np.array(AXES[axis])
    return Dual(np.broadcast_to(np.eye(3), (*travel.shape, 3, 3)), skew(p).real)


def _flat(link: Array, shape: tuple[int, ...]) -> Array:
    """Matrices of all samples in one row."""
    return np.broadcast_to(link, (*shape, 3, 3)).reshape(-1, 3, 3)


def _six(vector: Dual) -> Array:
    """Real and dual components of a dual vector, in one."""
    return np.concatenate([vector.real, vector.dual], axis=-1)


def _columns(lines: Dual) -> Array:
    return np.concatenate([lines.real, lines.dual], axis=-2)


def _open(A: Dual) -> Array:
    """The largest entry in which a displacement differs from the identity [-, m]."""
    apart = np.maximum(np.abs(A.real - np.eye(3)), np.abs(A.dual))
    return np.asarray(apart.max(axis=(-1, -2)))


def _solved(J: Array, b: Array) -> Array:
    """The least x of least |J x - b|."""
    return np.asarray((np.linalg.pinv(J, rcond=RANK) @ b[..., None])[..., 0])
