"""What was done to a model, on disk after each action: what a crash leaves is the base and all actions."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.files import growing, in_use
from vincolo.studio.places import Tree

VERSION = 1
ENDING = ".journal"
MOST_BYTES = 200_000_000


def journal_folder() -> Path:
    """Where journals are kept: VINCOLO_STUDIO_FOLDER, or the place for such things on this system."""
    asked = os.environ.get("VINCOLO_STUDIO_FOLDER")
    if asked:
        return Path(asked)
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "vincolo" / "studio"


@dataclass(frozen=True)
class Remains:
    """A journal that nobody is writing: its file, the model's, the base, and what was done since."""

    journal: Path
    path: Path | None
    tree: Tree
    entries: tuple[dict[str, Any], ...]
    when: float
    digest: str = ""  # a print of the model's file as it was at the base; empty if that is not known

    @property
    def count(self) -> int:
        """How many actions are not saved."""
        return len(self.entries)


class Journal:
    """A file that grows by a line for each action, which is on the disk before the next one."""

    def __init__(self, tree: Tree, path: Path | None, folder: Path | None = None, old: Path | None = None,
                 digest: str = "") -> None:
        self.path, self._model = old or _free(folder or journal_folder(), path), path
        self._lock = ExitStack()
        self.begin(tree, path, digest=digest)

    def begin(self, tree: Tree, path: Path | None, entries: tuple[dict[str, Any], ...] = (), digest: str = "") -> None:
        """Begins anew from a tree, which a file with this print holds: what was done before is not needed any more."""
        self._model = path
        head = {"studio": VERSION, "path": None if path is None else str(path), "digest": digest, "tree": tree}
        lines = [head, *entries]
        temporary = self.path.with_suffix(".new")
        with temporary.open("wb") as file:
            file.write(b"".join(map(_line, lines)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path)
        self._lock.close()
        self._file = self._lock.enter_context(growing(self.path))
        self._file.seek(0, os.SEEK_END)

    def write(self, entry: dict[str, Any]) -> None:
        """Adds a line, and waits until the disk has it."""
        self._file.write(_line(entry))
        os.fsync(self._file.fileno())

    def close(self, keep: bool = False) -> None:
        """Ends; the file goes unless it is to be recovered."""
        self._lock.close()
        if not keep:
            self.path.unlink(missing_ok=True)


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _stem(path: Path | None) -> str:
    if path is None:
        return "untitled"
    return f"{path.stem[:40]}-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"


def _free(folder: Path, path: Path | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    stem = _stem(path)
    names = (folder / f"{stem}{'' if k == 1 else f'-{k}'}{ENDING}" for k in range(1, 10_000))
    for name in names:
        with suppress(FileExistsError):
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return name
    raise ModelError(f"there are 10,000 journals of {stem!r} in {str(folder)!r}.\n  Remove those you do not need.")


def read_journal(path: Path) -> Remains | None:
    """What a journal holds; a last line that was not finished is left out. None if it is another kind of file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        rows = path.read_bytes().split(b"\n")[:-1]
        when = path.stat().st_mtime
    except OSError:
        return None
    entries: list[dict[str, Any]] = []
    for row in rows:
        try:
            entry = json.loads(row)
        except ValueError:
            break
        if not isinstance(entry, dict):
            break
        entries.append(entry)
    if not entries or entries[0].get("studio") != VERSION or not isinstance(entries[0].get("tree"), dict):
        return None
    named = entries[0].get("path")
    return Remains(path, Path(named) if isinstance(named, str) else None, entries[0]["tree"], tuple(entries[1:]), when,
                   str(entries[0].get("digest") or ""))


def abandoned(path: Path | None = None, folder: Path | None = None) -> list[Remains]:
    """Journals with actions that nobody is writing, the newest first; those of one file, or all."""
    return sorted(_abandoned(path, folder or journal_folder()), key=lambda r: -r.when)


def _abandoned(path: Path | None, folder: Path) -> Iterator[Remains]:
    for file in folder.glob(f"*{ENDING}") if folder.is_dir() else ():
        if in_use(file):
            continue
        found = read_journal(file)
        if found is None or not found.entries:
            if time.time() - file.stat().st_mtime > 60.0:  # nothing was done; its program is gone
                file.unlink(missing_ok=True)
            continue
        if path is None or (found.path is not None and found.path.resolve() == path.resolve()):
            yield found
