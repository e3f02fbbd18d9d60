"""Four-bars that carry their coupler through given positions: cranks by circles through the places of a point of the
body (Burmester), of three positions in closed form, of four and five by polishing many starts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import number_array
from vincolo.model.geometry import Array

SAME = 1e-5  # of the size: two cranks that are one
MET = 1e-9  # of the size: what a crank may be off


@dataclass(frozen=True)
class Crank:
    """A link from a fixed pivot to a point of the body (in its own axes), both as complex numbers x + iy [m]."""

    pivot: complex
    point: complex
    length: float


@dataclass(frozen=True, eq=False)
class MotionLinkage:
    """Two cranks that carry the body, the largest error of their lengths over the positions [m], and defects."""

    cranks: tuple[Crank, Crank]
    error: float
    defects: list[str]


def crank_for(poses: Any, pivot: tuple[float, float]) -> Crank:
    """The crank about a chosen fixed pivot for three positions (x, y, angle [rad]) of a body: the point of the body
    whose places have the same distance from the pivot, in closed form."""
    at, turn = _poses(poses, 3, 3)
    place = number_array("crank_for(): the pivot", pivot)
    if place.shape != (2,) or not np.isfinite(place).all():
        raise ModelError(f"crank_for(): the pivot is {pivot!r:.80}; x and y [m] are needed.")
    back = (complex(*pivot) - at) * np.conj(turn)  # the pivot, seen from the body: the point is the centre of a circle
    (a, b, c) = back
    M = np.array([[(b - a).real, (b - a).imag], [(c - a).real, (c - a).imag]])
    if abs(np.linalg.det(M)) <= 1e-12 * np.abs(M).max() ** 2:
        raise ModelError("crank_for(): seen from the body, the three places of this pivot are in a line; the crank "
                         "would be infinitely long.\n  Choose another pivot.")
    right = 0.5 * np.array([abs(b) ** 2 - abs(a) ** 2, abs(c) ** 2 - abs(a) ** 2])
    point = complex(*np.linalg.solve(M, right))
    return Crank(complex(*pivot), point, float(abs(back[0] - point)))


def cranks_for(poses: Any, *, seed: int = 1, starts: int = 200) -> list[Crank]:
    """Cranks for four or five positions (x, y, angle [rad]) of a body, shortest first: of four some of infinitely many,
    of five the few that there are."""
    from scipy.optimize import least_squares

    at, turn = _poses(poses, 4, 5)
    size = max(float(np.ptp(at.real)), float(np.ptp(at.imag)), 1e-12)
    centre, rng, found = at.mean(), np.random.default_rng(seed), list[Crank]()

    def off(z: Array) -> Array:
        places = at + turn * complex(z[2], z[3])
        square = np.abs(places - complex(z[0], z[1])) ** 2
        return np.asarray((square[1:] - square[0]) / size)

    for _ in range(int(starts)):
        spread = rng.normal(size=4) * 1.5 * size + [centre.real, centre.imag, 0, 0]
        result = least_squares(off, spread, xtol=1e-15, ftol=1e-15, gtol=1e-15, method="trf", max_nfev=100)
        if np.abs(result.fun).max() > MET * size or np.abs(result.x).max() > 100 * size:
            continue
        pivot, point = complex(result.x[0], result.x[1]), complex(result.x[2], result.x[3])
        made = Crank(pivot, point, float(abs(at[0] + turn[0] * point - pivot)))
        if made.length > SAME * size and all(abs(c.pivot - pivot) + abs(c.point - point) > SAME * size for c in found):
            found.append(made)
    return sorted(found, key=lambda c: c.length)


def motion_linkages(poses: Any, cranks: list[Crank]) -> list[MotionLinkage]:
    """All pairs of cranks as linkages, those without defects first: a linkage has a branch defect where it must be
    taken apart between positions, and one of order where its first crank does not pass them one after the other."""
    at, turn = _poses(poses, 3, 1000)
    found = [MotionLinkage((a, b), max(_off(a, at, turn), _off(b, at, turn)), _defects(a, b, at, turn))
             for a, b in combinations(cranks, 2) if abs(a.point - b.point) > 0]
    return sorted(found, key=lambda m: (len(m.defects), m.cranks[0].length + m.cranks[1].length))


def _off(crank: Crank, at: Array, turn: Array) -> float:
    return float(np.abs(np.abs(at + turn * crank.point - crank.pivot) - crank.length).max())


def _defects(a: Crank, b: Crank, at: Array, turn: Array) -> list[str]:
    """The side of the coupler on which the second crank is keeps its sign on one branch (Filemon 1972)."""
    A, B = at + turn * a.point, at + turn * b.point
    side = np.imag((B - A) * np.conj(b.pivot - B))
    found = [] if (side > 0).all() or (side < 0).all() else ["branch: it must be taken apart between positions"]
    angles = np.angle(A - a.pivot)
    steps = [np.mod(sense * (angles - angles[0]), 2 * np.pi) for sense in (1, -1)]
    if not any((np.diff(s) > 0).all() for s in steps):
        found.append("order: the crank passes the positions in another order")
    return found


def _poses(poses: Any, least: int, most: int) -> tuple[Array, Array]:
    given = number_array("positions", poses)
    if given.ndim != 2 or given.shape[1] != 3 or not least <= len(given) <= most or not np.isfinite(given).all():
        count = f"{least}" if least == most else f"{least} to {most}"
        raise ModelError(f"positions of a body: {np.shape(poses)}; {count} rows of x, y and angle [rad] are needed.")
    return given[:, 0] + 1j * given[:, 1], np.exp(1j * given[:, 2])
