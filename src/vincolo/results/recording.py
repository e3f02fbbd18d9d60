"""Long runs in files that grow while they run: what was computed is in the file, not in memory, and outlives a program
that is killed.

A record is one file:

    head     8 bytes that say what it is, its format and the length of what follows (uint32 each), and as JSON what is
             known before the run: bodies, sizes, settings
    slots    two of SLOT bytes: a number that grows, a length and a check sum (uint64, uint32, uint32), and as JSON how
             many samples there are, statistics, and how the run ended
    samples  rows of float64: time, state, angles counted over turns

Samples come first, then the older slot is written. So one slot is whole at any moment, and what it counts is there.
"""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import struct
import time
import warnings
import zlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.errors import FileWarning, ModelError, WriteError
from vincolo.files import appearing, check_place, growing, in_use, why
from vincolo.model.geometry import Array
from vincolo.results.happenings import packed

if TYPE_CHECKING:
    from vincolo.results.happenings import Happening
    from vincolo.results.settings import Settings
    from vincolo.system import System

Name = str | os.PathLike[str]

MAGIC, FORMAT = b"vincolo\x93", 1
HEAD, STAMP = struct.Struct("<8sII"), struct.Struct("<QII")
PAGE, SLOT = 4096, 16384  # bytes
LONGEST_HEAD, LONGEST_REASON = 100_000_000, 4000  # bytes; characters
PIECE = 4e6  # bytes of samples that a run holds before it hands them over
EVERY = 1.0  # s between two slots: what a killed program loses at most
NUMBER = np.dtype("<f8")
UNFINISHED = "the record has no end, but reaches to t = {t:.6g} s: {what}."
GOING_ON, KILLED = "the run is still going on", "the program that ran was killed, or its machine stopped"


def is_record(path: Path) -> bool:
    """Whether a file begins as records of runs do."""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC
    return False


class Recording:
    """Takes the samples of a run and writes them to a file, which is a record that can be read at any moment."""

    def __init__(self, path: Name, system: System, settings: Settings, samples: int) -> None:
        self.place, self.system = _free_place(path), system
        self.width = 1 + system.kernel.state_size + system.kernel.turns
        _require_room(self.place, samples, 8 * self.width)
        self._about = json.dumps({"vincolo": "record", "bodies": list(system.body_numbers),
                                  "state": system.kernel.state_size, "turns": system.kernel.turns,
                                  "settings": asdict(settings)}).encode()
        self._slots_at, self._samples_at = _places(len(self._about))
        self._known: dict[str, Any] = {}
        self.samples = self.slots = 0
        self.last = math.nan  # time of the last sample
        self._told = time.monotonic()
        self._files = ExitStack()

    @property
    def piece(self) -> int:
        """How many samples are best taken at once."""
        return max(1, int(PIECE / (8 * self.width)))

    def attach(self, run: Any) -> None:
        """Makes the file, and lets a run hand over its samples."""
        self._known = _told(run.statistics(), 0.0)
        with appearing("simulate(): record", self.place) as file:
            head = HEAD.pack(MAGIC, FORMAT, len(self._about)) + self._about
            file.write(head.ljust(self._slots_at, b"\0") + _stamped(0, {"samples": 0, **self._known}))
            file.write(bytes(SLOT))
        self._file = self._files.enter_context(growing(self.place))
        run.hand_over(self.piece, self.take)

    def take(self, t: Array, y: Array, turns: Array) -> None:
        """Writes samples behind those that are there."""
        rows = np.concatenate([t[:, None], y, turns], axis=1, dtype=NUMBER)
        self._put(self._samples_at + 8 * self.width * self.samples, rows.tobytes())
        self.samples += len(t)
        self.last = float(t[-1])
        if time.monotonic() - self._told > EVERY:
            self._tell(self._known)

    def look(self, run: Any, seconds: float) -> None:
        """Makes what a run has computed safe, if some time has passed since it was."""
        self._known = _told(run.statistics(), seconds)
        if time.monotonic() - self._told > EVERY:
            run.flush()
            self._tell(self._known)

    def finish(self, run: Any, seconds: float, reason: str | None, events: Sequence[Happening] = ()) -> str | None:
        """Writes what is left, what happened and how the run ended; returns why it is not complete."""
        try:
            run.flush()
        except OSError as error:
            reason = reason or self.trouble(error)
        short = None if reason is None else reason[:LONGEST_REASON]
        try:
            behind = self._put_events(events)
            self._tell({**_told(run.statistics(), seconds), "over": True, "reason": short, "events": behind})
        except OSError as error:
            reason = reason or self.trouble(error)
        return reason

    def _put_events(self, events: Sequence[Happening]) -> list[int]:
        """Events behind the samples: where, and how many bytes."""
        if not events:
            return []
        told, arrays = packed(events)
        at, data = self._samples_at + 8 * self.width * self.samples, io.BytesIO()
        everything: dict[str, Any] = {"told": np.array(json.dumps(told)), **arrays}
        np.savez_compressed(data, **everything)
        self._put(at, data.getvalue())
        return [at, len(data.getvalue())]

    def trouble(self, error: OSError) -> str:
        """Why a run that cannot be written any further ends, in words."""
        return (f"the record {str(self.place)!r} could not be written further than t = {self.last:.6g} s:\n"
                f"{why(self.place, error)}. What was written is kept ({self.samples:,} samples).\n"
                "Make room, and go on from there with start=result.state().")

    def arrays(self) -> tuple[Array, Array, Array]:
        """Times, states and turns, in the file."""
        return _columns(self.place, self._samples_at, self.samples, self.system)

    def close(self) -> None:
        """Lets go of the file."""
        self._files.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, known: dict[str, Any]) -> None:
        """Writes the older slot, once all samples that it counts are on the disk."""
        os.fsync(self._file.fileno())
        self.slots += 1
        self._put(self._slots_at + SLOT * (self.slots % 2), _stamped(self.slots, {"samples": self.samples, **known}))
        self._told = time.monotonic()

    def _put(self, at: int, data: bytes) -> None:
        rest = memoryview(data)
        self._file.seek(at)
        while rest:
            rest = rest[self._file.write(rest):]


