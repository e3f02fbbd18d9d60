"""Changing numbers of a model before it is made: parameters by name, and what parts have by part and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.mistakes import refuse
from vincolo.formats.tree.source import Source

SECTIONS = ("bodies", "frames", "joints", "measures", "inputs", "variables", "states", "drives", "holds",
            "springs", "laws", "actuators", "rotors", "loads", "outputs", "submodels")
INDEX = {"x": 0, "y": 1, "z": 2}


def apply(source: Source, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Makes changes such as "crank.mass" in the data; returns those that are parameters."""
    listed = source.data.get("parameters")
    parameters = listed if isinstance(listed, dict) else {}
    left: dict[str, Any] = {}
    mistakes: list[ModelError] = []
    for name, value in changes.items():
        if name in parameters:
            left[name] = value
            source.changes["parameters", name] = _words(source, name, value)
        else:
            try:
                _change(source, name, value, list(parameters))
            except FileError as error:
                mistakes.append(error)
    refuse(source.file, mistakes)
    return left


def _change(source: Source, name: str, value: Any, parameters: list[str]) -> None:
    part, keys = _part(source.data, name)
    if part is None:
        names = [n for s in SECTIONS if isinstance(source.data.get(s), dict) for n in source.data[s]]
        near = suggest(name.split(".")[0], [*parameters, *names])
        raise FileError(f"{source.file}: there is no parameter {name!r}.{near}\n"
                        f"  Parameters: {', '.join(parameters) or 'none'}. Parts are changed as part.key=value, such "
                        "as crank.mass=2.")
    if not keys:
        raise FileError(f"{source.file}: {name!r} is a part, not a number.\n"
                        f"  It has: {', '.join(map(str, part))}; write {name}.{next(iter(part), 'key')}=value.")
    holder = _holder(part, keys[0])
    if holder is None:
        raise FileError(f"{source.file}: {name!r}: there is no {keys[0]!r} here.{suggest(keys[0], part)}\n"
                        f"  There is: {', '.join(map(str, part)) or 'nothing'}.")
    for key in keys[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else holder[_component(source, name, holder, key)]
        if not isinstance(holder, list | dict):
            raise FileError(f"{source.file}: {name!r}: {key!r} has no parts.")
    last = keys[-1] if isinstance(holder, dict) else _component(source, name, holder, keys[-1])
    holder[last] = value
    source.changes[*_where(source.data, holder), last] = _words(source, name, value)


def _words(source: Source, name: str, value: Any) -> str:
    """A change as messages call it."""
    return f"{source.file}, with {name} = {value} as asked for"


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
            if isinstance(found, dict):
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
