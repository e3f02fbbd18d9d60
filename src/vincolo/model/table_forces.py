"""Forces by tables, motors by their torque-speed curve, forces at points fixed in space. Mixed into Model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Body
from vincolo.model.checks import finite_number, number_array
from vincolo.model.forces import Law
from vincolo.model.geometry import Array, vector
from vincolo.model.measure import Measure
from vincolo.model.named_parts import Parts

MOST_ENTRIES = 400  # of a table


class TableForces(Parts):
    """The methods of a model for forces by numbers that were measured."""

    law: ClassVar[Callable[..., Law]]
    actuator: ClassVar[Callable[..., Law]]
    force: ClassVar[Callable[..., Any]]
    torque: ClassVar[Callable[..., Any]]

    def table_force(self, name: str, target: str | Measure, values: Any, others: Any, forces: Any, *,
                    over: str | Measure = "dd", drives: bool = False) -> Law:
        """A force [N] or torque [N m] along a measure by a table in two variables: over the measure itself (`values`,
        one for each row) and over its rate, or another measure (`others`, one for each column). Straight between the
        entries, constant outside. It resists, or drives the measure if asked for."""
        what = f"table force {name!r}"
        x, y = _rising(f"{what}: values", values), _rising(f"{what}: others", others)
        table = number_array(f"{what}: forces", forces)
        if table.shape != (len(x), len(y)) or not np.isfinite(table).all():
            raise ModelError(f"{what}: forces has the shape {table.shape}; {len(x)} rows (values) of {len(y)} finite "
                             "numbers (others) are needed.")
        if table.size > MOST_ENTRIES:
            raise ModelError(f"{what}: the table has {table.size} entries; at most {MOST_ENTRIES} are taken.\n"
                             "  Leave rows or columns out where it is nearly straight.")
        seen = "dd" if isinstance(over, str) and over == "dd" else "other"
        measures = {} if seen == "dd" else {"other": self._measure(f"{what}: over", over)}
        across, terms = _ramps(y, seen), []
        steps = np.diff(np.diff(table, axis=0, prepend=0.0), axis=1, prepend=0.0)
        for ramp, row in zip(_ramps(x, "d"), steps.tolist(), strict=True):
            inner = " + ".join(f"{f!r}*{other}" for f, other in zip(row, across, strict=True) if f)
            terms += [f"{ramp}*({inner})"] if inner else []
        made = self.actuator if drives else self.law
        return made(name, target, " + ".join(terms) or "0", **measures)

    def motor(self, name: str, target: str | Measure, speeds: Any, torques: Any, *,
              control: str | float = 1.0) -> Law:
        """A motor along a measure by its curve of torque [N m] over speed [rad/s] (force over m/s along a travel),
        straight between the points and constant outside. `control` multiplies it: a number, or a text over t and
        anything of the mechanism, such as the name of an input."""
        what = f"motor {name!r}"
        x, f = _rising(f"{what}: speeds", speeds), number_array(f"{what}: torques", torques)
        if f.shape != x.shape or not np.isfinite(f).all():
            raise ModelError(f"{what}: {len(x)} speeds need as many finite torques, not the shape {f.shape}.")
        if not isinstance(control, str):
            control = repr(finite_number(f"{what}: control", control))
        steps = zip(np.diff(f, prepend=0.0).tolist(), _ramps(x, "dd"), strict=True)
        curve = " + ".join(f"{step!r}*{ramp}" for step, ramp in steps if step) or "0"
        return self.actuator(name, target, f"({control})*({curve})")

    def force_in_space(self, name: str, body: Body | str, point: Any, components: Sequence[Any]) -> tuple[Law, ...]:
        """A force [N] in world axes on whatever part of a body passes a point [m] that is fixed in space, such as a
        jet or a roller beside a track. Components are numbers or texts over t and the mechanism. Its parts are
        "name.x" to "name.z" and the torques about the body's frame, "name torque.x" to "name torque.z"."""
        what = f"force in space {name!r}"
        on, p = self._body(what, body), vector(f"{what}: point", point)
        if on.is_ground:
            raise ModelError(f"{what}: it acts on the ground, where it does nothing.")
        if isinstance(components, str) or not hasattr(components, "__len__") or len(components) != 3:
            raise ModelError(f"{what}: {components!r} is not three components (x, y, z).")
        f = [part if isinstance(part, str) else repr(finite_number(f"{what}: components", part)) for part in components]
        arms = [f"({float(place)!r} - {on.name}.{axis})" for place, axis in zip(p, "xyz", strict=True)]
        about = [f"{arms[(k + 1) % 3]}*({f[(k + 2) % 3]}) - {arms[(k + 2) % 3]}*({f[(k + 1) % 3]})" for k in range(3)]
        forces = self.force(name, on.frame(local=(0.0, 0.0, 0.0)), [f"{part} + 0*{on.name}.x" for part in f])
        return (*forces, *self.torque(f"{name} torque", on, about))


def _rising(what: str, given: Any) -> Array:
    x = number_array(what, given)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or (np.diff(x) <= 0).any():
        raise ModelError(f"{what} is {given!r}; at least two finite numbers are needed, each larger than the one "
                         "before.")
    return x


def _ramps(x: Array, name: str) -> list[str]:
    """One, and for every interval of x what rises straight from zero to one over it: steps of a table times these add
    up to the table, and the slope at a knot is that of the interval before it."""
    places = zip(x[:-1].tolist(), np.diff(x).tolist(), strict=True)
    return ["1", *(f"max(0, min(({name} - {start!r})/{width!r}, 1))" for start, width in places)]
