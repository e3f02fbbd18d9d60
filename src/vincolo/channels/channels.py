"""Named series read from states: positions, velocities, forces, energies, reactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vincolo.channels.moving import on_body
from vincolo.channels.names import CONTACT, XYZ, table_of
from vincolo.channels.units import declared_units, own_unit, quantity_units, unit_of
from vincolo.errors import ModelError, suggest
from vincolo.layout import POINT, QUATERNION, SPIN, VELOCITY, auxiliaries_of, of_body, work_of
from vincolo.model.geometry import Array, crosses, quaternion_of

if TYPE_CHECKING:
    from vincolo.model import Frame
    from vincolo.system import System

#: kinds of channels that are columns of what the kernel reads from states
OBSERVED = ("value", "rate", "second", "output", "law_force", "law_power", "law_energy", "law_loss", "load_power",
            "drive_power")
ABOUT = tuple(f"{field}{axis}" for axis in ("", "2") for field in ("axial", "radial", "twist", "bending"))
KEPT = 100_000  # samples of a motion that is kept, in 20 MB
SLACK = 1e-6  # of the largest in a state of stress without load: below, a reaction is unique


def rotations(p: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4); runs without projection do not keep them at unit length."""
    e0, e1, e2, e3 = (p / np.linalg.norm(p, axis=1, keepdims=True)).T
    R = np.empty((3, 3, len(p)))
    R[0] = e0**2 + e1**2 - e2**2 - e3**2, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)
    R[1] = 2 * (e1 * e2 + e0 * e3), e0**2 - e1**2 + e2**2 - e3**2, 2 * (e2 * e3 - e0 * e1)
    R[2] = 2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), e0**2 - e1**2 - e2**2 + e3**2
    return R.transpose(2, 0, 1)


@dataclass(frozen=True)
class Motion:
    """Position, velocity and acceleration of a point, and the rotation of its body, over time; world axes."""

    position: Array
    velocity: Array
    acceleration: Array
    rotation: Array
    angular_velocity: Array
    angular_acceleration: Array


@dataclass(frozen=True, eq=False)
class Reaction:
    """What a joint puts on its bodies: force [N] and torque [N m] on the second body at the joint, world axes.

    Where redundant joints share a load in a way that rigid bodies do not determine, the least forces are given; which
    components that concerns is said sample by sample."""

    force: Array
    torque: Array
    force_on_first: Array
    torque_on_first: Array
    axes: Array  # (n, 3, 3) columns: joint axes (of the first body's frame) in world axes
    slack: Callable[[], Array]  # (n, 2, 3) forces and torques over the size that balance each other, without load

    @property
    def in_joint_axes(self) -> tuple[Array, Array]:
        """Force and torque on the second body in the axes of the first body's joint frame."""
        return np.einsum("nji,nj->ni", self.axes, self.force), np.einsum("nji,nj->ni", self.axes, self.torque)

    @property
    def unique_force(self) -> Array:
        """Whether each component of the force is unique, (n, 3), world axes."""
        return np.asarray(np.abs(self.slack()[:, 0]) <= SLACK)

    @property
    def unique_torque(self) -> Array:
        """Whether each component of the torque is unique, (n, 3), world axes."""
        return np.asarray(np.abs(self.slack()[:, 1]) <= SLACK)

    @property
    def unique_in_joint_axes(self) -> tuple[Array, Array]:
        """The same of force and torque in the axes of the first body's joint frame."""
        own = np.abs(np.einsum("nji,nkj->nki", self.axes, self.slack())) <= SLACK
        return own[:, 0], own[:, 1]

    @property
    def unique(self) -> bool:
        """Whether all of it is unique at all samples."""
        return bool(self.unique_force.all() and self.unique_torque.all())