class Held:
    """Leaves the samples of a run in memory: what is done where no record is asked for."""

    def __init__(self, times: Array) -> None:
        self._times = times

    def attach(self, run: Any) -> None:
        """There is nothing to hand over."""
        self._run = run

    def look(self, run: Any, seconds: float) -> None:
        """There is nothing to make safe."""

    def finish(self, run: Any, seconds: float, reason: str | None, events: Sequence[Happening] = ()) -> str | None:
        """Memory does not fail."""
        return reason

    def arrays(self) -> tuple[Array, Array, Array]:
        """Times, states and turns; the last sample of a run that an event stopped is at that event."""
        times = self._times[:self._run.recorded].copy()
        times[-1:] = np.minimum(times[-1:], self._run.time)
        return times, self._run.samples(), self._run.turns()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def read_record(path: Path, system: System) -> tuple[dict[str, Any], dict[str, Array]]:
    """What is known of a record, and its arrays, which stay in the file until they are looked at."""
    about, slots_at, samples_at = _head(path)
    if (about.get("state"), about.get("turns")) != (system.kernel.state_size, system.kernel.turns):
        raise ModelError(f"load(): {str(path)!r} does not fit this model: a record of other joints or measures.")
    known = _newest(path, slots_at)
    if known is None:
        raise ModelError(f"load(): {str(path)!r} is damaged: it does not say how many samples it has.\n"
                         "  Copy it again, or run the model again.")
    width = 8 * (1 + system.kernel.state_size + system.kernel.turns)
    there = max(0, path.stat().st_size - samples_at) // width
    count, reason = known["samples"], known.get("reason")
    if there < count:
        reason = (f"the file {str(path)!r} is cut off: {there:,} of {count:,} samples are there.\n"
                  "Copy it again, or run the model again.")
        warnings.warn(f"load(): {reason}", FileWarning, stacklevel=4)
    t, y, turns = _columns(path, samples_at, min(there, count), system)
    if not known["over"] and reason is None:
        reached = float(t[-1]) if len(t) else math.nan
        reason = UNFINISHED.format(what=GOING_ON if in_use(path) else KILLED, t=reached)
    told, arrays = _events(path, known.get("events") or [])
    return {**about, **known, "reason": reason, "events": told}, {"t": t, "y": y, "turns": turns, **arrays}


