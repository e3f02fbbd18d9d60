"""Reading and writing YAML files of models."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from vincolo.formats.document import Document, RunSettings
from vincolo.formats.report import FileError, Report
from vincolo.formats.tree.source import Source
from vincolo.model.model import Model

MOST_FILES = 1000  # sub-models in one another
#: how a file begins, and what comes last
TOP = ("vincolo", "name", "gravity", "parameters", "points", "bodies", "looks", "submodels", "frames", "joints",
       "measures", "drives", "holds", "springs", "laws", "actuators", "rotors", "loads", "switches", "run")


def write_yaml(data: dict[str, Any], path: Path, raw: bool = False) -> None:
    """Writes the tree of a model; `raw` trees may have formulas."""
    from vincolo.formats.yaml.emit import document
    from vincolo.writing import appearing

    text = document({key: data[key] for key in (*TOP, *data) if key in data}, raw)
    with appearing("save_model()", path) as file:
        file.write(text.encode())


def read_yaml(path: Path, changes: Mapping[str, Any]) -> Document:
    """The model in a YAML file, which may use others."""
    return Files().load(path, changes)


class Files:
    """Files that are being read: one uses others as sub-models, of any kind but programs."""

    def __init__(self) -> None:
        self._open: list[Path] = []
        self._count = 0

    def load(self, path: Path, changes: Mapping[str, Any], source: Source | None = None) -> Document:
        """The model in a file, or in what was read of it."""
        outer = _READING.get() or self  # a workbook in a YAML file is counted with it
        token = _READING.set(outer)
        try:
            return outer._load(path, changes, source)
        finally:
            _READING.reset(token)

    def _load(self, path: Path, changes: Mapping[str, Any], source: Source | None) -> Document:
        from vincolo.formats.tree.changes import apply
        from vincolo.formats.tree.formulas import list_unused, with_formulas
        from vincolo.formats.tree.load import model_of
        from vincolo.formats.yaml.read import read

        resolved = path.resolve()
        if resolved in self._open:
            chain = " -> ".join(p.name for p in [*self._open[self._open.index(resolved):], resolved])
            raise FileError(f"the files use each other in a circle: {chain}.\n"
                            "  A sub-model cannot contain the model it is part of.")
        self._count += 1
        if self._count > MOST_FILES:
            raise FileError(f"more than {MOST_FILES} sub-models are read for one model.")
        self._open.append(resolved)
        try:
            found = read(path) if source is None else source
            known = with_formulas(found, apply(found, changes))
            model, settings = model_of(found, known, path.parent, self._other)
            list_unused(found, known)
            return Document(model, settings, Report(unused=list(found.unused)), path)
        finally:
            self._open.pop()

    @staticmethod
    def _other(path: Path, parameters: dict[str, Any]) -> Model:
        from vincolo.formats.files import open_model

        if path.suffix.lower() == ".py":
            raise FileError(f"{path.name}: this is a program, and files of models run none.\n"
                            f"  Write its model to a file first: vincolo convert {path.name} {path.stem}.yaml")
        return open_model(path, parameters).model


#: the files that are being read now
_READING: ContextVar[Files | None] = ContextVar("_READING", default=None)


def model_data(model: Model, settings: RunSettings | None = None) -> dict[str, Any]:
    """The tree of a model, with how it asks to be run."""
    from vincolo.formats.tree.save import data_of

    data = data_of(model)
    if settings is not None and settings.given:
        from vincolo.formats.tree.settings import settings_data

        data["run"] = settings_data(settings)
    return data
