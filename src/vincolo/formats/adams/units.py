"""The units of a dataset, in SI units."""

from __future__ import annotations

from dataclasses import dataclass

from vincolo.errors import suggest
from vincolo.formats.adams.text import Statement, full_name
from vincolo.formats.report import Report

POUND, INCH, GRAVITY = 0.45359237, 0.0254, 9.80665

FORCE = {"NEWTON": 1.0, "KILONEWTON": 1e3, "MEGANEWTON": 1e6, "CENTINEWTON": 1e-2, "MILLINEWTON": 1e-3,
         "MICRONEWTON": 1e-6, "DYNE": 1e-5, "KILOGRAM_FORCE": GRAVITY, "POUND_FORCE": POUND * GRAVITY,
         "KPOUND_FORCE": 1e3 * POUND * GRAVITY, "OUNCE_FORCE": POUND * GRAVITY / 16, "POUNDAL": POUND * 12 * INCH}
MASS = {"KILOGRAM": 1.0, "GRAM": 1e-3, "MILLIGRAM": 1e-6, "MEGAGRAM": 1e3, "TONNE": 1e3, "POUND_MASS": POUND,
        "KPOUND_MASS": 1e3 * POUND, "OUNCE_MASS": POUND / 16, "SLUG": POUND * GRAVITY / (12 * INCH),
        "SLINCH": POUND * GRAVITY / INCH, "US_TON": 2e3 * POUND}
LENGTH = {"METER": 1.0, "KILOMETER": 1e3, "CENTIMETER": 1e-2, "MILLIMETER": 1e-3, "MICROMETER": 1e-6,
          "NANOMETER": 1e-9, "INCH": INCH, "FOOT": 12 * INCH, "YARD": 36 * INCH, "MILE": 63360 * INCH}
TIME = {"SECOND": 1.0, "MILLISECOND": 1e-3, "MICROSECOND": 1e-6, "NANOSECOND": 1e-9, "MINUTE": 60.0, "HOUR": 3600.0,
        "DAY": 86400.0}
TABLES = {"FORCE": FORCE, "MASS": MASS, "LENGTH": LENGTH, "TIME": TIME}
SYSTEMS = {"CGS": ("DYNE", "GRAM", "CENTIMETER", "SECOND"), "FPS": ("POUND_FORCE", "SLUG", "FOOT", "SECOND"),
           "IPS": ("POUND_FORCE", "SLINCH", "INCH", "SECOND"), "MKS": ("NEWTON", "KILOGRAM", "METER", "SECOND"),
           "MMKS": ("NEWTON", "KILOGRAM", "MILLIMETER", "SECOND")}


@dataclass(frozen=True)
class Units:
    """What one unit of the dataset is: force [N], mass [kg], length [m], time [s]."""

    force: float = 1.0
    mass: float = 1.0
    length: float = 1.0
    time: float = 1.0

    @property
    def torque(self) -> float:
        """[N m]"""
        return self.force * self.length

    @property
    def inertia(self) -> float:
        """[kg m2]"""
        return self.mass * self.length**2

    @property
    def speed(self) -> float:
        """[m/s]"""
        return self.length / self.time


def read_units(statements: list[Statement], report: Report) -> Units:
    """The units of the dataset; SI if it does not say."""
    if not statements:
        report.note("the dataset", "there is no UNITS statement: numbers are taken as SI units (N, kg, m, s).")
        return Units()
    statement = last_of(statements, report)
    if statement.has("UCF"):
        report.leave_out(statement.place, f"UNITS: UCF={' '.join(statement.words('UCF'))}, a factor between forces and "
                                          "masses times accelerations, is not translated.")
    words = dict(zip(TABLES, SYSTEMS["MKS"], strict=True))
    if statement.has("SYSTEM") and not all(map(statement.has, TABLES)):
        word = " ".join(statement.words("SYSTEM"))
        if word.upper() not in SYSTEMS:
            raise statement.error(f"SYSTEM is {word!r}; it is one of: {', '.join(SYSTEMS)}.",
                                  f"Or write FORCE=, MASS=, LENGTH=, TIME=.{suggest(word, SYSTEMS)}")
        words = dict(zip(TABLES, SYSTEMS[word.upper()], strict=True))
    words |= {kind: " ".join(statement.words(kind)) for kind in TABLES if statement.has(kind)}
    found = {kind.lower(): _factor(statement, kind, word) for kind, word in words.items()}
    report.understood.append(f"units: {', '.join(words.values())}, converted to SI")
    return Units(**found)


def last_of(statements: list[Statement], report: Report) -> Statement:
    """The one that counts of several; the others are listed."""
    for statement in statements[:-1]:
        statement.used.update(statement.arguments)
        report.not_used(statement.place, f"{statement.title}: the one in line {statements[-1].line} replaces it.")
    return statements[-1]


def _factor(statement: Statement, kind: str, word: str) -> float:
    known = TABLES[kind]
    name = full_name(word, tuple(known))
    if name is None:
        raise statement.error(f"{kind} is {word!r}, which is not a known unit.",
                              f"Use one of: {', '.join(known)}.{suggest(word, known)}")
    return known[name]
