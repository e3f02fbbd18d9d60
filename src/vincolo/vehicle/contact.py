"""A tyre on a road in a model: laws along cheap measures that together are the exact force and moment on the wheel.

The road is z = road, its normal is z; s is the unit vector along the wheel's axis to the left, u its up. Friction
coefficients mu_x = F_x/F_z, mu_y and the lever M_z/F_z are states that follow their steady values of the tyre's
formulas over the relaxation lengths: sigma mu' = |V| (steady - mu); the load acts at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model.auxiliary import Auxiliary
from vincolo.model.body import Body
from vincolo.model.functions import Function
from vincolo.model.grouped_laws import add_laws, set_rates
from vincolo.model.joint import Joint
from vincolo.model.measure import Measure, along_world, cosine, formula
from vincolo.model.model import Model
from vincolo.vehicle.tyres import Tyre

LEVER = 0.1  # m: half the length of the levers that couples are put on
SLOW = 1.0  # m/s: slips are those of this speed where the wheel is slower
STATES = ("mu_x", "mu_y", "lever")


@dataclass(frozen=True)
class Contact:
    """What a tyre was made of in a model."""

    name: str
    tyre: Tyre
    free: float  # radius without load [m]


def add_tyre(
    model: Model,
    name: str,
    tyre: Tyre,
    carrier: Body,
    hub: Joint,
    *,
    free: float | None = None,
    road: Function | float = 0.0,
    drive: Auxiliary | None = None,
) -> Contact:
    """Puts a tyre on the wheel of a hub whose axis (z of the joint) points to the left of the car. The road
    is a height [m], or a function of the world's x. Forces are "name.x", "name.y", "name.z" (world axes, at
    the wheel's centre) and couples; "name_mu_x", "name_mu_y" and "name_lever" are states. A torque
    `drive` [N m] on the wheel comes from shafts."""
    spindle = hub.a.drawn_axes[:, 2]
    up = np.array([0.0, 0.0, 1.0]) - spindle * spindle[2]
    up /= np.linalg.norm(up)
    contact = Contact(name, tyre, tyre.radius if free is None else free)
    ground = model.ground.frame((0.0, 0.0, 0.0))
    mark = carrier.frame(hub.a.drawn_point, z=up, x=np.cross(spindle, up))
    seen: dict[str, Any] = {axis: along_world(axis, ground, mark) for axis in "xyz"}
    seen |= {f"s{axis}": cosine(axis, "y", ground, mark) for axis in "xyz"}
    seen |= {f"u{axis}": cosine(axis, "z", ground, mark) for axis in "xyz"}
    seen |= {"hub": hub["angle"], "road": _road(road, seen["x"])}
    for state in STATES:
        model.state(f"{name}_{state}", 0.0, unit="m" if state == "lever" else "1", size=0.1)
    states = {state: model.states[f"{name}_{state}"] for state in STATES}
    set_rates(model, [s.name for s in states.values()], lambda q: _rates(contact, q), {**seen, **states})
    along = {
        "x": seen["x"],
        "y": seen["y"],
        "z": seen["z"],
        **_couples(carrier, hub.a.drawn_point, spindle, up, ground),
        "hub": seen["hub"],
    }
    readings = {**seen, **states, **({} if drive is None else {"drive": drive})}
    add_laws(model, name, along, lambda q: _forces(contact, q, driven=drive is not None), readings)
    return contact


def _road(road: Function | float, x: Measure) -> Measure:
    """The height of the road below a wheel as a measure."""
    return (
        formula("f(x)", x=x, f=road) if isinstance(road, Function) else formula("0*x + height", x=x, height=float(road))
    )


def _couples(carrier: Body, centre: Any, spindle: Any, up: Any, ground: Any) -> dict[str, Measure]:
    """Levers along the wheel's up and its axis, pushed along x and y of the world."""

    def lever(along: Any, axis: str) -> Measure:
        ends = (carrier.frame(centre + sign * LEVER * along) for sign in (1.0, -1.0))
        first, second = (along_world(axis, ground, end) for end in ends)
        return first - second

    return {"ux": lever(up, "x"), "uy": lever(up, "y"), "sx": lever(spindle, "x"), "sy": lever(spindle, "y")}


