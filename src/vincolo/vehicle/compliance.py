"""Compliance: how bushings let the wheels turn and move under loads at the contact points (the C of K&C)."""

from __future__ import annotations

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
from vincolo.vehicle.suspension import SIDES, Suspension

#: name: components on the left and right wheel, whether at the wheel's centre, whether a moment about z
LOADS: dict[str, tuple[Array, Array, bool, bool]] = {
    "braking": (np.array([-1.0, 0, 0]), np.array([-1.0, 0, 0]), False, False),
    "driving": (np.array([1.0, 0, 0]), np.array([1.0, 0, 0]), True, False),
    "lateral": (np.array([0, 1.0, 0]), np.array([0, 1.0, 0]), False, False),
    "lateral opposed": (np.array([0, 1.0, 0]), np.array([0, -1.0, 0]), False, False),
    "aligning": (np.array([0, 0, 1.0]), np.array([0, 0, 1.0]), False, True),
}


@dataclass(frozen=True)
class Compliance:
    """What a load does to each wheel for each newton (or newton metre): toe and camber [rad], displacement of the
    wheel's
    centre [m]."""

    load: str
    size: float
    toe: dict[str, float]
    camber: dict[str, float]
    displacement: dict[str, Array]


def compliance(suspension: Suspension, load: str = "lateral", size: float = 1000.0) -> Compliance:
    """Loads both wheels (force in N, moment in N m) at their contact points with the wheels' centres held in height
    and the
    rack fixed. It is found from statics, so it holds for soft bushings and large loads as well."""
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
    bare = s.bare().unchecked(
        arm_mass=s.arm_mass or 0.1, upright_inertia=s.upright_inertia or 0.01, upright_mass=s.upright_mass or 1.0
    )
    axle = add_axle(model, bare)
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
