"""Rotors as the kernel has them: masses on rails, tied to the measures they turn with.

A rotor adds 1/2 J (ratio m_dot)^2 to the kinetic energy. So does a mass J (ratio / s)^2 that goes s metres along a
rail of the ground while m changes by one. The rail is at right angles to gravity and begins in the origin, so that the
mass has no potential energy; a rail has no turns to count and no gyroscopic moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vincolo.layout import POINT, VELOCITY, of_body
from vincolo.model import Body, Joint, Measure, Model
from vincolo.model.body import make_body
from vincolo.model.forces import Rotor
from vincolo.model.geometry import perpendicular
from vincolo.model.measure import along
from vincolo.model.measure_units import measure_unit

if TYPE_CHECKING:
    from vincolo.state import State
    from vincolo.system import System

ROWS = 6  # of a rotor: five of its rail, one that ties it


@dataclass(frozen=True)
class Flywheel:
    """The mass of a rotor, its rail, and the measure that is held: m - travel / s."""

    rotor: Rotor
    body: Body
    rail: Joint
    tie: Measure
    scale: float  # s [m]


def flywheels(model: Model, size: float) -> list[Flywheel]:
    """All rotors of a model of this size [m]."""
    return [_flywheel(model, rotor, size) for rotor in model.rotors.values()]


def _flywheel(model: Model, rotor: Rotor, size: float) -> Flywheel:
    s = 1.0 if measure_unit(rotor.measure) == "m" else size
    mass, zero = rotor.reflected / s**2, (0.0, 0.0, 0.0)
    body = make_body(rotor.name, mass, mass * size**2, zero, None, None, zero, zero)
    pull = float(np.linalg.norm(model.gravity))
    e = perpendicular(model.gravity / pull) if pull else np.array([1.0, 0.0, 0.0])
    frames = [part.frame(zero, z=e) for part in (model.ground, body)]
    rail = Joint(rotor.name, "prismatic", frames[0], frames[1])
    return Flywheel(rotor, body, rail, rotor.measure - along("z", *frames) * (1 / s), s)


def with_rotors(system: System, state: State) -> State:
    """The state with rotors where, and as fast as, the bodies ask for."""
    if not system.flywheels:
        return state
    y = state.y.copy()
    numbers = [system.quantities[f"{f.rotor.name}.value"] for f in system.flywheels]
    found = system.kernel.quantity_rows(0.0, y.tolist(), state.turns.tolist(), numbers)
    for k, f in enumerate(system.flywheels):
        e, own = f.rail.a.axes[:, 2], of_body(y, len(system.body_numbers) + k)
        per = f.scale / f.rotor.ratio
        own[POINT] = e * (per * float(found["quantity"][k]) - f.scale * f.rotor.measure.drawn_value)
        own[VELOCITY] = e * per * float(found["rate"][k])
    return state.with_vector(y)
