"""Models in files of vincolo's own YAML: readable, complete to the last bit, and easy to write by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.model.model import Model

MOST_FILES = 1000  # sub-models in one another

Name = str | os.PathLike[str]


def save_model(model: Model, path: Name) -> Path:
    """Writes a model to a YAML file, from which load_model() makes the same model; it appears only when complete."""
    from vincolo.formats.yaml_emit import document
    from vincolo.formats.yaml_save import data_of
    from vincolo.results.files import appearing

    if not isinstance(model, Model):
        raise ModelError(f"save_model() takes a Model, not {type(model).__name__}.")
    text = document(data_of(model))
    with appearing("save_model()", path) as file:
        file.write(text.encode())
    return Path(path)


def load_model(path: Name, parameters: Mapping[str, float] | None = None) -> Model:
    """The model in a YAML file; `parameters` replace numbers that the file gives under parameters:."""
    return _Files().load(Path(path), parameters or {})


class _Files:
    """Files that are being read: one uses others as sub-models."""

    def __init__(self) -> None:
        self._open: list[Path] = []
        self._count = 0

    def load(self, path: Path, parameters: Mapping[str, Any]) -> Model:
        """The model in a file, which may use others."""
        from vincolo.formats.yaml_load import model_of
        from vincolo.formats.yaml_read import read, with_formulas

        resolved = path.resolve()
        if resolved in self._open:
            chain = " -> ".join(p.name for p in [*self._open[self._open.index(resolved):], resolved])
            raise ModelError(f"the files use each other in a circle: {chain}.\n"
                             "  A sub-model cannot contain the model it is part of.")
        self._count += 1
        if self._count > MOST_FILES:
            raise ModelError(f"more than {MOST_FILES} sub-models are read for one model.")
        self._open.append(resolved)
        try:
            source = read(path)
            known = with_formulas(source, parameters)
            return model_of(source, known, path.parent, self.load)
        finally:
            self._open.pop()
