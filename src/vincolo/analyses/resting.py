"""What holds at rest: which stops are closed and what friction sticks, found as a position of rest is looked for.

A closed stop and friction that sticks are rows like those of joints. A stop that is met on the way closes; one that
would have to pull opens; friction holds what it held at the start, and is asked in the end whether it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from vincolo.analyses.bounds import BEYOND, check_stops, refuse_reading
from vincolo.analyses.tangent import Tangent, closed, displaced, tangent
from vincolo.errors import ModelError, SimulationError
from vincolo.layout import auxiliaries_of
from vincolo.model.friction import Friction
from vincolo.model.measure import RATE
from vincolo.model.measure_units import force_unit, measure_unit
from vincolo.state import State
from vincolo.system import System

PULL = 1e-9  # share of the forces at work that a stop may pull with
DRIFT = 1e-11  # of the extent, or rad, that friction may have given way to second order
HALVINGS = 100  # of a step that passes a stop
LEAVING = tuple(0.5**k for k in range(1, 30))  # shares of a step at which a stop may have been left
SLOW = 1e-9  # m/s or rad/s
MOST = 20  # changes of what holds, and two more for each stop


@dataclass(frozen=True)
class Side:
    """One side of a stop: sign (measure - bound) >= 0."""

    stop: str
    sign: float
    bound: float
    row: int
    gate: int
    near: float  # m or rad: closer than this it touches

    def gap(self, state: State) -> float:
        """How far from the bound a state is."""
        return self.sign * (float(state[f"{self.stop}.value"]) - self.bound)


@dataclass(frozen=True)
class Rub:
    """Friction that sticks, along one of its measures, and where it does."""

    friction: Friction
    title: str
    row: int
    gate: int
    value: float
    near: float


class Met(Exception):
    """The way to a position of rest leads to stops."""

    def __init__(self, state: State, sides: list[Side]) -> None:
        super().__init__()
        self.state, self.sides = state, sides


@dataclass(eq=False)
class Resting:
    """The stops and frictions of a system on the way to rest."""

    sides: list[Side]
    rubs: list[Rub]
    now: set[Side] = field(default_factory=set)  # that are closed

    @staticmethod
    def of(start: State) -> Resting:
        """Those of a start, of which stops that touch are closed."""
        check_stops("statics()", start)
        found = Resting(sides_of(start.system), rubs_of(start))
        found.now = {side for side in found.sides if side.gap(start) <= side.near}
        return found

    def held(self, state: State) -> State:
        """The state with what holds now."""
        on = {side.stop for side in self.now}
        stops = state.system.model.stops
        gates = {side.gate: side in self.now for side in self.sides}
        gates |= {rub.gate: rub.friction.on not in stops or rub.friction.on in on for rub in self.rubs}
        return with_gates(state, gates)

    def passed(self, here: State, there: State, go: Callable[[float], State | None]) -> None:
        """Raises Met where a step passes open stops, with the state at the first of them; `go` makes a share of it."""
        gone = [side for side in self.sides if side not in self.now and side.gap(there) < -side.near]
        if not gone:
            return
        if away := _left_behind(here, gone, go):
            raise Met(*_first_met(away[1], gone, go, away[0]))
        shares = {side: max(0.0, side.gap(here)) / max(side.gap(here) - side.gap(there), 1e-300) for side in gone}
        first = min(shares.values())
        state = go(first)
        met = [side for side in gone if shares[side] <= first * (1 + 1e-9)]
        if state is not None and any(abs(side.gap(state)) > side.near for side in met):  # gaps that bend along the step
            state, met = _first_met(state, gone, go)
        raise Met(here if state is None else state, met)

    def close(self, met: Met, like: Tangent) -> State:
        """The state at stops that are met, with them closed."""
        self.now |= set(met.sides)
        on = {side.stop for side in met.sides}
        for k, rub in enumerate(self.rubs):  # friction on them sticks where they are met
            if rub.friction.on in on:
                self.rubs[k] = replace(rub, value=float(met.state[f"{rub.title}.value"]))
        state = self.held(met.state)
        found = closed(state, tangent(state, like=like))
        if found is None:
            names = ", ".join(f"'{side.stop}'" for side in met.sides)
            raise SimulationError(f"statics(): the mechanism meets stop {names} and cannot rest on it: joints and "
                                  "stops leave no position for it.\n  Move the stop, or start elsewhere (start=).")
        return found

    def opened(self, here: Tangent, scale: float) -> State | None:
        """The state without the stop that pulls most; None where all push."""
        pulls = {side: side.sign * float(here.lam[side.row]) for side in self.now}
        worst = max(pulls, key=lambda side: pulls[side], default=None)
        if worst is None or pulls[worst] <= PULL * scale:
            return None
        self.now.discard(worst)
        return self.held(here.state)

    def gone_back(self, here: Tangent) -> State | None:
        """The state with friction where it stuck; None if it is there."""
        phi = np.zeros(len(here.at.Phi))
        for rub in self._holding(here.state):
            phi[rub.row] = float(here.state[f"{rub.title}.value"]) - rub.value
        if all(abs(phi[rub.row]) <= rub.near for rub in self.rubs):
            return None
        back = displaced(here.state, -here.across(phi))
        return closed(back, tangent(back, like=here))

    def _holding(self, state: State) -> list[Rub]:
        carried = auxiliaries_of(state.y, len(state.system.centred))
        return [rub for rub in self.rubs if carried[rub.gate]]

    def check(self, state: State) -> None:
        """Refuses friction that would have to carry more than it can."""
        for rub in self._holding(state):
            name, unit = rub.friction.name, force_unit(measure_unit(rub.friction.measure))
            force, most = abs(float(state[f"{name}.force"])), bound_of(rub.friction, state)
            if force > most * (1 + PULL) + 1e-12:
                raise SimulationError(
                    f"statics(): friction {name!r} would have to hold {force:.6g} {unit} and holds {most:.6g} {unit}: "
                    "it slips, and where it comes to rest depends on the way there.\n  Let simulate() run until it is "
                    "at rest and take its last state, or remove the friction from a copy of the model.")

    def undecided(self) -> str:
        """Why no choice of what holds came to rest."""
        way_out = "Start nearer to the equilibrium (start=), or let simulate() come to rest."
        stops = ", ".join(f"'{name}'" for name in dict.fromkeys(side.stop for side in self.sides))
        if stops:
            return (f"statics(): no set of closed stops fits together (stops {stops}): each that is tried leads to "
                    f"another.\n  {way_out}")
        rubs = ", ".join(f"'{name}'" for name in dict.fromkeys(rub.friction.name for rub in self.rubs))
        return (f"statics(): no equilibrium was found with friction {rubs} holding where it stuck: it would have to "
                f"slide to balance the forces.\n  {way_out}")

    def told(self) -> str:
        """Which stops are closed, in words."""
        names = ", ".join(f"'{side.stop}' at {side.bound:g}" for side in self.sides if side in self.now)
        return f"Closed stops: {names}." if names else ""


def near_of(system: System, unit: str) -> float:
    """What counts as touching: m of the whole mechanism, or rad."""
    return BEYOND * (1.0 if unit == "rad" else system.extent)


def sides_of(system: System) -> list[Side]:
    """All sides of all stops."""
    found = []
    for name, stop in system.model.stops.items():
        near = near_of(system, measure_unit(stop.measure))
        rows = zip(stop.sides, system.block_rows[name], system.deciding.gates[name], strict=True)
        found += [Side(name, sign, bound, row, gate, near) for (sign, bound), row, gate in rows]
    return found


def rubs_of(start: State) -> list[Rub]:
    """All friction that can stick, with where it is."""
    system = start.system
    return [Rub(friction, title, row, system.deciding.gates[name][0], float(start[f"{title}.value"]),
                DRIFT / BEYOND * near_of(system, measure_unit(friction.measure)))
            for name, friction in system.deciding.rubs.items()
            for title, row in zip(friction.titles, system.block_rows[name], strict=True)]


def _left_behind(here: State, gone: list[Side], go: Callable[[float], State | None]) -> tuple[float, State] | None:
    """A share of a step, and its state, where stops that touch at the start have been left, to be met again later: a
    body in a ring leaves it on one side and meets it on the other. None where none touches, or it is not left."""
    touching = [side for side in gone if side.gap(here) <= side.near]
    for share in LEAVING if touching else ():
        state = go(share)
        if state is not None and all(side.gap(state) > side.near for side in gone):
            return share, state
    return None


def _first_met(state: State, gone: list[Side], go: Callable[[float], State | None],
               low: float = 0.0) -> tuple[State, list[Side]]:
    """The state at the first stops that a step passes, by bisection of the step; `state` is one on the way, before
    which nothing is met up to the share `low`."""
    high, met = 1.0, gone
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        tried = go(middle)
        if tried is None or any(side.gap(tried) < -side.near for side in gone):
            high = middle
            met = met if tried is None else [side for side in gone if side.gap(tried) < -side.near]
            continue
        low, state = middle, tried
        if touching := [side for side in gone if side.gap(tried) <= side.near]:
            return tried, touching
    return state, met


def with_gates(state: State, gates: dict[int, bool]) -> State:
    """A state in which rows hold or do not, and nothing slips."""
    y = state.y.copy()
    carried = auxiliaries_of(y, len(state.system.centred))
    for gate, on in gates.items():
        carried[gate] = float(on)
    deciding = state.system.deciding
    carried[[number for name in deciding.rubs for number in deciding.slipping(name)]] = 0.0
    return state.with_vector(y)


def bound_of(friction: Friction, state: State) -> float:
    """What friction can hold at a state [N or N m]."""
    system, formula = state.system, friction.bound
    seen = {"dd": 0.0} | {name: float(state[part]) for name, part in (*formula.reads, *formula.forces)}
    for name, measure in formula.others:
        q = system.numbers.quantity(measure)
        seen[name], seen[f"{name}{RATE}"] = (float(state.channels.observed[x][0, q]) for x in ("value", "rate"))
    return formula.tape.evaluate(state.t, [seen[name] for name in formula.tape.inputs])


def refuse_undecided(who: str, state: State) -> None:
    """Refuses a state at which it is not decided what holds, and friction that slips with the reactions: those have
    slopes that are not known here."""
    model, carried = state.system.model, auxiliaries_of(state.y, len(state.system.centred))
    for side in sides_of(state.system):
        if not carried[side.gate] and side.gap(state) <= side.near and abs(state[f"{side.stop}.rate"]) <= SLOW:
            raise _undecided(who, f"stop {side.stop!r} touches")
    for name, friction in model.frictions.items():
        slips = friction.regularised or not carried[state.system.deciding.gates[name][0]]
        if slips and not friction.regularised and not carried[state.system.deciding.slipping(name)].any():
            if friction.on in model.stops and not state[f"{friction.on}.on"]:
                continue  # the stop is open
            raise _undecided(who, f"friction {name!r} is at rest")
        if slips and friction.bound.forces:
            raise ModelError(f"{who}: friction {name!r} slips with a force that follows from reactions, which has no "
                             "slope here.\n  Take a state in which it sticks, or give its load as a number "
                             "(normal=) in a copy of the model.")
    refuse_reading(who, state.system)


def _undecided(who: str, what: str) -> ModelError:
    return ModelError(f"{who}: {what}, and the state does not say whether it holds.\n"
                      "  Take statics(...).state, or result.state(t) of a run.")
