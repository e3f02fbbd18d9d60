"""Cams and followers that may lift off: the gap between them as a one-sided measure. Mixed into Model.

With r(phi) the curve that the follower's point keeps to, the gap is (r_point - r(phi)) / sqrt(1 + (r'/r)^2): where it
is zero it changes as the distance along the normal does, so that its force is that of the contact.

Of two curves, both round, the gap is the largest of d . n - h1 - h2 over all directions n, with their support functions
h1 and h2 and d from one centre to the other. A needle without inertia points along that n: a row holds the slope of the
gap by its angle at zero, so that forces along the gap do not turn it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Body, Frame
from vincolo.model.cams import on_a_turn, roller_curve, support_curve
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law
from vincolo.model.functions import Function, PiecewisePolynomial
from vincolo.model.functions.given import function_of
from vincolo.model.measure import Measure, along, angle, cosine, formula
from vincolo.model.named_parts import Parts
from vincolo.model.stops import Stop

DIRECTIONS = 7201  # in which the drawn gap is looked for


class CamContacts(Parts):
    """The method of a model for cams that followers may leave."""

    stop: ClassVar[Callable[..., Stop | dict[str, Law]]]
    body: ClassVar[Callable[..., Body]]
    revolute: ClassVar[Callable[..., Any]]
    hold: ClassVar[Callable[..., Any]]

    def cam_contact(self, name: str, cam: Body | str, follower: Body | str, at: Any, axis: Any = "z", x: Any = "x", *,
                    profile: Any, point: Any, roller: float = 0.0, normal: Any = None, counter: Any = None,
                    **bound: Any) -> Stop | dict[str, Law]:
        """A cam and a follower that touch or do not. As in cam() and flat_cam() the cam's radius [m] is a function of
        the angle [rad] about `axis` through `at`, counted from x; the follower touches with a knife edge at `point`,
        with a `roller` of a radius [m] about it, with a flat face through it whose `normal` points away from the cam,
        or with a curve of its own, the `counter` profile about it; then both curves have no hollows, and a body
        "name.normal" without inertia points where they are closest. The rest is as of a stop(): rigid with
        restitution= and rest=, or giving way with force= and back=. The measure "name.value" is the gap [m];
        friction(..., on=name, along=...) rubs on it."""
        what = f"cam contact {name!r}"
        size = finite_number(f"{what}: roller", roller)
        if size < 0 or (size and normal is not None):
            raise ModelError(f"{what}: roller is {size:g} m; it is a positive radius, and a flat face has none.")
        if counter is not None and (size or normal is not None):
            raise ModelError(f"{what}: a follower with a counter profile has neither a roller nor a flat face.")
        curve = function_of(f"{what}: profile", profile)
        centre = self._body(what, cam).frame(at, z=axis, x=x)
        body = self._body(what, follower)
        if body is centre.body:
            raise ModelError(f"{what}: cam and follower are the same body {body.name!r}.")
        if counter is not None:
            ends = centre, body.frame(point, z=axis, x=x)
            second = function_of(f"{what}: counter", counter)
            return self.stop(name, self._between(name, ends, (curve, second)), at_least=0.0, **bound)
        if normal is None:
            path = roller_curve(what, curve, size)
            phi = np.linspace(0.0, 2 * np.pi, len(path.x))
            r, slope, _ = (np.array(v) for v in zip(*(path.derivatives(float(p)) for p in phi), strict=True))
            share = on_a_turn(phi, 1 / np.hypot(1.0, slope / r))
            edge = body.frame(point)
            gap = formula("(sqrt(u^2 + v^2) - r(atan2(v, u)))*s(atan2(v, u))", u=along("x", centre, edge),
                          v=along("y", centre, edge), r=path, s=share)
        else:
            face = body.frame(point, z=normal)
            gap = formula("-d - h(atan2(v, u))", d=along("z", face, centre), u=cosine("x", "z", centre, face),
                          v=cosine("y", "z", centre, face), h=support_curve(what, curve))
        return self.stop(name, gap, at_least=0.0, **bound)

    def _between(self, name: str, ends: tuple[Frame, Frame], curves: tuple[Function, Function]) -> Measure:
        """The gap of two round curves, with the needle that it is measured along."""
        what = f"cam contact {name!r}"
        h, i = (support_curve(f"{what}: {key}", curve)
                for key, curve in zip(("profile", "counter"), curves, strict=True))
        a, b = ends
        apart = b.drawn_point - a.drawn_point
        u, v = (float(apart @ a.drawn_axes[:, k]) for k in (0, 1))
        turned = math.atan2(*(float(b.drawn_axes[:, 0] @ a.drawn_axes[:, k]) for k in (1, 0)))
        s = np.linspace(0.0, 2 * np.pi, DIRECTIONS)
        gaps = u * np.cos(s) + v * np.sin(s) - h.sample(s)[0] - i.sample(s + np.pi - turned)[0]
        start = float(s[gaps.argmax()])
        needle = self.body(f"{name}.normal", 0.0, 0.0, at=a.drawn_point)
        z, x = a.drawn_axes[:, 2], a.drawn_axes[:, :2] @ [math.cos(start), math.sin(start)]
        self.revolute(f"{name}.turn", a.body, needle, at=a.drawn_point, axis=z)
        seen = {"u": along("x", a, b), "v": along("y", a, b), "q": angle(a, b),
                "s": angle(a, needle.frame(a.drawn_point, z=z, x=x))}
        slopes = {"h": _slope(h), "i": _slope(i)}
        self.hold(f"{name}.tangent", formula("v*cos(s) - u*sin(s) - h(s) - i(s + pi - q)", **slopes, **seen))
        return formula("u*cos(s) + v*sin(s) - h(s) - i(s + pi - q)", h=h, i=i, **seen)


def _slope(h: PiecewisePolynomial) -> PiecewisePolynomial:
    """The slope of a curve that repeats, as a curve."""
    angles = np.array(h.x)
    return on_a_turn(angles, h.sample(angles)[1])
