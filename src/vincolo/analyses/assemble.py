"""Closing a mechanism: positions first, then velocities, with the least change in the sense of mass."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.analyses.ballast import lend_inertia
from vincolo.analyses.closing import (
    ACCEPTED,
    Aim,
    Closing,
    Given,
    close,
    close_velocities,
    meet_rates,
    values_of,
)
from vincolo.analyses.keeping import MET, closed_keeping, missed, unnamed, wished
from vincolo.analyses.scatter import scattered
from vincolo.analyses.ways_out import along_a_way_out
from vincolo.beside import sensed
from vincolo.errors import AssemblyError, AssemblyWarning, ModelError, suggest
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import Assembly, State, unmet_wish
from vincolo.system import System, as_system

OPEN = 1e-3  # share of the largest gap from which on other joints are called open too
LISTED = 5  # open joints in a message


def assemble(model: Model | System, given: Mapping[str, float] | None = None, *,
             wishes: Mapping[str, float | tuple[float, float]] | None = None, keep: str | Iterable[str] = (),
             t: float = 0.0, guess: State | None = None) -> State:
    """Closes a mechanism from its drawn position or a guess; everything moves as little as its mass allows.

    `given` fixes measures and rates at the start, such as {"O.angle": 0.3, "O.angle.rate": 2.0}. `wishes` are values
    with weights, {"O.angle": (0.3, 10.0)}, met by least squares as far as joints and given values leave room; a value
    alone has weight 1, and wishes that are not met are named in an AssemblyWarning. `keep` names bodies and coordinates
    that stay where they are; velocities may change. Where values are given, wished for or driven, the coordinates of
    all other joints stay where they are as far as loops allow it; what moved is in state.assembly."""
    system, kept = as_system(model), names_of("assemble()", keep)
    aim, rates = aim_of("assemble()", system, given, kept, t, guess)
    start = system.drawn if guess is None else guess
    hopes, faster = _wishes(system, {} if wishes is None else wishes)
    _refuse_twice(given or {}, kept, wishes or {})
    begin = begun(start, float(t), aim, hopes)
    named = (*(given or {}), *kept, *(wishes or {}))
    asks = bool(aim.given.quantities or hopes.quantities or system.holds)
    rest = unnamed(begin, named) if asks else Given()
    found = closed_keeping(begin, aim, rest)
    require_closed(found, aim, begin)
    state = wished(found.state, aim, hopes, rest)
    state = closed_velocities(state, rates)
    state = along_a_way_out(meet_rates(state, rates, faster), rates)
    check_start(state)
    seen = sensed(state)
    state = state if seen is state else closed_velocities(seen, rates)  # drives may follow sensors
    return _told(begin, state, named, missed(state, hopes) + _missed_rates(state, faster))


def _told(begin: State, state: State, named: tuple[str, ...], unmet: list[tuple[str, float, float]]) -> State:
    """The state with the record of how it was assembled; wishes that are not met are named in a warning."""
    if unmet:
        warnings.warn("assemble(): not all wishes can be met:\n" + "\n".join(f"  {unmet_wish(w)}" for w in unmet)
                      + "\n  Wish for less, or give one of them more weight: wishes={name: (value, weight)}.",
                      AssemblyWarning, stacklevel=3)
    driven = [held.measure.name for held in state.system.holds.values() if held.measure.name]
    return replace(state, assembly=Assembly(begin, state, (*named, *driven), tuple(unmet)))


def _missed_rates(state: State, wishes: Given) -> list[tuple[str, float, float]]:
    """Rates wished for that are not met: name, value asked for, value there."""
    if not wishes.quantities:
        return []
    away = values_of(state, wishes).rate
    return [(name, float(value), float(value + off)) for name, value, off
            in zip(wishes.names, wishes.values, away, strict=True) if abs(off) > MET * max(1.0, abs(value))]


def aim_of(who: str, system: System, given: Mapping[str, float] | None, keep: list[str], t: float,
           guess: State | None) -> tuple[Aim, Given]:
    """What positions must meet, and the rates given, in numbers of the system; all of it checked."""
    start = system.drawn if guess is None else guess
    if not isinstance(start, State):
        raise ModelError(f"{who}: guess is {start!r}; pass what assemble() or result.state() returned.")
    if start.system is not system:
        raise ModelError(f"{who}: the guess belongs to another system.\n"
                         "  Compile once and use that system for both.")
    positions, rates = _given(who, system, {} if given is None else given)
    _check_functions(system, finite_number(f"{who}: t", t))
    bodies, coordinates = _kept(who, system, keep, start)
    held = Given(positions.quantities + coordinates.quantities,
                 np.concatenate([positions.values, coordinates.values]), positions.names + coordinates.names)
    asked = {} if system.geared else _asked_turns(system, held, float(t))  # gears must be turned all the way
    return Aim(held, bodies, asked=frozenset(asked)), rates


def begun(start: State, t: float, aim: Aim, wishes: Given | None = None) -> State:
    """The state to close from: angles that are asked for are on the turn that is asked for."""
    turns = start.turns.copy()
    if not start.system.geared:
        places = _asked_turns(start.system, aim.given, t)
        hoped = {} if wishes is None else _turns_of(start.system, wishes)
        for place, value in {**hoped, **places}.items():
            turns[place] = value
    return replace(start.system.at_time(start, t), turns=turns)


def _split(who: str, system: System, given: Mapping[str, Any], form: str) -> tuple[list[str], list[str]]:
    """Names of measures, and of their rates, that are asked for; all of them exist."""
    if not isinstance(given, Mapping):
        raise ModelError(f"{who} is {given!r}; a dictionary such as {form} is needed.")
    plain: list[str] = []
    rates: list[str] = []
    for name in given:
        rate = isinstance(name, str) and name.endswith(".rate") and name not in system.quantities
        base = name.removesuffix(".rate") if rate else name
        if base not in system.quantities:
            known = list(system.quantities)
            raise ModelError(f"{who.split(':')[0]}: there is no measure called {base!r} to give a value.\n"
                             f"  Measures: {', '.join(known) or 'none'}.{suggest(str(base), known)}")
        (rates if rate else plain).append(name)
    return plain, rates


def _numbered(system: System, names: list[str], values: list[float], weights: list[float] | None = None) -> Given:
    numbers = [system.quantities[n] if n in system.quantities else system.quantities[n.removesuffix(".rate")]
               for n in names]
    return Given(numbers, np.array(values, dtype=float), names, np.array(weights or [], dtype=float))


def _given(who: str, system: System, given: Mapping[str, float]) -> tuple[Given, Given]:
    chosen = _split(f"{who}: given", system, given, "{'O.angle': 0.3}")
    first, second = (_numbered(system, names, [finite_number(f"{who}: {n}", given[n]) for n in names])
                     for names in chosen)
    return first, second


def _wishes(system: System, wishes: Mapping[str, float | tuple[float, float]]) -> tuple[Given, Given]:
    chosen = _split("assemble(): wishes", system, wishes, "{'O.angle': (0.3, 10.0)}")
    pairs = {name: _wish(name, wish) for name, wish in wishes.items()}
    first, second = (_numbered(system, names, [pairs[n][0] for n in names], [pairs[n][1] for n in names])
                     for names in chosen)
    return first, second


def _wish(name: str, wish: Any) -> tuple[float, float]:
    """Value and weight of a wish."""
    value, weight = wish if isinstance(wish, tuple | list) and len(wish) == 2 else (wish, 1.0)
    what = f"assemble(): the wish for {name}"
    number = finite_number(what, value)
    heavy = finite_number(f"{what}: its weight", weight)
    if heavy <= 0:
        raise ModelError(f"{what}: its weight is {heavy:g}; it must be positive.\n"
                         "  Leave the wish out if it has no weight.")
    return number, heavy


def names_of(who: str, keep: Any) -> list[str]:
    """Names to be kept as a list, each once."""
    names = [keep] if isinstance(keep, str) else list(keep) if isinstance(keep, Iterable) else [keep]
    if isinstance(keep, Mapping) or not all(isinstance(n, str) for n in names):
        raise ModelError(f"{who}: keep is {keep!r}; names of bodies or measures such as ['crank', 'O.angle'] are "
                         "needed.")
    return list(dict.fromkeys(names))


def _kept(who: str, system: System, names: list[str], start: State) -> tuple[tuple[int, ...], Given]:
    """Numbers of the bodies that stay, and the coordinates that stay at the value they have."""
    known = [*system.body_numbers, *system.quantities]
    for name in names:
        if name not in known:
            raise ModelError(f"{who}: keep: there is no body or measure called {name!r}.\n"
                             f"  Bodies: {', '.join(system.body_numbers)}. Measures: "
                             f"{', '.join(system.quantities) or 'none'}.{suggest(name, known)}")
    if not names:
        return (), Given()
    measures = [n for n in names if n not in system.body_numbers]
    numbers = [system.quantities[n] for n in measures]
    values = system.kernel.quantity_rows(start.t, start.y.tolist(), start.turns.tolist(), numbers)["quantity"]
    bodies = tuple(system.body_numbers[n] for n in names if n in system.body_numbers)
    return bodies, _numbered(system, measures, list(values))


def _refuse_twice(given: Iterable[str], keep: Iterable[str], wishes: Iterable[str]) -> None:
    """One measure, one demand."""
    seen: dict[str, str] = {}
    for how, names in (("given", given), ("kept", keep), ("wished for", wishes)):
        for name in names:
            if name in seen:
                raise ModelError(f"assemble(): {name!r} is {seen[name]} and {how}: these contradict each other or say "
                                 "the same twice.\n  Name it in one of given=, keep= and wishes= only.")
            seen[name] = how


def _check_functions(system: System, t: float) -> None:
    """Drives and held measures need a value and a rate to start from."""
    for name, held in system.holds.items():
        value, rate, _ = held.function.derivatives(t)
        if not (np.isfinite(value) and np.isfinite(rate)):
            raise ModelError(f"{'drive' if held.drive else 'hold'} '{name}': its function has value {value:g} and rate "
                             f"{rate:g} at t = {t:g} s; both must be finite at the start.\n"
                             "  Change the function, or start at another time.")


def _asked_turns(system: System, given: Given, t: float) -> dict[int, float]:
    """Angles that drives and given values ask for, by their places in the record: they start on that branch."""
    drives = [(system.kernel.row_quantity(system.block_rows[name].start), held.function(t))
              for name, held in system.holds.items() if held.level == "position"]
    asked = Given([q for q, _ in drives], np.array([v for _, v in drives]))
    return {**_turns_of(system, asked), **_turns_of(system, given)}


def _turns_of(system: System, given: Given) -> dict[int, float]:
    asked: dict[int, float] = {}
    for quantity, value in zip(given.quantities, given.values.tolist(), strict=True):
        alone = system.kernel.lone_turn(quantity)  # (place in the record, factor) of a single angle
        if alone is not None:
            asked[int(alone[0])] = value / alone[1]
    return asked


def require_closed(found: Closing, aim: Aim, begin: State) -> None:
    """Raises what keeps the mechanism open, in the user's names: drives that fight wherever it can be, or a gap."""
    if found.turned:
        raise AssemblyError(_turned_around(found))
    if found.closed:
        return
    released = close(begin, Aim(drives=False))
    rng = np.random.default_rng(11)
    places = [close(scattered(released.state, rng, spread), Aim(drives=False)) for spread in (0.1, 0.1)]
    if all(_fighting(place.state) for place in (released, *places) if place.closed):
        for place in (released, *places):
            if place.closed:
                _check_drives(place.state)
    raise AssemblyError(_cannot_close(found, aim))


