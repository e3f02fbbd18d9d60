"""Loads in every rod, joint and spring of a suspension for load cases, by equilibrium of the parts as drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.layout import POINT, of_body
from vincolo.model.geometry import Array
from vincolo.results.columns import head_line
from vincolo.vehicle.car import Car, G, mass_transfer
from vincolo.vehicle.rigs import Sweep, sweep
from vincolo.vehicle.spring_rates import Strut, twist_rate
from vincolo.vehicle.suspension import SIDES, Suspension


@dataclass(frozen=True)
class LoadCase:
    """Accelerations [m/s2] of the car forwards, to the left and upwards, and its speed [m/s] for aerodynamic loads."""

    name: str
    ax: float = 0.0
    ay: float = 0.0
    az: float = 0.0
    speed: float = 0.0


BALANCED = 1e-6  # of the largest load: what may be left over
#: the scenarios of a Formula Student car
CASES = (
    LoadCase("static"),
    LoadCase("acceleration", 1.0 * G),
    LoadCase("braking", -1.5 * G),
    LoadCase("cornering left", 0.0, 1.5 * G),
    LoadCase("cornering right", 0.0, -1.5 * G),
    LoadCase("braking and cornering", -1.0 * G, 1.1 * G),
    LoadCase("cornering and acceleration", 0.6 * G, 1.2 * G),
    LoadCase("bump", 0.0, 0.0, 2.0 * G),
)


@dataclass(frozen=True)
class MemberLoads:
    """Forces of one load case: axial in rods (tension positive), compression of springs, torque of the bar [N m], and
    forces of joints on their second body in world axes."""

    axial: dict[str, float]
    springs: dict[str, float]
    joints: dict[str, Array]
    unbalanced: float  # the largest force or moment that is left over: zero but for rounding

    def magnitudes(self) -> dict[str, float]:
        """One number for each member: axial and spring forces with their sign, joints by their size."""
        return {**self.axial, **self.springs, **{n: float(np.linalg.norm(f)) for n, f in self.joints.items()}}


def patch_forces(car: Car, case: LoadCase) -> dict[str, Array]:
    """Forces (x, y, z) [N] of the road on the four wheels: side forces in the proportion of the vertical loads,
    braking by the brake share, driving by the drive share, the same left and right."""
    mass, com = car.total
    z = mass_transfer(car, case.ax, case.ay, case.az, case.speed).loads
    total = sum(z.values())
    if total <= 0:
        raise ModelError(f"load case {case.name!r}: no wheel carries anything; az is {case.az:g} m/s2.")
    need = mass * case.ax + car.drag * case.speed**2
    found = {}
    for axle in car.axles:
        share = car.drive_front if need > 0 else car.brake_front
        both = z[f"{axle}_left"] + z[f"{axle}_right"]
        for side in SIDES:
            own = z[f"{axle}_{side}"]
            x = need * (share if axle == "front" else 1 - share) * (own / both if both else 0.0)
            y = mass * case.ay * car.shares[axle] * (own / both if both else 0.0)
            found[f"{axle}_{side}"] = np.array([x, y, own])
    return found


def member_loads(
    suspension: Suspension, forces: Mapping[str, Any], *, brakes: bool = True, at: Sweep | None = None
) -> MemberLoads:
    """Forces in all members as drawn, for forces (x, y, z) [N] of the road on the left and right wheel: J^T lam = Q.
    With `brakes` the longitudinal force is held at the wheel (brake calliper on the upright), else by drive shafts on
    the chassis. Springs, bar and third spring share the vertical loads by their rates; weights of uprights count."""
    found = sweep(suspension, "parallel", -1e-6, 1e-6, 3) if at is None else at
    for side in SIDES:
        if side not in forces or np.shape(forces[side]) != (3,) or not np.isfinite(forces[side]).all():
            raise ModelError(
                f"member_loads(): the force on the {side} wheel is {forces.get(side)!r}; three numbers (x, y, "
                "z) [N] are needed."
            )
    outside = _outside(found, suspension, {side: np.asarray(forces[side], dtype=float) for side in SIDES}, brakes)
    pushes, springs = _springs(found, suspension, outside)
    return _members(found, suspension, outside + pushes, springs)


def _outside(found: Sweep, s: Suspension, forces: dict[str, Array], brakes: bool) -> Array:
    """Forces of the road and weights on all bodies: (v, w) of each."""
    Q = np.zeros(6 * len(found.system.centred))
    for c, k in ((c, k) for k, c in enumerate(found.system.centred)):
        if c.body.name.endswith(("upright", "_arm", "_axle")):
            Q[6 * k + 2] -= G * (0.0 if s.upright_mass == 0 else c.body.mass)
    for side in SIDES:
        k = found.system.body_numbers[found.axle.carrier(side).name]
        centre, spin = s.point("wheel_centre", side), s.spindle(side)
        up = np.array([0.0, 0.0, 1.0]) - spin * spin[2]
        patch = centre - s.wheel_radius * up / np.linalg.norm(up)
        r = of_body(found.system.drawn.y, k)[POINT]
        force = forces[side]
        moment = np.cross(patch - r, force)
        if not brakes:  # the shaft takes the torque about the wheel's axis to the chassis
            moment = moment - spin * float(np.cross(patch - centre, force) @ spin)
        Q[6 * k : 6 * k + 3] += force
        Q[6 * k + 3 : 6 * k + 6] += moment
    return Q


def _springs(found: Sweep, s: Suspension, Q: Array) -> tuple[Array, dict[str, float]]:
    """Forces of springs and bar that hold the wheels: K z = work of the loads along the wheels' travel."""
    motions = [found.rates[side][1] for side in SIDES]
    work = np.array([m @ Q for m in motions])
    parts = {f"{s.name}_{side}_spring": s.k for side in SIDES if s.spring != "none"}
    if s.has_third:
        parts[f"{s.name}_third_spring"] = s.third_k
    slopes = {n: np.array([-Strut(found, n).rate(side)[1] for side in SIDES]) for n in parts}
    if s.bar != "none":
        parts[f"{s.name}_bar"] = s.bar_k
        slopes[f"{s.name}_bar"] = np.array([twist_rate(found, side)[1] for side in SIDES])
    K = sum((k * np.outer(slopes[n], slopes[n]) for n, k in parts.items()), np.zeros((2, 2)))
    if np.linalg.matrix_rank(K) < 2:
        raise ModelError(
            f"suspension {s.name!r}: its springs do not hold both wheels, so its loads cannot be found.\n"
            "  Give a spring and its rate k."
        )
    z = np.linalg.solve(K, work)
    forces = {n: float(k * slopes[n] @ z) for n, k in parts.items()}
    pushes = np.zeros_like(Q)
    for name, force in forces.items():
        pushes += force * spring_row(found, name)
    return pushes, forces


