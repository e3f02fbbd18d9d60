"""Metrics of a suspension along a sweep, by their written definitions (ISO 8855 axes
and signs), for all positions at once.

P is the contact point (lowest point of the wheel as a disc of the loaded radius), C the wheel's centre, s the
unit vector along its axis to the left, e_x and e_y the wheel's heading and its left on the ground, sigma 1 on the
left and -1 on the right. A dash is the derivative by the travel of that wheel alone, chassis and rack held;
points move with the carrier of the wheel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vincolo.model.geometry import Array
from vincolo.vehicle.build import kingpin_roles
from vincolo.vehicle.rigs import Sweep, crossed
from vincolo.vehicle.spring_rates import strut, twist_rate

#: name: unit, definition; of each side
OF_SIDES: dict[str, tuple[str, str]] = {
    "camber": ("rad", "lean of the wheel: positive if its top leans outwards; sin(camber) = -sigma s_z"),
    "toe": ("rad", "positive if the front of the wheel points inwards; tan(toe) = sigma s_x/s_y"),
    "steer": ("rad", "steer angle about z, positive to the left; tan(steer) = -s_x/s_y"),
    "caster": ("rad", "side view of the steering axis: positive if its top leans rearwards"),
    "kingpin": ("rad", "front view of the steering axis: positive if its top leans inwards"),
    "scrub": ("m", "scrub radius: from the steering axis on the ground outwards to P, across the wheel"),
    "trail": ("m", "mechanical trail: from P forwards to the steering axis on the ground, along the wheel"),
    "half_track": ("m", "distance of P from the middle plane"),
    "half_track_change": ("m", "its change from the position as drawn"),
    "wheelbase_change": ("m", "forward displacement of P from the position as drawn"),
    "instant_centre_y": ("m", "front view instant centre of the wheel's carrier in the plane x = C_x; y"),
    "instant_centre_z": ("m", "the same, z over the ground"),
    "swing_arm_front": ("m", "front view swing arm: from the instant centre outwards to C; negative if it is outside"),
    "side_centre_x": ("m", "side view instant centre in the plane y = C_y; x"),
    "side_centre_z": ("m", "the same, z over the ground"),
    "patch_angle": (
        "rad",
        "tan = P_x' / P_z': anti-dive angle for brakes at the wheel; positive if P goes forwards in bump",
    ),
    "centre_angle": ("rad", "tan = C_x' / C_z': the same for drive shafts and inboard brakes"),
    "bump_steer": ("rad/m", "toe': positive if the wheel toes in in bump"),
    "bump_camber": ("rad/m", "camber'"),
    "spring_ratio": (
        "",
        "motion ratio of the spring: its compression for each metre of wheel travel, the other wheel held",
    ),
    "spring_force": ("N", "compression of the spring"),
    "wheel_rate": ("N/m", "k ratio^2 of the springs for this wheel alone, without the change of the ratio"),
    "ride_rate": ("N/m", "wheel rate and tyre in series"),
    "frequency": ("Hz", "of the sprung mass on the ride rate, by itself"),
    "lateral_toe": ("rad/N", "toe that bushings let happen for each newton of side force at P inwards, on both wheels"),
    "lateral_camber": ("rad/N", "the same of camber"),
    "lateral_give": ("m/N", "the same of C, inwards"),
    "braking_toe": ("rad/N", "toe for each newton rearwards at P, brakes at the wheels"),
    "braking_give": ("m/N", "the same of C, rearwards"),
    "driving_toe": ("rad/N", "toe for each newton forwards at C"),
    "driving_give": ("m/N", "the same of C, forwards"),
    "aligning_toe": ("rad/(N m)", "toe for each newton metre about z that turns the front of the wheel inwards"),
}
OF_AXLES: dict[str, tuple[str, str]] = {
    "track": ("m", "distance of the two P across the car"),
    "roll_centre_y": (
        "m",
        "geometric roll centre: where the lines from each P to its instant centre meet; of a live axle, "
        "where the axis of its roll goes through the plane of the wheels; y",
    ),
    "roll_centre_height": ("m", "the same, height over the line from P to P"),
    "force_centre_height": (
        "m",
        "force-based roll centre: the height at which a side force, carried in halves by the two "
        "wheels, rolls the body not at all: h = track (P_y' left + P_y' right)/2 over "
        "(P_z' left - P_z' right) in roll",
    ),
    "heave_ratio": ("", "compression of a spring for each metre of travel of both wheels"),
    "roll_ratio": ("", "compression of the left spring for each metre of left bump with right rebound"),
    "bar_ratio": ("rad/m", "twist of the anti-roll bar for each metre of left bump with right rebound"),
    "heave_rate": ("N/m", "rate of both wheels together, for each wheel: springs and third spring"),
    "roll_rate": ("N m/rad", "springs and bar against roll on rigid tyres"),
    "roll_rate_tyres": ("N m/rad", "the same in series with the tyres"),
    "roll_steer": ("", "mean steer angle of the two wheels for each radian of body roll to the right"),
    "roll_camber": ("", "camber of the left wheel to the road for each radian of body roll to the right"),
    "ackermann": (
        "%",
        "100 (inner - outer)/(inner - ideal outer steer angle); ideal: cot outer = cot inner + track/wheelbase",
    ),
    "anti_dive": ("%", "share of the pitching under braking that the links carry at this axle, brakes at the wheels"),
    "anti_lift": ("%", "the same of the lift under braking (rear axle)"),
    "anti_squat": ("%", "the same of the squat when driven (rear axle), by shafts; a live axle by its links"),
}
AXIS = {"caster", "kingpin", "scrub", "trail"}
CENTRES = {"instant_centre_y", "instant_centre_z", "swing_arm_front", "side_centre_x", "side_centre_z"} | {
    "patch_angle",
    "centre_angle",
}
SPRINGS = {"spring_ratio", "spring_force", "wheel_rate", "ride_rate", "frequency"}
SPRUNG = SPRINGS | {"heave_ratio", "roll_ratio", "bar_ratio", "heave_rate", "roll_rate", "roll_rate_tyres"}
BUSHED = {name for name in OF_SIDES if name.partition("_")[0] in ("lateral", "braking", "driving", "aligning")}
WHEEL = OF_SIDES.keys() - AXIS - CENTRES - SPRINGS - BUSHED
UNITS = {**{name: unit for name, (unit, _) in OF_SIDES.items()}, **{name: unit for name, (unit, _) in OF_AXLES.items()}}


@dataclass(frozen=True)
class Setting:
    """What some metrics need of the car: wheelbase and height of its centre of mass [m], shares of brake and drive
    force at this axle, sprung mass at each of its wheels [kg], and whether it is the rear axle."""

    wheelbase: float | None = None
    height: float | None = None
    brake_share: float = 0.5
    drive_share: float = 1.0
    corner_mass: float | None = None
    rear: bool = False


NO_CAR = Setting()


def metrics(sweep: Sweep, car: Setting = NO_CAR, wanted: Iterable[str] | None = None) -> dict[str, Array]:
    """All metrics along a sweep but those of bushings, which are rigid there: "left.camber", "roll_centre_height".
    What is not defined is NaN. With `wanted` only groups that hold one of these names are computed."""
    names = None if wanted is None else plain_names(wanted)
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = {side: _Side(sweep, side) for side in ("left", "right")}
        found = {
            f"{side}.{name}": values for side, one in sides.items() for name, values in one.metrics(car, names).items()
        }
        if names is None or names & OF_AXLES.keys():
            found |= _of_axle(sweep, sides["left"], sides["right"], car)
    return found if names is None or names & SPRUNG else {n: v for n, v in found.items() if n not in SPRUNG}


def plain_names(wanted: Iterable[str]) -> set[str]:
    """Names of metrics without their sides."""
    return {name.rpartition(".")[2] for name in wanted}


class _Side:
    """One wheel along a sweep."""

    def __init__(self, sweep: Sweep, side: str) -> None:
        s = sweep.axle.suspension
        self.sweep, self.side, self.sigma = sweep, side, 1.0 if side == "left" else -1.0
        self.track = sweep.track(sweep.axle.carrier(side))
        self.C, self.s = self.track.point(s.point("wheel_centre", side)), self.track.direction(s.spindle(side))
        up = -self.s * self.s[:, 2:]
        up[:, 2] += 1.0
        up /= np.sqrt((up**2).sum(axis=1))[:, None]
        self.P = self.C - s.wheel_radius * up
        drawn = s.spindle(side)
        rise = np.array([0.0, 0.0, 1.0]) - drawn * drawn[2]
        self.P0 = s.point("wheel_centre", side) - s.wheel_radius * rise / np.linalg.norm(rise)
        self.flat = np.hypot(self.s[:, 0], self.s[:, 1])
        self.e_x = np.stack([self.s[:, 1] / self.flat, -self.s[:, 0] / self.flat], axis=1)
        self.spring = strut(sweep, f"{s.name}_{side}_spring")
        self._turning: dict[str, tuple[Array, Array]] = {}
        self._velocity: dict[tuple[str, str], Array] = {}

    def v(self, motion: str, place: str) -> Array:
        """Velocity of the wheel's "C" or "P" for a unit rate of a motion."""
        key = motion, place
        if key not in self._velocity:
            self._velocity[key] = self.track.velocity(motion, self.C if place == "C" else self.P)
        return self._velocity[key]

    def metrics(self, car: Setting, wanted: set[str] | None) -> dict[str, Array]:
        found: dict[str, Array] = {}
        for make, names in (
            (self._wheel, WHEEL),
            (self._axis, AXIS),
            (self._centres, CENTRES),
            (lambda: self._springs(car), SPRINGS),
        ):
            if wanted is None or wanted & names:
                found |= make()
        return found

    @cached_property
    def steer(self) -> Array:
        """Steer angle, positive to the left."""
        found: Array = np.arctan2(-self.s[:, 0], self.s[:, 1])
        return found

    def turning(self, motion: str) -> tuple[Array, Array]:
        """Rates of camber and toe for a unit rate of a motion: s' = w x s."""
        if motion not in self._turning:
            ds, s = crossed(self.track.spin(motion), self.s), self.s
            camber = -self.sigma * ds[:, 2] / self.flat
            toe = self.sigma * (ds[:, 0] * s[:, 1] - s[:, 0] * ds[:, 1]) / self.flat**2
            self._turning[motion] = camber, toe
        return self._turning[motion]

    def _wheel(self) -> dict[str, Array]:
        camber, toe = self.turning(self.side)
        half = self.sigma * self.P[:, 1]
        return {
            "camber": -self.sigma * np.arcsin(self.s[:, 2]),
            "toe": -self.sigma * self.steer,
            "steer": self.steer,
            "half_track": half,
            "half_track_change": half - self.sigma * self.P0[1],
            "wheelbase_change": self.P[:, 0] - self.P0[0],
            "bump_camber": camber,
            "bump_steer": toe,
        }

    def steering_axis(self) -> tuple[Array, Array]:
        """A point of the steering axis and its direction upwards: by its points, or as the axis about which the carrier
        turns when the tie rod's length changes; NaN where there is none."""
        s = self.sweep.axle.suspension
        roles = kingpin_roles(s)
        if roles is not None:
            low = self.track.point(s.point(roles[0], self.side))
            top = s.point(roles[1], self.side)
            high = self.track.point(top) if roles[1] != "strut_top" else np.broadcast_to(top, low.shape)
            return low, high - low
        motion = f"{self.side} tie"
        if motion not in self.sweep.rates:
            return np.full_like(self.C, np.nan), np.full_like(self.C, np.nan)
        w = self.track.spin(motion)
        return self.C + crossed(w, self.track.velocity(motion, self.C)) / (w**2).sum(axis=1)[:, None], w * np.sign(
            w[:, 2:]
        )

    def _axis(self) -> dict[str, Array]:
        at, k = self.steering_axis()
        ground = at + k * ((self.P[:, 2] - at[:, 2]) / k[:, 2])[:, None]
        off = (ground - self.P)[:, :2]
        e_y = np.stack([-self.e_x[:, 1], self.e_x[:, 0]], axis=1)
        return {
            "caster": np.arctan2(-k[:, 0], k[:, 2]),
            "kingpin": np.arctan2(-self.sigma * k[:, 1], k[:, 2]),
            "scrub": -self.sigma * (off * e_y).sum(axis=1),
            "trail": (off * self.e_x).sum(axis=1),
        }

    def _centres(self) -> dict[str, Array]:
        C, v, vP = self.C, self.v(self.side, "C"), self.v(self.side, "P")
        w, ground = self.track.spin(self.side), self.P[:, 2]
        arm = v[:, 2] / w[:, 0]
        return {
            "instant_centre_y": C[:, 1] - arm,
            "instant_centre_z": C[:, 2] + v[:, 1] / w[:, 0] - ground,
            "swing_arm_front": self.sigma * arm,
            "side_centre_x": C[:, 0] + v[:, 2] / w[:, 1],
            "side_centre_z": C[:, 2] - v[:, 0] / w[:, 1] - ground,
            "patch_angle": np.arctan2(vP[:, 0], vP[:, 2]),
            "centre_angle": np.arctan2(v[:, 0], v[:, 2]),
        }

    def ratio(self, motion: str) -> Array:
        """Compression of this side's spring for a unit rate of a motion."""
        return np.full(len(self.C), np.nan) if self.spring is None else -self.spring.rate(motion)

    def _springs(self, car: Setting) -> dict[str, Array]:
        s, spring, ratio = self.sweep.axle.suspension, self.spring, self.ratio(self.side)
        shorter = np.full(len(self.C), np.nan) if spring is None else spring.drawn - spring.length
        force = s.preload + s.k * shorter
        rate = s.k * ratio**2
        third = strut(self.sweep, f"{s.name}_third_spring")
        if third is not None:
            rate = rate + s.third_k * third.rate(self.side) ** 2
        ride = rate * s.tyre_k / (rate + s.tyre_k) if s.tyre_k else rate
        mass = np.nan if car.corner_mass is None else car.corner_mass
        return {
            "spring_ratio": ratio,
            "spring_force": force,
            "wheel_rate": rate,
            "ride_rate": ride,
            "frequency": np.sqrt(ride / mass) / (2 * np.pi),
        }


