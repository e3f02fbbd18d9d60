"""Tyre property files (.tir): sections of KEY = value, read without running anything."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from vincolo.errors import FileError
from vincolo.vehicle.tyres import Tyre

LARGEST = 2_000_000  # bytes
_LINE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*('[^']*'|\"[^\"]*\"|[^\s$!]+)")
_LENGTHS = {"meter": 1.0, "m": 1.0, "mm": 1e-3, "millimeter": 1e-3, "inch": 0.0254, "in": 0.0254}
_FORCES = {"newton": 1.0, "n": 1.0, "kn": 1e3, "kilonewton": 1e3}
_ANGLES = {"radians": 1.0, "radian": 1.0, "rad": 1.0}
#: by FITTYP, which decides; and by PROPERTY_FILE_FORMAT where there is none: files of 6.2 keep the name 'MF-TYRE'
_FITS = {5: 5.2, 6: 5.2, 21: 5.2, 51: 5.2, 52: 5.2, 60: 6.1, 61: 6.1, 62: 6.2}
_FORMATS = {
    "MF05": 5.2,
    "MF_05": 5.2,
    "MF-TYRE": 5.2,
    "PAC2002": 5.2,
    "PAC02": 5.2,
    "MF61": 6.1,
    "MF62": 6.2,
    "MF-SWIFT": 6.1,
}


def read_tir(path: str | os.PathLike[str], *, mirrored: bool = False) -> Tyre:
    """The tyre of a .tir file of the Magic Formula 5.2 or 6.x, in SI units; FITTYP decides on the version, which the
    tyre's `version` and text tell. Sections it does not use (tracks, contact
    patches, belts) are left out."""
    file = Path(path)
    if file.stat().st_size > LARGEST:
        raise FileError(f"{file.name}: a tyre file has less than {LARGEST} bytes.")
    values, texts = _entries(file)
    version = _version(file, texts, values)
    length, force = _unit(file, texts, "LENGTH", _LENGTHS), _unit(file, texts, "FORCE", _FORCES)
    _unit(file, texts, "ANGLE", _ANGLES)
    for key, section in (("UNLOADED_RADIUS", "DIMENSION"), ("FNOMIN", "VERTICAL"), ("VERTICAL_STIFFNESS", "VERTICAL")):
        if key not in values:
            raise FileError(
                f"{file.name}: {key} is missing (section [{section}]).\n  It is needed for the forces of the tyre."
            )
    radius = values["UNLOADED_RADIUS"] * length
    nominal = values["FNOMIN"] * force
    numbers = {k: v for k, v in values.items() if re.fullmatch(r"[PQRSL][A-Z]+[0-9]{0,2}", k)}
    k = values["VERTICAL_STIFFNESS"] * force / length
    found = Tyre(
        file.stem,
        "magic",
        radius,
        k,
        values.get("VERTICAL_DAMPING", 0.0) * force / length,
        numbers={**numbers, "FNOMIN": nominal},
        version=version,
        mirrored=mirrored,
    )
    x, y = _relaxation(found, values, force / length)
    return replace(found, relaxation_x=x, relaxation_y=y)


def _relaxation(tyre: Tyre, values: dict[str, float], unit: float) -> tuple[float, float]:
    """Relaxation lengths [m] at the nominal load. 5.2 (Pacejka 2002): PTX1 R0 and
    PTY1 sin(2 atan(1/PTY2)) R0; 6.x: slip stiffness over that of the structure [N/m]; half of the radius and the whole
    of it where a file says nothing."""
    x, y, load = 0.5 * tyre.radius, tyre.radius, tyre["FNOMIN"]
    if tyre.version < 6:
        if values.get("PTX1", 0.0) > 0:
            x = values["PTX1"] * tyre.radius
        if values.get("PTY1", 0.0) > 0 and values.get("PTY2", 0.0) > 0:
            y = values["PTY1"] * float(np.sin(2 * np.arctan(1 / values["PTY2"]))) * tyre.radius
        return x, y
    if values.get("LONGITUDINAL_STIFFNESS", 0.0) > 0:
        x = tyre["PKX1"] * load / (values["LONGITUDINAL_STIFFNESS"] * unit)
    if values.get("LATERAL_STIFFNESS", 0.0) > 0:
        y = abs(tyre.cornering_stiffness(load)) / (values["LATERAL_STIFFNESS"] * unit)
    return x, y


def _entries(file: Path) -> tuple[dict[str, float], dict[str, str]]:
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        plain = re.split(r"[$!]", line, maxsplit=1)[0]
        match = _LINE.match(plain)
        if match is None:
            continue
        key, text = match.group(1).upper(), match.group(2)
        if text[0] in "'\"":
            texts.setdefault(key, text[1:-1].strip())
            continue
        try:
            value = float(text)
        except ValueError:
            raise FileError(f"{file.name}, line {number}: {key} = {text!r} is not a number.") from None
        if not np.isfinite(value):
            raise FileError(f"{file.name}, line {number}: {key} is {text}; a finite number is needed.")
        values[key] = value
    return values, texts


def _unit(file: Path, texts: dict[str, str], key: str, known: dict[str, float]) -> float:
    name = texts.get(key, next(iter(known))).casefold()
    if name not in known:
        raise FileError(f"{file.name}: the unit of {key.casefold()} is {name!r}; known are {', '.join(known)}.")
    return known[name]


def _version(file: Path, texts: dict[str, str], values: dict[str, float]) -> float:
    """The version of the equations: that of FITTYP, and without it that of the format's name."""
    name = texts.get("PROPERTY_FILE_FORMAT", "").upper()
    if "FITTYP" in values and values["FITTYP"] in _FITS:
        return _FITS[int(values["FITTYP"])]
    if "FITTYP" not in values and name in _FORMATS:
        return _FORMATS[name]
    stated = f"FITTYP = {values['FITTYP']:g}" if "FITTYP" in values else f"the format {name!r}"
    raise FileError(
        f"{file.name}: {stated} is not a Magic Formula that is known here.\n"
        f"  Known: FITTYP = {', '.join(map(str, _FITS))}; without it PROPERTY_FILE_FORMAT = {', '.join(_FORMATS)}."
    )
