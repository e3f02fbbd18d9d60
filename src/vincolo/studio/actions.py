"""Actions on a tree: small plain data, each with what it makes of the tree and what it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError, VincoloError, suggest
from vincolo.formats.tree.formulas import with_formulas
from vincolo.formats.tree.source import Source, shown
from vincolo.studio.names import PARTS, all_names, checked_section, free_name, renamed
from vincolo.studio.places import Place, Tree, called, has, place_of, plain, value_at, with_value, without
from vincolo.studio.reading import read_tree

Action = dict[str, Any]
MOST_ROUNDS = 200  # of removing what depends on what was removed


def applied(tree: Tree, action: Any, path: Path) -> Tree:
    """The tree after an action; `path` is the file that it stands for."""
    do = action.get("do") if isinstance(action, dict) else None
    if do not in ACTIONS:
        raise ModelError(f"there is no action {shown(do)}.{suggest(str(do), ACTIONS)}\n  There are: "
                         f"{', '.join(ACTIONS)}.")
    given = {key: value for key, value in action.items() if key != "do"}
    try:
        made: Tree = ACTIONS[do](tree, path, **given)
    except VincoloError:
        raise
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise ModelError(f"the action {do!r} cannot be done with {', '.join(given) or 'nothing'} given as they are: "
                         f"{shown(given)}.") from error
    return made


def titled(action: Action) -> str:
    """What an action did, in a few words, for the list of what can be undone."""
    do = action["do"]
    if do == "all":
        return str(action.get("title") or titled(action["actions"][0]))
    if do == "add":
        return f"add {action['name']}"
    if do == "paste":
        return "paste " + ", ".join(n for parts in action["parts"].values() for n in parts)[:60]
    if do == "rename":
        return f"rename {action['at'][-1]} to {action['to']}"
    at = action["at"]
    first = at[0] if do == "remove" and at and isinstance(at[0], list) else at
    return f"{do} {'.'.join(map(str, first[1:] or first))}"


def _add(tree: Tree, path: Path, section: Any, name: Any, value: Any, before: Any = None) -> Tree:
    """A new part at the end of its section, or before another."""
    if not isinstance(section, str) or section not in (*PARTS, "parameters", "points", "looks"):
        raise ModelError(f"there is no section {shown(section)} of parts.{suggest(str(section), PARTS)}")
    if not isinstance(name, str) or not name.strip():
        raise ModelError("a part needs a name: a text of 1 to 200 characters.")
    if has(tree, (section, name)) or (section in PARTS and name in all_names(tree)):
        raise ModelError(f"there is already something called {name!r}.\n"
                         "  Names are used to read results, so each can be used once: choose another.")
    made = with_value(tree, (section, name), plain(value))
    return made if before is None else _move(made, path, [section, name], before)


def _change(tree: Tree, path: Path, at: Any, value: Any) -> Tree:
    """Another value at a place; None takes an optional key away."""
    place = place_of(at)
    if len(place) > 2:
        value_at(tree, place[:2])
    elif len(place) == 2 and place[0] not in ("run", "parameters", "points", "gravity"):
        value_at(tree, place)
    made: Tree = with_value(tree, place, plain(value))
    return made


def _remove(tree: Tree, path: Path, at: Any, dependents: Any = "refuse") -> Tree:
    """Takes values, or whole parts, out of the tree. What depends on them is named and refused, or goes too."""
    places = [place_of(one) for one in (at if at and isinstance(at[0], list | tuple) else [at])]
    for place in places:
        value_at(tree, place)
    made = tree
    for place in sorted(places, key=_last_first, reverse=True):
        if place[0] == "parameters" and len(place) == 2 and dependents == "remove":
            made = _with_number(made, path, place[1])
        made = _gone(made, place)
    return made if dependents == "refuse" else _without_dependents(made, tree, path)


def _last_first(place: Place) -> tuple[Any, ...]:
    return tuple((isinstance(key, int), str(key) if isinstance(key, str) else f"{key:09d}") for key in place)


def _gone(tree: Tree, place: Place) -> Tree:
    """The tree without a part; with a body goes what it looks like and where it begins, and empty sections go."""
    made: Tree = without(tree, place)
    for own in (("looks", place[1]), ("run", "position", place[1])) if len(place) == 2 and place[0] == "bodies" else ():
        if has(made, own):
            made = without(made, own)
    return {key: value for key, value in made.items() if key not in (place[0], "looks") or value != {}}


def dependents(tree: Tree, places: Sequence[Place], path: Path) -> list[Place]:
    """The parts that cannot stay without some others, as the reader of files finds them."""
    made = tree
    for place in sorted(places, key=_last_first, reverse=True):
        made = _gone(made, place)
    left = _without_dependents(made, tree, path)
    return [(section, name) for section, parts in tree.items() if isinstance(parts, dict)
            for name in parts if not has(left, (section, name)) and (section, name) not in places
            and not (section == "looks" and ("bodies", name) in places)]


def _without_dependents(made: Tree, before: Tree, path: Path) -> Tree:
    """Removes what is wrong now and was not before, until nothing is."""
    known = {problem.text for problem in read_tree(before, path).mistakes}
    for _ in range(MOST_ROUNDS):
        new = [p for p in read_tree(made, path).mistakes if p.text not in known]
        wrong = {p.at[:2] for p in new if len(p.at) > 1 and p.at[0] not in ("parameters", "points", "run")}
        if not new or not wrong:
            return made
        for place in sorted(wrong, key=_last_first, reverse=True):
            made = _gone(made, place)
    raise ModelError("what depends on this goes in a circle; remove parts one by one.")


def _with_number(tree: Tree, path: Path, name: Any) -> Tree:
    """A parameter's number wherever it is used."""
    source = Source(path.name, {"parameters": dict(tree["parameters"])})
    number = with_formulas(source, {})[str(name)]
    return renamed_to_number(tree, str(name), number)


