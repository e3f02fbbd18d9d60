"""Units that measured data may be in, brought to SI."""

from __future__ import annotations

import re

from vincolo.formats.excel.units import OTHER_NAMES, UNITS

DIMENSIONS = ("length", "angle", "time", "speed", "angular speed", "acceleration", "angular acceleration", "force",
              "torque", "number")
#: besides those of workbooks: factor to SI, and the SI unit
MORE = {"µm": (1e-6, "m"), "um": (1e-6, "m"), "km": (1e3, "m"), "us": (1e-6, "s"), "µs": (1e-6, "s"),
        "h": (3600.0, "s"), "mrad": (1e-3, "rad"), "mN": (1e-3, "N"), "kgf": (9.80665, "N"), "J": (1.0, "J"),
        "kJ": (1e3, "J"), "mJ": (1e-3, "J"), "W": (1.0, "W"), "kW": (1e3, "W"), "mW": (1e-3, "W")}


def si_of(unit: str) -> tuple[float, str] | None:
    """The factor to SI and the SI unit, as channels have it; None of a unit that is not known."""
    wanted = _plain(OTHER_NAMES.get(unit.strip(), unit))
    for name, found in MORE.items():
        if _plain(name) == wanted:
            return found
    for dimension in DIMENSIONS:
        si = re.sub(r"(?<=s)2", "^2", next(iter(UNITS[dimension])))
        for name, (over, under) in UNITS[dimension].items():
            if _plain(name) == wanted:
                return over / under, si
    return None


def _plain(unit: str) -> str:
    """A unit without signs for products and powers."""
    return re.sub(r"[\s^*·⋅]", "", unit.replace("²", "2").replace("\N{GREEK SMALL LETTER MU}", "µ"))
