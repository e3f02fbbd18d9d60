"""What happened in a run: events with the states before and after them, as results keep and files hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.model.geometry import Array
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.system import System


@dataclass(frozen=True, eq=False)
class Happening:
    """An event of a run: when, its name, what it did, and the states just before and after it. Events at the same time
    act together; `energy` [J] is what all of them put in, less than zero where an impact lost it."""

    t: float
    name: str
    done: str
    energy: float
    impulses: dict[str, float]  # along measures [N s, N m s]
    before: State
    after: State

    @property
    def changed(self) -> dict[str, tuple[float, float]]:
        """Inputs, variables, states and what is on or off that changed: values before and after."""
        system = self.after.system
        names = [*system.auxiliaries, *system.switchboard.channels, *system.deciding.channels]
        pairs = {name: (self.before[name], self.after[name]) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def __str__(self) -> str:
        lost = f" ({self.energy:+.3g} J)" if abs(self.energy) > 0 else ""
        return f"t = {self.t:.9g} s: {self.name!r} {self.done}{lost}"


def gathered(system: System, raw: Sequence[Any]) -> tuple[Happening, ...]:
    """What the kernel recorded, event by event."""
    found = []
    for t, numbers, before, after, turns, energy, hits in raw:
        first, second = (State(system, t, y, turns) for y in (before, after))
        for number in numbers:
            event = system.events[number]
            if not event.shown:
                continue
            targets = [*event.targets, *system.deciding.in_blows]
            given = [impulse for owner, _, impulse in hits if owner == number]
            impulses = dict(zip(targets, given, strict=False))  # a stop that closes without a blow has none
            found.append(Happening(t, event.name, event.done, energy, impulses, first, second))
    return tuple(found)


def packed(events: Sequence[Happening]) -> tuple[list[Any], dict[str, Array]]:
    """Events as plain data and arrays, for a file."""
    told = [[e.t, e.name, e.done, e.energy, e.impulses] for e in events]
    if not events:
        return [], {}
    return told, {"events_before": np.array([e.before.y for e in events]),
                  "events_after": np.array([e.after.y for e in events]),
                  "events_turns": np.array([e.after.turns for e in events])}


def unpacked(system: System, told: Any, arrays: dict[str, Any]) -> tuple[Happening, ...] | None:
    """Events from a file; None if they do not fit together."""
    if not told:
        return ()
    if not isinstance(told, list) or not all(map(_is_told, told)):
        return None
    sizes = {"before": system.kernel.state_size, "after": system.kernel.state_size, "turns": system.kernel.turns}
    found: list[Array] = [arrays.get(f"events_{name}", np.zeros(0)) for name in sizes]
    if any(a.dtype != float or a.shape != (len(told), n) for a, n in zip(found, sizes.values(), strict=True)):
        return None
    before, after, turns = found
    return tuple(Happening(t, name, done, energy, impulses, State(system, t, y, angles), State(system, t, z, angles))
                 for (t, name, done, energy, impulses), y, z, angles in zip(told, before, after, turns, strict=True))


def _is_told(entry: Any) -> bool:
    return (isinstance(entry, list) and len(entry) == 5 and isinstance(entry[0], int | float)
            and math.isfinite(entry[0]) and isinstance(entry[1], str) and isinstance(entry[2], str)
            and isinstance(entry[3], int | float) and isinstance(entry[4], dict))
