"""Models that a Python file builds. Such a file is a program of the user's, and is run."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError
from vincolo.formats.document import Document
from vincolo.formats.tree.files import Files
from vincolo.model.model import Model
from vincolo.units import quantity

#: files of the model that is being read, to which a program adds those that it opens itself
OPENED_BY_PROGRAM: ContextVar[list[Path] | None] = ContextVar("OPENED_BY_PROGRAM", default=None)


def read_python(path: Path, changes: Mapping[str, Any], files: Files) -> Document:
    """The model that build() in a Python file returns, or that it has under the name `model`. Changes are arguments of
    build(), or numbers of parts; `run` in the file may be a RunSettings."""
    token = OPENED_BY_PROGRAM.set(files.read)
    try:
        module = _module(path)
        build = getattr(module, "build", None)
        own = {name: _plain(value) for name, value in changes.items() if callable(build) and name in _arguments(build)}
        model = _built(path, build, own) if callable(build) else getattr(module, "model", None)
    finally:
        OPENED_BY_PROGRAM.reset(token)
    if not isinstance(model, Model):
        raise FileError(f"{path.name}: there is neither a function build() that returns a model nor a model called "
                        "'model'.\n  Write: def build(): ... return model")
    settings = getattr(module, "run", None)
    found = Document(model, settings if isinstance(settings, RunSettings) else RunSettings(), path=path)
    return files.changed(found, {name: value for name, value in changes.items() if name not in own})


def _plain(value: Any) -> Any:
    """A number with a unit, such as "5 mm", in SI."""
    found = quantity(value) if isinstance(value, str) else None
    return value if found is None else found[1].si(found[0])


def _module(path: Path) -> Any:
    spec = spec_from_file_location(f"vincolo_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileError(f"{path.name}: this is not a Python file.")
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise FileError(f"{path.name}{_line(path, error)}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
    return module


def _built(path: Path, build: Any, given: dict[str, Any]) -> Any:
    missing = [name for name, p in _arguments(build).items() if p.default is p.empty and name not in given
               and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if missing:
        raise FileError(f"{path.name}: build() needs {', '.join(missing)}.\n"
                        f"  Give values with --set {missing[0]}=..., or defaults in the file.")
    try:
        return build(**given)
    except Exception as error:
        raise FileError(f"{path.name}{_line(path, error)}: {type(error).__name__}: {error}") from error


def _arguments(build: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(build).parameters


def _line(path: Path, error: BaseException) -> str:
    """Where in the file an error came up."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f", line {line}" if line else ""
