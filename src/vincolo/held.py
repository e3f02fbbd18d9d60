"""Joints, drives and rotors as blocks of rows, for the kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vincolo.flywheels import Flywheel
from vincolo.kernel_terms import AXIS, kernel_form
from vincolo.model.functions import Constant
from vincolo.model.joint import LEVELS, Joint

if TYPE_CHECKING:
    from vincolo.model import Measure, Model
    from vincolo.system import System

# how a motion of a joint is told to the kernel: kind, axis and lead; a screw has its own
MOVES = {"turn": ("turn", 2, 0.0), "ball": ("ball", 2, 0.0), "quarter": ("quarter", 1, 0.0),
         **{axis: ("slide", k, 0.0) for axis, k in AXIS.items()}}


class RowName(NamedTuple):
    """Where a constraint row comes from, in the user's words."""

    owner: str
    resists: str
    drive: bool
    level: str = "position"

    def __str__(self) -> str:
        return f"'{self.owner}' ({self.resists})"


def add_rows(system: System, model: Model) -> None:
    """All that is held: joints first, then drives and held measures, then rotors."""
    numbers, kernel = system.numbers, system.kernel
    for joint in model.joints.values():
        system.block_rows[joint.name] = _named(system, [RowName(joint.name, resists, False, level) for resists, level
                                                        in zip(joint.form.resists, joint.form.levels, strict=True)])
        system.blocks[joint.name] = _add_joint(system, joint)
    for held in model.holds.values():
        row = (numbers.quantity(held.measure), numbers.time_function(held.function), LEVELS.index(held.level))
        name = RowName(held.name, "drive" if held.drive else "held measure", held.drive, held.level)
        system.block_rows[held.name] = _named(system, [name])
        system.blocks[held.name] = kernel.add_block([row], held.drive, *numbers.ends(held.measure))
    for flywheel in system.flywheels:
        _add_flywheel(system, flywheel)


def add_block(system: System, name: str, measure: Measure, rows: Sequence[tuple[int, float, int]],
              resists: str) -> None:
    """Rows along one measure: quantities, what they are held at, and levels."""
    system.block_rows[name] = _named(system, [RowName(name, resists, False, LEVELS[level]) for _, _, level in rows])
    held = [(q, system.numbers.held_at(value), level) for q, value, level in rows]
    system.blocks[name] = system.kernel.add_block(held, False, *system.numbers.ends(measure))


def _named(system: System, names: Sequence[RowName]) -> range:
    """The numbers of rows that come next."""
    first = len(system.rows)
    system.rows += names
    return range(first, len(system.rows))


def _add_joint(system: System, joint: Joint) -> int:
    """The block of a joint, its freedom and its coordinates."""
    numbers, form = system.numbers, joint.form
    a, b = numbers.frame(joint.a), numbers.frame(joint.b)
    still = joint.a.motion is None and joint.b.motion is None and not system.switchboard.latches_at(joint.name)
    terms = kernel_form(form, still)
    numbers.plain, system.geared = numbers.plain and terms.plain, system.geared or terms.geared
    formulas = [numbers.quantity(joint.measure_of(row))
                for row, known in zip(form.rows, terms.rows, strict=True) if known is None]
    for e in terms.turning:
        numbers.count_turns(e, joint.a, joint.b)
    known = [row for row in terms.rows if row is not None]
    first = int(system.kernel.add_quantities(a, b, [*known, *terms.coordinates]))
    plain, others = iter(range(first, first + len(known))), iter(formulas)
    rows = [(next(others if row is None else plain), numbers.held_at(joint.value_of(k)), terms.levels[k])
            for k, row in enumerate(terms.rows)]
    block = int(system.kernel.add_block(rows, False, a, b))
    _add_freedom(system, block, joint)
    for k, name in enumerate(form.coordinates):
        system.quantities[f"{joint.name}.{name}"] = first + len(known) + k
    return block


def _add_freedom(system: System, block: int, joint: Joint) -> None:
    """What it leaves free as motions one after another, for joint coordinates, where that can be said."""
    moves = joint.definition.moves
    if moves is None or joint.a.motion is not None or joint.b.motion is not None:
        return
    lead = joint.parameters.get("pitch", 0.0) / (2 * math.pi) * (-1 if joint.mirrored else 1)
    system.kernel.add_freedom(block, [("turn", 2, lead) if move == "screw" else MOVES[move] for move in moves])


def _add_flywheel(system: System, f: Flywheel) -> None:
    """Its rail, and the row that ties it to its measure, which has the rotor's name."""
    numbers, kernel, name = system.numbers, system.kernel, f.rotor.name
    rail = [(numbers.quantity(row.measure), -1, LEVELS.index(row.level)) for row in f.rail.rows]
    block = kernel.add_block(rail, False, numbers.frame(f.rail.a), numbers.frame(f.rail.b))
    _named(system, [RowName(name, row.resists, False) for row in f.rail.rows])
    _add_freedom(system, block, f.rail)
    tied = (numbers.quantity(f.tie), numbers.function(Constant(f.rotor.measure.drawn_value)), 0)
    system.block_rows[name] = _named(system, [RowName(name, "inertia", False)])
    system.blocks[name] = kernel.add_block([tied], False, *numbers.ends(f.tie))
    system.quantities[f"{name}.value"] = numbers.quantity(f.rotor.measure * f.rotor.ratio)