def _events(path: Path, place: list[int]) -> tuple[list[Any], dict[str, Array]]:
    """Events behind the samples of a record."""
    if not place:
        return [], {}
    with open(path, "rb") as file:
        file.seek(place[0])
        data = io.BytesIO(file.read(place[1]))
    try:
        with np.load(data, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return json.loads(str(arrays.pop("told"))), arrays
    except Exception as error:  # what a damaged archive makes NumPy raise has no end
        raise ModelError(f"load(): {str(path)!r} is damaged: its events cannot be read ({error}).\n"
                         "  Copy it again, or run the model again.") from None


def _free_place(path: Name) -> Path:
    """Where a record can be made: where nothing is, or one that nobody is writing."""
    place = check_place("simulate(): record", path)
    if not place.exists():
        return place
    if not is_record(place):
        raise WriteError(f"simulate(): record: {str(path)!r} exists, and is not the record of a run.\n"
                         "  Choose another name, or remove it.")
    if in_use(place):
        raise WriteError(f"simulate(): record: {str(path)!r} is being written by another run.\n"
                         "  Choose another name, or wait for its end.")
    return place


def _require_room(place: Path, samples: int, width: int) -> None:
    """Refuses a record that the disk has no room for."""
    needed, free = samples * width, shutil.disk_usage(place.parent).free
    if needed > free:
        raise WriteError(f"simulate(): record: {samples:,} samples need {needed / 1e9:.3g} GB; on the disk of "
                         f"{str(place)!r} {free / 1e9:.3g} GB are free.\n"
                         "  Ask for fewer outputs, or choose another disk.")


def _places(length: int) -> tuple[int, int]:
    """Where slots and samples begin, behind a head of so many bytes."""
    slots = -(-(HEAD.size + length) // PAGE) * PAGE
    return slots, slots + 2 * SLOT


def _stamped(number: int, known: dict[str, Any]) -> bytes:
    text = json.dumps(known).encode()
    return (STAMP.pack(number, len(text), zlib.crc32(text)) + text).ljust(SLOT, b"\0")


def _told(statistics: dict[str, Any], seconds: float) -> dict[str, Any]:
    return {"statistics": statistics, "seconds": seconds, "reason": None, "over": False}


def _columns(path: Path, at: int, count: int, system: System) -> tuple[Array, Array, Array]:
    size, turns = system.kernel.state_size, system.kernel.turns
    shape = (count, 1 + size + turns)
    rows = np.memmap(path, NUMBER, "r", at, shape) if count else np.empty(shape)
    return rows[:, 0], rows[:, 1:1 + size], rows[:, 1 + size:]


def _head(path: Path) -> tuple[dict[str, Any], int, int]:
    """What is known before the run, and where slots and samples begin."""
    with open(path, "rb") as file:
        first = file.read(HEAD.size)
        _, version, length = HEAD.unpack(first) if len(first) == HEAD.size else (b"", FORMAT, 0)
        if version != FORMAT:
            raise ModelError(f"load(): {str(path)!r} is a record of format {version}; this version of vincolo reads "
                             f"format {FORMAT}.\n  Read it with the version of vincolo that wrote it.")
        text = file.read(min(length, LONGEST_HEAD))
    try:
        about = json.loads(text)
        whole = isinstance(about, dict) and about.get("vincolo") == "record"
    except (ValueError, RecursionError):
        whole = False
    if not whole:
        raise ModelError(f"load(): {str(path)!r} is damaged: its head of {length:,} bytes is cut off or changed.\n"
                         "  Copy it again, or run the model again.")
    return about, *_places(length)


def _newest(path: Path, at: int) -> dict[str, Any] | None:
    """What the newest whole slot says; None if both are damaged."""
    found: dict[int, dict[str, Any]] = {}
    with open(path, "rb") as file:
        file.seek(at)
        for slot in (file.read(SLOT), file.read(SLOT)):
            if len(slot) < STAMP.size:
                continue
            number, length, check = STAMP.unpack(slot[:STAMP.size])
            text = slot[STAMP.size:STAMP.size + length]
            if len(text) == length and zlib.crc32(text) == check and length:
                found[number] = json.loads(text)
    newest = found[max(found)] if found else None
    return newest if newest is not None and _is_count(newest) else None


def _is_count(known: Any) -> bool:
    return (isinstance(known, dict) and isinstance(known.get("samples"), int) and known["samples"] >= 0
            and isinstance(known.get("over"), bool))
