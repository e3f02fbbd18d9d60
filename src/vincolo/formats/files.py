"""Models in files of any kind: which reader and writer belong to an ending, and conversion between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.formats.document import Document, RunSettings
from vincolo.formats.report import FileError
from vincolo.formats.tree.source import Source
from vincolo.model.model import Model

Name = str | os.PathLike[str]

#: readers of files by ending, and in words what they are
READERS = {".yaml": ("vincolo.formats.yaml.model", "read_yaml"), ".yml": ("vincolo.formats.yaml.model", "read_yaml"),
           ".xlsx": ("vincolo.formats.excel", "read_excel"), ".xlsm": ("vincolo.formats.excel", "read_excel"),
           ".py": ("vincolo.formats.python_file", "read_python"), ".urdf": ("vincolo.formats.urdf", "read_urdf"),
           ".adm": ("vincolo.formats.adams", "read_adm"), ".cmd": ("vincolo.formats.adams", "read_cmd"),
           ".xml": ("vincolo.formats.mjcf", "read_mjcf"),
           ".mjcf": ("vincolo.formats.mjcf", "read_mjcf"), ".sym": ("vincolo.formats.matrices", "read_matrices")}
TREES = (".yaml", ".yml", ".xlsx", ".xlsm", ".py")  # readers that make changes themselves
KINDS = ("a YAML file (.yaml), a workbook (.xlsx), a folder of cards (.s3d), a Python file (.py), URDF (.urdf), "
         "Adams (.adm, .cmd), MJCF (.xml) or matrices (.sym)")


def open_model(path: Name, changes: Mapping[str, Any] | None = None) -> Document:
    """What a file of any kind holds: the model, how it asks to be run, and a report. `changes` replace parameters by
    name, and what parts have as "crank.mass"."""
    target, outer = Path(path), _READ.get()
    files = [] if outer is None else outer
    files.append(target.parent if target.suffix.lower() == ".s3d" else target)
    token = _READ.set(files)
    try:
        document = _opened(target, dict(changes or {}))
    finally:
        _READ.reset(token)
    return replace(document, files=tuple(files))


#: files that are read for the model that is being opened now
_READ: ContextVar[list[Path] | None] = ContextVar("_READ", default=None)


def _opened(target: Path, asked: dict[str, Any]) -> Document:
    if target.is_dir() or target.suffix.lower() == ".s3d":
        return changed(_cards(target), asked)
    ending = target.suffix.lower()
    if ending not in READERS:
        raise FileError(f"{target.name}: files that end in {ending!r} are not read.\n  A model is {KINDS}."
                        if ending else f"there is no file or folder {str(target)!r}.\n  A model is {KINDS}.")
    if not target.is_file():
        raise FileNotFoundError(_not_there(target))
    module, function = READERS[ending]
    reader = getattr(import_module(module), function)
    if ending in TREES:
        found: Document = reader(target, asked)
        return found
    return changed(reader(target), asked)


def _cards(path: Path) -> Document:
    from vincolo.formats.cards import read_cards

    return read_cards(path if path.is_dir() else path.parent)


def _not_there(path: Path) -> str:
    endings = {".yaml": (".yaml", ".yml")}.get(path.suffix.lower(), (path.suffix.lower(),))
    here = path.parent.iterdir() if path.parent.is_dir() else ()
    near = ", ".join(sorted(p.name for p in here if p.suffix.lower() in endings)[:8])
    kind = "YAML" if ".yaml" in endings else path.suffix
    return f"there is no file {str(path)!r}.\n  {kind} files in that folder: {near or 'none'}."


def changed(document: Document, changes: dict[str, Any]) -> Document:
    """The document with numbers changed; its model goes through its tree."""
    if not changes:
        return document
    from vincolo.formats.yaml.model import Files, model_data

    path = document.path or Path("model")
    source = Source(path.name, model_data(document.model, document.settings))
    made = Files().load(path, changes, source)
    return replace(document, model=made.model, settings=replace(made.settings, method=document.settings.method))


def load_model(path: Name, changes: Mapping[str, Any] | None = None) -> Model:
    """The model in a file of any kind; `changes` replace parameters by name, and what parts have as "crank.mass"."""
    return open_model(path, changes).model


def save_model(model: Model | Document, path: Name, settings: RunSettings | None = None) -> Path:
    """Writes a model to a file from which load_model() makes the same model; it appears only when complete. The ending
    tells the kind: .yaml, .xlsx, or none for a folder of cards."""
    target = Path(path)
    document = model if isinstance(model, Document) else Document(_checked(model), settings or RunSettings())
    ending = target.suffix.lower()
    if ending in (".yaml", ".yml"):
        from vincolo.formats.yaml.model import model_data, write_yaml

        write_yaml(model_data(document.model, document.settings), target)
    elif ending == ".xlsx":
        from vincolo.formats.excel import write_excel
        from vincolo.formats.yaml.model import model_data

        write_excel(model_data(document.model, document.settings), target)
    elif not ending:
        _write_cards(document, target)
    else:
        raise FileError(f"{target.name}: models are not written to files that end in {ending!r}.\n"
                        "  Write .yaml, .xlsx, or a name without ending for a folder of cards.")
    return target


def _checked(model: Any) -> Model:
    if not isinstance(model, Model):
        raise ModelError(f"save_model() takes a Model, not {type(model).__name__}.")
    return model


def _write_cards(document: Document, folder: Path) -> None:
    from vincolo.formats.cards import write_cards
    from vincolo.formats.document import OUTPUTS, UNTIL

    s = document.settings
    write_cards(document.model, folder, until=UNTIL if s.until is None else s.until,
                outputs=OUTPUTS if s.outputs is None else s.outputs, start=s.start, settings=s)


def convert(source: Name, target: Name, changes: Mapping[str, Any] | None = None, *,
            before: Callable[[Document], object] | None = None) -> Document:
    """Reads a model of any kind and writes it as another. Between YAML and workbooks formulas, parameters and points
    are kept as they stand; else their values are written. `before` is called with what was read, before it is
    written."""
    here, there = Path(source), Path(target)
    if there.suffix.lower() in READERS and there.suffix.lower() not in (".yaml", ".yml", ".xlsx"):
        raise FileError(f"{there.name}: models are not written to files that end in {there.suffix!r}.\n"
                        "  Write .yaml, .xlsx, or a name without ending for a folder of cards.")
    document = open_model(here, changes)
    if before is not None:
        before(document)
    raw = None if changes else _tree(here)
    if raw is None or not there.suffix:
        save_model(document, there)
    elif there.suffix.lower() == ".xlsx":
        from vincolo.formats.excel import write_excel

        write_excel(raw, there, raw=True)
    else:
        from vincolo.formats.yaml.model import write_yaml

        write_yaml(raw, there, raw=True)
    return document


def _tree(path: Path) -> dict[str, Any] | None:
    """The tree of a file as it stands, with its formulas, if it has one; files with others inside are written whole."""
    ending = path.suffix.lower()
    data: Any = None
    if ending in (".yaml", ".yml"):
        from vincolo.formats.yaml.read import read

        data = read(path).data
    elif ending in (".xlsx", ".xlsm"):
        from vincolo.formats.excel import tree_of

        data = tree_of(path)
    uses = data is not None and any("use" in part for part in (data.get("submodels") or {}).values())
    return None if data is None or uses else {"vincolo": 1, **data}
