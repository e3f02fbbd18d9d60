"""Cams and followers that may lift off: the gap between them as a one-sided measure. Mixed into Model.

With r(phi) the curve that the follower's point keeps to, the gap is (r_point - r(phi)) / sqrt(1 + (r'/r)^2): where it
is zero it changes as the distance along the normal does, so that its force is that of the contact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Body
from vincolo.model.cams import on_a_turn, roller_curve, support_curve
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law
from vincolo.model.functions.given import function_of
from vincolo.model.measure import along, cosine, formula
from vincolo.model.named_parts import Parts
from vincolo.model.stops import Stop


class CamContacts(Parts):
    """The method of a model for cams that followers may leave."""

    stop: ClassVar[Callable[..., Stop | dict[str, Law]]]

    def cam_contact(self, name: str, cam: Body | str, follower: Body | str, at: Any, axis: Any = "z", x: Any = "x", *,
                    profile: Any, point: Any, roller: float = 0.0, normal: Any = None,
                    **bound: Any) -> Stop | dict[str, Law]:
        """A cam and a follower that touch or do not. As in cam() and flat_cam() the cam's radius [m] is a function of
        the angle [rad] about `axis` through `at`, counted from x; the follower touches with a knife edge at `point`,
        with a `roller` of a radius [m] about it, or with a flat face through it whose `normal` points away from the
        cam. The rest is as of a stop(): rigid with restitution= and rest=, or giving way with force= and back=. The
        measure "name.value" is the gap [m]; friction(..., on=name, along=...) rubs on it."""
        what = f"cam contact {name!r}"
        size = finite_number(f"{what}: roller", roller)
        if size < 0 or (size and normal is not None):
            raise ModelError(f"{what}: roller is {size:g} m; it is a positive radius, and a flat face has none.")
        curve = function_of(f"{what}: profile", profile)
        centre = self._body(what, cam).frame(at, z=axis, x=x)
        body = self._body(what, follower)
        if body is centre.body:
            raise ModelError(f"{what}: cam and follower are the same body {body.name!r}.")
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
