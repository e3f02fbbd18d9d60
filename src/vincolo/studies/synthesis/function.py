"""Linkages whose output angle is a function of the input angle: four-bars by Freudenstein's equation, and six-bars of
two four-bars one after the other (Watt II), polished by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.checks import number_array
from vincolo.model.geometry import Array
from vincolo.studies.plan import MOST_SEED, whole_number
from vincolo.studies.synthesis.four_bar import FourBar

FAR = 20.0  # times the ground link: the longest link that is taken
STARTS = 400  # random linkages from which six-bars are polished


def freudenstein(phi: Any, psi: Any) -> FourBar:
    """The four-bar of ground link 1 whose crank and rocker, from the ground link, have angles phi and psi [rad]:
    exactly at three positions, at more as well as K1 cos psi - K2 cos phi + K3 = cos(phi - psi) can be met in the mean
    (Freudenstein 1955)."""
    a, b = (number_array("freudenstein(): angles", x) for x in (phi, psi))
    if a.ndim != 1 or a.shape != b.shape or len(a) < 3:
        raise ModelError(f"freudenstein(): {a.size} and {b.size} angles; three of each at least are needed.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ModelError("freudenstein(): an angle is not finite; angles are in rad.")
    M = np.stack([np.cos(b), -np.cos(a), np.ones(len(a))], axis=-1)
    K, _, rank, _ = np.linalg.lstsq(M, np.cos(a - b), rcond=None)
    if rank < 3:
        raise ModelError("freudenstein(): these positions are not three different ones.\n  Choose others.")
    if min(abs(K[0]), abs(K[1])) < 1 / FAR:
        raise ModelError(f"freudenstein(): a link would be more than {FAR:g} times as long as the ground link.\n"
                         "  Choose other ranges of the angles, or another precision point.")
    crank, rocker = float(1 / K[0]), float(1 / K[1])
    square = crank**2 + rocker**2 + 1 - 2 * crank * rocker * K[2]
    if square <= 0:
        raise ModelError("freudenstein(): no coupler has these positions.\n  Choose other ranges of the angles.")
    a, b = (np.where(size < 0, x + np.pi, x) for size, x in ((crank, a), (rocker, b)))  # a negative link points back
    made = [FourBar(1.0, abs(crank), float(np.sqrt(square)), abs(rocker), branch=branch) for branch in (1, -1)]
    return min(made, key=lambda m: float(np.nan_to_num(np.abs(_wrapped(m.rocker_angle(a) - b)), nan=10.0).sum()))


@dataclass(frozen=True, eq=False)
class FunctionLinkage:
    """Four-bars one after the other, the output of each turning the next; `offsets` [rad] are added to the angles of
    their cranks. `error` is the largest deviation of the output [rad], `defects` what stands against it."""

    stages: tuple[FourBar, ...]
    offsets: tuple[float, ...]
    zero: float  # rad, added to the last output
    error: float
    rms: float
    defects: list[str]

    def output(self, phi: Any) -> Array:
        """The output angle [rad] at input angles."""
        return _output(self.stages, self.offsets, np.asarray(phi, dtype=float)) + self.zero


def function_linkage(phi: Any, psi: Any, *, stages: int = 2, seed: int = 1, starts: int = STARTS) -> FunctionLinkage:
    """The four-bar (stages=1), or six-bar of two of them (2), whose output comes nearest to angles psi at input angles
    phi [rad], up to where both are counted from. Input angles rise; the linkage is closed on one branch between
    them."""
    a, b = (number_array("function_linkage(): angles", x) for x in (phi, psi))
    if a.ndim != 1 or a.shape != b.shape or len(a) < 4 or not (np.diff(a) > 0).all():
        raise ModelError("function_linkage(): give four input angles at least, which rise, and as many output angles.")
    if stages not in (1, 2):
        raise ModelError(f"function_linkage(): stages is {stages!r}; it is 1 for a four-bar or 2 for a six-bar.")
    whole_number("function_linkage(): starts", starts, 1, 10**6)
    rng = np.random.default_rng(whole_number("function_linkage(): the seed", seed, 0, MOST_SEED))
    found = [_polished(_random(rng, stages), a, b, stages, branches) for _ in range(max(1, int(starts) // 8))
             for branches in ((1, 1), (1, -1), (-1, 1), (-1, -1))[:2 ** stages]]
    good = [f for f in found if f is not None]
    if not good:
        raise ModelError("function_linkage(): no linkage was found that can be closed.\n  Take more starts=, or other "
                         "angles.")
    return min(good, key=lambda f: (len(f.defects), f.rms))


def _random(rng: np.random.Generator, stages: int) -> Array:
    """Lengths of crank, coupler and rocker over the ground link, and where the crank begins, of each stage."""
    return np.concatenate([np.concatenate([np.exp(rng.uniform(-1.0, 1.0, 3)), rng.uniform(-np.pi, np.pi, 1)])
                           for _ in range(stages)])


def _stages(x: Array, branches: tuple[int, ...]) -> tuple[tuple[FourBar, ...], tuple[float, ...]]:
    parts = x.reshape(-1, 4)
    return (tuple(FourBar.of([1.0, *p[:3]], b) for p, b in zip(parts, branches, strict=False)),  # type: ignore[arg-type]
            tuple(float(p[3]) for p in parts))


def _output(stages: tuple[FourBar, ...], offsets: tuple[float, ...], phi: Array) -> Array:
    angle = phi
    for stage, offset in zip(stages, offsets, strict=True):
        angle = np.unwrap(stage.rocker_angle(angle + offset))
    return angle


def _polished(x: Array, phi: Array, psi: Array, stages: int, branches: tuple[int, ...]) -> FunctionLinkage | None:
    from scipy.optimize import least_squares

    def off(z: Array) -> Array:
        found = _output(*_stages(z, branches), phi)
        if np.isnan(found).any():
            return np.full(len(phi), 10.0)
        return np.asarray(found - psi - np.mean(found - psi))

    low = np.tile([0.05, 0.05, 0.05, -2 * np.pi], stages)
    high = np.tile([FAR, FAR, FAR, 2 * np.pi], stages)
    if abs(off(x)[0]) == 10.0:
        return None
    result = least_squares(off, x, bounds=(low, high), xtol=1e-12, ftol=1e-12, max_nfev=200)
    left = off(result.x)
    if not np.isfinite(left).all() or left[0] == 10.0:
        return None
    made, offsets = _stages(result.x, branches)
    zero = float(np.mean(psi - _output(made, offsets, phi)))
    return FunctionLinkage(made, offsets, zero, float(np.abs(left).max()), float(np.sqrt(np.mean(left**2))),
                           _defects(made, offsets, phi))


def _defects(stages: tuple[FourBar, ...], offsets: tuple[float, ...], phi: Array) -> list[str]:
    """Whether a stage locks between the positions."""
    between = np.linspace(phi[0], phi[-1], 500)
    angle, found = between, []
    for k, (stage, offset) in enumerate(zip(stages, offsets, strict=True)):
        angle = np.unwrap(stage.rocker_angle(angle + offset))
        if np.isnan(angle).any():
            return [f"circuit: stage {k + 1} locks between the positions"]
        if np.abs(np.diff(angle)).max() > 0.5:
            found.append(f"branch: stage {k + 1} jumps between the positions")
    return found


def _wrapped(angle: Array) -> Array:
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)
