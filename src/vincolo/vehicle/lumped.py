"""An arm without mass in bushings, as stiffness at its ball joint: what stiff rubber on a light arm would swing with is
left out, and steps need not be small."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vincolo.model.geometry import Array

RIGID = 1e5  # of the other bushing: an end that is in none
HELD = 100.0  # of the softer direction: one that is as much stiffer does not give way


class Give(NamedTuple):
    """How an arm gives way at its ball joint, in its plane."""

    normal: Array  # of the plane through its pivots and its ball joint
    along: Array  # unit vector in it: the first direction; the second is normal x along
    k: tuple[float, float]  # N/m in the two directions; infinite: held
    torsion: float  # N m/rad about its hinge


def six_of(k: Any) -> Array:
    """Stiffnesses of a bushing along and about x, y and z, from one, three or six numbers."""
    given = np.asarray(k, dtype=float)
    return given if given.size == 6 else np.append(np.broadcast_to(given, 3), np.zeros(3))


def give_of(pivots: list[Array], ball: Array, bushings: list[Any]) -> Give:
    """A rigid arm in its plane on two bushings (None: a ball joint), loaded at its ball joint alone: K = sum G^T k G
    with G = [1, perp r] for each pivot; at the ball joint the compliance is that of its two displacements, the turn
    being free. Its principal directions are two springs."""
    axis = (pivots[1] - pivots[0]) / np.linalg.norm(pivots[1] - pivots[0])
    normal = np.cross(axis, ball - pivots[0])
    normal /= np.linalg.norm(normal)
    E = np.stack([axis, np.cross(normal, axis)], axis=1)  # world from plane
    sixes = [None if k is None else six_of(k) for k in bushings]
    largest = max(float(six.max()) for six in sixes if six is not None)
    K, torsion = np.zeros((3, 3)), 0.0
    for pivot, six in zip(pivots, sixes, strict=True):
        own = np.full(3, RIGID * largest) if six is None else six[:3]
        x, y = E.T @ (pivot - ball)
        G = np.array([[1.0, 0.0, -y], [0.0, 1.0, x]])
        K += G.T @ (E.T * own) @ E @ G
        torsion += 0.0 if six is None else float(axis @ (six[3:] * axis))
    compliance, directions = np.linalg.eigh(np.linalg.inv(K)[:2, :2])
    stiff, soft = 1 / compliance[0], 1 / compliance[1]
    return Give(normal, E @ directions[:, 1], (soft, np.inf if stiff > HELD * soft else stiff), torsion)
