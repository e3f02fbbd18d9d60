"""Pictures of mechanisms without a display."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.scene.between import between, seen_from
from vincolo.scene.camera import Camera, camera_of
from vincolo.scene.overlay import Overlay
from vincolo.scene.painter import Painter
from vincolo.scene.subject import Subject, checked_size, checked_time, subject_of

FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}

__all__ = ["Painter", "Shots", "picture"]


class Shots:
    """Pictures of one motion at some times, from a camera that stands still or travels with a body."""

    def __init__(self, subject: Subject, times: Array, *, view: str = "iso", size: tuple[int, int] = (960, 640),
                 parallel: bool = False, labels: bool | Iterable[str] = False, traces: Iterable[str | Frame] = (),
                 vectors: Iterable[str] = (), follow: str | None = None) -> None:
        self.times, self._size = np.asarray(times, dtype=float), checked_size(size)
        self._frames = between(subject.poses, subject.scene, self.times)
        whole = subject.poses if follow is None else seen_from(subject.poses, follow)
        self._camera = camera_of(subject.scene, whole, view, parallel, self._size[0] / self._size[1])
        self._away = np.zeros((len(self.times), 3))
        if follow is not None:
            self._away = self._frames.positions[follow] - subject.poses.positions[follow][0]
        self._overlay = Overlay(subject, self._frames, labels, traces, vectors)
        self._painter = Painter(subject.scene, self._frames, self._size, subject.poses)

    def __len__(self) -> int:
        return len(self.times)

    def camera(self, k: int) -> Camera:
        """The camera of a picture."""
        return replace(self._camera, eye=self._camera.eye + self._away[k], target=self._camera.target + self._away[k])

    def __getitem__(self, k: int) -> Any:
        """A picture, as an image of Pillow."""
        if not 0 <= k < len(self):
            raise IndexError(k)
        return self._painter.paint(k, self.camera(k), self._overlay)


def picture(source: Any, path: str | os.PathLike[str] | None = None, *, t: float | None = None, view: str = "iso",
            size: tuple[int, int] = (960, 640), parallel: bool = False, labels: bool | Iterable[str] = False,
            traces: Iterable[str | Frame] = (), vectors: Iterable[str] = (), follow: str | None = None) -> Any:
    """A picture of a result at a time t [s] (its end if not given), of a state, or of a model, as an image of Pillow;
    written to .png, .jpg or .webp if a path is given. `view` is iso, front, back, left, right, top or bottom. `labels`
    writes the names of all bodies and joints, or of those given. `traces` are the paths of bodies' origins or named
    frames, `vectors` arrows such as "tip.velocity" or "A.reaction.force". The picture shows the whole motion; with
    `follow` the camera travels with a body."""
    subject = subject_of(source)
    kind = None if path is None else format_of(path)
    shots = Shots(subject, np.array([checked_time(subject, t)]), view=view, size=size, parallel=parallel,
                  labels=labels, traces=traces, vectors=vectors, follow=follow)
    image = shots[0]
    if path is not None:
        data = io.BytesIO()  # Pillow does not say why a file could not be written
        image.save(data, format=kind, optimize=True, quality=92)
        with appearing("picture()", path) as file:
            file.write(data.getbuffer())
    return image


def format_of(path: str | os.PathLike[str]) -> str:
    """What Pillow calls the kind of picture that a file is to be."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ModelError(f"picture(): {Path(path).name!r} does not end as a picture does.\n"
                         f"  Pictures are written to {', '.join(FORMATS)}; motion by video() to .mp4 or .gif.")
    return FORMATS[ending]
