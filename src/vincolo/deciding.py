"""What the motion decides, for the kernel: which stops hold, and what sticks; with the events by which it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vincolo.expressions import Expression, Own, expression
from vincolo.held import add_block
from vincolo.model.event import Event
from vincolo.model.expression import parse
from vincolo.model.friction import WAY

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.model.friction import Friction
    from vincolo.system import System


@dataclass(frozen=True, eq=False)
class ModeEvent(Event):
    """A stop that closes or opens, friction that sticks or slips."""

    owner: str = ""
    words: str = ""
    rubs: tuple[str, ...] = ()  # frictions on a stop that closes

    @property
    def condition(self) -> str:
        return "the motion decides"

    @property
    def done(self) -> str:
        return self.words

    @property
    def targets(self) -> list[str]:
        return [self.owner, *self.rubs]

    @property
    def by_motion(self) -> bool:
        return True


class Deciding:
    """Auxiliary states, rows, laws and events of stops and friction."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.events: list[ModeEvent] = []
        self.rubs = {name: f for name, f in model.frictions.items() if not f.regularised}
        for name, stop in model.stops.items():
            on_it = tuple(rub for rub, f in self.rubs.items() if f.on == name)
            for _, bound in stop.sides:
                self.events += [ModeEvent(f"{name}.{word}", owner=name, words=f"{word} at {bound:g}", rubs=on_it)
                                for word in ("closes", "opens")]
        for name in self.rubs:
            self.events += [ModeEvent(f"{name}.{word}", owner=name, words=word) for word in ("sticks", "slips")]
        self.gates: dict[str, list[int]] = {}
        self.ways: dict[str, int] = {}

    @property
    def any(self) -> bool:
        """Whether the motion decides anything."""
        return bool(self.events)

    @property
    def channels(self) -> dict[str, list[int]]:
        """Names under which results show what holds, with the auxiliary states whose sum it is."""
        return {f"{name}.{'stuck' if name in self.rubs else 'on'}": gates for name, gates in self.gates.items()}

    def add_states(self, kernel: Any) -> None:
        """One for each row: 1 where it holds, and 0 at the start, until the motion has decided."""
        for name, stop in self.model.stops.items():
            self.gates[name] = [kernel.add_auxiliary(1.0) for _ in stop.sides]
        for name in self.rubs:
            self.gates[name], self.ways[name] = [kernel.add_auxiliary(1.0)], kernel.add_auxiliary(1.0)

    def add_rows(self, system: System) -> None:
        """A block for each stop, with one row for each of its sides, and one for what sticks."""
        for name, stop in self.model.stops.items():
            system.quantities[f"{name}.value"] = q = system.numbers.quantity(stop.measure)
            add_block(system, name, stop.measure, [(q, bound, 0) for _, bound in stop.sides], "stop")
        for name, friction in self.model.frictions.items():
            system.quantities[f"{name}.value"] = q = system.numbers.quantity(friction.measure)
            if name in self.rubs:
                add_block(system, name, friction.measure, [(q, 0.0, 1)], "friction")
        for name in self.gates:
            for row, gate in zip(system.block_rows[name], self.gates[name], strict=True):
                system.kernel.set_gate("row", row, gate)

    def add_laws(self, system: System) -> None:
        """The forces of friction that slips."""
        for name, friction in self.model.frictions.items():
            q = system.quantities[f"{name}.value"]
            formula = expression(system, friction.force, Own(friction.measure, q), self._way(name))
            system.laws[name] = system.kernel.add_formula(q, 1.0, formula)
            system.reacting += [name] if friction.force.forces else []

    def _way(self, name: str) -> dict[str, tuple[str, int]]:
        return {WAY: ("auxiliary", self.ways[name])} if name in self.ways else {}

    def connect(self, system: System) -> None:
        """Events behind those of the switchboard, in the order of their list, and what they are for."""
        for name, stop in self.model.stops.items():
            q = system.quantities[f"{name}.value"]
            rows = zip(stop.sides, system.block_rows[name], self.gates[name], strict=True)
            for (sign, bound), row, gate in rows:
                force = ("force", system.kernel.force_number("row", row))
                closes = self._watch(system, read_as("s*(x - b)", {"s": sign, "b": bound}, x=("value", q)), gate, 0)
                opens = self._watch(system, read_as("s*f", {"s": sign}, f=force), gate, 1)
                system.kernel.add_stop(row, sign, stop.restitution, stop.rest, closes, opens)
        for name, friction in self.rubs.items():
            self._connect_friction(system, name, friction)

    def _connect_friction(self, system: System, name: str, friction: Friction) -> None:
        q, row, gate, way = (system.quantities[f"{name}.value"], system.block_rows[name].start, self.gates[name][0],
                             self.ways[name])
        bound = expression(system, friction.bound, Own(friction.measure, q), self._way(name))
        force = ("force", system.kernel.force_number("row", row))
        sticks = self._watch(system, read_as("w*v", {}, w=("auxiliary", way), v=("rate", q)), gate, 0)
        slips = self._watch(system, left_of(bound, force), gate, 1)
        on = self._stop_number(friction.on)
        grip = friction.mu if on >= 0 else 0.0
        system.kernel.add_rub(row, way, on, friction.rest, grip, bound, (sticks, slips))

    def _stop_number(self, name: str) -> int:
        """The kernel's number of a stop with one side."""
        before = 0
        for stop, part in self.model.stops.items():
            if stop == name:
                return before
            before += len(part.sides)
        return -1

    @staticmethod
    def _watch(system: System, when: Expression, gate: int, value: int) -> int:
        number = int(system.kernel.add_event("down", [], 0.0, False, False))
        system.kernel.set_guard(number, when)
        system.kernel.set_only(number, gate, float(value))
        return number


def left_of(bound: Expression, force: tuple[str, int]) -> Expression:
    """What is left of a bound: bound - |force|."""
    ops, constants, readings = bound
    last = len(ops) - 1
    more = [("input", len(readings), 0), ("abs", last + 1, 0), ("sub", last, last + 2)]
    return [*ops, *more], constants, [*readings, force]


def read_as(text: str, numbers: dict[str, float], **readings: tuple[str, int]) -> Expression:
    """A text over what the kernel reads."""
    tape = parse(text, inputs=tuple(readings), constants=numbers)
    return list(tape.ops), list(tape.constants), [readings[name] for name in tape.inputs]
