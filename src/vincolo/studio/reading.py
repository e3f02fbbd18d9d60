"""A tree as the reader of files sees it: the model, or everything that is wrong with it, by place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vincolo.errors import FileErrors, ModelError, VincoloError
from vincolo.formats.document import Document
from vincolo.formats.files import opened
from vincolo.formats.tree.files import Files
from vincolo.formats.tree.source import PlacedError, Source, Where, copied_tree
from vincolo.studio.hearing import hearing
from vincolo.studio.places import Place, Tree, has


@dataclass(frozen=True)
class Problem:
    """Something wrong, or worth a look, at a place."""

    at: Place
    text: str
    grave: bool = True

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {"at": list(self.at), "text": self.text, "grave": self.grave}


@dataclass
class _Tree(Source):
    """A tree without lines, which knows its places all the same."""

    whole: Tree = field(default_factory=dict)

    def has(self, where: Where) -> bool:
        """Whether there is a value."""
        return has(self.whole, where)


@dataclass(frozen=True, eq=False)
class Reading:
    """What came out of a tree: a document, unless something is wrong."""

    document: Document | None
    problems: tuple[Problem, ...]

    @property
    def mistakes(self) -> tuple[Problem, ...]:
        """What keeps the tree from being a model."""
        return tuple(p for p in self.problems if p.grave)


def read_tree(tree: Tree, path: Path, changes: dict[str, Any] | None = None) -> Reading:
    """Reads a tree as the file at `path` would be read."""
    with hearing() as told:
        try:
            document = Files(opened).load(path, changes or {}, lambda: _Tree(path.name, copied_tree(tree), whole=tree))
        except (VincoloError, OSError, RecursionError) as error:
            return Reading(None, tuple(_problems(error, tree)))
    return Reading(document, tuple(Problem(_guess(tree, text), text, False) for text in (
        *told, *document.report.unused)))


def _problems(error: Exception, tree: Tree) -> list[Problem]:
    if isinstance(error, FileErrors):
        return [problem for mistake in error.mistakes for problem in _problems(mistake, tree)]
    where = error.where if isinstance(error, PlacedError) else _guess(tree, str(error))
    while where and not has(tree, where):
        where = where[:-1]
    return [Problem(where, str(error))]


def problem_of(error: Exception, tree: Tree) -> Problem:
    """What an analysis says, at the first part that it names."""
    return Problem(_guess(tree, str(error)), str(error), isinstance(error, ModelError))


def _guess(tree: Tree, text: str) -> Place:
    """The part that a message names first, in quotes."""
    best: tuple[int, Place] = (len(text) + 1, ())
    for section, parts in tree.items():
        for name in parts if isinstance(parts, dict) and section != "run" else ():
            k = text.find(f"'{name}'")
            if 0 <= k < best[0]:
                best = (k, (section, name))
    return best[1]
