"""What the readers of datasets and of command files share: the text of a file, and what stands in its lines."""

from __future__ import annotations

import os
from pathlib import Path

from vincolo.errors import FileError
from vincolo.formats.sources import file_bytes


class Written:
    """Something that begins on a line of a file."""

    file: str
    line: int

    @property
    def title(self) -> str:
        """How messages call it."""
        raise NotImplementedError

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.file}, line {self.line}"

    def error(self, what: str, way_out: str) -> FileError:
        """An error here."""
        return FileError(f"{self.place}: {self.title}: {what}\n  {way_out}")


def plain_text(path: str | os.PathLike[str], kind: str) -> tuple[str, str]:
    """The text of a file, and the file's name; `kind` is what it should be."""
    data, file = file_bytes(path, kind), Path(path).name
    if b"\0" in data:
        raise FileError(f"{file}: the file is not plain text (it has zero bytes).\n  Give the path of {kind}.")
    try:
        return data.decode("utf-8-sig"), file
    except UnicodeDecodeError:
        return data.decode("latin-1"), file
