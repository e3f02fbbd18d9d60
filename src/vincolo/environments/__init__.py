"""Mechanisms as environments for learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vincolo.analyses.stepper import Stepper, stepper
from vincolo.environments.task import task_of
from vincolo.model import Model
from vincolo.optional import library

__all__ = ["gym"]


def gym(model: Model, *, observe: Sequence[str] | None = None, act: Mapping[str, tuple[float, float]],
        reward: str | Callable[..., float], terminate: str | Callable[..., bool] | None = None, step: float = 1e-2,
        duration: float = 10.0, start: Any = None, count: int | None = None, **solvers: Any) -> Any:
    """A gymnasium environment of a mechanism. `observe` are texts as those of laws, or all outputs of the model; `act`
    are inputs with their lowest and highest values; `reward` and `terminate` are texts (it ends where that is above
    zero) or functions of (observation, action) at the end of a step of `step` seconds; it is cut off after `duration`
    seconds. `start` is a state, or a function of (system, rng) that returns one. With `count` it is a vector of so many
    environments that are stepped together. `solvers` are integrator=, formulation=, stabilisation= of stepper()."""
    library("gymnasium", "gym() needs the package gymnasium", "gymnasium")
    from vincolo.environments.environment import Mechanism, Mechanisms

    task = task_of(model, observe=observe, act=act, reward=reward, terminate=terminate, step=step, duration=duration,
                   start=start)

    def make() -> Stepper:
        return stepper(task.system, step, **solvers)

    return Mechanism(task, make) if count is None else Mechanisms(task, make, count)

