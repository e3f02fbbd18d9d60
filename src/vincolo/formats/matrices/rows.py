"""What a row of each matrix of SymDyn3D means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vincolo.errors import FileError, ModelError, suggest
from vincolo.formats.cards.connections import KINDS, Connection, Point, Side, side_of
from vincolo.formats.cards.coordinates import Expression
from vincolo.formats.cards.driving import ANGLE, Law, add_laws, law_of
from vincolo.formats.cards.forces import Action, Mechanism, add_action, angle_texts, over_span, span_of
from vincolo.formats.cards.measured import coordinate
from vincolo.formats.cards.place import Place
from vincolo.formats.cards.text import Field
from vincolo.formats.matrices.tree import Entry, Reader, Rows, Value, entries_of
from vincolo.formats.mistakes import Follows, Mistakes, each
from vincolo.formats.report import Report
from vincolo.model.functions import Spline
from vincolo.model.joint import LEVELS

#: names of joints; the letters and the Italian names are those of Valentini et al., tables 1 and 2
JOINTS = {**{kind: kind for kind in (*KINDS.values(), "universal")}, "r": "revolute", "p": "prismatic",
          "c": "cylindrical", "s": "spherical", "g": "guide", "rotoidale": "revolute", "prismatica": "prismatic",
          "cilindrica": "cylindrical", "sferica": "spherical", "sphere in cylinder": "guide", "sphere_in_cylinder":
          "guide", "sfera nel cilindro": "guide", "hooke": "universal", "giunto di hooke": "universal"}
CON = "i, j, type, then P, Q, R on i and P, Q, R on j, three numbers each"
FORCE = ("link", "Fx", "Fy", "Fz", "Tx", "Ty", "Tz", "x", "y", "z", "type")
SPRING = ("i", "j", "force", "x1", "y1", "z1", "x2", "y2", "z2", "type")
UNKNOWN = ("none", "null", "unknown", "_", "")


def _body(reader: Reader, entry: Entry, label: str, bodies: int) -> int:
    return reader.whole(entry, label, 0, bodies, f"bodies are numbered 1 to {bodies}, and 0 is the ground")


def _two_bodies(reader: Reader, entries: Sequence[Entry], bodies: int, what: str) -> tuple[int, int]:
    i, j = each(lambda k: _body(reader, entries[k], "ij"[k], bodies), (0, 1))
    if i == j:
        raise entries[1].place.error(f"j is {j}, the same as i.", f"A {what} has two different bodies.")
    return i, j


# bodies


def inertias(reader: Reader, value: Value, bodies: int) -> list[list[list[float]]]:
    """The inertia tensor of each body: 3 x 3 numbers, three for the main axes, or one."""
    items: list[Value] = list(value.items) if isinstance(value, Rows) else [value]
    if bodies == 1 and isinstance(value, Rows) and len(items) == 3:
        items = [value]
    if len(items) != bodies:
        raise value.place.error(f"inertia has {len(items)} items for {bodies} bodies.",
                                "Give a tensor, three numbers or one for each body.")
    return each(lambda item: _tensor(reader, item), items)


def _tensor(reader: Reader, item: Value) -> list[list[float]]:
    entries = item.flat if isinstance(item, Rows) else [item]
    if len(entries) not in (1, 3, 9):
        raise item.place.error(f"inertia has {len(entries)} numbers.",
                               "Give three rows of three, three for the main axes, or one.")
    found = each(lambda entry: reader.number(entry, "inertia"), entries)
    tensor = np.diag(found * 3 if len(found) == 1 else found) if len(found) < 9 else np.array(found).reshape(3, 3)
    return [list(row) for row in tensor.tolist()]


def coordinates(reader: Reader, value: Value, name: str, bodies: int) -> dict[int, float]:
    """Coordinates or rates that are given, by number counted from zero: all in order, with None where they are not
    known; or pairs [number, value]; or q4 = 1."""
    items = value.items if isinstance(value, Rows) else (value,)
    letter = "q" if name == "q_in" else "qp"
    pairs = [_pair(item, letter) for item in items]
    if items and all(isinstance(item, Entry) and "=" not in item.text for item in items):
        if len(items) != 7 * bodies:
            raise value.place.error(f"{name} has {len(items)} values; {bodies} bodies have {7 * bodies} coordinates.",
                                    "Give None for those that are not known, or pairs [number, value].")
        known = [(k, item) for k, item in enumerate(items) if not _unknown(item)]
        numbers = each(lambda pair: reader.number(pair[1], f"{letter}{pair[0] + 1}"), known)
        return dict(zip([k for k, _ in known], numbers, strict=True))
    found: dict[int, float] = {}
    for k, v in each(lambda k: _coordinate(reader, items[k], pairs[k], letter, bodies), range(len(items))):
        if k in found:
            raise value.place.error(f"{letter}{k + 1} is given twice in {name}.", "Remove one of them.")
        found[k] = v
    return found


def _unknown(item: Value) -> bool:
    return isinstance(item, Entry) and item.text.strip().lower() in UNKNOWN


def _pair(item: Value, letter: str) -> tuple[Entry, Entry] | None:
    """Number and value of [4, 1.0], or of q4 = 1.0."""
    if isinstance(item, Rows):
        flat = item.flat
        return (flat[0], flat[1]) if len(flat) == 2 else None
    name, sign, value = item.text.partition("=")
    match = re.fullmatch(rf"\s*(?:q|{letter})(\d{{1,9}})\s*", name, re.ASCII)
    return (Entry(match[1], item.place), Entry(value.strip(), item.place)) if sign and match else None


def _coordinate(reader: Reader, item: Value, pair: tuple[Entry, Entry] | None, letter: str,
                bodies: int) -> tuple[int, float]:
    if pair is None:
        raise item.place.error(f"this is not a coordinate with its value, such as [4, 1.0] or {letter}4 = 1.0.",
                               "Give all coordinates by number, or all of them in their order.")
    k = reader.whole(Entry(pair[0].text.removeprefix(letter), pair[0].place), "the number of a coordinate", 1,
                     7 * bodies, "seven for each body, in the order of the bodies: x, y, z, e0, e1, e2, e3")
    return k - 1, reader.number(pair[1], f"{letter}{k}")


# joints


@dataclass(frozen=True)
class JointRow:
    """A row of CON."""

    kind: str
    sides: tuple[Side, Side]
    place: Place


def joint_row(reader: Reader, row: Value, bodies: int, report: Report) -> JointRow:
    """A joint by the points P, Q and R on both its bodies."""
    entries = entries_of(row, "CON", 21, CON)
    mistakes = Mistakes()
    both = mistakes.attempt(_two_bodies, reader, entries, bodies, "joint")
    kind = mistakes.attempt(_kind, reader, entries[2])
    labels = [f"{letter}{i}" for i in (1, 2) for letter in "PQR" for _ in "xyz"]
    numbers = mistakes.attempt(each, lambda k: reader.number(entries[3 + k], labels[k]), range(18))
    mistakes.refuse("CON")
    if both is None or kind is None or numbers is None:
        raise Follows("the row could not be read.")
    points = [Point(Field(labels[3 * k], "", entries[3 + 3 * k].place), np.array(numbers[3 * k: 3 * k + 3]))
              for k in range(6)]
    sides = each(lambda i: side_of(i, both[i - 1], kind, dict(zip("PQR", points[3 * i - 3: 3 * i], strict=True)),
                                   report), (1, 2))
    return JointRow(kind, (sides[0], sides[1]), row.place)


def _kind(reader: Reader, entry: Entry) -> str:
    name = " ".join(entry.text.lower().replace("-", " ").split())
    if name in JOINTS:
        return JOINTS[name]
    if re.fullmatch(r"[-+.\d]+", name):
        code = reader.whole(entry, "the type of a joint", 1, 5,
                            ", ".join(f"{k} is {kind}" for k, kind in KINDS.items()) + "; others have names only")
        return KINDS[code]
    raise entry.place.error(f"there is no joint '{entry.text[:40]}'.",
                            f"Joints: {', '.join((*KINDS.values(), 'hooke'))}, or 1 to 5.{suggest(name, JOINTS)}")


# forces


def add_force(to: Mechanism, reader: Reader, row: Value, key: int) -> None:
    """A force at a point of a body, and a torque."""
    entries = entries_of(row, "FORCE", len(FORCE), ", ".join(FORCE))
    bodies = len(to.starts)
    mistakes = Mistakes()
    link = mistakes.attempt(reader.whole, entries[0], "link", 1, bodies, f"bodies are numbered 1 to {bodies}")
    local = mistakes.attempt(_choice, entries[10], {"loc": "Loc", "local": "Loc", "glob": "Glob", "global": "Glob"},
                             "Loc for the axes of the body, or Glob for those of the ground")
    parts = mistakes.attempt(each, lambda k: reader.expression(entries[k], FORCE[k], bodies), range(1, 10))
    mistakes.refuse("FORCE")
    if link is None or local is None or parts is None:
        raise Follows("the row could not be read.")
    add_action(to, Action(str(key), None, row.place, link, local == "Loc", parts[:3], parts[3:6], parts[6:]))


def _choice(entry: Entry, names: Mapping[str, str], what: str) -> str:
    name = entry.text.strip().lower()
    if name not in names:
        raise entry.place.error(f"the type is '{entry.text[:40]}'.", f"Write {what}.")
    return names[name]


def add_spring(to: Mechanism, reader: Reader, row: Value, key: int) -> None:
    """A spring and damper by its law over d and dd, between two points or about a joint."""
    entries = entries_of(row, "SPDAMPERS", len(SPRING), ", ".join(SPRING))
    kind = _choice(entries[9], {"t": "T", "r": "R"}, "T for a spring between points, or R for one about a joint")
    i, j = _two_bodies(reader, entries, len(to.starts), "spring")
    law = reader.expression(entries[2], "force" if kind == "T" else "torque", len(to.starts), ("d", "dd"))
    numbers = each(lambda k: reader.number(entries[k], SPRING[k]), range(3, 9))
    name = to.name(None, str(key), "spring")
    if kind == "T":
        measure, texts = span_of(to, [i, j], [np.array(numbers[:3]), np.array(numbers[3:])], row.place)
        text, others = over_span(to, law, texts)
        to.model.law(name, measure, text, **others)
        return
    if any(numbers):
        to.report.not_used(entries[3].place, "the points of a spring about a joint")
    connection = _hinge(to, i, j, row.place)
    text, others = over_span(to, law if connection.sides[0].body == i else _reversed(law), angle_texts(to, connection))
    to.model.law(name, connection.joint["angle"], text, **others)


def _hinge(to: Mechanism, i: int, j: int, place: Place) -> Connection:
    """The joint between two bodies that has an angle."""
    between = [c for c in to.connections.values() if {side.body for side in c.sides} == {i, j}]
    found = [c for c in between if c.kind in ("revolute", "cylindrical")]
    if not found:
        has = ", ".join(f"the {c.kind} joint '{c.joint.name}'" for c in between) or "no joint"
        raise to.own_fault(place.error(f"bodies {i} and {j} have {has} between them, and so no angle.",
                                       "A spring with R is about a revolute or cylindrical joint."))
    if len(found) > 1:
        names = ", ".join(f"'{c.joint.name}'" for c in found)
        to.report.note(place, f"the spring is about the first of the joints {names}.")
    return found[0]


def _reversed(law: Expression) -> Expression:
    """The law over an angle that counts the other way: -T(-d, -dd)."""
    text = re.sub(r"(?<![\w.])(dd?)(?!\w)", r"(-\1)", law.text, flags=re.ASCII)
    return replace(law, text=f"-({text})")


# drives


def add_drives(to: Mechanism, reader: Reader, rows: Sequence[Value]) -> list[FileError | ModelError]:
    """Laws of motion and samples; returns what is wrong with them."""
    mistakes, bodies = Mistakes(), len(to.starts)
    laws = {str(k): mistakes.attempt(_law, reader, row, bodies) for k, row in enumerate(rows, 1)
            if isinstance(row, Entry)}
    good = [Law(key, zero.item.place, zero) for key, zero in laws.items() if zero is not None]
    mistakes.found += add_laws(to, good, len(good) == len(laws))
    for k, row in enumerate(rows, 1):
        if isinstance(row, Rows):
            mistakes.attempt(_add_samples, to, reader, row, k)
    return list(mistakes.found)


def _law(reader: Reader, row: Entry, bodies: int) -> Expression:
    """An expression that is zero; with = in it, the left side less the right side."""
    left, sign, right = row.text.partition("=")
    text = left if not sign or right.strip() in ("0", "0.", "0.0") else f"{left.strip()}-({right.strip()})"
    if "=" in right:
        raise row.place.error(f"'{row.text[:60]}' has more than one =.", "Write one law for each entry.")
    return law_of(Field("DRIV", text.strip(), row.place), bodies, reader.used_in(text)).inlined()


def _add_samples(to: Mechanism, reader: Reader, row: Rows, key: int) -> None:
    """[coordinate, times, values]: a spline through them leads the coordinate; a fourth item says its level."""
    if len(row.items) not in (3, 4) or not all(isinstance(item, Rows) for item in row.items[1:3]):
        raise row.place.error("samples are [number of a coordinate, [times], [values]].",
                              "A law of motion is an expression without brackets around it.")
    first, times, values, *rest = row.items
    k = reader.whole(_unnamed(first), "the number of a coordinate", 1, 7 * len(to.starts), "seven for each body") - 1
    level = _choice(rest[0] if isinstance(rest[0], Entry) else Entry("a list", rest[0].place),
                    {name: name for name in LEVELS}, " or ".join(LEVELS)) if rest else "position"
    if k % 7 > 2:
        raise row.place.error(f"q{k + 1} is an Euler parameter, which samples cannot drive.", ANGLE)
    x, y = (tuple(each(lambda e: reader.number(e, "a sample"), item.flat)) for item in (times, values)
            if isinstance(item, Rows))
    try:
        driven, name = coordinate(to.model, to.bodies, k), to.names.free(f"law {key}", "drive")
        to.model.drive(driven, Spline(x, y, "not-a-knot"), name, level)
    except ModelError as error:
        raise row.place.error(str(error), "Correct the samples.") from None


def _unnamed(item: Value) -> Value:
    """8 of q8."""
    return Entry(re.sub(r"^q(?=\d)", "", item.text.strip()), item.place) if isinstance(item, Entry) else item