class Channels:
    """All series of a stack of states, computed when first asked for."""

    _kept: tuple[str, Motion] | None = None

    def __init__(self, system: System, t: Array, y: Array, turns: Array) -> None:
        self.system = system
        self.t = t
        self.y = np.ascontiguousarray(y)
        self.turns = np.ascontiguousarray(turns)

    def blocks(self) -> Iterator[Channels]:
        """The same in parts that fit into memory; here one."""
        yield self

    @cached_property
    def observed(self) -> dict[str, Array]:
        """What the kernel reads from every state: accelerations, forces, reactions, energies."""
        found: dict[str, Array] = self.system.kernel.observe(self.t.tolist(), self.y, self.turns)
        return found

    def rotation(self, body: int) -> Array:
        """Rotation matrices (n, 3, 3) of a body's own axes."""
        return rotations(of_body(self.y, body)[:, QUATERNION]) @ self.system.centred[body].principal.T

    def point(self, frame: Frame) -> Array:
        """World positions (n, 3) of a frame's point [m]."""
        local = on_body(frame, self.t).point
        if frame.body.is_ground:
            return local
        body = self.system.body_of(frame.body.name)
        arms = np.einsum("nij,nj->ni", self.rotation(body), local - frame.body.com)
        return np.asarray(of_body(self.y, body)[:, POINT] + arms)

    def motion(self, body: int, lever: Array) -> Motion:
        """Motion of a point at `lever` (body axes, from the centre of mass) of a body."""
        s = of_body(self.y, body)
        R = self.rotation(body)
        v, w = s[:, VELOCITY], s[:, SPIN]
        a = self.observed["acceleration"][:, body, :3]
        alpha = self.observed["acceleration"][:, body, 3:]
        arm = R @ lever
        turning = crosses(w, arm)
        return Motion(s[:, :3] + arm, v + turning, a + crosses(alpha, arm) + crosses(w, turning), R, w, alpha)

    def body_motion(self, name: str) -> Motion:
        """Motion of a body's own frame."""
        number = self.system.body_of(name)
        return self.motion(number, -self.system.centred[number].body.com)

    def frame_motion(self, frame: Frame) -> Motion:
        """Motion of a frame's point; the rotation is the frame's own. Frames may move on their bodies."""
        own = on_body(frame, self.t)
        if frame.body.is_ground:
            return Motion(own.point, own.velocity, own.acceleration, own.axes, own.spin, own.spin_rate)
        number = self.system.body_of(frame.body.name)
        m = self.motion(number, np.zeros(3))  # of the centre of mass
        R, w, alpha = m.rotation, m.angular_velocity, m.angular_acceleration
        arm, v, a, spin, spin_rate = (np.einsum("nij,nj->ni", R, x) for x in (
            own.point - frame.body.com, own.velocity, own.acceleration, own.spin, own.spin_rate))
        turning = crosses(w, arm)
        return Motion(m.position + arm, m.velocity + turning + v,
                      m.acceleration + crosses(alpha, arm) + crosses(w, turning + 2 * v) + a, R @ own.axes,
                      w + spin, alpha + spin_rate + crosses(w, spin))

    def reaction(self, name: str) -> Reaction:
        """Reaction of a joint."""
        joints = self.system.joints
        if name not in joints:
            raise ModelError(f"there is no joint called {name!r}.\n  Joints: {', '.join(joints) or 'none'}."
                             f"{suggest(name, joints)}")
        w = self.observed["wrench"][:, self.system.blocks[name]]
        axes = self.frame_motion(joints[name].a).rotation
        block = self.system.blocks[name]
        return Reaction(w[:, 2], w[:, 3], w[:, 0], w[:, 1], axes, lambda: self.slack[:, block])

    @cached_property
    def slack(self) -> Array:
        """Forces, and torques over the size of the mechanism, in redundant joints that balance each other (samples,
        joints, 2, 3), world axes, the largest of a sample 1: zero where reactions are unique."""
        found: Array = self.system.kernel.slack(self.t.tolist(), self.y, self.turns)
        found = found * np.array([1.0, 1 / self.system.size])[:, None]
        largest = np.abs(found).max(axis=(1, 2, 3), keepdims=True, initial=0.0)
        return np.asarray(np.divide(found, largest, out=np.zeros_like(found), where=largest > 1e-9))

    @cached_property
    def _table(self) -> dict[str, tuple[Any, ...]]:
        if self.system.channel_table is None:
            self.system.channel_table = table_of(self.system)
        return self.system.channel_table

    @cached_property
    def _reactions(self) -> dict[str, tuple[Any, ...]]:
        """Reactions of joints, apart from the table: few runs are asked for them."""
        found: dict[str, tuple[Any, ...]] = {}
        for joint in self.system.joints:
            for field in ("force", "torque"):
                found[f"{joint}.reaction.{field}"] = ("reaction", joint, field, None)
                found.update({f"{joint}.reaction.{field}.{axis}": ("reaction", joint, field, k)
                              for k, axis in enumerate(XYZ)})
            found.update({f"{joint}.reaction.{field}": ("about", joint, field) for field in ABOUT})
        return {name: entry for name, entry in found.items() if name not in self._table}

    def keys(self) -> list[str]:
        """Names of all channels."""
        return ["t", *self._table, *self._reactions]

    def entry(self, name: str) -> tuple[Any, ...]:
        """What a channel is: its kind, and which one of that kind."""
        if not isinstance(name, str):
            raise ModelError(f"a channel is read by its name, such as 'body.x', not by {name!r}.")
        if name in self._table:
            return self._table[name]
        if name in self._reactions:
            return self._reactions[name]
        known = self.keys()
        ends = [key.removeprefix(f"{name}.") for key in known if key.startswith(f"{name}.")]
        more = ", ..." if len(ends) > 8 else "."
        way = f"\n  {name!r} has: {', '.join(ends[:8])}{more}" if ends else suggest(name, known)
        raise ModelError(f"there is no channel called {name!r}.{way}\n"
                         "  Channels are read as 'body.x', 'joint.angle', 'spring.force', 'joint.reaction.force', "
                         "'energy.total'; result.keys() lists them all.")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name == "t" or name in self._table or name in self._reactions)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> Array:
        if isinstance(name, str) and name == "t":
            return self.t
        kind, *args = self.entry(name)
        if kind in OBSERVED:
            return np.asarray(self.observed[kind][:, args[0]], dtype=float)
        return np.asarray(getattr(self, f"_read_{kind}")(*args), dtype=float)

    @cached_property
    def quantity_units(self) -> dict[int, str]:
        """Units of measures by the numbers of their quantities."""
        return quantity_units(self.system)

    @cached_property
    def declared_units(self) -> dict[int, str]:
        """Units in which users want to see measures, by the numbers of their quantities."""
        return declared_units(self.system)

    def unit(self, name: str) -> str:
        """The unit of a channel."""
        return unit_of(self, name)

    def own_unit(self, name: str) -> str:
        """The unit in which the model wants a channel to be shown; "" if it has no wish."""
        return own_unit(self, name)

    def _read_body(self, name: str, field: str, k: int) -> Array:
        if field not in ("position", "velocity", "angular_velocity"):
            return np.array(getattr(self._last_motion(name), field)[:, k])
        number = self.system.body_of(name)  # the rest is in the states, and need not be asked of the kernel
        s = of_body(self.y, number)
        if field == "angular_velocity":
            return np.asarray(s[:, SPIN][:, k])
        com = self.system.centred[number].body.com
        if not com.any():
            return np.array(s[:, POINT if field == "position" else VELOCITY][:, k])
        arm = self.rotation(number) @ -com
        moved = s[:, POINT] + arm if field == "position" else s[:, VELOCITY] + crosses(s[:, SPIN], arm)
        return np.asarray(moved[:, k])

    def _read_frame(self, name: str, field: str, k: int) -> Array:
        if field == "position":
            return np.asarray(self.point(self.system.frames[name])[:, k])
        return np.array(getattr(self._last_motion(name), field)[:, k])

    def _last_motion(self, name: str) -> Motion:
        """The motion of a body or frame. The last one is kept: its channels are read one after the other."""
        kept = self._kept
        if kept is None or kept[0] != name:
            frame = self.system.frames.get(name)
            kept = name, self.body_motion(name) if frame is None else self.frame_motion(frame)
            self._kept = kept if len(self.t) <= KEPT else None
        return kept[1]

    def _read_quaternion(self, name: str, k: int) -> Array:
        return self.quaternions(name)[:, k]

    def quaternions(self, name: str) -> Array:
        """Orientation of a body's own frame as unit quaternions (n, 4), without jumps of sign."""
        number = self.system.body_of(name)
        p = of_body(self.y, number)[:, QUATERNION]
        p = p / np.linalg.norm(p, axis=1, keepdims=True)
        back = quaternion_of(self.system.centred[number].principal.T)
        return quaternion_product(p, back)

    def _read_auxiliary(self, number: int) -> Array:
        return np.asarray(auxiliaries_of(self.y, len(self.system.centred))[:, number])

    _read_gate = _read_memory = _read_auxiliary

    def _read_mode(self, numbers: tuple[int, ...]) -> Array:
        return np.asarray(auxiliaries_of(self.y, len(self.system.centred))[:, list(numbers)].sum(axis=1))

    def _read_friction_force(self, name: str, k: int) -> Array:
        """Along one of its measures: of slip, or what sticking takes."""
        slips = self.observed["law_force"][:, self.system.laws[self.system.model.frictions[name].titles[k]]]
        rows = self.system.block_rows.get(name)
        return np.asarray(slips if rows is None else slips - self.observed["lam"][:, rows[k]])

    def _read_friction_size(self, name: str, what: str) -> Array:
        """Of a slip with several directions: its speed, and the force against it."""
        return np.asarray(np.linalg.norm([self[f"{title}.{what}"] for title in self._titles(name)], axis=0))

    def _read_friction_sum(self, name: str, what: str) -> Array:
        return np.asarray(np.sum([self[f"{title}.{what}"] for title in self._titles(name)], axis=0))

    def _titles(self, name: str) -> tuple[str, ...]:
        return self.system.model.frictions[name].titles

    def _read_stop_force(self, name: str) -> Array:
        """Along its measure: what a lower bound pushes is positive."""
        return np.asarray(-self.observed["lam"][:, list(self.system.block_rows[name])].sum(axis=1))

    def _read_contact(self, number: int, what: str) -> Array:
        return self.observed["contact"][:, number, CONTACT[what]]

    def contact_force(self, name: str) -> tuple[Array, Array]:
        """The middle of the points of a contact [m] and the force [N] on its second body, (n, 3), world axes."""
        found = self.observed["contact"][:, self.system.contacts[name]]
        return found[:, 10:13], found[:, 7:10]

    def _read_alias(self, name: str) -> Array:
        return self[name]

    def _read_drive_force(self, row: int) -> Array:
        return -self.observed["lam"][:, row]

    _read_rotor_force = _read_drive_force

    def _read_rotor_power(self, name: str, row: int) -> Array:
        """What it gives to the mechanism as it slows down: force times the rate of the measure."""
        rate = self.observed["rate"][:, self.system.quantities[f"{name}.value"]] / self.system.model.rotors[name].ratio
        return np.asarray(-self.observed["lam"][:, row] * rate)

    def _read_rotor_energy(self, name: str) -> Array:
        rotor = self.system.model.rotors[name]
        return np.asarray(0.5 * rotor.inertia * self.observed["rate"][:, self.system.quantities[f"{name}.value"]]**2)

    def _read_load_loss(self, number: int) -> Array:
        """It stores nothing: what it takes is gone."""
        return np.asarray(-self.observed["load_power"][:, number])

    def _read_none(self) -> Array:
        return np.zeros(len(self.t))

    def _read_reaction(self, joint: str, field: str, k: int | None) -> Array:
        on_second = self.observed["wrench"][:, self.system.blocks[joint], 2 if field == "force" else 3]
        return np.asarray(np.linalg.norm(on_second, axis=1) if k is None else on_second[:, k])

    def _read_about(self, joint: str, field: str) -> Array:
        """Along the axis z of its first frame (2: its second), or the size of what is across."""
        part, name = self.system.joints[joint], field.removesuffix("2")
        z = self.frame_motion(part.b if field.endswith("2") else part.a).rotation[:, :, 2]
        found = self.observed["wrench"][:, self.system.blocks[joint], 2 if name in ("axial", "radial") else 3]
        along = np.einsum("ni,ni->n", found, z)
        return along if name in ("axial", "twist") else np.asarray(np.linalg.norm(found - along[:, None] * z, axis=1))

    def _read_whole(self, field: str) -> Array:
        return self.observed[field]

    @cached_property
    def start(self) -> tuple[Array, Array]:
        """Energy and work at the first sample, from which their balance counts."""
        return (self.observed["kinetic"] + self.observed["potential"])[:1], self._work[:1]

    @property
    def _work(self) -> Array:
        return work_of(self.y, len(self.system.centred))

    def _read_energy(self, name: str) -> Array:
        kinetic, potential, work = self.observed["kinetic"], self.observed["potential"], self._work
        total = kinetic + potential
        found: dict[str, Array] = {"kinetic": kinetic, "potential": potential, "total": total, "work": work,
                                   "balance": total - self.start[0] - (work - self.start[1])}
        return found[name]


def quaternion_product(a: Array, b: Array) -> Array:
    """The rotations b followed by a; one or both may be stacks (n, 4)."""
    scalar = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(axis=-1, keepdims=True)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)
