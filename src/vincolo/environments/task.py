"""What is observed of a mechanism, what acts on it, and what that is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System, compile

OBSERVED, WORTH, OVER = "observed {}", "reward of a step", "end of an episode"


@dataclass(frozen=True, eq=False)
class Task:
    """A mechanism with what is read from it and written to it in every step."""

    system: System
    observed: list[int]  # places among the outputs of a stepper
    acting: list[int]  # among its inputs
    low: Array
    high: Array
    reward: Callable[..., float] | int  # a function, or the place of an output
    terminate: Callable[..., bool] | int | None
    duration: float
    start: Any

    def begin(self, rng: np.random.Generator) -> State:
        """Where an episode begins."""
        if self.start is None:
            return assemble(self.system)
        state = self.start(self.system, rng) if callable(self.start) else self.start
        if not isinstance(state, State) or state.system is not self.system:
            raise ModelError("gym(): start must give a state of the system it is called with: start(system, rng).")
        return state

    def worth(self, outputs: Array, observation: Array, action: Array) -> float:
        """The reward of a step."""
        return float(outputs[self.reward] if isinstance(self.reward, int) else self.reward(observation, action))

    def over(self, outputs: Array, observation: Array, action: Array) -> bool:
        """Whether the task has ended."""
        if self.terminate is None:
            return False
        if isinstance(self.terminate, int):
            return bool(outputs[self.terminate] > 0)
        return bool(self.terminate(observation, action))


def task_of(model: Model, *, observe: Sequence[str] | None, act: Mapping[str, tuple[float, float]], reward: Any,
            terminate: Any, step: float, duration: float, start: Any) -> Task:
    """A task with all texts checked and compiled."""
    if not isinstance(model, Model):
        raise ModelError(f"gym(): {type(model).__name__} is not a Model.")
    own = model.copy()
    texts = list(own.outputs) if observe is None else [observe] if isinstance(observe, str) else list(observe)
    if not texts:
        raise ModelError("gym(): nothing is observed.\n  Give observe=['cart.x', 'cart.vx'], or outputs to the model.")
    names = [text if text in own.outputs else own.output(OBSERVED.format(k), text).name for k, text in enumerate(texts)]
    for title, text in ((WORTH, reward), (OVER, terminate)):
        if isinstance(text, str):
            own.output(title, text)
        elif text is not None and not callable(text):
            raise ModelError(f"gym(): the {title} is {text!r}; it is a text or a function of (observation, action).")
    slow = [name for name, output in own.outputs.items() if output.formula is None]
    if slow:
        raise ModelError(f"gym(): {own.outputs[slow[0]].channel!r} follows from forces, which steps do not read.\n"
                         "  Observe positions, rates, inputs and states.")
    low, high = _bounds(own, act)
    system = compile(own)
    outputs, inputs = list(own.outputs), list(own.inputs)
    length = finite_number("gym(): duration", duration)
    if length < finite_number("gym(): step", step):
        raise ModelError(f"gym(): the duration is {length:g} s, less than a step of {step:g} s.")
    return Task(system, [outputs.index(name) for name in names], [inputs.index(name) for name in act], low, high,
                outputs.index(WORTH) if isinstance(reward, str) else reward,
                outputs.index(OVER) if isinstance(terminate, str) else terminate, length, start)


def _bounds(model: Model, act: Any) -> tuple[Array, Array]:
    if not isinstance(act, Mapping) or not act:
        raise ModelError(f"gym(): act is {act!r}; it has inputs and their bounds, such as {{'push': (-10, 10)}}.")
    for name, bounds in act.items():
        if name not in model.inputs:
            raise ModelError(f"gym(): act: there is no input called {name!r}.\n  Inputs: "
                             f"{', '.join(model.inputs) or 'none'}.{suggest(str(name), model.inputs)}")
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            raise ModelError(f"gym(): act: {name!r} has {bounds!r}; the lowest and the highest value are needed.")
        low, high = (finite_number(f"gym(): act: {name!r}", value) for value in bounds)
        if not low < high:
            raise ModelError(f"gym(): act: {name!r} goes from {low:g} to {high:g}; the first must be lower.")
    pairs = np.array([[float(x) for x in bounds] for bounds in act.values()])
    return pairs[:, 0], pairs[:, 1]
