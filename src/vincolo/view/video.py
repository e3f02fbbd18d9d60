"""Motion as a file: .mp4 by imageio-ffmpeg or .gif by Pillow, without a display."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.files import appearing, check_place
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.optional import library
from vincolo.results.result import Result
from vincolo.scene.painter import pillow
from vincolo.scene.picture import Shots
from vincolo.scene.subject import checked_size, subject_of

MOST_FRAMES = 36_000  # twenty minutes at 30 per second
ENDINGS = (".mp4", ".gif")
Progress = Callable[[int, int], object]


def video(result: Result, path: str | os.PathLike[str], *, fps: float = 30, speed: float = 1.0,
          duration: float | None = None, view: str = "iso", size: tuple[int, int] = (1280, 720),
          parallel: bool = False, labels: bool | Iterable[str] = False, traces: Iterable[str | Frame] = (),
          vectors: Iterable[str] = (), follow: str | None = None, progress: Progress | None = None) -> Path:
    """Writes the motion of a result as .mp4 or .gif; the file appears only when it is complete. `speed` is the
    simulated time that passes in a second; or the whole run is shown in `duration` [s]. Frames are at even times, with
    places between the samples. View, labels, traces, vectors and `follow` are those of picture(). `progress` is called
    with the number of frames done and of all. Sizes of .mp4 are even: an odd one grows by a pixel."""
    if not isinstance(result, Result):
        raise ModelError(f"video(): a result is needed, not {type(result).__name__}.\n"
                         "  Run simulate() first; a still of a model or state is taken by picture().")
    ending = checked_ending(path)
    check_place("video()", path)
    subject = subject_of(result)
    times = frame_times(float(result.t[0]), float(result.t[-1]), fps, speed, duration)
    width, height = checked_size(size)
    if ending == ".mp4":
        width, height = width + width % 2, height + height % 2
    shots = Shots(subject, times, view=view, size=(width, height), parallel=parallel, labels=labels, traces=traces,
                  vectors=vectors, follow=follow)
    encode = {".mp4": write_mp4, ".gif": write_gif}[ending]
    with appearing("video()", path) as file:
        encode(file, _counted(shots, progress), len(shots), (width, height), float(fps))
    return Path(path)


def frame_times(first: float, last: float, fps: float, speed: float, duration: float | None) -> Array:
    """Even times of frames [s] from the beginning of a run to its end."""
    rate, ratio = _positive("fps", fps), _positive("speed", speed)
    if duration is not None:
        if ratio != 1:
            raise ModelError("video(): speed and duration are both given; each follows from the other.\n"
                             "  Leave one of them out.")
        ratio = (last - first) / _positive("duration", duration)
    span = last - first
    count = 1 + (np.floor(span / ratio * rate + 1e-9) if ratio > 0 else 0.0)
    if count > MOST_FRAMES:
        raise ModelError(f"video(): the run takes {span:g} s, which makes {count:,.0f} frames; at most "
                         f"{MOST_FRAMES:,} are written.\n  Show it in less time: duration=60, or with a higher speed.")
    if count < 2:
        raise ModelError(f"video(): the run takes {span:g} s, which makes a single frame at {rate:g} per second.\n"
                         + ("  Slow it down: duration=5, or a lower speed." if span > 0 else
                            "  A still is taken by picture()."))
    return np.asarray(np.minimum(first + np.arange(int(count)) * (ratio / rate), last))


def write_mp4(file: Any, frames: Iterator[Any], count: int, size: tuple[int, int], fps: float) -> None:
    """H.264 in colours that every player knows."""
    del count
    command = [_ffmpeg().get_ffmpeg_exe(), "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
               "-s", f"{size[0]}x{size[1]}", "-r", str(Fraction(fps).limit_denominator()), "-i", "-", "-an",
               "-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-preset", "fast",
               "-movflags", "+faststart", "-f", "mp4", os.path.abspath(file.name)]
    with tempfile.TemporaryFile() as said:
        code = _encoded(command, frames, said)
        said.seek(0)
        words = said.read().decode(errors="replace").strip()
    if code == -getattr(signal, "SIGXFSZ", 0):
        raise OSError(errno.EFBIG, "the video is too large")
    if "No space left" in words:
        raise OSError(errno.ENOSPC, words)
    if code or not os.path.getsize(file.name):
        raise ModelError(f"video(): the encoder stopped ({words.partition(chr(10))[0] or f'exit code {code}'}).\n"
                         "  Try .gif, which needs no encoder.")


def _encoded(command: list[str], frames: Iterator[Any], said: IO[bytes]) -> int:
    """The exit code of an encoder that was given all frames; what it says goes into a file."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said,
                          start_new_session=True) as encoder:
        assert encoder.stdin is not None
        try:
            with suppress(BrokenPipeError), encoder.stdin as pipe:  # it stopped; its exit code tells
                for image in frames:
                    pipe.write(image.tobytes())
        except BaseException:
            encoder.kill()
            raise
        return encoder.wait()


def write_gif(file: Any, frames: Iterator[Any], count: int, size: tuple[int, int], fps: float) -> None:
    """A picture that moves; its times are multiples of 0.01 s, so they are spread evenly."""
    del size
    image = pillow("PIL.Image")
    ends = np.round(np.arange(count + 1) * 100 / fps).astype(int)
    delays = [max(int(d), 2) * 10 for d in np.diff(ends)]
    first = next(frames).quantize(256, method=image.Quantize.MEDIANCUT, dither=image.Dither.NONE)
    rest = (f.quantize(palette=first, dither=image.Dither.NONE) for f in frames)  # the same colours, so none flicker
    first.save(file, format="GIF", save_all=True, append_images=rest, duration=delays, loop=0, disposal=1)


def _counted(shots: Shots, progress: Progress | None) -> Iterator[Any]:
    for k in range(len(shots)):
        yield shots[k]
        if progress is not None:
            progress(k + 1, len(shots))


def _positive(name: str, value: Any) -> float:
    number = finite_number(f"video(): {name}", value)
    if number <= 0:
        raise ModelError(f"video(): {name} is {number:g}; it must be positive.")
    return number


def checked_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a video that can be written here."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ModelError(f"video(): {Path(path).name!r} does not end with {' or '.join(ENDINGS)}.\n"
                         "  Stills are written by picture() to .png.")
    if ending == ".mp4":
        _ffmpeg()
    return ending


def _ffmpeg() -> Any:
    return library("imageio_ffmpeg", "video(): .mp4 needs the package imageio-ffmpeg", "imageio-ffmpeg",
                   "; or write a .gif, which needs no encoder.")
