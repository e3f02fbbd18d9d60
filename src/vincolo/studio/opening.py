"""Trees from files of any kind, and back."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from vincolo.errors import FileError
from vincolo.files import appearing
from vincolo.formats.document import Document
from vincolo.formats.excel import write_template
from vincolo.formats.files import open_model, save_model, tree_of_file, write_tree
from vincolo.formats.tree.files import model_data
from vincolo.formats.tree.notation import without_formulas
from vincolo.studio.hearing import hearing
from vincolo.studio.places import Place, Tree, strings

TREES = (".yaml", ".yml", ".xlsx")
EMPTY: Tree = {"vincolo": 1, "name": "mechanism", "gravity": [0.0, 0.0, -9.80665]}


@dataclass(frozen=True)
class Opened:
    """A tree from a file: the file it can be saved to again, what was noted, and a print of the file as it was."""

    tree: Tree
    path: Path | None
    notes: tuple[str, ...] = ()
    digest: str = ""
    folder: Path = field(default_factory=Path)


def open_tree(path: Path) -> Opened:
    """The tree of a file of any kind. What is not a tree itself is read as everywhere and written as one: it is saved
    under another name."""
    raw = tree_of_file(path) if path.suffix.lower() in TREES else None
    if raw is not None:
        return Opened(raw, path, (), digest_of(path), path.parent)
    with hearing() as heard:
        document = open_model(path)
    tree = without_formulas(model_data(document.model, document.settings, document.tolerances, document.study))
    r = document.report
    notes = dict.fromkeys([*heard, *r.notes, *r.unused, *(f"left out: {line}" for line in r.left_out)])
    return Opened(tree, None, tuple(notes), "", path.parent)


def template_tree(name: str) -> Tree:
    """The tree of a template of `vincolo new`."""
    with TemporaryDirectory() as folder:
        book = Path(folder) / f"{name}.xlsx"
        write_template(name, book)
        found = tree_of_file(book)
    if found is None:
        raise FileError(f"the template {name!r} has no tree.")
    return found


def digest_of(path: Path) -> str:
    """A print of a file's content, by which a change is noticed; nothing if it is not there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


_TEXT = re.compile(r""" "(?:[^"\\]|\\.)*" | '[^']*' """, re.VERBOSE)
_COMMENT = re.compile(r"(?:^|\s)#")


def keep_comments(target: Path) -> Path | None:
    """Copies a YAML file that has comments, which a tree does not know, before it is replaced; the copy, or None if
    there is nothing to keep, or a copy of it already."""
    if target.suffix.lower() not in (".yaml", ".yml") or not target.is_file():
        return None
    content = target.read_bytes()
    if not any(_COMMENT.search(_TEXT.sub("", line)) for line in content.decode(errors="replace").splitlines()):
        return None
    for k in range(1, 1000):
        copy = target.with_name(f"{target.stem}.comments{'' if k == 1 else k}{target.suffix}")
        if not copy.exists():
            with appearing("studio", copy) as file:
                file.write(content)
            return copy
        if copy.read_bytes() == content:
            return None
    raise FileError(f"{target.name}: there are 1,000 copies of it with comments.\n  Remove those you do not need.")


def seen_from(tree: Tree, here: Path, there: Path) -> Tree:
    """A tree of one folder for another: names of other files in it are seen from there."""
    same = here.resolve() == there.resolve()
    return tree if same else {key: strings(value, _seen_from(here, there), (key,)) for key, value in tree.items()}


def save_tree(tree: Tree, document: Callable[[], Document], here: Path, target: Path) -> None:
    """Writes a tree; names of other files in it are seen from the new place."""
    moved = seen_from(tree, here, target.parent)
    ending = target.suffix.lower()
    uses = any("use" in part for part in (tree.get("submodels") or {}).values() if isinstance(part, dict))
    if ending in (".yaml", ".yml") or (ending == ".xlsx" and not uses):
        write_tree(moved, target)
    else:
        save_model(document(), target)


#: keys of names of other files
FILES = {"use": ("submodels",), "path": ("bodies", "looks", "contacts"), "file": ("tyres",)}


def _seen_from(here: Path, there: Path) -> Callable[[str, Place], str]:
    def change(text: str, place: Place) -> str:
        if place[0] not in FILES.get(str(place[-1]), ()) or Path(text).is_absolute():
            return text
        return Path(os.path.relpath(here / text, there)).as_posix()

    return change
