"""Tolerances of a model in a file: what deviates is a part of the model, or any number that the file has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vincolo.analyses.run_settings import OUTPUTS, UNTIL
from vincolo.errors import FileError, ModelError
from vincolo.formats.document import Document
from vincolo.tolerance.of_model import ModelSubject
from vincolo.tolerance.sources import Tolerances
from vincolo.varied import feature_of


def tolerances_in(document: Document) -> Tolerances:
    """The tolerances of a file, which must have some."""
    if document.tolerances is None:
        name = document.path.name if document.path is not None else document.model.name
        raise FileError(f"{name}: it has no tolerances.\n  Add a sheet Tolerances, or tolerances: in YAML, with rows "
                        "such as: crank pin: {of: A@crank.x, plus_minus: 0.0001}.")
    return document.tolerances


def subject_of(document: Document, outputs: Sequence[str] = (), *, until: float | None = None,
               times: Any = None, analysis: str | None = None) -> ModelSubject:
    """What the tolerances of a file are studied on: its motion as the file asks for, unless changed; the outputs are
    the channels of the file if none are named."""
    settings = document.settings
    wanted = tuple(outputs) or settings.channels
    if not wanted:
        raise FileError(f"{document.model.name}: no output is named, and the file asks for no channels.\n"
                        "  Name one, such as --output slider.x.")
    names = [name for s in tolerances_in(document).sources for name in s.coordinates]
    made = [name for name in names if not _is_feature(document, name)]
    given = {key: getattr(settings, key) for key in ("integrator", "formulation", "stabilisation")
             if getattr(settings, key) is not None}
    kind = analysis or settings.analysis
    return ModelSubject(document.model, wanted, until=until or settings.until or UNTIL,
                        times=times or settings.outputs or OUTPUTS, analysis=kind, make=document.deviating, made=made,
                        settings=given)


def _is_feature(document: Document, name: str) -> bool:
    """Whether a name is a part of the model; if not, it must be a number of the file."""
    try:
        feature_of(document.model, name)
    except ModelError:
        if document.deviating is None:
            raise
        try:
            document.deviating({name: 0.0})
        except ModelError as error:
            raise FileError(f"tolerances: {name!r} is neither a part of the model that could deviate nor a number of "
                            f"the file.\n  {str(error).splitlines()[0]}") from None
        return False
    return True
