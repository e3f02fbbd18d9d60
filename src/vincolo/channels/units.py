"""Units of channels, from what each channel is: of measures as found or declared, else of what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vincolo.model.measure import Measure
from vincolo.model.measure_units import force_unit, found_unit, measure_unit, per_second

if TYPE_CHECKING:
    from vincolo.channels.channels import Channels
    from vincolo.system import System

MOTIONS = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2", "angular_velocity": "rad/s",
           "angular_acceleration": "rad/s^2"}
REACTIONS = {"force": "N", "torque": "N m"}
CONTACT_UNITS = {"gap": "m", "point": "m", "force": "N", "points": "1", "sliding": "1", "power": "W", "energy": "J",
                 "dissipation": "W"}
#: kinds of channels that have one unit; residuals are the largest of rows in m and rows in rad
ALWAYS = {"quaternion": "1", "gate": "1", "mode": "1", "law_power": "W", "load_power": "W", "drive_power": "W",
          "rotor_power": "W", "law_energy": "J", "law_loss": "W", "load_loss": "W", "rotor_energy": "J", "energy": "J",
          "whole": "", "memory": ""}


def unit_of(channels: Channels, name: str) -> str:
    """The unit of a channel: "m", "rad/s", "N m", ...; "1" of plain numbers, "" where it is not known."""
    if name == "t":
        return "s"
    kind, *args = channels.entry(name)
    if kind in ALWAYS:
        return ALWAYS[kind]
    if kind == "none":  # an energy or a dissipation that is never there
        return "J" if name.endswith(".energy") else "W"
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
        return force_unit(measure_unit(channels.system.holds[name.removesuffix(".force")].measure))
    if kind == "rotor_force":
        return force_unit(measure_unit(channels.system.model.rotors[name.removesuffix(".force")].measure))
    if kind == "about":
        return "N" if args[1].startswith(("axial", "radial")) else "N m"
    if kind == "friction_force":
        return force_unit(measure_unit(channels.system.model.frictions[args[0]].measures[args[1]]))
    if kind in ("friction_size", "friction_sum"):  # as of its first direction
        return unit_of(channels, f"{channels.system.model.frictions[args[0]].titles[0]}.{args[1]}")
    if kind == "stop_force":
        return force_unit(measure_unit(channels.system.model.stops[name.removesuffix(".force")].measure))
    if kind == "law_force":
        return force_unit(_law_unit(channels, name.removesuffix(".force")))
    if kind == "contact":
        return CONTACT_UNITS[args[1].partition(".")[0]]
    unit = channels.quantity_units[args[0]]
    return _derived(unit, kind)


def _derived(unit: str, kind: str) -> str:
    """The unit of the value, rate or acceleration of a measure."""
    return {"value": unit, "rate": per_second(unit), "second": per_second(per_second(unit))}[kind]


def own_unit(channels: Channels, name: str) -> str:
    """The unit that a user declared for a measure whose values are in SI, or for its rate; "" if none."""
    kind, *args = ("", 0) if name == "t" else channels.entry(name)
    return _derived(channels.declared_units.get(args[0], ""), kind) if kind in ("value", "rate", "second") else ""


def _law_unit(channels: Channels, name: str) -> str:
    quantities = channels.system.quantities
    return channels.quantity_units[quantities[f"{name}.length" if f"{name}.length" in quantities else f"{name}.value"]]


def quantity_units(system: System) -> dict[int, str]:
    """Units of all measures that can be read, by the numbers of their quantities."""
    measures = _measures(system)
    return {number: measure_unit(measures[name]) for name, number in system.quantities.items()}


def declared_units(system: System) -> dict[int, str]:
    """Units in which users want to see measures whose values are in SI, by the numbers of their quantities."""
    measures = _measures(system)
    return {number: measures[name].unit for name, number in system.quantities.items()
            if measures[name].unit and found_unit(measures[name])}


def _measures(system: System) -> dict[str, Measure]:
    found = {m.name or "": m for joint in system.joints.values() for m in joint.coordinates.values()}
    found |= system.model.measures
    found |= {f"{s.name}.length": s.measure for s in system.model.springs.values()}
    found |= {f"{law.name}.value": law.measure for law in system.model.laws.values()}
    found |= {f"{title}.value": measure for f in system.model.frictions.values()
              for title, measure in zip(f.titles, f.measures, strict=True)}
    more: list[dict[str, Any]] = [system.model.rotors, system.model.stops]
    return found | {f"{part.name}.value": part.measure for group in more for part in group.values()}
