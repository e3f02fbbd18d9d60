"""Texts over the mechanism, as the kernel takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vincolo.model import Measure
from vincolo.model.auxiliary import Formula
from vincolo.model.measure import RATE

if TYPE_CHECKING:
    from vincolo.system import System

Expression = tuple[list[Any], list[float], list[Any]]  # operations, constants, and what the inputs are
REACTIONS = ("force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z", "force", "torque",
             "axial", "radial", "twist", "bending", "axial2", "radial2", "twist2", "bending2")
EMPTY: dict[str, tuple[str, int]] = {}


class Own(NamedTuple):
    """The measure that a law acts along, and its number in the kernel."""

    measure: Measure
    number: int


def expression(system: System, formula: Formula, own: Own | None = None,
               more: Mapping[str, tuple[str, int]] = EMPTY) -> Expression:
    """A text over the mechanism; `own` is the measure of d and dd, `more` what else it reads."""
    system.numbers.tapes.append((formula.tape, ()))
    found = readings(system, formula.others, formula.reads, own)
    found |= {**more, **{name: ("force", force_number(system, force)) for name, force in formula.forces}}
    return list(formula.tape.ops), list(formula.tape.constants), [found[name] for name in formula.tape.inputs]


def readings(system: System, others: Iterable[tuple[str, Measure]], reads: Iterable[tuple[str, str]],
             own: Own | None) -> dict[str, tuple[str, int]]:
    """What names in a text or function stand for. Another name for its own measure stands for the same quantity, of
    which implicit steps know more than of others."""
    numbers = {name: own.number if own is not None and own.measure.is_same(other) else system.numbers.read(other)
               for name, other in others}
    found = {name: ("value", q) for name, q in numbers.items()}
    found |= {f"{name}{RATE}": ("rate", q) for name, q in numbers.items()}
    found |= {name: ("auxiliary", system.auxiliaries[read]) for name, read in reads}
    return found if own is None else found | {"d": ("value", own.number), "dd": ("rate", own.number)}


def constant(value: float) -> Expression:
    """A number as an expression."""
    return [("const", 0, 0)], [value], []


def force_number(system: System, name: str) -> int:
    """The kernel's number of a force that events may read."""
    joint, _, field = name.partition(".reaction.")
    if field and joint in system.joints:
        return int(system.kernel.force_number("block", len(REACTIONS) * system.blocks[joint] + REACTIONS.index(field)))
    owner = name.removesuffix(".force")
    if owner in system.laws:
        return int(system.kernel.force_number("law", system.laws[owner]))
    return int(system.kernel.force_number("row", system.block_rows[owner].start))
