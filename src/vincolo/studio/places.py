"""Values at places of a tree; a change makes a new tree, which shares with the old one what stayed the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.formats.tree.source import shown

Place = tuple[Any, ...]  # keys and numbers of items, from the top of the tree to a value
Tree = dict[str, Any]

LONGEST = 40  # keys of a place


def place_of(given: Any) -> Place:
    """A place from a list of keys, as actions have it."""
    fine = isinstance(given, list | tuple) and 0 < len(given) <= LONGEST
    if not fine or any(isinstance(key, bool) or not isinstance(key, str | int) for key in given):
        raise ModelError(f"{shown(given)} is not a place in a model; it is a list such as [bodies, crank, mass].")
    return tuple(given)


def called(place: Place) -> str:
    """A place in words."""
    return "".join(f"[{key}]" if isinstance(key, int) else f": {key}" for key in place).removeprefix(": ")


def has(tree: Any, place: Place) -> bool:
    """Whether there is a value at a place."""
    for key in place:
        if isinstance(tree, dict) and key in tree or isinstance(tree, list) and _is_item(tree, key):
            tree = tree[key]
        else:
            return False
    return True


def value_at(tree: Any, place: Place) -> Any:
    """The value at a place, which must be there."""
    for k, key in enumerate(place):
        if not has(tree, (key,)):
            known = [str(name) for name in tree] if isinstance(tree, dict) else []
            raise ModelError(f"{called(place[:k + 1])}: there is nothing here.{suggest(str(key), known)}\n"
                             f"  There is: {', '.join(known[:20]) or 'nothing'}.")
        tree = tree[key]
    return tree


def _is_item(items: Sequence[Any], key: Any) -> bool:
    return isinstance(key, int) and 0 <= key < len(items)


def with_value(tree: Any, place: Place, value: Any) -> Any:
    """The tree with another value at a place; maps on the way that are not there yet are made."""
    if not place:
        return value
    key, rest = place[0], place[1:]
    if isinstance(tree, list):
        if not (_is_item(tree, key) or (key == len(tree) and not rest)):
            raise ModelError(f"item {key!r} is not in this list; it has {len(tree)} items.")
        inner = tree[key] if key < len(tree) else None
        return [*tree[:key], with_value(inner, rest, value), *tree[key + 1:]]
    if tree is not None and not isinstance(tree, dict):
        raise ModelError(f"{shown(tree)} has no {key!r}: it is a single value.")
    if not isinstance(key, str):
        raise ModelError(f"{key!r} is not a key: this is a map of names.")
    old = tree or {}
    return {**old, key: with_value(old.get(key), rest, value)}


def without(tree: Any, place: Place) -> Any:
    """The tree without what is at a place; sections and maps that become empty stay, except sections."""
    key, rest = place[0], place[1:]
    value_at(tree, (key,))
    if rest:
        inner = without(tree[key], rest)
        if isinstance(tree, list):
            return [*tree[:key], inner, *tree[key + 1:]]
        return {**tree, key: inner}
    if isinstance(tree, list):
        return [*tree[:key], *tree[key + 1:]]
    return {name: value for name, value in tree.items() if name != key}


def strings(tree: Any, change: Callable[[str, Place], str], place: Place = ()) -> Any:
    """The tree with every text changed by a function of the text and its place; what stays the same is shared."""
    if isinstance(tree, dict):
        made = {key: strings(value, change, (*place, key)) for key, value in tree.items()}
        return tree if all(made[key] is value for key, value in tree.items()) else made
    if isinstance(tree, list):
        items = [strings(value, change, (*place, k)) for k, value in enumerate(tree)]
        return tree if all(new is old for new, old in zip(items, tree, strict=True)) else items
    return change(tree, place) if isinstance(tree, str) else tree


def every_text(tree: Any, place: Place = ()) -> Iterator[tuple[str, Place]]:
    """All texts of a tree, with their places."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in parts:
        if isinstance(value, str):
            yield value, (*place, key)
        else:
            yield from every_text(value, (*place, key))


def plain(value: Any, depth: int = 0) -> Any:
    """A value from outside, as the readers of files would give it; what is not plain data is refused."""
    if depth > 100:
        raise ModelError("lists and maps are nested more than 100 deep.")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ModelError("the names of a map are texts.")
        return {key: plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part, depth + 1) for part in value]
    if isinstance(value, float) and value - value != 0.0:
        raise ModelError(f"{value} is not a finite number.")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ModelError(f"{shown(value)} is neither a number nor a text, list or map.")
