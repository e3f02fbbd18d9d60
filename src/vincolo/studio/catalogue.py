"""What a model can have, for palettes and panels: from the tables of workbooks, the joints, functions and shapes."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from vincolo.formats.excel.layout import ORDER, RUN, TABLES, Column
from vincolo.formats.excel.templates import ABOUT, COMPULSORY
from vincolo.formats.excel.units import UNITS
from vincolo.formats.tree import functions as of_functions
from vincolo.formats.tree.mechanism import KINDS, SHAPES
from vincolo.formats.tree.settings import names_of
from vincolo.model import functions, shapes
from vincolo.model.model import Model

SAVED = "Used by saved models"
UNSEEN = ("Combined", "Traced", "Recorded")  # functions that come from programs
#: what is said otherwise than in workbooks
SAID = {"parameters": "Numbers with a name: 0.3, 5 mm, or a formula of others: =2*l. Fields take formulas too.",
        "joints": "What connects the bodies. An axis is x, y, z, -x, three numbers 0, 1, 1, or A -> B between points.",
        "bodies": "A rigid body. Inertia is about the centre of mass, in body axes; a link is a bar between its "
                  "joints; a body without a shape is drawn from them.",
        "submodels": "Another file in its place, moved, turned or mirrored.",
        "inputs": "Numbers from outside, by which texts and drives are steered.",
        "states": "Quantities with a rate of their own, beside the motion.",
        "events": "What happens where a text crosses zero, or at times.",
        "stops": "Measures that are bounded, with a rebound.", "frictions": "Friction on a joint, a stop or a measure.",
        "contacts": "Shapes that meet, with friction and rebound.", "outputs": "What is read from a run.",
        "variables": "Numbers that events set."}
#: words that a key takes
CHOICES = {("drives", "level"): ("position", "velocity", "acceleration"), ("loads", "kind"): ("force", "torque"),
           ("loads", "axes"): ("world", "body"), ("submodels", "mirror"): ("x", "y", "z"),
           ("inputs", "between"): ("held", "linear"), ("run", "analysis"): ("dynamics", "kinematics"),
           ("contacts", "law"): ("hunt-crossley", "lankarani-nikravesh", "linear"),
           ("holds", "level"): ("position", "velocity", "acceleration"), ("joints", "kind"): tuple(KINDS),
           ("events", "direction"): ("up", "down", "both")}


@cache
def catalogue() -> dict[str, Any]:
    """Sections with their fields, kinds of joints, functions and shapes, and solvers, as plain data."""
    sections = {name: _section(name) for name in ORDER if name != "model"}
    sections["run"] = {"title": "Run", "about": "How the model is run.", "fields": [
        _field("run", TABLES["model"].columns[key]) for key in RUN]}
    return {"sections": sections, "joints": {kind: _arguments(getattr(Model, kind)) for kind in KINDS},
            "shapes": {kind: _arguments(getattr(shapes, kind)) for kind in SHAPES},
            "functions": {name: _function(name) for name in of_functions.NAMES if name not in UNSEEN},
            "solvers": {kind: names_of(kind) for kind in ("integrator", "formulation", "stabilisation")}}


def _section(name: str) -> dict[str, Any]:
    table = TABLES[name]
    needed = {word.split()[0] for word in COMPULSORY.get(name, ())}
    listed = [{**_field(name, column), "needed": column.key in needed} for column in table.columns.values()
              if not column.help.startswith(SAVED)]
    return {"title": table.sheet, "about": SAID.get(name, ABOUT.get(name, "")), "fields": listed}


def _field(section: str, column: Column) -> dict[str, Any]:
    units = dict.fromkeys(UNITS[d][0] for d in column.dimensions)
    found: dict[str, Any] = {"key": column.key, "kind": column.kind, "help": column.help,
                             "unit": " or ".join(units) if 0 < len(units) < 3 and "1" not in units else ""}
    if (section, column.key) in CHOICES:
        found["choices"] = list(CHOICES[section, column.key])
    elif column.kind == "solver":
        found["choices"] = names_of(column.key)
    return found


def _arguments(method: Any) -> dict[str, Any]:
    known = {n: p for n, p in inspect.signature(method).parameters.items() if n not in ("self", "name")}
    return {"about": (inspect.getdoc(method) or "").split("\n")[0], "keys": list(known),
            "needed": [n for n, p in known.items() if p.default is p.empty]}


def _function(name: str) -> dict[str, Any]:
    kind = getattr(functions, name)
    return {"about": (inspect.getdoc(kind) or "").split("\n")[0], "keys": [f.name for f in fields(kind)],
            "needed": [f.name for f in fields(kind) if f.default is MISSING and f.name != "constants"],
            "types": {f.name: str(f.type) for f in fields(kind)}}
