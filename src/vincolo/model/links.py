"""Links, rods, wishbones and wheels: bodies by the points they join, with inertia from a section. Mixed into Model."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Body, Frame, make_body
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array, axes_about, direction, perpendicular, vector
from vincolo.model.joint import Joint
from vincolo.model.looks import Look, colour_of
from vincolo.model.mass import MassProperties
from vincolo.model.named_parts import Parts
from vincolo.model.shapes import SLENDER, STEEL, cylinder, tube


class Links(Parts):
    """The methods of Model that make bodies from points."""

    def link(self, name: str, a: Any, b: Any, *, mass: float | None = None, radius: float | None = None,
             density: float | None = None, colour: str | None = None) -> Body:
        """A round bar between two world points, its frame in the middle with x from a to b. Its inertia is that of a
        cylinder of this radius [m] (length/30 if not given), by its mass [kg] or its density (steel if not given)."""
        what = f"link {name!r}"
        ends = vector(f"{what}: a", a), vector(f"{what}: b", b)
        made, middle, axes = _bar(what, *ends, mass, radius, density)
        return self._made(name, made, middle, axes, colour)

    def rod(self, name: str, a: Frame, b: Frame, *, mass: float | None = None, radius: float | None = None,
            colour: str | None = None) -> Body | Joint:
        """A rod with ball joints between points of two bodies. Without mass it is a distance that is held, called
        `name`. With a mass it is a link with a ball at a ("name a") and at b a cross ("name b"), which holds the rod's
        spin about itself."""
        what = f"rod {name!r}"
        if not (isinstance(a, Frame) and isinstance(b, Frame)):
            raise ModelError(f"{what}: two frames are needed, such as body.frame((x, y, z)).")
        first, second = a.drawn_point, b.drawn_point
        if mass is None:
            self._frames(what, a, b, None, np.eye(3), np.eye(3))
            _check_apart(what, first, second)
            return self._add_joint(Joint(name, "distance", a, b, float(np.linalg.norm(second - first))))
        self._frames(what, a, b, None, np.eye(3), np.eye(3))
        body = self.link(name, first, second, mass=mass, radius=radius, colour=colour)
        self._between(f"{name} a", "spherical", a.body, body, first, np.eye(3), np.eye(3))
        along = body.orientation[:, 0]
        side, other = perpendicular(along), np.cross(along, perpendicular(along))
        self._between(f"{name} b", "universal", body, b.body, second, axes_about(side, other), axes_about(other, side))
        return body

    def wishbone(self, name: str, front: Any, rear: Any, ball: Any, *, mass: float, on: Body | str | None = None,
                 to: Body | str | None = None, radius: float | None = None, colour: str | None = None) -> Body:
        """An A-arm by its three world points: two round tubes from the ball to the pivots, with a hinge "name pivot"
        along front - rear on the body `on` (ground if not given) and, if `to` is given, a ball joint "name ball" with
        it."""
        what = f"wishbone {name!r}"
        points = [vector(f"{what}: {n}", p) for n, p in (("front", front), ("rear", rear), ("ball", ball))]
        axis = points[1] - points[0]
        _check_apart(what, points[0], points[1])
        carrier = self.ground if on is None else self._body(f"{what}: on", on)
        upright = None if to is None else self._body(f"{what}: to", to)
        legs = [float(np.linalg.norm(points[2] - p)) for p in points[:2]]
        total = finite_number(f"{what}: mass", mass)
        parts = [_bar(what, p, points[2], total * leg / sum(legs) if sum(legs) else total, radius, None)
                 for p, leg in zip(points[:2], legs, strict=True)]
        middle = np.mean(points, axis=0)
        shape = sum((made.moved(at - middle, axes) for made, at, axes in parts[1:]),
                    parts[0][0].moved(parts[0][1] - middle, parts[0][2]))
        body = self._made(name, shape, middle, np.eye(3), colour)
        along = axis / np.linalg.norm(axis)
        turned = axes_about(along, perpendicular(along))
        self._between(f"{name} pivot", "revolute", carrier, body, points[0], turned, turned)
        if upright is not None:
            self._between(f"{name} ball", "spherical", body, upright, points[2], np.eye(3), np.eye(3))
        return body

    def wheel(self, name: str, on: Body | str, centre: Any, axis: Any = "y", *, radius: float, mass: float,
              width: float | None = None, colour: str | None = "black") -> Body:
        """A wheel on a hinge "name hub" about `axis`: a ring from 0.6 to 1 of the radius [m], of this mass [kg] and
        width [m] (0.6 of the radius if not given)."""
        what = f"wheel {name!r}"
        z, R = direction(f"{what}: axis", axis), finite_number(f"{what}: radius", radius)
        carrier, at = self._body(f"{what}: on", on), vector(f"{what}: centre", centre)
        ring = tube(R, 0.6 * R, 0.6 * R if width is None else width, z, mass=mass)
        body = self._made(name, ring, at, np.eye(3), colour)
        turned = axes_about(z, perpendicular(z))
        self._between(f"{name} hub", "revolute", carrier, body, at, turned, turned)
        return body

    def pin(self, name: str, a: Body | str, b: Body | str, at: Any, axis: Any = "y") -> Joint:
        """A hinge of a plane linkage: revolute() about y, unless another axis is given."""
        z = direction(f"pin {name!r}: axis", axis)
        turned = axes_about(z, perpendicular(z))
        return self._between(name, "revolute", a, b, at, turned, turned)

    def outline(self, body: Body | str, points: Any, *, thickness: float | None = None,
                colour: str | None = None) -> Look:
        """Draws a body as a skin around world points: a bar of two, an A-arm or plate of three, a solid of more."""
        owner = self._body("outline", body)
        placed = np.array([vector("a point of an outline", p) for p in points])
        look = skin(f"outline of {owner.name!r}", (placed - owner.at) @ owner.orientation, thickness, colour)
        self.looks[owner.name] = (*self.looks.get(owner.name, ()), look)
        return look

    def _made(self, name: str, shape: MassProperties, at: Array, axes: Array, colour: str | None) -> Body:
        self._claim(name, "body")
        colour_of(f"body {name!r}", colour)
        self.bodies[name] = make_body(name, shape, None, at, axes, None, (0, 0, 0), (0, 0, 0))
        self.looks[name] = shape.looks
        if colour is not None:
            self.colours[name] = colour
        return self.bodies[name]

    def _between(self, name: str, kind: str, a: Any, b: Any, at: Any, *axes: Array) -> Joint:
        return self._add_joint(Joint(name, kind, *self._frames(f"{kind} joint {name!r}", a, b, at, *axes)))


def skin(what: str, points: Array, thickness: float | None, colour: str | None) -> Look:
    """A skin around points in a body's axes, as a look."""
    if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] != 3:
        raise ModelError(f"{what}: at least two points (x, y, z) are needed.")
    extent = float(np.ptp(points, axis=0).max())
    thick = extent / 15 if thickness is None else finite_number(f"{what}: thickness", thickness)
    if thick <= 0:
        raise ModelError(f"{what}: the thickness is {thick:g} m; it must be positive, and the points apart.")
    colour_of(what, colour)
    return Look("skin", {"points": points.tolist(), "thickness": thick}, colour=colour)


def _check_apart(what: str, a: Array, b: Array) -> None:
    if float(np.linalg.norm(b - a)) <= 1e-9:
        raise ModelError(f"{what}: its points {tuple(a.tolist())} and {tuple(b.tolist())} are the same.\n"
                         "  Give two different points.")


def _bar(what: str, a: Array, b: Array, mass: float | None, radius: float | None,
         density: float | None) -> tuple[MassProperties, Array, Array]:
    """The mass properties of a round bar along x, its middle, and its axes."""
    _check_apart(what, a, b)
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    axes = axes_about(along, perpendicular(along))[:, [2, 0, 1]]  # x along the bar
    thick = length / SLENDER if radius is None else finite_number(f"{what}: radius", radius)
    if mass is not None and density is not None:
        raise ModelError(f"{what}: give either mass or density, not both.")
    try:
        made = cylinder(thick, length, "x", mass=mass, density=None if mass is not None else density or STEEL)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None
    return made, (a + b) / 2, axes
