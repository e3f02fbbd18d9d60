"""Opening and saving from the page: files, templates, what is dropped upon the window, what broke off."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vincolo.errors import FileError, ModelError
from vincolo.files import appearing
from vincolo.formats.files import READERS, TREES
from vincolo.studio.draft import Draft, opened_draft, recovered
from vincolo.studio.examples import beginnings, begun, picture_of
from vincolo.studio.journal import abandoned
from vincolo.studio.names import all_names, free_name
from vincolo.studio.opening import EMPTY, Opened, open_tree
from vincolo.studio.trying import Trying
from vincolo.view.live.server import Client

Message = dict[str, Any]
MESHES = (".stl", ".obj")
ENDINGS = {*READERS, *TREES, ".s3d"}
MOST_LISTED = 500


class Filing(Trying):
    """What concerns files."""

    def __init__(self, draft: Draft, journals: Path | None) -> None:
        super().__init__(draft)
        self.journals = journals
        self.filing: dict[str, Callable[[Client, Message], Message | None]] = {
            "new": self._new, "open": self._open, "dropped": self._dropped, "save": self._save, "files": self._files,
            "beginnings": self._beginnings, "picture": self._picture, "recover": self._recover, "text": self._text_of}

    def take(self, draft: Draft, note: str = "") -> None:
        """Another model in the place of this one, which can be recovered if it was not saved."""
        self.end_run()
        self.draft.close()
        self.draft = draft
        self.changed(fit=True)
        self.note(note, *draft.notes)

    def _refuse_loss(self, message: Message) -> None:
        if self.draft.dirty and not message.get("force"):
            raise FileError(f"{self.draft.title} has changes that are not saved.\n"
                            "  Save it first, or go on all the same: its journal keeps them.")

    def _new(self, client: Client, message: Message) -> Message | None:
        self._refuse_loss(message)
        name = message.get("template")
        self.take(Draft(begun(str(name)) if name else Opened(EMPTY, None, folder=Path.cwd()), self.journals))
        return None

    def _open(self, client: Client, message: Message) -> Message | None:
        self._refuse_loss(message)
        draft, count = opened_draft(_path(message), self.journals)
        self.take(draft, f"{count} actions of a session that broke off were done again." if count else "")
        return None

    def _recover(self, client: Client, message: Message) -> Message | None:
        self._refuse_loss(message)
        found = {r.journal.name: r for r in abandoned(None, self.journals)}.get(str(message.get("journal")))
        if found is None:
            raise FileError("what broke off is not there any more, or another studio has it.")
        if message.get("forget"):
            found.journal.unlink(missing_ok=True)
            return None
        self.take(recovered(found, Path.cwd()), f"{found.count} actions were done again. Undo takes them back.")
        return None

    def _dropped(self, client: Client, message: Message) -> Message | None:
        """A file that was dropped upon the window: a model is opened, a mesh becomes a body."""
        name = Path(str(message.get("name") or "")).name
        try:
            content = base64.b64decode(str(message.get("content") or ""), validate=True)
        except (binascii.Error, ValueError):
            raise FileError(f"{name}: the file did not arrive whole.") from None
        if Path(name).suffix.lower() in MESHES:
            return self._mesh(name, content, message)
        self._refuse_loss(message)
        if Path(name).suffix.lower() == ".py":
            raise FileError(f"{name}: this is a program; a window runs none.\n  Open it by its path, or with: "
                            f"vincolo studio {name}")
        with TemporaryDirectory() as folder:
            path = Path(folder) / (name or "model")
            path.write_bytes(content)
            opened = open_tree(path)
        self.take(Draft(Opened(opened.tree, None, opened.notes, folder=Path.cwd()), self.journals))
        return {"name": name}

    def _mesh(self, name: str, content: bytes, message: Message) -> Message:
        """A body with the shape of a mesh file, which is put beside the model."""
        target = self.draft.folder / name
        if target.exists() and target.read_bytes() != content:
            raise FileError(f"{name}: there is another file of this name beside the model.\n  Rename one of them.")
        if not target.exists():
            with appearing("studio", target) as file:
                file.write(content)
        body = free_name(Path(name).stem, all_names(self.draft.tree))
        self.draft.act({"do": "add", "section": "bodies", "name": body, "value": {
            "shape": {"kind": "mesh", "path": name, "density": 7850.0}, "at": message.get("at") or [0.0, 0.0, 0.0]}})
        self.changed()
        return {"added": [["bodies", body]]}

    def _save(self, client: Client, message: Message) -> Message | None:
        asked = message.get("path")
        path = None if not asked else _path(message, self.draft.folder)
        told = len(self.draft.notes)
        done = self.draft.save(path, bool(message.get("force")))
        self.changed(scene=False)
        self.note(*self.draft.notes[told:])
        return {"path": str(done)}

    def _files(self, client: Client, message: Message) -> Message | None:
        """What can be opened in a folder, and its folders."""
        folder = Path(str(message.get("folder") or self.draft.folder)).expanduser()
        if not folder.is_dir():
            raise FileError(f"there is no folder {str(folder)!r}.")
        found = sorted((p for p in folder.iterdir() if not p.name.startswith(".")), key=lambda p: p.name.lower())
        return {"folder": str(folder.resolve()), "parent": str(folder.resolve().parent),
                "folders": [p.name for p in found if p.is_dir()][:MOST_LISTED],
                "files": [p.name for p in found if p.is_file() and p.suffix.lower() in ENDINGS][:MOST_LISTED]}

    def _beginnings(self, client: Client, message: Message) -> Message | None:
        return {"beginnings": beginnings()}

    def _picture(self, client: Client, message: Message) -> Message | None:
        return {"picture": picture_of(str(message.get("name")))}

    def _text_of(self, client: Client, message: Message) -> Message | None:
        return {"text": self.draft.text()}


def _path(message: Message, folder: Path | None = None) -> Path:
    path = message.get("path")
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise ModelError("the name of a file is needed.")
    found = Path(path.strip()).expanduser()
    return found if found.is_absolute() or folder is None else folder / found