def _of_axle(sweep: Sweep, left: _Side, right: _Side, car: Setting) -> dict[str, Array]:
    s = sweep.axle.suspension
    track = left.P[:, 1] - right.P[:, 1]
    live = s.kind == "live axle"
    y, height = _live_centre(left, right) if live else _meeting(left, right)
    roll = [one.v("left", "P") - one.v("right", "P") for one in (left, right)]
    force = track * (roll[0][:, 1] + roll[1][:, 1]) / 2 / (roll[0][:, 2] - roll[1][:, 2])
    own, other = left.ratio("left"), left.ratio("right")
    heave, rolled = own + other, own - other
    twist = twist_rate(sweep, "left") - twist_rate(sweep, "right")
    between = strut(sweep, f"{s.name}_third_spring")
    third = [np.zeros(len(sweep)) if between is None else between.rate(motion) for motion in ("left", "right")]
    springs = np.nan_to_num(s.k * rolled**2) * 2 + s.bar_k * twist**2 + s.third_k * (third[0] - third[1]) ** 2
    roll_rate = springs * (track / 2) ** 2
    tyres = s.tyre_k * track**2 / 2
    return {
        "track": track,
        "roll_centre_y": y,
        "roll_centre_height": height,
        "force_centre_height": force,
        "heave_ratio": heave,
        "roll_ratio": rolled,
        "bar_ratio": np.abs(twist) if s.bar != "none" else np.full(len(track), np.nan),
        "heave_rate": s.k * heave**2 + s.third_k * (third[0] + third[1]) ** 2 / 2,
        "roll_rate": roll_rate,
        "roll_rate_tyres": roll_rate * tyres / (roll_rate + tyres) if s.tyre_k else roll_rate,
        **_rolling(left, right, track),
        **_anti(sweep, left, right, car, live),
        "ackermann": _ackermann(left, right, track, car),
    }


