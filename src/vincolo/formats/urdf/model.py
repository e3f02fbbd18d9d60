"""The model of a robot: its links as bodies and frames, its joints, dampers and couplings."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vincolo.errors import VincoloError, suggest
from vincolo.formats.mistakes import Mistakes
from vincolo.formats.report import IMPOSSIBLE, Report
from vincolo.formats.sources import Names, Pose, short
from vincolo.formats.urdf.looks import colour_of_visual, look_of
from vincolo.formats.urdf.robot import Joint, Link, Robot, listed, motors_of
from vincolo.formats.xml_tree import Element, take_all
from vincolo.model import Body, Model
from vincolo.model import Joint as MadeJoint

WORLD = "world"  # a base link of this name is the ground itself


class Builder:
    """Makes a model of a robot. Links joined by fixed joints are a group: those with mass are welded together, those
    without are frames on them; the first of a group without any mass is a body without mass."""

    def __init__(self, robot: Robot, report: Report, mistakes: Mistakes, folder: Path = Path(), *,
                 stops: bool = False, inertia_checked: bool = True) -> None:
        self.stops = stops  # limits of joints become stops
        self.inertia_checked = inertia_checked
        self.robot, self.report, self.mistakes, self.folder = robot, report, mistakes, folder
        self.materials = {element.need("name"): element for element in robot.element.all("material")
                          if element.get("name")}
        self.names = Names(report.note)
        self.model = Model(robot.name)
        self.places: dict[str, Pose] = {}  # of the links, in the world, at zero
        self.heads: dict[str, str] = {}  # the first link of the group that a link belongs to
        self.carriers: dict[str, Body] = {}  # the body that a link is, or is a frame of
        self.own: set[str] = set()  # links that are bodies themselves
        self.made: dict[str, MadeJoint] = {}  # joints by their names in the file
        self.below: dict[str, list[Joint]] = {}
        for joint in robot.joints.values():
            self.below.setdefault(joint.parent, []).append(joint)
        self.parents = {joint.child: joint.parent for joint in robot.joints.values()}

    def build(self, on_ground: bool) -> Model:
        """The model, with the base on the ground or free."""
        root = self.robot.root()
        order = self._placed(root)
        missed = [name for name in self.robot.links if name not in self.places]
        if missed:
            raise self.robot.links[missed[0]].element.error(
                f"the links {listed(missed)} are in a loop of joints that is not connected to the base {short(root)}.",
                "Joints of a URDF file form a tree: open the loop.")
        grounded = on_ground or root == WORLD
        self._add_bodies(order, root, grounded)
        self.mistakes.refuse(self.robot.element.file)
        if not self.model.bodies:
            raise self.robot.element.error("no link has a mass or is moved by a joint, so there is nothing to move.",
                                           "Give the links <inertial> elements and joints.")
        self._add_frames(order)
        self._add_joints(root, grounded)
        self._describe(root, grounded)
        return self.model

    def _placed(self, root: str) -> list[str]:
        """Places all links that hang on the base, parents first."""
        order = [root]
        self.places[root] = Pose(np.zeros(3), np.eye(3))
        self.heads[root] = root
        for name in order:  # grows while it is walked
            for joint in self.below.get(name, ()):
                self.places[joint.child] = self.places[name] @ joint.origin
                self.heads[joint.child] = self.heads[name] if joint.kind == "fixed" else joint.child
                order.append(joint.child)
        return order

    # bodies and frames

    def _add_bodies(self, order: list[str], root: str, grounded: bool) -> None:
        first: dict[str, Body] = {}  # the first body of each group
        for name in order:
            link = self.robot.links[name]
            if name == root == WORLD:
                if not link.is_frame:
                    self.report.not_used(link.element.place, "the mass of link 'world', which is the ground.")
            elif not link.is_frame:
                self._add_body(link, first)
        if grounded and root not in self.carriers:
            first[root] = self.carriers[root] = self.model.ground
        for name in order:
            if self.heads[name] == name and name not in first:
                self._note_massless(self.robot.links[name], name == root)
                self._add_body(self.robot.links[name], first)
            elif name not in self.carriers:
                nearest = self.carriers.get(self.parents[name]) if self.heads[name] != name else None
                self.carriers[name] = nearest or first.get(self.heads[name], self.model.ground)

    def _add_body(self, link: Link, first: dict[str, Body]) -> None:
        with self.mistakes.kept(link.element.place):
            self.carriers[link.name] = self._body(link)
            self.own.add(link.name)
            first.setdefault(self.heads[link.name], self.carriers[link.name])
        first.setdefault(self.heads[link.name], self.model.ground)  # wrong already: no further complaint

    def _body(self, link: Link) -> Body:
        place, name = self.places[link.name], self.names.free(link.name, "link", link.element.place)
        body = self.model.body(name, link.mass, link.inertia, place.p, orientation=place.R, com=link.com,
                               inertia_checked=self.inertia_checked)
        if not body.inertia_checked:
            self.report.note(link.element.place, IMPOSSIBLE.format(f"link {short(name)}"))
        return body

    def _note_massless(self, link: Link, is_base: bool) -> None:
        """A link without mass that moves is a body without mass; a run refuses it where nothing determines it."""
        mover = "is the base, which is free to move," if is_base else "is moved by a joint"
        way_out = "give it an <inertial>, or make its joint fixed"
        if any(mesh_of(shape) is not None for tag in ("visual", "collision") for shape in link.element.all(tag)):
            way_out = ("give it an <inertial>; mass and inertia follow from the mesh and a density: "
                       "vincolo.shapes.mesh(\"part.stl\", density=...)")
        self.report.note(link.element.place, f"link {short(link.name)} {mover} and has no mass, nor has any link fixed "
                                             "to it: it is a body without mass, which joints and other masses must "
                                             f"determine. Else {way_out}.")

    def _add_frames(self, order: list[str]) -> None:
        for name in order:
            link, place = self.robot.links[name], self.places[name]
            if name not in self.own and not (name == WORLD and self.carriers[name] is self.model.ground):
                free = self.names.free(name, "link", link.element.place)
                with self.mistakes.kept(link.element.place):
                    self.model.frame(free, self.carriers[name], place.p, z=place.R[:, 2], x=place.R[:, 0])
            for shape in link.element.all("visual"):
                self._add_look(name, shape)
            for shape in link.element.all("collision"):
                self._not_shown(name, shape, "it has no effect on the motion")

    def _add_look(self, name: str, shape: Element) -> None:
        """The shape and colour of a <visual>; what cannot be shown is listed, since it changes no motion."""
        body, place = self.carriers[name], self.places[name]
        try:
            found = "it is on the ground" if body.is_ground else look_of(shape, self.folder)
            if not isinstance(found, str):
                kind, numbers, own = found
                world = place @ own
                self.model.look(body, kind, at=body.orientation.T @ (world.p - body.at),
                                orientation=body.orientation.T @ world.R,
                                colour=colour_of_visual(shape, self.materials, self.report), **numbers)
                return
        except VincoloError as error:
            found = str(error).partition("\n")[0]
        self._not_shown(name, shape, found)

    def _not_shown(self, name: str, shape: Element, why: str) -> None:
        self.report.not_used(shape.place, f"<{shape.tag}> of link {short(name)} is not shown, since {why}: "
                                          f"{shape_text(shape)}.")
        take_all(shape)

    # joints, dampers and couplings

    def _add_joints(self, root: str, grounded: bool) -> None:
        if grounded and self.carriers[root] is not self.model.ground:
            weld = self.names.free(f"{root}_on_ground", "joint", self.robot.element.place)
            self.model.fixed(weld, self.model.ground, self.carriers[root], self.places[root].p)
        for joint in self.robot.joints.values():
            with self.mistakes.kept(joint.element.place):
                self._add_joint(joint)
        for joint in self.robot.joints.values():
            with self.mistakes.kept(joint.element.place):
                self._add_rest(joint)
        for element in self.robot.element.all("transmission"):
            with self.mistakes.kept(element.place):
                self._add_rotors(element)

    def _add_joint(self, joint: Joint) -> None:
        a, b, frame = self.carriers[joint.parent], self.carriers[joint.child], self.places[joint.child]
        if a is b:
            if joint.kind == "fixed":
                self.report.understood.append(f"joint {short(joint.name)}: fixed, {joint.child!r} is a frame on "
                                              f"{a.name!r}")
            return
        if joint.kind == "floating":
            self.report.understood.append(f"joint {short(joint.name)}: floating, {joint.child!r} is free")
            return
        name = self.names.free(joint.name, "joint", joint.element.place)
        if joint.kind == "fixed":
            self.made[joint.name] = self.model.fixed(name, a, b, frame.p)
            return
        kind = "revolute" if joint.kind == "continuous" else joint.kind
        method = {"revolute": self.model.revolute, "prismatic": self.model.prismatic, "planar": self.model.planar}[kind]
        self.made[joint.name] = method(name, a, b, frame.p, frame.R @ joint.axis)

    def _add_rest(self, joint: Joint) -> None:
        limit, dynamics, mimic = (joint.element.one(tag) for tag in ("limit", "dynamics", "mimic"))
        if limit is not None:
            self._note_limits(joint, limit)
        if dynamics is not None:
            self._add_damping(joint, dynamics)
        if mimic is not None:
            self._add_mimic(joint, mimic)

    def _note_limits(self, joint: Joint, limit: Element) -> None:
        """Ends of a hinge or slide are kept as a range, which runs watch; effort and speed do not affect the motion."""
        name, bears = short(joint.name), [key for key in ("effort", "velocity") if limit.get(key) is not None]
        if bears:
            given = ", ".join(f"{key} {limit.number(key):g}" for key in bears)
            self.report.not_used(limit.place, f"joint {name}: its limits ({given}) are not enforced.")
        low, high = (limit.number(key, 0.0) for key in ("lower", "upper"))
        if joint.kind not in ("revolute", "prismatic") or not (low or high):
            for key in ("lower", "upper"):
                if limit.get(key) is not None:
                    self.report.not_used(limit.place, f"joint {name}: {key} {limit.number(key):g} of a {joint.kind} "
                                                      "joint.")
            return
        made = self.made.get(joint.name)
        if made is None or joint.coordinate is None:
            self.report.not_used(limit.place, f"joint {name}: its limits {low:g} to {high:g}, since it does not move.")
            return
        if low > high:
            raise limit.error(f"joint {name}: its lower limit {low:g} is above its upper one, {high:g}.",
                              "Exchange them.")
        if self.stops and low <= 0 <= high and low < high:
            title = self.names.free(f"{made.name}_limits", "stop", limit.place)
            self.model.stop(title, made[joint.coordinate], at_least=low, at_most=high)
            return
        title = self.names.free(f"{made.name}_limits", "range", limit.place)
        self.model.range(title, made[joint.coordinate], at_least=low, at_most=high)
        self.report.note(limit.place, f"joint {name}: its limits {low:g} to {high:g} are watched; nothing stops it "
                                      "there.")
        if not low <= 0 <= high:
            self.report.note(limit.place, f"joint {name}: the zero position, in which the model is drawn, is outside "
                                          f"its limits {low:g} to {high:g}.")

    def _add_damping(self, joint: Joint, dynamics: Element) -> None:
        damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
        made = self.made.get(joint.name)
        if damping and made is not None and joint.coordinate:
            name = self.names.free(f"{made.name}_damping", "spring", dynamics.place)
            self.model.spring(name, made[joint.coordinate], k=0.0, c=damping)
        elif damping:
            self.report.leave_out(dynamics.place, f"joint {short(joint.name)}: the damping {damping:g} of a "
                                                  f"{joint.kind} joint.")
        if friction:
            self.report.leave_out(dynamics.place, f"joint {short(joint.name)}: dry friction {friction:g} is not "
                                                  "translated.")

    def _add_mimic(self, joint: Joint, mimic: Element) -> None:
        """q = multiplier q_other + offset"""
        other = mimic.need("joint")
        if other not in self.robot.joints:
            raise mimic.error(f"joint {short(joint.name)} mimics {short(other)}, which is not a joint of the file.",
                              f"Joints: {listed(self.robot.joints)}.{suggest(other, self.robot.joints)}")
        leader = self.robot.joints[other]
        for member in (joint, leader):
            if member.coordinate is None:
                raise mimic.error(f"joint {short(joint.name)} mimics {short(other)}, but {short(member.name)} is "
                                  f"{member.kind} and has no single coordinate.",
                                  "Revolute, continuous and prismatic joints can mimic each other.")
        if leader is joint:
            raise mimic.error(f"joint {short(joint.name)} mimics itself.", "Name another joint.")
        own, lead = self.made.get(joint.name), self.made.get(other)
        if own is None or lead is None or joint.coordinate is None or leader.coordinate is None:
            return  # one of them is wrong itself, and was reported
        held = own[joint.coordinate] - mimic.number("multiplier", 1.0) * lead[leader.coordinate]
        self.model.hold(self.names.free(f"{own.name}_mimic", "hold", mimic.place), held, mimic.number("offset", 0.0))

    def _add_rotors(self, element: Element) -> None:
        """Motors with the inertia of their rotors and a gear ratio, as Drake writes them."""
        motors, known = motors_of(element), self.robot.joints
        joints = [joint.need("name") for joint in element.all("joint")]
        for name in joints if motors else ():
            if name not in known:
                raise element.error(f"{element.title} is on {short(name)}, which is not a joint of the file.",
                                    f"Joints: {listed(known)}.{suggest(name, known)}")
        if not motors:
            element.seen = False  # to be listed with what else has no use
            return
        if len(joints) != 1 or known[joints[0]].coordinate is None or len(motors) > 1:
            self.report.leave_out(element.place, f"{element.title}: the rotors of {len(motors)} motors on "
                                                 f"{len(joints)} joints; one motor on one hinge or slide is read.")
            take_all(element)
            return
        made, (motor, values) = self.made.get(joints[0]), motors[0]
        for value in (values[tag] for tag in ("rotor_inertia", "gear_ratio") if tag in values):
            value.seen = True
        inertia = values["rotor_inertia"].number("value")
        ratio = values["gear_ratio"].number("value") if "gear_ratio" in values else 1.0
        if made is not None and inertia:
            name = self.names.free(motor.get("name") or f"{made.name}_rotor", "rotor", motor.place)
            self.model.rotor(made[known[joints[0]].coordinate or ""], inertia, ratio, name)

    def _describe(self, root: str, grounded: bool) -> None:
        m = self.model
        how = "the ground itself" if self.carriers[root] is m.ground else "fixed on the ground" if grounded else "free"
        self.report.understood[:0] = [
            f"robot {short(self.robot.name)}: {len(m.bodies)} bodies, {len(m.frames)} frames, {len(m.joints)} joints, "
            f"{len(m.springs)} dampers, {len(m.holds)} couplings, {len(m.rotors)} rotors, {len(m.ranges)} ranges",
            f"base link {short(root)}: {how}"]


def mesh_of(shape: Element) -> Element | None:
    """The mesh of a <visual> or <collision>, or None."""
    geometry = shape.one("geometry")
    return None if geometry is None else geometry.one("mesh")


def shape_text(shape: Element) -> str:
    """What a <visual> or <collision> shows, with the path and scale of a mesh."""
    geometry = shape.one("geometry")
    if geometry is None or not geometry.children:
        return "nothing"
    mesh = mesh_of(shape)
    if mesh is not None:
        return f"mesh {short(mesh.get('filename'))}, scale {short(mesh.get('scale', '1 1 1'))}"
    kind = geometry.children[0]
    return " ".join([kind.tag, *(f"{name} {value}" for name, value in list(kind.attributes.items())[:4])])[:200]
