"""Dry friction that sticks: along a measure, bounded by the load of a joint or a stop. Mixed into Model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vincolo.errors import ExpressionError, ModelError, suggest
from vincolo.model.auxiliary import Formula
from vincolo.model.checks import finite_number
from vincolo.model.expression import parse
from vincolo.model.joint import Joint
from vincolo.model.measure import RATE, Measure, formula
from vincolo.model.sights import XYZ, force_sights, sights, spin, words_of
from vincolo.model.stops import Stop, Stops, checked_rest

REST = 1e-9  # m/s or rad/s: slower than this it may stick
WAY = "slip_way"  # what a law of friction calls the direction of slip: -1, 1, or 0 where it sticks
LOOSE = "slip_loose"  # of several directions: 1 where it slips the way it moves, whichever that is
#: joints whose friction is along coordinates of their own, with the axis of the pin (2: that of the second body)
PINS = {"revolute": {"angle": ""}, "cylindrical": {"angle": "", "travel": ""}, "prismatic": {"travel": ""},
        "universal": {"angle1": "", "angle2": "2"}}
#: joints whose slip has several directions, and what it is called
SURFACES = {"planar": "slip", "spherical": "turn"}
Load = tuple[str, dict[str, str] | None]  # a text, and what its names stand for where they are not those of texts
NONE: dict[str, Measure] = {}
TINY = 1e-30  # m^2/s^2 or rad^2/s^2
GIVEN = ("mu_static", "stribeck", "viscous", "radius", "length", "end_radius", "regularised")


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction along a measure: mu N against its rate, and N what it is loaded with. Of several measures, whose rates
    are the parts of one slip, mu N is the size of their forces together, against the slip."""

    name: str
    measures: tuple[Measure, ...]
    on: str  # the joint or stop that loads it, or ""
    along: str  # the coordinate or measure it is along, as given
    mu: float
    mu_static: float
    load: str  # N, as text; of joints over the parts of their reaction, of stops over their force
    forces: tuple[Formula, ...]  # of slip, over WAY, LOOSE and dd
    bound: Formula  # of what sticks
    given: dict[str, float] = field(default_factory=dict)  # numbers other than mu, as given
    rest: float = REST

    @property
    def measure(self) -> Measure:
        """What slips; of several directions the first."""
        return self.measures[0]

    @property
    def titles(self) -> tuple[str, ...]:
        """Names of its forces: its own, or of several directions "name.x", "name.y", "name.z"; the third of a plane is
        that of pivoting."""
        return (self.name,) if len(self.measures) == 1 else tuple(f"{self.name}.{x}" for x in XYZ[:len(self.measures)])

    @property
    def words(self) -> str:
        """What it is, in words."""
        static = f" (sticking {self.mu_static:g})" if self.mu_static > self.mu else ""
        smooth = f", smoothed about {self.regularised:g} (it creeps)" if self.regularised else ""
        return f"mu {self.mu:g}{static} on {self.on or self.along}, load {self.load}{smooth}"

    @property
    def regularised(self) -> float:
        """The speed about which it is smoothed [m/s or rad/s]; 0 where it sticks."""
        return self.given.get("regularised", 0.0)


