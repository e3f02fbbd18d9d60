"""Ordinary mechanisms of the combination matrix. Each function builds a model in SI units, in the plane x, z where it
is planar, with weight along -z, and names the places at which parts are attached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import vincolo as vc

G = 9.81
Y = "y"


@dataclass
class Mechanism:
    """A model with the places at which a part can be attached to it."""

    model: vc.Model
    until: float  # s
    coordinate: str  # a coordinate that moves during the run
    body: str  # a body that moves
    tip: tuple[float, float, float]  # a drawn world point on that body, away from its joints
    force: float = 1.0  # N, a force of the size of its weights
    length: float = 0.1  # m, the size of its links
    rates: dict[str, float] = field(default_factory=dict)  # of coordinates at the start
    driven: bool = False  # whether drives leave no freedom
    excursion: tuple[float, float, float] | None = None  # start, lowest and highest value of the coordinate, if known

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def moving(self) -> vc.Body:
        return self.model.bodies[self.body]

    @property
    def joint(self) -> vc.Joint:
        """The joint of the coordinate."""
        return self.model.joints[self.coordinate.rsplit(".", 1)[0]]

    @property
    def turns(self) -> bool:
        """Whether the coordinate is an angle."""
        return "angle" in self.coordinate

    @property
    def unit_force(self) -> float:
        """A force, or a torque where the coordinate is an angle."""
        return self.force * (self.length if self.turns else 1.0)

    def joint_of(self, kind: str) -> vc.Joint | None:
        """The joint of the coordinate if it is of a kind, or else the first one that is."""
        kinds = [self.joint, *self.model.joints.values()]
        return next((joint for joint in kinds if joint.kind == kind), None)


def rod(m: vc.Model, name: str, p: tuple, q: tuple, mass: float = 1.0) -> vc.Body:
    """A slender rod between two drawn points, its frame at its middle, parallel to the world."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    d = q - p
    thick = 0.02 * (d @ d)
    inertia = mass / 12 * ((d @ d + thick) * np.eye(3) - np.outer(d, d))
    return m.body(name, mass, inertia, at=(p + q) / 2)


def pendulum() -> Mechanism:
    m = vc.Model("pendulum", gravity=(0, 0, -G))
    arm = rod(m, "arm", (0, 0, 0), (0.5, 0, 0), 2.0)
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis=Y)
    return Mechanism(m, 0.4, "O.angle", "arm", (0.5, 0, 0), 20.0, 0.5)


def double_pendulum() -> Mechanism:
    m = vc.Model("double pendulum", gravity=(0, 0, -G))
    upper, lower = rod(m, "upper", (0, 0, 0), (0.3, 0, 0)), rod(m, "lower", (0.3, 0, 0), (0.3, 0, -0.3))
    m.revolute("O", m.ground, upper, at=(0, 0, 0), axis=Y)
    m.revolute("P", upper, lower, at=(0.3, 0, 0), axis=Y)
    return Mechanism(m, 0.3, "O.angle", "lower", (0.3, 0, -0.3), 10.0, 0.3)


def _slider_crank(name: str, pins: bool) -> Mechanism:
    m = vc.Model(name, gravity=(0, 0, -G))
    knee = (0.06, 0, 0.08)
    foot = (0.06 + np.sqrt(0.3**2 - 0.08**2), 0, 0)
    crank = rod(m, "crank", (0, 0, 0), knee, 0.5)
    link = rod(m, "rod", knee, foot, 0.6)
    slider = m.body("slider", 0.8, 0.001, at=foot)
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis=Y)
    if pins:  # three redundant rows, as in any planar linkage of pins
        m.revolute("A", crank, link, at=knee, axis=Y)
        m.revolute("B", link, slider, at=foot, axis=Y)
    else:
        m.spherical("A", crank, link, at=knee)
        m.cylindrical("B", link, slider, at=foot, axis=Y)
    m.prismatic("C", m.ground, slider, at=foot, axis="x")
    return Mechanism(m, 0.3, "C.travel", "slider", (foot[0] + 0.05, 0, 0.02), 8.0, 0.1)


def driven_slider_crank() -> Mechanism:
    machine = _slider_crank("driven slider-crank", pins=False)
    machine.model.drive("O.angle", "10*t + 8*t^2", name="motor")
    machine.driven = True
    return machine


def torque_driven_slider_crank() -> Mechanism:
    machine = _slider_crank("torque-driven slider-crank", pins=True)
    machine.model.actuator("motor", "O.angle", "1.2 - 0.05*dd")
    return machine


