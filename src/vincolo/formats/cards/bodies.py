"""General, Inertial and Initial configuration: the bodies, where they start, and how long the run is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.cards.report import CardError, Place, Report
from vincolo.formats.cards.text import Block, Field, Line, blocks_of, check_labels, lines_of, number, numbers, whole
from vincolo.formats.cards.text import vector as three
from vincolo.model import Body, Model
from vincolo.model.geometry import Array

MOST_BODIES = 100_000
MOST_INTERVALS = 10_000_000


@dataclass(frozen=True)
class General:
    """The first card: title, bodies in their order, times."""

    title: str
    names: tuple[str, ...]
    start: float
    until: float
    intervals: int


def read_general(path: Path, report: Report) -> General:
    """The card General: title, NB, TI, TE, ST, PP, and the names of the bodies."""
    lines = lines_of(path)
    if lines[0].text.startswith("NumDyn3D"):
        report.note(lines[0].place, "General has no version line; it is taken for the title.")
    values: dict[str, Field] = {}
    rest = iter(lines[1:])
    for label in ("NB", "TI", "TE", "ST", "PP"):
        values[label] = _entry(next(rest, None), label, path.name)
    count = whole(values["NB"], 1, MOST_BODIES, "it is the number of bodies")
    start, until = number(values["TI"]), number(values["TE"])
    if not until > start:
        raise values["TE"].error(f"is {until:g} s, not after TI = {start:g} s.", "Write an end behind the beginning.")
    intervals = whole(values["ST"], 1, MOST_INTERVALS, "it is the number of time intervals")
    report.not_used(values["PP"].place, f"PP {values['PP'].text} (post-processing)")
    return General(lines[0].text, _names(list(rest), count, path.name), start, until, intervals)


def _entry(line: Line | None, label: str, card: str) -> Field:
    if line is None:
        raise Place(card).error(f"the line '{label}' is missing.",
                                "After the title come NB, TI, TE, ST, PP, each with a value, then the bodies.")
    words = line.text.split(None, 1)
    if words[0] != label or len(words) < 2:
        raise line.place.error(f"'{line.text[:60]}' stands where '{label}' and its value should.",
                               "After the title come NB, TI, TE, ST, PP, in this order, with capitals.")
    offset = line.text.index(words[1], len(label))
    return Field(label, words[1].strip(), Place(card, line.place.line, line.place.column + offset))


def _names(lines: list[Line], count: int, card: str) -> tuple[str, ...]:
    if not lines or not re.fullmatch(r"ID\s*\|\s*BODY NAME", lines[0].text):
        place = lines[0].place if lines else Place(card)
        raise place.error("the line 'ID | BODY NAME' is missing.", "Write it before the list of bodies.")
    found: dict[str, Place] = {}
    for line in lines[1:]:
        key, bar, name = (word.strip() for word in line.text.partition("|"))
        if not bar or key != str(len(found) + 1):
            raise line.place.error(f"'{line.text[:60]}' should be body {len(found) + 1}.",
                                   f"Number the bodies from 1: '{len(found) + 1} | name'.")
        if not name:
            raise line.place.error(f"body {key} has no name.", f"Write '{key} | name'.")
        if name in found:
            raise line.place.error(f"the body '{name}' is there twice, first in line {found[name].line}.",
                                   "Give each body a name of its own.")
        found[name] = line.place
    if len(found) != count:
        raise Place(card, lines[-1].place.line).error(f"NB is {count}, but {len(found)} bodies are listed.",
                                                      "Correct NB or the list.")
    return tuple(found)


@dataclass(frozen=True)
class Start:
    """Where a body starts: Euler parameters of length one, and the rates given, zero where none is."""

    position: Array
    euler: Array
    rates: Array

    @property
    def angular_velocity(self) -> Array:
        """w = 2 E p' in world axes [rad/s]."""
        return 2.0 * left_matrix(self.euler) @ self.rates[3:]


def left_matrix(e: Array) -> Array:
    """E of w = 2 E p', w in world axes."""
    return np.array([[-e[1], e[0], -e[3], e[2]], [-e[2], e[3], e[0], -e[1]], [-e[3], -e[2], e[1], e[0]]])


def read_starts(path: Path, general: General, report: Report) -> list[Start]:
    """Initial configuration: q1..q7 and qp1..qp7 of each body."""
    blocks = by_body(path, general, report)
    return [_start(block, general.names[k - 1], report) for k, block in blocks.items()]


def _start(block: Block, name: str, report: Report) -> Start:
    labels = [f"q{k}" for k in range(1, 8)], [f"qp{k}" for k in range(1, 8)]
    check_labels(block, labels[0] + labels[1], report)
    q = np.array([number(block.need(label)) for label in labels[0]])
    rates = np.array([number(block.fields[label]) if label in block.fields else 0.0 for label in labels[1]])
    length = float(np.linalg.norm(q[3:]))
    if length < 0.5 or length > 2.0:
        raise block.fields["q4"].place.error(f"q4 to q7 of body '{name}' have the length {length:.3g}; Euler "
                                             "parameters have the length 1.",
                                             "Without rotation write q4=1, q5=0, q6=0, q7=0.")
    if abs(length - 1.0) > 1e-6:
        report.warn(block.fields["q4"].place, f"q4 to q7 of body '{name}' have the length {length:.7g}; they are "
                                              "divided by it.")
    return Start(q[:3], q[3:] / length, rates)


def by_body(path: Path, general: General, report: Report) -> dict[int, Block]:
    """The blocks of a card that has one for each body, in the order of the bodies."""
    blocks = {block.number: block for block in blocks_of(path, report)}
    count = len(general.names)
    for k in sorted(set(blocks) - set(range(1, count + 1))):
        report.not_used(blocks[k].place, f"begin({k}): there is no body {k}")
    for k, name in enumerate(general.names, 1):
        if k not in blocks:
            raise Place(path.name).error(f"body {k} '{name}' has no block begin({k}).",
                                         f"Write begin({k}) ... end({k}); General has {count} bodies.")
    return {k: blocks[k] for k in range(1, count + 1)}


def add_bodies(model: Model, path: Path, general: General, starts: list[Start], names: list[str],
               report: Report) -> list[Body]:
    """Inertial: mass and inertia of each body. The mass sits in the body's origin, as in NumDyn3D's equations."""
    found = [model.ground]
    for k, block in by_body(path, general, report).items():
        check_labels(block, ("mass", "CoM", "inertia"), report)
        mass, inertia = block.need("mass"), block.need("inertia")
        if "CoM" in block.fields and any(three(block.fields["CoM"])):
            report.not_used(block.fields["CoM"].place,
                            f"CoM={block.fields['CoM'].text} of body '{general.names[k - 1]}': as in NumDyn3D, which "
                            "uses it to place weights only, the mass sits in the origin of the body")
        start = starts[k - 1]
        try:
            found.append(model.body(names[k - 1], number(mass), _tensor(inertia), start.position,
                                    orientation=start.euler, velocity=start.rates[:3],
                                    angular_velocity=start.angular_velocity))
        except CardError:
            raise
        except ModelError as error:
            raise inertia.place.error(str(error), "Correct mass and inertia here.") from None
    return found


def _tensor(item: Field) -> list[list[float]]:
    if len(item.rows) != 3:
        raise item.error(f"has {len(item.rows)} rows; 3 are needed.", "Write inertia=[, three lines, and ].")
    return [numbers(row.text, row.place, "inertia") for row in item.rows]