class Frictions(Stops):
    """The method of a model for friction."""

    def friction(self, name: str, on: str | Joint | Stop | Measure, mu: float, *, along: str | Measure | None = None,
                 normal: str | float | None = None, mu_static: float | None = None, stribeck: float = 0.0,
                 viscous: float = 0.0, radius: float = 0.0, length: float = 0.0, end_radius: float = 0.0,
                 regularised: float = 0.0, rest: float = REST) -> Friction | dict[str, Friction]:
        """Coulomb friction that truly sticks: while it slips the force is mu N against the rate, and while it sticks
        anything up to mu_static N. N follows from the load of a joint or stop, and is found together with it:

        - on a revolute or universal joint a torque, with N = radius (radial + 2 bending / length) + end_radius |axial|
          of its reaction; on a prismatic joint a force, with N = radial + 2 bending / length + |twist| / radius; on a
          cylindrical joint both (Vita 2005). `length` is that of the bearing: without it bending does not count.
          Several coordinates make frictions of their own, "name.angle" and "name.travel", unless `along` names one;
        - on a planar joint the force against the slip in its plane, whichever way that goes, with N = |axial| + 2
          bending / length; with a `radius` pivoting counts too, as the third part of a slip (vx, vy, radius w) (Howe
          and Cutkosky 1996). On a spherical joint the torque against its turning, with N = radius |force|;
        - on a stop the force with which it pushes; `along` is the measure that slips on it;
        - on any measure `normal`: a number, or a text over anything of the mechanism, such as "2*O.reaction.force".

        Between rest and fast slip the coefficient goes from mu_static to mu as exp(-(v / stribeck)^2); `viscous` times
        the rate is added. What an impact leaves slower than `rest` may stick; slip with several directions, slower than
        1,000 times that, keeps its direction until it sticks or leaves. With `regularised`, a speed, mu N
        tanh(v / regularised) acts instead: it never sticks, but creeps."""
        what = f"friction {name!r}"
        numbers = {"mu": mu, "mu_static": mu if mu_static is None else mu_static, "stribeck": stribeck,
                   "viscous": viscous, "radius": radius, "length": length, "end_radius": end_radius,
                   "regularised": regularised}
        values = {key: _not_negative(what, key, value) for key, value in numbers.items()}
        if values["mu_static"] < values["mu"]:
            raise ModelError(f"{what}: mu_static {values['mu_static']:g} is less than mu {values['mu']:g}: what sticks "
                             "holds at least as well as what slips.")
        slow = checked_rest(what, rest)
        places = self._rubbed(what, on, along, normal, values)
        many = len(places) > 1
        made: dict[str, Friction] = {}
        for key, (measures, owner, *load) in places.items():
            title = f"{name}.{key}" if many else name
            self._claim(title, "friction")
            made[key] = self._make(f"friction {title!r}", title, measures, (owner, key), tuple(load), values, slow)
        self.frictions.update({f.name: f for f in made.values()})
        return made if many else next(iter(made.values()))

    def _rubbed(self, what: str, on: Any, along: Any, normal: Any, values: dict[str, float]) -> dict[str, Any]:
        """By coordinate or measure: what slips, on which joint or stop, its load as text and the forces that names in
        it stand for."""
        name = on if isinstance(on, str) else getattr(on, "name", None)
        if name in self.joints and normal is None:
            return self._on_joint(what, self.joints[name], along, values)
        if name in self.stops and normal is None:
            return self._on_stop(what, self.stops[name], along)
        measure = self._along(what, on) if isinstance(on, str) and "." in on else self._measure(what, on)
        if normal is None:
            raise ModelError(f"{what}: the load that presses is missing.\n  Give normal= a number [N] or a text such "
                             "as 'O.reaction.force', or let it act on a joint or stop by its name.")
        load = normal if isinstance(normal, str) else repr(_not_negative(what, "normal", normal))
        return {measure.name or "measure": ((measure,), "", load, None)}

    def _on_joint(self, what: str, joint: Joint, along: Any, values: dict[str, float]) -> dict[str, Any]:
        pins = {SURFACES[joint.kind]: ""} if joint.kind in SURFACES else PINS.get(joint.kind)
        if pins is None:
            raise ModelError(f"{what}: how a {joint.kind} joint is pressed and slips does not follow from its kind.\n  "
                             f"It goes with {', '.join((*PINS, *SURFACES))}; else name a measure and its normal=.")
        if along is not None and along not in pins:
            raise ModelError(f"{what}: along is {along!r}; {joint.name!r} has {', '.join(pins)}."
                             f"{suggest(str(along), pins)}")
        wanted = {key: axis for key, axis in pins.items() if along in (None, key)}
        if values["radius"] == 0 and any(key not in ("travel", "slip") for key in wanted):
            raise ModelError(f"{what}: the radius of the {'ball' if 'turn' in wanted else 'pin'} [m] is missing, "
                             "without which friction has no torque.\n  Give radius=.")
        forces = {axis: {f"{part}{axis}": f"{joint.name}.reaction.{part}{axis}"
                         for part in ("axial", "radial", "twist", "bending")} for axis in ("", "2")}
        forces[""]["pressing"] = f"{joint.name}.reaction.force"
        return {key: (_slipping(joint, key, values), joint.name, _load_text(joint.kind, key, axis, values),
                      forces[axis]) for key, axis in wanted.items()}

    def _on_stop(self, what: str, stop: Stop, along: Any) -> dict[str, Any]:
        if along is None:
            raise ModelError(f"{what}: the measure that slips on stop {stop.name!r} is missing.\n  Give along=, such "
                             "as along='block.x' or a measure.")
        if len(stop.sides) > 1:
            raise ModelError(f"{what}: stop {stop.name!r} has two sides.\n  Make two stops, and friction on each.")
        measure = self._along(what, along) if isinstance(along, str) else self._measure(what, along)
        key = along if isinstance(along, str) else measure.name or "measure"
        pressed = "pressed" if stop.sides[0][0] > 0 else "-pressed"
        return {key: ((measure,), stop.name, pressed, {"pressed": f"{stop.name}.force"})}

    def _make(self, what: str, name: str, measures: tuple[Measure, ...], place: tuple[str, str], load: Load,
              values: dict[str, float], rest: float) -> Friction:
        mu, most, v = values["mu"], values["mu_static"], values["stribeck"]
        forces = []
        for own in measures:
            others = {f"slip_{n}": m for n, m in enumerate(measures) if m is not own}
            speed = _speed(others) if others else "dd"
            coefficient = f"({mu!r} + {most - mu!r}*exp(-({speed}/{v!r})^2))" if v and most > mu else f"{mu!r}"
            text = f"-({_way(speed, values['regularised'])}*{coefficient}*({{N}}) + {values['viscous']!r}*dd)"
            forces.append(self._loaded(what, text, load, others))
        bound = self._loaded(what, f"{most!r}*({{N}})", load)
        given = {key: values[key] for key in GIVEN if values[key] and not (key == "mu_static" and most == mu)}
        return Friction(name, measures, place[0], place[1], mu, most, load[0], tuple(forces), bound, given, rest)

    def _loaded(self, what: str, text: str, load: Load, beside: Mapping[str, Measure] = NONE) -> Formula:
        """A text over a load N, which may name forces that follow from the motion, and over the rates of measures."""
        try:
            plain, forces = force_sights(self, load[0]) if load[1] is None else (load[0], _named_in(load[0], load[1]))
            seen = sights(self, plain, None, (*forces, *beside, WAY, LOOSE, "dd"))
            others = {**seen.others, **beside}
            names = (*others, *(f"{other}{RATE}" for other in others), *seen.reads, *forces)
            own = (*(name for name in (WAY, LOOSE) if name in text), "dd")
            tape = parse(text.format(N=seen.text), inputs=(*own, *names))
        except ExpressionError as error:
            raise ExpressionError(f"{what}: normal: {error}") from None
        return Formula(tape, tuple(others.items()), tuple(seen.reads.items()), tuple(forces.items()), load[0])


