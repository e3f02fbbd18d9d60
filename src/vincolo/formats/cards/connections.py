"""Connection: the joints, by the points P, Q, R on each body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.cards.place import CardError, Place
from vincolo.formats.cards.text import Block, Field, blocks_of, check_labels, vector, whole
from vincolo.formats.mistakes import Mistakes, each
from vincolo.formats.report import Report
from vincolo.model import Body, Frame, Joint, Model
from vincolo.model.geometry import Array, perpendicular

KINDS = {1: "revolute", 2: "prismatic", 3: "cylindrical", 4: "spherical", 5: "guide"}
LABELS = ("name", "type", "body1", "body2", "P1", "Q1", "R1", "P2", "Q2", "R2")
SKEW = 1e-3  # cosine from which on axes that should be at right angles are refused
SLIGHT = 1e-6  # deviation of a length from one, and of a cosine from zero, that is worth a note


@dataclass(frozen=True)
class Side:
    """A joint's frame on one body: number of the body, point, and axes f, g, h as columns, in body axes."""

    body: int
    point: Array
    axes: Array


@dataclass(frozen=True)
class Connection:
    """A joint of the card, with both sides as the card gives them."""

    joint: Joint
    kind: str
    sides: tuple[Side, Side]

    def on_ground(self) -> tuple[Side, Side, float] | None:
        """The side on the ground, the other one, and +1 if the ground comes first, else -1; None between bodies."""
        first, second = self.sides
        if first.body == 0:
            return first, second, 1.0
        return (second, first, -1.0) if second.body == 0 else None


def body_number(item: Field, count: int) -> int:
    """The number of a body, 0 for the frame."""
    return whole(item, 0, count, f"bodies are numbered 1 to {count} as in General, and 0 is the frame")


def read_connections(model: Model, path: Path, bodies: list[Body], names: Names, report: Report,
                     mistakes: Mistakes) -> tuple[dict[int, Connection], bool]:
    """The joints of the card that could be read, by their numbers, and whether these are all."""
    read = blocks_of(path, report, mistakes)
    found = [mistakes.attempt(_connection, model, block, bodies, names, report) for block in read.blocks]
    return dict(pair for pair in found if pair is not None), read.whole and None not in found


class Names:
    """Names for the parts of a model: those of the cards, changed where they are taken or cannot be."""

    def __init__(self, report: Report) -> None:
        self._taken = {"ground", "energy", "residual", "t"}
        self._report = report

    def free(self, wanted: str, kind: str) -> str:
        """The wanted name, or one like it that is free."""
        name = plain = wanted.strip().replace(".", "_")[:190] or kind
        for k in range(2, 1_000_000):
            if name not in self._taken:
                break
            name = f"{plain} {kind}" if k == 2 else f"{plain} {kind} {k - 1}"
        if name != wanted:
            self._report.notes.append(f"{kind} '{wanted}' is called '{name}'.")
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Point:
    """A point of a joint's frame, P, Q or R, in body axes, and the value it was read from."""

    item: Field
    value: Array


def _connection(model: Model, block: Block, bodies: list[Body], names: Names,
                report: Report) -> tuple[int, Connection]:
    key = block.number
    check_labels(block, LABELS, report)
    code, first, second = each(lambda label: _code(block.need(label)) if label == "type" else
                               body_number(block.need(label), len(bodies) - 1), ("type", "body1", "body2"))
    kind = KINDS[code]
    if first == second:
        raise block.fields["body2"].error(f"is {second}, the same as body1.", "A joint has two different bodies.")
    sides = each(lambda i: side_of(i, (first, second)[i - 1], kind, _points(block, i, kind), report), (1, 2))
    wanted = block.fields["name"].text if "name" in block.fields else f"joint {block.key}"
    return key, joined(model, kind, bodies, (sides[0], sides[1]), names.free(wanted, "joint"), block.place)


