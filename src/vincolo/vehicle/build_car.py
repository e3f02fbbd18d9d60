"""A car as a model: chassis, two suspensions with wheels that turn, tyres on a
road, steering, drive, brakes and air."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vincolo.analyses.assemble import assemble
from vincolo.blocks import second_order
from vincolo.errors import ModelError
from vincolo.layout import SPIN, VELOCITY, of_body
from vincolo.model.functions import Function
from vincolo.model.model import Model
from vincolo.state import State
from vincolo.system import System
from vincolo.vehicle.build import Axle, add_axle
from vincolo.vehicle.car import Car, mass_transfer
from vincolo.vehicle.contact import add_tyre
from vincolo.vehicle.loads import member_loads
from vincolo.vehicle.suspension import SIDES, Suspension
from vincolo.vehicle.tyres import Tyre

STEERING = 25.0  # Hz: the rack follows the steering wheel as a second-order filter
LAG = 0.02  # s: of the drive torque
SLOW = 0.5  # rad/s: below it brakes fade, so that a wheel at rest is not pushed back and forth


@dataclass(frozen=True)
class Built:
    """A car in a model: inputs "steering" [rad at the wheel], "drive" and "brake" [N m, of all wheels together], and
    "speed" [m/s], which the drive holds as the variable "cruise" says."""

    car: Car
    model: Model
    axles: dict[str, Axle]
    tyres: dict[str, Tyre]


def build_car(
    car: Car, tyres: Tyre | Mapping[str, Tyre], *, road: Function | float | None = None, model: Model | None = None
) -> Built:
    """The model of a car at rest on its tyres as drawn: springs and rods in bushings carry what they must for that.
    Tyres by axle ("front", "rear") or one for all; the road is flat below the wheels as drawn, or a function of the
    world's x. A `model` that is given gets the parts."""
    sets = {axle: tyres if isinstance(tyres, Tyre) else tyres[axle] for axle in car.axles}
    model = Model(car.name) if model is None else model
    com = np.asarray(car.com)
    inertia = car.inertia if np.any(car.inertia) else _guessed(car)
    chassis = model.body("chassis", car.mass, tuple(np.asarray(inertia).tolist()), at=com, colour="steelblue")
    model.outline(chassis, _outline(car))
    for name, unit in (("steering", "rad"), ("drive", "N m"), ("brake", "N m"), ("speed", "m/s")):
        model.input(name, unit=unit)
    model.variable("cruise", 0.0, unit="N m s/m")  # torque for each m/s that the speed is below the input "speed"
    loads = mass_transfer(car).loads
    axles = {}
    for axle, s in car.axles.items():
        sprung = {side: np.array([0.0, 0.0, loads[f"{axle}_{side}"]]) for side in SIDES}
        held = member_loads(s, sprung)
        stands = replace(s, preload=held.springs[f"{s.name}_left_spring"])
        axles[axle] = add_axle(model, stands, chassis, locked=False, tension=held.axial, forces=held.joints)
    _steer(model, car, axles)
    for axle, built in axles.items():
        _wheels(model, car, built, sets[axle], loads[f"{axle}_left"], car.ground if road is None else road)
    _reaction(model, car)
    _air(model, car, chassis)
    return Built(car, model, axles, sets)


def _guessed(car: Car) -> Any:
    """Inertia of a box of the wheelbase, the track and half a metre."""
    a, b, c = car.wheelbase, car.at_rest("front", "track"), 0.5
    return car.mass / 12 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])


def _outline(car: Car) -> list[Any]:
    x = [float(s.point("wheel_centre")[0]) for s in car.axles.values()]
    z = car.ground + 0.08
    return [(px, side * 0.25, pz) for px in (x[0] + 0.3, x[1] - 0.2) for side in (1, -1) for pz in (z, z + 0.3)]


