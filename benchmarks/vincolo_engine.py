"""vincolo itself, behind the same small interface as its peers."""

from __future__ import annotations

import warnings

import numpy as np

import vincolo as vc
from engine import Configuration, Run
from problems.description import GROUND, Joint, Problem

NAME = "vincolo"
TRACKED = "tracked"  # name of the frame at the tracked point


def configurations(problem: Problem) -> list[Configuration]:
    """All that won, or came within 15 % of the winner, on some problem when every integrator was tried on each. The
    automatic one comes first, for what comes later is given up where it cannot win."""

    def adaptive(method: str, **options: int) -> Configuration:
        return Configuration(method, "tolerance", options=options)

    # where nothing closes a loop, joint coordinates always win; they take explicit steps only
    if len(problem.joints) <= len(problem.bodies):
        return [adaptive(method, joints=1) for method in ("Auto", "DormandPrince", "DOP853", "BogackiShampine")] + [
            adaptive("Auto"), adaptive("DOP853"), Configuration("RK4", "step", options={"joints": 1})]
    return [
        adaptive("Auto"),
        adaptive("DormandPrince"),
        adaptive("DOP853"),
        adaptive("Radau", index=3),
        adaptive("Radau"),
        adaptive("Radau", index=2),
        adaptive("CashKarp"),
        adaptive("BogackiShampine"),
        Configuration("RK4", "step"),
    ]


IN_JOINTS = {"formulation": vc.JointCoordinates()}
WITH_PROJECTION = {"stabilisation": vc.Projection(tolerance=1e-6, outputs=False)}


class Simulation:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        model = build_model(problem)
        self.system = vc.compile(model)
        self.start = vc.assemble(self.system)

    def run(self, configuration: Configuration, value: float) -> Run:
        result = self.result(configuration, value)
        return Run(result.seconds, result.point(TRACKED))  # seconds: CPU time of the solve alone

    def result(self, configuration: Configuration, value: float) -> vc.Result:
        with warnings.catch_warnings():  # a search starts with settings that are too coarse
            warnings.simplefilter("ignore", vc.SimulationWarning)
            result = vc.simulate(
                self.system,
                until=self.problem.times[-1],
                outputs=self.problem.times,
                start=self.start,
                integrator=integrator(configuration, value),
                **(IN_JOINTS if configuration.options.get("joints") else WITH_PROJECTION),
                progress=False,
            )
        if not result.complete:
            raise RuntimeError(result.reason)
        return result

    def velocities(self, configuration: Configuration, value: float) -> np.ndarray:
        """Of the centres of all bodies [m/s] at the samples."""
        result = self.result(configuration, value)
        return np.stack([result[f"{body.name}.v{axis}"] for body in self.problem.bodies for axis in "xyz"], axis=1)


def integrator(configuration: Configuration, value: float):
    kind = getattr(vc, configuration.method)
    accuracy = {"step": value} if configuration.control == "step" else {"rtol": value, "atol": value}
    return kind(**accuracy, **{name: x for name, x in configuration.options.items() if name != "joints"})


def build_model(problem: Problem) -> vc.Model:
    model = vc.Model(problem.name, gravity=problem.gravity)
    bodies = {GROUND: model.ground}
    for i, body in enumerate(problem.bodies):
        bodies[i] = model.body(
            body.name,
            mass=body.mass,
            inertia=body.inertia,
            at=body.com,
            velocity=body.velocity,
            angular_velocity=body.angular_velocity,
        )
    for i, joint in enumerate(problem.joints):
        add_joint(model, f"J{i}", joint, bodies)
    for i, spring in enumerate(problem.springs):
        ends = bodies[spring.a].frame(spring.point_a), bodies[spring.b].frame(spring.point_b)
        model.spring(f"S{i}", *ends, k=spring.stiffness, c=spring.damping, length=spring.length)
    for i, (body, torque) in enumerate(problem.torques):
        model.torque(f"T{i}", bodies[body], torque, axes="world")
    model.frame(TRACKED, bodies[problem.tracked_body], problem.tracked_point)
    return model


def add_joint(model: vc.Model, name: str, joint: Joint, bodies: dict) -> None:
    a, b = bodies[joint.a], bodies[joint.b]
    if joint.kind == "rev":
        model.revolute(name, a, b, at=joint.point, axis=joint.axis)
    elif joint.kind == "pri":
        model.prismatic(name, a, b, at=joint.point, axis=joint.axis)
    elif joint.kind == "cyl":
        model.cylindrical(name, a, b, at=joint.point, axis=joint.axis)
    elif joint.kind == "uni":
        model.universal(name, a, b, at=joint.point, axis=joint.axis, axis2=joint.axis2)
    elif joint.kind == "bush":
        model.parallel(name, a, b, axis=joint.axis)
        ends = a.frame(joint.point), b.frame(joint.point)
        for axis in "xyz":
            model.spring(f"{name}{axis}", vc.along(axis, *ends), k=joint.stiffness, c=joint.damping, length=0.0)
    else:
        model.spherical(name, a, b, at=joint.point)
