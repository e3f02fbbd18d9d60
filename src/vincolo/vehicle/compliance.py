"""Compliance: how bushings let the wheels turn and move under loads at the contact points (the C of K&C)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vincolo.analyses.statics import statics
from vincolo.channels.channels import rotations
from vincolo.errors import ModelError
from vincolo.layout import of_body
from vincolo.model.geometry import Array
from vincolo.model.model import Model
from vincolo.system import System, compile
from vincolo.vehicle.build import add_axle
from vincolo.vehicle.lumped import six_of
from vincolo.vehicle.metrics import BUSHED
from vincolo.vehicle.rigs import Sweep, Track, crossed
from vincolo.vehicle.suspension import SIDES, Suspension

#: name: components on the left and right wheel, whether at the wheel's centre, whether a moment about z
LOADS: dict[str, tuple[Array, Array, bool, bool]] = {
    "braking": (np.array([-1.0, 0, 0]), np.array([-1.0, 0, 0]), False, False),
    "driving": (np.array([1.0, 0, 0]), np.array([1.0, 0, 0]), True, False),
    "lateral": (np.array([0, 1.0, 0]), np.array([0, 1.0, 0]), False, False),
    "lateral opposed": (np.array([0, 1.0, 0]), np.array([0, -1.0, 0]), False, False),
    "aligning": (np.array([0, 0, 1.0]), np.array([0, 0, 1.0]), False, True),
}


#: metrics: the load on the left wheel, mirrored on the right, whether at the wheel's centre, whether a moment
ELASTIC: dict[str, tuple[Array, bool, bool]] = {
    "lateral": (np.array([0, -1.0, 0]), False, False),
    "braking": (np.array([-1.0, 0, 0]), False, False),
    "driving": (np.array([1.0, 0, 0]), True, False),
    "aligning": (np.array([0, 0, -1.0]), False, True),
}


def elastic(s: Suspension, moved: Callable[[Suspension], Sweep], count: int) -> dict[str, Array]:
    """What bushings let the wheels do for unit loads at each position of a rig, by linear statics about it: the
    metrics called lateral_toe and so on. `moved` puts a suspension on the rig, of which `count` positions are wanted.
    NaN without bushings, which is not the same as stiff.

    K u + H^T lam = Q, H u = 0: H are the rows of what is held, wheels in height and rack among them, K = sum B^T k B
    of the bushings, B the rows along which they give way."""
    names = [f"{side}.{name}" for side in SIDES for name in sorted(BUSHED)]
    if not s.bushings:
        return {name: np.full(count, np.nan) for name in names}
    found = moved(_arms_as_bodies(s))
    H, B, k = _split(found, s)
    n, size, rows = len(found), H.shape[2], H.shape[1]
    A, largest = np.zeros((n, size + rows, size + rows)), float(k.max())
    A[:, :size, :size] = np.einsum("nri,r,nrj->nij", B, k / largest, B)
    A[:, :size, size:], A[:, size:, :size] = np.swapaxes(H, 1, 2), H
    wheels = {side: _Wheel(found, s, side) for side in SIDES}
    Q = np.zeros((n, size + rows, len(ELASTIC)))
    for load, (push, at_centre, turns) in enumerate(ELASTIC.values()):
        for wheel in wheels.values():
            Q[:, :size, load] += wheel.load(push, at_centre, turns, size)
    u = np.linalg.solve(A, Q)[:, :size] / largest
    series: dict[str, Array] = {}
    for load, name in enumerate(ELASTIC):
        for side, wheel in wheels.items():
            series |= {f"{side}.{name}_{what}": v for what, v in wheel.answer(u[:, :, load], ELASTIC[name][0]).items()}
    cut = {name: series[name][:count] for name in names}
    return {name: np.append(v, np.full(count - len(v), np.nan)) for name, v in cut.items()}


class _Wheel:
    """One wheel along a sweep, and what a load on it and a small motion of its carrier are."""

    def __init__(self, found: Sweep, s: Suspension, side: str) -> None:
        self.sigma, self.track = 1.0 if side == "left" else -1.0, found.track(found.axle.carrier(side))
        self.C, self.s = self.track.point(s.point("wheel_centre", side)), self.track.direction(s.spindle(side))
        rise = np.array([0.0, 0.0, 1.0]) - self.s * self.s[:, 2:]
        self.P = self.C - s.wheel_radius * rise / np.linalg.norm(rise, axis=1)[:, None]

    def mirrored(self, push: Array, turns: bool) -> Array:
        """A force, or a moment, that is given for the left wheel."""
        return push * ((self.sigma, 1.0, self.sigma) if turns else (1.0, self.sigma, 1.0))

    def load(self, push: Array, at_centre: bool, turns: bool, size: int) -> Array:
        """Forces on all bodies."""
        Q, k, own = np.zeros((len(self.C), size)), 6 * self.track.number, self.mirrored(push, turns)
        if turns:
            Q[:, k + 3 : k + 6] = own
            return Q
        Q[:, k : k + 3] = own
        Q[:, k + 3 : k + 6] = crossed((self.C if at_centre else self.P) - self.track.r, own)
        return Q

    def answer(self, u: Array, push: Array) -> dict[str, Array]:
        """Toe and camber [rad], and how far the wheel's centre goes along the load [m]."""
        k = 6 * self.track.number
        w, s, sigma = u[:, k + 3 : k + 6], self.s, self.sigma
        ds, flat = crossed(w, s), np.hypot(s[:, 0], s[:, 1])
        moved = u[:, k : k + 3] + crossed(w, self.C - self.track.r)
        return {
            "toe": sigma * (ds[:, 0] * s[:, 1] - s[:, 0] * ds[:, 1]) / flat**2,
            "camber": -sigma * ds[:, 2] / flat,
            "give": moved @ self.mirrored(push, False),
        }