def open_conditions(found: Closing, aim: Aim) -> list[tuple[str, float]]:
    """Names of joints, drives and given values with their largest gaps, widest first."""
    system = found.state.system
    owners = [row.owner for row in system.rows] + aim.given.names
    gaps: dict[str, float] = {}
    for owner, gap in zip(owners, np.abs(found.residual).tolist(), strict=True):
        gaps[owner] = max(gap, gaps.get(owner, 0.0))
    return sorted(gaps.items(), key=lambda item: -item[1])


def called(system: System, owner: str) -> str:
    """A joint with its kind and bodies, anything else by its name."""
    if owner not in system.joints:
        return f"'{owner}'"
    j = system.joints[owner]
    return f"{j.kind} '{owner}' ({j.a.body.name} - {j.b.body.name})"


def _turned_around(found: Closing) -> str:
    system = found.state.system
    named = "; ".join(called(system, name) for name in found.turned[:LISTED])
    return (f"the mechanism closes only with joints turned around: {named}.\n"
            f"  Their axes would point the other way than drawn, or be exchanged, from the given guess and from "
            f"{found.starts - 1} positions around it.\n"
            "  Draw the bodies nearer to the position they should have, or pass another guess=.")


def _cannot_close(found: Closing, aim: Aim) -> str:
    system, history = found.state.system, found.history
    tried = "" if found.starts == 1 else f", nor from {found.starts - 1} positions around it"
    (owner, gap), *others = open_conditions(found, aim)
    lines = [f"the mechanism cannot be closed from the given guess{tried}.",
             f"  Largest open {'joint' if owner in system.joints else 'condition'}: {called(system, owner)}, gap "
             f"{gap:.3g} after {len(history) - 1} iterations (tolerance {ACCEPTED:g})."]
    also = [(name, other) for name, other in others if other > max(ACCEPTED, OPEN * gap)]
    if also:
        named = "; ".join(f"{called(system, name)} by {other:.3g}" for name, other in also[:LISTED - 1])
        more = f"; and {len(also) - LISTED + 1} more" if len(also) >= LISTED else ""
        lines.append(f"  Also open: {named}{more}. Gaps are in m or rad, shared out in the least-squares sense.")
    if aim.given.names:
        lines.append(f"  Asked for: {aim.given}.")
    drives = [f"{name} = {held.function(found.state.t):g}" for name, held in system.holds.items()
              if held.drive and held.level == "position"]
    if drives:
        lines.append(f"  Driven at t = {found.state.t:g} s: {', '.join(drives[:LISTED])}"
                     f"{f' and {len(drives) - LISTED} more' if len(drives) > LISTED else ''}.")
    if aim.kept:
        lines.append(f"  Kept where they are: {', '.join(system.centred[k].body.name for k in aim.kept)}.")
    stalled = next((i for i in range(1, len(history)) if history[i] < 1.2 * history[-1]), len(history) - 1)
    lines.append(f"  The gap stopped shrinking at iteration {stalled}: the links are probably too short or too long "
                 "for this position,\n  or a given value is out of reach.")
    lines.append("  Check the points of that joint on both bodies, the given values and drives at the start,\n"
                 f"  or pass another guess={' or keep less' if aim.kept else ''}.")
    return "\n".join(lines)


