"""Inputs and outputs of a linearised mechanism, by the names users gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from vincolo.analyses.carried_states import carried_by, states_of
from vincolo.analyses.deviations import Deviations
from vincolo.analyses.tangent import Tangent, closed, derivative, velocities, with_velocities
from vincolo.channels.channels import Channels
from vincolo.errors import ModelError, suggest
from vincolo.layout import POINT, of_body
from vincolo.model.geometry import Array
from vincolo.state import State

WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")


@dataclass(frozen=True, eq=False)
class Ports:
    """Inputs as forces on all bodies (6 bodies, inputs) and accelerations of rows (rows, inputs); outputs by name."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    forces: Array
    accelerations: Array
    drives: tuple[int, ...]  # rows of the drives among the inputs

    def read(self, here: Tangent, d: Deviations, du: Array) -> tuple[Array, Array]:
        """C and D: outputs by displacements and velocities, and those of accelerations and drives by inputs at once."""
        numbers, count = states_of(here.state.system), d.Z.shape[1]
        if not self.outputs:
            return np.zeros((0, 2 * count + len(numbers) + d.E.shape[1])), np.zeros((0, len(self.inputs)))

        def all_read(state: State) -> Array:
            channels = (closed(state, here, self.drives) or state).channels
            return np.array([channels[name][0] for name in self.outputs])

        by_states = np.zeros((len(self.outputs), len(numbers)))
        for k, number in enumerate(numbers):
            by_states[:, k] = _by_state(all_read, here.state, number)
        by_place = derivative(all_read, here.state, d.places, d.U)
        by_rate = derivative(all_read, here.state, 0 * d.Z, d.Z)
        C = np.hstack([by_place[:, :count], by_rate, by_states, by_place[:, count:]])
        return C, np.array([self._at_once(here, name, du) for name in self.outputs])

    def _at_once(self, here: Tangent, name: str, du: Array) -> Array:
        """What an output does in the moment in which inputs come: du (6 bodies, inputs) are all accelerations."""
        system = here.state.system
        base, _, last = name.rpartition(".")
        if last in ("ax", "ay", "az", "alpha_x", "alpha_y", "alpha_z") and (base in system.body_numbers
                                                                            or base in system.frames):
            twin = f"{base}.{'w' if last.startswith('alpha') else 'v'}{last[-1]}"  # a is to u' as v is to u
            u = velocities(here.state)
            at = [with_velocities(here.state, u + s * column).channels[twin][0] for column in du.T for s in (1, -1)]
            return np.array(at[::2]) / 2 - np.array(at[1::2]) / 2
        if base in system.holds and last == "force":
            row, left = system.block_rows[base].start, self.forces - here.at.M @ du
            return np.array([-here.saddle.split(column)[1][row] for column in left.T])
        return np.zeros(du.shape[1])


def _by_state(read: Callable[[State], Array], state: State, number: int) -> Array:
    """Outputs by one of the numbers that a state carries beside the motion, by a central difference."""
    h = 1e-5 * max(1e-3, abs(float(carried_by(state)[number])))
    ends = []
    for step in (h, -h):
        y = state.y.copy()
        y[len(y) - len(carried_by(state)) + number] += step
        ends.append(read(state.with_vector(y)))
    return (ends[0] - ends[1]) / (2 * h)


def ports_of(here: Tangent, inputs: Sequence[str], outputs: Sequence[str]) -> Ports:
    """Looks up all names."""
    for what, names in (("inputs", inputs), ("outputs", outputs)):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise ModelError(f"linearize(): {what} is {names!r}; a list of names is needed, such as ['slider.x'].")
    system = here.state.system
    for name in outputs:
        _check_output(here.state.channels, name)
    forces = np.zeros((len(here.weight), len(inputs)))
    jumps = np.zeros((len(system.rows), len(inputs)))
    drives: list[int] = []
    for k, name in enumerate(inputs):
        if name in system.holds:
            row = system.block_rows[name].start
            if system.rows[row].level != "position":
                raise ModelError(f"linearize(): drive '{name}' prescribes a {system.rows[row].level}; only drives of "
                                 "positions can be inputs.")
            if row in drives:
                raise ModelError(f"linearize(): input '{name}' is named twice.")
            jumps[row, k] = 1.0
            drives.append(row)
            if np.abs(here.at.J @ here.across(jumps[:, k]) - jumps[:, k]).max() > 1e-6:
                raise ModelError(f"linearize(): drive '{name}' cannot move here: joints or another drive hold what it "
                                 "drives.\n  Take another state or another input.")
        else:
            forces[:, k] = _force_of(here.state, name)
    return Ports(tuple(inputs), tuple(outputs), forces, jumps, tuple(drives))