def _steer(model: Model, car: Car, axles: dict[str, Axle]) -> None:
    steered = [a for a in axles.values() if a.rack is not None]
    if not steered:
        raise ModelError(f"car {car.name!r}: no axle is steered.\n  Give steered=True to the front suspension.")
    wheel = second_order(model, "steering_smooth", "steering", frequency=STEERING)
    for axle in steered:  # a tie rod behind the axle steers the other way
        s = axle.suspension
        ahead = float(s.point("tie_outer")[0] - s.point("wheel_centre")[0])
        if s is axles["rear"].suspension:
            model.drive(f"{s.name}_rack.travel", 0.0)
            continue
        sign = 1.0 if ahead > 0 else -1.0
        model.drive(f"{s.name}_rack.travel", f"{sign * car.rack_ratio!r}*({wheel})")


def _wheels(model: Model, car: Car, axle: Axle, tyre: Tyre, load: float, road: Function | float) -> None:
    s = axle.suspension
    front = s.name == car.front.name
    drive = (car.drive_front if front else 1 - car.drive_front) / 2
    brake = (car.brake_front if front else 1 - car.brake_front) / 2
    for side in SIDES:
        name = f"{s.name}_{side}"
        hub = model.joints[f"{name}_hub"]
        torque = None
        if drive:
            torque = model.state(
                f"{name}_torque",
                f"(share*(drive + cruise*(speed - sqrt(chassis.vx^2 + chassis.vy^2))) - {name}_torque)/lag",
                share=drive,
                lag=LAG,
                unit="N m",
                size=10.0,
            )
        add_tyre(
            model,
            f"{name}_tyre",
            tyre,
            axle.carrier(side),
            hub,
            free=_drawn_radius(car, s) + load / tyre.k,
            road=road,
            drive=torque,
        )
        if brake:
            model.actuator(f"{name}_brake", hub["angle"], "-share*brake*tanh(dd/slow)", share=brake, slow=SLOW)


def _reaction(model: Model, car: Car) -> None:
    """What drive shafts put on the wheels, the other way about on the chassis."""
    driven = [name for name in model.states if name.endswith("_torque")]
    if driven:
        model.torque("shafts", model.bodies["chassis"], (0, "-(" + " + ".join(driven) + ")", 0), axes="body")


def _air(model: Model, car: Car, chassis: Any) -> None:
    if car.drag:
        model.drag("air", chassis.frame(np.asarray(car.com)), car.drag)
    for axle, coefficient in (("front", car.downforce_front), ("rear", car.downforce_rear)):
        if coefficient:
            at = car.axles[axle].point("wheel_centre") * (1, 0, 1)
            model.force(
                f"downforce_{axle}", chassis.frame(at), (0, 0, "-k*(chassis.vx^2 + chassis.vy^2)"), k=coefficient
            )


def rolling(built: Built, system: System, speed: float) -> State:
    """The start of a run: the car as drawn, rolling straight on at a speed [m/s]."""
    begin = assemble(system)
    y = begin.y.copy()
    for name, k in system.body_numbers.items():
        own = of_body(y, k)
        own[VELOCITY] = (speed, 0.0, 0.0)
        if name.endswith("_wheel"):
            axle = next(a for a in built.axles.values() if name.startswith(a.suspension.name))
            side = "left" if "_left_" in name else "right"
            s = axle.suspension
            own[SPIN] = speed / _rolling_radius(built, s) * s.spindle(side)
    return begin.with_vector(y)


def _rolling_radius(built: Built, s: Suspension) -> float:
    """The radius at which a wheel rolls without slip: a third of the deflection less than the free one."""
    axle = "front" if s.name == built.car.front.name else "rear"
    load = mass_transfer(built.car).loads[f"{axle}_left"]
    return _drawn_radius(built.car, s) + load / built.tyres[axle].k / 3


def _drawn_radius(car: Car, s: Suspension) -> float:
    """From the wheel's centre to the road in its own plane, as drawn."""
    return (float(s.point("wheel_centre")[2]) - car.ground) / float(np.cos(s.camber))