def _split(found: Sweep, s: Suspension) -> tuple[Array, Array, Array]:
    """Rows that hold, rows along which bushings give way, and the stiffnesses along these."""
    system, name = found.system, found.axle.suspension.name
    soft: list[tuple[Array, Array]] = []
    more: list[Array] = []
    gone: set[int] = set()
    for joint, own in system.block_rows.items():
        side = next((side for side in SIDES if joint.startswith(f"{name}_{side}_")), None)
        part = joint.removeprefix(f"{name}_{side}_" if side else f"{name}_")
        ends = PIVOTS.get(part, ())
        given = [end for end in ends if end in s.bushings]
        if not given:
            continue
        gone |= set(own)
        if len(own) == 1:  # a rod
            soft.append((found.jacobian[:, own.start : own.stop], np.array([float(np.max(s.bushings[given[0]]))])))
            continue
        body = found.track(system.model.joints[joint].b.body)
        for end in ends:
            rows = _pivot_rows(found, body, s.point(end, side or "left"))
            if end in given:
                soft.append((rows, six_of(s.bushings[end])))
            else:
                more.append(rows[:, :3])
    kept = [k for k in range(len(system.rows)) if k not in gone]
    H = np.concatenate([found.jacobian[:, kept], *more], axis=1)
    k = np.concatenate([own for _, own in soft])
    return H, np.concatenate([rows for rows, _ in soft], axis=1)[:, k > 0], k[k > 0]


def _pivot_rows(found: Sweep, body: Track, point: Array) -> Array:
    """Six rows: velocity of a point of a body, which is where it is drawn, and angular velocity."""
    n, at = len(found), 6 * body.number
    rows = np.zeros((n, 6, found.jacobian.shape[2]))
    rows[:, :3, at : at + 3] = rows[:, 3:, at + 3 : at + 6] = np.eye(3)
    arm = point - body.r
    for axis, turn in enumerate(np.eye(3)):  # column j of the lever: e_j x arm
        rows[:, :3, at + 3 + axis] = crossed(turn, arm)
    return rows


