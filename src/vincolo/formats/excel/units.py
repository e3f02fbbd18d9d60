"""Units that headings of a workbook may name in brackets, each with its factor to SI."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from vincolo.errors import FileError, suggest

Ratio = tuple[float, float]  # times the first, divided by the second: decimal units stay exact to the last digit

#: units by what they measure; the first of each is the SI unit
UNITS: dict[str, dict[str, Ratio]] = {
    "length": {"m": (1, 1), "mm": (1, 1000), "cm": (1, 100), "in": (254, 10000)},
    "mass": {"kg": (1, 1), "g": (1, 1000), "t": (1000, 1)},
    "inertia": {"kg m2": (1, 1), "kg cm2": (1, 1e4), "kg mm2": (1, 1e6), "g cm2": (1, 1e7), "g mm2": (1, 1e9),
                "t mm2": (1, 1000)},
    "angle": {"rad": (1, 1), "deg": (math.pi, 180)},
    "time": {"s": (1, 1), "ms": (1, 1000), "min": (60, 1)},
    "speed": {"m/s": (1, 1), "mm/s": (1, 1000), "km/h": (10, 36)},
    "angular speed": {"rad/s": (1, 1), "deg/s": (math.pi, 180), "rpm": (math.pi, 30)},
    "acceleration": {"m/s2": (1, 1), "mm/s2": (1, 1000)},
    "angular acceleration": {"rad/s2": (1, 1), "deg/s2": (math.pi, 180)},
    "force": {"N": (1, 1), "kN": (1000, 1)},
    "torque": {"N m": (1, 1), "N mm": (1, 1000), "kN m": (1000, 1)},
    "stiffness": {"N/m": (1, 1), "N/mm": (1000, 1), "kN/m": (1000, 1), "kN/mm": (1e6, 1)},
    "angular stiffness": {"N m/rad": (1, 1), "N mm/rad": (1, 1000), "N m/deg": (180, math.pi)},
    "damping": {"N s/m": (1, 1), "N s/mm": (1000, 1), "kN s/m": (1000, 1)},
    "angular damping": {"N m s/rad": (1, 1), "N mm s/rad": (1, 1000), "N m s/deg": (180, math.pi)},
    "density": {"kg/m3": (1, 1), "g/cm3": (1000, 1)},
    "number": {"1": (1, 1), "-": (1, 1)},
}
OTHER_NAMES = {"\N{DEGREE SIGN}": "deg", "degrees": "deg", "1/min": "rpm", "sec": "s"}
_SIGNS = str.maketrans({"\N{SUPERSCRIPT TWO}": "2", "\N{SUPERSCRIPT THREE}": "3", "^": "", "*": "",
                        "\N{MIDDLE DOT}": "", " ": "", "\N{NO-BREAK SPACE}": "", "\N{DOT OPERATOR}": ""})


class Unit(NamedTuple):
    """A unit: numbers times `over[0]`, divided by `over[1]`, are in SI."""

    name: str
    over: Ratio

    @property
    def is_si(self) -> bool:
        """Whether numbers stay as they are."""
        return self.over[0] == self.over[1]

    def si(self, value: float) -> float:
        """A number in SI."""
        return value if self.is_si else value * self.over[0] / self.over[1]


SI = Unit("", (1.0, 1.0))


def unit_of(text: str, dimensions: tuple[str, ...]) -> Unit:
    """The unit with this name, if it measures one of the dimensions; the error has no place yet."""
    written = OTHER_NAMES.get(text.strip(), text)
    wanted = written.translate(_SIGNS)
    here = {name: ratio for d in dimensions for name, ratio in UNITS[d].items()}
    for name, ratio in here.items():
        if name.translate(_SIGNS) == wanted:
            return Unit(name, ratio)
    other = [d for d, units in UNITS.items() if wanted in (name.translate(_SIGNS) for name in units)]
    listed = f"Units here: {', '.join(here)}." if here else "There are no units here: leave the brackets out."
    if other:
        raise FileError(f"[{text}] is a unit of {other[0]}, which this is not.\n  {listed}")
    raise FileError(f"there is no unit [{text}].{suggest(text, here)}\n  {listed}")


def si_name(dimensions: tuple[str, ...]) -> str:
    """The SI unit of a column that measures one thing, in brackets; else nothing."""
    found = next(iter(UNITS[dimensions[0]])) if len(dimensions) == 1 else ""
    return f" [{found}]" if found and found != "1" else ""


_HEADING = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\])?\s*(?:\+\s*([2-9]|[1-9][0-9]{1,3}))?", re.DOTALL)


def split(heading: str) -> tuple[str, str | None, int]:
    """A heading as its words in small letters, its unit, and its number: "At x [mm]" is ("at x", "mm", 1)."""
    match = _HEADING.fullmatch(heading.strip())
    words, unit, number = match.groups() if match else (heading, None, None)
    plain = " ".join(words.replace("_", " ").casefold().split())
    return plain, unit, int(number) if number else 1