def closed_velocities(state: State, given: Given) -> State:
    """The state with velocities that all rows and given rates allow."""
    state, rate = close_velocities(state, given)
    if len(rate):
        _require_rates(state, given, rate)
    return state


def _require_rates(state: State, given: Given, rate: Array) -> None:
    worst = int(np.argmax(np.abs(rate)))
    if abs(rate[worst]) <= 1e-7 * max(1.0, float(np.abs(state.y).max())):
        return
    _check_drives(state)
    count = len(state.system.rows)
    owner = str(state.system.rows[worst]) if worst < count else given.names[worst - count]
    raise AssemblyError("the velocities asked for contradict each other.\n"
                        f"  {owner} is violated by {abs(rate[worst]):.3g} (m/s or rad/s) at best.\n"
                        "  Give fewer rates, or rates that belong together.")


def driven_start(system: System, t: float = 0.0, guess: State | None = None) -> State:
    """Assembled for a motion by drives alone. There may be more drives than freedoms, if they agree at the start."""
    aim, rates = aim_of("kinematics()", system, None, [], t, None)
    begin = begun(system.drawn if guess is None else guess, t, aim, _wishes(system, {})[0])
    found = closed_keeping(begin, aim, unnamed(begin, ()))
    require_closed(found, aim, begin)
    state = closed_velocities(found.state, rates)
    check_start(state, agreed=True)
    return state


