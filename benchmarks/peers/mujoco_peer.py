"""MuJoCo: a kinematic tree in joint coordinates, loops closed by its soft 'connect' equalities."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from engine import Configuration, Run
from problems.description import GROUND, SAMPLES, Branch, Joint, Problem

NAME = "mujoco"
# implicitfast is implicit in dampers, discrete in springs too
INTEGRATORS = {
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
}
# nothing collides here, and looking for islands costs 10 % where there is only one
DISABLED = (
    mujoco.mjtDisableBit.mjDSBL_CONTACT,
    mujoco.mjtDisableBit.mjDSBL_AUTORESET,
    mujoco.mjtDisableBit.mjDSBL_ISLAND,
)
IMPEDANCE = 0.9999
# bodies; 200 rk4 steps of a chain of 1000 take 40 s and blow up, so nothing that could pass is affordable
LARGEST_TREE = 400
SMALLEST_INERTIA = 1e-9  # kg m^2; MuJoCo refuses zero

mujoco.set_mju_user_warning(lambda message: None)  # coarse steps of the search blow up, which the error tells


def configurations(problem: Problem) -> list[Configuration]:
    """rk4 wins nearly everywhere; small loops also with a fixed time constant of the closing (in s) and softer ones."""
    if len(problem.bodies) > LARGEST_TREE:
        return []

    def method(name: str, **options: float) -> Configuration:
        return Configuration(name, "step", options=options)

    result = [method("rk4")]
    if problem.spanning_tree()[1] and len(problem.bodies) < 20:
        constants = (1e-5, 1e-4) if problem.name == "A03" else (1e-3, 1e-2)
        result += [method("rk4", closing=c) for c in constants]
        result += [method("discrete", closing=1e-3), method("implicitfast", closing=1e-2, impedance=0.99)]
    return [*result, method("implicitfast"), method("discrete")]


class Simulation:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.branches, self.closing = problem.spanning_tree()
        self.model = self._spec().compile()
        self.data = mujoco.MjData(self.model)
        self.id = {branch.child: self.model.body(body_name(branch.child)).id for branch in self.branches}

    def run(self, configuration: Configuration, value: float) -> Run:
        model, data = self.model, self.data
        steps = round(self.problem.interval / value)
        self._configure(configuration, self.problem.interval / steps)
        self._start()
        positions = np.empty((SAMPLES + 1, model.nq))
        positions[0] = data.qpos
        started = time.process_time()
        for i in range(SAMPLES):
            mujoco.mj_step(model, data, nstep=steps)
            positions[i + 1] = data.qpos
        cpu = time.process_time() - started
        return Run(cpu, np.array([self._tracked_point(q) for q in positions]))

    def _configure(self, configuration: Configuration, step: float) -> None:
        self.model.opt.timestep = step
        self.model.opt.integrator = INTEGRATORS[configuration.method]
        # MuJoCo itself keeps the time constant at two steps or more
        self.model.eq_solref[:, 0] = configuration.options.get("closing", 2 * step)
        self.model.eq_solimp[:, :2] = configuration.options.get("impedance", IMPEDANCE)

    def _start(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        for branch in self.branches:
            rates = self.problem.joint_rates(branch)
            first = self.model.body_dofadr[self.id[branch.child]]
            self.data.qvel[first : first + len(rates)] = rates
        for body, torque in self.problem.torques:
            self.data.xfrc_applied[self.id[body], 3:6] = torque
        mujoco.mj_forward(self.model, self.data)

    def _tracked_point(self, positions: np.ndarray) -> np.ndarray:
        self.data.qpos[:] = positions
        mujoco.mj_kinematics(self.model, self.data)
        body = self.id[self.problem.tracked_body]
        return self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ self.problem.tracked_offset

    def _spec(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        spec.memory = 500_000_000
        spec.compiler.balanceinertia = True
        spec.option.gravity = self.problem.gravity
        spec.option.iterations, spec.option.tolerance, spec.option.ls_tolerance = 100, 1e-14, 1e-4
        for flag in DISABLED:
            spec.option.disableflags |= flag
        bodies = {GROUND: spec.worldbody}
        for branch in self.branches:
            bodies[branch.child] = self._add_body(bodies[branch.parent], branch)
        self._add_springs(spec, bodies)
        for joint in self.closing:
            self._close(spec, joint)
        return spec

    def _add_body(self, parent: mujoco.MjsBody, branch: Branch) -> mujoco.MjsBody:
        b = self.problem.bodies[branch.child]
        tensor = (
            b.inertia if np.linalg.eigvalsh(b.inertia)[0] > 0 else b.inertia + SMALLEST_INERTIA * np.eye(3)
        )
        body = parent.add_body(
            name=body_name(branch.child),
            pos=b.com - self.problem.com(branch.parent),
            ipos=[0, 0, 0],
            mass=b.mass,
            fullinertia=[*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]],
            explicitinertial=True,
        )
        for joint in joint_options(branch):
            body.add_joint(pos=branch.joint.point - b.com, **joint)
        return body

    def _add_springs(self, spec: mujoco.MjSpec, bodies: dict[int, mujoco.MjsBody]) -> None:
        for i, spring in enumerate(self.problem.springs):
            tendon = spec.add_tendon(name=f"spring{i}", springlength=[spring.length] * 2)
            # the first of each polynomial's coefficients is the linear one
            tendon.stiffness[0], tendon.damping[0] = spring.stiffness, spring.damping
            for end, body, point in (("a", spring.a, spring.point_a), ("b", spring.b, spring.point_b)):
                site = bodies[body].add_site(name=f"spring{i}{end}", pos=point - self.problem.com(body))
                tendon.wrap_site(site.name)

    def _close(self, spec: mujoco.MjSpec, joint: Joint) -> None:
        """Connect one point of a spherical or planar joint, two points on the axis of a spatial hinge."""
        if joint.kind not in ("sph", "rev"):
            raise ValueError(f"{self.problem.name}: a joint of kind {joint.kind!r} cannot close a loop in MuJoCo")
        a, b = (joint.b, joint.a) if joint.a == GROUND else (joint.a, joint.b)
        points = [joint.point]
        if joint.kind == "rev" and not self.problem.planar:
            points = [joint.point - 0.5 * joint.axis, joint.point + 0.5 * joint.axis]
        for point in points:
            equality = spec.add_equality(
                type=mujoco.mjtEq.mjEQ_CONNECT,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=body_name(a),
                name2=body_name(b),
                solref=[0.02, 1.0],
                solimp=[IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2],
            )
            equality.data[:3] = point - self.problem.com(a)


def body_name(body: int) -> str:
    return "world" if body == GROUND else f"body{body}"


def joint_options(branch: Branch) -> list[dict]:
    """MuJoCo's joints of one branch: a universal joint is two hinges."""
    joint, kind = branch.joint, mujoco.mjtJoint
    if joint.kind == "sph":
        return [{"type": kind.mjJNT_BALL}]
    if joint.kind == "uni":
        return [{"type": kind.mjJNT_HINGE, "axis": n} for n in joint.axes_from_parent(branch.reversed)]
    if joint.kind == "cyl":
        return [{"type": kind.mjJNT_SLIDE, "axis": joint.axis}, {"type": kind.mjJNT_HINGE, "axis": joint.axis}]
    if joint.kind == "bush":
        # the first of each polynomial's coefficients is the linear one
        rubber = {"stiffness": [joint.stiffness, 0, 0], "damping": [joint.damping, 0, 0]}
        slides = [{"type": kind.mjJNT_SLIDE, "axis": n, **rubber} for n in np.eye(3)]
        return [*slides, {"type": kind.mjJNT_HINGE, "axis": joint.axis}]
    return [{"type": kind.mjJNT_HINGE if joint.kind == "rev" else kind.mjJNT_SLIDE, "axis": joint.axis}]
