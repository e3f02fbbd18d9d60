"""Parameters, formulas of them, and points by name, computed before a model is made."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from vincolo.errors import ExpressionError, suggest
from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.dimensions import check_parameters
from vincolo.formats.tree.quantities import values, with_quantities
from vincolo.formats.tree.source import Source, Where, shown
from vincolo.formats.tree.suspensions import give_points
from vincolo.model.expression import parse

#: arguments that are points and directions, by their names
POINTS = ("at", "at2", "end", "point", "centre", "com")
DIRECTIONS = ("axis", "axis2", "along", "normal", "axle", "z", "x")
MOST_NAMES = 100  # parameters in a message
WITHOUT_POINTS = ("parameters", "points", "run", "switches", "tolerances", "study", "suspensions", "limits",
                  "vehicles", "tyres", "load_cases")
#: points stand in frames there, and nowhere else
OF_MEASURES = ("measures", "states", "outputs", "drives", "holds", "laws", "actuators", "rotors",
               "stops", "frictions", "ranges")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
_CONSTANT = re.compile(r"or give (\w+)=\.\.\. as a constant")


def with_formulas(source: Source, given: Mapping[str, Any]) -> dict[str, float]:
    """Computes parameters, replaces every text "=formula" by its number and every point by its coordinates; returns
    the parameters."""
    listed = source.data.get("parameters") or {}
    if not isinstance(listed, dict):
        raise source.error(("parameters",), f"a map of names and numbers is needed, not {shown(listed)}.")
    mistakes = TreeMistakes(source)
    source.data["parameters"] = listed = {**listed, **given}
    check_parameters(source, listed, mistakes)
    with_quantities(source, mistakes)
    mistakes.refuse(source.file)
    known = _parameters(source, listed, mistakes)
    mistakes.refuse(source.file)
    source.data["parameters"] = known
    _replace(source, known, mistakes)
    mistakes.refuse(source.file)
    _place_points(source, mistakes)
    mistakes.refuse(source.file)
    return known


def list_unused(source: Source, names: Iterable[str]) -> None:
    """Lists parameters and points, by their places, that nothing in the file uses."""
    for where in (("parameters", name) for name in names if name not in source.used):
        source.unused.append(f"{source.place(where)}: the parameter {where[1]!r} is not used.")


def _parameters(source: Source, listed: dict[str, Any], mistakes: TreeMistakes) -> dict[str, float]:
    """Each after those it needs, wherever they stand."""
    known: dict[str, float] = {}
    for name in _in_order(source, listed, mistakes):
        where = ("parameters", name)
        with mistakes.at(where, name):
            value = listed[name]
            if isinstance(value, str):
                for word in _needs(value, listed):
                    source.used.add(word)
                    mistakes.follows(word, where)
            number = _computed(source, where, value, known) if isinstance(value, str) else value
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                raise source.error(where, f"{shown(value)} is not a finite number and not a formula such as \"=2*l\"."
                                          "\n  Decimals have a point: 1.2.")
            parse("0", constants={name: float(number)})  # refuses names that cannot be used
            known[name] = float(number)
    return {name: known[name] for name in listed if name in known}


def _needs(text: Any, listed: Mapping[str, Any]) -> list[str]:
    if not isinstance(text, str) or not text.startswith("="):
        return []
    return [word for word in dict.fromkeys(_NAME.findall(text)) if word in listed]


def _in_order(source: Source, listed: dict[str, Any], mistakes: TreeMistakes) -> Iterator[str]:
    """Names so that each comes after those in its formula; circles are mistakes."""
    done: set[str] = set()
    for first in listed:
        chain: list[tuple[str, Iterator[str]]] = []
        waiting, inside = [first], set[str]()
        while waiting or chain:
            if waiting:
                name = waiting.pop()
                if name in done:
                    continue
                if name in inside:
                    path = [n for n, _ in chain]
                    circle = [*path[path.index(name):], name]
                    mistakes.found.append(source.error(
                        ("parameters", name), f"the formulas go in a circle: {' -> '.join(circle)}.\n"
                                              "  Give one of these parameters a number."))
                    mistakes.lost.update(circle)
                    done.update(circle)
                    continue
                chain.append((name, iter(_needs(listed[name], listed))))
                inside.add(name)
                continue
            name, needs = chain[-1]
            following = next(needs, None)
            if following is not None:
                waiting.append(following)
                continue
            chain.pop()
            inside.discard(name)
            if name not in mistakes.lost:
                done.add(name)
                yield name


def _replace(source: Source, known: Mapping[str, float], mistakes: TreeMistakes) -> None:
    for container, key, value, where in values(source.data):
        if isinstance(value, str) and value.startswith("="):
            with mistakes.at(where):
                container[key] = _computed(source, where, value, known)


def _computed(source: Source, where: Where, text: str, known: Mapping[str, float]) -> Any:
    """The number of "=formula"; "==" stands for a text that begins with "="."""
    if text.startswith("==") or not text.startswith("="):
        return text[1:] if text.startswith("==") else text
    used = {word: known[word] for word in _needs(text, known)}
    source.used.update(used)
    with suppress(ExpressionError):
        return _number(text[1:], used)
    try:
        return _number(text[1:], {**dict(islice(known.items(), MOST_NAMES)), **used})  # for the names in the message
    except ExpressionError as error:
        raise source.error(where, _CONSTANT.sub(r"or add \1 to the parameters", str(error))) from None


def _number(text: str, known: Mapping[str, float]) -> float:
    tape = parse(text, constants=known)
    if any(op == "time" for op, _, _ in tape.ops):
        raise ExpressionError("t is the time, which has no value here; formulas with '=' are computed once.")
    return tape.evaluate()


def _place_points(source: Source, mistakes: TreeMistakes) -> None:
    """Puts the coordinates of points where their names stand."""
    points = source.data.pop("points", None) or {}
    if not isinstance(points, dict):
        raise source.error(("points",), f"a map of names and [x, y, z] is needed, not {shown(points)}.")
    for name, value in points.items():
        if not (isinstance(value, list) and len(value) == 3 and all(type(v) in (int, float) for v in value)):
            wrong = f"{shown(value)} is not a point; [x, y, z] is needed."
            mistakes.found.append(source.error(("points", name), wrong))
            mistakes.lost.add(name)
    named_points = give_points(source, {name: value for name, value in points.items() if name not in mistakes.lost})
    for section, data in source.data.items():
        if section in WITHOUT_POINTS or not isinstance(data, list | dict):
            continue
        for container, key, value, where in values(data, (section,)):
            listed = section == "bodies" and where[2:3] == ("outline",)
            named = isinstance(value, str) and (listed or key in POINTS or key in DIRECTIONS and "->" in value)
            if named and (section not in OF_MEASURES or _is_frame(container, where)):
                with mistakes.at(where):
                    container[key] = _coordinates(source, points, value, where, mistakes)
                    named_points.update(word.strip() for word in value.split("->"))
    source.unused += [f"{source.place(('points', name))}: the point {name!r} is not used." for name in points
                      if name not in named_points]


def _is_frame(container: Any, where: Where) -> bool:
    """Whether a map is a frame, such as {on: arm, at: A}; not the names of a formula, which can be anything."""
    return isinstance(container, dict) and "on" in container and where[-2] not in ("of", "constants", "functions")


def _coordinates(source: Source, points: dict[str, Any], text: str, where: Where,
                 mistakes: TreeMistakes) -> list[float]:
    """A point by its name, or the direction from one to another: "A -> B"."""
    found = []
    for name in (word.strip() for word in text.split("->")):
        mistakes.follows(name, where)
        if name not in points:
            listed = ", ".join(points) or "none"
            raise source.error(where, f"there is no point called {name!r}.{suggest(name, points)}\n"
                                      f"  Points: {listed}; or write coordinates [x, y, z].")
        found.append(points[name])
    is_point = where[-1] in POINTS or "outline" in where
    if is_point and len(found) == 1:
        return list(found[0])
    if len(found) != 2 or is_point:
        raise source.error(where, f"{text!r} is not a {'point' if is_point else 'direction'}.\n"
                                  "  A point is a name; a direction is two names, such as A -> B.")
    vector = [b - a for a, b in zip(*found, strict=True)]
    if not any(vector):
        raise source.error(where, f"the points of {text!r} are the same; a direction needs two different ones.")
    return vector
