"""Numbers that a run carries beside the motion, and what is read from it, for the kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vincolo.expressions import expression
from vincolo.layout import auxiliaries_of
from vincolo.model.geometry import Array

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.state import State
    from vincolo.system import System


def add_auxiliaries(system: System, model: Model) -> None:
    """Inputs, variables and states; behind them slopes of inputs in straight lines, what is switched, and what
    controllers remember: the number of their next call, and their memories."""
    add = system.kernel.add_auxiliary
    for name, a in model.auxiliaries.items():
        system.auxiliaries[name] = add(a.size)
    for name, a in model.inputs.items():
        if a.between == "linear":
            system.slopes[name] = add(1.0)
            system.kernel.set_slope(system.auxiliaries[name], system.slopes[name])
    system.switchboard.add_states(system.kernel)
    system.deciding.add_states(system.kernel)
    for c in model.controllers.values():
        count = 1 + sum(len(kept.start) for kept in c.memory)
        system.memories[c.name] = [add(1.0) for _ in range(count)]


def add_rates(system: System, model: Model) -> None:
    """How fast states change, and what sensors are set to."""
    for name, state in model.states.items():
        if state.rate is not None:
            system.kernel.set_rate(system.auxiliaries[name], expression(system, state.rate))
    for name, sensor in model.variables.items():
        if sensor.sensed is not None:
            system.kernel.set_sensed(system.auxiliaries[name], expression(system, sensor.sensed))


def sensed(state: State) -> State:
    """The state with its sensors set to what they are there."""
    if all(part.sensed is None for part in state.system.model.variables.values()):
        return state
    return replace(state, y=np.asarray(state.system.kernel.sensed(state.t, state.y.tolist(), state.turns.tolist())))


def add_outputs(system: System, model: Model) -> None:
    """What is read from a run, outputs of the model first; -1 stands for what follows from forces."""
    for name, output in model.outputs.items():
        if output.formula is not None:
            system.outputs[name] = system.kernel.add_output(expression(system, output.formula))
    for c in model.controllers.values():
        numbers = system.controller_reads[c.name] = []
        for k, read in enumerate(c.reads):
            numbers.append(-1 if read.formula is None else system.kernel.add_output(expression(system, read.formula)))
            if read.formula is not None:
                system.outputs[f"{c.name}: reads[{k}]"] = numbers[-1]


def set_starts(system: System, y: Array) -> None:
    """What all of them begin with, into a state."""
    own = auxiliaries_of(y, len(system.centred))
    for name, number in system.auxiliaries.items():
        own[number] = system.model.auxiliaries[name].start
    system.switchboard.set_states(y, len(system.centred), 0.0)
    for c in system.model.controllers.values():
        own[system.memories[c.name][1:]] = [x for kept in c.memory for x in kept.start]
