"""General, Inertial and Initial configuration: the bodies, where they start, and how long the run is."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import Block, Field, Line, blocks_of, check_labels, lines_of, number, numbers, whole
from vincolo.formats.cards.text import vector as three
from vincolo.formats.mistakes import Mistakes, each
from vincolo.formats.report import Report
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


def read_general(path: Path, report: Report, mistakes: Mistakes) -> General:
    """The card General: title, NB, TI, TE, ST, PP, and the names of the bodies."""
    lines = lines_of(path)
    if lines[0].text.startswith("NumDyn3D"):
        report.note(lines[0].place, "General has no version line; it is taken for the title.")
    rest = iter(lines[1:])
    values = {label: _entry(next(rest, None), label, path.name) for label in ("NB", "TI", "TE", "ST", "PP")}
    count = mistakes.attempt(whole, values["NB"], 1, MOST_BODIES, "it is the number of bodies")
    start, until = mistakes.attempt(_times, values["TI"], values["TE"]) or (0.0, 1.0)
    intervals = mistakes.attempt(whole, values["ST"], 1, MOST_INTERVALS, "it is the number of time intervals") or 1
    report.not_used(values["PP"].place, f"PP {values['PP'].text} (post-processing)")
    return General(lines[0].text, _names(list(rest), count, path.name), start, until, intervals)


def _times(begin: Field, end: Field) -> tuple[float, float]:
    start, until = each(number, (begin, end))
    if not until > start:
        raise end.error(f"is {until:g} s, not after TI = {start:g} s.", "Write an end after the beginning.")
    return start, until


def _entry(line: Line | None, label: str, card: str) -> Field:
    if line is None:
        raise Place(card).error(f"the line '{label}' is missing.",
                                "After the title come NB, TI, TE, ST, PP, each with a value, then the bodies.")
    words = line.text.split(None, 1)
    if words[0] != label or len(words) < 2:
        raise line.place.error(f"'{line.text[:60]}' is where '{label}' and its value should be.",
                               "After the title come NB, TI, TE, ST, PP, in this order, with capitals.")
    offset = line.text.index(words[1], len(label))
    return Field(label, words[1].strip(), line.place.right(offset))


def _names(lines: list[Line], count: int | None, card: str) -> tuple[str, ...]:
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
            raise line.place.error(f"the body '{name}' is listed twice, first in line {found[name].line}.",
                                   "Give each body a name of its own.")
        found[name] = line.place
    if not found or len(found) != (count or len(found)):
        raise Place(card, lines[-1].place.line).error(f"NB is {count or 0}, but {len(found)} bodies are listed.",
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
        with np.errstate(all="ignore"):  # what overflows is refused with the body
            return 2.0 * left_matrix(self.euler) @ self.rates[3:]


def left_matrix(e: Array) -> Array:
    """E of w = 2 E p', w in world axes."""
    return np.array([[-e[1], e[0], -e[3], e[2]], [-e[2], e[3], e[0], -e[1]], [-e[3], -e[2], e[1], e[0]]])


#: stands in for a start that could not be read, so that the other cards can be
NOWHERE = Start(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(7))


def read_starts(path: Path, general: General, report: Report, mistakes: Mistakes) -> list[Start]:
    """Initial configuration: q1..q7 and qp1..qp7 of each body; NOWHERE where it could not be read."""
    blocks = by_body(path, general, report, mistakes)
    found = {k: mistakes.attempt(_start, block, general.names[k - 1], report) for k, block in blocks.items()}
    return [found.get(k) or NOWHERE for k in range(1, len(general.names) + 1)]


def _start(block: Block, name: str, report: Report) -> Start:
    labels = [f"q{k}" for k in range(1, 8)], [f"qp{k}" for k in range(1, 8)]
    check_labels(block, labels[0] + labels[1], report)
    values = each(lambda label: number(block.need(label)) if label in labels[0] or label in block.fields else 0.0,
                  labels[0] + labels[1])
    return start_of(values[:7], values[7:], block.fields["q4"].place, name, report)


