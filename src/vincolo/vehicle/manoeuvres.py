"""Manoeuvres of a car: steady cornering, step steer, sine with dwell, braking, lane
change, a lap; and what they tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.analyses.simulate import simulate
from vincolo.errors import ModelError
from vincolo.model.checks import finite_number
from vincolo.model.geometry import Array
from vincolo.model.measure import cosine
from vincolo.results.result import Result
from vincolo.solvers.integrators import BogackiShampine, Integrator
from vincolo.system import compile
from vincolo.vehicle.build_car import Built, rolling
from vincolo.vehicle.car import CORNERS, G
from vincolo.vehicle.curves import curves

TOLERANCE = 1e-4  # of steps: 0.1 to 0.5 mm after seconds of driving
CRUISE = 3000.0  # N m s/m
BANKING = ("bank_side", "bank_down")  # inputs [m/s2] of a car on a banked track


@dataclass(frozen=True, eq=False)
class Drive:
    """A run of a car: series over its time in SI units and ISO 8855 signs."""

    built: Built
    result: Result

    @property
    def t(self) -> Array:
        """Time [s]."""
        return self.result.t

    @cached_property
    def heading(self) -> Array:
        """Yaw angle [rad], positive to the left."""
        motion = self.result.motion("chassis").rotation
        return np.unwrap(np.arctan2(motion[:, 1, 0], motion[:, 0, 0]))

    @cached_property
    def roll(self) -> Array:
        """Roll angle of the body [rad], positive to the right side down."""
        R = self.result.motion("chassis").rotation
        return np.arctan2(R[:, 2, 1], np.hypot(R[:, 2, 0], R[:, 2, 2]))

    @cached_property
    def speed(self) -> Array:
        """Speed [m/s] over the ground."""
        return np.hypot(self.result["chassis.vx"], self.result["chassis.vy"])

    @property
    def yaw_rate(self) -> Array:
        """Yaw rate [rad/s]."""
        return self.result["chassis.wz"]

    @cached_property
    def lateral(self) -> Array:
        """Acceleration [m/s2] to the left of the car, along the road."""
        a = self.result["chassis.ax"], self.result["chassis.ay"]
        return -a[0] * np.sin(self.heading) + a[1] * np.cos(self.heading)

    @cached_property
    def sideslip(self) -> Array:
        """Angle [rad] from the car's heading to its velocity, at the centre of mass of the chassis."""
        way = np.unwrap(np.arctan2(self.result["chassis.vy"], self.result["chassis.vx"]))
        return way - self.heading

    def load(self, corner: str) -> Array:
        """Vertical load [N] of a tyre: front_left, front_right, rear_left, rear_right."""
        if corner not in CORNERS:
            raise ModelError(f"there is no wheel {corner!r}; there are: {', '.join(CORNERS)}.")
        axle, _, side = corner.partition("_")
        name = self.built.car.axles[axle].name
        return self.result[f"{name}_{side}_tyre.z.force"]

    @property
    def real_time_factor(self) -> float:
        """Simulated time over CPU time of the kernel."""
        return float((self.t[-1] - self.t[0]) / self.result.seconds)

    @cached_property
    def energy(self) -> float:
        """Work [J] that the drive put into the wheels, without what it took back."""
        power = np.zeros(len(self.t))
        for name in (n for n in self.result.system.model.states if n.endswith("_torque")):
            power += self.result[name] * self.result[f"{name.removesuffix('_torque')}_hub.angle.rate"]
        return float(np.trapezoid(np.maximum(power, 0.0), self.t))


def drive(
    built: Built,
    until: float,
    speed: float,
    inputs: Mapping[str, Any] | None = None,
    *,
    hold_speed: bool = False,
    outputs: int = 400,
    driver: Callable[..., Any] | None = None,
    integrator: Integrator | None = None,
) -> Drive:
    """Drives a car that rolls straight on at `speed` [m/s]: inputs "steering" [rad], "drive", "brake" [N m] as numbers
    or tables (times, values), which go in straight lines and stay at their last value; with `hold_speed` the drive
    holds the speed. A `driver` is called every 10 ms as driver(t, x, y, heading, speed) and returns the steering angle,
    or steering and the speed it wishes."""
    v = finite_number("drive(): speed", speed)
    if v < 0:
        raise ModelError(f"drive(): speed is {v:g} m/s; it cannot be negative.")
    model = built.model.copy()
    if hold_speed or driver is not None:
        model.variables["cruise"] = replace(model.variables["cruise"], start=CRUISE)
    if driver is not None:
        _put(model, driver, v)
    given = {**({"speed": v} if driver is None else {}), **_lines(model, inputs or {}, until)}
    system = compile(model)
    chosen = BogackiShampine(rtol=TOLERANCE, atol=TOLERANCE) if integrator is None else integrator
    result = simulate(system, until, start=rolling(built, system, v), integrator=chosen, outputs=outputs, inputs=given)
    return Drive(built, result)


