"""Finished variants on disk, line by line: what was written before a program was killed is there afterwards.

A line has a checksum of the rest of it, the number of its first variant, how many there are, their outputs to the last
bit, and the reasons of those that failed. Lines are only ever appended; one that was cut short is cut off."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np

from vincolo.errors import FileError, ModelError
from vincolo.files import claimed, in_words
from vincolo.studies.variants import Found

FORMAT = 1
NAME = "journal.txt"


class Journal:
    """The journal of a study in a folder; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, about: dict[str, Any]) -> None:
        self.path = None if folder is None else folder / NAME
        self.about = {"format": FORMAT, **about}
        self.damaged = 0  # lines that did not have their checksum
        self._file: IO[bytes] | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Journal:
        if self.path is None:
            return self
        try:
            with in_words("study()", self.path.parent):
                self.path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise FileError(f"study(): {str(self.path.parent)!r} cannot be a folder: there is a file of that name, or "
                            "above it.\n  Choose another folder=.") from None
        with ExitStack() as opening, in_words("study()", self.path):
            file = opening.enter_context(claimed(self.path))
            if file is None:
                raise FileError(f"study(): another study is working on {str(self.path.parent)!r} now.\n"
                                "  Wait for it, or choose another folder.")
            self._file = file
            if not file.seek(0, os.SEEK_END):  # a new one, or one whose program was killed before its first line
                self._append(_line(json.dumps(self.about)))
            self._check_about()
            self._cut()
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.close()
        self._file = None

    def _check_about(self) -> None:
        head = next(self._lines(), None)
        if head is None or not head.startswith(b"{"):
            raise FileError(f"study(): {str(self.path)!r} is not a journal of a study, or its first line is damaged.\n"
                            "  Choose another folder, or remove it.")
        there = json.loads(head)
        if there["mark"] != self.about["mark"]:
            raise ModelError(f"study(): {str(self.path.parent if self.path else '')!r} has the variants of another "
                             "study: what is varied, its parameters, plan, seed, outputs or times differ.\n"
                             "  Choose another folder, or remove that one.")

    def _lines(self) -> Iterator[bytes]:
        """Lines that have their checksum, without it."""
        assert self.path is not None
        self.damaged = 0
        with open(self.path, "rb") as file:
            for line in file:
                text = _checked(line)
                if text is None:
                    self.damaged += 1
                else:
                    yield text

    def _cut(self) -> None:
        """Cuts off a line without an end, which a program that was killed left."""
        assert self._file is not None
        size = self._file.seek(0, os.SEEK_END)
        back = min(size, 1 << 16)
        while back < size and b"\n" not in self._tail(size, back):
            back = min(size, 2 * back)
        keep = size - back + self._tail(size, back).rfind(b"\n") + 1
        if keep < size:
            self._file.truncate(keep)
        self._file.seek(0, os.SEEK_END)

    def _tail(self, size: int, back: int) -> bytes:
        assert self._file is not None
        self._file.seek(size - back)
        return self._file.read(back)

    def read(self) -> Iterator[tuple[int, Found]]:
        """Variants that are there, by the number of the first of each line."""
        if self.path is None:
            return
        lines = self._lines()
        next(lines, None)
        for line in lines:
            start, count, values, reasons = line.split(b" ", 3)
            found = np.frombuffer(base64.b64decode(values), dtype="<f8").reshape(int(count), -1)
            yield int(start), Found(found, {int(k): text for k, text in json.loads(reasons).items()})

    def write(self, start: int, found: Found) -> None:
        """Appends variants; they are on the disk when this returns."""
        if self._file is None:
            return
        values = base64.b64encode(np.ascontiguousarray(found.values, dtype="<f8").tobytes()).decode()
        line = _line(f"{start} {len(found.values)} {values} {json.dumps(found.reasons)}")
        assert self.path is not None
        with in_words("study()", self.path):
            self._append(line)

    def _append(self, line: bytes) -> None:
        """Writes a line whole, or not at all."""
        assert self._file is not None
        at, left = self._file.tell(), memoryview(line)
        try:
            while left:  # files without a buffer may take a part
                left = left[self._file.write(left):]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(at)
            raise


def _line(text: str) -> bytes:
    data = text.encode()
    return b"%08x " % zlib.crc32(data) + data + b"\n"


def _checked(line: bytes) -> bytes | None:
    """A line without its checksum; None if it is not whole."""
    if len(line) < 11 or line[8:9] != b" " or not line.endswith(b"\n"):
        return None
    text = line[9:-1]
    return text if line[:8] == b"%08x" % zlib.crc32(text) else None
