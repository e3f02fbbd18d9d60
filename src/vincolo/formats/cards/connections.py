"""Connection: the joints, by the points P, Q, R on each body."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vincolo.errors import ModelError
from vincolo.formats.cards.report import CardError, Report
from vincolo.formats.cards.text import Block, Field, blocks_of, check_labels, vector, whole
from vincolo.model import Body, Frame, Joint, Model
from vincolo.model.geometry import Array, perpendicular

KINDS = {1: "revolute", 2: "prismatic", 3: "cylindrical", 4: "spherical", 5: "guide"}
LABELS = ("name", "type", "body1", "body2", "P1", "Q1", "R1", "P2", "Q2", "R2")
SKEW = 1e-3  # cosine from which on axes that should be at right angles are refused
UNIT = 1e-3  # deviation of a length from one that is worth a note


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


def read_connections(model: Model, path: Path, bodies: list[Body], names: Names,
                     report: Report) -> dict[int, Connection]:
    """All joints of the card, by their numbers."""
    return {block.number: _connection(model, block, bodies, names, report) for block in blocks_of(path, report)}


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


def _connection(model: Model, block: Block, bodies: list[Body], names: Names, report: Report) -> Connection:
    check_labels(block, LABELS, report)
    kind_field = block.need("type")
    try:
        code = whole(kind_field, 1, 5, "it is 1 revolute, 2 prismatic, 3 cylindrical, 4 spherical or 5 guide")
    except CardError as error:
        raise CardError(f"{error} NumDyn3D has no other joints.") from None
    kind = KINDS[code]
    numbers = [body_number(block.need(f"body{i}"), len(bodies) - 1) for i in (1, 2)]
    if numbers[0] == numbers[1]:
        raise block.fields["body2"].error(f"is {numbers[1]}, the same as body1.", "A joint has two different bodies.")
    first, second = (_side(block, i, numbers[i - 1], kind, report) for i in (1, 2))
    axes = second.axes
    if kind == "prismatic":
        # NumDyn3D holds f1.f2 = 0, this program x1.y2 = 0: y2 is f2
        axes = np.column_stack([-axes[:, 1], axes[:, 0], axes[:, 2]])
    frames = (_frame(bodies[first.body], first.point, first.axes), _frame(bodies[second.body], second.point, axes))
    wanted = block.fields["name"].text if "name" in block.fields else f"joint {block.key}"
    name = names.free(wanted, "joint")
    try:
        joint: Joint = getattr(model, kind)(name, *frames)
    except ModelError as error:
        raise block.place.error(str(error), "Correct this block.") from None
    return Connection(joint, kind, (first, second))


def _frame(body: Body, point: Array, axes: Array) -> Frame:
    return body.frame(local=point, z=axes[:, 2], x=axes[:, 0])


def _side(block: Block, i: int, body: int, kind: str, report: Report) -> Side:
    P = np.array(vector(block.need(f"P{i}")))
    free = kind == "spherical" or (kind == "guide" and i == 2)  # any axes do
    if free and not {f"Q{i}", f"R{i}"} <= block.fields.keys():
        return Side(body, P, np.eye(3))
    h, f = (_unit(block.need(f"{letter}{i}"), P, f"P{i}", free, report) for letter in "QR")
    if free and abs(float(h @ f)) > SKEW:
        return Side(body, P, np.eye(3))
    if abs(float(h @ f)) > SKEW:
        raise block.fields[f"R{i}"].error(f"- P{i} is not at right angles to Q{i} - P{i}: their cosine is "
                                          f"{float(h @ f):.3g}.", f"Choose R{i} at a right angle to the axis.")
    f = f - h * (h @ f)
    f = f / np.linalg.norm(f)
    return Side(body, P, np.column_stack([f, np.cross(h, f), h]))


def _unit(item: Field, P: Array, origin: str, free: bool, report: Report) -> Array:
    """The direction from P to a point."""
    arrow = np.array(vector(item)) - P
    length = float(np.linalg.norm(arrow))
    if length < 1e-9:
        if free:
            return perpendicular(np.array([0.0, 0.0, 1.0]))
        raise item.error(f"is the same point as {origin}, so the axis points nowhere.",
                         f"{item.label} lies at unit distance from {origin}, on the axis.")
    if abs(length - 1.0) > UNIT:
        report.note(item.place, f"{item.label} is {length:.4g} from {origin}, not 1; its direction is used.")
    return np.asarray(arrow / length, dtype=float)
