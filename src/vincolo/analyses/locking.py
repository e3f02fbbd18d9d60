"""Mechanisms that lock: drives that lose hold of what they move, at a dead centre or at the end of its reach.

There a combination of rows of joints and drives vanishes, n^T J = 0, in which a drive takes part: it would have to
move what the joints hold."""

from __future__ import annotations

import math

import numpy as np

from vincolo.state import State
from vincolo.system import System

NEARLY = 1e-4  # singular values of the rows of length 1 that count as zero
TAKES_PART = 1e-3  # of a combination of length 1
SHOWN = 4  # drives with their values
DEAD_CENTRE = "a dead centre or the end of its reach: rows of joints and drives become dependent there"


def driven(system: System) -> list[str]:
    """The coordinates and measures that drives move, by name."""
    names = [held.measure.name for held in system.holds.values() if held.drive]
    return [name for name in names if name is not None and name in system.quantities]


def told_drives(state: State) -> str:
    """Where the drives stand: O.angle = 3.48143 rad (199.471 deg)."""
    names = driven(state.system)
    told = [f"{name} = {_told(state[name], state.channels.unit(name))}" for name in names[:SHOWN]]
    return ", ".join([*told, *([f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else [])])


def _told(value: float, unit: str) -> str:
    return f"{value:.6g} {unit}".rstrip() + (f" ({math.degrees(value):.6g} deg)" if unit == "rad" else "")


def locked(state: State, cause: str = DEAD_CENTRE) -> str:
    """That a mechanism locks, when, where its drives stand, and the way out."""
    at = told_drives(state)
    return (f"the mechanism locks at t = {state.t:.6g} s{f' ({at})' if at else ''}: {cause}.\n"
            "  Stop before it, or drive another coordinate.")


def loses_drives(state: State) -> bool:
    """Whether a drive takes part in a combination of rows that vanishes here."""
    drives = [k for k, row in enumerate(state.system.rows) if row.drive]
    if not drives or not np.isfinite(state.y).all():
        return False
    J = state.jacobian()[0]
    lengths = np.linalg.norm(J, axis=1)
    if (lengths[drives] <= NEARLY * lengths.max(initial=0.0)).any():
        return True
    U, s, _ = np.linalg.svd(J / np.where(lengths > 0, lengths, 1.0)[:, None], full_matrices=True)
    vanishing = U[:, np.flatnonzero(np.append(s, np.zeros(len(U) - len(s))) < NEARLY)]
    return bool((np.linalg.norm(vanishing[drives], axis=1) > TAKES_PART).any())
