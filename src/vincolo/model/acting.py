"""Forces along one measure, and at one point: springs, laws, actuators, loads. Mixed into Model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.auxiliary import Auxiliaries, Auxiliary, Formula
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number, refuse_quantity, refuse_unused, words_of
from vincolo.model.forces import Law, Load, Spring
from vincolo.model.functions import Function, Spline
from vincolo.model.functions.given import function_of
from vincolo.model.measure import RATE, Measure, along, distance
from vincolo.model.measure_units import force_unit, measure_unit
from vincolo.model.named_parts import Place
from vincolo.model.pushes import pushed_along
from vincolo.model.python_laws import Called, arguments_of, written
from vincolo.model.tape import degree

EMPTY: dict[str, Any] = {}


class Forces(Auxiliaries):
    """The methods of a model for springs, laws, actuators and loads."""

    def spring(self, name: str, a: Frame | Measure | str, b: Frame | None = None, *, k: float, c: float = 0.0,
               length: float | None = None, preload: float = 0.0) -> Spring | dict[str, Spring]:
        """Spring and damper between two points, or on any measure: F = k (m - length) + c m_dot + preload,
        positive in tension; `length` is the measure as drawn if not given. Between points that coincide as drawn, with
        no length of its own, it pulls back from every side: three springs along the axes of a, "name.x" to "name.z"."""
        what = f"spring {name!r}"
        measure = self._measure(what, self._span(what, a, b))
        if isinstance(a, Frame) and isinstance(b, Frame) and (
                measure.drawn_value <= 1e-12 * float(np.linalg.norm(a.drawn_point))):
            if length or preload:
                raise ModelError(f"{what}: its two points coincide as drawn, so its length and preload have no "
                                 "direction.\n  Leave them out, or move one of the points.")
            return {axis: self._sprung(f"{name}.{axis}", along(axis, a, b), k, c, 0.0) for axis in "xyz"}
        return self._sprung(name, measure, k, c, length, preload)

    def _sprung(self, name: str, measure: Measure, k: float, c: float, length: float | None,
               preload: float = 0.0) -> Spring:
        """A spring and damper on one measure."""
        what = f"spring {name!r}"
        unit = measure_unit(measure).replace("^", "**")
        force = force_unit(measure_unit(measure)).replace(" ", "*")
        units = {} if not force else {"length": unit, "preload": force, "k": f"{force}/({unit})",
                                      "c": f"{force}*s/({unit})"}
        rest = measure.drawn_value if length is None else finite_number(
            f"{what}: length", length, unit=units.get("length"))
        if measure.is_velocity and (k or length is not None):
            raise ModelError(f"{what}: it acts along a velocity, which has no length; k is {k:g} and must be 0.\n"
                             "  Keep c= and preload= only, or take a measure without rates.")
        self._claim(name, "spring")
        numbers = [finite_number(f"{what}: {n}", v, unit=units.get(n))
                   for n, v in (("k", k), ("c", c), ("preload", preload))]
        self.springs[name] = Spring(name, measure, numbers[0], numbers[1], rest, numbers[2])
        return self.springs[name]

    def law(self, name: str, target: str | Measure, force: str | float | Spline | Callable[..., Any], *,
            reactions: Any = None, **constants: Any) -> Law:
        """A resisting force along a measure: a number, text over d (value), dd (rate) and t, a Spline over d, or a
        Python function whose arguments are d, dd, t and names given by keyword (angle="hinge.angle", k=3). A name
        in the text may be a number or another measure: x=measure gives x and x_rate. Anything that the mechanism
        has so far goes by the name it has in results: "k*cart.x + c*cart.vx + hinge.angle.rate". With `reactions` =
        "solved" the text may also name forces that follow from the motion, "0.1*hinge.reaction.radial*sign(dd)": they
        and the law are found together."""
        return self._law(name, target, force, -1.0, constants, reactions)

    def actuator(self, name: str, target: str | Measure, force: str | float | Function | Callable[..., Any], *,
                 reactions: Any = None, **constants: Any) -> Law:
        """A driving force [N] or torque [N m] along a measure: a number, text over d, dd, t and other measures or a
        Python function as in law(), or a Function of time."""
        return self._law(name, target, force, 1.0, constants, reactions)

    def force(self, name: str, where: Place, components: Sequence[Any], axes: str = "world",
              **constants: Any) -> Load | tuple[Law, ...]:
        """A force [N] at a frame (or a body's centre of mass), components in world or body axes: numbers, text in
        t, or Functions. Where a text names anything of the mechanism or of a run, as in law(), the components that
        are not zero are actuators instead, called "name.x", "name.y", "name.z", and texts may use the `constants`."""
        return self._load(name, where, components, axes, torque=False, constants=constants)

    def torque(self, name: str, where: Place, components: Sequence[Any], axes: str = "world",
               **constants: Any) -> Load | tuple[Law, ...]:
        """A torque [N m] on a body, components in world or body axes: numbers, text in t, or Functions; or texts over
        the mechanism, as in force()."""
        return self._load(name, where, components, axes, torque=True, constants=constants)

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

    def _law(self, name: str, target: Any, force: Any, sign: float, constants: dict[str, Any],
             reactions: str | None = None) -> Law:
        kind = "law" if sign < 0 else "actuator"
        what = f"{kind} {name!r}"
        if reactions not in (None, "solved") or (reactions and not isinstance(force, str)):
            raise ModelError(f"{what}: reactions is {reactions!r}; of a text it may be 'solved': found together with "
                             "the law.")
        measure = self._measure(what, target)
        seen: Formula | None = None
        curve, history = None, None
        named = [key for key, value in constants.items() if isinstance(value, Measure | Auxiliary)]
        if named and not isinstance(force, str) and not callable(force):
            raise ModelError(f"{what}: {', '.join(named)} cannot be used: only a text names other measures.")
        if isinstance(force, Spline) and sign < 0:
            curve = force
        elif isinstance(force, Function) and sign > 0:
            history = force
        elif isinstance(force, Function):
            raise ModelError(f"{what}: the force is {force!r}; give a number, a text over d, dd and t, or a Spline "
                             "over d.\n  A force by a function of time is an actuator().")
        elif callable(force):
            return self._python_law(name, measure, force, sign, constants)
        else:
            text = force if isinstance(force, str) else repr(finite_number(f"{what}: the force", force))
            seen = self._formula(what, text, constants, measure, reactions=reactions is not None)
        if measure.is_velocity and (curve is not None or (seen is not None and degree(seen.tape, ("d",)))):
            raise ModelError(f"{what}: it acts along a velocity, which has a rate (dd) but no value d.\n"
                             "  Write the force over dd and t only, or take a measure without rates.")
        if seen is None:
            refuse_unused(what, "", constants)
        self._claim(name, kind)
        read = (None, (), (), ()) if seen is None else (seen.tape, seen.others, seen.reads, seen.constants)
        forces = () if seen is None else seen.forces
        self.laws[name] = Law(name, measure, read[0], curve, history, sign, read[1], read[2], constants=read[3],
                              forces=forces, told=seen.told if seen is not None and forces else "")
        return self.laws[name]

    def _python_law(self, name: str, measure: Measure, force: Callable[..., Any], sign: float,
                    constants: dict[str, Any]) -> Law:
        """A law by a Python function, as a formula or to be called."""
        kind = "law" if sign < 0 else "actuator"
        arguments = arguments_of(self, f"{kind} {name!r}", force, constants, measure)
        if measure.is_velocity and "d" in arguments.inputs:
            raise ModelError(f"{kind} {name!r}: it acts along a velocity, which has a rate (dd) but no value d.\n"
                             "  Write the function over dd and t only, or take a measure without rates.")
        found = written(force, arguments)
        called = found if isinstance(found, Called) else None
        self._claim(name, kind)
        self.laws[name] = Law(name, measure, None if isinstance(found, Called) else found, None, None, sign,
                              tuple(arguments.others.items()), tuple(arguments.reads.items()), called)
        return self.laws[name]

    def _load(self, name: str, where: Any, components: Sequence[Any], axes: str, *, torque: bool,
              constants: Mapping[str, Any] = EMPTY) -> Load | tuple[Law, ...]:
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
        refuse_quantity(f"{what}: components", components)
        if isinstance(components, str) or not hasattr(components, "__len__") or len(components) != 3:
            raise ModelError(f"{what}: {components!r} is not three components (x, y, z).\n"
                             "  Give three numbers, texts in t or functions, such as (0, 0, '-10*sin(t)').")
        named = any(isinstance(value, Measure | Auxiliary) for value in constants.values())
        if named or any(self._sees(what, c, constants) for c in components):
            along = {axis: pushed_along(self.ground.frame((0, 0, 0)), frame, axis, torque=torque,
                                        in_body_axes=axes == "body") for axis in "xyz"}
            return self._pushes(what, name, zip(along.items(), components, strict=True), constants)
        refuse_unused(what, "", constants)
        x, y, z = (function_of(f"{what}, component {axis}", c) for axis, c in zip("xyz", components, strict=True))
        self._claim(name, "torque" if torque else "force")
        self.loads[name] = Load(name, frame, torque, axes == "body", (x, y, z))
        return self.loads[name]

    def _pushes(self, what: str, name: str, parts: Iterable[tuple[tuple[str, Measure], Any]],
                constants: Mapping[str, Any]) -> tuple[Law, ...]:
        """Actuators along the axes of a force or torque, for those components that are not zero."""
        self._check_free(name, what.partition(" ")[0])
        given = [(axis, measure, part) for (axis, measure), part in parts
                 if isinstance(part, str | Function) or part != 0]
        texts = " ".join(part for *_, part in given if isinstance(part, str))
        refuse_unused(what, texts, [key for key in constants if f"{key}{RATE}" not in words_of(texts)])
        made: list[Law] = []
        try:
            for axis, measure, part in given:
                words = words_of(part) if isinstance(part, str) else set()
                used = {key: value for key, value in constants.items() if {key, f"{key}{RATE}"} & words}
                made.append(self._law(f"{name}.{axis}", measure, part, 1.0, used))
        except ModelError:
            for law in made:
                del self.laws[law.name]
            raise
        return tuple(made)
