"""Units of channels, from what each channel is.

A measure has the unit of its terms: lengths m, angles rad, cosines 1; factors count as plain numbers. A sum of
different kinds and a formula can be anything, so their unit is "" (not known), and so are those of their rates and
forces. A force along a measure is what gives power with its rate: N along lengths, N m along angles and cosines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vincolo.model.measure import Measure

if TYPE_CHECKING:
    from vincolo.channels.channels import Channels
    from vincolo.system import System

#: of the kinds of measures
MEASURES = {"world": "m", "along": "m", "distance": "m", "skid": "m", "roll": "m", "cosine": "1", "angle": "rad",
            "azimuth": "rad"}
MOTIONS = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2", "angular_velocity": "rad/s",
           "angular_acceleration": "rad/s^2"}
RATES = {"m": "m/s", "rad": "rad/s", "1": "1/s", "": ""}
SECONDS = {"m": "m/s^2", "rad": "rad/s^2", "1": "1/s^2", "": ""}
FORCES = {"m": "N", "rad": "N m", "1": "N m", "": ""}
REACTIONS = {"force": "N", "torque": "N m"}
#: kinds of channels that have one unit; residuals are the largest of rows in m and rows in rad
ALWAYS = {"quaternion": "1", "gate": "1", "law_power": "W", "load_power": "W", "drive_power": "W", "rotor_power": "W",
          "energy": "J", "whole": "", "memory": ""}


def unit_of(channels: Channels, name: str) -> str:
    """The unit of a channel: "m", "rad/s", "N m", ...; "1" of plain numbers, "" where it is not known."""
    if name == "t":
        return "s"
    kind, *args = channels.entry(name)
    if kind in ALWAYS:
        return ALWAYS[kind]
    if kind == "auxiliary":
        return channels.system.model.auxiliaries[name].unit
    if kind == "output":
        return channels.system.model.outputs[name].unit
    if kind == "alias":
        return channels.system.model.outputs[name].unit or unit_of(channels, args[0])
    if kind in ("body", "frame"):
        return MOTIONS[args[1]]
    if kind == "reaction":
        return REACTIONS[args[1]]
    if kind == "drive_force":
        return FORCES[measure_unit(channels.system.holds[name.removesuffix(".force")].measure)]
    if kind == "rotor_force":
        return FORCES[measure_unit(channels.system.model.rotors[name.removesuffix(".force")].measure)]
    if kind == "law_force":
        return FORCES[_law_unit(channels, name.removesuffix(".force"))]
    unit = channels.quantity_units[args[0]]
    return {"value": unit, "rate": RATES[unit], "second": SECONDS[unit]}[kind]


def measure_unit(measure: Measure) -> str:
    """The unit of a measure; "" of formulas and of sums of different kinds."""
    found = {MEASURES[equation.kind] for _, equation, _, _ in measure.terms}
    return found.pop() if measure.tape is None and len(found) == 1 else ""


def _law_unit(channels: Channels, name: str) -> str:
    quantities = channels.system.quantities
    return channels.quantity_units[quantities[f"{name}.length" if f"{name}.length" in quantities else f"{name}.value"]]


def quantity_units(system: System) -> dict[int, str]:
    """Units of all measures that can be read, by the numbers of their quantities."""
    measures = {m.name or "": m for joint in system.joints.values() for m in joint.coordinates.values()}
    measures |= system.model.measures
    measures |= {f"{s.name}.length": s.measure for s in system.model.springs.values()}
    measures |= {f"{law.name}.value": law.measure for law in system.model.laws.values()}
    measures |= {f"{rotor.name}.value": rotor.measure for rotor in system.model.rotors.values()}
    return {number: measure_unit(measures[name]) for name, number in system.quantities.items()}
