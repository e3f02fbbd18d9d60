"""Coordinates that nobody asked for stay where they are, as far as the loops of a mechanism allow it; and wishes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from vincolo.analyses.closing import CLOSED, Aim, Closing, Given, close, meet, residual_of, values_of
from vincolo.analyses.descent import lowest
from vincolo.analyses.restarts import PATIENCE, closed_from, turned
from vincolo.channels.units import quantity_units
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System

NEAR = 1e-4  # rad, or share of the mechanism's size: a coordinate that comes so near to where it was can stay there
MET = 1e-6  # rad, or share of the mechanism's size: a wish that is missed by less is met


def unnamed(state: State, named: Iterable[str]) -> Given:
    """The coordinates of joints that nothing is asked of, at the values they have, rotations and lengths alike."""
    system = state.system
    asked = {name.removesuffix(".rate") if name not in system.quantities else name for name in named}
    asked |= {held.measure.name or "" for held in system.holds.values()}
    names = [n for joint in system.joints.values() for m in joint.coordinates.values()
             if (n := m.name or "") not in asked]
    numbers = [system.quantities[n] for n in names]
    values = system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(),
                                         numbers)["quantity"] if numbers else []
    return Given(numbers, np.array(values, dtype=float), names, 1 / sizes_of(system, numbers) ** 2)


def sizes_of(system: System, quantities: list[int]) -> Array:
    """What makes lengths comparable with angles: the mechanism's size [m] for lengths, 1 for all else."""
    units, size = quantity_units(system), max(c.length for c in system.centred)
    return np.array([size if units.get(q) == "m" else 1.0 for q in quantities])


def closed_keeping(state: State, aim: Aim, rest: Given) -> Closing:
    """Closes with the other coordinates where they are, or as near to that as loops allow, in the sense of squares."""
    if not rest.quantities or np.abs(residual_of(state, _with(aim, rest))).max(initial=0.0) <= CLOSED:
        return closed_from(state, aim)
    kept = close(state, _with(aim, rest), PATIENCE)  # in a tree all of them can stay
    if kept.closed and not turned(kept):
        return replace(kept, residual=kept.residual[:len(kept.residual) - len(rest.quantities)])
    found = closed_from(state, aim)
    return replace(found, state=_settled(found.state, aim, rest)) if found.closed else found


def _settled(state: State, aim: Aim, rest: Given) -> State:
    """The other coordinates as near as can be to where they were; what comes near is held there exactly."""
    state = meet(state, aim, rest, 0.01 * NEAR)
    away = np.abs(values_of(state, rest).residual) * np.sqrt(rest.weights)
    exact = close(state, _with(aim, _chosen(rest, np.nonzero(away <= NEAR)[0].tolist())), PATIENCE)
    return exact.state if exact.closed and not turned(exact) else state


def _chosen(given: Given, places: list[int]) -> Given:
    return Given([given.quantities[k] for k in places], given.values[places], [given.names[k] for k in places])


def wished(state: State, aim: Aim, wishes: Given, rest: Given) -> State:
    """The state in which wishes are met best, by least squares; where all are met, others stay as they can."""
    if not wishes.quantities:
        return state
    enough = 0.5 * float(wishes.weights.min()) * (1e-3 * MET) ** 2
    found = lowest(meet(state, aim, wishes), aim, lambda s: _miss(s, wishes), enough)
    if not rest.quantities or missed(found, wishes):
        return found
    settled = closed_keeping(found, _with(aim, wishes), rest)
    return settled.state if settled.closed else found


def missed(state: State, wishes: Given) -> list[tuple[str, float, float]]:
    """Wishes that are not met: name, value asked for, value there."""
    if not wishes.quantities:
        return []
    away = values_of(state, wishes).residual
    limits = MET * sizes_of(state.system, wishes.quantities)
    return [(name, float(value), float(value + off)) for name, value, off, limit
            in zip(wishes.names, wishes.values, away, limits, strict=True) if abs(off) > limit]


def _with(aim: Aim, more: Given) -> Aim:
    given = Given(aim.given.quantities + more.quantities, np.concatenate([aim.given.values, more.values]),
                  aim.given.names + more.names)
    return replace(aim, given=given)


def _miss(state: State, wishes: Given) -> tuple[float, Array]:
    """Half the sum of weight (quantity - value)^2, and its gradient on (dr, dtheta) of every body."""
    at = values_of(state, wishes)
    pull = wishes.weights * at.residual
    return 0.5 * float(pull @ at.residual), at.pulled(pull)