def _lines(model: Any, inputs: Mapping[str, Any], until: float) -> dict[str, Any]:
    """Inputs whose tables go in straight lines to the end of the run."""
    found = dict(inputs)
    for name, given in inputs.items():
        if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 1 and len(given[0]):
            t, values = (np.asarray(x, dtype=float) for x in given)
            more = bool(t[-1] < until)
            found[name] = (np.append(t, until), np.append(values, values[-1])) if more else (t, values)
            if name in model.inputs:  # what is not known is refused where inputs are read
                model.inputs[name] = replace(model.inputs[name], between="linear")
    return found


def _put(model: Any, driver: Callable[..., Any], speed: float) -> None:
    reads = ["chassis.x", "chassis.y", "chassis.vx", "chassis.vy", "heading_x", "heading_y"]
    add_heading(model)

    def control(t: float, x: float, y: float, vx: float, vy: float, hx: float, hy: float) -> tuple[float, ...]:
        found = driver(t, x, y, float(np.arctan2(hy, hx)), float(np.hypot(vx, vy)))
        return found if isinstance(found, tuple) else (float(found), speed)

    writes = ["steering", "speed", *(name for name in BANKING if name in model.inputs)]
    model.add_controller("driver", control, every=0.01, reads=reads, writes=writes)


def add_heading(model: Any) -> None:
    """The car's heading as two measures, its forward direction along the world's x and y."""
    if "heading_x" not in model.measures:
        ground, mark = model.ground.frame((0, 0, 0)), model.bodies["chassis"].frame(local=(0, 0, 0))
        model.measure("heading_x", cosine("x", "x", ground, mark))
        model.measure("heading_y", cosine("y", "x", ground, mark))


# steady cornering


@dataclass(frozen=True, eq=False)
class Steady:
    """Steady-state cornering at constant speed (ISO 4138): road-wheel steer angle over lateral acceleration."""

    run: Drive
    lateral: Array  # m/s2
    steer: Array  # rad, mean of the front wheels
    gradient: float  # rad s2/m: understeer gradient about the least accelerations
    yaw_gain: float  # 1/s: yaw rate for each rad of road-wheel steer angle there


def steady_cornering(built: Built, speed: float, highest: float = 3.0, *, duration: float = 6.0) -> Steady:
    """Turns the steering slowly until a kinematic lateral acceleration of `highest` [m/s2] is asked for, the speed
    held. The understeer gradient is d(steer)/d(a_y) - L/v^2, by a straight line through the second half of the way."""
    car = built.car
    wheel = highest * car.wheelbase / speed**2 / steer_per_rack(built) / car.rack_ratio
    run = drive(built, duration, speed, {"steering": ([0.0, duration], [0.0, wheel])}, hold_speed=True)
    half = run.t > duration / 3
    steer = run.result["steering_smooth"] * car.rack_ratio * steer_per_rack(built)
    lateral = run.yaw_rate * run.speed
    slope = float(np.polyfit(lateral[half], steer[half], 1)[0])
    gain = float(np.polyfit(steer[half], run.yaw_rate[half], 1)[0])
    return Steady(run, lateral, steer, slope - car.wheelbase / float(np.mean(run.speed[half])) ** 2, gain)


def steer_per_rack(built: Built) -> float:
    """Mean steer angle of the front wheels [rad] for each metre of rack in the direction of steering to the left."""
    s = built.car.front
    found = curves(s, "steer", -0.002, 0.002, 3, wanted=["left.steer"])
    mean = (found["left.steer"] + found["right.steer"]) / 2
    return abs(float(mean[2] - mean[0])) / 0.004


