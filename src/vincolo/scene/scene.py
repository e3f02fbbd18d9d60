"""A scene from a model, with nothing drawn by the user: bars and plates between joints, symbols, springs, ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vincolo.model.body import Body, Frame
from vincolo.model.geometry import Array, axes_from
from vincolo.model.joint import Joint
from vincolo.model.looks import colour_of
from vincolo.model.measure import Measure
from vincolo.scene.joints import NO_GROUND, RODS, SLEEVES, Setting, pieces_of, rolling_look
from vincolo.scene.meshes import (
    Mesh,
    arrow,
    ball,
    coil,
    cylinder,
    damper,
    hull,
    joined,
    of_look,
    swept,
    turning_arrow,
)
from vincolo.scene.symbols import hatched
from vincolo.system import System

if TYPE_CHECKING:
    from vincolo.model import Model
    from vincolo.system import System

Colour = tuple[float, float, float]

#: colours of bodies in turn; they can be told apart in print and by most colour-blind people
PALETTE: tuple[Colour, ...] = ((0.27, 0.51, 0.71), (0.88, 0.50, 0.17), (0.25, 0.60, 0.31), (0.78, 0.22, 0.18),
                               (0.48, 0.32, 0.67), (0.54, 0.35, 0.23), (0.16, 0.62, 0.56), (0.83, 0.40, 0.62),
                               (0.71, 0.65, 0.26), (0.40, 0.45, 0.52))
STEEL: Colour = (0.36, 0.39, 0.43)
BRIGHT: Colour = (0.64, 0.67, 0.71)  # the piece of a joint on its second body
GROUND: Colour = (0.55, 0.57, 0.60)
SPRING: Colour = (0.20, 0.55, 0.30)
DAMPER: Colour = (0.45, 0.45, 0.50)
DRIVE: Colour = (0.85, 0.25, 0.15)
LOAD: Colour = (0.65, 0.10, 0.40)
THIN = 0.016  # radius of bars as a share of the size of the mechanism
SLENDER = 0.16  # and at most this share of the length of a usual link
THINNEST = 0.003  # but at least this share of the whole


@dataclass(frozen=True, eq=False)
class Item:
    """Something rigid: triangles in the axes of the body it moves with."""

    name: str  # unique
    kind: str  # body, mass, joint, ground, drive, load
    owner: str  # the part of the model that it shows
    body: str  # the body it moves with, or "ground"
    mesh: Mesh
    colour: Colour


@dataclass(frozen=True, eq=False)
class Link:
    """Something that stretches between two points: its triangles are along z from 0 to 1."""

    name: str
    kind: str  # spring, damper or rod
    owner: str
    a: Frame
    b: Frame
    mesh: Mesh
    colour: Colour


@dataclass(frozen=True, eq=False)
class Scene:
    """What there is to see of a model."""

    name: str
    items: tuple[Item, ...]
    links: tuple[Link, ...]
    size: float  # m, of the mechanism as drawn
    centre: Array
    up: Array  # against gravity
    weightless: bool  # up is a guess
    radius: float  # m, of bars


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """A colour between two."""
    red, green, blue = (x + share * (y - x) for x, y in zip(a, b, strict=True))
    return red, green, blue


def scene_of(model: Model | System) -> Scene:
    """The scene of a model."""
    return _Builder(model.model if isinstance(model, System) else model).scene()


class _Builder:
    """Goes through the parts of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        places = self._places() if model.bodies else np.zeros((1, 3))
        self._low: Array = places.min(axis=0)
        self._high: Array = places.max(axis=0)
        self._size = max(float(np.linalg.norm(self._high - self._low)), self._least())
        self._r = self._thick()
        g = float(np.linalg.norm(model.gravity))
        self._up = -model.gravity / g if g > 0 else np.array([0.0, 0.0, 1.0])
        self._colours: dict[str, Colour] = {}  # of bodies
        self._items: list[Item] = []
        self._links: list[Link] = []

    def _least(self) -> float:
        """A size for a mechanism that is drawn in one point."""
        radii = [np.sqrt(b.inertia.max() / b.mass) for b in self._model.bodies.values() if b.mass > 0]
        return max([4 * float(r) for r in radii if r > 0], default=1.0)

    def _thick(self) -> float:
        """The radius of bars: a share of the whole, but of short links among many a share of their own length."""
        lengths = [np.ptp(np.array([*(f.point for f in frames), self._model.bodies[name].com]), axis=0).max()
                   for name, frames in self._anchors().items() if name in self._model.bodies]
        spans = [float(length) for length in lengths if length > 0]
        usual = float(np.median(spans)) if spans else self._size
        return min(THIN * self._size, max(SLENDER * usual, THINNEST * self._size))

    def _places(self) -> Array:
        found = [b.at + b.orientation @ b.com for b in self._model.bodies.values()]
        found += [f.drawn_point for frames in self._anchors().values() for f in frames]
        found += [p for b in self._model.bodies.values() for p in self._corners(b)]
        return np.array(found).reshape(-1, 3)

    def _corners(self, body: Body) -> list[Array]:
        looks = self._model.looks.get(body.name, ())
        points = [p for look in looks for p in of_look(look).vertices[::7]]
        return [body.at + body.orientation @ p for p in points]

    def _anchors(self) -> dict[str, list[Frame]]:
        """Frames where something is attached, by the name of their body."""
        m = self._model
        frames = [f for j in m.joints.values() if j.kind not in ("parallel", "perpendicular", "orientation")
                  for f in (j.a, j.b)]
        springs: list[Measure] = [s.measure for s in m.springs.values()] + [w.measure for w in m.laws.values()]
        frames += [f for e in springs for _, q, a, b in e.terms if q.kind == "distance" for f in (a, b)]
        frames += list(m.frames.values())
        found: dict[str, list[Frame]] = {}
        for frame in frames:
            found.setdefault(frame.body.name, []).append(frame)
        return found

    def scene(self) -> Scene:
        """All of it."""
        anchors = self._anchors()
        for k, body in enumerate(self._model.bodies.values()):
            self._body(body, anchors.get(body.name, []), PALETTE[k % len(PALETTE)])
        for joint in self._model.joints.values():
            self._joint(joint)
        self._forces()
        self._drives()
        return Scene(self._model.name, tuple(self._items), tuple(self._links), self._size,
                     (self._low + self._high) / 2, self._up, not self._model.gravity.any(), self._r)

    def _add(self, name: str, kind: str, owner: str, body: str, mesh: Mesh, colour: Colour) -> None:
        self._items.append(Item(name, kind, owner, body, mesh, colour))

    # bodies

    def _body(self, body: Body, anchors: list[Frame], colour: Colour) -> None:
        own = colour_of(f"body {body.name!r}", self._model.colours.get(body.name)) or colour
        self._colours[body.name] = own
        looks = self._model.looks.get(body.name, ())
        for k, look in enumerate(looks):
            given = colour_of(f"body {body.name!r}", look.colour) or own
            self._add(f"{body.name}/{k}", "body", body.name, body.name, of_look(look), given)
        rolling = [j for j in self._model.joints.values() if j.kind.startswith("rolling") and j.b.body is body]
        if rolling and not looks:
            mesh = rolling_look(rolling[0]).moved(rolling[0].b.point, rolling[0].b.axes)
            self._add(f"{body.name}/rolling", "body", body.name, body.name, mesh, own)
        elif not looks:
            self._add(body.name, "body", body.name, body.name, self._default(body, anchors), own)
        mark = ball(0.55 * self._r, 1).moved(body.com)
        self._add(f"{body.name}/mass", "mass", body.name, body.name, mark, (0.12, 0.12, 0.13))

    def _default(self, body: Body, anchors: list[Frame]) -> Mesh:
        """A skin around the points where something is attached; a ball for a point mass."""
        points = [f.point for f in anchors]
        spread = np.ptp(np.array(points), axis=0).max() if points else 0.0
        if spread < self._r:
            far = not points or np.linalg.norm(body.com - points[0]) > 3 * self._r
            if points and far:
                return joined([hull(np.array([points[0], body.com]), self._r), ball(2.2 * self._r).moved(body.com)])
            sleeved = any(j.kind in SLEEVES and j.b.body is body for j in self._model.joints.values())
            return ball((1.4 if sleeved else 2.6) * self._r).moved(points[0] if points else body.com)
        if self._outside(points, body.com):
            return joined([hull(np.array([*points, body.com]), self._r), ball(2.2 * self._r).moved(body.com)])
        return hull(np.array(points), self._r)

    def _outside(self, points: list[Array], com: Array) -> bool:
        """Whether the mass is far from the box around the points."""
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        gap = np.maximum(np.maximum(low - com, com - high), 0.0)
        return float(np.linalg.norm(gap)) > 3 * self._r

    # joints

    def _joint(self, joint: Joint) -> None:
        if joint.kind in RODS:
            mesh = cylinder(RODS[joint.kind] * self._r, 1.0, 12).moved((0, 0, 0.5))
            self._links.append(Link(f"{joint.name}/rod", "rod", joint.name, joint.a, joint.b, mesh, STEEL))
        for k, piece in enumerate(pieces_of(joint, Setting(self._r, self._size, self._model))):
            body = piece.frame.body.name
            colour = BRIGHT if piece.second else STEEL
            if piece.shape:
                colour = mixed(self._colours.get(body, GROUND), colour, 0.35)
            self._add(f"{joint.name}/{k}" if k else joint.name, "joint", joint.name, body,
                      piece.mesh.moved(piece.frame.point, piece.frame.axes), colour)
        for frame in (joint.a, joint.b):
            if frame.body.is_ground and joint.kind not in NO_GROUND:
                upright = axes_from("ground", self._up, None)
                self._add(f"{joint.name}/ground", "ground", joint.name, "ground",
                          hatched(self._r).moved(frame.point, upright), GROUND)

    # forces and drives

    def _forces(self) -> None:
        m = self._model
        for name, spring in m.springs.items():
            self._stretched(name, spring.measure, spring.k != 0, spring.c != 0)
        for name, law in m.laws.items():
            self._stretched(name, law.measure, law.sign < 0, False)
        for name, load in m.loads.items():
            part = [abs(f(0.0)) for f in load.components]
            force = np.array([f(0.0) for f in load.components]) if max(part) > 0 else np.array([0.0, 0.0, 1.0])
            along = force if load.in_body_axes else load.frame.body.orientation.T @ force
            mesh = turning_arrow(4 * self._r, 0.35 * self._r) if load.torque else arrow(10 * self._r, 0.45 * self._r)
            self._add(name, "load", name, load.frame.body.name,
                      mesh.moved(axes=axes_from("load", along / np.linalg.norm(along), None)).moved(load.frame.point),
                      LOAD)

    def _stretched(self, name: str, measure: Measure, spring: bool, damped: bool) -> None:
        for k, (_, e, a, b) in enumerate(measure.terms):
            if e.kind != "distance":
                if e.kind == "angle" and spring:
                    mesh = self._spiral().moved(a.point, a.axes)
                    self._add(f"{name}/{k}", "spring", name, a.body.name, mesh, SPRING)
                continue
            if damped or not spring:
                for part, piece in zip(("housing", "piston"), damper(1.3 * self._r), strict=True):
                    self._links.append(Link(f"{name}/{k}/{part}", "damper", name, a, b, piece, DAMPER))
            if spring:
                self._links.append(Link(f"{name}/{k}", "spring", name, a, b, coil(2.1 * self._r, 0.32 * self._r),
                                        SPRING))

    def _spiral(self) -> Mesh:
        s = np.linspace(0.0, 1.0, 61)
        radius = self._r * (1.2 + 2.2 * s)
        line = np.column_stack([radius * np.cos(6 * np.pi * s), radius * np.sin(6 * np.pi * s), 0 * s])
        return swept(line, 0.22 * self._r, 6)

    def _drives(self) -> None:
        for name, held in self._model.holds.items():
            if not held.drive or len(held.measure.terms) != 1:
                continue
            _, e, a, _ = held.measure.terms[0]
            if e.kind == "angle":
                mesh = turning_arrow(3.6 * self._r, 0.32 * self._r).moved((0, 0, 2.2 * self._r)).moved(a.point, a.axes)
            elif e.kind == "along":
                mesh = arrow(9 * self._r, 0.4 * self._r).along(str(e.axes[0])).moved(a.point, a.axes)
            else:
                continue
            self._add(f"{name}/drive", "drive", name, a.body.name, mesh, DRIVE)