def spring_row(found: Sweep, name: str) -> Array:
    """What a unit compression of a spring, or a unit torque of a bar against its twist, puts on all bodies as drawn."""
    model, s = found.axle.model, found.axle.suspension
    row = np.zeros(6 * len(found.system.centred))
    if name == f"{s.name}_bar":
        for body, axis in _bar_axes(found):
            k = found.system.body_numbers[body]
            row[6 * k + 3 : 6 * k + 6] -= axis
        return row
    a, b = model.springs[name].measure.terms[0][2:]
    along = b.drawn_point - a.drawn_point
    along = along / np.linalg.norm(along)
    for frame, sign in ((a, -1.0), (b, 1.0)):  # compression pushes the ends apart
        if not frame.body.is_ground:
            k = found.system.body_numbers[frame.body.name]
            lever = frame.drawn_point - of_body(found.system.drawn.y, k)[POINT]
            row[6 * k : 6 * k + 3] += sign * along
            row[6 * k + 3 : 6 * k + 6] += np.cross(lever, sign * along)
    return row


def _bar_axes(found: Sweep) -> list[tuple[str, Array]]:
    """Bodies of an anti-roll bar with the axis of its twist on each."""
    s = found.axle.suspension
    if s.bar == "u":
        return [
            (f"{s.name}_{side}_bar_lever", np.array([0.0, sign, 0.0]))
            for side, sign in (("left", 1.0), ("right", -1.0))
        ]
    stem = s.point("bar_top") - s.point("bar_pivot")
    return [(f"{s.name}_t_bar", stem / np.linalg.norm(stem))]


