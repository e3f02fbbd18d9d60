"""Inverse dynamics of trees: the forces and torques that a given motion of the joints takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.analyses.bounds import refuse_decided
from vincolo.analyses.carry import pose
from vincolo.errors import ModelError, suggest
from vincolo.model import Model
from vincolo.model.checks import number_array
from vincolo.model.forces import Rotor
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.system import System, as_system
from vincolo.touching import refuse_rigid

Motion = Mapping[str, Any]


def inverse_dynamics(
    model: Model | System, positions: Motion, rates: Motion | None = None, accelerations: Motion | None = None, *,
    times: Any = 0.0, start: State | None = None,
) -> dict[str, Array]:
    """Forces [N] and torques [N m] along the coordinates of a tree that a motion takes, springs, dampers, loads and
    gravity among it: what drives of all of them would push, by one recursion outwards and inwards. Positions [rad or
    m] are by the names of the coordinates, such as "elbow.angle", as numbers or as samples at `times` [s]; what has no
    rate or acceleration has none. `start` says which way joints are put together; assemble() finds it otherwise."""
    system = as_system(model)
    refuse_rigid("inverse_dynamics()", system, "has forces that a motion does not tell")
    if start is not None and (not isinstance(start, State) or start.system is not system):
        raise ModelError("inverse_dynamics(): start is not a state of this system; pass what assemble() returned.")
    refuse_decided("inverse_dynamics()", system)
    _refuse_unknown(system, positions)
    samples = _sampled(positions, rates or {}, accelerations or {}, times)
    at = assemble(system) if start is None else start
    whole = system
    system, at = _without_rotors(whole, at)
    found = system.kernel.inverse_dynamics(
        at.y.tolist(), at.turns.tolist(), [system.quantities[name] for name in positions],
        samples.times, [samples.positions, samples.rates, samples.accelerations])
    if "forces" not in found:
        _refuse(system, positions, found, at)
    forces = np.array(found["forces"])
    for rotor in whole.model.rotors.values():
        _add_rotor(forces, rotor, whole, samples, list(positions))
    return {name: forces[:, k].reshape(samples.shape) for k, name in enumerate(positions)}


def _without_rotors(system: System, at: State) -> tuple[System, State]:
    """The same tree without its rotors, which the kernel ties to it by rows that close loops."""
    if not system.flywheels:
        return system, at
    bare = system.model.copy()
    bare.rotors = {}
    tree = as_system(bare)
    return tree, pose(at, tree)


def _add_rotor(forces: Array, rotor: Rotor, system: System, samples: _Samples, names: list[str]) -> None:
    """A rotor turns with m = sum c_k q_k, and takes J ratio^2 c_k m'' along q_k; coordinates that are driven turn it
    with their drives."""
    shares = _shares(rotor, system)
    change = np.zeros(len(samples.times))
    for name, share in shares.items():
        if name in names:
            change += share * samples.accelerations[:, names.index(name)]
        else:
            change += share * _driven(system, rotor, name, samples.times)
    for name, share in shares.items():
        if name in names:
            forces[:, names.index(name)] += rotor.reflected * share * change


def _driven(system: System, rotor: Rotor, name: str, times: Array) -> Array:
    """Accelerations of a coordinate that a drive gives."""
    held = next((h for h in system.holds.values() if h.measure.name == name and h.level == "position"), None)
    if held is None:
        raise ModelError(f"inverse_dynamics(): rotor '{rotor.name}' turns with {name!r}, whose motion is not given.\n"
                         f"  Give its position, rate and acceleration.")
    return np.array([held.function.derivatives(float(t))[2] for t in times])


def _shares(rotor: Rotor, system: System) -> dict[str, float]:
    """The coordinates that a rotor turns with, and how much of each."""
    alone = {term[1:]: (m.name or "", term[0]) for joint in system.joints.values() for m in joint.coordinates.values()
             if m.tape is None and len(m.terms) == 1 for term in m.terms}
    shares: dict[str, float] = {}
    for factor, equation, a, b in rotor.measure.terms:
        name, own = alone.get((equation, a, b), ("", 1.0))
        if not name:
            raise ModelError(f"inverse_dynamics(): rotor '{rotor.name}' turns with a measure that is not a sum of "
                             "coordinates of joints.\n  Let it turn with such coordinates, or drive the coordinates "
                             "and use kinematics().")
        shares[name] = shares.get(name, 0.0) + factor / own
    return shares


class _Samples:
    """Times, and positions, rates and accelerations with a column for each coordinate."""

    def __init__(self, times: Array, motion: list[dict[str, Array]], names: list[str]) -> None:
        self.shape = np.broadcast_shapes(times.shape, *(x.shape for part in motion for x in part.values()))
        self.times = np.broadcast_to(times, self.shape).ravel().copy()
        none = np.zeros(())
        self.positions, self.rates, self.accelerations = (
            np.stack([np.broadcast_to(part.get(name, none), self.shape).ravel() for name in names], axis=1)
            if names else np.zeros((len(self.times), 0)) for part in motion)


def _sampled(positions: Motion, rates: Motion, accelerations: Motion, times: Any) -> _Samples:
    for what, part in (("rates", rates), ("accelerations", accelerations)):
        for name in part:
            if name not in positions:
                raise ModelError(f"inverse_dynamics(): {what} has {name!r}, which has no position."
                                 f"{suggest(name, positions)}")
    motion = [{name: _numbers(f"{what} of {name!r}", value) for name, value in part.items()}
              for what, part in (("position", positions), ("rate", rates), ("acceleration", accelerations))]
    try:
        return _Samples(_numbers("times", times), motion, list(positions))
    except ValueError:
        sizes = {name: part[name].size for part in motion for name in part}
        raise ModelError("inverse_dynamics(): samples are not of one length: "
                         f"{', '.join(f'{name} {size}' for name, size in sizes.items())}, "
                         f"times {np.size(times)}.\n  Give each coordinate one number, or one for each time.") from None


def _numbers(what: str, value: Any) -> Array:
    found = number_array(f"inverse_dynamics(): {what}", value)
    if found.ndim > 1 or not np.isfinite(found).all() or (found.size == 0 and np.size(value) > 0):
        raise ModelError(f"inverse_dynamics(): {what} is {value!r}; give a finite number, or a list of them.")
    return found


def _refuse_unknown(system: System, positions: Motion) -> None:
    if system.switchboard.joints:
        raise ModelError(f"inverse_dynamics(): {system.switchboard.joints[0]!r} is switched, and the tree changes.\n"
                         "  Drive the coordinates and use kinematics(), which follows switches.")
    for name in positions:
        if name not in system.quantities:
            raise ModelError(f"inverse_dynamics(): there is no coordinate called {name!r}."
                             f"{suggest(name, system.quantities)}")


def _refuse(system: System, positions: Motion, found: dict[str, Any], at: State) -> None:
    """Says what of a motion does not fit the tree."""
    other_way = "Drive coordinates with drive() and use kinematics(), which finds forces of drives in any mechanism."
    if found["loops"]:
        raise ModelError("inverse_dynamics(): the joints do not form a tree, or hold more than their coordinates "
                         f"say.\n  {other_way}")
    for name, place in zip(positions, found["places"], strict=True):
        if place < 0:
            raise ModelError(f"inverse_dynamics(): {name!r} is not the coordinate of a joint by itself, or is driven "
                             f"already.\n  Coordinates: {', '.join(coordinates(system, at)) or 'none'}.")
    missing = [name for name in coordinates(system, at) if name not in positions]
    if missing:
        raise ModelError(f"inverse_dynamics(): positions of {', '.join(map(repr, missing))} are missing.\n"
                         "  The motion of the whole tree is needed: give them, or hold them with drive().")
    raise ModelError("inverse_dynamics(): bodies move freely, or on ball or cross joints, whose angles are not given "
                     "one by one.\n"
                     f"  {other_way}")


def coordinates(system: System, at: State) -> list[str]:
    """Names of the coordinates of a tree that no drive gives."""
    system, at = _without_rotors(system, at)
    names = [f"{joint.name}.{name}" for joint in system.model.joints.values() for name in joint.form.coordinates]
    none = np.zeros((0, len(names)))
    found = system.kernel.inverse_dynamics(at.y.tolist(), at.turns.tolist(), [system.quantities[n] for n in names],
                                           np.zeros(0), [none, none, none])
    return [name for name, place in zip(names, found["places"], strict=True) if place >= 0]
