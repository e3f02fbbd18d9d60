"""What is written over a painted scene: names, traces of points, and arrows with their values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.scene.arrows import Arrow, arrow_of
from vincolo.scene.camera import Camera
from vincolo.scene.painter import PAPER, Depths, pillow, projected
from vincolo.scene.poses import points_of
from vincolo.scene.scene import PALETTE

if TYPE_CHECKING:
    from vincolo.scene.poses import Poses
    from vincolo.scene.subject import Subject

FAR = 30_000  # pixels, beyond which nothing is drawn
TEXT = 14  # pixels of the final picture
DARK = (38, 44, 52)
LONGEST = 0.25  # of the largest vector, as a share of the scene's size
Box = tuple[float, float, float, float]


class Overlay:
    """Names, traces and arrows of a subject, at the places of some frames."""

    def __init__(self, subject: Subject, frames: Poses, labels: bool | Iterable[str] = False,
                 traces: Iterable[str | Frame] = (), vectors: Iterable[str] = ()) -> None:
        self._draw, self._fonts = pillow("PIL.ImageDraw"), pillow("PIL.ImageFont")
        self._t, self._history = frames.t, subject.poses.t
        self._labels = [(name, points_of(frame, frames.t, frames.positions, frames.quaternions))
                        for name, frame in _chosen(subject, labels)]
        ways = [_point(subject, p) for p in ([traces] if isinstance(traces, str | Frame) else traces)]
        self._traces = [(points_of(f, subject.poses.t, subject.poses.positions, subject.poses.quaternions),
                         points_of(f, frames.t, frames.positions, frames.quaternions)) for f in ways]
        self._arrows = [_at_frames(subject, frames, name)
                        for name in ([vectors] if isinstance(vectors, str) else vectors)]
        self._scale = {unit: LONGEST * subject.scene.size / max(_largest(a) for a, _, _ in self._arrows
                                                               if a.unit == unit) for unit in
                       {a.unit for a, _, _ in self._arrows}}

    def draw(self, image: Any, k: int, camera: Camera, depths: Depths, fine: int) -> None:
        """Draws on an image that is `fine` times as large as the picture will be."""
        brush = self._draw.Draw(image)
        for number, (line, now) in enumerate(self._traces):
            self._trace(brush, line, now[k], k, camera, depths, fine, image.size, PALETTE[(3 + number) % len(PALETTE)])
        taken: list[Box] = []
        font = self._fonts.load_default(TEXT * fine)
        for arrow, points, values in self._arrows:
            self._arrow(brush, arrow, points[k], values[k], camera, fine, image.size, font, taken)
        for name, points in self._labels:
            flat, _ = projected(camera, points[k:k + 1], image.size)
            if np.isfinite(flat).all():
                _write(brush, name, flat[0], font, fine, image.size, taken, DARK)

    def _trace(self, brush: Any, line: Array, now: Array, k: int, camera: Camera, depths: Depths, fine: int,
               size: tuple[int, int], colour: tuple[float, float, float]) -> None:
        """A line with a dot where the point is now; what is still to come is pale, what is behind something is not
        drawn."""
        past = self._history <= self._t[k]
        ink = np.array(colour) * 255
        flat, near = projected(camera, np.vstack([line[past], now, line[~past]]), size)
        hidden = near < depths.at(flat) * 0.999
        come = np.arange(len(flat)) > int(past.sum())
        for j in range(len(flat) - 1):
            if hidden[j:j + 2].any() or not np.isfinite(flat[j:j + 2]).all() or np.abs(flat[j:j + 2]).max() > FAR:
                continue
            share = 0.45 if come[j + 1] else 1.0
            tint = tuple(int(share * i + (1 - share) * p) for i, p in zip(ink, PAPER, strict=True))
            brush.line([tuple(flat[j]), tuple(flat[j + 1])], fill=tint, width=fine * (1 if share < 1 else 2))
        x, y = flat[int(past.sum())]
        if np.isfinite((x, y)).all():
            brush.ellipse([x - 3 * fine, y - 3 * fine, x + 3 * fine, y + 3 * fine], fill=tuple(int(i) for i in ink))

    def _arrow(self, brush: Any, arrow: Arrow, point: Array, value: Array, camera: Camera, fine: int,
               size: tuple[int, int], font: Any, taken: list[Box]) -> None:
        flat, _ = projected(camera, np.array([point, point + self._scale[arrow.unit] * value]), size)
        length = float(np.linalg.norm(flat[1] - flat[0]))
        if not np.isfinite(flat).all() or not length > 2 * fine or np.abs(flat).max() > FAR:
            return
        along = (flat[1] - flat[0]) / length
        across, head = np.array([-along[1], along[0]]), min(9.0 * fine, 0.5 * length)
        brush.line([tuple(flat[0]), tuple(flat[1] - 0.8 * head * along)], fill=arrow.colour, width=round(2.4 * fine))
        for back in (0.0, 0.75 * head) if arrow.turning else (0.0,):
            end = flat[1] - back * along
            corners = [end, end - head * along + 0.38 * head * across, end - head * along - 0.38 * head * across]
            brush.polygon([tuple(c) for c in corners], fill=arrow.colour)
        size_now = float(np.linalg.norm(value))
        text = f"{size_now:,.0f}" if 1000 <= size_now < 1e7 else f"{size_now:.3g}"
        _write(brush, f"{text} {arrow.unit}", flat[1], font, fine, size, taken, arrow.colour)


def _chosen(subject: Subject, labels: bool | Iterable[str]) -> list[tuple[str, Frame]]:
    """Names with the frames they are written at."""
    model = subject.model
    known = {**{n: b.frame(local=b.com) for n, b in model.bodies.items()},
             **{n: j.b for n, j in model.joints.items() if j.kind not in ("parallel", "perpendicular", "orientation")}}
    if labels is True or labels is False:
        return list(known.items()) if labels else []
    known |= model.frames
    names = [labels] if isinstance(labels, str) else list(labels)
    for name in names:
        if name not in known:
            raise ModelError(f"labels: there is no body, joint or frame called {name!r}.{suggest(str(name), known)}")
    return [(name, known[name]) for name in names]


def _point(subject: Subject, given: str | Frame) -> Frame:
    """The point that a trace follows: a named frame, a body's own origin, or any frame."""
    if isinstance(given, Frame):
        if given.body.name not in subject.poses.positions:
            raise ModelError(f"traces: {given!r} is on a body of another model.")
        return given
    known = {**{n: b.frame(local=(0.0, 0.0, 0.0)) for n, b in subject.model.bodies.items()}, **subject.model.frames}
    if given not in known:
        raise ModelError(f"traces: there is no body or frame called {given!r}.{suggest(str(given), known)}\n"
                         "  Name a body or a frame of the model, or pass a frame such as body.frame((x, y, z)).")
    return known[given]