def _named_in(text: str, forces: dict[str, str]) -> dict[str, str]:
    return {name: force for name, force in forces.items() if name in words_of(text)}


def _slipping(joint: Joint, key: str, values: dict[str, float]) -> tuple[Measure, ...]:
    """The measures whose rates are the slip of a joint."""
    if key == "turn":
        return tuple(spin(joint.a, joint.b, axis) for axis in XYZ)
    if key == "slip":
        pivots = (replace(formula("r*a", a=joint["angle"], r=values["radius"]), unit="m"),) if values["radius"] else ()
        return (joint["x"], joint["y"], *pivots)
    return (joint[key],)


def _speed(others: Mapping[str, Measure]) -> str:
    """The size of a slip with several directions; not quite zero at rest, so that it can be divided by."""
    return f"sqrt(dd^2 + {' + '.join(f'{name}{RATE}^2' for name in others)} + {TINY!r})"


def _way(speed: str, smooth: float) -> str:
    """Which way it slips: along one measure -1 or 1, along several their share of the slip, or the direction held."""
    if speed == "dd":
        return f"tanh(dd/{smooth!r})" if smooth else WAY
    return f"tanh({speed}/{smooth!r})*dd/{speed}" if smooth else f"({WAY} + {LOOSE}*dd/{speed})"


def _load_text(kind: str, key: str, axis: str, values: dict[str, float]) -> str:
    """What a pin or slide is pressed with, from the parts of the reaction of its joint."""
    radius, length, end = values["radius"], values["length"], values["end_radius"]
    if key == "turn":
        return f"{radius!r}*pressing"
    if key == "slip":
        return "abs(axial)" + (f" + {2 / length!r}*bending" if length else "")
    pressed = f"radial{axis}" + (f" + {2 / length!r}*bending{axis}" if length else "")
    if key == "travel":
        return pressed + (f" + abs(twist)/{radius!r}" if radius and kind == "prismatic" else "")
    return f"{radius!r}*({pressed})" + (f" + {end!r}*abs(axial{axis})" if end else "")


def _not_negative(what: str, key: str, value: Any) -> float:
    number = finite_number(f"{what}: {key}", value)
    if number < 0:
        raise ModelError(f"{what}: {key} is {number:g}; it is not negative.")
    return number
