"""The bodies of an MJCF file with their joints and geoms, as it has them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from vincolo.errors import suggest
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.formats.sources import Pose, short
from vincolo.formats.xml_tree import Element, take_all
from vincolo.model.geometry import Array, axes_from, matrix_of
from vincolo.model.rotations import Rotation

Defaults = dict[str, dict[str, Element]]  # by tag and attribute: the element of a class that gives it
KIND = "an MJCF file (with <mujoco> as its outermost element)"
GRAVITY = (0.0, 0.0, -9.81)  # MuJoCo's own, if the file does not say
ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
WITH_DEFAULTS = ("joint", "geom", "site", "equality")
BRINGING = ("include", "composite", "flexcomp", "replicate", "attach", "plugin")  # elements that bring parts or forces
#: attributes that would change the motion, and are not translated
EFFECTIVE = {"compiler": ("settotalmass", "balanceinertia", "boundmass", "boundinertia", "coordinate",
                          "inertiagrouprange", "fitaabb", "alignfree"),
             "body": ("mocap", "gravcomp"), "joint": ("springdamper", "frictionloss", "actuatorgravcomp"),
             "option": ("wind", "density", "viscosity"),
             "flag": ("constraint", "equality", "passive", "spring", "damper")}


@dataclass
class Item:
    """A body of the file: its pose in the world, its joints, geoms and sites with their defaults."""

    name: str
    element: Element
    parent: Item | None
    pose: Pose
    joints: list[Element] = field(default_factory=list)
    geoms: list[tuple[Element, Pose]] = field(default_factory=list)
    sites: list[tuple[Element, Pose]] = field(default_factory=list)
    inertial: Element | None = None


class Reader:
    """Reads the tree of a file: defaults and units are applied on the way."""

    def __init__(self, top: Element, report: Report, mistakes: Mistakes, *, inertia_checked: bool = True) -> None:
        self.top, self.report, self.mistakes = top, report, mistakes
        self.inertia_checked = inertia_checked
        self.compiler = compiler = self.settings("compiler")
        self.per_angle = 1.0 if compiler.get("angle", "degree") == "radian" else math.pi / 180
        self.sequence = compiler.get("eulerseq", "xyz") or "xyz"
        self.from_geoms = compiler.get("inertiafromgeom", "auto")
        self.defaults: dict[str, Defaults] = {}
        for element in top.all("default"):
            self._default(element, {}, "main")
        self.items: list[Item] = []
        self.limits_by_range = compiler.get("autolimits", "true") == "true"
        self.flags = [flag for option in top.all("option") for flag in option.all("flag")]
        self.report_effective("compiler", compiler)
        for flag in self.flags:
            self.report_effective("flag", flag)

    def disabled(self, name: str) -> bool:
        """Whether a flag switches something off."""
        return any(flag.get(name) == "disable" for flag in self.flags)

    def report_effective(self, kind: str, element: Element) -> None:
        """Lists attributes that would change the motion, and are not translated."""
        for name in EFFECTIVE[kind]:
            value = element.get(name) if name in element.attributes else None
            if value is not None and value.strip("0. -") and value not in ("false", "enable"):
                self.report.leave_out(element.place, f"{element.title}: {name}={short(value)} is not translated.")

    def settings(self, tag: str) -> Element:
        """All sections of a kind as one."""
        found = self.top.all(tag)
        merged = {name: value for element in found for name, value in element.attributes.items()}
        origins = {name: element for element in found for name in element.attributes}
        return Element(tag, merged, self.top.file, found[0].line if found else self.top.line, origins=origins)

    def read(self) -> list[Item]:
        """All bodies, parents first; the first is the world."""
        world = Item("world", self.top, None, Pose(np.zeros(3), np.eye(3)))
        self.items.append(world)
        for element in (element for tag in BRINGING for element in self.top.all(tag)):
            self.leave_out(element)
        for element in self.top.all("worldbody"):
            self._inside(element, world, Pose(np.zeros(3), np.eye(3)), "main")
        return self.items

    def _default(self, element: Element, above: Defaults, name: str) -> None:
        own = {tag: dict(values) for tag, values in above.items()}
        for child in element.children:
            if child.tag != "default":
                child.seen = child.tag in WITH_DEFAULTS
                own[child.tag] = {**own.get(child.tag, {}), **dict.fromkeys(child.attributes, child)}
        self.defaults[element.get("class") or name] = own
        for child in element.all("default"):
            self._default(child, own, child.need("class"))

    def with_defaults(self, element: Element, within: str, kind: str = "") -> Element:
        """An element with the attributes of its class where it has none of its own; a freejoint has no class."""
        if element.tag == "freejoint":
            return element
        name = element.get("class") or within
        if name not in self.defaults and name != "main":
            raise element.error(f"{element.title} is of the class {short(name)}, which no <default> has.",
                                f"Classes: {', '.join(list(self.defaults)[:12]) or 'none'}."
                                f"{suggest(name, self.defaults)}")
        below = self.defaults.get(name, {}).get(kind or element.tag, {})
        own = element.attributes
        if any(key in own for key in (*ORIENTATIONS, "fromto")):  # one way to say it takes the place of another
            below = {key: value for key, value in below.items() if key not in (*ORIENTATIONS, "fromto")}
        origins = {key: source for key, source in below.items() if key not in own}
        given = {key: source.attributes[key] for key, source in origins.items()}
        return replace(element, attributes={**given, **own}, origins=origins)

    def _inside(self, element: Element, item: Item, shift: Pose, within: str) -> None:
        """What stands within a body, or within a frame on it, whose pose on the body is `shift`."""
        for child in element.children:
            with self.mistakes.kept(child.place):
                if child.tag == "body":
                    self._body(child, item, shift, within)
                elif child.tag == "frame":
                    self._inside(child, item, shift @ self.pose(child), child.get("childclass") or within)
                elif child.tag in ("joint", "freejoint"):
                    item.joints.append(self._joint(self.with_defaults(child, within), item, shift))
                elif child.tag in ("geom", "site"):
                    full = self.with_defaults(child, within)
                    there = shift @ (self.from_to(full) if full.get("fromto") else self.pose(full))
                    (item.geoms if child.tag == "geom" else item.sites).append((full, there))
                elif child.tag == "inertial":
                    item.inertial = element.one("inertial")
                elif child.tag in BRINGING:
                    child.seen = True
                    self.leave_out(child)
                    continue
                else:
                    continue
                child.seen = True

    def _body(self, element: Element, parent: Item, shift: Pose, within: str) -> None:
        name = element.get("name") or f"body_{len(self.items)}"
        item = Item(name, element, parent, parent.pose @ shift @ self.pose(element))
        self.items.append(item)
        self.report_effective("body", element)
        self._inside(element, item, Pose(np.zeros(3), np.eye(3)), element.get("childclass") or within)

    def _joint(self, element: Element, item: Item, shift: Pose) -> Element:
        if item.parent is None:
            raise element.error("the world has no joints.", "Put the joint into a <body>.")
        if not np.allclose(shift.R, np.eye(3)) or shift.p.any():
            raise element.error("a joint within a <frame> is not read.", "Put it into the <body> itself.")
        kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
        if kind not in ("hinge", "slide", "ball", "free"):
            raise element.error(f"{element.title} has the type {short(kind)}; it is hinge, slide, ball or free.",
                                "Correct type=\"...\".")
        return replace(element, attributes={**element.attributes, "type": kind or "hinge"})

    # poses

    def pose(self, element: Element) -> Pose:
        """pos and one of quat, euler, axisangle, xyaxes, zaxis."""
        return Pose(np.array(element.numbers("pos", 3, (0, 0, 0))), self._turned(element))

    def _turned(self, element: Element) -> Array:
        given = [name for name in ORIENTATIONS if element.get(name) is not None]
        if len(given) > 1:
            raise element.error(f"{element.title} has {' and '.join(given)}.", "Keep one of them.")
        if not given:
            return np.eye(3)
        if given[0] == "euler":
            return self._by_euler(element)
        if given[0] == "xyaxes":
            numbers = np.array(element.numbers("xyaxes", 6))
            x = unit(element, "xyaxes", numbers[:3])
            y = unit(element, "xyaxes", numbers[3:] - x * (x @ numbers[3:]))
            return np.column_stack([x, y, np.cross(x, y)])
        if given[0] == "zaxis":
            return shortest(unit(element, "zaxis", np.array(element.numbers("zaxis", 3))))
        four = np.array(element.numbers(given[0], 4))
        if given[0] == "quat":
            return matrix_of(unit(element, "quat", four))
        axis = unit(element, "axisangle", four[:3])
        return np.array(Rotation.axis_angle(axis, float(four[3]) * self.per_angle).matrix)

    def _by_euler(self, element: Element) -> Array:
        """Three turns; here small letters are about axes that turn along, capitals about fixed ones, each by itself."""
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            raise self.compiler.error(f"compiler: eulerseq is '{self.sequence}'; three letters of x, y, z, X, Y, Z are "
                                      "needed.", "Write 'xyz', or correct it.")
        turned = Rotation()
        for letter, angle in zip(self.sequence, element.numbers("euler", 3), strict=True):
            turn = Rotation.axis_angle(letter.lower(), angle * self.per_angle)
            turned = turned * turn if letter.islower() else turn * turned
        return np.array(turned.matrix)

    def from_to(self, element: Element) -> Pose:
        """The pose of a geom that goes from one point to another along its z axis."""
        numbers = np.array(element.numbers("fromto", 6))
        along = unit(element, "fromto", numbers[:3] - numbers[3:])
        return Pose((numbers[:3] + numbers[3:]) / 2, shortest(along))

    def leave_out(self, element: Element) -> None:
        """Lists an element that brings parts which are not read."""
        take_all(element)
        self.report.leave_out(element.place, f"<{element.tag}> brings parts that are not read; save the model as one "
                                             "file from MuJoCo (mj_saveLastXML) and read that.")


def unit(element: Element, name: str, values: Array) -> Array:
    """A vector of length 1."""
    size = float(np.abs(values).max())
    if not size > 1e-12:
        raise element.error(f"{name} of {element.title} has no length.", "Give numbers that are not all zero.")
    scaled = values / size
    return np.asarray(scaled / np.linalg.norm(scaled), dtype=float)


def shortest(z: Array) -> Array:
    """The smallest turn that brings the z axis there."""
    axis = np.cross([0.0, 0.0, 1.0], z)
    if float(np.linalg.norm(axis)) < 1e-12:
        return np.eye(3) if z[2] > 0 else axes_from("zaxis", z, np.array([1.0, 0.0, 0.0]))
    angle = math.atan2(float(np.linalg.norm(axis)), float(z[2]))
    return np.array(Rotation.axis_angle(axis, angle).matrix)
