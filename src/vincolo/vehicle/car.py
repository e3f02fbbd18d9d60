"""A car as its designer writes it: two suspensions, a chassis, shares of brake and drive force."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array, vector
from vincolo.vehicle.curves import Curves, curves
from vincolo.vehicle.metrics import Setting
from vincolo.vehicle.suspension import SIDES, Suspension

G = 9.80665  # m/s2
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


@dataclass(frozen=True)
class Car:
    """A car on two suspensions: mass [kg], inertia [kg m2] and centre of mass [m] of the chassis with
    all it carries but uprights and wheels. Shares are those of the front axle; coefficients of air are
    force over speed squared [N s2/m2]."""

    name: str
    front: Suspension
    rear: Suspension
    mass: float
    com: Any
    inertia: Any = (0.0, 0.0, 0.0)
    brake_front: float = 0.6
    drive_front: float = 0.0
    drag: float = 0.0  # at the height of the centre of mass
    downforce_front: float = 0.0
    downforce_rear: float = 0.0
    rack_ratio: float = 0.015  # m of rack for each radian of the steering wheel
    about: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        what = f"car {self.name!r}"
        object.__setattr__(self, "com", vector(f"{what}: com", self.com))
        object.__setattr__(self, "inertia", vector(f"{what}: inertia", self.inertia))
        for f in fields(self):
            value = getattr(self, f.name)
            if f.type == "float" and (isinstance(value, bool) or not np.isfinite(value) or value < 0):
                raise ModelError(f"{what}: {f.name} is {value!r}; a finite number that is not negative is needed.")
        for key in ("brake_front", "drive_front"):
            if getattr(self, key) > 1:
                raise ModelError(f"{what}: {key} is {getattr(self, key):g}; a share is from 0 to 1.")
        for s in self.axles.values():
            if s.sides != "both" or s.chassis:
                text = f"{what}: suspension {s.name!r} is on a car, which has both sides on its own chassis."
                raise ModelError(f"{text}\n  Leave sides and chassis out.")
        if self.mass <= 0:
            raise ModelError(f"{what}: the mass is {self.mass:g} kg; it must be positive.")
        if self.wheelbase <= 0.1:
            raise ModelError(
                f"{what}: the front wheels are at x = {self.front.point('wheel_centre')[0]:g} m and the rear ones at "
                f"x = {self.rear.point('wheel_centre')[0]:g} m.\n  x is forward: the front axle has the larger x."
            )

    @property
    def wheelbase(self) -> float:
        """From axle to axle [m]."""
        return float(self.front.point("wheel_centre")[0] - self.rear.point("wheel_centre")[0])

    @property
    def axles(self) -> dict[str, Suspension]:
        """Both suspensions."""
        return {"front": self.front, "rear": self.rear}

    def unsprung(self, axle: str) -> float:
        """Mass [kg] of the uprights and wheels of an axle."""
        s = self.axles[axle]
        return 2 * (s.upright_mass + s.wheel_mass)

    @cached_property
    def total(self) -> tuple[float, Array]:
        """Mass [kg] of the whole car and its centre of mass [m]."""
        parts = [(self.mass, np.asarray(self.com))]
        parts += [(self.unsprung(a), s.point("wheel_centre") * (1, 0, 1)) for a, s in self.axles.items()]
        mass = sum(m for m, _ in parts)
        return mass, sum((m * p for m, p in parts), np.zeros(3)) / mass

    @property
    def ground(self) -> float:
        """Height z [m] of the road as drawn, below the front wheels."""
        return float(self.front.point("wheel_centre")[2]) - self.front.wheel_radius * float(np.cos(self.front.camber))

    @cached_property
    def height(self) -> float:
        """Height [m] of the centre of mass over the road."""
        return float(self.total[1][2]) - self.ground

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of the weight on each axle."""
        front = float(self.total[1][0] - self.rear.point("wheel_centre")[0]) / self.wheelbase
        if not 0 < front < 1:
            raise ModelError(
                f"car {self.name!r}: its centre of mass is not between the axles: {front:.2f} of the weight "
                "would be on the front wheels.\n  Check com and the points wheel_centre."
            )
        return {"front": front, "rear": 1 - front}

    def setting(self, axle: str) -> Setting:
        """What metrics of an axle need of the car."""
        brake, drive = (v if axle == "front" else 1 - v for v in (self.brake_front, self.drive_front))
        sprung = (self.total[0] * self.shares[axle] - self.unsprung(axle)) / 2
        return Setting(self.wheelbase, self.height, brake, drive, sprung, axle == "rear")

    @cached_property
    def curves(self) -> dict[str, Curves]:
        """Metrics of both axles about the position as drawn."""
        return {axle: curves(s, "parallel", -0.001, 0.001, 3, car=self.setting(axle)) for axle, s in self.axles.items()}

    def at_rest(self, axle: str, metric: str) -> float:
        """A metric of an axle as drawn."""
        return self.curves[axle].at(metric)


@dataclass(frozen=True)
class Transfer:
    """Vertical loads [N] of the four wheels, and what they are made of."""

    loads: dict[str, float]
    lateral: dict[str, float]  # load moved from the inner to the outer wheel of each axle
    longitudinal: float  # load moved from the front to the rear axle
    roll: float  # rad, of the body to the right


def mass_transfer(car: Car, ax: float = 0.0, ay: float = 0.0, az: float = 0.0, speed: float = 0.0) -> Transfer:
    """Wheel loads in steady motion with accelerations [m/s2] forwards, to the left and upwards: static loads,
    aerodynamic loads, pitch by m ax h/L, and roll by the heights of the force-based roll centres and the shares of the
    axles in the roll stiffness on their tyres. A wheel that would lift carries nothing, and its axle the rest."""
    mass, com = car.total
    weight = mass * (G + az)
    pitch = (mass * ax * car.height + car.drag * speed**2 * car.height) / car.wheelbase
    roll_rate = {a: car.at_rest(a, "roll_rate_tyres") for a in car.axles}
    centre = {a: car.at_rest(a, "force_centre_height") for a in car.axles}
    track = {a: car.at_rest(a, "track") for a in car.axles}
    x = {a: float(s.point("wheel_centre")[0]) for a, s in car.axles.items()}
    share = (float(car.com[0]) - x["rear"]) / car.wheelbase
    axis = share * centre["front"] + (1 - share) * centre["rear"]
    moment = car.mass * ay * (float(car.com[2]) - car.ground - axis)
    total = sum(roll_rate.values())
    if ay and total <= 0:
        raise ModelError(f"car {car.name!r}: nothing resists roll; give the springs or the anti-roll bar a rate.")
    roll = moment / (total - car.mass * G * (float(car.com[2]) - car.ground - axis)) if total else 0.0
    loads, lateral = {}, {}
    for a, s in car.axles.items():
        sprung = car.mass * (share if a == "front" else 1 - share)
        direct = sprung * centre[a] + car.unsprung(a) * (float(s.point("wheel_centre")[2]) - car.ground)
        lateral[a] = ((moment * roll_rate[a] / total if total else 0.0) + ay * direct) / track[a]
        air = (car.downforce_front if a == "front" else car.downforce_rear) * speed**2
        axle = weight * car.shares[a] + air + (-pitch if a == "front" else pitch)
        for side in SIDES:
            moved = -lateral[a] if side == "left" else lateral[a]  # to the left: the right wheels are the outer ones
            loads[f"{a}_{side}"] = float(np.clip(axle / 2 + moved, 0.0, max(axle, 0.0)))
    return Transfer(loads, lateral, pitch, roll)