def without_dots(names: Sequence[str]) -> list[str]:
    """The names with underscores for dots, for programs that keep dots for themselves; where two would become one, the
    later is numbered."""
    found: list[str] = []
    for name in names:
        plain = name.replace(".", "_")
        others = (f"{plain}_{k}" for k in count(2))
        found.append(plain if plain not in found else next(other for other in others if other not in found))
    return found


def _check_output(channels: Channels, name: str) -> None:
    if name.endswith(".power") or name.startswith("energy.work") or name == "energy.balance":
        raise ModelError(f"linearize(): output '{name}' is a power or work; only positions, velocities, accelerations, "
                         "measures and forces are outputs.")
    try:
        channels[name]
    except ModelError as error:
        raise ModelError(f"linearize(): output: {error}") from None


def _force_of(state: State, name: str) -> Array:
    """Forces and torques on all bodies of one unit of an input."""
    system = state.system
    quantity = next((system.quantities[n] for n in (name, f"{name}.length", f"{name}.value")
                     if n in system.quantities and (n == name or name in system.laws)), None)
    if quantity is not None:
        rows = system.kernel.quantity_rows(state.t, state.y.tolist(), state.turns.tolist(), [quantity])
        force = np.zeros(6 * len(system.centred))
        np.add.at(force, rows["column"], rows["value"])
        return force
    if name in system.loads:
        return _load(state, name)
    base, _, last = name.rpartition(".")
    if last in WRENCH and (base in system.body_numbers or base in system.frames):
        return _wrench(state, base, WRENCH.index(last))
    known = [*system.quantities, *system.laws, *system.loads, *system.holds,
             *(f"{b}.{w}" for b in (*system.body_numbers, *system.frames) for w in WRENCH)]
    raise ModelError(f"linearize(): there is no input called {name!r}.{suggest(name, known)}\n"
                     "  Inputs are measures ('O.angle'), actuators, springs, loads and drives by name, or forces on "
                     "bodies ('body.fx', 'body.tz').")


def _load(state: State, name: str) -> Array:
    """A load as it is, from its power at unit velocities."""
    size, number = 6 * len(state.system.centred), state.system.loads[name]
    states = [with_velocities(state, one).y for one in np.eye(size)]
    channels = Channels(state.system, np.full(size, state.t), np.array(states), np.tile(state.turns, (size, 1)))
    force = channels.observed["load_power"][:, number]
    if not force.any():
        raise ModelError(f"linearize(): load '{name}' is zero at t = {state.t:g} s, so that a factor on it does "
                         "nothing.\n  Use 'body.fx' to 'body.tz' of its body or of a named frame instead.")
    return np.asarray(force)


def _wrench(state: State, base: str, k: int) -> Array:
    """A unit force at a body's or named frame's origin, or a unit torque, in world axes."""
    system = state.system
    frame = system.frames.get(base)
    if frame is not None and frame.body.is_ground:
        raise ModelError(f"linearize(): frame '{base}' is on the ground; a force there moves nothing.")
    body = system.body_of(base if frame is None else frame.body.name)
    force, arm = np.zeros(6 * len(system.centred)), np.zeros(3)
    force[6 * body + k] = 1.0
    if k < 3:
        motion = state.channels.body_motion(base) if frame is None else state.channels.frame_motion(frame)
        arm = motion.position[0] - of_body(state.y, body)[POINT]
        force[6 * body + 3: 6 * body + 6] = np.cross(arm, np.eye(3)[k])
    return force
