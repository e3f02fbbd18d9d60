"""Masses and inertias of parts from a table that a CAD program wrote, and the chassis they make together."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from vincolo.errors import FileError, ModelError, suggest
from vincolo.model.mass import MassProperties
from vincolo.units import unit_of

#: columns of the table, with the SI unit that a heading without one means
COLUMNS = {
    "mass": "kg",
    "x": "m",
    "y": "m",
    "z": "m",
    "ixx": "kg m^2",
    "iyy": "kg m^2",
    "izz": "kg m^2",
    "ixy": "kg m^2",
    "iyz": "kg m^2",
    "ixz": "kg m^2",
}


def read_masses(path: str | os.PathLike[str]) -> dict[str, MassProperties]:
    """Parts of a CSV file: columns part, mass, x, y, z (centre of mass) and ixx, iyy, izz, ixy, iyz, ixz
    (about it; products with the sign they have in the matrix), with units in brackets: mass [kg], x [mm], ixx
    [kg mm2]. Inertias may be left out."""
    file = Path(path)
    with file.open(newline="", encoding="utf-8-sig") as lines:
        rows = list(csv.reader(lines))
    if not rows or not rows[0] or rows[0][0].strip().casefold() != "part":
        raise FileError(
            f"{file.name}, line 1: the first column is called 'part'.\n  Columns: part, {', '.join(COLUMNS)}."
        )
    heads = [_heading(file, text) for text in rows[0][1:]]
    missing = [key for key in ("mass", "x", "y", "z") if key not in [key for key, _ in heads]]
    if missing:
        raise FileError(f"{file.name}, line 1: the columns {', '.join(missing)} are missing.")
    found: dict[str, MassProperties] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        name = row[0].strip()
        if not name or name in found:
            raise FileError(f"{file.name}, line {number}: the part {name!r} has no name, or is given twice.")
        found[name] = _part(
            file, number, name, dict(zip([k for k, _ in heads], _numbers(file, number, row[1:], heads), strict=True))
        )
    return found


def _heading(file: Path, text: str) -> tuple[str, float]:
    """The column of a heading, and what its numbers are multiplied by."""
    name, _, unit = text.strip().rstrip("]").partition("[")
    key = name.strip().casefold()
    if key not in COLUMNS:
        raise FileError(
            f"{file.name}, line 1: there is no column {key!r}.{suggest(key, COLUMNS)}\n"
            f"  Columns: part, {', '.join(COLUMNS)}."
        )
    wanted = unit_of(COLUMNS[key])
    if not unit:
        return key, 1.0
    given = unit_of(unit.strip())
    if given.powers != wanted.powers:
        raise FileError(f"{file.name}, line 1: [{unit.strip()}] is not a unit of {key}; such as [{COLUMNS[key]}].")
    return key, float(given.si(1.0))


def _numbers(file: Path, number: int, cells: list[str], heads: list[tuple[str, float]]) -> list[float]:
    values = []
    for (key, factor), cell in zip(heads, [*cells, *[""] * (len(heads) - len(cells))], strict=False):
        try:
            value = float(cell) if cell.strip() else 0.0
        except ValueError:
            raise FileError(f"{file.name}, line {number}, column {key}: {cell!r} is not a number.") from None
        if not np.isfinite(value):
            raise FileError(f"{file.name}, line {number}, column {key}: {cell} is not finite.")
        values.append(value * factor)
    return values


def _part(file: Path, number: int, name: str, v: dict[str, float]) -> MassProperties:
    if v["mass"] <= 0:
        raise FileError(f"{file.name}, line {number}: the mass of {name!r} is {v['mass']:g} kg; it must be positive.")
    xx, yy, zz, xy, yz, xz = (v.get(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "iyz", "ixz"))
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    try:
        return MassProperties.given(v["mass"], (v["x"], v["y"], v["z"]), inertia)
    except ModelError as error:
        raise FileError(f"{file.name}, line {number}, part {name!r}: {error}") from None


def chassis_of(parts: Mapping[str, MassProperties], without: Iterable[str] = ()) -> MassProperties:
    """All parts together but some (uprights and wheels, which suspensions have): mass,
    centre of mass and inertia for a Car."""
    left_out = set(without)
    for name in left_out:
        if name not in parts:
            raise ModelError(f"chassis_of(): there is no part {name!r}.{suggest(name, parts)}")
    kept = [p for name, p in parts.items() if name not in left_out]
    if not kept:
        raise ModelError("chassis_of(): no part is left.")
    total = kept[0]
    for part in kept[1:]:
        total = total + part
    return total
