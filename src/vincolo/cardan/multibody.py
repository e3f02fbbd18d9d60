"""A Cardan joint as a multibody model, and its friction found there: reactions of the driven motion cause moments and
forces of friction, which act on the motion again, until both fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.analyses.kinematics import kinematics
from vincolo.cardan.joint import Cardan
from vincolo.cardan.rccc import positions
from vincolo.dual import Dual, DualInertia, denavit_hartenberg, origin, rotation_z, skew
from vincolo.errors import ModelError, SimulationError
from vincolo.model import Body, Frame, Model
from vincolo.model.checks import finite_number
from vincolo.model.functions import Linear
from vincolo.model.geometry import Array
from vincolo.results import Result

JOINTS = ("input", "pin 1", "pin 2", "output")
BODIES = ("input fork", "cross", "output fork")
ITERATIONS = 60
MASSLESS = DualInertia(0.0, np.zeros(3), np.zeros((3, 3)))


def cardan_model(joint: Cardan, theta1: float = 0.0) -> Model:
    """The joint as an RCCC linkage of rigid bodies, drawn at an angle of the input [rad]: the revolute 'input', the
    cylindrical joints 'pin 1', 'pin 2' and 'output', whose second body is the ground. There is no gravity."""
    place = positions(joint.alpha, np.array(theta1), joint.branch)
    if not bool(place.assembled):
        raise ModelError(f"the joint cannot be assembled at {np.degrees(theta1):.4g} degrees of its input.\n"
                         "  Its errors are too large for its angle.")
    model = Model("Cardan joint", gravity=(0, 0, 0))
    here, body = Dual(np.eye(3)), model.ground
    for k, name in enumerate(JOINTS):
        first = _frame(body, here)
        turned = here @ rotation_z(place.theta[k])
        here = here @ denavit_hartenberg(place.theta[k], joint.alpha[k])
        body = _body(model, BODIES[k], joint.links[k] if joint.links else MASSLESS, here) if k < 3 else model.ground
        make = model.revolute if k == 0 else model.cylindrical
        make(name, first, _frame(body, turned))
    return model


def _frame(body: Body, A: Dual) -> Frame:
    return body.frame_at(origin(A), np.asarray(A.real))


def _body(model: Model, name: str, link: DualInertia, A: Dual) -> Body:
    """A link, whose inertia is about the origin of the frame A and in its axes."""
    com = link.static_moment / link.mass if link.mass else np.zeros(3)
    across = skew(com).real
    return model.body(name, link.mass, link.inertia + link.mass * across @ across, at=origin(A),
                      orientation=np.asarray(A.real), com=com)


@dataclass(frozen=True, eq=False)
class RubbedMotion:
    """A driven turn with friction that fits its reactions. Arrays go over positions, of joints over (positions, 4)."""

    result: Result
    input_torque: Array  # N m, of the drive
    friction: Array  # N m
    axial_friction: Array  # N
    efficiency: Array
    iterations: int


def rubbed_turn(joint: Cardan, speed: float, output_torque: float, *, count: int = 72) -> RubbedMotion:
    """A turn of the multibody model at a speed [rad/s] against a torque at the output [N m], with the friction of the
    joint's bearings: loads of the model by reactions of the model, repeated until they settle."""
    omega, torque = finite_number("rubbed_turn(): speed", speed), finite_number("rubbed_turn(): torque", output_torque)
    if omega <= 0 or torque <= 0:
        raise ModelError("rubbed_turn(): speed and output torque must be above zero.")
    times: Array = np.linspace(0.0, 2 * np.pi / omega, count + 1)
    loads = np.zeros((count + 1, 4, 2))  # moments and axial forces
    for k in range(1, ITERATIONS + 1):
        result = _driven(joint, omega, times, torque, loads)
        found = _friction(joint, result, omega)
        change, size = np.abs(found - loads).max(), np.abs(found).max()
        loads = found
        if change <= 1e-12 * size or size == 0:
            return _summed(result, loads, omega, k)
    raise SimulationError(f"rubbed_turn(): friction still changes by {change:.3g} N m after {ITERATIONS} repetitions.\n"
                          "  The joint probably locks itself; give less friction, or longer bearings.")


def _driven(joint: Cardan, omega: float, times: Array, torque: float, loads: Array) -> Result:
    """The motion under friction as loads that are known at all times."""
    model = cardan_model(joint)
    model.drive("input.angle", f"{omega!r}*t", name="motor")
    resists = torque * _sign(positions(joint.alpha, omega * times, joint.branch), joint, omega)
    for k, name in enumerate(JOINTS):
        turning = loads[:, k, 0] - (resists if k == 3 else 0.0)
        for coordinate, values in (("angle", turning), ("travel", loads[:, k, 1])):
            if values.any():
                model.actuator(f"{name} {coordinate}", f"{name}.{coordinate}", Linear(tuple(times), tuple(values)))
    return kinematics(model, outputs=times)


def _sign(place: Any, joint: Cardan, omega: float) -> Array:
    """The sense in which the frame turns on the output shaft."""
    forward = positions(joint.alpha, place.theta[0] + 1e-6 * omega, joint.branch).theta[3].real
    return np.asarray(np.sign(np.sin(forward - place.theta[3].real)))


def _friction(joint: Cardan, result: Result, omega: float) -> Array:
    """Moments and axial forces of friction (positions, 4, 2) from reactions about the first frame of each joint."""
    found = np.zeros((len(result), 4, 2))
    for k, name in enumerate(JOINTS):
        force, torque = result.reaction(name).in_joint_axes
        travel = result[f"{name}.travel"] if k else np.zeros(len(result))
        torque = torque + np.cross(travel[:, None] * [0.0, 0.0, 1.0], force)  # about the first frame's origin
        bearing = joint.bearings[k]
        F, M = np.hypot(force[:, 0], force[:, 1]), np.hypot(torque[:, 0], torque[:, 1])
        turning, sliding = result[f"{name}.angle.rate"], result[f"{name}.travel.rate"] if k else 0.0 * travel
        still = 1e-12 * omega
        found[:, k, 0] = -np.sign(turning) * (abs(turning) > still) * joint.friction * bearing.diameter * (
            M / bearing.span + F / 2)
        found[:, k, 1] = -np.sign(sliding) * (abs(sliding) > still) * joint.friction * (F + 2 * M / bearing.span)
    return found


def _summed(result: Result, loads: Array, omega: float, iterations: int) -> RubbedMotion:
    put_in = result["motor.force"]
    losses: Array = np.zeros(len(result))
    for k, name in enumerate(JOINTS):
        losses += np.abs(loads[:, k, 0] * result[f"{name}.angle.rate"])
        if k:
            losses += np.abs(loads[:, k, 1] * result[f"{name}.travel.rate"])
    return RubbedMotion(result, put_in, loads[..., 0], loads[..., 1], 1.0 - losses / (put_in * omega), iterations)
