"""The model: what a user builds."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.model.body import Body, Frame, make_body
from vincolo.model.cam_contacts import CamContacts
from vincolo.model.checked_looks import make_look
from vincolo.model.checks import finite_number
from vincolo.model.clearance import Clearances
from vincolo.model.contact import Contacts
from vincolo.model.control import Controls
from vincolo.model.drives import Drives
from vincolo.model.force_elements import ForceElements
from vincolo.model.geometry import STRAIGHT, axes_about, axes_from, direction, perpendicular
from vincolo.model.ground_wheels import GroundWheels
from vincolo.model.joint import Joint
from vincolo.model.journal_bearing import JournalBearings
from vincolo.model.links import Links
from vincolo.model.looks import Look, colour_of
from vincolo.model.mass import MassProperties
from vincolo.model.named_parts import Place
from vincolo.model.ranges import Ranges
from vincolo.model.removal import remove
from vincolo.model.submodel import Placed, copied, placement_of
from vincolo.model.table_forces import TableForces
from vincolo.model.transmissions import MoreJoints

EMPTY: dict[str, Any] = {}
#: methods by the names that other programs and textbooks have for them
MEANT = {
    **dict.fromkeys(("hinge", "pin_joint", "hinge_joint", "revolute_joint", "rotational"), "revolute()"),
    **dict.fromkeys(("slider", "slide", "translational", "prismatic_joint", "linear"), "prismatic()"),
    **dict.fromkeys(("ball", "ball_joint", "spherical_joint", "ball_and_socket"), "spherical()"),
    **dict.fromkeys(("weld", "rigid", "fix", "fixed_joint", "lock"), "fixed()"),
    **dict.fromkeys(("cardan", "hooke", "u_joint", "universal_joint"), "universal()"),
    **dict.fromkeys(("damper", "dashpot", "spring_damper", "tsda"), "spring(), with k= and c="),
    **dict.fromkeys(("moment", "couple_load"), "torque()"), **dict.fromkeys(("load", "apply_force"), "force()"),
    **dict.fromkeys(("marker", "point"), "frame()"), **dict.fromkeys(("add_body", "rigid_body", "part"), "body()"),
    **dict.fromkeys(("submodel", "assembly", "include"), "add()"), **dict.fromkeys(("motion", "driver"), "drive()"),
    **dict.fromkeys(("simulate", "run", "solve"), "vincolo.simulate(model, until=...)"),
    **dict.fromkeys(("save", "write"), "vincolo.save_model(model, path)")}


class Model(MoreJoints, Drives, Clearances, Controls, Ranges, ForceElements, TableForces,
            Contacts, CamContacts, JournalBearings, GroundWheels, Links):
    """A mechanism: bodies, joints, drives and forces, all with names, in SI units."""

    def __getattr__(self, name: str) -> Any:
        """Only asked for names that do not exist: says which method is meant."""
        if name.startswith("_"):  # Python's own questions, such as those of copy and pickle
            raise AttributeError(f"'Model' object has no attribute {name!r}")
        meant = MEANT.get(name.lower())
        near = f" Did you mean {meant}?" if meant else suggest(name, [n for n in dir(type(self)) if n[0] != "_"])
        raise AttributeError(f"a Model has no {name!r}.{near}\n  docs/catalogue.md lists all joints and forces.")

    # bodies and frames

    def body(self, name: str, mass: float | MassProperties, inertia: Any = None, at: Any = (0.0, 0.0, 0.0), *,
             orientation: Any = None, com: Any = None, velocity: Any = (0.0, 0.0, 0.0),
             angular_velocity: Any = (0.0, 0.0, 0.0), colour: str | None = None,
             inertia_checked: bool = True) -> Body:
        """A rigid body. `at` and `orientation` place its frame in the world, `com` is the centre of mass in that
        frame, `inertia` [kg m2] is about the centre of mass in body axes; velocities are in world axes. A shape,
        such as vincolo.shapes.box(...), in the place of the mass brings its own inertia, centre of mass and look.
        `colour` is a name or #rrggbb, for pictures. With inertia_checked=False the inertia may break the triangle
        inequality, as that of some published robots does."""
        self._claim(name, "body")
        body = make_body(name, mass, inertia, at, orientation, com, velocity, angular_velocity, inertia_checked)
        colour_of(f"body {name!r}", colour)
        self.bodies[name] = body
        if isinstance(mass, MassProperties) and mass.looks:
            self.looks[name] = mass.looks
        if colour is not None:
            self.colours[name] = colour
        return body

    def look(self, body: Body | str, kind: str, *, at: Any = (0.0, 0.0, 0.0), orientation: Any = None,
             colour: str | None = None, **numbers: Any) -> Look:
        """How a body looks in pictures: a shape such as "box" with the numbers of the function of that name, placed in
        the body's own axes. It has no mass. Several looks of a body are shown together."""
        owner = self._body("look", body)
        made = make_look(f"look of {owner.name!r}", kind, numbers, at, orientation, colour)
        self.looks[owner.name] = (*self.looks.get(owner.name, ()), made)
        return made

    def frame(self, name: str, body: Body | str, at: Any = None, *, local: Any = None, z: Any = None,
              x: Any = None) -> Frame:
        """A named frame on a body; its point appears in the results under that name."""
        self._claim(name, "frame")
        self.frames[name] = self._body(f"frame {name!r}", body).frame(at, local=local, z=z, x=x, name=name)
        return self.frames[name]

    # joints

    def spherical(self, name: str, a: Place, b: Place, at: Any = None) -> Joint:
        """Holds two points together; leaves the three rotations."""
        return self._joint(name, "spherical", a, b, at)

    def revolute(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """A hinge about an axis; coordinate "angle" [rad], zero as drawn."""
        return self._joint(name, "revolute", a, b, at, axis)

    def cylindrical(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """Turns about and slides along an axis; coordinates "angle" [rad] and "travel" [m]."""
        return self._joint(name, "cylindrical", a, b, at, axis)

    def prismatic(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """Slides along an axis without turning; coordinate "travel" [m]."""
        return self._joint(name, "prismatic", a, b, at, axis)

    def universal(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None, axis2: Any = None) -> Joint:
        """A cross: `axis` fixed on a, `axis2` fixed on b, held at right angles; coordinates "angle1" about
        axis and "angle2" about axis2 [rad]."""
        return self._cross_joint(name, "universal", a, b, at, axis, axis2)

    def planar(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """Keeps b in a plane of a with normal `axis`; coordinates "x", "y" [m], "angle" [rad]."""
        return self._joint(name, "planar", a, b, at, axis)

    def fixed(self, name: str, a: Place, b: Place, at: Any = None) -> Joint:
        """Makes two bodies one: a weld."""
        return self._joint(name, "fixed", a, b, at)

    def guide(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """Keeps a point of b on a line of a; coordinate "travel" [m]."""
        return self._joint(name, "guide", a, b, at, axis)

    def point_on_plane(self, name: str, a: Place, b: Place, at: Any = None, axis: Any = None) -> Joint:
        """Keeps a point of b on a plane of a with normal `axis`."""
        return self._joint(name, "point_on_plane", a, b, at, axis)

    def parallel(self, name: str, a: Place, b: Place, axis: Any = None) -> Joint:
        """Keeps an axis of a and the same axis of b parallel."""
        return self._joint(name, "parallel", a, b, None, axis)

    def perpendicular(self, name: str, a: Place, b: Place, axis: Any = None, axis2: Any = None) -> Joint:
        """Keeps `axis` of a and `axis2` of b at right angles."""
        return self._cross_joint(name, "perpendicular", a, b, None, axis, axis2)

    def orientation(self, name: str, a: Place, b: Place) -> Joint:
        """Keeps b turned against a as drawn; all translations stay free."""
        return self._joint(name, "orientation", a, b, None)

    def distance(self, name: str, a: Frame, b: Frame, length: float | None = None) -> Joint:
        """A massless rod between two points; `length` [m] as drawn if not given; coordinate "length"."""
        what = f"distance {name!r}"
        if not (isinstance(a, Frame) and isinstance(b, Frame)):
            raise ModelError(f"{what}: two frames are needed, such as body.frame((x, y, z)).")
        self._frames(what, a, b, None, STRAIGHT, STRAIGHT)
        drawn = math.dist(a.drawn_point, b.drawn_point)
        metres = drawn if length is None else finite_number(f"{what}: length", length, unit="m")
        if metres <= 1e-9:
            raise ModelError(f"{what}: the length is {metres:g} m; it must be positive.\n"
                             "  To hold two points together use spherical().")
        return self._add_joint(Joint(name, "distance", a, b, metres))

    # sub-models

    def add(self, name: str, sub: Model, at: Any = (0.0, 0.0, 0.0), *, orientation: Any = None,
            mirror: str | None = None, on: Body | str | None = None) -> Placed:
        """Copies all parts of another model into this one, under names such as "left.upright" for name "left".

        `at` and `orientation` place the world of the sub-model in this one, as drawn; `mirror` = "x", "y" or "z" first
        reflects it at the plane x = 0, y = 0 or z = 0 of its own world. Its ground becomes the body `on` (this model's
        ground if not given), and its velocities are relative to that body. Its gravity is left out: this model's
        holds. Directions and loads in world axes are turned with it, but then stay fixed in the world. Every
        coordinate and measure has the sign and value it has in the sub-model, mirrored or not. `sub` is not changed,
        and later changes of it do not come here."""
        what = f"sub-model {name!r}"
        self._claim(name, "sub-model")
        if not isinstance(sub, Model):
            raise ModelError(f"{what}: {sub!r} is not a Model.\n"
                             "  Pass a model; of a function that builds one, pass what it returns.")
        if sub is self:
            raise ModelError(f"{what}: a model cannot be added to itself.\n"
                             "  Build the part that repeats as a model of its own, and add that.")
        carrier = self.ground if on is None else self._body(f"{what}: on", on)
        parts, placed = copied(name, sub, placement_of(what, at, orientation, mirror), carrier)
        for kind, members in parts.items():
            for full in members:
                self._check_free(full, kind)
        for kind, group in self.groups().items():
            group.update(parts[kind])
        self.controllers |= parts["controller"]
        self.switches += [replace(s, owner=f"{name}.{s.owner}") for s in sub.switches]
        mirrored = None if mirror is None else np.diag([-1.0 if axis == mirror else 1.0 for axis in "xyz"])
        for body, looks in sub.looks.items():
            own = carrier.name if body == "ground" else f"{name}.{body}"
            self.looks[own] = (*self.looks.get(own, ()), *(look.mirrored(mirrored) for look in looks))
        self.colours.update({f"{name}.{body}": colour for body, colour in sub.colours.items() if body != "ground"})
        return placed

    def copy(self) -> Model:
        """The same model with lists and tables of its own, so that parts can be replaced in it."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list | np.ndarray):
                setattr(other, name, value.copy())
        return other

    def remove(self, name: str) -> list[str]:
        """Takes a part out with all that hangs on it: of a body or frame the joints, measures, forces and sub-models on
        it; of a joint or measure the drives, couplings and forces on its coordinates; of a sub-model all its parts.
        Returns the names of what went with it."""
        return remove(self, name)

    # what the methods above share

    def _joint(self, name: str, kind: str, a: Any, b: Any, at: Any, axis: Any = None) -> Joint:
        what = f"{kind} joint {name!r}"
        by_frames = isinstance(a, Frame) and isinstance(b, Frame)
        if by_frames and (at is not None or axis is not None):
            raise ModelError(f"{what}: with frames given, leave out at= and axis=; the frames' z axes are the axis.")
        needs_axis = kind not in ("spherical", "fixed", "orientation")
        if not by_frames and needs_axis and axis is None:
            raise ModelError(f"{what}: the axis is missing.\n  Give axis='x', 'y', 'z' or three numbers.")
        if not by_frames and at is None:
            if kind not in ("parallel", "orientation"):
                raise ModelError(f"{what}: the point is missing.\n  Give at=(x, y, z) in world coordinates as drawn.")
            at = (0.0, 0.0, 0.0)
        z = direction(f"{what}: axis", axis) if needs_axis and not by_frames else np.array([0.0, 0.0, 1.0])
        x = perpendicular(z) if needs_axis else np.array([1.0, 0.0, 0.0])
        axes = axes_about(z, x)
        first, second = self._frames(what, a, b, at, axes, axes)
        return self._add_joint(Joint(name, kind, first, second))

    def _cross_joint(self, name: str, kind: str, a: Any, b: Any, at: Any, axis: Any, axis2: Any) -> Joint:
        what = f"{kind} joint {name!r}"
        if isinstance(a, Frame) and isinstance(b, Frame):
            if not (at is None and axis is None and axis2 is None):
                raise ModelError(f"{what}: with frames given, leave out at=, axis= and axis2=; the frames' z axes are "
                                 "the two axes.")
            return self._add_joint(Joint(name, kind, *self._frames(what, a, b, None, STRAIGHT, STRAIGHT)))
        if axis is None or axis2 is None:
            raise ModelError(f"{what}: two axes are needed: axis= on the first body, axis2= on the second.")
        if at is None and kind == "universal":
            raise ModelError(f"{what}: the point is missing.\n  Give at=(x, y, z) in world coordinates as drawn.")
        z1, z2 = direction(f"{what}: axis", axis), direction(f"{what}: axis2", axis2)
        if abs(float(z1 @ z2)) > 0.999:
            raise ModelError(f"{what}: axis and axis2 have the same direction; they must be at right angles.")
        x1, x2 = z2 - z1 * (z1 @ z2), z1 - z2 * (z1 @ z2)
        x1, x2 = x1 / np.linalg.norm(x1), x2 / np.linalg.norm(x2)
        point = (0.0, 0.0, 0.0) if at is None else at
        first, second = self._frames(what, a, b, point, axes_from(what, z1, x1), axes_from(what, z2, x2))
        return self._add_joint(Joint(name, kind, first, second))

    def show(self, **options: Any) -> Any:
        """Shows the model as drawn in the browser (options: port, host, open_browser, block)."""
        from vincolo.view.live import show

        return show(self, **options)

    def _repr_html_(self) -> str:
        from vincolo.view.notebook import model_html

        return model_html(self)

    def __repr__(self) -> str:
        more: dict[str, dict[str, Any]] = {"rotors": self.rotors, "contacts": self.contacts,
                                           "inputs": self.inputs, "variables": self.variables,
                                           "states": self.states, "outputs": self.outputs,
                                           "controllers": self.controllers}
        return (f"Model({self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.holds)} drives, "
                f"{len(self.springs) + len(self.laws) + len(self.loads)} forces"
                f"{''.join(f', {len(group)} {kind}' for kind, group in more.items() if group)})")
