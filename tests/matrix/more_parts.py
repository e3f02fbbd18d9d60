"""Parts of the combination matrix that meet, switch and steer: stops, ropes, play, contact, events, control."""

from __future__ import annotations

import numpy as np
from machines import Mechanism
from parts import added_body, blocks_a_drive, bound_of, excursion, ground_frame, named_tip, part, tip_frame

import vincolo as vc


@part("stop", "unilateral")
def stop(machine: Mechanism) -> None:
    machine.model.stop("end", machine.coordinate, restitution=0.5, **bound_of(machine))


@part("plastic stop", "unilateral")
def plastic_stop(machine: Mechanism) -> None:
    machine.model.stop("end", machine.coordinate, **bound_of(machine))


@part("compliant stop", "smooth")
def compliant_stop(machine: Mechanism) -> None:
    size = 1.0 if machine.turns else machine.length
    k = 100 * machine.unit_force / size
    machine.model.stop("buffer", machine.coordinate, force="k*d + c*d*dd", k=k, c=0.05 * k, **bound_of(machine))


@part("stop with a dent", "event")
def dent(machine: Mechanism) -> None:
    size = 1.0 if machine.turns else machine.length
    k = 100 * machine.unit_force / size
    machine.model.stop("crush", machine.coordinate, force="k1*d", back="k2*(d - deepest*(1 - k1/k2))", k1=k, k2=3 * k,
                       **bound_of(machine))


@part("stop on a point", "unilateral", misfit=blocks_a_drive)
def point_stop(machine: Mechanism) -> None:
    tip = named_tip(machine)
    machine.model.stop("wall", f"{tip}.z", at_least=machine.tip[2] - 0.2 * machine.length, restitution=0.3)


@part("rope", "unilateral", misfit=blocks_a_drive)
def rope(machine: Mechanism) -> None:
    anchor = ground_frame(machine, 0.3 * machine.length, 0.8 * machine.length)
    length = float(np.hypot(0.3, 0.8)) * machine.length
    machine.model.rope("rope", anchor, tip_frame(machine), 1.1 * length, restitution=0.2)


@part("clearance", "unilateral")
def clearance(machine: Mechanism) -> None:
    body = added_body(machine)
    at = tuple(machine.tip)
    machine.model.planar("loose plane", machine.moving, body, at=at, axis="y")
    machine.model.clearance("play", "cylindrical", machine.moving.frame(at, z="y"), body.frame(at, z="y"),
                            gap=0.02 * machine.length, restitution=0.2)


@part("clearance with friction", "unilateral", "friction", "reactions")
def dry_clearance(machine: Mechanism) -> None:
    body = added_body(machine)
    at = tuple(machine.tip)
    machine.model.planar("loose plane", machine.moving, body, at=at, axis="y")
    machine.model.clearance("play", "cylindrical", machine.moving.frame(at, z="y"), body.frame(at, z="y"),
                            gap=0.02 * machine.length, friction=0.2, radius=0.1 * machine.length)


@part("elastic clearance", "event")
def elastic_clearance(machine: Mechanism) -> None:
    body = added_body(machine)
    at = tuple(machine.tip)
    machine.model.planar("loose plane", machine.moving, body, at=at, axis="y")
    machine.model.clearance("play", "cylindrical", machine.moving.frame(at, z="y"), body.frame(at, z="y"),
                            gap=0.02 * machine.length, stiffness=1e6 * machine.force, restitution=0.5)


def _falling_ball(machine: Mechanism, **contact: float) -> None:
    """A ball hung on the moving body by a spring, which falls on the ground beside it."""
    size = 0.2 * machine.length
    mass = 0.05 * machine.force / 9.81
    height = -2.0
    ball = machine.model.body("ball", vc.shapes.sphere(size, mass=mass), at=(0, 3, height + size + 0.05),
                              velocity=(0.4, 0, -0.3), angular_velocity=(0, 3.0, 0))
    machine.model.contact("ground contact", machine.model.ground.frame((0, 3, height)), ball, "plane", **contact)
    machine.model.spring("tie", vc.along("x", machine.model.ground.frame((0, 3, 0)), tip_frame(machine)),
                         k=0.05 * machine.force / machine.length)


@part("soft contact", "soft contact")
def soft_contact(machine: Mechanism) -> None:
    _falling_ball(machine, stiffness=3e5 * machine.force / machine.length**1.5 * 0.02, damping=0.3, friction=0.3)


@part("rigid contact", "rigid contact")
def rigid_contact(machine: Mechanism) -> None:
    _falling_ball(machine, restitution=0.4, friction=0.3)


@part("soft contact of boxes", "soft contact")
def box_contact(machine: Mechanism) -> None:
    size, mass = 0.3 * machine.length, 0.05 * machine.force / 9.81
    k = 30 * machine.force / machine.length
    boxes = [machine.model.body(name, vc.shapes.box((s, s, 0.5 * size), mass=mass), at=(0, 3, z), velocity=(v, 0, 0))
             for name, s, z, v in (("low box", 2 * size, 0.25 * size, 0.0), ("high box", size, 0.76 * size, 0.2))]
    machine.model.fixed("low weld", machine.model.ground, boxes[0], at=(0, 3, 0))
    machine.model.contact("box contact", boxes[0], boxes[1], stiffness=k, exponent=1.0, damping=1.0, friction=0.2)