def check_start(state: State, agreed: bool = False) -> None:
    """Drives must not fight for the same freedom; axes without inertia must be held by joints."""
    _check_drives(state, agreed)
    lend_inertia(state)


def _fighting(state: State) -> int:
    """How many drives are lost here, because others or the joints hold their freedom."""
    system, vector, turns = state.system, state.y.tolist(), state.turns.tolist()
    drives = len(system.drive_rows(state))
    if not drives:
        return 0
    held, all_held = (sum(system.kernel.independent(state.t, vector, turns, how)) for how in (False, True))
    return int(held + drives - all_held)


def _check_drives(state: State, agreed: bool = False) -> None:
    system, lost = state.system, _fighting(state)
    if lost <= 0:
        return
    drives = system.drive_rows(state)
    vector, turns = state.y.tolist(), state.turns.tolist()
    free = 6 * len(system.centred) - sum(system.kernel.independent(state.t, vector, turns, False))
    if agreed and len(drives) - lost == free > 0 and _accelerations_agree(state):
        return
    groups = system.kernel.dependencies(state.t, vector, turns, True)
    fighting = sorted({system.rows[k].owner for g in groups for k, _ in g if system.rows[k].drive})
    moved = len(drives) - lost
    doing = "fight for the same motion" if len(fighting) > 1 else "moves nothing"
    raise ModelError(
        f"{len(drives)} drive{'s move' if len(drives) != 1 else ' moves'} only {moved} independent "
        f"freedom{'s' if moved != 1 else ''}: "
        f"{', '.join(repr(n) for n in fighting)} {doing} in this position.\n"
        f"  The mechanism has {free} degree{'s' if free != 1 else ''} of freedom here.\n"
        "  Remove one of these drives, or start where they are independent (not at a dead centre).")


def _accelerations_agree(state: State) -> bool:
    """Whether accelerations exist that fit all rows: drives that agree in position and speed may still part."""
    J, found = state.jacobian()
    gamma = found["gamma"]
    left = gamma - J @ np.linalg.lstsq(J, gamma, rcond=1e-10)[0]
    return bool(np.abs(left).max() <= 1e-8 * max(1.0, float(np.abs(gamma).max())))
