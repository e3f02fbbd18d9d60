"""What the motion decides, for the kernel: which stops hold, and what sticks; with the events by which it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vincolo.expressions import Expression, Own, expression
from vincolo.held import add_block
from vincolo.model.event import Event
from vincolo.model.expression import parse
from vincolo.model.friction import LOOSE, TINY, WAY

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.model.friction import Friction
    from vincolo.system import System


SHOWN = ("sticks", "slips")
#: beside these: rest that others hold ends; the direction of a slow slip is held, and let go
WORDS = (*SHOWN, "starts", "slows", "leaves")
GAP = "s*(x - b)"
GAP_OF_SQUARES = "s*(x*x - b*b)"  # of distances, which have a kink where they vanish
SLOW = 1000  # times what counts as rest: slower than this the direction of slip is held


@dataclass(frozen=True, eq=False)
class ModeEvent(Event):
    """A stop that closes or opens, friction that sticks or slips."""

    owner: str = ""
    words: str = ""
    rubs: tuple[str, ...] = ()  # frictions on a stop that closes
    silent: bool = False

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

    @property
    def shown(self) -> bool:
        return not self.silent


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
        for name, friction in self.rubs.items():
            self.events += [ModeEvent(f"{name}.{word}", owner=name, words=word, silent=word not in SHOWN)
                            for word in (WORDS[:3] if len(friction.measures) == 1 else WORDS)]
        self.gates: dict[str, list[int]] = {}
        self.ways: dict[str, list[int]] = {}  # by measure, which way it slips
        self.held: dict[str, int] = {}  # whether it rests because others hold it
        self.led: dict[str, int] = {}  # whether it slips in a direction held
        self.loose: dict[str, int] = {}  # of several measures: whether it slips the way it moves

    def _in_blows(self, friction: Friction) -> bool:
        """Whether impulses of reactions press it: on joints, and where its load reads them."""
        return friction.on not in self.model.stops and bool(friction.bound.forces) and friction.mu > 0

    @property
    def in_blows(self) -> list[str]:
        """Frictions of joints whose impulses are told with an impact, after its own."""
        return [title for f in self.rubs.values() if self._in_blows(f) for title in f.titles]

    @property
    def any(self) -> bool:
        """Whether the motion decides anything."""
        return bool(self.events)

    @property
    def channels(self) -> dict[str, list[int]]:
        """Names under which results show what holds, with the auxiliary states whose sum it is."""
        resting = {f"{name}.stuck": [*self.gates[name], self.held[name]] for name in self.rubs}
        return {f"{name}.on": gates for name, gates in self.gates.items() if name not in self.rubs} | resting

    def add_states(self, kernel: Any) -> None:
        """One for each row: 1 where it holds, and 0 at the start, until the motion has decided."""
        for name, stop in self.model.stops.items():
            self.gates[name] = [kernel.add_auxiliary(1.0) for _ in stop.sides]
        for name, friction in self.rubs.items():
            self.gates[name] = [kernel.add_auxiliary(1.0)]
            self.ways[name] = [kernel.add_auxiliary(1.0) for _ in friction.measures]
            self.held[name], self.led[name] = kernel.add_auxiliary(1.0), kernel.add_auxiliary(1.0)
            if len(friction.measures) > 1:
                self.loose[name] = kernel.add_auxiliary(1.0)

    def slipping(self, name: str) -> list[int]:
        """The auxiliary states of which one is not zero where a friction slips, or is held at rest by others."""
        return [*self.ways[name], *(states[name] for states in (self.held, self.led, self.loose) if name in states)]

    def add_rows(self, system: System) -> None:
        """A block for each stop, with one row for each of its sides, and one for what sticks."""
        for name, stop in self.model.stops.items():
            system.quantities[f"{name}.value"] = q = system.numbers.quantity(stop.measure)
            add_block(system, name, stop.measure, [(q, bound, 0) for _, bound in stop.sides], "stop")
        for name, friction in self.model.frictions.items():
            found = {f"{title}.value": system.numbers.quantity(measure)
                     for title, measure in zip(friction.titles, friction.measures, strict=True)}
            system.quantities |= found
            if name in self.rubs:
                add_block(system, name, friction.measure, [(q, 0.0, 1) for q in found.values()], "friction")
        for name in self.gates:
            rows, gates = system.block_rows[name], self.gates[name]
            for k, row in enumerate(rows):
                system.kernel.set_gate("row", row, gates[k] if len(gates) > 1 else gates[0])

    def add_laws(self, system: System) -> None:
        """The forces of friction that slips."""
        for name, friction in self.model.frictions.items():
            parts = zip(friction.titles, friction.measures, friction.forces, strict=True)
            for k, (title, measure, force) in enumerate(parts):
                q = system.quantities[f"{title}.value"]
                formula = expression(system, force, Own(measure, q), self._way(name, k))
                system.laws[title] = system.kernel.add_formula(q, 1.0, formula)
                system.reacting += [title] if force.forces else []

    def _way(self, name: str, k: int) -> dict[str, tuple[str, int]]:
        """What the law of one direction reads of how friction slips."""
        if name not in self.rubs:
            return {}
        loose = {LOOSE: ("auxiliary", self.loose[name])} if name in self.loose else {}
        return {WAY: ("auxiliary", self.ways[name][k])} | loose

    def connect(self, system: System) -> None:
        """Events behind those of the switchboard, in the order of their list, and what they are for."""
        for name, stop in self.model.stops.items():
            q = system.quantities[f"{name}.value"]
            rows = zip(stop.sides, system.block_rows[name], self.gates[name], strict=True)
            for (sign, bound), row, gate in rows:
                force = ("force", system.kernel.force_number("row", row))
                gap = GAP_OF_SQUARES if stop.measure.is_distance and bound > 0 else GAP
                closes = self._watch(system, read_as(gap, {"s": sign, "b": bound}, x=("value", q)), gate, 0)
                opens = self._watch(system, read_as("s*f", {"s": sign}, f=force), gate, 1)
                system.kernel.add_stop(row, sign, stop.restitution, stop.rest, closes, opens)
        for name, friction in self.rubs.items():
            self._connect_friction(system, name, friction)

    def _connect_friction(self, system: System, name: str, friction: Friction) -> None:
        quantities = [system.quantities[f"{title}.value"] for title in friction.titles]
        rows, gate, ways = list(system.block_rows[name]), self.gates[name][0], self.ways[name]
        held, led, loose = self.held[name], self.led[name], self.loose.get(name)
        bound = expression(system, friction.bound, Own(friction.measure, quantities[0]), self._way(name, 0))
        forces = [("force", system.kernel.force_number("row", row)) for row in rows]
        along = read_as("+".join(f"w{k}*v{k}" for k in range(len(rows))), {},
                        **{f"w{k}": ("auxiliary", way) for k, way in enumerate(ways)},
                        **{f"v{k}": ("rate", q) for k, q in enumerate(quantities)})
        slow = SLOW * friction.rest
        rates = {f"v{k}": ("rate", q) for k, q in enumerate(quantities)}
        squares = "+".join(f"v{k}^2" for k in range(len(rows)))
        events = [self._watch(system, along, led, 1),
                  self._watch(system, left_of(bound, forces), gate, 1),
                  self._watch(system, read_as(f"1 - ({squares})/{slow * slow!r}", {}, **rates), held, 1)]
        if loose is not None:
            speed = f"sqrt({squares}+{TINY!r})"
            events += [self._watch(system, read_as(f"{speed} - {slow!r}", {}, **rates), loose, 1),
                       self._watch(system, read_as(f"{2 * slow!r} - {speed}", {}, **rates), led, 1)]
        on = self._stop_number(friction.on)
        grip = friction.mu if on >= 0 else friction.mu / friction.mu_static if self._in_blows(friction) else 0.0
        marks = [held, led] if loose is None else [held, led, loose]
        system.kernel.add_rub(rows, ways, marks, on, [friction.rest, slow, grip], bound, events)

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


def left_of(bound: Expression, forces: Sequence[tuple[str, int]]) -> Expression:
    """What is left of a bound: bound - |force|."""
    ops, constants, readings = bound
    last = len(ops) - 1
    found = list(ops)

    def write(name: str, a: int, b: int = 0) -> int:
        found.append((name, a, b))
        return len(found) - 1

    parts = [write("input", len(readings) + k) for k in range(len(forces))]
    if len(parts) > 1:
        squares = [write("mul", part, part) for part in parts]
        total = squares[0]
        for square in squares[1:]:
            total = write("add", total, square)
    write("sub", last, write("abs", parts[0]) if len(parts) == 1 else write("sqrt", total))
    return found, constants, [*readings, *forces]


def read_as(text: str, numbers: dict[str, float], **readings: tuple[str, int]) -> Expression:
    """A text over what the kernel reads."""
    tape = parse(text, inputs=tuple(readings), constants=numbers)
    return list(tape.ops), list(tape.constants), [readings[name] for name in tape.inputs]
