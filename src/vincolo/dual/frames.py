"""Displacements as orthogonal dual matrices: A = R + eps p~ R, whose columns are the axes of a frame as unit lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.dual.arrays import identity
from vincolo.dual.number import Dual, arctan2, dual
from vincolo.dual.screws import cross, line
from vincolo.errors import ModelError

ORTHOGONAL = 1e-9  # what A^T A may differ from the unit matrix


def skew(vector: Any) -> Dual:
    """The matrix v~ of v~ w = v x w."""
    v = dual(vector)
    x, y, z, zero = v[..., 0], v[..., 1], v[..., 2], v[..., 0] * 0
    return _rows([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def vee(matrix: Any) -> Dual:
    """The vector of the skew part of a matrix."""
    A = dual(matrix)
    own = [A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]]
    return 0.5 * _stacked(own)


def _stacked(parts: list[Dual]) -> Dual:
    shape = np.broadcast_shapes(*(part.shape for part in parts))
    return Dual(np.stack([np.broadcast_to(p.real, shape) for p in parts], axis=-1),
                np.stack([np.broadcast_to(p.dual, shape) for p in parts], axis=-1))


def _rows(rows: list[list[Any]]) -> Dual:
    """Matrices from three rows of three dual numbers, or arrays of them."""
    flat = _stacked([dual(entry) for row in rows for entry in row])
    return flat.map(lambda part: part.reshape(*part.shape[:-1], 3, 3))


def frame(rotation: Any, origin: Any = (0.0, 0.0, 0.0)) -> Dual:
    """The dual matrix of a rotation and the place of the origin [m]."""
    R = np.asarray(rotation)
    return Dual(R, skew(np.asarray(origin)).real @ R)


def origin(matrix: Any) -> Any:
    """Where the origin of a frame is [m]: p~ = A0 R^T."""
    A = dual(matrix)
    return vee(A.dual @ np.swapaxes(A.real, -1, -2)).real


def from_points(P: Any, R: Any, Q: Any) -> Dual:
    """The frame with its origin at P, its x axis through R and its z axis through Q (points in m, at right angles)."""
    p, r, q = (np.asarray(point, dtype=float) for point in (P, R, Q))
    x, z = line(r - p, p), line(q - p, p)
    if abs(float(x.real @ z.real)) > ORTHOGONAL:
        raise ModelError(f"from_points(): the axes through R and Q are not at right angles: their cosine is "
                         f"{float(x.real @ z.real):.3g}.\n  Move R into the plane through P normal to PQ.")
    return _stacked([x, cross(z, x), z])  # as columns


def rotation_x(angle: Any) -> Dual:
    """A screw motion about x: the angle [rad] with the travel [m] as its dual part."""
    c, s = np.cos(dual(angle)), np.sin(dual(angle))
    one, zero = c * 0 + 1, c * 0
    return _rows([[one, zero, zero], [zero, c, -s], [zero, s, c]])


def rotation_z(angle: Any) -> Dual:
    """The same about z."""
    c, s = np.cos(dual(angle)), np.sin(dual(angle))
    one, zero = c * 0 + 1, c * 0
    return _rows([[c, -s, zero], [s, c, zero], [zero, zero, one]])


def rodrigues(axis: Any, angle: Any) -> Dual:
    """A screw motion about any unit line: E E^T (1 - cos) + I cos + E~ sin, all dual."""
    E, t = dual(axis), dual(angle)[..., None, None]
    c, s = np.cos(t), np.sin(t)
    found: Dual = E[..., :, None] * E[..., None, :] * (1 - c) + identity() * c + skew(E) * s
    return found


def denavit_hartenberg(theta: Any, alpha: Any) -> Dual:
    """From frame i+1 to frame i: about z by theta + eps s, then about x by alpha + eps a."""
    return rotation_z(theta) @ rotation_x(alpha)


def is_displacement(matrix: Any, tolerance: float = ORTHOGONAL) -> bool:
    """Whether a dual matrix is orthogonal, and no reflection."""
    A = dual(matrix)
    return (A.T @ A).isclose(identity(), tolerance) and float(np.linalg.det(A.real)) > 0


def motion_screw(matrix: Any) -> tuple[Dual, Dual]:
    """The unit line and the dual angle (turn from 0 to pi, travel) of one displacement: A = rodrigues(line, angle).
    The line is the eigen-screw of A with the eigenvalue one."""
    A = dual(matrix)
    if not is_displacement(A):
        raise ModelError("motion_screw(): the matrix is not a displacement: A^T A differs from the unit matrix.")
    across, cosine = vee(A), 0.5 * (A[0, 0] + A[1, 1] + A[2, 2] - 1.0)
    sine = float(np.linalg.norm(across.real))
    if sine > 1e-6:
        square = (across * across).sum(-1)
        size = np.sqrt(square)
        return across / size, arctan2(size, cosine)
    return _half_turn(A, across) if cosine.real < 0 else _translation(A)


def _translation(A: Dual) -> tuple[Dual, Dual]:
    """A displacement that hardly turns: its travel, along the line through the origin."""
    p = origin(A)
    far = float(np.linalg.norm(p))
    if far == 0.0:
        return line((0.0, 0.0, 1.0)), Dual(0.0, 0.0)
    return line(p), Dual(0.0, far)


def _half_turn(A: Dual, across: Dual) -> tuple[Dual, Dual]:
    """Near half a turn the axis is seen in R + R^T; its place is half of what the origin moves across it."""
    symmetric = 0.5 * (A.real + A.real.T)
    values, vectors = np.linalg.eigh(symmetric)
    e = vectors[:, int(np.argmax(values))]
    e = e if float(e @ across.real) >= 0 else -e
    p = origin(A)
    travel = float(p @ e)
    turn = float(np.arctan2(across.real @ e, 0.5 * (np.trace(A.real) - 1.0)))
    flat = p - travel * e
    point = 0.5 * (flat + np.cross(e, flat) / np.tan(turn / 2))
    return line(e, point), Dual(turn, travel)