def _four_bar(name: str, pins: bool) -> Mechanism:
    m = vc.Model(name, gravity=(0, 0, -G))
    p, q, foot = (0.05, 0, 0.08), (0.32, 0, 0.2), (0.35, 0, 0)
    crank, coupler, rocker = rod(m, "crank", (0, 0, 0), p, 0.4), rod(m, "coupler", p, q), rod(m, "rocker", q, foot, 0.7)
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis=Y)
    if pins:
        m.revolute("B", crank, coupler, at=p, axis=Y)
        m.revolute("C", coupler, rocker, at=q, axis=Y)
    else:
        m.spherical("B", crank, coupler, at=p)
        m.cylindrical("C", coupler, rocker, at=q, axis=Y)
    m.revolute("D", m.ground, rocker, at=foot, axis=Y)
    return Mechanism(m, 0.25, "A.angle", "rocker", (0.3, 0, 0.1), 10.0, 0.2)


def four_bar_of_pins() -> Mechanism:
    return _four_bar("four-bar of pins", pins=True)


def four_bar() -> Mechanism:
    return _four_bar("four-bar", pins=False)


def cam_and_follower() -> Mechanism:
    m = vc.Model("cam and follower", gravity=(0, 0, -G))
    cam = m.body("cam", 1.5, 0.002, at=(0, 0, 0))
    follower = m.body("follower", 0.4, 0.0005, at=(0, 0, 0.1))
    m.revolute("O", m.ground, cam, at=(0, 0, 0), axis=Y)
    m.prismatic("guide", m.ground, follower, at=(0, 0, 0.1), axis="z")
    m.cam("lobe", cam, follower, at=(0, 0, 0), axis=Y, along="z", profile="0.05 + 0.01*cos(t)", point=(0, 0, 0.06))
    m.spring("return", "guide.travel", k=300.0, c=1.0, length=-0.05)
    m.actuator("motor", "O.angle", "0.5 - 0.03*dd")
    return Mechanism(m, 0.3, "guide.travel", "follower", (0.02, 0, 0.14), 8.0, 0.05)


def quarter_car() -> Mechanism:
    m = vc.Model("quarter car", gravity=(0, 0, -G))
    wheel, car = m.body("wheel", 40.0, 0.9, at=(0, 0, 0.3)), m.body("car", 300.0, 40.0, at=(0, 0, 0.9))
    m.prismatic("axle", m.ground, wheel, at=(0, 0, 0.3), axis="z")
    m.prismatic("strut", wheel, car, at=(0, 0, 0.6), axis="z")
    m.spring("tyre", vc.along("z", m.ground.frame((0, 0, 0)).moving(z=vc.functions.Sine(0.02, 12.0)),
                              wheel.frame((0, 0, 0.3))), k=1.6e5, c=200.0, length=0.32)
    m.spring("coil", "strut.travel", k=1.8e4, c=1.2e3, length=0.16)
    return Mechanism(m, 0.4, "strut.travel", "car", (0.3, 0, 0.9), 3000.0, 0.5)


def six_axis_arm() -> Mechanism:
    m = vc.Model("six-axis arm", gravity=(0, 0, -G))
    corners = [(0, 0, 0), (0, 0, 0.3), (0.05, 0, 0.7), (0.35, 0, 0.75), (0.5, 0, 0.7), (0.55, 0.02, 0.62),
               (0.6, 0, 0.5)]
    axes, stiffness = ("z", Y, Y, "x", Y, "x"), (60.0, 150.0, 80.0, 15.0, 8.0, 3.0)
    before = m.ground
    for k, (axis, stiff) in enumerate(zip(axes, stiffness, strict=True)):
        link = rod(m, f"link{k + 1}", corners[k], corners[k + 1], 3.0 / (k + 1))
        m.revolute(f"J{k + 1}", before, link, at=corners[k], axis=axis)
        m.actuator(f"servo{k + 1}", f"J{k + 1}.angle", "k*(0.3*sin(6*t) - d) - c*dd", k=stiff, c=0.1 * stiff)
        before = link
    return Mechanism(m, 0.25, "J3.angle", "link6", (0.6, 0, 0.5), 15.0, 0.3)


def delta_robot() -> Mechanism:
    m = vc.Model("delta robot", gravity=(0, 0, -G))
    platform = m.body("platform", 0.5, (0.001, 0.001, 0.002), at=(0, 0, -0.4))
    for k in range(3):
        turn = 2 * np.pi * k / 3
        out, across = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
        hip, elbow, wrist = 0.12 * out, 0.3 * out + [0, 0, -0.06], 0.05 * out + [0, 0, -0.4]
        arm = rod(m, f"arm{k}", hip, elbow, 0.4)
        m.revolute(f"hip{k}", m.ground, arm, at=hip, axis=across)
        m.spring(f"servo{k}", f"hip{k}.angle", k=12.0, c=0.3, length=-0.2 + 0.1 * k)
        for side in (-1, 1):
            m.distance(f"forearm{k}{'ab'[side > 0]}", arm.frame(elbow + 0.03 * side * across),
                       platform.frame(wrist + 0.03 * side * across))
    return Mechanism(m, 0.3, "hip0.angle", "platform", (0.03, 0.01, -0.42), 5.0, 0.2)


