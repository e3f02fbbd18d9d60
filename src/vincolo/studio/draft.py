"""A model being edited: its tree, what was done to it and can be undone, and its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vincolo.errors import FileError, ModelError, VincoloError
from vincolo.formats.document import Document
from vincolo.formats.mistakes import refuse
from vincolo.formats.tree.notation import fill
from vincolo.formats.tree.source import Source
from vincolo.formats.yaml.emit import document as yaml_text
from vincolo.studio.actions import Action, applied, dependents, titled, touched
from vincolo.studio.journal import Journal, Remains, abandoned
from vincolo.studio.names import checked_section, used_by
from vincolo.studio.opening import Opened, digest_of, keep_comments, open_tree, save_tree
from vincolo.studio.places import Place, Tree, called, place_of
from vincolo.studio.reading import Problem, Reading, read_tree

MOST_PAST = 10_000  # actions that can be undone


class Draft:
    """A tree with its past and its future. Trees are never changed: an action makes a new one."""

    def __init__(self, opened: Opened, journals: Path | None = None, remains: Remains | None = None) -> None:
        self.tree, self.path, self.folder = opened.tree, opened.path, opened.folder
        self.notes = list(opened.notes)
        self._digest = opened.digest
        self._past: list[tuple[str, Tree]] = []
        self._future: list[tuple[str, Tree]] = []
        self._saved: Tree | None = opened.tree if opened.path is not None else None
        self._begun = opened.tree
        self._reading: tuple[Tree, Reading] | None = None
        done = 0 if remains is None else self._replay(remains)
        self._journal = Journal(opened.tree, opened.path, journals, None if remains is None else remains.journal,
                                opened.digest)
        if remains is not None:
            self._journal.begin(remains.tree, opened.path, remains.entries[:done], opened.digest)
            if opened.path is not None and digest_of(opened.path) != opened.digest:
                self.notes.append(f"{opened.path.name} was changed after this session broke off: saving asks first.")

    # what it is

    @property
    def title(self) -> str:
        """The name of its file."""
        return self.path.name if self.path is not None else "untitled"

    @property
    def dirty(self) -> bool:
        """Whether something was done that is in no file."""
        return self.tree is not self._saved and not (self.path is None and self.tree is self._begun)

    @property
    def file(self) -> Path:
        """The file it stands for, also if there is none yet."""
        return self.path if self.path is not None else self.folder / "untitled.yaml"

    @property
    def reading(self) -> Reading:
        """The model, or what is wrong with it."""
        if self._reading is None or self._reading[0] is not self.tree:
            self._reading = (self.tree, read_tree(self.tree, self.file))
        return self._reading[1]

    @property
    def undoable(self) -> list[str]:
        """What can be undone, the last first."""
        return [title for title, _ in reversed(self._past)]

    @property
    def redoable(self) -> list[str]:
        """What can be done again, the next first."""
        return [title for title, _ in reversed(self._future)]

    # what is done to it

    def tried(self, action: Any) -> tuple[Tree, Reading]:
        """The tree that an action makes, if it is a model as much as this one; else what is wrong is raised."""
        made = applied(self.tree, action, self.file)
        reading = read_tree(made, self.file)
        wrong = self._wrong(action, reading)
        if wrong and action["do"] == "remove" and all(len(place) == 2 for place in touched(action)):
            raise _needed(action, wrong, dependents(self.tree, touched(action), self.file))
        refuse(self.file.name, [FileError(problem.text) for problem in wrong])
        return made, reading

    def _wrong(self, action: Action, reading: Reading) -> list[Problem]:
        """Mistakes that an action brings. A tree that has some already may show others, away from what is changed."""
        before = self.reading.mistakes
        known = {problem.text for problem in before}
        new = [problem for problem in reading.mistakes if problem.text not in known]
        if not before:
            return new
        places = touched(action)
        return [p for p in new if any(p.at[:len(place)] == place for place in places)]

    def act(self, action: Any) -> None:
        """Does something, which is on disk when this returns."""
        made, reading = self.tried(action)
        if made is self.tree or json.dumps(made) == json.dumps(self.tree):
            return
        self._journal.write({"act": action})
        self._did(titled(action), made)
        self._reading = (made, reading)

    def _did(self, title: str, made: Tree) -> None:
        self._past = [*self._past, (title, self.tree)][-MOST_PAST:]
        self._future, self.tree = [], made

    def undo(self) -> str:
        """Takes the last action back; its title, or nothing."""
        return self._step("undo", self._past, self._future)

    def redo(self) -> str:
        """Does again what was taken back."""
        return self._step("redo", self._future, self._past)

    def _step(self, what: str, source: list[tuple[str, Tree]], target: list[tuple[str, Tree]],
              journal: bool = True) -> str:
        if not source:
            return ""
        if journal:
            self._journal.write({what: 1})
        title, tree = source.pop()
        target.append((title, self.tree))
        self.tree = tree
        return title

    def _replay(self, remains: Remains) -> int:
        """Does what a journal says, without asking again whether it may be done; how many actions could be done."""
        self.tree = self._begun = remains.tree
        self._saved = None
        for k, entry in enumerate(remains.entries):
            if "act" in entry:
                try:
                    self._did(titled(entry["act"]), applied(self.tree, entry["act"], self.file))
                except (VincoloError, KeyError, TypeError) as error:
                    self.notes.append(f"{len(remains.entries) - k} actions of {remains.count} could not be done again, "
                                      f"since the first of them fails: {error}")
                    return k
            elif "undo" in entry:
                self._step("undo", self._past, self._future, journal=False)
            elif "redo" in entry:
                self._step("redo", self._future, self._past, journal=False)
        return remains.count

    # cut, copy, paste

    def dependents(self, at: list[Any]) -> list[Place]:
        """What would go with some parts."""
        return dependents(self.tree, [place_of(one) for one in at], self.file)

    def copied(self, at: list[Any]) -> str:
        """Parts as YAML, with the parameters and points that they use."""
        places = [place_of(one)[:2] for one in at]
        for place in places:
            checked_section(self.tree, *place)
        looks = [("looks", name) for section, name in places if section == "bodies"
                 and name in (self.tree.get("looks") or {})]
        used = used_by(self.tree, [*places, *looks])
        chosen = [*((s, n) for s, names in used.items() for n in self.tree.get(s) or {} if n in names),
                  *places, *looks]
        found: Tree = {}
        for section, name in dict.fromkeys(chosen):
            found.setdefault(section, {})[name] = self.tree[section][name]
        return yaml_text(found, raw=True)

    # files

    def save(self, path: Path | None = None, force: bool = False) -> Path:
        """Writes it to its file, or to another, which is its file from then on."""
        target = self.path if path is None else path
        if target is None:
            raise FileError("the model has no file yet.\n  Save it under a name: model.yaml or model.xlsx.")
        self._refuse_loss(target, force)
        kept = keep_comments(target)
        if kept is not None:
            self.notes.append(f"The studio writes no comments: {target.name} with its comments is kept as {kept.name}.")
        save_tree(self.tree, self.whole, self.folder, target)
        if target.suffix:
            self.path, self.folder, self._digest = target, target.parent, digest_of(target)
            self._saved, self._reading = self.tree, None
            self._journal.begin(self.tree, target, digest=self._digest)
        return target

    def _refuse_loss(self, target: Path, force: bool) -> None:
        """Asks before a file is replaced that is another one, or that somebody else has changed."""
        if force or not target.exists():
            return
        if self.path is None or target.resolve() != self.path.resolve():
            raise FileError(f"{target.name}: there is such a file already.\n  Choose another name, or replace it.")
        if digest_of(target) != self._digest:
            raise FileError(f"{target.name}: another program has changed this file since it was opened.\n"
                            "  Save under another name, or replace it.")

    def whole(self) -> Document:
        """The document that the tree stands for; what is wrong with it is raised."""
        reading = self.reading
        if reading.document is None:
            refuse(self.file.name, [FileError(problem.text) for problem in reading.mistakes])
            raise FileError(f"{self.file.name}: the model cannot be read.")
        return reading.document

    def text(self) -> str:
        """The tree as YAML."""
        return yaml_text(self.tree, raw=True)

    def close(self) -> None:
        """Ends; what is not saved can be recovered."""
        self._journal.close(keep=self.dirty)


def _needed(action: Action, wrong: list[Problem], others: list[Place]) -> ModelError:
    names = ", ".join(called(place) for place in others[:12]) or ", ".join(called(p.at) for p in wrong[:12])
    more = f" and {len(others) - 12} more" if len(others) > 12 else ""
    return Needed(f"other parts need this: {names}{more}.\n  Remove them too, or change them first.", others)


class Needed(ModelError):
    """Something that others need was to be removed."""

    def __init__(self, message: str, others: list[Place]) -> None:
        super().__init__(message)
        self.others = others


def opened_draft(path: Path | None, journals: Path | None = None,
                 blank: Callable[[], Opened] | None = None) -> tuple[Draft, int]:
    """The draft of a file, and how many actions of a session that broke off were done again."""
    found = abandoned(path, journals) if path is not None else []
    if found and path is not None:
        remains = found[0]
        opened = Opened(remains.tree, remains.path, (), remains.digest, path.parent)
        return Draft(opened, journals, remains), remains.count
    opened = blank() if path is None and blank is not None else open_tree(path or Path())
    return Draft(opened, journals), 0


def recovered(remains: Remains, folder: Path) -> Draft:
    """The draft of a session that broke off."""
    path = remains.path
    opened = Opened(remains.tree, path, (), remains.digest, folder if path is None else path.parent)
    return Draft(opened, remains.journal.parent, remains)


def parts_of_text(text: str) -> Tree:
    """Parts from YAML that was copied, here or elsewhere."""
    source = Source("what is pasted")
    fill(source, text)
    if not isinstance(source.data, dict):
        raise FileError("what is pasted is not a model: it is a map of sections such as bodies: and joints:.")
    return source.data
