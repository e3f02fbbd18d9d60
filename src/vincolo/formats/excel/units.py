"""Units that headings of a workbook may name in brackets, each with its factor to SI."""

from __future__ import annotations

import re

from vincolo.errors import FileError, suggest
from vincolo.units import Powers, Unit, readings
from vincolo.units import unit_of as any_unit

#: usual units by what they measure; the first of each is the SI unit
UNITS: dict[str, tuple[str, ...]] = {
    "length": ("m", "mm", "cm", "in"), "mass": ("kg", "g", "t"),
    "inertia": ("kg m2", "kg cm2", "kg mm2", "g cm2", "g mm2", "t mm2"), "angle": ("rad", "deg"),
    "time": ("s", "ms", "min"), "speed": ("m/s", "mm/s", "km/h"), "angular speed": ("rad/s", "deg/s", "rpm"),
    "acceleration": ("m/s2", "mm/s2"), "angular acceleration": ("rad/s2", "deg/s2"), "force": ("N", "kN"),
    "torque": ("N m", "N mm", "kN m"), "stiffness": ("N/m", "N/mm", "kN/m", "kN/mm"),
    "angular stiffness": ("N m/rad", "N mm/rad", "N m/deg"), "damping": ("N s/m", "N s/mm", "kN s/m"),
    "angular damping": ("N m s/rad", "N mm s/rad", "N m s/deg"), "density": ("kg/m3", "g/cm3"),
    "frequency": ("Hz", "1/s"), "number": ("1", "-")}
POWERS: dict[str, Powers] = {dimension: any_unit(names[0]).powers for dimension, names in UNITS.items()}
SI = any_unit("1")


def unit_of(text: str, dimensions: tuple[str, ...]) -> Unit:
    """The unit with this name, if it measures one of the dimensions; the error has no place yet."""
    found, wanted = readings(text), {POWERS[d] for d in dimensions}
    for unit in found:
        if unit.powers in wanted:
            return unit
    here = [name for d in dimensions for name in UNITS[d]]
    listed = f"Units here: {', '.join(here)}." if here else "There are no units here: leave the brackets out."
    if found:
        other = next((d for d, powers in POWERS.items() if powers == found[0].powers), "something else")
        raise FileError(f"[{text}] is a unit of {other}, which this is not.\n  {listed}")
    raise FileError(f"there is no unit [{text}].{suggest(text, here)}\n  {listed}")


def si_name(dimensions: tuple[str, ...]) -> str:
    """The SI unit of a column that measures one thing, in brackets; else nothing."""
    found = UNITS[dimensions[0]][0] if len(dimensions) == 1 else ""
    return f" [{found}]" if found and found != "1" else ""


_HEADING = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\])?\s*(?:\+\s*([2-9]|[1-9][0-9]{1,3}))?", re.DOTALL)


def split(heading: str) -> tuple[str, str | None, int]:
    """A heading as its words in small letters, its unit, and its number: "At x [mm]" is ("at x", "mm", 1)."""
    match = _HEADING.fullmatch(heading.strip())
    words, unit, number = match.groups() if match else (heading, None, None)
    plain = " ".join(words.replace("_", " ").casefold().split())
    return plain, unit, int(number) if number else 1
