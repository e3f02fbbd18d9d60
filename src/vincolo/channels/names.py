"""What the channels of a system are called, and what each of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vincolo.system import System

XYZ = ("x", "y", "z")
#: what is read of a contact, and its place among what the kernel tells of it
CONTACT = {"gap": 0, "force": 1, "points": 2, "sliding": 3, "power": 4, "energy": 5, "dissipation": 6,
           "force.x": 7, "force.y": 8, "force.z": 9, "point.x": 10, "point.y": 11, "point.z": 12}
Entry = tuple[Any, ...]  # its kind, and which one of that kind


def table_of(system: System) -> dict[str, Entry]:
    """All channels but the reactions of joints."""
    table = _places(system) | _measures(system) | _carried(system) | _forces(system)
    for name in ("kinetic", "potential", "total", "work", "balance"):
        table[f"energy.{name}"] = ("energy", name)
    table["residual.position"], table["residual.velocity"] = ("whole", "phi"), ("whole", "phi_rate")
    return table


def _places(s: System) -> dict[str, Entry]:
    """Where bodies and frames are and how they move."""
    table: dict[str, Entry] = {}
    for names, kind in ((s.body_numbers, "body"), (s.frames, "frame")):
        for name in names:
            for k, axis in enumerate(XYZ):
                for prefix, field in (("", "position"), ("v", "velocity"), ("a", "acceleration"),
                                      ("w", "angular_velocity"), ("alpha_", "angular_acceleration")):
                    table[f"{name}.{prefix}{axis}"] = (kind, name, field, k)
        if kind == "body":
            for name in names:
                table.update({f"{name}.e{k}": ("quaternion", name, k) for k in range(4)})
    return table


def _measures(s: System) -> dict[str, Entry]:
    table: dict[str, Entry] = {}
    for name, q in s.quantities.items():
        table[name] = ("value", q)
        base, _, last = name.rpartition(".")
        owner = base if last in ("length", "value") and any(
            base in group for group in (s.laws, s.model.rotors, s.model.stops)) else name
        table[f"{owner}.rate"] = ("rate", q)
        table[f"{owner}.acceleration"] = ("second", q)
    return table


def _carried(s: System) -> dict[str, Entry]:
    """What a run carries beside the motion, and what is on and off."""
    table: dict[str, Entry] = {name: ("auxiliary", k) for name, k in s.auxiliaries.items()}
    for name, output in s.model.outputs.items():
        table[name] = ("output", s.outputs[name]) if output.formula is not None else ("alias", output.channel)
    for name, c in s.model.controllers.items():
        kept = [f"{name}.{key}" for kept in c.memory for key in kept.names]
        table.update({key: ("memory", k) for key, k in zip(kept, s.memories[name][1:], strict=True)})
    table.update({name: ("gate", k) for name, k in s.switchboard.channels.items()})
    table.update({name: ("mode", tuple(numbers)) for name, numbers in s.deciding.channels.items()})
    return table


def _forces(s: System) -> dict[str, Entry]:
    """Forces, with their power, the energy that they store and what they take without storing it."""
    table: dict[str, Entry] = {f"{name}.force": ("stop_force", name) for name in s.model.stops}
    for name, k in s.laws.items():
        table.update({f"{name}.{what}": (kind, k) for what, kind in (
            ("force", "law_force"), ("power", "law_power"), ("energy", "law_energy"), ("dissipation", "law_loss"))})
    for name, friction in s.model.frictions.items():
        for k, title in enumerate(friction.titles):
            table[f"{title}.force"] = ("friction_force", name, k)
            table[f"{title}.slip"] = ("rate", s.quantities[f"{title}.value"])
        if len(friction.titles) > 1:
            table.update({f"{name}.{what}": ("friction_size", name, what) for what in ("force", "slip")})
            sums = ("power", "energy", "dissipation")
            table.update({f"{name}.{what}": ("friction_sum", name, what) for what in sums})
    for name, k in s.loads.items():
        table[f"{name}.power"], table[f"{name}.dissipation"] = ("load_power", k), ("load_loss", k)
        table[f"{name}.energy"] = ("none",)
    for name, k in s.contacts.items():
        table.update({f"{name}.{what}": ("contact", k, what) for what in CONTACT})
    for name in s.holds:
        row = s.block_rows[name].start
        table[f"{name}.force"], table[f"{name}.power"] = ("drive_force", row), ("drive_power", row)
    for name in s.model.rotors:
        row = s.block_rows[name].start
        table[f"{name}.force"], table[f"{name}.power"] = ("rotor_force", row), ("rotor_power", name, row)
        table[f"{name}.energy"], table[f"{name}.dissipation"] = ("rotor_energy", name), ("none",)
    return table
