"""Models by matrices as those of SymDyn3D (Valentini, Pennestri, D'Alessio, Ferrari): CON, FORCE, SPDAMPERS, DRIV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vincolo.analyses.run_settings import RunSettings
from vincolo.errors import FileError, suggest
from vincolo.formats.cards.place import Place
from vincolo.formats.document import Document
from vincolo.formats.matrices.model import Matrices
from vincolo.formats.matrices.text import assignments
from vincolo.formats.matrices.tree import Entry, Rows, Value, tree_of
from vincolo.formats.mistakes import Mistakes

__all__ = ["from_matrices", "read_matrices"]

#: names of a file, with others that mean the same
KNOWN = {"NB": "NB", "CON": "CON", "FORCE": "FORCE", "SPDAMPERS": "SPDAMPERS", "DRIV": "DRIV", "mass": "mass",
         "inertia": "inertia", "J": "inertia", "q_in": "q_in", "qp_in": "qp_in", "names": "names",
         "gravity": "gravity", "title": "title", "TI": "TI", "TE": "TE", "ST": "ST", "index": "index",
         "NFORCES": "NFORCES"}


def from_matrices(CON: Any, mass: Any, inertia: Any, *, FORCE: Any = (), SPDAMPERS: Any = (), DRIV: Any = (),
                  q_in: Any = None, qp_in: Any = None, names: Sequence[str] | None = None,
                  gravity: Any = (0.0, 0.0, 0.0), title: str = "mechanism",
                  settings: RunSettings | None = None) -> Document:
    """A model by the matrices of SymDyn3D. CON has a row for each joint (i, j, type, P, Q, R on i, P, Q, R on j), mass
    and inertia an item for each body, FORCE and SPDAMPERS rows for forces and springs, DRIV expressions that are zero,
    or samples (coordinate, times, values). q_in and qp_in give a minimal set of coordinates and rates by number; body 0
    is the ground."""
    given = {"CON": CON, "mass": mass, "inertia": inertia, "FORCE": FORCE, "SPDAMPERS": SPDAMPERS, "DRIV": DRIV,
             "q_in": _listed(q_in), "qp_in": _listed(qp_in), "names": names, "gravity": gravity}
    mistakes = Mistakes()
    values = {name: mistakes.attempt(tree_of, name, value) for name, value in given.items() if value is not None}
    mistakes.refuse("from_matrices()")
    matrices = Matrices({name: value for name, value in values.items() if value is not None}, "from_matrices()")
    return matrices.document(str(title), settings or RunSettings())


def _listed(given: Any) -> Any:
    """Coordinates by number as pairs."""
    return [list(pair) for pair in given.items()] if isinstance(given, Mapping) else given


def read_matrices(path: str | os.PathLike[str]) -> Document:
    """A model by matrices in a text file: assignments as in Maple (NB := 2:) or Matlab (CON = [[...], [...]];). Nothing
    in it is executed."""
    where = Path(path)
    if not where.is_file():
        raise FileError(f"there is no file '{where}'.\n  Give a text with CON = [[...], [...]] and the other matrices.")
    values, places, used = assignments(where)
    matrices, mistakes = Matrices({}, where.name, path=where), Mistakes()
    for name, value in values.items():
        mistakes.attempt(_assigned, matrices, name, value, places[name], name in used)
    mistakes.refuse(where.name)
    return matrices.document(where.stem, None)


def _assigned(matrices: Matrices, name: str, value: Value, place: Place, used: bool) -> None:
    """A matrix by its name; numbers and lists with other names are there to be used by them."""
    if name in KNOWN:
        if KNOWN[name] in matrices.values:
            raise place.error(f"'{name}' is given besides another name that means the same.", "Remove one of them.")
        matrices.values[KNOWN[name]] = value
        return
    near = suggest(name, KNOWN) if isinstance(value, Rows) and not used else ""
    if near:
        raise place.error(f"there is no matrix '{name}'.", f"Matrices: {', '.join(KNOWN)}.{near}")
    if isinstance(value, Entry):
        matrices.reader.define(name, value, place)
    if not used:
        matrices.report.not_used(place, f"{name} is not used")