def bicycle_gradient(built: Built) -> float:
    """The understeer gradient [rad s2/m] of the bicycle model with the cornering stiffnesses of the tyres at their
    static loads: (m/L) (b/C_f - a/C_r)."""
    car = built.car
    mass, com = car.total
    a = float(car.front.point("wheel_centre")[0] - com[0])
    b = car.wheelbase - a
    loads = {axle: mass * G * car.shares[axle] / 2 for axle in car.axles}
    stiff = {axle: 2 * built.tyres[axle].cornering_stiffness(loads[axle]) for axle in car.axles}
    return mass / car.wheelbase * (b / stiff["front"] - a / stiff["rear"])


# transients


@dataclass(frozen=True, eq=False)
class Response:
    """A step of the steering (ISO 7401): times [s] from half of the step to 90 % of the steady values, the largest yaw
    rate over the steady one, and steady values."""

    run: Drive
    yaw_rate: float
    lateral: float
    yaw_time: float
    lateral_time: float
    overshoot: float


def step_steer(built: Built, speed: float, steering: float, *, at: float = 0.2, until: float = 3.0) -> Response:
    """Turns the steering wheel by an angle [rad] within 0.1 s, the drive holding the speed."""
    given = ([0.0, at, at + 0.1, until], [0.0, 0.0, steering, steering])
    run = drive(built, until, speed, {"steering": given}, hold_speed=True, outputs=int(200 * until))
    steady, lateral = float(run.yaw_rate[-1]), float((run.yaw_rate * run.speed)[-1])
    start = at + 0.05

    def rise(series: Array, last: float) -> float:
        return float(run.t[int(np.argmax(series * np.sign(last) >= 0.9 * abs(last)))]) - start

    largest = float(np.max(run.yaw_rate * np.sign(steady)))
    return Response(
        run,
        steady,
        lateral,
        rise(run.yaw_rate, steady),
        rise(run.yaw_rate * run.speed, lateral),
        largest / abs(steady) - 1 if steady else np.nan,
    )


def sine_with_dwell(
    built: Built, speed: float, steering: float, *, frequency: float = 0.7, dwell: float = 0.5
) -> Drive:
    """Steers a sine that waits at its second peak (FMVSS 126), then straight ahead
    for two seconds; no speed is held."""
    quarter = 0.25 / frequency
    t = np.arange(0.0, 0.2 + 4 * quarter + dwell + 2.0, 0.005)
    s = t - 0.2
    held = np.where(s < 3 * quarter, s, np.where(s < 3 * quarter + dwell, 3 * quarter, s - dwell))
    angle = np.where((s > 0) & (held < 4 * quarter), steering * np.sin(2 * np.pi * frequency * held), 0.0)
    return drive(built, float(t[-1]), speed, {"steering": (t, angle)}, outputs=600)


def braking(built: Built, speed: float, torque: float, *, steering: float = 0.0, until: float = 1.5) -> Drive:
    """Brakes with a torque [N m] of all wheels together from 0.5 s on, straight ahead or in a
    turn that was steered into before."""
    times = ([0.0, 0.5, 0.6, until], [0.0, 0.0, torque, torque])
    turn = ([0.0, 0.2, until], [0.0, steering, steering])
    return drive(built, until, speed, {"brake": times, "steering": turn})


# drivers


def preview_driver(path: Callable[[float], float], *, preview: float = 0.5, gain: float = 6.0) -> Callable[..., float]:
    """A driver who looks ahead by a time [s] and steers by the distance of the path y(x) from where the car would be
    then, over the distance ahead: gain [rad of the steering wheel]."""

    def steer(t: float, x: float, y: float, heading: float, speed: float) -> float:
        ahead = max(speed * preview, 1.0)
        off = path(x + ahead * np.cos(heading)) - (y + ahead * np.sin(heading))
        return float(np.clip(gain * off / ahead, -3.0, 3.0))

    return steer


def lane_change(
    built: Built, speed: float, *, offset: float = 1.5, start: float = 5.0, length: float = 12.0, until: float = 3.0
) -> Drive:
    """Changes by `offset` [m] to the left within `length` [m] and goes on there, with a preview driver."""

    def path(x: float) -> float:
        share = float(np.clip((x - start) / length, 0.0, 1.0))
        return offset * share**3 * (10 - 15 * share + 6 * share**2)

    return drive(built, until, speed, driver=preview_driver(path), outputs=300)