def _meeting(left: _Side, right: _Side) -> tuple[Array, Array]:
    """Where the lines from the contact points to the instant centres meet: at right angles to the velocities of P."""
    slopes = [-v[:, 1] / v[:, 2] for v in (one.v(one.side, "P") for one in (left, right))]
    (yl, zl), (yr, zr) = ((one.P[:, 1], one.P[:, 2]) for one in (left, right))
    y = (zr - slopes[1] * yr - zl + slopes[0] * yl) / (slopes[0] - slopes[1])
    z = zl + slopes[0] * (y - yl)
    return y, z - _ground(left, right, y)


def _live_centre(left: _Side, right: _Side) -> tuple[Array, Array]:
    """Where the axis of roll goes through the plane of the wheels."""
    w = left.track.spin("left") - left.track.spin("right")
    v = left.v("left", "C") - left.v("right", "C")
    y = left.C[:, 1] - v[:, 2] / w[:, 0]
    z = left.C[:, 2] + v[:, 1] / w[:, 0]
    return y, z - _ground(left, right, y)


def _ground(left: _Side, right: _Side, y: Array) -> Array:
    """Height of the line from P to P at y."""
    share = (y - right.P[:, 1]) / (left.P[:, 1] - right.P[:, 1])
    return np.asarray(right.P[:, 2] + share * (left.P[:, 2] - right.P[:, 2]))


