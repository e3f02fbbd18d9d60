"""What parameters measure, by the places of a file where their values are used: {at: ["=l", 0, 0]} makes l a length."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from vincolo.errors import FileError
from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.quantities import measured, values
from vincolo.formats.tree.source import Source, Where
from vincolo.units import SI_UNITS, Powers, Unit, dimension, quantity, unit_of

LONGEST = 200  # characters of a formula that is looked into
SCALES = frozenset(x for k in (1, 2, 3, 4) for x in (float(k), 1 / k))  # factors that are taken for pure numbers
WITHOUT_UNIT = ("sin", "cos", "tan")
SAME_UNIT = ("abs", "min", "max")
Uses = dict[str, list[tuple[frozenset[Powers], Where]]]


def check_parameters(source: Source, listed: dict[str, Any], mistakes: TreeMistakes) -> None:
    """Refuses parameters whose unit does not fit a place where they are used; keeps what all of them measure."""
    uses = _uses(source, listed)
    for name, value in listed.items():
        found = quantity(value) if isinstance(value, str) else None
        places = uses.get(name, [])
        source.measures[name] = frozenset.intersection(*(powers for powers, _ in places)) if places else frozenset()
        if found is None:
            continue
        wrong = next((place for place in places if not any(_has(value, p) for p in place[0])), None)
        if wrong is not None:
            with mistakes.at(("parameters", name), name):
                raise mismatch(source, ("parameters", name), value, found[1], _named(wrong[0]),
                               f" (it is used at {': '.join(map(str, wrong[1]))})")
        source.measures[name] = source.measures[name] or frozenset([found[1].powers])


def check_units(source: Source, where: Where, of: str, keys: tuple[str, ...], wanted: frozenset[Powers]) -> None:
    """Refuses numbers of a row whose units are not of what it says of something; no powers are any."""
    for key in keys:
        unit = source.declared.get((*where, key)) or source.declared.get((*where, key, 0))
        if unit is not None and wanted and unit.powers not in wanted:
            raise source.error((*where, key), f"this has the dimension {dimension(unit)}, but {of!r} is of dimension "
                                              f"{_named(wanted)}.\n  Correct the unit, or write a plain number in SI.")


def check_same(source: Source, where: Where, value: Any, declared: Unit | None, what: str) -> None:
    """Refuses a value whose unit has another dimension than the one that its place in the file declares."""
    found = quantity(value, declared.powers) if isinstance(value, str) and declared is not None else None
    if found is not None and declared is not None and found[1].powers != declared.powers:
        raise mismatch(source, where, value, found[1], dimension(declared), what)


def mismatch(source: Source, where: Where, text: str, unit: Unit, wanted: str, why: str) -> FileError:
    """A number with a unit that measures something else."""
    return source.error(where, f"{text!r} has the dimension {dimension(unit)}, but {where[-1]!r} is of the dimension "
                               f"{wanted}{why}.\n  Correct the unit, or write a plain number.")


def _has(text: str, powers: Powers) -> bool:
    found = quantity(text, powers)
    return found is not None and found[1].powers == powers


def _named(powers: frozenset[Powers]) -> str:
    units = [Unit(SI_UNITS.get(p, "SI"), Fraction(1), 0, p) for p in sorted(powers)]
    return " or ".join(dimension(unit) for unit in units)


def _uses(source: Source, listed: dict[str, Any]) -> Uses:
    """What each parameter has to measure, and where; parameters that others are made of inherit it."""
    uses: Uses = {}
    for _, _, value, where in values(source.data):
        units = measured(where) if where[:1] != ("parameters",) else ()
        if units and isinstance(value, str):
            _note(uses, value, frozenset(unit_of(unit).powers for unit in units), where, listed)
    waiting = list(uses)
    while waiting:
        name = waiting.pop()
        text = listed[name]
        for powers, where in uses[name][:1] if isinstance(text, str) else ():
            waiting += _note(uses, text, powers, where, listed)
    return uses


def _note(uses: Uses, text: str, powers: frozenset[Powers], where: Where, listed: dict[str, Any]) -> list[str]:
    """Notes what the parameters of a formula measure where it gives such a number; returns those that are new."""
    new = []
    for name in _alike(text):
        if name in listed:
            if name not in uses:
                new.append(name)
            uses.setdefault(name, []).append((powers, where))
    return new


def _alike(text: str) -> list[str]:
    """The names in a formula that have the unit of its value: summands, also with a pure number as factor."""
    if not text.startswith("=") or text.startswith("==") or len(text) > LONGEST:
        return []
    try:
        tree = ast.parse(text[1:].strip().replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # told where formulas are computed
    return list(_summands(tree.body))


def _summands(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.UnaryOp):
        yield from _summands(node.operand)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _summands(node.left)
        yield from _summands(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        if _pure(node.right):
            yield from _summands(node.left)
        elif isinstance(node.op, ast.Mult) and _pure(node.left):
            yield from _summands(node.right)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAME_UNIT:
        for part in node.args:
            yield from _summands(part)


def _pure(node: ast.expr) -> bool:
    """Whether a factor has no unit for certain; 7850 could be a density."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and float(node.value) in SCALES
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WITHOUT_UNIT