def _at_frames(subject: Subject, frames: Poses, name: str) -> tuple[Arrow, Array, Array]:
    """A vector with its points and values at the times of frames."""
    if subject.channels is None:
        raise ModelError("vectors: the model cannot be assembled, so nothing is known about its motion and forces.\n"
                         "  Give a result or a state.")
    arrow = arrow_of(subject.channels, name)
    known = subject.channels.t
    points, values = (np.column_stack([np.interp(frames.t, known, x) for x in series.T])
                      for series in (arrow.points, arrow.values))
    return arrow, points, values


def _largest(arrow: Arrow) -> float:
    lengths = np.linalg.norm(arrow.values, axis=1)
    return max(float(lengths[np.isfinite(lengths)].max(initial=0.0)), 1e-300)


def _write(brush: Any, text: str, at: Array, font: Any, fine: int, size: tuple[int, int], taken: list[Box],
           colour: Any) -> None:
    """Writes beside a point, where nothing is written yet and within the picture."""
    left, top, right, bottom = brush.textbbox((0, 0), text, font=font)
    width, height, gap = right - left, bottom - top, 5 * fine
    places = [(gap, -height - gap), (-width - gap, -height - gap), (gap, gap), (-width - gap, gap),
              (-width / 2, -height - 2.5 * gap), (-width / 2, 2.5 * gap), (2.5 * gap, -height / 2),
              (-width - 2.5 * gap, -height / 2)]
    boxes = [(at[0] + dx, at[1] + dy, at[0] + dx + width, at[1] + dy + height) for dx, dy in places]
    inside = [b for b in boxes if b[0] >= 0 and b[1] >= 0 and b[2] <= size[0] and b[3] <= size[1]]
    free = [b for b in inside if not any(b[0] < t[2] and t[0] < b[2] and b[1] < t[3] and t[1] < b[3] for t in taken)]
    x, y, *_ = chosen = (free or inside or boxes)[0]
    taken.append(chosen)
    brush.text((x - left, y - top), text, font=font, fill=colour, stroke_width=2 * fine, stroke_fill=PAPER)