def _rolling(left: _Side, right: _Side, track: Array) -> dict[str, Array]:
    """For a roll of the body to the right, the left wheel goes down against it and the right one up, by track/2."""
    half = track / 2
    steer = [-one.sigma * half * (one.turning("right")[1] - one.turning("left")[1]) for one in (left, right)]
    lean = half * (left.turning("right")[0] - left.turning("left")[0])
    return {"roll_steer": (steer[0] + steer[1]) / 2, "roll_camber": lean - 1.0}


def _anti(sweep: Sweep, left: _Side, right: _Side, car: Setting, live: bool) -> dict[str, Array]:
    missing = np.full(len(sweep), np.nan)
    if car.wheelbase is None or car.height is None:
        return {"anti_dive": missing, "anti_lift": missing, "anti_squat": missing}
    lever = 100.0 * car.wheelbase / car.height
    brake, shafts = (_leaning(left, right, place) for place in ("P", "C"))
    drive = brake if live else shafts
    return {
        "anti_dive": missing if car.rear else car.brake_share * lever * brake,
        "anti_lift": -car.brake_share * lever * brake if car.rear else missing,
        "anti_squat": -car.drive_share * lever * drive if car.rear else missing,
    }


def _leaning(left: _Side, right: _Side, place: str) -> Array:
    """How far a point of the wheels goes forwards for each metre up, both wheels together."""
    total = np.zeros_like(left.C)
    for one in (left, right):
        for motion in ("left", "right"):
            total += one.v(motion, place)
    return np.asarray(total[:, 0] / total[:, 2])


def _ackermann(left: _Side, right: _Side, track: Array, car: Setting) -> Array:
    if car.wheelbase is None:
        return np.full(len(track), np.nan)
    turn = np.sign(left.steer + right.steer)  # 1 to the left: the left wheel is the inner one
    inner = np.where(turn > 0, left.steer, -right.steer)
    outer = np.where(turn > 0, right.steer, -left.steer)
    ideal = np.arctan2(1.0, 1 / np.tan(inner) + track / car.wheelbase)
    found: Array = np.where(np.abs(left.steer + right.steer) > 2e-3, 100 * (inner - outer) / (inner - ideal), np.nan)
    return found
