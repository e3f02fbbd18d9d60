"""What readers of files from other programs share: the bytes of a file, numbers, poses, free names,
collected mistakes."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vincolo.errors import FileError
from vincolo.model.checks import control_codes
from vincolo.model.geometry import Array
from vincolo.model.named_parts import RESULTS

MOST_BYTES = 20_000_000
SHOWN = 60  # characters of a value in a message

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def file_bytes(path: str | os.PathLike[str], kind: str) -> bytes:
    """The content of a file that is there and not too large; `kind` is what it should be."""
    try:
        where = Path(path)
        if where.is_dir():
            raise FileError(f"{str(path)!r}: this is a folder.\n  Give the path of {kind}.")
        with where.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise FileError(f"{str(path)!r}: there is no such file.\n  Give the path of {kind}.") from None
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{str(path)!r}: the file cannot be read ({error}).\n  Give the path of {kind}.") from None
    if len(data) > MOST_BYTES:
        raise FileError(f"{where.name}: the file has more than {MOST_BYTES / 1e6:.0f} MB, which is the limit.\n"
                        f"  Check that this is {kind}.")
    return data


def short(text: str | None) -> str:
    """A text in quotes, or its beginning if it is too long for a message."""
    shown = text or ""
    return repr(shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}...")


def number_of(word: str) -> float | None:
    """A finite number, or None if the text is not one."""
    number = float(word) if _NUMBER.fullmatch(word) else math.inf
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class Pose:
    """A place and axes: p is the origin, the columns of R are the axes."""

    p: Array
    R: Array

    def __matmul__(self, other: Pose) -> Pose:
        """A pose given in this one, seen from outside."""
        return Pose(self.p + self.R @ other.p, self.R @ other.R)


class Names:
    """Names that a model can use, each once; control codes become underscores, clashes get a number. Dots are kept,
    except at the ends and where the name would be a result of another part. `note` is called with changes."""

    def __init__(self, note: Callable[[object, str], None]) -> None:
        self._taken, self._note = {"ground", "energy", "residual", "t"}, note
        self._counts: dict[str, int] = {}

    def free(self, name: str, kind: str, place: object) -> str:
        """The name, changed if need be."""
        clean = "".join("_" if control_codes(char) else char for char in name)[:180]
        plain = ".".join(filter(None, (word.strip() for word in clean.split("."))))
        plain = plain.replace(".", "_") if self._is_result(plain) else plain or kind
        found = plain
        while found in self._taken or any(f"{found}.{word}" in self._taken for word in RESULTS):
            self._counts[plain] = self._counts.get(plain, 1) + 1
            found = f"{plain}_{self._counts[plain]}"
        self._taken.add(found)
        if found != name:
            self._note(place, f"{kind} {short(name)} is called {found!r} here.")
        return found


    def _is_result(self, name: str) -> bool:
        """Whether a part that is there, or its children, have a result or part of this name."""
        words = name.split(".")
        return any(words[k] in RESULTS and ".".join(words[:k]) in self._taken for k in range(1, len(words)))
