"""The model of an MJCF file: bodies with the masses of their geoms, joints, springs, equalities."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vincolo.errors import suggest
from vincolo.formats.mjcf.actuators import add_motors
from vincolo.formats.mjcf.looks import add_looks
from vincolo.formats.mjcf.masses import idle_geoms, properties_of
from vincolo.formats.mjcf.missing import (
    heads_of,
    is_limited,
    leave_out_actuators,
    leave_out_contacts,
    leave_out_tendons,
)
from vincolo.formats.mjcf.reader import GRAVITY, Item, Reader
from vincolo.formats.report import IMPOSSIBLE
from vincolo.formats.sources import Names, short
from vincolo.formats.xml_tree import Element, take_all
from vincolo.model import Body, Joint, Model
from vincolo.model.geometry import Array, direction
from vincolo.model.mass import MassProperties

ALONE = 1e-6  # how far two axes may be from parallel or from square


class Builder:
    """Makes a model of the bodies that were read. A body without joints is fixed to the one around it: welded if it
    has mass, a frame if not."""

    def __init__(self, reader: Reader, items: list[Item], stem: str, folder: Path = Path()) -> None:
        self.folder = folder
        self.reader, self.items, self.report, self.mistakes = reader, items, reader.report, reader.mistakes
        options = reader.settings("option")
        gravity = (0.0, 0.0, 0.0) if reader.disabled("gravity") else options.numbers("gravity", 3, GRAVITY)
        self.model = Model(reader.top.get("model") or stem, gravity=gravity)
        self.names = Names(self.report.note)
        self.carriers: dict[int, Body] = {}  # by id of the item
        self.own: set[int] = set()  # ids of the items that are bodies themselves
        self.coordinates: dict[str, tuple[Joint, str]] = {}  # of hinges and slides, by their names in the file
        reader.report_effective("option", options)

    def build(self) -> Model:
        """The model."""
        self._add_bodies()
        self.mistakes.refuse(self.reader.top.file)
        if not self.model.bodies:
            raise self.reader.top.error("no body in it has a mass or is moved by a joint.",
                                        "Give bodies <inertial> or <geom> elements, and joints.")
        for item in self.items[1:]:
            with self.mistakes.kept(item.element.place):
                self._add_joints(item)
        self._add_frames()
        for section in self.reader.top.all("equality"):
            for element in section.children:
                element.seen = True
                with self.mistakes.kept(element.place):
                    self._equality(self.reader.with_defaults(element, "main", "equality"))
        add_motors(self.model, self.reader, self.coordinates, self.names)
        add_looks(self.model, self.reader, self.carriers, self.folder)
        for leave_out in (leave_out_contacts, leave_out_tendons, leave_out_actuators):
            leave_out(self.reader)
        m = self.model
        self.report.understood.append(f"model {short(m.name)}: {len(m.bodies)} bodies, {len(m.joints)} joints, "
                                      f"{len(m.springs)} springs, {len(m.holds)} couplings, {len(m.rotors)} rotors, "
                                      f"{len(m.ranges)} ranges, {len(m.frames)} frames")
        return m

    # bodies

    def _add_bodies(self) -> None:
        heads = heads_of(self.items)
        first: dict[int, Body] = {id(self.items[0]): self.model.ground}  # of those that are fixed together
        self.carriers[id(self.items[0])] = self.model.ground
        idle_geoms(self.items[0], self.reader, "it is on the ground")
        for item in self.items:
            with self.mistakes.kept(item.element.place):
                properties = None if item.parent is None else properties_of(item, self.reader)
                if properties is not None:
                    first.setdefault(id(heads[id(item)]), self._body(item, properties))
        if self.mistakes.found:
            return
        for item in self.items:
            if heads[id(item)] is item and id(item) not in first:
                self.report.note(item.element.place,
                                 f"body {short(item.name)} is moved by a joint and has no mass, nor has any body fixed "
                                 "in it: it is a body without mass, which joints and other masses must determine. "
                                 "Else give it an <inertial>, or a <geom> with a mass or density.")
                first[id(item)] = self._body(item, 0.0)
            elif id(item) not in self.carriers:
                near = self.carriers.get(id(item.parent)) if heads[id(item)] is not item else None
                self.carriers[id(item)] = near or first.get(id(heads[id(item)]), self.model.ground)

    def _body(self, item: Item, mass: MassProperties | float) -> Body:
        name = self.names.free(item.name, "body", item.element.place)
        body = self.model.body(name, mass, at=item.pose.p, orientation=item.pose.R)
        if not body.inertia_checked:
            self.report.note(item.element.place, IMPOSSIBLE.format(f"body {short(name)}"))
        self.carriers[id(item)] = body
        self.own.add(id(item))
        return body

    def _add_frames(self) -> None:
        for item in self.items:
            body = self.carriers[id(item)]
            places = [(site, item.pose @ pose) for site, pose in item.sites if site.get("name")]
            for site in (site for site, _ in item.sites if not site.get("name")):
                take_all(site)
                self.report.not_used(site.place, "<site> is not used here: without a name it cannot be asked for.")
            if id(item) not in self.own and item.parent is not None:
                places.append((item.element, item.pose))
            for element, pose in places:
                with self.mistakes.kept(element.place):
                    name = self.names.free(element.get("name") or item.name, element.tag, element.place)
                    self.model.frame(name, body, pose.p, z=pose.R[:, 2], x=pose.R[:, 0])

    # joints

    def _add_joints(self, item: Item) -> None:
        """The joint of a body with the one around it, of one or several joints of MuJoCo."""
        assert item.parent is not None
        a, b = self.carriers[id(item.parent)], self.carriers[id(item)]
        kinds = [element.attributes["type"] for element in item.joints]
        if a is b or "free" in kinds:
            for element in item.joints:
                self.report.understood.append(f"{element.attributes['type']} joint {short(element.get('name'))}: body "
                                              f"{short(item.name)} is free")
                self._springs(element, None, "")
            return
        first = item.joints[0] if item.joints else item.element
        name = self.names.free((first.get("name") if item.joints else None) or f"{item.name}_joint", "joint",
                               first.place)
        points = [item.pose.p + item.pose.R @ np.array(e.numbers("pos", 3, (0, 0, 0))) for e in item.joints]
        axes = [item.pose.R @ self._axis(element) for element in item.joints]
        made = self._joints(name, a, b, kinds, points, axes, item)
        for element, (joint, coordinate) in zip(item.joints, made, strict=True):
            if coordinate and element.get("name"):
                self.coordinates[element.need("name")] = (joint, coordinate)
            self._springs(element, joint, coordinate)

    def _axis(self, element: Element) -> Array:
        """The axis of a hinge or slide; a ball has none."""
        if element.attributes["type"] not in ("hinge", "slide"):
            return np.array([0.0, 0.0, 1.0])
        return direction(element.title, element.numbers("axis", 3, (0, 0, 1)))

    def _joints(self, name: str, a: Body, b: Body, kinds: list[str], points: list[Array], axes: list[Array],
                item: Item) -> list[tuple[Joint, str]]:
        """What each joint of MuJoCo becomes: a coordinate of one joint, or a joint of its own in a chain of bodies
        without mass; the first is next to the body around."""
        together = self._joint(name, a, b, kinds, points, axes, item)
        if together is not None:
            return [(together[0], coordinate) for coordinate in together[1]]
        made: list[tuple[Joint, str]] = []
        for k, (element, kind) in enumerate(zip(item.joints, kinds, strict=True)):
            last = k == len(kinds) - 1
            free = name if k == 0 else self.names.free(element.get("name") or f"{name}_{k + 1}", "joint", element.place)
            end = b if last else self.model.body(self.names.free(f"{free}_link", "body", element.place), 0,
                                                 at=points[k], orientation=item.pose.R)
            found = self._joint(free, a, end, [kind], [points[k]], [axes[k]], item)
            assert found is not None  # each kind alone is a joint
            made.append((found[0], found[1][0]))
            a = end
        self.report.note(item.element.place, f"body {short(item.name)} has the joints {', '.join(kinds)}: they are a "
                                             f"chain, with {len(kinds) - 1} bodies without mass between them.")
        return made

    def _joint(self, name: str, a: Body, b: Body, kinds: list[str], points: list[Array], axes: list[Array],
               item: Item) -> tuple[Joint, list[str]] | None:
        """One joint, and the coordinate of it that each joint of MuJoCo becomes; None if no joint is all of them."""
        m, at = self.model, points[-1] if points else item.pose.p
        square = all(abs(float(u @ v)) < ALONE for k, u in enumerate(axes) for v in axes[:k])
        if not kinds:
            return m.fixed(name, a, b, at), []
        if kinds == ["hinge"]:
            return m.revolute(name, a, b, at, axes[0]), ["angle"]
        if kinds == ["slide"]:
            return m.prismatic(name, a, b, at, axes[0]), ["travel"]
        if kinds == ["ball"]:
            return m.spherical(name, a, b, at), [""]
        if kinds == ["hinge", "hinge"] and square and np.allclose(points[0], points[1], atol=1e-9):
            return m.universal(name, a, b, at, axes[0], axes[1]), ["angle1", "angle2"]
        if sorted(kinds) == ["hinge", "slide"] and float(axes[0] @ axes[1]) > 1 - ALONE:
            hinge = points[kinds.index("hinge")]
            return m.cylindrical(name, a, b, hinge, axes[0]), [{"hinge": "angle", "slide": "travel"}[k] for k in kinds]
        if kinds == ["slide", "slide", "hinge"] and square and float(np.cross(axes[0], axes[1]) @ axes[2]) > 0:
            frames = [body.frame(at, z=axes[2], x=axes[0]) for body in (a, b)]
            return m.planar(name, *frames), ["x", "y", "angle"]
        return None

    def _springs(self, element: Element, made: Joint | None, coordinate: str) -> None:
        """Stiffness, damping and what else acts in a joint."""
        self._range(element, made, coordinate)
        self.reader.report_effective("joint", element)
        self._armature(element, made, coordinate)
        k, c = element.number("stiffness", 0.0), element.number("damping", 0.0)
        if not (k or c):
            return
        if made is None or not coordinate:
            self.report.leave_out(element.place, f"{element.title}: the stiffness and damping of a "
                                                 f"{element.attributes['type']} joint.")
            return
        per = self.reader.per_angle if "angle" in coordinate else 1.0
        rest = (element.number("springref", 0.0) - element.number("ref", 0.0)) * per
        name = self.names.free(f"{element.get('name') or made.name}_spring", "spring", element.place)
        self.model.spring(name, made[coordinate], k=k, c=c, length=rest)

    def _range(self, element: Element, made: Joint | None, coordinate: str) -> None:
        """The limits of a hinge or slide, kept as a range that runs watch; they count from the initial position."""
        given = element.get("range")
        if given is None:
            return
        if not is_limited(self.reader, element):
            self.report.not_used(element.place, f"{element.title}: its range {given!r}, since it is not limited.")
            return
        if made is None or not coordinate:
            self.report.leave_out(element.place, f"{element.title}: the range {given!r} of a "
                                                 f"{element.attributes['type']} joint is not translated.")
            return
        per = self.reader.per_angle if "angle" in coordinate else 1.0
        start = element.number("ref", 0.0)
        low, high = ((value - start) * per for value in element.numbers("range", 2))
        if low > high:
            raise element.error(f"the range of {element.title} is {given!r}; its first number is above its second.",
                                "Exchange them.")
        name = self.names.free(f"{element.get('name') or made.name}_range", "range", element.place)
        self.model.range(name, made[coordinate], at_least=low, at_most=high)
        self.report.note(element.place, f"{element.title}: its range {given!r} is watched; nothing stops it there.")

    def _armature(self, element: Element, made: Joint | None, coordinate: str) -> None:
        """Inertia [kg m2, of a slide kg] that turns with a joint alone: 1/2 armature q'^2."""
        inertia = element.number("armature", 0.0)
        if not inertia:
            return
        if made is None or not coordinate:
            self.report.leave_out(element.place, f"{element.title}: the armature of a {element.attributes['type']} "
                                                 "joint.")
            return
        if inertia < 0:
            raise element.error(f"the armature of {element.title} is {inertia:g}; it must not be negative.",
                                "Write armature=\"0.01\", or leave it out.")
        name = self.names.free(f"{element.get('name') or made.name}_rotor", "rotor", element.place)
        self.model.rotor(made[coordinate], inertia, name=name)

    # equalities

    def _equality(self, element: Element) -> None:
        if element.get("active") == "false":
            self.report.not_used(element.place, f"{element.title}: it is not active.")
        elif element.tag == "joint":
            self._coupled(element)
        elif element.tag in ("connect", "weld") and element.get("body1"):
            self._closed(element)
        else:
            self.report.leave_out(element.place, f"{element.title} in <equality> is not translated.")

    def _closed(self, element: Element) -> None:
        first = self._item(element, "body1")
        second = self._item(element, "body2") if element.get("body2") else self.items[0]
        name = self.names.free(element.get("name") or element.tag, "joint", element.place)
        a, b = self.carriers[id(first)], self.carriers[id(second)]
        if element.tag == "weld":
            if element.get("relpose") is not None and any(element.numbers("relpose", 7)[:3] +
                                                          element.numbers("relpose", 7)[4:]):
                self.report.leave_out(element.place, f"{element.title}: relpose; it is welded as drawn.")
            self.model.fixed(name, a, b, first.pose.p)
        else:
            anchor = first.pose.p + first.pose.R @ np.array(element.numbers("anchor", 3))
            self.model.spherical(name, a, b, anchor)

    def _item(self, element: Element, attribute: str) -> Item:
        wanted = element.need(attribute)
        for item in self.items:
            if item.name == wanted:
                return item
        known = [item.name for item in self.items]
        raise element.error(f"{attribute} of {element.title} is {short(wanted)}, which is not a body of the file.",
                            f"Bodies: {', '.join(known[:12])}.{suggest(wanted, known)}")

    def _coupled(self, element: Element) -> None:
        """q1 = a0 + a1 q2, both from the initial position"""
        coefficients = element.numbers("polycoef", 5, (0, 1, 0, 0, 0)) if len(
            (element.get("polycoef") or "").split()) in (0, 5) else None
        if coefficients is None or any(coefficients[2:]):
            self.report.leave_out(element.place, f"{element.title}: only two coefficients, of a line, are translated.")
            return
        joint, coordinate = self._named(element, "joint1")
        held, value = joint[coordinate], coefficients[0]
        if element.get("joint2"):
            other, its = self._named(element, "joint2")
            held = held - coefficients[1] * other[its]
        self.model.hold(self.names.free(element.get("name") or f"{joint.name}_equality", "hold", element.place), held,
                        value)

    def _named(self, element: Element, attribute: str) -> tuple[Joint, str]:
        wanted = element.need(attribute)
        if wanted not in self.coordinates:
            raise element.error(f"{attribute} of {element.title} is {short(wanted)}, which is not a hinge or slide of "
                                "the file.", f"Joints: {', '.join(list(self.coordinates)[:12]) or 'none'}."
                                         f"{suggest(wanted, self.coordinates)}")
        return self.coordinates[wanted]