def _members(found: Sweep, s: Suspension, Q: Array, springs: dict[str, float]) -> MemberLoads:
    """Reactions of all rows: Q = J^T lam."""
    J = found.jacobian[1]
    lam, _, rank, _ = np.linalg.lstsq(J.T, Q, rcond=None)
    left = float(np.abs(J.T @ lam - Q).max())
    axial, joints = {}, {}
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(found.system.rows):
        rows.setdefault(row.owner, []).append(k)
    for name, joint in found.axle.model.joints.items():
        own = rows[name]
        if joint.kind == "distance":
            axial[name] = float(lam[own[0]])  # the row pulls its ends together where lam is positive
        else:
            body = joint.b.body if not joint.b.body.is_ground else joint.a.body
            k = found.system.body_numbers[body.name]
            joints[name] = -(J[own, 6 * k : 6 * k + 3].T @ lam[own])
    left = max([left, *(abs(lam[k]) for n, own in rows.items() if n.endswith("_travel.drive") for k in own)])
    if rank < len(lam) or left > BALANCED * (1.0 + float(np.abs(Q).max())):
        raise ModelError(
            f"suspension {s.name!r}: how its members share these loads is not settled ({len(lam) - rank} rows depend "
            f"on others, {left:.3g} N are left over), so there are no forces to tell.\n"
            "  Check links that lie in one line or plane, and what is held twice."
        )
    return MemberLoads(axial, springs, joints, left)


@dataclass(frozen=True, eq=False)
class LoadTable:
    """Load cases and members: a row for each member, a column for each case, and the envelope."""

    cases: tuple[str, ...]
    members: tuple[str, ...]
    values: Array  # (members, cases): N; bars N m; tension, and compression of springs, positive; joints by size

    def __getitem__(self, key: tuple[str, str]) -> float:
        member, case = key
        for name, known in ((member, self.members), (case, self.cases)):
            if name not in known:
                raise ModelError(
                    f"there is no {name!r} in this table.{suggest(name, known)}\n  There are: {', '.join(known)}."
                )
        return float(self.values[self.members.index(member), self.cases.index(case)])

    @property
    def envelope(self) -> dict[str, tuple[float, float]]:
        """The least and the largest value of each member over all cases."""
        return {m: (float(v.min()), float(v.max())) for m, v in zip(self.members, self.values, strict=True)}

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Writes the table, with the envelope in its last columns."""
        lines = [head_line(["member", *self.cases, "least", "largest"])]
        lines += [
            head_line([m]).strip() + b"".join(f",{v:.6g}".encode() for v in (*row, row.min(), row.max())) + b"\n"
            for m, row in zip(self.members, self.values, strict=True)
        ]
        target = Path(path)
        with appearing("to_csv()", target) as file:
            file.write(b"".join(lines))
        return target

    def __str__(self) -> str:
        width = max(len(m) for m in self.members) + 2
        head = " " * width + "".join(f"{c[:16]:>18s}" for c in (*self.cases, "least", "largest"))
        rows = [
            f"{m:<{width}}" + "".join(f"{v:18.1f}" for v in (*row, row.min(), row.max()))
            for m, row in zip(self.members, self.values, strict=True)
        ]
        return "\n".join([head, *rows])


def load_table(car: Car, cases: Sequence[LoadCase] = CASES) -> LoadTable:
    """Forces in every member of both suspensions for load cases, with the envelope."""
    if not cases:
        raise ModelError("load_table(): there are no load cases.")
    places = {axle: sweep(s, "parallel", -1e-6, 1e-6, 3) for axle, s in car.axles.items()}
    columns = []
    for case in cases:
        forces = patch_forces(car, case)
        column: dict[str, float] = {}
        braking = car.total[0] * case.ax + car.drag * case.speed**2 <= 0
        for axle, s in car.axles.items():
            own = {side: forces[f"{axle}_{side}"] for side in SIDES}
            column |= member_loads(s, own, brakes=braking, at=places[axle]).magnitudes()
        columns.append(column)
    members = tuple(columns[0])
    return LoadTable(tuple(c.name for c in cases), members, np.array([[c[m] for c in columns] for m in members]))
