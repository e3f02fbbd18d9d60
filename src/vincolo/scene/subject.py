"""What a picture is taken of: a result, a state or a model, with its scene and places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.channels.channels import Channels
from vincolo.errors import ModelError, VincoloError
from vincolo.model import Model
from vincolo.results.result import Result
from vincolo.scene.between import as_drawn
from vincolo.scene.poses import Poses, poses_of, poses_of_state
from vincolo.scene.scene import Scene, scene_of
from vincolo.state import State
from vincolo.system import System


@dataclass(frozen=True, eq=False)
class Subject:
    """A model, its scene, and its places over time; without channels if it cannot be assembled."""

    model: Model
    scene: Scene
    poses: Poses
    channels: Channels | None


def subject_of(source: Any) -> Subject:
    """A result, a state, or a model as assembled; as drawn if it cannot be."""
    if isinstance(source, Result | State):
        model = source.system.model
        scene = scene_of(model)
        poses = poses_of(source, scene) if isinstance(source, Result) else poses_of_state(source, scene)
        return Subject(model, scene, poses, source.channels)
    if not isinstance(source, Model | System):
        raise ModelError(f"a picture is taken of a result, a state or a model, not of {type(source).__name__}.")
    try:
        return subject_of(assemble(source))
    except VincoloError:
        model = source if isinstance(source, Model) else source.model
        scene = scene_of(model)
        return Subject(model, scene, as_drawn(model, scene), None)


def checked_time(subject: Subject, t: float | None) -> float:
    """A time within the motion [s]; the last if none is given."""
    first, last = float(subject.poses.t[0]), float(subject.poses.t[-1])
    if t is None:
        return last
    if not isinstance(t, int | float | np.number) or not first <= float(t) <= last:
        raise ModelError(f"picture: t is {t!r}; the motion is from {first:g} to {last:g} s.")
    return float(t)


def checked_size(size: Any) -> tuple[int, int]:
    """Width and height in pixels."""
    try:
        width, height = (int(n) for n in size)
    except (TypeError, ValueError):
        width = height = 0
    if not (16 <= width <= 8000 and 16 <= height <= 8000):
        raise ModelError(f"the size of a picture is its width and height, from 16 to 8000 pixels each, not {size!r}.")
    return width, height
