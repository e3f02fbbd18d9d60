"""Stops at the start of a run, and where the motion has nothing to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vincolo.errors import ModelError
from vincolo.model.measure_units import measure_unit

if TYPE_CHECKING:
    from vincolo.state import State
    from vincolo.system import System

BEYOND = 1e-8  # of the extent, or rad: nearer than this, the start is at the stop


def check_stops(who: str, start: State) -> None:
    """Refuses a start that lies beyond a stop."""
    for name, stop in start.system.model.stops.items():
        value, unit = float(start[f"{name}.value"]), measure_unit(stop.measure)
        allowed = BEYOND * (1.0 if unit == "rad" else start.system.extent)
        for sign, bound in stop.sides:
            if sign * (value - bound) < -allowed:
                word = "at least" if sign > 0 else "at most"
                raise ModelError(f"{who}: stop {name!r} excludes the start: its measure is {value:.6g} {unit} there, "
                                 f"and {word} {bound:.6g} {unit} is allowed.\n"
                                 "  Start on the other side of it, or move the stop.")


def refuse_decided(who: str, system: System) -> None:
    """Refuses what only a motion decides: which stops hold, what sticks; and laws that read reactions."""
    model = system.model
    for kind, group in (("stop", model.stops), ("friction", model.frictions)):
        for name in group:
            raise ModelError(f"{who}: {kind} {name!r} holds or gives way as the motion decides, and here nothing moves."
                             "\n  Use simulate(), or take it out of a copy of the model: model.copy(), then remove().")
    refuse_reading(who, system)


def refuse_reading(who: str, system: System) -> None:
    """Refuses laws other than friction that read reactions."""
    rubbing = {title for friction in system.model.frictions.values() for title in friction.titles}
    for name in set(system.reacting) - rubbing:
        raise ModelError(f"{who}: law {name!r} reads reactions, which only simulate() finds together with it.\n"
                         "  Take it out of a copy of the model: model.copy(), then remove().")
    for name, part in system.model.variables.items():
        if part.sensed is not None:
            raise ModelError(f"{who}: sensor {name!r} is set by the steps of a run, and here there are none.\n"
                             "  Take it out of a copy of the model: model.copy(), then remove().")
