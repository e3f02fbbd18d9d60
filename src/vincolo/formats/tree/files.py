"""Trees that are read for one model, with sub-models in files of their own and changes; and the tree of a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError, FileWarning, ModelError
from vincolo.formats.document import Document
from vincolo.formats.report import Report
from vincolo.formats.tree.changes import apply, deviate
from vincolo.formats.tree.formulas import list_unused, with_formulas
from vincolo.formats.tree.load import model_of
from vincolo.formats.tree.save import data_of
from vincolo.formats.tree.settings import settings_data
from vincolo.formats.tree.source import Source
from vincolo.formats.tree.studies import Rows, study_data, study_of
from vincolo.formats.tree.tolerances import tolerances_data, tolerances_of
from vincolo.model.model import Model
from vincolo.tolerance.sources import Tolerances
from vincolo.varied import feature_of

MOST_FILES = 1000  # sub-models in one another


class Files:
    """Files that are being read for one model: one uses others as sub-models, of any kind but programs. `opened` reads
    such another one, whatever its kind."""

    def __init__(self, opened: Callable[[Path, dict[str, Any], Files], Document]) -> None:
        self.read: list[Path] = []  # all of them, and folders
        self._opened = opened
        self._open: list[Path] = []
        self._count = 0

    def load(self, path: Path, changes: Mapping[str, Any], read: Callable[[], Source]) -> Document:
        """The model in a file; `read` makes its tree."""
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
            source = read()
            whole = source.copied()
            known = with_formulas(source, apply(source, changes))
            model, settings, garage = model_of(source, known, path.parent, self._other)
            list_unused(source, known)
            return Document(model, settings, Report(unused=list(source.unused)), path,
                            tolerances=tolerances_of(source, model), study=study_of(source), garage=garage,
                            begin=garage.begin if garage.cars else None,
                            deviating=_Deviating(whole, path, dict(changes), self._opened))
        finally:
            self._open.pop()

    def changed(self, document: Document, changes: Mapping[str, Any]) -> Document:
        """The document with numbers changed; its model goes through its tree."""
        if not changes:
            return document
        path = document.path or Path("model")
        source = Source(path.name, model_data(document.model, document.settings, document.tolerances,
                                              document.study))
        made = self.load(path, changes, lambda: source)
        return replace(document, model=made.model, settings=replace(made.settings, method=document.settings.method))

    def _other(self, path: Path, parameters: dict[str, Any]) -> Model:
        if path.suffix.lower() == ".py":
            raise FileError(f"{path.name}: this is a program, and files of models run none.\n"
                            f"  Write its model to a file first: vincolo convert {path.name} {path.stem}.yaml")
        return self._opened(path, parameters, self).model


@dataclass(frozen=True, eq=False)
class _Deviating:
    """Makes the model of a file anew, with numbers in it off by so much."""

    source: Source
    path: Path
    changes: dict[str, Any]
    opened: Callable[[Path, dict[str, Any], Files], Document]

    def __call__(self, deviations: Mapping[str, float]) -> Model:
        source = self.source.copied()
        known = apply(source, self.changes)
        if known:
            source.data["parameters"].update(known)
        deviate(source, deviations)
        files = Files(self.opened)
        return model_of(source, with_formulas(source, {}), self.path.parent, files._other)[0]


def _without_parameters(model: Model, tolerances: Tolerances) -> Tolerances:
    """Tolerances of parts alone: where the values of parameters are written, nothing is left of parameters."""
    lost = []
    for s in tolerances.sources:
        try:
            for name in s.coordinates:
                feature_of(model, name)
        except ModelError:
            lost.append(s.name)
    if lost:
        warnings.warn(f"{model.name}: the tolerances {', '.join(map(repr, lost))} are of parameters or points, whose "
                      "values are written here; they are left out.\n  Convert the file itself, which keeps them.",
                      FileWarning, stacklevel=4)
    return Tolerances(tuple(s for s in tolerances.sources if s.name not in lost),
                      {pair: rho for pair, rho in tolerances.correlations.items() if not set(pair) & set(lost)})


def model_data(model: Model, settings: RunSettings | None = None,
               tolerances: Tolerances | None = None, study: Rows | None = None) -> dict[str, Any]:
    """The tree of a model, with its tolerances, its study and how it asks to be run."""
    data = data_of(model)
    kept = None if tolerances is None else _without_parameters(model, tolerances)
    if kept is not None and kept.sources:
        data["tolerances"] = tolerances_data(kept)
    if study:
        data["study"] = study_data(study)
    if settings is not None and settings.given:
        data["run"] = settings_data(settings)
    return data
