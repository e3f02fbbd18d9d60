"""A run that goes on with a changed model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vincolo.analyses.assemble import LISTED, aim_of, assemble, begun, called, open_conditions
from vincolo.analyses.closing import Aim, close, residual_of
from vincolo.errors import AssemblyError, ModelError, suggest
from vincolo.flywheels import with_rotors
from vincolo.layout import BODY, POINT, QUATERNION, VELOCITY, auxiliaries_of, of_body, work_of
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import matrix_of, quaternion_of
from vincolo.state import State
from vincolo.system import System, as_system

SMALL = 1e-6  # of the size of the mechanism: gaps that are rounding of what was given


def carried(state: State, model: Model | System, *, gap: float | None = None) -> State:
    """The state of another model, with bodies of the same name where and as fast as they were here, and new ones as
    drawn, or where joints put them. What closes in motion takes an impact, which leaves momentum balanced. Time and
    turns go on. Joints and drives that would have to move the old bodies are refused, unless they are open by at most
    `gap` [m and rad]; by default by a millionth of the mechanism's size."""
    if not isinstance(state, State):
        raise ModelError(f"carried(): {state!r} is not a state; pass what assemble() or result.state() returned.")
    allowed = None if gap is None else finite_number("carried(): gap", gap)
    system = as_system(model)
    aim, _ = aim_of("carried()", system, None, [], state.t, None)
    begin = begun(pose(state, system), state.t, aim)
    if allowed is None:
        drift = state["residual.position"] if state.system.rows else 0.0
        allowed = max(SMALL * max(c.length for c in system.centred), 2 * drift)
    begin = _met(state, begin, aim, allowed)
    return assemble(system, guess=begin, t=state.t)


def _met(old: State, begin: State, aim: Aim, allowed: float) -> State:
    """The state with its new bodies where joints put them; joints that old bodies cannot meet are named."""
    if np.abs(residual_of(begin, aim)).max(initial=0.0) <= allowed:
        return begin
    stay = tuple(k for name, k in begin.system.body_numbers.items() if name in old.system.body_numbers)
    found = close(begin, Aim(aim.given, stay, asked=aim.asked))
    if np.abs(found.residual).max(initial=0.0) <= allowed:
        return found.state
    (owner, open_by), *others = open_conditions(found, aim)
    also = [name for name, other in others if other > allowed]
    raise AssemblyError(
        f"carried(): {called(begin.system, owner)} is open by {open_by:.3g} (m or rad) where the bodies are at "
        f"t = {old.t:g} s{'; also open: ' + ', '.join(map(repr, also[:LISTED])) if also else ''}.\n"
        "  Points given with at= are those of the drawn position, and the bodies have moved since.\n"
        "  Join points that meet now, such as body.frame(local=...) and ground.frame(...), or allow bodies to be "
        f"moved: gap={1.1 * open_by:.2g}.")


def pose(state: State, system: System) -> State:
    """The same positions and velocities of bodies in another system; joints as they come."""
    y = system.drawn.y.copy()
    for name, k in system.body_numbers.items():
        if name in state.system.body_numbers:
            of_body(y, k)[:] = _moved(state, name, system, k)
    before, now = (auxiliaries_of(x, len(s.centred)) for x, s in ((state.y, state.system), (y, system)))
    for numbers, known in ((system.auxiliaries, state.system.auxiliaries), (system.slopes, state.system.slopes),
                           (_memories(system), _memories(state.system))):
        for name in numbers.keys() & known.keys():
            now[numbers[name]] = before[known[name]]
    y[BODY * len(system.centred)] = work_of(state.y, len(state.system.centred))
    return with_rotors(system, State(system, state.t, y, _turns(state, system)))


def placed(system: System, places: Mapping[str, Sequence[float]]) -> State:
    """The drawn position with the frames of some bodies elsewhere, each by x, y, z [m] and a quaternion; joints as they
    come. It is a guess to close the mechanism from."""
    y = system.drawn.y.copy()
    for name, numbers in places.items():
        if name not in system.body_numbers:
            raise ModelError(f"there is no body {name!r} to begin elsewhere.{suggest(name, system.body_numbers)}")
        k = system.body_numbers[name]
        body, own = system.centred[k].body, of_body(y, k)
        R = matrix_of(np.asarray(numbers[3:]) / np.linalg.norm(numbers[3:]))
        lever = R @ body.com
        own[POINT], own[QUATERNION] = np.asarray(numbers[:3]) + lever, quaternion_of(R @ system.centred[k].principal)
        own[VELOCITY] = body.velocity + np.cross(body.angular_velocity, lever)
    return with_rotors(system, State(system, system.drawn.t, y, system.drawn.turns))


def _memories(system: System) -> dict[str, int]:
    """What controllers remember, by names."""
    return {f"{name} {k}": number for name, numbers in system.memories.items() for k, number in enumerate(numbers)}


def _moved(state: State, name: str, system: System, k: int) -> np.ndarray:
    """Centre of mass, principal axes and velocities of a body whose mass may have changed."""
    old, new = state.system.centred[state.system.body_numbers[name]], system.centred[k]
    y = of_body(state.y, state.system.body_numbers[name])
    if old.body is new.body or (np.array_equal(old.body.com, new.body.com)
                                and np.array_equal(old.principal, new.principal)):
        return y
    R = matrix_of(y[3:7] / np.linalg.norm(y[3:7])) @ old.principal.T  # of the body's own frame
    lever = R @ (new.body.com - old.body.com)
    return np.concatenate([y[:3] + lever, quaternion_of(R @ new.principal), y[7:10] + np.cross(y[10:], lever), y[10:]])


def _turns(state: State, system: System) -> np.ndarray:
    """Angles of the same name go on where they were."""
    turns = system.drawn.turns.copy()
    for name, quantity in system.quantities.items():
        place = system.kernel.lone_turn(quantity)
        if place is not None and name in state.system.quantities:
            turns[place[0]] = state[name] / place[1]
    return turns
