"""Names of parts: renamed wherever they stand, free ones, and what depends on a part."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from vincolo.errors import ModelError
from vincolo.formats.tree.changes import SECTIONS
from vincolo.formats.tree.formulas import DIRECTIONS, POINTS
from vincolo.studio.places import Place, Tree, every_text, strings

PARTS = (*(s for s in SECTIONS if s != "points"), "events", "tolerances", "study")
#: keys whose texts are no names of parts
OTHER_WORDS = ("kind", "unit", "units", "colour", "level", "law", "analysis", "direction", "mirror", "distribution",
               "plan", "integrator", "formulation", "stabilisation", "use", "path", "file", "reactions", "name")
#: maps whose keys are names of parts or of what they have
KEYED = ("set", "bounce", "strike", "switch_on", "switch_off", "correlated", "position")
#: sections whose names stand in formulas without a dot
BARE = ("measures", "inputs", "variables", "states", "parameters")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


def renamed(tree: Tree, section: str, old: str, new: str) -> Tree:
    """The tree with a part, point or parameter called by another name, wherever it is meant."""
    change = _point(old, new) if section == "points" else _parameter(tree, old, new) if section == "parameters" \
        else _part(section, old, new)
    made = {key: strings(value, change, (key,)) for key, value in tree.items()}
    made[section] = {new if name == old else name: value for name, value in made[section].items()}
    if section == "bodies" and isinstance(made.get("looks"), dict):
        made["looks"] = {new if name == old else name: value for name, value in made["looks"].items()}
    if section == "submodels":
        made = {key: {_begins(name, old, new): part for name, part in value.items()}
                if isinstance(value, dict) and key in (*PARTS, "looks") else value for key, value in made.items()}
    found: Tree = _keyed(made, lambda name: _begins(name, old, new))
    return found


def _begins(name: str, old: str, new: str) -> str:
    """A name, or one that begins with it and a dot."""
    if name == old or name.startswith(f"{old}."):
        return new + name[len(old):]
    return name


def _point(old: str, new: str) -> Callable[[str, Place], str]:
    def change(text: str, place: Place) -> str:
        words = [word.strip() for word in text.split("->")]
        is_place = place[-1] in POINTS or place[-1] in DIRECTIONS and len(words) > 1 or "outline" in place
        if is_place and old in words:
            return " -> ".join(new if word == old else word for word in words)
        of = place[0] in ("tolerances", "study") and place[-1] == "of"
        return _begins(text, old, new) if of else text

    return change


def _parameter(tree: Tree, old: str, new: str) -> Callable[[str, Place], str]:
    def change(text: str, place: Place) -> str:
        if place[-1] in OTHER_WORDS or "tape" in place or (place[-1] in POINTS and not text.startswith("=")):
            return text
        if place[0] in ("tolerances", "study") and place[-1] == "of":
            return new if text == old else text
        holder = tree
        for key in place[:-1]:
            holder = holder[key]
            own = holder if isinstance(holder, dict) else {}
            if any(isinstance(own.get(key), dict) and old in own[key] for key in ("constants", "others", "reads")):
                return text  # the text means its own
        formula = text.startswith("=") or place[-1] in TEXTS or place[0] in TEXT_SECTIONS
        return _WORD.sub(lambda m: new if m.group() == old else m.group(), text) if formula else text

    return change


#: keys of texts over the mechanism and the time
TEXTS = ("force", "rate", "what", "when", "formula", "function", "text", "normal")
TEXT_SECTIONS = ("loads",)


def _part(section: str, old: str, new: str) -> Callable[[str, Place], str]:
    bare = section in BARE

    def word(match: re.Match[str]) -> str:
        found = match.group()
        return _begins(found, old, new) if bare or found != old else found

    def change(text: str, place: Place) -> str:
        if place[-1] in OTHER_WORDS or "tape" in place:
            return text
        if text == old:
            other = place[-1] in DIRECTIONS and place[0] in ("joints", "frames") or place[-1] in POINTS
            return text if other or place[0] in ("inputs", "points") or "axes" in place else new
        if "@" in text and place[0] in ("tolerances", "study"):
            return "@".join(_begins(part, old, new) for part in text.split("@"))
        if text.startswith(f"{old}."):
            return _WORD.sub(word, text) if _WORD.fullmatch(old) else new + text[len(old):]
        return _WORD.sub(word, text)

    return change


def _keyed(tree: Any, change: Callable[[str], str], inside: bool = False) -> Any:
    """The tree with the keys changed of maps whose keys are names of parts."""
    if isinstance(tree, dict):
        return {change(key) if inside else key: _keyed(value, change, key in KEYED and not inside)
                for key, value in tree.items()}
    return [_keyed(value, change) for value in tree] if isinstance(tree, list) else tree


def all_names(tree: Tree) -> set[str]:
    """Names of all parts; each can be used once."""
    return {name for section in PARTS if isinstance(tree.get(section), dict) for name in tree[section]}


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it if it is taken."""
    used = {*taken, "ground", "energy", "residual", "t"}
    stem = re.sub(r"_\d+$", "", wanted) or wanted
    if wanted not in used:
        return wanted
    return next(f"{stem}_{k}" for k in range(2, len(used) + 3) if f"{stem}_{k}" not in used)


def used_by(tree: Tree, parts: Iterable[Place]) -> dict[str, set[str]]:
    """Parameters and points that some parts name, and those that these need in turn."""
    found: dict[str, set[str]] = {"parameters": set(), "points": set()}
    waiting = [tree[section][name] for section, name in parts]
    while waiting:
        whole = waiting.pop()
        for text, _ in every_text({"_": whole}):
            for section in found:
                known = tree.get(section) or {}
                words = {w.strip() for w in text.split("->")} if section == "points" else set(_WORD.findall(text))
                for name in sorted(words & set(known) - found[section]):
                    found[section].add(name)
                    waiting.append(known[name])
    return found


def checked_section(tree: Tree, section: Any, name: Any) -> None:
    """Refuses a part that is not there."""
    if not isinstance(section, str) or not isinstance(tree.get(section), dict) or name not in tree[section]:
        raise ModelError(f"there is no part {name!r} in the section {section!r}.")