def rolling_disc() -> Mechanism:
    m = vc.Model("rolling disc", gravity=(0, 0, -G))
    lean, r = 0.2, 0.15
    axle = np.array([0, np.cos(lean), np.sin(lean)])
    up = np.array([0, -np.sin(lean), np.cos(lean)])
    disc = m.body("disc", 1.2, (0.0068, 0.0135, 0.0068), at=r * up, velocity=(0.9, 0, 0),
                  orientation=np.column_stack([[1, 0, 0], axle, up]), angular_velocity=0.9 / r * axle)
    m.rolling_disc("road", m.ground, disc, centre=r * up, axle=axle, radius=r)
    m.frame("rim", disc, r * up + r * np.array([1, 0, 0]))
    carrier = m.body("carrier", 0.2, 5e-3, at=r * up)
    m.revolute("hub", carrier, disc, at=r * up, axis=axle)
    return Mechanism(m, 0.3, "hub.angle", "disc", tuple(1.8 * r * up), 12.0, 0.15)


def rotor_in_bearings() -> Mechanism:
    m = vc.Model("rotor in bearings", gravity=(0, 0, -G))
    rotor = m.body("rotor", 5.0, (0.02, 0.03, 0.03), at=(0.2, 0, 0), com=(0, 0.002, 0.001),
                   angular_velocity=(20.0, 0, 0))
    m.revolute("bearing", m.ground, rotor, at=(0, 0, 0), axis="x")
    m.bushing("far end", m.ground.frame((0.4, 0, 0)), rotor.frame((0.4, 0, 0)), k=[0, 2e4, 2e4, 0, 0, 0],
              c=[0, 20, 20, 0, 0, 0])
    m.actuator("motor", "bearing.angle", "3 - 0.02*dd")
    return Mechanism(m, 0.3, "bearing.angle", "rotor", (0.2, 0.05, 0.03), 50.0, 0.1)


def stack_of_blocks() -> Mechanism:
    m = vc.Model("stack of blocks", gravity=(0, 0, -G))
    lower, upper = (m.body(name, vc.shapes.box((0.2, 0.2, 0.1), mass=mass), at=(0, 0, z), velocity=(speed, 0, 0))
                    for name, mass, z, speed in (("lower", 3.0, 0.05, 0.4), ("upper", 1.0, 0.15, 0.6)))
    m.planar("floor", m.ground, lower, at=(0, 0, 0), axis="z")
    m.planar("joint", lower, upper, at=(0, 0, 0.1), axis="z")
    m.force("push", lower, ("12*sin(15*t)", "2*cos(9*t)", 0))
    return Mechanism(m, 0.3, "floor.x", "upper", (0.1, 0, 0.2), 20.0, 0.2)


def hanging_rope() -> Mechanism:
    m = vc.Model("hanging rope", gravity=(0, 0, -G))
    before, at = m.ground, np.zeros(3)
    for k in range(5):
        d = 0.12 * np.array([np.cos(0.5 * k), 0.1, -np.sin(0.5 * k)])
        link = rod(m, f"link{k}", at, at + d, 0.1)
        if k:
            m.universal(f"U{k}", before, link, at=at, axis=Y, axis2=np.cross(d, [0, 1, 0]))
        else:
            m.revolute("hook", before, link, at=at, axis=Y)
        before, at = link, at + d
    return Mechanism(m, 0.25, "hook.angle", "link4", tuple(at), 1.0, 0.12)


def gear_train() -> Mechanism:
    m = vc.Model("gear train", gravity=(0, 0, -G))
    pinion, wheel = m.body("pinion", 0.5, 0.0004, at=(0, 0, 0)), m.body("wheel", 2.0, 0.006, at=(0.15, 0, 0))
    m.revolute("input", m.ground, pinion, at=(0, 0, 0), axis=Y)
    m.revolute("output", m.ground, wheel, at=(0.15, 0, 0), axis=Y)
    m.gear("mesh", pinion, wheel, at=(0, 0, 0), at2=(0.15, 0, 0), axis=Y, ratio=2.0, pressure_angle=0.35)
    m.motor("engine", "input.angle", [0.0, 100.0, 200.0], [1.0, 0.8, 0.0])
    m.law("load", "output.angle", "0.3 + 0.02*dd")
    m.rotor("input.angle", 2e-5, ratio=5.0, name="armature")
    return Mechanism(m, 0.3, "output.angle", "wheel", (0.2, 0, 0), 10.0, 0.1)


MECHANISMS: dict[str, Callable[[], Mechanism]] = {build().name: build for build in (
    pendulum, double_pendulum, driven_slider_crank, torque_driven_slider_crank, four_bar_of_pins, four_bar,
    cam_and_follower, quarter_car, six_axis_arm, delta_robot, rolling_disc, rotor_in_bearings, stack_of_blocks,
    hanging_rope, gear_train)}