def start_of(coordinates: Sequence[float], rates: Sequence[float], place: Place, name: str, report: Report) -> Start:
    """Where a body starts, with Euler parameters that were checked; `place` is that of the first of them."""
    q = np.array(coordinates)
    length = math.hypot(*q[3:])
    if length < 0.5 or length > 2.0:
        raise place.error(f"q4 to q7 of body '{name}' have the length {length:.3g}; Euler parameters have the length "
                          "1.", "Without rotation write q4=1, q5=0, q6=0, q7=0.")
    if abs(length - 1.0) > 1e-6:
        report.warn(place, f"q4 to q7 of body '{name}' have the length {length:.7g}; they are divided by it.")
    return Start(q[:3], q[3:] / length, np.array(rates))


def by_body(path: Path, general: General, report: Report, mistakes: Mistakes) -> dict[int, Block]:
    """The blocks of a card that has one for each body, in the order of the bodies, as far as they could be read."""
    read, count = blocks_of(path, report, mistakes), len(general.names)
    found = {mistakes.attempt(lambda block: block.number, block): block for block in read.blocks}
    for k, block in found.items():
        if k is not None and k > count:
            report.not_used(block.place, f"begin({k}): there is no body {k}")
    for k, name in enumerate(general.names, 1):
        if k not in found and read.whole and None not in found:
            mistakes.add(Place(path.name).error(f"body {k} '{name}' has no block begin({k}).",
                                                f"Write begin({k}) ... end({k}); General has {count} bodies."))
    return {k: found[k] for k in range(1, count + 1) if k in found}


def add_bodies(model: Model, path: Path, general: General, starts: list[Start], names: list[str], report: Report,
               mistakes: Mistakes) -> list[Body]:
    """Inertial: mass and inertia of each body. The mass sits in the body's origin, as in NumDyn3D's equations. A body
    whose block could not be read is there with another mass, so that the other cards can be read."""
    found, blocks = [model.ground], by_body(path, general, report, mistakes)
    for k, start in enumerate(starts, 1):
        made = None
        if k in blocks:
            made = mistakes.attempt(_add_body, model, blocks[k], names[k - 1], start, report)
        found.append(made or model.body(names[k - 1], 1.0, 1.0, start.position, orientation=start.euler))
    return found


def _add_body(model: Model, block: Block, name: str, start: Start, report: Report) -> Body:
    check_labels(block, ("mass", "CoM", "inertia"), report)
    read: dict[str, Callable[[Field], Any]] = {"mass": number, "inertia": _tensor, "CoM": three}
    labels = [label for label in read if label != "CoM" or label in block.fields]
    values = dict(zip(labels, each(lambda label: read[label](block.need(label)), labels), strict=True))
    if any(values.get("CoM", ())):
        centre = block.fields["CoM"]
        report.not_used(centre.place, f"CoM={centre.text} of body '{name}': as in NumDyn3D, which uses it to place "
                                      "weights only, the mass sits in the origin of the body")
    return body_at(model, name, values["mass"], values["inertia"], start, block.fields["inertia"].place)


def body_at(model: Model, name: str, mass: Any, inertia: Any, start: Start, place: Place) -> Body:
    """A body that starts where it should; `place` is that of its mass and inertia."""
    try:
        return model.body(name, mass, inertia, start.position, orientation=start.euler, velocity=start.rates[:3],
                          angular_velocity=start.angular_velocity)
    except ModelError as error:
        raise place.error(str(error), "Correct mass and inertia here.") from None
    except np.linalg.LinAlgError:
        raise place.error(f"the inertia of body '{name}' is too large or too small to compute with.",
                          "Correct mass and inertia here.") from None


def _tensor(item: Field) -> list[list[float]]:
    if len(item.rows) != 3:
        raise item.error(f"has {len(item.rows)} rows; 3 are needed.", "Write inertia=[, three lines, and ].")
    return each(lambda row: numbers(row.text, row.place, "inertia"), item.rows)
