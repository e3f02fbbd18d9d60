"""What in an MJCF file acts on the motion and is not translated: contacts, tendons, some actuators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from vincolo.formats.mjcf.reader import Item, Reader
from vincolo.formats.sources import short
from vincolo.formats.xml_tree import Element, take_all

#: attributes by which a tendon acts
PULLING = ("stiffness", "damping", "frictionloss", "armature", "range")
#: actuators that act even where their control is zero
ACTING = ("position", "velocity", "intvelocity", "muscle", "plugin")
MOST_NAMED = 6  # pairs of bodies in a line


@dataclass(frozen=True)
class Touching:
    """Geoms of one body that touch the same others."""

    item: Item
    kind: int
    touches: int
    count: int
    first: Element

    def meets(self, other: Touching) -> bool:
        """As MuJoCo's contype and conaffinity say."""
        return bool(self.kind & other.touches or other.kind & self.touches)


def heads_of(items: list[Item]) -> dict[int, Item]:
    """By id of each body: the body it is fixed to, that joints move; or the world."""
    heads: dict[int, Item] = {}
    for item in items:
        heads[id(item)] = item if item.joints or item.parent is None else heads[id(item.parent)]
    return heads


def leave_out_contacts(reader: Reader) -> None:
    """Lists the contacts that MuJoCo would look for: of geoms of bodies that move against each other, but are not next
    to each other, and of pairs that the file names."""
    sections = reader.top.all("contact")
    excluded = {frozenset((e.need("body1"), e.need("body2"))) for s in sections for e in s.all("exclude")}
    if reader.disabled("contact"):
        return
    for pair in (pair for section in sections for pair in section.all("pair")):
        take_all(pair)
        reader.report.leave_out(pair.place, f"{pair.title}: contacts are not translated.")
    found = list(_pairs(reader, excluded))
    if not found:
        return
    named = dict.fromkeys(f"{short(a.item.name)} and {short(b.item.name)}" for a, b in found)
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    reader.report.leave_out(found[0][1].first.place,
                            f"contacts are not translated: {sum(a.count * b.count for a, b in found)} pairs of geoms "
                            f"may touch, of the bodies {'; '.join(list(named)[:MOST_NAMED])}{more}. Geoms with "
                            "contype=\"0\" conaffinity=\"0\" touch nothing.")


def _pairs(reader: Reader, excluded: set[frozenset[str]]) -> Iterator[tuple[Touching, Touching]]:
    """Those that may touch: not fixed together, nor with one joint between them, unless one is fixed on the world."""
    heads, world = heads_of(reader.items), reader.items[0]
    parents = {id(head): heads[id(head.parent)] for head in heads.values() if head.parent is not None}
    filtered = not reader.disabled("filterparent")
    for a, b in combinations(_touching(reader), 2):
        first, second = heads[id(a.item)], heads[id(b.item)]
        near = first is parents.get(id(second)) or second is parents.get(id(first))
        if first is second or not a.meets(b) or frozenset((a.item.name, b.item.name)) in excluded:
            continue
        if not (filtered and near and world not in (first, second)):
            yield a, b


def _touching(reader: Reader) -> list[Touching]:
    groups: dict[tuple[int, int, int], tuple[Item, list[Element]]] = {}
    for item in reader.items:
        for geom, _ in item.geoms:
            with reader.mistakes.kept(geom.place):
                kind, touches = (_bits(geom, name) for name in ("contype", "conaffinity"))
                if kind or touches:
                    groups.setdefault((id(item), kind, touches), (item, []))[1].append(geom)
    return [Touching(item, kind, touches, len(geoms), geoms[0]) for (_, kind, touches), (item, geoms) in groups.items()]


def _bits(geom: Element, name: str) -> int:
    value = geom.number(name, 1.0)
    if not 0 <= value < 2**31 or value != int(value):
        raise geom.error(f"{name} of {geom.title} is {value:g}; a whole number is needed.", f"Write {name}=\"1\".")
    return int(value)


def is_limited(reader: Reader, element: Element) -> bool:
    """Whether an element says so, or says nothing of it and has a range."""
    limited = element.get("limited", "auto")
    return limited == "true" or (limited == "auto" and reader.limits_by_range and not reader.disabled("limit"))


def leave_out_tendons(reader: Reader) -> None:
    """Lists tendons that pull or are limited; others only measure."""
    for element in (element for section in reader.top.all("tendon") for element in section.children):
        with reader.mistakes.kept(element.place):
            full = reader.with_defaults(element, "main", "tendon")
            acting = [name for name in PULLING if _acts(full.attributes.get(name))]
            if full.attributes.get("limited") == "false" and "range" in acting:
                acting.remove("range")
            if acting:
                take_all(element)
                reader.report.leave_out(element.place, f"{element.title}: tendons are not translated (this one has "
                                                       f"{', '.join(acting)}).")


def leave_out_actuators(reader: Reader) -> None:
    """Lists actuators that act where their control is zero; motors do not, and are listed as unused."""
    if reader.disabled("actuation"):
        return
    for element in (element for section in reader.top.all("actuator") for element in section.children):
        with reader.mistakes.kept(element.place):
            full = reader.with_defaults(element, "main")
            biased = full.tag == "general" and full.attributes.get("biastype", "none") != "none"
            if full.tag in ACTING or biased or (full.tag == "cylinder" and _acts(full.attributes.get("bias"))):
                take_all(element)
                reader.report.leave_out(element.place, f"{element.title}: a {element.tag} actuator acts even where its "
                                                       "control is zero, and is not translated.")


def _acts(value: str | None) -> bool:
    return value is not None and bool(value.strip("0. -"))
