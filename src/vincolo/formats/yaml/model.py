"""Reading and writing YAML files of models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vincolo.files import appearing
from vincolo.formats.document import Document
from vincolo.formats.tree.files import Files
from vincolo.formats.yaml.emit import document
from vincolo.formats.yaml.read import read

#: how a file begins, and what comes last
TOP = ("vincolo", "name", "gravity", "parameters", "points", "bodies", "looks", "submodels", "frames", "joints",
       "measures", "inputs", "variables", "states", "drives", "holds", "springs", "laws", "actuators", "rotors",
       "loads", "stops", "frictions", "contacts", "controllers", "events", "ranges", "outputs", "switches",
       "tolerances", "study", "run")


def write_yaml(data: dict[str, Any], path: Path, raw: bool = False) -> None:
    """Writes the tree of a model; `raw` trees may have formulas."""
    text = document({key: data[key] for key in (*TOP, *data) if key in data}, raw)
    with appearing("save_model()", path) as file:
        file.write(text.encode())


def read_yaml(path: Path, changes: Mapping[str, Any], files: Files) -> Document:
    """The model in a YAML file, which may use others."""
    return files.load(path, changes, lambda: read(path))
