"""A run that goes on with a changed model."""

from __future__ import annotations

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.errors import ModelError
from vincolo.model import Model
from vincolo.model.geometry import matrix_of, quaternion_of
from vincolo.results.state import State
from vincolo.system import System, as_system


def carried(state: State, model: Model | System) -> State:
    """The state of another model, with bodies of the same name where and as fast as they were here, and new ones as
    drawn. Joints are closed; what closes in motion takes a blow, which leaves momentum balanced. Time and turns go
    on."""
    if not isinstance(state, State):
        raise ModelError(f"carried(): {state!r} is no state; pass what assemble() or result.state() returned.")
    begin = pose(state, as_system(model))
    return assemble(begin.system, guess=begin, t=state.t)


def pose(state: State, system: System) -> State:
    """The same positions and velocities of bodies in another system; joints as they come."""
    y = system.drawn.y.copy()
    for name, k in system.body_numbers.items():
        if name in state.system.body_numbers:
            y[13 * k : 13 * k + 13] = _moved(state, name, system, k)
    y[-1] = state.y[-1]
    return system.with_rotors(State(system, state.t, y, _turns(state, system)))


def _moved(state: State, name: str, system: System, k: int) -> np.ndarray:
    """Centre of mass, principal axes and velocities of a body whose mass may have changed."""
    old, new = state.system.centred[state.system.body_numbers[name]], system.centred[k]
    y = state.y[13 * state.system.body_numbers[name] :][:13]
    if old.body is new.body:
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
