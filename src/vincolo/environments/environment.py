"""Mechanisms as gymnasium environments: one, or several that are stepped together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from vincolo.analyses.stepper import Stepper
from vincolo.environments.task import Task
from vincolo.errors import ModelError
from vincolo.model.geometry import Array


def spaces(task: Task) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """Of observations and of actions."""
    size = (len(task.observed),)
    return (gymnasium.spaces.Box(-np.inf, np.inf, size, np.float32),
            gymnasium.spaces.Box(task.low.astype(np.float32), task.high.astype(np.float32), dtype=np.float32))


class Episode:
    """A stepper that begins anew as often as it is asked to."""

    def __init__(self, task: Task, stepper: Stepper) -> None:
        self.task, self.stepper, self.steps = task, stepper, 0
        self._most = max(1, round(task.duration / stepper.size))
        self._idle = stepper.inputs.copy()

    def reset(self, rng: np.random.Generator) -> Array:
        """The first observation."""
        self.stepper.restore(self.task.begin(rng))
        self.steps = 0
        return self._observed()

    def _observed(self) -> Array:
        found: Array = self.stepper.outputs[self.task.observed]
        return found

    def step(self, action: Any) -> tuple[Array, float, bool, bool]:
        """Observation, reward, whether the task has ended, whether time is over."""
        task, given = self.task, np.clip(np.asarray(action, dtype=float), self.task.low, self.task.high)
        self.stepper.inputs[task.acting] = given
        outputs = self.stepper.step()
        self.steps += 1
        observation = self._observed()
        over = self.stepper.stopped or task.over(outputs, observation, given)
        return observation, task.worth(outputs, observation, given), over, self.steps >= self._most


class Mechanism(gymnasium.Env[Any, Any]):
    """One mechanism."""

    metadata = {"render_modes": []}  # noqa: RUF012  # as gymnasium declares it

    def __init__(self, task: Task, make: Callable[[], Stepper]) -> None:
        self.observation_space, self.action_space = spaces(task)
        self.episode = Episode(task, make())

    @property
    def stepper(self) -> Stepper:
        """The run behind it."""
        return self.episode.stepper

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins a new episode."""
        super().reset(seed=seed)
        return self.episode.reset(self.np_random).astype(np.float32), {"t": self.stepper.t}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Sets the inputs and makes a step."""
        observation, reward, over, cut = self.episode.step(action)
        return observation.astype(np.float32), reward, over, cut, {"t": self.stepper.t}


class Mechanisms(VectorEnv[Any, Any, Any]):
    """Several of one mechanism, stepped together; one whose episode has ended begins anew with the next step."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, task: Task, make: Callable[[], Stepper], count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ModelError(f"gym(): count is {count!r}; it is a whole number from 1 on.")
        self.num_envs = count
        self.single_observation_space, self.single_action_space = spaces(task)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self.episodes = [Episode(task, make()) for _ in range(count)]
        self._ended = np.zeros(count, dtype=bool)

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins new episodes."""
        if seed is not None:
            self._np_random = np.random.default_rng(seed if isinstance(seed, int) else [s or 0 for s in seed])
        self._ended[:] = False
        found = [episode.reset(self.np_random) for episode in self.episodes]
        return np.array(found, dtype=np.float32), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Sets the inputs of all and makes a step of each."""
        count = self.num_envs
        observations = np.zeros((count, *(self.single_observation_space.shape or ())), dtype=np.float32)
        rewards, over, cut = np.zeros(count), np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        for k, (episode, action) in enumerate(zip(self.episodes, actions, strict=True)):
            if self._ended[k]:
                observations[k] = episode.reset(self.np_random)
            else:
                observations[k], rewards[k], over[k], cut[k] = episode.step(action)
        self._ended = over | cut
        return observations, rewards, over, cut, {}
