"""Models in files of any kind: which reader and writer belong to an ending, and conversion between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import OUTPUTS, UNTIL, RunSettings
from vincolo.errors import FileError, ModelError
from vincolo.formats.adams import read_adm, read_cmd
from vincolo.formats.cards import read_cards, write_cards
from vincolo.formats.document import Document
from vincolo.formats.excel import read_excel, tree_of, write_excel
from vincolo.formats.matrices import read_matrices
from vincolo.formats.mjcf import read_mjcf
from vincolo.formats.python_file import OPENED_BY_PROGRAM, read_python
from vincolo.formats.tree.files import Files, model_data
from vincolo.formats.urdf import read_urdf
from vincolo.formats.yaml.model import read_yaml, write_yaml
from vincolo.formats.yaml.read import read
from vincolo.model.model import Model

Name = str | os.PathLike[str]

#: readers of files by ending; the first ones make changes themselves, and use other files
TREES: dict[str, Callable[[Path, dict[str, Any], Files], Document]] = {
    ".yaml": read_yaml, ".yml": read_yaml, ".xlsx": read_excel, ".xlsm": read_excel, ".py": read_python}
READERS: dict[str, Callable[[Path], Document]] = {
    ".urdf": read_urdf, ".adm": read_adm, ".cmd": read_cmd, ".xml": read_mjcf, ".mjcf": read_mjcf,
    ".sym": read_matrices}
KINDS = ("a YAML file (.yaml), a workbook (.xlsx), a folder of cards (.s3d), a Python file (.py), URDF (.urdf), "
         "Adams (.adm, .cmd), MJCF (.xml) or matrices (.sym)")


def open_model(path: Name, changes: Mapping[str, Any] | None = None) -> Document:
    """What a file of any kind holds: the model, how it asks to be run, and a report. `changes` replace parameters by
    name, and what parts have as "crank.mass"."""
    if not str(path).strip():
        raise FileError(f"the name of the file is empty.\n  A model is {KINDS}.")
    files = Files(opened)
    document = opened(Path(path), dict(changes or {}), files)
    program = OPENED_BY_PROGRAM.get()
    if program is not None:
        program += files.read
    return replace(document, files=tuple(files.read))


def opened(target: Path, asked: dict[str, Any], files: Files) -> Document:
    """The model in a file of any kind, which is read for itself or as a sub-model of others."""
    ending = target.suffix.lower()
    files.read.append(target.parent if ending == ".s3d" else target)
    if target.is_dir() or ending == ".s3d":
        return files.changed(read_cards(target if target.is_dir() else target.parent), asked)
    if ending not in TREES and ending not in READERS:
        raise FileError(f"{target.name}: files that end in {ending!r} are not read.\n  A model is {KINDS}."
                        if ending else f"there is no file or folder {str(target)!r}.\n  A model is {KINDS}.")
    if not target.is_file():
        raise FileNotFoundError(_not_there(target))
    if ending in TREES:
        return TREES[ending](target, asked, files)
    return files.changed(READERS[ending](target), asked)


def _not_there(path: Path) -> str:
    endings = {".yaml": (".yaml", ".yml")}.get(path.suffix.lower(), (path.suffix.lower(),))
    here = path.parent.iterdir() if path.parent.is_dir() else ()
    near = ", ".join(sorted(p.name for p in here if p.suffix.lower() in endings)[:8])
    kind = "YAML" if ".yaml" in endings else path.suffix
    return f"there is no file {str(path)!r}.\n  {kind} files in that folder: {near or 'none'}."


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
        write_yaml(model_data(document.model, document.settings, document.tolerances, document.study), target)
    elif ending == ".xlsx":
        write_excel(model_data(document.model, document.settings, document.tolerances, document.study), target)
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
    s = document.settings
    write_cards(document.model, folder, until=UNTIL if s.until is None else s.until,
                outputs=OUTPUTS if s.outputs is None else s.outputs, start=s.start, settings=s)


def convert(source: Name, target: Name, changes: Mapping[str, Any] | None = None, *,
            before: Callable[[Document], object] | None = None) -> Document:
    """Reads a model of any kind and writes it as another. Between YAML and workbooks formulas, parameters and points
    are kept as they stand; else their values are written. `before` is called with what was read, before it is
    written."""
    here, there = Path(source), Path(target)
    if there.suffix.lower() not in ("", ".yaml", ".yml", ".xlsx"):
        raise FileError(f"{there.name}: models are not written to files that end in {there.suffix!r}.\n"
                        "  Write .yaml, .xlsx, or a name without ending for a folder of cards.")
    document = open_model(here, changes)
    if before is not None:
        before(document)
    raw = None if changes else tree_of_file(here)
    uses = raw is not None and any("use" in part for part in (raw.get("submodels") or {}).values())
    if raw is None or uses or not there.suffix:  # files with others inside are written whole
        save_model(document, there)
    else:
        write_tree(raw, there)
    return document


def tree_of_file(path: Path) -> dict[str, Any] | None:
    """The tree of a YAML file or workbook as it stands, with its formulas; None of other kinds of files."""
    ending = path.suffix.lower()
    data: Any = None
    if ending in (".yaml", ".yml"):
        data = read(path).data
    elif ending in (".xlsx", ".xlsm"):
        data = tree_of(path)
    return None if data is None else {"vincolo": 1, **data}


def write_tree(tree: dict[str, Any], path: Path) -> None:
    """Writes a tree with its formulas as a YAML file or a workbook, which appears only when complete."""
    if path.suffix.lower() == ".xlsx":
        write_excel(tree, path, raw=True)
    else:
        write_yaml(tree, path, raw=True)
