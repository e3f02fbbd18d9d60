"""A reader of MATLAB files of version 5 (what `save` and `save -v7` write), for structs of numbers and texts.

SciPy's own reader does not survive damaged files; this one checks every length before it believes it.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import FileError

MOST_UNPACKED = 2**31  # bytes
NUMBERS = {1: "<i1", 2: "<u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 9: "<f8", 12: "<i8", 13: "<u8"}
TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16-le", 16: "utf-8", 17: "utf-16-le"}
MATRIX, PACKED = 14, 15  # kinds of elements
CELL, STRUCT, CHAR, NUMERIC = 1, 2, 4, range(6, 16)  # kinds of arrays
COMPLEX = 0x800


def read_struct(path: Path, name: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Fields of a struct in a file: arrays of numbers, texts, or lists of texts; raises FileError or ValueError."""
    data = memoryview(path.read_bytes())
    if len(data) < 128 or bytes(data[126:128]) != b"IM":
        raise FileError(f"{path.name}: this is not a MATLAB file of version 5.\n"
                        f"  Save it with: save('{path.name}', '-v7')")
    for kind, content in _elements(data[128:]):
        unpacked = _unpacked(content) if kind == PACKED else [(kind, content)]
        for inner, matrix in unpacked:
            if inner == MATRIX and len(matrix):
                found = _Matrix(matrix)
                if found.name == name and found.kind == STRUCT:
                    return {key: _value(part) for key, part in found.fields() if key in wanted}
    raise FileError(f"{path.name}: it has no struct {name!r}.\n  Tables are written by result.export().")


def _elements(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Kind and content of each element, one after the other."""
    place = 0
    while place < len(data):
        if len(data) - place < 8:
            raise ValueError("it ends in the middle of an element")
        kind, size = struct.unpack_from("<II", data, place)
        start, step = place + 8, size
        if kind >> 16:  # up to four bytes stand in the head itself
            kind, size, start, step = kind & 0xFFFF, kind >> 16, place + 4, 0
        if size > len(data) - start or (step == 0 and size > 4):
            raise ValueError("an element is longer than the file")
        yield kind, data[start: start + size]
        place += 8 + step + (0 if kind == PACKED else -step % 8)


def _unpacked(content: memoryview) -> list[tuple[int, memoryview]]:
    stream = zlib.decompressobj()
    data = stream.decompress(content, MOST_UNPACKED)
    if not stream.eof:
        raise ValueError("a packed element is cut off or too large")
    return list(_elements(memoryview(data)))


class _Matrix:
    """An array: its kind, size and name, and what follows."""

    def __init__(self, content: memoryview) -> None:
        self.rest = _elements(content)
        flags = np.frombuffer(self._next(6), "<u4")
        self.shape = tuple(int(n) for n in np.frombuffer(self._next(5), "<i4"))
        if len(flags) != 2 or len(self.shape) != 2 or min(self.shape) < 0:
            raise ValueError("an array does not have two dimensions")
        self.kind, self.count, self.complex = int(flags[0]) & 0xFF, math.prod(self.shape), int(flags[0]) & COMPLEX
        self.name = bytes(self._next(1)).decode("latin-1")

    def _next(self, *kinds: int) -> memoryview:
        kind, content = next(self.rest, (0, memoryview(b"")))
        if kind not in kinds:
            raise ValueError("an array is not complete")
        return content

    def fields(self) -> Iterator[tuple[str, _Matrix | None]]:
        """Names and arrays of a struct."""
        width = int(np.frombuffer(self._next(5), "<i4")[0])
        names = bytes(self._next(1))
        if width < 1 or len(names) % width or self.count != 1:
            raise ValueError("the names of a struct do not fit")
        for k in range(0, len(names), width):
            content = self._next(MATRIX)
            name = names[k: k + width].partition(b"\0")[0].decode("latin-1")
            yield name, _Matrix(content) if len(content) else None

    def numbers(self) -> Any:
        """The array as float64."""
        kind, content = next(self.rest, (0, memoryview(b"")))
        if kind not in NUMBERS or self.complex:
            raise ValueError("an array does not have real numbers")
        return np.frombuffer(content, NUMBERS[kind]).astype(float).reshape(self.shape, order="F")

    def text(self) -> str:
        """One line of text."""
        kind, content = next(self.rest, (0, memoryview(b"")))
        if self.count and (kind not in TEXTS or self.shape[0] != 1):
            raise ValueError("a text has several lines")
        return bytes(content).decode(TEXTS[kind]) if self.count else ""

    def texts(self) -> list[str]:
        """The texts of a cell array."""
        contents = [content for kind, content in self.rest if kind == MATRIX]
        if len(contents) != self.count:
            raise ValueError("a cell array is not complete")
        cells = [_Matrix(content) if len(content) else None for content in contents]
        if any(cell is not None and cell.kind != CHAR and cell.count for cell in cells):
            raise ValueError("names and units must be texts")
        return ["" if cell is None or not cell.count else cell.text() for cell in cells]


def _value(matrix: _Matrix | None) -> Any:
    if matrix is None:
        return np.zeros((0, 0))
    if matrix.kind == CELL:
        return matrix.texts()
    if matrix.kind == CHAR:
        return matrix.text()
    if matrix.kind in NUMERIC:
        return matrix.numbers()
    raise ValueError("a field is not an array of numbers or texts")
