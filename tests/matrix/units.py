"""Unit systems of the combination matrix: the same mechanism, written to a file with its numbers in other units, and
read again. The numbers in the file name their units, and the motion must not change."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from machines import Mechanism

from vincolo.formats import load_model, save_model
from vincolo.formats.yaml.model import write_yaml

LENGTHS = {"m": 1.0, "mm": 1e-3, "in": 0.0254}
MASSES = {"m": ("kg", 1.0), "mm": ("g", 1e-3), "in": ("lb", 0.45359237)}
ANGLES = {"rad": 1.0, "deg": math.pi / 180}
UNITS = tuple(f"{length}, {angle}" for angle in ANGLES for length in LENGTHS)
SI = "m, rad"
SECTIONS = ("bodies", "frames", "joints", "measures", "drives", "holds", "springs", "laws", "stops", "frictions",
            "loads", "rotors", "contacts")
#: what the numbers of a key are in, by the names of units L, M, A; of keys along a measure X is L or A by the measure
KEYS = {"local": "L", "com": "L", "velocity": "L/s", "angular_velocity": "A/s", "mass": "M", "radius": "L",
        "length": "X", "at_least": "X", "at_most": "X"}
ALONG = {"L": {"k": "N/L", "c": "N s/L", "preload": "N"}, "A": {"k": "N m/A", "c": "N m s/A", "preload": "N m"}}


def in_units(machine: Mechanism, units: str) -> Mechanism:
    """The mechanism as read from a file in these units; in SI units as it is."""
    if units == SI:
        return machine
    from vincolo.studio.opening import open_tree  # late: it imports the whole studio

    length, angle = units.split(", ")
    with tempfile.TemporaryDirectory() as folder:
        path = save_model(machine.model, Path(folder) / "model.yaml")
        tree = open_tree(path).tree
        for section in SECTIONS:
            for entry in (tree.get(section) or {}).values():
                convert(entry, section, sizes_of(length, angle))
        write_yaml(tree, path)
        return replace(machine, model=load_model(path))


def sizes_of(length: str, angle: str) -> dict[str, tuple[str, float]]:
    """Names and sizes of the units of length, mass and angle."""
    return {"L": (length, LENGTHS[length]), "M": MASSES[length], "A": (angle, ANGLES[angle])}


def convert(entry: Any, section: str, sizes: dict[str, tuple[str, float]]) -> None:
    """Writes the lengths, masses and angles of an entry in other units, and those of all maps in it."""
    if isinstance(entry, list):
        for item in entry:
            convert(item, section, sizes)
    if not isinstance(entry, dict):
        return
    along = along_of(entry)
    keys = {**KEYS, **(ALONG[along] if section == "springs" and along else {})}
    if section == "bodies":
        keys["at"] = "L"
    if section == "contacts":
        keys = {}
    elif section != "frames":  # frames of saved joints and measures are written as plain numbers
        del keys["local"]
    for key, value in entry.items():
        if key == "parameters":  # of joints as saved: plain numbers
            continue
        unit = keys.get(key)
        if unit is not None and (unit != "X" or along):
            entry[key] = written(value, unit.replace("X", along), sizes)
        else:
            convert(value, section, sizes)


def along_of(entry: dict[str, Any]) -> str:
    """Whether the measure of an entry is a length (L) or an angle (A); empty if that cannot be said."""
    measure = entry.get("measure")
    if isinstance(measure, str):
        return "A" if measure.rsplit(".", 1)[-1].startswith("angle") else "L"
    if isinstance(measure, dict):
        return "L" if measure.get("kind") in ("distance", "along", "world") else ""
    return "L"


def written(value: Any, unit: str, sizes: dict[str, tuple[str, float]]) -> Any:
    """A number, or a list of numbers, with its unit; anything else as it is."""
    if isinstance(value, list):
        return [written(x, unit, sizes) for x in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    over, _, under = unit.partition("/")
    size, name = 1.0, unit
    for symbol, (text, factor) in sizes.items():
        if symbol in over or symbol in under:
            size *= factor if symbol in over else 1 / factor
            name = name.replace(symbol, text)
    return f"{value / size!r} {name}"