#: points on the chassis of each joint that may be in bushings
PIVOTS = {
    "tie_rod": ("tie_inner",),
    "panhard_rod": ("panhard_chassis",),
    "hinge": ("pivot_inner", "pivot_outer"),
    **{f"link{k}": (f"link{k}_inner",) for k in range(1, 5)},
    **{f"{level}_link": (f"{level}_chassis",) for level in ("lower", "upper")},
    **{f"{level}_hinge": (f"{level}_front", f"{level}_rear") for level in ("upper", "lower")},
}


def _arms_as_bodies(s: Suspension) -> Suspension:
    """What leads the wheels, with arms that are bodies: bushings at their pivots give way in all directions."""
    inertia, mass = s.upright_inertia or 0.01, s.upright_mass or 1.0
    return s.bare().unchecked(arm_mass=s.arm_mass or 0.1, upright_inertia=inertia, upright_mass=mass)


@dataclass(frozen=True)
class Compliance:
    """What a load does to each wheel for each newton (or newton metre): toe and camber [rad],
    displacement of the wheel's centre [m]."""

    load: str
    size: float
    toe: dict[str, float]
    camber: dict[str, float]
    displacement: dict[str, Array]


def compliance(suspension: Suspension, load: str = "lateral", size: float = 1000.0) -> Compliance:
    """Loads both wheels (force in N, moment in N m) at their contact points with the wheels' centres held in height
    and the rack fixed. It is found from statics, so it holds for soft bushings and large loads as well."""
    if load not in LOADS:
        raise ModelError(f"there is no load {load!r}; loads: {', '.join(LOADS)}.")
    held = _loaded(suspension, load, size)
    before = held.drawn
    after = statics(held, start=before).state if suspension.bushings else before
    toe, camber, moved = {}, {}, {}
    for side in SIDES:
        k = held.body_numbers[_carrier(held.model, suspension, side)]
        angles, points = [], []
        for state in (before, after):
            y = of_body(state.y, k)
            R = rotations(y[None, 3:7])[0]
            y0 = of_body(before.y, k)
            R0 = rotations(y0[None, 3:7])[0]
            s = R @ R0.T @ suspension.spindle(side)
            sigma = 1.0 if side == "left" else -1.0
            angles.append((sigma * np.arctan2(s[0], s[1]), -sigma * np.arcsin(s[2])))
            points.append(y[:3] + R @ R0.T @ (suspension.point("wheel_centre", side) - y0[:3]))
        toe[side], camber[side] = ((angles[1][i] - angles[0][i]) / size for i in (0, 1))
        moved[side] = (points[1] - points[0]) / size
    return Compliance(load, size, toe, camber, moved)


def _carrier(model: Model, s: Suspension, side: str) -> str:
    return next(n for n in (f"{s.name}_{side}_upright", f"{s.name}_{side}_arm", f"{s.name}_axle") if n in model.bodies)


def _loaded(s: Suspension, load: str, size: float) -> System:
    model = Model(f"{s.name} under {load}", gravity=(0, 0, 0))
    axle = add_axle(model, _arms_as_bodies(s))
    components = dict(zip(SIDES, LOADS[load][:2], strict=True))
    for side in SIDES:
        model.hold(f"{side} height", f"{s.name}_{side}_travel", 0.0)
        centre, spin = s.point("wheel_centre", side), s.spindle(side)
        rise = np.array([0.0, 0.0, 1.0]) - spin * spin[2]
        patch = centre - s.wheel_radius * rise / np.linalg.norm(rise)
        frame = axle.carrier(side).frame(centre if LOADS[load][2] else patch)
        push = model.torque if LOADS[load][3] else model.force
        push(f"{side} load", frame, tuple((size * components[side]).tolist()))
    if s.steered:
        model.hold("rack place", f"{s.name}_rack.travel", 0.0)
    return compile(model)
