"""Changing numbers of a model before it is made: parameters by name, and what parts have by part and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.mistakes import refuse
from vincolo.formats.tree.dimensions import check_same
from vincolo.formats.tree.quantities import in_declared, measured
from vincolo.formats.tree.source import Source, Where
from vincolo.units import LENGTH, Powers, Unit, quantity, unit_of

SECTIONS = ("points", "bodies", "frames", "joints", "measures", "inputs", "variables", "states", "drives", "holds",
            "springs", "laws", "actuators", "rotors", "loads", "stops", "frictions", "contacts", "ranges", "outputs",
            "submodels", "suspensions", "limits", "vehicles", "tyres", "load_cases")
INDEX = {"x": 0, "y": 1, "z": 2}


class Written(float):
    """A number as a user wrote it beside the file, who means the unit that its place in the file declares."""


class WrittenInt(int):
    """The same of a whole number."""


def apply(source: Source, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Makes changes such as "crank.mass" in the data; returns those that are parameters."""
    listed = source.data.get("parameters")
    parameters = listed if isinstance(listed, dict) else {}
    left: dict[str, Any] = {}
    mistakes: list[ModelError] = []
    for name, value in changes.items():
        if name in parameters:
            where = ("parameters", name)
            unit = _unit(source, where, parameters[name], value)
            left[name] = in_declared(unit, value)
            source.changes[where] = _words(source, name, value, unit)
            try:
                check_same(source, where, value, _declared(source, where, parameters[name]), ", as it is in the file")
            except FileError as error:
                mistakes.append(error)
        else:
            try:
                _change(source, name, value, list(parameters))
            except FileError as error:
                mistakes.append(error)
    refuse(source.file, mistakes)
    return left


def deviate(source: Source, deviations: Mapping[str, float]) -> None:
    """Adds to numbers in the data, by the names of apply(), and to coordinates of points, as "A.x"; formulas get a
    summand."""
    listed = source.data.get("parameters")
    parameters = listed if isinstance(listed, dict) else {}
    holder: Any
    key: Any
    for name, value in deviations.items():
        holder, key = (parameters, name) if name in parameters else spot(source, name, list(parameters))
        old = holder.get(key) if isinstance(holder, dict) else holder[key]
        if isinstance(old, str) and (found := quantity(old)) is not None:
            old = found[1].si(found[0])
        if isinstance(old, bool) or not (isinstance(old, int | float) or (isinstance(old, str) and old[:1] == "=")):
            raise FileError(f"{source.file}: {name!r} is {old!r}, not a number that could deviate.")
        holder[key] = f"=({old[1:]}) + ({value!r})" if isinstance(old, str) else float(old) + value


def _change(source: Source, name: str, value: Any, parameters: list[str]) -> None:
    holder, last = spot(source, name, parameters)
    where = (*_where(source.data, holder), last)
    unit = _unit(source, where, holder.get(last) if isinstance(holder, dict) else holder[last], value)
    holder[last] = in_declared(unit, value)
    source.changes[where] = _words(source, name, value, unit)