def _code(item: Field) -> int:
    try:
        return whole(item, 1, 5, "it is 1 revolute, 2 prismatic, 3 cylindrical, 4 spherical or 5 guide")
    except CardError as error:
        raise CardError(f"{error} NumDyn3D has no other joints.") from None


def _points(block: Block, i: int, kind: str) -> dict[str, Point]:
    """The points given on one side; those that must be there are."""
    letters = [x for x in "PQR" if f"{x}{i}" in block.fields or x == "P" or not any_axes(kind, i)]
    items = each(lambda letter: block.need(f"{letter}{i}"), letters)
    values = each(vector, items)
    return {letter: Point(items[k], np.array(values[k])) for k, letter in enumerate(letters)}


# what the cards share with other files that give joints by P, Q and R


def any_axes(kind: str, i: int) -> bool:
    """Whether the axes of a side have no meaning."""
    return kind == "spherical" or (kind == "guide" and i == 2)


def joined(model: Model, kind: str, bodies: list[Body], sides: tuple[Side, Side], name: str,
           place: Place) -> Connection:
    """Adds the joint between two sides."""
    first, second = sides
    axes = second.axes
    if kind == "prismatic":
        # NumDyn3D holds f1.f2 = 0, this program x1.y2 = 0: y2 is f2
        axes = np.column_stack([-axes[:, 1], axes[:, 0], axes[:, 2]])
    frames = (_frame(bodies[first.body], first.point, first.axes), _frame(bodies[second.body], second.point, axes))
    try:
        joint: Joint = getattr(model, kind)(name, *frames)
    except ModelError as error:
        raise place.error(str(error), "Correct this joint.") from None
    return Connection(joint, kind, sides)


def _frame(body: Body, point: Array, axes: Array) -> Frame:
    return body.frame(local=point, z=axes[:, 2], x=axes[:, 0])


def side_of(i: int, body: int, kind: str, points: Mapping[str, Point], report: Report) -> Side:
    """The frame of a joint on one of its bodies: origin P, h = Q - P along z, f = R - P along x."""
    P, free = points["P"].value, any_axes(kind, i)
    if not {"Q", "R"} <= points.keys():
        for item in (points[letter].item for letter in "QR" if letter in points):
            report.not_used(item.place, f"{item.label}={item.text} (a {kind} joint has no axes here)")
        return Side(body, P, np.eye(3))
    h, f = each(lambda letter: _unit(points[letter], P, f"P{i}", free, report), "QR")
    if abs(float(h @ f)) > SLIGHT and (free or abs(float(h @ f)) <= SKEW):
        report.note(points["R"].item.place, f"R{i} - P{i} is not at right angles to Q{i} - P{i}: their cosine is "
                                            f"{float(h @ f):.3g}; "
                                            + ("these axes have no meaning here." if free else "it is corrected."))
    if abs(float(h @ f)) > SKEW:
        if free:
            return Side(body, P, np.eye(3))
        raise points["R"].item.error(f"- P{i} is not at right angles to Q{i} - P{i}: their cosine is "
                                     f"{float(h @ f):.3g}.", f"Choose R{i} at a right angle to the axis.")
    f = f - h * (h @ f)
    f = f / np.linalg.norm(f)
    return Side(body, P, np.column_stack([f, np.cross(h, f), h]))


def _unit(point: Point, P: Array, origin: str, free: bool, report: Report) -> Array:
    """The direction from P to a point."""
    item, arrow = point.item, point.value - P
    length = math.hypot(*arrow)
    if length < 1e-9:
        if free:
            return perpendicular(np.array([0.0, 0.0, 1.0]))
        raise item.error(f"is the same point as {origin}, so the axis points nowhere.",
                         f"{item.label} lies at unit distance from {origin}, on the axis.")
    if not math.isfinite(length):
        raise item.error(f"is {length:g} from {origin}.", f"{item.label} lies at unit distance from {origin}.")
    if abs(length - 1.0) > SLIGHT:
        report.note(item.place, f"{item.label} is {length:.4g} from {origin}, not 1; its direction is used.")
    return np.asarray(arrow / length, dtype=float)