@part("ground wheel", "smooth")
def ground_wheel(machine: Mechanism) -> None:
    mass, r = 0.1 * machine.force / 9.81, 0.2 * machine.length
    wheel = machine.model.body("trolley wheel", mass, mass * r**2 * np.array([0.3, 0.5, 0.3]), at=(0, 3, r),
                               velocity=(0.5, 0, 0))
    machine.model.planar("tyre plane", machine.model.ground, wheel, at=(0, 3, r), axis="y")
    machine.model.ground_wheel("tread", wheel.frame((0, 3, r), z="y"), r, stiffness=50 * machine.force / machine.length,
                               damping=0.5 * machine.force / machine.length, adhesion=0.8)


# events ---------------------------------------------------------------------------------------------------------------

@part("event at a time", "event")
def time_event(machine: Mechanism) -> None:
    m = machine.model
    m.variable("level", 0.1 * machine.unit_force)
    m.actuator("levelled", machine.coordinate, "level")
    m.event("change", at=0.5 * machine.until, set={"level": -0.2 * machine.unit_force})


@part("event at every tenth", "event")
def periodic_event(machine: Mechanism) -> None:
    m = machine.model
    m.variable("count", 0.0)
    m.actuator("pulse", machine.coordinate, "F*sin(count)", F=0.2 * machine.unit_force)
    m.event("tick", every=machine.until / 10, set={"count": "count + 1"})


@part("event at a guard", "event")
def guard_event(machine: Mechanism) -> None:
    m = machine.model
    start, low, high = excursion(machine)
    middle = start + 0.4 * (high - start if high - start >= start - low else low - start)
    m.variable("side", 1.0)
    m.actuator("two point", machine.coordinate, "side*F", F=0.2 * machine.unit_force)
    m.event("far", f"{machine.coordinate} - ({middle!r})", direction="both", set={"side": "-side"})


@part("event that stops the run", "event", "ends")
def stop_event(machine: Mechanism) -> None:
    start, low, high = excursion(machine)
    middle = start + 0.4 * (high - start if high - start >= start - low else low - start)
    machine.model.event("end of run", f"{machine.coordinate} - ({middle!r})", direction="both", stop=True)


@part("impulse", "event", misfit=blocks_a_drive)
def strike(machine: Mechanism) -> None:
    machine.model.event("hit", at=0.4 * machine.until, strike={machine.coordinate: 0.02 * machine.unit_force})


@part("joint switched off", "event")
def switch_off(machine: Mechanism) -> None:
    added_body(machine, "fixed")
    machine.model.switch("extra joint", False, at=0.5 * machine.until)


@part("joint switched on", "event")
def switch_on(machine: Mechanism) -> None:
    body = added_body(machine)
    machine.model.revolute("carry", machine.moving, body, at=machine.tip, axis="y")
    machine.model.hold("brake", vc.angle(machine.moving.frame(machine.tip, z="y"), body.frame(machine.tip, z="y")))
    machine.model.switch("brake", False)
    machine.model.event("engage", at=0.5 * machine.until, switch_on="brake")


@part("force switched at a guard", "event")
def switched_force(machine: Mechanism) -> None:
    start, low, high = excursion(machine)
    middle = start + 0.3 * (high - start if high - start >= start - low else low - start)
    machine.model.force("assist", tip_frame(machine), (0, 0, 0.2 * machine.force))
    machine.model.event("release", f"{machine.coordinate} - ({middle!r})", direction="both", switch_off="assist")


# control --------------------------------------------------------------------------------------------------------------

@part("input", "input")
def held_input(machine: Mechanism) -> None:
    machine.model.input("u", value=0.2 * machine.unit_force)
    machine.model.actuator("fed", machine.coordinate, "u - 0.02*u*dd")


@part("state", "smooth", "state")
def lag_state(machine: Mechanism) -> None:
    machine.model.state("lag", "(F*sin(5*t) - lag)/T", F=0.2 * machine.unit_force, T=0.05)
    machine.model.actuator("fed", machine.coordinate, "lag")


@part("sensor", "sensor")
def sensor(machine: Mechanism) -> None:
    machine.model.sensor("cell", f"{machine.joint.name}.reaction.force")
    machine.model.law("brake", machine.coordinate, "0.01*cell*tanh(dd)")


@part("controller", "python", "control")
def controller(machine: Mechanism) -> None:
    m = machine.model
    m.input("u")
    m.actuator("steered", machine.coordinate, "u")
    gain = 0.2 * machine.unit_force

    def control(t, q, rate, memory):
        memory["sum"] += 0.01 * q
        return -gain * (q + 0.1 * rate) - 0.1 * gain * memory["sum"]

    m.add_controller("control", control, every=machine.until / 20,
                     reads=[machine.coordinate, f"{machine.coordinate}.rate"], writes=["u"], memory={"sum": 0.0})


@part("PID block", "control")
def pid(machine: Mechanism) -> None:
    m = machine.model
    m.input("u")
    m.actuator("steered", machine.coordinate, "u")
    gain = 0.2 * machine.unit_force
    vc.blocks.pid(m, "pid", setpoint=0.1, measured=machine.coordinate, writes="u", every=machine.until / 20, kp=gain,
                  ki=0.2 * gain, kd=0.05 * gain)


@part("output", "smooth")
def output(machine: Mechanism) -> None:
    machine.model.output("power", f"{machine.coordinate}.rate*{machine.unit_force!r}")


@part("bare", "smooth")
def bare(machine: Mechanism) -> None:
    """Nothing is added."""
