"""Drives, held measures, rotors and switches. Mixed into Model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.forces import Rotor
from vincolo.model.joint import Held, Joint, Switch
from vincolo.model.measure import Measure, along_world
from vincolo.model.measure_units import check_declared
from vincolo.model.named_parts import Parts


class Drives(Parts):
    """The methods of Model that hold and lead measures."""

    def drive(self, target: str | Measure, function: Any, name: str | None = None, level: str = "position") -> Held:
        """Moves a measure, such as "O.angle", along a function of time: number, text in t, or a Function. With `level`
        "velocity" or "acceleration" the function gives the measure's rate or acceleration, and the start the rest."""
        given = target.name or "of a measure" if isinstance(target, Measure) else target
        measure = self._measure(f"drive {name or given!r}", target)
        title = name or f"{measure.name or 'drive ' + str(len(self.holds) + 1)}.drive"
        if name is None and title in self.holds:
            raise ModelError(f"drive {measure.name!r}: it is driven already.\n"
                             "  One freedom follows one function: add the two functions up, or remove one drive.")
        return self._hold(title, measure, function, True, level)

    def trajectory(self, name: str, frame: Frame, components: Sequence[Any]) -> list[Held]:
        """Leads a point along a trajectory: three functions of time for its world coordinates; None leaves one free.
        The drives are called "name.x", "name.y", "name.z"."""
        what = f"trajectory {name!r}"
        if not isinstance(frame, Frame) or self._body(what, frame.body).is_ground:
            raise ModelError(f"{what}: a frame on a moving body is needed, such as body.frame((x, y, z)).")
        if isinstance(components, str) or not hasattr(components, "__len__") or len(components) != 3:
            raise ModelError(f"{what}: {components!r} is not three functions (x, y, z).")
        origin = self.ground.frame((0.0, 0.0, 0.0))
        return [self._hold(f"{name}.{axis}", along_world(axis, origin, frame), function, True)
                for axis, function in zip("xyz", components, strict=True) if function is not None]

    def hold(self, name: str, target: str | Measure, function: Any = 0.0) -> Held:
        """Holds a measure, or a sum of measures such as 2*a["angle"] - b["angle"], at a value or function."""
        return self._hold(name, self._measure(f"hold {name!r}", target), function, False)

    def switch(self, owner: str | Joint | Held, on: bool, at: float | None = None,
               rows: Sequence[int] | None = None) -> Switch:
        """Switches a joint, drive, held measure, spring, law or load off or on at a time [s], or from the beginning if
        none is given; `rows` are the numbers of single equations, in the order of joint.row_names(). What closes while
        it moves takes an impact: velocities jump so that momentum is balanced. It is short for an event at that time;
        see event()."""
        name = owner if isinstance(owner, str) else owner.name
        what = f"switch {name!r}"
        if not isinstance(on, bool):
            raise ModelError(f"{what}: on is {on!r}; it is True or False.")
        chosen = self._rows_of(what, name, rows)
        time = -np.inf if at is None else finite_number(f"{what}: at", at)
        self.switches.append(Switch(name, float(time), on, chosen))
        return self.switches[-1]

    def rotor(self, target: str | Measure, inertia: float, ratio: float = 1.0, name: str | None = None) -> Rotor:
        """An inertia J that turns `ratio` times as fast as a measure such as "O.angle" changes, as the rotor of a
        geared motor does: it adds the kinetic energy 1/2 J (ratio m_dot)^2, so J ratio^2 to the inertia of that
        coordinate. `inertia` is in kg m2, along a travel a mass in kg. Only this spin counts: no weight, no place, and
        no gyroscopic moment when the axis itself is turned; where those matter, add a body on a hinge and a gear."""
        given = target.name or "of a measure" if isinstance(target, Measure) else target
        what = f"rotor {name or given!r}"
        measure = self._measure(what, target)
        if measure.tape is not None:
            raise ModelError(f"{what}: the formula '{measure.tape.text}' has no rotor.\n  Give a coordinate such as "
                             "'O.angle', or a sum of coordinates such as a['angle'] - b['angle'].")
        J, n = finite_number(f"{what}: inertia", inertia), finite_number(f"{what}: ratio", ratio)
        if J <= 0:
            raise ModelError(f"{what}: the inertia is {J:g}; it must be positive.\n"
                             "  Leave out a rotor without inertia.")
        if n == 0:
            raise ModelError(f"{what}: the ratio is 0, so it never turns.\n"
                             "  It is the speed of the rotor over the rate of the measure, such as 100 of a gear.")
        title = name or f"{measure.name or 'rotor ' + str(len(self.rotors) + 1)}.rotor"
        self._claim(title, "rotor")
        self.rotors[title] = Rotor(title, measure, J, n)
        return self.rotors[title]

    def measure(self, name: str, target: Measure | str, unit: str = "") -> Measure:
        """Names a measure, so that results show it. `unit`, such as "deg", is the one in which plots and tables show
        it; of a formula that converts units itself, as "x*180/pi" does, it tells which unit that gives."""
        what = f"measure {name!r}"
        found = self._measure(what, target)
        if unit:
            check_declared(what, found, unit)
        self._claim(name, "measure")
        self.measures[name] = replace(found.named(name), unit=unit or found.unit)
        return self.measures[name]
