"""One-sided rows: stops, ropes and play in joints. Mixed into Model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.event import Events
from vincolo.model.forces import Law
from vincolo.model.measure import Measure, distance

REST = 1e-4  # m/s or rad/s: slower, what meets a stop stays there; it would fly some 1e-10 m high


@dataclass(frozen=True, eq=False)
class Stop:
    """A measure that stays between bounds; what meets one comes back with so much of its speed."""

    name: str
    measure: Measure
    at_least: float | None
    at_most: float | None
    restitution: float = 0.0
    rest: float = REST

    @property
    def sides(self) -> list[tuple[float, float]]:
        """Sign and bound of each side: sign * (measure - bound) stays at or above zero."""
        return [(sign, bound) for sign, bound in ((1.0, self.at_least), (-1.0, self.at_most)) if bound is not None]

    @property
    def words(self) -> str:
        """Its bounds, in words."""
        said = [f"{word} {bound:g}" for word, bound in (("at least", self.at_least), ("at most", self.at_most))
                if bound is not None]
        return f"{' and '.join(said)}, restitution {self.restitution:g}"


class Stops(Events):
    """The methods of a model for measures that are bounded from one side."""

    law: ClassVar[Callable[..., Law]]

    def stop(self, name: str, target: str | Measure, *, at_least: float | None = None, at_most: float | None = None,
             restitution: float = 0.0, rest: float = REST, force: str | None = None, back: str | None = None,
             **constants: float) -> Stop | dict[str, Law]:
        """Keeps a measure, such as "O.angle", at or above and at or below bounds, rigidly: what meets one comes back
        with `restitution` times its speed, with all joints holding, or stays there if it was slower than `rest` [m/s
        or rad/s]. It pushes and does not pull: what would leave does.

        With `force`, a text over the depth d beyond the bound and its rate dd, it gives way: laws "name.at_least" and
        "name.at_most" push with that force, and never pull. On the way `back` another text may hold, over d, dd and
        `deepest`, the largest depth so far: "k2*(d - deepest*(1 - k1/k2))" leaves a dent, as plastic contact does."""
        what = f"stop {name!r}"
        measure = self._along(what, target) if isinstance(target, str) else self._measure(what, target)
        if measure.is_velocity:
            raise ModelError(f"{what}: a velocity has no value that could be bounded.\n"
                             "  Take a measure without rates.")
        bounds = [None if b is None else finite_number(f"{what}: {key}", b)
                  for key, b in (("at_least", at_least), ("at_most", at_most))]
        self._claim_stop(what, name, bounds[0], bounds[1])
        if force is not None:
            if restitution or rest != REST:
                raise ModelError(f"{what}: restitution= and rest= belong to a rigid stop; with force= it gives way by "
                                 "what that says.")
            sides = {key: b for key, b in zip(("at_least", "at_most"), bounds, strict=True) if b is not None}
            return {key: self._yields(f"{name}.{key}", measure, b, 1.0 if key == "at_most" else -1.0, (force, back),
                                      constants) for key, b in sides.items()}
        if back is not None or constants:
            raise ModelError(f"{what}: {', '.join([*constants, *(['back'] if back is not None else [])])} belongs to a "
                             "force=, which is not given.")
        e, slow = _restitution(what, restitution), checked_rest(what, rest)
        self._claim(name, "stop")
        self.stops[name] = Stop(name, measure, bounds[0], bounds[1], e, slow)
        return self.stops[name]

    def _yields(self, name: str, measure: Measure, bound: float, sign: float, texts: tuple[Any, Any],
                constants: dict[str, Any]) -> Law:
        """A law that pushes back beyond a bound; sign 1: above it."""
        what = f"stop {name!r}"
        for key, text in zip(("force", "back"), texts, strict=True):
            if text is not None and not isinstance(text, str):
                raise ModelError(f"{what}: {key} is {text!r}; it is a text over d and dd, such as '1e5*d + 200*dd'.")
        depth, rate = (f"(d - {bound!r})", "dd") if sign > 0 else (f"({bound!r} - d)", "(-dd)")
        pushes = _beyond(texts[0], depth, rate)
        if texts[1] is not None:
            constants = constants | {"deepest": self.variable(f"{name}.deepest", 0.0, unit=measure.unit)}
            pushes = f"min({pushes}, {_beyond(texts[1], depth, rate)})"
        resists = "" if sign > 0 else "-"
        law = self.law(name, measure, f"if({depth} > 0, {resists}max(0, {pushes}), 0)", **constants)
        if texts[1] is not None:
            deep = f"({name}.value - {bound!r})" if sign > 0 else f"({bound!r} - {name}.value)"
            self.event(f"{name}.turns", f"{'' if sign > 0 else '-'}{name}.rate", direction="down",
                       set={f"{name}.deepest": f"max({name}.deepest, {deep})"})
        return law

    @staticmethod
    def _claim_stop(what: str, name: str, low: float | None, high: float | None) -> None:
        if low is None and high is None:
            raise ModelError(f"{what}: it needs a bound: at_least=, at_most= or both.")
        if low is not None and high is not None and not low < high:
            raise ModelError(f"{what}: at_least {low:g} is not below at_most {high:g}.\n"
                             "  What is held at one value is a hold().")

    def rope(self, name: str, a: Frame, b: Frame, length: float | None = None, *, restitution: float = 0.0,
             rest: float = REST) -> Stop:
        """A rope or chain without mass: the distance of two points is at most `length` [m], as drawn if not given."""
        what = f"rope {name!r}"
        for frame in (a, b):
            if not isinstance(frame, Frame):
                raise ModelError(f"{what}: it needs two frames, such as body.frame((x, y, z)), not {frame!r}.")
        if isinstance(a, Frame) and isinstance(b, Frame) and a.body is b.body:
            raise ModelError(f"{what}: both its points are on the same body {a.body.name!r}, so it never changes.")
        measure = self._measure(what, distance(a, b))
        metres = measure.drawn_value if length is None else finite_number(f"{what}: length", length)
        if metres <= 0:
            raise ModelError(f"{what}: the length is {metres:g} m; it must be positive.")
        return self._rigid(name, measure, at_most=metres, restitution=restitution, rest=rest)

    def _rigid(self, name: str, measure: Measure, **given: Any) -> Stop:
        made = self.stop(name, measure, **given)
        assert isinstance(made, Stop)
        return made


def _beyond(text: str, depth: str, rate: str) -> str:
    """A text over d and dd with what they stand for."""
    return "(" + re.sub(r"(?<![\w.])(dd|d)(?![\w.(])", lambda found: rate if found[0] == "dd" else depth, text) + ")"


def _restitution(what: str, value: Any) -> float:
    e = finite_number(f"{what}: restitution", value)
    if not 0 <= e <= 1:
        raise ModelError(f"{what}: restitution is {e:g}; it is the share of its speed with which something comes back, "
                         "from 0 to 1.")
    return e


def checked_rest(what: str, value: Any) -> float:
    """A speed below which something stays."""
    speed = finite_number(f"{what}: rest", value)
    if not speed > 0:
        raise ModelError(f"{what}: rest is {speed:g}; it is the speed [m/s or rad/s] below which something stays, and "
                         "positive.")
    return speed
