"""The model: what a user builds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.model.body import Body, Frame, make_body, make_ground
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.model.forces import Law, Load, Spring
from vincolo.model.functions import Function, Spline, as_function
from vincolo.model.geometry import Array, direction, perpendicular, vector
from vincolo.model.joint import Held, Joint
from vincolo.model.measure import Measure, distance

Place = Body | Frame


class Model:
    """A mechanism: bodies, joints, drives and forces, all with names, in SI units."""

    def __init__(self, name: str = "mechanism", gravity: Any = (0.0, 0.0, -9.80665)) -> None:
        self.name = str(name)
        self.gravity = vector(f"model {self.name!r}: gravity", gravity)
        self.ground = make_ground()
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.holds: dict[str, Held] = {}
        self.measures: dict[str, Measure] = {}
        self.springs: dict[str, Spring] = {}
        self.laws: dict[str, Law] = {}
        self.loads: dict[str, Load] = {}
        self.frames: dict[str, Frame] = {}

    # bodies and frames

    def body(self, name: str, mass: float, inertia: Any = 0.0, at: Any = (0.0, 0.0, 0.0), *, orientation: Any = None,
             com: Any = (0.0, 0.0, 0.0), velocity: Any = (0.0, 0.0, 0.0),
             angular_velocity: Any = (0.0, 0.0, 0.0)) -> Body:
        """A rigid body. `at` and `orientation` place its frame in the world, `com` is the centre of mass in that
        frame, `inertia` [kg m2] is about the centre of mass in body axes; velocities are in world axes."""
        self._claim(name, "body")
        self.bodies[name] = make_body(name, mass, inertia, at, orientation, com, velocity, angular_velocity)
        return self.bodies[name]

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
        """Makes two bodies one."""
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
        self._frames(what, a, b, None, np.eye(3), np.eye(3))
        drawn = float(np.linalg.norm(b.drawn_point - a.drawn_point))
        metres = drawn if length is None else finite_number(f"{what}: length", length)
        if metres <= 1e-9:
            raise ModelError(f"{what}: the length is {metres:g} m; it must be positive.\n"
                             "  To hold two points together use spherical().")
        return self._add_joint(Joint(name, "distance", a, b, metres))

    # drives and held measures

    def drive(self, target: str | Measure, function: Any, name: str | None = None) -> Held:
        """Moves a measure, such as "O.angle", along a function of time: number, text in t, or a Function."""
        given = target.name or "of a measure" if isinstance(target, Measure) else target
        measure = self._measure(f"drive {name or given!r}", target)
        title = name or f"{measure.name or 'drive ' + str(len(self.holds) + 1)}.drive"
        if name is None and title in self.holds:
            raise ModelError(f"drive {measure.name!r}: it is driven already.\n"
                             "  One freedom follows one function: add the two functions up, or remove one drive.")
        return self._hold(title, measure, function, drive=True)

    def hold(self, name: str, target: str | Measure, function: Any = 0.0) -> Held:
        """Holds a measure, or a sum of measures such as 2*a["angle"] - b["angle"], at a value or function."""
        return self._hold(name, self._measure(f"hold {name!r}", target), function, drive=False)

    def measure(self, name: str, target: Measure) -> Measure:
        """Names a measure, so that results show it."""
        self._claim(name, "measure")
        self.measures[name] = self._measure(f"measure {name!r}", target).named(name)
        return self.measures[name]

    # forces

    def spring(self, name: str, a: Frame | Measure | str, b: Frame | None = None, *, k: float, c: float = 0.0,
               length: float | None = None, preload: float = 0.0) -> Spring:
        """Spring and damper between two points, or on any measure: F = k (m - length) + c m_dot + preload,
        positive in tension; `length` is the measure as drawn if not given."""
        what = f"spring {name!r}"
        measure = self._measure(what, self._span(what, a, b))
        rest = self._drawn_value(measure) if length is None else finite_number(f"{what}: length", length)
        if isinstance(a, Frame) and self._drawn_value(measure) < 1e-9:
            raise ModelError(f"{what}: its two points coincide as drawn, so it has no direction.\n"
                             "  Move one of the points, or use a measure along an axis.")
        self._claim(name, "spring")
        numbers = [finite_number(f"{what}: {n}", v) for n, v in (("k", k), ("c", c), ("preload", preload))]
        self.springs[name] = Spring(name, measure, numbers[0], numbers[1], rest, numbers[2])
        return self.springs[name]

    def law(self, name: str, target: str | Measure, force: str | float | Spline, **constants: float) -> Law:
        """A resisting force along a measure: a number, text over d (value), dd (rate) and t, or a Spline over d."""
        return self._law(name, target, force, -1.0, constants)

    def actuator(self, name: str, target: str | Measure, force: str | float | Function, **constants: float) -> Law:
        """A driving force [N] or torque [N m] along a measure: a number, text over d, dd and t, or a Function of
        time."""
        return self._law(name, target, force, 1.0, constants)

    def force(self, name: str, where: Place, components: Sequence[Any], axes: str = "world") -> Load:
        """A force [N] at a frame (or a body's centre of mass), components in world or body axes: numbers, text in
        t, or Functions."""
        return self._load(name, where, components, axes, torque=False)

    def torque(self, name: str, where: Place, components: Sequence[Any], axes: str = "world") -> Load:
        """A torque [N m] on a body, components in world or body axes: numbers, text in t, or Functions."""
        return self._load(name, where, components, axes, torque=True)

    # what the methods above share

    def _claim(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not name.strip() or len(name) > 200:
            raise ModelError(f"a {kind} needs a name: a text of 1 to 200 characters, not {name!r}.")
        for char in ".\n\r":
            if char in name and kind not in ("drive", "hold"):
                raise ModelError(f"{kind} {name!r}: a name has no {char!r} in it, since results are read as 'name.x'.")
        groups: dict[str, dict[str, Any]] = {"body": self.bodies, "joint": self.joints, "drive": self.holds,
                                             "measure": self.measures, "spring": self.springs, "law": self.laws,
                                             "load": self.loads, "frame": self.frames}
        for other, members in groups.items():
            if name in members or name in ("ground", "energy", "t"):
                taken = f"there is already a {other}" if name in members else "the program itself has something"
                raise ModelError(f"{kind} {name!r}: {taken} called {name!r}.\n"
                                 "  Names are used to read results, so each can be used once: choose another.")

    def _body(self, what: str, body: Any) -> Body:
        if isinstance(body, str):
            if body == "ground":
                return self.ground
            if body not in self.bodies:
                known = ", ".join(self.bodies) or "none yet"
                raise ModelError(f"{what}: there is no body called {body!r}.\n  Bodies in this model: {known}."
                                 f"{suggest(body, self.bodies)}")
            return self.bodies[body]
        if not isinstance(body, Body):
            raise ModelError(f"{what}: {body!r} is no body.\n  Pass what model.body(...) returned, or its name.")
        if body is not self.ground and self.bodies.get(body.name) is not body:
            raise ModelError(f"{what}: body {body.name!r} belongs to another model.")
        return body

    def _frames(self, what: str, a: Any, b: Any, at: Any, axes_a: Array, axes_b: Array) -> tuple[Frame, Frame]:
        """Both frames of a joint: given as frames, or made from a world point and world axes."""
        if isinstance(a, Frame) and isinstance(b, Frame):
            frames = (a, b)
            for frame in frames:
                self._body(what, frame.body)
        elif isinstance(a, Frame) or isinstance(b, Frame):
            raise ModelError(f"{what}: give two bodies with a world point, or a frame on each body; not one of each.")
        else:
            first, second = self._body(what, a), self._body(what, b)
            point = vector(f"{what}: at", at)
            frames = (first.frame(point, x=axes_a[:, 0], z=axes_a[:, 2]),
                      second.frame(point, x=axes_b[:, 0], z=axes_b[:, 2]))
        if frames[0].body is frames[1].body:
            raise ModelError(f"{what}: both sides are on the same body {frames[0].body.name!r}.\n"
                             "  Give two different bodies; model.ground is the fixed one.")
        return frames

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
        axes = np.column_stack([x, np.cross(z, x), z])
        first, second = self._frames(what, a, b, at, axes, axes)
        return self._add_joint(Joint(name, kind, first, second))

    def _cross_joint(self, name: str, kind: str, a: Any, b: Any, at: Any, axis: Any, axis2: Any) -> Joint:
        what = f"{kind} joint {name!r}"
        if isinstance(a, Frame) and isinstance(b, Frame):
            if not (at is None and axis is None and axis2 is None):
                raise ModelError(f"{what}: with frames given, leave out at=, axis= and axis2=; the frames' z axes are "
                                 "the two axes.")
            return self._add_joint(Joint(name, kind, *self._frames(what, a, b, None, np.eye(3), np.eye(3))))
        if axis is None or axis2 is None:
            raise ModelError(f"{what}: two axes are needed: axis= on the first body, axis2= on the second.")
        if at is None and kind == "universal":
            raise ModelError(f"{what}: the point is missing.\n  Give at=(x, y, z) in world coordinates as drawn.")
        z1, z2 = direction(f"{what}: axis", axis), direction(f"{what}: axis2", axis2)
        if abs(float(z1 @ z2)) > 0.999:
            raise ModelError(f"{what}: axis and axis2 have the same direction; they must stand at right angles.")
        x1, x2 = z2 - z1 * (z1 @ z2), z1 - z2 * (z1 @ z2)
        x1, x2 = x1 / np.linalg.norm(x1), x2 / np.linalg.norm(x2)
        point = (0.0, 0.0, 0.0) if at is None else at
        first, second = self._frames(what, a, b, point, np.column_stack([x1, np.cross(z1, x1), z1]),
                                     np.column_stack([x2, np.cross(z2, x2), z2]))
        return self._add_joint(Joint(name, kind, first, second))

    def _add_joint(self, joint: Joint) -> Joint:
        self._claim(joint.name, "joint")
        self.joints[joint.name] = joint
        return joint

    def _measure(self, what: str, target: Any) -> Measure:
        """A measure, or the one a text such as "O.angle" names."""
        if isinstance(target, Measure):
            for _, _, a, b in target.terms:
                self._body(what, a.body)
                self._body(what, b.body)
            return target
        if not isinstance(target, str):
            raise ModelError(f"{what}: {target!r} is no measure; use a text such as 'O.angle', or joint['angle'].")
        if target in self.measures:
            return self.measures[target]
        joint, _, coordinate = target.partition(".")
        if joint in self.joints:
            if not coordinate and self.joints[joint].coordinates:
                names = ", ".join(repr(f"{joint}.{c}") for c in self.joints[joint].coordinates)
                raise ModelError(f"{what}: {joint!r} is a joint; name one of its coordinates: {names}.")
            try:
                return self.joints[joint][coordinate]
            except ModelError as error:
                raise ModelError(f"{what}: {error}") from None
        known = [c.name or "" for j in self.joints.values() for c in j.coordinates.values()] + list(self.measures)
        raise ModelError(f"{what}: there is nothing called {target!r} to measure.\n"
                         f"  Known: {', '.join(known) or 'no joint with a coordinate yet'}.{suggest(target, known)}")

    def _hold(self, name: str, measure: Measure, function: Any, drive: bool) -> Held:
        kind = "drive" if drive else "hold"
        self._claim(name, kind)
        self.holds[name] = Held(name, measure, function_of(f"{kind} {name!r}", function), drive)
        return self.holds[name]

    def _span(self, what: str, a: Any, b: Any) -> Any:
        """The distance of two frames, or the measure given instead of them."""
        if isinstance(a, Measure | str) and b is None:
            return a
        if not (isinstance(a, Frame) and isinstance(b, Frame)):
            raise ModelError(f"{what}: it needs two frames, such as body.frame((x, y, z)), or one measure, such as "
                             f"'O.angle'; not {a!r} and {b!r}.")
        if a.body is b.body:
            raise ModelError(f"{what}: both its points are on the same body {a.body.name!r}, so it never changes.")
        return distance(a, b)

    def _law(self, name: str, target: Any, force: Any, sign: float, constants: dict[str, float]) -> Law:
        kind = "law" if sign < 0 else "actuator"
        what = f"{kind} {name!r}"
        measure = self._measure(what, target)
        formula, curve, history = None, None, None
        if isinstance(force, Spline) and sign < 0:
            curve = force
        elif isinstance(force, Function) and sign > 0:
            history = force
        elif isinstance(force, Function):
            raise ModelError(f"{what}: the force is {force!r}; give a number, a text over d, dd and t, or a Spline "
                             "over d.\n  A force by a function of time is an actuator().")
        else:
            text = force if isinstance(force, str) else repr(finite_number(f"{what}: the force", force))
            try:
                formula = parse(text, inputs=("d", "dd"), constants=constants)
            except ExpressionError as error:
                raise ExpressionError(f"{what}: {error}") from None
        self._claim(name, kind)
        self.laws[name] = Law(name, measure, formula, curve, history, sign)
        return self.laws[name]

    def _load(self, name: str, where: Any, components: Sequence[Any], axes: str, torque: bool) -> Load:
        what = f"{'torque' if torque else 'force'} {name!r}"
        if axes not in ("world", "body"):
            raise ModelError(f"{what}: axes is {axes!r}; it is 'world' or 'body'.")
        if isinstance(where, Frame):
            frame = where
        else:
            body = self._body(what, where)
            frame = body.frame(local=body.com)
        if self._body(what, frame.body).is_ground:
            raise ModelError(f"{what}: it acts on the ground, where it does nothing.")
        if isinstance(components, str) or not hasattr(components, "__len__") or len(components) != 3:
            raise ModelError(f"{what}: {components!r} is not three components (x, y, z).\n"
                             "  Give three numbers, texts in t or functions, such as (0, 0, '-10*sin(t)').")
        x, y, z = (function_of(f"{what}, component {axis}", c) for axis, c in zip("xyz", components, strict=True))
        self._claim(name, "torque" if torque else "force")
        self.loads[name] = Load(name, frame, torque, axes == "body", (x, y, z))
        return self.loads[name]

    def _drawn_value(self, measure: Measure) -> float:
        total = 0.0
        for factor, equation, a, b in measure.terms:
            total += factor * float(equation((a.drawn_point, a.drawn_axes), (b.drawn_point, b.drawn_axes)))
        return total

    def __repr__(self) -> str:
        return (f"Model({self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.holds)} drives, "
                f"{len(self.springs) + len(self.laws) + len(self.loads)} forces)")


def function_of(what: str, value: Any) -> Function:
    """A function of time from a number, a text or a Function; `what` names its owner in errors."""
    try:
        return as_function(value)
    except ExpressionError as error:
        raise ExpressionError(f"{what}: {error}") from None
    except (ModelError, TypeError) as error:
        raise ModelError(f"{what}: {error}") from None