def geometry(contact: Contact, q: Mapping[str, Any]) -> dict[str, Any]:
    """Radius, load [N] and axes at the contact."""
    tyre = contact.tyre
    flat = np.sqrt(q["sx"] * q["sx"] + q["sy"] * q["sy"])
    radius = (q["z"] - q["road"]) / flat
    deflection = contact.free - radius
    push = tyre.k * deflection - tyre.c * (q["z_rate"] - q["road_rate"]) / flat
    load = np.where(deflection > 0.0, np.maximum(push, 0.0), 0.0)
    return {"flat": flat, "radius": radius, "load": load, "ex": q["sy"] / flat, "ey": -q["sx"] / flat}


def _rates(contact: Contact, q: Mapping[str, Any]) -> tuple[Any, ...]:
    """Rates of the friction coefficients and of the lever."""
    tyre, g = contact.tyre, geometry(contact, q)
    forward = q["x_rate"] * g["ex"] + q["y_rate"] * g["ey"]
    side = q["y_rate"] * g["ex"] - q["x_rate"] * g["ey"] + g["radius"] * q["sz_rate"] / g["flat"]
    # w . s of the carrier is u' . (s x u)
    turn = (
        q["ux_rate"] * (q["sy"] * q["uz"] - q["sz"] * q["uy"])
        + q["uy_rate"] * (q["sz"] * q["ux"] - q["sx"] * q["uz"])
        + q["uz_rate"] * (q["sx"] * q["uy"] - q["sy"] * q["ux"])
    )
    rolling = (q["hub_rate"] + turn) * (2.0 * g["radius"] + contact.free) / 3.0
    pace = np.maximum(np.abs(forward), SLOW)
    load = g["load"] + 1.0
    x, y, moment = tyre.forces((rolling - forward) / pace, side / pace, np.arctan2(q["sz"], g["flat"]), load)
    return (
        (x / load - q["mu_x"]) * pace / tyre.relaxation_x,
        (y / load - q["mu_y"]) * pace / tyre.relaxation_y,
        (moment / load - q["lever"]) * pace / tyre.relaxation_y,
    )


def _forces(contact: Contact, q: Mapping[str, Any], *, driven: bool) -> tuple[Any, ...]:
    """Forces at the wheel's centre in world axes, couples on the levers, and the torque about the hub."""
    g = geometry(contact, q)
    sx, sy, sz, ux, uy, uz = (q[name] for name in ("sx", "sy", "sz", "ux", "uy", "uz"))
    fx = g["load"] * (q["mu_x"] * g["ex"] - q["mu_y"] * g["ey"])
    fy = g["load"] * (q["mu_x"] * g["ey"] + q["mu_y"] * g["ex"])
    # moment of the force about the centre, r = -radius (n - s sz)/flat, and the aligning moment about n
    share = -g["radius"] / g["flat"]
    rx, ry, rz = -share * sx * sz, -share * sy * sz, share * (1.0 - sz * sz)
    tx, ty = ry * g["load"] - rz * fy, rz * fx - rx * g["load"]
    tz = rx * fy - ry * fx + q["lever"] * g["load"]
    hub = tx * sx + ty * sy + tz * sz
    if driven:  # shafts turn the wheel from the chassis: the hub's reaction on the carrier is taken back
        tx, ty, tz, hub = tx + q["drive"] * sx, ty + q["drive"] * sy, tz + q["drive"] * sz, hub + q["drive"]
    # couples: 2 LEVER (u x g + k s x e_x) = T, with k from the part of T along u
    cross = (-g["ey"] * sz, g["ex"] * sz, sx * g["ey"] - sy * g["ex"])  # s x e_x
    along = (tx * ux + ty * uy + tz * uz) / (cross[0] * ux + cross[1] * uy + cross[2] * uz)
    tx, ty = tx - along * cross[0], ty - along * cross[1]
    lever = 1.0 / (2.0 * LEVER)
    return fx, fy, g["load"], lever * ty / uz, -lever * tx / uz, lever * along * g["ex"], lever * along * g["ey"], hub
