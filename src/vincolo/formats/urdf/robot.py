"""The links and joints of a URDF file, as it has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from vincolo.errors import FileError, suggest
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import Report
from vincolo.formats.sources import Pose, short
from vincolo.formats.xml_tree import Element, walk
from vincolo.model.geometry import Array
from vincolo.model.rotations import Rotation

KIND = "a URDF file (with <robot> as its outermost element)"
JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
WITH_ANGLE, WITH_TRAVEL = ("revolute", "continuous"), ("prismatic",)

@dataclass
class Link:
    """A link: mass [kg], centre of mass and inertia about it in link axes; zero if it has none."""

    name: str
    element: Element
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def is_frame(self) -> bool:
        """It has neither mass nor inertia."""
        return not self.mass and not self.inertia.any()


@dataclass
class Joint:
    """A joint: its frame in the parent link, which is the child link's frame at zero, and its axis in that frame."""

    name: str
    kind: str
    element: Element
    parent: str
    child: str
    origin: Pose
    axis: Array

    @property
    def coordinate(self) -> str | None:
        """The name of its one coordinate, if it has just one."""
        return "angle" if self.kind in WITH_ANGLE else "travel" if self.kind in WITH_TRAVEL else None


@dataclass
class Robot:
    """What a file says, checked, and not yet a model."""

    name: str
    element: Element
    links: dict[str, Link]
    joints: dict[str, Joint]

    def root(self) -> str:
        """The link that no joint moves."""
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if len(roots) == 1:
            return roots[0]
        if not roots:
            raise self.element.error("every link is the child of a joint, so there is no base.",
                                     "Joints of a URDF file form a tree: open the loop.")
        raise self.element.error(f"there are {len(roots)} links that no joint moves: {listed(roots)}.",
                                 "Join them to one base link, with fixed or floating joints.")


def listed(names: Iterable[str]) -> str:
    """Some names for a message, the first few of many."""
    found = list(names)
    return ", ".join(short(name) for name in found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")


def robot_of(top: Element, path: Path, report: Report, mistakes: Mistakes) -> Robot:
    for element in walk(top):
        if element.tag.startswith("xacro:"):
            raise element.error(f"<{element.tag}> is a macro; the file is a template, not a URDF file yet.",
                                "Expand it first: xacro robot.urdf.xacro > robot.urdf.")
    name = top.get("name")
    if not name:
        report.note(top.place, f"the robot has no name; it is called {path.stem!r}.")
    robot = Robot(name or path.stem, top, {}, {})
    for element in top.all("link"):
        with mistakes.kept(element.place):
            _once(element, robot.links)
            robot.links[element.need("name")] = Link(element.need("name"), element)  # known, even if wrong inside
            robot.links[element.need("name")] = _link(element, report)
    for element in top.all("joint"):
        with mistakes.kept(element.place):
            _once(element, robot.joints)
            robot.joints[element.need("name")] = _joint(element, robot.links)
    if not robot.links:
        raise top.error("there is no <link> in it.", f"Give the path of {KIND}.")
    _check_children(robot, mistakes)
    return robot


def _once(element: Element, known: dict[str, Link] | dict[str, Joint]) -> None:
    name = element.need("name")
    if name in known:
        raise element.error(f"there is a second {element.tag} {short(name)}; the first is in line "
                            f"{known[name].element.line}.", "Give each a name of its own.")


def _check_children(robot: Robot, mistakes: Mistakes) -> None:
    """A link is the child of one joint at most."""
    moved: dict[str, Joint] = {}
    for joint in robot.joints.values():
        before = moved.setdefault(joint.child, joint)
        if before is not joint:
            mistakes.found.append(joint.element.error(
                f"link {short(joint.child)} is the child of two joints: {short(before.name)} and {short(joint.name)}.",
                "Joints of a URDF file form a tree. Close loops in the model: model.spherical(...) and so on."))


def motors_of(element: Element) -> list[tuple[Element, dict[str, Element]]]:
    """Motors of a <transmission> that tell the inertia of their rotors, with what stands in them by tags without the
    prefix of a program, such as drake:."""
    if element.tag != "transmission":
        return []
    found = [(motor, {child.tag.rpartition(":")[2]: child for child in motor.children})
             for motor in element.all("actuator")]
    return [(motor, values) for motor, values in found if "rotor_inertia" in values]


def pose_of(element: Element | None) -> Pose:
    """The pose of an <origin>: xyz [m], and rpy [rad], turns about the fixed x, y and z axes."""
    if element is None:
        return Pose(np.zeros(3), np.eye(3))
    angles = element.numbers("rpy", 3, (0, 0, 0))
    R = Rotation.euler("xyz", *angles).matrix
    return Pose(np.array(element.numbers("xyz", 3, (0, 0, 0))), np.array(R))


def _link(element: Element, report: Report) -> Link:
    link = Link(element.need("name"), element)
    inertial = element.one("inertial")
    if inertial is None:
        return link
    mass = inertial.one("mass")
    if mass is None:
        raise inertial.error(f"<inertial> of link {short(link.name)} has no <mass>.",
                             "Write <mass value=\"...\"/>, in kg.")
    link.mass = mass.number("value")
    if link.mass < 0:
        raise mass.error(f"the mass of link {short(link.name)} is {link.mass:g} kg; it must not be negative.",
                         "Give the mass in kg, or leave <inertial> out for a link without mass.")
    inertia = inertial.one("inertia")
    if inertia is None and link.mass:
        report.warn(inertial.place, f"link {short(link.name)} has no <inertia>: it is taken as a point mass.")
    pose = pose_of(inertial.one("origin"))
    link.com, link.inertia = pose.p, pose.R @ _tensor(inertia) @ pose.R.T
    return link


def _tensor(element: Element | None) -> Array:
    """The inertia about the centre of mass [kg m2]; products as in the matrix, that is ixy = -integral of xy dm."""
    if element is None:
        return np.zeros((3, 3))
    xx, yy, zz = (element.number(name) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (element.number(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _joint(element: Element, links: dict[str, Link]) -> Joint:
    name, kind = element.need("name"), element.need("type")
    if kind not in JOINTS:
        raise element.error(f"joint {short(name)} has the type {short(kind)}; it is one of: {', '.join(JOINTS)}.",
                            f"Correct type=\"...\".{suggest(kind, JOINTS)}")
    ends = [_end(element, tag, name, links) for tag in ("parent", "child")]
    if ends[0] == ends[1]:
        raise element.error(f"joint {short(name)} has the same link {short(ends[0])} as parent and child.",
                            "Name two different links.")
    axis = element.one("axis") if kind not in ("fixed", "floating") else None
    direction = np.array([1.0, 0.0, 0.0] if axis is None else axis.numbers("xyz", 3, (1, 0, 0)))
    size = float(np.abs(direction).max())
    if size < 1e-12 and axis is not None:
        raise axis.error(f"the axis of joint {short(name)} has no length.", "Write a direction: xyz=\"0 0 1\".")
    return Joint(name, kind, element, ends[0], ends[1], pose_of(element.one("origin")), direction)


def _end(element: Element, tag: str, joint: str, links: dict[str, Link]) -> str:
    end = element.one(tag)
    if end is None:
        raise element.error(f"joint {short(joint)} has no <{tag}>.", f"Write <{tag} link=\"...\"/>.")
    link = end.need("link")
    if link not in links:
        raise FileError(f"{end.place}: the {tag} of joint {short(joint)}, {short(link)}, is not a link of the file.\n"
                        f"  Links: {listed(links)}.{suggest(link, links)}")
    return link
