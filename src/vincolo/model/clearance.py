"""Play in joints: a pin that is loose in its hole, as one-sided measures. Mixed into Model.

The centres of pin and hole may be a gap c apart. With r their distance the measure is r^2 / (2 c), at most c / 2:
where it is met its rate is that of r and its force that of the contact, and it has no kink at the centre, as r itself
has.
"""

from __future__ import annotations

from typing import Any

from vincolo.errors import ModelError
from vincolo.model.acting import Forces
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law
from vincolo.model.friction import Frictions
from vincolo.model.geometry import Array
from vincolo.model.measure import Measure, along, angle, formula
from vincolo.model.stops import REST, Stop

KINDS = ("revolute", "cylindrical", "spherical", "prismatic")


class Clearances(Frictions, Forces):
    """The method of a model for joints with play."""

    def clearance(self, name: str, kind: str, hole: Frame, pin: Frame, gap: float, *, axial: float | None = None,
                  length: float = 0.0, width: float = 0.0, restitution: float = 0.0, rest: float = REST,
                  stiffness: float = 0.0, exponent: float = 1.5, friction: float = 0.0,
                  radius: float = 0.0) -> dict[str, Stop | Law]:
        """A joint with play in the place of an ideal one: a pin in a hole that is `gap` [m] larger in radius, along z
        of both frames; "revolute", "cylindrical" or "spherical". A "prismatic" block in its guide, `length` long and
        `width` wide, may move a gap to all sides across z, and is held at its corners: "name.x00" to "name.x11" along
        x, "name.y0" and "name.y1" along y. With `length` the pin may tilt, and is held at both
        ends of it. A revolute pin may move `axial` [m] to both sides, as far as the gap if that is not given. It is
        rigid, with `restitution`, or with a `stiffness` [N/m^exponent] elastic: k d^n (1 + 3 (1 - e^2) d' / (4 v)), v
        the speed at which they met (Lankarani and Nikravesh 1990). A rigid pin of a `radius` [m] may have dry
        `friction`, which sticks and takes part in impacts: "name.radial.friction". Its parts are "name.radial" (of two
        ends "name.radial0" and "name.radial1") and "name.axial"."""
        what = f"clearance {name!r}"
        if kind not in KINDS:
            raise ModelError(f"{what}: there is no play in a joint called {kind!r}; it is one of {', '.join(KINDS)}.")
        for frame in (hole, pin):
            if not isinstance(frame, Frame):
                raise ModelError(f"{what}: it needs two frames, such as body.frame((x, y, z), z='y'), not {frame!r}.")
        c = _positive(what, "gap", gap)
        numbers = {"length": length, "width": width, "stiffness": stiffness, "exponent": exponent}
        found = {key: finite_number(f"{what}: {key}", value) for key, value in numbers.items()}
        if min(found.values()) < 0:
            raise ModelError(f"{what}: length, width, stiffness and exponent are not negative.")
        if kind == "prismatic":
            if found["stiffness"] or axial is not None:
                raise ModelError(f"{what}: a prismatic joint with play is rigid and free along z: leave stiffness= and "
                                 "axial= out.")
            return self._guided(name, hole, pin, c, found, {"restitution": restitution, "rest": rest})
        measures = {key: loose(hole, end, c, kind == "spherical")
                    for key, end in _ends(pin, found["length"] if kind != "spherical" else 0.0).items()}
        made: dict[str, Stop | Law] = {}
        for key, measure in measures.items():
            if found["stiffness"]:
                made[key] = self._elastic(f"{name}.{key}", measure, c, found, restitution)
            else:
                made[key] = self._rigid(f"{name}.{key}", measure, at_most=c / 2, restitution=restitution, rest=rest)
        if friction or radius:
            self._rubbing(what, kind, hole, pin, c, {key: part for key, part in made.items() if isinstance(part, Stop)},
                          (friction, radius))
        if kind == "revolute":
            side = c if axial is None else _positive(what, "axial", axial)
            made["axial"] = self._rigid(f"{name}.axial", along("z", hole, pin), at_least=-side, at_most=side,
                                        restitution=restitution, rest=rest)
        return made

    def _rubbing(self, what: str, kind: str, hole: Frame, pin: Frame, c: float, stops: dict[str, Stop],
                 given: tuple[Any, Any]) -> None:
        """Dry friction where pin and hole touch: it slips as the pin's centre goes round the hole, and as it turns."""
        mu, r = (finite_number(f"{what}: {key}", x) for key, x in zip(("friction", "radius"), given, strict=True))
        if mu < 0 or r <= 0 or kind == "spherical" or not stops:
            raise ModelError(f"{what}: friction in play needs friction= of at least 0 and the radius= [m] of the pin, "
                             "in a rigid\n  revolute or cylindrical joint. Elastic or round ones are contacts of "
                             "shapes: m.contact(..., friction=).")
        for stop in stops.values():
            end = stop.measure.terms[0][3]  # the frame whose distance it bounds
            slip = formula("(x*y_rate - y*x_rate)/c + r*a_rate", x=along("x", hole, end), y=along("y", hole, end),
                           a=angle(hole, pin), c=c, r=r)
            self.friction(f"{stop.name}.friction", stop, mu, along=slip)

    def _guided(self, name: str, guide: Frame, slider: Frame, c: float, found: dict[str, float],
                more: dict[str, float]) -> dict[str, Stop | Law]:
        """A block in a straight guide along z: its corners at both ends, as far apart as it is long and wide, stay
        within the gap across it."""
        what = f"clearance {name!r}"
        if not found["length"] or not found["width"]:
            raise ModelError(f"{what}: a prismatic joint with play needs the length= and the width= [m] of the block "
                             "that slides, at whose corners it is held.")
        made: dict[str, Stop | Law] = {}
        for end in (0, 1):
            tip = slider.point + (end - 0.5) * found["length"] * slider.axes[:, 2]
            for side in (0, 1):
                corner = Frame(slider.body, tip + (side - 0.5) * found["width"] * slider.axes[:, 1], slider.axes)
                made[f"x{end}{side}"] = self._rigid(f"{name}.x{end}{side}", along("x", guide, corner), at_least=-c,
                                                    at_most=c, **more)
            middle = along("y", guide, Frame(slider.body, tip, slider.axes))
            made[f"y{end}"] = self._rigid(f"{name}.y{end}", middle, at_least=-c, at_most=c, **more)
        return made

    def _elastic(self, name: str, measure: Measure, c: float, found: dict[str, float], restitution: Any) -> Law:
        """Contact that gives: along r^2 / (2 c), whose force is that along r times c / r."""
        e = finite_number(f"clearance {name!r}: restitution", restitution)
        if not 0 <= e <= 1:
            raise ModelError(f"clearance {name!r}: restitution is {e:g}; it is from 0 to 1.")
        speed = self.variable(f"{name}.speed", 1.0, unit="m/s")
        deep, scale = f"(sqrt(2*{c!r}*d) - {c!r})", f"({c!r}/sqrt(2*{c!r}*d))"
        loss = 0.75 * (1 - e**2)
        text = (f"if(d > {c / 2!r}, {scale}*{found['stiffness']!r}*{deep}^{found['exponent']!r}"
                f"*max(0, 1 + {loss!r}*dd*{scale}/max(v, 1e-6)), 0)")
        law = self.law(name, measure, text, v=speed)
        self.event(f"{name}.meets", f"{name}.value - {c / 2!r}", direction="up",
                   set={f"{name}.speed": f"max(1e-6, {name}.rate)"})
        return law


def loose(hole: Frame, pin: Frame, gap: float, ball: bool) -> Measure:
    """r^2 / (2 gap) of the centres of a pin and its hole, across the axis of the hole, or in space."""
    axes = "xyz" if ball else "xy"
    parts: dict[str, Any] = {axis: along(axis, hole, pin) for axis in axes}
    return formula(f"({' + '.join(f'{axis}^2' for axis in axes)})/(2*gap)", gap=gap, **parts)


def _ends(pin: Frame, length: float) -> dict[str, Frame]:
    """The middle of a pin, or both its ends."""
    if not length:
        return {"radial": pin}
    z: Array = pin.axes[:, 2]
    return {f"radial{k}": Frame(pin.body, pin.point + side * z, pin.axes)
            for k, side in enumerate((-length / 2, length / 2))}


def _positive(what: str, key: str, value: Any) -> float:
    number = finite_number(f"{what}: {key}", value)
    if number <= 0:
        raise ModelError(f"{what}: {key} is {number:g} m; it must be positive.")
    return number
