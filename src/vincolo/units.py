"""Units by name: what they measure, their size in SI, and how numbers are shown in the units that a user thinks in.

A unit is a product of powers of symbols: mm, N/mm, kg m2, deg/s^2. Angles have a dimension of their own here, so that a
speed of rotation is not taken for a frequency, and degrees never for plain numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from vincolo.errors import ModelError, suggest

Powers = tuple[int, int, int, int]  # of length, mass, time, angle

LENGTH, MASS, TIME, ANGLE, FORCE = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, -2, 0)
NUMBER: Powers = (0, 0, 0, 0)


class Symbol(NamedTuple):
    """A symbol: its size in SI as a fraction, times a power of pi; what it measures; whether it takes prefixes."""

    size: Fraction
    pi: int
    powers: Powers
    prefixed: bool = False


def _symbol(size: str | int, powers: Powers, prefixed: bool = False, pi: int = 0) -> Symbol:
    return Symbol(Fraction(size), pi, powers, prefixed)


SYMBOLS: dict[str, Symbol] = {
    "m": _symbol(1, LENGTH, True), "in": _symbol("0.0254", LENGTH), "ft": _symbol("0.3048", LENGTH),
    "g": _symbol("0.001", MASS, True), "t": _symbol(1000, MASS), "lb": _symbol("0.45359237", MASS),
    "s": _symbol(1, TIME, True), "sec": _symbol(1, TIME), "min": _symbol(60, TIME), "h": _symbol(3600, TIME),
    "rad": _symbol(1, ANGLE, True), "deg": _symbol("1/180", ANGLE, pi=1), "rev": _symbol(2, ANGLE, pi=1),
    "rpm": _symbol("1/30", (0, 0, -1, 1), pi=1), "Hz": _symbol(1, (0, 0, -1, 0), True),
    "N": _symbol(1, FORCE, True), "kgf": _symbol("9.80665", FORCE), "lbf": _symbol("4.4482216152605", FORCE),
    "J": _symbol(1, (2, 1, -2, 0), True), "W": _symbol(1, (2, 1, -3, 0), True),
    "Pa": _symbol(1, (-1, 1, -2, 0), True), "bar": _symbol(100_000, (-1, 1, -2, 0)),
    "1": _symbol(1, NUMBER), "-": _symbol(1, NUMBER)}
PREFIXES = {"G": 9, "M": 6, "k": 3, "d": -1, "c": -2, "m": -3, "u": -6, "µ": -6, "n": -9}
OTHER_NAMES = {"\N{DEGREE SIGN}": "deg", "degrees": "deg", "degree": "deg", "1/min": "rpm", "radians": "rad"}
#: symbols that do not stand for a product of others, though they have its dimensions: an energy is no torque
APART = ("J", "W", "Hz")
_SIGNS = str.maketrans({"\N{SUPERSCRIPT TWO}": "^2", "\N{SUPERSCRIPT THREE}": "^3", "*": " ", "\N{MIDDLE DOT}": " ",
                        "\N{DOT OPERATOR}": " ", "\N{NO-BREAK SPACE}": " ", "\N{GREEK SMALL LETTER MU}": "µ"})
_FACTOR = re.compile(r"([^\s\d/^+-]+|1|-)(?:\^?([-+]?\d))?")
_QUANTITY = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)\s*([^\s\d.+*/^=(),;:-][^=(),;:+]*)")


@dataclass(frozen=True)
class Unit:
    """A unit: its name as written, its size in SI (times pi to a power), what it measures."""

    name: str
    size: Fraction
    pi: int
    powers: Powers
    apart: str = ""

    @property
    def is_si(self) -> bool:
        """Whether numbers in it are those in SI."""
        return self.size == 1 and self.pi == 0

    def si(self, value: Any) -> Any:
        """A number, or an array, in SI; decimal units stay exact to the last digit."""
        return value if self.is_si else value * self._over / self._under

    def of_si(self, value: Any) -> Any:
        """A number, or an array, that is in SI, in this unit."""
        return value if self.is_si else value * self._under / self._over

    @property
    def _over(self) -> float:
        return float(self.size.numerator) * (math.pi**self.pi if self.pi > 0 else 1.0)

    @property
    def _under(self) -> float:
        return float(self.size.denominator) * (math.pi**-self.pi if self.pi < 0 else 1.0)

    def per(self, other: Unit) -> Unit:
        """The quotient of two units, without a name."""
        powers = tuple(a - b for a, b in zip(self.powers, other.powers, strict=True))
        return Unit("", self.size / other.size, self.pi - other.pi, (powers[0], powers[1], powers[2], powers[3]))


def unit_of(text: str, powers: Powers | None = None) -> Unit:
    """The unit of this name; where it can be read in several ways, the one with these powers."""
    found = readings(text)
    if not found:
        raise ModelError(f"there is no unit {text!r}.{suggest(text, COMMON)}\n"
                         "  Units are products of symbols such as mm, deg, kN, N m, N/mm, km/h, rpm, kg m^2.")
    return next((unit for unit in found if unit.powers == powers), found[0])


COMMON = ("m", "mm", "cm", "in", "kg", "g", "t", "s", "ms", "min", "rad", "deg", "rpm", "N", "kN", "N m", "N mm", "N/m",
          "N/mm", "kN/m", "N s/m", "N m/rad", "N m/deg", "m/s", "mm/s", "km/h", "rad/s", "deg/s", "m/s^2", "J",
          "W", "kW")


@lru_cache(maxsize=4096)
def readings(text: str) -> tuple[Unit, ...]:
    """All ways in which a text is a unit; none if it is not one. `Nms` without spaces has several."""
    if not isinstance(text, str) or len(text) > 60:
        return ()
    name = OTHER_NAMES.get(text.strip(), text.strip())
    factors = [_choices(symbol, power) for symbol, power in _split(name)]
    if not factors or not all(factors):
        return ()
    return tuple(_together(name, parts) for parts in product(*factors))


def _split(name: str) -> list[tuple[str, int]]:
    """Symbols with their powers; what is under a line has negative ones. Empty if the text is not so made."""
    found: list[tuple[str, int]] = []
    for k, part in enumerate(name.translate(_SIGNS).split("/")):
        inside = part.strip().removeprefix("(").removesuffix(")").split()
        if not inside:
            return []
        for word in inside:
            match = _FACTOR.fullmatch(OTHER_NAMES.get(word, word))
            if match is None:
                return []
            found.append((match[1], (-1 if k else 1) * int(match[2] or 1)))
    return found


Part = tuple[Symbol, int, str]  # a symbol with its power, and its name without a prefix


def _choices(symbol: str, power: int, inside: bool = False) -> list[list[Part]]:
    """A symbol, or several written without spaces, such as Nmm and kgm2; the power is that of the last."""
    whole = _known(symbol)
    found = [] if whole is None else [[(whole[0], power, whole[1])]]
    for k in range(1, len(symbol) if inside or whole is None else 1):
        first = _known(symbol[:k])
        if first is not None and (inside or first[0].powers in (FORCE, MASS)):
            one = first[0], 1 if power > 0 else -1, first[1]
            found += [[one, *rest] for rest in _choices(symbol[k:], power, inside=True)]
    return found


def _known(symbol: str) -> tuple[Symbol, str] | None:
    name = OTHER_NAMES.get(symbol, symbol)
    if name in SYMBOLS:
        return SYMBOLS[name], name
    root = SYMBOLS.get(symbol[1:])
    if root is None or not root.prefixed or symbol[0] not in PREFIXES:
        return None
    return root._replace(size=root.size * Fraction(10) ** PREFIXES[symbol[0]]), symbol[1:]


def _together(name: str, factors: Sequence[list[Part]]) -> Unit:
    parts = [part for factor in factors for part in factor]
    size, pi, powers = Fraction(1), 0, [0, 0, 0, 0]
    for symbol, power, _ in parts:
        size, pi = size * symbol.size**power, pi + symbol.pi * power
        powers = [a + power * b for a, b in zip(powers, symbol.powers, strict=True)]
    apart = parts[0][2] if len(parts) == 1 and parts[0][1] == 1 and parts[0][2] in APART else ""
    return Unit(name, size, pi, (powers[0], powers[1], powers[2], powers[3]), apart)


def quantity(text: str, powers: Powers | None = None) -> tuple[float, Unit] | None:
    """A number with a unit, such as "5 mm" or "5mm", as its number and unit; None of any other text."""
    match = _QUANTITY.fullmatch(text.strip())
    found = readings(match[2]) if match else ()
    if match is None or not found:
        return None
    return float(match[1]), next((unit for unit in found if unit.powers == powers), found[0])


#: what units measure, by their powers
DIMENSIONS: dict[Powers, str] = {unit_of(name).powers: word for name, word in (
    ("1", "pure number"), ("m", "length"), ("kg", "mass"), ("s", "time"), ("rad", "angle"), ("m^2", "area"),
    ("m^3", "volume"), ("m/s", "speed"), ("rad/s", "angular speed"), ("m/s^2", "acceleration"), ("Hz", "frequency"),
    ("rad/s^2", "angular acceleration"), ("N", "force"), ("N m", "torque or energy"), ("N/m", "stiffness"),
    ("N m/rad", "torsional stiffness"), ("N s/m", "damping"), ("N m s/rad", "torsional damping"), ("W", "power"),
    ("kg m^2", "moment of inertia"), ("kg/m^3", "density"), ("Pa", "pressure"))}


def dimension(unit: Unit) -> str:
    """What a unit measures, in words, with the unit: "length [mm]"."""
    return f"{DIMENSIONS.get(unit.powers, 'quantity')} [{unit.name}]"


def seconds_in(option: str, text: str) -> float:
    """A time as an option gives it, in seconds: 5, 5s, 200ms."""
    found = quantity(text, TIME)
    way = f"Write a number of seconds, or one with a unit of time: {option} 5, {option} 5s, {option} 200ms."
    if found is not None and found[1].powers != TIME:
        raise ModelError(f"{option} {text!r} has the dimension {dimension(found[1])}; a time is needed.\n  {way}")
    try:
        return float(text) if found is None else float(found[1].si(found[0]))
    except ValueError:
        raise ModelError(f"{option} {text!r} is not a time.\n  {way}") from None


#: the SI units of series in results
SI_UNITS = {unit_of(name).powers: name for name in (
    "1", "m", "m/s", "m/s^2", "rad", "rad/s", "rad/s^2", "s", "1/s", "1/s^2",
    "N", "N m", "kg", "kg m^2", "N/m", "N m/rad", "m^2", "m^3")}


def si_unit(unit: Unit) -> str | None:
    """The SI unit that measures the same, as results call it; None if they have none."""
    return unit.apart or SI_UNITS.get(unit.powers)


ROUNDING = 1e-9  # share of the largest number in the same unit: what is smaller is told as 0


def rounding(columns: Iterable[tuple[str, Iterable[float]]]) -> dict[str, float]:
    """By unit, up to which size a number in a table is rounding: a share of the largest number in that unit."""
    largest: dict[str, float] = {}
    for unit, values in columns:
        size = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
        largest[unit] = max(size, largest.get(unit, 0.0))
    return {unit: ROUNDING * size for unit, size in largest.items()}


def told(value: float, least: float = 0.0, digits: int = 4) -> str:
    """A number for people: 0 where it is rounding, "-" where it is not known."""
    if math.isnan(value):
        return "-"
    return f"{0.0 if abs(value) <= least else value:.{digits}g}"


class Units:
    """Units that are wanted, at most one of each kind: Units("mm", "deg", "kN"); with "SI", all others in SI."""

    def __init__(self, *names: str) -> None:
        self.si = "SI" in names  # all that is not named in SI
        self.units: list[Unit] = []
        for name in names:
            if name == "SI":
                continue
            unit = unit_of(name)
            for other in self.units:
                if (other.powers, other.apart) == (unit.powers, unit.apart):
                    raise ModelError(f"both {other.name!r} and {unit.name!r} are asked for, which measure the same.\n"
                                     "  Give one of them.")
            self.units.append(unit)

    def __bool__(self) -> bool:
        return bool(self.units)

    def fitting(self, unit: Unit) -> Unit | None:
        """The unit among them that measures the same."""
        return next((u for u in self.units if (u.powers, u.apart) == (unit.powers, unit.apart)), None)

    def instead_of(self, text: str) -> Unit | None:
        """What numbers in a unit are shown in: the unit that measures the same, or one made of those of its symbols,
        mm/s for m/s; None if they stay as they are."""
        return _instead(text, tuple(self.units))


@lru_cache(maxsize=4096)
def _instead(text: str, wanted: tuple[Unit, ...]) -> Unit | None:
    own = readings(text)
    if not own or not text:
        return None
    units = Units()
    units.units = list(wanted)
    whole = units.fitting(own[0])
    if whole is not None:
        return whole
    name = re.sub(r"[^\s\d/^()*·]+", lambda match: _replaced(match[0], units), text)
    return None if name == text else unit_of(name)


def _replaced(symbol: str, units: Units) -> str:
    own = readings(symbol)
    found = units.fitting(own[0]) if own else None
    single = found is not None and _FACTOR.fullmatch(found.name) is not None
    return found.name if found is not None and single else symbol