def renamed_to_number(tree: Tree, name: str, number: float) -> Tree:
    """The tree with a number in the place of a parameter's name, in all formulas."""
    mark = "parameter_that_goes"
    marked = renamed(tree, "parameters", name, mark)
    word = re.compile(rf"(?<![\w.]){mark}(?!\w)")
    text = f"({number!r})" if number < 0 else repr(number)
    from_mark = _replaced(marked, word, text)
    return {**from_mark, "parameters": {name if key == mark else key: value
                                        for key, value in from_mark["parameters"].items()}}


def _replaced(tree: Any, word: re.Pattern[str], text: str) -> Any:
    if isinstance(tree, dict):
        return {key: _replaced(value, word, text) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_replaced(value, word, text) for value in tree]
    return word.sub(text, tree) if isinstance(tree, str) else tree


def _rename(tree: Tree, path: Path, at: Any, to: Any) -> Tree:
    """Another name for a part, wherever it is meant."""
    place = place_of(at)
    if len(place) != 2:
        raise ModelError(f"{called(place)}: parts, points and parameters have names to change.")
    checked_section(tree, *place)
    if to == place[1]:
        return tree
    taken = {*(tree[place[0]] or {}), *(all_names(tree) if place[0] in PARTS else ())}
    if not isinstance(to, str) or not to.strip() or to in taken:
        raise ModelError(f"{shown(to)} is taken already, or no name; choose another.")
    return renamed(tree, place[0], place[1], to)


def _move(tree: Tree, path: Path, at: Any, before: Any = None) -> Tree:
    """A part before another one of its section, or at its end."""
    place = place_of(at)
    checked_section(tree, *place[:2])
    section, name = place
    parts = {key: value for key, value in tree[section].items() if key != name}
    if before is None:
        return {**tree, section: {**parts, name: tree[section][name]}}
    checked_section(tree, section, before)
    order = [key for other in parts for key in ((name, other) if other == before else (other,))]
    return {**tree, section: {key: tree[section][key] for key in order or [name]}}


def _paste(tree: Tree, path: Path, parts: Any, shift: Any = None) -> Tree:
    """Parts from elsewhere, under free names; what they have in common with the model already is not added again."""
    if not isinstance(parts, dict) or not all(isinstance(group, dict) for group in parts.values()):
        raise ModelError("what is pasted is a map of sections with parts, as in a YAML file.")
    fragment: Tree = plain({key: group for key, group in parts.items() if key in (*PARTS, "looks", "points",
                                                                                 "parameters")})
    if not fragment:
        raise ModelError("there are no parts of a model in what is pasted.")
    for section in [s for s in fragment if s != "looks"]:
        for name in list(fragment[section]):
            shared = section in ("parameters", "points")
            taken = set(tree.get(section) or {}) if shared else all_names(tree)
            if shared and has(tree, (section, name)) and tree[section][name] == fragment[section][name]:
                fragment = {**fragment, section: {k: v for k, v in fragment[section].items() if k != name}}
            elif name in taken:
                inside = set(fragment[section]) if shared else all_names(fragment)
                fragment = renamed(fragment, section, name, free_name(name, taken | inside))
    moved = fragment if shift is None else _shifted(fragment, shift)
    return {**tree, **{s: {**(tree.get(s) or {}), **group} for s, group in moved.items() if group}}


def _shifted(fragment: Tree, shift: Any) -> Tree:
    """Bodies, joints, frames and points that have coordinates in the world, elsewhere."""
    made = fragment
    for section in ("bodies", "joints", "frames", "points", "submodels"):
        for name, part in (fragment.get(section) or {}).items():
            keys = ("",) if section == "points" else [k for k in ("at", "at2", "end", "point", "centre")
                                                      if isinstance(part.get(k), list)]
            for key in keys:
                place: Place = (section, name) if not key else (section, name, key)
                made = with_value(made, place, [_sum(a, b) for a, b in zip(value_at(made, place), shift, strict=True)])
    return made


def _sum(value: Any, by: float) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value + by


def _all(tree: Tree, path: Path, actions: Any, title: Any = None) -> Tree:
    """Several actions as one."""
    if not isinstance(actions, list) or not actions:
        raise ModelError("several actions as one are a list of them.")
    for action in actions:
        tree = applied(tree, action, path)
    return tree


def touched(action: Action) -> list[Place]:
    """Places that an action is about."""
    if action["do"] == "all":
        return [place for part in action["actions"] for place in touched(part)]
    if action["do"] == "add":
        return [(action["section"], action["name"])]
    if action["do"] == "paste":
        return [(section, name) for section, group in action["parts"].items() for name in group]
    at = action["at"]
    return [tuple(one) for one in at] if at and isinstance(at[0], list) else [tuple(at)]


ACTIONS: dict[str, Callable[..., Tree]] = {"add": _add, "change": _change, "remove": _remove, "rename": _rename,
                                           "move": _move, "paste": _paste, "all": _all}
