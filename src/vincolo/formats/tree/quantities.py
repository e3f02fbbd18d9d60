"""Numbers with units in the data of a file, such as "5 mm", brought to SI before anything else is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.source import Source, Where
from vincolo.units import Unit, quantity, si_unit, unit_of
from vincolo.vehicle.fields import SECTIONS

#: SI units by what they measure
SI_OF = {"length": "m", "mass": "kg", "inertia": "kg m^2", "angle": "rad", "time": "s", "force": "N",
         "stiffness": "N/m",
         "angular stiffness": "N m/rad", "damping": "N s/m", "number": "1", "speed": "m/s",
         "acceleration": "m/s^2"}
_LENGTH, _ANGLE, _TIME = ("m",), ("rad",), ("s",)
_MOTION = ("m", "rad", "m/s", "rad/s", "m/s^2", "rad/s^2", "1")
_LAWS: dict[str, tuple[str, ...]] = {"force": ("N", "N m")}
_HELD: dict[str, tuple[str, ...]] = {"function": _MOTION}
#: SI units of what numbers measure, by section and key; "" is the entry itself
MEASURED: dict[str, dict[str, tuple[str, ...]]] = {
    "gravity": {"": ("m/s^2",)}, "points": {"": _LENGTH}, "parameters": {"": ()},
    "bodies": {"mass": ("kg",), "inertia": ("kg m^2",), "at": _LENGTH, "com": _LENGTH, "velocity": ("m/s",),
               "angular_velocity": ("rad/s",), "outline": _LENGTH},
    "submodels": {"at": _LENGTH}, "frames": {"at": _LENGTH, "local": _LENGTH},
    "joints": {**dict.fromkeys(("at", "at2", "end", "point", "centre", "length", "pitch", "radius", "radius2",
                                "roller"), _LENGTH),
               "angle": _ANGLE, "pressure_angle": _ANGLE, "ratio": ("1",), "flank": ("1",)},
    "springs": {"k": ("N/m", "N m/rad"), "c": ("N s/m", "N m s/rad"), "length": ("m", "rad"), "preload": ("N", "N m")},
    "rotors": {"inertia": ("kg m^2", "kg"), "ratio": ("1",)}, "loads": {"components": ("N", "N m")},
    "ranges": {"at_least": (), "at_most": ()},
    "stops": {"at_least": ("m", "rad"), "at_most": ("m", "rad"), "restitution": ("1",), "rest": ("m/s", "rad/s")},
    "frictions": {**dict.fromkeys(("radius", "length", "end_radius"), _LENGTH), "mu": ("1",), "mu_static": ("1",),
                  **dict.fromkeys(("stribeck", "regularised", "rest"), ("m/s", "rad/s")),
                  "viscous": ("N s/m", "N m s/rad"), "normal": ("N",)},
    "contacts": {"speed": ("m/s",), "creep": ("m/s",), "friction": ("1",), "restitution": ("1",)},
    "drives": _HELD, "holds": _HELD, "laws": _LAWS, "actuators": _LAWS, "measures": {"factor": ("1",)},
    "tolerances": {**dict.fromkeys(("plus_minus", "lower", "upper", "peak"), ()),
                   **dict.fromkeys(("gap", "gap_plus_minus", "length", "length_plus_minus", "radius"), _LENGTH)},
    **{section: {key: () if f.dimension == "any" else (SI_OF[f.dimension],) for key, f in fields.items()
                 if f.kind == "number"} for section, (_, fields) in SECTIONS.items()},
    "study": dict.fromkeys(("low", "high", "values", "centre", "plus_minus"), ()),
    "switches": {"at": _TIME}, "run": {"start": _TIME, "until": _TIME}}

SHAPES = ("shape", "shapes", "shape_a", "shape_b")
#: of what shapes are made of
SHAPED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("size", "radius", "inner_radius", "top_radius", "radii", "length", "height", "thickness", "at",
                     "profile", "holes", "vertices", "points"), _LENGTH),
    "mass": ("kg",), "density": ("kg/m^3",), "area": ("m^2",)}


def measured(where: Where) -> tuple[str, ...] | None:
    """The SI units of what a number at a place may measure, none for any; None if it is not a number with a unit."""
    keys = MEASURED.get(where[0], {}) if where else {}
    inner = where[1 if where[0] in ("gravity", "run") else 2:] if where else ()
    inside = _inside(where[0], [key for key in inner if isinstance(key, str)]) if inner else None
    if inside is not None:
        return inside
    if "" in keys:
        return keys[""] if all(isinstance(k, int) for k in inner) else None
    named = len(inner) > 0 and inner[0] in keys and all(isinstance(k, int) for k in inner[1:])
    return keys[inner[0]] if named else None


def _inside(section: str, words: list[str]) -> tuple[str, ...] | None:
    """The same inside a shape, a frame, constants or parameters that stand in a part; None elsewhere."""
    if len(words) < 2:
        return None
    *outer, last = words
    if any(word in SHAPES for word in outer):
        return SHAPED.get(last)
    if outer[-1] == "constants":
        return ()
    if outer[-1] == "parameters":
        return () if section == "submodels" else MEASURED.get(section, {}).get(last)
    if section == "run":
        return _TIME if outer == ["integrator"] and last in ("step", "first_step", "max_step") else None
    return _LENGTH if last in ("local", "at") else None


def with_quantities(source: Source, mistakes: TreeMistakes) -> None:
    """Replaces every "5 mm" by its number in SI, where a number is meant."""
    for container, key, value, where in values(source.data):
        if isinstance(value, str) and (units := measured(where)) is not None:
            with mistakes.at(where):
                container[key] = _number(source, where, value, units)


def _number(source: Source, where: Where, text: str, units: tuple[str, ...]) -> Any:
    """The number in SI; a text without a number and a unit, such as a formula, stays as it is."""
    wanted = [unit_of(unit).powers for unit in units]
    found = quantity(text, wanted[0] if wanted else None)
    if found is None:
        return text
    number, unit = next(((n, u) for n, u in (quantity(text, p) or found for p in wanted) if u.powers in wanted), found)
    if wanted and unit.powers not in wanted:
        told = si_unit(unit)
        raise source.error(where, f"{text!r} is a number of {told or unit.name}; here it is one of "
                                  f"{' or '.join(units)}.\n  Correct the unit, or write a plain number in SI.")
    source.declared.setdefault(where, unit)
    return unit.si(number)


def in_declared(unit: Unit | None, value: Any) -> Any:
    """A bare number in the unit that its place declares."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    plain = int(value) if isinstance(value, int) else float(value)
    return plain if unit is None or unit.is_si else unit.si(plain)


def values(data: Any, where: Where = ()) -> Iterator[tuple[Any, Any, Any, Where]]:
    """Every value that is not a list or map: its container, key, itself and its place."""
    waiting: list[tuple[Any, Where]] = [(data, where)]
    while waiting:
        container, place = waiting.pop()
        for key, value in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(value, list | dict):
                waiting.append((value, (*place, key)))
            else:
                yield container, key, value, (*place, key)
