"""What is switched in a run, by which auxiliary states, and what happens when, for the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vincolo.expressions import constant, expression
from vincolo.layout import auxiliaries_of
from vincolo.model.event import Event, Hit, Setting, Switched, switching
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.system import System

Part = tuple[str, int | None]  # a joint, drive or force, or one row of a joint


class Switchboard:
    """Auxiliary states that say what holds and acts (1, or 0 where it is off), and where rows hold that latch."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.events: list[Event] = [*switching(model.switches), *model.events.values()]
        self.switched = [a for e in self.events for a in e.actions if isinstance(a, Switched)]
        self.switched += [Switched(s.owner, s.on, s.rows) for s in model.switches]
        single = {s.owner for s in self.switched if s.rows is not None}
        self.parts: list[Part] = list(dict.fromkeys(
            part for s in self.switched for part in (self._rows(s) if s.owner in single else [(s.owner, None)])))
        self.single = single
        self.gates: dict[Part, int] = {}
        self.latches: dict[tuple[str, int], int] = {}

    def _rows(self, s: Switched) -> list[Part]:
        count = len(self.model.joints[s.owner].form.rows)
        return [(s.owner, k) for k in (range(count) if s.rows is None else s.rows)]

    def _parts(self, s: Switched) -> list[Part]:
        return self._rows(s) if s.owner in self.single else [(s.owner, None)]

    @property
    def joints(self) -> list[str]:
        """Joints and drives that are switched."""
        return [name for name in dict.fromkeys(owner for owner, _ in self.parts)
                if name in self.model.joints or name in self.model.holds]

    @property
    def channels(self) -> dict[str, int]:
        """Names under which results show what is on."""
        return {f"{owner}.on" if k is None else f"{owner}.on.{k}": n for (owner, k), n in self.gates.items()}

    def add_states(self, kernel: Any) -> None:
        """Its auxiliary states."""
        self.gates = {part: kernel.add_auxiliary(1.0) for part in self.parts}
        latched = [row for s in self.switched if s.on and s.latch for row in self._held(s)]
        self.latches = {row: kernel.add_auxiliary(1.0) for row in dict.fromkeys(latched)}

    def _held(self, s: Switched) -> list[tuple[str, int]]:
        """Rows that can hold where they stand: those of positions."""
        if s.owner in self.model.holds:
            return [(s.owner, 0)] if self.model.holds[s.owner].level == "position" else []
        if s.owner not in self.model.joints:
            return []
        levels = self.model.joints[s.owner].form.levels
        return [(s.owner, k) for k in (range(len(levels)) if s.rows is None else s.rows) if levels[k] == "position"]

    def latches_at(self, joint: str) -> bool:
        """Whether a joint may come to hold apart from where it is drawn."""
        return any(owner == joint for owner, _ in self.latches)

    def connect(self, system: System) -> None:
        """Rows, laws and loads to their states, and all events."""
        kernel = system.kernel
        for (owner, k), number in self.gates.items():
            if owner in system.block_rows:
                rows = system.block_rows[owner]
                for row in rows if k is None else rows[k:k + 1]:
                    kernel.set_gate("row", row, number)
            elif owner in system.laws:
                kernel.set_gate("law", system.laws[owner], number)
            else:
                kernel.set_gate("load", system.loads[owner], number)
        for (owner, k), number in self.latches.items():
            kernel.set_latch(system.block_rows[owner][k], number)
        for event in self.events:
            self._add_event(system, event)

    def _add_event(self, system: System, event: Event) -> None:
        kernel = system.kernel
        number = kernel.add_event(event.direction, list(event.at), event.every, event.stop, event.call is not None)
        if event.when is not None:
            kernel.set_guard(number, expression(system, event.when))
        for action in event.actions:
            if isinstance(action, Switched):
                for part in self._parts(action):
                    kernel.add_action(number, "set", self.gates[part], constant(float(action.on)))
                for owner, k in self._held(action) if action.on and action.latch else []:
                    kernel.add_action(number, "latch", system.block_rows[owner][k], constant(0.0))
            elif isinstance(action, Setting):
                kernel.add_action(number, "set", system.auxiliaries[action.name], expression(system, action.value))
            else:
                self._add_hit(system, number, action)

    @staticmethod
    def _add_hit(system: System, number: int, hit: Hit) -> None:
        quantity = system.numbers.quantity(hit.measure)
        system.kernel.add_action(number, "bounce" if hit.bounce else "strike", quantity, expression(system, hit.value))

    def set_states(self, y: Array, bodies: int, t: float) -> None:
        """What is on at a time [s] as far as switches at given times say it, into a state."""
        own = auxiliaries_of(y, bodies)
        for number in self.gates.values():
            own[number] = 1.0
        for s in sorted(self.model.switches, key=lambda s: s.at):
            if s.at <= t:
                for part in self._parts(Switched(s.owner, s.on, s.rows)):
                    own[self.gates[part]] = float(s.on)

    def on(self, y: Array, bodies: int, owner: str) -> bool:
        """Whether a joint or drive holds in a state; of a joint any of its rows."""
        numbers = [n for (name, _), n in self.gates.items() if name == owner]
        return not numbers or bool(auxiliaries_of(y, bodies)[numbers].any())
