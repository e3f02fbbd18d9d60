"""Pinocchio: trees in joint coordinates, accelerations by its articulated-body algorithm, steps of RK4 in Python."""

from __future__ import annotations

import time

import numpy as np
import pinocchio as pin

from engine import Configuration, Run
from problems.description import GROUND, SAMPLES, Branch, Problem

NAME = "pinocchio"
LARGEST = 500  # bodies; its data grow with their square, to 8 GB for 1,000
KINDS = {"rev": pin.JointModelRevoluteUnaligned, "pri": pin.JointModelPrismaticUnaligned}


def configurations(problem: Problem) -> list[Configuration]:
    """Trees of hinges and slides without springs; it has no forces of its own, and loops need a solver around it."""
    return [Configuration("rk4", "step")] if serves(problem) else []


def serves(problem: Problem) -> bool:
    """Whether it is a tree of hinges and slides alone, and not too large."""
    if len(problem.bodies) > LARGEST:
        return False
    kinds = {joint.kind for joint in problem.joints}
    return kinds <= set(KINDS) and not problem.springs and not problem.torques and not problem.spanning_tree()[1]


def build_model(problem: Problem) -> tuple[pin.Model, dict[int, int]]:
    """The model, and the number of the joint that moves each body. Frames of joints have the axes of the world."""
    model, joints, points = pin.Model(), {GROUND: 0}, {GROUND: np.zeros(3)}
    model.gravity.linear = problem.gravity
    for branch in problem.spanning_tree()[0]:
        joint, body = branch.joint, problem.bodies[branch.child]
        placement = pin.SE3(np.eye(3), joint.point - points[branch.parent])
        number = model.addJoint(joints[branch.parent], KINDS[joint.kind](joint.axis), placement, f"joint{branch.child}")
        inertia = pin.Inertia(body.mass, body.com - joint.point, body.inertia)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        joints[branch.child], points[branch.child] = number, joint.point
    return model, joints


def rates(problem: Problem, model: pin.Model, joints: dict[int, int]) -> np.ndarray:
    """Rates of the joints at the start."""
    v = np.zeros(model.nv)
    for branch in problem.spanning_tree()[0]:
        v[model.joints[joints[branch.child]].idx_v] = _rate(problem, branch)
    return v


def _rate(problem: Problem, branch: Branch) -> float:
    return float(problem.joint_rates(branch)[0])


class Simulation:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        if not serves(problem):
            return
        self.model, self.joints = build_model(problem)
        self.data = self.model.createData()

    def run(self, configuration: Configuration, value: float) -> Run:
        steps = round(self.problem.interval / value)
        q, v = pin.neutral(self.model), rates(self.problem, self.model, self.joints)
        positions = np.empty((SAMPLES + 1, self.model.nq))
        positions[0] = q
        started = time.process_time()
        for i in range(SAMPLES):
            q, v = self._advanced(q, v, self.problem.interval / steps, steps)
            positions[i + 1] = q
        cpu = time.process_time() - started
        return Run(cpu, np.array([self._tracked_point(q) for q in positions]))

    def _advanced(self, q: np.ndarray, v: np.ndarray, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
        model, data, aba, none = self.model, self.data, pin.aba, np.zeros(self.model.nv)
        for _ in range(steps):
            a1 = aba(model, data, q, v, none).copy()
            v2 = v + (h / 2) * a1
            a2 = aba(model, data, q + (h / 2) * v, v2, none).copy()
            v3 = v + (h / 2) * a2
            a3 = aba(model, data, q + (h / 2) * v2, v3, none).copy()
            v4 = v + h * a3
            a4 = aba(model, data, q + h * v3, v4, none)
            q = q + (h / 6) * (v + 2 * (v2 + v3) + v4)
            v = v + (h / 6) * (a1 + 2 * (a2 + a3) + a4)
        return q, v

    def _tracked_point(self, q: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(self.model, self.data, q)
        joint, body = self.joints[self.problem.tracked_body], self.problem.tracked_body
        own = next(b.joint for b in self.problem.spanning_tree()[0] if b.child == body)
        return self.data.oMi[joint].act(self.problem.tracked_point - own.point)