def spot(source: Source, name: str, parameters: list[str]) -> tuple[Any, Any]:
    """The map or list that holds what a name such as "crank.mass" stands for, and its key in it."""
    part, keys = _part(source.data, name)
    if part is None:
        names = [n for s in SECTIONS if isinstance(source.data.get(s), dict) for n in source.data[s]]
        near = suggest(name.split(".")[0], [*parameters, *names])
        raise FileError(f"{source.file}: there is no parameter {name!r}.{near}\n"
                        f"  Parameters: {', '.join(parameters) or 'none'}. Parts and points are changed as "
                        "part.key=value, such as crank.mass=2 or A.x=5mm.")
    has = list(INDEX) if isinstance(part, list) else [str(key) for key in part]
    if not keys:
        raise FileError(f"{source.file}: {name!r} is a part, not a number.\n"
                        f"  It has: {', '.join(has)}; write {name}.{next(iter(has), 'key')}=value.")
    holder = part if isinstance(part, list) else _holder(part, keys[0])
    if holder is None:
        raise FileError(f"{source.file}: {name!r}: there is no {keys[0]!r} here.{suggest(keys[0], part)}\n"
                        f"  There is: {', '.join(map(str, part)) or 'nothing'}.")
    for key in keys[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else holder[_component(source, name, holder, key)]
        if not isinstance(holder, list | dict):
            raise FileError(f"{source.file}: {name!r}: {key!r} has no parts.")
    return holder, keys[-1] if isinstance(holder, dict) else _component(source, name, holder, keys[-1])


def powers_of(source: Source, name: str) -> frozenset[Powers]:
    """What the number that a name stands for may measure, in a file that was read; none where that is not known."""
    if name in source.measures:
        return source.measures[name]
    try:
        holder, key = spot(source, name, [])
    except FileError:  # points are not in the data any more; what is not there at all is refused where it varies
        return frozenset([LENGTH]) if name.rpartition(".")[2] in INDEX else frozenset()
    return frozenset(unit_of(unit).powers for unit in measured((*_where(source.data, holder), key)) or ())


def _unit(source: Source, where: Where, before: Any, value: Any) -> Unit | None:
    """The unit of a new number: that of its place in the file, if it was written as users of files do."""
    if not isinstance(value, Written | WrittenInt):
        return None
    return _declared(source, where, before)


def _declared(source: Source, where: Where, before: Any) -> Unit | None:
    """The unit of a number in the file; None where it has none."""
    found = quantity(before) if isinstance(before, str) else None
    return found[1] if found else source.declared.get(where)


def _words(source: Source, name: str, value: Any, unit: Unit | None) -> str:
    """A change as messages call it."""
    return f"{source.file}, with {name} = {value}{'' if unit is None else f' {unit.name}'} as asked for"


def _where(data: Any, holder: Any) -> tuple[Any, ...]:
    """The place of a map or list in the data."""
    waiting: list[tuple[Any, tuple[Any, ...]]] = [(data, ())]
    while waiting:
        found, where = waiting.pop()
        if found is holder:
            return where
        parts = found.items() if isinstance(found, dict) else enumerate(found)
        waiting += [(value, (*where, key)) for key, value in parts if isinstance(value, dict | list)]
    return ()


def _part(data: dict[str, Any], name: str) -> tuple[Any, list[str]]:
    """The map of the part that a name begins with, and the keys that are left; parts of sub-models have dots."""
    words = name.split(".")
    top = data.get(words[0])
    if words[0] in ("run", "gravity") or (words[0] in SECTIONS and isinstance(top, dict) and len(words) > 1):
        if words[0] == "gravity":
            return data, words
        if words[0] == "run":
            data["run"] = {} if data.get("run") is None else data["run"]
            return data["run"] if isinstance(data["run"], dict) else None, words[1:]
        return _longest(top, words[1:])
    for section in SECTIONS:
        found, keys = _longest(data.get(section), words)
        if found is not None:
            return found, keys
    return None, []


def _longest(section: Any, words: list[str]) -> tuple[Any, list[str]]:
    if isinstance(section, dict):
        for k in range(len(words), 0, -1):
            found = section.get(".".join(words[:k]))
            if isinstance(found, dict | list):
                return found, words[k:]
    return None, []


def _holder(part: dict[str, Any], key: str) -> Any:
    """The map that has a key: the part itself, or the only map inside it that does."""
    inside = [value for value in part.values() if isinstance(value, dict) and key in value]
    if key in part or not inside:
        return part
    return inside[0] if len(inside) == 1 else None


def _component(source: Source, name: str, items: list[Any], key: str) -> int:
    """The number of an item that x, y, z or digits name."""
    number = INDEX.get(key, int(key) if key.isdecimal() and len(key) < 10 else -1)
    if not 0 <= number < len(items):
        raise FileError(f"{source.file}: {name!r}: {key!r} is not a component; write x, y, z or 0 to {len(items) - 1}.")
    return number


def written(value: Any) -> Any:
    """A value as users write it beside a file: numbers are in the unit that their place there declares."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return WrittenInt(value) if isinstance(value, int) else Written(value)
